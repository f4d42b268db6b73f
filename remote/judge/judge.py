"""The judge of the CPU twin: one job in, one answer out, in four steps.

    select    which cases run here, and the dtypes they need    cases.selection
    build     op_host once, the kernel for each signature       building.builder
              beside it, the same against CANN's own headers    witness.check
    run       every case by itself, in the order of the job     cases.schedule
    sum up    build and cases become one verdict                cases.verdict

Whether a single case passes is decided in `cases.one_case`, by what `comparing` says of its outputs. The
candidate's native code and the operator's own Python run in child processes only. `cann.judge` does the same
with CANN on a device; `serving` is what turns a judge into a process.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import torch

from core.evaluation.candidate_in_hand import candidate_in_hand
from core.evaluation.records import CANN_HEADERS, Evaluation
from remote.judge.building.builder import Builder, BuildOutcome, Signature
from remote.judge.building.processors import processors
from remote.judge.building.twin_runtime import Twin
from remote.judge.cases.drawn import DrawnCase, drawn_beside
from remote.judge.cases.outcome import CaseOutcome, skipped
from remote.judge.cases.schedule import CaseRuns
from remote.judge.cases.selection import Selection, select_cases
from remote.judge.cases.unrun import unrun_calls
from remote.judge.cases.verdict import evaluation_of, keep_own_places, only_built
from remote.judge.faults import Cancelled, EnvironmentFault
from remote.judge.inputs.memory_needs import run_mb
from remote.judge.job import TwinJob
from remote.judge.machine.artifacts import Artifact
from remote.judge.machine.compiler import newer_language, second_compiler
from remote.judge.operator_code.references import References
from remote.judge.processes.children import ChildGroup, sweep
from remote.judge.processes.launcher import Launcher, open_launcher
from remote.judge.progress import Progress
from remote.judge.result import Answer
from remote.judge.running.account import Account
from remote.judge.running.launch import RunSettings
from remote.judge.running.trace import ATTACHMENT, packed
from remote.judge.sandbox import Sandbox, require_sandbox
from remote.judge.sandbox.objects import read_object
from remote.judge.witness.check import HeaderCheck, Witness, with_refusals, words_of
from remote.judge.witness.header_set import header_sets_below

MOST_CACHED_BYTES = 2 << 30
_TIDIED = "tidied"  # file whose time is that of the last tidying
_TIDY_S = 60.0  # each candidate has inputs of its own, 50 MB and more


class Judge:
    """Judges candidates with the CPU twin. Keeps compiler, headers and references between jobs.

    Args:
        cache_dir: Where builds and references are kept; may be deleted between jobs.
        twin_dir: Headers and sources of the twin.
        workers: Compilers, and cases, at a time.
        headers_dir: Header sets of CANN that are read ahead of jobs; None for none.
    """

    def __init__(
        self,
        cache_dir: Path,
        twin_dir: Path,
        workers: int,
        headers_dir: Path | None = None,
    ) -> None:
        # A build is found by its compiler flags, and the flags hold this path: another
        # spelling of the same folder would build everything again.
        cache_dir = cache_dir.resolve()
        # One thread per comparison: several run side by side, and sums must not depend on the machine.
        torch.set_num_threads(1)
        self._cache_dir = cache_dir
        self._workers = workers
        sandbox = Sandbox.within(cache_dir)
        self._store = sandbox.store
        self._references = References(cache_dir / "references", sandbox)
        self._tidy()  # of store and references, before anything is put there for a job
        self._twin = Twin(twin_dir, self._store, sandbox.compiler, sandbox)

        self._headers_dir = headers_dir
        self._witness = Witness.of(sandbox, workers)
        newer = newer_language(sandbox.compiler)
        self._newer_witness = Witness(sandbox, self._store, newer, workers)

        # The device's compiler takes some kernels that g++ refuses. Such a kernel is
        # compiled again by clang, or as newer C++, before it counts as wrong.
        @functools.cache
        def second_builder() -> Builder | None:
            compiler = second_compiler(sandbox.compiler)
            if compiler is None:
                return None
            twin = Twin(twin_dir, self._store, compiler, sandbox)
            return Builder(twin, self._store, workers)

        self._builder = Builder(self._twin, self._store, workers, second_builder)

    def warm_up(self) -> None:
        """Read now what every job needs of the twin, so that forks of this process need not."""
        snapshot = self._twin.snapshot()
        if self._twin.is_prepared(snapshot):
            for path in self._twin.objects(snapshot):
                read_object(path)  # its cache is what the forks inherit
        if self._headers_dir is not None:
            for headers in header_sets_below(self._headers_dir):
                self._witness.look_up(headers)

    def evaluate(
        self, job: TwinJob, children: ChildGroup, progress: Progress
    ) -> Answer:
        """Judge one job.

        Raises:
            EnvironmentFault: The verdict is void.
            CandidateFault: The candidate is what this judge's own code fails at.
            Cancelled: The job was cancelled.
        """
        isolation = self._twin.sandbox.isolation
        require_sandbox(isolation, unconfined_allowed=job.allow_unconfined)
        # The sandbox of the runs sets itself up while the kernel is compiled.
        with (
            self._references.during(children),
            open_launcher(self._twin.sandbox, children) as launcher,
        ):
            evaluation = self._evaluate(job, children, launcher, progress)
        if not self._is_tidy:
            self._tidy()
        if not job.build_only:
            facts = {"sandbox": isolation.label}
            evaluation = replace(evaluation, facts={**facts, **evaluation.facts})
        return Answer(evaluation)

    def _evaluate(
        self, job: TwinJob, children: ChildGroup, launcher: Launcher, progress: Progress
    ) -> Evaluation:
        """The four steps."""
        started = time.monotonic()
        # The inputs of an imported case are known only once its reference has run.
        selection = select_cases(job, self._references)
        # One snapshot for build and runs: where the twin is updated meanwhile, the job
        # must not mix two versions of its headers and numbers.
        snapshot = self._prepared_twin(children, progress)
        settings = self._settings(job, snapshot)
        # What fails before this line fails for every candidate, what fails behind it has met this one.
        with candidate_in_hand(
            job.candidate, (EnvironmentFault, Cancelled), apart=References.__module__
        ):
            build, checks, cases = self._build(
                job, selection, snapshot, children, progress
            )
            witnessed = {CANN_HEADERS: words_of(checks)}
            if job.build_only:
                built = only_built(job.operator, build.report)
                evaluation = replace(built, facts=witnessed)
            else:
                outcomes: list[CaseOutcome] = []
                if build.report.ok:
                    runs = CaseRuns(
                        job=job,
                        signatures=selection.signatures,
                        build=build,
                        references=self._references,
                        settings=settings,
                        children=children,
                        launcher=launcher,
                        progress=progress,
                        workers=self._workers,
                    )
                    outcomes = _of_all_cases(selection, runs.run_all(cases))
                keep_own_places(outcomes, job.candidate)
                evaluation = evaluation_of(
                    job.operator, selection.cases, build.report, outcomes
                )
                unrun = unrun_calls(job.candidate, outcomes)
                evaluation = replace(
                    evaluation,
                    findings=(*evaluation.findings, *unrun),
                    facts={**witnessed, **_cost_of_orders(outcomes)},
                    attachments=_first_trace(outcomes),
                )
        return replace(evaluation, seconds=time.monotonic() - started)

    def _prepared_twin(self, children: ChildGroup, progress: Progress) -> Artifact:
        """The twin as it is now, with everything built that depends on no candidate.

        `prepare` builds what is there when it runs. Where the twin was changed since the
        snapshot, its objects have another digest and the builder makes those it needs.
        """
        snapshot = self._twin.snapshot()
        if not self._twin.is_prepared(snapshot):
            self._twin.prepare(
                children,
                self._workers,
                on_percent=lambda percent: progress(
                    f"preparing the CPU twin: {percent} % (once per version and compiler)"
                ),
            )
        return snapshot

    def _build(
        self,
        job: TwinJob,
        selection: Selection,
        snapshot: Artifact,
        children: ChildGroup,
        progress: Progress,
    ) -> tuple[BuildOutcome, list[HeaderCheck], list[DrawnCase]]:
        """Compile the candidate for every signature that a case needs.

        Meanwhile CANN's headers are asked, and the cases made as this candidate meets them.
        """
        signatures = list(dict.fromkeys(selection.signatures.values()))
        labels = dict.fromkeys(signature.label for signature in signatures)
        progress(f"compiling {', '.join(labels)}")
        runnable, cases = selection.runnable, list[DrawnCase]()
        drawing = drawn_beside(job.operator, runnable, job.candidate, self._references)
        with ThreadPoolExecutor(1) as beside, drawing as drawn_cases:
            checking = beside.submit(
                self._ask_headers, self._witness, job, signatures, children
            )
            build = self._builder.build(
                job.operator, job.candidate, signatures, children, snapshot
            )
            checks = checking.result()
            if build.report.ok and not job.build_only:
                cases = drawn_cases()
        if (
            build.report.ok
            and build.report.compiler != self._twin.compiler.label
            and any(check.messages for check in checks)
        ):
            # The twin, too, took it only in the language that comes second.
            checks = self._ask_headers(self._newer_witness, job, signatures, children)
        build.report = with_refusals(build.report, checks)
        if build.report.ok and build.report.cached:
            progress("already compiled")
        elif build.report.ok:
            progress(f"compiled in {build.report.seconds:.1f} s")
        return build, checks, cases

    def _ask_headers(
        self,
        witness: Witness,
        job: TwinJob,
        signatures: Sequence[Signature],
        children: ChildGroup,
    ) -> list[HeaderCheck]:
        """What each header set of the job says of its candidate; nothing where it has none."""
        if not job.headers_dir:
            return []
        return [
            witness.check(headers, job.operator, job.candidate, signatures, children)
            for headers in header_sets_below(Path(job.headers_dir))
        ]

    def _settings(self, job: TwinJob, snapshot: Artifact) -> RunSettings:
        # A processor that is not in the table is refused where jobs are made, see
        # `TwinToolchain`; table and job come together.
        modelled = processors(snapshot.path("processors.toml")).modelled
        memory_mb = run_mb(job.memory_mb, self._workers)
        return RunSettings(
            soc=job.soc,
            time_limit_s=job.time_limit_s,
            memory_mb=memory_mb,
            is_short_of_memory=memory_mb < job.memory_mb,
            strict=job.strict,
            # A judge may be forked, and each process has a folder of its own.
            scratch=self._cache_dir / "runs" / str(os.getpid()),
            processor=modelled[job.soc].calibrated(job.constants, job.ranges),
            constants=job.constants,
            device=job.device,
            fast=job.fast,
            trace=job.trace,
            cold=job.cold,
            account=Account.of_launches(job.time_limit_s),
        )

    def _tidy(self) -> None:
        """Remove what was unused for longest, and what killed judges left."""
        self._cache_dir.mkdir(parents=True, exist_ok=True)
        (self._cache_dir / _TIDIED).touch()
        sweep(self._cache_dir / "runs")
        self._store.collect(MOST_CACHED_BYTES)
        self._references.collect(MOST_CACHED_BYTES)

    @property
    def _is_tidy(self) -> bool:
        """Whether the cache was tidied a short while ago, by this judge or another."""
        with contextlib.suppress(OSError):
            return time.time() - (self._cache_dir / _TIDIED).stat().st_mtime < _TIDY_S
        return False


def _of_all_cases(
    selection: Selection, outcomes: Mapping[str, CaseOutcome]
) -> list[CaseOutcome]:
    """Outcomes of all cases in the order of the job.

    Args:
        selection: All cases of the job, with the reason of each that was left out.
        outcomes: What the others gave, by the name of the case.
    """
    return [
        outcomes[case.name]
        if case.name in outcomes
        else skipped(case, selection.left_out[case.name])
        for case in selection.cases
    ]


def _first_trace(outcomes: Sequence[CaseOutcome]) -> dict[str, str]:
    """The attachment with the trace of the first case that left one; empty for none."""
    for outcome in outcomes:
        if outcome.trace:
            return {ATTACHMENT: packed(outcome.trace)}
    return {}


def _cost_of_orders(outcomes: Sequence[CaseOutcome]) -> dict[str, str]:
    """How many runs in other orders of cores and pipes there were, and what they cost; empty for none."""
    runs = sum(outcome.orders for outcome in outcomes)
    seconds = sum(outcome.orders_s for outcome in outcomes)
    if not runs:
        return {}
    return {
        "orders": f"{runs} runs in other orders of cores and pipes, {seconds:.1f} s"
    }
