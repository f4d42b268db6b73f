"""One trajectory: the corr episode, then the opt episode, sharing T rounds.

The loop of the paper ("Preliminaries", "SAGE Framework") over stored rows: run it again
after a crash and it continues in the step it was in, because whatever is stored is read
instead of done.
"""

from __future__ import annotations

from core.agent.learning.jobs import LearningJobs
from core.agent.loop.episode import Episode, attempt_ledger, counted_rounds, optimizes
from core.agent.run.records import Stop, StopKind, StoredRound
from core.agent.run.run_context import RunContext, Task
from core.evaluation.records import VerdictClass
from core.method.objective import Objective

_WITHOUT_END = (StopKind.VOID, StopKind.NO_VERDICT)


class Trajectory:
    """Runs, or continues, the trajectory `task`."""

    def __init__(self, run: RunContext, task: Task) -> None:
        self._run = run
        self._task = task
        self._jobs = LearningJobs(run, task)

    async def run(self) -> Stop:
        """Run both episodes and the learning jobs, and say why it stopped.

        Closing it is the caller's.

        Raises:
            LimitReached: The model may not be asked. Nothing of the open episode is
                credited; run again, it continues with that request.
        """
        await self._run.learn_shapes(self._task.operator)
        self._run.turns.enter(self._task.operator.name)
        try:
            stop = await self._episode(Objective.CORR)
            if stop.kind is StopKind.CORRECT and optimizes(self._run, self._task):
                if self._run.turns.writes_rules_between:
                    await self._write_rules(Objective.CORR, stop)
                await self._distil_corr()
                stop = await self._episode(Objective.OPT)
                await self._write_rules(Objective.OPT, stop)
            else:
                await self._write_rules(Objective.CORR, stop)
            if stop.kind not in _WITHOUT_END:
                await self._distil_all()
        finally:
            self._run.turns.leave(self._task.operator.name)
        return stop

    async def _episode(self, objective: Objective) -> Stop:
        """Run one episode and fold it into the memory."""
        return await Episode(self._run, self._task, objective).run()

    async def _write_rules(self, objective: Objective, stop: Stop) -> None:
        """Write the rules that are due.

        After the last episode: no operator waits for them before it is done.
        """
        if stop.kind is not StopKind.NO_VERDICT and self._learns():
            episode = Episode(self._run, self._task, objective)
            await self._jobs.abstract(episode.uid)

    async def _distil_corr(self) -> None:
        """Write the lessons of the corr episode, so that opt can retrieve them."""
        if not self._learns() or not self._distils_corr():
            return
        corr = self._teaching_corr()
        ledger = attempt_ledger(self._run.journal, self._task.uid, corr)
        await self._jobs.distil(ledger, corr, before_opt=True)

    async def _distil_all(self) -> None:
        """Write what the rounds taught beside the lessons of the corr episode."""
        if not self._learns():
            return
        rounds = self._teaching_rounds()
        distilled = len(self._teaching_corr()) if self._distils_corr() else 0
        ledger = attempt_ledger(self._run.journal, self._task.uid, rounds)
        await self._jobs.distil(ledger, rounds, distilled=distilled)

    def _distils_corr(self) -> bool:
        """Whether the corr episode is distilled by itself.

        A first kernel that passed overcame nothing: its round is distilled with those
        of the optimization.
        """
        return len(self._teaching_corr()) > 1 and optimizes(self._run, self._task)

    def _teaching_rounds(self) -> tuple[StoredRound, ...]:
        """The rounds that teach: judged in a sandbox, no integrity rule broken."""
        broken = VerdictClass.FAIL_INTEGRITY.value
        return tuple(
            entry
            for entry in counted_rounds(self._run.journal, self._task.uid)
            if not entry.unconfined and entry.verdict != broken
        )

    def _teaching_corr(self) -> tuple[StoredRound, ...]:
        return tuple(
            entry
            for entry in self._teaching_rounds()
            if entry.objective is Objective.CORR
        )

    def _learns(self) -> bool:
        """Whether experience and rules are written.

        A control with a static memory writes none, nor a trajectory that a person
        edited: what of it is worth keeping that person says.
        """
        edited = self._run.journal.trajectory(self._task.uid).forked_from
        return self._task.parameters.memory == "evolving" and not edited
