"""What a reference file may define beside `reference`: amended inputs, opaque cases, a checker of its own.

    make_inputs(inputs, case, generator) -> inputs        structure that no `fill` can express (lists, pages)
    check(expected, actual, inputs, attributes) -> str    the rule `checker`; "" or why the result is wrong
    evaluate(row, seed) -> (inputs, attributes, outputs)  a case of an imported task, whose parameters only
                                                          the task's own code understands; a fourth entry may
                                                          say for each output what the kernel gets for it:
                                                          None or {"shape": [...], "zero": starts as zeros}
    check_row(expected, actual, row) -> str               its checker

`evaluate` replaces `make_inputs` and `reference` for cases with a `row`.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from core.operators.spec import DType, InputSpec, TestCase, dtype_columns
from remote.judge.faults import EnvironmentFault, UnavailableCase
from remote.judge.inputs.case_data import TensorFile
from remote.judge.inputs.file_memory import Memory
from remote.judge.inputs.fills import DTYPES, GivenTensor, case_generator, make_inputs
from remote.judge.inputs.tensor_memory import tensor_from
from remote.judge.job import Operator
from remote.judge.json_records import plain as plain_values

Inputs = dict[str, list[GivenTensor]]


@dataclass(frozen=True)
class Row:
    """A case of an imported task: its inputs, attributes and results.

    Attributes:
        inputs: Name -> tensors, several for a list.
        attributes: Name -> value.
        results: Number of the output, and its tensor; several for a list.
        rooms: For each output what the task's binding makes for it, None where that is not known.
    """

    inputs: Inputs
    attributes: dict[str, Any]
    results: tuple[tuple[int, torch.Tensor], ...]
    rooms: tuple[Mapping[str, Any] | None, ...]


def module_in(path: Path) -> ModuleType:
    """A reference file, imported.

    Raises:
        ImportError: It is no file of Python.
        Exception: Anything it raises.
    """
    spec = importlib.util.spec_from_file_location("sage_reference", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def case_inputs(operator: Operator, case: TestCase, module: ModuleType) -> Inputs:
    """Inputs of a case as described, amended by the reference file when it defines `make_inputs`.

    Raises:
        EnvironmentFault: The reference file's `make_inputs` fails.
    """
    inputs = make_inputs(operator.name, case)
    amend = getattr(module, "make_inputs", None)
    if not callable(amend):
        return inputs
    plain = as_called(operator, logical(inputs))
    generator = case_generator(operator.name, case, "make_inputs")
    try:
        amended = amend(plain, plain_values(case), generator)
    except Exception as error:
        raise EnvironmentFault(
            f"`make_inputs` of {operator.name} fails on case {case.name}: {error!r}."
        ) from error
    return {name: _input_tensors(name, amended[name], inputs[name]) for name in inputs}


def _input_tensors(
    name: str, value: torch.Tensor | Sequence[torch.Tensor], before: list[GivenTensor]
) -> list[GivenTensor]:
    """Tensors the reference file handed back; one it left in place keeps its layout in memory."""
    values = [value] if isinstance(value, torch.Tensor) else list(value)
    unchanged = {id(tensor.logical): tensor for tensor in before}
    tensors = []
    for tensor in values:
        contiguous = tensor.contiguous()
        tensors.append(
            unchanged.get(id(tensor)) or GivenTensor(name, contiguous, contiguous, ())
        )
    return tensors


def run_row(operator: Operator, case: TestCase, module: ModuleType) -> Row:
    """A case of an imported task.

    Raises:
        UnavailableCase: That code fails, or uses a type the twin does not know.
        EnvironmentFault: It returns something else than the interface says.
    """
    try:
        inputs, attributes, outputs, *rooms = module.evaluate(dict(case.row), case.seed)
        tensors = {
            name: _input_tensors(name, value, [])
            for name, value in inputs.items()
            if value is not None
        }
    except Exception as error:
        raise UnavailableCase(f"the task's own code fails here: {error}") from error
    results = tuple(
        (index, tensor)
        for index, output in enumerate(outputs)
        for tensor in ([output] if isinstance(output, torch.Tensor) else output)
    )
    for name, tensor in [
        *((n, t.logical) for n, ts in tensors.items() for t in ts),
        *(("output", tensor) for _, tensor in results),
    ]:
        if tensor.dtype not in DTYPES.values() and tensor.dtype not in (
            torch.float64,
            torch.complex128,
        ):
            kind = str(tensor.dtype).removeprefix("torch.")
            raise UnavailableCase(
                f"{name} has the type {kind}, which the CPU twin lacks"
            )
    if len(outputs) != len(operator.outputs):
        raise EnvironmentFault(
            f"The code of {operator.name} returns {len(outputs)} results where the interface has "
            f"{len(operator.outputs)} outputs."
        )
    room = rooms[0] if rooms else [None] * len(outputs)
    return Row(_in_interface(operator, tensors), dict(attributes), results, tuple(room))


def _in_interface(operator: Operator, inputs: Inputs) -> Inputs:
    """Inputs in the dtypes of a signature of the interface, as what lies between task and kernel gives them.

    It turns a double scalar into float, a bool mask into uint8, weights into the type of x. The signature is
    the one that most inputs fit, the first of them among these; without one the inputs stay as they are.
    """
    declared = {
        t.name: t.dtypes for t in operator.inputs if t.name in inputs and t.dtypes
    }
    first = next(iter(declared), "")
    most, best = 0, dict[str, DType]()
    for dtypes in dtype_columns(declared):
        fitting = [
            name
            for name, dtype in dtypes.items()
            if inputs[name][0].logical.dtype == DTYPES[dtype]
        ]
        if first in fitting and len(fitting) > most:
            most, best = len(fitting), dtypes
    cast = dict(inputs)
    for name, dtype in best.items():
        if inputs[name][0].logical.dtype != DTYPES[dtype]:
            tensors = [tensor.logical.to(DTYPES[dtype]) for tensor in inputs[name]]
            cast[name] = [GivenTensor(name, tensor, tensor, ()) for tensor in tensors]
    return cast


def described(
    case: TestCase,
    inputs: Mapping[str, Sequence[TensorFile]],
    attributes: Mapping[str, Any],
) -> TestCase:
    """A case with a row, completed by what its inputs and attributes turned out to be.

    Args:
        case: The case as it came with the job.
        inputs: Name -> tensors with `dtype` (text) and `shape`.
        attributes: Name -> value.
    """
    rows = {
        name: InputSpec(
            tensors[0].shape,
            DType(tensors[0].dtype),
            "task",
            count=len(tensors),
            shapes=tuple(tensor.shape for tensor in tensors)
            if len(tensors) > 1
            else (),
        )
        for name, tensors in inputs.items()
    }
    return replace(case, attributes=attributes, inputs=rows)


def logical(
    inputs: Mapping[str, Sequence[GivenTensor]],
) -> dict[str, list[torch.Tensor]]:
    """The tensors of every input as the definition sees them, whatever their layout."""
    return {
        name: [tensor.logical for tensor in tensors] for name, tensors in inputs.items()
    }


def as_called(
    operator: Operator, inputs: Mapping[str, Sequence[torch.Tensor]]
) -> dict[str, Any]:
    """Inputs as reference files get them: a list where the interface has one, also of a single tensor."""
    lists = {tensor.name for tensor in operator.inputs if tensor.is_list}
    return {
        name: list(tensors) if name in lists else tensors[0]
        for name, tensors in inputs.items()
        if tensors or name in lists
    }


def own_check(
    module: ModuleType,
    case: TestCase,
    inputs: Mapping[str, Any],
    expected: Sequence[torch.Tensor | None],
    actual: Sequence[torch.Tensor],
) -> str:
    """Ask the operator's own checker; "" when the result passes, else why it does not.

    `expected` is None for an output the call leaves unwritten.

    Raises:
        EnvironmentFault: There is no checker, or it fails.
    """
    name = "check_row" if case.row else "check"
    check = getattr(module, name, None)
    if not callable(check):
        raise EnvironmentFault(
            f"The operator asks for its own checker, but its reference file defines no function `{name}`."
        )
    try:
        if case.row:
            return str(check(tuple(expected), tuple(actual), dict(case.row)))
        return str(
            check(
                tuple(expected),
                tuple(actual),
                dict(inputs),
                plain_values(case.attributes),
            )
        )
    except Exception as error:
        raise EnvironmentFault(
            f"The operator's own checker fails on case {case.name}: {error!r}."
        ) from error


def strided_view(
    storage: torch.Tensor, shape: Sequence[int], strides: Sequence[int]
) -> torch.Tensor:
    """The tensor of `shape` that lies in `storage` with `strides` (in elements; empty means contiguous)."""
    if not strides:
        return storage.reshape(tuple(shape))
    return (
        storage.flatten().as_strided(tuple(shape), tuple(strides))
        if math.prod(shape)
        else storage.new_empty(tuple(shape))
    )


def tensor_of(file: TensorFile, data: bytes | Memory) -> torch.Tensor:
    """The tensor whose memory a file of a case holds, in its shape and with its strides."""
    storage = tensor_from(
        data, file.dtype, (file.bytes // DTYPES[file.dtype].itemsize,)
    )
    return strided_view(storage, file.shape, file.strides)
