"""A record from another one with fields of the same names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast

Record = TypeVar("Record")


def values_of(record: object) -> dict[str, Any]:
    """The values of a record by the names of its fields, records in it as they are."""
    return {
        entry.name: getattr(record, entry.name) for entry in fields(cast("Any", record))
    }


def record_of(kind: type[Record], source: object, /, **others: object) -> Record:
    """Make a `kind` of the fields that `source`, a record or a mapping, has under their names, and `others`.

    Raises:
        TypeError: A field without a default is given by neither.
    """
    mapping = source if isinstance(source, Mapping) else None
    values = {}
    for name in (
        entry.name for entry in fields(cast("Any", kind)) if entry.name not in others
    ):
        if mapping is None and hasattr(source, name):
            values[name] = getattr(source, name)
        elif mapping is not None and name in mapping:
            values[name] = mapping[name]
    return kind(**values, **others)
