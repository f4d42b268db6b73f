"""Cases of the operators: inputs, results of reference.py, and when a result is right, as the judge has it."""

import copy
import functools
import json
from dataclasses import replace
from pathlib import Path

import torch

from core.operators.spec import TestCase
from remote.judge.comparing.acceptance import is_accepted
from remote.judge.inputs.fills import GivenTensor
from remote.judge.inputs.reference_module import (
    as_called,
    case_inputs,
    logical,
    module_in,
    own_check,
    run_row,
)
from remote.judge.inputs.reference_results import compute, round_results
from remote.judge.job import Operator
from remote.judge.json_records import read
from remote.judge.operator_code import stand_in

_FOLDER = Path(__file__).parent / "operators"
OPERATORS = [
    read(Operator, json.loads(path.read_text()))
    for path in sorted(_FOLDER.glob("*/operator.json"))
]


def on_npu():
    """Whether there is an NPU, so that kernels run and not their references."""
    return hasattr(torch, "npu") and torch.npu.is_available()


def device():
    """Where kernels run here."""
    return "npu" if on_npu() else "cpu"


@functools.cache
def module_of(name):
    """The reference file of an operator, imported."""
    operator = next(each for each in OPERATORS if each.name == name)
    if operator.files:
        stand_in.install()
    return module_in(_FOLDER / name / "reference.py")


class MadeCase:
    """A case with its data.

    Attributes:
        operator: Whose it is.
        inputs: Name -> tensor, or list of tensors, as reference.py gets them.
        attributes: Name -> value.
        results: (number of the output, tensor) as reference.py gives them, in the dtypes of the outputs.
    """

    def __init__(self, operator, case):
        self.operator, self._case = operator, case
        module = module_of(operator.name)
        self._returned = None
        if case.row:
            row = run_row(operator, case, module)
            made, self.attributes = row.inputs, row.attributes
            self.results = round_results(
                operator, made, row.attributes, row.results, module
            )
            self._returned = [tensor for _, tensor in row.results]
        else:
            made, self.attributes = case_inputs(operator, case, module), case.attributes
            self.results = compute(operator, case, made, module)
        self.inputs = as_called(operator, logical(made))

    def arguments(self, where):
        """Positional and keyword arguments of the operator, on copies of the inputs."""
        positional = [
            _moved(self.inputs.get(tensor.name), where)
            for tensor in self.operator.inputs
        ]
        keywords = {
            each.name: self.attributes.get(each.name, each.default)
            for each in self.operator.attributes
        }
        return positional, {name: _plain(value) for name, value in keywords.items()}

    def outputs(self, positional, returned):
        """Tensors in the order of `results`: what a call returned and what it changed in place."""
        names = [tensor.name for tensor in self.operator.inputs]
        made = iter(returned if isinstance(returned, (tuple, list)) else (returned,))
        flat = []
        for output in self.operator.outputs:
            if output.name in names:
                value = positional[names.index(output.name)]
            else:
                value = returned if output.is_list else next(made)
            flat += value if isinstance(value, (tuple, list)) else [value]
        return flat

    def is_right(self, outputs):
        """Whether the deciding rule of the operator accepts the outputs."""
        expected = [tensor for _, tensor in self.results]
        check = functools.partial(own_check, module_of(self.operator.name))
        return is_accepted(
            check,
            self._case,
            self.operator.rule,
            self.inputs,
            expected,
            self._returned or expected,
            [tensor.cpu().contiguous() for tensor in outputs],
        )


def every_case():
    """(operator, case) of all cases; those marked big only on an NPU."""
    return [
        (operator, case)
        for operator in OPERATORS
        for case in operator.cases
        if on_npu() or not case.big
    ]


def reference_kernel(operator):
    """reference.py with the signature of the operator."""
    names = [tensor.name for tensor in operator.inputs]

    def kernel(*positional, **keywords):
        values = dict(zip(names, positional, strict=False))
        # PyTorch hands over only what differs from a default.
        defaults = {each.name: each.default for each in operator.attributes}
        attributes = {**defaults, **keywords}
        rest = positional[len(names) :]
        for each, value in zip(operator.attributes, rest, strict=False):
            attributes[each.name] = value
        inputs = {
            name: [GivenTensor(name, t, t, ()) for t in _listed(value)]
            for name, value in values.items()
            if value is not None
        }
        case = replace(TestCase("call", {}), attributes=attributes)
        results = compute(operator, case, inputs, module_of(operator.name))
        fresh = []
        for at, output in enumerate(operator.outputs):
            tensors = [tensor for number, tensor in results if number == at]
            if output.name in names:
                for target, tensor in zip(
                    _listed(values[output.name]), tensors, strict=True
                ):
                    target.copy_(tensor)
            else:
                fresh.append(tensors if output.is_list else tensors[0])
        return None if not fresh else fresh[0] if len(fresh) == 1 else tuple(fresh)

    return kernel


def _listed(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _moved(value, where):
    """A copy on a device with the same strides."""
    if value is None:
        return None
    if isinstance(value, list):
        return [_moved(tensor, where) for tensor in value]
    moved = torch.empty_strided(
        value.shape, value.stride(), dtype=value.dtype, device=where
    )
    return moved.copy_(value) if where != "meta" else moved


def _plain(value):
    return list(value) if isinstance(value, tuple) else copy.copy(value)
