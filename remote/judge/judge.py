"""The judge: one job (operator, cases, candidate) in, one result out. Both are plain JSON data.

Job fields: `format` 1, `id`, `operator` {name, snake, inputs, outputs, attributes, rule, digest,
reference_source}, `cases`, `candidate` (path -> text), `soc`, `cache_dir`, `twin_dir` (headers and sources of
the twin), and optionally `time_limit_s`, `memory_mb`, `strict`, `run_big`, `build_only`, `workers`.

The result has the fields of `core.evaluation.records.Evaluation` apart from who ran it. The candidate's
native code runs in child processes only.
"""

from __future__ import annotations

import os
import shutil
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from .artifacts import ArtifactStore
from .build import Builder, BuildOutcome, Signature
from .cases import CaseOutcome, CaseTask, describe_finding, run_case, shape_class, skipped
from .compiler import find_compiler
from .faults import Cancelled, EnvironmentFault, UnavailableCase, fault_of
from .launch_run import RunSettings
from .reference import References
from .results import output_dtypes
from .run import ChildGroup
from .twin_runtime import Twin

Progress = Callable[[str], None]

MOST_FINDINGS = 40
MOST_PRINTED = 4000
MOST_CACHED_BYTES = 2 << 30
_SEVERITIES = ("error", "hazard", "warning", "note")


class Judge:
    """Judges candidates with the CPU twin. Keeps compiler, headers and references between jobs."""

    def __init__(self, cache_dir: Path, twin_dir: Path, workers: int) -> None:
        # Paths stand in compiler flags, and those in the names of builds: one folder, one name.
        cache_dir = cache_dir.resolve()
        # One thread per comparison: several run side by side, and sums must not depend on the machine.
        torch.set_num_threads(1)
        self._cache_dir = cache_dir
        self._workers = workers
        self._references = References(cache_dir / "references")
        self._references.collect(MOST_CACHED_BYTES)
        _sweep(cache_dir / "runs")
        store = ArtifactStore(cache_dir / "builds")
        store.collect(MOST_CACHED_BYTES)
        self._twin = Twin(twin_dir, store, find_compiler())
        self._builder = Builder(self._twin, store, workers)

    @property
    def _scratch(self) -> Path:
        """Folder for the files of runs; a judge may be forked, and each process has its own."""
        return self._cache_dir / "runs" / str(os.getpid())

    def look_around(self) -> None:
        """Verify now what every job needs of the twin, so that forks of this process need not."""
        self._twin.is_prepared(self._twin.snapshot())

    def evaluate(self, job: Mapping[str, Any], children: ChildGroup, progress: Progress) -> dict[str, Any]:
        """Judge one job.

        Raises:
            EnvironmentFault: The verdict is void.
            Cancelled: The job was cancelled.
        """
        operator, started = job["operator"], time.monotonic()
        module = self._references.module(operator)
        cases, left_out = self._described(job)
        wanted = [case for case in cases if case["name"] not in left_out]
        signatures = {case["name"]: self._signature(operator, case, module) for case in wanted}
        self._warm_up(children, progress)
        progress("compiling " + ", ".join(dict.fromkeys(s.label for s in signatures.values())))
        build = self._builder.build(
            operator, job["candidate"], list(dict.fromkeys(signatures.values())), children
        )
        outcomes: list[CaseOutcome] = []
        if job.get("build_only"):
            return only_built(operator, build, time.monotonic() - started)
        if build.ok:
            progress(f"compiled in {build.seconds:.1f} s" if not build.cached else "already compiled")
            run = self._run_all(job, module, wanted, signatures, build, children, progress)
            ran = {case["name"]: outcome for case, outcome in zip(wanted, run, strict=True)}
            outcomes = [ran.get(case["name"]) or skipped(case, left_out[case["name"]]) for case in cases]
        result = fold(operator, cases, build, outcomes)
        result["seconds"] = time.monotonic() - started
        return result

    def _described(self, job: Mapping[str, Any]) -> tuple[list[Mapping[str, Any]], dict[str, str]]:
        """All cases with their inputs known, and why some of them (by name) are not run.

        Raises:
            EnvironmentFault: None is left.
        """
        cases: list[Mapping[str, Any]] = []
        left_out: dict[str, str] = {}
        for case in job["cases"]:
            cases.append(case)
            if case.get("big") and not job.get("run_big"):
                left_out[case["name"]] = "too large for the CPU twin"
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
            progress("preparing the CPU twin (once per version and compiler)")
            self._builder.warm_up(children)

    def _signature(
        self, operator: Mapping[str, Any], case: Mapping[str, Any], module: ModuleType
    ) -> Signature:
        given = {name: str(spec["dtype"]) for name, spec in case["inputs"].items()}
        outputs = output_dtypes(operator, given, module, case.get("attributes"))
        if not all(outputs):
            made = {file.name: file.dtype for file in self._references.case(operator, case).outputs}
            outputs = tuple(made[tensor["name"]] for tensor in operator["outputs"])
        first = next(iter(given.values()), "float32")
        inputs = [
            (tensor["name"], given.get(tensor["name"], _absent_dtype(tensor, first)))
            for tensor in operator["inputs"]
        ]
        names = [tensor["name"] for tensor in operator["outputs"]]
        return Signature(tuple(inputs), tuple(zip(names, outputs, strict=True)))

    def _run_all(
        self, job: Mapping[str, Any], module: ModuleType, cases: Sequence[Mapping[str, Any]],
        signatures: Mapping[str, Signature], build: BuildOutcome, children: ChildGroup, progress: Progress,
    ) -> list[CaseOutcome]:  # fmt: skip
        """Run every case, several at a time. After a kernel that does not end, the rest is skipped."""
        settings = RunSettings(
            soc=job["soc"], time_limit_s=float(job.get("time_limit_s", 10.0)),
            memory_mb=int(job.get("memory_mb", 6144)), strict=bool(job.get("strict", False)),
            rule=job["operator"]["rule"], scratch=self._scratch,
        )  # fmt: skip
        endless: list[str] = []
        done: list[str] = []

        def run(case: Mapping[str, Any]) -> CaseOutcome:
            children.check()
            if endless:
                return skipped(case, "not run: another case exceeded the time limit")
            data = self._references.case(job["operator"], case)
            program = build.programs[signatures[case["name"]]]
            outcome = run_case(CaseTask(job["operator"], case, data, module, settings), program, children)
            if outcome.hit_time_limit:
                endless.append(case["name"])
            done.append(case["name"])
            progress(f"case {len(done)} of {len(signatures)}: {case['name']} {outcome.row['status']}")
            return outcome

        try:
            with ThreadPoolExecutor(self._workers) as pool:
                futures = [pool.submit(run, case) for case in cases]
                try:
                    return [future.result() for future in futures]
                except BaseException:
                    for future in futures:
                        future.cancel()
                    raise
        finally:
            shutil.rmtree(self._scratch, ignore_errors=True)


