"""Tasks in one Python file with a `class Model` (KernelBench style), read as a syntax tree.

What `get_inputs` makes can only be known by running it; the tree still tells the arguments of `forward`, most
constants, and whether the model has parameters.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
from core.operators.importers.python_source import (
    forward_parameters,
    functions,
    parse,
    read_text,
    relative,
    require_class,
    returned_values,
)
from core.operators.importers.rows import BIG_ELEMENTS
from core.operators.importers.task import ImportedTask, TaskCase
from core.operators.spec import AttributeSpec, DecidingRule, TensorSpec
from core.outside import json_value

ADAPTER = "model_task.py"
PARAMETERS = "parameters"
_PLAIN_LAYERS = re.compile(
    r"(?:\w*(?:ReLU\w*|Pool\w*|Pad\w*|Dropout\w*|Softmax\w*|Softmin|Sigmoid|Tanh|GELU|SiLU|Mish|ELU|SELU|CELU|Softplus"
    r"|Softsign|Hardtanh|Hardswish|Hardsigmoid|Hardshrink|Softshrink|Tanhshrink|Threshold|LogSigmoid|Loss|Identity"
    r"|Flatten|Unflatten|Upsample\w*|Fold|Unfold|PixelShuffle|PixelUnshuffle|CosineSimilarity|PairwiseDistance))"
)
_ATTRIBUTE_TYPES = {
    "int": "int", "float": "float", "bool": "bool", "str": "str", "list": "int_list", "tuple": "int_list",
    "List[int]": "int_list", "Tuple[int, int]": "int_list",
}  # fmt: skip


@dataclass(frozen=True)
class ModelFile:
    """What a task file tells without being run.

    Attributes:
        forward: Arguments of `forward`, in order.
        tensors: Those that are (or may be) tensors.
        attributes: Attributes with their types: scalar arguments of `forward` and of the constructor.
        init: Arguments of the constructor, in order.
        parameters: Whether the model seems to have parameters or buffers.
        outputs: How many results `forward` returns.
        largest: Elements of the largest tensor, as far as constants tell.
        grouped: Whether `get_input_groups` is defined.
        summary: Docstrings of the class and of `forward`.
        optional: Arguments of `forward` with a default.
    """

    forward: tuple[str, ...]
    tensors: tuple[str, ...]
    attributes: Mapping[str, str]
    init: tuple[str, ...]
    parameters: bool
    outputs: int
    largest: int
    grouped: bool
    summary: str
    optional: frozenset[str] = field(default_factory=frozenset)


def read_model_file(text: str, source: str) -> ModelFile:
    """Read a task file.

    Raises:
        InvalidInput: `class Model` with `forward`, or a function that gives inputs, is missing.
    """
    tree = parse(text, source)
    model = require_class(tree, "Model", source)
    defined = functions(tree.body)
    if not {"get_inputs", "get_input_groups"} & set(defined):
        raise InvalidInput(source, "function get_inputs", "is not defined, nor is get_input_groups")
    constants = module_constants(tree)
    methods = functions(model.body)
    forward = methods["forward"]
    init = [argument.arg for argument in methods["__init__"].args.args][1:] if "__init__" in methods else []
    attributes = _init_attributes(methods.get("__init__"), defined.get("get_init_inputs"), init, constants)
    plain = _plain_arguments(forward)
    names = forward_parameters(model)
    attributes |= {name: kind for name, kind in plain.items() if name in names}
    giver = defined.get("get_input_groups") or defined["get_inputs"]
    required = len(names) - len(forward.args.defaults)
    return ModelFile(
        forward=tuple(names),
        tensors=tuple(name for name in names if name not in plain),
        attributes=attributes,
        init=tuple(init),
        parameters=_has_parameters(model),
        outputs=max(returned_values(forward), 1),
        largest=_largest(giver, constants),
        grouped="get_input_groups" in defined,
        summary=_documentation(model, forward),
        optional=frozenset(names[required:]),
    )


def module_constants(tree: ast.Module) -> dict[str, Any]:
    """Values of the module's simple assignments: literals and arithmetic on them."""
    constants: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            value = constant(node.value, constants)
            for target in node.targets:
                if isinstance(target, ast.Name) and value is not None:
                    constants[target.id] = value
                elif isinstance(target, ast.Tuple) and isinstance(value, tuple):
                    names = [element.id for element in target.elts if isinstance(element, ast.Name)]
                    constants |= dict(zip(names, value, strict=False))
    return constants


