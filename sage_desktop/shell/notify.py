"""A message of the desktop, for somebody who works elsewhere while the queue runs."""

from __future__ import annotations

from PySide6.QtCore import QProcess, QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from sage_desktop.ui.icons import application_icon

SHOWN_MS = 10_000


def notify(window: QWidget, title: str, words: str) -> bool:
    """Tell it unless the window is in front anyway; whether a message was shown.

    Desktops without a tray show it where they have `notify-send`, the freedesktop way; others get the mark on
    the window's entry in the task bar only.
    """
    if window.isActiveWindow():
        return False
    QApplication.alert(window)
    if not (
        QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()
    ):
        return _sent(title, words)
    tray = QSystemTrayIcon(application_icon(), window)
    tray.messageClicked.connect(window.activateWindow)
    tray.show()
    tray.showMessage(title, words, application_icon(), SHOWN_MS)
    QTimer.singleShot(SHOWN_MS, tray, tray.deleteLater)
    return True


def _sent(title: str, words: str) -> bool:
    program = QStandardPaths.findExecutable("notify-send")
    if not program:
        return False
    options = [
        "--app-name=sage-desktop",
        f"--expire-time={SHOWN_MS}",
        "--",
        title,
        words,
    ]
    return QProcess.startDetached(program, options)[0]
