"""Shapes no candidate has seen, close to those of the timed cases.

A kernel whose text singles out sizes of test cases is judged on these as well: right and fast only where it
is looked at is the hard-coding that the paper forbids ("No semantic shortcuts").
"""

from __future__ import annotations

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
        if case.timed and not case.big and not case.hidden and not case.row:
            made += list(_variants(case, free))[:2]
    return tuple(made[:_MOST_CASES])


def verdict_on_fresh(
    candidate: Evaluation, fresh: Evaluation, where: tuple[str, tuple[str, int]]
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
        said = f"{what}, and is wrong on shapes close to it: {fresh.cause}"
        return finding(RULE, PAPER, path, line, said)
    known = {case.case: case for case in candidate.cases}
    for case in fresh.cases:
        before = known.get(case.case.rpartition("~")[0])
        if before is not None and (slower := _slower(before, case)):
            return finding(
                RULE, PAPER, path, line, f"{what}, and is slower close to it: {slower}"
            )
    return None


def _slower(before: CaseResult, after: CaseResult) -> str:
    if before.latency is None or after.latency is None:
        return ""
    old, new = before.latency.value, after.latency.value
    return f"{new:.4g} us against {old:.4g} us" if new > _SLOWER * old else ""


def _free_axes(operator: OperatorSpec) -> frozenset[Axis]:
    seen: dict[Axis, set[int]] = {}
    for case in operator.cases:
        for name, made in case.inputs.items():
            for axis, size in enumerate(made.shape):
                seen.setdefault((name, len(made.shape), axis), set()).add(size)
    by_input: dict[str, set[int]] = {}
    for (name, _, _), sizes in seen.items():
        by_input.setdefault(name, set()).update(sizes)
    return frozenset(
        axis
        for axis, sizes in seen.items()
        # Where any shape is taken, each rank has few cases: what another rank shows counts too.
        if any(size % _ODD for size in sizes) and len(by_input[axis[0]]) > 1
    )


def _variants(case: TestCase, free: frozenset[Axis]) -> Iterator[TestCase]:
    sizes = sorted(
        {size for made in case.inputs.values() for size in made.shape}, reverse=True
    )
    number = 0
    for size in (size for size in sizes if size >= _SMALLEST):
        for change in (-1, 1):
            changed = _changed(case.inputs, free, size, size + change)
            if changed is not None and not _names(case, size):
                number += 1
                yield replace(
                    case,
                    name=f"{case.name}~{number}",
                    inputs=changed,
                    seed=case.seed + 7919 * number,
                )


def _changed(
    inputs: Mapping[str, InputSpec], free: frozenset[Axis], old: int, new: int
) -> dict[str, InputSpec] | None:
    """The inputs with dimension `old` made `new` everywhere; None where it may not be changed."""
    made: dict[str, InputSpec] = {}
    for name, entry in inputs.items():
        hit = [axis for axis, size in enumerate(entry.shape) if size == old]
        fixed = [axis for axis in hit if (name, len(entry.shape), axis) not in free]
        if fixed or entry.shapes or (hit and entry.fill.startswith("values")):
            return None
        made[name] = replace(
            entry, shape=tuple(new if size == old else size for size in entry.shape)
        )
    before = math.prod(next(iter(inputs.values())).shape) if inputs else 0
    return made if before else None


def _names(case: TestCase, size: int) -> bool:
    """Whether an attribute of the case holds the size, so that it would have to change too."""
    for value in case.attributes.values():  # noqa: SIM110
        if value == size or (isinstance(value, tuple) and size in value):
            return True
    return False
