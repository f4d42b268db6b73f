"""What is asked of the generator: an operator, its interface and its test cases, as plain frozen data.

A folder `resources/operators/<Name>/` (or a user's own) holds `operator.toml`, which is read into an
`OperatorSpec`, and `reference.py`, whose `reference(...)` is the PyTorch definition of the operator.
Only the judge's child process ever executes `reference.py`. This module needs the standard library alone: it
travels with the judge, see `remote.judge.program`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

AttributeValue = (
    bool | int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[bool, ...]
)
RowValue = bool | int | float | str
_Key = TypeVar("_Key", bound=Hashable)
_DType = TypeVar("_DType", bound=str)

# Cases every operator has, or says why it cannot: an empty tensor; an input that is not contiguous.
CASE_KINDS = ("zero_size", "non_contiguous")
# What a case may hold though its shapes and fills do not tell: planted by `make_inputs`, or in a result only.
HELD_CLASSES = ("special_values", "zero_size")


class DType(StrEnum):
    """Element types of the Ascend C interface, named as in PyTorch."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT8 = "uint8"
    BOOL = "bool"
    COMPLEX64 = "complex64"

    @property
    def cann(self) -> str:
        """Its name in CANN, e.g. `DT_INT8`."""
        return {"float32": "DT_FLOAT", "bfloat16": "DT_BF16"}.get(
            self.value, f"DT_{self.value.upper()}"
        )

    @property
    def width(self) -> int:
        """Bytes of an element."""
        bits = re.search(r"\d+$", self)
        return int(bits[0]) // 8 if bits else 1  # a bool is a byte


class DecidingRule(StrEnum):
    """Which of the three stored verdicts decides; see `core.evaluation.records.RuleVerdicts`.

    Integers and bools are exact under every rule; `QUANTISED` has the one exception.
    """

    # float32 within 1e-3 absolute and 1e-4 relative, <= 2 ulp for float16 and bfloat16
    CATALOGUE = "catalogue"
    PAPER = "paper"
    BENCHMARK = "benchmark"
    ULP = "ulp"
    CHECKER = "checker"  # the imported task's own checker
    # Per element: float32 within 1e-4 absolute or relative, float16 and bfloat16 within 5e-4 absolute or 2 ulp.
    # For results that cancel to near zero, where a correct kernel has no meaningful relative error.
    MIXED = "mixed"
    # float32 within 1e-4 relative, 16 bits within 2 ulp; an int8 result may be one step off, since a value near
    # a half rounds either way.
    QUANTISED = "quantised"


@dataclass(frozen=True)
class TensorSpec:
    """One tensor (or list of tensors) of the interface, in call order.

    Attributes:
        name: As the definition has it.
        dtypes: What it may hold.
        optional: Whether a call may leave it out.
        is_list: Whether it is a list of tensors.
        description: For people and models.
        shape_from_data: Of an output: values decide its shape, so InferShape cannot know it.
    """

    name: str
    dtypes: tuple[DType, ...]
    optional: bool = False
    is_list: bool = False
    description: str = ""
    shape_from_data: bool = False


@dataclass(frozen=True)
class AttributeSpec:
    """One attribute. `type` is int, float, bool, str, int_list, float_list or bool_list."""

    name: str
    type: str
    default: AttributeValue | None = None
    description: str = ""


