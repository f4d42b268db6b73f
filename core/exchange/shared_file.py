"""One file that several people replace: read whole, replaced whole, and only by who knows what it held.

Serves a folder of this computer or of the network from inside the application, and runs as a program of its
own on a host (Python 3.8, standard library alone). No server is needed: the right to replace the file is
a lease beside it, which `link` gives to one of all that ask, also over NFS, and which expires when its holder
died. Its age is told by the clock of the file server alone, so clocks of people need not agree.

Should a holder sleep through its lease just before it replaces the file, the other's share is missing there
until its next exchange: everybody keeps a whole memory of his own.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator, Optional

LEASE_S = 60.0
LARGEST = 256 << 20  # bytes; more is not read
DEFAULT_NAME = "team.sage"
_LOOK_S = 0.05
_LEFT_BEHIND_S = 3600.0
_WITHOUT_LINKS = (
    errno.EPERM,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
    errno.EMLINK,
)


class Unusable(Exception):
    """The file or its folder cannot be used; says which and why."""


def located(text: str, home: Optional[Path] = None) -> Path:
    """The file a person named: `~` is the home folder; a folder's is `team.sage`, a link's its target.

    A name that ends with a slash means a folder, which is made when the one above it is there.
    """
    path = Path(os.path.expanduser(text))
    path = Path(os.path.realpath(str(path if home is None else home / path)))
    if text.endswith(("/", os.sep)) and not path.exists() and path.parent.is_dir():
        try:
            path.mkdir()
        except OSError as error:
            raise Unusable("%s cannot be made: %s" % (path, error.strerror)) from error
    if path.is_dir():
        path /= DEFAULT_NAME
    if not path.parent.is_dir():
        raise Unusable("there is no folder %s" % path.parent)
    return path


def read(path: Path) -> Optional[bytes]:
    """The whole file; None when there is none."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unusable("%s cannot be read: %s" % (path, error.strerror)) from error
    if len(data) > LARGEST:
        raise Unusable(
            "%s has more than %d MiB, which is not read" % (path, LARGEST >> 20)
        )
    return data


def digest(data: Optional[bytes]) -> str:
    """What names a content: its sha256, nothing for no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def replace(path: Path, data: bytes, expected: str, lease_s: float = LEASE_S) -> bool:
    """Replace the file if its content is still the expected one.

    Args:
        path: As `located` gives it. The new file has the folder's group, and its mode without execution.
        data: The new content.
        expected: `digest` of the content the new one was made from.
        lease_s: Seconds after which the lease of one that does not finish is anybody's.

    Returns:
        Whether it was replaced; false when somebody was faster.

    Raises:
        Unusable: The folder cannot be written.
    """
    if len(data) > LARGEST:  # nobody could read it again
        raise Unusable("%s would have more than %d MiB" % (path, LARGEST >> 20))
    try:
        fresh = _written(path, data)
        try:
            with _lease(path, lease_s) as lease:
                if digest(read(path)) != expected or not lease.held():
                    return False
                os.replace(str(fresh), str(path))
                _settle(path.parent)
                return True
        finally:
            with suppress(FileNotFoundError):
                fresh.unlink()
    except OSError as error:
        raise Unusable(
            "%s cannot be replaced: %s" % (path, error.strerror or error)
        ) from error


def _written(path: Path, data: bytes) -> Path:
    """A new file beside the old one, whole and on disk, with the folder's group and mode."""
    folder = path.parent.stat()
    number, name = tempfile.mkstemp(
        dir=str(path.parent), prefix=".%s." % path.name, suffix=".new"
    )
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            with suppress(
                OSError, AttributeError
            ):  # not a member of the group; no groups on this system
                os.chown(name, -1, folder.st_gid)
            with suppress(OSError):  # a file system without modes
                os.chmod(name, folder.st_mode & 0o666)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(name)
        raise
    return Path(name)


def _settle(folder: Path) -> None:
    """Have the new name on disk, too."""
    with suppress(OSError):
        number = os.open(str(folder), os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


class _Lease:
    """The right to replace a file, held while `<name>.lease` beside it has our token."""

    def __init__(self, path: Path, lease_s: float) -> None:
        self._path = path.with_name(".%s.lease" % path.name)
        self._lease_s = lease_s
        self._token = _token(path)
        self._until = 0.0

    def take(self) -> None:
        """Wait until the lease is ours; one whose holder died is taken over when it has expired."""
        try:
            while not self._try():
                time.sleep(_LOOK_S * (0.5 + random.random()))
        finally:
            if self._token.exists():
                self._token.unlink()

    def held(self) -> bool:
        """Whether it is still ours: nobody took it over, and its time is not up."""
        try:
            return (
                time.monotonic() < self._until
                and self._path.read_text() == self._token.name
            )
        except OSError:
            return False

    def release(self) -> None:
        """Give it back, unless it is another's by now."""
        if self.held():
            with suppress(FileNotFoundError):
                self._path.unlink()

    def _try(self) -> bool:
        os.utime(str(self._token))  # the time of the file server
        until = time.monotonic() + self._lease_s
        try:
            os.link(str(self._token), str(self._path))
        except FileExistsError:
            if not self._expired():
                return False
            os.replace(
                str(self._token), str(self._path)
            )  # what two do at once, `held` tells them apart
        except OSError as error:
            if error.errno not in _WITHOUT_LINKS:
                raise
            if not self._made():
                return False
        self._until = until
        return True

    def _made(self) -> bool:
        """Take it on a file system without links."""
        try:
            number = os.open(
                str(self._path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666
            )
        except FileExistsError:
            if not self._expired():
                return False
            os.replace(str(self._token), str(self._path))
            return True
        with os.fdopen(number, "w") as file:
            file.write(self._token.name)
        return True

    def _expired(self) -> bool:
        try:
            age = self._token.stat().st_mtime - self._path.stat().st_mtime
        except FileNotFoundError:  # given back meanwhile
            return False
        return abs(age) > self._lease_s


def _token(path: Path) -> Path:
    """A file whose name and content are ours alone."""
    number, name = tempfile.mkstemp(
        dir=str(path.parent), prefix=".%s." % path.name, suffix=".token"
    )
    with os.fdopen(number, "w") as file:
        file.write(os.path.basename(name))
    return Path(name)


@contextmanager
def _lease(path: Path, lease_s: float) -> Iterator[_Lease]:
    lease = _Lease(path, lease_s)
    lease.take()
    try:
        _clean(path)
        yield lease
    finally:
        lease.release()


def _clean(path: Path) -> None:
    """Remove what clients that died long ago left behind, by the clock of the file's server."""
    try:
        now = (
            path.with_name(".%s.lease" % path.name).stat().st_mtime
        )  # ours, taken this moment
    except OSError:
        return
    for end in ("new", "token"):
        for left in path.parent.glob(".%s.*.%s" % (path.name, end)):
            with suppress(OSError):
                if now - left.stat().st_mtime > _LEFT_BEHIND_S:
                    left.unlink()


def main() -> int:
    """`read FILE TARGET` copies the file; `replace FILE NEW DIGEST` replaces it. Prints JSON."""
    words = sys.argv[1:]
    try:
        path = located(words[1], Path.home())
        if words[0] == "read":
            data = read(path)
            if data is not None:
                Path(words[2]).write_bytes(data)
            answer = {"there": data is not None}
        else:
            answer = {"replaced": replace(path, Path(words[2]).read_bytes(), words[3])}
    except Unusable as error:
        sys.stdout.write(json.dumps({"error": str(error)}) + "\n")
        return 1
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
