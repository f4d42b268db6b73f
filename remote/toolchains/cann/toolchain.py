"""Jobs for the judge that builds with CANN and runs on a device."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from core.evaluation.records import (
    Candidate,
    CompilerMessage,
    Evaluation,
    Finding,
    Severity,
    VerdictClass,
)
from core.operators.spec import OperatorSpec
from remote.diagnostics.diagnosis import Diagnosis, diagnose
from remote.hosts.port import JobRequest
from remote.hosts.soc import soc_script
from remote.judge import job
from remote.judge.cann.package import PROGRAM_CHANGED
from remote.judge.json_records import plain
from remote.judge.result import Answer
from remote.toolchains.cann.project import (
    BuildPlan,
    dry_run,
    environment_script,
    plan_build,
)
from remote.toolchains.cann.tools import CANN_TOOLS
from remote.toolchains.port import JOB_FORMAT, NO_PROBE, Probe, Tool, Toolchain
from remote.toolchains.twin.toolchain import describe_operator

_LOG_SHOWN = 20_000
_ROOT = "$HOME/.sage/cann"
# Families of messages about the card, not the kernel.
_DEVICE_KINDS = (
    "card-faulty",
    "no-device",
)


@dataclass(frozen=True)
class CannToolchain(Toolchain):
    """Builds with the CANN of the host and runs on one of its NPUs.

    Attributes:
        cache_dir: Where references and builds are kept on the host.
        soc: SoC version of the host's cards, e.g. `Ascend910B1`; empty to ask the host.
        set_env: `set_env.sh` of the host; empty to look for it.
        work_dir: Folder for builds there, short because CANN's own file names are long; empty for the cache.
        warmups: Untimed calls before the timed ones (paper: 5).
        repeats: Timed calls (paper: 100).
        extra_seeds: How often each visible case is repeated, untimed, with inputs of another seed.
        case_limit_s: Wall seconds for one case.
        run_big: Whether cases marked big are run too.
        job_time_limit_s: Wall seconds of a whole evaluation, waiting for a device included.
        allow_unconfined: Whether an operator's own Python runs on a host that has no sandbox.
    """

    cache_dir: Path
    soc: str = ""
    set_env: str = ""
    work_dir: str = ""
    warmups: int = 5
    repeats: int = 100
    extra_seeds: int = 2
    case_limit_s: float = 60.0
    run_big: bool = True
    job_time_limit_s: float = 7200.0
    allow_unconfined: bool = False

    @property
    def name(self) -> str:
        """Name stored with results."""
        return "cann"

    @property
    def label(self) -> str:
        """What the user reads."""
        return f"CANN on {self.soc or 'the cards of the host'}"

    @property
    def device(self) -> str:
        """Device the latencies are of; the judge names it exactly."""
        return self.soc

    def plan(
        self, operator: OperatorSpec, candidate: Candidate, options: str = ""
    ) -> BuildPlan:
        """What will be done on the host; `options` are what a diagnostic needs of the compiler.

        Raises:
            InvalidInput: `soc` is no SoC version.
        """
        return plan_build(
            operator, candidate, self.soc, self.work_dir or _ROOT, self.set_env, options
        )

    def dry_run(self, operator: OperatorSpec, candidate: Candidate) -> str:
        """Every command as one script to paste into a terminal of the host."""
        return dry_run(self.plan(operator, candidate))

    @property
    def diagnostics(self) -> Mapping[str, Tool]:
        """The build alone, msSanitizer, msprof, msDebug, the profiler of torch_npu, output and plog."""
        return CANN_TOOLS

    def request(
        self, operator: OperatorSpec, candidate: Candidate, probe: Probe = NO_PROBE
    ) -> JobRequest:
        """The job that judges `candidate`, or looks into it.

        Raises:
            InvalidInput: The operator's reference file cannot be read, or `soc` is no SoC version.
        """
        plan = self.plan(operator, candidate, probe.options)
        looks = bool(probe.wrap or probe.collect or probe.profiler)
        cann_job = job.CannJob(
            format=JOB_FORMAT,
            operator=describe_operator(operator),
            cases=operator.cases,
            candidate=candidate.files,
            soc=self.soc,
            device=self.device,
            cache_dir=str(self.cache_dir),
            environment=f"{environment_script(self.set_env)}\n{soc_script(self.soc)}",
            plan=job.BuildPlan(plan.files, plan.steps, plan.package),
            work_dir=self.work_dir,
            probe=probe if looks else None,
            warmups=0 if looks else self.warmups,
            repeats=1 if looks else self.repeats,
            extra_seeds=0 if looks else self.extra_seeds,
            case_limit_s=self.case_limit_s,
            run_big=self.run_big,
            build_only=probe.build_only,
            allow_unconfined=self.allow_unconfined,
        )
        return JobRequest(
            uuid.uuid4().hex,
            plain(cann_job),
            self.job_time_limit_s,
            needs_device=not probe.build_only,
        )

    def read(self, candidate: Candidate, host: str, answer: Answer) -> Evaluation:
        """The evaluation in an answer, on the device that it names, its logs read."""
        evaluation = super().read(candidate, host, answer)
        evaluation = replace(
            evaluation, device=evaluation.facts.get("device") or evaluation.device
        )
        logs = answer.logs
        if evaluation.verdict is VerdictClass.FAIL_BUILD:
            diagnosis = diagnose(logs.get("build", ""), operator=evaluation.operator)
            return _read_build(evaluation, diagnosis)
        # No log knows of a program that was changed.
        changed = any(
            finding.rule == PROGRAM_CHANGED for finding in evaluation.findings
        )
        if evaluation.verdict is VerdictClass.FAIL_RUN and not changed:
            return _read_run(evaluation, logs.get("run", ""))
        return evaluation

    def device_fault(self, answer: Answer) -> str:
        """The line in which the log of the run names the card itself as faulty; empty when none does."""
        log, operator = answer.logs.get("run", ""), answer.evaluation.operator
        cause = diagnose(log, operator=operator).cause
        return cause.line if cause.kind in _DEVICE_KINDS else ""


def _read_build(evaluation: Evaluation, diagnosis: Diagnosis) -> Evaluation:
    """A failed build, with the cause its log names; a fault of the machine makes it void."""
    cause = diagnosis.cause
    if not cause.line:
        return evaluation
    text = f"{cause.line}\n{cause.hint}".rstrip()
    messages = tuple(
        CompilerMessage("error", each.line, each.file, each.line_number)
        for each in (cause, *diagnosis.others)
    )
    log = evaluation.build.log[-_LOG_SHOWN:]
    build = replace(
        evaluation.build,
        cause=text,
        stage=str(cause.stage),
        messages=messages,
        log=log,
    )
    verdict = VerdictClass.VOID if cause.environment else VerdictClass.FAIL_BUILD
    return replace(evaluation, verdict=verdict, cause=text, build=build)


def _read_run(evaluation: Evaluation, log: str) -> Evaluation:
    """A failed run: what the device reported becomes the cause and a finding."""
    errors = "\n".join(
        case.detail for case in evaluation.cases if case.status == "run-error"
    )
    diagnosis = diagnose(log, errors, operator=evaluation.operator)
    cause = diagnosis.cause
    if not cause.line:
        return evaluation
    failed = next(
        (case.case for case in evaluation.cases if case.status == "run-error"), ""
    )
    text = f"{cause.line} (case {failed})\n{cause.hint}".rstrip()
    findings = tuple(
        Finding(
            rule=each.kind,
            severity=Severity.ERROR,
            message=each.line,
            file=each.file,
            line=each.line_number,
            case=failed,
            count=each.count,
        )
        for each in (cause, *diagnosis.others)
    )
    notes = (*evaluation.notes, f"Log of the run:\n{log[-_LOG_SHOWN:]}")
    verdict = VerdictClass.VOID if cause.environment else VerdictClass.FAIL_RUN
    return replace(
        evaluation,
        verdict=verdict,
        cause=text,
        findings=(*findings, *evaluation.findings),
        notes=notes,
    )
