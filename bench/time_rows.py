"""Measured kernels, and which plain kernel of this project has the same work and can be timed in their place.

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
        core_us: Median time on the cores.
        pipes_us: Median busy time of the pipes `vector`, `scalar`, `mte2`, `mte3`, `cube`; 0 where not measured.
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
        """A name no other row has: source, operator, cores, shapes and data types."""
        tensors = (*self.inputs, *self.outputs)
        sizes = ["x".join(map(str, tensor.shape)) for tensor in tensors]
        shapes = ",".join(size or "1" for size in sizes)
        dtypes = ",".join(tensor.dtype for tensor in tensors)
        return f"{self.source}/{self.operator}/{self.cores}/{shapes}/{dtypes}"

    @property
    def is_held_out(self) -> bool:
        """Whether the row had no part in the choice of constants: a third has not, by checksum of its name."""
        return zlib.crc32(self.name.encode()) % 3 == 0


def rows(table: Path = TABLE) -> Iterator[Row]:
    """Every row whose tensors are known."""
    with table.open(encoding="utf-8", newline="") as lines:
        for record in csv.DictReader(lines, delimiter="\t"):
            row = _row(record)
            if row is not None:
                yield row


def _row(record: dict[str, str]) -> Row | None:
    """A line of the table; None where a tensor has no shape or a type that no kernel of ours takes."""
    inputs = _tensors(record["input_shapes"], record["input_dtypes"])
    outputs = _tensors(record["output_shapes"], record["output_dtypes"])
    if inputs is None or outputs is None:
        return None

    def us(column: str) -> float:
        """Microseconds of a column; 0 where the profile left it empty."""
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
    """Tensors of a row, `1,2;3` and `FLOAT;INT32`; an empty shape is a scalar. None where one is not known."""
    tensors = []
    for shape, dtype in zip(shapes.split(";"), dtypes.split(";"), strict=True):
        if shape == "N/A" or dtype not in _DTYPES:
            return None
        sizes = tuple(int(size) for size in shape.split(",") if size)
        tensors.append(Tensor(sizes, _DTYPES[dtype]))
    return tuple(tensors)


@dataclass(frozen=True)
class StandIn:
    """The kernel of this project that is timed in the place of a row's.

    Attributes:
        family: `element-wise`, `reductions and norms`, `moves` or `products`.
        case: Its name in `tests/twin/kernels/time.cpp`, or `product` in `model.cpp`.
        parameters: Of the case.
        inputs, outputs: The tensors it works on.
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
# CANN's tiles of half and bfloat16: base blocks of m and n, and of k; steps of k that a copy of A and B brings.
_BASES = ((128, 256), (256, 128))
_BASE_K = 64
_STEPS_K = (8, 4)


def stand_in(row: Row) -> StandIn | None:
    """The kernel that is timed in the place of a row's; None where this project has none with that work."""
    for rule in (_element_wise, _by_rows, _product):
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
    """Name of the case in `time.cpp` that does an element-wise row's work, `add/half`; None without one."""
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
    """The case of an instruction on two operands, the second of which may be a scalar."""
    if second.elements == 1 and first.elements == out.elements:
        return f"{name}/{first.dtype}/scalar"
    if not first.elements == second.elements == out.elements:
        return None  # spread along an axis: another kernel
    if first.dtype == second.dtype:
        return f"{name}/{first.dtype}"
    return f"{name}/{first.dtype}/{second.dtype}"


def _tile(row: Row) -> int:
    """Elements of a tile: two to a core at least, 16 KB of the widest tensor at most."""
    tensors = (*row.inputs, *row.outputs)
    widest = max(_BYTES[tensor.dtype] for tensor in tensors)
    most = _MOST_TILE_BYTES // widest
    return max(256, min(_half_share(row.outputs[0], row.cores), most))


def _half_share(tensor: Tensor, cores: int) -> int:
    """Half of the elements of a core, rounded up to 256."""
    return math.ceil(tensor.elements / cores / 2 / 256) * 256


