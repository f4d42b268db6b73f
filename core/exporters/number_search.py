"""Numbers that a call can compute: sizes of its inputs, attributes, small arithmetic on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TypeGuard, TypeVar

from core.operators.spec import AttributeValue, TensorSpec

Shape = tuple[int, ...]
_Value = TypeVar("_Value")

# What a number is made of: a size, an attribute or a constant; two of them; three. A number of a level needs
# a dimension with as many different values.
LEVELS = (1, 2, 3)
# Different values from which on arithmetic is no coincidence.
ENOUGH_EVIDENCE = 3


@dataclass(frozen=True)
class ComputedNumber:
    """A number that a call can compute.

    Attributes:
        values: One for each case.
        cpp: How a call computes it.
        words: The same for people, e.g. `x.size(0)`.
        is_thin: Arithmetic that so few different values support that it may be a coincidence.
    """

    values: tuple[int, ...]
    cpp: str
    words: str
    is_thin: bool = False


class NumberSearch:
    """Finds how calls compute a number, the plainest way first.

    Args:
        tensors: C++ of an input -> its shape in each case.
        attributes: Name -> its value in each case.
        first: Numbers that are tried before all others.
    """

    def __init__(
        self,
        tensors: Mapping[str, Sequence[Shape]],
        attributes: Mapping[str, Sequence[AttributeValue | None]],
        first: Sequence[ComputedNumber] = (),
    ) -> None:
        sizes = _sizes(tensors)
        self._atoms = [*first, *sizes, *_numbers_of_attributes(attributes)]
        self._counts = _element_counts(tensors)

    def explained(
        self, dimensions: Sequence[Shape], level: int
    ) -> tuple[ComputedNumber, ...] | None:
        """A number for each dimension; None when ranks differ or a dimension has none.

        Args:
            dimensions: Of each case.
            level: Of `LEVELS`: the highest that is tried.
        """
        ranks = set(map(len, dimensions))
        if len(ranks) > 1:
            return None
        columns = zip(*dimensions, strict=True)
        return whole(self._number(column, level) for column in columns)

    def _number(self, target: tuple[int, ...], highest: int) -> ComputedNumber | None:
        """The plainest number with the values `target`; None when none up to the level `highest` has them."""
        # Two different sizes cannot confirm arithmetic with three free parts.
        evidence = len(set(target))
        for level in LEVELS[:highest]:
            if evidence < level:
                continue
            for number in self._candidates(target, level):
                if number.values == target:
                    is_thin = level > 1 and evidence < ENOUGH_EVIDENCE
                    return replace(number, is_thin=is_thin)
        return None

    def _candidates(
        self, target: tuple[int, ...], level: int
    ) -> Iterator[ComputedNumber]:
        """Numbers of a level, the plainest first; `target` tells which constants to try."""
        if level == 1:
            yield from self._atoms
            yield _constant(target[0], len(target))
        elif level == 2:
            yield from self._counts
            for atom in self._atoms:
                yield from _with_constants(atom, target)
            yield from self._of_two_atoms()
        else:
            for number in self._of_two_atoms():
                yield from _with_constants(number, target)
            for three in combinations(self._atoms, 3):
                yield _multiplied(three)

    def _of_two_atoms(self) -> Iterator[ComputedNumber]:
        for a, b in product(self._atoms, self._atoms):
            signs = ("*",) if a is b else _OPERATIONS
            for sign in signs:
                yield _combined(a, sign, b)


def tensor_cpp(tensor: TensorSpec) -> str:
    """C++ of an input; of a list, of its first tensor."""
    return f"{tensor.name}[0]" if tensor.is_list else tensor.name


def whole(values: Iterable[_Value | None]) -> tuple[_Value, ...] | None:
    """All of the values, or None when one of them is None."""
    every = tuple(values)
    present = tuple(value for value in every if value is not None)
    return present if len(present) == len(every) else None


def integers(value: AttributeValue | None) -> tuple[int, ...]:
    """An attribute as a list of integers; empty when it holds something else."""
    entries = value if isinstance(value, tuple | list) else (value,)
    numbers = tuple(entry for entry in entries if _is_integer(entry))
    return numbers if len(numbers) == len(entries) else ()


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _sizes(tensors: Mapping[str, Sequence[Shape]]) -> Iterator[ComputedNumber]:
    """Sizes that a tensor has in every case; counted from behind too where ranks differ."""
    for name, shapes in tensors.items():
        ranks = {len(shape) for shape in shapes}
        least = min(ranks, default=0)
        from_behind = range(-least, 0) if len(ranks) > 1 else ()
        for at in (*range(least), *from_behind):
            values = tuple(shape[at] for shape in shapes)
            cpp = f"size_of({name}, {at})"
            yield ComputedNumber(values, cpp, f"{name}.size({at})")


def _numbers_of_attributes(
    attributes: Mapping[str, Sequence[AttributeValue | None]],
) -> Iterator[ComputedNumber]:
    """Attributes that are counts, and entries of those that are lists of integers."""
    for name, values in attributes.items():
        counts = tuple(value for value in values if _is_integer(value) and value >= 0)
        if len(counts) == len(values):
            yield ComputedNumber(counts, f"Dimension({name})", name)
            continue
        lists = [integers(value) for value in values]
        shortest = min(map(len, lists), default=0)
        for at in range(shortest):
            entries = tuple(numbers[at] for numbers in lists)
            entry = f"{name}[{at}]"
            yield ComputedNumber(entries, f"Dimension({entry})", entry)


def _element_counts(tensors: Mapping[str, Sequence[Shape]]) -> list[ComputedNumber]:
    counts = []
    for name, shapes in tensors.items():
        values = tuple(math.prod(shape) for shape in shapes)
        cpp = f"elements_of({name})"
        counts.append(ComputedNumber(values, cpp, f"{name}.numel()"))
    return counts


def _constant(value: int, count: int) -> ComputedNumber:
    values = (value,) * count
    return ComputedNumber(values, f"Dimension({value})", str(value))


def _with_constants(
    number: ComputedNumber, target: tuple[int, ...]
) -> Iterator[ComputedNumber]:
    """`number` with a constant that would give `target` in the first case it can be read from.

    Only these constants are tried, since any other one fails in that case.
    """
    count = len(target)
    pairs = list(zip(number.values, target, strict=True))
    shift = target[0] - number.values[0]
    if shift:
        sign = "+" if shift > 0 else "-"
        yield _combined(number, sign, _constant(abs(shift), count))
    for value, multiple in pairs:
        factor = _factor(value, multiple)
        if factor is not None:
            yield _combined(number, "*", _constant(factor, count))
            break
    divisors: set[int] = set()
    for value, quotient in pairs:
        divisors.update(_divisors(value, quotient))
    for divisor in sorted(divisors):
        constant = _constant(divisor, count)
        yield _combined(number, "/", constant)
        yield _combined(number, "ceil_div", constant)


def _factor(value: int, multiple: int) -> int | None:
    """What `value` is multiplied by; None when there is no such integer but 1, or any would do."""
    is_trivial = multiple in (0, value)
    if value == 0 or is_trivial or multiple % value:
        return None
    return multiple // value


def _divisors(value: int, quotient: int) -> tuple[int, ...]:
    """Numbers of which one gives `quotient` when `value` is divided by it, rounded down or up."""
    if quotient <= 0 or value <= quotient:
        return ()
    near = value // quotient
    # A division by 1 changes nothing.
    return (near, near + 1) if near > 1 else (near + 1,)


# -1 is no size, so that a division by 0 explains nothing.
_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b if b else -1,
    "ceil_div": lambda a, b: -(-a // b) if b else -1,
}


def _combined(a: ComputedNumber, sign: str, b: ComputedNumber) -> ComputedNumber:
    """The number that an operation makes of two, in every case."""
    operation = _OPERATIONS[sign]
    pairs = zip(a.values, b.values, strict=True)
    values = tuple(operation(*pair) for pair in pairs)
    if sign == "ceil_div":
        cpp = f"ceil_div({a.cpp}, {b.cpp})"
        words = f"ceil({a.words} / {b.words})"
    else:
        cpp = f"({a.cpp} {sign} {b.cpp})"
        words = f"({a.words} {sign} {b.words})"
    return ComputedNumber(values, cpp, words)


def _multiplied(numbers: Sequence[ComputedNumber]) -> ComputedNumber:
    columns = [number.values for number in numbers]
    values = tuple(map(math.prod, zip(*columns, strict=True)))
    cpp = " * ".join(number.cpp for number in numbers)
    words = " * ".join(number.words for number in numbers)
    return ComputedNumber(values, cpp, words)
