"""What CANN's own kernels took in public profiles of real models, beside operators of the catalogue.

The table is `resources/baselines/measured_kernels.tsv`; `operators.toml` beside it says which of its kernels
does what an operator of ours does. Figures to compare with, never rewards, and in no prompt of the model.
"""

from __future__ import annotations

import csv
import math
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from core.operators.spec import OperatorSpec
from core.outside import json_record, read_text

_DTYPES = {
    "FLOAT": "float32",
    "FLOAT16": "float16",
    "DT_BF16": "bfloat16",
    "INT32": "int32",
    "INT64": "int64",
    "BOOL": "bool",
}
WORKLOAD = "workload"  # benchmark of a task made of a profile
ORIGIN_FILE = "workload.json"  # beside its specification: the kernels it was made of
PROCESSOR_SEPARATOR = (
    " or "  # in that file, of processors that a profile does not tell apart
)
_UNTOLD = "a processor that the profile does not tell"
_ABSENT = "N/A"  # where a profile does not list tensors


@dataclass(frozen=True)
class MeasuredKernel:
    """Tasks of one profile with the same kernel, shapes and data types.

    Attributes:
        kernel: CANN's name of the operator.
        shapes: Of its inputs, without lengths of 1; scalars are left out.
        dtype: Of its first input.
        result: Data type of its first output, empty where the profile does not say.
        microseconds: Median of Task Duration.
        part: Processor, e.g. `Ascend910B4`.
        profile: Name of the profile.
    """

    kernel: str
    shapes: tuple[tuple[int, ...], ...]
    dtype: str
    result: str
    microseconds: float
    part: str
    profile: str

    @property
    def elements(self) -> int:
        """Elements of all inputs."""
        return sum(map(math.prod, self.shapes))

    @property
    def work(self) -> str:
        """Shapes and data types of the inputs, e.g. `4096 × 1024, 1024 bfloat16`; equal shapes once."""
        shapes = dict.fromkeys(self.shapes)
        sizes = ", ".join(" × ".join(map(str, shape)) or "scalar" for shape in shapes)
        converts = self.result and self.result != self.dtype
        return f"{sizes} {self.dtype}" + (f" to {self.result}" if converts else "")

    def __str__(self) -> str:
        """As a person reads it, always with its origin."""
        return (
            f"CANN's {self.kernel}: {self.microseconds:.1f} µs for {self.work} "
            f"on {self.part} (profile {self.profile})"
        )


def measured_kernels(operator: OperatorSpec) -> tuple[MeasuredKernel, ...]:
    """For each part, the measured kernel nearest in size to a timed visible case of the operator.

    Of a task made of a model's profile, every kernel it was made of. Empty for any other operator that is not of
    the catalogue, or in no profile. A data type that the operator takes
    comes before any other. Near means the ratio of the elements of all inputs.
    """
    if operator.benchmark == WORKLOAD:
        return _of_model(operator.folder / ORIGIN_FILE)
    if operator.benchmark != "catalogue":
        return ()
    dtypes = {dtype.value for dtype in operator.inputs[0].dtypes}
    timed = (case for case in operator.cases if case.timed and not case.hidden)
    sizes = [case.elements for case in timed if case.elements]

    def distance(kernel: MeasuredKernel) -> tuple[bool, float]:
        ratios = (abs(math.log(kernel.elements / size)) for size in sizes)
        return kernel.dtype not in dtypes, min(ratios, default=0.0)

    nearest: dict[str, MeasuredKernel] = {}
    for kernel in _kernels().get(operator.name, ()):
        other = nearest.get(kernel.part)
        if other is None or distance(kernel) < distance(other):
            nearest[kernel.part] = kernel
    return tuple(nearest[part] for part in sorted(nearest))


@dataclass(frozen=True)
class ProfiledTime:
    """What CANN's own kernels took in a profile for timed cases of a task, each times its weight."""

    microseconds: float
    part: str
    profile: str

    def __str__(self) -> str:
        return f"{self.microseconds:,.1f} µs on {self.part} (profile {self.profile})"


