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
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
from core.operators.importers.python_source import (
    constant,
    forward_parameters,
    functions,
    group_sizes,
    largest_tensor,
    module_constants,
    parse,
    read_text,
    relative,
    require_class,
    returned_values,
)
from core.operators.importers.smaller_sizes import derived_plans
from core.operators.importers.task import (
    BIG_ELEMENTS,
    MEAN_TOLERANCE,
    ImportedTask,
    TaskCase,
)
from core.operators.spec import AttributeSpec, DecidingRule, TensorSpec
from core.outside import json_value

ADAPTER = "model_task.py"
PARAMETERS = "parameters"
INIT_GIVER = "get_init_inputs"
# What gives inputs: the groups of them first, which are all cases of the task.
GIVERS = ("get_input_groups", "get_inputs_dyn_list", "get_inputs")
_PLAIN_LAYERS = re.compile(
    r"(?:\w*(?:ReLU\w*|Pool\w*|Pad\w*|Dropout\w*|Softmax\w*|Softmin|Sigmoid|Tanh|GELU|SiLU|Mish|ELU|SELU|CELU|Softplus"
    r"|Softsign|Hardtanh|Hardswish|Hardsigmoid|Hardshrink|Softshrink|Tanhshrink|Threshold|LogSigmoid|Loss|Identity"
    r"|Flatten|Unflatten|Upsample\w*|Fold|Unfold|PixelShuffle|PixelUnshuffle|CosineSimilarity|PairwiseDistance))"
)
_ATTRIBUTE_TYPES = {
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "list": "int_list",
    "tuple": "int_list",
    "List[int]": "int_list",
    "Tuple[int, int]": "int_list",
}
_TENSOR_LIST = re.compile(
    r"\b(?:list|tuple|sequence|iterable)\[.*\btensor\b", re.IGNORECASE
)


class Tolerance(StrEnum):
    """How a benchmark compares a result with the model's; `resources/importers/model_task.py` does it."""

    CLOSE = (
        "close"  # torch.allclose with 1e-4: KernelBench in float32, MultiKernelBench
    )
    # Mean relative error below 2^-10, 2^-7, 2^-13 (float16, bfloat16, float32), the largest below ten times
    # that: CANN's standard, as CANN Bench applies it.
    MEAN_AND_LARGEST = "mean and largest"


