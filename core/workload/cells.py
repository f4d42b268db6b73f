"""What stands in a cell of a profile: numbers, and lists of shapes, types and formats."""

from __future__ import annotations

from core.errors import InvalidInput
from core.workload.records import Tensor

UNLISTED = ("", "N/A", "NULL")  # a cell that says nothing

_DTYPES = {
    "FLOAT": "float32",
    "FLOAT32": "float32",
    "FP32": "float32",
    "F32": "float32",
    "FLOAT16": "float16",
    "FP16": "float16",
    "F16": "float16",
    "HALF": "float16",
    "BF16": "bfloat16",
    "BFLOAT16": "bfloat16",
    "DOUBLE": "float64",
    "FLOAT64": "float64",
}
_MOST_DIGITS = 19  # of a length: 64 bits hold 18 whole ones
_ABSENT = {"UNDEFINED", "N/A", ""}
_NS = 1000  # nanoseconds of a microsecond


def number(text: str, place: tuple[str, int, str]) -> float:
    """A number of at least 0.

    Args:
        text: The cell.
        place: File, row (the header is row 1) and column, for the error.

    Raises:
        InvalidInput: It is none.
    """
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise fault(place, "{text!r} is not a time or a number", text=text.strip())
    return value


def nanoseconds(text: str, place: tuple[str, int, str]) -> int:
    """Nanoseconds of a time in microseconds.

    It has up to 19 digits, of which a float keeps 16, so the parts are read apart.
    """
    whole, _, part = text.strip().partition(".")
    digits = part[:3].ljust(3, "0")
    if not (whole.isdecimal() and digits.isdecimal()):
        raise fault(place, "{text!r} is not a time", text=text.strip())
    return int(whole) * _NS + int(digits)


def fault(
    place: tuple[str, int, str], problem: str, remedy: str = "", /, **fields: object
) -> InvalidInput:
    """The error that names file, row and column."""
    file, row, column = place
    field = f"row {row}, {column}"
    return InvalidInput(file, field, problem, remedy, **fields)


def tensors(
    cells: tuple[str, str, str], place: tuple[str, int, str]
) -> tuple[Tensor, ...]:
    """The tensors of a launch, from cells of shapes, types and formats; none if unlisted.

    `;` separates tensors, `,` lengths; brackets and quotes are some tools' own. An empty
    entry is a scalar, or, where its type is undefined or its neighbours end there, a
    tensor that the call left out.
    """
    shapes, dtypes, formats = cells
    bare = shapes.strip().strip('"')
    # An empty cell beside one of types is a single scalar.
    is_scalar = bare == "" and dtypes not in UNLISTED
    if bare in UNLISTED and not is_scalar:
        return ()
    names = _entries(dtypes)
    kinds = _entries(formats)
    listed = []
    for index, entry in enumerate(bare.split(";")):
        lengths = entry.strip().strip("[]()").strip()
        dtype = _dtype(names[index]) if index < len(names) else ""
        kind = kinds[index] if index < len(kinds) else ""
        shape = _shape(lengths, place)
        has_null_format = kind == "NULL"
        absent = not lengths and (dtype in _ABSENT or has_null_format)
        if has_null_format:
            kind = ""
        listed.append(Tensor(shape, dtype, kind, absent))
    return tuple(listed)


def _entries(text: str) -> list[str]:
    bare = text.strip().strip('"')
    if bare in UNLISTED:
        return []
    return [entry.strip() for entry in bare.split(";")]


def _dtype(name: str) -> str:
    """A type by our name; one that we do not know keeps its own, in small letters."""
    plain = name.strip().upper().removeprefix("DT_")
    if plain in _ABSENT:
        return ""
    return _DTYPES.get(plain, plain.lower())


def _shape(lengths: str, place: tuple[str, int, str]) -> tuple[int, ...]:
    if not lengths:
        return ()
    sizes = [length.strip() for length in lengths.split(",")]
    for size in sizes:
        if not size.isdecimal() or len(size) >= _MOST_DIGITS:
            raise fault(place, "{lengths!r} is not a shape", lengths=lengths[:60])
    return tuple(map(int, sizes))
