"""A log dropped on the window is read in the background; the dialog names cause, fault, remedy and place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from sage_desktop.app import Desktop, arguments
from sage_desktop.panels.diagnosing.log_dialog import LogDialog
from sage_desktop.ui.preferences import Preferences

WAIT_MS = 60_000
LOG = """-- Opbuild generating sources
[ 10%] Building op_kernel
/b/op_kernel/swish.cpp:7:3: error: use of undeclared identifier 'Foo'
ld.lld: error: undefined symbol: expf
CPack Error: Error when generating package: opp
"""


@pytest.fixture
def desktop(qapp: QApplication, tmp_path: Path) -> Iterator[Desktop]:
    made = Desktop(qapp, arguments([]), Preferences(tmp_path / "window.ini"))
    made.start()
    yield made
    made.window.set_busy(busy=False)
    made.window.close()
    made.shut_down()


def _drop(desktop: Desktop, path: Path) -> tuple[bool, bool]:
    """Drag a file over the window and let it go: whether each was accepted."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    held = (
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    enter, drop = QDragEnterEvent(QPoint(9, 9), *held), QDropEvent(QPointF(9, 9), *held)
    for event in (enter, drop):
        event.ignore()
        QApplication.sendEvent(desktop.window, event)
    return enter.isAccepted(), drop.isAccepted()


def _dropped(desktop: Desktop, path: Path, qtbot: QtBot) -> LogDialog:
    assert _drop(desktop, path) == (True, True)
    return _shown(desktop, qtbot)


def _shown(desktop: Desktop, qtbot: QtBot) -> LogDialog:
    qtbot.waitUntil(lambda: desktop.logs.dialog is not None, timeout=WAIT_MS)
    dialog = desktop.logs.dialog
    assert dialog is not None
    qtbot.waitExposed(dialog)
    return dialog


def test_a_log_dropped_on_the_window_is_diagnosed_at_its_line(
    desktop: Desktop, tmp_path: Path, qtbot: QtBot
) -> None:
    log = tmp_path / "build.log"
    log.write_text(LOG, encoding="utf-8")
    dialog = _dropped(desktop, log, qtbot)
    assert dialog.fault.text() == "Kernel fault"
    assert "undefined symbol: expf" in dialog.cause.text()
    assert "vector functions" in dialog.remedy.text()
    assert dialog.where.text() == "build.log · line 4 · linking"
    assert dialog.text.textCursor().block().text().endswith("undefined symbol: expf")
    assert "op_kernel/swish.cpp:7:3" in dialog.also.item(0).text()
    dialog.also.setCurrentRow(0)
    assert "undeclared identifier" in dialog.text.textCursor().block().text()
    dialog.copy.click()
    assert "Evidence:  line 4: ld.lld" in QGuiApplication.clipboard().text()
    dialog.reject()


def test_the_command_tells_a_fault_of_the_machine(
    desktop: Desktop, tmp_path: Path, qtbot: QtBot
) -> None:
    log = tmp_path / "run.txt"
    log.write_text(
        "ImportError: libatb.so: cannot open shared object file: No such file or directory\n"
    )
    desktop.window.actions_["review.diagnose_log"].trigger()
    asking = desktop.logs.asking
    assert asking is not None
    assert asking.isVisible(), "the window goes on meanwhile"
    asking.fileSelected.emit(str(log))
    dialog = _shown(desktop, qtbot)
    asking.close()
    assert dialog.fault.text().startswith("Environment fault")
    dialog.reject()


def test_only_one_file_is_taken_and_what_is_no_text_is_refused(
    desktop: Desktop, tmp_path: Path, qtbot: QtBot
) -> None:
    assert _drop(desktop, tmp_path) == (False, False), "a folder"
    assert _drop(desktop, tmp_path / "gone.log") == (False, False)
    binary = tmp_path / "core.dump"
    binary.write_bytes(b"\x7fELF\0\0\0")
    toasts = desktop.window.toasts
    before = len(toasts.texts)
    assert _drop(desktop, binary) == (True, True)
    qtbot.waitUntil(lambda: len(toasts.texts) == before + 1, timeout=WAIT_MS)
    assert desktop.logs.dialog is None
