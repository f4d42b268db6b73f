"""Shapes that a call can compute from its arguments: those of inputs, attributes, numbers one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from core.exporters.number_search import (
    ENOUGH_EVIDENCE,
    LEVELS,
    ComputedNumber,
    NumberSearch,
    Shape,
    integers,
    tensor_cpp,
    whole,
)
from core.operators.spec import AttributeValue, CaseShapes, OperatorSpec

# Names of attributes that name axes, and of those that say whether a reduced axis stays as 1.
_AXES = re.compile(r"(?:.*_)?(?:dims?|axis|axes)")
_KEEPING = re.compile(r"keep_?dims?")
_MOST_DROPPED = 3
_FLAGS = (("false", False), ("true", True))


@dataclass(frozen=True)
class ComputedShape:
    """A shape that a call can compute, or a part of one.

    Attributes:
        values: One for each case.
        cpp: How a call computes it.
        words: The same for people, e.g. `[x.size(0), k]`.
        thin: Words of its numbers that may be a coincidence.
    """

    values: tuple[Shape, ...]
    cpp: str
    words: str
    thin: tuple[str, ...] = ()


class ShapeSearch:
    """Shapes that calls can compute, the plainest first."""

    def __init__(self, spec: OperatorSpec, cases: Sequence[CaseShapes]) -> None:
        self._tensors = _shapes_of_inputs(spec, cases)
        self._attributes = _values_of_attributes(spec, cases)
        self._numbers = NumberSearch(self._tensors, self._attributes)

    def shapes(self, targets: Sequence[Shape]) -> Iterator[ComputedShape]:
        """Candidates, of which the first that has the values `targets` is the rule."""
        for name, shapes in self._tensors.items():
            cpp = f"shape_of({name})"
            yield ComputedShape(tuple(shapes), cpp, f"that of {name}")
        yield from self._broadcasts()
        yield from self._by_axes()
        yield from self._by_lists()
        # The plainest rule wins: few dimensions first, then numbers, then more dimensions.
        one_or_none = range(2)
        several = range(_MOST_DROPPED + 1)
        for level in LEVELS:
            yield from self._parts(targets, level, one_or_none)
            numbers = self._numbers.explained(targets, level)
            if numbers is not None:
                yield _of_numbers(numbers, len(targets))
            yield from self._parts(targets, level, several)
            yield from self._resized(targets, level)

    def doubts(self, rule: ComputedShape, targets: Sequence[Shape]) -> tuple[str, ...]:
        """Dimensions that are one number in every case though the rule reads an input, and thin evidence."""
        few = [
            f"{words} rests on fewer than {ENOUGH_EVIDENCE} different sizes"
            for words in rule.thin
        ]
        ranks = {len(shape) for shape in targets}
        # A whole shape of an input follows the input; a constant column would be chance.
        is_of_inputs = rule.cpp.startswith(("shape_of", "broadcast"))
        is_single = len(targets) < 2
        if is_of_inputs or is_single or len(ranks) > 1:
            return tuple(few)
        constant = []
        for at, column in enumerate(zip(*targets, strict=True)):
            size = column[0]
            if size != 1 and set(column) == {size}:
                constant.append(f"dimension {at} is {size} in every case")
        return (*constant, *few)

    def _broadcasts(self) -> Iterator[ComputedShape]:
        """What two inputs broadcast to, or all of them."""
        groups: list[tuple[str, ...]] = [*combinations(self._tensors, 2)]
        if len(self._tensors) > 2:
            groups.append(tuple(self._tensors))
        for group in groups:
            columns = [self._tensors[name] for name in group]
            cases = zip(*columns, strict=True)
            values = whole(_broadcast(shapes) for shapes in cases)
            if values is not None:
                names = ", ".join(group)
                cpp = f"broadcast({{{names}}})"
                yield ComputedShape(values, cpp, f"{names} broadcast")

    def _by_axes(self) -> Iterator[ComputedShape]:
        """What is left of a tensor whose axes an attribute names: removed, or kept as 1."""
        for attribute, values in self._attributes.items():
            if not _AXES.fullmatch(attribute):
                continue
            axes = [integers(value) for value in values]
            keeping = self._keeping(len(axes))
            for tensor, (keep, flags) in product(self._tensors.items(), keeping):
                name, shapes = tensor
                cases = zip(shapes, axes, flags, strict=True)
                reduced = whole(_reduced(*case) for case in cases)
                if reduced is None:
                    continue
                axes_cpp = f"axes_of({attribute})"
                cpp = f"reduced({name}, {axes_cpp}, {keep})"
                words = f"{name} without {attribute}"
                if keep != "false":
                    words += f" (1 in its place: {keep})"
                yield ComputedShape(reduced, cpp, words)

    def _resized(self, targets: Sequence[Shape], level: int) -> Iterator[ComputedShape]:
        """A tensor that is longer or shorter along the axis an attribute names, as SwiGlu's is."""
        pairs = product(self._tensors.items(), self._attributes.items())
        for (name, shapes), (attribute, values) in pairs:
            if not _AXES.fullmatch(attribute):
                continue
            axes = [integers(value) for value in values]
            lengths = whole(map(_length_change, shapes, axes, targets))
            if lengths is None:
                continue
            before = tuple(length for length, _result in lengths)
            length = ComputedNumber(
                before,
                cpp=f"size_of({name}, {attribute})",
                words=f"{name}.size({attribute})",
            )
            # The new length is most plainly made of the old one: half of it for SwiGlu.
            search = NumberSearch(self._tensors, self._attributes, (length,))
            results = [(result,) for _length, result in lengths]
            numbers = search.explained(results, level)
            if numbers is None:
                continue
            (number,) = numbers
            yield ComputedShape(
                tuple(targets),
                f"resized({name}, {attribute}, {number.cpp})",
                f"{name} with {number.words} along {attribute}",
                (number.words,) if number.is_thin else (),
            )

    def _keeping(self, count: int) -> list[tuple[str, list[bool]]]:
        """What may say whether removed axes stay as 1: C++, and its value in each of `count` cases."""
        attributes = []
        for name, values in self._attributes.items():
            if _KEEPING.fullmatch(name):
                flags = [bool(value) for value in values]
                attributes.append((name, flags))
        constants = [(cpp, [flag] * count) for cpp, flag in _FLAGS]
        return attributes + constants

    def _by_lists(self) -> Iterator[ComputedShape]:
        """A shape that an attribute says: in numbers, or as an order of the axes of a tensor."""
        for attribute, values in self._attributes.items():
            if not all(isinstance(value, tuple | list) for value in values):
                continue
            lists = tuple(integers(value) for value in values)
            yield ComputedShape(lists, f"shape_of({attribute})", attribute)
            for name, shapes in self._tensors.items():
                cases = zip(shapes, lists, strict=True)
                permuted = whole(_permuted(*case) for case in cases)
                if permuted is not None:
                    cpp = f"permuted({name}, {attribute})"
                    words = f"{name} in the order {attribute}"
                    yield ComputedShape(permuted, cpp, words)

    def _parts(
        self, targets: Sequence[Shape], level: int, counts: range
    ) -> Iterator[ComputedShape]:
        """The leading or last dimensions of a tensor, followed or preceded by explained ones.

        Args:
            targets: The shapes that are to be explained.
            level: How far a dimension is explained.
            counts: How many dimensions are dropped, and how many are added.
        """
        for tensor, drop, add in product(self._tensors.items(), counts, counts):
            name, shapes = tensor
            is_whole = drop == add == 0
            if is_whole or not _ranks_fit(shapes, targets, drop, add):
                continue
            added = [target[len(target) - add :] for target in targets]
            numbers = self._numbers.explained(added, level)
            leading = _leading(name, shapes, drop)
            # A part without any dimension is no part: the numbers alone are a rule of their own.
            if numbers is not None and any(leading.values):
                yield _followed(leading, numbers)
            added = [target[:add] for target in targets]
            numbers = self._numbers.explained(added, level)
            trailing = _trailing(name, shapes, drop)
            if numbers is not None and any(trailing.values):
                yield _preceded(trailing, numbers)


