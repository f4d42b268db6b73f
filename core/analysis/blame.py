"""Blame to memory: the round that wrote a line, the experience that taught it, and what that brought.

What taught a line is the generator's own word, as the trace-completeness gate recorded it, beside an
automatic look at the lines the round wrote (`core.agent.learning.adoption_check`). Where a record names lines, it is
about these, and code elsewhere in the round does not count. Neither is proof. What a round brought belongs to all of
its changes together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from core.analysis import queries
from core.analysis.queries import RoundRow
from core.diff.line_history import Origin, Place, Version, line_history
from core.diff.lines import lines_of
from core.errors import SageError

if TYPE_CHECKING:
    from core.agent.learning.adoption_place import Place as NamedPlace
    from core.memory.records import CodeDiff

# Lines around one that shows an item's code; blank ones and single braces end them.
_NEAR = 3


class Basis(StrEnum):
    """What the generator declared of an experience."""

    ADOPTED = "adopted"  # an adoption record
    FOLLOWED = "followed"  # a resident rule


class Evidence(StrEnum):
    """What the automatic check finds for a line, the strongest first."""

    LINE = "line"  # the line shows code of the item
    CHANGE = "change"  # a line at most three away, written in the same round without a gap, does
    NAMED = "named"  # neither does, but the record names the line
    ELSEWHERE = "elsewhere"  # only other lines the round wrote do
    NOWHERE = "nowhere"  # no line the round wrote does, or none that the record names
    UNCHECKED = "unchecked"  # the item has no code to look for


@dataclass(frozen=True)
class Lesson:
    """An experience a round says it used.

    Attributes:
        rationale: The generator's reason.
        code_lines: Path -> 0-based lines, as the round wrote them, that show its code; None where it has none.
            Where the record names lines, of these alone.
        named: The lines the record names.
    """

    uid: str
    title: str
    basis: Basis
    rationale: str
    code_lines: Mapping[str, frozenset[int]] | None
    named: tuple[NamedPlace, ...]

    def is_declared_for(self, origin: Origin) -> bool:
        """Whether the record names the line."""
        return any(place.holds(origin.path, origin.line) for place in self.named)


@dataclass(frozen=True)
class Effect:
    """What became of the latency, from before a round to the first timed version from that round on.

    Before is the version the round changed, or the last timed one before it. Rounds between `before` and
    `after` failed or were not timed: the effect belongs to all of them.

    Attributes:
        before: Timed round compared with, 0 where there is none.
        after: First timed round from the writing one on.
        origin: measured, modelled or replayed: of both latencies.
    """

    before: int
    before_us: float | None
    after: int
    after_us: float
    origin: str

    @property
    def change_us(self) -> float | None:
        """Microseconds, negative for faster; None where nothing correct came before."""
        return None if self.before_us is None else self.after_us - self.before_us


@dataclass(frozen=True)
class RoundWork:
    """A round that wrote lines: its outcome, what it says it used, what it brought."""

    row: RoundRow
    lessons: tuple[Lesson, ...]
    effect: Effect | None
    """None while no version from this round on was correct and timed."""

    own_lines: Mapping[str, frozenset[int]]
    """Path -> 0-based lines of its version that are its own."""


@dataclass(frozen=True)
class LineBlame:
    """The origin of one line: which round wrote it, and how each of its lessons fits the line."""

    origin: Origin
    work: RoundWork
    lessons: tuple[tuple[Lesson, Evidence], ...]

    @property
    def taught_by(self) -> tuple[tuple[Lesson, Evidence], ...]:
        """The lessons whose code is in the line or beside it, or whose record names it."""
        taught = (Evidence.LINE, Evidence.CHANGE, Evidence.NAMED)
        return tuple(pair for pair in self.lessons if pair[1] in taught)


@dataclass(frozen=True)
class Blame:
    """All versions of a trajectory, line by line."""

    trajectory: str
    versions: Mapping[int, Version]
    works: Mapping[int, RoundWork]
    texts: Mapping[int, Mapping[str, str]] = field(repr=False)

    @property
    def latest(self) -> int:
        """Number of the last round with a kernel."""
        return max(self.versions)

    def origins(self, number: int, path: str) -> tuple[Origin, ...]:
        """Origin of each line of a file of round `number`; empty for what is no such file."""
        version = self.versions.get(number)
        return version.origins.get(path, ()) if version is not None else ()

    def of_line(self, number: int, path: str, line: int) -> LineBlame | None:
        """Origin of the 0-based `line`, and what taught it; None where there is no such line."""
        origins = self.origins(number, path)
        if not 0 <= line < len(origins):
            return None
        origin = origins[line]
        work = self.works[origin.version]
        own = work.own_lines[origin.path]
        texts = self.versions[origin.version].lines[origin.path]
        lessons = [
            (lesson, _evidence(lesson, origin, own, texts)) for lesson in work.lessons
        ]
        strength = list(Evidence)
        lessons.sort(key=lambda pair: strength.index(pair[1]))
        return LineBlame(origin, work, tuple(lessons))


def read_blame(connection: sqlite3.Connection, trajectory_uid: str) -> Blame:
    """Follow every line through the rounds of a trajectory; raises SageError where no round has a kernel."""
    rows = [row for row in queries.rounds(connection, trajectory_uid) if row.candidate]
    if not rows:
        raise SageError(
            "Trajectory {trajectory} has no kernel yet.",
            "Let it run.",
            trajectory=trajectory_uid,
        )
    texts = {
        row.round: queries.candidate_files(connection, row.candidate) for row in rows
    }
    versions = {version.number: version for version in line_history(texts.items())}
    works = {}
    for row in rows:
        own_lines = versions[row.round].own_lines()
        own = _own_trajectory(connection, trajectory_uid, row.round)
        lessons = _lessons(connection, own, row, texts[row.round], own_lines)
        effect = _effect(rows, row.round, versions[row.round].base or 0)
        works[row.round] = RoundWork(row, lessons, effect, own_lines)
    return Blame(trajectory_uid, versions, works, texts)


def _own_trajectory(connection: sqlite3.Connection, uid: str, number: int) -> str:
    """The trajectory that played round `number`: a fork holds copies of rounds, without their records."""
    query = "SELECT forked_from, forked_round FROM trajectory WHERE uid = ?"
    while True:
        row = connection.execute(query, (uid,)).fetchone()
        if row is None:
            return uid
        origin, last_copied = row
        if not origin or number > last_copied:
            return uid
        uid = origin


def _lessons(
    connection: sqlite3.Connection,
    trajectory_uid: str,
    row: RoundRow,
    files: Mapping[str, str],
    own_lines: Mapping[str, frozenset[int]],
) -> tuple[Lesson, ...]:
    """What a round declared, with the lines it wrote that show the code of each item."""
    declared = [
        (record.uid, record.title, Basis.ADOPTED, record.rationale)
        for record in queries.adoptions(connection, trajectory_uid, row.round)
        if record.state == Basis.ADOPTED
    ]
    declared += [
        (use.uid, use.title, Basis.FOLLOWED, use.rationale)
        for use in queries.resident_uses(connection, trajectory_uid, row.round)
    ]
    if not declared:
        return ()
    # Imported here: it needs half of the memory, which the first window does not.
    from core.agent.learning.adoption_place import named_places
    from core.memory.reading import read_items

    items = read_items(connection, [uid for uid, *_rest in declared])
    codes = {item.uid: item.code_diff for item in items}
    own: dict[str, dict[int, str]] = {}
    for path, numbers in own_lines.items():
        lines = lines_of(files[path])
        own[path] = {number: lines[number] for number in numbers}
    lessons = []
    for uid, title, basis, rationale in declared:
        named = named_places(rationale)
        code_lines = _code_lines(codes[uid], own, named)
        lessons.append(Lesson(uid, title, basis, rationale, code_lines, named))
    return tuple(lessons)


def _code_lines(
    code: CodeDiff,
    own_lines: Mapping[str, Mapping[int, str]],
    named: Sequence[NamedPlace],
) -> dict[str, frozenset[int]] | None:
    """Path -> lines of `own_lines` that show the code; None where there is no code to look for.

    Where the record has named lines, of these alone.
    """
    from core.agent.learning.adoption_check import showing_lines
    from core.agent.learning.adoption_place import within_named

    every_line: list[tuple[str, int]] = []
    for path, lines in own_lines.items():
        showing = showing_lines(code, lines)
        if showing is None:
            return None
        every_line += [(path, line) for line in showing]
    matching: dict[str, frozenset[int]] = {}
    for path, line in within_named(every_line, named):
        matching[path] = matching.get(path, frozenset()) | {line}
    return matching


def _evidence(
    lesson: Lesson, origin: Origin, own: frozenset[int], texts: Sequence[str]
) -> Evidence:
    """`own`: lines of the file that the round wrote; `texts`: all of its lines, blanks around them cut."""
    if lesson.code_lines is None:
        declared = lesson.is_declared_for(origin)
        return Evidence.NAMED if declared else Evidence.UNCHECKED
    code_lines = lesson.code_lines.get(origin.path, frozenset())
    if origin.line in code_lines:
        return Evidence.LINE
    # A bare brace or blank fits any code, so it proves nothing and ends the search.
    if _says_something(texts[origin.line]):
        for step in (-1, 1):
            for distance in range(1, _NEAR + 1):
                line = origin.line + step * distance
                if line not in own or not _says_something(texts[line]):
                    break
                if line in code_lines:
                    return Evidence.CHANGE
    if lesson.is_declared_for(origin):
        return Evidence.NAMED
    return Evidence.ELSEWHERE if lesson.code_lines else Evidence.NOWHERE


def _says_something(line: str) -> bool:
    return bool(line.strip("{};"))


def _effect(rows: Sequence[RoundRow], number: int, base: int) -> Effect | None:
    """What round `number`, which changed the version of round `base`, brought."""
    timed = [
        row
        for row in rows
        if row.latency_us is not None and row.verdict.startswith("pass")
    ]
    later = (row for row in timed if row.round >= number)
    after = next(later, None)
    if after is None or after.latency_us is None:
        return None
    # A measured latency cannot be compared with a modelled one.
    origin = after.latency_origin
    comparable = [row for row in timed if row.latency_origin == origin]
    earlier = [row for row in comparable if row.round < number]
    changed = [row for row in earlier if row.round == base]
    before = None
    if earlier:
        before = changed[0] if changed else earlier[-1]
    return Effect(
        before=before.round if before is not None else 0,
        before_us=before.latency_us if before is not None else None,
        after=after.round,
        after_us=after.latency_us,
        origin=after.latency_origin,
    )


@dataclass(frozen=True)
class TaughtLine:
    """A line that an item taught. `now`: where it stands in `Taught.kept_in`, None where it is gone."""

    path: str
    line: int
    text: str
    now: Place | None


@dataclass(frozen=True)
class Taught:
    """What an item taught in one round.

    Attributes:
        kept_in: Round of the best kernel of the trajectory, of its latest one while none is correct.
        lines: 0-based lines of the round's own that show its code. Where the check finds none, the first one of
            each place that the record names.
        shown: Whether the lines show its code.
        checked: Whether the item has code to look for.
    """

    trajectory: str
    operator: str
    work: RoundWork
    basis: Basis
    rationale: str
    kept_in: int
    lines: tuple[TaughtLine, ...]
    shown: bool
    checked: bool


_ROUNDS_OF_ITEM = """
SELECT e.trajectory_uid, t.round, tr.operator, tr.best_round, 'adopted' AS basis FROM trace t
JOIN episode e ON e.uid = t.episode_uid JOIN item i ON i.id = t.item_id
JOIN trajectory tr ON tr.uid = e.trajectory_uid
JOIN round r ON r.trajectory_uid = tr.uid AND r.round = t.round
WHERE i.uid = ?1 AND t.state = 'adopted' AND r.candidate IS NOT NULL
UNION ALL
SELECT e.trajectory_uid, h.round, tr.operator, tr.best_round, 'followed' FROM hot_use h
JOIN episode e ON e.uid = h.episode_uid JOIN item i ON i.id = h.item_id
JOIN trajectory tr ON tr.uid = e.trajectory_uid
JOIN round r ON r.trajectory_uid = tr.uid AND r.round = h.round
WHERE i.uid = ?1 AND r.candidate IS NOT NULL
"""


def taught_by(
    connection: sqlite3.Connection, uid: str, limit: int = 40
) -> tuple[tuple[Taught, ...], int]:
    """Rounds that say they used the item `uid`, the last first; and how many there are in all.

    At most `limit` are read: every one has its trajectory followed line by line.
    """
    total = connection.execute(
        f"SELECT count(*) FROM ({_ROUNDS_OF_ITEM})", (uid,)
    ).fetchone()[0]
    rows = connection.execute(
        f"SELECT * FROM ({_ROUNDS_OF_ITEM}) JOIN trajectory t ON t.uid = trajectory_uid "
        "ORDER BY t.started_at DESC, t.rowid DESC, round DESC LIMIT ?2",
        (uid, limit),
    ).fetchall()
    blames: dict[str, Blame] = {}
    rounds = []
    for trajectory, number, operator, best, basis, *_rest in rows:
        if trajectory not in blames:
            blames[trajectory] = read_blame(connection, trajectory)
        blame = blames[trajectory]
        rounds.append(_taught(blame, operator, number, best, uid, Basis(basis)))
    return tuple(rounds), int(total)


def _taught(
    blame: Blame, operator: str, number: int, best: int | None, uid: str, basis: Basis
) -> Taught:
    """What the item `uid` taught in round `number`, and where those lines are in the best kernel."""
    work = blame.works[number]
    lesson = next(
        entry for entry in work.lessons if entry.uid == uid and entry.basis is basis
    )
    kept_in = best if best is not None and best in blame.versions else blame.latest
    places = {
        origin: (path, line)
        for path, origins in blame.versions[kept_in].origins.items()
        for line, origin in enumerate(origins)
    }
    showing = [
        (path, line)
        for path, numbers in sorted((lesson.code_lines or {}).items())
        for line in sorted(numbers)
    ]
    named = [(place.path, place.first - 1) for place in lesson.named]
    lines = []
    for path, line in showing or named:
        origins = blame.origins(number, path)
        if 0 <= line < len(origins):
            text = lines_of(blame.texts[number][path])[line]
            lines.append(TaughtLine(path, line, text, places.get(origins[line])))
    return Taught(
        blame.trajectory,
        operator,
        work,
        basis,
        lesson.rationale,
        kept_in,
        tuple(lines),
        shown=bool(showing),
        checked=lesson.code_lines is not None,
    )
