"""The query of a round: what failed and what the model makes of it, or the operator.

In a first round nothing failed yet. An operator's prose names quantities ("sum", "add",
"core"), lessons name calls and limits of the device. Here category, interface, dtypes,
visible cases and formulas are read instead, so that the first query speaks the language
of the lessons. Everything is a guess about what helps: an aspect too many costs a rank,
no more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from core.agent.prompt.feedback import visible_cause
from core.evaluation.records import Evaluation
from core.operators.spec import DType, InputSpec, OperatorSpec
from core.visible import first_sentence

_LONGEST = 4000  # characters; retrievers weigh every term, a long text drowns the cause

_BLOCK = 32  # bytes of a block of the unified buffer
_HALF = frozenset({DType.FLOAT16, DType.BFLOAT16})
_FLOAT = _HALF | {DType.FLOAT32}
_NARROW = frozenset({DType.INT8, DType.UINT8})
_INDEX = frozenset({DType.INT32, DType.INT64})

_PRODUCT = re.compile(
    r"@|matrix product|matrix times|matmul|gemm|\battention\b", re.IGNORECASE
)
_ROWS = re.compile(
    r"\bsum(?:\(|_)|\bmean\b|\bvar =|softmax|maximum of the row|Reduce[A-Z]|(?i:normalis)|\blse\b|reduction\b"
)
_EXPONENT = re.compile(
    r"\bexp\b|exp\(|sigmoid|softmax|silu|swish|swiglu|gelu|tanh|logistic", re.IGNORECASE
)
_FUNCTION = re.compile(
    r"\b(exp|log|ln|sqrt|rsqrt|sin|cos|tanh|erf|pow)\b|\^|sigmoid|gelu|sine|cosine|logarithm",
    re.IGNORECASE,
)
_TRIANGLE = re.compile(r"triangle|diagonal|identity matri", re.IGNORECASE)
_HALVES = re.compile(
    r"\bhalves\b|second half|\bpart of every head|\bslice of|stride", re.IGNORECASE
)
_COMPARED = re.compile(
    r"==|<=|<|>=|\bfinite\b|\binfinite\b|\bwhere `|\bthreshold", re.IGNORECASE
)
_DEPENDENT = re.compile(
    r"caller (?:reads|allocates)|elements .* where `|\bn = ceil|shape listed in|known only|number of true",
    re.IGNORECASE,
)
_RAGGED = re.compile(
    r"of its own shape|different sizes|group_?list|seq_?len|lengths of", re.IGNORECASE
)
_MOVED = frozenset({"tensormove", "index", "tensorcreation", "mask", "cache"})
_MERGED = re.compile(
    r"scalar tensor|one flag|shape \[\]|split.?k|per channel|\bpartial results\b",
    re.IGNORECASE,
)


def retrieval_query(
    operator: OperatorSpec, evaluation: Evaluation | None, diagnosis: str
) -> str:
    """Query for R_t.

    At t=1 structure and gist of the operator, later the failure and its diagnosis.

    Args:
        operator: The task; its category closes every query.
        evaluation: Feedback of the round before, None at the first round.
        diagnosis: What the model made of it.
    """
    if evaluation is None:
        parts = [operator.name, *_aspects(operator), first_sentence(operator.summary)]
    else:
        parts = [visible_cause(evaluation), diagnosis]
    body = "\n".join(part.strip() for part in parts if part.strip())
    return f"{body[:_LONGEST]}\n{operator.category}"


@dataclass(frozen=True)
class Structure:
    """Facts about an operator, read once from its definition.

    Hidden cases are never looked at.
    """

    operator: OperatorSpec

    @cached_property
    def text(self) -> str:
        """Name and prose, for what only they tell."""
        return f"{self.operator.name} {self.operator.summary}"

    @cached_property
    def dtypes(self) -> frozenset[DType]:
        """Element types of the inputs."""
        return frozenset(
            dtype for tensor in self.operator.inputs for dtype in tensor.dtypes
        )

    @cached_property
    def results(self) -> frozenset[DType]:
        """Element types of the outputs."""
        return frozenset(
            dtype for tensor in self.operator.outputs for dtype in tensor.dtypes
        )

    @cached_property
    def shapes(self) -> tuple[tuple[str, InputSpec], ...]:
        """Every input of every visible case."""
        return tuple(
            entry
            for case in self.operator.cases
            if not case.hidden
            for entry in case.inputs.items()
        )

    @cached_property
    def product(self) -> bool:
        """Whether the cube unit does the work: a product with a second matrix among the inputs."""
        matrices = {
            name
            for name, spec in self.shapes
            if len(spec.shape) >= 2 and spec.dtype not in _INDEX
        }
        flat = {name for name, spec in self.shapes if len(spec.shape) == 1}
        vector = bool(
            re.search(r"matrix times vector|gemv", self.text, re.IGNORECASE)
        ) and bool(flat)
        return bool(_PRODUCT.search(self.text)) and len(matrices) != 1 and not vector

    @cached_property
    def moves(self) -> bool:
        """Whether elements only change their place."""
        return self.operator.category.lower() in _MOVED

    @cached_property
    def reduces(self) -> bool:
        """Whether elements of a row are brought together."""
        return bool(_ROWS.search(self.text)) and not self.moves

    @cached_property
    def elementwise(self) -> bool:
        """Whether each element of the result hangs on one element of each input."""
        return not (self.product or self.reduces or self.moves)

    @cached_property
    def merges(self) -> bool:
        """Whether results of several cores have to be brought together."""
        return bool(_MERGED.search(self.text))

    @cached_property
    def ragged(self) -> bool:
        """Whether a length of a visible case is no whole number of blocks.

        True where none is known.
        """
        rows = [
            spec.shape[-1] * spec.dtype.width for _, spec in self.shapes if spec.shape
        ]
        return not rows or any(length % _BLOCK for length in rows)

    @cached_property
    def scalars(self) -> bool:
        """Whether a number takes part: a float attribute, or an input that has one element in every case."""
        if any(attribute.type == "float" for attribute in self.operator.attributes):
            return True
        sizes: dict[str, set[int]] = {}
        for name, spec in self.shapes:
            sizes.setdefault(name, set()).add(math.prod(spec.shape))
        return any(size == {1} for size in sizes.values())

    @cached_property
    def shared(self) -> bool:
        """Whether an input is a vector beside matrices: the same for every row."""
        ranks: dict[str, set[int]] = {}
        for name, spec in self.shapes:
            if spec.dtype in _FLOAT:
                ranks.setdefault(name, set()).add(len(spec.shape))
        vectors = [name for name, rank in ranks.items() if rank == {1}]
        return bool(vectors) and any(max(rank) > 1 for rank in ranks.values())


Test = Callable[[Structure], bool]

# (who needs it, the words and calls it leads to); ordered from the particular to what
# most kernels need.
_ASPECTS: tuple[tuple[Test, str], ...] = (
    (
        lambda s: s.product,
        """Matmul object on the cube unit: MatmulApiTiling, TCubeTiling, SetOrgShape, SetTensorA, SetTensorB,
        IterateAll, GetTensorC; strides and tails; GetLibApiWorkSpaceSize; result to the vector cores through
        workspace""",
    ),
    (
        lambda s: s.merges,
        "partial results of several cores: workspace, SyncAll, SetAtomicAdd on a cleared output",
    ),
    (
        lambda s: s.reduces and not s.product,
        "ReduceSum with a work tensor and an aligned destination; GetValue waits for the vector unit, V_S",
    ),
    (
        lambda s: bool(_EXPONENT.search(s.text)),
        "argument of Exp at or below zero, overflow to inf and NaN",
    ),
    (
        lambda s: s.elementwise and bool(_FUNCTION.search(s.text)),
        "vector instructions Exp, Ln, Sqrt, Div instead of the C math library",
    ),
    (
        lambda s: (
            DType.BOOL in s.results | s.dtypes
            and not s.moves
            and bool(_COMPARED.search(s.text))
        ),
        "Compare writes bits, multiples of 256 bytes, Select",
    ),
    (
        lambda s: bool(_TRIANGLE.search(s.text)),
        "vector operands start on 32-byte blocks: bit mask of elements inside a block; overwrite with zero",
    ),
    (
        lambda s: bool(_HALVES.search(s.text)) and not s.product,
        "strided DataCopyPad of rows, blockCount; operands inside a block",
    ),
    (
        lambda s: s.moves and bool(s.dtypes & _INDEX),
        "indices: copy a tile of them, GetValue on a local tensor and never on global memory",
    ),
    (
        lambda s: (
            bool((s.dtypes | s.results) & _NARROW)
            and bool((s.dtypes | s.results) & _FLOAT)
        ),
        "Cast between integer and floating types, pairs of types and round modes",
    ),
    (
        lambda s: bool(_RAGGED.search(s.text)),
        "uneven work of the cores: hand out tiles in turn",
    ),
    (
        lambda s: bool(_DEPENDENT.search(s.text)),
        "shape inference of the output, SetInferShape",
    ),
    (
        lambda s: s.shared and s.reduces,
        "operands that do not change, such as a bias, fetched once per core outside the loop",
    ),
    (
        lambda s: s.scalars and s.elementwise,
        "scalar operands of Muls, Maxs, Duplicate have the element type of the tensor",
    ),
    (
        lambda s: bool(s.dtypes & _HALF) and not s.moves,
        "compute float16 in float32: Cast with CAST_NONE, round once with CAST_RINT",
    ),
    (
        lambda s: len(s.dtypes & _FLOAT) > 1 and not s.product,
        "one template for all dtypes instantiated by DTYPE_",
    ),
    (
        lambda s: s.elementwise or s.moves,
        "split elements over cores in whole 32-byte blocks, rest to the last core",
    ),
    (
        lambda s: not s.product,
        "size of tiles from GetCoreMemSize, buffers of every queue in UB",
    ),
    (
        lambda s: s.ragged and not s.product,
        "DataCopyPad for what is not a multiple of 32 bytes, tail of the last tile",
    ),
)


def _aspects(operator: OperatorSpec) -> Iterator[str]:
    """Give the words of every aspect the structure of `operator` shows, the particular ones first."""
    structure = Structure(operator)
    for holds, words in _ASPECTS:
        if holds(structure):
            yield words
