"""One window a workspace: a second start asks the open one to come to the front, and ends.

The window listens on a socket of its user, named by the workspace; who cannot reach it opens the
file as ever, for the lock of the engine decides who may write.
"""

from __future__ import annotations

import hashlib
import logging
import os
import socket
import tempfile
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from core.private import private_folder

logger = logging.getLogger(__name__)
_ANSWER_S = 2.0  # a window that hangs for longer is left alone
_RAISE, _RAISED = b"raise\n", b"raised\n"


def _address(workspace: Path) -> Path:
    """The socket of a workspace; in a short folder, for addresses end after some hundred bytes."""
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    folder = private_folder(Path(tempfile.gettempdir()) / f"sage-desktop-{user}", ours=True)
    return folder / hashlib.sha256(str(workspace.resolve()).encode()).hexdigest()[:24]


def _usable(address: Path) -> bool:
    """Whether sockets of files are to be had here, and nobody else owns the folder."""
    if not hasattr(socket, "AF_UNIX"):
        return False
    return not hasattr(os, "getuid") or address.parent.lstat().st_uid == os.getuid()


def raise_open_window(workspace: Path) -> bool:
    """Ask the window that shows `workspace` to come to the front; whether there is one that did."""
    try:
        address = _address(workspace)
        if not _usable(address):
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(_ANSWER_S)
            line.connect(str(address))
            line.sendall(_RAISE)
            return line.recv(len(_RAISED)) == _RAISED
    except OSError:  # nobody listens, or it does not answer
        return False


class OneWindow(QObject):
    """Listens for second starts on `workspace` until `close`.

    Signals:
        wanted: Somebody started the program on the workspace again.
    """

    wanted = Signal()

    def __init__(self, workspace: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._listener: socket.socket | None = None
        self._notifier: QSocketNotifier | None = None
        self._address = _address(workspace)
        try:
            self._listen()
        except OSError as error:  # a second start then shows the file for reading, as without this
            logger.warning("A second start cannot raise this window: %s.", error)

    def _listen(self) -> None:
        if not _usable(self._address):
            return
        self._address.unlink(missing_ok=True)  # of a window that was killed: nobody answered there
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(self._address))
        listener.listen(4)
        listener.setblocking(False)  # noqa: FBT003 - the standard library's signature
        self._listener = listener
        self._notifier = QSocketNotifier(listener.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._answer)

    def _answer(self) -> None:
        if self._listener is None:
            return
        with suppress(OSError):  # whoever asked is gone again
            line, _peer = self._listener.accept()
            with line:
                line.settimeout(_ANSWER_S / 4)
                if line.recv(len(_RAISE)) == _RAISE:
                    line.sendall(_RAISED)
                    self.wanted.emit()

    def close(self) -> None:
        """Listen no more."""
        if self._notifier is not None:
            self._notifier.setEnabled(False)
        if self._listener is not None:
            self._listener.close()
            self._listener = None
            self._address.unlink(missing_ok=True)