def profiled_time(
    operator: OperatorSpec, cases: Collection[str]
) -> ProfiledTime | None:
    """What stands beside the latency of a task that was made of a profile.

    Args:
        operator: The task.
        cases: Names of the cases its latency is of.

    Returns:
        None where one of them is none of the profile, such as a small one that stands for
        a big one, and for any other operator.

    Raises:
        InvalidInput: The record of the task is damaged.
    """
    path = operator.folder / ORIGIN_FILE
    timed = [case for case in operator.cases if case.name in cases]
    if operator.benchmark != WORKLOAD or not path.is_file() or not timed:
        return None
    record = json_record(read_text(path), _Origin, str(path))
    median_us = {
        (group.shapes, group.dtype): group.microseconds for group in record.groups
    }
    total = 0.0
    for case in timed:
        inputs = tuple(case.inputs.values())
        shapes = tuple(tuple(shape) for one in inputs for shape in one.all_shapes)
        took = median_us.get((shapes, inputs[0].dtype.value)) if inputs else None
        if took is None or case.derived:
            return None
        total += case.weight * took
    return ProfiledTime(total, record.processor or _UNTOLD, record.workload)


def profiled_processors(operator: OperatorSpec) -> tuple[str, ...]:
    """The processors that the profile of a task may have been made on, e.g. `Ascend910B4`.

    Several where the profile does not tell them apart. Empty where it tells none, and for
    any operator that was not made of a profile.

    Raises:
        InvalidInput: The record of the task is damaged.
    """
    path = operator.folder / ORIGIN_FILE
    if operator.benchmark != WORKLOAD or not path.is_file():
        return ()
    processor = json_record(read_text(path), _Origin, str(path)).processor
    return tuple(processor.split(PROCESSOR_SEPARATOR)) if processor else ()


def _of_model(path: Path) -> tuple[MeasuredKernel, ...]:
    """The kernels of the profile that a task was made of; empty where its record is gone.

    Raises:
        InvalidInput: The record is damaged.
    """
    if not path.is_file():
        return ()
    record = json_record(read_text(path), _Origin, str(path))
    return tuple(
        MeasuredKernel(
            record.operator,
            tuple(tuple(size for size in shape if size > 1) for shape in group.shapes),
            group.dtype,
            group.result,
            group.microseconds,
            record.processor or _UNTOLD,
            record.workload,
        )
        for group in record.groups
    )


class _OfModel(msgspec.Struct, frozen=True):
    """One signature in the record of a task."""

    shapes: tuple[tuple[int, ...], ...]
    dtype: str
    result: str
    microseconds: float


class _Origin(msgspec.Struct, frozen=True):
    """The record of a task that was made of a profile."""

    workload: str
    operator: str
    processor: str
    groups: tuple[_OfModel, ...]


@cache
def _kernels() -> dict[str, list[MeasuredKernel]]:
    """Operator of the catalogue -> the rows of the table that stand for it."""
    folder = resources.files("resources") / "baselines"
    names = tomllib.loads((folder / "operators.toml").read_text(encoding="utf-8"))
    operators = {kernel: operator for operator, kernel in names["operators"].items()}
    table = (folder / "measured_kernels.tsv").read_text(encoding="utf-8")
    kernels: dict[str, list[MeasuredKernel]] = {}
    for record in csv.DictReader(table.splitlines(), delimiter="\t"):
        operator = operators.get(record["type"])
        kernel = _kernel(record, names["profiles"]) if operator else None
        if operator and kernel is not None:
            kernels.setdefault(operator, []).append(kernel)
    return kernels


def _kernel(
    record: Mapping[str, str], parts: Mapping[str, str]
) -> MeasuredKernel | None:
    """A row of the table; None where its inputs are scalars or not listed."""
    if record["input_shapes"] == _ABSENT:
        return None
    shapes = []
    for listed in record["input_shapes"].split(";"):
        sizes = tuple(int(size) for size in listed.split(",") if size)
        shape = tuple(size for size in sizes if size > 1)
        if shape:
            shapes.append(shape)
    dtype = _DTYPES.get(record["input_dtypes"].split(";")[0], "")
    if not shapes or not dtype:
        return None
    return MeasuredKernel(
        record["type"],
        tuple(shapes),
        dtype,
        _DTYPES.get(record["output_dtypes"].split(";")[0], ""),
        float(record["duration_median_us"]),
        parts[record["source"]],
        record["source"],
    )
