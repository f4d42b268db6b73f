"""The judge: one job (operator, cases, candidate) in, one result out. Both are plain JSON data.

The job is a `job.TwinJob`. The result has the fields of `core.evaluation.records.Evaluation` apart from who
ran it. The candidate's native code runs in child processes only.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import torch

from core.evaluation.records import Evaluation
from core.operators.spec import TensorSpec, TestCase
from remote.judge.building.builder import Builder, Signature
from remote.judge.building.processors import processors
from remote.judge.building.twin_runtime import Twin
from remote.judge.cases.outcome import CaseOutcome, skipped
from remote.judge.cases.schedule import CaseRuns
from remote.judge.cases.verdict import build_result, only_built
from remote.judge.faults import (
    Cancelled,
    DeviceFault,
    EnvironmentFault,
    UnavailableCase,
    fault_of,
)
from remote.judge.inputs.memory_needs import reference_bytes, refusal
from remote.judge.job import Job, Operator, TwinJob, read_job
from remote.judge.json_records import Unfit, plain
from remote.judge.machine.artifacts import Artifact
from remote.judge.machine.compiler import second_compiler
from remote.judge.operator_code.references import References
from remote.judge.processes.children import ChildGroup, sweep
from remote.judge.processes.launcher import Launcher, launcher
from remote.judge.progress import Progress
from remote.judge.result import Answer, Device, void_answer
from remote.judge.running.launch import RunSettings
from remote.judge.running.trace import ATTACHMENT, packed
from remote.judge.sandbox import Sandbox, require
from remote.judge.sandbox.objects import read_object

MOST_CACHED_BYTES = 2 << 30
_TIDIED = "tidied"  # file whose time is that of the last tidying
_TIDY_S = 600.0  # a kept judge is made once and serves for hours


class AnyJudge(Protocol):
    """What every judge can do, whatever its toolchain."""

    def evaluate(self, job: Any, children: ChildGroup, progress: Progress) -> Answer:
        """Judge one job of its kind."""
        ...

    def warm_up(self) -> None:
        """Do now what serves all jobs that follow."""
        ...


class Judge:
    """Judges candidates with the CPU twin. Keeps compiler, headers and references between jobs."""

    def __init__(self, cache_dir: Path, twin_dir: Path, workers: int) -> None:
        # Paths stand in compiler flags, and those in the names of builds: one folder, one name.
        cache_dir = cache_dir.resolve()
        # One thread per comparison: several run side by side, and sums must not depend on the machine.
        torch.set_num_threads(1)
        self._cache_dir = cache_dir
        self._workers = workers
        sandbox = Sandbox.within(cache_dir)
        self._store = store = sandbox.store
        self._references = References(cache_dir / "references", sandbox)
        self._tidy()
        self._twin = Twin(twin_dir, store, sandbox.compiler, sandbox)

        @functools.cache
        def second() -> Builder | None:
            other = second_compiler(sandbox.compiler)
            return (
                Builder(Twin(twin_dir, store, other, sandbox), store, workers)
                if other
                else None
            )

        self._builder = Builder(self._twin, store, workers, second)

    def _tidy(self) -> None:
        """Forget what was unused for longest, and what killed judges left."""
        self._cache_dir.mkdir(parents=True, exist_ok=True)
        (self._cache_dir / _TIDIED).touch()
        sweep(self._cache_dir / "runs")
        self._store.collect(MOST_CACHED_BYTES)
        self._references.collect(MOST_CACHED_BYTES)

    @property
    def _is_tidy(self) -> bool:
        """Whether somebody tidied up a short while ago."""
        with contextlib.suppress(OSError):
            return time.time() - (self._cache_dir / _TIDIED).stat().st_mtime < _TIDY_S
        return False

    @property
    def _scratch(self) -> Path:
        """Folder for the files of runs; a judge may be forked, and each process has its own."""
        return self._cache_dir / "runs" / str(os.getpid())

    def warm_up(self) -> None:
        """Verify now what every job needs of the twin, so that forks of this process need not."""
        snapshot = self._twin.snapshot()
        if self._twin.is_prepared(snapshot):
            for path in self._twin.objects(snapshot):
                read_object(path)

    def evaluate(
        self, job: TwinJob, children: ChildGroup, progress: Progress
    ) -> Answer:
        """Judge one job.

        Raises:
            EnvironmentFault: The verdict is void.
            Cancelled: The job was cancelled.
        """
        isolation = self._twin.sandbox.isolation
        require(isolation, allowed=job.allow_unconfined)
        # The sandbox of the runs sets itself up while the kernel is compiled.
        with (
            self._references.during(children),
            launcher(self._twin.sandbox, children) as launches,
        ):
            evaluation = self._evaluate(job, children, launches, progress)
        if not self._is_tidy:
            self._tidy()
        if not job.build_only:
            facts = {"sandbox": isolation.label, "clock": "tamper-evident"}
            evaluation = replace(evaluation, facts={**facts, **evaluation.facts})
        return Answer(evaluation)

    def _evaluate(
        self, job: TwinJob, children: ChildGroup, launches: Launcher, progress: Progress
    ) -> Evaluation:
        operator, started = job.operator, time.monotonic()
        cases, left_out = self._described(job)
        wanted = [case for case in cases if case.name not in left_out]
        signatures = {case.name: self._signature(operator, case) for case in wanted}
        snapshot = self._twin.snapshot()
        self._warm_up(snapshot, children, progress)
        names = ", ".join(dict.fromkeys(s.label for s in signatures.values()))
        progress(f"compiling {names}")
        build = self._builder.build(
            operator,
            job.candidate,
            list(dict.fromkeys(signatures.values())),
            children,
            snapshot,
        )
        outcomes: list[CaseOutcome] = []
        if job.build_only:
            return replace(
                only_built(operator, build.report), seconds=time.monotonic() - started
            )
        if build.report.ok:
            if build.report.cached:
                progress("already compiled")
            else:
                progress(f"compiled in {build.report.seconds:.1f} s")
            runs = CaseRuns(
                job,
                signatures,
                build,
                self._references,
                self._settings(job, snapshot),
                children,
                launches,
                progress,
                self._workers,
            )
            ran = {
                case.name: one
                for case, one in zip(wanted, runs.of(wanted), strict=True)
            }
            outcomes = [
                ran.get(case.name) or skipped(case, left_out[case.name])
                for case in cases
            ]
        traces = [outcome.trace for outcome in outcomes if outcome.trace]
        return replace(
            build_result(operator, cases, build.report, outcomes),
            facts=_orders(outcomes),
            attachments={ATTACHMENT: packed(traces[0])} if traces else {},
            seconds=time.monotonic() - started,
        )

    def _described(self, job: TwinJob) -> tuple[list[TestCase], dict[str, str]]:
        """All cases with their inputs known, and why some of them (by name) are not run.

        Raises:
            EnvironmentFault: None is left.
        """
        cases: list[TestCase] = []
        left_out: dict[str, str] = {}
        # An operator that only has large cases is judged by them.
        run_big = job.run_big or all(case.big for case in job.cases)
        for case in job.cases:
            cases.append(case)
            if case.big and not run_big:
                left_out[case.name] = "too large for the CPU twin"
                continue
            too_much = refusal(reference_bytes(case, len(job.operator.outputs)))
            if case.big and too_much:
                left_out[case.name] = too_much
                continue
            try:
                cases[-1] = self._references.described(job.operator, case)
            except UnavailableCase as fault:
                left_out[case.name] = str(fault)
        if len(left_out) == len(cases):
            name, why = next(iter(left_out.items()))
            raise EnvironmentFault(
                f"The CPU twin can run no test case of the operator ({name}: {why})."
            )
        return cases, left_out

    def _warm_up(
        self, snapshot: Artifact, children: ChildGroup, progress: Progress
    ) -> None:
        if not self._twin.is_prepared(snapshot):
            self._twin.prepare(
                children,
                self._workers,
                share=lambda made: progress(
                    f"preparing the CPU twin: {made} % (once per version and compiler)"
                ),
            )

    def _settings(self, job: TwinJob, snapshot: Artifact) -> RunSettings:
        modelled = processors(snapshot.path("processors.toml")).modelled
        return RunSettings(
            soc=job.soc,
            time_limit_s=job.time_limit_s,
            memory_mb=job.memory_mb,
            strict=job.strict,
            scratch=self._scratch,
            processor=modelled[job.soc],
            fast=job.fast,
            trace=job.trace,
        )

    def _signature(self, operator: Operator, case: TestCase) -> Signature:
        given = {name: str(spec.dtype) for name, spec in case.inputs.items()}
        outputs = self._references.output_dtypes(operator, case)
        first = next(iter(given.values()), "float32")
        inputs = [
            (tensor.name, given.get(tensor.name, _absent_dtype(tensor, first)))
            for tensor in operator.inputs
        ]
        names = [tensor.name for tensor in operator.outputs]
        return Signature(tuple(inputs), tuple(zip(names, outputs, strict=True)))


def _orders(outcomes: Sequence[CaseOutcome]) -> dict[str, str]:
    """How many runs were made in other orders of cores and pipes, and what that cost; empty when none was."""
    runs, seconds = (
        sum(one.orders for one in outcomes),
        sum(one.orders_s for one in outcomes),
    )
    return (
        {"orders": f"{runs} runs in other orders of cores and pipes, {seconds:.1f} s"}
        if runs
        else {}
    )


def _absent_dtype(tensor: TensorSpec, first: str) -> str:
    """Dtype an absent optional input is compiled with: that of the first input where allowed."""
    dtypes = [str(dtype) for dtype in tensor.dtypes]
    return first if first in dtypes or not dtypes else dtypes[0]


def guarded(
    judge: Callable[[Job], AnyJudge],
    payload: Mapping[str, Any],
    children: ChildGroup,
    progress: Progress,
) -> dict[str, Any]:
    """Judge a job as it came; every fault that is not the candidate's becomes a void result.

    Returns:
        The result as plain values.

    Raises:
        Cancelled: The job was cancelled.
    """
    try:
        job = read_job(payload)
    except Unfit as fault:
        answer = void_answer(
            "", f"The job is not of the form this judge reads: {fault}."
        )
    else:
        answer = _guarded(judge, job, children, progress)
    values: dict[str, Any] = plain(answer)
    return values


def _guarded(
    judge: Callable[[Job], AnyJudge], job: Job, children: ChildGroup, progress: Progress
) -> Answer:
    name = job.operator.name
    try:
        return judge(job).evaluate(job, children, progress)
    except Cancelled:
        raise
    except DeviceFault as fault:
        used = Device(fault.unit, str(fault))
        return replace(void_answer(name, str(fault)), devices=(used,))
    except EnvironmentFault as fault:
        return void_answer(name, str(fault))
    except OSError as error:
        return void_answer(name, str(fault_of(error)))
    except Exception as error:  # noqa: BLE001 - a bug of the judge must never look like a fault of the candidate
        cause = f"The judge itself failed: {error!r}."
        return void_answer(name, cause, notes=(traceback.format_exc(),))
