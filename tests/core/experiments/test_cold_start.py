"""Cold start: real kernels, judged by the twin; only the model's words are scripted."""

from __future__ import annotations

import asyncio
import re
import shutil
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.agent.learning.mining import NotDisjoint
from core.agent.prompt import templates
from core.engine import queue
from core.experiments.running import cold_start
from core.experiments.running.cold_start import read_sources
from core.memory.records import ItemState
from core.memory.store import MemoryStore
from core.models.port import ModelRequest, Purpose
from core.operators.catalogue import operator_names
from core.workspace import Workspace
from sage_desktop.cli import main
from sage_desktop.services.models import choice as model_choice
from sage_desktop.services.models.choice import ModelChoice
from tests.core.agent.scripted import Model, files, reply_text
from tests.scenario import PlayedOperator

ADD = Path(__file__).parent.parent / "agent" / "prompt" / "AddCustom"
CASE = """
[[case]]
name = "some-tiles"
inputs.x = { shape = [2003, 1001] }
inputs.y = { shape = [2003, 1001] }
"""
PATTERN = """## Experience
title: Two buffers a queue let copies overlap
type: performance
category: Math
summary: With one buffer a queue the copy engine waits.
### Correct
```cpp
pipe.InitBuffer(inX, 2, tile * sizeof(T));
```
"""


def example() -> dict[str, str]:
    """The kernel every prompt carries."""
    folder = (
        resources.files("resources")
        / "skills"
        / templates.GENERATOR
        / "examples"
        / "add_custom"
    )
    return {
        f"{root.name}/{file.name}": file.read_text()
        for root in folder.iterdir()
        for file in root.iterdir()
    }


def written(folder: Path, project: dict[str, str]) -> Path:
    for path, text in project.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def simple(tmp_path: Path) -> Path:
    """A folder with one simple operator, its reference and an expert's project."""
    place = tmp_path / "operators" / "AddCustom"
    shutil.copytree(ADD, place)
    text = (place / "operator.toml").read_text().replace(', "float16"', "")
    (place / "operator.toml").write_text(text[: text.index("[[case]]")] + CASE)
    written(place / "expert", example())
    return place.parent


def sage(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["memory", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.slow
def test_a_cold_start_is_drafted(
    simple: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, build_cache: Path
) -> None:
    plain = {
        path: text.replace(", 2, tile", ", 1, tile") for path, text in example().items()
    }
    asked: list[ModelRequest] = []

    def answer(request: ModelRequest) -> str:
        asked.append(request)
        return PATTERN if request.purpose is Purpose.MINE else reply_text({}, plain)

    choice = ModelChoice(lambda: Model(answer), "scripted")
    monkeypatch.setattr(model_choice, "choose_model", lambda *_, **__: choice)
    path = tmp_path / "bank.sage"
    with Workspace.open(path) as workspace:
        queue.enqueue(workspace, "RmsNorm")
        queue.mark(
            workspace,
            queue.enqueue(workspace, "AbsMath"),
            "failed",
            "the server is down",
        )
    told = sage("cold-start", simple, "--model", "scripted", "--workspace", path)
    assert re.search(r"AddCustom +1 +1 +mined, not reviewed", told)
    assert [r.purpose for r in asked] == [Purpose.CANDIDATE, Purpose.MINE], (
        "one kernel that compiles is enough"
    )
    with Workspace.open_readonly(path) as workspace:
        states = workspace.db.execute(
            "SELECT operator, state FROM queue_entry ORDER BY id"
        ).fetchall()
        assert list(map(tuple, states)) == [
            ("RmsNorm", "queued"),
            ("AbsMath", "failed"),
            ("AddCustom", "done"),
        ]
        (drafted,) = MemoryStore(workspace).items()
        assert (drafted.title, drafted.state) == (
            "Two buffers a queue let copies overlap",
            ItemState.PENDING,
        )
    before = len(asked)
    assert "drafted before" in sage(
        "cold-start", simple, "--model", "scripted", "--workspace", path
    )
    assert len(asked) == before, "nothing is asked twice"


def test_a_trajectory_for_the_cold_start_ends_with_the_first_kernel_that_compiles(
    tmp_path: Path,
) -> None:
    def answer(request: ModelRequest) -> str:
        assert not request.retrieved
        return reply_text(
            {},
            files(
                "AbsMath",
                {1: "fail-build", 2: "fail-result"}.get(request.round, "pass 1.0"),
            ),
        )

    with Workspace.open(tmp_path / "w.sage") as workspace:
        bench = PlayedOperator(workspace, parameters=cold_start.parameters(9))
        asyncio.run(bench.run(Model(answer)))
        assert cold_start.first_compiled(workspace, "AbsMath") is None, (
            "not of this batch"
        )
        queue.set_label(workspace, [1], cold_start.BATCH)
        assert bench.verdicts() == [("corr", "fail-build"), ("corr", "fail-result")]
        compiled = cold_start.first_compiled(workspace, "AbsMath")
        assert compiled is not None
        assert compiled[0] == 2
        assert bench.rows("SELECT count(*) FROM trace") == [(0,)]


def test_operators_of_the_evaluation_are_refused(simple: Path, tmp_path: Path) -> None:
    registered = (
        simple / "AddCustom" / "expert" / "op_host" / "add_custom.cpp"
    ).read_text()
    (simple / "AddCustom" / "expert" / "op_host" / "add_custom.cpp").write_text(
        registered.replace("OP_ADD(AddCustom)", "OP_ADD(RmsNorm)")
    )
    with pytest.raises(NotDisjoint, match="RmsNorm"):
        read_sources(simple, operator_names())


def test_a_kernel_that_is_there_is_compared_without_a_model(
    simple: Path, tmp_path: Path
) -> None:
    where = ("--workspace", tmp_path / "bank.sage")
    assert "Name a --model" in sage("cold-start", simple, *where, code=2)
    ours = {
        path: text.replace("DataCopyPad", "DataCopy")
        for path, text in example().items()
    }
    written(simple / "AddCustom" / "candidate", ours)
    drafted = sage("cold-start", simple, *where)
    assert re.search(r"AddCustom +- +[1-9]", drafted)
    with Workspace.open_readonly(tmp_path / "bank.sage") as workspace:
        items = MemoryStore(workspace).items()
    assert {item.state for item in items} == {ItemState.PENDING}
    assert "drafted before" in sage("cold-start", simple, *where)
