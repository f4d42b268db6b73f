"""The query of a round: what failed and what the model makes of it, or the operator.

In a first round nothing failed yet. An operator's prose names quantities ("sum", "core"), lessons name calls and
limits of the device. So its kinds of work are asked for, in the language of the lessons.
"""

from __future__ import annotations

from core.agent.prompt.feedback import visible_cause
from core.evaluation.records import Evaluation
from core.operators.kinds_of_work import kinds_of_work
from core.operators.spec import OperatorSpec

_LONGEST = 4000  # characters; retrievers weigh every term, a long text drowns the cause

# Kind of work: the words of lessons about it.
_LESSON_WORDS = {
    "matrix product": (
        "Matmul object on the cube unit: MatmulApiTiling, SetOrgShape, SetTensorA, "
        "SetTensorB; IterateAll, GetTensorC, result to the vector cores through "
        "workspace, GetLibApiWorkSpaceSize"
    ),
    "sorting": "the k best of a row, top-k: Sort32, MrgSort, Extract",
    "reduction": (
        "reduction of a row: accumulate tiles element by element, ReduceSum, ReduceMax "
        "once at the end; sums of many rows, WholeReduceSum; a factor for each row, Brcb"
    ),
    "exponential": "argument of Exp at or below zero, overflow to inf and NaN",
    "results of several cores": (
        "partial results of several cores: workspace, SyncAll, SetAtomicAdd on a "
        "cleared output"
    ),
    "comparison": "Compare writes bits, Select, multiples of 256 bytes",
    "masking": (
        "overwrite with zero instead of multiplying; a bool tensor becomes a mask, "
        "CompareScalar on half, Select"
    ),
    "triangle": ("elements inside a 32-byte block by a bit mask; overwrite with zero"),
    "indices": (
        "indices: copy a tile of them, GetValue on a local tensor, one copy per row"
    ),
    "counting": "count how often each id occurs",
    "rotation": "rotation by halves of a row: repeat strides",
    "strided rows": (
        "strided DataCopyPad of rows, blockCount; operands inside a block, GatherMask"
    ),
    "ragged work": "uneven work of the cores: hand out tiles in turn, by cost",
    "quantisation": "a factor for each row, Brcb",
    "half precision": (
        "compute float16 in float32: Cast with CAST_NONE, then CAST_RINT"
    ),
    "narrow integers": (
        "Cast between integer and floating types, pairs of types and round modes"
    ),
    "int64": "int64 on a vector unit without int64 arithmetic",
    "unaligned rows": (
        "DataCopyPad for what is not a multiple of 32 bytes, tail of the last tile"
    ),
    "short rows": "several short rows per tile with one strided copy",
    "shared operand": (
        "operands that do not change, such as a bias: fetched outside the loop"
    ),
}


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
        work = (_LESSON_WORDS[kind] for kind in kinds_of_work(operator))
        parts, closing = [operator.name, *work], ""
    else:
        parts, closing = [visible_cause(evaluation), diagnosis], operator.category
    body = "\n".join(part.strip() for part in parts if part.strip())
    return f"{body[:_LONGEST]}\n{closing}".rstrip()
