"""A new memory begins with a bank that is named, the same for every method, and never added to evidence."""

from __future__ import annotations

import json
import logging
from dataclasses import fields
from importlib import resources
from pathlib import Path

import pytest

from core.agent.run.limits import Limits
from core.curation.curator import Curator
from core.engine.beginning import begin_memory, beginning, read_bank, seed_bank
from core.engine.run_summary import run_summary
from core.engine.shipped import demonstration
from core.errors import SageError
from core.exchange.seeds import cold_start_bank
from core.memory.records import Experience, ItemState, Origin
from core.memory.store import MemoryStore
from core.method.parameters import MethodParameters
from core.models.manual import InboxDesk
from core.replay.session_file import write_session
from core.workspace import Workspace
from sage_desktop.commands.run import RunPlan, run
from sage_desktop.services.run_setup import MANUAL, RunSetup, prepare

SEEDS = Path(str(resources.files("resources") / "seeds"))


def plan(tmp_path: Path, *options: str) -> RunPlan:
    """What `sage run --operators AbsMath --model manual:FOLDER …` asks for."""
    asked = ["--operators", "AbsMath", "--model", f"manual:{tmp_path}", *options]
    parsed = run.make_context("run", asked).params
    return RunPlan(**{field.name: parsed[field.name] for field in fields(RunPlan)})


def held(path: Path) -> dict[str, Experience]:
    with Workspace.open_readonly(path) as workspace:
        return {item.uid: item.experience for item in MemoryStore(workspace).items()}


def test_a_run_in_a_new_workspace_begins_with_the_seed_bank_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "w.sage"
    plan(tmp_path).prepare(path)
    said = capsys.readouterr()
    assert held(path) == dict(cold_start_bank())
    with Workspace.open_readonly(path) as workspace:
        began = run_summary(workspace)["initial_bank"]
    assert began["experiences"] == len(cold_start_bank())
    assert "begins with the seed bank" in said.err
    assert began["sha256"][:12] in said.err
    assert said.out == ""
    plan(tmp_path).prepare(path)
    assert "begins" not in capsys.readouterr().err


def test_the_window_begins_a_memory_alike(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    by_window, by_command = tmp_path / "window.sage", tmp_path / "command.sage"
    Workspace.open(by_window).close()  # what File → New Workspace leaves
    setup = RunSetup(MANUAL, None, "local", MethodParameters(), Limits())
    with caplog.at_level(logging.INFO, "engine"):
        prepare(setup, by_window, InboxDesk(lambda: None))
    assert "begins with the seed bank" in caplog.text
    plan(tmp_path).prepare(by_command)
    found = []
    for path in (by_window, by_command):
        with Workspace.open_readonly(path) as workspace:
            found.append(beginning(workspace))
    assert found[0] == found[1] is not None


def test_a_run_may_begin_empty_and_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "w.sage"
    plan(tmp_path, "--bank", "none").prepare(path)
    plan(tmp_path).prepare(path)
    assert held(path) == {}
    with Workspace.open_readonly(path) as workspace:
        assert run_summary(workspace)["initial_bank"]["experiences"] == 0


@pytest.mark.parametrize(
    "bank", [str(SEEDS), str(SEEDS / "numerics.toml"), "demo", "seeds", "mined"]
)
def test_a_bank_is_a_folder_a_file_or_a_name(tmp_path: Path, bank: str) -> None:
    path = tmp_path / "w.sage"
    plan(tmp_path, "--bank", bank).prepare(path)
    assert held(path) == dict(read_bank(bank).seeds)
    assert held(path)


def test_the_shipped_folder_and_the_default_are_one_bank() -> None:
    assert read_bank(str(SEEDS)).seeds == seed_bank().seeds


def test_a_bank_that_is_not_there_is_refused_before_a_file_is_made(
    tmp_path: Path,
) -> None:
    path = tmp_path / "w.sage"
    with pytest.raises(SageError, match="There is no bank nune"):
        plan(tmp_path, "--bank", "nune").prepare(path)
    assert not path.exists()


def test_a_memory_that_holds_something_already_is_left_as_it_is(tmp_path: Path) -> None:
    own = Experience(
        title="Mine", type="api_usage", category="Any", summary="What I know."
    )
    with Workspace.open(tmp_path / "w.sage") as workspace:
        store = MemoryStore(workspace)
        uid = store.add_item(own, origin=Origin.USER)
        told = begin_memory(workspace)
        assert "experiences that are here: 1 in all" in told
        assert [item.uid for item in store.items()] == [uid]
        assert "the seed bank" in begin_memory(
            workspace, seed_bank()
        )  # asked for, so it comes beside
        assert len(store.items()) == 1 + len(cold_start_bank())


def test_beginning_is_one_step_that_can_be_taken_back(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w.sage") as workspace:
        begin_memory(workspace)
        Curator(MemoryStore(workspace)).undo()
        assert MemoryStore(workspace).items(states=(ItemState.ACTIVE,)) == ()


def test_how_a_memory_began_is_the_same_from_every_source_of_the_same_bank(
    tmp_path: Path,
) -> None:
    """A session file and the workspace that recorded it must agree, or a replay would differ from its run."""
    found = set()
    for name, bank in (("a", "demo"), ("b", str(tmp_path / "copy.jsonl"))):
        if name == "b":
            write_session(tmp_path / "copy.jsonl", demonstration())
        with Workspace.open(tmp_path / f"{name}.sage") as workspace:
            begin_memory(workspace, read_bank(bank))
            found.add(json.dumps(run_summary(workspace)["initial_bank"]))
    assert len(found) == 1


def test_an_evolved_memory_brings_its_evidence_and_says_what_it_was_trained_on(
    tmp_path: Path,
) -> None:
    with Workspace.open(tmp_path / "w.sage") as workspace:
        told = begin_memory(workspace, read_bank("evolved"))
        items = MemoryStore(workspace).items()
        began = run_summary(workspace)["initial_bank"]
    assert "trained on evaluation operators" in told
    # Two lessons take flags of mode 0 for cheaper than SyncAll, which is made of them.
    archived = [item for item in items if item.state is ItemState.ARCHIVED]
    assert len(archived) == 2
    assert all("mode 0" in item.title for item in archived)
    assert sum(item.origin is Origin.DISTILLED for item in items) > 20
    assert any(item.rule_text and item.u_m > 0 for item in items)
    assert set(demonstration().header.operators) < set(began["trained_on"])
    with Workspace.open(tmp_path / "other.sage") as workspace:
        begin_memory(workspace)
        assert run_summary(workspace)["initial_bank"]["trained_on"] == ()


def test_a_run_at_an_end_that_the_paper_leaves_out_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan(tmp_path, "--set", "K_ado=1").prepare(tmp_path / "w.sage")
    assert "K_ado is at an end that the paper leaves out" in capsys.readouterr().err
    plan(tmp_path).prepare(tmp_path / "other.sage")
    assert "paper leaves out" not in capsys.readouterr().err
