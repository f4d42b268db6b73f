"""What `reference.py` of an operator gives for a case, in the dtypes of the interface.

It is plain torch. It gets floating inputs upcast to float64 (or float32 when it sets
`REFERENCE_PRECISION = "float32"`), others as they are, and each floating result is rounded once to the dtype
of the interface. Output dtypes come from `OUTPUT_DTYPES(dtypes)` or `OUTPUT_DTYPES(dtypes, attributes)` when
the file defines it, else from the column of the interface that fits the inputs, else from the first input
(floating results) or the result itself.

`reference` returns its output, or a tuple of several. A list output is a list of tensors. A tensor on torch's
device `meta` stands for an output that the call leaves unwritten: it has a shape, but nothing to compare.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import torch

from core.operators.spec import TestCase, dtype_columns
from remote.judge.faults import EnvironmentFault
from remote.judge.inputs.fills import DTYPES, GivenTensor, round_once
from remote.judge.job import Operator
from remote.judge.json_records import plain


def dtype_name(dtype: torch.dtype) -> str:
    """Name of a torch dtype as the interface writes it."""
    return str(dtype).removeprefix("torch.")


def output_dtypes(
    operator: Operator,
    input_dtypes: Mapping[str, str],
    module: ModuleType | None,
    attributes: Mapping[str, Any] | None = None,
) -> tuple[str, ...]:
    """Dtype of every output for input dtypes `given`; an empty entry means that the result decides."""
    decide = getattr(module, "OUTPUT_DTYPES", None)
    if decide is not None:
        wants_attributes = len(inspect.signature(decide).parameters) > 1
        return tuple(
            decide(dict(input_dtypes), dict(attributes or {}))
            if wants_attributes
            else decide(dict(input_dtypes))
        )
    declared = {
        ("given", t.name): t.dtypes or ("",)
        for t in operator.inputs
        if t.name in input_dtypes
    }
    declared |= {("output", t.name): t.dtypes or ("",) for t in operator.outputs}
    fitting = [
        tuple(dtype for (kind, _), dtype in column.items() if kind == "output")
        for column in dtype_columns(declared)
        if all(
            dtype in ("", input_dtypes[name])
            for (kind, name), dtype in column.items()
            if kind == "given"
        )
    ]
    undecided = tuple("" for _ in operator.outputs)
    # An imported task may have columns that differ in their outputs only, such as those of a cast.
    ambiguous = bool(operator.files) and len(set(fitting)) > 1
    return undecided if ambiguous else next(iter(fitting), undecided)


def compute(
    operator: Operator,
    case: TestCase,
    inputs: Mapping[str, Sequence[GivenTensor]],
    module: ModuleType,
    precision: torch.dtype | None = None,
) -> tuple[tuple[int, torch.Tensor], ...]:
    """Expected outputs of a case, each with the number of its output and rounded once to its dtype.

    Args:
        operator: The operator.
        case: One of its cases.
        inputs: The inputs of the case.
        module: Its reference file.
        precision: Dtype floating inputs are raised to; default: what the reference file asks for, float64.

    Raises:
        EnvironmentFault: The reference raises or returns something else than its interface.
    """
    if precision is None:
        single = getattr(module, "REFERENCE_PRECISION", "") == "float32"
        precision = torch.float32 if single else torch.float64
    lists = {tensor.name for tensor in operator.inputs if tensor.is_list}
    arguments: dict[str, Any] = {}
    for name, tensors in inputs.items():
        raised = [
            t.logical.to(precision)
            if t.logical.is_floating_point()
            else t.logical.clone()
            for t in tensors
        ]
        arguments[name] = raised if name in lists else raised[0]
    arguments.update(plain(case.attributes))  # lists, as in the operator's file
    function: Callable[..., Any] = module.reference
    try:
        with torch.no_grad():
            returned = function(**arguments)
    except Exception as error:
        raise EnvironmentFault(
            f"The reference of {operator.name} fails on case {case.name}: {error!r}."
        ) from error
    results = spread_results(operator, returned)
    return round_results(operator, inputs, case.attributes, results, module)


def spread_results(
    operator: Operator, returned: Any
) -> tuple[tuple[int, torch.Tensor], ...]:
    """What `reference` returned as (number of the output, tensor), lists of tensors spread out.

    Raises:
        EnvironmentFault: It is not what the interface says.
    """
    outputs = operator.outputs
    alone = len(outputs) == 1 and (
        outputs[0].is_list or not isinstance(returned, list | tuple)
    )
    results = (
        (returned,)
        if alone
        else tuple(returned)
        if isinstance(returned, list | tuple)
        else (returned,)
    )
    if len(results) != len(outputs):
        raise EnvironmentFault(
            f"The reference of {operator.name} returns {len(results)} results where the interface has "
            f"{len(outputs)} outputs."
        )
    spread: list[tuple[int, torch.Tensor]] = []
    for index, (output, result) in enumerate(zip(outputs, results, strict=True)):
        tensors = (
            list(result)
            if output.is_list and isinstance(result, list | tuple)
            else [result]
        )
        if not all(isinstance(tensor, torch.Tensor) for tensor in tensors):
            raise EnvironmentFault(
                f"The reference of {operator.name} returns no tensors for output {output.name}."
            )
        spread.extend((index, tensor) for tensor in tensors)
    return tuple(spread)


def round_results(
    operator: Operator,
    inputs: Mapping[str, Sequence[GivenTensor]],
    attributes: Mapping[str, Any],
    results: Sequence[tuple[int, torch.Tensor]],
    module: ModuleType,
) -> tuple[tuple[int, torch.Tensor], ...]:
    """Results (by number of the output) in the dtypes of the outputs, each rounded once."""
    input_dtypes = {
        name: dtype_name(tensors[0].logical.dtype) for name, tensors in inputs.items()
    }
    # The code of an imported task works in the dtypes it means; its results keep theirs.
    first = "" if operator.files else next(iter(input_dtypes.values()), "float32")
    dtypes = output_dtypes(operator, input_dtypes, module, attributes)
    return tuple(
        (index, _rounded(result, dtypes[index], first)) for index, result in results
    )


def _rounded(result: torch.Tensor, dtype: str, first: str) -> torch.Tensor:
    if not dtype:
        follows = (
            bool(first)
            and result.is_floating_point()
            and DTYPES[first].is_floating_point
        )
        dtype = first if follows else dtype_name(result.dtype)
        dtype = {"float64": "float32", "complex128": "complex64"}.get(dtype, dtype)
    target = DTYPES[dtype]
    if result.is_meta:
        return result.to(target)
    rounded = (
        round_once(result, target) if result.is_floating_point() else result.to(target)
    )
    return rounded.contiguous()
