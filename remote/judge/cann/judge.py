"""Judges a candidate with CANN on a device: the paper's protocol, one job in, one result out.

The job is a `job.CannJob`. The result is that of the twin's judge, and `logs` (`build`, `run`) and `facts`
(`cann`, `driver`, `torch_npu`, `device`) for the side that reads it.
"""

from __future__ import annotations

import math
import os
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from core.evaluation.candidate_in_hand import candidate_in_hand
from core.evaluation.records import Evaluation
from core.operators.spec import TestCase
from remote.judge.cann.aclnn import BindingFault, call_order, header_parameters
from remote.judge.cann.confined import CannSandbox, cann_sandbox
from remote.judge.cann.device_case import (
    AGAIN,
    FIRST,
    SECOND,
    CaseTensors,
    DeviceCase,
    DeviceTensor,
    Manifest,
)
from remote.judge.cann.device_run import DeviceRows, DeviceRun
from remote.judge.cann.environment import CannEnvironment, load_environment
from remote.judge.cann.package import PROGRAM_CHANGED, PackageBuild, build_package
from remote.judge.cann.reference_latency import ReferenceLatencies
from remote.judge.cases.drawn import drawn_beside
from remote.judge.cases.outcome import (
    CaseOutcome,
    ComparedCase,
    failed,
    make_row,
    skipped,
)
from remote.judge.cases.outputs import compare_outputs, unwritten_outputs
from remote.judge.cases.verdict import evaluation_of, only_built
from remote.judge.comparing.acceptance import OwnCheck
from remote.judge.faults import Cancelled, EnvironmentFault, UnavailableCase
from remote.judge.inputs.case_data import CaseData, TensorFile
from remote.judge.inputs.file_memory import Memory, mapped
from remote.judge.inputs.fills import DTYPES
from remote.judge.job import CannJob, Operator, Probe
from remote.judge.operator_code.references import References
from remote.judge.processes.children import ChildGroup, sweep
from remote.judge.progress import Progress
from remote.judge.result import Answer
from remote.judge.sandbox import Sandbox, require_sandbox

_SEED_STEP = 7919
_MOST_FILES = 20
_MOST_BYTES = 400_000


@dataclass(frozen=True)
class _Place:
    """Where one job is built and run: CANN as it is installed, its sandbox, a folder of its own."""

    environment: CannEnvironment
    sandbox: CannSandbox
    scratch: Path


@dataclass(frozen=True)
class _Judged:
    """What building and running one candidate came to; without outcomes where nothing ran."""

    build: PackageBuild
    cases: Sequence[TestCase]
    rows: DeviceRows
    outcomes: Sequence[CaseOutcome]
    attachments: Mapping[str, str]

    def evaluation(self, job: CannJob) -> Evaluation:
        """The verdict over all cases, or over the build alone where no more was asked."""
        report = self.build.report()
        if job.build_only:
            return only_built(job.operator, report)
        return evaluation_of(job.operator, self.cases, report, self.outcomes)


@contextmanager
def _scratch_folder(base: Path) -> Iterator[Path]:
    """A folder of this job's own, gone afterwards."""
    scratch = base / str(os.getpid()) / uuid.uuid4().hex
    scratch.mkdir(parents=True)
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


