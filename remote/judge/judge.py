"""The judge: one job (operator, cases, candidate) in, one result out. Both are plain JSON data.

Job fields: `format` 1, `id`, `operator` {name, snake, inputs, outputs, attributes, rule, digest,
reference_source}, `cases`, `candidate` (path -> text), `soc`, `cache_dir`, `twin_dir` (headers and sources of
the twin), and optionally `time_limit_s`, `memory_mb`, `strict`, `fast`, `run_big`, `build_only`, `trace` (of
the first case that is run, as an attachment), `schedules` (other orders of cores and pipes every case is run
in), `workers`, `allow_unconfined`.

The result has the fields of `core.evaluation.records.Evaluation` apart from who ran it. The candidate's
native code runs in child processes only.
"""

from __future__ import annotations

import functools
import math
import os
import shutil
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import torch

from .artifacts import ArtifactStore
from .build import Builder, BuildOutcome, Signature
from .build_result import build_result, only_built
from .built import CHANGED, PROGRAM_CHANGED, BuiltFiles
from .case_data import CaseData
from .cases import CaseOutcome, CaseTask, failed, run_case, skipped
from .compiler import find_compiler, second_compiler
from .faults import (
    Cancelled,
    DeviceFault,
    EnvironmentFault,
    UnavailableCase,
    UnexplainedEnd,
    fault_of,
)
from .launch_run import RunSettings
from .launcher import Launcher, launcher
from .machine_memory import reference_bytes, refusal, run_bytes
from .processors import processors
from .progress import Progress
from .reference import References
from .run import ChildGroup, sweep
from .sandbox import Isolation, Sandbox, require
from .trace import ATTACHMENT, packed
from .twin_runtime import Twin

MOST_CACHED_BYTES = 2 << 30
FRESH_SEED = 104729  # added to the seed of a case for inputs its kernel has not seen


