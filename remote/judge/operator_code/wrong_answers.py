"""Wrong answers that a task has to reject, before a kernel gives them.

Answers that cost a kernel nothing: zeros, NaN, a constant, a copied input, nothing.

A case may rightly accept one of them (the absolute value of positive numbers is a copy of the input), so a
task fails only where none of its cases rejects an answer. An output is also tried alone, the others being
right: where no case rejects any of it, that output is not looked at.

Answers that are nearly right, for every output and float type: one that passed through a type of fewer digits, and
one whose smaller half has the wrong signs. A tolerance that takes them is wider than the values it is there for.
The rules of others, `paper` and `benchmark` and what an imported task brings, are theirs: there it is only reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from core.operators.spec import TestCase
from remote.judge.comparing.acceptance import OwnCheck, is_accepted
from remote.judge.faults import EnvironmentFault
from remote.judge.inputs.fills import GivenTensor
from remote.judge.inputs.reference_module import as_called, logical
from remote.judge.inputs.reference_results import dtype_name
from remote.judge.inputs.tensor_memory import same_bits
from remote.judge.job import Operator

ZEROS, NAN, CONSTANT, UNWRITTEN = "zeros", "NaN", "a constant", "an unwritten output"

# float16 keeps 10 bits of a mantissa where float32 has 23, bfloat16 7 where float16 has 10.
_DROPPED_BITS = {
    torch.float32: (torch.int32, 13, "float16"),
    torch.float16: (torch.int16, 3, "bfloat16"),
}
_RULES_OF_OTHERS = ("paper", "benchmark")
_MOST_NAMED = 8
_LEAST_VALUES = 2

Answer = tuple[torch.Tensor, ...]
Inputs = Mapping[str, Sequence[GivenTensor]]
Results = Sequence[tuple[int, torch.Tensor]]


class WrongAnswers:
    """What the cases of one operator say to such answers.

    Args:
        operator: The operator as the judge gets it.
        excused: Whether its result is always the same, so that zeros or a constant may be right.
        coarse: Whether fewer digits may be right: the operator itself goes through a type of few.
    """

    def __init__(
        self, operator: Operator, *, excused: bool, coarse: bool = False
    ) -> None:
        self._operator = operator
        self._coarse = coarse
        self._near: dict[str, list[str]] = {}  # nearly right -> cases that accept it
        self._near_rejected: set[str] = set()
        self._is_of_others = operator.rule in _RULES_OF_OTHERS or any(
            case.row for case in operator.cases
        )
        self._excused = (ZEROS, CONSTANT) if excused else ()
        self._accepted: dict[str, list[str]] = {}  # answer -> cases that accept it
        self._rejected: set[str] = set()
        # Output -> whether some case rejects a wrong one.
        self._alone: dict[str, bool] = {}
        self.problems: list[str] = []

    def try_on(
        self,
        case: TestCase,
        own_check: OwnCheck,
        inputs: Inputs,
        results: Results,
        returned: Results,
        rooms: Sequence[Mapping[str, Any] | None],
    ) -> None:
        """Give the answers to one case.

        Args:
            case: The case.
            own_check: Its own checker.
            inputs: Its inputs.
            results: Its outputs in the dtypes of the interface, each with its number.
            returned: The outputs as a checker is given them.
            rooms: For each output of the interface what the caller makes for it, where that is known.
        """
        question = _Asked(self._operator, case, own_check, inputs, results, returned)
        if not question.compared():
            return  # an empty result, or one that is left open
        try:
            for kind, answer in self._answers(question, inputs, results, rooms):
                if answer is not None and question.accepts(answer):
                    self._accepted.setdefault(kind, []).append(case.name)
                else:
                    self._rejected.add(kind)
            self._one_by_one(question, results)
            self._nearly_right(question, results)
        except EnvironmentFault as fault:
            self.problems.append(str(fault))

    def _answers(
        self,
        question: _Asked,
        inputs: Inputs,
        results: Results,
        rooms: Sequence[Mapping[str, Any] | None],
    ) -> Iterator[tuple[str, Answer | None]]:
        """Every answer with its name; None is one that the judge rejects without looking at its values."""
        right = tuple(tensor for _, tensor in results)
        yield ZEROS, tuple(_filled(tensor, 0) for tensor in right)
        if any(
            not t.is_meta and (t.is_floating_point() or t.is_complex()) for t in right
        ):
            yield NAN, tuple(_filled(tensor, torch.nan) for tensor in right)
        constants = (
            tuple(_filled(tensor, 1) for tensor in right),
            tuple(map(_middle, right)),
        )
        accepted = [answer for answer in constants if question.accepts(answer)]
        yield CONSTANT, accepted[0] if accepted else None
        for name, tensors in inputs.items():
            values = [tensor.logical for tensor in tensors if tensor.logical.numel()]
            pairs = (
                [(values[at % len(values)], tensor) for at, tensor in enumerate(right)]
                if values
                else []
            )
            if any(
                not tensor.is_meta and tensor.dtype == source.dtype
                for source, tensor in pairs
            ):
                copied = any(
                    _is_copied(*pair) for pair in pairs
                )  # else it leaves elements unwritten
                yield (
                    f"a copy of {name}",
                    tuple(_like(*pair) for pair in pairs) if copied else None,
                )
        yield UNWRITTEN, self._as_it_started(inputs, results, rooms)

    def _as_it_started(
        self,
        inputs: Inputs,
        results: Results,
        rooms: Sequence[Mapping[str, Any] | None],
    ) -> Answer | None:
        """Outputs as the kernel gets them; None when one holds a pattern that must not be left."""
        started, positions = [], dict.fromkeys(inputs, 0)
        for index, tensor in results:
            name, room = self._operator.outputs[index].name, rooms[index]
            if name in inputs:  # changed in place
                started.append(_like(inputs[name][positions[name]].logical, tensor))
                positions[name] += 1
            elif tensor.is_meta or not tensor.numel() or (room and room["zero"]):
                started.append(_filled(tensor, 0))
            else:
                return None
        return tuple(started)

    def _one_by_one(self, question: _Asked, results: Results) -> None:
        """Make one output wrong, the others right, until some case has rejected that."""
        right = tuple(tensor for _, tensor in results)
        for at, (index, tensor) in enumerate(results):
            name = self._operator.outputs[index].name
            if tensor.is_meta or not tensor.numel() or self._alone.get(name):
                continue
            for wrong in (_filled(tensor, 0), _filled(tensor, 1), _middle(tensor)):
                rejected = not question.accepts((*right[:at], wrong, *right[at + 1 :]))
                self._alone[name] = self._alone.get(name, False) or rejected

    def _nearly_right(self, question: _Asked, results: Results) -> None:
        """Make each output of floats nearly right, the others right, until some case has rejected that."""
        right = tuple(tensor for _, tensor in results)
        for at, (index, tensor) in enumerate(results):
            name = self._operator.outputs[index].name
            for what, answer in _near_answers(tensor, coarse=self._coarse):
                kind = f"{name} ({dtype_name(tensor.dtype)}) {what}"
                if kind in self._near_rejected or same_bits(answer, tensor):
                    continue
                if question.accepts((*right[:at], answer, *right[at + 1 :])):
                    self._near.setdefault(kind, []).append(question.case_name)
                else:
                    self._near_rejected.add(kind)

    def verdicts(self) -> tuple[list[str], list[str]]:
        """What is wrong with the operator, and which cases accept an answer that others reject."""
        problems, weak = list(dict.fromkeys(self.problems)), []
        for kind, cases in self._accepted.items():
            if kind not in self._rejected and kind not in self._excused:
                problems.append(
                    f"{kind} passes: every case accepts it ({_some(cases)})"
                )
            else:
                weak.append(f"{kind} passes case {_some(cases)}")
        for name, rejected in self._alone.items():
            if not rejected and not self._excused:
                problems.append(
                    f"output {name} may be anything: every case accepts it wrong"
                )
        for kind, cases in self._near.items():
            if kind not in self._near_rejected:
                text = f"{kind} passes: every case accepts it ({_some(cases)})"
                (weak if self._is_of_others else problems).append(text)
        return problems, weak


class _Asked:
    """One case, ready to be asked whether it accepts an answer."""

    def __init__(
        self,
        operator: Operator,
        case: TestCase,
        own_check: OwnCheck,
        inputs: Inputs,
        results: Results,
        returned: Results,
    ) -> None:
        self._rule = str(operator.rule)
        self._case, self._own_check = case, own_check
        self._inputs = as_called(operator, logical(inputs))
        self._expected = tuple(
            None if tensor.is_meta else tensor for _, tensor in results
        )
        own = tuple(tensor for _, tensor in returned)
        self._returned = tuple(
            None if expected is None else other
            for expected, other in zip(self._expected, own, strict=True)
        )

    @property
    def case_name(self) -> str:
        """Name of the case."""
        return self._case.name

    def compared(self) -> bool:
        """Whether there is an element that is looked at."""
        return any(tensor is not None and tensor.numel() for tensor in self._expected)

    def accepts(self, answer: Answer) -> bool:
        """Whether the judge would call it right."""
        return is_accepted(
            self._own_check,
            self._case,
            self._rule,
            self._inputs,
            self._expected,
            self._returned,
            answer,
        )


def _filled(tensor: torch.Tensor, value: float) -> torch.Tensor:
    """A tensor like `tensor` that holds `value` throughout; a right one where its dtype has no such value."""
    if tensor.is_meta:
        return torch.zeros(tensor.shape, dtype=tensor.dtype)
    if value != value and not (tensor.is_floating_point() or tensor.is_complex()):
        return tensor
    return torch.full_like(tensor, value)


def _middle(tensor: torch.Tensor) -> torch.Tensor:
    """The constant that is nearest to all elements; of a single one that would be the answer itself."""
    if tensor.is_meta or tensor.numel() < _LEAST_VALUES or tensor.is_complex():
        return _filled(tensor, 1)
    values = tensor.double()
    values = values[values.isfinite()]
    if not values.numel():
        return _filled(tensor, 1)
    middle = float((values.min() + values.max()) / 2)
    return _filled(tensor, middle if tensor.is_floating_point() else int(middle))


def _near_answers(
    tensor: torch.Tensor, *, coarse: bool
) -> Iterator[tuple[str, torch.Tensor]]:
    """What a careless kernel makes of a right tensor of floats, each with its name."""
    if tensor.is_meta or not tensor.is_floating_point() or not tensor.numel():
        return
    dropped = _DROPPED_BITS.get(tensor.dtype)
    if dropped and not coarse:
        integer, bits, fewer = dropped
        yield f"with the digits of {fewer}", _rounded(tensor, integer, bits)
    yield "with the signs of its smaller half flipped", _small_flipped(tensor)


def _rounded(tensor: torch.Tensor, integer: torch.dtype, bits: int) -> torch.Tensor:
    """Finite values without the last `bits` of their mantissa, rounded to the nearest; the exponent stays."""
    patterns = tensor.contiguous().view(integer)
    half, mask = 1 << (bits - 1), -(1 << bits)
    rounded = ((patterns + half) & mask).view(tensor.dtype)
    return torch.where(tensor.isfinite() & rounded.isfinite(), rounded, tensor)


def _small_flipped(tensor: torch.Tensor) -> torch.Tensor:
    """With the other sign where the magnitude is at most the median of those that are not zero."""
    magnitude = tensor.abs().float()
    present = magnitude[magnitude.isfinite() & (magnitude > 0)]
    if not present.numel():
        return tensor
    return torch.where(magnitude <= present.median(), -tensor, tensor)


def _is_copied(values: torch.Tensor, tensor: torch.Tensor) -> bool:
    """Whether `tensor` could be a copy of the values, or of the first of them."""
    return (
        not tensor.is_meta
        and tensor.dtype == values.dtype
        and 0 < tensor.numel() <= values.numel()
    )


def _like(values: torch.Tensor, tensor: torch.Tensor) -> torch.Tensor:
    """The first values in the shape of `tensor`; `tensor` itself, which is right, where that is no copy."""
    if not _is_copied(values, tensor):
        return _filled(tensor, 0) if tensor.is_meta else tensor
    return values.flatten()[: tensor.numel()].reshape(tensor.shape).contiguous()


def _some(cases: Sequence[str]) -> str:
    named = ", ".join(cases[:_MOST_NAMED])
    return (
        named
        if len(cases) <= _MOST_NAMED
        else f"{named} and {len(cases) - _MOST_NAMED} more"
    )
