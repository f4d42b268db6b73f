"""Documentation a user added: folders of Markdown, indexed once, brought up to date by what changed.

The index holds the sections: a file is read again only when its time or size changed, and its sections are
made again only when its text did. Plain files within bounds; links are not followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import msgspec

from core.errors import InvalidInput, SageError
from core.outside import json_record, read_file
from core.private import private_folder, write_private
from core.references.sections import Section, sections_of

SUFFIXES = (".md", ".markdown")
MOST_FILES = 20_000
MOST_FOLDERS = 16
LARGEST_FILE = 1 << 20  # bytes; a longer one is left out and told
LARGEST_FOLDER = 128 << 20  # bytes of all files together
_LIST = "folders.json"
_VERSION = 1  # of the sections; another one makes them again


class _File(msgspec.Struct, array_like=True):
    """An indexed file: time of change, size, sha256 and sections as (title, names, text)."""

    mtime_ns: int
    size: int
    sha256: str
    sections: list[tuple[str, list[str], str]]


class _Index(msgspec.Struct):
    """The index of a folder as stored."""

    version: int
    folder: str
    files: dict[str, _File]


@dataclass(frozen=True)
class Indexed:
    """What indexing a folder came to.

    Attributes:
        folder: The folder.
        files: Indexed Markdown files.
        read: Those read now, because they were new or changed.
        sections: Of all files.
        left_out: Files that are too large or no UTF-8, with the reason.
    """

    folder: Path
    files: int
    read: int
    sections: tuple[Section, ...] = field(repr=False)
    left_out: tuple[str, ...] = ()


class UserFolders:
    """The folders a user added.

    Args:
        place: Folder of ours for the list and the indexes; made on demand, for its owner alone.
    """

    def __init__(self, place: Path) -> None:
        self._place = place

    def folders(self) -> tuple[Path, ...]:
        """The folders in the order they were added."""
        path = self._place / _LIST
        if not path.exists():
            return ()
        return tuple(
            Path(text) for text in json_record(read_file(path), list[str], str(path))
        )

    def add(self, folder: Path) -> Indexed:
        """Index a folder and remember it; one that is known is brought up to date.

        Raises:
            InvalidInput: It is no folder, holds no Markdown or more than the bounds.
        """
        whole = folder.resolve()
        if not whole.is_dir():
            raise InvalidInput(
                str(folder),
                "folder",
                "is not there or no folder",
                "Name a folder of Markdown files.",
            )
        folders = self.folders()
        if whole not in folders and len(folders) >= MOST_FOLDERS:
            raise SageError(
                "There are {most} folders of documentation already.",
                "Remove one first.",
                most=MOST_FOLDERS,
            )
        refreshed = self._refresh(whole)
        if not refreshed.files:
            raise InvalidInput(
                str(folder),
                "folder",
                "holds no {known} file",
                known=" or ".join(SUFFIXES),
            )
        if whole not in folders:
            self._remember((*folders, whole))
        return refreshed

    def remove(self, folder: Path) -> None:
        """Forget a folder and its index; its files stay as they are.

        Raises:
            SageError: It was not added.
        """
        whole, folders = folder.resolve(), self.folders()
        if whole not in folders:
            raise SageError(
                "{folder} was not added.", "See `sage references list`.", folder=folder
            )
        self._remember(tuple(entry for entry in folders if entry != whole))
        self._index_path(whole).unlink(missing_ok=True)

    def refresh(self) -> tuple[Indexed, ...]:
        """All folders brought up to date; one that is gone has no files."""
        return tuple(self._refresh(folder) for folder in self.folders())

    def _remember(self, folders: tuple[Path, ...]) -> None:
        private_folder(self._place, ours=True)
        write_private(
            self._place / _LIST,
            msgspec.json.encode([str(folder) for folder in folders]),
        )

    def _index_path(self, folder: Path) -> Path:
        return self._place / f"{sha256(str(folder).encode()).hexdigest()[:16]}.json"

    def _stored(self, folder: Path) -> dict[str, _File]:
        path = self._index_path(folder)
        if not path.exists():
            return {}
        try:
            index = json_record(read_file(path), _Index, str(path))
        except InvalidInput:  # an index is only a copy: it is made again
            return {}
        return (
            index.files
            if (index.version, index.folder) == (_VERSION, str(folder))
            else {}
        )

    def _refresh(self, folder: Path) -> Indexed:
        before = self._stored(folder)
        files: dict[str, _File] = {}
        left_out: list[str] = []
        total = read = 0
        for path, status in _markdown(folder):
            name = path.relative_to(folder).as_posix()
            total += status.st_size
            if len(files) >= MOST_FILES or total > LARGEST_FOLDER:
                raise InvalidInput(
                    str(folder),
                    "folder",
                    "holds more than {files} Markdown files or {mib} MiB of them",
                    "Add a folder further down, for instance docs/api.",
                    files=MOST_FILES,
                    mib=LARGEST_FOLDER >> 20,
                )
            indexed = before.get(name)
            if indexed is not None and (indexed.mtime_ns, indexed.size) == (
                status.st_mtime_ns,
                status.st_size,
            ):
                files[name] = indexed
                continue
            read += 1
            try:
                files[name] = _indexed(path, name, folder.name, status, indexed)
            except InvalidInput as error:
                left_out.append(str(error))
        if read or set(files) != set(before):
            private_folder(self._place, ours=True)
            index = _Index(_VERSION, str(folder), files)
            write_private(self._index_path(folder), msgspec.json.encode(index))
        sections = tuple(
            Section(title, tuple(names), text, f"{folder.name}/{name}")
            for name in sorted(files)
            for title, names, text in files[name].sections
        )
        return Indexed(folder, len(files), read, sections, tuple(left_out))


def _indexed(
    path: Path, name: str, root: str, status: os.stat_result, indexed: _File | None
) -> _File:
    data = read_file(path, LARGEST_FILE)
    digest = sha256(data).hexdigest()
    if indexed is not None and indexed.sha256 == digest:
        return _File(status.st_mtime_ns, status.st_size, digest, indexed.sections)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            str(path), f"byte {error.start}", "cannot be read: it is not UTF-8"
        ) from error
    sections = [
        (entry.title, list(entry.names), entry.text)
        for entry in sections_of(text, f"{root}/{name}")
    ]
    return _File(status.st_mtime_ns, status.st_size, digest, sections)


def _markdown(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Regular Markdown files below a folder in a stable order; links and hidden folders are passed over."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place) / name
            if path.suffix.lower() not in SUFFIXES:
                continue
            try:
                status = path.lstat()
            except OSError:  # gone meanwhile
                continue
            if stat.S_ISREG(status.st_mode):
                yield path, status
