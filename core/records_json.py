"""JSON for frozen records: one way to write and read them, infinities and NaN included.

JSON has no spelling for non-finite numbers (msgspec writes `null` and then cannot read it back), but error
statistics of a kernel that returns NaN need them; they travel as the strings `"nan"`, `"inf"` and `"-inf"`.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable
from typing import Any, TypeVar, cast

import msgspec

from core.errors import InvalidInput
from core.text import Text

Record = TypeVar("Record")
_learning = threading.Lock()
_decoders: dict[tuple[Any, bool], msgspec.json.Decoder[Any]] = {}


def to_json(record: object) -> str:
    """Encode a frozen dataclass (or a collection of them); equal records give equal text.

    A `Text` is written as its English.
    """
    plain = msgspec.to_builtins(record, enc_hook=plain_text)
    return msgspec.json.encode(_speakable(plain), order="sorted").decode()


def from_json(text: str, kind: type[Record], source: str) -> Record:
    """Decode what `to_json` wrote.

    Raises:
        InvalidInput: The text is not JSON of such a record; names `source` and the field.
    """
    try:
        return cast("Record", _decoded(text, kind, strict=False))
    except ValueError as error:  # of msgspec, or a lone surrogate
        problem, _, path = str(error).partition(" - at ")
        raise InvalidInput(
            source, path.strip("`").removeprefix("$.") or kind.__name__, problem
        ) from error


def decode(text: str | bytes, kind: type[Record]) -> Record:
    """Decode JSON as `kind`, from any thread; raises `msgspec.DecodeError` like msgspec itself."""
    return cast("Record", _decoded(text, kind, strict=True))


def convert(values: Iterable[object], kind: type[Record]) -> tuple[Record, ...]:
    """Turn plain values into records, from any thread; 0 and 1 become booleans where the record has them.

    Raises:
        msgspec.ValidationError: A value is none of the record's; names the field.
    """
    _decoder(kind, strict=False)
    records = tuple[kind, ...]  # type: ignore[valid-type]
    return cast(
        "tuple[Record, ...]", msgspec.convert(list(values), records, strict=False)
    )


def prepare(kind: Any) -> None:
    """Let msgspec learn the types of `kind` now, in this thread alone."""
    _decoder(kind, strict=True)


def _decoded(text: str | bytes, kind: Any, *, strict: bool) -> Any:
    try:
        return _decoder(kind, strict=strict).decode(text)
    except RecursionError as error:
        raise msgspec.DecodeError(
            "nests too many lists or objects in each other"
        ) from error


def _decoder(kind: Any, *, strict: bool) -> msgspec.json.Decoder[Any]:
    """The decoder of a type, made once by one thread.

    msgspec 0.22 learns what a dataclass is made of when it first decodes one. Two threads that do so at the
    same time bring the process down: the second one finds the half of it that is there.
    """
    decoder = _decoders.get((kind, strict))
    if decoder is None:
        with _learning:
            decoder = _decoders[kind, strict] = msgspec.json.Decoder(
                kind, strict=strict
            )
    return decoder


def plain_text(value: object) -> object:
    """A `Text` as its English, where msgspec asks what it does not know.

    Raises:
        NotImplementedError: It is something else.
    """
    if isinstance(value, Text):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} has no form in JSON")


def _speakable(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _speakable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_speakable(entry) for entry in value]
    return value
