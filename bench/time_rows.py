"""The measured kernels that a plain kernel of ours can stand for, and which of our kernels does.

A row is a task of a public profile of a real model (`resources/baselines/measured_kernels.tsv`): operator,
shapes, data types, cores, and what it took. What it did not say is whether its operands lay in L2.
"""

from __future__ import annotations

import csv
import math
import tomllib
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
_PROCESSORS: dict[str, str] = tomllib.loads(
    TABLE.with_name("operators.toml").read_text(encoding="utf-8")
)["profiles"]


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


@dataclass(frozen=True)
class StandIn:
    """The kernel of ours that stands for a row.

    Attributes:
        family: `element-wise`, `reductions and norms`, `moves` or `products`.
        case: Its name in `tests/twin/kernels/time.cpp`, or `product` in `model.cpp`.
        parameters: Of the case.
        inputs, outputs: The tensors it is given.
        cold_parameters: The same for the first launch, where they differ.
        tilings: Others to choose from, parameters and cold parameters; the fastest stands for the row, as
            CANN's host chooses one.
    """

    family: str
    case: str
    parameters: tuple[float, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    cold_parameters: tuple[float, ...] = ()
    tilings: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...] = ()


ELEMENT_WISE, REDUCTIONS, MOVES, PRODUCTS = (
    "element-wise",
    "reductions and norms",
    "moves",
    "products",
)
_BINARY = {"Add": "add", "Mul": "mul", "Sub": "sub", "RealDiv": "div"}
_UNARY = {
    "Abs": "abs",
    "Exp": "exp",
    "FastGelu": "fast_gelu",
    "Log": "log",
    "Muls": "muls",
    "Reciprocal": "reciprocal",
    "Relu": "relu",
    "Square": "square",
}
_COMPARISONS = {"Less", "Greater", "GreaterEqual", "Equal", "NotEqual"}
_FILLS = {"ZerosLike", "OnesLike", "Fill"}
_BYTES = {"float": 4, "half": 2, "bfloat16": 2, "int32": 4, "int64": 8, "uint8": 1}
_MOST_TILE_BYTES = 16384
# CANN's tiles of half and bfloat16: base blocks of m and n, and of k; steps of k that a copy of A and B brings
_BASES = ((128, 256), (256, 128))
_BASE_K = 64
_STEPS_K = (8, 4)


def stand_in(row: Row) -> StandIn | None:
    """The kernel that stands for a row; None for a row that none stands for."""
    for rule in (_element_wise, _of_rows, _product):
        kernel = rule(row)
        if kernel is not None:
            return kernel
    return None


def _element_wise(row: Row) -> StandIn | None:
    case = _element_wise_case(row)
    if case is None:
        return None
    inputs = row.inputs
    if case.startswith("fill/"):
        inputs = ()
    if case.startswith("compare/"):
        inputs = row.inputs[:1]  # the other operand is a constant of the kernel
    return StandIn(ELEMENT_WISE, case, (_tile(row),), inputs, row.outputs)


def _element_wise_case(row: Row) -> str | None:
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
    if len(row.inputs) < 2:
        return None
    second = row.inputs[1]
    if row.operator in _COMPARISONS and second.elements == 1:
        return f"compare/{first.dtype}"
    if row.operator == "ReluGrad":
        return f"relu_grad/{first.dtype}"
    if row.operator in _BINARY and len(row.inputs) == 2:
        return _binary_case(_BINARY[row.operator], first, second, out)
    return None


def _binary_case(name: str, first: Tensor, second: Tensor, out: Tensor) -> str | None:
    if second.elements == 1 and first.elements == out.elements:
        return f"{name}/{first.dtype}/scalar"
    if not first.elements == second.elements == out.elements:
        return None  # spread along an axis: another kernel
    if first.dtype == second.dtype:
        return f"{name}/{first.dtype}"
    return f"{name}/{first.dtype}/{second.dtype}"


