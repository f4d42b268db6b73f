"""A task's Python code read without running it: classes, functions and constants of a syntax tree."""

from __future__ import annotations

import ast
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core import outside
from core.errors import InvalidInput
from core.outside import LARGEST_TOML, require_inside


def read_text(path: Path, root: Path) -> str:
    """Text of a task file.

    Raises:
        InvalidInput: It is missing, no regular file, outside of `root`, too large or not
            UTF-8; `source` is relative to `root`.
    """
    source = relative(path, root)
    if not os.path.lexists(path):
        raise InvalidInput(source, "file", "is missing")
    try:
        require_inside(path, root if root.is_dir() else root.parent)
        return outside.read_text(path, LARGEST_TOML)
    except InvalidInput as error:
        raise InvalidInput(source, error.field, error.problem, error.remedy) from error


def relative(path: Path, root: Path) -> str:
    """`path` as messages name it."""
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return path.name


def parse(text: str, source: str) -> ast.Module:
    """Syntax tree of a task's Python file.

    Raises:
        InvalidInput: The file is not valid Python.
    """
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise InvalidInput(
            source,
            f"line {error.lineno or 0}",
            "is not valid Python: {msg}",
            msg=error.msg,
        ) from error
    except (RecursionError, MemoryError, ValueError) as error:
        # Sums of 20,000 terms; NUL characters.
        raise InvalidInput(
            source, "file", "cannot be read as Python: {error}", error=error
        ) from error


def functions(body: list[ast.stmt]) -> dict[str, ast.FunctionDef]:
    """Functions defined directly in `body`."""
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def require_class(tree: ast.Module, name: str, source: str) -> ast.ClassDef:
    """The class `name` of a module.

    Raises:
        InvalidInput: There is none, or it has no `forward`.
    """
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            if "forward" not in functions(node.body):
                raise InvalidInput(source, f"class {name}", "has no method `forward`")
            return node
    raise InvalidInput(source, f"class {name}", "is not defined")


def require_function(tree: ast.Module, name: str, source: str) -> ast.FunctionDef:
    """The top-level function `name` of a module.

    Raises:
        InvalidInput: There is none.
    """
    function = functions(tree.body).get(name)
    if function is None:
        raise InvalidInput(source, f"function {name}", "is not defined")
    return function


def forward_parameters(model: ast.ClassDef) -> list[str]:
    """Names of the arguments of `forward`, without `self`."""
    arguments = functions(model.body)["forward"].args
    every = (*arguments.posonlyargs, *arguments.args)
    return [argument.arg for argument in every[1:]]


def returned_values(function: ast.FunctionDef) -> int:
    """How many values a function returns, by its last `return`; 1 when that is no literal tuple or list."""
    returns = _returned(function)
    if not returns:
        return 0
    last = returns[-1]
    if isinstance(last, ast.Tuple | ast.List):
        return len(last.elts)
    return 1


def returns_list(function: ast.FunctionDef) -> bool:
    """Whether whatever a function returns is written as a list or tuple."""
    returns = _returned(function)
    lists = (ast.List, ast.Tuple, ast.ListComp)
    if not returns:
        return False
    return all(isinstance(value, lists) for value in returns)


def _returned(function: ast.FunctionDef) -> list[ast.expr]:
    return [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and node.value is not None
    ]


def module_constants(tree: ast.Module) -> dict[str, Any]:
    """Values of simple assignments: literals and arithmetic on them; of a list also its `<name>:length`."""
    constants: dict[str, Any] = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        value = constant(node.value, constants)
        for target in node.targets:
            if isinstance(target, ast.Name):
                # The entries of a list may be unknown; how many they are is not.
                if isinstance(node.value, ast.List | ast.Tuple):
                    constants[f"{target.id}:length"] = len(node.value.elts)
                if value is not None:
                    constants[target.id] = value
            elif isinstance(target, ast.Tuple) and isinstance(value, tuple):
                names = _plain_names(target.elts)
                constants |= dict(zip(names, value, strict=False))
    return constants


