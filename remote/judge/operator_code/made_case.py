"""A case as its operator's code made it: put together where that code runs, checked where it is kept.

The code is foreign, so every number and name of its answer is looked at before a file is written or memory is
taken for it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch

from core.operators.spec import TestCase
from remote.judge.faults import UnavailableCase
from remote.judge.inputs.case_data import Room
from remote.judge.inputs.fills import DTYPES, GivenTensor
from remote.judge.inputs.reference_module import case_inputs, run_row
from remote.judge.inputs.reference_results import compute, dtype_name, round_results
from remote.judge.inputs.tensor_memory import tensor_bytes
from remote.judge.job import Operator
from remote.judge.json_records import Unfit, plain, read
from remote.judge.operator_code.wire import Unreadable, is_size

_NAME = re.compile(r"[A-Za-z_]\w{0,127}", re.ASCII)
_MOST_RANK = 64
_MOST_TENSORS = 4096


def make_case(
    operator: Operator, case: TestCase, module: ModuleType
) -> tuple[dict[str, Any], list[bytes]]:
    """Inputs, expected outputs and attributes of a case: a description, and the memory of the tensors.

    Raises:
        EnvironmentFault: The reference fails or returns something else than its interface.
    """
    attributes = dict(case.attributes)
    rooms: Sequence[Mapping[str, Any] | None] = [None] * len(operator.outputs)
    own: Sequence[tuple[int, torch.Tensor]] = ()
    if case.row:
        row = run_row(operator, case, module)
        inputs, attributes, rooms = row.inputs, row.attributes, row.rooms
        _check_attributes(attributes)
        results = round_results(operator, inputs, attributes, row.results, module)
        own = row.results if operator.rule == "checker" else ()
    else:
        inputs = case_inputs(operator, case, module)
        results = compute(operator, case, inputs, module)
    tensors = _DescribedTensors()
    described_inputs = {
        name: [tensors.add_input(tensor) for tensor in given]
        for name, given in inputs.items()
    }
    described_outputs = []
    for index, result in results:
        room = _room(rooms[index], result)
        described_outputs.append({"output": index, "room": room, **tensors.add(result)})
    returned: list[dict[str, Any] | None] = [None] * len(results)
    for at, ((_, result), (_, value)) in enumerate(zip(results, own, strict=False)):
        if _is_wider(value, result):
            returned[at] = tensors.add(value)
    description = {
        "attributes": attributes,
        "inputs": described_inputs,
        "outputs": described_outputs,
        "returned": returned,
    }
    return description, tensors.blobs


class _DescribedTensors:
    """Tensors as JSON describes them; `blobs` is their memory, in the order of the numbers."""

    def __init__(self) -> None:
        self.blobs: list[bytes] = []

    def add_input(self, tensor: GivenTensor) -> dict[str, Any]:
        """An input with the layout in which it lies in memory."""
        return self._described(tensor.storage, tensor.logical.shape, tensor.strides)

    def add(self, tensor: torch.Tensor) -> dict[str, Any]:
        """A contiguous tensor; one on the device `meta` has no memory."""
        return self._described(tensor, tensor.shape, ())

    def _described(
        self, storage: torch.Tensor, shape: Sequence[int], strides: Sequence[int]
    ) -> dict[str, Any]:
        blob = None
        if not storage.is_meta:
            blob = len(self.blobs)
            self.blobs.append(tensor_bytes(storage))
        return {
            "dtype": dtype_name(storage.dtype),
            "shape": list(shape),
            "strides": list(strides),
            "blob": blob,
        }


def _check_attributes(attributes: Mapping[str, Any]) -> None:
    """Raise `UnavailableCase` for a value that can neither be kept nor handed over, e.g. a torch.dtype."""
    for name, value in attributes.items():
        try:
            json.dumps(value)
        except TypeError:
            raise UnavailableCase(
                f"the attribute {name} is {value!r}, a value no attribute of an operator has"
            ) from None


def _is_wider(returned: torch.Tensor, result: torch.Tensor) -> bool:
    """Whether a task's code returned an output in another dtype than the kernel's, one that can be kept."""
    return (
        not result.is_meta
        and returned.dtype != result.dtype
        and returned.dtype in DTYPES.values()
    )


def _room(
    room: Mapping[str, Any] | None, result: torch.Tensor
) -> Mapping[str, Any] | None:
    """`room` when the result fits into it, else None."""
    if room is None or math.prod(room["shape"]) < result.numel():
        return None
    return {"shape": list(room["shape"]), "zero": bool(room["zero"])}


@dataclass(frozen=True)
class _Tensor:
    """A tensor as it comes: `blob` is the number of its memory, None where it is only described."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    blob: int | None


@dataclass(frozen=True)
class _Output(_Tensor):
    output: int
    room: Room | None


