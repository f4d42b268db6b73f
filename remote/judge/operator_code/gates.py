"""Quality gates of an operator: is it a task worth setting, and does its reference answer every case?

The process of the operator's own code asks them, see `child`; `gate_process` starts it.

A reference file may excuse itself, and is held to it: `UNREAD = ("y",)` names inputs whose values do not
matter, `CONSTANT = True` says that the result is always the same, `COARSE = True` that its floats come from a type
of few digits, so that a result with fewer may be right.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import torch

from core.operators.spec import TestCase, dtype_columns
from remote.judge.comparing.error_statistics import compare
from remote.judge.faults import EnvironmentFault, UnavailableCase
from remote.judge.inputs.fills import DTYPES, GivenTensor
from remote.judge.inputs.reference_module import (
    as_called,
    case_inputs,
    logical,
    own_check,
    run_row,
)
from remote.judge.inputs.reference_results import compute, dtype_name, round_results
from remote.judge.job import Operator
from remote.judge.operator_code.exercised import EMPTY, STRIDED, Exercised
from remote.judge.operator_code.wrong_answers import WrongAnswers
from remote.judge.result import OperatorCheck

Inputs = dict[str, list[GivenTensor]]
Results = tuple[tuple[int, torch.Tensor], ...]

_KINDS = {"zero_size": EMPTY, "non_contiguous": STRIDED}
_MOST_ELEMENTS = 300_000  # influence is looked for in small cases,
_LEAST_CASES = 4  # and in this many whatever their size
_MOST_ANSWERED = 2_000_000  # elements of a case that is given wrong answers after some smaller ones were
_PERTURBATIONS: tuple[Callable[[torch.Tensor], torch.Tensor], ...] = (
    lambda t: t.flatten().flip(0).reshape(t.shape),
    lambda t: ~t if t.dtype == torch.bool else t + 1,
    lambda t: (
        t * 1.5 + _ramp(t)
        if t.is_floating_point()
        else t - 1
        if t.dtype != torch.bool
        else t
    ),
)


def check_operator(operator: Operator, load: Callable[[], ModuleType]) -> OperatorCheck:
    """All gates on one operator, in the process that may run its code.

    Args:
        operator: The operator with its cases.
        load: Imports its reference file.

    """
    checker = _Checker(operator)
    try:
        checker.run(load())
    except EnvironmentFault as fault:
        checker.problems.append(str(fault))
    left_out = len(operator.cases) - len(checker.cases)
    problems, weak = tuple(checker.problems), tuple(checker.weak)
    return OperatorCheck(
        operator.name, checker.done, left_out, checker.seconds, problems, weak
    )


class _Checker:
    """The gates on one operator; `problems` collects what is wrong, in words."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.cases = [case for case in operator.cases if not case.big]
        self.problems: list[str] = []
        self.weak: list[str] = []
        self.done = 0
        self.seconds = 0.0
        self._constant_since: dict[int, torch.Tensor | None] = {}
        self._values: dict[int, int] = {}
        self._used: dict[tuple[str, str], set[str]] = {}
        self._exercised = Exercised(operator)

    def run(self, module: ModuleType) -> None:
        """Check every case, then what only all cases together tell."""
        excused = bool(getattr(module, "CONSTANT", False))
        coarse = bool(getattr(module, "COARSE", False))
        answers = WrongAnswers(self.operator, excused=excused, coarse=coarse)
        for case in self.cases:
            try:
                self._case(case, module, answers)
            except UnavailableCase as fault:
                self._blame(case, fault)
        if self.operator.cases and not self.cases:
            self.problems.append(
                f"none of the {len(self.operator.cases)} cases was checked: all are big"
            )
        self._constant_outputs(excused)
        accepted, self.weak = answers.verdicts()
        self.problems += accepted
        # What an imported case looks like is known only once the code of its task ran.
        if not any(case.row for case in self.operator.cases):
            self._unused_dtypes()
            self._missing_kinds()
            self._influence(self.cases, module)
            self._hidden_classes(self.cases)
            self.problems += [*self._exercised.problems, *self._exercised.unseen()]

    def _case(self, case: TestCase, module: ModuleType, answers: WrongAnswers) -> None:
        rooms: Sequence[Mapping[str, Any] | None] = [None] * len(self.operator.outputs)
        if case.row:
            row = run_row(self.operator, case, module)
            inputs, rooms = row.inputs, row.rooms
            results = round_results(
                self.operator, inputs, row.attributes, row.results, module
            )
            returned = row.results
        else:
            inputs = case_inputs(self.operator, case, module)
            started = time.perf_counter()
            results = compute(self.operator, case, inputs, module)
            self.seconds += time.perf_counter() - started
            returned = results
            self._attainable(case, inputs, results, module)
        self.done += 1
        self._interface(case, inputs, results)
        self._layouts(case, inputs)
        self._exercised.note(case, inputs, results)
        for index, tensor in results:
            self._note_values(index, tensor)
        self._unwritten(case, results)
        # What tells right from wrong is not its size: a bulk case is there for its latency.
        size = case.elements + sum(tensor.numel() for _, tensor in results)
        if self.done <= _LEAST_CASES or size <= _MOST_ANSWERED:
            answers.try_on(
                case, partial(own_check, module), inputs, results, returned, rooms
            )

    def _blame(self, case: TestCase, what: object) -> None:
        self.problems.append(f"case {case.name}: {what}")

    def _attainable(
        self, case: TestCase, inputs: Inputs, results: Results, module: ModuleType
    ) -> None:
        """The rule accepts the reference itself, and the same formula in float32: what a kernel can do."""
        outputs, rule = self.operator.outputs, str(self.operator.rule)
        if rule == "checker":
            plain = as_called(self.operator, logical(inputs))
            expected = [None if tensor.is_meta else tensor for _, tensor in results]
            objection = own_check(
                module, case, plain, expected, [tensor for _, tensor in results]
            )
            if objection:
                self._blame(case, f"the checker rejects the reference: {objection}")
            return
        single = compute(self.operator, case, inputs, module, torch.float32)
        for (index, wanted), (_, got) in zip(results, single, strict=True):
            if wanted.is_meta:
                continue
            comparison = compare(outputs[index].name, wanted, got, rule)
            if not comparison.passed:
                errors = comparison.errors
                self._blame(
                    case,
                    f"float32 arithmetic fails the rule {comparison.deciding} on "
                    f"{errors.output} (max abs {errors.max_abs:.2g}, max rel {errors.max_rel:.2g}, "
                    f"max ulp {errors.max_ulp:.3g})",
                )

    def _interface(self, case: TestCase, inputs: Inputs, results: Results) -> None:
        """The dtypes of a call are a column of the interface; what is written in place keeps its shape."""
        outputs = self.operator.outputs
        kinds = {
            ("input", name): dtype_name(tensors[0].logical.dtype)
            for name, tensors in inputs.items()
        }
        kinds |= {
            ("output", outputs[index].name): dtype_name(tensor.dtype)
            for index, tensor in results
        }
        for key, kind in kinds.items():
            self._used.setdefault(key, set()).add(kind)
        declared = {("input", t.name): t.dtypes for t in self.operator.inputs}
        declared |= {("output", t.name): t.dtypes for t in outputs}
        # The interface of an imported task may leave a type open.
        typed = {key: declared[key] for key in kinds if declared[key]}
        if typed and {key: kinds[key] for key in typed} not in dtype_columns(typed):
            signature = ", ".join(
                f"{name}: {kind}" for (_, name), kind in kinds.items()
            )
            self._blame(
                case, f"({signature}) is not a dtype signature of the interface"
            )
        for index, output in enumerate(outputs):
            own = [tensor.shape for number, tensor in results if number == index]
            input_shapes = [
                tensor.logical.shape for tensor in inputs.get(output.name, [])
            ]
            if input_shapes and own != input_shapes:
                self._blame(case, f"{output.name} changes its shape in place")

    def _layouts(self, case: TestCase, inputs: Inputs) -> None:
        """`make_inputs` must not undo what a case asks for."""
        for name, spec in case.inputs.items():
            layout = spec.layout
            if layout != "contiguous" and not any(
                tensor.strides for tensor in inputs[name]
            ):
                self._blame(
                    case,
                    f"`make_inputs` loses the {layout} layout of {name}: change it in place",
                )

    def _missing_kinds(self) -> None:
        for kind, words in _KINDS.items():
            reason = self.operator.lacks.get(kind)
            case = self._exercised.first.get(words)
            if not reason and not case:
                self.problems.append(
                    f"no case has {words}, and `lacks.{kind}` gives no reason"
                )
            if reason and case:
                self.problems.append(
                    f"case {case} has {words} although `lacks.{kind}` says why none has"
                )

    def _unwritten(self, case: TestCase, results: Results) -> None:
        """Memory that was never written holds NaN, so a result that is NaN throughout proves nothing."""
        float_results = [
            tensor for _, tensor in results if not tensor.is_meta and tensor.numel()
        ]
        if float_results and all(
            tensor.is_floating_point() and bool(tensor.isnan().all())
            for tensor in float_results
        ):
            what = "the result is NaN throughout, as if nothing were written"
            self._blame(case, what)

    def _note_values(self, index: int, tensor: torch.Tensor) -> None:
        """Remember whether output `index` ever differs from its first value."""
        if tensor.is_meta or not tensor.numel():
            return
        flat = tensor.flatten()
        self._values[index] = self._values.get(index, 0) + flat.numel()
        first = self._constant_since.setdefault(index, flat[0])
        if first is not None and not bool(
            ((flat == first) | (flat.isnan() & first.isnan())).all()
        ):
            self._constant_since[index] = None

    def _constant_outputs(self, excused: bool) -> None:
        for index, first in self._constant_since.items():
            name = self.operator.outputs[index].name
            # A single value, the loss of a task with one case, is no constant.
            if (first is not None) and self._values[index] > 1 and not excused:
                self.problems.append(
                    f"output {name} is {float(first):g} everywhere, in every case"
                )
            if first is None and excused:
                self.problems.append(
                    f"output {name} varies although the reference file says CONSTANT"
                )

    def _unused_dtypes(self) -> None:
        for kind, tensors in (
            ("input", self.operator.inputs),
            ("output", self.operator.outputs),
        ):
            for tensor in tensors:
                for dtype in dict.fromkeys(tensor.dtypes):
                    if dtype not in self._used.get((kind, tensor.name), set()):
                        where = f"{kind} {tensor.name}"
                        self.problems.append(
                            f"{where} is {dtype} in no case that is small enough to run"
                        )

    def _influence(self, cases: Sequence[TestCase], module: ModuleType) -> None:
        excused = set(getattr(module, "UNREAD", ()))
        pending = {tensor.name for tensor in self.operator.inputs}
        for place, case in enumerate(sorted(cases, key=lambda case: case.elements)):
            if not pending or (
                case.elements > _MOST_ELEMENTS and place >= _LEAST_CASES
            ):
                break
            inputs = case_inputs(self.operator, case, module)
            results = compute(self.operator, case, inputs, module)
            for name in sorted(pending & set(inputs)):
                if self._matters(case, inputs, results, name, module):
                    pending.discard(name)
        for name in sorted(pending - excused):
            self.problems.append(
                f"input {name} has no influence on the result in any small case"
            )
        for name in sorted(excused - pending):
            self.problems.append(
                f"input {name} matters although the reference file says UNREAD"
            )

    def _matters(
        self,
        case: TestCase,
        inputs: Inputs,
        results: Results,
        name: str,
        module: ModuleType,
    ) -> bool:
        for perturb in _PERTURBATIONS:
            tensors = [perturb(given.logical).contiguous() for given in inputs[name]]
            changed = [GivenTensor(name, tensor, tensor, ()) for tensor in tensors]
            try:
                after = compute(self.operator, case, {**inputs, name: changed}, module)
            except EnvironmentFault:
                continue  # this change makes the input illegal (an index out of range, an unsorted list)
            if _differ(results, after):
                return True
        return False

    def _hidden_classes(self, cases: Sequence[TestCase]) -> None:
        """A hidden case of the class of a visible one would tell nothing new."""
        visible = {_shape_class(case) for case in cases if not case.hidden}
        for case in cases:
            if case.hidden and _shape_class(case) in visible:
                self.problems.append(
                    f"hidden case {case.name} has the shape class of a visible one"
                )


