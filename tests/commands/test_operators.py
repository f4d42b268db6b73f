"""`sage operators` as a person types it; listing and checking take neither Qt nor torch into the process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sage_desktop.cli import main

ROOT = Path(__file__).resolve().parents[2]
SAGE = """
import sys
sys.argv[0] = "sage"
from sage_desktop.cli import main
try:
    main()
finally:
    sys.stderr.write(f"heavy: {sorted({'torch', 'PySide6'} & set(sys.modules))}")
"""


def sage(*words: str, code: int = 0) -> Result:
    """Run a command here."""
    done = CliRunner().invoke(main, ["operators", *words], prog_name="sage")
    assert done.exit_code == code, done.stderr + done.stdout
    return done


def light(*words: str, code: int = 0) -> str:
    """What a command prints in a process of its own, into which it loads nothing heavy."""
    command = [sys.executable, "-c", SAGE, "operators", *words]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr + done.stdout
    assert done.stderr.endswith("heavy: []")
    return done.stdout


def test_the_catalogue_is_listed_by_level_and_category() -> None:
    rows = json.loads(light("list", "--json"))
    assert len(rows) == 104
    assert [row["level"] for row in rows[:20]] == [1] * 20
    assert {row["benchmark"] for row in rows[88:]} == {"xCCL"}
    assert rows[0] == {
        "name": "Equal",
        "level": 1,
        "category": "Comparison",
        "benchmark": "catalogue",
        "cases": 27,
        "dtypes": ["float16", "bfloat16", "float32", "int8", "uint8", "int32"],
        "rule": "catalogue",
    }
    assert "ForeachAbs" in sage("list").stdout


def test_an_operator_is_shown_with_interface_and_cases() -> None:
    shown = sage("list", "AddLayerNorm").stdout
    assert "kernel entry add_layer_norm, level 2, Norm" in shown
    for words in ("bias", "optional", "default 1e-05", "hidden-narrow"):
        assert words in shown
    assert json.loads(sage("list", "Eye", "--json").stdout)["name"] == "Eye"
    assert "Did you mean LayerNormV4" in sage("list", "LayerNorm", code=2).stderr


@pytest.mark.system
def test_a_new_operator_can_be_checked_at_once_and_mistakes_are_named(
    tmp_path: Path,
) -> None:
    sage("new", "FusedAxpy", "--into", str(tmp_path))
    folder = tmp_path / "FusedAxpy"
    sage("new", "FusedAxpy", "--into", str(tmp_path), code=2)
    reference = folder / "reference.py"
    reference.write_text(reference.read_text().replace("+ offset", ""))
    checked = light("check", str(folder), "FastGelu", code=1)
    assert "input offset has no influence on the result" in checked
    assert "2 operators" in checked
    assert "1 with problems" in checked
    specification = folder / "operator.toml"
    specification.write_text(
        specification.read_text().replace('fill = "special"', 'fill = "sepcial"')
    )
    fault = sage("check", str(folder), code=2).stderr
    assert "operator.toml" in fault
    assert "case[2].inputs.x.fill" in fault
    assert "sepcial" in fault


def test_check_wants_names_or_all() -> None:
    assert "Name operators, or use --all." in sage("check", code=2).stderr
    assert "exclude each other" in sage("check", "Gelu", "--all", code=2).stderr


@pytest.mark.system
def test_a_name_with_a_folder_is_that_folders_operator(tmp_path: Path) -> None:
    sage("new", "FastGelu", "--into", str(tmp_path))  # the catalogue has another one
    reference = tmp_path / "FastGelu" / "reference.py"
    reference.write_text(reference.read_text().replace("+ offset", ""))
    checked = sage("check", "FastGelu", "--folder", str(tmp_path), code=1)
    assert "input offset has no influence on the result" in checked.stdout
    assert "Gelu" in sage("check", "Gelu", "--folder", str(tmp_path), code=2).stderr


@pytest.mark.slow
def test_every_operators_own_formula_in_float32_passes_its_rule() -> None:
    """All plans judge by these rules (`tests/core/experiments/test_plan.py`), so a right kernel can meet them."""
    checks = json.loads(sage("check", "--all", "--json").stdout)
    assert [check["problems"] for check in checks] == [[]] * 104
