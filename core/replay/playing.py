"""A recorded run played again by the loop that plays a live one.

The loop knows a provider, a retriever, turns of the memory, a rule when to stop and a
journal. For a recording each of them is replaced by one that answers from it; nothing
in the loop asks whether a run is recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.agent.run.journal import Journal
from core.agent.run.records import (
    Observe,
    Progress,
    RoundEvaluated,
    Stop,
    StopKind,
    StoredRound,
    TrajectoryEvent,
    progress_of,
)
from core.agent.run.retrieval import Retrieval, RetrievalRequest, RetrieveRound
from core.agent.run.run_context import RunContext
from core.agent.run.stopping import StopRule, budget_used, goal_met
from core.evaluation.records import RECORDED_ORIGIN, Evaluation
from core.memory.reading import NoSuchItem, utilities
from core.memory.records import Retrieved
from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.replay.memory_order import MemoryOrder
from core.replay.provider import DIVERGED, ReplayDiverged, ReplayProvider
from core.replay.recorder import memory_uses
from core.workspace import Workspace
from core.workspace.rows import update


def as_recorded(run: RunContext) -> RunContext:
    """`run` with its recording in charge.

    `run` itself where a model or person writes.
    """
    recording = run.provider
    if not isinstance(recording, ReplayProvider):
        return run
    workspace, turns = run.journal.workspace, run.turns
    if recording.uses:
        rules = recording.items_with_rule
        turns = MemoryOrder(recording.uses, memory_uses(workspace), rules=rules)
    return replace(
        run,
        retrieve=RecordedRetriever(recording, run.retrieve, run.store),
        turns=turns,
        stop_rule=RecordedStopRule(recording),
        journal=ComparingJournal(workspace, recording),
        observe=comparing(run.observe, recording),
    )


class RecordedRetriever:
    """R_t as recorded, with what this memory ranks beside it.

    Args:
        recording: Prescribes R_t of the rounds it holds.
        inner: Ranks here.
        store: Holds the items.
    """

    def __init__(
        self, recording: ReplayProvider, inner: RetrieveRound, store: MemoryStore
    ) -> None:
        self._recording = recording
        self._inner = inner
        self._store = store

    def __call__(self, request: RetrievalRequest) -> Retrieval:
        """Return R_t.

        Raises:
            ReplayDiverged: An item of it is not here, or is resident though nothing
                says why.
        """
        retrieval = self._inner(request)
        uids = self._recording.retrieved(
            request.operator.name, request.objective.value, request.round
        )
        if uids is None:
            return retrieval
        own_ranking = tuple(hit.uid for hit in retrieval.items)
        return Retrieval(self._prescribed(uids, request), own_ranking)

    def _prescribed(
        self, uids: Sequence[str], request: RetrievalRequest
    ) -> tuple[Retrieved, ...]:
        """Ranks and utilities, no scores.

        Residents bypass retrieval. One that is resident only here, because the present
        judge changed what was learnt, stays in R_t: the recorded reply says whether it
        was adopted, and the difference is shown.
        """
        items = self._items(uids)
        for uid in uids:
            if uid in request.start.residents and not self._recording.uses:
                raise ReplayDiverged(
                    "{diverged}: it retrieves {uid}, which is resident in hot memory here.",
                    diverged=DIVERGED,
                    uid=uid,
                )
        ids = [items[uid] for uid in uids]
        statistics = utilities(self._store.workspace.db, ids, request.start.memory_seq)
        return tuple(
            Retrieved(uid=uid, rank=rank, u=statistics[items[uid]][1], id=items[uid])
            for rank, uid in enumerate(uids, start=1)
        )

    def _items(self, uids: Sequence[str]) -> Mapping[str, int]:
        """The named items only, uid -> id: a memory may hold a hundred thousand."""
        try:
            return {item.uid: item.id for item in self._store.items(uids)}
        except NoSuchItem as error:
            raise ReplayDiverged(
                "{diverged}: {error}", diverged=DIVERGED, error=error.what
            ) from error


class RecordedStopRule(StopRule):
    """Plays the rounds a recording holds, however they are judged here.

    Args:
        recording: One that does not say how its rounds were judged only ends where it
            has no more rounds.
    """

    abandons_kernels = (
        False  # a recording has no other one, and waits for the environment
    )

    def __init__(self, recording: ReplayProvider) -> None:
        self._recording = recording

    def reached(
        self,
        operator: str,
        objective: Objective,
        rounds: Sequence[StoredRound],
        parameters: MethodParameters,
    ) -> Stop | None:
        """Why no further round of the episode is played, None when one is."""
        following = progress_of(rounds).rounds_used + 1
        if self._plays(operator, objective, following):
            return goal_met(rounds, parameters) or budget_used(rounds, parameters)
        stop = super().reached(operator, objective, rounds, parameters)
        if stop is not None:
            return stop
        if objective is Objective.OPT and not self._holds_opt(operator, following):
            return Stop(StopKind.ENDED, "the recording ends here")
        if objective is Objective.CORR and self._plays(
            operator, Objective.OPT, following
        ):
            return Stop(StopKind.ENDED, "the recording had a correct kernel here")
        return None

    def optimizes(
        self, operator: str, corr: Sequence[StoredRound], parameters: MethodParameters
    ) -> bool:
        """Whether an optimization follows, and the recording has a round of it."""
        following = progress_of(corr).rounds_used + 1
        follows = super().optimizes(operator, corr, parameters)
        return follows and self._holds_opt(operator, following)

    def _holds_opt(self, operator: str, number: int) -> bool:
        return self._recording.holds(operator, Objective.OPT.value, number)

    def _plays(self, operator: str, objective: Objective, number: int) -> bool:
        """Whether the recording holds a round and says how its rounds were judged."""
        judged = self._recording.outcome(operator, 1) is not None
        return judged and self._recording.holds(operator, objective.value, number)


class ComparingJournal(Journal):
    """A journal that stores beside each verdict the recorded one."""

    def __init__(self, workspace: Workspace, recording: ReplayProvider) -> None:
        super().__init__(workspace)
        self._recording = recording

    def finish_round(
        self,
        trajectory: str,
        number: int,
        evaluation: Evaluation,
        cause: str,
        progress: Progress,
    ) -> None:
        """Store an evaluation, and how the round was judged when recorded."""
        operator = self.trajectory(trajectory).operator
        outcome = self._recording.outcome(operator, number)
        if outcome is not None and outcome.latency_us is not None:
            facts = {**evaluation.facts, RECORDED_ORIGIN: outcome.latency_origin}
            evaluation = replace(evaluation, facts=facts)
        with self.workspace.transaction() as db:
            super().finish_round(trajectory, number, evaluation, cause, progress)
            if outcome is not None:
                update(
                    db,
                    "round",
                    {"trajectory_uid": trajectory, "round": number},
                    recorded_verdict=outcome.verdict,
                    recorded_us=outcome.latency_us,
                )


def comparing(observe: Observe, recording: ReplayProvider) -> Observe:
    """`observe`, with the recorded verdict where another one is given here."""

    def pass_on(event: TrajectoryEvent) -> None:
        if isinstance(event, RoundEvaluated):
            outcome = recording.outcome(event.operator, event.round)
            if outcome is not None and outcome.verdict != event.verdict.value:
                event = replace(event, recorded=outcome.verdict)
        observe(event)

    return pass_on