def _ranks_fit(
    shapes: Sequence[Shape], targets: Sequence[Shape], drop: int, add: int
) -> bool:
    """Whether each target has as many dimensions as its shape without `drop` and with `add` of them."""
    for shape, target in zip(shapes, targets, strict=True):
        rest = len(shape) - drop
        if rest < 0 or len(target) != rest + add:
            return False
    return True


def _shapes_of_inputs(
    spec: OperatorSpec, cases: Sequence[CaseShapes]
) -> dict[str, list[Shape]]:
    """C++ of each input that every case has -> its shapes; of a list, those of its first tensor."""
    tensors = {}
    for tensor in spec.inputs:
        values = [case.inputs.get(tensor.name, ()) for case in cases]
        if not tensor.optional and all(values):
            tensors[tensor_cpp(tensor)] = [shapes[0].shape for shapes in values]
    return tensors


def _values_of_attributes(
    spec: OperatorSpec, cases: Sequence[CaseShapes]
) -> dict[str, list[AttributeValue | None]]:
    """Name of each attribute -> its value in every case."""
    table = {}
    for attribute in spec.attributes:
        name, default = attribute.name, attribute.default
        table[name] = [case.attributes.get(name, default) for case in cases]
    return table


def _leading(name: str, shapes: Sequence[Shape], drop: int) -> ComputedShape:
    """All dimensions of a tensor but the last `drop`."""
    # Not `shape[:-drop]`, which is empty for a `drop` of 0.
    values = tuple(shape[: len(shape) - drop] for shape in shapes)
    end = f"[:{-drop}]" if drop else ""
    cpp = f"leading({name}, {drop})"
    return ComputedShape(values, cpp, f"{name}.shape{end}")


