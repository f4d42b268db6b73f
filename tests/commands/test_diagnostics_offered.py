"""What the application hands to the agent has the toolchain's diagnostics, whatever stands before it."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from core.evaluation.records import Candidate, DiagnosticResult
from core.operators.catalogue import catalogue_operator
from sage_desktop.services.wiring import evaluator_for
from tests.remote.helpers import KERNEL, candidate


def test_the_evaluator_of_a_run_offers_the_tools_of_its_toolchain() -> None:
    evaluator = evaluator_for("local", "twin")
    assert list(evaluator.tools) == ["build", "sanitizer", "profile", "output"]


def test_what_the_rules_refuse_is_refused_to_a_tool_as_well() -> None:
    evaluator = evaluator_for("local", "twin")
    files = dict(candidate().files)
    files[KERNEL] += "\nvoid f() { fork(); }\n"

    async def ask() -> DiagnosticResult:
        try:
            question = evaluator.diagnose(
                catalogue_operator("AbsMath"),
                Candidate(files),
                "output",
                "",
                lambda _text: None,
            )
            return await question
        finally:
            await evaluator.close()

    result = asyncio.run(ask())
    assert not result.ok
    assert "outside-world" in result.summary


@pytest.mark.parametrize(
    "first",
    [
        "from sage_desktop.services.wiring import tools_of; print(*tools_of('twin'))",
        "from remote.toolchains.twin.tools import TWIN_TOOLS; print(*TWIN_TOOLS)",
    ],
)
def test_the_tools_are_known_to_a_program_that_loaded_nothing_else(first: str) -> None:
    """A window that only reads asks for them before it has any judge."""
    done = subprocess.run(
        [sys.executable, "-c", first], capture_output=True, text=True, check=False
    )
    assert (done.stdout.split(), done.stderr) == (
        ["build", "sanitizer", "profile", "output"],
        "",
    )
