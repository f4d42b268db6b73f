"""The trace of a kernel, for the command line and the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import SageError

# Not imported at run time: it brings numpy, which an evaluation does without.
if TYPE_CHECKING:
    from core.evaluation.port import Evaluator, Progress
    from core.evaluation.records import Candidate, DiagnosticResult, Evaluation
    from core.operators.spec import OperatorSpec
    from core.trace import Trace

TOOL = "trace"  # of the CPU twin, and name of what it attaches
EVALUATOR = "judged by"  # fact of a trace: who ran the kernel


def check_traceable(operator: OperatorSpec, case: str, toolchain: str) -> None:
    """Say before anything is judged what cannot be traced.

    Raises:
        SageError: The case is hidden, marked big or none of the operator's, or the toolchain makes no traces.
    """
    if toolchain != "twin":
        raise SageError(
            "{toolchain} makes no traces.",
            "`--toolchain twin` does; on a device msprof does.",
            toolchain=toolchain,
        )
    names = [
        entry.name for entry in operator.cases if not entry.hidden and not entry.big
    ]
    if case and case not in names:
        raise SageError(
            "{operator} has no visible case {case}.",
            "Available: {names}.",
            operator=operator.name,
            case=case,
            names=", ".join(names),
        )


def slowest_case(evaluation: Evaluation) -> str:
    """The timed visible case that took longest, whose profile an evaluation has; empty when there is none."""
    timed = [case for case in evaluation.cases if case.is_timed]
    slowest = max(
        timed,
        key=lambda case: case.latency.value if case.latency else 0.0,
        default=None,
    )
    return slowest.case if slowest is not None else ""


async def trace_kernel(
    evaluator: Evaluator,
    operator: OperatorSpec,
    candidate: Candidate,
    case: str,
    progress: Progress,
) -> Trace:
    """Run one case once more and keep what every pipe did and when.

    Args:
        evaluator: Who runs it; only the CPU twin can.
        operator: What the kernel computes.
        candidate: The kernel.
        case: A visible case; the first timed one when it is empty.
        progress: Takes what is being done.

    Raises:
        SageError: There is no such case or toolchain, or the kernel does not get far enough.
    """
    answer = await evaluator.diagnose(operator, candidate, TOOL, case, progress)
    return trace_in(
        answer, operator.name, candidate.digest, case, evaluator.label_for(operator)
    )


def trace_in(
    answer: DiagnosticResult, operator: str, candidate: str, case: str, evaluator: str
) -> Trace:
    """The trace that came with an answer.

    Args:
        answer: Of the diagnostic `TOOL`.
        operator: Its name.
        candidate: Digest of the kernel.
        case: Which was traced.
        evaluator: Label of who ran it.

    Raises:
        SageError: None came.
    """
    from core.evaluation.bottleneck import bottleneck
    from core.trace import trace_of

    packed = answer.attachments.get(TOOL, "")
    if not packed:
        raise SageError(
            "{operator} was not traced: {summary}.",
            "A kernel can be traced on the CPU twin if it builds and runs to its end; evaluate it to "
            "see why it does not.",
            operator=operator,
            summary=answer.summary,
        )
    facts: dict[str, object] = {
        "operator": operator,
        "case": case,
        EVALUATOR: evaluator,
        "kernel": candidate,
    }
    if answer.profile is not None:
        facts["launch_us"] = answer.profile.launch_us
        facts["kernel_us"] = bottleneck(answer.profile).kernel_us
    return trace_of(packed, facts)
