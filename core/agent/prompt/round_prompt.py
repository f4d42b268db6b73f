"""The context Γ(M, τ, k, f): one fresh, bounded prompt per round, ordered for prefix caches.

Order: rules of the game, protocol, skill, hot rules (frozen for the episode), task | attempt ledger (only
ever appended to), current kernel, feedback, retrieved experiences, the request. Nothing before the ledger
changes within an episode; no clock, counter or path of this machine stands anywhere in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from core.agent.prompt import templates
from core.agent.prompt.feedback import feedback_text
from core.agent.prompt.machine_text import machine_text
from core.agent.prompt.task_text import task_text
from core.agent.reply.markdown import fence_for
from core.agent.reply.protocol import render_files
from core.agent.reply.record import Complaint
from core.errors import SageError
from core.evaluation.records import Evaluation, Latency
from core.memory.content import LONGEST, LONGEST_CODE
from core.memory.records import MemoryItem
from core.memory.tokens import EstimatedTokens, TokenCounter
from core.method.objective import Objective
from core.models.port import Message
from core.operators.kinds_of_work import kinds_of_work
from core.operators.spec import CaseShapes, OperatorSpec
from core.visible import shortened, visible

DEFAULT_TOKENS = 60_000  # fits the 64K context of the smallest server the method is meant for, reply included
_HEADING = re.compile(r"(?m)^([ \t]*)#")
_BRIEF_LEDGER = 6
_BRIEF_CODE_LINES = 40
_BRIEF_TEXT = 600  # characters
_BRIEF_CODE = 4000
_REPLY_END = 2000
_REST = 6000  # tokens of ledger, feedback, experiences and request in a shrunk prompt


class ContextTooLarge(SageError):
    """Even the shrunk prompt does not fit the model's context."""


@dataclass(frozen=True)
class TaskView:
    """What does not change within an episode.

    Attributes:
        operator: x of τ.
        objective: g of τ; chooses the skill.
        rounds: T.
        evaluator: Label of E, e.g. `this computer · CPU twin`.
        hot_block: Rendered H as frozen at the start of the episode, empty when there is
            none.
        tools: Diagnostics the model may ask for, name -> what it shows.
        diagnostics: How many of them in a trajectory.
        soc: Processor E judges for, empty when it does not say.
        look_ups: How many names or words may be looked up in a round; 0: there is
            nothing to look up.
        patience: Rounds of the optimization in a row without a gain that end it; 0:
            none does.
        traced: Whether the model is asked which experiences it adopted.
        runs_big: Whether E runs the cases marked as too large for the twin.
        shapes: Of an imported task, what its own code made of the cases.
    """

    operator: OperatorSpec
    objective: Objective
    rounds: int
    evaluator: str
    hot_block: str
    tools: Mapping[str, str] = field(default_factory=dict)
    diagnostics: int = 0
    soc: str = ""
    look_ups: int = 0
    patience: int = 0
    traced: bool = True
    runs_big: bool = True
    shapes: tuple[CaseShapes, ...] = ()

    @cached_property
    def text(self) -> str:
        """What every prompt says of the task, made once."""
        return task_text(
            self.operator,
            self.rounds,
            self.soc,
            self.evaluator,
            runs_big=self.runs_big,
            shapes=self.shapes,
        )


@dataclass(frozen=True)
class RoundView:
    """What a round starts from: k_{t-1}, f_{t-1} and the record of the attempts before.

    Attributes:
        ledger: One line per evaluated round, oldest first.
        files: The current kernel, empty at the first round.
        evaluation: Feedback on it, None at the first round.
        best: Latency of the best correct kernel so far.
        best_files: That kernel.
    """

    ledger: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    best: Latency | None = None
    best_files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Prompt:
    """The messages of one call with their estimated size.

    `shrunk` when the full form did not fit.
    """

    messages: tuple[Message, ...]
    tokens: int
    shrunk: bool


def _ending(patience: int) -> str:
    if not patience:
        return ""
    if patience == 1:
        return " A round without a gain ends the task."
    return f" {patience} rounds without a gain in a row end the task."


