"""The global memory of one launch: where tensors lie, what is in them before, what is read from them after.

The memory is one file that judge and kernel program share. Each tensor begins at a multiple of 64 KiB and has
the room the device runtime allocates for it; what was never written holds a pattern (NaN in every floating type).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.operators.spec import TestCase
from remote.judge.inputs.case_data import (
    FLOAT_POISON,
    INTEGER_POISON,
    WIDTHS,
    CaseData,
    TensorFile,
    poison,
)
from remote.judge.inputs.file_memory import Memory, mapped, put, put_pattern, same_bytes
from remote.judge.job import Operator
from remote.judge.running.answers import Malformed, TilingAnswer

_ALIGNMENT = 64 << 10  # a multiple of every page size
# Of one output whose shape the kernel decides: rank and eight dimensions.
_SHAPE_NUMBERS = 9
_WIDE_SHAPE = 0x80000000  # flag in the rank of an output of uint64_t
_SHAPES = "shapes of outputs"


def padded_bytes(size: int) -> int:
    """Bytes the device runtime reserves for a tensor of `size` bytes (as in the twin's `launch.h`)."""
    return (size + 32 + 511) // 512 * 512


@dataclass(frozen=True)
class _Place:
    """One argument of the launch. `data` is what an input holds; an output starts as `start`, repeated.

    An absent optional input has an offset of -1; an output that overwrites an input has its offset.
    """

    name: str
    offset: int
    size: int
    is_input: bool
    expected: int = 0
    data: Memory | None = None
    start: bytes = bytes([FLOAT_POISON])
    is_shared: bool = False


@dataclass
class Layout:
    """Where the arguments of one launch lie, and which addresses the kernel gets.

    Attributes:
        places: The arguments.
        size: Bytes of the memory.
        second_pattern: Whether outputs start as other bytes than in the first run.
        remains: What outputs start as instead, repeated; empty for a pattern.
        pointers: Rows of the launch request, one for each address.
        outputs: Number of the argument of every output of the case.
        result_bytes: Leading bytes of each that are its result.
        by_kernel: Outputs whose shape the kernel decides.
        cleared_bytes: Bytes of outputs that start with a value op_host asked for.
    """

    places: list[_Place] = field(default_factory=list)
    size: int = 0
    second_pattern: bool = False
    remains: bytes = b""
    pointers: list[tuple[Any, ...]] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    result_bytes: list[int] = field(default_factory=list)
    by_kernel: list[int] = field(default_factory=list)
    cleared_bytes: int = 0

    def add(self, place: _Place) -> int:
        """Add an argument behind the others (at its own offset when it has one); returns its number."""
        self.places.append(place)
        if not place.is_shared and place.offset >= 0:
            end = place.offset + padded_bytes(place.size)
            self.size = (end + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT
        return len(self.places) - 1

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Arguments and addresses for the launch request."""
        for place in self.places:
            offset = "-" if place.offset < 0 else place.offset
            kind = int(place.is_input)
            yield "argument", place.name, offset, place.size, kind, place.expected
        yield from self.pointers

    def fill(self, file: int) -> None:
        """Put inputs and patterns into the file that is the memory."""
        for place in self.places:
            if place.offset < 0 or place.is_shared:
                continue
            if place.data is not None:
                put(file, place.offset, place.data)
            else:
                put_pattern(file, place.offset, place.size, place.start)
            padding = padded_bytes(place.size) - place.size
            has_data = place.data is not None
            pattern = bytes([FLOAT_POISON]) if has_data else place.start[:1]
            put(file, place.offset + place.size, pattern * padding)

    def output(self, memory: Any, index: int) -> memoryview:
        """The result in output `index` of the case: the leading part of what the caller made room for."""
        place = self.places[self.outputs[index]]
        end = place.offset + self.result_bytes[index]
        return memoryview(memory)[place.offset : end]

    def changed_inputs(self, memory: Any) -> list[str]:
        """Names of the inputs that are not as they were and that no output overwrites."""
        shared = {place.offset for place in self.places if place.is_shared}
        view = memoryview(memory)

        def is_changed(place: _Place) -> bool:
            if place.data is None or place.offset in shared:
                return False
            part = view[place.offset : place.offset + place.size]
            return not same_bytes(part, place.data)

        return [place.name for place in self.places if is_changed(place)]

    def kernel_shapes(self, memory: Any) -> dict[int, tuple[int, ...] | None]:
        """Shapes the kernel wrote, by output; None where it wrote none.

        Nine 64-bit numbers an output: the rank, then up to eight dimensions. Source: Ascend C guide,
        "Kernel-side output shape depending on computation".
        """
        if not self.by_kernel:
            return {}
        place = next(place for place in self.places if place.name == _SHAPES)
        shapes: dict[int, tuple[int, ...] | None] = {}
        for slot, index in enumerate(self.by_kernel):
            start = place.offset + slot * 8 * _SHAPE_NUMBERS
            numbers = struct.unpack_from(f"={_SHAPE_NUMBERS}Q", memory, start)
            rank = numbers[0] & ~_WIDE_SHAPE
            dims = tuple(min(number, (1 << 63) - 1) for number in numbers[1 : 1 + rank])
            shapes[index] = dims if rank < _SHAPE_NUMBERS else None
        return shapes


def lay_out(
    operator: Operator,
    case: TestCase,
    data: CaseData,
    tiling: TilingAnswer,
    *,
    second_pattern: bool = False,
    remains: bytes = b"",
) -> Layout:
    """Arguments in the order of the candidate's definition: inputs, outputs, shapes the kernel decides.

    With `second_pattern` outputs start as other bytes than in the first run, with `remains` as these.

    Raises:
        Malformed: The definition does not fit the call (a list given to a parameter that is none), or asks
        for an
            output smaller than its result.
    """
    layout = Layout(second_pattern=second_pattern, remains=remains)
    inputs: dict[str, list[int]] = {}
    for index, tensor in enumerate(operator.inputs):
        name = tensor.name
        contiguous = index < len(tiling.inputs) and tiling.inputs[index].is_contiguous
        numbers = [
            layout.add(_input(layout, file, contiguous))
            for file in data.inputs.get(name, ())
        ]
        inputs[name] = numbers or [layout.add(_Place(name, -1, 0, is_input=True))]
    _add_outputs(layout, case, data, tiling, inputs)
    pointed = [(name, numbers, _shapes(data, name)) for name, numbers in inputs.items()]
    rows = [*zip(tiling.inputs, pointed, strict=False)]
    for name, parameter in zip(
        dict.fromkeys(file.name for file in data.outputs), tiling.outputs, strict=False
    ):
        own = [at for at, file in enumerate(data.outputs) if file.name == name]
        own_shapes = [data.outputs[at].allocation.shape for at in own]
        rows.append((parameter, (name, [layout.outputs[at] for at in own], own_shapes)))
    for parameter, (name, numbers, shapes) in rows:
        if parameter.is_list:
            text = _list_text(layout, numbers, shapes)
            layout.pointers.append(("list", name, text))
        elif len(numbers) == 1:
            layout.pointers.append(("pointer", numbers[0]))
        else:
            why = f"{name} is a tensor list; declare it ParamType(DYNAMIC)."
            raise Malformed(f"OpDef {operator.name}: {why}")
    count = sum(parameter.shape_by_kernel for parameter in tiling.outputs)
    if count:
        start = bytes([INTEGER_POISON])
        size = count * 8 * _SHAPE_NUMBERS
        number = layout.add(
            _Place(_SHAPES, layout.size, size, is_input=False, start=start)
        )
        layout.pointers.append(("pointer", number))
    return layout


def _input(layout: Layout, file: TensorFile, contiguous: bool) -> _Place:
    content: Memory = mapped(file.path)
    if file.strides and contiguous:
        content = _gathered(content, file)
    return _Place(file.name, layout.size, len(content), is_input=True, data=content)


def _gathered(storage: Memory, file: TensorFile) -> bytearray:
    """A strided tensor in contiguous order, as the framework makes it."""
    from remote.judge.inputs.reference_module import tensor_of
    from remote.judge.inputs.tensor_memory import (
        tensor_bytes,  # torch: only a strided tensor needs it
    )

    return bytearray(tensor_bytes(tensor_of(file, storage)))


def _add_outputs(
    layout: Layout,
    case: TestCase,
    data: CaseData,
    tiling: TilingAnswer,
    inputs: Mapping[str, list[int]],
) -> None:
    """Give every output of the case its memory: that of the input of its name, or its own."""
    names: list[str] = []
    parameters: list[str] = list(dict.fromkeys(file.name for file in data.outputs))
    for at, (file, made) in enumerate(zip(data.outputs, tiling.made, strict=True)):
        size = WIDTHS[file.dtype]
        result = math.prod(file.shape) * size
        # What the reference leaves out in this call (an attribute turns it off) no call
        # has to write.
        looked_at = 0 if data.expected[at] is None else result
        before = names.count(file.name)  # tensors of the same list in front of this one
        names.append(file.name)
        places = (layout.places[number] for number in inputs.get(file.name, ()))
        own = [place for place in places if place.offset >= 0]
        zero = file.allocation.zero
        if before < len(own):
            input_place = own[before]
            if input_place.size != math.prod(file.allocation.shape) * size:
                raise Malformed(
                    f"output {file.name} overwrites the input of its name but has another size"
                )
            place = _Place(
                file.name,
                input_place.offset,
                input_place.size,
                is_input=False,
                expected=looked_at,
                is_shared=True,
            )
        else:
            if made.room * size < result:
                raise Malformed(
                    f"op_host leaves output {file.name} less room than its result takes"
                )
            if made.initial and not zero:
                layout.cleared_bytes += made.room * size
            place = _own_output(
                layout, file, made.room * size, made.initial, zero, looked_at
            )
        layout.outputs.append(layout.add(place))
        open_result = _open_result(case, data, tiling, at, size) or result
        layout.result_bytes.append(min(open_result, place.size))
        parameter = parameters.index(file.name)
        if (
            parameter < len(tiling.outputs)
            and tiling.outputs[parameter].shape_by_kernel
        ):
            layout.by_kernel.append(at)


def _own_output(
    layout: Layout,
    file: TensorFile,
    size: int,
    initial: bytes,
    zero: bool,
    looked_at: int,
) -> _Place:
    """An output with memory of its own, of which a core has to write the first `looked_at` bytes."""
    pattern = bytes([poison(file.dtype, second=layout.second_pattern)])
    start = bytes(1) if zero else initial or layout.remains or pattern
    expected = 0 if zero or initial else looked_at
    return _Place(
        file.name, layout.size, size, is_input=False, expected=expected, start=start
    )


def _open_result(
    case: TestCase, data: CaseData, tiling: TilingAnswer, at: int, size: int
) -> int:
    """Bytes of an output that is not looked at, whose shape InferShape gives; 0 for any other."""
    inferred = tiling.inferred[at]
    known = inferred.has_shape and min(inferred.shape, default=0) >= 0
    decided = data.is_unchecked(case, at) and data.outputs[at].room is None and known
    return math.prod(inferred.shape) * size if decided else 0


def _shapes(data: CaseData, name: str) -> list[tuple[int, ...]]:
    return [file.shape for file in data.inputs.get(name, ())] or [()]


def _list_text(
    layout: Layout, numbers: list[int], shapes: list[tuple[int, ...]]
) -> str:
    """The tensors of a list, those that are there, as the launch request names them."""
    tensor_words = [
        f"{number}:{','.join(map(str, shape)) or '-'}"
        for number, shape in zip(numbers, shapes, strict=True)
        if layout.places[number].offset >= 0
    ]
    return ";".join(tensor_words)
