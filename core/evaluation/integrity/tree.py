"""The integrity rules on what a syntax tree found: the same rules and words as for the text.

Preflight (in `remote`) parses candidates and gives facts; here they are judged. A name is matched as
what it resolves to, written out in full: `twin::core()`, `system()`, `std::thread`, `#include <dirent.h>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.evaluation.integrity.checks import (
    CHECKS,
    case_sizes,
    core_work_used,
    foreign_header,
)
from core.evaluation.integrity.findings import finding, shown
from core.evaluation.integrity.rules import Rules
from core.evaluation.records import Finding
from core.operators.spec import OperatorSpec

FIRST_NUMBER = 100  # smaller numbers give no case away, see `case_sizes`
_API = re.compile(r"(?:AscendC|matmul|matmul_impl)::(?:\w+::)*(\w+)(?:\(\))?$")

_TELLING = 1000  # smaller numbers are taken from others for many reasons
_NEAR_LINES = 3
_NARROW = 16  # a range narrower than this part of its start singles a size out

Place = tuple[str, int]  # path in the candidate, line


class FactKind(StrEnum):
    """What a fact is about: a name, a header or a number and how it is used."""

    NAME = "name"
    INCLUDE = "include"
    EQUAL = "equal"
    BOUND = "bound"
    DIFFERENCE = "difference"
    TABLE = "table"


_NUMBERS = (FactKind.EQUAL, FactKind.BOUND, FactKind.DIFFERENCE, FactKind.TABLE)


@dataclass(frozen=True)
class Fact:
    """One thing the candidate's own text refers to.

    Attributes:
        kind: What `text` is.
        text: Qualified name, functions with `()`; header as `"toolkit.h"`, `<compiler.h>` or, from elsewhere,
            the bare name; number; of a pointer what it points to.
        file: Where it is written, in the candidate.
        line: 1-based.
    """

    kind: FactKind
    text: str
    file: str
    line: int


def violations_on_tree(
    operator: OperatorSpec, facts: Sequence[Fact], rules: Rules
) -> tuple[Finding, ...]:
    """Every rule the facts break, each once per place."""
    denied = rules.denied(operator)
    found = dict.fromkeys(
        [
            *_patterns(facts, rules),
            *_core_work(facts, rules, denied),
            *_headers(facts, rules),
            *_equal_sizes(operator, facts, rules),
        ]
    )
    return tuple(sorted(found, key=lambda entry: (entry.file, entry.line, entry.rule)))


def tuned_places(
    operator: OperatorSpec, facts: Iterable[Fact]
) -> list[tuple[str, Place]]:
    """Where numbers single out sizes of test cases without being compared for equality, and how.

    A table that lists two of them, a difference from one, or two bounds that leave room for little else. It
    may be a coincidence, so the kernel is only judged on other shapes as well.
    """
    sizes = {
        size: what
        for size, what in case_sizes(operator).items()
        if size & (size - 1) and size % 1024
    }
    numbers = [fact for fact in facts if fact.kind in _NUMBERS]
    found = []
    tables: dict[Place, set[int]] = {}
    for fact in numbers:
        value, place = int(fact.text), (fact.file, fact.line)
        if fact.kind is FactKind.TABLE and value in sizes:
            tables.setdefault(place, set()).add(value)
        if fact.kind is FactKind.DIFFERENCE and value in sizes and value >= _TELLING:
            found.append((f"takes the difference from {value}, {sizes[value]}", place))
    listed = sorted({value for values in tables.values() for value in values})
    if len(listed) > 1:
        what = f"lists {listed[0]} and {listed[1]}, {sizes[listed[0]]}"
        found.append((what, next(iter(tables))))
    return [*found, *_ranges(numbers, sizes)]


def _ranges(
    numbers: Iterable[Fact], sizes: Iterable[int]
) -> Iterator[tuple[str, Place]]:
    bounds = [fact for fact in numbers if fact.kind is FactKind.BOUND]
    for low in bounds:
        for high in bounds:
            least, most = int(low.text), int(high.text)
            near = low.file == high.file and abs(low.line - high.line) <= _NEAR_LINES
            if near and 0 <= most - least <= max(2, least // _NARROW):
                hit = next((size for size in sizes if least <= size <= most), None)
                if hit is not None and least < most:
                    yield (
                        f"leaves {hit} between {least} and {most}",
                        (low.file, low.line),
                    )


def _patterns(facts: Iterable[Fact], rules: Rules) -> Iterator[Finding]:
    for fact in facts:
        if fact.kind not in (FactKind.NAME, FactKind.INCLUDE):
            continue
        text = fact.text if fact.kind is FactKind.NAME else f"#include {fact.text}"
        side = "kernel" if fact.file.startswith("op_kernel/") else "host"
        for rule in rules.patterns:
            match = (
                rule.regex.search(text)
                if rule.where in {"any", "resolved", side}
                else None
            )
            if match:
                what = f"{rule.message}: {shown(text)}"
                yield finding(rule.name, rule.paper, fact.file, fact.line, what)


def _core_work(
    facts: Iterable[Fact], rules: Rules, denied: Sequence[str]
) -> Iterator[Finding]:
    name = "high-level-substitution"
    for fact in facts if name in rules.checks else ():
        used = _API.match(fact.text) if fact.kind is FactKind.NAME else None
        if used and used[1] in denied and fact.file.startswith("op_kernel/"):
            yield finding(
                name, CHECKS[name][0], fact.file, fact.line, core_work_used(used[1])
            )


def _headers(facts: Iterable[Fact], rules: Rules) -> Iterator[Finding]:
    name = "foreign-include"
    for fact in facts if name in rules.checks else ():
        if fact.kind is FactKind.INCLUDE and not fact.text.startswith(('"', "<")):
            yield finding(
                name, CHECKS[name][0], fact.file, fact.line, foreign_header(fact.text)
            )


def _equal_sizes(
    operator: OperatorSpec, facts: Iterable[Fact], rules: Rules
) -> Iterator[Finding]:
    name = "shape-detection"
    sizes = case_sizes(operator) if name in rules.checks else {}
    for fact in facts:
        if fact.kind is FactKind.EQUAL and int(fact.text) in sizes:
            value = int(fact.text)
            what = f"compares with {value}, {sizes[value]}"
            yield finding(name, CHECKS[name][0], fact.file, fact.line, what)
