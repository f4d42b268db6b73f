"""Which classes of inputs the cases of an operator exercise, and which of them only hidden cases do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from core.operators.spec import TestCase
from remote.judge.inputs.fills import GivenTensor
from remote.judge.inputs.reference_results import dtype_name
from remote.judge.job import Operator

EMPTY = "an empty tensor"
STRIDED = "an input that is not contiguous"
RANK_0 = "an input of rank 0"
SPECIAL = "infinities or NaN"


class Exercised:
    """Collects what the tensors of every case are; classes are kept apart by hidden and visible cases."""

    def __init__(self, operator: Operator) -> None:
        self._optional = [tensor.name for tensor in operator.inputs if tensor.optional]
        self._visible: set[str] = set()
        self._hidden: dict[str, str] = {}
        self.first: dict[str, str] = {}  # one of the four -> the first case that has it
        self.problems: list[str] = []

    def note(
        self,
        case: TestCase,
        inputs: Mapping[str, Sequence[GivenTensor]],
        results: Sequence[tuple[int, torch.Tensor]],
    ) -> None:
        """Remember the classes of one case; one that its text does not announce is a problem.

        Args:
            case: The case.
            inputs: Its inputs as made.
            results: Number and value of every output.
        """
        tensors_by_name = {
            name: [tensor.logical for tensor in tensors]
            for name, tensors in inputs.items()
        }
        flat = [tensor for tensors in tensors_by_name.values() for tensor in tensors]
        special = any(
            t.is_floating_point() and not bool(torch.isfinite(t).all()) for t in flat
        )
        classes = {
            f"{name} in {dtype_name(tensors[0].dtype)}"
            for name, tensors in tensors_by_name.items()
        }
        classes |= {
            f"{'' if name in inputs else 'no '}{name}" for name in self._optional
        }
        for words, holds in (
            (
                EMPTY,
                any(
                    not tensor.numel()
                    for tensor in (*flat, *(result for _, result in results))
                ),
            ),
            (
                STRIDED,
                any(
                    tensor.strides for tensors in inputs.values() for tensor in tensors
                ),
            ),
            (RANK_0, any(not tensor.dim() for tensor in flat)),
            (SPECIAL, special),
        ):
            if holds:
                classes.add(words)
                self.first.setdefault(words, case.name)
        if case.hidden:
            for entry in classes:
                self._hidden.setdefault(entry, case.name)
        else:
            self._visible |= classes
        announced = _announced(case)
        for words, key in ((SPECIAL, "special_values"), (EMPTY, "zero_size")):
            if words in classes and words not in announced:
                what = f"has {words}, which neither its inputs nor `holds` say: add holds = [{key!r}]"
                self.problems.append(f"case {case.name} {what}")

    def unseen(self) -> list[str]:
        """What only hidden cases have: the generator would be judged by what nothing shows."""
        return [
            f"only hidden cases have {words} (such as {case}): add a visible one"
            for words, case in sorted(self._hidden.items())
            if words not in self._visible
        ]


def _announced(case: TestCase) -> set[str]:
    """Which of SPECIAL and EMPTY the text of a case says."""
    listed = {
        words
        for words, key in ((SPECIAL, "special_values"), (EMPTY, "zero_size"))
        if key in case.holds
    }
    for spec in case.inputs.values():
        fill = spec.fill
        if fill == "special" or "inf" in fill or "nan" in fill:
            listed.add(SPECIAL)
        if any(0 in shape for shape in spec.all_shapes):
            listed.add(EMPTY)
    return listed
