"""The measured kernels that a plain kernel of ours can stand for, and which of our kernels does.

A row is a task of a public profile of a real model (`resources/baselines/measured_kernels.tsv`): operator,
shapes, data types, cores, and what it took. What it did not say is whether its operands lay in L2.
"""

from __future__ import annotations

import csv
import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).parents[1] / "resources" / "baselines" / "measured_kernels.tsv"

_DTYPES = {
    "FLOAT": "float",
    "FLOAT16": "half",
    "DT_BF16": "bfloat16",
    "INT32": "int32",
    "INT64": "int64",
    "BOOL": "uint8",
    "UINT8": "uint8",
}
_PROCESSORS = {
    "qwen3-rank0": "Ascend910B4",
    "alexnet": "Ascend910B2",
    "fp16-2023": "Ascend910B2",
}


@dataclass(frozen=True)
class Tensor:
    """Shape and data type as the twin's test kernels name it."""

    shape: tuple[int, ...]
    dtype: str

    @property
    def elements(self) -> int:
        """How many there are."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Row:
    """One measured kernel.

    Attributes:
        source: Profile it comes from.
        operator: CANN's name of it.
        soc: Processor.
        cores: Blocks it was launched with.
        inputs, outputs: Its tensors.
        calls: How many tasks the median is of.
        duration_us: Median of Task Duration.
        pipes_us: Median busy time of the pipes `vector`, `scalar`, `mte2`, `mte3`, `cube`; zeros where not given.
        core_us: Median time on the cores.
    """

    source: str
    operator: str
    soc: str
    cores: int
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    calls: int
    duration_us: float
    core_us: float
    pipes_us: dict[str, float]

    @property
    def name(self) -> str:
        """The row in one word, by which it is told from the others."""
        tensors = (*self.inputs, *self.outputs)
        shapes = ",".join("x".join(map(str, t.shape)) or "1" for t in tensors)
        dtypes = ",".join(t.dtype for t in tensors)
        return f"{self.source}/{self.operator}/{self.cores}/{shapes}/{dtypes}"

    @property
    def is_kept_apart(self) -> bool:
        """Whether the row was not looked at while constants were chosen: a third, by checksum of its name."""
        return zlib.crc32(self.name.encode()) % 3 == 0


def rows(table: Path = TABLE) -> Iterator[Row]:
    """Every row whose tensors are known."""
    with table.open(encoding="utf-8", newline="") as lines:
        for record in csv.DictReader(lines, delimiter="\t"):
            row = _row(record)
            if row is not None:
                yield row


def _row(record: dict[str, str]) -> Row | None:
    inputs = _tensors(record["input_shapes"], record["input_dtypes"])
    outputs = _tensors(record["output_shapes"], record["output_dtypes"])
    if inputs is None or outputs is None:
        return None

    def us(column: str) -> float:
        return float(record[column] or 0)

    return Row(
        source=record["source"],
        operator=record["type"],
        soc=_PROCESSORS[record["source"]],
        cores=int(record["blocks"]),
        inputs=inputs,
        outputs=outputs,
        calls=int(record["calls"]),
        duration_us=us("duration_median_us"),
        core_us=us("aiv_us") or us("aicore_us"),
        pipes_us={
            "vector": us("vec_us"),
            "scalar": us("scalar_us"),
            "mte2": us("mte2_us") or us("aic_mte2_us"),
            "mte3": us("mte3_us"),
            "cube": us("mac_us"),
        },
    )


def _tensors(shapes: str, dtypes: str) -> tuple[Tensor, ...] | None:
    tensors = []
    for shape, dtype in zip(shapes.split(";"), dtypes.split(";"), strict=True):
        if shape == "N/A" or dtype not in _DTYPES:
            return None
        sizes = tuple(int(size) for size in shape.split(",") if size)
        tensors.append(Tensor(sizes, _DTYPES[dtype]))
    return tuple(tensors)


# Operators by the kernel that stands for them; the data types follow in its name.
_BINARY = {"Add": "add", "Mul": "mul", "Sub": "sub", "RealDiv": "div"}
_UNARY = {
    "Relu": "relu",
    "Reciprocal": "reciprocal",
    "Log": "log",
    "Square": "square",
    "Muls": "muls",
}
_COMPARISONS = {"Less", "Greater", "GreaterEqual", "Equal", "NotEqual"}
_FILLS = {"ZerosLike", "OnesLike", "Fill"}


def stand_in(row: Row) -> str | None:
    """Name of the case in tests/twin/kernels/time.cpp; None for a row that none stands for."""
    out = row.outputs[0]
    if row.operator in _FILLS:
        return f"fill/{out.dtype}"
    first = row.inputs[0]
    if row.operator == "TensorMove":
        return f"copy/{first.dtype}"
    if row.operator == "Cast":
        return f"cast/{first.dtype}/{out.dtype}"
    if row.operator == "LogicalNot":
        return "not/uint8"
    if row.operator in _UNARY:
        return f"{_UNARY[row.operator]}/{first.dtype}"
    second = row.inputs[1] if len(row.inputs) > 1 else None
    if second is None:
        return None
    if row.operator in _COMPARISONS and second.elements == 1:
        return f"compare/{first.dtype}"
    if row.operator == "ReluGrad":
        return f"relu_grad/{first.dtype}"
    if row.operator in _BINARY and len(row.inputs) == 2:
        name = _BINARY[row.operator]
        if second.elements == 1 and first.elements == out.elements:
            return f"{name}/{first.dtype}/scalar"
        if first.elements == second.elements == out.elements:
            dtypes = first.dtype if first.dtype == second.dtype else f"{first.dtype}/{second.dtype}"
            return f"{name}/{dtypes}"
    return None
