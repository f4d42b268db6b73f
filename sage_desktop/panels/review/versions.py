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
_MOST_OTHER_RUNS = 20
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
    other_versions: tuple[OtherVersion, ...] = ()

    @property
    def viewable(self) -> tuple[RoundRow, ...]:
        """Rounds that have a candidate to look at."""
        return tuple(row for row in self.rounds if row.candidate)

    def resolve(self, choice: Choice, newer: RoundRow | None = None) -> RoundRow | None:
        """The round `choice` means now; `newer` is the other side for `Pick.BEFORE`."""
        viewable = self.viewable
        by_number = {row.round: row for row in viewable}
        if isinstance(choice, int):
            return by_number.get(choice)
        if isinstance(choice, OtherRun):
            rows = {version.choice: version.row for version in self.other_versions}
            return rows.get(choice)
        if choice is Pick.LATEST:
            return viewable[-1] if viewable else None
        if choice is Pick.BEFORE and newer is not None:
            before = [row for row in viewable if row.round < newer.round]
            return before[-1] if before else None
        if choice is Pick.FIRST_CORRECT:
            return by_number.get(self.queue.first_correct_round or 0)
        if choice is Pick.BEST:
            return by_number.get(self.queue.best_round or 0)
        return None


@dataclass(frozen=True)
class VersionPair:
    """Everything shown about two versions; `older` is None when the newer one is shown alone."""

    older: RoundRow | None
    newer: RoundRow
    older_files: dict[str, str]
    newer_files: dict[str, str]
    evaluation: Evaluation | None
    adoptions: tuple[RoundAdoption, ...]
    residents: tuple[ResidentUse, ...]
    reviews: tuple[Review, ...] = ()
    of_other_run: bool = False  # whether `older` is
    hunks: Mapping[str, Hunks] = field(default_factory=dict)
    """Adopted item -> (path, 0-based line) of each change of this round that shows its code."""

    doubts: frozenset[str] = frozenset()
    """uids of items whose adoption record the change of this round speaks against."""

    answers: tuple[tuple[Inquiry, DiagnosticResult], ...] = ()
    """The last answer of each tool about the newer version, for each case and judge."""

    reference: str = ""
    """Text of the operator's definition when it is what the newer version is compared with."""

    baselines: tuple[MeasuredKernel, ...] = ()
    """What CANN's own kernels take for the operator, where a profile tells."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The definition, then files of both versions: kernel, tiling, host, each group by name."""
        paths = self.older_files.keys() | self.newer_files.keys()
        files = sorted(paths, key=_file_order)
        return (REFERENCE_FILE, *files) if self.reference else tuple(files)

    def sides(self, path: str) -> tuple[str | None, str | None]:
        """Both texts of a file; the definition stands on both sides, nothing in it is a change."""
        if self.reference and path == REFERENCE_FILE:
            return self.reference, self.reference
        return self.older_files.get(path), self.newer_files.get(path)

    def changed(self, path: str) -> bool:
        """Whether the file differs between the versions."""
        return self.older_files.get(path) != self.newer_files.get(path)

    @property
    def latency_change(self) -> float | None:
        """(newer - older) / older of two latencies of the same origin, None when there are not two."""
        older, newer = self.older, self.newer
        if older is None or not older.latency_us or newer.latency_us is None:
            return None
        if older.latency_origin != newer.latency_origin:
            return None
        return newer.latency_us / older.latency_us - 1.0


def _file_order(path: str) -> tuple[int, str]:
    if path.startswith("op_kernel"):
        return 0, path
    return (1 if "tiling" in path else 2), path


def read_trajectory(connection: sqlite3.Connection, queue: QueueRow) -> Versions:
    """Read the rounds of a queue entry, and the best kernel of each other run of its operator."""
    uid = queue.trajectory_uid
    # One more: the run in front is among them.
    runs = queries.trajectories(connection, queue.operator, _MOST_OTHER_RUNS + 1)
    other_versions = []
    for run in runs:
        version = _version_of(connection, run) if run.uid != uid else None
        if version is not None:
            other_versions.append(version)
    rounds = queries.rounds(connection, uid)
    return Versions(queue, rounds, tuple(other_versions))


