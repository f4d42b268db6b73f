"""E as the method sees it: one host with one toolchain, behind the port of `core.evaluation`."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import SageError
from core.evaluation.port import STOPPING, Progress
from core.evaluation.records import (
    CANN_PROFILED,
    BuildReport,
    Candidate,
    Evaluation,
    VerdictClass,
)
from core.operators.measured_kernels import profiled_time
from core.operators.spec import OperatorSpec
from remote.connection.faults import NeedsUser
from remote.connection.timeouts import FORGET
from remote.diagnosing import Diagnosing
from remote.hosts.local import DEFAULT_SLOTS, LocalHost
from remote.hosts.port import Host, JobRequest, JobState, JobUpdate
from remote.hosts.versions import Versions
from remote.toolchains.port import NO_PROBE, Probe, Tool, Toolchain, read_answer
from remote.toolchains.twin import TwinToolchain

if TYPE_CHECKING:
    from remote.hosts.detached import DetachedHost

_ENDINGS = {
    JobState.CANCELLED: "The evaluation was cancelled on the host.",
    JobState.TIMEOUT: "The evaluation took too long.",
    JobState.LOST: "The judge process was lost.",
    JobState.ABSENT: "The host does not know the job.",
}
# Runs of one evaluation that the host loses before it is called void.
_ATTEMPTS = 3
# Where a scheduler may take a job's place for another: those runs do not count as lost.
_MOST_ATTEMPTS = 20
# Lost twice on this computer, it is lost for a reason a third run has as well.
_LOCAL_ATTEMPTS = 2
# The toolchain that builds with the host's CANN.
_CANN = "cann"
# Ended jobs of tickets left on a host: the application may end before it has stored the
# answer.
_KEPT = 32


class HostEvaluator(Diagnosing):
    """Implements `core.evaluation.port.Evaluator`.

    Example:
        >>> evaluator = local_twin_evaluator(Path("cache"))
        >>> evaluation = await evaluator.evaluate(operator, candidate, print)
        >>> evaluation.verdict
        <VerdictClass.PASS: 'pass'>

    Args:
        host: Where to run.
        toolchain: How.
        versions: What the host judges with, as last seen; by default what the host itself remembers.
    """

    def __init__(
        self, host: Host, toolchain: Toolchain, *, versions: Versions | None = None
    ) -> None:
        self.host = host
        self._toolchain = toolchain
        self._detached = _detached(host)
        own = self._detached.versions if self._detached else Versions(host.name)
        self._versions = versions or own
        self._kept: deque[str] = deque()

    @property
    def toolchain_label(self) -> str:
        """The toolchain, as the user reads it."""
        return self._toolchain.label

    @property
    def toolchain_tools(self) -> Mapping[str, Tool]:
        """Diagnostics of the toolchain."""
        return self._toolchain.diagnostics

    @property
    def soc(self) -> str:
        """Processor the toolchain judges for; where the host decides, the one it was last seen to have."""
        return self._toolchain.soc or self._versions.soc

    def soc_for(self, operator: OperatorSpec) -> str:
        """As the toolchain for the operator says, else as `soc`."""
        return self._toolchain.for_operator(operator).soc or self._versions.soc

    @property
    def runs_big(self) -> bool:
        """As the toolchain says."""
        return self._toolchain.run_big

    @property
    def cann(self) -> str:
        """CANN of the host as last seen; empty for a toolchain that does not build with it."""
        return self._versions.cann if self._toolchain.name == _CANN else ""

    @property
    def label(self) -> str:
        """Host and toolchain, as the user reads them."""
        return f"{self.host.label} · {self._toolchain.label}"

    def label_for(self, operator: OperatorSpec) -> str:
        """Host, and the toolchain for the operator."""
        return f"{self.host.label} · {self._toolchain.for_operator(operator).label}"

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
        probe: Probe = NO_PROBE,
    ) -> Evaluation:
        """Judge `candidate` on the host; cancelling the task ends every process of the job.

        With a `probe` the answer is no verdict on the candidate, see `diagnose`.

        Raises:
            NeedsUser: The connection to the host waits for the person.
        """
        try:
            toolchain = self._toolchain.for_operator(operator)
            request = toolchain.request(operator, candidate, probe)
        except SageError as error:
            return self._void(operator, candidate, str(error), self._toolchain)
        try:
            update = await self._run(request, candidate, progress, ticket)
        except NeedsUser:
            raise
        except SageError as error:
            return self._void(operator, candidate, str(error), toolchain)
        evaluation = self._read(operator, candidate, update, toolchain)
        if evaluation.verdict is VerdictClass.VOID and ticket and self.host.keeps_jobs:
            await self._forget_all(ticket, candidate)
        return evaluation

    def _read(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        update: JobUpdate,
        toolchain: Toolchain,
    ) -> Evaluation:
        """The evaluation in the end of a job."""
        if update.state is not JobState.DONE or update.result is None:
            cause = update.detail or _ENDINGS.get(update.state, "")
            return self._void(operator, candidate, cause, toolchain)
        try:
            answer = read_answer(update.result)
            evaluation = toolchain.read(candidate, self.host.name, answer)
        except SageError as error:
            return self._void(operator, candidate, str(error), toolchain)
        if toolchain.name == _CANN:
            self._versions.note(evaluation.facts)
        return _beside_profile(operator, evaluation)

    async def _forget_all(self, ticket: str, candidate: Candidate) -> None:
        """Remove what came to no verdict from the host: who asks again must not get the same end again."""
        for attempt in range(1, self._most_attempts + 1):
            job = job_of(ticket, candidate, self._toolchain.name, attempt)
            with contextlib.suppress(SageError, TimeoutError):
                await asyncio.wait_for(self.host.forget(job), FORGET)

    async def knows(self, ticket: str, candidate: Candidate) -> bool:
        """Whether the host has a job of this ticket already."""
        job = job_of(ticket, candidate, self._toolchain.name, 1)
        return self._detached is not None and await self._detached.knows(job)

    async def drop(self, ticket: str, candidate: Candidate) -> None:
        """End and forget the jobs of a ticket on the host, once it can be reached."""
        for attempt in range(1, self._most_attempts + 1):
            job = job_of(ticket, candidate, self._toolchain.name, attempt)
            await self.host.cancel(job)
            await self.host.forget(job)

    def retry(self) -> None:
        """Let the connection be opened again, if it waited for the person."""
        if self._detached is not None:
            self._detached.connection.retry()

    async def close(self) -> None:
        """End the host's workers, or close the connection to it."""
        await self.host.close()

    async def _run(
        self, request: JobRequest, candidate: Candidate, progress: Progress, ticket: str
    ) -> JobUpdate:
        """Take a job to its end, again when its host lost it through no fault of its own."""
        keeps = self.host.keeps_jobs
        lost = 0
        for attempt in range(1, self._most_attempts + 1):
            # A job of a ticket is found again after a restart, so its id follows from the ticket.
            if keeps and ticket:
                request = replace(
                    request,
                    job=job_of(ticket, candidate, self._toolchain.name, attempt),
                )
            elif attempt > 1:
                request = replace(request, job=f"{request.job}-{attempt}")
            update = await self._run_once(
                request, progress, keeps_job=keeps and bool(ticket)
            )
            unhealthy = self._quarantine_devices(update, candidate, progress)
            lost += not update.state.is_taken_away
            if lost == _ATTEMPTS or not (
                unhealthy or self._may_be_repeated(update.state, attempt)
            ):
                break
            progress(
                f"{unhealthy or update.detail or 'The job was lost.'} It will run again."
            )
        return update

    @property
    def _most_attempts(self) -> int:
        scheduled = self._detached is not None and self._detached.settings.scheduler
        return _MOST_ATTEMPTS if scheduled else _ATTEMPTS

    def _may_be_repeated(self, state: JobState, attempt: int) -> bool:
        """Whether a job that ended so is run again. A judge that this computer cannot even start is not."""
        if self.host.keeps_jobs:
            return state.is_lost
        return state is JobState.LOST_KILLED and attempt < _LOCAL_ATTEMPTS

    def _quarantine_devices(
        self, update: JobUpdate, candidate: Candidate, progress: Progress
    ) -> str:
        """Tell the host how its devices did; what spoiled a result, empty when none did.

        The answer lists the devices that were used, and the fault of those that failed. What only the log
        tells, the toolchain reads.

        Raises:
            InvalidInput: The result does not have the agreed form.
        """
        if update.result is None or not update.result.get("devices"):
            return ""
        answer = read_answer(update.result)
        fault_in_log = self._toolchain.device_fault(answer)
        # The last device that failed is named; one is enough to run the job again.
        spoiled = ""
        for device in answer.devices:
            unit, fault = device.unit, device.fault or fault_in_log
            if (
                unit
                and self._detached is not None
                and self._detached.quarantined.note(unit, fault)
            ):
                progress(f"{unit} of {self.host.label} is excluded: {fault}")
            if fault:
                name = unit or "The device"
                spoiled = f"{name} of {self.host.label} failed: {fault}."
        evaluation = self._toolchain.read(candidate, self.host.name, answer)
        if evaluation.verdict is not VerdictClass.VOID:
            return ""
        return spoiled or "The environment failed."

    async def _run_once(
        self, request: JobRequest, progress: Progress, *, keeps_job: bool
    ) -> JobUpdate:
        """Start or adopt a job and follow it. One of a ticket is forgotten only later, see `_KEPT`."""
        job = request.job
        try:
            await self.host.start(request)
            update = await self._follow(job, progress)
        except asyncio.CancelledError as cancelled:
            # A job that outlives the application is followed again by its next start.
            if not (self.host.keeps_jobs and STOPPING in cancelled.args):
                await asyncio.shield(self.host.cancel(job))
                await self.host.forget(job)
            raise
        if keeps_job:
            self._kept.append(job)
            job = self._kept.popleft() if len(self._kept) > _KEPT else ""
        if job:
            await self.host.forget(job)
        return update

    async def _follow(self, job: str, progress: Progress) -> JobUpdate:
        position = 0
        while True:
            update = await self.host.follow(job, position)
            position = update.position
            for line in update.progress:
                progress(line)
            if update.state.is_final:
                return update

    def _void(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        cause: str,
        toolchain: Toolchain,
    ) -> Evaluation:
        """An evaluation the environment spoiled: no verdict on the candidate."""
        return Evaluation(
            candidate=candidate.digest,
            operator=operator.name,
            verdict=VerdictClass.VOID,
            cause=cause,
            build=BuildReport(ok=False, cause=cause),
            host=self.host.name,
            toolchain=toolchain.name,
            device=toolchain.device,
        )


