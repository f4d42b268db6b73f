"""All cases of a candidate, several at a time: each by itself, then a few of them in other orders."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from core.operators.spec import TestCase
from remote.judge.building.builder import BuildOutcome, Signature
from remote.judge.cases.drawn import DrawnCase, has_few_results
from remote.judge.cases.one_case import run_case
from remote.judge.cases.other_orders import cases_to_reorder, try_other_orders
from remote.judge.cases.other_processes import case_to_regroup, try_other_processes
from remote.judge.cases.outcome import CaseOutcome, CaseTask, failed, skipped
from remote.judge.cases.unread import try_where_unread
from remote.judge.faults import UnavailableCase, UnexplainedEnd
from remote.judge.inputs.case_data import CaseData
from remote.judge.inputs.memory_needs import refusal, run_bytes
from remote.judge.job import TwinJob
from remote.judge.operator_code.references import References
from remote.judge.processes.children import ChildGroup
from remote.judge.processes.launcher import Launcher
from remote.judge.progress import Progress
from remote.judge.running.launch import RunSettings


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
    _again: Mapping[str, TestCase] = field(default_factory=dict)
    _endless: list[str] = field(default_factory=list)
    _finished_cases: list[str] = field(default_factory=list)
    _unexplained: str = ""  # the case whose run ended as nothing explains

    def __post_init__(self) -> None:
        self._check = self.references.code(self.job.operator).check

    def run_all(self, drawn_cases: Sequence[DrawnCase]) -> dict[str, CaseOutcome]:
        """What each case gave, by its name. After a kernel that does not end, the rest is skipped.

        The first run that ended as machine and candidate can both have caused is repeated when no other
        runs, and counts as it ends then; a second one is the candidate's fault.

        Raises:
            EnvironmentFault: The machine failed, not the candidate.
            Cancelled: The job was cancelled.
        """
        cases = [each.case for each in drawn_cases]
        self._again = {each.case.name: each.again for each in drawn_cases if each.again}
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
        again = self._again.get(case.name)
        return CaseTask(
            self.job.operator,
            case,
            self._data(case),
            self._check,
            self.build.programs[self.signatures[case.name]],
            self.launcher,
            self.settings,
            None if again is None else self._data(again),
        )

    def _data(self, case: TestCase) -> CaseData:
        return self.references.case(self.job.operator, case)

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
            if (
                case.timed
                and outcome.row.status == "pass"
                and has_few_results(task.data)
            ):
                try_where_unread(outcome, task, self.job.cases, self.references)
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

    @property
    def _builds(self) -> str:
        """What was built, which no candidate knows before: it draws cases."""
        return "/".join(
            sorted(each.kernel.parent.name for each in self.build.programs.values())
        )


def _may_count(outcome: CaseOutcome) -> bool:
    return outcome.row.status in ("pass", "skipped")