@dataclass(frozen=True)
class InputSpec:
    """How the judge makes one input of a case.

    Attributes:
        shape: Dimensions; `()` is a scalar tensor.
        dtype: Element type.
        fill: Distribution: `normal`, `uniform(lo,hi)`, `integers(lo,hi)` (hi excluded), `constant(v)`,
            `special` (inf, nan, +-0, denormals mixed into normal), `arange`, `signs`, `values(a,b,...)`
            (one number per element, row-major).
        layout: `contiguous`, `transposed` (last two dimensions swapped in memory), `strided` (every second
            element) or `by stride`.
        count: Number of tensors when the interface says `is_list`; all have the same shape unless `shapes` is
            given.
        shapes: One shape per tensor of a list.
        strides: Elements from one entry to the next of each dimension, where the layout is `by stride`.
    """

    shape: tuple[int, ...]
    dtype: DType
    fill: str = "normal"
    layout: str = "contiguous"
    count: int = 1
    shapes: tuple[tuple[int, ...], ...] = ()
    strides: tuple[int, ...] = ()

    @property
    def all_shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shape of every tensor."""
        return self.shapes or (self.shape,) * self.count


@dataclass(frozen=True)
class TestCase:
    """One test case. `inputs` maps interface names to how they are made; absent optional ones are left out.

    A case of an imported task has a `row` instead: the benchmark's own parameters, which only the task's code
    understands. Inputs and attributes then exist only in the judge's child process. `holds` names classes (of
    `HELD_CLASSES`) that shapes and fills do not tell. The latency of the operator adds `weight` times that of the
    case. `calls` says how often a step of a model calls it, 0 where no profile was asked; it is the weight of a
    case that gives none. A `derived` case stands for big ones where these cannot run.
    """

    __test__ = False  # not a pytest class

    name: str
    inputs: Mapping[str, InputSpec]
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    hidden: bool = False
    timed: bool = True
    big: bool = False
    seed: int = 0
    row: Mapping[str, RowValue] = field(default_factory=dict)
    holds: tuple[str, ...] = ()
    weight: float = 1.0
    calls: float = 0.0
    derived: bool = False

    @property
    def elements(self) -> int:
        """Elements of all inputs, where these are known."""
        return sum(
            math.prod(shape)
            for spec in self.inputs.values()
            for shape in spec.all_shapes
        )


@dataclass(frozen=True)
class TensorShape:
    """What a tensor of a case turned out to be."""

    dtype: DType
    shape: tuple[int, ...]


@dataclass(frozen=True)
class CaseShapes:
    """What the operator's own code made of a case.

    Attributes:
        case: Its name.
        inputs: Name -> tensors, several for a list; an absent input is left out.
        attributes: Name -> value.
        outputs: Name -> tensors that the reference returns, several for a list.
        problem: Why that code made nothing of it; empty when it did.
    """

    case: str
    inputs: Mapping[str, tuple[TensorShape, ...]] = field(default_factory=dict)
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    outputs: Mapping[str, tuple[TensorShape, ...]] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class Baseline:
    """What a user would replace by a custom kernel, and what T_torch times.

    Attributes:
        call: Expression over inputs and attributes by name, `torch` and `torch_npu`; empty: there is none.
        given: Name -> expression of a value that is made before the clock runs.
        when: Condition under which the call computes the same; empty: always.
        since: First PyTorch version whose torch_npu has it; empty: PyTorch's own.
        none: Why there is no such call.
    """

    call: str = ""
    given: Mapping[str, str] = field(default_factory=dict)
    when: str = ""
    since: str = ""
    none: str = ""


@dataclass(frozen=True)
class OperatorSpec:
    """An operator as the benchmark asks for it.

    Attributes:
        name: PascalCase, as in OpDef; the kernel entry is `snake_name`.
        level: Difficulty 1, 2 or 3 (0: outside the benchmark).
        category: e.g. `Math`, `Activation`, `Norm`; part of every retrieval query.
        summary: What it computes, in Markdown (the task text the generator reads).
        folder: Where `operator.toml` and `reference.py` live.
        digest: sha256 of all files; part of every cached reference and evaluation.
        lacks: Kind of case (one of `CASE_KINDS`) -> why this operator has none of it.
        files: Further files in `folder` that the judge's child needs: the code of an imported task.
        tolerance: What the rule `checker` accepts, in numbers, where the summary does not say.
        baseline: What its kernels are compared with; None: none is named, so `reference.py` is.
        amended: What `make_inputs` of `reference.py` puts in the place of drawn values, as its docstring says.
    """

    name: str
    level: int
    category: str
    summary: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    attributes: tuple[AttributeSpec, ...]
    cases: tuple[TestCase, ...]
    folder: Path
    digest: str
    rule: DecidingRule = DecidingRule.CATALOGUE
    benchmark: str = "catalogue"
    deny: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    lacks: dict[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    tolerance: str = ""
    baseline: Baseline | None = None
    amended: str = ""

    @property
    def snake_name(self) -> str:
        """Kernel entry and file name CANN derives from the operator name: `RmsNorm` -> `rms_norm`."""
        return snake_case(self.name)


# How summaries name the rule of their operator.
_OWN_RULE = re.compile(r"Judged by the `?(\w+)`? rule")


def judged_by_paper(operator: OperatorSpec) -> OperatorSpec:
    """The operator under the paper's rule, 1e-3 whatever the dtype; a task's own checker stays."""
    if operator.rule is DecidingRule.CHECKER:
        return operator
    summary = _OWN_RULE.sub(
        r"The operator's own rule, which does not decide here, is \1", operator.summary
    )
    return replace(operator, rule=DecidingRule.PAPER, tolerance="", summary=summary)


def dtype_columns(
    dtypes: Mapping[_Key, Sequence[_DType]],
) -> list[dict[_Key, _DType]]:
    """The signatures of an interface: in each, a dtype for every tensor.

    A tensor with one dtype has it in all signatures.

    Args:
        dtypes: Of each tensor, at least one.
    """
    columns = range(max(map(len, dtypes.values()), default=0))
    return [
        {key: row[at if at < len(row) else 0] for key, row in dtypes.items()}
        for at in columns
    ]


def snake_case(name: str) -> str:
    """Turn an OpDef name into the entry name msopgen derives from it (`GeGluV2` -> `ge_glu_v2`)."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return spaced.lower()


def plain_name(name: str) -> str:
    """What all spellings of an operator's name share: `RmsNorm` and `rms_norm` are one operator."""
    return name.replace("_", "").casefold()