class AnyJudge(Protocol):
    """What every judge can do, whatever its toolchain."""

    def evaluate(self, job: Mapping[str, Any], children: ChildGroup, progress: Progress) -> dict[str, Any]:
        """Judge one job."""
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
        sweep(cache_dir / "runs")
        store = ArtifactStore(cache_dir / "builds")
        store.collect(MOST_CACHED_BYTES)
        compiler = find_compiler()
        sandbox = Sandbox(store, compiler, cache_dir / "sandbox")
        self._references = References(cache_dir / "references", sandbox)
        self._references.collect(MOST_CACHED_BYTES)
        self._twin = Twin(twin_dir, store, compiler, sandbox)

        @functools.cache
        def second() -> Builder | None:
            other = second_compiler(compiler)
            return Builder(Twin(twin_dir, store, other, sandbox), store, workers) if other else None

        self._builder = Builder(self._twin, store, workers, second)

    @property
    def _scratch(self) -> Path:
        """Folder for the files of runs; a judge may be forked, and each process has its own."""
        return self._cache_dir / "runs" / str(os.getpid())

    def warm_up(self) -> None:
        """Verify now what every job needs of the twin, so that forks of this process need not."""
        self._twin.is_prepared(self._twin.snapshot())

    def evaluate(self, job: Mapping[str, Any], children: ChildGroup, progress: Progress) -> dict[str, Any]:
        """Judge one job.

        Raises:
            EnvironmentFault: The verdict is void.
            Cancelled: The job was cancelled.
        """
        isolation = self._isolation(job)
        # The sandbox of the runs sets itself up while the kernel is compiled.
        with self._references.during(children), launcher(self._twin.sandbox, children) as launches:
            result = self._evaluate(job, children, launches, progress)
        if not job.get("build_only"):
            result["facts"] = {
                "sandbox": isolation.label,
                "clock": "tamper-evident",
                **result.pop("orders", {}),
            }
        return result

    def _evaluate(
        self, job: Mapping[str, Any], children: ChildGroup, launches: Launcher, progress: Progress
    ) -> dict[str, Any]:
        operator, started = job["operator"], time.monotonic()
        cases, left_out = self._described(job)
        wanted = [case for case in cases if case["name"] not in left_out]
        signatures = {case["name"]: self._signature(operator, case) for case in wanted}
        self._warm_up(children, progress)
        progress("compiling {names}", names=", ".join(dict.fromkeys(s.label for s in signatures.values())))
        build = self._builder.build(
            operator, job["candidate"], list(dict.fromkeys(signatures.values())), children
        )
        outcomes: list[CaseOutcome] = []
        if job.get("build_only"):
            return {**only_built(operator, build), "seconds": time.monotonic() - started}
        if build.ok:
            if build.cached:
                progress("already compiled")
            else:
                progress("compiled in {seconds:.1f} s", seconds=build.seconds)
            run = self._run_all(job, wanted, signatures, build, children, launches, progress)
            ran = {case["name"]: outcome for case, outcome in zip(wanted, run, strict=True)}
            outcomes = [ran.get(case["name"]) or skipped(case, left_out[case["name"]]) for case in cases]
        result = build_result(operator, cases, build, outcomes)
        if traced := next((outcome.trace for outcome in outcomes if outcome.trace), b""):
            result["attachments"] = {ATTACHMENT: packed(traced)}
        result["orders"] = _orders(outcomes)
        result["seconds"] = time.monotonic() - started
        return result

    def _isolation(self, job: Mapping[str, Any]) -> Isolation:
        """The sandbox of this machine.

        Raises:
            EnvironmentFault: There is none, and the person did not allow to go without.
        """
        isolation = self._twin.sandbox.isolation
        require(isolation, allowed=bool(job.get("allow_unconfined")))
        return isolation

    def _described(self, job: Mapping[str, Any]) -> tuple[list[Mapping[str, Any]], dict[str, str]]:
        """All cases with their inputs known, and why some of them (by name) are not run.

        Raises:
            EnvironmentFault: None is left.
        """
        cases: list[Mapping[str, Any]] = []
        left_out: dict[str, str] = {}
        # An operator that only has large cases is judged by them.
        run_big = job.get("run_big") or all(case.get("big") for case in job["cases"])
        for case in job["cases"]:
            cases.append(case)
            if case.get("big") and not run_big:
                left_out[case["name"]] = "too large for the CPU twin"
                continue
            too_much = refusal(reference_bytes(case, len(job["operator"]["outputs"])))
            if case.get("big") and too_much:
                left_out[case["name"]] = too_much
                continue
            try:
                cases[-1] = self._references.described(job["operator"], case)
            except UnavailableCase as fault:
                left_out[case["name"]] = str(fault)
        if len(left_out) == len(cases):
            name, why = next(iter(left_out.items()))
            raise EnvironmentFault(f"The CPU twin can run no test case of the operator ({name}: {why}).")
        return cases, left_out

    def _warm_up(self, children: ChildGroup, progress: Progress) -> None:
        if not self._twin.is_prepared(self._twin.snapshot()):
            self._builder.warm_up(
                children,
                lambda made: progress(
                    "preparing the CPU twin: {made} % (once per version and compiler)", made=made
                ),
            )

    def _signature(self, operator: Mapping[str, Any], case: Mapping[str, Any]) -> Signature:
        given = {name: str(spec["dtype"]) for name, spec in case["inputs"].items()}
        outputs = self._references.output_dtypes(operator, case)
        first = next(iter(given.values()), "float32")
        inputs = [
            (tensor["name"], given.get(tensor["name"], _absent_dtype(tensor, first)))
            for tensor in operator["inputs"]
        ]
        names = [tensor["name"] for tensor in operator["outputs"]]
        return Signature(tuple(inputs), tuple(zip(names, outputs, strict=True)))

    def _run_all(
        self, job: Mapping[str, Any], cases: Sequence[Mapping[str, Any]],
        signatures: Mapping[str, Signature], build: BuildOutcome, children: ChildGroup, launches: Launcher,
        progress: Progress,
    ) -> list[CaseOutcome]:  # fmt: skip
        """Run every case, several at a time. After a kernel that does not end, the rest is skipped.

        A run that ended as machine and candidate can both have caused is repeated once when no other runs.
        """
        settings = RunSettings(
            soc=job["soc"], time_limit_s=float(job.get("time_limit_s", 10.0)),
            memory_mb=int(job.get("memory_mb", 6144)), strict=bool(job.get("strict", False)),
            rule=job["operator"]["rule"], scratch=self._scratch,
            processor=processors(self._twin.snapshot().path("processors.toml")).modelled[job["soc"]],
            fast=bool(job.get("fast", False)), trace=bool(job.get("trace", False)),
            schedules=None if job.get("schedules") is None else int(job["schedules"]),
        )  # fmt: skip
        checks = self._references.code(job["operator"]).check
        endless: list[str] = []
        done: list[str] = []
        built, fresh = BuiltFiles(build.digests), self._fresh(job["operator"], cases, signatures)
        unexplained: dict[str, str] = {}  # name of the case -> how it ended

        def run(case: Mapping[str, Any], seen: str = "") -> CaseOutcome:
            children.check()
            if endless:
                return skipped(case, "not run: another case exceeded the time limit")
            if unexplained and not seen:
                return skipped(case, "not run: another case ended the process of its run")
            data = self._references.case(job["operator"], case)
            too_much = refusal(run_bytes(data))
            if case.get("big") and too_much:
                return skipped(case, too_much)
            programs = build.programs[signatures[case["name"]]]
            task = CaseTask(job["operator"], case, data, checks, settings, fresh.get(case["name"]))
            try:
                outcome = run_case(task, programs, launches, seen)
            except UnavailableCase as fault:
                return skipped(case, str(fault))
            except UnexplainedEnd as end:
                unexplained[case["name"]] = end.how
                return skipped(case, f"not judged: its run {end.how}")
            if not all(built.is_unchanged(path) for path in (programs.tiling, programs.kernel)):
                outcome = failed(case, PROGRAM_CHANGED, CHANGED)
            if outcome.hit_time_limit:
                endless.append(case["name"])
            done.append(case["name"])
            progress(
                "case {number} of {all}: {name} {status}",
                number=len(done), all=len(signatures), name=case["name"], status=outcome.row["status"],
            )  # fmt: skip
            return outcome

        try:
            with ThreadPoolExecutor(self._workers) as pool:
                futures = [pool.submit(run, case) for case in cases]
                try:
                    outcomes = [future.result() for future in futures]
                except BaseException:
                    for future in futures:
                        future.cancel()
                    raise
            # The first of them decides: it ends alike, and fails, or otherwise, and nothing can be said.
            name = next((case["name"] for case in cases if case["name"] in unexplained), "")
            return [
                run(case, unexplained[name]) if case["name"] == name else outcome
                for case, outcome in zip(cases, outcomes, strict=True)
            ]
        finally:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _fresh(
        self, operator: Mapping[str, Any], cases: Sequence[Mapping[str, Any]],
        signatures: Mapping[str, Signature],
    ) -> dict[str, CaseData]:  # fmt: skip
        """For the smallest timed case of every program, by name: data of the same case with another seed.

        A run of the twin is timed and checked at once, in a process of its own, so that nothing can be kept
        from one to the next; one case is enough to see a program that knows the inputs.
        """
        chosen: dict[Signature, Mapping[str, Any]] = {}
        for case in sorted(cases, key=_elements):
            if case.get("timed", True) and not case.get("hidden") and _elements(case):
                chosen.setdefault(signatures[case["name"]], case)
        fresh: dict[str, CaseData] = {}
        for case in chosen.values():
            other = {**case, "seed": int(case.get("seed", 0)) + FRESH_SEED}
            try:
                data = self._references.case(operator, other)
            except EnvironmentFault:  # its code takes no other seed: the other cases tell
                continue
            if data.interface() == self._references.case(operator, case).interface():
                fresh[case["name"]] = data
        return fresh