_OPERATIONS: dict[type[ast.operator], Any] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b if b else None, ast.Div: lambda a, b: a / b if b else None,
}  # fmt: skip


def constant(node: ast.expr, constants: Mapping[str, Any]) -> Any:
    """Value of an expression of literals, known names and arithmetic; None when it is anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = constant(node.operand, constants)
        return -value if isinstance(value, int | float) else None
    if isinstance(node, ast.Tuple | ast.List):
        values = tuple(constant(element, constants) for element in node.elts)
        return None if None in values else values
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = constant(node.left, constants), constant(node.right, constants)
        if isinstance(left, int | float) and isinstance(right, int | float):
            return _OPERATIONS[type(node.op)](left, right)
    return None


def _plain_arguments(function: ast.FunctionDef) -> dict[str, str]:
    """Arguments annotated (or defaulted) as numbers, texts or lists of numbers, with their attribute type."""
    found: dict[str, str] = {}
    arguments = function.args.args
    offset = len(arguments) - len(function.args.defaults)
    for index, argument in enumerate(arguments):
        annotation = ast.unparse(argument.annotation) if argument.annotation else ""
        kind = _ATTRIBUTE_TYPES.get(annotation)
        if kind is None and not annotation and index >= offset:
            default = function.args.defaults[index - offset]
            kind = _kind(default.value) if isinstance(default, ast.Constant) else None
        if kind is not None:
            found[argument.arg] = kind
    return found


def _kind(value: object) -> str | None:
    if isinstance(value, tuple):
        kinds = {_kind(entry) for entry in value}
        if not kinds or not kinds <= {"int", "float"}:
            return None
        return "float_list" if "float" in kinds else "int_list"
    for kind, name in ((bool, "bool"), (int, "int"), (float, "float"), (str, "str")):
        if isinstance(value, kind):
            return name
    return None


def _init_attributes(
    init: ast.FunctionDef | None,
    giver: ast.FunctionDef | None,
    names: list[str],
    constants: Mapping[str, Any],
) -> dict[str, str]:
    """Types of the constructor's arguments: of the values `get_init_inputs` returns, else as annotated."""
    found = _plain_arguments(init) if init is not None else {}
    returns = (
        [node.value for node in ast.walk(giver) if isinstance(node, ast.Return)] if giver is not None else []
    )
    if returns and isinstance(returns[-1], ast.List | ast.Tuple):
        for name, element in zip(names, returns[-1].elts, strict=False):
            kind = _kind(constant(element, constants))
            if kind is not None:
                found[name] = kind
    return {name: kind for name, kind in found.items() if name in names}


def _has_parameters(model: ast.ClassDef) -> bool:
    """Whether the constructor makes a layer, parameter or buffer (or another module, which may have some)."""
    init = functions(model.body).get("__init__")
    for node in ast.walk(init) if init is not None else ():
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            name = called.rsplit(".", maxsplit=1)[-1]
            if name == "register_buffer" or called.endswith("nn.Parameter"):
                return True
            module = called.startswith(("nn.", "torch.nn.")) or (name[:1].isupper() and "." not in called)
            if module and name[:1].isupper() and not _PLAIN_LAYERS.fullmatch(name):
                return True
    return False


