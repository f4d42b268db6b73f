"""One refinement round: diagnose, retrieve, ask, gate, evaluate. Every step is stored before the next.

A round is run again from its stored rows after a crash: a step that is there is read, not repeated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.agent.loop.examination import Examination
from core.agent.loop.records import (
    CorrectionAsked,
    Progress,
    ProgressNote,
    RoundAdvanced,
    RoundEvaluated,
    Step,
    Stop,
    StopKind,
    StoredRound,
    best_of,
    progress_of,
)
from core.agent.loop.run_context import RunContext, Task, ask
from core.agent.prompt.feedback import visible_cause
from core.agent.prompt.round_prompt import Prompt, RoundView, TaskView
from core.agent.reply.gate import (
    LARGEST_CORRECTIONS,
    RESIDENT,
    unknown_rules,
    validate_reply,
)
from core.agent.reply.protocol import (
    BEST,
    EDIT,
    FILES,
    Complaint,
    Reply,
    read_diagnosis,
    read_reply,
)
from core.agent.reply.reply_edits import apply_reply_edits, combine, examined
from core.agent.retrieval.query import retrieval_query
from core.agent.retrieval.value_ranking import retrieved_by_value
from core.evaluation.records import Candidate, Evaluation
from core.evaluation.secret_seeds import SEEDS
from core.memory.reading import NoSuchItem, utilities
from core.memory.records import AdoptionState, EpisodeStart, ItemFilter, Retrieved
from core.method.objective import Objective
from core.method.parameters import DIAGNOSTICS_PER_TRAJECTORY
from core.models.port import ModelReply, ModelRequest, Purpose
from core.replay.provider import DIVERGED, ReplayDiverged
from core.text import Text

_FAILED_EDITS = 2  # in a row; after that a round takes whole files only


class EpisodeEnds(Exception):
    """Raised inside a round when the episode is over; control flow, not an error."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.text)
        self.stop = stop


