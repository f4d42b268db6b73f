"""One refinement round of the paper ("Preliminaries").

The context c_t = Γ(M, τ, k_{t-1}, f_{t-1}) goes to the model, k_t = G(τ, k_{t-1},
f_{t-1}, c_t) comes back, and f_t = E(τ, k_t) is the feedback. Every step is stored
before the next. After a crash the round is run again from its first line: a step whose
result is stored reads it, and a question to the model whose answer is stored
(`RoundSetting.ask`) is not asked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.agent.learning.adoption_place import unfounded
from core.agent.loop.conversation import Conversation
from core.agent.loop.examination import Examination
from core.agent.loop.setting import (
    RoundSetting,
    retrieval_request,
    round_view,
    task_view,
)
from core.agent.prompt.feedback import visible_cause
from core.agent.reply.gate import ends_episode, unknown_rules
from core.agent.reply.protocol import read_diagnosis, read_reply, shown_reply
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
from core.agent.run.run_context import RunContext, Task
from core.evaluation.records import (
    Candidate,
    Evaluation,
    is_modelled,
    is_superseded,
)
from core.evaluation.secret_seeds import SEEDS
from core.memory.records import AdoptionState, EpisodeStart, Retrieved
from core.method.objective import Objective
from core.models.port import RECORDINGS, Purpose
from core.text import Text

_BEGIN_ANEW = (
    "the twin has another time model now: latencies so far are not comparable, "
    "T_first and T_best start again"
)
_OTHER_CONSTANTS = (
    "the twin has the constants of another calibration now: latencies so far are not "
    "comparable, T_first and T_best start again"
)


AdoptionRecord = tuple[AdoptionState, str]  # with its rationale


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
            run=run,
            task=task,
            start=start,
            objective=objective,
            number=number,
            earlier=earlier,
            task_view=task_view(run, task, start, objective),
            round_view=round_view(run, earlier, ledger),
        )

    async def run(self) -> Evaluation:
        """Take the round from where it stands to its stored evaluation f_t.

        Raises:
            EpisodeEnds: The model is done, or the trace stayed incomplete.
        """
        stored = self._begin()
        if stored.has_verdict:
            return self._run.journal.evaluation(stored.evaluation)
        if stored.step.reached(Step.GATED):
            # The program ended while k_t was judged, or the judge failed on it (void):
            # the same k_t is judged again, the model is not asked for another one.
            candidate = self._run.journal.candidate(stored.candidate)
        else:
            diagnosis = await self._diagnose(stored)
            retrieved = await self._retrieve(stored, diagnosis)
            reply = await self._generate(retrieved, diagnosis)
            candidate = self._store_accepted(reply, diagnosis)
        evaluation = await self._evaluate(candidate)
        self._feed_back(evaluation)
        return evaluation

    # ---- the steps

    def _begin(self) -> StoredRound:
        """Store that the round began, and return how far it has come."""
        journal = self._run.journal
        # Changes nothing in a round that had begun. Either way it is the last one.
        journal.start_round(self._task.uid, self._number, self._start.uid)
        stored = journal.rounds(self._task.uid)[-1]
        self._announce(stored.step)
        return stored

    async def _diagnose(self, stored: StoredRound) -> str:
        """Let the model name the cause of the last failure, or the bottleneck.

        Empty in the first round, which has no kernel to diagnose.

        Raises:
            EpisodeEnds: The model ends it instead.
        """
        setting = self._setting
        if stored.step.reached(Step.DIAGNOSED):
            answer_count = self._run.journal.further_answers(
                self._task.uid, self._number, Purpose.DIAGNOSE
            )
            self._examination.pass_over(answer_count)
            return stored.diagnosis
        if setting.round_view.evaluation is None:
            return ""
        prompt = self._run.context.diagnose(setting.task_view, setting.round_view)
        answer = await setting.ask(Purpose.DIAGNOSE, prompt)
        reply = read_reply(answer.text)
        # A look at the kernel before its cause is named, by a reply that names none.
        while reply.diagnostic is not None and not reply.diagnosis:
            start = setting.files_to_edit(reply)
            look = self._examination.checked(replace(reply, look_up=()), start)
            if not self._examination.asks(look):
                break
            text, number = await self._examination.answer(look, start)
            prompt = self._run.context.looked_at(prompt, shown_reply(answer.text), text)
            answer = await setting.ask(Purpose.DIAGNOSE, prompt, attempt=number)
            reply = read_reply(answer.text)
        if ends_episode(reply, self._objective):
            raise EpisodeEnds(_end_of(reply))
        diagnosis = read_diagnosis(answer.text)
        self._store_step(Step.DIAGNOSED, diagnosis=diagnosis)
        self._announce(Step.DIAGNOSED)
        return diagnosis

    async def _retrieve(
        self, stored: StoredRound, diagnosis: str
    ) -> tuple[Retrieved, ...]:
        """R_t, stored with every adoption state unresolved."""
        store, feedback = self._run.store, self._setting.round_view.evaluation
        if stored.step.reached(Step.RETRIEVED):
            return store.retrieved(self._start.uid, self._number)
        query = retrieval_query(self._task.operator, feedback, diagnosis)
        request = retrieval_request(
            self._run,
            self._task,
            self._start,
            self._objective,
            self._number,
            feedback,
            query,
        )
        await self._load_encoder()
        retrieval = self._run.retrieve(request)
        with store.workspace.transaction():
            store.record_retrieval(self._start.uid, self._number, retrieval.items)
            # Moves the round to Step.RETRIEVED as well.
            self._run.journal.store_retrieval(
                self._task.uid, self._number, query, retrieval.own_ranking
            )
        self._announce(Step.RETRIEVED)
        return retrieval.items

    async def _load_encoder(self) -> None:
        """The first search of a run by meaning waits for its encoder, and says so."""
        search = self._run.search_by_meaning
        if search is not None and search.is_loading:
            note = "loading the text encoder"
            self._run.observe(ProgressNote(*self._task.stamp, note))
            await search.load()

    async def _generate(self, retrieved: Sequence[Retrieved], diagnosis: str) -> Reply:
        """The model's candidate with its adoption records, as the gate lets it pass.

        Needs no look at the stored step: after a crash every question of this round,
        this one, corrections and examinations, finds its stored answer in `ask`.

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
        self._store_step(Step.REPLIED)
        self._announce(Step.REPLIED)
        conversation = Conversation(setting, self._examination, uids, prompt, answer)
        return await conversation.accepted_reply()

    def _store_accepted(self, reply: Reply, diagnosis: str) -> Candidate:
        """Store adoption records, use of resident rules and k_t in one transaction.

        Raises:
            EpisodeEnds: The reply holds no kernel; the model is done or gives up.
        """
        self._note_unknown_rules(reply)
        if reply.done:
            self._record_adoption(reply)
            raise EpisodeEnds(_end_of(reply))
        candidate = Candidate({**self._setting.files_to_edit(reply), **reply.files})
        with self._run.store.workspace.transaction():
            self._record_adoption(reply)
            self._store_step(
                Step.GATED,
                candidate=self._run.journal.store_candidate(candidate),
                diagnosis=diagnosis or reply.diagnosis,
                residents_stated=self._residents_stated(reply),
            )
        self._announce(Step.GATED)
        return candidate

    async def _evaluate(self, candidate: Candidate) -> Evaluation:
        """Let E judge.

        A verdict with secret seeds can be repeated only with the same secret, so its
        facts hold the secret's digest (`core.evaluation.secret_seeds`).
        """
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
        """Store f_t with what it makes of the trajectory, and announce it."""
        progress = self._progress_with(evaluation)
        cause = visible_cause(evaluation)
        self._run.journal.finish_round(
            self._task.uid, self._number, evaluation, cause, progress
        )
        latency = evaluation.latency
        before = progress_of(self._earlier).latency_origin
        if is_modelled(before) and progress.latency_origin != before:
            note = _BEGIN_ANEW if is_superseded(before) else _OTHER_CONSTANTS
            self._run.observe(ProgressNote(*self._task.stamp, note))
        self._run.observe(
            RoundEvaluated(
                *self._task.stamp,
                objective=self._objective,
                round=self._number,
                verdict=evaluation.verdict,
                cause=cause,
                latency_us=latency.value if latency else None,
                latency_origin=latency.stored_origin if latency else "",
                new_best=progress.best_round == self._number,
            )
        )

    # ---- what the steps store and announce

    def _record_adoption(self, reply: Reply) -> None:
        """Store a_{m,t} of every m in R_t, and which resident rules were used."""
        store, residents = self._run.store, self._start.residents
        uses = {
            use.uid: use.rationale for use in reply.resident if use.uid in residents
        }
        with store.workspace.transaction():
            if self._setting.task_view.traced:
                retrieved = store.retrieved(self._start.uid, self._number)
                records = _adoption_records(reply, retrieved)
                store.record_adoption(
                    self._start.uid, self._number, self._founded(records, reply)
                )
            store.record_hot_use(self._start.uid, self._number, uses)

    def _founded(
        self, records: Mapping[str, AdoptionRecord], reply: Reply
    ) -> dict[str, AdoptionRecord]:
        """The records, a claim of adoption that names no edit of this round turned down.

        A recording was asked by the protocol of its time, which wanted no place.
        """
        if self._run.provider.origin in RECORDINGS:
            return dict(records)
        setting, founded = self._setting, dict(records)
        before = setting.files_to_edit(reply)
        for item in self._run.store.items(records):
            state, rationale = records[item.uid]
            if state is not AdoptionState.ADOPTED:
                continue
            after = {**before, **reply.files}
            why = unfounded(rationale, item.code_diff, before, after)
            if why:
                not_adopted = AdoptionState.NOT_ADOPTED
                founded[item.uid] = (not_adopted, f"{rationale} ({why})")
        return founded

    def _note_unknown_rules(self, reply: Reply) -> None:
        residents = self._start.residents
        unknown = unknown_rules(reply, residents) if residents else ()
        if unknown:
            text = f"left out, no resident rules here: {', '.join(unknown)}"
            self._run.observe(ProgressNote(*self._task.stamp, text))

    def _residents_stated(self, reply: Reply) -> int | None:
        """Whether the reply says which resident rules it used: 1 or 0; None: there are none.

        Where a reply of the episode did not say (0), rules that no reply names do not
        count as unused. A round without residents stores None, not 0, because nothing
        was left out in it.
        """
        return int(reply.resident_stated) if self._start.residents else None

    def _progress_with(self, evaluation: Evaluation) -> Progress:
        """Progress of the trajectory with this round, which is not stored yet, added."""
        latency = evaluation.latency
        judged = StoredRound(
            round=self._number,
            episode_uid=self._start.uid,
            objective=self._objective,
            step=Step.EVALUATED,
            candidate=evaluation.candidate,
            verdict=evaluation.verdict.value,
            latency_us=latency.value if latency else None,
            latency_origin=latency.stored_origin if latency else "",
            unconfined=evaluation.is_unconfined,
        )
        return progress_of([*self._earlier, judged])

    def _store_step(self, step: Step, **columns: str | int | None) -> None:
        self._run.journal.advance(self._task.uid, self._number, step, **columns)

    def _announce(self, step: Step) -> None:
        """Send the event of a stored step: a listener may read the workspace at once."""
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


def _adoption_records(
    reply: Reply, retrieved: Sequence[Retrieved]
) -> dict[str, AdoptionRecord]:
    """Uid -> state and rationale, of the claims about items of R_t."""
    uids = {hit.uid for hit in retrieved}
    records = {}
    for claim in reply.adoption:
        if claim.uid not in uids:
            continue
        adopted = AdoptionState.ADOPTED if claim.adopted else AdoptionState.NOT_ADOPTED
        records[claim.uid] = (adopted, claim.rationale)
    return records
