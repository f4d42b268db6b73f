"""Which two versions of a kernel are compared: named choices that stay true while rounds are added."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from core.analysis import inquiries, queries
from core.analysis.inquiries import Inquiry
from core.analysis.queries import QueueRow, ResidentUse, RoundAdoption, RoundRow
from core.analysis.reviews import Review, reviews
from core.errors import SageError
from core.evaluation.records import DiagnosticResult, Evaluation
from sage_desktop.ui.diff.document import compared

if TYPE_CHECKING:
    from core.operators.measured_kernels import MeasuredKernel

logger = logging.getLogger(__name__)
_MOST_OTHERS = 20
REFERENCE_FILE = "reference.py"


class Pick(StrEnum):
    """A choice of version that is not a fixed round."""

    LATEST = "latest"
    BEFORE = "before"  # the round before the newer version
    FIRST_CORRECT = "first-correct"
    BEST = "best"
    REFERENCE = "reference"  # what the operator is defined by, in PyTorch
    NOTHING = "nothing"


@dataclass(frozen=True)
class OtherRun:
    """The best kernel (or the last one, when none is correct) of another trajectory of the operator."""

    trajectory: str


Choice = Pick | OtherRun | int  # an int is a round number
Hunks = tuple[tuple[str, int], ...]  # path and 0-based line of each


@dataclass(frozen=True)
class OtherVersion:
    """A version of another run: what it is chosen by, when that run began, who wrote it, the round."""

    choice: OtherRun
    started_at: str
    provider: str
    best: bool
    row: RoundRow


@dataclass(frozen=True)
class Versions:
    """The rounds of the operator in front, and what other runs of it came to."""

    queue: QueueRow
    rounds: tuple[RoundRow, ...]
    others: tuple[OtherVersion, ...] = ()

    @property
    def shown(self) -> tuple[RoundRow, ...]:
        """Rounds that have a candidate to look at."""
        return tuple(row for row in self.rounds if row.candidate)

    def resolve(self, choice: Choice, newer: RoundRow | None = None) -> RoundRow | None:
        """The round `choice` means now; `newer` is the other side for `Pick.BEFORE`."""
        shown_rows = self.shown
        by_number = {row.round: row for row in shown_rows}
        if isinstance(choice, int):
            return by_number.get(choice)
        if isinstance(choice, OtherRun):
            return next(
                (other.row for other in self.others if other.choice == choice), None
            )
        if choice is Pick.LATEST:
            return shown_rows[-1] if shown_rows else None
        if choice is Pick.BEFORE and newer is not None:
            return next(
                (row for row in reversed(shown_rows) if row.round < newer.round), None
            )
        if choice is Pick.FIRST_CORRECT:
            return by_number.get(self.queue.first_correct_round or 0)
        if choice is Pick.BEST:
            return by_number.get(self.queue.best_round or 0)
        return None


@dataclass(frozen=True)
class VersionPair:
    """Everything shown about two versions; `left` is None when the newer one is shown alone."""

    left: RoundRow | None
    right: RoundRow
    left_files: dict[str, str]
    right_files: dict[str, str]
    evaluation: Evaluation | None
    adoptions: tuple[RoundAdoption, ...]
    residents: tuple[ResidentUse, ...]
    reviews: tuple[Review, ...] = ()
    of_other_run: bool = False  # whether `left` is
    hunks: Mapping[str, Hunks] = field(default_factory=dict)
    """Adopted item -> (path, 0-based line) of each change of this round that shows its code."""

    doubts: frozenset[str] = frozenset()
    """uids of items whose adoption record the change of this round speaks against."""

    asked: tuple[tuple[Inquiry, DiagnosticResult], ...] = ()
    """The last answer of each tool about the newer version, for each case and judge."""

    reference: str = ""
    """Text of the operator's definition when it is what the newer version is compared with."""

    baselines: tuple[MeasuredKernel, ...] = ()
    """What CANN's own kernels take for the operator, where a profile tells."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The definition, then files of both versions: kernel, tiling, host, each group by name."""
        files = sorted(
            self.left_files.keys() | self.right_files.keys(), key=_file_order
        )
        return (REFERENCE_FILE, *files) if self.reference else tuple(files)

    def sides(self, path: str) -> tuple[str | None, str | None]:
        """Both texts of a file; the definition stands on both sides, nothing in it is a change."""
        if self.reference and path == REFERENCE_FILE:
            return self.reference, self.reference
        return self.left_files.get(path), self.right_files.get(path)

    def changed(self, path: str) -> bool:
        """Whether the file differs between the versions."""
        return self.left_files.get(path) != self.right_files.get(path)

    @property
    def latency_change(self) -> float | None:
        """(right - left) / left of two latencies of the same origin, None when there are not two."""
        if (
            self.left is None
            or not self.left.latency_us
            or self.right.latency_us is None
        ):
            return None
        if self.left.latency_origin != self.right.latency_origin:
            return None
        return self.right.latency_us / self.left.latency_us - 1.0


def _file_order(path: str) -> tuple[int, str]:
    if path.startswith("op_kernel"):
        return 0, path
    return (1 if "tiling" in path else 2), path


