"""What a failed hidden case tells: its class, how many of how many fail, and how wrong the results are.

Never a name, shape or value: shares and magnitudes are rounded to what a diagnosis needs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from core.agent.contrast import SETTLED, Property, cases_with, properties_of
from core.evaluation.records import CaseResult, ErrorStatistics, Finding
from core.operators.case_classes import ClassKind, classes_of
from core.operators.spec import OperatorSpec

_MOST = 8  # groups of failing cases that are told
_LEFT_OUT = frozenset({"attribute", ClassKind.PRESENT.value})
# Where the wrong elements of an output lie says nothing when an input was read in another order.
_OF_PLACE = frozenset(
    {"result-tail", "result-columns", "result-part", "result-shifted"}
)


def hidden_lines(operator: OperatorSpec, hidden: Sequence[CaseResult]) -> list[str]:
    """One line for every class in which hidden cases fail.

    Args:
        operator: Whose cases they are.
        hidden: Results of all its hidden cases.
    """
    groups: dict[tuple[Property, ...], list[CaseResult]] = {}
    for entry in hidden:
        if entry.status != "skipped":
            groups.setdefault(_class(operator, entry.case), []).append(entry)
    lines = [
        _line(properties, members)
        for properties, members in groups.items()
        if any(entry.status not in SETTLED for entry in members)
    ]
    rest = len(lines) - _MOST
    return lines[:_MOST] + ([f"  - and {rest} more classes"] if rest > 0 else [])


def words_of_case(operator: OperatorSpec | None, name: str) -> str:
    """A hidden case in words: `hidden non-contiguous float16 case`; `hidden case` where nothing is known."""
    properties = _class(operator, name) if operator else ()
    shown = tuple(prop for prop in properties if prop.kind not in {"tail", "size"})
    return f"hidden {cases_with(shown, 1).removeprefix('1 ')}"


def without_place(operator: OperatorSpec | None, finding: Finding) -> Finding:
    """The finding, or that the result is wrong where a non-contiguous input makes its places misleading."""
    case = (
        next((case for case in operator.cases if case.name == finding.case), None)
        if operator
        else None
    )
    if operator is None or case is None or finding.rule not in _OF_PLACE:
        return finding
    if all(
        entry.kind is not ClassKind.NON_CONTIGUOUS
        for entry in classes_of(operator, case)
    ):
        return finding
    message = "wrong elements; an input of this case is not contiguous, so that their places tell nothing"
    return replace(finding, rule="result-wrong", message=message)


def _class(operator: OperatorSpec, name: str) -> tuple[Property, ...]:
    case = next((case for case in operator.cases if case.name == name), None)
    found = properties_of(operator, case) if case else ()
    return tuple(prop for prop in found if prop.kind not in _LEFT_OUT)


def _line(properties: Sequence[Property], members: Sequence[CaseResult]) -> str:
    failed = [entry for entry in members if entry.status not in SETTLED]
    statuses = ", ".join(dict.fromkeys(entry.status for entry in failed))
    statistics = [entry for case in failed for entry in case.statistics]
    head = f"  - {len(failed)} of {cases_with(properties, len(members))}: {statuses}"
    return "; ".join([head, *_wrongness(statistics)])


def _wrongness(statistics: Sequence[ErrorStatistics]) -> list[str]:
    """Share of wrong elements, NaN or not, and the magnitude of the error."""
    elements, wrong = (
        sum(s.elements for s in statistics),
        sum(s.mismatched for s in statistics),
    )
    if not elements or not wrong:
        return []
    share = wrong / elements
    text = (
        "all elements"
        if share == 1
        else f"{share:.0%} of the elements"
        if share >= 0.01
        else "under 1%"
    )
    if any(math.isnan(entry.worst_actual) for entry in statistics):
        return [f"{text} wrong, NaN among them"]
    largest = max(entry.max_abs for entry in statistics)
    if not math.isfinite(largest):
        return [f"{text} wrong, infinities or NaN among them"]
    return [
        f"{text} wrong, none of them NaN",
        f"largest absolute error about {largest:.0e}",
    ]
