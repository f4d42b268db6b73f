"""A recording made from a workspace plays again without a model, diagnostics included, and holds no key."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from core.engine.demo import prepare_demo, run_summary
from core.engine.recording import record_session, scrub
from core.memory.curation import Curator
from core.memory.records import Origin
from core.memory.store import MemoryStore
from core.models.replay import ReplayProvider
from core.models.session_file import Session, parse_session, render_session
from core.workspace import Workspace
from tests.core.agent.scripted import LookingEvaluator, looking_session
from tests.core.engine.conftest import Lab


def named_alike(summary: dict[str, Any]) -> dict[str, Any]:
    """The summary without the random names of trajectories."""
    return summary | {"operators": [row | {"trajectory": ""} for row in summary["operators"]]}


def play(folder: Path, session: Session, name: str) -> tuple[Path, LookingEvaluator]:
    path = folder / f"{name}.sage"
    lab, evaluator = Lab(path), LookingEvaluator()
    prepare_demo(path, lab.session)
    lab.run(evaluator=evaluator, provider_factory=lambda: ReplayProvider(session))
    return path, evaluator


def test_a_recorded_run_plays_again_with_its_diagnostics(tmp_path: Path) -> None:
    path, evaluator = play(tmp_path, looking_session(), "first")
    assert len(evaluator.looked) == 4
    with Workspace.open_readonly(path) as workspace:
        recorded = record_session(workspace, "t")
        summary = named_alike(run_summary(workspace))
    again, evaluator = play(tmp_path, parse_session(render_session(recorded), "r"), "again")
    assert len(evaluator.looked) == 4, "tools are asked anew, only the model is not"
    with Workspace.open_readonly(again) as workspace:
        assert named_alike(run_summary(workspace)) == summary
    assert [row["diagnostics"] for row in summary["operators"]] == [1, 1, 1, 1]


def test_what_a_person_wrote_afterwards_is_no_part_of_the_recording(tmp_path: Path) -> None:
    path, _ = play(tmp_path, looking_session(), "first")
    with Workspace.open(path) as workspace:
        before = record_session(workspace, "t")
        store = MemoryStore(workspace)
        item = store.item(before.items[0].uid)
        Curator(store).edit(item.uid, replace(item.experience, title="Written later"))
        store.add_item(replace(item.experience, title="Added later"), origin=Origin.USER)
        assert record_session(workspace, "t") == before


def test_no_key_travels_in_a_recording(tmp_path: Path) -> None:
    session = looking_session()
    leaky = replace(session.replies[1], text="## Diagnosis\nBearer abcdefghijklmnop1234 was refused\n")
    path, _ = play(tmp_path, replace(session, replies=(session.replies[0], leaky, *session.replies[2:])), "w")
    with Workspace.open_readonly(path) as workspace:
        text = render_session(record_session(workspace, "t"))
    assert "[removed] was refused" in text
    assert "abcdefghijklmnop1234" not in text


def test_keys_are_scrubbed_and_code_is_not() -> None:
    assert scrub("key sk-0123456789abcdef01 end") == "key [removed] end"
    code = "DataCopyPad(risk-free, bearer, api_key_count);"
    assert scrub(code) == code
