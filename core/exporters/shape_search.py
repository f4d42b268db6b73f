"""Shapes that a call can compute from its arguments: sizes of inputs, attributes, small arithmetic on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from core.operators.spec import AttributeValue, CaseShapes, OperatorSpec

# How far a dimension is explained: by a size or attribute, or a constant; by two of them; by three.
_LEVELS = (1, 2, 3)
_LEAST_EVIDENCE = {
    1: 1,
    2: 2,
    3: 3,
}  # values a dimension must take for a rule of a level
_ENOUGH_EVIDENCE = 3
_AXES = re.compile(r"(?:.*_)?(?:dims?|axis|axes)")
_KEEPING = re.compile(r"keep_?dims?")
_MOST_DROPPED = 3
_FLAGS = (("false", False), ("true", True))


@dataclass(frozen=True)
class _Number:
    """A number a call can compute: its value in every case, its C++ and its words.

    `is_thin`: arithmetic that so few different values support that it may be a coincidence.
    """

    values: tuple[int, ...]
    cpp: str
    words: str
    is_thin: bool = False


@dataclass(frozen=True)
class ComputedShape:
    """As `_Number`, of a whole shape or a part of one; `thin` are words of its numbers that are."""

    values: tuple[tuple[int, ...], ...]
    cpp: str
    words: str
    thin: tuple[str, ...] = ()


class ShapeSearch:
    """Shapes that calls can compute, the plainest first."""

    def __init__(self, spec: OperatorSpec, cases: Sequence[CaseShapes]) -> None:
        self._cases = cases
        self._tensors: list[tuple[str, list[tuple[int, ...]]]] = []
        for tensor in spec.inputs:
            shapes = [
                case.inputs[tensor.name][0].shape
                for case in cases
                if case.inputs.get(tensor.name)
            ]
            if not tensor.optional and len(shapes) == len(cases):
                name = f"{tensor.name}[0]" if tensor.is_list else tensor.name
                self._tensors.append((name, shapes))
        self._attributes = {
            attribute.name: [
                case.attributes.get(attribute.name, attribute.default) for case in cases
            ]
            for attribute in spec.attributes
        }
        self._atoms = [*self._sizes(), *self._numbers_of_attributes()]

    def shapes(self, wanted: Sequence[tuple[int, ...]]) -> Iterator[ComputedShape]:
        """Candidates, of which the first that has the values `wanted` is the rule."""
        for name, shapes in self._tensors:
            yield ComputedShape(tuple(shapes), f"shape_of({name})", f"that of {name}")
        yield from self._broadcasts()
        yield from self._by_axes()
        yield from self._by_lists()
        ranks = [len(shape) for shape in wanted]
        for level in _LEVELS:
            yield from self._parts(wanted, level, range(2), range(2))
            if len(set(ranks)) == 1:
                dimensions = self._explained(wanted, level)
                if dimensions is not None:
                    yield _joined([], dimensions, len(wanted))
            dropped = range(_MOST_DROPPED + 1)
            yield from self._parts(wanted, level, dropped, dropped)

    def doubts(
        self, rule: ComputedShape, wanted: Sequence[tuple[int, ...]]
    ) -> tuple[str, ...]:
        """Dimensions that are one number in every case though the rule reads an input, and thin evidence."""
        few = tuple(
            f"{words} rests on fewer than {_ENOUGH_EVIDENCE} different sizes"
            for words in rule.thin
        )
        if rule.cpp.startswith(("shape_of", "broadcast")) or len(wanted) < 2:
            return few
        columns = zip(*wanted, strict=True) if len(set(map(len, wanted))) == 1 else ()
        constant = tuple(
            f"dimension {at} is {column[0]} in every case"
            for at, column in enumerate(columns)
            if len(set(column)) == 1 and column[0] != 1
        )
        return constant + few

    def _sizes(self) -> Iterator[_Number]:
        for name, shapes in self._tensors:
            least = min(map(len, shapes), default=0)
            same_rank = len(set(map(len, shapes))) <= 1
            places = [*range(least), *(() if same_rank else range(-least, 0))]
            for at in places:
                values = tuple(shape[at] for shape in shapes)
                yield _Number(values, f"size_of({name}, {at})", f"{name}.size({at})")

    def _numbers_of_attributes(self) -> Iterator[_Number]:
        for name, values in self._attributes.items():
            if all(_is_count(value) for value in values):
                whole = tuple(int(value) for value in values)  # type: ignore[arg-type]
                yield _Number(whole, f"Dimension({name})", name)
                continue
            lists = [_integers(value) for value in values]
            for at in range(min(map(len, lists), default=0)):
                entries = tuple(entry[at] for entry in lists)
                yield _Number(entries, f"Dimension({name}[{at}])", f"{name}[{at}]")

    def _broadcasts(self) -> Iterator[ComputedShape]:
        pairs = list(combinations(self._tensors, 2))
        groups = [*pairs, self._tensors] if len(self._tensors) > 2 else pairs
        for group in groups:
            names = ", ".join(name for name, _ in group)
            columns = zip(*(shapes for _, shapes in group), strict=True)
            values = [_broadcast(column) for column in columns]
            made = tuple(value for value in values if value is not None)
            if len(made) == len(values):
                yield ComputedShape(
                    made, f"broadcast({{{names}}})", f"{names} broadcast"
                )

    def _by_axes(self) -> Iterator[ComputedShape]:
        """What is left of a tensor whose axes an attribute names: removed, or kept as 1."""
        keeping = [name for name in self._attributes if _KEEPING.fullmatch(name)]
        for attribute, values in self._attributes.items():
            if not _AXES.fullmatch(attribute):
                continue
            axes = [_integers(value) for value in values]
            kept: list[tuple[str, list[bool]]] = [
                (name, [bool(value) for value in self._attributes[name]])
                for name in keeping
            ]
            kept += [(cpp, [flag] * len(axes)) for cpp, flag in _FLAGS]
            for (name, shapes), (keep, flags) in product(self._tensors, kept):
                rows = zip(shapes, axes, flags, strict=True)
                values_ = [_reduced(*row) for row in rows]
                made = tuple(value for value in values_ if value is not None)
                if len(made) == len(shapes):
                    cpp = f"reduced({name}, axes_of({attribute}), {keep})"
                    words = f"{name} without {attribute}" + (
                        "" if keep == "false" else f" (1 in its place: {keep})"
                    )
                    yield ComputedShape(made, cpp, words)

    def _by_lists(self) -> Iterator[ComputedShape]:
        """A shape that an attribute says: in numbers, or as an order of the axes of a tensor."""
        for attribute, values in self._attributes.items():
            lists = [_integers(value) for value in values]
            if not all(isinstance(value, tuple | list) for value in values):
                continue
            yield ComputedShape(tuple(lists), f"shape_of({attribute})", attribute)
            for name, shapes in self._tensors:
                rows = list(zip(shapes, lists, strict=True))
                if all(sorted(order) == list(range(len(s))) for s, order in rows):
                    permuted = tuple(tuple(s[at] for at in order) for s, order in rows)
                    cpp = f"permuted({name}, {attribute})"
                    yield ComputedShape(
                        permuted, cpp, f"{name} in the order {attribute}"
                    )

    def _parts(
        self,
        wanted: Sequence[tuple[int, ...]],
        level: int,
        dropped: range,
        added: range,
    ) -> Iterator[ComputedShape]:
        """The leading or last dimensions of a tensor, followed or preceded by explained ones."""
        for (name, shapes), drop, add in product(self._tensors, dropped, added):
            if drop == add == 0:
                continue
            pairs = list(zip(shapes, wanted, strict=True))
            if any(len(s) < drop or len(w) != len(s) - drop + add for s, w in pairs):
                continue
            first = tuple(s[: len(s) - drop] for s, _ in pairs)
            rest = [w[len(w) - add :] for _, w in pairs]
            numbers = self._explained(rest, level)
            if numbers is not None and any(first):
                words = f"{name}.shape[:{-drop}]" if drop else f"{name}.shape"
                lead = ComputedShape(first, f"leading({name}, {drop})", words)
                yield _joined([lead], numbers, len(wanted))
            last = tuple(s[drop:] for s, _ in pairs)
            numbers = self._explained([w[:add] for _, w in pairs], level)
            if numbers is not None and any(last):
                words = f"{name}.shape[{drop}:]" if drop else f"{name}.shape"
                end = ComputedShape(last, f"trailing({name}, {drop})", words)
                yield _joined([end], numbers, len(wanted), behind=False)

    def _explained(
        self, wanted: Sequence[tuple[int, ...]], level: int
    ) -> list[_Number] | None:
        """A number for each dimension, None when one has none up to `level`; all shapes have one rank."""
        if len(set(map(len, wanted))) > 1:
            return None
        columns = list(zip(*wanted, strict=True))
        numbers = [self._number(tuple(column), level) for column in columns]
        whole = [number for number in numbers if number is not None]
        return whole if len(whole) == len(numbers) else None

    def _number(self, target: tuple[int, ...], level: int) -> _Number | None:
        for each in _LEVELS[:level]:
            if len(set(target)) < _LEAST_EVIDENCE[each]:
                continue
            for number in self._numbers(target, each):
                if number.values == target:
                    thin = each > 1 and len(set(target)) < _ENOUGH_EVIDENCE
                    return replace(number, is_thin=thin)
        return None

    def _numbers(self, target: tuple[int, ...], level: int) -> Iterator[_Number]:
        atoms = self._atoms
        if level == 1:
            yield from atoms
            yield _constant(target[0], len(target))
        elif level == 2:
            for name, shapes in self._tensors:
                counts = tuple(map(_product, shapes))
                yield _Number(counts, f"elements_of({name})", f"{name}.numel()")
            for atom in atoms:
                yield from _with_constants(atom, target)
            for a, b in product(atoms, atoms):
                yield from _of_two(a, b)
        else:
            for a, b in product(atoms, atoms):
                for two in _of_two(a, b):
                    yield from _with_constants(two, target)
            for a, b, c in combinations(atoms, 3):
                values = tuple(
                    x * y * z
                    for x, y, z in zip(a.values, b.values, c.values, strict=True)
                )
                cpp = f"{a.cpp} * {b.cpp} * {c.cpp}"
                yield _Number(values, cpp, f"{a.words} * {b.words} * {c.words}")


def _constant(value: int, count: int) -> _Number:
    return _Number((value,) * count, f"Dimension({value})", str(value))


def _with_constants(atom: _Number, target: tuple[int, ...]) -> Iterator[_Number]:
    """`atom` with a constant that would give `target` in the first case it can be read from."""
    pairs = list(zip(atom.values, target, strict=True))
    a, wanted = pairs[0]
    shift = wanted - a
    count = len(pairs)
    if shift:
        sign = "+" if shift > 0 else "-"
        yield _combined(atom, sign, _constant(abs(shift), count))
    for a, wanted in pairs:
        if a and wanted and wanted % a == 0 and wanted != a:
            yield _combined(atom, "*", _constant(wanted // a, count))
            break
    divisors = {divisor for a, wanted in pairs for divisor in _divisors(a, wanted)}
    for divisor in sorted(divisors):
        yield _combined(atom, "/", _constant(divisor, count))
        yield _combined(atom, "ceil_div", _constant(divisor, count))


def _divisors(a: int, quotient: int) -> tuple[int, ...]:
    """Numbers of which one gives `quotient` when `a` is divided by it, rounded down or up."""
    if quotient <= 0 or a <= quotient:
        return ()
    near = a // quotient
    return tuple(divisor for divisor in (near, near + 1) if divisor > 1)


def _of_two(a: _Number, b: _Number) -> Iterator[_Number]:
    signs = ("+", "-", "*", "/", "ceil_div") if a is not b else ("*",)
    for sign in signs:
        yield _combined(a, sign, b)


_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b if b else -1,
    "ceil_div": lambda a, b: -(-a // b) if b else -1,
}


def _combined(a: _Number, sign: str, b: _Number) -> _Number:
    operation = _OPERATIONS[sign]
    values = tuple(operation(x, y) for x, y in zip(a.values, b.values, strict=True))
    if sign == "ceil_div":
        cpp = f"ceil_div({a.cpp}, {b.cpp})"
        return _Number(values, cpp, f"ceil({a.words} / {b.words})")
    return _Number(values, f"({a.cpp} {sign} {b.cpp})", f"({a.words} {sign} {b.words})")


def _joined(
    shapes: Sequence[ComputedShape],
    numbers: Sequence[_Number],
    count: int,
    *,
    behind: bool = True,
) -> ComputedShape:
    """A part of a shape and single dimensions behind (or before) it, in `count` cases."""
    dimensions = [tuple(number.values[at] for number in numbers) for at in range(count)]
    listed = f"Shape{{{', '.join(number.cpp for number in numbers)}}}"
    words = [number.words for number in numbers]
    thin = tuple(number.words for number in numbers if number.is_thin)
    if not shapes:
        return ComputedShape(tuple(dimensions), listed, f"[{', '.join(words)}]", thin)
    (part,) = shapes
    pairs = list(zip(part.values, dimensions, strict=True))
    values = tuple(p + d if behind else d + p for p, d in pairs)
    if not numbers:
        return ComputedShape(values, part.cpp, part.words)
    order = (part.cpp, listed) if behind else (listed, part.cpp)
    star = f"*{part.words}"
    shown = [star, *words] if behind else [*words, star]
    cpp = f"joined({', '.join(order)})"
    return ComputedShape(values, cpp, f"[{', '.join(shown)}]", thin)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _integers(value: AttributeValue | None) -> tuple[int, ...]:
    """An attribute as a list of integers; empty when it holds something else."""
    entries = value if isinstance(value, tuple | list) else (value,)
    whole = all(isinstance(e, int) and not isinstance(e, bool) for e in entries)
    return tuple(int(entry) for entry in entries if entry is not None) if whole else ()


def _broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    result = []
    for sizes in zip(*padded, strict=True):
        others = {size for size in sizes if size != 1}
        if len(others) > 1:
            return None
        result.append(others.pop() if others else 1)
    return tuple(result)


def _reduced(
    shape: tuple[int, ...], axes: tuple[int, ...], keep: bool
) -> tuple[int, ...] | None:
    """`shape` without `axes`; an empty list means all of them."""
    rank = len(shape)
    if any(not -rank <= axis < rank for axis in axes):
        return None
    places = {axis % rank for axis in axes} if axes else set(range(rank))
    if keep:
        return tuple(1 if at in places else size for at, size in enumerate(shape))
    return tuple(size for at, size in enumerate(shape) if at not in places)


def _product(shape: Sequence[int]) -> int:
    result = 1
    for size in shape:
        result *= size
    return result
