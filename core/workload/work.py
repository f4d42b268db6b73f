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
    file = resources.files("resources") / "baselines" / "work.toml"
    table = tomllib.loads(file.read_text("utf-8"))
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
    has_result = bool(group.outputs) or name in types.writes_inputs
    known = Known.WHOLE if is_listed and has_result else Known.BYTES
    return Work(known, moved)


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
        # What it changes in place are its first inputs.
        count = types.writes_inputs[group.operator]
        changed = [tensor.bytes or 0.0 for tensor in group.inputs[:count]]
        return reads + sum(changed)
    first_bytes = 0.0
    if group.inputs:
        first_bytes = group.inputs[0].bytes or 0.0
    if group.operator in types.scatters and group.inputs:
        return reads + min(writes, first_bytes)
    if group.operator in types.by_index and group.inputs:
        # Of the table it needs only the rows it gives back, however large the table is.
        of_table = min(first_bytes, writes)
        return reads - first_bytes + of_table + writes
    return reads + writes


def _total(tensors: Sequence[Tensor]) -> float | None:
    """Bytes of all tensors; None where those of one are unknown."""
    total = 0.0
    for tensor in tensors:
        if tensor.bytes is None:
            return None
        total += tensor.bytes
    return total


def _product(group: Group, moved: float) -> Work:
    """A product of two matrices, whichever of them is transposed.

    With |A| = b m k, |B| = b k n and |C| = b m n, the length k is the root of
    |A| |B| / (|C| b).
    """
    unknown = Work(Known.BYTES, moved)
    if len(group.inputs) < 2 or not group.outputs:
        return unknown
    first, second = group.inputs[:2]
    result = group.outputs[0]
    for matrix in (first, second, result):
        # Shapes of a storage format are not those of the matrices.
        if len(matrix.shape) < 2 or matrix.format not in _PLAIN:
            return unknown
    if not result.elements:
        return unknown
    batches = [math.prod(matrix.shape[:-2]) for matrix in (first, second)]
    square = first.elements * second.elements / (result.elements * min(batches))
    length = math.isqrt(round(square))
    # Not a root, or no length of the first matrix: these were other tensors than supposed.
    is_root = length * length == round(square)
    if not is_root or length not in first.shape:
        return unknown
    # A multiplication and an addition for every element of the result and of the length.
    operations = 2.0 * result.elements * length
    # Float32 may be worked on as HF32, which a profile does not always say.
    rate = float(CUBE_OPS["fp16"])
    if first.dtype == "int8":
        rate *= 2
    return Work(Known.WHOLE, moved, operations, operations, rate)


def _attention(group: Group, moved: float, factor: float) -> Work:
    """Scores of every query with every key, and the sum of values, in products.

    The row sums of the softmax, [batch, heads, queries, 8], say what the axes of the
    query are. A mask may leave half of the scores out.
    """
    unknown = Work(Known.BYTES, moved)
    sums = _softmax_sums(group)
    if sums is None or len(group.inputs) < 3:
        return unknown
    batch, heads, queries, _lanes = sums
    query, key = group.inputs[:2]
    axis = _axis_of(query.shape, batch, heads, queries)
    if axis is None or len(key.shape) != len(query.shape):
        return unknown
    rows = batch * heads * queries
    width = query.elements / rows  # of a head
    scores = float(rows) * key.shape[axis]
    # Two products of `width` for every score, each a multiplication and an addition.
    operations = factor * 4.0 * scores * width
    least = operations / 2 if _has_mask(group) else operations
    return Work(Known.PRODUCTS, moved, least, operations)


def _softmax_sums(group: Group) -> tuple[int, ...] | None:
    """[batch, heads, queries, 8]: the shape of an attention's row sums; None where none is listed."""
    for tensor in (*group.outputs, *group.inputs):
        has_lanes = len(tensor.shape) == 4 and tensor.shape[-1] == _SOFTMAX_LANES
        if has_lanes and tensor.dtype == "float32":
            return tensor.shape
    return None


def _has_mask(group: Group) -> bool:
    """Whether an input behind query, key and value may be a mask."""
    for tensor in group.inputs[3:]:
        is_matrix = not tensor.absent and len(tensor.shape) > 1
        if is_matrix and tensor.dtype in ("bool", "uint8"):
            return True
    return False


def _axis_of(
    shape: tuple[int, ...], batch: int, heads: int, queries: int
) -> int | None:
    """Where the queries are in [s, b, h], [b, s, h], [b, n, s, d] or [b, s, n, d]."""
    # Where lengths are equal the later layout counts.
    if len(shape) == 3:
        layouts = {(queries, batch): 0, (batch, queries): 1}
        return layouts.get(shape[:2])
    if len(shape) == 4:
        head_layouts = {(batch, heads, queries): 2, (batch, queries, heads): 1}
        return head_layouts.get(shape[:3])
    return None