class ContextBuilder:
    """Γ with a token budget. Stateless: equal inputs give equal bytes."""

    def __init__(
        self, budget: int = DEFAULT_TOKENS, counter: TokenCounter | None = None
    ) -> None:
        self.budget = budget
        self.counter: TokenCounter = counter or EstimatedTokens()

    def diagnose(self, task: TaskView, state: RoundView) -> Prompt:
        """Prompt of the `diagnose` call.

        A prefix of the round's repair prompt up to the feedback.
        """
        return self._fit(task, state, (), templates.prompt("ask_diagnose"))

    def candidate(
        self,
        task: TaskView,
        state: RoundView,
        diagnosis: str,
        retrieved: Sequence[MemoryItem],
    ) -> Prompt:
        """Prompt of the `candidate` or `repair` call with R_t in rank order."""
        if not state.files:
            request = templates.prompt("ask_candidate")
        else:
            name = "ask_repair" if task.objective is Objective.CORR else "ask_optimize"
            request = templates.fill(
                name, diagnosis=diagnosis, ending=_ending(task.patience)
            )
        return self._fit(task, state, retrieved, request)

    def too_large(self, task: TaskView, files: Mapping[str, str]) -> str:
        """Why no prompt could hold these files beside the rest of it, empty when one can."""
        rest = (
            self.counter.count(_system(task, brief=True))
            + self.counter.count(task.text)
            + _REST
        )
        room, needed = (
            max(self.budget - rest, self.budget // 2),
            self.counter.count(render_files(files)),
        )
        if needed <= room:
            return ""
        return f"The project takes about {needed} tokens; at most {room} can be shown to you again."

    def correction(
        self, asked: Prompt, reply: str, complaints: Sequence[Complaint], left: int
    ) -> Prompt:
        """Prompt of a `correction` call: the messages so far, the refused reply, what is wrong with it."""
        lines = "\n".join(f"- {complaint.message}" for complaint in complaints)
        return self._after(
            asked, reply, templates.fill("ask_correction", complaints=lines, left=left)
        )

    def examined(self, asked: Prompt, reply: str, answer: str) -> Prompt:
        """Prompt of an `examined` call: the messages so far, the reply that asked, what was answered."""
        return self._after(asked, reply, templates.fill("ask_examined", answer=answer))

    def looked_at(self, asked: Prompt, reply: str, answer: str) -> Prompt:
        """Prompt of a `diagnose` call once more: as `examined`, for a diagnosis."""
        request = templates.fill("ask_diagnosis_after", answer=answer)
        return self._after(asked, reply, request)

    def _after(self, prompt: Prompt, reply: str, request: str) -> Prompt:
        """The conversation with one exchange more.

        Where it grows too long, only the last one, cut.
        """
        messages = (
            *prompt.messages,
            Message("assistant", reply),
            Message("user", request),
        )
        tokens = self._count(messages)
        if tokens <= self.budget:
            return Prompt(messages, tokens, prompt.shrunk)
        messages = (
            *prompt.messages[:2],
            Message("assistant", _ends(reply)),
            Message("user", request),
        )
        return Prompt(messages, self._count(messages), shrunk=True)

    def _fit(
        self,
        task: TaskView,
        state: RoundView,
        retrieved: Sequence[MemoryItem],
        request: str,
    ) -> Prompt:
        """The full prompt, or the one deterministic shrink of it.

        Raises:
            ContextTooLarge: Neither fits.
        """
        tokens = 0
        for brief in (False, True):
            messages = (
                Message("system", _system(task, brief=brief)),
                Message("user", _user(task, state, retrieved, request, brief=brief)),
            )
            tokens = self._count(messages)
            if tokens <= self.budget:
                return Prompt(messages, tokens, brief)
        raise ContextTooLarge(
            "The prompt for {operator} needs about {tokens} tokens even when shortened; the limit "
            "is {budget}.",
            "Use a model with a longer context, or lower the budget of hot memory.",
            operator=task.operator.name,
            tokens=tokens,
            budget=self.budget,
        )

    def _count(self, messages: Sequence[Message]) -> int:
        return sum(self.counter.count(message.content) for message in messages)


def experience_text(item: MemoryItem, *, brief: bool = False) -> str:
    """One retrieved experience as it stands in the prompt."""
    # An item may be older than the limits.
    most = _BRIEF_TEXT if brief else LONGEST["summary"]
    title = shortened(item.title, LONGEST["title"])
    lines = [
        f"### [{item.uid}] {_as_line(title)}",
        f"type: {_as_line(item.type)}; category: {_as_line(item.category)}",
    ]
    if item.error_message:
        lines.append(f"error: {_as_prose(shortened(item.error_message, most))}")
    if item.summary:
        lines.append(_as_prose(shortened(item.summary, most)))
    for name, code in (
        ("wrong", item.code_diff.wrong_code),
        ("correct", item.code_diff.correct_code),
    ):
        if code.strip():
            body = visible(_code(code, brief=brief))
            fence = fence_for(body)
            lines.append(f"{name}:\n{fence}cpp\n{body}\n{fence}")
    return "\n".join(lines)


def _as_line(text: str) -> str:
    return visible(" ".join(text.split()))


def _as_prose(text: str) -> str:
    """Text of an experience, which others may have written, without headings of the prompt."""
    return _HEADING.sub(r"\1\\#", visible(text))


def _system(task: TaskView, *, brief: bool) -> str:
    """What is the same in all rounds of an episode, so that a server may keep it: rules, skill, machine, hot memory."""
    parts = [
        templates.prompt(name, traced=task.traced) for name in ("rules", "protocol")
    ]
    if task.tools and task.diagnostics:
        tool_lines = [f"- `{name}`: {what}" for name, what in task.tools.items()]
        tools = "\n".join(tool_lines)
        parts.append(
            templates.fill(
                "diagnostics", traced=task.traced, tools=tools, limit=task.diagnostics
            )
        )
    if task.look_ups:
        parts.append(templates.fill("look_up", limit=task.look_ups))
    if task.objective is Objective.CORR:
        parts.append(templates.skill(templates.GENERATOR, references=not brief))
    else:
        parts.append(templates.skill(templates.OPTIMIZER, references=not brief))
        parts.append("" if brief else templates.references(templates.GENERATOR))
    uses_cube = "matrix product" in kinds_of_work(task.operator)
    parts.append(machine_text(task.soc, cube=uses_cube))
    parts.append(task.hot_block.rstrip("\n"))
    return "\n\n".join(part for part in parts if part)


def _user(
    task: TaskView,
    state: RoundView,
    retrieved: Sequence[MemoryItem],
    request: str,
    *,
    brief: bool,
) -> str:
    parts = [task.text]
    if state.ledger:
        ledger = state.ledger[-_BRIEF_LEDGER:] if brief else state.ledger
        parts.append("# Attempts so far\n\n" + "\n".join(ledger))
    parts.append(_best(task, state, brief=brief))
    if state.files:
        parts.append("# Current kernel\n\n" + render_files(state.files))
    if state.evaluation is not None:
        feedback = feedback_text(
            state.evaluation, state.best, brief=brief, operator=task.operator
        )
        parts.append("# Feedback\n\n" + feedback)
        if not state.evaluation.correct and not brief:
            parts.append("# Debugging\n\n" + templates.failure_help())
    if retrieved:
        texts = [experience_text(item, brief=brief) for item in retrieved]
        parts.append("# Retrieved experiences\n\n" + "\n\n".join(texts))
    parts.append(request)
    return "\n\n".join(part for part in parts if part)


def _best(task: TaskView, state: RoundView, *, brief: bool) -> str:
    """The best correct kernel of an optimization where it differs from the current one."""
    differing = {
        path: text
        for path, text in state.best_files.items()
        if state.files.get(path) != text
    }
    if task.objective is not Objective.OPT or not differing or brief:
        return ""
    return (
        "# Best correct kernel so far\n\nFiles that are not shown are as in the current kernel. To build "
        f"on this one, put `## Base` with the word best before `## Files`.\n\n{render_files(differing)}"
    )


def _ends(text: str) -> str:
    """Both ends of a text, where it is long."""
    left_out = len(text) - 2 * _REPLY_END
    if left_out <= 0:
        return text
    return (
        f"{text[:_REPLY_END]}\n[… {left_out} characters left out]\n{text[-_REPLY_END:]}"
    )


def _code(code: str, *, brief: bool) -> str:
    """The code of an experience, cut in characters, and in lines where the prompt is to be brief."""
    most = _BRIEF_CODE if brief else LONGEST_CODE
    rest = len(code) - most
    if rest > 0:
        code = f"{code[:most]}\n// {rest} more characters left out"
    lines = code.strip("\n").split("\n")
    rest = len(lines) - _BRIEF_CODE_LINES
    if brief and rest > 0:
        lines = [*lines[:_BRIEF_CODE_LINES], f"// {rest} more lines left out"]
    return "\n".join(lines)
