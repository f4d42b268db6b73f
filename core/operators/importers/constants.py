"""What a task's Python file says in constants, found without running it."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any


def module_constants(tree: ast.Module) -> dict[str, Any]:
    """Values of simple assignments: literals and arithmetic on them; of a list also its `<name>:length`."""
    constants: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            value = constant(node.value, constants)
            if isinstance(node.value, ast.List | ast.Tuple):
                named = [
                    target.id for target in node.targets if isinstance(target, ast.Name)
                ]
                constants |= {f"{name}:length": len(node.value.elts) for name in named}
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
        made = {
            target.id: node.value
            for node in giver.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        return tuple(_group_size(group, made, constants) for group in groups)
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
    group: ast.expr, made: Mapping[str, ast.expr], constants: Mapping[str, Any]
) -> int:
    names = {node.id for node in ast.walk(group) if isinstance(node, ast.Name)}
    for _ in made:
        names |= {
            n.id
            for name in names & set(made)
            for n in ast.walk(made[name])
            if isinstance(n, ast.Name)
        }
    parts = [group, *(made[name] for name in sorted(names & set(made)))]
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