class CannJudge:
    """Judges on one host. Keeps references and built packages in `cache_dir` between jobs."""

    def __init__(self, cache_dir: Path) -> None:
        torch.set_num_threads(1)
        self._cache_dir = cache_dir
        self._sandbox = Sandbox.within(cache_dir)
        self._references = References(cache_dir / "references", self._sandbox)
        sweep(cache_dir / "cann-runs")

    def evaluate(
        self, job: CannJob, children: ChildGroup, progress: Progress
    ) -> Answer:
        """Judge one job.

        Raises:
            EnvironmentFault: The verdict is void.
            CandidateFault: The candidate is what this judge's own code fails at.
            Cancelled: The job was cancelled.
        """
        require_sandbox(
            self._sandbox.isolation, unconfined_allowed=job.allow_unconfined
        )
        with self._references.during(children):
            return self._evaluate(job, children, progress)

    def _evaluate(
        self, job: CannJob, children: ChildGroup, progress: Progress
    ) -> Answer:
        started = time.monotonic()
        with _scratch_folder(self._cache_dir / "cann-runs") as scratch:
            environment = load_environment(job.environment, scratch, children)
            allowed = job.allow_unconfined
            sandbox = cann_sandbox(self._sandbox, environment, allowed=allowed)
            place = _Place(environment, sandbox, scratch)
            outside_faults = (EnvironmentFault, Cancelled)
            module = References.__module__
            with candidate_in_hand(job.candidate, outside_faults, apart=module):
                judged = self._build_and_run(job, place, children, progress)
        build, rows = judged.build, judged.rows
        facts = {
            **environment.facts,
            **rows.versions,
            "device": rows.device,
            "sandbox": sandbox.label,
        }
        if build.project:
            facts["project"] = build.project
        evaluation = judged.evaluation(job)
        other_soc = _other_soc(facts)
        if other_soc:
            evaluation = replace(evaluation, notes=(*evaluation.notes, other_soc))
        evaluation = replace(
            evaluation,
            facts=facts,
            attachments=judged.attachments,
            seconds=time.monotonic() - started,
        )
        logs = {"build": "" if build.ok else build.log, "run": rows.log}
        return Answer(evaluation, logs, rows.devices)

    def _build_and_run(
        self, job: CannJob, place: _Place, children: ChildGroup, progress: Progress
    ) -> _Judged:
        """Build the package and, where it could be built, run its cases on a device."""
        base = Path(job.work_dir) if job.work_dir else self._cache_dir / "cann"
        originals, cases = self._cases(job), list[TestCase]()
        drawing = drawn_beside(job.operator, originals, job.candidate, self._references)
        with drawing as drawn_cases:
            build = build_package(job.plan, place.sandbox, base, children, progress)
            if build.ok and not job.build_only:
                cases = [each.case for each in drawn_cases()]
        progress("already built" if build.cached else f"built in {build.seconds:.0f} s")
        order = self._order(job, build) if build.ok else ()
        rows, outcomes = DeviceRows(), list[CaseOutcome]()
        if build.ok and not job.build_only:
            latencies = ReferenceLatencies(
                self._cache_dir / "reference-latency", place.environment
            )
            run = _Run(
                job,
                originals,
                cases,
                build,
                place.sandbox,
                order,
                place.scratch,
                self._references,
                latencies,
                children,
                progress,
            )
            rows = run.on_device()
            outcomes = run.outcomes(rows)
            if build.is_changed:
                why = "what was built was changed while it was run"
                outcomes = [failed(case, PROGRAM_CHANGED, why) for case in cases]
        patterns = job.probe.collect if job.probe else ()
        attachments = _collected(place.scratch, patterns, rows)
        return _Judged(build, originals, rows, outcomes, attachments)

    def warm_up(self) -> None:
        """Nothing serves several jobs: CANN is looked at again for each, as it may be exchanged meanwhile."""

    def _cases(self, job: CannJob) -> list[TestCase]:
        """The cases to run, with their inputs known; those that cannot be had on this machine are left out.

        Raises:
            EnvironmentFault: None is left.
        """
        cases: list[TestCase] = []
        why = "it has none"
        for case in _with_seeds(job):
            try:
                cases.append(self._references.described(job.operator, case))
            except UnavailableCase as fault:
                why = f"{case.name}: {fault}"
        if not cases:
            raise EnvironmentFault(
                f"No test case of {job.operator.name} can be run ({why})."
            )
        return cases

    def _order(self, job: CannJob, build: PackageBuild) -> tuple[tuple[str, str], ...]:
        """How the package is called; a header that does not fit fails the build."""
        operator = job.operator
        package = build.folder / job.plan.package
        headers = sorted(package.rglob(f"aclnn_{operator.snake}.h"))
        text = ""
        if headers:
            text = headers[0].read_text(encoding="utf-8", errors="replace")
        try:
            parameters = header_parameters(text, operator.name)
            sources = call_order(operator, parameters)
        except BindingFault as fault:
            build.ok = False
            build.step = "fit the package to the interface"
            build.stage = "binding"
            build.log += f"\n{fault}\n"
            return ()
        return tuple(
            (kind, source)
            for (kind, _), source in zip(parameters, sources, strict=True)
        )


