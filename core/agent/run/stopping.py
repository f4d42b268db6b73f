"""When an episode ends (paper, "Preliminaries").

Its objective is met, or the budget of T rounds is used.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.agent.run.records import Stop, StopKind, StoredRound, progress_of
from core.evaluation.records import VerdictClass
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.text import Text

NOT_BUILT = frozenset(
    {
        "",
        VerdictClass.FAIL_BUILD.value,
        VerdictClass.FAIL_INTEGRITY.value,
        VerdictClass.VOID.value,
    }
)


class StopRule:
    """The rule of a live run.

    `done` are always the counted rounds of the trajectory, oldest first.

    Attributes:
        abandons_kernels: Whether a kernel on which the environment fails a second time
            ends the trajectory.
    """

    abandons_kernels = True

    def reached(
        self,
        operator: str,  # noqa: ARG002 - a rule of one operator may differ
        objective: Objective,
        rounds: Sequence[StoredRound],
        parameters: MethodParameters,
    ) -> Stop | None:
        """Why no further round of the episode is played, None when one is."""
        return (
            objective_met(objective, rounds)
            or goal_met(rounds, parameters)
            or budget_used(rounds, parameters)
            or without_gain(objective, rounds, parameters)
        )

    def optimizes(
        self,
        operator: str,  # noqa: ARG002
        corr: Sequence[StoredRound],
        parameters: MethodParameters,
    ) -> bool:
        """Whether an optimization follows: T_first is known and rounds are left.

        Args:
            operator: By name.
            corr: The rounds of the corr episode only, so that the answer is the same
                after a crash in opt.
            parameters: Of the trajectory.
        """
        progress = progress_of(corr)
        return (
            parameters.goal == "fast"
            and progress.correct
            and progress.t_first is not None
            and progress.rounds_used < parameters.T
        )


def objective_met(objective: Objective, rounds: Sequence[StoredRound]) -> Stop | None:
    """The end of a corr episode with its first correct kernel."""
    if objective is Objective.CORR and progress_of(rounds).correct:
        return Stop(StopKind.CORRECT, "a correct kernel was found")
    return None


def goal_met(
    rounds: Sequence[StoredRound], parameters: MethodParameters
) -> Stop | None:
    """The end of a cold-start trajectory, which asks for a kernel that compiles."""
    compiled = any(entry.verdict not in NOT_BUILT for entry in rounds)
    if parameters.goal == "compiles" and compiled:
        return Stop(StopKind.ENDED, "a kernel compiled")
    return None


def budget_used(
    rounds: Sequence[StoredRound], parameters: MethodParameters
) -> Stop | None:
    """The end of the T rounds both episodes share."""
    if progress_of(rounds).rounds_used < parameters.T:
        return None
    text = Text("the budget of {rounds} rounds is used", rounds=parameters.T)
    return Stop(StopKind.BUDGET, text)


def without_gain(
    objective: Objective, rounds: Sequence[StoredRound], parameters: MethodParameters
) -> Stop | None:
    """The end of an optimization whose last `patience` rounds gained nothing."""
    patience, progress = parameters.patience, progress_of(rounds)
    if objective is not Objective.OPT or not patience or progress.best_round is None:
        return None
    if progress.rounds_used - progress.best_round < patience:
        return None
    text = Text("no gain in {patience} rounds", patience=patience)
    return Stop(StopKind.NO_GAIN, text)