def _largest(giver: ast.FunctionDef, constants: Mapping[str, Any]) -> int:
    largest = 0
    for node in ast.walk(giver):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("torch."):
            values: list[Any] = []
            for argument in node.args:
                inner = argument.value if isinstance(argument, ast.Starred) else argument
                value = constant(inner, constants)
                values += value if isinstance(value, tuple) else [value]
            sizes = [
                value
                for value in values
                if isinstance(value, int) and not isinstance(value, bool) and value > 0
            ]
            if sizes and len(sizes) == len(values):
                largest = max(largest, math.prod(sizes))
    return largest


def _documentation(model: ast.ClassDef, forward: ast.FunctionDef) -> str:
    parts = [ast.get_docstring(model) or "", ast.get_docstring(forward) or ""]
    return "\n\n".join(part for part in parts if part)


def pascal_case(stem: str) -> str:
    """OpDef name of a task file: leading digits dropped, words joined with a capital each.

    Raises:
        ValueError: Nothing is left that could name an operator.
    """
    words = re.findall(r"[A-Za-z0-9]+", re.sub(r"^[0-9_]+", "", stem))
    name = "".join(word[:1].upper() + word[1:] for word in words)
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
        raise ValueError(stem)
    return name


def model_task(
    path: Path, root: Path, *, identifier: str, benchmark: str, category: str, level: int, tolerance: float
) -> ImportedTask:
    """Read one task file and what lies beside it.

    Raises:
        InvalidInput: Naming file and field.
    """
    source, text = relative(path, root), read_text(path, root)
    found = read_model_file(text, source)
    try:
        name = pascal_case(path.stem)
    except ValueError as error:
        raise InvalidInput(source, "file name", f"{path.stem!r} gives no operator name") from error
    cases_file = path.with_suffix(".json")
    beside = read_text(cases_file, root) if cases_file.is_file() else ""
    cases = _cases(beside, relative(cases_file, root), found)
    inputs = [TensorSpec(tensor, (), tensor in found.optional) for tensor in found.tensors]
    inputs += [TensorSpec(PARAMETERS, (), optional=True, is_list=True)] if found.parameters else []
    outputs = [
        TensorSpec("out" if found.outputs == 1 else f"out{index}", ()) for index in range(found.outputs)
    ]
    attributes = [AttributeSpec(attribute, kind) for attribute, kind in found.attributes.items()]
    interface = {
        "file": path.name, "forward": found.forward, "inputs": [tensor.name for tensor in inputs],
        "attributes": [attribute.name for attribute in attributes], "init": found.init,
        "parameters": found.parameters, "eval": True, "atol": tolerance, "rtol": tolerance,
    }  # fmt: skip
    files = {f"task/{path.name}": text, "task/interface.json": json.dumps(interface, indent=1) + "\n"}
    if beside:
        files[f"task/{cases_file.name}"] = beside
    return ImportedTask(
        identifier=identifier, name=name, benchmark=benchmark, level=level, category=category,
        summary=f"{found.summary or name}\n\n```python\n{text.strip()}\n```", inputs=tuple(inputs),
        outputs=tuple(outputs), attributes=tuple(attributes), cases=cases, rule=DecidingRule.CHECKER,
        adapter=ADAPTER, files=files,
    )  # fmt: skip


def _cases(text: str, source: str, found: ModelFile) -> tuple[TaskCase, ...]:
    """One case per line of the file of cases, or the one group of `get_inputs`."""
    if not text or not found.grouped:
        return (TaskCase("group-0", {"group": 0}, found.largest > BIG_ELEMENTS),)
    cases = []
    for number, line in enumerate((line for line in text.splitlines() if line.strip()), start=1):
        try:
            inputs = json_value(line, source, f"line {number}")["inputs"]
            largest = max(
                (math.prod(entry.get("shape") or [1]) for entry in inputs if _sized(entry)), default=0
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(
                source, f"line {number}", f"is no case with a list `inputs`: {error}"
            ) from error
        cases.append(TaskCase(f"group-{number - 1}", {"group": number - 1}, largest > BIG_ELEMENTS))
    return tuple(cases)


def _sized(entry: Any) -> bool:
    shape = entry.get("shape")
    return isinstance(shape, list) and all(isinstance(size, int) for size in shape)
