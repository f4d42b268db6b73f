"""What was it worth? The lines an adopted experience taught are taken out of a kernel, which is timed again.

The lines are those of the changes of the round that show code of the experience (`core.engine.blame`); they
become again what they were before the round. The answer is stored beside the adoption record. Where no line
shows the experience, or the kernel does not build or pass without them, that is the answer.
"""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum

from core.engine.blame import read_blame
from core.errors import SageError
from core.evaluation.line_history import lines_of
from core.evaluation.patch import compared
from core.evaluation.port import Evaluator
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.operators.spec import OperatorSpec
from core.workspace import Workspace, now
from core.workspace.rows import rows_as
from core.workspace.sentences import keep, kept


class Outcome(StrEnum):
    """What came of a kernel without the lines."""

    TIMED = (
        "timed"  # both are correct: what the lines are worth is told by the latencies
    )
    NEEDED = "needed"  # it runs and is not correct
    BOUND = "bound"  # it does not build: other lines need them, and nothing is known of them alone
    UNKNOWN = "unknown"  # the kernel as it was is not correct today, or a judge could not tell


def outcome_of(with_verdict: str, without_verdict: str) -> Outcome:
    """From the verdicts of a kernel and of what is left of it."""
    if with_verdict.startswith("pass"):
        if without_verdict.startswith("pass"):
            return Outcome.TIMED
        if without_verdict in (VerdictClass.FAIL_RUN, VerdictClass.FAIL_RESULT):
            return Outcome.NEEDED
        if without_verdict == VerdictClass.FAIL_BUILD:
            return Outcome.BOUND
    return Outcome.UNKNOWN


@dataclass(frozen=True)
class Removal:
    """A kernel without the lines of one experience.

    Attributes:
        trajectory: uid.
        round: Whose kernel it is.
        uid: The experience.
        whole: The kernel as the round left it.
        rest: The kernel without the lines.
        patch: What was taken out, as a unified diff from the whole to the rest.
    """

    trajectory: str
    round: int
    uid: str
    whole: Mapping[str, str]
    rest: Mapping[str, str]
    patch: str


@dataclass(frozen=True)
class Worth:
    """What was found for one adoption record.

    Attributes:
        operator: Of the round.
        round: Its number.
        removed: The lines as a patch; empty where there were none to take out.
        with_verdict: Of the kernel as it was, judged again.
        without_verdict: Of the kernel without the lines.
        with_us: Its latency, None where it was not timed.
        without_us: As above, without the lines.
        latency_origin: Of both.
        judge: Who judged both.
        why_not: Why there is no answer; empty when there is one.
        at: ISO time.
    """

    operator: str
    round: int
    removed: str
    with_verdict: str
    without_verdict: str
    with_us: float | None
    without_us: float | None
    latency_origin: str
    judge: str
    why_not: str
    at: str

    @property
    def gain_us(self) -> float | None:
        """Microseconds the lines save; negative where they cost time, None where one was not timed."""
        if (
            self.with_us is None
            or self.without_us is None
            or self.outcome is not Outcome.TIMED
        ):
            return None
        return self.without_us - self.with_us

    @property
    def outcome(self) -> Outcome:
        """What both verdicts say."""
        return outcome_of(self.with_verdict, self.without_verdict)


Judged = tuple[
    Removal, tuple[Evaluation, Evaluation], str
]  # with its lines and without, and who judged both

_TRIED = 24  # rounds that are looked at; each has its trajectory followed line by line
_ADOPTED = """
SELECT e.trajectory_uid, t.round FROM trace t JOIN episode e ON e.uid = t.episode_uid
JOIN item i ON i.id = t.item_id JOIN round r ON r.trajectory_uid = e.trajectory_uid AND r.round = t.round
WHERE i.uid = ? AND t.state = 'adopted' AND t.counted = 1 AND r.candidate IS NOT NULL
  AND (? = '' OR e.operator = ?) AND (? = 0 OR t.round = ?)
ORDER BY e.rowid DESC, t.round DESC
"""
_WORTH = """
SELECT e.operator, w.round, w.removed, w.with_verdict, w.without_verdict, w.with_us, w.without_us,
  w.latency_origin, w.judge, w.why_not, w.at
FROM worth w JOIN episode e ON e.uid = w.episode_uid JOIN item i ON i.id = w.item_id
WHERE i.uid = ? ORDER BY w.id
"""


def adopted_rounds(
    db: sqlite3.Connection, uid: str, operator: str = "", number: int = 0
) -> tuple[tuple[str, int], ...]:
    """(trajectory, round) of the rounds that adopted an experience and were evaluated, the latest first."""
    rows = db.execute(_ADOPTED, (uid, operator, operator, number, number))
    return tuple((row[0], row[1]) for row in rows)


