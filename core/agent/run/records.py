"""The records of a trajectory: stored rounds, progress, why it stopped, its events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.evaluation.records import VerdictClass, is_modelled, time_model_of
from core.method.objective import Objective
from core.models.pieces import Piece
from core.models.port import Usage
from core.text import Text


class Step(StrEnum):
    """How far a round has come; each is stored before the next begins."""

    STARTED = "started"
    DIAGNOSED = "diagnosed"
    RETRIEVED = "retrieved"
    REPLIED = "replied"
    GATED = "gated"
    EVALUATED = "evaluated"

    def reached(self, other: Step) -> bool:
        """Whether this step is `other` or a later one."""
        order = list(Step)
        return order.index(self) >= order.index(other)


class StopKind(StrEnum):
    """Why an episode ended."""

    CORRECT = "correct"
    BUDGET = "budget"
    DONE = "done"
    GIVEN_UP = "given-up"  # the model knows that its kernel is not correct
    UNRESOLVED = "unresolved"
    NO_GAIN = "no-gain"
    VOID = "void"
    NO_VERDICT = "no-verdict"  # the environment failed; the episode stays open and is continued in that round
    ENDED = "ended"  # for another reason, or before an interruption: the text was stored, the kind was not


@dataclass(frozen=True)
class Stop:
    """The end of an episode; `text` is what the user reads."""

    kind: StopKind
    text: str | Text


class EpisodeEnds(Exception):
    """Raised inside a round when the episode is over; control flow, not an error."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.text)
        self.stop = stop


@dataclass(frozen=True)
class StoredRound:
    """A round as it stands in the workspace.

    What has a default is empty until a later step brings it.
    """

    round: int
    episode_uid: str
    objective: Objective
    step: Step
    diagnosis: str = ""
    candidate: str = ""
    verdict: str = ""
    cause: str = ""
    latency_us: float | None = None
    latency_origin: str = ""
    evaluation: str = ""
    rejected: bool = False  # by a person who reviewed the candidate
    unconfined: bool = False  # judged without a sandbox
    author: str = "model"  # or `person`, who edited the candidate by hand

    @property
    def has_verdict(self) -> bool:
        """Whether E came to a verdict: evaluated, and not void.

        Only then the round used up one of the T rounds.
        """
        return self.step is Step.EVALUATED and self.verdict != VerdictClass.VOID.value


@dataclass(frozen=True)
class Progress:
    """What the rounds so far amount to.

    T_first and T_best over every correct candidate, in microseconds.
    """

    rounds_used: int = 0
    first_correct_round: int | None = None
    best_round: int | None = None
    t_first: float | None = None
    t_best: float | None = None
    latency_origin: str = ""

    @property
    def correct(self) -> bool:
        """Whether a correct kernel is there."""
        return self.first_correct_round is not None


def counts_as_correct(verdict: str) -> bool:
    """Whether a verdict makes a correct kernel.

    A pass with hazard does not (docs/method.md, D′).
    """
    return verdict == VerdictClass.PASS.value


def progress_of(rounds: Sequence[StoredRound]) -> Progress:
    """Fold rounds into progress.

    T_first is the latency of the first correct kernel, T_best the smallest over all
    correct ones, both of one origin (`_origin_that_counts`). A candidate that a person
    rejected is never the best one; that it was the first correct one stays a fact. A
    latency from outside a sandbox may be forged and does not count either: without a
    T_first no optimization follows.
    """
    judged = [entry for entry in rounds if entry.has_verdict]
    correct = [entry for entry in judged if counts_as_correct(entry.verdict)]
    if not correct:
        return Progress(rounds_used=len(judged))
    origin = _origin_that_counts(correct)
    comparable = [entry for entry in correct if entry.latency_origin == origin]
    latencies = {
        entry.round: entry.latency_us
        for entry in comparable
        if entry.latency_us is not None and not entry.rejected and not entry.unconfined
    }
    best = min(latencies, key=lambda number: latencies[number], default=None)
    first = comparable[0]
    return Progress(
        rounds_used=len(judged),
        first_correct_round=correct[0].round,
        best_round=best,
        t_first=None if first.unconfined else first.latency_us,
        t_best=None if best is None else latencies[best],
        latency_origin=origin,
    )


