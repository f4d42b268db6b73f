"""The twin's diagnostics on real kernels: what the agent learns when it asks before it answers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.agent.prompt.feedback import diagnostic_text
from core.evaluation.bottleneck import bottleneck
from core.evaluation.records import Candidate, DiagnosticResult, LatencyOrigin, Severity
from core.operators.spec import OperatorSpec
from remote.evaluator import HostEvaluator, local_twin_evaluator
from remote.pool import PoolEvaluator
from tests.remote.helpers import KERNEL, candidate, edited, operator

CASE = "short-tail-float32"
# Kernels other tests of this folder compile as well: the build is shared.
PRINTING = edited(
    (
        KERNEL,
        "op.Process();",
        'op.Process();\n    AscendC::printf("block %d\\n", (int)GetBlockIdx());',
    )
)
UNDELIVERED = edited(
    (KERNEL, "inQueue.EnQue(local);", ""),
    (
        KERNEL,
        "    TPipe pipe;",
        "    TPipe pipe;\n    TBuf<QuePosition::VECCALC> unused;",
    ),
)
UNTRIED = edited(
    (
        KERNEL,
        "Abs(y, x, count);",
        "Abs(y, x, count);\n        if (count == 7777) Relu(y, y, count);",
    )
)


class Bench:
    """Asks one tool after another on one evaluator."""

    def __init__(self, evaluator: HostEvaluator) -> None:
        self._evaluator = evaluator
        self._runner = asyncio.Runner()

    def ask(
        self,
        tool: str,
        kernel: Candidate,
        case: str = CASE,
        spec: OperatorSpec | None = None,
    ) -> DiagnosticResult:
        question = self._evaluator.diagnose(
            spec or operator(), kernel, tool, case, lambda _text: None
        )
        return self._runner.run(question)

    def close(self) -> None:
        self._runner.run(self._evaluator.close())
        self._runner.close()


@pytest.fixture(scope="module")
def bench(build_cache: Path) -> Iterator[Bench]:
    made = Bench(local_twin_evaluator(build_cache))
    yield made
    made.close()


def test_the_evaluators_have_the_tools_of_their_toolchain(build_cache: Path) -> None:
    evaluator = local_twin_evaluator(build_cache)
    for one in (evaluator, PoolEvaluator([evaluator])):
        assert list(one.tools) == ["build", "sanitizer", "profile", "output"]


@pytest.mark.system
def test_the_sanitizer_names_rule_and_place_and_tells_errors_from_warnings(
    bench: Bench,
) -> None:
    clean = bench.ask("sanitizer", candidate())
    assert (clean.ok, clean.findings) == (True, ())
    wrong = bench.ask("sanitizer", UNDELIVERED)
    assert not wrong.ok
    error, *warnings = wrong.findings
    assert (error.rule, error.file) == ("queue-undelivered", KERNEL)
    assert "DeQue" in UNDELIVERED.files[KERNEL].splitlines()[error.line - 1]
    assert [finding.severity for finding in warnings] == [Severity.WARNING] * len(
        warnings
    )
    assert wrong.summary.endswith(
        f"errors and hazards: 1, warnings and notes: {len(warnings)}"
    )
    assert f"{KERNEL}:{error.line}" in diagnostic_text(wrong)


@pytest.mark.system
def test_the_profile_shows_every_core_and_says_that_it_is_modelled(
    bench: Bench,
) -> None:
    found = bench.ask("profile", candidate())
    assert found.profile is not None
    assert found.profile.origin is LatencyOrigin.MODELLED
    text = diagnostic_text(found)
    assert "us modelled" in found.summary
    assert found.profile.launch_us > 0
    assert {core.unit for core in found.profile.cores} == {"aiv"}
    assert bottleneck(found.profile).label in text
    assert "launch costs" in text
    assert "vector cores (AIV)" in text
    assert "- AIV 7: " not in text, "cores that work alike are one line"
    dearest = text.split("Most expensive lines")[1]
    assert re.search(r"cpp:\d+ DataCopy\w* \(mte\d\): 1 call, .* bytes a call", dearest)
    assert re.search(
        r"DataCopyPad \(mte2\): .* bytes a call, \d+% of the core", dearest
    )
    assert text == diagnostic_text(bench.ask("profile", candidate())), (
        "the same kernel, the same words"
    )


@pytest.mark.system
def test_a_branch_that_the_case_does_not_take_is_told_by_the_profile_alone(
    bench: Bench,
) -> None:
    (branch,) = (
        number
        for number, line in enumerate(UNTRIED.files[KERNEL].splitlines(), 1)
        if "Relu" in line
    )
    profiled = bench.ask("profile", UNTRIED)
    assert f"not-run at {KERNEL}:{branch}: {CASE} does not run Relu" in diagnostic_text(
        profiled
    )
    assert profiled.profile is not None
    assert bench.ask("sanitizer", UNTRIED).findings == (), "a branch is no fault"
    assert bench.ask("profile", candidate()).findings == ()


@pytest.mark.system
def test_the_output_is_what_the_kernel_printed(bench: Bench) -> None:
    assert bench.ask("output", candidate()).summary.endswith("nothing was printed")
    found = bench.ask("output", PRINTING)
    assert found.ok
    assert "block 0" in diagnostic_text(found)


@pytest.mark.system
def test_a_probe_build_runs_nothing_and_shows_the_compilers_words(bench: Bench) -> None:
    assert bench.ask("build", candidate()).summary == "it compiles and links"
    broken = bench.ask(
        "build", edited((KERNEL, "Abs(y, x, count);", "Abs(y, x, count)"))
    )
    assert not broken.ok
    assert "does not compile (kernel)" in broken.summary
    assert broken.findings[0].file == KERNEL


def test_hidden_cases_are_never_run_for_a_question(bench: Bench) -> None:
    hidden = next(case.name for case in operator().cases if case.hidden)
    for name in (hidden, "no-such-case"):
        found = bench.ask("output", PRINTING, name)
        assert not found.ok
        assert found.log == ""
        assert f"no visible case {name}" in found.summary
        assert hidden not in found.summary.split("there are")[1]


def test_what_the_machine_spoils_is_no_finding_about_the_kernel(bench: Bench) -> None:
    homeless = replace(operator(), folder=Path("/nowhere"))
    found = bench.ask("sanitizer", candidate(), spec=homeless)
    assert not found.ok
    assert found.findings == ()
    assert found.summary.startswith("could not be made")
