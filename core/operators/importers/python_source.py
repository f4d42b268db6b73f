"""Reading a task's Python code without running it: classes, functions and literals of a syntax tree."""

from __future__ import annotations

import ast
from pathlib import Path

from core.errors import InvalidInput


def read_text(path: Path, root: Path) -> str:
    """Text of a task file.

    Raises:
        InvalidInput: It is missing or not UTF-8; `source` is relative to `root`.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise InvalidInput(relative(path, root), "file", "is missing") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            relative(path, root), "file", "cannot be read: {error}", error=error
        ) from error


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
    found = functions(tree.body).get(name)
    if found is None:
        raise InvalidInput(source, f"function {name}", "is not defined")
    return found


def forward_parameters(model: ast.ClassDef) -> list[str]:
    """Names of the arguments of `forward`, without `self`."""
    arguments = functions(model.body)["forward"].args
    return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)][1:]


def returned_values(function: ast.FunctionDef) -> int:
    """How many values a function returns, by its last `return`; 1 when that is no literal tuple or list."""
    returns = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and node.value is not None
    ]
    if not returns:
        return 0
    value = returns[-1].value
    return len(value.elts) if isinstance(value, ast.Tuple | ast.List) else 1
