"""Files a person asks for, written whole or not at all: who reads one never finds the half of it."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from core.errors import InvalidInput, SageError
from core.held_file import held

DATABASE = b"SQLite format 3\0"  # what one begins with


@contextmanager
def whole_file(path: Path, *, over_database: bool = False) -> Iterator[Path]:
    """Give a file beside `path` to write; it takes that place, whole and on disk, when the block ends well.

    It has the name of `path`, in a hidden folder of its own: writers who go by the suffix may be used.
    What was at `path` stays there until then, and when anything fails.

    Args:
        path: The file.
        over_database: Whether a database may be there. A table or a report never takes the place of one: it
            may be a workspace, open even, with everything learnt.

    Raises:
        SageError: It cannot be written, here or by the block; names file and reason.

    Example:
        >>> with whole_file(Path("rows.csv")) as draft:
        ...     draft.write_text("a,b")
    """
    try:
        # Behind a link the file is replaced, not the link.
        place = Path(os.path.realpath(path))
        with suppress(FileNotFoundError):
            # Before the work; a name that is too long fails here.
            if stat.S_ISDIR(place.stat().st_mode):
                raise IsADirectoryError(
                    errno.EISDIR, os.strerror(errno.EISDIR), str(place)
                )
            if not over_database:
                _refuse_database(place, path)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".saving-") as folder:
            draft = Path(folder) / place.name
            yield draft
            # A file that is replaced keeps who may read it.
            with suppress(FileNotFoundError):
                shutil.copymode(place, draft)
            _settle(draft)
            draft.replace(place)
            with suppress(OSError):  # not every system settles folders
                _settle(place.parent)
    except OSError as error:
        raise cannot_be_written(path, error.strerror or str(error)) from error


def cannot_be_written(path: Path, reason: str) -> SageError:
    """The error that names file and reason."""
    return SageError(
        "{path} cannot be written: {reason}.",
        "Choose another name or folder.",
        path=path,
        reason=reason,
    )


def write_text(path: Path, text: str) -> Path:
    """Write a text as UTF-8, see `whole_file`; returns `path`."""
    with whole_file(path) as draft:
        draft.write_text(text, encoding="utf-8")
    return path


def write_files(files: Mapping[str, str], folder: Path, *, new: bool = True) -> None:
    """Write texts by their path below a folder; scripts become executable.

    Raises:
        InvalidInput: The folder holds something although it is to be `new`, or cannot be written.
    """
    with writing_folder(folder):
        if new and folder.exists() and any(folder.iterdir()):
            raise InvalidInput(
                str(folder), "folder", "is not empty", "Choose another folder."
            )
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            if path.suffix == ".sh":
                path.chmod(0o755)


@contextmanager
def writing_folder(folder: Path) -> Iterator[None]:
    """Say of what the system refuses inside that `folder` cannot be written, as InvalidInput."""
    try:
        yield
    except OSError as error:
        raise InvalidInput(
            str(folder),
            "folder",
            "cannot be written: {error}",
            error=error.strerror or error,
        ) from error


def _refuse_database(place: Path, path: Path) -> None:
    if not place.is_file():  # a pipe would be waited for
        return
    with held(place) as file:
        if file.read(len(DATABASE)) == DATABASE:
            raise SageError(
                "{path} is a database, such as a workspace: nothing else is written in its place.",
                "Choose another name.",
                path=path,
            )


def _settle(path: Path) -> None:
    """Have it on disk, not only in the system's memory."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
