"""Rewinding: a correct, fast kernel is made slower or broken step by step, and every step is judged.

What was undone is known, and what it was worth is measured, so that each step gives a pair of a bad and a
good kernel whatever the model believes. The cheap sibling of differential mining: it needs no second kernel.
AscendOptimizer (arXiv 2603.23566) rewinds good kernels as well.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.agent.learning.distillation import changed_code
from core.agent.learning.learning_replies import read_experiences
from core.agent.prompt import templates
from core.agent.prompt.task_text import interface_text
from core.agent.reply.corrections import answered
from core.agent.reply.protocol import read_reply, render_files
from core.agent.reply.reply_edits import apply_reply_edits
from core.errors import InvalidInput, SageError
from core.evaluation.port import Evaluator
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.memory.kinds import TYPES
from core.memory.records import Experience
from core.models.port import Message, ModelProvider, ModelRequest, Purpose
from core.operators.spec import OperatorSpec
from core.sentence import Sentence

LEAST_LOSS = 1.02  # a kernel is slower from this ratio of latencies on

Files = Mapping[str, str]
Worse = Callable[[int, Files, "Evaluation", Sequence[str]], Awaitable["Change | None"]]
"""(step, good files, their evaluation, what was undone) -> a change for the worse; None: none is left."""


@dataclass(frozen=True)
class Change:
    """Something undone: what it teaches, and the whole worse project."""

    draft: Experience
    files: Files


@dataclass(frozen=True)
class Rewound:
    """One step.

    Attributes:
        number: From 1 on.
        title: What was undone.
        good: Of the kernel it began with.
        worse: Of what became of it.
        pair: The way back with its measured effect; None where the change did no harm.
        effect: In words.
    """

    number: int
    title: str
    good: Evaluation
    worse: Evaluation
    pair: Experience | None
    effect: str


async def rewind(
    operator: OperatorSpec,
    kernel: Files,
    evaluator: Evaluator,
    worse: Worse,
    steps: int,
) -> AsyncIterator[Rewound]:
    """Undo one thing after another. A slower kernel is where the next step begins, a broken one is not.

    Args:
        operator: What the kernel is for.
        kernel: Its project.
        evaluator: Judges every step.
        worse: Finds something to undo.
        steps: At most.

    Raises:
        SageError: The kernel itself is not correct here, or was not timed.
    """
    files = dict(kernel)
    good = await _judged(operator, files, evaluator, 0)
    if good.verdict is not VerdictClass.PASS or good.latency is None:
        raise SageError(
            "The kernel of {operator} does not pass here: {verdict}. {cause}",
            "Rewind a kernel that passes and is timed; `sage evaluate` judges one.",
            operator=operator.name,
            verdict=good.verdict.value,
            cause=good.cause or Sentence("It was not timed."),
        )
    undone: list[str] = []
    for number in range(1, steps + 1):
        change = await worse(number, files, good, undone)
        if change is None:
            return
        result = await _judged(operator, change.files, evaluator, number)
        effect = _effect(good, result)
        pair = (
            _pair(operator, change, files, result, effect, evaluator.label)
            if effect
            else None
        )
        undone.append(change.draft.title)
        yield Rewound(
            number,
            change.draft.title,
            good,
            result,
            pair,
            effect or _harmless(good, result),
        )
        if result.verdict is VerdictClass.PASS and result.latency is not None:
            files, good = dict(change.files), result


def by_model(provider: ModelProvider, operator: OperatorSpec) -> Worse:
    """Have a model, or a person, say what to undo."""

    async def worse(
        number: int, files: Files, good: Evaluation, undone: Sequence[str]
    ) -> Change | None:
        latency = (
            f" and takes {good.latency.value:.2f} us ({good.latency.origin})"
            if good.latency
            else ""
        )
        text = templates.fill(
            "rewind",
            operator=operator.name,
            summary=operator.summary.strip(),
            interface=interface_text(operator),
            latency=latency,
            undone="\n".join(f"- {title}" for title in undone) or "- nothing",
            types=", ".join(TYPES),
            category=operator.category,
            files=render_files(files),
        )
        request = ModelRequest(
            Purpose.REWIND,
            operator.name,
            "",
            number,
            (Message("user", text),),
            files=files,
        )
        return await answered(
            request, provider.complete, lambda text: _read(text, files)
        )

    return worse


async def by_rule(
    _number: int, files: Files, _good: Evaluation, undone: Sequence[str]
) -> Change | None:
    """Undo what can be recognised in the text: nobody is asked."""
    for draft, pattern, replacement in _RULES:
        changed = {path: pattern.sub(replacement, text) for path, text in files.items()}
        if draft.title not in undone and changed != dict(files):
            return Change(draft, changed)
    return None


_RULES = (
    (
        Experience(
            "Give each queue two buffers, so that copying overlaps with computing",
            "performance",
            "Pipeline",
            "copies wait for the computation, and the computation for copies",
            summary="With one buffer a queue the next tile is not read before the last one is done. Two let "
            "the copy engine and the vector unit work at the same time.",
        ),
        # a TBuf has no number of buffers: `InitBuffer(buf, 2 * n)` is its size
        re.compile(
            r"(\bInitBuffer\(\s*\w+\s*,\s*(?=2\s*,)|\bBUFFER_NUM\s*=\s*(?=2\s*;))2"
        ),
        r"\g<1>1",
    ),
    (
        Experience(
            "Start as many blocks as the tiling counts on",
            "api_misuse",
            "Tiling",
            "most of the output is never written, or one core does all the work",
            summary="SetBlockDim says how many cores run the kernel. Where a kernel takes its part by "
            "GetBlockIdx, the parts of cores that are not started stay undone.",
        ),
        re.compile(r"\bSetBlockDim\((?!\s*1\s*\))[^;]*\);"),
        "SetBlockDim(1);",
    ),
    (
        Experience(
            "Keep the barrier between dependent instructions of one pipe",
            "synchronisation",
            "Pipeline",
            "results differ from run to run, or are those of the instruction before",
            summary="An instruction that reads what the one before wrote needs a barrier where no queue "
            "orders them.",
        ),
        re.compile(r"\n[ \t]*(?:AscendC::)?PipeBarrier<\w+>\(\);"),
        "",
    ),
)


def _read(text: str, files: Files) -> Change | None:
    reply = apply_reply_edits(read_reply(text), files)
    if reply.done:
        return None
    drafts = read_experiences(text, 1)
    if not drafts:
        raise InvalidInput("reply", "Experience", "there is no `## Experience`")
    if reply.complaints:
        raise InvalidInput(
            "reply",
            "Files",
            " ".join(complaint.message for complaint in reply.complaints),
        )
    if not reply.files or {**files, **reply.files} == dict(files):
        raise InvalidInput(
            "reply", "Files", "change nothing", "Send the worse kernel, or `## Done`."
        )
    return Change(drafts[0], {**files, **reply.files})


async def _judged(
    operator: OperatorSpec, files: Files, evaluator: Evaluator, number: int
) -> Evaluation:
    ticket = f"rewind/{operator.name}/{number}"
    found = await evaluator.evaluate(
        operator, Candidate(dict(files)), lambda _: None, ticket=ticket
    )
    if found.verdict is VerdictClass.VOID or found.is_unconfined:
        raise SageError(
            "Step {number} could not be evaluated: {cause}.",
            number=number,
            cause=found.cause or Sentence("there is no sandbox here"),
        )
    return found


def _effect(good: Evaluation, worse: Evaluation) -> str:
    """What the change cost, empty where it cost nothing."""
    if worse.verdict is VerdictClass.FAIL_INTEGRITY:
        return ""  # teaches the rules of the judge, not Ascend C
    if worse.verdict is not VerdictClass.PASS:
        return f"{worse.verdict.value}: {' '.join(worse.cause.split())}".removesuffix(
            ": "
        )
    before, after = good.latency, worse.latency
    if before is None or after is None or after.value < LEAST_LOSS * before.value:
        return ""
    ratio = after.value / before.value
    return f"{ratio:.2f} times slower: {after.value:.2f} instead of {before.value:.2f} us, {after.origin}"


def _harmless(good: Evaluation, worse: Evaluation) -> str:
    if (
        worse.verdict is not VerdictClass.PASS
        or worse.latency is None
        or good.latency is None
    ):
        return f"no pair: {worse.verdict.value}"
    return f"no harm: {worse.latency.value:.2f} instead of {good.latency.value:.2f} us"


def _pair(
    operator: OperatorSpec,
    change: Change,
    good: Files,
    worse: Evaluation,
    effect: str,
    judge: str,
) -> Experience:
    draft = change.draft
    said = draft.error_message if worse.verdict is VerdictClass.PASS else effect
    return replace(
        draft,
        error_message=said,
        code_diff=changed_code(change.files, good),
        summary=f"{draft.summary} Measured on {operator.name}: without it {effect}.",
        source=f"rewound from a kernel of {operator.name}, judged by {judge}",
    )
