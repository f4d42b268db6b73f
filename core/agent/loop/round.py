"""One refinement round of the paper ("Preliminaries").

The context c_t = Γ(M, τ, k_{t-1}, f_{t-1}) goes to the model, k_t = G(τ, k_{t-1},
f_{t-1}, c_t) comes back, and f_t = E(τ, k_t) is the feedback. Every step is stored
before the next. A round is run again from its stored rows after a crash: a step that is
there is read, not repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.agent.loop.conversation import Conversation
from core.agent.loop.examination import Examination
from core.agent.loop.setting import RoundSetting, round_view
from core.agent.prompt.feedback import visible_cause
from core.agent.prompt.round_prompt import TaskView
from core.agent.reply.gate import unknown_rules
from core.agent.reply.protocol import read_diagnosis
from core.agent.reply.record import Reply
from core.agent.retrieval.query import retrieval_query
from core.agent.run.records import (
    EpisodeEnds,
    Progress,
    ProgressNote,
    RoundAdvanced,
    RoundEvaluated,
    Step,
    Stop,
    StopKind,
    StoredRound,
    progress_of,
)
from core.agent.run.retrieval import RetrievalRequest
from core.agent.run.run_context import RunContext, Task
from core.evaluation.records import Candidate, Evaluation
from core.evaluation.secret_seeds import SEEDS
from core.memory.records import AdoptionState, EpisodeStart, Retrieved
from core.method.objective import Objective
from core.method.parameters import DIAGNOSTICS_PER_TRAJECTORY
from core.models.port import Purpose
from core.text import Text


class Round:
    """One round of an episode.

    Args:
        run: What it works with.
        task: The trajectory.
        start: What the episode sees of the memory.
        objective: Of the episode.
        number: t, within the trajectory.
        earlier: The rounds before, oldest first.
        ledger: One line for each of them.
    """

    def __init__(
        self,
        run: RunContext,
        task: Task,
        start: EpisodeStart,
        objective: Objective,
        number: int,
        earlier: Sequence[StoredRound],
        ledger: tuple[str, ...],
    ) -> None:
        self._run = run
        self._task = task
        self._start = start
        self._objective = objective
        self._number = number
        self._earlier = earlier
        self._examination = Examination(run, task, number)
        self._setting = RoundSetting(
            run,
            task,
            start,
            objective,
            number,
            earlier,
            self._task_view(),
            round_view(run, earlier, ledger),
        )

    async def run(self) -> Evaluation:
        """Take the round from where it stands to its stored evaluation f_t.

        Raises:
            EpisodeEnds: The model is done, or the trace stayed incomplete.
        """
        stored = self._begin()
        if stored.counted:
            return self._run.journal.evaluation(stored.evaluation)
        if stored.step.reached(Step.GATED):  # a judge may have failed on it before
            candidate = self._run.journal.candidate(stored.candidate)
        else:
            diagnosis = await self._diagnose(stored)
            retrieved = self._retrieve(stored, diagnosis)
            reply = await self._generate(retrieved, diagnosis)
            candidate = self._pass_gate(reply, diagnosis)
        evaluation = await self._evaluate(candidate)
        self._feed_back(evaluation)
        return evaluation

    # ---- the steps

    def _begin(self) -> StoredRound:
        """Store that the round began, and return how far it has come."""
        journal = self._run.journal
        journal.start_round(self._task.uid, self._number, self._start.uid)
        stored = journal.rounds(self._task.uid)[-1]
        self._tell(stored.step)
        return stored

    async def _diagnose(self, stored: StoredRound) -> str:
        """Let the model name the cause of the last failure, or the bottleneck.

        Nothing at the first round.
        """
        setting = self._setting
        if setting.round_view.evaluation is None or stored.step.reached(Step.DIAGNOSED):
            return stored.diagnosis
        prompt = self._run.context.diagnose(setting.task_view, setting.round_view)
        answer = await setting.ask(Purpose.DIAGNOSE, prompt)
        diagnosis = read_diagnosis(answer.text)
        self._store(Step.DIAGNOSED, diagnosis=diagnosis)
        self._tell(Step.DIAGNOSED)
        return diagnosis

    def _retrieve(self, stored: StoredRound, diagnosis: str) -> tuple[Retrieved, ...]:
        """R_t, stored with every adoption state unresolved."""
        store, feedback = self._run.store, self._setting.round_view.evaluation
        if stored.step.reached(Step.RETRIEVED):
            return store.retrieved(self._start.uid, self._number)
        query = retrieval_query(self._task.operator, feedback, diagnosis)
        request = RetrievalRequest(
            self._task.operator,
            self._objective,
            self._number,
            query,
            self._start,
            self._task.parameters,
            self._run.evaluator.soc,
            self._run.evaluator.cann,
        )
        retrieval = self._run.retrieve(request)
        with store.workspace.transaction():
            store.record_retrieval(self._start.uid, self._number, retrieval.items)
            self._run.journal.store_retrieval(
                self._task.uid, self._number, query, retrieval.ranked_here
            )
        self._tell(Step.RETRIEVED)
        return retrieval.items

    async def _generate(self, retrieved: Sequence[Retrieved], diagnosis: str) -> Reply:
        """The model's candidate with its adoption records, as the gate lets it pass.

        Raises:
            EpisodeEnds: It is still incomplete after the last correction.
        """
        setting = self._setting
        uids = tuple(hit.uid for hit in retrieved)
        prompt = self._run.context.candidate(
            setting.task_view,
            setting.round_view,
            diagnosis,
            self._run.store.items(uids),
        )
        purpose = Purpose.REPAIR if self._earlier else Purpose.CANDIDATE
        answer = await setting.ask(purpose, prompt, uids)
        self._store(Step.REPLIED)
        self._tell(Step.REPLIED)
        conversation = Conversation(setting, self._examination, uids, prompt, answer)
        return await conversation.accepted_reply()

    def _pass_gate(self, reply: Reply, diagnosis: str) -> Candidate:
        """Store adoption records, use of resident rules and k_t in one transaction.

        Raises:
            EpisodeEnds: The reply holds no kernel; the model is done or gives up.
        """
        candidate = Candidate({**self._setting.base(reply), **reply.files})
        self._note_unknown_rules(reply)
        with self._run.store.workspace.transaction():
            self._record_adoption(reply)
            if not reply.done:
                self._store(
                    Step.GATED,
                    candidate=self._run.journal.store_candidate(candidate),
                    diagnosis=diagnosis or reply.diagnosis,
                    residents_stated=self._residents_stated(reply),
                )
        if reply.done:
            raise EpisodeEnds(_end_of(reply))
        self._tell(Step.GATED)
        return candidate

    async def _evaluate(self, candidate: Candidate) -> Evaluation:
        """Let E judge; a kernel that was judged with secret seeds says with which."""
        evaluation = await self._run.evaluator.evaluate(
            self._task.operator,
            candidate,
            lambda text: self._run.observe(ProgressNote(*self._task.stamp, text)),
            ticket=f"{self._task.uid}/{self._number}",
        )
        if not self._task.seeds:
            return evaluation
        facts = {**evaluation.facts, SEEDS: self._task.seeds}
        return replace(evaluation, facts=facts)

    def _feed_back(self, evaluation: Evaluation) -> None:
        """Store f_t with what it makes of the trajectory, and tell it."""
        progress = self._progress_with(evaluation)
        cause = visible_cause(evaluation)
        self._run.journal.finish_round(
            self._task.uid, self._number, evaluation, cause, progress
        )
        latency = evaluation.latency
        self._run.observe(
            RoundEvaluated(
                *self._task.stamp,
                self._objective,
                self._number,
                evaluation.verdict,
                cause,
                latency.value if latency else None,
                latency.origin if latency else None,
                progress.best_round == self._number,
            )
        )

    # ---- what the steps store and tell

    def _task_view(self) -> TaskView:
        """What every prompt of the episode says of task and judge."""
        parameters, evaluator = self._task.parameters, self._run.evaluator
        return TaskView(
            operator=self._task.operator,
            objective=self._objective,
            rounds=parameters.T,
            evaluator=evaluator.label,
            hot_block=self._start.hot_block,
            tools=self._examination.tools,
            diagnostics=DIAGNOSTICS_PER_TRAJECTORY,
            soc=evaluator.soc,
            look_ups=self._examination.look_ups,
            patience=parameters.patience,
            traced=parameters.traces_adoption,
            runs_big=evaluator.runs_big,
        )

    def _record_adoption(self, reply: Reply) -> None:
        """Store a_{m,t} of every m in R_t, and which resident rules were used."""
        store, residents = self._run.store, self._start.residents
        if self._setting.task_view.traced:
            retrieved = store.retrieved(self._start.uid, self._number)
            uids = {hit.uid for hit in retrieved}
            records = {
                claim.uid: (
                    AdoptionState.ADOPTED
                    if claim.adopted
                    else AdoptionState.NOT_ADOPTED,
                    claim.rationale,
                )
                for claim in reply.adoption
                if claim.uid in uids
            }
            store.record_adoption(self._start.uid, self._number, records)
        uses = {
            use.uid: use.rationale for use in reply.resident if use.uid in residents
        }
        store.record_hot_use(self._start.uid, self._number, uses)

    def _note_unknown_rules(self, reply: Reply) -> None:
        residents = self._start.residents
        unknown = unknown_rules(reply, residents) if residents else ()
        if unknown:
            text = f"left out, no resident rules here: {', '.join(unknown)}"
            self._run.observe(ProgressNote(*self._task.stamp, text))

    def _residents_stated(self, reply: Reply) -> int | None:
        """Whether the reply says which resident rules it used.

        None where there are none.
        """
        return int(reply.resident_stated) if self._start.residents else None

    def _progress_with(self, evaluation: Evaluation) -> Progress:
        """Progress of the trajectory with this round added."""
        latency = evaluation.latency
        this = StoredRound(
            round=self._number,
            episode_uid=self._start.uid,
            objective=self._objective,
            step=Step.EVALUATED,
            diagnosis="",
            candidate=evaluation.candidate,
            verdict=evaluation.verdict.value,
            cause="",
            latency_us=latency.value if latency else None,
            latency_origin=latency.origin.value if latency else "",
            evaluation="",
            unconfined=evaluation.is_unconfined,
        )
        return progress_of([*self._earlier, this])

    def _store(self, step: Step, **columns: str | int | None) -> None:
        self._run.journal.advance(self._task.uid, self._number, step, **columns)

    def _tell(self, step: Step) -> None:
        """Events follow the commit: a listener may read the workspace at once."""
        self._run.observe(
            RoundAdvanced(*self._task.stamp, self._objective, self._number, step)
        )


def _end_of(reply: Reply) -> Stop:
    """The end of the episode that a reply without a kernel asks for."""
    reason = reply.done_reason or "no reason given"
    if reply.gives_up:
        text = Text("the model gives up: {reason}", reason=reason)
        return Stop(StopKind.GIVEN_UP, text)
    return Stop(StopKind.DONE, Text("the model is done: {reason}", reason=reason))
