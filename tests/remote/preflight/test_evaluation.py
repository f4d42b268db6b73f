"""The lint in an evaluation: errors fail the build before anything is sent, the rest goes on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.port import Evaluator, Progress
from core.evaluation.records import BuildReport, Candidate, Evaluation, VerdictClass
from core.operators.catalogue import catalogue_operator
from core.operators.spec import OperatorSpec
from remote.toolchains.preflight.client import Preflight
from remote.toolchains.preflight.evaluator import Preflighted
from sage_desktop.cli import main

FOLDER = Path(__file__).parents[2] / "data" / "kernels" / "AbsMath"
TWIN = Path(str(resources.files("resources") / "twin"))
KERNEL = "op_kernel/abs_math.cpp"


class Recording(Evaluator):
    """An evaluator that notes what reaches it and passes everything."""

    label = "recording"

    def __init__(self) -> None:
        self.seen: list[Candidate] = []

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        self.seen.append(candidate)
        return Evaluation(
            candidate.digest, operator.name, VerdictClass.PASS, "", BuildReport(ok=True)
        )

    async def close(self) -> None:
        """Nothing to close."""


def judged(
    preflight: Preflight, candidate: Candidate
) -> tuple[Evaluation, list[Candidate]]:
    behind = Recording()
    operator = catalogue_operator("AbsMath")
    lines: list[str] = []
    return asyncio.run(
        Preflighted(behind, preflight).evaluate(operator, candidate, lines.append)
    ), behind.seen


def with_line(line: str) -> Candidate:
    candidate = read_candidate(FOLDER)
    text = candidate.files[KERNEL].replace(
        "Process() {", "Process() {\n        " + line, 1
    )
    assert text != candidate.files[KERNEL]
    return replace(candidate, files={**candidate.files, KERNEL: text})


def test_an_error_fails_the_build_and_sends_nothing(build_cache: Path) -> None:
    preflight = Preflight(TWIN, build_cache / "preflight")
    evaluation, sent = judged(
        preflight, with_line("float bad = expf(length); Unknown();")
    )
    assert (evaluation.verdict, sent) == (VerdictClass.FAIL_BUILD, [])
    assert evaluation.build.stage == "preflight"
    assert KERNEL in evaluation.cause
    assert "libm-call" in evaluation.cause
    # Who lent the lint goes on with its process, which takes half a second to start.
    preflight.warm_up()
    asyncio.run(Preflighted(Recording(), preflight, lent=True).close())
    assert preflight.is_running
    asyncio.run(Preflighted(Recording(), preflight).close())
    assert not preflight.is_running
    # Whatever else does not compile comes in the same round.
    assert any("Unknown" in message.text for message in evaluation.build.messages)


def test_what_passes_goes_on_with_its_warnings(build_cache: Path) -> None:
    preflight = Preflight(TWIN, build_cache / "preflight")
    wide = "TBuf<QuePosition::VECCALC> wide; pipe.InitBuffer(wide, 200 * 1024);"
    evaluation, sent = judged(preflight, with_line(wide))
    assert (evaluation.verdict, len(sent)) == (VerdictClass.PASS, 1)
    assert [found.rule for found in evaluation.findings] == ["preflight/ub-budget"]


def test_without_the_lint_the_evaluation_goes_on_and_says_so(tmp_path: Path) -> None:
    evaluation, sent = judged(
        Preflight(TWIN, tmp_path, python="/nowhere"), with_line("expf(1.0f);")
    )
    assert (evaluation.verdict, len(sent)) == (VerdictClass.PASS, 1)
    assert "did not run" in evaluation.notes[0]


def test_a_lint_without_time_leaves_the_candidate_without_a_verdict(
    tmp_path: Path,
) -> None:
    """The rules on its syntax tree would not have been checked."""
    hurried = Preflight(TWIN, tmp_path, time_limit_s=0.01)
    evaluation, sent = judged(hurried, with_line(""))
    assert (evaluation.verdict, sent) == (VerdictClass.VOID, [])
    assert "too busy to judge" in evaluation.cause


@pytest.mark.parametrize(
    ("line", "options", "code", "said"),
    [
        ("", ["--operator", "AbsMath"], 0, "0 errors"),
        ("expf(0.5f);", [], 1, "libm-call"),
        ('__asm__("nop");', ["--operator", "AbsMath"], 1, "integrity rules broken"),
    ],
)
def test_the_command_prints_the_findings(
    line: str, options: list[str], code: int, said: str, tmp_path: Path
) -> None:
    for path, text in with_line(line).files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    result = CliRunner().invoke(
        main, ["preflight", "--candidate", str(tmp_path), *options]
    )
    assert (result.exit_code, said in result.output) == (code, True), result.output
