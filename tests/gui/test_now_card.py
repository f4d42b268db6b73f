"""What the queue shows of the moment: the operator in work, honest bars and counts, a search box."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.agent.run import records
from core.agent.run.records import Step
from core.engine import events, queue
from core.engine.events import EngineEvent, EngineState
from core.method.objective import Objective
from core.models.port import Usage
from core.workspace import Workspace
from sage_desktop.panels.queue.model import PROGRESS
from sage_desktop.panels.queue.now_card import Work, share_of
from sage_desktop.panels.queue.panel import QueuePanel
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from tests.gui import sample_workspace

LERP = (2, "trajectory-2", "Lerp")
SWIGLU = (3, "trajectory-3", "SwiGlu")


@pytest.fixture
def panel(
    operations: Operations,
    registry: ActionRegistry,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> QueuePanel:
    made = QueuePanel(operations, registry)
    qtbot.addWidget(made)
    made.resize(520, 700)
    made.show()
    made.refresh()
    settled()
    return made


def _told(panel: QueuePanel, *told: EngineEvent) -> str:
    for event in told:
        panel.take_event(event)
    card = panel.now
    return " | ".join(
        (
            card.name.text(),
            card.facts.text(),
            card.times.text(),
            card.stepper.accessibleName(),
            card.doing.text(),
        )
    )


def test_the_card_follows_the_stages_of_the_operator_in_work(panel: QueuePanel) -> None:
    assert panel.now.isHidden()
    begun = _told(panel, events.EntryStarted(2, "trajectory-2", "Lerp", resumed=False))
    assert begun.startswith("Lerp | ")
    assert panel.now.isVisible()
    thinking = _told(
        panel, records.RoundAdvanced(*LERP, Objective.CORR, 3, Step.STARTED)
    )
    assert "Round 3 of 30 · Correctness" in thinking
    assert "at most" in thinking
    assert "Stage 1 of 6: Diagnose | Preparing the prompt" in thinking
    assert "Stage 3 of 6: Write | Waiting for the model" in _told(
        panel, records.RoundAdvanced(*LERP, Objective.CORR, 3, Step.RETRIEVED)
    )
    words = "DataCopy(local, global, tile);\n" * 40
    assert "tokens of the reply" in _told(
        panel, records.ReplyStreamed(*LERP, "candidate", 3, 0, words)
    )
    called = records.ModelCalled(*LERP, "candidate", 3, 0, 12.0, Usage())
    assert "Waiting" in _told(panel, called)
    note = "preparing the CPU twin: 40 % (once per version and compiler)"
    judged = _told(
        panel,
        records.RoundAdvanced(*LERP, Objective.CORR, 3, Step.GATED),
        records.ProgressNote(*LERP, note),
    )
    assert "Stage 5 of 6: Evaluate" in judged
    assert "40 %" in judged
    assert (panel.now.bar.isVisible(), panel.now.bar.share) == (True, 0.4)
    _told(panel, records.EpisodeApplied(*LERP, Objective.CORR, 0.2, 2, (), (), ()))
    assert panel.now.stepper.stage == "learn"
    assert not panel.now.bar.isVisible()
    _told(panel, events.EntryFinished(2, "trajectory-2", "Lerp", "done", ""))
    assert panel.now.isHidden()


def test_a_step_that_takes_long_says_for_how_long(panel: QueuePanel) -> None:
    told = _told(panel, events.EntryStarted(2, "trajectory-2", "Lerp", resumed=False))
    assert told.endswith("| Preparing the prompt")
    work = panel._work
    work.entries[2] = replace(work.entries[2], doing_since=work.clock() - 95)
    note = records.ProgressNote(SWIGLU[0], *SWIGLU[1:], "compiling float32")
    assert _told(panel, note).endswith("| 1:35 min · Preparing the prompt")


def test_the_rows_stay_under_the_mouse_as_work_begins_and_ends(
    panel: QueuePanel,
) -> None:
    def place() -> int:
        QApplication.sendPostedEvents()
        layout = panel.layout()
        assert layout is not None
        layout.activate()
        return panel.table.mapTo(panel, QPoint(0, 0)).y()

    before = place()
    events_ = [
        events.EntryStarted(2, "trajectory-2", "Lerp", resumed=False),
        records.ProgressNote(*LERP, "case 3 of 15: full pass"),
        events.EntryFinished(2, "trajectory-2", "Lerp", "done", ""),
    ]
    for event in events_:
        panel.take_event(event)
        assert place() == before
    panel.show_stop("stopped: the server does not answer")
    assert panel.stop.isVisible()
    assert place() == before


def test_of_several_operators_the_one_in_front_is_shown(panel: QueuePanel) -> None:
    both = [
        events.EntryStarted(entry[0], entry[1], entry[2], resumed=False)
        for entry in (LERP, SWIGLU)
    ]
    assert _told(panel, *both).startswith("Lerp | ")  # the row in front
    assert panel.now.count.text() == "and 1 more"
    panel.select(3)
    assert panel.now.name.text() == "SwiGlu"
    panel.select(4)  # does not run: the one begun last
    assert panel.now.name.text() == "SwiGlu"
    _told(panel, events.EngineStateChanged(EngineState.IDLE))
    assert panel.now.isHidden()


def test_tokens_and_their_rate_are_counted_as_the_reply_comes() -> None:
    moments: Iterator[float] = iter([10.0, 10.0, 14.0])
    work = Work(clock=lambda: next(moments))
    piece = records.ReplyStreamed(*LERP, "candidate", 1, 0, "one two three four ")
    work.take(piece)
    first = work.entries[2]
    assert (first.tokens > 0, first.rate) == (True, 0.0)
    work.take(piece)
    assert work.entries[2].tokens == 2 * first.tokens
    assert work.entries[2].rate == pytest.approx(2 * first.tokens / 4)


def test_the_share_is_what_an_evaluator_says() -> None:
    assert share_of("case 3 of 15: full pass") == 0.2
    assert (
        share_of("preparing the CPU twin: 88 % (once per version and compiler)") == 0.88
    )
    assert share_of("compiling float32") is None


def _bar_color(panel: QueuePanel, entry: int, along: float) -> QColor:
    """Colour of the bar of rounds, `along` of its width."""
    area = panel.table.visualRect(panel.model.index(panel.model.place(entry), PROGRESS))
    picture = panel.table.viewport().grab(area).toImage()
    look = theme()
    inner = picture.height() / look.em / picture.devicePixelRatio()
    y = round(picture.height() * (0.28 + (inner - 0.56) * 0.75) / inner)
    return picture.pixelColor(round(picture.width() * along), y)


def test_done_early_is_a_full_bar_and_failures_are_not_counted_as_done(
    panel: QueuePanel, operations: Operations, settled: Callable[[], None]
) -> None:
    assert _bar_color(panel, 1, 0.8) == theme().color(
        "success"
    )  # done after 6 of 30 rounds
    assert _bar_color(panel, 2, 0.8) != theme().color(
        "accent"
    )  # 4 of 30, still going on
    with Workspace.open(operations.workspace) as opened:
        queue.mark(opened, 3, "failed", "no compiler")
        queue.mark(opened, 4, "cancelled", "by hand")
    panel.refresh()
    settled()
    assert panel.summary.text().startswith("1 of 4 done · 1 failed · 1 cancelled")


def test_a_long_queue_is_searched(
    panel: QueuePanel, operations: Operations, settled: Callable[[], None], qtbot: QtBot
) -> None:
    assert panel.search_row.isHidden()
    with Workspace.open(operations.workspace) as opened:
        for number in range(107):
            sample_workspace.enqueue(opened, f"Operator{number}")
    panel.refresh()
    settled()
    assert panel.search.isVisible()
    panel.search.setText("operator10")
    qtbot.waitSignal(panel.search.changed).wait()
    settled()
    assert [row.operator for row in panel.model.rows()] == ["Operator10"] + [
        f"Operator{number}" for number in range(100, 107)
    ]
    panel.search.setText("running")
    qtbot.waitSignal(panel.search.changed).wait()
    settled()
    assert [row.operator for row in panel.model.rows()] == ["Lerp"]
    panel.search.setText("nothing of that name")
    qtbot.waitSignal(panel.search.changed).wait()
    settled()
    assert panel.search.isVisible()
    assert "1 of 111 done" in panel.summary.text()


def test_loading_the_text_encoder_is_named_with_its_time(
    panel: QueuePanel, settled: Callable[[], None]
) -> None:
    panel.take_event(records.ProgressNote(*LERP, "loading the text encoder"))
    entries = panel._work.entries
    entries[2] = replace(entries[2], doing_since=entries[2].doing_since - 16)
    panel.refresh()
    settled()
    assert panel.now.doing.text() == "16 s · loading the text encoder"
