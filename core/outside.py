"""Files, JSON and TOML that others wrote, read within bounds: the one door for outside data.

Parsers recurse, so a text of a few kilobytes that nests a thousand brackets ends them; a size or a depth no
real file has is refused here, naming file and place, before anything else looks at the data.
"""

from __future__ import annotations

import gzip
import json
import os
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from core import records_json
from core.errors import InvalidInput

LARGEST_FILE = 256 << 20  # bytes; the largest recorded session is a hundredth of it
LARGEST_TOML = 16 << 20  # bytes; the largest imported task is a hundredth of it
_PIECE = 1 << 20
DEEPEST = 64  # tables or lists within each other; our own files nest 9
_REMEDY = "The file is damaged, or made to do harm."

Record = TypeVar("Record")


def read_file(path: Path, most: int = LARGEST_FILE) -> bytes:
    """The bytes of a file, at most `most` of them.

    Raises:
        InvalidInput: It cannot be read, is no regular file (a pipe would never end), or is larger.
    """
    require_regular(path)
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise InvalidInput(
            str(path), "file", "cannot be read: {error}", error=error.strerror or error
        ) from error
    if len(data) > most:
        raise _too_large(path, most)
    return data


def unpacked(path: Path, most: int = LARGEST_FILE) -> bytes:
    """What a gzip file holds, at most `most` bytes of it.

    Raises:
        InvalidInput: It is no regular file, or holds more.
        OSError: It cannot be read, or is no gzip file; so `EOFError` and `zlib.error`.
    """
    require_regular(path)
    pieces, size = [], 0
    with gzip.open(path, "rb") as file:
        while piece := file.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise _too_large(path, most)
    return b"".join(pieces)


def files_in(folder: Path, pattern: str) -> list[Path]:
    """The files of a folder of others that match, by name.

    Raises:
        InvalidInput: One is no regular file, or a link that leads out of the folder.
    """
    files = sorted(folder.glob(pattern))
    for path in files:
        require_regular(path)
        require_inside(path, folder)
    return files


def require_inside(path: Path, folder: Path) -> None:
    """Raise InvalidInput where `path` is a link that leads out of `folder`."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InvalidInput(
            str(path),
            "file",
            "is a link that leads out of the folder",
            "Put the file itself there.",
        )


def at_home(text: str) -> Path:
    """A path in which `~` stands for a home folder; unlike `Path.expanduser` an unknown user is no error."""
    return Path(os.path.expanduser(text))  # noqa: PTH111


def require_regular(path: Path) -> None:
    """Raise InvalidInput when there is no regular file at `path`: who opens a pipe waits for ever."""
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
    except ValueError as error:  # a NUL in the name
        raise InvalidInput(
            repr(str(path)), "file", "cannot be read: {error}", error=error
        ) from error
    except OSError as error:
        raise InvalidInput(
            str(path), "file", "cannot be read: {error}", error=error.strerror or error
        ) from error
    if not regular:
        raise InvalidInput(str(path), "file", "is not a regular file")


def read_text(path: Path, most: int = LARGEST_FILE) -> str:
    """The text of a UTF-8 file, with or without byte order mark; raises as `read_file`."""
    try:
        return read_file(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            str(path), f"byte {error.start}", "cannot be read: it is not UTF-8"
        ) from error


def _too_large(path: Path, most: int) -> InvalidInput:
    return InvalidInput(
        str(path),
        "file",
        "has more than {most} MiB, which is not read",
        most=most >> 20,
    )


def json_value(text: str | bytes, source: str, place: str = "file") -> Any:
    """Plain JSON of any shape, nested at most `DEEPEST` deep.

    Raises:
        InvalidInput: It is no JSON or nests deeper; names `source` and the place.
    """
    value = json_record(text, object, source, place)
    require_shallow(value, source, place)
    return value


def json_numbers(text: str | bytes, source: str, place: str = "file") -> Any:
    """JSON as Python writes it, in which a number may be NaN or infinite; nested at most `DEEPEST` deep.

    Raises:
        InvalidInput: It is no JSON or nests deeper; names `source` and the place.
    """
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise _too_deep(source, place) from error
    except ValueError as error:
        raise InvalidInput(
            source, place, "is not valid JSON: {error}", error=error
        ) from error
    require_shallow(value, source, place)
    return value


def json_record(
    text: str | bytes, kind: type[Record], source: str, place: str = "file"
) -> Record:
    """JSON of a known type, which bounds its depth.

    Raises:
        InvalidInput: It is no such JSON; names `source` and the place.
    """
    try:
        return records_json.decode(text, kind)
    except ValueError as error:  # of msgspec, or of Unicode
        problem, _, path = str(error).partition(" - at ")
        field = path.strip("`").removeprefix("$").removeprefix(".")
        raise InvalidInput(
            source, f"{place}: {field}" if field else place, problem
        ) from error


def toml_table(text: str | bytes, source: str) -> dict[str, Any]:
    """A TOML document, nested at most `DEEPEST` deep.

    Raises:
        InvalidInput: It is no TOML, or nests deeper; names `source` and the place.
    """
    if len(text) > LARGEST_TOML:
        raise InvalidInput(
            source,
            "file",
            "has more than {most} MiB, which is not read",
            most=LARGEST_TOML >> 20,
        )
    try:
        table = tomllib.loads(
            text if isinstance(text, str) else text.decode("utf-8-sig")
        )
    except RecursionError as error:
        raise _too_deep(source, "file") from error
    except ValueError as error:  # no TOML, no UTF-8, a number of thousands of digits
        raise InvalidInput(
            source, "file", "is not valid TOML: {error}", error=error
        ) from error
    require_shallow(table, source, "file")
    return table


def require_shallow(value: Any, source: str, place: str) -> None:
    """Refuse what nests deeper than `DEEPEST`; raises InvalidInput naming where that begins."""
    pending = [(value, 1, "")]
    while pending:
        folder, depth, path = pending.pop()
        entries = _entries(folder)
        if entries is None:
            continue
        if depth > DEEPEST:
            raise _too_deep(source, f"{place}: {path[:60]}…")
        pending += [
            (
                entry,
                depth + 1,
                f"{path}.{key}"
                if path and isinstance(key, str)
                else f"{path}{_index(key)}",
            )
            for key, entry in entries
            if isinstance(entry, dict | list | tuple)
        ]


def _entries(value: Any) -> Iterator[tuple[Any, Any]] | None:
    if isinstance(value, dict):
        return iter(value.items())
    return enumerate(value) if isinstance(value, list | tuple) else None


def _index(key: Any) -> str:
    return key if isinstance(key, str) else f"[{key}]"


def _too_deep(source: str, place: str) -> InvalidInput:
    return InvalidInput(
        source,
        place,
        "nests more than {most} lists or tables in each other",
        _REMEDY,
        most=DEEPEST,
    )


def convert(value: Any, kind: type[Record], source: str, place: str) -> Record:
    """A decoded value as a record of `kind`; raises InvalidInput naming `source`, place and field."""
    try:
        return msgspec.convert(value, kind)
    except InvalidInput as error:  # of the record's own checks
        raise InvalidInput(
            source, f"{place}.{error.field}", error.problem, error.remedy
        ) from error
    except (ValueError, RecursionError) as error:
        problem, _, path = str(error).partition(" - at ")
        field = path.strip("`").removeprefix("$").removeprefix(".")
        raise InvalidInput(
            source, f"{place}.{field}" if field else place, problem
        ) from error