@dataclass
class _Run:
    """The cases of one job on a device, as they were given (`originals`) and as the candidate meets them."""

    job: CannJob
    originals: Sequence[TestCase]
    cases: Sequence[TestCase]
    build: PackageBuild
    sandbox: CannSandbox
    order: tuple[tuple[str, str], ...]
    scratch: Path
    references: References
    latencies: ReferenceLatencies
    children: ChildGroup
    progress: Progress

    @property
    def operator(self) -> Operator:
        """Whose kernel it is."""
        return self.job.operator

    def on_device(self) -> DeviceRows:
        """Run all cases; what the children said."""
        cases = [self._case(case) for case in self.cases]
        rows = self._in_children(cases, self._library())
        for case in self.originals:
            row = rows.rows.get(case.name)
            if row is not None and (row.reference or row.problem):
                self.latencies.keep(self.operator, case, rows.device, row)
        return rows

    def _library(self) -> Path:
        """The package's aclnn library."""
        package = self.build.folder / str(self.job.plan.package)
        return next(
            iter(sorted(package.rglob("libcust_opapi.so"))),
            package / "libcust_opapi.so",
        )

    def _in_children(self, cases: Sequence[DeviceCase], library: Path) -> DeviceRows:
        """Run cases on a device, in processes of their own."""
        reference = self.scratch / "reference.py"
        reference.write_text(self.operator.reference_source, encoding="utf-8")
        probe = self.job.probe or Probe()
        tensors = (*self.operator.inputs, *self.operator.outputs)
        manifest = Manifest(
            operator=self.operator.name,
            inputs=tuple(tensor.name for tensor in self.operator.inputs),
            lists=tuple(tensor.name for tensor in tensors if tensor.is_list),
            library=str(library),
            order=self.order,
            reference_file=str(reference),
            baseline=self.operator.baseline,
            warmups=self.job.warmups,
            repeats=self.job.repeats,
            cases=tuple(cases),
            profile=str(self.scratch / "trace") if probe.profiler else "",
        )
        paths = [
            str(library.parent),
            self.sandbox.environment.variables.get("LD_LIBRARY_PATH", ""),
        ]
        variables = {
            "ASCEND_CUSTOM_OPP_PATH": str(self.build.folder / self.job.plan.package),
            "LD_LIBRARY_PATH": ":".join(path for path in paths if path),
        }
        self.progress("running on a device")
        run = DeviceRun(
            variables,
            self.sandbox,
            self.job.case_limit_s,
            probe,
            self.scratch,
            self.build.folder,
            self.children,
        )
        return run.rows(manifest)

    def _case(self, case: TestCase) -> DeviceCase:
        data = self.references.case(self.operator, case)
        folder = self._folder(case)
        folder.mkdir()
        timed = case.timed and not case.hidden
        with_reference = timed and not case.row and not self.job.probe
        if with_reference:
            original = self._original(case)
            with_reference = not self.latencies.known(self.operator, original)
        tensors = _tensors(data)
        return DeviceCase(
            case.name,
            str(folder),
            timed,
            with_reference,
            tensors.inputs,
            tensors.outputs,
            _named_attributes({a.name: a.default for a in self.operator.attributes})
            | _named_attributes(data.attributes),
            again=_tensors(self._data_again(case)) if timed else None,
        )

    def _data_again(self, case: TestCase) -> CaseData:
        """What a case is checked with after timing: the case as it was given."""
        return self.references.case(self.operator, self._original(case))

    def _original(self, case: TestCase) -> TestCase:
        return next(each for each in self.originals if each.name == case.name)

    def _folder(self, case: TestCase) -> Path:
        return self.scratch / f"case-{list(self.cases).index(case)}"

    def outcomes(self, rows: DeviceRows) -> list[CaseOutcome]:
        """Compare what was written with the reference, case by case."""
        own_check = self.references.code(self.operator).check
        return [self._outcome(own_check, rows, case) for case in self.cases]

    def _outcome(
        self, own_check: OwnCheck, rows: DeviceRows, case: TestCase
    ) -> CaseOutcome:
        row = rows.rows.get(case.name)
        if row is None and not rows.load_error:
            return skipped(case, "not run: another case did not end")
        outcome = CaseOutcome(make_row(case, "pass", ""), log=rows.log)
        problem = rows.load_error or (row.error if row else "")
        if problem or row is None:
            outcome.fail(case, "run-error", problem)
            return outcome
        data = self.references.case(self.operator, case)
        task = ComparedCase(self.operator, case, data, own_check)
        first = [mapped(path) for path in self._files(case, data, FIRST)]
        status, detail = compare_outputs(outcome, task, row.changed, first)
        if not status and not self.job.probe:
            detail = self._unwritten(task, first)
            status = "wrong-result" if detail else ""
        if not status and row.latency is not None:
            outcome.row = replace(outcome.row, latency=row.latency)
            status, detail = self._on_other_inputs(outcome, task)
        if status:
            outcome.fail(case, status, detail)
            outcome.row = replace(outcome.row, latency=None)
        if row.latency:
            original = self._original(case)
            reference = self.latencies.of(self.operator, original, rows.device)
            outcome.row = replace(outcome.row, reference=reference)
        return outcome

    def _unwritten(self, task: ComparedCase, first: Sequence[Memory]) -> str:
        """Complaint about elements that the second run, begun with another pattern, shows as unwritten."""
        files = self._files(task.case, task.data, SECOND)
        second = [mapped(path) if path.exists() else None for path in files]
        return unwritten_outputs(task, first, second)

    def _on_other_inputs(
        self, outcome: CaseOutcome, task: ComparedCase
    ) -> tuple[str, str]:
        """Compare the run on other inputs: status and detail, empty when right; takes its findings along."""
        data = self._data_again(task.case)
        again = CaseOutcome(make_row(task.case, "pass", ""), outcome.findings)
        written = [mapped(path) for path in self._files(task.case, data, AGAIN)]
        status, detail = compare_outputs(again, replace(task, data=data), (), written)
        return status, detail and f"after timing, with other inputs: {detail}"

    def _files(self, case: TestCase, data: CaseData, stem: str) -> list[Path]:
        return [
            self._folder(case) / f"{stem}-{index}.bin"
            for index in range(len(data.outputs))
        ]


