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
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


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
    except (
        RecursionError,
        MemoryError,
        ValueError,
    ) as error:  # sums of 20,000 terms; NUL characters
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
    return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)][1:]


def returned_values(function: ast.FunctionDef) -> int:
    """How many values a function returns, by its last `return`; 1 when that is no literal tuple or list."""
    returns = _returned(function)
    if not returns:
        return 0
    value = returns[-1]
    return len(value.elts) if isinstance(value, ast.Tuple | ast.List) else 1


def returns_list(function: ast.FunctionDef) -> bool:
    """Whether whatever a function returns is written as a list or tuple."""
    returns = _returned(function)
    lists = (ast.List, ast.Tuple, ast.ListComp)
    return bool(returns) and all(isinstance(value, lists) for value in returns)


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
        if isinstance(node, ast.Assign):
            value = constant(node.value, constants)
            if isinstance(node.value, ast.List | ast.Tuple):
                targets = [
                    target.id for target in node.targets if isinstance(target, ast.Name)
                ]
                constants |= {
                    f"{name}:length": len(node.value.elts) for name in targets
                }
            for target in node.targets:
                if isinstance(target, ast.Name) and value is not None:
                    constants[target.id] = value
                elif isinstance(target, ast.Tuple) and isinstance(value, tuple):
                    names = [
                        element.id
                        for element in target.elts
                        if isinstance(element, ast.Name)
                    ]
                    constants |= dict(zip(names, value, strict=False))
    return constants


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
        left, right = constant(node.left, constants), constant(node.right, constants)
        if isinstance(left, int | float) and isinstance(right, int | float):
            return _OPERATIONS[type(node.op)](left, right)
    return None


def group_sizes(
    giver: ast.FunctionDef, constants: Mapping[str, Any]
) -> tuple[int, ...]:
    """Elements of the largest tensor of each group of inputs a function returns.

    The groups are those of a literal list, or of a loop over a list; else there is one, as far as is known.
    """
    largest = largest_tensor(giver, constants)
    returns = [node.value for node in ast.walk(giver) if isinstance(node, ast.Return)]
    value = returns[-1] if returns else None
    groups = value.elts if isinstance(value, ast.List) else []
    if groups and all(isinstance(group, ast.List | ast.Tuple) for group in groups):
        definitions = {
            target.id: node.value
            for node in giver.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        return tuple(_group_size(group, definitions, constants) for group in groups)
    looped = [
        node.iter
        for node in ast.walk(giver)
        if isinstance(node, ast.For | ast.comprehension)
    ]
    for over in looped[:1]:
        inner = (
            over.args[0]
            if isinstance(over, ast.Call) and ast.unparse(over.func) == "enumerate"
            else over
        )
        listed = (
            constants.get(f"{inner.id}:length") if isinstance(inner, ast.Name) else None
        )
        count = len(inner.elts) if isinstance(inner, ast.List | ast.Tuple) else listed
        return (largest,) * max(count or 1, 1)
    return (largest,)


def _group_size(
    group: ast.expr, definitions: Mapping[str, ast.expr], constants: Mapping[str, Any]
) -> int:
    names = {node.id for node in ast.walk(group) if isinstance(node, ast.Name)}
    for _ in definitions:
        names |= {
            n.id
            for name in names & set(definitions)
            for n in ast.walk(definitions[name])
            if isinstance(n, ast.Name)
        }
    parts = [group, *(definitions[name] for name in sorted(names & set(definitions)))]
    return max(largest_tensor(part, constants) for part in parts)


def largest_tensor(giver: ast.AST, constants: Mapping[str, Any]) -> int:
    """Elements of the largest tensor that a function makes with `torch.…(sizes)`, 0 when none is known."""
    largest = 0
    for node in ast.walk(giver):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("torch."):
            values: list[Any] = []
            for argument in node.args:
                inner = (
                    argument.value if isinstance(argument, ast.Starred) else argument
                )
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