def _sweep(runs: Path) -> None:
    """Remove what killed judges left behind."""
    for folder in runs.glob("*"):
        try:
            os.kill(int(folder.name), 0)
        except (ProcessLookupError, ValueError):
            shutil.rmtree(folder, ignore_errors=True)
        except PermissionError:
            continue


def _absent_dtype(tensor: Mapping[str, Any], first: str) -> str:
    """Dtype an absent optional input is compiled with: that of the first input where allowed."""
    dtypes = [str(dtype) for dtype in tensor["dtypes"]]
    return first if first in dtypes or not dtypes else dtypes[0]


def fold(
    operator: Mapping[str, Any],
    cases: Sequence[Mapping[str, Any]],
    build: BuildOutcome,
    outcomes: Sequence[CaseOutcome],
) -> dict[str, Any]:
    """Verdict, cause, latency and profile from a build and its cases."""
    findings = fold_findings(outcomes)
    verdict, cause = _verdict(build, cases, outcomes, findings)
    timed = [
        o
        for o, c in zip(outcomes, cases, strict=False)
        if c.get("timed", True) and not c.get("hidden") and o.row["status"] != "skipped"
    ]
    latency = None
    if timed and all(outcome.row["status"] == "pass" for outcome in timed):
        first = timed[0].row["latency"]
        latency = {**first, "value": sum(outcome.row["latency"]["value"] for outcome in timed)}
    slowest = max(
        (o for o in timed if o.row["latency"]), key=lambda o: float(o.row["latency"]["value"]), default=None
    )
    return {
        "operator": operator["name"], "verdict": verdict, "cause": cause, "build": build.report(),
        "cases": [outcome.row for outcome in outcomes], "findings": findings, "latency": latency,
        "profile": _profile(slowest.launch) if slowest is not None and slowest.launch else None,
        "notes": _notes(cases, outcomes),
    }  # fmt: skip


