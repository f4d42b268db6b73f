"""`sage operators prompt`: what a model is told before its first line (each point has cost a reader a round)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.operators.catalogue import catalogue_operator, operator_names
from sage_desktop.cli import main

CHECKOUT = Path(__file__).parents[1] / "data" / "importers" / "npukernelbench"

pytestmark = pytest.mark.system


def first_prompt(*words: str) -> str:
    """What the command prints, with a memory that holds nothing unless `words` say otherwise."""
    done = CliRunner().invoke(
        main, ["operators", "prompt", *words, "--bank", "none"], prog_name="sage"
    )
    assert done.exit_code == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dispatch() -> str:
    """Of an operator whose ids are no draw of a fill."""
    return first_prompt("MoeDistDispatchMulExp")


def test_the_machine_stands_in_numbers(dispatch: str) -> None:
    page = dispatch.partition("# The processor in numbers")[2].partition("\n# ")[0]
    assert "48 vector cores (AIV), 24 cube cores (AIC)" in page
    for part, unit in (
        ("Launch", "us"),
        ("L2", "GB/s"),
        ("HBM", "GB/s"),
        ("A copy", "cycles"),
        ("A vector instruction", "cycles"),
    ):
        line = page.partition(f"**{part}**")[2].partition("\n- **")[0]
        assert re.search(rf"[\d.]+ {unit}", line), part


def test_core_counts_are_those_of_the_processor_that_is_modelled() -> None:
    smaller = first_prompt("AbsMath", "--soc", "Ascend910B3")
    assert "40 vector cores (AIV), 20 cube cores (AIC)" in smaller


def test_help_against_errors_waits_for_one(dispatch: str) -> None:
    assert "From the error to the cause" not in dispatch
    assert "Reading the example `add_custom`" not in dispatch
    assert "<!-- examples/add_custom/op_kernel/add_custom.cpp -->" in dispatch


def test_what_integers_really_are_is_told(dispatch: str) -> None:
    assert "Distinct experts for every token, more often small ones" in dispatch


def test_denied_names_and_sizes_of_work_tensors_are_told() -> None:
    text = first_prompt("SwiGlu")
    assert re.search(r"Not to be called, for it would be .*`SwiGLU`", text)
    assert "2 elements for every 256 bytes of `src`" in text


def test_what_an_imported_task_leaves_open_is_asked_of_its_code(tmp_path: Path) -> None:
    into = tmp_path / "operators"
    CliRunner().invoke(
        main, ["operators", "import", str(CHECKOUT), "--into", str(into)]
    )
    text = first_prompt(str(into / "HalveAdd"))
    assert "- x1: float32|float16" in text
    assert "x1 [4, 33] float32, x2 [4, 33] float32 give y [4, 33] float32" in text
    assert "standard normal" not in text


@pytest.mark.parametrize("name", operator_names())
def test_what_replaces_drawn_values_names_no_hidden_case(name: str) -> None:
    operator = catalogue_operator(name)
    named = re.findall(r"`([^`]+)`", operator.amended)
    hidden = [case.name for case in operator.cases if case.hidden]
    assert not [word for word in named if any(one.startswith(word) for one in hidden)]
    changes = (operator.folder / "reference.py").read_text(encoding="utf-8")
    assert bool(operator.amended) == ("def make_inputs" in changes)