def weighable(
    db: sqlite3.Connection, uid: str, operator: str = "", number: int = 0
) -> tuple[tuple[str, int, str], Removal | str]:
    """The latest round an experience's lines can be taken out of; else the latest one, and why not.

    Args:
        db: Of a workspace.
        uid: The experience.
        operator: Only where this operator's kernel adopted it; empty for any.
        number: Only this round; 0 for any.

    Returns:
        (trajectory, round, uid) and the removal, or a sentence.

    Raises:
        SageError: No evaluated round adopted it.
    """
    places = adopted_rounds(db, uid, operator, number)[:_TRIED]
    if not places:
        raise SageError(
            "No evaluated round adopted {uid}.",
            "`sage memory show {uid}` lists its records.",
            uid=uid,
        )
    reasons = []
    for place in places:
        try:
            return (*place, uid), removal_of(db, *place, uid)
        except SageError as problem:
            reasons.append(problem.what)
    return (*places[0], uid), reasons[0]


def removal_of(
    db: sqlite3.Connection, trajectory: str, number: int, uid: str
) -> Removal:
    """Take the lines of an experience out of the kernel of a round.

    Raises:
        SageError: No line of the round shows the experience, or the round has no kernel.
    """
    found = read_blame(db, trajectory)
    lessons = found.works[number].lessons if number in found.works else ()
    lesson = next((entry for entry in lessons if entry.uid == uid), None)
    if lesson is None or not lesson.shown:
        raise SageError(
            "No line that round {round} wrote shows the code of {uid}: there is nothing to take out.",
            "Its guidance may be in the kernel without words of its own.",
            round=number,
            uid=uid,
        )
    base = found.versions[number].base
    before = found.texts[base] if base is not None else {}
    whole = found.texts[number]
    rest = {
        path: _without(before.get(path, ""), text, lesson.shown.get(path, frozenset()))
        for path, text in whole.items()
    }
    if base is None or any(
        not text.strip() for path, text in rest.items() if whole[path].strip()
    ):
        raise SageError(
            "Round {round} wrote the whole kernel: without the lines of {uid} nothing is left to be timed.",
            round=number,
            uid=uid,
        )
    return Removal(
        trajectory, number, uid, whole, rest, "\n".join(compared(whole, rest))
    )


def _without(before: str, after: str, shown: frozenset[int]) -> str:
    """`after` with the changes that hold a shown line taken back."""
    old, new = lines_of(before), lines_of(after)
    kept_lines: list[str] = []
    for tag, start, end, first, last in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if tag != "equal" and shown & set(range(first, last)):
            kept_lines += old[start:end]
        else:
            kept_lines += new[first:last]
    return "\n".join(kept_lines) + ("\n" if after.endswith("\n") else "")


async def measured(
    judge: AbstractAsyncContextManager[Evaluator],
    operator: OperatorSpec,
    removal: Removal,
) -> Judged:
    """The kernel and what is left of it, judged one after the other by the same judge."""
    async with judge as evaluator:
        found = [
            await evaluator.evaluate(
                operator, Candidate(dict(files)), lambda _text: None
            )
            for files in (removal.whole, removal.rest)
        ]
        return removal, (found[0], found[1]), evaluator.label


def keep_worth(
    workspace: Workspace,
    removal: Removal,
    judged: tuple[Evaluation, Evaluation],
    judge: str,
) -> None:
    """Store the answer beside the adoption record."""
    from core.agent.journal import Journal

    whole, rest = judged
    origin = whole.latency.origin.value if whole.latency else ""
    comparable = (
        rest.latency if rest.latency and rest.latency.origin.value == origin else None
    )
    with workspace.transaction() as db:
        digest = Journal(workspace).store_candidate(Candidate(dict(removal.rest)))
        _insert(
            db,
            (removal.trajectory, removal.round, removal.uid),
            removed=removal.patch,
            candidate=digest,
            with_verdict=whole.verdict.value,
            without_verdict=rest.verdict.value,
            with_us=whole.latency.value if whole.latency else None,
            without_us=comparable.value if comparable else None,
            latency_origin=origin,
            judge=keep(db, judge),
        )


def keep_why_not(workspace: Workspace, place: tuple[str, int, str], why: str) -> None:
    """Store that there is no answer for (trajectory, round, uid), and why."""
    with workspace.transaction() as db:
        _insert(db, place, why_not=keep(db, why))


def _insert(
    db: sqlite3.Connection, place: tuple[str, int, str], **columns: str | float | None
) -> None:
    trajectory, number, uid = place
    names = ", ".join(columns)
    marks = ", ".join(f":{name}" for name in columns)
    db.execute(
        f"INSERT INTO worth(episode_uid, round, item_id, at, {names}) "
        f"SELECT t.episode_uid, t.round, t.item_id, :now, {marks} FROM trace t "
        "JOIN episode e ON e.uid = t.episode_uid JOIN item i ON i.id = t.item_id "
        "WHERE e.trajectory_uid = :trajectory AND t.round = :number AND i.uid = :uid",
        {
            **columns,
            "now": now(),
            "trajectory": trajectory,
            "number": number,
            "uid": uid,
        },
    )


def worths_of(db: sqlite3.Connection, uid: str) -> tuple[Worth, ...]:
    """Every answer about an experience, oldest first."""
    return kept(db, rows_as(db.execute(_WORTH, (uid,)), Worth), "judge", "why_not")
