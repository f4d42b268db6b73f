"""The fills a case may ask for (`InputSpec.fill`): which texts are allowed, and for which dtypes."""

from __future__ import annotations

import re

from core.operators.spec import DType
from core.operators.toml_table import Table

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_FILLS = (
    re.compile(r"normal|special|arange|signs"),
    re.compile(
        rf"(?P<two>uniform|integers)\(\s*(?P<low>{_NUMBER})\s*,\s*(?P<high>{_NUMBER})\s*\)"
    ),
    re.compile(rf"constant\(\s*(?:{_NUMBER}|[+-]?inf|nan)\s*\)"),
    re.compile(
        rf"(?P<listed>values)\(\s*(?P<numbers>{_NUMBER}(?:\s*,\s*{_NUMBER})*)\s*\)"
    ),
)
_FILL_NAMES = "normal, special, arange, signs, uniform(lo,hi), integers(lo,hi), constant(v), values(a,b,...)"
_INTEGERS = frozenset({DType.INT8, DType.INT16, DType.INT32, DType.INT64, DType.UINT8})


def check_fill(table: Table, fill: str, dtype: DType, elements: int) -> None:
    """Check the fill of one input.

    Raises:
        InvalidInput: Unknown, an empty range, not one value for each element, or not for this dtype.
    """
    match = next(
        (fitting for pattern in _FILLS if (fitting := pattern.fullmatch(fill))), None
    )
    if match is None:
        raise table.fault(
            "fill",
            "{fill!r} is not a known fill",
            "Available: {fill_names}.",
            fill=fill,
            fill_names=_FILL_NAMES,
        )
    bounds = match.groupdict()
    if bounds.get("two") and not float(bounds["low"]) < float(bounds["high"]):
        raise table.fault("fill", "{fill!r} is an empty range", fill=fill)
    if bounds.get("listed") and len(bounds["numbers"].split(",")) != elements:
        raise table.fault(
            "fill",
            "{fill!r} does not give one value for each of {elements} elements",
            fill=fill,
            elements=elements,
        )
    if fill == "special" and (dtype in _INTEGERS or dtype is DType.BOOL):
        raise table.fault(
            "fill",
            "special values need a floating dtype, not {dtype}",
            dtype=dtype.value,
        )