def _collected(
    folder: Path, patterns: Sequence[str], rows: DeviceRows
) -> dict[str, str]:
    """The text files a diagnostic asked for, and the log of the run; nothing for an evaluation."""
    texts = {"run.log": rows.log} if patterns else {}
    paths = [
        path
        for pattern in patterns
        for path in sorted(folder.glob(pattern))
        if path.is_file()
    ]
    for path in paths[:_MOST_FILES]:
        text = path.read_bytes()[:_MOST_BYTES].decode("utf-8", "replace")
        texts[str(path.relative_to(folder))] = text
    return texts


def _with_seeds(job: CannJob) -> list[TestCase]:
    """The cases that are run, the visible ones repeated with other seeds: those are hidden and not timed."""
    run_big = job.run_big
    # A case derived from a big one replaces it where it cannot run.
    replaced = run_big and any(case.big for case in job.cases)
    cases = [
        case
        for case in job.cases
        if (not case.big or run_big)
        and not (replaced and (case.derived or "derived" in case.row))
    ]
    extra = [
        replace(_with_seed(case, number), hidden=True, timed=False)
        for case in cases
        if not case.hidden
        for number in range(1, job.extra_seeds + 1)
    ]
    return cases + extra


def _with_seed(case: TestCase, number: int) -> TestCase:
    """The case with other inputs, number 1, 2 and so on."""
    seed = case.seed + number * _SEED_STEP
    return replace(case, name=f"{case.name} (seed {number})", seed=seed)


def _other_soc(facts: Mapping[str, str]) -> str:
    """What to say when the card is not what the kernel was built for; empty when it is, or is not known."""
    built, ran = facts["soc"], facts["device"]
    if not built or not ran.startswith("Ascend") or ran.startswith(built):
        return ""
    return f"Built for {built}, but the device calls itself {ran}."


def _tensors(data: CaseData) -> CaseTensors:
    """Inputs and outputs of a case for the process on the device."""
    return CaseTensors(
        {name: tuple(map(_described, files)) for name, files in data.inputs.items()},
        tuple(map(_described, data.outputs)),
    )


def _described(file: TensorFile) -> DeviceTensor:
    """A tensor for the process on the device; of an output, what the caller makes for it."""
    room = file.allocation
    size = (
        math.prod(room.shape) * DTYPES[file.dtype].itemsize if file.room else file.bytes
    )
    return DeviceTensor(
        file.name, file.dtype, room.shape, file.strides, str(file.path), size, room.zero
    )


def _named_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes without those that are left out: None stands for the default."""
    return {name: value for name, value in attributes.items() if value is not None}
