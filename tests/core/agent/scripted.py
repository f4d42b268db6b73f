"""A small session and a deterministic evaluator: the loop's tests run everything else for real.

The evaluator reads its verdict from a comment in the kernel (`// judge: pass 12.5`), so that a test states
what the environment answers right where the candidate is written.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.evaluation.port import Evaluator, Progress
from core.evaluation.records import (
    TIME_MODEL,
    BuildReport,
    Candidate,
    CaseResult,
    CompilerMessage,
    DiagnosticResult,
    Evaluation,
    Finding,
    Latency,
    LatencyOrigin,
    Severity,
    VerdictClass,
)
from core.models.port import ModelOrigin, ModelReply, ModelRequest, Stream
from core.operators.spec import OperatorSpec, snake_case
from core.replay.session_file import (
    Session,
    SessionHeader,
    SessionItem,
    SessionReply,
    bank_digest,
)

OPERATORS = ("AbsMath", "Lerp", "SwiGlu", "RmsNorm")
RULE = (
    "## Rule\nPad the tail.\n## When\nA length in bytes is no multiple of 32.\n"
    "## Not when\nIt is: DataCopy is as good.\n## Evidence\n3 operators, 1 to 31 bytes over.\n"
)
OVERCOME = "## Experience\ntitle: overcome in Lerp\ntype: api_misuse\ncategory: Math\nsummary: s\n"
LOOK = "## Diagnosis\nunclear\n## Diagnostic\nsanitizer small\n"
_JUDGE = re.compile(r"// judge: (\S+)(?: ([\d.]+))?")


class Model:
    """A live model whose answers are computed from the request; keeps every request."""

    label = "test model"
    origin = ModelOrigin.LIVE

    def __init__(self, answer: Callable[[ModelRequest], str]) -> None:
        self._answer = answer
        self.requests: list[ModelRequest] = []

    async def complete(
        self, request: ModelRequest, stream: Stream | None = None
    ) -> ModelReply:
        self.requests.append(request)
        await asyncio.sleep(0)
        answer = self._answer(request)
        if stream is not None:
            for start in range(0, len(answer), 40):
                stream(answer[start : start + 40])
        return ModelReply(answer)

    def answers(self, request: ModelRequest) -> bool:
        return True

    async def close(self) -> None:
        pass


class CommentEvaluator(Evaluator):
    """Judges by the comment in the kernel; counts how often it was asked."""

    label = "test evaluator (modelled)"

    def __init__(self, pause: float = 0.0) -> None:
        self.asked: list[str] = []
        self._pause = pause

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        self.asked.append(candidate.digest)
        progress("judging")
        await asyncio.sleep(self._pause)
        kernel = candidate.files[f"op_kernel/{operator.snake_name}.cpp"]
        found = _JUDGE.search(kernel)
        assert found is not None, kernel
        return judged(
            operator.name,
            candidate.digest,
            VerdictClass(found.group(1)),
            found.group(2),
        )

    async def close(self) -> None:
        pass


FOUND = Finding(
    "gm-out-of-bounds",
    Severity.ERROR,
    "reads 8 bytes too far",
    "op_kernel/abs_math.cpp",
    12,
)


class LookingEvaluator(CommentEvaluator):
    """Has one tool that names what it was given."""

    tools: Mapping[str, str] = {"sanitizer": "checks"}

    def __init__(self) -> None:
        super().__init__()
        self.looked: list[tuple[str, str, Candidate]] = []

    async def diagnose(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        tool: str,
        case: str,
        progress: Progress,
        ticket: str = "",
    ) -> DiagnosticResult:
        self.looked.append((case, ticket, candidate))
        return DiagnosticResult(
            tool, ok=False, summary=f"case {case}: 1 finding", findings=(FOUND,)
        )


def judged(
    operator: str, digest: str, verdict: VerdictClass, us: str | None = None
) -> Evaluation:
    built = verdict is not VerdictClass.FAIL_BUILD
    cause = (
        ""
        if verdict is VerdictClass.PASS
        else f"{operator}: DataCopyPad blockLen is wrong ({verdict})"
    )
    message = CompilerMessage(
        "error", "no matching function for call to 'DataCopyPad'", "op_kernel/k.cpp", 7
    )
    status = (
        "pass"
        if verdict in (VerdictClass.PASS, VerdictClass.PASS_WITH_HAZARD)
        else "wrong-result"
    )
    return Evaluation(
        candidate=digest,
        operator=operator,
        verdict=verdict,
        cause=cause,
        build=BuildReport(
            ok=built,
            stage="" if built else "kernel",
            messages=() if built else (message,),
        ),
        cases=(CaseResult("small", hidden=False, timed=True, status=status),)
        if built
        else (),
        latency=Latency(
            float(us),
            "us",
            LatencyOrigin.MODELLED,
            "test",
            0,
            None,
            "none",
            time_model=TIME_MODEL,
        )
        if us
        else None,
    )


def files(operator: str, judge: str) -> dict[str, str]:
    """A project whose kernel says how it is to be judged."""
    snake = snake_case(operator)
    return {
        f"op_host/{snake}.cpp": f"// host of {operator}\n",
        f"op_host/{snake}_tiling.h": "// tiling\n",
        f"op_kernel/{snake}.cpp": f"// judge: {judge}\nint kernel;\n",
    }


NOWHERE = "op_kernel/abs_math.cpp"


def reply_text(
    adoption: Mapping[str, str],
    changed: Mapping[str, str],
    *,
    diagnosis: str = "the tail",
    resident: str = "",
) -> str:
    """A reply in the protocol; adoption values are `adopted` or `not_adopted`."""
    kernel = next((path for path in changed if "op_kernel" in path), NOWHERE)
    records = "\n".join(
        f"- [{uid}] {state}: {kernel}:1: because of {uid}"
        for uid, state in adoption.items()
    )
    blocks = "\n".join(
        f"### {path}\n```cpp\n{text}```" for path, text in changed.items()
    )
    used = f"- [{resident}]: in the copy" if resident else "none"
    head = f"## Diagnosis\n{diagnosis}\n## Adoption\n{records}\n## Resident rules used\n{used}\n"
    return f"{head}## Files\n{blocks}\n"


_TREES = ("alder", "birch", "cedar", "maple")


def bank() -> tuple[SessionItem, ...]:
    """Four lessons found by the same words; beside them each says what no prompt and no other one says."""
    return tuple(
        SessionItem(
            uid=f"seed-{number:04d}",
            title=f"Use DataCopyPad for the tail of {tree}",
            type="api_misuse",
            category="Math",
            error_message="DataCopyPad blockLen",
            code_diff={
                "wrong_code": "DataCopy(a, b, n);",
                "correct_code": "DataCopyPad(a, b, p, q);",
            },
            summary=f"{tree}bark {tree}leaf {tree}root {tree}seed {tree}twig {tree}wood",
        )
        for number, tree in enumerate(_TREES, start=1)
    )


def rows_of(operator: str, *, hot: bool) -> list[SessionReply]:
    """corr: build failure, then correct; opt: one faster kernel. seed-0001 is adopted until resident."""
    kernel = f"op_kernel/{snake_case(operator)}.cpp"
    star = {} if hot else {"seed-0001": "adopted"}
    first = {**star, "seed-0002": "not_adopted"}
    resident = "seed-0001" if hot else ""

    def row(
        number: int, purpose: str, text: str, retrieved: Sequence[str], verdict: str
    ) -> SessionReply:
        objective = "corr" if number < 3 else "opt"
        return SessionReply(
            operator, objective, number, purpose, text, 0, tuple(retrieved), verdict
        )

    def kernel_text(judge: str) -> dict[str, str]:
        return {kernel: files(operator, judge)[kernel]}

    project = files(operator, "fail-build")
    slow, fast = kernel_text("pass 20.0"), kernel_text("pass 10.0")
    diagnosis = "## Diagnosis\nDataCopyPad has the wrong blockLen\n"
    second = {**star, "seed-0003": "not_adopted"}
    third = {"seed-0003": "adopted"} if hot else {"seed-0004": "adopted"}
    return [
        row(
            1,
            "candidate",
            reply_text(first, project, resident=resident),
            list(first),
            "",
        ),
        row(2, "diagnose", diagnosis, (), "fail-build"),
        row(
            2,
            "repair",
            reply_text(second, slow, resident=resident),
            list(second),
            "fail-build",
        ),
        row(3, "diagnose", diagnosis, (), "pass"),
        row(
            3, "repair", reply_text(third, fast, resident=resident), list(third), "pass"
        ),
        SessionReply(
            operator,
            "corr",
            2,
            "distil",
            OVERCOME if operator == "Lerp" else "Nothing new.",
        ),
        SessionReply(
            operator,
            "",
            0,
            "distil",
            f"## Experience\ntitle: learnt from {operator}\ntype: api_misuse\ncategory: Math\nsummary: s\n",
        ),
    ]


def session(operators: Sequence[str] = OPERATORS) -> Session:
    """Four operators; after the third, seed-0001 has passed the gates and becomes resident."""
    rows: list[SessionReply] = []
    for number, operator in enumerate(operators):
        rows += rows_of(operator, hot=number >= 3)
    for uid in ("seed-0001", "seed-0004"):
        rows.append(
            SessionReply(
                uid,
                "",
                0,
                "abstract",
                f"## Rule\nCopy tails with DataCopyPad ({uid}).\n",
            )
        )
    items = bank()
    header = SessionHeader(
        "scripted",
        "test script",
        "test",
        "a test",
        bank_digest(items),
        tuple(operators),
    )
    return Session(header, items, tuple(rows))


def looking_session() -> Session:
    """The same with a look at the failed kernel before each repair of the correctness episode."""
    plain = session()
    rows: list[SessionReply] = []
    for row in plain.replies:
        if row.purpose == "repair" and row.objective == "corr":
            rows += [
                replace(row, text=LOOK),
                replace(row, purpose="examined", attempt=1),
            ]
        else:
            rows.append(row)
    return replace(plain, replies=tuple(rows))
