"""Kinds of work an operator does: what lessons may ask for before they are shown.

The list is closed, so that who writes a lesson and who looks for one use the same names. An operator's kinds are read
from the words of its name and summary, from dtypes and from the sizes of its visible cases. That is a guess: a kind too
many shows a lesson that does not apply, a kind too few hides one until something fails.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from core.operators.spec import DType, InputSpec, OperatorSpec
from core.search_terms import tokenize

# `max_grad_norm` is the name of an input, and says nothing about a norm.
_CODE = re.compile(r"`[^`\n]+`")
_IDENTIFIER = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")
_BLOCK = 32  # bytes of a block of the unified buffer
_SHORT_ROW = 512  # bytes; a copy of less wastes most of its time
_HALF = frozenset({DType.FLOAT16, DType.BFLOAT16})
_NARROW = frozenset({DType.INT8, DType.UINT8})
_INDEX = frozenset({DType.INT32, DType.INT64})

# Kind of work: the words of a task that name it.
_WORDS = {
    "matrix product": "matmul gemm multiplication attention mla bmm linear",
    "sorting": "topk top sort sorted bitonic argsort",
    "reduction": "mean reduce reduction softmax norm normalised variance lse",
    "exponential": "exp softmax sigmoid silu swish swiglu gelu tanh logistic",
    "results of several cores": (
        "partial split splitk digest histogram scalar flag channel"
    ),
    "comparison": "threshold finite infinite less equal compare",
    "masking": "mask masked select",
    "triangle": "triangle triangular diagonal tril triu eye",
    "indices": (
        "gather scatter index indices embedding page pages slot slots cache "
        "expert experts"
    ),
    "counting": "expert experts moe dispatch histogram bincount unique",
    "rotation": "rotary rope rotation",
    "strided rows": (
        "rotary rope rotation halves interleaved stride strided slice reverse"
    ),
    "ragged work": "group groups ragged lengths lens experts",
    "quantisation": "quant quantised dequant dequantised token",
}
_NAMED = {kind: frozenset(words.split()) for kind, words in _WORDS.items()}
_BY_DTYPE = ("half precision", "narrow integers", "int64")
_BY_SIZE = ("unaligned rows", "short rows", "shared operand")
# Kinds whose kernels take their inputs row by row, where elements alone take them flat.
_BY_ROW = frozenset(
    {"reduction", "sorting", "indices", "rotation", "strided rows", "quantisation"}
)
# Of no operator: lessons that ask for one of these are shown later than the first round.
SLOW_KERNEL = "a slow kernel"
FAILURE = "a failure"

KINDS = (*_NAMED, *_BY_DTYPE, *_BY_SIZE, SLOW_KERNEL, FAILURE)


def kinds_of_work(operator: OperatorSpec) -> tuple[str, ...]:
    """Return the kinds of `KINDS` that an operator has; hidden cases are never looked at."""
    # Not the category: benchmarks call what multiplies and adds a reduction.
    prose = _CODE.sub(lambda span: _IDENTIFIER.sub(" ", span[0]), operator.summary)
    words = frozenset(tokenize(f"{operator.name} {prose}"))
    named = [kind for kind, names in _NAMED.items() if names & words]
    sizes = list(_kinds_by_size(operator))
    if "shared operand" not in sizes and not _BY_ROW & set(named):
        sizes = [kind for kind in sizes if kind != "short rows"]
    return (*named, *_kinds_by_dtype(operator), *sizes)


def _kinds_by_dtype(operator: OperatorSpec) -> Iterator[str]:
    """Kinds of work that the types of an operator alone tell."""
    tensors = (*operator.inputs, *operator.outputs)
    dtypes = {dtype for tensor in tensors for dtype in tensor.dtypes}
    if dtypes & _HALF:
        yield "half precision"
    if dtypes & _NARROW and dtypes & (_HALF | {DType.FLOAT32}):
        yield "narrow integers"
    if DType.INT64 in dtypes:
        yield "int64"


def _kinds_by_size(operator: OperatorSpec) -> Iterator[str]:
    """What shapes say: tails and operands that every row shares, short rows where they cost time."""
    visible = [case for case in operator.cases if not case.hidden]
    inputs = [entry for case in visible for entry in case.inputs.items()]
    timed = [entry for case in visible if case.timed for entry in case.inputs.items()]
    if _has_unaligned_rows(inputs):
        yield "unaligned rows"
    if any(_has_short_rows(spec) for _, spec in timed or inputs):
        yield "short rows"
    if _has_shared_operand(inputs):
        yield "shared operand"


def _has_unaligned_rows(inputs: list[tuple[str, InputSpec]]) -> bool:
    """Whether a row is no multiple of 32 bytes; so it may be where no size is known."""
    rows = [_row_bytes(spec) for _, spec in inputs if spec.shape]
    return not rows or any(length % _BLOCK for length in rows)


def _has_short_rows(spec: InputSpec) -> bool:
    is_matrix = len(spec.shape) > 1
    return is_matrix and _row_bytes(spec) < _SHORT_ROW < math.prod(spec.shape)


def _has_shared_operand(inputs: list[tuple[str, InputSpec]]) -> bool:
    """Whether an input is a vector beside matrices, as a bias or a weight of a norm is."""
    ranks: dict[str, set[int]] = {}
    for name, spec in inputs:
        is_scalar = math.prod(spec.shape) == 1
        if spec.dtype not in _INDEX and not is_scalar:
            ranks.setdefault(name, set()).add(len(spec.shape))
    has_matrix = any(max(rank) > 1 for rank in ranks.values())
    return has_matrix and {1} in ranks.values()


def _row_bytes(spec: InputSpec) -> int:
    return spec.shape[-1] * spec.dtype.width
