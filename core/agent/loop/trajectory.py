"""One trajectory: the corr episode, then the opt episode, sharing T rounds, and what is learnt from each.

The loop of the paper ("Preliminaries", "SAGE Framework") over stored rows: run it again after a crash and it
continues in the step it was in, because whatever is stored is read instead of done.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.agent.learning.jobs import LearningJobs
from core.agent.loop.records import (
    EpisodeApplied,
    EpisodeVoided,
    Progress,
    Stop,
    StopKind,
    StoredRound,
    progress_of,
)
from core.agent.loop.round import EpisodeEnds, Round
from core.agent.loop.run_context import RunContext, Task
from core.agent.prompt.attempts import attempt_text, ledger_line
from core.evaluation.records import VerdictClass
from core.memory.records import EpisodeOutcome, EpisodeStart
from core.method.objective import Objective
from core.models.port import RECORDINGS
from core.replay.recording import MemoryStep
from core.text import Text

NOT_BUILT = frozenset(
    {
        "",
        *(
            v.value
            for v in (
                VerdictClass.FAIL_BUILD,
                VerdictClass.FAIL_INTEGRITY,
                VerdictClass.VOID,
            )
        ),
    }
)
_UNCONFINED = "judged without a sandbox: such results earn no credit"
_EDITED = "edited by a person: such a trajectory earns no credit"


class Trajectory:
    """Runs, or continues, the trajectory `task`."""

    def __init__(self, run: RunContext, task: Task) -> None:
        self._run = run
        self._task = task
        self._jobs = LearningJobs(run, task)
        self._edited = bool(run.journal.trajectory(task.uid).forked_from)

    async def run(self) -> Stop:
        """Run both episodes and the learning jobs, and say why it stopped; closing it is the caller's.

        Raises:
            LimitReached: The model may not be asked. Nothing of the open episode is credited; run again, it
                continues with that request.
        """
        self._run.order.enter(self._task.operator.name)
        try:
            return await self._both_episodes()
        finally:
            self._run.order.leave(self._task.operator.name)

    async def _both_episodes(self) -> Stop:
        stop = await self._episode(Objective.CORR)
        if stop.kind is StopKind.CORRECT and self._goes_on():
            if self._told_apart():
                await self._distil(until=Objective.CORR)
            stop = await self._episode(Objective.OPT)
        if stop.kind not in (StopKind.VOID, StopKind.NO_VERDICT):
            await self._distil(until=Objective.OPT)
        return stop

    async def _distil(self, until: Objective) -> None:
        """Write what the rounds taught that no distillation has told of yet."""
        if not self._learns():
            return
        honest = self._honest()
        corr = [entry for entry in honest if entry.objective is Objective.CORR]
        if until is Objective.CORR:
            await self._jobs.distil(self._ledger(corr), corr, before_opt=True)
        else:
            told = len(corr) if self._told_apart() else 0
            await self._jobs.distil(self._ledger(honest), honest, told=told)

    def _honest(self) -> list[StoredRound]:
        """The rounds that teach: judged in a sandbox, and none that broke an integrity rule."""
        broken = VerdictClass.FAIL_INTEGRITY.value
        rounds = (
            entry for entry in self._rounds() if entry.counted and not entry.unconfined
        )
        return [entry for entry in rounds if entry.verdict != broken]

    def _told_apart(self) -> bool:
        """Whether the lessons of the corr episode are written before opt, which can then retrieve them.

        A first kernel that passed overcame nothing: its round is told with those of the optimization.
        """
        corr = [entry for entry in self._honest() if entry.objective is Objective.CORR]
        return len(corr) > 1 and self._goes_on()

    async def _episode(self, objective: Objective) -> Stop:
        """Run the rounds of one episode, fold it into the memory, and write the rules it made due."""
        store, parameters = self._run.store, self._task.parameters
        name = self._task.operator.name
        async with self._run.order.turn(MemoryStep("begin", name, objective.value)):
            start = store.begin_episode(
                f"{self._task.uid}-{objective.value}",
                self._task.uid,
                name,
                objective,
                parameters,
            )
        stop = self._ended_before(objective, start.uid)
        if stop is None:
            stop = await self._rounds_of(objective, start)
            if stop.kind is StopKind.NO_VERDICT:
                return stop
            async with self._run.order.turn(MemoryStep("fold", name, objective.value)):
                self._close(objective, start.uid, stop)
        if self._learns():
            await self._jobs.abstract(start.uid)
        return stop

    def _ended_before(self, objective: Objective, uid: str) -> Stop | None:
        """Why the episode ended when that was stored before an interruption, None when it is open."""
        journal = self._run.journal
        status = journal.episode_status(uid)
        if status == "open":
            return None
        text = journal.trajectory(self._task.uid).stop_reason
        if status == "void" and not self._earns_nothing(uid):
            return Stop(StopKind.VOID, text)
        if objective is Objective.CORR and self._progress().correct:
            return Stop(StopKind.CORRECT, text)
        return Stop(StopKind.ENDED, text)

    async def _rounds_of(self, objective: Objective, start: EpisodeStart) -> Stop:
        """Refine until the objective is met, the budget is used, or a round ends the episode."""
        try:
            while True:
                done = [entry for entry in self._rounds() if entry.counted]
                number = len(done) + 1
                stop = (
                    None
                    if self._waits(objective, number)
                    else self._reached(objective, done)
                )
                if stop is not None:
                    return stop
                turn = Round(
                    self._run,
                    self._task,
                    start,
                    objective,
                    number,
                    done,
                    self._ledger(done),
                )
                failed_before = self._failed_before(number)
                evaluation = await turn.run()
                if evaluation.verdict is VerdictClass.VOID:
                    kind = StopKind.VOID if failed_before else StopKind.NO_VERDICT
                    return Stop(
                        kind,
                        Text(
                            "environment fault: {cause}",
                            cause=evaluation.cause or Text("no cause given"),
                        ),
                    )
        except EpisodeEnds as end:
            return end.stop

    def _failed_before(self, number: int) -> bool:
        """Whether an earlier run came to no verdict on this very kernel, and another one may be written.

        A kernel the environment fails on again and again is given up with its trajectory; a recording has no
        other one, and waits for the environment.
        """
        stored = next(
            (entry for entry in self._rounds() if entry.round == number), None
        )
        failed = stored is not None and stored.verdict == VerdictClass.VOID.value
        return failed and not self._is_recording()

    def _waits(self, objective: Objective, number: int) -> bool:
        """Whether a person's version is to be judged next: no budget and no success keeps it from that."""
        stored = next(
            (entry for entry in self._rounds() if entry.round == number), None
        )
        return (
            stored is not None
            and stored.author == "person"
            and stored.objective is objective
        )

    def _earns_nothing(self, uid: str) -> str:
        """Why nothing of an episode may be credited; empty when it may.

        A kernel of it was judged without a sandbox, or a person edited one of the trajectory.
        """
        if self._edited:
            return _EDITED
        unconfined = any(
            entry.unconfined and entry.episode_uid == uid for entry in self._rounds()
        )
        return _UNCONFINED if unconfined else ""

    def _reached(self, objective: Objective, done: list[StoredRound]) -> Stop | None:
        """Why no further round is played, None when one is."""
        progress = progress_of(done)
        plays_on = self._recording_goes_on(objective, progress.rounds_used + 1)
        if objective is Objective.CORR and progress.correct and not plays_on:
            return Stop(StopKind.CORRECT, "a correct kernel was found")
        if self._task.parameters.goal == "compiles" and any(
            entry.verdict not in NOT_BUILT for entry in done
        ):
            return Stop(StopKind.ENDED, "a kernel compiled")
        if progress.rounds_used >= self._task.parameters.T:
            return Stop(
                StopKind.BUDGET,
                Text(
                    "the budget of {rounds} rounds is used",
                    rounds=self._task.parameters.T,
                ),
            )
        if plays_on:
            return None
        if objective is Objective.OPT and self._without_gain(progress):
            return Stop(
                StopKind.NO_GAIN,
                Text(
                    "no gain in {patience} rounds",
                    patience=self._task.parameters.patience,
                ),
            )
        if objective is Objective.OPT and self._recording_ends(
            progress.rounds_used + 1
        ):
            return Stop(StopKind.RECORDING_ENDED, "the recording ends here")
        if objective is Objective.CORR and self._is_judged_otherwise(
            progress.rounds_used
        ):
            return Stop(
                StopKind.RECORDING_ENDED, "the recording had a correct kernel here"
            )
        return None

    def _close(self, objective: Objective, uid: str, stop: Stop) -> None:
        """Fold the episode into the memory, or void it, and store why it ended in the same transaction."""
        store, journal = self._run.store, self._run.journal
        if (
            reason := stop.text
            if stop.kind is StopKind.VOID
            else self._earns_nothing(uid)
        ):
            with store.workspace.transaction():
                store.void_episode(uid, str(reason))
                journal.set_stop_reason(self._task.uid, stop.text)
            self._run.observe(EpisodeVoided(*self._task.stamp, objective, reason))
            return
        progress = self._progress()
        outcome = EpisodeOutcome(
            uid=uid,
            correct=progress.correct,
            t_first=progress.t_first,
            t_best=progress.t_best,
            completes_trajectory=objective is Objective.OPT or not self._goes_on(),
        )
        with store.workspace.transaction():
            effect = store.apply_episode(outcome)
            journal.set_stop_reason(self._task.uid, stop.text)
        self._run.observe(
            EpisodeApplied(
                *self._task.stamp,
                objective,
                effect.z,
                len(effect.credits),
                effect.validated,
                effect.promoted,
                effect.demoted,
            )
        )

    def _goes_on(self) -> bool:
        """Whether opt follows corr: rounds are left, T_first is known, a recording has one to play.

        Looks at the rounds of the corr episode only, so that the answer is the same after a crash in opt.
        """
        corr = [entry for entry in self._rounds() if entry.objective is Objective.CORR]
        progress = progress_of(corr)
        return (
            self._task.parameters.goal == "fast"
            and progress.correct
            and progress.t_first is not None
            and progress.rounds_used < self._task.parameters.T
            and not self._recording_ends(progress.rounds_used + 1)
        )

    def _without_gain(self, progress: Progress) -> bool:
        """Whether the last `patience` rounds of the optimization brought nothing faster."""
        patience, best = self._task.parameters.patience, progress.best_round
        return bool(
            patience and best is not None and progress.rounds_used - best >= patience
        )

    def _learns(self) -> bool:
        """Whether experience and rules are written.

        A control with a static memory writes none, nor a trajectory that a person edited: what of it is worth
        keeping that person says.
        """
        return self._task.parameters.memory == "evolving" and not self._edited

    def _recording_ends(self, number: int) -> bool:
        """Whether a replayed opt episode has no row for round `number`; a live model always has one."""
        recording = self._run.provider.recording
        if recording is None or not self._is_recording():
            return False
        return (
            recording.retrieved(self._task.operator.name, Objective.OPT.value, number)
            is None
        )

    def _recording_goes_on(self, objective: Objective, number: int) -> bool:
        """Whether a recording has this round and says how it was judged: it is played however it is here."""
        recording, name = self._run.provider.recording, self._task.operator.name
        if (
            recording is None
            or not self._is_recording()
            or recording.outcome(name, 1) is None
        ):
            return False
        return recording.retrieved(name, objective.value, number) is not None

    def _is_judged_otherwise(self, number: int) -> bool:
        """Whether the recording went on to the optimization after a round that is not correct here."""
        return self._recording_goes_on(Objective.OPT, number + 1)

    def _is_recording(self) -> bool:
        return self._run.provider.origin in RECORDINGS

    def _rounds(self) -> tuple[StoredRound, ...]:
        return self._run.journal.rounds(self._task.uid)

    def _progress(self) -> Progress:
        return progress_of(self._rounds())

    def _ledger(
        self, rounds: tuple[StoredRound, ...] | list[StoredRound]
    ) -> tuple[str, ...]:
        """One entry per counted round, in the words it had when it was new."""
        lines: list[str] = []
        seen: list[StoredRound] = []
        files: Mapping[str, str] = {}
        for entry in rounds:
            if not entry.counted:
                continue
            seen.append(entry)
            best = progress_of(seen).best_round == entry.round
            evaluation = self._run.journal.evaluation(entry.evaluation)
            before, files = files, self._run.journal.candidate(entry.candidate).files
            probes = self._run.journal.diagnostics_of(self._task.uid, entry.round)
            lines.append(
                ledger_line(
                    entry.round,
                    entry.objective.value,
                    evaluation,
                    entry.cause,
                    new_best=best,
                    acted_on=attempt_text(entry.diagnosis, before, files, probes),
                )
            )
        return tuple(lines)
