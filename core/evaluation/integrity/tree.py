"""The integrity rules on what a syntax tree found: the same rules and words as for the text.

Preflight (in `remote`) parses candidates and gives facts; here they are judged. A name is matched as
what it resolves to, written out in full: `twin::core()`, `system()`, `std::thread`, `#include <dirent.h>`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.evaluation.integrity.rules import CHECKS, Rules, finding, shown
from core.evaluation.records import Finding
from core.operators.spec import OperatorSpec

FIRST_NUMBER = 100  # smaller numbers give no case away, see `case_sizes`
_SMALLEST_COUNT = 1000
_LARGEST_LIMIT = 1 << 16
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
    broken = [
        *_patterns(facts, rules),
        *_checked(operator, facts, rules),
    ]
    found = dict.fromkeys(broken)
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


def _checked(
    operator: OperatorSpec, facts: Iterable[Fact], rules: Rules
) -> Iterator[Finding]:
    """What the checks that are switched on say of each fact."""
    denied, sizes = rules.denied(operator), case_sizes(operator)
    for fact in facts:
        name, what = "", ""
        if fact.kind is FactKind.NAME and fact.file.startswith("op_kernel/"):
            used = _API.match(fact.text)
            if used and used[1] in denied:
                name = "high-level-substitution"
                what = f"uses {used[1]}, which does the operator's core work"
        elif fact.kind is FactKind.INCLUDE and fact.text[0] not in '"<':
            name = "foreign-include"
            what = f"includes {fact.text}, which is not part of the candidate"
        elif fact.kind is FactKind.EQUAL and int(fact.text) in sizes:
            name = "shape-detection"
            what = f"compares with {fact.text}, {sizes[int(fact.text)]}"
        if name in rules.checks:
            yield finding(name, CHECKS[name], fact.file, fact.line, what)


def case_sizes(operator: OperatorSpec) -> Mapping[int, str]:
    """Numbers that give away a test case -> what they are. Small and round numbers have other reasons."""
    sizes: dict[int, str] = {}
    for case in operator.cases:
        for name, made in case.inputs.items():
            for shape in (made.shape, *made.shapes):
                for size in shape:
                    is_round = not size & (size - 1) or not size % 1024
                    if size >= FIRST_NUMBER and not is_round:
                        sizes.setdefault(size, f"a dimension of {name} in a test case")
                count = math.prod(shape)
                # Powers of two are limits of formats and of memory as well.
                is_limit = count <= _LARGEST_LIMIT and not count & (count - 1)
                if count >= _SMALLEST_COUNT and not is_limit:
                    what = f"the element count of {name} in a test case"
                    sizes.setdefault(count, what)
    return sizes
