"""One episode ε = ((c_t, k_t, f_t)) of the paper.

Rounds until its objective is met or the budget is used, then M ← Φ(M, ε).
"""

from __future__ import annotations

from core.agent.loop.round import Round
from core.agent.prompt.attempts import attempt_text, ledger_line
from core.agent.run.journal import Journal
from core.agent.run.records import (
    EpisodeApplied,
    EpisodeEnds,
    EpisodeVoided,
    Progress,
    Stop,
    StopKind,
    StoredRound,
    best_of,
    progress_of,
)
from core.agent.run.run_context import RunContext, Task
from core.agent.run.turns import BEGIN, FOLD, MemoryUse
from core.evaluation.records import (
    Evaluation,
    VerdictClass,
    is_proven_gain,
    is_superseded,
)
from core.memory.records import EpisodeOutcome, EpisodeStart
from core.method.objective import Objective
from core.text import Text

_UNCONFINED = "judged without a sandbox: such results earn no credit"
_SUPERSEDED = (
    "timed by a time model that the twin no longer has: such gains earn no credit"
)
_EDITED = "edited by a person: such a trajectory earns no credit"


class Episode:
    """The corr or the opt episode of a trajectory.

    Args:
        run: What it works with.
        task: The trajectory.
        objective: g of τ.
    """

    def __init__(self, run: RunContext, task: Task, objective: Objective) -> None:
        self._run = run
        self._task = task
        self._objective = objective
        self.uid = f"{task.uid}-{objective.value}"

    async def run(self) -> Stop:
        """Run the episode, or continue it, and fold it into the memory."""
        start = await self._begin()
        stop = self._stored_end()
        if stop is not None:
            return stop
        stop = await self._refine(start)
        if stop.kind is not StopKind.NO_VERDICT:
            await self._fold(stop)
        return stop

    async def _begin(self) -> EpisodeStart:
        """What the episode sees of the memory for its whole length."""
        async with self._run.turn(self._task, self._use(BEGIN)):
            return self._run.store.begin_episode(
                self.uid,
                self._task.uid,
                self._task.operator.name,
                self._objective,
                self._task.parameters,
            )

    async def _refine(self, start: EpisodeStart) -> Stop:
        """Play round after round until the stop rule or a round ends the episode."""
        while True:
            rounds = counted_rounds(self._run.journal, self._task.uid)
            number = len(rounds) + 1
            stop = self._reached(number, rounds)
            if stop is not None:
                return stop
            ledger = attempt_ledger(self._run.journal, self._task.uid, rounds)
            failed_before = self._failed_before(number)
            refinement = Round(
                run=self._run,
                task=self._task,
                start=start,
                objective=self._objective,
                number=number,
                earlier=rounds,
                ledger=ledger,
            )
            try:
                evaluation = await refinement.run()
            except EpisodeEnds as end:
                return end.stop
            if evaluation.verdict is VerdictClass.VOID:
                return _environment_fault(evaluation, failed_before=failed_before)

    async def _fold(self, stop: Stop) -> None:
        """Let the memory learn from the episode, or void it where it earns nothing."""
        async with self._run.turn(self._task, self._use(FOLD)):
            void = stop.kind is StopKind.VOID
            reason = stop.text if void else self._earns_nothing()
            if reason:
                self._void(stop, reason)
            else:
                self._apply(stop)

    def _void(self, stop: Stop, reason: str | Text) -> None:
        """Store that nothing is credited, and why it ended, in one transaction."""
        store = self._run.store
        with store.workspace.transaction():
            store.void_episode(self.uid, str(reason))
            self._run.journal.set_stop_reason(self._task.uid, stop.text)
        self._run.observe(EpisodeVoided(*self._task.stamp, self._objective, reason))

    def _apply(self, stop: Stop) -> None:
        """Credit what was adopted, and store why it ended, in one transaction."""
        store, journal = self._run.store, self._run.journal
        progress = progress_of(journal.rounds(self._task.uid))
        is_last = self._objective is Objective.OPT or not optimizes(
            self._run, self._task
        )
        outcome = EpisodeOutcome(
            uid=self.uid,
            correct=progress.correct,
            t_first=progress.t_first,
            t_best=progress.t_best,
            completes_trajectory=is_last,
            proven=self._objective is Objective.CORR or self._is_proven(progress),
        )
        with store.workspace.transaction():
            effect = store.apply_episode(outcome)
            journal.set_stop_reason(self._task.uid, stop.text)
        self._run.observe(
            EpisodeApplied(
                *self._task.stamp,
                self._objective,
                effect.z,
                len(effect.credits),
                effect.validated,
                effect.promoted,
                effect.demoted,
            )
        )

    def _is_proven(self, progress: Progress) -> bool:
        """Whether T_best is below T_first by more than the time model leaves open."""
        best = best_of(self._run.journal.rounds(self._task.uid))
        if best is None or progress.t_first is None or progress.t_best is None:
            return True
        latency = self._run.journal.evaluation(best.evaluation).latency
        margin = latency.margin if latency is not None else 0.0
        # without any gain the score says so; there is nothing to doubt
        is_gain = progress.t_best < progress.t_first
        return not is_gain or is_proven_gain(progress.t_first, progress.t_best, margin)

    def _stored_end(self) -> Stop | None:
        """Why the episode ended before an interruption, None when it is open."""
        journal = self._run.journal
        status = journal.episode_status(self.uid)
        if status == "open":
            return None
        text = journal.trajectory(self._task.uid).stop_reason
        if status == "void" and not self._earns_nothing():
            return Stop(StopKind.VOID, text)
        correct = progress_of(journal.rounds(self._task.uid)).correct
        if self._objective is Objective.CORR and correct:
            return Stop(StopKind.CORRECT, text)
        return Stop(StopKind.ENDED, text)

    def _reached(self, number: int, rounds: tuple[StoredRound, ...]) -> Stop | None:
        """Why no further round is played, None when one is.

        A version a person wrote is judged whatever budget and success say.
        """
        stored = self._stored_round(number)
        if (
            stored is not None
            and stored.author == "person"
            and stored.objective is self._objective
        ):
            return None
        return self._run.stop_rule.reached(
            self._task.operator.name, self._objective, rounds, self._task.parameters
        )

    def _failed_before(self, number: int) -> bool:
        """Whether the environment failed on this kernel before, and another may follow.

        A kernel the environment fails on again and again is given up with its
        trajectory.
        """
        stored = self._stored_round(number)
        failed = stored is not None and stored.verdict == VerdictClass.VOID.value
        return failed and self._run.stop_rule.abandons_kernels

    def _earns_nothing(self) -> str:
        """Why nothing of the episode may be credited; empty when it may.

        A kernel of it was judged without a sandbox, a person edited one of the
        trajectory, or the times are of an earlier time model.
        """
        journal = self._run.journal
        if journal.trajectory(self._task.uid).forked_from:
            return _EDITED
        unconfined = any(
            entry.unconfined and entry.episode_uid == self.uid
            for entry in journal.rounds(self._task.uid)
        )
        if unconfined:
            return _UNCONFINED
        return _SUPERSEDED if self._is_superseded() else ""

    def _is_superseded(self) -> bool:
        """Whether an optimization ends with times of a model the twin no longer has."""
        rounds = self._run.journal.rounds(self._task.uid)
        origin = progress_of(rounds).latency_origin
        return self._objective is Objective.OPT and is_superseded(origin)

    def _stored_round(self, number: int) -> StoredRound | None:
        rounds = self._run.journal.rounds(self._task.uid)
        return next((entry for entry in rounds if entry.round == number), None)

    def _use(self, what: str) -> MemoryUse:
        return MemoryUse(what, self._task.operator.name, self._objective.value)


