"""The line at the bottom says which sandbox held the kernels of the operator in front."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QLabel, QMainWindow
from pytestqt.qtbot import QtBot

from core.analysis.queries import QueueCounts
from sage_desktop.shell.status import StatusBar, StatusField


def test_the_sandbox_stands_beside_the_evaluator_and_none_is_told(qtbot: QtBot) -> None:
    bar = StatusBar()
    qtbot.addWidget(bar)
    bar.show_evaluator("this computer · CPU twin", "Landlock, seccomp")
    assert bar.evaluator.text() == "this computer · CPU twin · Landlock, seccomp"
    bar.show_evaluator("this computer · CPU twin", "unconfined")
    assert bar.evaluator.text().endswith(" · no sandbox: earns no credit")
    bar.show_evaluator("this computer · CPU twin")
    assert bar.evaluator.text() == "this computer · CPU twin"


def test_a_long_activity_is_shortened_and_does_not_widen_the_window(
    qtbot: QtBot,
) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    bar = StatusBar()
    window.setStatusBar(bar)
    window.resize(900, 200)
    window.show()
    narrowest = window.minimumSizeHint().width()
    long = (
        "MaskedSelectV3 · round 3 · compiling float32/int32/int64, float16/int32, " * 6
    )
    bar.show_activity(long)
    bar.show_evaluator(long)
    bar.show_parties(long, long)
    QApplication.processEvents()
    assert window.width() == 900
    assert window.minimumSizeHint().width() <= narrowest + 100


def test_a_queue_at_rest_is_ready_stopped_or_finished(qtbot: QtBot) -> None:
    bar = StatusBar()
    qtbot.addWidget(bar)

    def words() -> str:
        return bar.findChildren(StatusField)[0].text()

    bar.show_state("idle")
    bar.show_counts(QueueCounts(done=0, failed=0, cancelled=0, total=6))
    assert words() == "Ready"
    bar.show_state("stopped")
    assert words() == "Stopped"
    bar.show_counts(QueueCounts(done=6, failed=0, cancelled=0, total=6))
    assert words() == "Finished"
    picture = bar.findChildren(QLabel)[0]
    well = picture.pixmap().toImage()
    bar.show_counts(QueueCounts(done=5, failed=1, cancelled=0, total=6))
    assert words() == "Finished"
    assert picture.pixmap().toImage() != well, "no green tick after a failure"
