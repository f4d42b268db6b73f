"""Files and folders handed to the desktop, which may have nothing that opens them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def open_with_desktop(path: Path) -> bool:
    """Let the desktop open a file or folder; whether it has a program for it."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
