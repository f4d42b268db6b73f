"""The cases of a job as its candidate meets them; they are made while it is compiled."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, TypeGuard

from core.operators.spec import TestCase
from remote.judge.faults import EnvironmentFault, UnavailableCase
from remote.judge.inputs.case_data import CaseData
from remote.judge.inputs.drawn_inputs import (
    drawn_case,
    further_cases,
    text_key,
    with_far_values,
)
from remote.judge.job import Operator
from remote.judge.operator_code.references import References

if TYPE_CHECKING:
    import torch

_MOSTLY = 0.8  # of results: special inputs leave some without a number
_AS_LARGE = 2.0  # among more results the largest one is larger
_FEW_RESULTS = 128 << 10  # bytes: each is made of many inputs
# Share of texts with which a large case has far numbers too: always would be half an evaluation more.
_FAR_IN_TEXTS = 1 / 3


@dataclass(frozen=True)
class DrawnCase:
    """A case with inputs that the text of the candidate draws.

    Attributes:
        case: The case.
        again: What it is tried with once more, outputs then holding anything before: some numbers further from
            zero where it can have them, else the same; None where once is enough.
    """

    case: TestCase
    again: TestCase | None = None


@contextmanager
def drawn_beside(
    operator: Operator,
    cases: Sequence[TestCase],
    candidate: Mapping[str, str],
    references: References,
) -> Iterator[Callable[[], list[DrawnCase]]]:
    """While the candidate is built, make the cases with inputs that its text draws; gives what waits for them.

    Hidden ones stay as they are: nobody is told anything of them, and their data is there already. What is asked
    for within raises `EnvironmentFault` where the operator's code fails, `Cancelled` with the job.
    """
    drawing = _Drawing(operator, cases, text_key(candidate), references)
    stop = Event()
    with ThreadPoolExecutor(1) as beside:
        drawn_cases = beside.submit(drawing.all_cases, stop)
        try:
            yield drawn_cases.result
        finally:
            stop.set()


class _Drawing:
    """Draws the cases of one operator for one candidate, see `drawn_beside`."""

    def __init__(
        self,
        operator: Operator,
        cases: Sequence[TestCase],
        key: str,
        references: References,
    ) -> None:
        self._operator, self._cases = operator, cases
        self._key, self._references = key, references
        timed = [case for case in cases if _is_ranked(case)]
        smallest: dict[tuple[str, ...], TestCase] = {}
        for case in sorted(timed, key=lambda case: case.elements):
            dtypes = tuple(entry.dtype for entry in case.inputs.values())
            smallest.setdefault(dtypes, case)
        self._smallest = list(smallest.values())
        seeds = [case.seed for case in timed]
        draw = random.Random(f"{key}/{seeds}")
        larger = [case for case in timed if not case.big and case not in self._smallest]
        self._one_more: list[TestCase] = []
        if larger and draw.random() < _FAR_IN_TEXTS:
            weights = [case.elements for case in larger]
            self._one_more = draw.choices(larger, weights)

    def all_cases(self, stop: Event) -> list[DrawnCase]:
        """All cases, or those until `stop` is set."""
        cases = []
        for case in self._cases:
            if stop.is_set():
                break
            first = self._first(case)
            cases.append(DrawnCase(first, self._again(case, first)))
        return cases

    def _first(self, case: TestCase) -> TestCase:
        """What a case becomes; a timed one has numbers of a part of its ranges where the operator's code takes them.

        A task may draw shapes and attributes as well; where they are others, its case stays as it was given.
        """
        changed = drawn_case(case, self._key)
        if case.hidden or (case.row and not self._is_called_alike(case, changed)):
            return case
        if case.timed:
            elsewhere = drawn_case(case, self._key, is_elsewhere=True)
            if self._is_made(elsewhere):
                return elsewhere
        self._references.case(self._operator, changed)
        return changed

    def _again(self, case: TestCase, first: TestCase) -> TestCase | None:
        """What a case is tried with again, see `DrawnCase`.

        It is where results are few, the smallest with its dtypes, and in a third of texts one more, a large
        one rather. Numbers far from zero stay out of the run that is timed: a kernel may take longer for them.
        """
        if not _is_ranked(case):
            return None
        is_smallest = case in self._smallest
        data = self._references.case(self._operator, first)
        if not (is_smallest or case in self._one_more or has_few_results(data)):
            return None
        for other in further_cases(case, self._cases):
            if self._are_alike(case, other):
                far = drawn_case(case, self._key, other, is_elsewhere=True)
                if self._is_made(far):
                    return far
        return first if is_smallest else None

    def _is_made(self, case: TestCase) -> bool:
        """Make a case; whether the operator's code takes its inputs."""
        try:
            self._references.case(self._operator, case)
        except EnvironmentFault:
            return False
        return True

    def _is_called_alike(self, case: TestCase, changed: TestCase) -> bool:
        """Whether a kernel is called with two cases of a task in the same way."""
        try:
            after = self._references.case(self._operator, changed)
            before = self._references.case(self._operator, case)
        except UnavailableCase:
            return False
        is_alike = after.attributes == before.attributes
        return is_alike and _shapes(after) == _shapes(before)

    def _are_alike(self, case: TestCase, other: TestCase) -> bool:
        """Whether the results are, when a case has all numbers of another one."""
        far = with_far_values(case, other)

        def are_alike() -> bool:
            lent = self._references.case(self._operator, other)
            if not self._is_made(far):
                return False
            return _is_like(self._references.case(self._operator, far), lent)

        return self._references.noted(self._operator, other, far, are_alike)


def _is_ranked(case: TestCase) -> bool:
    """Whether the time of a case counts."""
    return case.timed and not case.hidden and case.elements > 0


def has_few_results(data: CaseData) -> bool:
    """Whether results are so few that a part of the inputs may be missing in them within the tolerance."""
    return sum(file.bytes for file in data.outputs) <= _FEW_RESULTS


def _shapes(data: CaseData) -> list[tuple[str, str, tuple[int, ...]]]:
    files = (*data.input_files, *data.outputs)
    return [(file.name, file.dtype, file.shape) for file in files]


def _is_like(far: CaseData, lent: CaseData) -> bool:
    """Whether results are as finite and as large as those that the tolerances of their operator were set for."""
    count, largest = _finite_results(far)
    _, usual = _finite_results(lent)
    results = sum(each.numel() for each in far.expected if _has_fractions(each))
    return count >= _MOSTLY * results and largest <= _AS_LARGE * usual


def _finite_results(data: CaseData) -> tuple[int, float]:
    """How many finite numbers that need not be whole are expected, and how large they get."""
    results = [
        each[each.isfinite()].abs() for each in data.expected if _has_fractions(each)
    ]
    count = sum(each.numel() for each in results)
    return count, max(
        (float(each.max()) for each in results if each.numel()), default=0.0
    )


def _has_fractions(result: torch.Tensor | None) -> TypeGuard[torch.Tensor]:
    return result is not None and bool(result.is_floating_point())
