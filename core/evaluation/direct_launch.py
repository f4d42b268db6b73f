"""A kernel launched with `<<<>>>` as a candidate: the file, and the description of its launch beside it.

`abs.cpp` is described by `abs.toml`; docs/twin.md shows one. Out of both comes an operator project like any
other, which the same rules, lint, compilers and checks then judge: an op_host that does what the description
says, and the file itself, line for line, with its host code blanked out and an entry behind it that calls the
kernel.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from core.cpp_text import blanked
from core.errors import InvalidInput
from core.evaluation.candidate_folder import read_source
from core.evaluation.launch_values import Names, cpp_value
from core.evaluation.records import Candidate
from core.host_code import without_host_functions
from core.operators.spec import AttributeSpec, OperatorSpec
from core.outside import read_file
from core.templates import rendered

SUFFIXES = (".cpp", ".asc", ".cc")
MOST_BYTES = 1 << 20
_TYPES = {
    "int32": "int32_t",
    "uint32": "uint32_t",
    "int64": "int64_t",
    "uint64": "uint64_t",
    "float": "float",
}
_ATTRIBUTES = {
    "int": "Int",
    "float": "Float",
    "bool": "Bool",
    "str": "String",
    "int_list": "ListInt",
    "float_list": "ListFloat",
    "bool_list": "ListBool",
}
_WORKSPACE, _TILING = "workspace", "tiling"
_RUNTIME_HEADER = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*[<\"]acl/[^\n]*$", re.MULTILINE
)
_GLOBAL = re.compile(r"\b__global__\b")
_OWN_WORKSPACE = re.compile(r"\b(?:GetUserWorkspace|SetSysWorkspace)\b")


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number the kernel is handed: its type (int32, uint32, int64, uint64, float) and an expression."""

    type: str
    value: int | float | str


class Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the launch description says.

    Attributes:
        kernel: The function between `__global__` and `<<<`, template arguments and all.
        arguments: Inputs and outputs of the operator, `scalars`, `workspace` and `tiling`, in call order.
        block_dim: Blocks: a number or an expression.
        operator: Catalogue name, or a folder beside the file; `--operator` says so otherwise.
        workspace: Bytes at the address `workspace`.
        scalars: Numbers handed over by value, by name.
        tiling: Fields of the struct at the address `tiling`, in order.
    """

    kernel: str
    arguments: list[str]
    block_dim: int | str
    operator: str = ""
    workspace: int | str = 0
    scalars: dict[str, Value] = {}
    tiling: dict[str, Value] = {}


@dataclass(frozen=True)
class LaunchedKernel:
    """A kernel file and how it is launched."""

    file: Path
    text: str
    description: Description

    @property
    def described_in(self) -> str:
        """The description, for messages."""
        return str(self.file.with_suffix(".toml"))


def read_launched(file: Path) -> LaunchedKernel:
    """Read a kernel file and the description beside it.

    Raises:
        InvalidInput: One of them is missing or cannot be read; names file, field and remedy.
    """
    beside = file.with_suffix(".toml")
    if not beside.is_file():
        remedy = "Say there how the kernel is launched: kernel, arguments, block_dim (docs/twin.md)."
        raise InvalidInput(str(beside), "launch description", "is missing", remedy)
    try:
        table = tomllib.loads(read_file(beside, MOST_BYTES).decode())
        description = msgspec.convert(table, Description)
    except (
        UnicodeDecodeError,
        tomllib.TOMLDecodeError,
        msgspec.ValidationError,
    ) as error:
        raise InvalidInput(str(beside), "launch description", str(error)) from error
    return LaunchedKernel(file, read_source(file), description)


def launched_candidate(operator: OperatorSpec, kernel: LaunchedKernel) -> Candidate:
    """The kernel as an operator project.

    Raises:
        InvalidInput: The description names something the operator or the file does not have.
    """
    description, snake = kernel.description, operator.snake_name
    tensors = {tensor.name for tensor in (*operator.inputs, *operator.outputs)}
    for name in description.arguments:
        if name not in tensors | {*description.scalars, _WORKSPACE, _TILING}:
            names = ", ".join(
                [*sorted(tensors), *description.scalars, _WORKSPACE, _TILING]
            )
            raise InvalidInput(
                kernel.described_in,
                "arguments",
                "{given} is not one of {known}",
                given=repr(name),
                known=names,
            )
    for name, value in (*description.scalars.items(), *description.tiling.items()):
        if value.type not in _TYPES or not name.isidentifier():
            raise InvalidInput(
                kernel.described_in,
                name,
                "type {given} is not one of {known}",
                given=repr(value.type),
                known=", ".join(_TYPES),
            )
    if description.tiling and description.scalars and _TILING in description.arguments:
        raise InvalidInput(
            kernel.described_in,
            "scalars",
            "cannot stand beside a tiling struct",
            "Put them into [tiling].",
        )
    return Candidate(
        {
            f"op_host/{snake}_tiling.h": _tiling_header(operator, description),
            f"op_host/{snake}.cpp": _host(operator, kernel),
            f"op_kernel/{snake}.cpp": _kernel(operator, kernel),
        }
    )


def _fields(description: Description) -> Mapping[str, Value]:
    """Fields of the tiling data: those of the struct, or the scalars; never none."""
    return description.tiling or description.scalars or {"unused": Value("uint32", 0)}


def _tiling_header(operator: OperatorSpec, description: Description) -> str:
    fields = {name: _TYPES[value.type] for name, value in _fields(description).items()}
    return rendered("launched/tiling.h.jinja", operator=operator, fields=fields)


def _host(operator: OperatorSpec, kernel: LaunchedKernel) -> str:
    description, readable = kernel.description, _readable(operator.attributes)
    names = Names(
        tuple(one.name for one in operator.inputs),
        tuple(one.name for one, _, _ in readable),
    )

    def value(field: str, expression: float | str) -> str:
        return cpp_value(expression, names, kernel.described_in, field)

    return rendered(
        "launched/host.cpp.jinja",
        operator=operator,
        readable=readable,
        sets=[
            (name, _TYPES[one.type], value(name, one.value))
            for name, one in _fields(description).items()
            if name != "unused"
        ],
        block_dim=value("block_dim", description.block_dim),
        workspace=value("workspace", description.workspace),
        columns=max(
            len(tensor.dtypes) for tensor in (*operator.inputs, *operator.outputs)
        ),
        attribute_types=_ATTRIBUTES,
    )


def _readable(
    attributes: Sequence[AttributeSpec],
) -> list[tuple[AttributeSpec, int, str]]:
    """Attributes that are numbers, with their place and C++ type."""
    types = {"int": "int64_t", "float": "float", "bool": "bool"}
    return [
        (one, at, types[one.type])
        for at, one in enumerate(attributes)
        if one.type in types
    ]


def _kernel(operator: OperatorSpec, kernel: LaunchedKernel) -> str:
    """The file with its kernels as device functions, and behind it the entry that calls the launched one."""
    description, snake = kernel.description, operator.snake_name
    function = description.kernel.partition("<")[0].strip().rpartition("::")[2]
    text = _without_host_code(kernel.text)
    bare = blanked(text)
    if not re.search(rf"\b__global__\b[^;{{}}()]*\b{re.escape(function)}\s*\(", bare):
        where = str(kernel.file)
        raise InvalidInput(
            where,
            "kernel",
            "has no __global__ function {function}",
            "Name in its description the one it launches.",
            function=function,
        )
    # The entry of a project has the name of the operator, which the launched kernel may have as well.
    text = re.sub(
        rf"\b{re.escape(snake)}\b(?=\s*[(<])",
        f"{snake}_launched",
        _GLOBAL.sub(" " * 10, text),
    )
    called = re.sub(rf"\b{re.escape(snake)}\b", f"{snake}_launched", description.kernel)
    own = _OWN_WORKSPACE.search(bare) is not None
    passed = {
        **{name: f"launch_data.{name}" for name in description.scalars},
        _WORKSPACE: "workspace" if own else "AscendC::GetUserWorkspace(workspace)",
        _TILING: "tiling",
    }
    values = ", ".join(passed.get(name, name) for name in description.arguments)
    tensors = dict.fromkeys(
        tensor.name for tensor in (*operator.inputs, *operator.outputs)
    )
    addresses = ", ".join(f"GM_ADDR {name}" for name in (*tensors, _WORKSPACE, _TILING))
    data = "    GET_TILING_DATA(launch_data, tiling);\n" if description.scalars else ""
    entry = f'extern "C" __global__ __aicore__ void {snake}({addresses}) {{\n{data}    {called}({values});\n}}\n'
    return f"{text}\n{entry}"


def _without_host_code(text: str) -> str:
    """The text without what only the host runs, lines kept: launching functions, `main`, runtime headers."""
    return _RUNTIME_HEADER.sub(
        lambda line: " " * len(line[0]), without_host_functions(text)
    )