def read_trajectory(connection: sqlite3.Connection, queue: QueueRow) -> Versions:
    """Read the rounds of a queue entry, and the best kernel of each other run of its operator."""
    uid = queue.trajectory_uid
    runs = queries.trajectories(connection, queue.operator, _MOST_OTHERS + 1)
    other_versions = [_other(connection, run) for run in runs if run.uid != uid]
    rounds = queries.rounds(connection, uid)
    return Versions(
        queue, rounds, tuple(one for one in other_versions if one is not None)
    )


def _other(
    connection: sqlite3.Connection, run: queries.TrajectoryRow
) -> OtherVersion | None:
    """The best kernel of a run, else its last one; None where it has no kernel."""
    rows = [row for row in queries.rounds(connection, run.uid) if row.candidate]
    if not rows:
        return None
    best = next((row for row in rows if row.round == run.best_round), None)
    row = best or rows[-1]
    choice = OtherRun(run.uid)
    return OtherVersion(choice, run.started_at, run.provider, best is not None, row)


def read_review(
    connection: sqlite3.Connection, queue: QueueRow, older: Choice, newer: Choice
) -> tuple[Versions, VersionPair | None]:
    """Read what the choices mean now; the comparison is None while there is no candidate."""
    trajectory = read_trajectory(connection, queue)
    right = trajectory.resolve(newer) or trajectory.resolve(Pick.LATEST)
    if right is None:
        return trajectory, None
    left = trajectory.resolve(older, right)
    other = isinstance(older, OtherRun) and left is not None
    if left is not None and left.round == right.round and not other:
        left = trajectory.resolve(Pick.BEFORE, right)
    pair = read_comparison(
        connection, queue.trajectory_uid, left, right, of_other_run=other
    )
    if older is Pick.REFERENCE:
        pair = replace(pair, reference=_reference(queue))
    return trajectory, replace(pair, baselines=_baselines(queue))


def _baselines(queue: QueueRow) -> tuple[MeasuredKernel, ...]:
    """What CANN's own kernels take; none where the operator is not on this computer."""
    from core.operators.catalogue import find_operator
    from core.operators.measured_kernels import measured_kernels

    try:
        return measured_kernels(find_operator(queue.source, queue.operator))
    except SageError as error:
        logger.info("No baseline of %s: %s", queue.operator, error)
        return ()


def _reference(queue: QueueRow) -> str:
    """The PyTorch definition of the operator; words in its place where it is not on this computer."""
    from core.operators.catalogue import find_operator

    try:
        return (
            find_operator(queue.source, queue.operator).folder / REFERENCE_FILE
        ).read_text("utf-8")
    except (SageError, OSError) as error:
        return f"# {error}\n"


def read_comparison(
    connection: sqlite3.Connection,
    trajectory_uid: str,
    left: RoundRow | None,
    right: RoundRow,
    *,
    of_other_run: bool = False,
) -> VersionPair:
    """Read both candidates and what is known about the newer one; long files are compared here already."""
    old = (
        queries.candidate_files(connection, left.candidate) if left is not None else {}
    )
    new = queries.candidate_files(connection, right.candidate)
    for path in {**old, **new}:
        compared(old.get(path), new.get(path))
    adoptions = queries.adoptions(connection, trajectory_uid, right.round)
    hunks, doubts = _evidence(connection, trajectory_uid, right, adoptions)
    return VersionPair(
        left,
        right,
        old,
        new,
        queries.evaluation(connection, right.evaluation),
        adoptions,
        queries.resident_uses(connection, trajectory_uid, right.round),
        reviews(connection, right.candidate),
        of_other_run,
        hunks,
        doubts,
        _asked(connection, right.candidate),
    )


def _asked(
    connection: sqlite3.Connection, candidate: str
) -> tuple[tuple[Inquiry, DiagnosticResult], ...]:
    newest: dict[tuple[str, str, str], Inquiry] = {}
    for inquiry in inquiries.inquiries(connection, candidate):
        newest.setdefault((inquiry.tool, inquiry.case, inquiry.judge), inquiry)
    return tuple(
        (inquiry, inquiries.answer(connection, inquiry)) for inquiry in newest.values()
    )


def _evidence(
    connection: sqlite3.Connection,
    trajectory_uid: str,
    right: RoundRow,
    adoptions: Sequence[RoundAdoption],
) -> tuple[dict[str, Hunks], frozenset[str]]:
    """What the change of a round shows of the items retrieved in it.

    Returns:
        Where it shows the code of each adopted item, and the items whose record it speaks against.
    """
    if not adoptions:
        return {}, frozenset()
    # needs half of the agent, which the first window does not
    from core.agent.learning.adoption_check import is_doubtful, matching_lines
    from core.memory.reading import read_items
    from core.memory.records import AdoptionState

    before = queries.candidate_before(connection, trajectory_uid, right.round)
    after = queries.candidate_files(connection, right.candidate)
    states = {row.uid: AdoptionState(row.state) for row in adoptions}
    hunks: dict[str, Hunks] = {}
    doubts: set[str] = set()
    for item in read_items(connection, list(states)):
        state = states[item.uid]
        if state is AdoptionState.ADOPTED:
            hunks[item.uid] = matching_lines(item.code_diff, before, after)
        if is_doubtful(state, item.code_diff, before, after):
            doubts.add(item.uid)
    return hunks, frozenset(doubts)