class Round:
    """One round of an episode.

    Args:
        run: What it works with.
        task: The trajectory.
        start: What the episode sees of the memory.
        objective: Of the episode.
        number: Within the trajectory.
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
        self._previous = earlier[-1] if earlier else None
        self._examination = Examination(run, task, number)
        self._view = TaskView(
            task.operator,
            objective,
            task.parameters.T,
            run.evaluator.label,
            start.hot_block,
            self._examination.tools,
            DIAGNOSTICS_PER_TRAJECTORY,
            run.evaluator.soc,
            self._examination.look_ups,
            task.parameters.patience,
            task.parameters.traces_adoption,
            run.evaluator.runs_big,
        )
        self._state = self._round_view(ledger)

    async def run(self) -> Evaluation:
        """Take the round from where it stands to its stored evaluation.

        Raises:
            EpisodeEnds: The model is done, or the trace stayed incomplete.
        """
        journal = self._run.journal
        journal.start_round(self._task.uid, self._number, self._start.uid)
        stored = journal.rounds(self._task.uid)[-1]
        self._tell(stored.step)
        if stored.counted:
            return journal.evaluation(stored.evaluation)
        if stored.step.reached(
            Step.GATED
        ):  # also one an earlier run came to no verdict on
            return await self._evaluate(journal.candidate(stored.candidate))
        diagnosis = await self._diagnose(stored)
        retrieved = self._retrieve(stored, diagnosis)
        candidate = await self._pass_gate(retrieved, diagnosis)
        return await self._evaluate(candidate)

    # ---- the steps

    async def _diagnose(self, stored: StoredRound) -> str:
        """Let the model name the cause of the last failure, or the bottleneck; nothing at the first round."""
        if self._state.evaluation is None or stored.step.reached(Step.DIAGNOSED):
            return stored.diagnosis
        prompt = self._run.context.diagnose(self._view, self._state)
        reply = await self._ask(Purpose.DIAGNOSE, prompt)
        diagnosis = read_diagnosis(reply.text)
        self._advance(Step.DIAGNOSED, diagnosis=diagnosis)
        return diagnosis

    def _retrieve(self, stored: StoredRound, diagnosis: str) -> tuple[Retrieved, ...]:
        """R_t: as stored, as a recording prescribes, or from the retriever. Stored unresolved."""
        store, parameters = self._run.store, self._task.parameters
        if stored.step.reached(Step.RETRIEVED):
            return store.retrieved(self._start.uid, self._number)
        query = retrieval_query(self._task.operator, self._state.evaluation, diagnosis)
        recording, pinned, here = self._run.provider.recording, None, ""
        if recording is not None:
            pinned = recording.retrieved(
                self._task.operator.name, self._objective.value, self._number
            )
        retrieved: tuple[Retrieved, ...] = ()
        if parameters.memory != "none":
            dtypes = {
                dtype.value
                for tensor in self._task.operator.inputs
                for dtype in tensor.dtypes
            }
            filters = ItemFilter(
                soc=self._run.evaluator.soc,
                cann=self._run.evaluator.cann,
                dtypes=tuple(sorted(dtypes)),
                until_seq=self._start.memory_seq,
                residents=frozenset(self._start.residents),
            )
            if parameters.ranking == "value":
                place = (self._task.operator.name, self._number, self._start.memory_seq)
                retrieved = retrieved_by_value(
                    self._run.values,
                    store.workspace,
                    lambda k, by: self._run.retrieve(query, k, by, filters),
                    parameters,
                    self._objective,
                    place,
                )
            else:
                retrieved = self._run.retrieve(query, parameters.k, parameters, filters)
        if pinned is not None:
            here = json.dumps([hit.uid for hit in retrieved])
            retrieved = self._prescribed(pinned)
        with store.workspace.transaction():
            store.record_retrieval(self._start.uid, self._number, retrieved)
            self._store(
                Step.RETRIEVED,
                query=query,
                retrieval_pinned=int(pinned is not None),
                retrieved_here=here,
            )
        self._tell(Step.RETRIEVED)
        return retrieved

    def _prescribed(self, uids: Sequence[str]) -> tuple[Retrieved, ...]:
        """R_t of a recording: ranks and utilities, no scores.

        Residents bypass retrieval. One that is resident only here, because the present judge changed what was
        learnt, stays in R_t: the recorded reply says whether it was adopted, and the difference is shown.
        """
        store = self._run.store
        try:  # the named ones only: a memory may hold a hundred thousand
            known = {item.uid: item for item in store.items(uids)}
        except NoSuchItem as error:
            raise ReplayDiverged(
                "{diverged}: {error}", diverged=DIVERGED, error=error.what
            ) from error
        for uid in uids:
            if uid in self._start.residents and not self._run.order.given:
                raise ReplayDiverged(
                    "{diverged}: it retrieves {uid}, which is resident in hot memory here.",
                    diverged=DIVERGED,
                    uid=uid,
                )
        ids = [known[uid].id for uid in uids]
        then = utilities(store.workspace.db, ids, self._start.memory_seq)
        return tuple(
            Retrieved(uid=uid, rank=rank, u=then[item][1], id=item)
            for rank, (uid, item) in enumerate(zip(uids, ids, strict=True), start=1)
        )

    async def _pass_gate(
        self, retrieved: Sequence[Retrieved], diagnosis: str
    ) -> Candidate:
        """Ask for a candidate and correct the reply until the gate opens; its records and files are stored.

        Raises:
            EpisodeEnds: Done, or still incomplete after the last correction.
        """
        uids = tuple(hit.uid for hit in retrieved)
        asked = uids if self._view.traced else ()
        items = self._run.store.items(uids)
        prompt = self._run.context.candidate(self._view, self._state, diagnosis, items)
        purpose = Purpose.REPAIR if self._earlier else Purpose.CANDIDATE
        answer = await self._ask(purpose, prompt, uids)
        self._advance(Step.REPLIED)
        reply, failed_edits = self._understand(answer.text, 0)
        corrections = 0
        while True:
            reply = self._examination.checked(reply, self._base(reply))
            if self._examination.asks(reply):
                told, number = await self._examination.answer(reply, self._base(reply))
                prompt = self._run.context.examined(prompt, answer.text, told)
                answer = await self._ask(Purpose.EXAMINED, prompt, uids, number)
                following, failed_edits = self._understand(answer.text, failed_edits)
                reply = combine(examined(reply), following)
                continue
            complaints = validate_reply(
                reply,
                asked,
                self._base(reply),
                may_finish=self._objective is Objective.OPT,
                residents=self._start.residents,
            )
            if self._recorded_so(complaints, prompt, uids, corrections + 1):
                complaints = ()
            complaints = complaints or self._too_large(reply)
            if not complaints:
                return self._record(reply, diagnosis)
            if corrections == LARGEST_CORRECTIONS:
                raise EpisodeEnds(_incomplete(complaints))
            corrections += 1
            prompt, answer = await self._correct(
                prompt, answer, complaints, uids, corrections
            )
            correction, failed_edits = self._understand(answer.text, failed_edits)
            reply = combine(reply, correction)

    def _recorded_so(
        self,
        complaints: Sequence[Complaint],
        prompt: Prompt,
        uids: tuple[str, ...],
        attempt: int,
    ) -> bool:
        """Whether only the use of resident rules is unclear, and this plays a recording that never asked."""
        if any(complaint.rule != RESIDENT for complaint in complaints):
            return False
        return not self._run.provider.answers(
            self._request(Purpose.CORRECTION, prompt, uids, attempt)
        )

    def _too_large(self, reply: Reply) -> tuple[Complaint, ...]:
        """A candidate no later prompt could show would end the trajectory; it is refused while it can be."""
        files = {} if reply.done else {**self._base(reply), **reply.files}
        problem = self._run.context.too_large(self._view, files)
        return (
            (Complaint("project-too-large", f"{problem} Send shorter files.", FILES),)
            if problem
            else ()
        )

    async def _correct(
        self,
        prompt: Prompt,
        answer: ModelReply,
        complaints: Sequence[Complaint],
        uids: tuple[str, ...],
        attempt: int,
    ) -> tuple[Prompt, ModelReply]:
        """Say what is wrong with a reply and ask again."""
        messages = tuple(entry.message for entry in complaints)
        self._run.observe(
            CorrectionAsked(*self._task.stamp, self._number, attempt, messages)
        )
        prompt = self._run.context.correction(
            prompt, answer.text, complaints, LARGEST_CORRECTIONS - attempt
        )
        return prompt, await self._ask(Purpose.CORRECTION, prompt, uids, attempt)

    def _understand(self, text: str, failed_edits: int) -> tuple[Reply, int]:
        """A reply with its edits applied, and how many replies in a row had edits that could not be."""
        read = read_reply(text)
        reply = apply_reply_edits(
            read, self._base(read), whole_only=failed_edits >= _FAILED_EDITS
        )
        failed = any(complaint.rule == EDIT for complaint in reply.complaints)
        return reply, failed_edits + 1 if failed else 0

    def _base(self, reply: Reply) -> Mapping[str, str]:
        """The files a reply changes: the candidate before, or the best correct one if it says so."""
        return (
            self._state.best_files
            if reply.base == BEST and self._state.best_files
            else self._state.files
        )

    def _record(self, reply: Reply, diagnosis: str) -> Candidate:
        """Store adoption records, resident use and the candidate in one transaction: the gate is open."""
        store, journal = self._run.store, self._run.journal
        traced = (
            store.retrieved(self._start.uid, self._number) if self._view.traced else ()
        )
        known = {hit.uid for hit in traced}
        records = {
            claim.uid: (
                AdoptionState.ADOPTED if claim.adopted else AdoptionState.NOT_ADOPTED,
                claim.rationale,
            )
            for claim in reply.adoption
            if claim.uid in known
        }
        residents = self._start.residents
        uses = {
            use.uid: use.rationale for use in reply.resident if use.uid in residents
        }
        if residents and (unknown := unknown_rules(reply, residents)):
            text = f"left out, no resident rules here: {', '.join(unknown)}"
            self._run.observe(ProgressNote(*self._task.stamp, text))
        stated = int(reply.resident_stated) if residents else None
        candidate = Candidate({**self._base(reply), **reply.files})
        with store.workspace.transaction():
            store.record_adoption(self._start.uid, self._number, records)
            store.record_hot_use(self._start.uid, self._number, uses)
            if not reply.done:
                digest = journal.store_candidate(candidate)
                self._store(
                    Step.GATED,
                    candidate=digest,
                    diagnosis=diagnosis or reply.diagnosis,
                    residents_stated=stated,
                )
        if reply.done:
            reason = reply.done_reason or "no reason given"
            if reply.gives_up:
                raise EpisodeEnds(
                    Stop(
                        StopKind.GIVEN_UP,
                        Text("the model gives up: {reason}", reason=reason),
                    )
                )
            raise EpisodeEnds(
                Stop(
                    StopKind.DONE,
                    Text("the model is done: {reason}", reason=reason),
                )
            )
        self._tell(Step.GATED)
        return candidate

    async def _evaluate(self, candidate: Candidate) -> Evaluation:
        """Let E judge, and store the answer with what it makes of the trajectory."""
        observe, journal = self._run.observe, self._run.journal
        evaluation = await self._run.evaluator.evaluate(
            self._task.operator,
            candidate,
            lambda text: observe(ProgressNote(*self._task.stamp, text)),
            ticket=f"{self._task.uid}/{self._number}",
        )
        if self._task.seeds:
            evaluation = replace(
                evaluation, facts={**evaluation.facts, SEEDS: self._task.seeds}
            )
        progress, new_best = self._progress_with(evaluation)
        cause = visible_cause(evaluation)
        recording = self._run.provider.recording
        recorded = (
            recording.outcome(self._task.operator.name, self._number)
            if recording
            else None
        )
        journal.finish_round(
            self._task.uid, self._number, evaluation, cause, progress, recorded
        )
        latency = evaluation.latency
        observe(
            RoundEvaluated(
                *self._task.stamp,
                self._objective,
                self._number,
                evaluation.verdict,
                cause,
                latency.value if latency else None,
                latency.origin if latency else None,
                new_best,
                recorded.verdict
                if recorded and recorded.verdict != evaluation.verdict.value
                else "",
            )
        )
        return evaluation

    # ---- help

    def _progress_with(self, evaluation: Evaluation) -> tuple[Progress, bool]:
        """Progress of the trajectory with this round added, and whether the round is its new best."""
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
        progress = progress_of([*self._earlier, this])
        return progress, progress.best_round == self._number

    def _round_view(self, ledger: tuple[str, ...]) -> RoundView:
        """k_{t-1} and f_{t-1} with the ledger and the best latency."""
        if self._previous is None:
            return RoundView()
        journal = self._run.journal
        winner = best_of(self._earlier)
        return RoundView(
            ledger=ledger,
            files=journal.candidate(self._previous.candidate).files,
            evaluation=journal.evaluation(self._previous.evaluation),
            best=journal.evaluation(winner.evaluation).latency if winner else None,
            best_files=journal.candidate(winner.candidate).files if winner else {},
        )

    async def _ask(
        self,
        purpose: Purpose,
        prompt: Prompt,
        retrieved: tuple[str, ...] = (),
        attempt: int = 0,
    ) -> ModelReply:
        return await ask(
            self._run, self._task, self._request(purpose, prompt, retrieved, attempt)
        )

    def _request(
        self, purpose: Purpose, prompt: Prompt, retrieved: tuple[str, ...], attempt: int
    ) -> ModelRequest:
        return ModelRequest(
            purpose=purpose,
            subject=self._task.operator.name,
            objective=self._objective.value,
            round=self._number,
            messages=prompt.messages,
            retrieved=retrieved,
            previous_verdict=self._previous.verdict if self._previous else "",
            attempt=attempt,
            files=self._state.files,
            residents=self._start.residents,
        )

    def _advance(self, step: Step, **columns: str | int | None) -> None:
        self._store(step, **columns)
        self._tell(step)

    def _store(self, step: Step, **columns: str | int | None) -> None:
        self._run.journal.advance(self._task.uid, self._number, step, **columns)

    def _tell(self, step: Step) -> None:
        """Events follow the commit: who hears them may read the workspace at once."""
        self._run.observe(
            RoundAdvanced(*self._task.stamp, self._objective, self._number, step)
        )


def _incomplete(complaints: Sequence[Complaint]) -> Stop:
    text = Text(
        "the reply stayed incomplete after {most} corrections: {complaint}",
        most=LARGEST_CORRECTIONS,
        complaint=complaints[0].message,
    )
    return Stop(StopKind.UNRESOLVED, text)
