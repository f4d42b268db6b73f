"""A case as its operator's code made it: put together where that code runs, checked where it is kept.

The code is foreign, so every number and name of its answer is looked at before a file is written or memory is
taken for it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import torch

from core.operators.spec import TestCase
from remote.judge.faults import UnavailableCase
from remote.judge.inputs.fills import DTYPES
from remote.judge.inputs.reference_module import case_inputs, run_row
from remote.judge.inputs.reference_results import compute, dtype_name, round_results
from remote.judge.inputs.tensor_memory import tensor_bytes
from remote.judge.job import Operator
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
    blobs: list[bytes] = []

    def described(
        storage: torch.Tensor, shape: Sequence[int], strides: Sequence[int]
    ) -> dict[str, Any]:
        row = {
            "dtype": dtype_name(storage.dtype),
            "shape": list(shape),
            "strides": list(strides),
        }
        if storage.is_meta:
            return {**row, "blob": None}
        blobs.append(tensor_bytes(storage))
        return {**row, "blob": len(blobs) - 1}

    description: dict[str, Any] = {"attributes": attributes}
    description["inputs"] = {
        name: [
            described(tensor.storage, tensor.logical.shape, tensor.strides)
            for tensor in tensors
        ]
        for name, tensors in inputs.items()
    }
    description["outputs"] = [
        {
            "output": index,
            "room": _room(rooms[index], result),
            **described(result, result.shape, ()),
        }
        for index, result in results
    ]
    returned = [
        described(returned, returned.shape, ()) if _is_wider(returned, result) else None
        for (_, result), (_, returned) in zip(results, own, strict=False)
    ]
    description["returned"] = returned or [None] * len(results)
    return description, blobs


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


class CheckedCase:
    """A made case, looked at by who keeps it.

    Args:
        operator: The operator.
        case: The case that was asked for.
        made: The description.
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
        inputs, outputs, returned = (
            description.get(name) for name in ("inputs", "outputs", "returned")
        )
        inputs = _named(inputs, "names of inputs")
        for name, rows in inputs.items():
            _expect(
                isinstance(rows, list) and 0 < len(rows) <= _MOST_TENSORS,
                f"tensors of input {name}",
            )
        self.inputs = {
            name: [self._tensor(name, row) for row in rows]
            for name, rows in inputs.items()
        }
        outputs = _listed(outputs, "outputs")
        self.outputs = [self._output(operator, row) for row in outputs]
        single = [
            index for index, output in enumerate(operator.outputs) if not output.is_list
        ]
        numbers = [row["output"] for row in self.outputs]
        _expect(
            all(numbers.count(index) == 1 for index in single),
            "outputs of the interface",
        )
        returned = _listed(returned, "returned values")
        _expect(len(returned) == len(self.outputs), "returned values")
        self.returned = [
            None if row is None else self._tensor("returned", row) for row in returned
        ]
        _expect(
            all(row is None or row["data"] is not None for row in self.returned),
            "returned values",
        )
        _expect(
            all(
                row["data"] is not None for rows in self.inputs.values() for row in rows
            ),
            "inputs",
        )
        # Only the code of an imported task decides about attributes.
        self.attributes = _named(
            description.get("attributes") if case.row else dict(case.attributes),
            "attributes",
        )

    def _output(self, operator: Operator, row: object) -> dict[str, Any]:
        tensor = self._tensor("output", row)
        assert isinstance(row, dict)
        index, room = row.get("output"), row.get("room")
        _expect(is_size(index), "the number of an output")
        assert isinstance(index, int)
        _expect(index < len(operator.outputs), "the number of an output")
        name = operator.outputs[index].name
        if room is not None:
            good = isinstance(room, dict) and isinstance(room.get("zero"), bool)
            _expect(
                good and self._fits(room.get("shape"), tensor["dtype"]),
                f"the room of output {name}",
            )
            room = {"shape": room["shape"], "zero": room["zero"]}
        _expect(not tensor["strides"], f"the layout of output {name}")
        return {**tensor, "output": index, "name": name, "room": room}

    def _tensor(self, name: str, row: object) -> dict[str, Any]:
        """A tensor with its `data`, None when it is only described."""
        _expect(isinstance(row, dict), f"{name}")
        assert isinstance(row, dict)
        shape, strides, number = (row.get(key) for key in ("shape", "strides", "blob"))
        dtype = str(row.get("dtype"))
        _expect(dtype in DTYPES, f"the dtype of {name}")
        _expect(self._fits(shape, dtype), f"the shape of {name}")
        assert isinstance(shape, list)
        good = isinstance(strides, list) and all(map(is_size, strides))
        _expect(
            good and len(strides or ()) in (0, len(shape)), f"the strides of {name}"
        )
        data = None
        if number is not None:
            _expect(
                is_size(number) and number < len(self._blobs), f"the data of {name}"
            )
            data = self._blobs[number]
            width = DTYPES[dtype].itemsize
            needed = math.prod(shape)
            if strides and needed:
                needed = 1 + sum(
                    (size - 1) * step for size, step in zip(shape, strides, strict=True)
                )
            exact = len(data) == needed * width
            _expect(
                exact
                or (strides and len(data) % width == 0 and len(data) >= needed * width),
                f"the size of {name}",
            )
        return {"dtype": dtype, "shape": shape, "strides": strides, "data": data}

    def _fits(self, shape: object, dtype: str) -> bool:
        """Whether it is a shape, of a tensor that is not too large."""
        if (
            not isinstance(shape, list)
            or len(shape) > _MOST_RANK
            or not all(map(is_size, shape))
        ):
            return False
        return math.prod(shape) * DTYPES[dtype].itemsize <= self._most_bytes


def _named(value: object, what: str) -> dict[str, Any]:
    """A table whose keys are names."""
    if not isinstance(value, dict) or not all(map(_NAME.fullmatch, value)):
        raise Unreadable(f"{what} cannot be")
    return value


def _listed(value: object, what: str) -> list[Any]:
    """A list of tensors."""
    if not isinstance(value, list) or len(value) > _MOST_TENSORS:
        raise Unreadable(f"{what} cannot be")
    return value


def _expect(condition: object, what: str) -> None:
    if not condition:
        raise Unreadable(f"{what} cannot be")
