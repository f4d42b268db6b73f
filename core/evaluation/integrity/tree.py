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
from itertools import product

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
    once = list(dict.fromkeys(broken))
    once.sort(key=lambda entry: (entry.file, entry.line, entry.rule))
    return tuple(once)


def tuned_places(
    operator: OperatorSpec, facts: Iterable[Fact]
) -> list[tuple[str, Place]]:
    """Where numbers single out sizes of test cases without being compared for equality, and how.

    A table that lists two of them, a difference from one, or two bounds that leave room for little else. It
    may be a coincidence, so the kernel is only judged on other shapes as well.
    """
    every_size = case_sizes(operator)
    sizes = {size: every_size[size] for size in every_size if not _is_round(size)}
    numbers = [fact for fact in facts if fact.kind in _NUMBERS]
    places = []
    listed: set[int] = set()
    first_table: Place | None = None
    for fact in numbers:
        value = int(fact.text)
        if value not in sizes:
            continue
        place = (fact.file, fact.line)
        if fact.kind is FactKind.TABLE:
            listed.add(value)
            first_table = first_table or place
        elif fact.kind is FactKind.DIFFERENCE and value >= _TELLING:
            what = f"takes the difference from {value}, {sizes[value]}"
            places.append((what, place))
    if len(listed) > 1 and first_table is not None:
        smallest, second = sorted(listed)[:2]
        what = f"lists {smallest} and {second}, {sizes[smallest]}"
        places.append((what, first_table))
    return [*places, *_ranges(numbers, sizes)]


def _is_round(size: int) -> bool:
    """Whether a number is a power of two or whole kilos, which kernels use for many reasons."""
    return not size & (size - 1) or not size % 1024


def _ranges(
    numbers: Iterable[Fact], sizes: Iterable[int]
) -> Iterator[tuple[str, Place]]:
    """Pairs of bounds close to each other that leave room for a size and for little else."""
    bounds = [fact for fact in numbers if fact.kind is FactKind.BOUND]
    for low, high in product(bounds, bounds):
        least = int(low.text)
        most = int(high.text)
        lines_between = abs(low.line - high.line)
        if low.file != high.file or lines_between > _NEAR_LINES:
            continue
        widest = max(2, least // _NARROW)
        if not 0 < most - least <= widest:
            continue
        inside = [size for size in sizes if least <= size <= most]
        if inside:
            what = f"leaves {inside[0]} between {least} and {most}"
            yield what, (low.file, low.line)


def _patterns(facts: Iterable[Fact], rules: Rules) -> Iterator[Finding]:
    """Names and headers that a rule's pattern forbids on their side, host or kernel."""
    for fact in facts:
        if fact.kind not in (FactKind.NAME, FactKind.INCLUDE):
            continue
        text = fact.text
        if fact.kind is FactKind.INCLUDE:
            text = f"#include {text}"
        side = "kernel" if fact.file.startswith("op_kernel/") else "host"
        sides = {"any", "resolved", side}
        for rule in rules.patterns:
            if rule.where in sides and rule.regex.search(text):
                what = f"{rule.message}: {shown(text)}"
                yield finding(rule.name, rule.paper, fact.file, fact.line, what)


def _checked(
    operator: OperatorSpec, facts: Iterable[Fact], rules: Rules
) -> Iterator[Finding]:
    """What the checks that are switched on say of each fact."""
    denied = rules.denied(operator)
    sizes = case_sizes(operator)
    for fact in facts:
        name = ""
        what = ""
        in_kernel = fact.file.startswith("op_kernel/")
        if fact.kind is FactKind.NAME and in_kernel:
            used = _API.match(fact.text)
            if used and used[1] in denied:
                name = "high-level-substitution"
                what = f"uses {used[1]}, which does the operator's core work"
        elif fact.kind is FactKind.INCLUDE and not fact.text.startswith(('"', "<")):
            name = "foreign-include"
            what = f"includes {fact.text}, which is not part of the candidate"
        elif fact.kind is FactKind.EQUAL and int(fact.text) in sizes:
            size_of = sizes[int(fact.text)]
            name = "shape-detection"
            what = f"compares with {fact.text}, {size_of}"
        if name in rules.checks:
            paper = CHECKS[name]
            yield finding(name, paper, fact.file, fact.line, what)


def case_sizes(operator: OperatorSpec) -> Mapping[int, str]:
    """Numbers that give away a test case -> what they are. Small and round numbers have other reasons."""
    sizes: dict[int, str] = {}
    for case in operator.cases:
        for name, made in case.inputs.items():
            for shape in (made.shape, *made.shapes):
                dimension = f"a dimension of {name} in a test case"
                for size in shape:
                    if size >= FIRST_NUMBER and not _is_round(size):
                        sizes.setdefault(size, dimension)
                count = math.prod(shape)
                # Powers of two are limits of formats and of memory as well.
                is_limit = count <= _LARGEST_LIMIT and not count & (count - 1)
                if count >= _SMALLEST_COUNT and not is_limit:
                    what = f"the element count of {name} in a test case"
                    sizes.setdefault(count, what)
    return sizes