# What a comparison accepts, as the prompt says it; `resources/importers/model_task.py` computes it.
TOLERANCES = {
    Tolerance.CLOSE: """\
- every type but bool: |error| <= 1e-4 + 1e-4 * |reference| for every element
- bool: exact
- NaN and infinities only where the reference has them""",
    Tolerance.MEAN_AND_LARGEST: MEAN_TOLERANCE.replace(
        "- every other type: exact",
        "- int8, int16: at most 1 off\n- every other type: exact",
    ),
}


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
        giver: Name of the function that gives inputs.
        sizes: Of every group of inputs it gives, the elements of its largest tensor, as far as is known.
        summary: Docstrings of the class and of `forward`.
        optional: Arguments of `forward` with a default.
        lists: Arguments of `forward` that are lists of tensors.
        plans: Smaller sizes, see `derived_plans`; where every group is large.
    """

    forward: tuple[str, ...]
    tensors: tuple[str, ...]
    attributes: Mapping[str, str]
    init: tuple[str, ...]
    parameters: bool
    outputs: int
    giver: str
    sizes: tuple[int, ...]
    summary: str
    optional: frozenset[str] = field(default_factory=frozenset)
    lists: frozenset[str] = field(default_factory=frozenset)
    plans: tuple[Mapping[str, int], ...] = ()


def read_model_file(text: str, source: str) -> ModelFile:
    """Read a task file.

    Raises:
        InvalidInput: `class Model` with `forward`, or a function that gives inputs, is missing.
    """
    tree = parse(text, source)
    model = require_class(tree, "Model", source)
    defined = functions(tree.body)
    name = next((name for name in GIVERS if name in defined), "")
    if not name:
        raise InvalidInput(
            source,
            "function get_inputs",
            "is not defined, nor is {known}",
            known=" or ".join(GIVERS[:2]),
        )
    giver = defined[name]
    constants = module_constants(tree)
    methods = functions(model.body)
    forward = methods["forward"]
    constructor = methods.get("__init__")
    init: list[str] = []
    if constructor is not None:
        # Without `self`.
        init = [argument.arg for argument in constructor.args.args[1:]]
    attributes = _init_attributes(constructor, defined.get(INIT_GIVER), init, constants)
    parameters = forward_parameters(model)
    no_data = _functions_given(forward)
    names = [argument for argument in parameters if argument not in no_data]
    plain = _given_numbers(giver, names, constants) | _plain_arguments(forward)
    attributes |= {key: kind for key, kind in plain.items() if key in names}
    required = len(parameters) - len(forward.args.defaults)
    sizes = group_sizes(giver, constants)
    if name == "get_inputs":
        sizes = (largest_tensor(giver, constants),)
    is_large = min(sizes) > BIG_ELEMENTS
    return ModelFile(
        forward=tuple(names),
        tensors=tuple(argument for argument in names if argument not in plain),
        attributes=attributes,
        init=tuple(init),
        parameters=_has_parameters(model),
        outputs=max(returned_values(forward), 1),
        giver=name,
        sizes=sizes,
        summary=_documentation(model, forward),
        optional=frozenset(names[required:]),
        lists=_tensor_lists(forward),
        plans=_plans(tree, name) if is_large else (),
    )


def _tensor_lists(forward: ast.FunctionDef) -> frozenset[str]:
    """Arguments that are annotated as lists of tensors."""
    lists = set()
    for argument in forward.args.args:
        if argument.annotation is None:
            continue
        if _TENSOR_LIST.search(ast.unparse(argument.annotation)):
            lists.add(argument.arg)
    return frozenset(lists)


def _plans(tree: ast.Module, giver: str) -> tuple[Mapping[str, int], ...]:
    def largest(changed: ast.Module) -> int:
        function = functions(changed.body)[giver]
        return largest_tensor(function, module_constants(changed))

    return derived_plans(tree, (giver, INIT_GIVER), largest, BIG_ELEMENTS)


def _functions_given(forward: ast.FunctionDef) -> set[str]:
    """Arguments of `forward` whose default is a function or class of the file: no part of an interface."""
    arguments = forward.args.args
    defaults = forward.args.defaults
    # Defaults are those of the last arguments.
    with_default = arguments[len(arguments) - len(defaults) :]
    names = set()
    for argument, default in zip(with_default, defaults, strict=True):
        if isinstance(default, ast.Name | ast.Attribute | ast.Lambda):
            names.add(argument.arg)
    return names


def _given_numbers(
    giver: ast.FunctionDef, names: list[str], constants: Mapping[str, Any]
) -> dict[str, str]:
    """Arguments for which the function that gives inputs returns a number or text, with their type."""
    local = {**constants, **module_constants(ast.Module(giver.body, []))}
    return _kinds_of_returned(giver, names, local)


def _kinds_of_returned(
    function: ast.FunctionDef, names: list[str], constants: Mapping[str, Any]
) -> dict[str, str]:
    """Attribute types of the numbers and texts in the list a function returns last, by the names of its entries."""
    nodes = ast.walk(function)
    returns = [node.value for node in nodes if isinstance(node, ast.Return)]
    if not returns or not isinstance(returns[-1], ast.List | ast.Tuple):
        return {}
    kinds: dict[str, str] = {}
    for name, node in zip(names, returns[-1].elts, strict=False):
        kind = _kind(constant(node, constants))
        if kind is not None:
            kinds[name] = kind
    return kinds


def _plain_arguments(function: ast.FunctionDef) -> dict[str, str]:
    """Arguments annotated (or defaulted) as numbers, texts or lists of numbers, with their attribute type."""
    kinds: dict[str, str] = {}
    arguments = function.args.args
    offset = len(arguments) - len(function.args.defaults)
    for index, argument in enumerate(arguments):
        kind = None
        if argument.annotation is not None:
            kind = _ATTRIBUTE_TYPES.get(ast.unparse(argument.annotation))
        elif index >= offset:
            default = function.args.defaults[index - offset]
            if isinstance(default, ast.Constant):
                kind = _kind(default.value)
        if kind is not None:
            kinds[argument.arg] = kind
    return kinds


# bool before int: True is an int too.
_PLAIN_TYPES = (
    (bool, "bool"),
    (int, "int"),
    (float, "float"),
    (str, "str"),
)


def _kind(value: object) -> str | None:
    """The attribute type that holds a value of Python, None where no type does."""
    if isinstance(value, tuple):
        kinds = {_kind(entry) for entry in value}
        if not kinds or not kinds <= {"int", "float"}:
            return None
        return "float_list" if "float" in kinds else "int_list"
    for kind, name in _PLAIN_TYPES:
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
    kinds = _plain_arguments(init) if init is not None else {}
    if giver is not None:
        kinds |= _kinds_of_returned(giver, names, constants)
    return {name: kind for name, kind in kinds.items() if name in names}


def _has_parameters(model: ast.ClassDef) -> bool:
    """Whether the constructor makes a layer, parameter or buffer (or another module, which may have some)."""
    init = functions(model.body).get("__init__")
    if init is None:
        return False
    for node in ast.walk(init):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        name = called.rpartition(".")[2]
        if name == "register_buffer" or called.endswith("nn.Parameter"):
            return True
        # A class of torch, or one of the file itself.
        is_torch = called.startswith(("nn.", "torch.nn."))
        is_class = name[:1].isupper() and (is_torch or "." not in called)
        if is_class and not _PLAIN_LAYERS.fullmatch(name):
            return True
    return False


def _documentation(model: ast.ClassDef, forward: ast.FunctionDef) -> str:
    docstrings = (ast.get_docstring(model), ast.get_docstring(forward))
    return "\n\n".join(filter(None, docstrings))


def pascal_case(stem: str) -> str:
    """OpDef name of a task file: leading digits dropped, words joined with a capital each.

    Raises:
        ValueError: Nothing is left that could name an operator.
    """
    without_digits = re.sub(r"^[0-9_]+", "", stem)
    words = re.findall(r"[A-Za-z0-9]+", without_digits)
    # Not `capitalize`, which makes all other letters small.
    capitalized = [word[:1].upper() + word[1:] for word in words]
    name = "".join(capitalized)
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
        raise ValueError(stem)
    return name


def model_task(
    path: Path,
    root: Path,
    *,
    identifier: str,
    benchmark: str,
    category: str,
    level: int,
    comparison: Tolerance = Tolerance.CLOSE,
    name: str = "",
) -> ImportedTask:
    """Read one task file and what lies beside it; it is called as the file, or `name` where that is given.

    Raises:
        InvalidInput: Naming file and field.
    """
    source = relative(path, root)
    text = read_text(path, root)
    module = read_model_file(text, source)
    try:
        name = pascal_case(name or path.stem)
    except ValueError as error:
        raise InvalidInput(
            source,
            "file name",
            "{name!r} gives no operator name",
            name=name or path.stem,
        ) from error
    cases_file = path.with_suffix(".json")
    beside = read_text(cases_file, root) if cases_file.is_file() else ""
    cases, described = _cases(beside, relative(cases_file, root), module)
    module = _as_described(module, described)
    inputs = [
        TensorSpec(tensor, (), tensor in module.optional, tensor in module.lists)
        for tensor in module.tensors
    ]
    if module.parameters:
        # The model's weights are inputs of the operator, behind those of `forward`.
        inputs.append(TensorSpec(PARAMETERS, (), optional=True, is_list=True))
    if module.outputs == 1:
        outputs = [TensorSpec("out", ())]
    else:
        outputs = [TensorSpec(f"out{at}", ()) for at in range(module.outputs)]
    attributes = [
        AttributeSpec(attribute, kind) for attribute, kind in module.attributes.items()
    ]
    interface = {
        "file": path.name,
        "giver": module.giver,
        "forward": module.forward,
        "inputs": [tensor.name for tensor in inputs],
        "attributes": [attribute.name for attribute in attributes],
        "init": module.init,
        "parameters": module.parameters,
        "eval": True,
        "comparison": comparison,
    }
    files = {
        f"task/{path.name}": text,
        "task/interface.json": json.dumps(interface, indent=1) + "\n",
    }
    if beside:
        files[f"task/{cases_file.name}"] = beside
    summary = module.summary or name
    return ImportedTask(
        identifier=identifier,
        name=name,
        benchmark=benchmark,
        level=level,
        category=category,
        summary=f"{summary}\n\n```python\n{text.strip()}\n```",
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        attributes=tuple(attributes),
        cases=cases,
        rule=DecidingRule.CHECKER,
        adapter=ADAPTER,
        files=files,
        tolerance=TOLERANCES[comparison],
    )


# What a file of cases says of an input: `name`, `type`, `dtype`, `shape`, `value`.
_Entry = dict[str, Any]


def _cases(
    text: str, source: str, module: ModelFile
) -> tuple[tuple[TaskCase, ...], dict[str, _Entry]]:
    """The cases, and what a file of cases says of each input: its entries by name.

    One case per line of that file, else one per group of inputs. Where all of these are large, the first gets
    a smaller case at its side, marked `derived`.
    """
    if not text or module.giver != GIVERS[0]:
        cases = [_group_case(at, size) for at, size in enumerate(module.sizes)]
        if module.plans:
            plans = json.dumps(module.plans)
            cases.append(TaskCase("group-0-derived", {"group": 0, "derived": plans}))
        return tuple(cases), {}
    cases = []
    described: dict[str, _Entry] = {}
    lines = [line for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines, start=1):
        try:
            inputs = json_value(line, source, f"line {number}")["inputs"]
            sizes = [math.prod(entry["shape"]) for entry in inputs if _sized(entry)]
        except (KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(
                source,
                f"line {number}",
                "is not a case with a list `inputs`: {error}",
                error=error,
            ) from error
        for entry in inputs:
            _describe(entry, described)
        cases.append(_group_case(number - 1, max(sizes, default=0)))
    return tuple(cases), described


def _group_case(group: int, size: int) -> TaskCase:
    return TaskCase(f"group-{group}", {"group": group}, size > BIG_ELEMENTS)


def _describe(entry: _Entry, described: dict[str, _Entry]) -> None:
    """Note what a case says of an input: the first that says something, or a later one that holds more."""
    value, kind = entry.get("value"), entry.get("type")
    if value is None and kind == "attr":
        return
    name = str(entry.get("name"))
    earlier = described.setdefault(name, entry)
    # A fraction where another case has a whole number.
    is_wider = type(value) is float and type(earlier.get("value")) is int
    # What is a tensor in one case is a tensor of the interface, absent in the others.
    is_tensor = str(kind).startswith("tensor") and earlier.get("type") == "attr"
    if is_wider or is_tensor:
        described[name] = entry


def _as_described(
    module: ModelFile, described: Mapping[str, Mapping[str, Any]]
) -> ModelFile:
    """The interface with what the file of cases says of arguments that the code leaves open."""
    attributes = dict(module.attributes)
    lists = set(module.lists)
    for name, declared in module.attributes.items():
        value = described.get(name, {}).get("value")
        # A default of 0 says int where the cases have fractions.
        if declared == "int" and type(value) is float:
            attributes[name] = "float"
    for name in module.tensors:
        entry = described.get(name, {})
        if entry.get("type") == "attr":
            value = entry["value"]
            kind = _kind(tuple(value) if isinstance(value, list) else value)
            if kind == "int" and entry.get("dtype") == "float":
                kind = "float"
            if kind is not None:
                attributes[name] = kind
        elif entry.get("type") == "scalar":
            attributes[name] = "float"
        elif entry.get("type") == "tensor_list":
            lists.add(name)
    tensors = tuple(name for name in module.tensors if name not in attributes)
    return replace(
        module, tensors=tensors, attributes=attributes, lists=frozenset(lists)
    )


def _sized(entry: Any) -> bool:
    """Whether an entry has a shape of which every length is known."""
    shape = entry.get("shape")
    if not isinstance(shape, list):
        return False
    return all(isinstance(size, int) for size in shape)
