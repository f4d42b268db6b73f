"""What the programs of a candidate are asked: rows of text, whose forms are documented in the twin.

op_host gets shapes, attributes and the values of small integer inputs (`manifest.h`), the kernel its
tiling and the layout of its memory (`launch_request.h`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from core.operators.spec import TestCase
from remote.judge.faults import UnavailableCase
from remote.judge.inputs.case_data import CaseData
from remote.judge.job import Operator
from remote.judge.running.answers import TilingAnswer
from remote.judge.running.memory_layout import Layout

# op_host may see the values of small inputs that can only be integers: lengths, indices, axes. CANN has those
# of an input with ValueDepend on the host only where they were there before the launch. An input that may be
# floating point as well is data: a host that knew its values could compute the result. So are indices of many
# rows, which it could sort for nothing; a batch has fewer lengths and a layer fewer groups.
MOST_VALUES = 128
_VALUE_TYPES = ("int32", "int64", "bool")
_OF_THE_SIMULATOR = frozenset(
    {"apart", "schedule", "trace", "cold", "cleared", "fast", "constant", "remains"}
)


def host_values(
    operator: Operator, data: CaseData
) -> tuple[bytes, dict[tuple[str, int], int]]:
    """The values op_host may see, and where those of each tensor (by name and place in its list) begin."""
    values, offsets = b"", {}
    is_data = {
        tensor.name
        for tensor in operator.inputs
        if not set(tensor.dtypes) <= set(_VALUE_TYPES)
    }
    for name, files in data.inputs.items():
        if name in is_data:
            continue
        for place, file in enumerate(files):
            if (
                file.dtype in _VALUE_TYPES
                and math.prod(file.shape) <= MOST_VALUES
                and not file.strides
            ):
                offsets[name, place] = len(values)
                values += file.path.read_bytes()
    return values, offsets


def call_request(
    operator: Operator,
    case: TestCase,
    data: CaseData,
    soc: str,
    offsets: Mapping[tuple[str, int], int],
) -> str:
    """What the tiling program is asked.

    Raises:
        UnavailableCase: An attribute has a value that no operator's has.
    """
    rows: list[tuple[Any, ...]] = [
        ("sage-twin-call", 1),
        ("operator", operator.name),
        ("soc", soc),
        ("source_root", "./"),
    ]
    for index, tensor in enumerate(operator.inputs):
        name = tensor.name
        if name not in data.inputs:
            rows.append(("absent", index, name))
        for place, file in enumerate(data.inputs.get(name, ())):
            shape, strides = _numbers(file.shape), _numbers(file.strides)
            offset = offsets.get((name, place), "-")
            rows.append(
                ("input", index, name, file.dtype, shape, strides, file.bytes, offset)
            )
    for index, file in enumerate(data.outputs):
        # Of an output that is not looked at, and whose room is not known, the candidate knows the shape best.
        free = data.is_unchecked(case, index) and file.room is None
        count = math.prod(file.shape)
        rows.append(
            (
                "output",
                file.name,
                file.dtype,
                _numbers(file.allocation.shape),
                int(free),
                count,
            )
        )
    declared = {attribute.name: attribute.type for attribute in operator.attributes}
    for name, value in case.attributes.items():
        kind, text = _attribute_text(name, value)
        rows.append(
            (
                "attribute",
                name,
                kind if kind == "none" else declared.get(name, kind),
                text,
            )
        )
    return _text_of(rows)


def launch_request(
    snake: str,
    soc: str,
    time_limit_s: float,
    tiling: TilingAnswer,
    layout: Layout,
    *,
    strict: bool,
    fast: bool,
    trace: int = 0,
    schedule: int = 0,
    cold: bool = False,
    constants: Mapping[str, float] = MappingProxyType({}),
    task: Sequence[int] = (),
    apart: str = "",
    remains: int = 0,
) -> str:
    """What the simulator is asked; it has `trace` bytes behind the tensors for a trace.

    `schedule` other than 0 is the number of another order of cores and pipes; `cold`: nothing lies in L2.
    `constants` of the model replace those the twin ships with. `task`: what an earlier run said in
    `Launch.starts_again`; `apart`: a digit for each block, see `launch_request.h`. `remains`: seed of what
    the workspace holds before the launch.
    """
    rows: list[tuple[Any, ...]] = [
        ("sage-twin-launch", 2),
        ("kernel", snake),
        ("soc", soc),
        ("time_limit", f"{time_limit_s:g}"),
        ("strict", int(strict)),
        ("fast", int(fast)),
        ("source_root", "./"),  # how clang names files found beside the including one
        ("block_dim", tiling.block_dim),
        ("tiling_key", tiling.tiling_key),
        ("tiling", tiling.tiling.hex()),
        ("workspace", sum(tiling.workspaces)),
        ("remains", remains),
        *layout.rows(),
    ]
    rows += [("trace", layout.size, trace)] if trace else []
    rows += [("schedule", schedule)] if schedule else []
    rows += [("task", *task)] if task else []
    rows += [("apart", apart)] if apart else []
    rows += [("cold", 1)] if cold else []
    rows += [("cleared", layout.cleared_bytes)] if layout.cleared_bytes else []
    rows += [("constant", name, repr(value)) for name, value in constants.items()]
    return _text_of(rows)


def kernel_request(launch: str) -> str:
    """What the kernel's own processes get of a launch request.

    Nothing of how they are looked at: in what order, by how many processes, with what
    memory before, for which bytes; a kernel could behave where it counts.
    """
    rows: list[str] = []
    for line in launch.splitlines():
        row = line.split("\t")
        if row[0] == "argument":
            row[-1] = row[3]
        if row[0] not in _OF_THE_SIMULATOR:
            rows.append("\t".join(row))
    return "".join(f"{line}\n" for line in rows)


def _text_of(rows: Sequence[tuple[Any, ...]]) -> str:
    return "".join(
        "\t".join(_encode(str(entry)) for entry in row) + "\n" for row in rows
    )


def _encode(text: str) -> str:
    return (
        text.replace("%", "%25")
        .replace("\t", "%09")
        .replace("\n", "%0A")
        .replace("\r", "%0D")
    )


def _numbers(values: Sequence[int]) -> str:
    return ",".join(str(value) for value in values) or "-"


def _attribute_text(name: str, value: Any) -> tuple[str, str]:
    """Type and text of an attribute in the manifest.

    Raises:
        UnavailableCase: No attribute of an operator has such a value.
    """
    if value is None:
        return "none", ""
    if isinstance(value, bool):
        return "bool", str(int(value))
    if isinstance(value, int):
        return "int", str(value)
    if isinstance(value, float):
        return "float", repr(value)
    if isinstance(value, str):
        return "str", value
    kinds = (
        [_attribute_text(name, entry) for entry in value]
        if isinstance(value, list | tuple)
        else []
    )
    if not isinstance(value, list | tuple) or not {kind for kind, _ in kinds} <= {
        "bool",
        "int",
        "float",
    }:
        raise UnavailableCase(
            f"the attribute {name} is {value!r}, a value no attribute of an operator has"
        )
    kind = (
        "float"
        if any(k == "float" for k, _ in kinds)
        else kinds[0][0]
        if kinds
        else "int"
    )
    return f"{kind}_list", ",".join(text for _, text in kinds)
