"""The line at the bottom says which sandbox held the kernels of the operator in front."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from sage_desktop.shell.status import StatusBar


def test_the_sandbox_stands_beside_the_evaluator_and_none_is_told(qtbot: QtBot) -> None:
    bar = StatusBar()
    qtbot.addWidget(bar)
    bar.show_evaluator("this computer · CPU twin", "Landlock, seccomp")
    assert bar._evaluator.text() == "this computer · CPU twin · Landlock, seccomp"
    bar.show_evaluator("this computer · CPU twin", "unconfined")
    assert bar._evaluator.text().endswith(" · no sandbox: earns no credit")
    bar.show_evaluator("this computer · CPU twin")
    assert bar._evaluator.text() == "this computer · CPU twin"