def _trailing(name: str, shapes: Sequence[Shape], drop: int) -> ComputedShape:
    """All dimensions of a tensor but the first `drop`."""
    values = tuple(shape[drop:] for shape in shapes)
    start = f"[{drop}:]" if drop else ""
    cpp = f"trailing({name}, {drop})"
    return ComputedShape(values, cpp, f"{name}.shape{start}")


def _of_numbers(numbers: Sequence[ComputedNumber], count: int) -> ComputedShape:
    """Single dimensions as a shape, in `count` cases."""
    values: tuple[Shape, ...] = ((),) * count
    if numbers:
        columns = [number.values for number in numbers]
        values = tuple(zip(*columns, strict=True))
    sizes_cpp = ", ".join(number.cpp for number in numbers)
    words = ", ".join(number.words for number in numbers)
    thin = tuple(number.words for number in numbers if number.is_thin)
    cpp = f"Shape{{{sizes_cpp}}}"
    return ComputedShape(values, cpp, f"[{words}]", thin)


def _followed(part: ComputedShape, numbers: Sequence[ComputedNumber]) -> ComputedShape:
    """A part of a shape and single dimensions behind it."""
    if not numbers:
        return part
    end = _of_numbers(numbers, len(part.values))
    pairs = zip(part.values, end.values, strict=True)
    values = tuple(first + last for first, last in pairs)
    of_numbers = [number.words for number in numbers]
    words = ", ".join([f"*{part.words}", *of_numbers])
    cpp = f"joined({part.cpp}, {end.cpp})"
    return ComputedShape(values, cpp, f"[{words}]", end.thin)


def _preceded(part: ComputedShape, numbers: Sequence[ComputedNumber]) -> ComputedShape:
    """A part of a shape and single dimensions before it."""
    if not numbers:
        return part
    start = _of_numbers(numbers, len(part.values))
    pairs = zip(start.values, part.values, strict=True)
    values = tuple(first + last for first, last in pairs)
    of_numbers = [number.words for number in numbers]
    words = ", ".join([*of_numbers, f"*{part.words}"])
    cpp = f"joined({start.cpp}, {part.cpp})"
    return ComputedShape(values, cpp, f"[{words}]", start.thin)


def _broadcast(shapes: Sequence[Shape]) -> Shape | None:
    """The shape to which all broadcast, None when they do not."""
    # As NumPy does it: shapes are aligned at their last dimension.
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    result = []
    for sizes in zip(*padded, strict=True):
        larger = {size for size in sizes if size != 1}
        if len(larger) > 1:
            return None
        result.append(larger.pop() if larger else 1)
    return tuple(result)


def _reduced(shape: Shape, axes: tuple[int, ...], keep: bool) -> Shape | None:
    """`shape` without `axes`, of which an empty list means all; None when it lacks one."""
    rank = len(shape)
    if any(not -rank <= axis < rank for axis in axes):
        return None
    places = {axis % rank for axis in axes or range(rank)}
    if keep:
        return tuple(1 if at in places else shape[at] for at in range(rank))
    return tuple(shape[at] for at in range(rank) if at not in places)


def _length_change(
    shape: Shape, axes: tuple[int, ...], target: Shape
) -> tuple[int, int] | None:
    """The length of `shape` and of `target` along the one axis; None where they differ elsewhere."""
    rank = len(shape)
    if len(axes) != 1 or len(target) != rank:
        return None
    axis = axes[0]
    if not -rank <= axis < rank:
        return None
    at = axis % rank
    same_before = shape[:at] == target[:at]
    same_behind = shape[at + 1 :] == target[at + 1 :]
    if not (same_before and same_behind):
        return None
    return shape[at], target[at]


def _permuted(shape: Shape, order: tuple[int, ...]) -> Shape | None:
    """`shape` in another order of its axes, None when `order` is none."""
    if sorted(order) != list(range(len(shape))):
        return None
    return tuple(shape[at] for at in order)
