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
    inputs = functions.get(givers[0])
    init = functions.get(givers[1])
    if inputs is None:
        return ()
    constants = _named_numbers(tree)
    of_init: dict[str, int] = {}
    if init is not None:
        of_init = _sizes(init, tree, constants)
    of_inputs = _sizes(inputs, tree, constants)
    everything = of_inputs | of_init
    # Sizes of the inputs alone: the model stays as it is.
    only_inputs = of_inputs.keys() - of_init.keys()
    free = {key: of_inputs[key] for key in of_inputs if key in only_inputs}
    firsts = _first_sizes(inputs, constants)
    batch = dict.fromkeys(sorted(firsts - of_init.keys()), _BATCH)
    most_thorough_first = (
        _shrunk(everything, tree, givers, largest),
        _shrunk(free, tree, givers, largest),
        batch,
    )
    plans: list[dict[str, int]] = []
    for plan in most_thorough_first:
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
        if max(plan.values()) // 2 < _LEAST:
            break
        plan = _with_largest_halved(plan)
    # The model's weights are as large as the product of what the constructor gets.
    while plan and max(plan.values()) ** 2 > 4 * _AIM:
        plan = _with_largest_halved(plan)
    changed = [key for key in plan if plan[key] != sizes[key]]
    return {key: plan[key] for key in changed}


def _with_largest_halved(plan: Plan) -> dict[str, int]:
    """Equal sizes are halved together: they are most likely the same axis by two names."""
    most = max(plan.values())
    halved = {key: most // 2 for key in plan if plan[key] == most}
    return {**plan, **halved}


def resized(tree: ast.Module, givers: tuple[str, str], plan: Plan) -> ast.Module:
    """The task's file with the sizes of `plan`; the judge's child changes it in the same way."""
    changed = copy.deepcopy(tree)
    for node in changed.body:
        if isinstance(node, ast.Assign):
            for key, owner, field, place in _places(node):
                if key not in plan:
                    continue
                value = ast.Constant(plan[key])
                if place is None:
                    setattr(owner, field, value)
                else:
                    getattr(owner, field)[place] = value
        elif isinstance(node, ast.FunctionDef) and node.name in givers:
            _replace_numbers(node, plan)
    return changed


def _replace_numbers(function: ast.FunctionDef, plan: Plan) -> None:
    for node in ast.walk(function):
        # Not `isinstance`: True is an int too.
        if isinstance(node, ast.Constant) and type(node.value) is int:
            node.value = plan.get(str(node.value), node.value)


def _places(node: ast.Assign) -> Iterator[tuple[str, ast.AST, str, int | None]]:
    """Where an assignment has values: key of a plan, node, field, and place in that field when it is a list.

    Keys are `name`, also of `name, other = ...`, and `name[0]` for the first entry of a tuple.
    """
    values = node.value
    count = len(values.elts) if isinstance(values, ast.Tuple | ast.List) else 0
    for target in node.targets:
        if isinstance(target, ast.Tuple) and len(target.elts) == count:
            for place, name in enumerate(target.elts):
                if isinstance(name, ast.Name):
                    yield name.id, values, "elts", place
        elif isinstance(target, ast.Name):
            yield target.id, node, "value", None
            for place in range(count):
                yield f"{target.id}[{place}]", values, "elts", place


def _named_numbers(tree: ast.Module) -> dict[str, int]:
    """Constants at the top of the file that are numbers, or arithmetic on numbers alone."""
    numbers: dict[str, int] = {}
    for key, value in _values(tree):
        number = _number(value)
        if number is not None:
            numbers[key] = number
    return numbers


def _values(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Keys of all assignments at the top of the file, and what is assigned."""
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        for key, owner, field, place in _places(node):
            value = getattr(owner, field)
            yield key, value if place is None else value[place]


def _number(node: ast.expr) -> int | None:
    """The value of a number or of a product of numbers; None for anything else."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left = _number(node.left)
        right = _number(node.right)
        if left is not None and right is not None:
            return left * right
    return None


def _sizes(
    function: ast.FunctionDef, tree: ast.Module, constants_of_file: Mapping[str, int]
) -> dict[str, int]:
    """Numbers a function uses: of the file's constants, through others that are computed, and its own."""
    uses = _names(function)
    assigned = [(_name_of(key), _names(value)) for key, value in _values(tree)]
    for _ in assigned:  # as deep as constants can be computed from others
        for name, sources in assigned:
            if name in uses:
                uses |= sources
    keys = [key for key in constants_of_file if _name_of(key) in uses]
    sizes = {key: constants_of_file[key] for key in keys}
    own: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            own.add(node.value)
    return sizes | {str(value): value for value in sorted(own)}


def _name_of(key: str) -> str:
    """`sizes` of `sizes[0]`."""
    return key.partition("[")[0]


def _names(node: ast.AST) -> set[str]:
    """Every name that is used below a node."""
    nodes = ast.walk(node)
    return {inner.id for inner in nodes if isinstance(inner, ast.Name)}


def _first_sizes(function: ast.FunctionDef, constants: Mapping[str, int]) -> set[str]:
    """Constants that are the first dimension of an input."""
    firsts: set[str] = set()
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        first = node.args[0]
        is_torch = ast.unparse(node.func).startswith("torch.")
        if is_torch and isinstance(first, ast.Name):
            firsts.add(first.id)
    return {name for name in firsts if constants.get(name, 0) > _BATCH}
