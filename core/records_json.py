"""JSON for frozen records: one way to write and read them, infinities and NaN included.

JSON has no spelling for non-finite numbers (msgspec writes `null` and then cannot read it back), but error
statistics of a kernel that returns NaN need them; they travel as the strings `"nan"`, `"inf"` and `"-inf"`.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

import msgspec

from core.errors import InvalidInput

Record = TypeVar("Record")


def to_json(record: object) -> str:
    """Encode a frozen dataclass (or a collection of them); equal records give equal text."""
    return msgspec.json.encode(_speakable(msgspec.to_builtins(record)), order="sorted").decode()


def from_json(text: str, kind: type[Record], source: str) -> Record:
    """Decode what `to_json` wrote.

    Raises:
        InvalidInput: The text is not JSON of such a record; names `source` and the field.
    """
    try:
        return msgspec.json.decode(text, type=kind, strict=False)
    except msgspec.DecodeError as error:
        problem, _, path = str(error).partition(" - at ")
        raise InvalidInput(source, path.strip("`").removeprefix("$.") or kind.__name__, problem) from error


def _speakable(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _speakable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_speakable(entry) for entry in value]
    return value