def _origin_that_counts(correct: Sequence[StoredRound]) -> str:
    """The stored origin of the latencies that are compared: that of the first kernel.

    Where the twin got another time model or other constants on the way, the last of the
    newest model: T_first and T_best start again.
    """
    first = correct[0].latency_origin
    if not is_modelled(first):
        return first
    origins = [entry.latency_origin for entry in reversed(correct)]
    return max(origins, key=time_model_of)


def best_of(rounds: Sequence[StoredRound]) -> StoredRound | None:
    """The round of the best kernel, see `progress_of`.

    None while no correct kernel counts.
    """
    number = progress_of(rounds).best_round
    return next((entry for entry in rounds if entry.round == number), None)


@dataclass(frozen=True)
class TrajectoryEvent:
    """Something a trajectory did. `queue_id` is the entry it works on."""

    queue_id: int
    trajectory: str
    operator: str


@dataclass(frozen=True)
class RoundAdvanced(TrajectoryEvent):
    """A round reached its next step."""

    objective: Objective
    round: int
    step: Step


@dataclass(frozen=True)
class ModelCalled(TrajectoryEvent):
    """The generator answered."""

    purpose: str
    round: int
    attempt: int
    seconds: float
    usage: Usage


@dataclass(frozen=True)
class ReplyStreamed(TrajectoryEvent):
    """The generator is answering; `pieces` came since the last such event."""

    purpose: str
    round: int
    attempt: int
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The words of the reply among them."""
        return "".join(piece for piece in self.pieces if isinstance(piece, str))


@dataclass(frozen=True)
class CorrectionAsked(TrajectoryEvent):
    """A reply did not pass the gate; `complaints` is what the model was told."""

    round: int
    attempt: int
    complaints: tuple[str, ...]


@dataclass(frozen=True)
class DiagnosticMade(TrajectoryEvent):
    """A diagnostic the model asked for was answered.

    `left` more are possible in this trajectory.
    """

    round: int
    tool: str
    case: str
    ok: bool
    summary: str
    left: int


@dataclass(frozen=True)
class LookedUp(TrajectoryEvent):
    """The model looked something up; `left` more queries are possible in this round."""

    round: int
    queries: tuple[str, ...]
    left: int


@dataclass(frozen=True)
class ProgressNote(TrajectoryEvent):
    """One line about what is happening now, from the evaluator or while it waits."""

    text: str | Text


@dataclass(frozen=True)
class RoundEvaluated(TrajectoryEvent):
    """A candidate was judged. `latency_us` is None unless it was timed.

    `latency_origin` is as stored, empty without a latency.

    `recorded` is the verdict an earlier run of the same kernel had, where it was
    another one.
    """

    objective: Objective
    round: int
    verdict: VerdictClass
    cause: str
    latency_us: float | None
    latency_origin: str
    new_best: bool
    recorded: str = ""


@dataclass(frozen=True)
class EpisodeApplied(TrajectoryEvent):
    """An episode was folded into the memory."""

    objective: Objective
    z: float
    credited: int
    validated: tuple[str, ...]
    promoted: tuple[str, ...]
    demoted: tuple[str, ...]


@dataclass(frozen=True)
class Consolidated(TrajectoryEvent):
    """Rules abstracted after an episode competed for hot memory, and who is resident changed."""

    promoted: tuple[str, ...]
    demoted: tuple[str, ...]


@dataclass(frozen=True)
class EpisodeVoided(TrajectoryEvent):
    """An episode ended without credit."""

    objective: Objective
    reason: str | Text


@dataclass(frozen=True)
class JobFinished(TrajectoryEvent):
    """A learning job ended.

    `subject` is an item uid or the operator, `items` what was written.
    """

    purpose: str
    subject: str
    state: str
    detail: str | Text
    items: tuple[str, ...]


Observe = Callable[[TrajectoryEvent], None]