def _tile(row: Row) -> int:
    """Elements of a tile: two to a core at least, 16 KB of the widest tensor at most."""
    elements = row.outputs[0].elements
    widest = max(_BYTES[tensor.dtype] for tensor in (*row.inputs, *row.outputs))
    half_share = math.ceil(elements / row.cores / 2 / 256) * 256
    return max(256, min(half_share, _MOST_TILE_BYTES // widest))


def _of_rows(row: Row) -> StandIn | None:
    """Kernels that go through rows: norms, reductions, activations with a gate, rotation, gathering."""
    first, out = row.inputs[0], row.outputs[0]
    shape, dtype = first.shape, first.dtype
    columns = shape[-1] if shape else 1
    rows = first.elements // max(1, columns)
    by_row = (0, rows, columns)
    match row.operator:
        case "RmsNorm" if dtype == "bfloat16":
            case, family, outputs = f"rms_norm/{dtype}", REDUCTIONS, row.outputs
        case "SwiGlu":
            case, family, outputs = f"swiglu/{dtype}", REDUCTIONS, row.outputs
        case "LayerNormV3":
            case, family, outputs = f"layer_norm/{dtype}", REDUCTIONS, row.outputs[:1]
        case "RotaryPositionEmbedding":
            tokens, heads = shape[0], shape[2]
            by_row = (0, tokens, heads)
            case, family, outputs = f"rotate/{dtype}", REDUCTIONS, row.outputs
        case "ReduceSumD" if out.elements == 1:
            share = math.ceil(first.elements / row.cores / 2 / 256) * 256
            by_row = (max(256, min(share, 4096)), 0, 0)
            case, family, outputs = f"sum_all/{dtype}", REDUCTIONS, row.outputs
        case "ReduceSumD" if out.elements == rows:
            case, family, outputs = f"sum_rows/{dtype}", REDUCTIONS, row.outputs
        case "GatherV2":
            by_row = (0, out.elements // columns, columns)
            index = row.inputs[1]
            case, family, outputs = f"gather/{dtype}/{index.dtype}", MOVES, row.outputs
            return StandIn(family, case, by_row, row.inputs[:2], outputs)
        case _:
            return None
    return StandIn(family, case, by_row, row.inputs, outputs)


def _product(row: Row) -> StandIn | None:
    """Products of half and bfloat16 matrices, the whole product as a share for each core.

    The profile does not say which operand is stored transposed; the shapes leave one way.
    """
    if row.operator not in {"MatMul", "MatMulV2", "MatMulV3"}:
        return None
    if row.inputs[0].dtype not in {"half", "bfloat16"} or len(row.inputs) != 2:
        return None
    (a_rows, a_columns), (b_rows, b_columns) = (t.shape for t in row.inputs)
    m, n = row.outputs[0].shape
    k = a_columns if a_rows == m else a_rows
    b_turned = (b_rows, b_columns) == (n, k)
    grids = [_grid(m, n, row.cores, base) for base in _BASES]
    tilings = tuple(_tiling(grid, k, n, b_turned=b_turned) for grid in grids)
    warm, cold = tilings[0]
    window = (Tensor((65536,), "half"),)  # sizes matter, not bytes
    return StandIn(PRODUCTS, "product", warm, window, window, cold, tilings[1:])


@dataclass(frozen=True)
class _Grid:
    """A product spread over the cores: rows and columns of a core, its base block, cores along both."""

    own_m: int
    own_n: int
    base: tuple[int, int]
    along_m: int
    along_n: int


def _tiling(
    grid: _Grid, k: int, n: int, *, b_turned: bool
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Parameters of the product, warm and cold.

    From HBM comes what a core is the first to read. It reads A once for every block of its columns and B
    once for every block of its rows; all but the first time, L2 has it.
    """
    base_m, base_n = grid.base
    shape = (grid.own_m, grid.own_n, k, base_m, base_n, _BASE_K, *_STEPS_K)
    layout = (int(b_turned), 2)
    steps = (2 * k, 2 * (k if b_turned else n))
    reads_a = grid.along_n * math.ceil(grid.own_n / base_n)
    reads_b = grid.along_m * math.ceil(grid.own_m / base_m)
    warm = (*shape, *layout, 0, 0, *steps)
    cold = (*shape, *layout, 1 / reads_a, 1 / reads_b, *steps)
    return warm, cold


def _grid(m: int, n: int, cores: int, base: tuple[int, int]) -> _Grid:
    """The fewest base blocks for the core that has most, then the squarest share."""
    base_m, base_n = base
    blocks_m, blocks_n = math.ceil(m / base_m), math.ceil(n / base_n)
    choices = []
    for along_m in range(1, cores + 1):
        along_n = cores // along_m
        own_m = math.ceil(blocks_m / along_m) * base_m
        own_n = math.ceil(blocks_n / along_n) * base_n
        area = own_m * own_n
        choices.append((area, abs(own_m - own_n), own_m, own_n, along_m, along_n))
    _, _, own_m, own_n, along_m, along_n = min(choices)
    return _Grid(min(own_m, m), min(own_n, n), base, along_m, along_n)
