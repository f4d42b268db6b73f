"""Shapes no candidate has seen, close to those of the timed cases.

A kernel whose text singles out sizes of test cases is judged on these as well: right and fast only where it
is looked at is the hard-coding that the paper forbids ("No semantic shortcuts").
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.evaluation.integrity.rules import finding
from core.evaluation.records import CaseResult, Evaluation, Finding, VerdictClass
from core.operators.spec import InputSpec, OperatorSpec, TestCase

RULE = "shape-tuned"
PAPER = "No semantic shortcuts"
_MOST_CASES = 4
# A dimension that can be made one smaller without becoming another kind of shape.
_SMALLEST = 3
_SLOWER = 1.5  # by how much a shape of nearly the same size may take longer
_ODD = 8  # a dimension seen that is no multiple of this need not be one

Axis = tuple[str, int, int]  # input, rank, axis


def fresh_cases(operator: OperatorSpec) -> tuple[TestCase, ...]:
    """One or two unseen variants of each timed case; none where inputs are not described by shape and fill.

    Only dimensions vary that vary between the operator's own cases and are no multiple of 8 in some of them:
    others may have a meaning (heads, pairs) that no shape may break.
    """
    free = _free_axes(operator)
    made: list[TestCase] = []
    for case in operator.cases:
        is_described = not case.row
        is_run_visibly = not case.big and not case.hidden
        if case.timed and is_run_visibly and is_described:
            made += itertools.islice(_variants(case, free), 2)
    return tuple(made[:_MOST_CASES])


def verdict_on_fresh(
    candidate: Evaluation,
    fresh: Evaluation,
    where: tuple[str, tuple[str, int]],
) -> Finding | None:
    """What the fresh shapes showed of a candidate that passed its cases, None when nothing.

    Args:
        candidate: On the operator's own cases.
        fresh: On the fresh ones, named `<case>~1`; void when the reference does not take such shapes.
        where: What the candidate does with sizes of cases, and where.
    """
    what, (path, line) = where
    if fresh.verdict is VerdictClass.VOID:
        return None
    if not fresh.correct:
        message = f"{what}, and is wrong on shapes close to it: {fresh.cause}"
        return finding(RULE, PAPER, path, line, message)
    own_cases = {case.case: case for case in candidate.cases}
    for case in fresh.cases:
        origin = case.case.rpartition("~")[0]
        before = own_cases.get(origin)
        slower = _slower(before, case) if before is not None else ""
        if slower:
            message = f"{what}, and is slower close to it: {slower}"
            return finding(RULE, PAPER, path, line, message)
    return None


def _slower(before: CaseResult, after: CaseResult) -> str:
    """Both latencies where the second is much longer, else empty."""
    if before.latency is None or after.latency is None:
        return ""
    old = before.latency.value
    new = after.latency.value
    if new <= _SLOWER * old:
        return ""
    return f"{new:.4g} us against {old:.4g} us"


def _free_axes(operator: OperatorSpec) -> frozenset[Axis]:
    """Axes that a shape may vary in; see `fresh_cases`."""
    sizes_of: dict[Axis, set[int]] = {}
    by_input: dict[str, set[int]] = {}
    for case in operator.cases:
        for name, made in case.inputs.items():
            by_input.setdefault(name, set()).update(made.shape)
            rank = len(made.shape)
            for axis, size in enumerate(made.shape):
                sizes = sizes_of.setdefault((name, rank, axis), set())
                sizes.add(size)
    free = set()
    for key, sizes in sizes_of.items():
        name, _rank, _axis = key
        # Where any shape is taken, each rank has few cases: what another rank shows counts too.
        varies = len(by_input[name]) > 1
        if varies and any(size % _ODD for size in sizes):
            free.add(key)
    return frozenset(free)


def _variants(case: TestCase, free: frozenset[Axis]) -> Iterator[TestCase]:
    """The case with one dimension shorter or longer by one, the largest dimension first."""
    every_size = {size for made in case.inputs.values() for size in made.shape}
    sizes = [size for size in every_size if size >= _SMALLEST]
    sizes.sort(reverse=True)
    number = 0
    for size, change in itertools.product(sizes, (-1, 1)):
        changed = _changed(case.inputs, free, size, size + change)
        if changed is None or _names(case, size):
            continue
        number += 1
        yield replace(
            case,
            name=f"{case.name}~{number}",
            inputs=changed,
            # Other values than those of the case; any step would do.
            seed=case.seed + 7919 * number,
        )


def _changed(
    inputs: Mapping[str, InputSpec],
    free: frozenset[Axis],
    old: int,
    new: int,
) -> dict[str, InputSpec] | None:
    """The inputs with dimension `old` made `new` everywhere; None where it may not be changed."""
    if not inputs:
        return None
    changed: dict[str, InputSpec] = {}
    for name, entry in inputs.items():
        shape = entry.shape
        rank = len(shape)
        axes = [axis for axis in range(rank) if shape[axis] == old]
        fixed = [axis for axis in axes if (name, rank, axis) not in free]
        has_listed_values = entry.fill.startswith("values")
        if fixed or entry.shapes or (axes and has_listed_values):
            return None
        new_shape = tuple(new if size == old else size for size in shape)
        changed[name] = replace(entry, shape=new_shape)
    first = next(iter(inputs.values()))
    # An empty input stays as it is: there would be nothing to get wrong.
    return changed if math.prod(first.shape) else None


def _names(case: TestCase, size: int) -> bool:
    """Whether an attribute of the case holds the size, so that it would have to change too."""
    for value in case.attributes.values():
        values = value if isinstance(value, tuple) else (value,)
        if size in values:
            return True
    return False
