"""The time line of an operator and the words that passed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.analysis import queries
from core.evaluation.records import DiagnosticResult
from core.models.endpoint import Endpoint
from core.records_json import to_json
from core.workspace import Workspace
from sage_desktop.panels.trajectory.panel import TrajectoryPanel
from sage_desktop.services.models.profiles import cost_of, save_profiles
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from tests.gui import sample_workspace

LATER, LATEST = "2999-01-01T00:00:00", "2999-01-01T00:00:01"


@pytest.fixture
def panel(
    workspace: Path,
    operations: Operations,
    preferences: Preferences,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> TrajectoryPanel:
    with Workspace.open(workspace) as opened:
        uid = "trajectory-1"
        sample_workspace.add_call(
            opened, uid, 2, "diagnose", "the tail of x", tokens=(900, 40)
        )
        sample_workspace.add_call(
            opened, uid, 2, "repair", "## Files ...", reasoning="DataCopyPad then"
        )
        sample_workspace.add_call(opened, uid, 0, "distil", "## Experience ...")
        row = queries.queue_rows(opened.db, [1])[1]
    made = TrajectoryPanel(operations, preferences)
    qtbot.addWidget(made)
    made.resize(1000, 600)
    made.show()
    made.show_operator(row)
    settled()
    settled()
    return made


def test_rounds_calls_and_learning_stand_in_order(panel: TrajectoryPanel) -> None:
    tops = [panel.tree.topLevelItem(n) for n in range(panel.tree.topLevelItemCount())]
    assert [top.text(0) for top in tops[:2]] == [
        "Round 1 · Correctness",
        "Round 2 · Correctness",
    ]
    assert tops[2].text(1) == "Correct · 21.84 µs modelled"
    assert tops[-1].text(0) == "What was learnt"
    steps = [tops[1].child(n).text(0) for n in range(tops[1].childCount())]
    assert steps == ["Diagnosis", "Retrieval", "Next candidate"]
    assert tops[1].child(1).text(1) == "5 retrieved, 1 adopted"
    assert "model calls: 3" in panel.facts.text()
    assert "900 tokens in, 40 out" in panel.facts.text()


def test_a_call_shows_prompt_reply_and_reasoning(
    panel: TrajectoryPanel, settled: Callable[[], None]
) -> None:
    assert panel.reply.toPlainText() == "## Experience ..."
    assert not panel.texts.thinking.isVisible()
    panel.tree.setCurrentItem(panel.tree.topLevelItem(1).child(2))
    settled()
    assert panel.reply.toPlainText() == "## Files ..."
    assert "──── user ────\nWrite the kernel." in panel.prompt.toPlainText()
    assert panel.reasoning.toPlainText() == "DataCopyPad then"
    assert not panel.reasoning.isVisible()  # folded until somebody wants it
    assert panel.texts.thinking.text() == "Reasoning, 2 words"
    panel.texts.thinking.click()
    assert panel.reasoning.isVisible()


def test_no_text_of_the_operator_before_stays_under_the_next_one(
    panel: TrajectoryPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    panel.tree.setCurrentItem(
        panel.tree.topLevelItem(1).child(2)
    )  # its text is still being read below
    with Workspace.open(workspace) as opened:
        other = queries.queue_rows(opened.db, [2])[2]
    panel.show_operator(other)
    assert panel.reply.toPlainText() == panel.prompt.toPlainText() == "", (
        "at once, not when it has been read"
    )
    settled()
    settled()
    assert panel.name.text() == "Lerp"
    shown = (panel.reply, panel.prompt, panel.reasoning)
    assert [box.toPlainText() for box in shown] == ["", "", ""], (
        "it has no call of its own"
    )
    assert panel.texts.prefix.text() == ""


def test_retrieved_items_stand_under_the_retrieval_and_lead_to_the_memory(
    panel: TrajectoryPanel, qtbot: QtBot
) -> None:
    retrieval = panel.tree.topLevelItem(1).child(1)
    assert not retrieval.isExpanded()
    uids = [retrieval.child(n).text(0) for n in range(retrieval.childCount())]
    assert uids[0] == "seed-0002"  # the adopted one comes first
    assert len(uids) == 5
    panel.tree.setCurrentItem(retrieval.child(0))
    assert "I use the correct one." in panel.reply.toPlainText()
    with qtbot.waitSignal(panel.item_opened) as opened:
        panel.tree.itemActivated.emit(retrieval.child(0), 0)
    assert opened.args == ["seed-0002"]


def test_a_refresh_keeps_the_selected_call(
    panel: TrajectoryPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    panel.tree.setCurrentItem(panel.tree.topLevelItem(1).child(0))
    settled()
    with Workspace.open(workspace) as opened:
        sample_workspace.add_call(opened, "trajectory-1", 6, "repair", "a later reply")
        row = queries.queue_rows(opened.db, [1])[1]
    panel.show_operator(row)
    settled()
    assert panel.tree.topLevelItem(5).childCount() == 2
    assert panel.tree.currentItem().text(0) == "Diagnosis"
    assert panel.reply.toPlainText() == "the tail of x"


def test_without_a_trajectory_it_says_what_to_do(panel: TrajectoryPanel) -> None:
    panel.show_operator(None)
    assert not panel.tree.isVisible()
    assert panel.findChild(EmptyState).isVisible()


def test_the_beginning_a_prefix_cache_can_use_is_marked(
    panel: TrajectoryPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    panel.tree.setCurrentItem(panel.tree.topLevelItem(1).child(0))
    settled()
    assert panel.texts.prefix.text().startswith("No shared prompt prefix")
    assert not panel.prompt.extraSelections()
    panel.tree.setCurrentItem(panel.tree.topLevelItem(1).child(2))
    settled()
    assert panel.texts.prefix.text().startswith(
        "The highlighted prefix, 100 % of the prompt"
    )
    selection = panel.prompt.extraSelections()[0]
    marked = selection.cursor.selectedText()
    assert marked.endswith("Write the kernel.")


def test_a_diagnostic_stands_in_its_round_with_its_log(
    panel: TrajectoryPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    result = DiagnosticResult(
        "dump", ok=False, summary="3 of 8 values are zero", log="x[0] = 0"
    )
    with Workspace.open(workspace) as opened:
        candidate = opened.db.execute("SELECT digest FROM candidate").fetchone()[0]
        with opened.transaction():
            opened.db.execute(
                "INSERT INTO diagnostic VALUES ('trajectory-1', 2, 1, 'dump', 'tail', ?, 0, ?, ?, 0.4, ?)",
                (candidate, result.summary, opened.put_text(to_json(result)), LATER),
            )
            opened.db.execute(
                "INSERT INTO look_up VALUES ('trajectory-1', 2, 2, ?, ?, '', ?)",
                (
                    '["Muls", "PipeBarrier"]',
                    opened.put_text("Muls: tensor times scalar"),
                    LATEST,
                ),
            )
        sample_workspace.add_call(opened, "trajectory-1", 6, "repair", "later")
        row = queries.queue_rows(opened.db, [1])[1]
    panel.show_operator(row)
    settled()
    settled()
    item = panel.tree.topLevelItem(1).child(3)
    assert (item.text(0), item.text(1)) == ("Diagnostic dump", "3 of 8 values are zero")
    panel.tree.setCurrentItem(item)
    settled()
    assert panel.reply.toPlainText().endswith("x[0] = 0")
    item = panel.tree.topLevelItem(1).child(4)
    assert (item.text(0), item.text(1)) == ("Look-up", "Muls, PipeBarrier")
    panel.tree.setCurrentItem(item)
    settled()
    assert panel.reply.toPlainText() == "Muls: tensor times scalar"


def test_a_round_the_model_ended_is_not_shown_as_going_on(
    panel: TrajectoryPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    with Workspace.open(workspace) as opened, opened.transaction():
        opened.db.execute(
            "UPDATE round SET verdict = '', step = 'replied' WHERE round = 2"
        )
        row = queries.queue_rows(opened.db, [1])[1]
    reason = "the reply stayed incomplete after 3 corrections"
    row = replace(row, reason=reason)
    for state, words in (("done", f"Not finished · {reason}"), ("running", "Running")):
        panel.show_operator(replace(row, state=state))
        settled()
        settled()
        assert panel.tree.topLevelItem(1).text(1).startswith(words)


def test_the_reply_being_written_is_shown_until_it_is_there(
    panel: TrajectoryPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    for piece in ("## Diag", "nosis"):
        panel.stream("trajectory-1", "diagnose", 6, piece)
    panel.stream("another", "diagnose", 1, "not mine")
    assert panel.texts.isTabVisible(2)
    assert panel.texts.live.toPlainText() == "## Diagnosis"
    with Workspace.open(workspace) as opened:
        sample_workspace.add_call(opened, "trajectory-1", 6, "diagnose", "## Diagnosis")
        row = queries.queue_rows(opened.db, [1])[1]
    panel.show_operator(row)
    settled()
    assert not panel.texts.isTabVisible(2)


def test_tokens_cost_what_the_profile_of_the_model_says(
    panel: TrajectoryPanel,
    preferences: Preferences,
    workspace: Path,
    settled: Callable[[], None],
) -> None:
    assert "cost" not in panel.facts.text()
    save_profiles(
        preferences,
        {
            "mine": Endpoint(
                model="sample",
                base_url="http://x/v1",
                price_input=2.0,
                price_output=10.0,
            )
        },
    )
    assert cost_of(preferences, "sample", 900, 100, 40) == pytest.approx(
        (800 * 2 + 40 * 10) / 1e6
    )
    with Workspace.open_readonly(workspace) as opened:
        row = queries.queue_rows(opened.db, [1])[1]
    panel.show_operator(None)
    panel.show_operator(row)
    settled()
    assert "cost 0.0022 by the prices of the model" in panel.facts.text()
