"""What a round starts from: k_{t-1}, f_{t-1}, and how it asks the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.agent.prompt.round_prompt import Prompt, RoundView, TaskView
from core.agent.reply.record import BEST, Reply
from core.agent.retrieval.query import retrieval_query
from core.agent.run.records import StoredRound, best_of
from core.agent.run.retrieval import RetrievalRequest
from core.agent.run.run_context import RunContext, Task, ask
from core.evaluation.records import Evaluation
from core.memory.records import EpisodeStart
from core.method.objective import Objective
from core.method.parameters import DIAGNOSTICS_PER_TRAJECTORY, LOOK_UPS_PER_ROUND
from core.models.port import ModelReply, ModelRequest, Purpose


@dataclass(frozen=True)
class RoundSetting:
    """One round of an episode, before anything happens in it.

    Attributes:
        run: What it works with.
        task: The trajectory.
        start: What the episode sees of the memory.
        objective: g of τ.
        number: t, within the trajectory.
        earlier: The rounds before that have a verdict, oldest first.
        task_view: What every prompt of the episode says.
        round_view: k_{t-1} and f_{t-1} with the ledger of the attempts before.
    """

    run: RunContext
    task: Task
    start: EpisodeStart
    objective: Objective
    number: int
    earlier: Sequence[StoredRound]
    task_view: TaskView
    round_view: RoundView

    def files_to_edit(self, reply: Reply) -> Mapping[str, str]:
        """The files the edits of a reply start from: k_{t-1}, or the best kernel if it says so."""
        best = self.round_view.best_files
        return best if reply.base == BEST and best else self.round_view.files

    def request(
        self,
        purpose: Purpose,
        prompt: Prompt,
        retrieved: tuple[str, ...] = (),
        attempt: int = 0,
    ) -> ModelRequest:
        """A question of this round to the model.

        Args:
            purpose: What is asked for.
            prompt: The context c_t.
            retrieved: uids of R_t.
            attempt: 0, or the number of the correction or examination.
        """
        return ModelRequest(
            purpose=purpose,
            subject=self.task.operator.name,
            objective=self.objective.value,
            round=self.number,
            messages=prompt.messages,
            retrieved=retrieved,
            previous_verdict=self.earlier[-1].verdict if self.earlier else "",
            attempt=attempt,
            files=self.round_view.files,
            residents=self.start.residents,
        )

    async def ask(
        self,
        purpose: Purpose,
        prompt: Prompt,
        retrieved: tuple[str, ...] = (),
        attempt: int = 0,
    ) -> ModelReply:
        """Put a question, see `request`.

        An answer that is stored is not asked for again.
        """
        request = self.request(purpose, prompt, retrieved, attempt)
        return await ask(self.run, self.task, request)


def round_view(
    run: RunContext, earlier: Sequence[StoredRound], ledger: tuple[str, ...]
) -> RoundView:
    """k_{t-1} and f_{t-1} with the ledger and the best kernel.

    Nothing at the first round.
    """
    if not earlier:
        return RoundView()
    journal, previous, winner = run.journal, earlier[-1], best_of(earlier)
    return RoundView(
        ledger=ledger,
        files=journal.candidate(previous.candidate).files,
        evaluation=journal.evaluation(previous.evaluation),
        best=journal.evaluation(winner.evaluation).latency if winner else None,
        best_files=journal.candidate(winner.candidate).files if winner else {},
    )


def task_view(
    run: RunContext, task: Task, start: EpisodeStart, objective: Objective
) -> TaskView:
    """What every prompt of an episode says of task and judge."""
    looks_up = task.parameters.references == "full" and run.references
    return TaskView(
        operator=task.operator,
        objective=objective,
        rounds=task.parameters.T,
        evaluator=run.evaluator.label_for(task.operator),
        hot_block=start.hot_block,
        tools=run.evaluator.tools,
        diagnostics=DIAGNOSTICS_PER_TRAJECTORY,
        soc=run.evaluator.soc_for(task.operator),
        look_ups=LOOK_UPS_PER_ROUND if looks_up else 0,
        patience=task.parameters.patience,
        traced=task.parameters.traces_adoption,
        runs_big=run.evaluator.runs_big,
        shapes=run.shapes.get(task.operator.digest, ()),
    )


def retrieval_request(
    run: RunContext,
    task: Task,
    start: EpisodeStart,
    objective: Objective,
    number: int,
    feedback: Evaluation | None,
    query: str,
) -> RetrievalRequest:
    """What a round looks for in the cold memory; `feedback` is that of the round before."""
    return RetrievalRequest(
        operator=task.operator,
        objective=objective,
        round=number,
        query=query,
        start=start,
        parameters=task.parameters,
        soc=run.evaluator.soc_for(task.operator),
        cann=run.evaluator.cann,
        failed=feedback is not None and not feedback.correct,
    )


def first_prompt(run: RunContext, task: Task) -> Prompt:
    """What a trajectory asks first, with what its memory finds; nothing is asked or stored.

    Args:
        run: What the trajectory would work with.
        task: It.
    """
    start = run.store.seen_now()
    query = retrieval_query(task.operator, None, "")
    request = retrieval_request(run, task, start, Objective.CORR, 1, None, query)
    uids = tuple(hit.uid for hit in run.retrieve(request).items)
    view = task_view(run, task, start, Objective.CORR)
    items = run.store.items(uids)
    return run.context.candidate(view, RoundView(), "", items)