def _verdict(
    build: BuildOutcome,
    cases: Sequence[Mapping[str, Any]],
    outcomes: Sequence[CaseOutcome],
    findings: Sequence[Mapping[str, Any]],
) -> tuple[str, str]:
    if not build.ok:
        return "fail-build", build.cause
    # A visible case explains more than a hidden one; among them the order of the operator's file holds.
    rows = sorted(zip(cases, outcomes, strict=True), key=lambda pair: bool(pair[0].get("hidden")))
    for kinds, verdict in (
        (("run-error",), "fail-run"),
        (("wrong-shape", "wrong-dtype", "wrong-result"), "fail-result"),
    ):
        for case, outcome in rows:
            if outcome.row["status"] in kinds:
                return verdict, _cause(case, outcome)
    if not any(outcome.row["status"] == "pass" for outcome in outcomes):
        raise EnvironmentFault("No test case of the operator could be run on the CPU twin.")
    hazard = next((finding for finding in findings if finding["severity"] == "hazard"), None)
    return ("pass-with-hazard", describe_finding(hazard)) if hazard else ("pass", "")


def _cause(case: Mapping[str, Any], outcome: CaseOutcome) -> str:
    status = outcome.row["status"]
    if not case.get("hidden"):
        return f"{outcome.row['detail']} (case {case['name']})"
    error = next((finding for finding in outcome.findings if finding["severity"] == "error"), None)
    rule = (
        f": {error['rule']}" + (f" at {error['file']}:{error['line']}" if error["file"] else "")
        if error
        else ""
    )
    return f"a hidden case fails ({shape_class(case)}): {status}{rule}"


def fold_findings(outcomes: Sequence[CaseOutcome]) -> list[dict[str, Any]]:
    """Findings of all cases, equal ones once with their counts added, the gravest first."""
    folded: dict[tuple[Any, ...], dict[str, Any]] = {}
    for outcome in outcomes:
        for finding in outcome.findings:
            key = (
                finding["rule"],
                finding["severity"],
                finding["file"],
                finding["line"],
                finding["call"],
                finding["tensor"],
            )
            if key in folded:
                folded[key]["count"] += finding["count"]
            else:
                folded[key] = dict(finding)
    return sorted(folded.values(), key=lambda finding: _SEVERITIES.index(finding["severity"]))[:MOST_FINDINGS]


def _profile(launch: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "clock_mhz": launch["clock_mhz"],
        "cores": launch["cores"],
        "bound": launch["bound"],
        "origin": "modelled",
    }


def _notes(cases: Sequence[Mapping[str, Any]], outcomes: Sequence[CaseOutcome]) -> list[str]:
    notes: list[str] = []
    for case, outcome in zip(cases, outcomes, strict=False):
        if case.get("hidden"):
            continue
        printed = outcome.launch["printed"] if outcome.launch else ""
        for what, text in (("The kernel printed", printed), ("op_host logged", outcome.log)):
            if text.strip() and not any(note.startswith(what) for note in notes):
                notes.append(f"{what} in case {case['name']}:\n{text[:MOST_PRINTED].rstrip()}")
    return notes


def only_built(operator: Mapping[str, Any], build: BuildOutcome, seconds: float) -> dict[str, Any]:
    """The result of a job that was to compile and nothing else; its verdict is on the build alone."""
    verdict, cause = ("pass", "only compiled, as asked") if build.ok else ("fail-build", build.cause)
    return {
        "operator": operator["name"], "verdict": verdict, "cause": cause, "build": build.report(),
        "cases": [], "findings": [], "latency": None, "profile": None, "notes": [], "seconds": seconds,
    }  # fmt: skip


def void_result(operator: str, cause: str) -> dict[str, Any]:
    """The result of an evaluation that the environment spoiled."""
    build = BuildOutcome(ok=False, cached=False, cause=cause).report()
    return {
        "operator": operator, "verdict": "void", "cause": cause, "build": build, "cases": [],
        "findings": [], "latency": None, "profile": None, "notes": [], "seconds": 0.0,
    }  # fmt: skip


def guarded(
    judge: Callable[[], Judge], job: Mapping[str, Any], children: ChildGroup, progress: Progress
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
    except EnvironmentFault as fault:
        return void_result(name, str(fault))
    except OSError as error:
        return void_result(name, str(fault_of(error)))
    except Exception as error:  # noqa: BLE001 - a bug of the judge must never look like a fault of the candidate
        result = void_result(name, f"The judge itself failed: {error!r}.")
        result["notes"] = [traceback.format_exc()]
        return result