def _version_of(
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
    newer_row = trajectory.resolve(newer) or trajectory.resolve(Pick.LATEST)
    if newer_row is None:
        return trajectory, None
    older_row = trajectory.resolve(older, newer_row)
    of_other_run = isinstance(older, OtherRun) and older_row is not None
    # A round is not compared with itself. Another run counts its rounds by itself.
    is_same = older_row is not None and older_row.round == newer_row.round
    if is_same and not of_other_run:
        older_row = trajectory.resolve(Pick.BEFORE, newer_row)
    pair = read_comparison(
        connection,
        queue.trajectory_uid,
        older_row,
        newer_row,
        of_other_run=of_other_run,
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
        folder = find_operator(queue.source, queue.operator).folder
        return (folder / REFERENCE_FILE).read_text("utf-8")
    except (SageError, OSError) as error:
        return f"# {error}\n"


def read_comparison(
    connection: sqlite3.Connection,
    trajectory_uid: str,
    older: RoundRow | None,
    newer: RoundRow,
    *,
    of_other_run: bool = False,
) -> VersionPair:
    """Read both candidates and what is known about the newer one; long files are compared here already."""
    older_files = {}
    if older is not None:
        older_files = queries.candidate_files(connection, older.candidate)
    newer_files = queries.candidate_files(connection, newer.candidate)
    # In this thread and not the window's, which then takes the comparisons as made.
    for path in {**older_files, **newer_files}:
        compared(older_files.get(path), newer_files.get(path))
    adoptions = queries.adoptions(connection, trajectory_uid, newer.round)
    hunks, doubts = _evidence(connection, trajectory_uid, newer, adoptions)
    return VersionPair(
        older,
        newer,
        older_files,
        newer_files,
        evaluation=queries.evaluation(connection, newer.evaluation),
        adoptions=adoptions,
        residents=queries.resident_uses(connection, trajectory_uid, newer.round),
        reviews=reviews(connection, newer.candidate),
        of_other_run=of_other_run,
        hunks=hunks,
        doubts=doubts,
        answers=_answers(connection, newer.candidate),
    )


def _answers(
    connection: sqlite3.Connection, candidate: str
) -> tuple[tuple[Inquiry, DiagnosticResult], ...]:
    """The last answer of each tool about a kernel, for each case and judge."""
    newest: dict[tuple[str, str, str], Inquiry] = {}
    # The latest comes first, so that an earlier one of its kind is passed over.
    for inquiry in inquiries.inquiries(connection, candidate):
        newest.setdefault((inquiry.tool, inquiry.case, inquiry.judge), inquiry)
    return tuple(
        (inquiry, inquiries.answer(connection, inquiry)) for inquiry in newest.values()
    )


def _evidence(
    connection: sqlite3.Connection,
    trajectory_uid: str,
    newer: RoundRow,
    adoptions: Sequence[RoundAdoption],
) -> tuple[dict[str, Hunks], frozenset[str]]:
    """What the change of a round shows of the items retrieved in it.

    Returns:
        Where it shows the code of each adopted item, and the items whose record it speaks against.
    """
    if not adoptions:
        return {}, frozenset()
    # needs half of the agent, which the first window does not
    from core.agent.learning.adoption_check import is_doubtful
    from core.agent.learning.adoption_place import shown_at
    from core.memory.reading import read_items
    from core.memory.records import AdoptionState

    before = queries.candidate_before(connection, trajectory_uid, newer.round)
    after = queries.candidate_files(connection, newer.candidate)
    states = {row.uid: AdoptionState(row.state) for row in adoptions}
    rationales = {row.uid: row.rationale for row in adoptions}
    hunks: dict[str, Hunks] = {}
    doubts: set[str] = set()
    for item in read_items(connection, list(states)):
        state = states[item.uid]
        if state is AdoptionState.ADOPTED:
            rationale = rationales[item.uid]
            hunks[item.uid] = shown_at(rationale, item.code_diff, before, after)
        if is_doubtful(state, item.code_diff, before, after):
            doubts.add(item.uid)
    return hunks, frozenset(doubts)