def _orders(outcomes: Sequence[CaseOutcome]) -> dict[str, str]:
    """How many runs were made in other orders of cores and pipes, and what that cost; empty when none was."""
    runs, seconds = sum(one.orders for one in outcomes), sum(one.orders_s for one in outcomes)
    return {"orders": f"{runs} runs in other orders of cores and pipes, {seconds:.1f} s"} if runs else {}


def _elements(case: Mapping[str, Any]) -> int:
    """Elements of all inputs of a case whose inputs are known."""
    return sum(
        math.prod(shape)
        for spec in case["inputs"].values()
        for shape in (spec.get("shapes") or [spec["shape"]] * int(spec.get("count", 1)))
    )


def _absent_dtype(tensor: Mapping[str, Any], first: str) -> str:
    """Dtype an absent optional input is compiled with: that of the first input where allowed."""
    dtypes = [str(dtype) for dtype in tensor["dtypes"]]
    return first if first in dtypes or not dtypes else dtypes[0]


def void_result(operator: str, cause: str) -> dict[str, Any]:
    """The result of an evaluation that the environment spoiled."""
    build = BuildOutcome(ok=False, cached=False, cause=cause).report()
    return {
        "operator": operator, "verdict": "void", "cause": cause, "build": build, "cases": [],
        "findings": [], "latency": None, "profile": None, "notes": [], "seconds": 0.0,
    }  # fmt: skip


def guarded(
    judge: Callable[[], AnyJudge], job: Mapping[str, Any], children: ChildGroup, progress: Progress
) -> dict[str, Any]:
    """Judge `job`; every fault that is not the candidate's becomes a void result.

    Raises:
        Cancelled: The job was cancelled.
    """
    name = job["operator"]["name"]
    try:
        return judge().evaluate(job, children, progress)
    except Cancelled:
        raise
    except DeviceFault as fault:
        return {**void_result(name, str(fault)), "devices": [{"unit": fault.unit, "fault": str(fault)}]}
    except EnvironmentFault as fault:
        return void_result(name, str(fault))
    except OSError as error:
        return void_result(name, str(fault_of(error)))
    except Exception as error:  # noqa: BLE001 - a bug of the judge must never look like a fault of the candidate
        result = void_result(name, f"The judge itself failed: {error!r}.")
        result["notes"] = [traceback.format_exc()]
        return result
