"""The query of a round: what failed and what the model makes of it, or the operator.

In a first round nothing failed yet. An operator's prose names quantities ("sum", "core"), lessons name calls and
limits of the device. So its structure is asked for, in the language of the lessons: which kinds of work its words
name, dtypes and sizes of the visible cases. Everything is a guess about what helps: a line too many costs a rank, no
more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from core.agent.prompt.feedback import visible_cause
from core.evaluation.records import Evaluation
from core.operators.spec import DType, InputSpec, OperatorSpec
from core.search_terms import tokenize

_LONGEST = 4000  # characters; retrievers weigh every term, a long text drowns the cause
_BLOCK = 32  # bytes of a block of the unified buffer
_SHORT_ROW = 512  # bytes; a copy of less wastes most of its time
_HALF = frozenset({DType.FLOAT16, DType.BFLOAT16})
_NARROW = frozenset({DType.INT8, DType.UINT8})
_INDEX = frozenset({DType.INT32, DType.INT64})

# Kind of work: the words that name it, and the words of lessons about it.
_KINDS = tuple(
    (frozenset(named.split()), words)
    for named, words in (
        (
            "matmul gemm multiplication attention mla bmm linear",
            (
                "Matmul object on the cube unit: MatmulApiTiling, SetOrgShape, SetTensorA, SetTensorB; IterateAll, "
                "GetTensorC, result to the vector cores through workspace, GetLibApiWorkSpaceSize"
            ),
        ),
        (
            "topk top sort sorted bitonic argsort largest highest",
            "the k best of a row, top-k: Sort32, MrgSort, Extract",
        ),
        (
            "mean reduce reduction softmax norm normalised variance lse",
            (
                "reduction of a row: accumulate tiles element by element, ReduceSum, ReduceMax once at the end; "
                "sums of many rows, WholeReduceSum; a factor for each row, Brcb"
            ),
        ),
        (
            "exp softmax sigmoid silu swish swiglu gelu tanh logistic",
            "argument of Exp at or below zero, overflow to inf and NaN",
        ),
        (
            "partial split splitk digest histogram scalar flag channel",
            "partial results of several cores: workspace, SyncAll, SetAtomicAdd on a cleared output",
        ),
        (
            "mask masked where threshold finite infinite less equal compare select bool",
            (
                "Compare writes bits, Select, multiples of 256 bytes; overwrite with zero instead of multiplying; "
                "a bool tensor becomes a mask, CompareScalar on half"
            ),
        ),
        (
            "triangle triangular diagonal identity tril triu eye",
            "elements inside a 32-byte block by a bit mask; overwrite with zero",
        ),
        (
            "gather scatter index indices embedding page pages slot slots cache expert experts",
            "indices: copy a tile of them, GetValue on a local tensor, one copy per row",
        ),
        (
            "expert experts moe dispatch histogram bincount unique",
            "count how often each id occurs",
        ),
        (
            "rotary rope rotation halves interleaved stride strided slice",
            (
                "rotation by halves of a row: repeat strides; strided DataCopyPad of rows, blockCount; operands inside "
                "a block, GatherMask"
            ),
        ),
        (
            "group groups ragged lengths lens experts list sizes",
            "uneven work of the cores: hand out tiles in turn, by cost",
        ),
        ("divide division mean reciprocal normalise", "multiply by the reciprocal"),
    )
)


def retrieval_query(
    operator: OperatorSpec, evaluation: Evaluation | None, diagnosis: str
) -> str:
    """Query for R_t.

    At t=1 the structure of the operator, later the failure and its diagnosis.

    Args:
        operator: The task; its category closes every query but the first, for benchmarks
            call what multiplies and adds a reduction.
        evaluation: Feedback of the round before, None at the first round.
        diagnosis: What the model made of it.
    """
    if evaluation is None:
        parts, closing = [operator.name, *_structure(operator)], ""
    else:
        parts, closing = [visible_cause(evaluation), diagnosis], operator.category
    body = "\n".join(part.strip() for part in parts if part.strip())
    return f"{body[:_LONGEST]}\n{closing}".rstrip()


def _structure(operator: OperatorSpec) -> Iterator[str]:
    """What an operator is made of, in the words of lessons; hidden cases are never looked at."""
    # Not the category: benchmarks call what multiplies and adds a reduction.
    named = frozenset(tokenize(f"{operator.name} {operator.summary}"))
    for names, words in _KINDS:
        if names & named:
            yield words
    yield from _of_dtypes(operator)
    visible = [case for case in operator.cases if not case.hidden]
    entries = [entry for case in visible for entry in case.inputs.items()]
    timed = [entry for case in visible if case.timed for entry in case.inputs.items()]
    yield from _of_sizes(entries, timed or entries)


def _of_dtypes(operator: OperatorSpec) -> Iterator[str]:
    tensors = (*operator.inputs, *operator.outputs)
    dtypes = {dtype for tensor in tensors for dtype in tensor.dtypes}
    if dtypes & _HALF:
        yield "compute float16 in float32: Cast with CAST_NONE, then CAST_RINT"
    if dtypes & _NARROW and dtypes & (_HALF | {DType.FLOAT32}):
        yield "Cast between integer and floating types, pairs of types and round modes"
    if DType.INT64 in dtypes:
        yield "int64 on a vector unit without int64 arithmetic"


def _of_sizes(
    entries: list[tuple[str, InputSpec]], timed: list[tuple[str, InputSpec]]
) -> Iterator[str]:
    """What shapes say: tails and operands that every row shares, short rows where they cost time.

    Args:
        entries: Inputs of the visible cases.
        timed: Those of the timed ones.
    """
    rows = [spec.shape[-1] * spec.dtype.width for _, spec in entries if spec.shape]
    if not rows or any(length % _BLOCK for length in rows):
        yield "DataCopyPad for what is not a multiple of 32 bytes, tail of the last tile"
    if any(
        spec.shape[-1] * spec.dtype.width < _SHORT_ROW < math.prod(spec.shape)
        for _, spec in timed
        if len(spec.shape) > 1
    ):
        yield "several short rows per tile with one strided copy"
    ranks: dict[str, set[int]] = {}
    for name, spec in entries:
        if spec.dtype not in _INDEX:
            ranks.setdefault(name, set()).add(len(spec.shape))
    matrices = any(max(rank) > 1 for rank in ranks.values())
    if matrices and {1} in ranks.values():
        yield "operands that do not change, such as a bias: fetched outside the loop"
