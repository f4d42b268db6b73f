"""Records from plain values and back: what crosses a process or a file is read once, strictly, at its edge.

A record is a dataclass of records, numbers, texts, members of enumerations, tuples and tables. What has another
form is refused with the path of the field that does not fit. Needs the standard library alone.
"""

from __future__ import annotations

import json
import os
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

Record = TypeVar("Record")
_SCALARS = (bool, int, float, str)


class Unfit(Exception):
    """A value has another form than its field; the text names both."""


def read(kind: type[Record], value: object, place: str = "") -> Record:
    """Read a record from plain values; fields that are left out have their default.

    Args:
        kind: A dataclass whose field types this module knows.
        value: What came: of JSON, or of another process.
        place: How a message names it.

    Raises:
        Unfit: A field is missing, unknown or of another type.
    """
    if not isinstance(value, Mapping):
        raise Unfit(
            f"{place or 'value'}: expected {kind.__name__}, found {_shown(value)}"
        )
    field_types = _fields(typing.cast("typing.Hashable", kind))
    for name in value:
        if name not in field_types:
            raise Unfit(f"{_at(place, name)}: {kind.__name__} has no such field")
    for name, (_, required) in field_types.items():
        if required and name not in value:
            raise Unfit(f"{_at(place, name)}: is missing")
    return kind(
        **{
            name: _read(field_types[name][0], given, _at(place, name))
            for name, given in value.items()
        }
    )


def plain(record: Any) -> Any:
    """The plain values of a record, for JSON: tables, lists, numbers, texts."""
    if is_dataclass(record):
        return {
            field.name: plain(getattr(record, field.name)) for field in fields(record)
        }
    if isinstance(record, Mapping):
        return {name: plain(value) for name, value in record.items()}
    return (
        [plain(value) for value in record]
        if isinstance(record, tuple | list)
        else record
    )


def place_json(path: Path, value: Any) -> None:
    """Write plain values into a file, whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    partial.write_text(json.dumps(value), encoding="utf-8")
    partial.replace(path)


def kept_json(path: Path) -> dict[str, Any]:
    """The table in a file that `place_json` wrote; an empty one where there is none or it is damaged."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}


@cache
def _fields(kind: Any) -> Mapping[str, tuple[Any, bool]]:
    """Type of each field, and whether it has to be given."""
    hints = typing.get_type_hints(kind)
    return {
        field.name: (
            hints[field.name],
            field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(kind)
    }


def _read(kind: Any, value: object, place: str) -> Any:
    if kind is Any:
        return value
    if kind in _SCALARS:
        return _scalar(kind, value, place)
    if is_dataclass(kind) and isinstance(kind, type):
        return read(kind, value, place)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _member(kind, value, place)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        if value is None and types.NoneType in arguments:
            return None
        kinds = [one for one in arguments if one is not types.NoneType]
        return _read_one_of(kinds, value, place)
    if origin in (tuple, list):
        if not isinstance(value, list | tuple):
            raise Unfit(f"{place}: expected a list, found {_shown(value)}")
        return origin(
            _read(arguments[0], one, f"{place}[{at}]") for at, one in enumerate(value)
        )
    if not isinstance(value, Mapping) or not all(
        isinstance(name, str) for name in value
    ):
        raise Unfit(f"{place}: expected a table, found {_shown(value)}")
    return {
        name: _read(arguments[1], one, _at(place, name)) for name, one in value.items()
    }


def _read_one_of(kinds: list[Any], value: object, place: str) -> Any:
    """The value as the first kind that it fits."""
    if len(kinds) == 1:
        return _read(kinds[0], value, place)
    for kind in kinds:
        try:
            return _read(kind, value, place)
        except Unfit:
            continue
    names = ", ".join(str(getattr(kind, "__name__", kind)) for kind in kinds)
    raise Unfit(f"{place}: expected one of {names}, found {_shown(value)}")


def _member(kind: type[Enum], value: object, place: str) -> Enum:
    try:
        return kind(value)
    except ValueError:
        raise Unfit(f"{place}: {_shown(value)} is no {kind.__name__}") from None


def _scalar(kind: type, value: object, place: str) -> object:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise Unfit(f"{place}: expected {kind.__name__}, found {_shown(value)}")


def _at(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _shown(value: object) -> str:
    return repr(value)[:80]