@dataclass(frozen=True)
class _Made:
    attributes: Mapping[str, Any]
    inputs: Mapping[str, tuple[_Tensor, ...]]
    outputs: tuple[_Output, ...]
    returned: tuple[_Tensor | None, ...]


class CheckedCase:
    """A made case, looked at by who keeps it.

    Args:
        operator: The operator.
        case: The case that was asked for.
        description: What came.
        blobs: The memory of its tensors.
        most_bytes: Bytes one tensor may have, written or only described.

    Raises:
        Unreadable: Something in it cannot be.
    """

    def __init__(
        self,
        operator: Operator,
        case: TestCase,
        description: Mapping[str, Any],
        blobs: Sequence[bytes | bytearray],
        most_bytes: int,
    ) -> None:
        self._blobs, self._most_bytes = blobs, most_bytes
        try:
            made = read(_Made, description)
        except Unfit as fault:
            raise Unreadable(str(fault)) from fault
        _check_names_and_numbers(made)
        self.inputs = {
            name: [self._tensor(name, row) for row in rows]
            for name, rows in made.inputs.items()
        }
        self.outputs = [self._output(operator, row) for row in made.outputs]
        _check_outputs_are_whole(operator, made.outputs)
        self.returned = [
            None if row is None else self._tensor("returned", row)
            for row in made.returned
        ]
        _expect(len(self.returned) == len(self.outputs), "returned values")
        # Only outputs may be described without their values.
        valued = [row for rows in self.inputs.values() for row in rows]
        valued += [row for row in self.returned if row is not None]
        _expect(all(row["data"] is not None for row in valued), "inputs without values")
        # Only the code of an imported task decides about attributes.
        self.attributes = dict(made.attributes if case.row else case.attributes)

    def _output(self, operator: Operator, row: _Output) -> dict[str, Any]:
        _expect(0 <= row.output < len(operator.outputs), "the number of an output")
        name, room = operator.outputs[row.output].name, row.room
        tensor = self._tensor(name, row)
        fits = room is None or self._fits(room.shape, row.dtype)
        _expect(fits, f"the room of output {name}")
        _expect(not row.strides, f"the layout of output {name}")
        return {**tensor, "output": row.output, "name": name, "room": plain(room)}

    def _tensor(self, name: str, row: _Tensor) -> dict[str, Any]:
        """A tensor with its `data`, None when it is only described."""
        shape, strides = list(row.shape), list(row.strides)
        _expect(row.dtype in DTYPES, f"the dtype of {name}")
        _expect(self._fits(row.shape, row.dtype), f"the shape of {name}")
        sizes = all(map(is_size, strides)) and len(strides) in (0, len(shape))
        _expect(sizes, f"the strides of {name}")
        data = None if row.blob is None else self._data(name, row, row.blob)
        return {"dtype": row.dtype, "shape": shape, "strides": strides, "data": data}

    def _data(self, name: str, row: _Tensor, blob: int) -> bytes | bytearray:
        """The memory of a tensor: exactly its elements, or a strided view's with more around them."""
        _expect(0 <= blob < len(self._blobs), f"the data of {name}")
        data = self._blobs[blob]
        width = DTYPES[row.dtype].itemsize
        needed = math.prod(row.shape)
        if row.strides and needed:
            steps = zip(row.shape, row.strides, strict=True)
            needed = 1 + sum((size - 1) * step for size, step in steps)
        exact = len(data) == needed * width
        more = row.strides and len(data) % width == 0 and len(data) >= needed * width
        _expect(exact or more, f"the size of {name}")
        return data

    def _fits(self, shape: tuple[int, ...], dtype: str) -> bool:
        """Whether it is a shape, of a tensor that is not too large."""
        if len(shape) > _MOST_RANK or not all(map(is_size, shape)):
            return False
        return math.prod(shape) * DTYPES[dtype].itemsize <= self._most_bytes


def _check_names_and_numbers(made: _Made) -> None:
    """Raise `Unreadable` for odd names, too many tensors, or an input without any."""
    names = (*made.inputs, *made.attributes)
    _expect(all(map(_NAME.fullmatch, names)), "names of inputs or attributes")
    lists = (made.outputs, made.returned, *made.inputs.values())
    _expect(max(map(len, lists)) <= _MOST_TENSORS, "as many tensors")
    _expect(all(made.inputs.values()), "an input without tensors")


def _check_outputs_are_whole(operator: Operator, outputs: Sequence[_Output]) -> None:
    """Raise `Unreadable` unless every output that is no list came once."""
    numbers = [row.output for row in outputs]
    single = [at for at, output in enumerate(operator.outputs) if not output.is_list]
    whole = all(numbers.count(index) == 1 for index in single)
    _expect(whole, "outputs of the interface")


def _expect(condition: object, what: str) -> None:
    if not condition:
        raise Unreadable(f"{what} cannot be")
