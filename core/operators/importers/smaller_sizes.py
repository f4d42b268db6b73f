"""Smaller sizes for a task in one Python file whose only case is too large for the CPU twin.

A task file names its sizes once, as numbers at its top or in the functions that make inputs, and uses them
for inputs and model alike. Other numbers there give the same task in another size. Whether its code permits
that is seen only when the judge's child runs it: several plans are handed over, the first that runs counts.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping

# What a small case aims at, in elements of its largest tensor: several tiles for every core.
_AIM = 1 << 18
# The smallest a size becomes; what is below is a count (of heads, groups, taps) rather than a size.
_LEAST = 16
_BATCH = 2

Plan = Mapping[str, int]


def derived_plans(
    tree: ast.Module,
    givers: tuple[str, str],
    largest: Callable[[ast.Module], int],
    limit: int,
) -> tuple[dict[str, int], ...]:
    """Plans by which the task becomes smaller, the most thorough first; empty when none is found.

    Args:
        tree: The task's file.
        givers: Names of the functions that give the inputs, and the constructor's arguments.
        largest: Elements of the largest input of a file, 0 when its constants do not tell.
        limit: A plan is kept when its largest input has at most so many elements.

    Returns:
        Constant at the top of the file (`name`, `name[0]` in a tuple), or number in one of the functions (as
        text) -> new value.
    """
    functions = {
        node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)
    }
    inputs, init = functions.get(givers[0]), functions.get(givers[1])
    if inputs is None:
        return ()
    constants = _named_numbers(tree)
    of_init = _sizes(init, tree, constants) if init is not None else {}
    of_inputs = _sizes(inputs, tree, constants)
    everything = of_inputs | of_init
    free = {key: value for key, value in of_inputs.items() if key not in of_init}
    batch = {
        key: _BATCH for key in _first_sizes(inputs, constants) if key not in of_init
    }
    plans: list[dict[str, int]] = []
    for plan in (
        _shrunk(everything, tree, givers, largest),
        _shrunk(free, tree, givers, largest),
        batch,
    ):
        size = largest(resized(tree, givers, plan)) if plan else 0
        if 0 < size <= limit and plan not in plans:
            plans.append(plan)
    return tuple(plans)


def _shrunk(
    sizes: Mapping[str, int],
    tree: ast.Module,
    givers: tuple[str, str],
    largest: Callable[[ast.Module], int],
) -> dict[str, int]:
    """The largest sizes halved, equal ones together, until the task is small."""
    plan = {key: value for key, value in sizes.items() if value > _LEAST}
    while plan and largest(resized(tree, givers, plan)) > _AIM:
        most = max(plan.values())
        if most // 2 < _LEAST:
            break
        plan = {
            key: value // 2 if value == most else value for key, value in plan.items()
        }
    # The model's weights are as large as the product of what the constructor gets.
    while plan and max(plan.values()) ** 2 > 4 * _AIM:
        most = max(plan.values())
        plan = {
            key: value // 2 if value == most else value for key, value in plan.items()
        }
    return {key: value for key, value in plan.items() if value != sizes[key]}


def resized(tree: ast.Module, givers: tuple[str, str], plan: Plan) -> ast.Module:
    """The task's file with the sizes of `plan`; the judge's child changes it in the same way."""
    changed = copy.deepcopy(tree)
    for node in changed.body:
        if isinstance(node, ast.Assign):
            for key, owner, field, place in _places(node):
                if key in plan and place is None:
                    setattr(owner, field, ast.Constant(plan[key]))
                elif key in plan:
                    getattr(owner, field)[place] = ast.Constant(plan[key])
        elif isinstance(node, ast.FunctionDef) and node.name in givers:
            for inner in ast.walk(node):
                if (
                    isinstance(inner, ast.Constant)
                    and type(inner.value) is int
                    and str(inner.value) in plan
                ):
                    inner.value = plan[str(inner.value)]
    return changed


def _places(node: ast.Assign) -> Iterator[tuple[str, ast.AST, str, int | None]]:
    """Where an assignment has values: key of a plan, node, field, and place in that field when it is a list.

    Keys are `name`, also of `name, other = ...`, and `name[0]` for the first entry of a tuple.
    """
    for target in node.targets:
        elements = (
            node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else []
        )
        if isinstance(target, ast.Tuple) and len(target.elts) == len(elements):
            for place, name in enumerate(target.elts):
                if isinstance(name, ast.Name):
                    yield name.id, node.value, "elts", place
        elif isinstance(target, ast.Name):
            yield target.id, node, "value", None
            for place in range(len(elements)):
                yield f"{target.id}[{place}]", node.value, "elts", place


def _named_numbers(tree: ast.Module) -> dict[str, int]:
    """Constants at the top of the file that are numbers, or arithmetic on numbers alone."""
    numbers: dict[str, int] = {}
    for node in tree.body:
        for key, value in _values(node) if isinstance(node, ast.Assign) else ():
            number = _number(value)
            if number is not None:
                numbers[key] = number
    return numbers


def _values(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    for key, owner, field, place in _places(node):
        yield (
            key,
            getattr(owner, field) if place is None else getattr(owner, field)[place],
        )


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left, right = _number(node.left), _number(node.right)
        return None if left is None or right is None else left * right
    return None


def _sizes(
    function: ast.FunctionDef, tree: ast.Module, constants_of_file: Mapping[str, int]
) -> dict[str, int]:
    """Numbers a function uses: of the file's constants, through others that are computed, and its own."""
    uses = _names(function)
    computed_from = [
        (key.split("[")[0], _names(value))
        for node in tree.body
        if isinstance(node, ast.Assign)
        for key, value in _values(node)
    ]
    for _ in computed_from:  # as deep as constants can be computed from others
        for name, sources in computed_from:
            uses |= sources if name in uses else set()
    constants = [
        node.value for node in ast.walk(function) if isinstance(node, ast.Constant)
    ]
    own = sorted({value for value in constants if type(value) is int})
    sizes = {
        key: value
        for key, value in constants_of_file.items()
        if key.split("[")[0] in uses
    }
    return sizes | {str(value): value for value in own}


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _first_sizes(function: ast.FunctionDef, constants: Mapping[str, int]) -> set[str]:
    """Constants that are the first dimension of an input."""
    firsts = {
        node.args[0].id
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and node.args
        and isinstance(node.args[0], ast.Name)
        and ast.unparse(node.func).startswith("torch.")
    }
    return {name for name in sorted(firsts) if constants.get(name, 0) > _BATCH}
