"""`sage experiment`, as a person types it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.experiments.plans.plan_file import shipped_plans
from core.operators.catalogue import catalogue_folder
from sage_desktop.cli import main
from tests.core.experiments.recomputed import recompute


def sage(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["experiment", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.parametrize("plan", shipped_plans())
def test_an_experiment_is_made_and_its_state_told(tmp_path: Path, plan: str) -> None:
    where = tmp_path / "x"
    options = ("--into", where, "--model", "nowhere", "--repeats", 2)
    made = sage("run", plan, *options, code=2)
    assert "--r2" in made
    told = sage("report", where)
    digest = json.loads((where / "experiment.json").read_text())["cold_start"]
    assert f"sha256 {digest}" in told
    assert ("waiting" in told) == (
        plan in {"transfer", "xccl", "fixed-bank", "faithfulness", "masked-credit"}
    )


@pytest.mark.parametrize(
    ("plan", "words"), [("main", "--set demo"), ("transfer", "answers to its own")]
)
def test_a_recording_that_cannot_play_the_arms_is_refused_when_the_folder_is_made(
    tmp_path: Path, plan: str, words: str
) -> None:
    assert words in sage(
        "run", plan, "--into", tmp_path / "x", "--model", "replay", code=2
    )
    assert not (tmp_path / "x").exists()


def test_what_a_person_must_still_say_is_said(tmp_path: Path) -> None:
    main_plan = tmp_path / "main"
    made = sage("run", "main", "--into", main_plan, code=2)
    assert "no model is named yet" in made
    assert "--backbone qwen3-coder-next=MODEL" in sage("run", main_plan, code=2)
    assert "goes on as it was made" in sage("run", main_plan, "--rounds", 3, code=2)
    assert "begins with the memory of its recording" in sage(
        "run", main_plan, "--model", "replay", code=2
    )
    named = sage("run", main_plan, "--backbone", "glm-5.2=nowhere", code=2)
    assert "--backbone qwen3-coder-next=MODEL" in named
    assert "glm-5.2=MODEL" not in named, "one of three is named by now"
    sage("run", main_plan, "--model", "elsewhere", code=2)
    told = sage("run", main_plan, "--model", "third", code=2)
    assert "qwen3-coder-next=elsewhere" in told
    assert "glm-5.2=nowhere" in told, "what was named stays"
    assert "There is no plan nothing" in sage("run", "nothing", code=2)
    assert "holds no experiment" in sage("report", tmp_path, code=2)
    assert "no experiment" in sage(
        "compare", f"{tmp_path}:sage", f"{tmp_path}:sage", code=2
    )


def test_the_lists_of_all_commands_know_it() -> None:
    assert "experiment" in CliRunner().invoke(main, ["--help"]).output


@pytest.mark.slow
def test_the_ablation_is_replayed_from_end_to_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sage_desktop.cli", "experiment"]
    where = tmp_path / "ablation"
    options = ["--model", "replay", "--set", "demo", "--into", str(where)]
    done = subprocess.run(
        [*command, "run", "ablation", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "watermark: replayed" in done.stdout
    assert "no arm is ranked" in done.stdout
    assert recompute(where, where / "report", catalogue_folder()) > 80
    refused = subprocess.run(
        [*command, "compare", f"{where}:sage", f"{where}:no-ugc"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "cannot show that one method is better" in refused.stderr


SMALL = {
    "ablation": ("ForeachAddScalar", ["uniform-credit", "no-ugc", "random-ugc"]),
    "faithfulness": ("ForeachAddScalar", []),
    "fixed-bank": ("ForeachAddScalar", ["relevance", "uniform"]),
    "hard": ("Gemv", ["refinement", "static-rag", "uniform-credit"]),
    "main": ("ForeachAddScalar", ["refinement", "static-rag", "value-memory"] * 3),
    "masked-credit": ("ForeachAddScalar", ["relevance", "masked"]),
    "order": ("ForeachAddScalar,Gemv", ["mixed", "l2-then-l3"]),
    "transfer": ("ForeachAddScalar", ["initial", "transfer"] * 2),
    "xccl": (
        "ForeachAddScalar,FusedGeluSigmoid",
        [
            "refinement",
            "static-rag",
            "value-memory",
            "sage-from-seeds",
            "sage-frozen",
        ],
    ),
}


@pytest.mark.system
@pytest.mark.parametrize("plan", shipped_plans())
def test_the_stand_in_plays_a_plan_to_its_tables(tmp_path: Path, plan: str) -> None:
    where = tmp_path / "small"
    operators, pairs = SMALL[plan]
    few = ("--set", operators, "--repeats", 2 if plan == "ablation" else 1)
    shown = sage("run", plan, "--into", where, "--model", "standin", *few)
    assert "watermark: stand-in, no model" in shown
    report = json.loads((where / "report" / "report.json").read_text())
    assert report["unranked"] == "", "its arms are compared"
    assert [pair["second"].partition("@")[0] for pair in report["pairs"]] == pairs
    assert all(pair["same_inputs"] for pair in report["pairs"])
    assert recompute(where, where / "report", catalogue_folder()) > 6
    judged_again = verdicts_by_kernel(where)
    assert judged_again > 0 or len(report["arms"]) == 1, (
        "the same kernel, the same verdict in every arm"
    )
    assert any("Each of these is judged once" in note for note in report["notes"])
    for arm in report["arms"]:
        assert arm["model_origin"] == "stand-in"
        assert arm["tokens"] is None, "no model is asked"
        assert set(arm["execution_rate_by_rule"]) == {"paper", "benchmark", "ulp"}


def verdicts_by_kernel(folder: Path) -> int:
    """How many kernels were judged more than once, each time of a repeat with one verdict and latency."""
    found: dict[tuple[str, str], set[tuple[str, float]]] = {}
    times: Counter[tuple[str, str]] = Counter()
    for path in sorted((folder / "cells").glob("*.sage")):
        with closing(sqlite3.connect(path)) as db:
            rows = db.execute(
                "SELECT candidate, verdict, latency_us FROM round WHERE verdict <> ''"
            ).fetchall()
        for candidate, verdict, latency in rows:
            kernel = (path.stem[-2:], candidate)
            times[kernel] += 1
            found.setdefault(kernel, set()).add((verdict, latency))
    assert {len(verdicts) for verdicts in found.values()} == {1}
    return sum(count > 1 for count in times.values())
