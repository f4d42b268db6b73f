"""All cases of a candidate, several at a time: each by itself, then a few of them in other orders."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

from core.operators.spec import TestCase
from remote.judge.building.builder import BuildOutcome, Signature
from remote.judge.cases.one_case import run_case
from remote.judge.cases.other_orders import cases_to_reorder, try_other_orders
from remote.judge.cases.other_processes import case_to_regroup, try_other_processes
from remote.judge.cases.outcome import CaseOutcome, CaseTask, failed, skipped
from remote.judge.cases.unread import try_where_unread
from remote.judge.faults import EnvironmentFault, UnavailableCase, UnexplainedEnd
from remote.judge.inputs.case_data import CaseData
from remote.judge.inputs.fresh_inputs import fresh_case, with_far_values
from remote.judge.inputs.memory_needs import refusal, run_bytes
from remote.judge.job import TwinJob
from remote.judge.operator_code.references import References
from remote.judge.processes.children import ChildGroup
from remote.judge.processes.launcher import Launcher
from remote.judge.progress import Progress
from remote.judge.running.launch import RunSettings

if TYPE_CHECKING:
    import torch

# Bytes of results that a kernel could return as constants: all rounds print less.
MOST_CARRIED = 128 << 10
_MOST_FAR = 2  # other cases whose numbers are tried
_MOSTLY = 0.8  # of results: special inputs leave some without a number
# Share of builds in which a large case has them too: always would be half an evaluation more.
_FAR_IN_BUILDS = 1 / 3
_AS_LARGE = 2.0  # among more results the largest one is larger


@dataclass
class CaseRuns:
    """The runs of a candidate that was built.

    Attributes:
        job: What is judged.
        signatures: Name of a case that runs -> dtypes its kernel was compiled for.
        build: The programs.
        references: Inputs and expected outputs.
        settings: How each run is made.
        children: Where child processes are registered.
        launcher: Starts the programs.
        progress: Takes a line after each case.
        workers: Cases at a time.
    """

    job: TwinJob
    signatures: Mapping[str, Signature]
    build: BuildOutcome
    references: References
    settings: RunSettings
    children: ChildGroup
    launcher: Launcher
    progress: Progress
    workers: int
    _cases: Sequence[TestCase] = ()
    _fresh: Mapping[str, CaseData] = field(default_factory=dict)
    _endless: list[str] = field(default_factory=list)
    _finished_cases: list[str] = field(default_factory=list)
    _unexplained: str = ""  # the case whose run ended as nothing explains

    def __post_init__(self) -> None:
        self._check = self.references.code(self.job.operator).check

    def run_all(self, cases: Sequence[TestCase]) -> dict[str, CaseOutcome]:
        """What each case gave, by its name. After a kernel that does not end, the rest is skipped.

        The first run that ended as machine and candidate can both have caused is repeated when no other
        runs, and counts as it ends then; a second one is the candidate's fault.

        Raises:
            EnvironmentFault: The machine failed, not the candidate.
            Cancelled: The job was cancelled.
        """
        self._cases, self._fresh = cases, self._fresh_data(cases)
        try:
            with ThreadPoolExecutor(self.workers) as pool:
                futures = [pool.submit(self._run, case) for case in cases]
                try:
                    outcomes = [future.result() for future in futures]
                except BaseException:
                    for future in futures:
                        future.cancel()
                    raise
            outcomes = [
                self._run(case) if case.name == self._unexplained else outcome
                for case, outcome in zip(cases, outcomes, strict=True)
            ]
            self._reorder(cases, outcomes)
            if self.job.schedules != 0 and all(_may_count(each) for each in outcomes):
                self._regroup(cases, outcomes)
            return {
                case.name: outcome
                for case, outcome in zip(cases, outcomes, strict=True)
            }
        finally:
            shutil.rmtree(self.settings.scratch, ignore_errors=True)

    def _task(self, case: TestCase) -> CaseTask:
        return CaseTask(
            self.job.operator,
            case,
            self.references.case(self.job.operator, case),
            self._check,
            self.build.programs[self.signatures[case.name]],
            self.launcher,
            self.settings,
            self._fresh.get(case.name),
        )

    def _run(self, case: TestCase) -> CaseOutcome:
        self.children.check()
        if self._endless:
            return skipped(case, "not run: another case exceeded the time limit")
        account = self.settings.account
        if account.is_used_up:
            self._endless.append(case.name)
            limit = f"{account.most_s:.0f} s"
            why = f"the cases before used {account.used_s:.0f} s of CPU time; all together have {limit}"
            return failed(case, "time-limit", why)
        task = self._task(case)
        too_much = refusal(run_bytes(task.data))
        if case.big and too_much:
            return skipped(case, too_much)
        try:
            outcome = run_case(task)
            if case.timed and outcome.row.status == "pass" and _is_small(task.data):
                try_where_unread(outcome, task, self._cases, self.references)
        except UnavailableCase as fault:
            return skipped(case, str(fault))
        except UnexplainedEnd as end:
            self._unexplained = case.name
            return skipped(case, f"not judged: its run {end.how}")
        if outcome.hit_time_limit:
            self._endless.append(case.name)
        self._finished_cases.append(case.name)
        self.progress(
            f"case {len(self._finished_cases)} of {len(self.signatures)}: {case.name} "
            f"{outcome.row.status}"
        )
        return outcome

    def _reorder(
        self, cases: Sequence[TestCase], outcomes: Sequence[CaseOutcome]
    ) -> None:
        """Try cases that passed in other orders of cores and pipes; what fails there fails."""
        orders = cases_to_reorder(cases, outcomes, self.signatures, self.job.schedules)

        def reorder(case: TestCase, outcome: CaseOutcome) -> None:
            self.children.check()
            if count := orders.get(case.name, 0):
                try_other_orders(outcome, self._task(case), count)

        with ThreadPoolExecutor(self.workers) as pool:
            list(pool.map(reorder, cases, outcomes))

    def _regroup(
        self, cases: Sequence[TestCase], outcomes: Sequence[CaseOutcome]
    ) -> None:
        """Run one timed case with its cores in other processes."""
        name = case_to_regroup(cases, outcomes, self._builds)
        for case, outcome in zip(cases, outcomes, strict=True):
            if case.name == name:
                try_other_processes(outcome, self._task(case))

    def _fresh_data(self, cases: Sequence[TestCase]) -> dict[str, CaseData]:
        """Data of the same case with other inputs, by name, for timed cases whose kernel may be wrong with these.

        They are the smallest of every program, which shows one that knows its inputs; each whose outputs are so
        small that a kernel could carry them: what earlier rounds told and printed is enough for that; and where
        others of the operator have numbers further from zero, in a third of builds one more, a large one rather.
        What was built draws it.
        """
        operator = self.job.operator
        timed = [
            case for case in cases if case.timed and not case.hidden and case.elements
        ]
        smallest: dict[Signature, TestCase] = {}
        for case in sorted(timed, key=lambda case: case.elements):
            smallest.setdefault(self.signatures[case.name], case)
        fresh: dict[str, CaseData] = {}
        is_far: dict[Signature, bool] = {}
        for case in timed:
            if case in smallest.values() or _is_small(
                self.references.case(operator, case)
            ):
                unseen = self._far_data(case, cases)
                is_far |= {self.signatures[case.name]: unseen is not None}
                unseen = unseen or self._data_like(case, fresh_case(case))
                if unseen is not None:
                    fresh[case.name] = unseen
        others = [case for case in timed if case.name not in fresh and not case.big]
        weights = [
            case.elements * is_far[self.signatures[case.name]] for case in others
        ]
        draw = random.Random(self._builds)
        if any(weights) and draw.random() < _FAR_IN_BUILDS:
            drawn = draw.choices(others, weights)[0]
            if far := self._far_data(drawn, cases):
                fresh[drawn.name] = far
        return fresh

    def _far_data(self, case: TestCase, cases: Sequence[TestCase]) -> CaseData | None:
        """Inputs for a case, some as far from zero as those of another whose results are alike; None where none are."""
        for values in with_far_values(case, cases)[:_MOST_FAR]:
            lent = self.references.case(self.job.operator, values.lender)
            far = self._data_like(case, values.everywhere)
            if far and _is_like(far, lent):
                return self._data_like(case, values.in_places)
        return None

    def _data_like(self, case: TestCase, changed: TestCase) -> CaseData | None:
        """Data of a case with other inputs; None where the operator's code takes none such: the other cases tell."""
        data = self.references.case(self.job.operator, case)
        try:
            unseen = self.references.case(self.job.operator, changed)
        except EnvironmentFault:
            return None
        return unseen if unseen.interface() == data.interface() else None

    @property
    def _builds(self) -> str:
        """What was built, which no candidate knows before: it draws cases."""
        return "/".join(
            sorted(each.kernel.parent.name for each in self.build.programs.values())
        )


def _may_count(outcome: CaseOutcome) -> bool:
    return outcome.row.status in ("pass", "skipped")


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


def _is_small(data: CaseData) -> bool:
    """Whether a kernel could carry the results, each of which is made of many inputs."""
    return sum(file.bytes for file in data.outputs) <= MOST_CARRIED