def _ramp(tensor: torch.Tensor) -> torch.Tensor:
    steps = torch.linspace(0.1, 0.9, tensor.numel(), dtype=torch.float64)
    return steps.reshape(tensor.shape).to(tensor.dtype)


def _differ(before: Results, after: Results) -> bool:
    if len(before) != len(after):
        return True
    for (_, old), (_, new) in zip(before, after, strict=True):
        if old.shape != new.shape:
            return True
        if not old.is_meta and not bool(
            ((old == new) | (old.isnan() & new.isnan())).all()
        ):
            return True
    return False


def _shape_class(case: TestCase) -> tuple[Any, ...]:
    """What makes two cases alike, to order of magnitude.

    The attributes, and of every input: each dimension (of each tensor of a list), whole 32-byte blocks or a
    tail, layout, special values or not; of inputs whose values are listed also these.
    """
    described = []
    for name, spec in sorted(case.inputs.items()):
        shapes, fill = spec.all_shapes, spec.fill
        row_bytes = (shapes[0][-1] if shapes[0] else 1) * DTYPES[spec.dtype].itemsize
        listed = (
            fill.removeprefix("values(").removesuffix(")").split(",")
            if "values(" in fill
            else []
        )
        described.append(
            (
                name,
                tuple(tuple(size.bit_length() for size in shape) for shape in shapes),
                row_bytes % 32 == 0,
                spec.layout,
                fill == "special",
                tuple(int(float(number)).bit_length() for number in listed),
            )
        )
    return (*described, *sorted(map(repr, case.attributes.items())))