def _plain_names(nodes: list[ast.expr]) -> list[str]:
    return [node.id for node in nodes if isinstance(node, ast.Name)]


_OPERATIONS: dict[type[ast.operator], Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b if b else None,
    ast.Div: lambda a, b: a / b if b else None,
}


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
        left = constant(node.left, constants)
        right = constant(node.right, constants)
        operation = _OPERATIONS[type(node.op)]
        if isinstance(left, int | float) and isinstance(right, int | float):
            return operation(left, right)
    return None


def group_sizes(
    giver: ast.FunctionDef, constants: Mapping[str, Any]
) -> tuple[int, ...]:
    """Elements of the largest tensor of each group of inputs a function returns.

    The groups are those of a literal list, or of a loop over a list; else there is one, as far as is known.
    """
    groups = _listed_groups(giver)
    if groups:
        definitions = _definitions(giver)
        return tuple(_group_size(group, definitions, constants) for group in groups)
    largest = largest_tensor(giver, constants)
    for node in ast.walk(giver):
        if isinstance(node, ast.For | ast.comprehension):
            count = _loop_length(node.iter, constants)
            return (largest,) * max(count, 1)
    return (largest,)


def _listed_groups(giver: ast.FunctionDef) -> list[ast.expr]:
    """The lists in the literal list that a function returns last; none where it returns something else."""
    nodes = ast.walk(giver)
    returns = [node.value for node in nodes if isinstance(node, ast.Return)]
    if not returns or not isinstance(returns[-1], ast.List):
        return []
    groups = returns[-1].elts
    are_lists = all(isinstance(group, ast.List | ast.Tuple) for group in groups)
    return groups if are_lists else []


def _definitions(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Name -> what a function assigns to it, directly in its body."""
    definitions: dict[str, ast.expr] = {}
    for node in function.body:
        if isinstance(node, ast.Assign):
            names = _plain_names(node.targets)
            definitions |= dict.fromkeys(names, node.value)
    return definitions


def _loop_length(over: ast.expr, constants: Mapping[str, Any]) -> int:
    """How many turns a loop takes, 0 where that is not known."""
    if isinstance(over, ast.Call) and ast.unparse(over.func) == "enumerate":
        over = over.args[0]
    if isinstance(over, ast.List | ast.Tuple):
        return len(over.elts)
    if isinstance(over, ast.Name):
        return constants.get(f"{over.id}:length") or 0
    return 0


def _group_size(
    group: ast.expr,
    definitions: Mapping[str, ast.expr],
    constants: Mapping[str, Any],
) -> int:
    """Elements of the largest tensor of a group, which names what earlier lines defined."""
    names = _names_in(group)
    for _ in definitions:  # as deep as definitions can lead to others
        for name in names & definitions.keys():
            names |= _names_in(definitions[name])
    parts = [group]
    parts += [definitions[name] for name in sorted(names & definitions.keys())]
    return max(largest_tensor(part, constants) for part in parts)


def _names_in(node: ast.AST) -> set[str]:
    nodes = ast.walk(node)
    return {inner.id for inner in nodes if isinstance(inner, ast.Name)}


def largest_tensor(giver: ast.AST, constants: Mapping[str, Any]) -> int:
    """Elements of the largest tensor that a function makes with `torch.…(sizes)`, 0 when none is known."""
    largest = 0
    for node in ast.walk(giver):
        if not isinstance(node, ast.Call):
            continue
        if ast.unparse(node.func).startswith("torch."):
            values = _argument_values(node, constants)
            if values and all(map(_is_size, values)):
                largest = max(largest, math.prod(values))
    return largest


def _argument_values(call: ast.Call, constants: Mapping[str, Any]) -> list[Any]:
    """Values of the arguments of a call, those of tuples one by one; None for one that is not known."""
    values: list[Any] = []
    for argument in call.args:
        node = argument.value if isinstance(argument, ast.Starred) else argument
        value = constant(node, constants)
        values += value if isinstance(value, tuple) else [value]
    return values


def _is_size(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    return value > 0