def _beside_profile(operator: OperatorSpec, evaluation: Evaluation) -> Evaluation:
    """The evaluation with what CANN's own kernels took in the profile its task was made of."""
    if evaluation.latency is None:
        return evaluation
    timed = {case.case for case in evaluation.cases if case.is_timed}
    took = profiled_time(operator, timed)
    if took is None:
        return evaluation
    return replace(evaluation, facts={**evaluation.facts, CANN_PROFILED: str(took)})


def _detached(host: Host) -> DetachedHost | None:
    """`host` when its jobs outlive the application. What it takes to reach one is not imported for others."""
    if not host.keeps_jobs:
        return None
    from remote.hosts.detached import DetachedHost

    return host if isinstance(host, DetachedHost) else None


def job_of(ticket: str, candidate: Candidate, toolchain: str, attempt: int) -> str:
    """Job id of an evaluation: the same whenever the application asks for the same thing again."""
    text = f"{ticket}\0{candidate.digest}\0{toolchain}\0{attempt}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def local_twin_evaluator(
    cache_dir: Path,
    soc: str = "Ascend910B1",
    slots: int = DEFAULT_SLOTS,
    *,
    run_big: bool = False,
    cold: bool = False,
    schedules: int | None = None,
) -> HostEvaluator:
    """The evaluator that needs neither NPU nor CANN: this computer, CPU twin.

    Args:
        cache_dir: Where builds and references are kept; may be deleted at any time.
        soc: Processor to model.
        slots: Evaluations that may run at the same time.
        run_big: Whether cases marked as too large for the twin run too.
        cold: Whether the first launch is modelled, with nothing in L2.
        schedules: Other orders of cores and pipes every case is run in; None leaves it to the kernel.
    """
    toolchain = twin_toolchain(
        cache_dir, soc, run_big=run_big, cold=cold, schedules=schedules
    )
    return HostEvaluator(LocalHost(slots), toolchain)


def twin_toolchain(
    cache_dir: Path,
    soc: str,
    *,
    run_big: bool = False,
    cold: bool = False,
    schedules: int | None = None,
    headers_dir: Path | None = None,
) -> TwinToolchain:
    """The CPU twin that ships with the application.

    Candidates are checked against the header sets of CANN in `headers_dir`, where one is given.
    `SAGE_ALLOW_UNCONFINED=1` in the environment lets candidates run where there is no sandbox.
    """
    twin_dir = Path(str(resources.files("resources") / "twin"))
    unconfined = os.environ.get("SAGE_ALLOW_UNCONFINED") == "1"
    return TwinToolchain(
        cache_dir.resolve(),
        twin_dir,
        soc,
        run_big=run_big,
        cold=cold,
        schedules=schedules,
        allow_unconfined=unconfined,
        headers_dir=headers_dir,
    )