def _by_rows(row: Row) -> StandIn | None:
    """Kernels that go through rows: norms, reductions, activations with a gate, rotation, gathering.

    Their parameters are elements of a tile, rows and columns; 0 is what a case does not use.
    """
    first, out = row.inputs[0], row.outputs[0]
    shape, dtype = first.shape, first.dtype
    columns = shape[-1] if shape else 1
    rows = first.elements // max(1, columns)
    parameters = (0, rows, columns)
    inputs, outputs, family = row.inputs, row.outputs, REDUCTIONS
    match row.operator:
        case "RmsNorm" if dtype == "bfloat16":
            case = f"rms_norm/{dtype}"
        case "SwiGlu":
            case = f"swiglu/{dtype}"
        case "LayerNormV3":
            case, outputs = f"layer_norm/{dtype}", row.outputs[:1]
        case "RotaryPositionEmbedding":
            tokens, heads = shape[0], shape[2]
            case, parameters = f"rotate/{dtype}", (0, tokens, heads)
        case "ReduceSumD" if out.elements == 1:
            tile = max(256, min(_half_share(first, row.cores), 4096))
            case, parameters = f"sum_all/{dtype}", (tile, 0, 0)
        case "ReduceSumD" if out.elements == rows:
            case = f"sum_rows/{dtype}"
        case "GatherV2":
            family, inputs = MOVES, row.inputs[:2]
            case = f"gather/{dtype}/{row.inputs[1].dtype}"
            parameters = (0, out.elements // columns, columns)
        case _:
            return None
    return StandIn(family, case, parameters, inputs, outputs)


def _product(row: Row) -> StandIn | None:
    """Products of half and bfloat16 matrices, the whole product as a share for each core.

    The profile does not say which operand is stored transposed; the shapes leave one way.
    """
    if row.operator not in {"MatMul", "MatMulV2", "MatMulV3"}:
        return None
    if len(row.inputs) != 2:
        return None
    a, b = row.inputs
    if a.dtype not in {"half", "bfloat16"}:
        return None
    (a_rows, a_columns), (b_rows, b_columns) = a.shape, b.shape
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
    """How a product of m x n is spread over cores.

    Attributes:
        own_m, own_n: Rows and columns of the result that one core makes.
        base: Rows and columns of its base block.
        along_m, along_n: Cores along the rows and the columns.
    """

    own_m: int
    own_n: int
    base: tuple[int, int]
    along_m: int
    along_n: int


def _tiling(
    grid: _Grid, k: int, n: int, *, b_turned: bool
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Parameters of the case `product` of `model.cpp`, when its matrices lie in L2 (warm) and when not (cold).

    A core reads A once for every block of its columns and B once for every block of its
    rows. Cold, the first read of an element by any core is from HBM, all later ones
    are from L2.
    """
    base_m, base_n = grid.base
    shape = (grid.own_m, grid.own_n, k, base_m, base_n, _BASE_K, *_STEPS_K)
    layout = (int(b_turned), 2)
    row_bytes = (2 * k, 2 * (k if b_turned else n))
    reads_a = grid.along_n * math.ceil(grid.own_n / base_n)
    reads_b = grid.along_m * math.ceil(grid.own_m / base_m)
    warm = (*shape, *layout, 0, 0, *row_bytes)
    cold = (*shape, *layout, 1 / reads_a, 1 / reads_b, *row_bytes)
    return warm, cold


def _grid(m: int, n: int, cores: int, base: tuple[int, int]) -> _Grid:
    """The grid that gives the busiest core the fewest base blocks; of several, that of the squarest share."""
    base_m, base_n = base
    blocks_m = math.ceil(m / base_m)
    blocks_n = math.ceil(n / base_n)
    choices = []
    for along_m in range(1, cores + 1):
        along_n = cores // along_m
        own_m = math.ceil(blocks_m / along_m) * base_m
        own_n = math.ceil(blocks_n / along_n) * base_n
        area, skew = own_m * own_n, abs(own_m - own_n)
        choices.append((area, skew, own_m, own_n, along_m, along_n))
    _, _, own_m, own_n, along_m, along_n = min(choices)
    return _Grid(min(own_m, m), min(own_n, n), base, along_m, along_n)
