"""One window a workspace: a second start asks the open one to come to the front, and ends.

The window listens on a socket of its user, named by the workspace; who cannot reach it opens the
file as ever, for the lock of the engine decides who may write.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from core.private import is_private, private_folder

logger = logging.getLogger(__name__)
_ANSWER_S = 2.0  # a window that hangs for longer is left alone
_RAISE, _RAISED = b"raise\n", b"raised\n"


def _address(workspace: Path) -> Path:
    """The socket of a workspace; in a short folder, for addresses end after some hundred bytes.

    Raises:
        OSError: Sockets of files are not to be had here, or the folder is not this user's alone.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise OSError(errno.EAFNOSUPPORT, "no sockets of files")
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    folder = private_folder(
        Path(tempfile.gettempdir()) / f"sage-desktop-{user}", ours=True
    )
    if not is_private(folder):
        raise PermissionError(
            errno.EPERM, "not a folder of this user alone", str(folder)
        )
    return (
        folder / hashlib.sha256(os.path.realpath(workspace).encode()).hexdigest()[:24]
    )


def _answers(address: Path) -> bool:
    """Whether a window listens; one that takes the call without an answer counts.

    Raises:
        OSError: It cannot be told.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(_ANSWER_S)
        try:
            line.connect(str(address))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        return True


def _free(address: Path) -> None:
    """Remove what a window left that was killed; raises OSError where one listens, or it cannot be told."""
    if _answers(address):
        raise OSError(errno.EADDRINUSE, "another window listens", str(address))
    address.unlink(missing_ok=True)


def _clear(folder: Path) -> None:
    """Remove the folder where no window listens in it; raises OSError where one does."""
    with _alone_in(folder):
        for address in folder.iterdir():
            _free(address)
        folder.rmdir()


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep windows that begin at the same moment from taking each other's socket for a dead one."""
    import fcntl  # wherever there are sockets of files

    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(
            number, fcntl.LOCK_EX
        )  # for as long as one window binds, _ANSWER_S at most
        yield
    finally:
        os.close(number)


def raise_open_window(workspace: Path) -> bool:
    """Ask the window that shows `workspace` to come to the front; whether there is one that did."""
    try:
        address = _address(workspace)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(_ANSWER_S)
            line.connect(str(address))
            line.sendall(_RAISE)
            return line.recv(len(_RAISED)) == _RAISED
    except OSError:  # nothing listens, or it does not answer
        return False


class OneWindow(QObject):
    """Listens for second starts on `workspace` until `close`.

    Signals:
        wanted: The program was started on the workspace again.
    """

    wanted = Signal()

    def __init__(self, workspace: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._listener: socket.socket | None = None
        self._notifier: QSocketNotifier | None = None
        self._bound: tuple[Path, tuple[int, int]] | None = (
            None  # the socket, and which file that is
        )
        try:
            try:
                self._listen(_address(workspace))
            except FileNotFoundError:  # the last window closed, and took the folder
                self._listen(_address(workspace))
        except OSError as error:
            # A second start then shows the file for reading, as without this.
            logger.warning("A second start cannot raise this window: %s.", error)

    def _listen(self, address: Path) -> None:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _alone_in(address.parent):
                _free(address)
                listener.bind(str(address))
                self._bound = address, _file(address)
                listener.listen(4)
        except OSError:
            listener.close()
            raise
        listener.setblocking(False)  # noqa: FBT003 - the standard library's signature
        self._listener = listener
        self._notifier = QSocketNotifier(
            listener.fileno(), QSocketNotifier.Type.Read, self
        )
        self._notifier.activated.connect(self._answer)

    def _answer(self) -> None:
        if self._listener is None:
            return
        with suppress(OSError):  # the caller is gone again
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
        if self._bound is not None:
            (address, ours), self._bound = self._bound, None
            with suppress(OSError):  # gone already
                if _file(address) == ours:  # another window may have put its own there
                    address.unlink()
            with suppress(OSError):  # others are open
                _clear(address.parent)


def _file(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_dev, status.st_ino
