"""What an operator has to move and to compute at least, from the shapes of a profile.

A profile has no strides, no attributes and no values. What shapes do not tell stays
unknown: no floor is drawn from a guess.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources

from core.evaluation.roofline import CUBE_OPS
from core.workload.records import Group, Tensor

_PLAIN = ("", "ND", "FORMAT_ND", "NCL", "NCHW", "NHWC", "NCDHW", "NULL")
_SOFTMAX_LANES = 8  # length of the last axis of an attention's row sums
_GRADIENT_PRODUCTS = 2.5  # five products for the two of the forward pass


class Known(StrEnum):
    """How much of an operator's work is known."""

    WHOLE = "whole"
    PRODUCTS = "products only"  # of an attention: its softmax is not counted
    BYTES = "bytes only"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Work:
    """The least an operator can do.

    Attributes:
        known: How much of it is.
        bytes: From and to memory.
        least_operations: Of the cube, where a causal mask halves them.
        operations: Of the cube, dense.
        operation_rate: Of these, a cycle and core.
    """

    known: Known
    bytes: float = 0.0
    least_operations: float = 0.0
    operations: float = 0.0
    operation_rate: float = float(CUBE_OPS["fp16"])


@dataclass(frozen=True)
class _Types:
    """Names of operators by what they do, as `resources/baselines/work.toml` has them."""

    moves: frozenset[str]
    by_index: frozenset[str]
    writes_only: frozenset[str]
    products: frozenset[str]
    attention: frozenset[str]
    attention_gradient: frozenset[str]
    scatters: frozenset[str]
    writes_inputs: Mapping[str, int]


@cache
def _types() -> _Types:
    text = (resources.files("resources") / "baselines" / "work.toml").read_text("utf-8")
    table = tomllib.loads(text)
    in_place = table.pop("writes_inputs")
    names = {key: frozenset(listed) for key, listed in table.items()}
    return _Types(writes_inputs=in_place, **names)


def work_of(group: Group) -> Work:
    """What a launch of this signature has to do."""
    moved = _bytes(group)
    if moved is None:
        return Work(Known.NOTHING)
    types = _types()
    name = group.operator
    if name in types.products:
        return _product(group, moved)
    if name in types.attention:
        return _attention(group, moved, 1.0)
    if name in types.attention_gradient:
        return _attention(group, moved, _GRADIENT_PRODUCTS)
    is_listed = name in types.moves or name in types.by_index
    is_whole = is_listed and bool(group.outputs or name in types.writes_inputs)
    return Work(Known.WHOLE if is_whole else Known.BYTES, moved)


def _bytes(group: Group) -> float | None:
    """Bytes that have to be moved; None where a shape or the width of a type is unknown."""
    if not group.has_shapes:
        return None
    reads = _total(group.inputs)
    writes = _total(group.outputs)
    if reads is None or writes is None:
        return None
    types = _types()
    if group.operator in types.writes_only:
        return writes or reads
    if not group.outputs and group.operator in types.writes_inputs:
        count = types.writes_inputs[group.operator]
        return reads + sum(tensor.bytes or 0.0 for tensor in group.inputs[:count])
    if group.operator in types.scatters and group.inputs:
        return reads + min(writes, group.inputs[0].bytes or 0.0)
    if group.operator in types.by_index and group.inputs:
        of_table = group.inputs[0].bytes or 0.0
        return reads - of_table + min(of_table, writes) + writes
    return reads + writes


def _total(tensors: Sequence[Tensor]) -> float | None:
    sizes = [tensor.bytes for tensor in tensors]
    listed = [size for size in sizes if size is not None]
    return sum(listed) if len(listed) == len(sizes) else None


def _product(group: Group, moved: float) -> Work:
    """A product of two matrices, whichever of them is transposed.

    With |A| = b m k, |B| = b k n and |C| = b m n, the length k is the root of
    |A| |B| / (|C| b).
    """
    unknown = Work(Known.BYTES, moved)
    if len(group.inputs) < 2 or not group.outputs:
        return unknown
    first, second, result = group.inputs[0], group.inputs[1], group.outputs[0]
    matrices = (first, second, result)
    if any(len(one.shape) < 2 or one.format not in _PLAIN for one in matrices):
        return unknown
    if not result.elements:
        return unknown
    batch = min(math.prod(one.shape[:-2]) for one in (first, second))
    square = first.elements * second.elements / (result.elements * batch)
    length = math.isqrt(round(square))
    if length * length != round(square) or length not in first.shape:
        return unknown
    operations = 2.0 * result.elements * length
    # Float32 may be worked on as HF32, which a profile does not always say.
    rate = float(CUBE_OPS["fp16"]) * (2 if first.dtype == "int8" else 1)
    return Work(Known.WHOLE, moved, operations, operations, rate)


def _attention(group: Group, moved: float, factor: float) -> Work:
    """Scores of every query with every key, and the sum of values, in products.

    The row sums of the softmax, [batch, heads, queries, 8], say what the axes of the
    query are. A mask may leave half of the scores out.
    """
    unknown = Work(Known.BYTES, moved)
    sums = next(
        (
            tensor.shape
            for tensor in (*group.outputs, *group.inputs)
            if len(tensor.shape) == 4
            and tensor.shape[-1] == _SOFTMAX_LANES
            and tensor.dtype == "float32"
        ),
        None,
    )
    if sums is None or len(group.inputs) < 3:
        return unknown
    batch, heads, queries, _lanes = sums
    query, key = group.inputs[0], group.inputs[1]
    axis = _axis_of(query.shape, batch, heads, queries)
    if axis is None or len(key.shape) != len(query.shape):
        return unknown
    width = query.elements / (batch * heads * queries)  # of a head
    scores = float(batch) * heads * queries * key.shape[axis]
    operations = factor * 4.0 * scores * width
    is_masked = any(
        tensor.dtype in ("bool", "uint8")
        for tensor in group.inputs[3:]
        if not tensor.absent and len(tensor.shape) > 1
    )
    return Work(
        Known.PRODUCTS, moved, operations / 2 if is_masked else operations, operations
    )


def _axis_of(
    shape: tuple[int, ...], batch: int, heads: int, queries: int
) -> int | None:
    """Where the queries are in [s, b, h], [b, s, h], [b, n, s, d] or [b, s, n, d]."""
    if len(shape) == 3:
        return {(queries, batch): 0, (batch, queries): 1}.get(shape[:2])
    if len(shape) == 4:
        return {(batch, heads, queries): 2, (batch, queries, heads): 1}.get(shape[:3])
    return None