def optimizes(run: RunContext, task: Task) -> bool:
    """Whether the opt episode follows the corr episode."""
    rounds = run.journal.rounds(task.uid)
    corr = [entry for entry in rounds if entry.objective is Objective.CORR]
    return run.stop_rule.optimizes(task.operator.name, corr, task.parameters)


def counted_rounds(journal: Journal, trajectory: str) -> tuple[StoredRound, ...]:
    """The rounds of a trajectory that used up one of T, oldest first."""
    return tuple(entry for entry in journal.rounds(trajectory) if entry.has_verdict)


def attempt_ledger(
    journal: Journal, trajectory: str, rounds: tuple[StoredRound, ...]
) -> tuple[str, ...]:
    """One entry for each counted round, in the words it had when it was new."""
    lines: list[str] = []
    for place, entry in enumerate(rounds):
        earlier = rounds[place - 1] if place else None
        before = journal.candidate(earlier.candidate).files if earlier else {}
        after = journal.candidate(entry.candidate).files
        probes = journal.diagnostics_of(trajectory, entry.round)
        progress = progress_of(rounds[: place + 1])
        before_it = progress_of(rounds[:place])
        is_comparable = before_it.latency_origin == progress.latency_origin
        lines.append(
            ledger_line(
                entry.round,
                entry.objective.value,
                journal.evaluation(entry.evaluation),
                entry.cause,
                new_best=progress.best_round == entry.round,
                best_before=before_it.t_best if is_comparable else None,
                acted_on=attempt_text(entry.diagnosis, before, after, probes),
            )
        )
    return tuple(lines)


def _environment_fault(evaluation: Evaluation, *, failed_before: bool) -> Stop:
    """The end of an episode whose judge came to no verdict.

    Void when it happened to this kernel twice.
    """
    kind = StopKind.VOID if failed_before else StopKind.NO_VERDICT
    cause = evaluation.cause or Text("no cause given")
    return Stop(kind, Text("environment fault: {cause}", cause=cause))
