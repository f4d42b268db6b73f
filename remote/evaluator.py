"""E as the method sees it: one host with one toolchain, behind the port of `core.evaluation`."""

from __future__ import annotations

import asyncio
from importlib import resources
from pathlib import Path

from core.errors import SageError
from core.evaluation.port import Progress
from core.evaluation.records import BuildReport, Candidate, Evaluation, VerdictClass
from core.operators.spec import OperatorSpec
from remote.hosts.local import DEFAULT_SLOTS, LocalHost
from remote.hosts.port import Host, JobState, JobUpdate
from remote.toolchains.port import Toolchain
from remote.toolchains.twin import TwinToolchain

_ENDINGS = {
    JobState.CANCELLED: "The evaluation was cancelled on the host.",
    JobState.TIMEOUT: "The evaluation took too long.",
    JobState.LOST: "The judge was lost.",
    JobState.ABSENT: "The host does not know the job.",
}


class HostEvaluator:
    """Implements `core.evaluation.port.Evaluator`.

    Example:
        >>> evaluator = local_twin_evaluator(Path("cache"))
        >>> evaluation = await evaluator.evaluate(operator, candidate, print)
        >>> evaluation.verdict
        <VerdictClass.PASS: 'pass'>
    """

    def __init__(self, host: Host, toolchain: Toolchain) -> None:
        self._host = host
        self._toolchain = toolchain

    @property
    def label(self) -> str:
        """Host and toolchain, as the user reads them."""
        return f"{self._host.label} · {self._toolchain.label}"

    async def evaluate(self, operator: OperatorSpec, candidate: Candidate, progress: Progress) -> Evaluation:
        """Judge `candidate` on the host; cancelling the task ends every process of the job."""
        try:
            request = self._toolchain.request(operator, candidate)
        except SageError as error:
            return self._void(operator, candidate, str(error))
        job = request.job
        await self._host.start(request)
        try:
            update = await self._follow(job, progress)
        except asyncio.CancelledError:
            await asyncio.shield(self._host.cancel(job))
            raise
        finally:
            await self._host.forget(job)
        if update.state is not JobState.DONE or update.result is None:
            return self._void(operator, candidate, update.detail or _ENDINGS.get(update.state, ""))
        try:
            return self._toolchain.read(candidate, self._host.name, update.result)
        except SageError as error:
            return self._void(operator, candidate, str(error))

    async def close(self) -> None:
        """End the host's workers."""
        await self._host.close()

    async def _follow(self, job: str, progress: Progress) -> JobUpdate:
        position = 0
        while True:
            update = await self._host.follow(job, position)
            position = update.position
            for line in update.progress:
                progress(line)
            if update.state.is_final:
                return update

    def _void(self, operator: OperatorSpec, candidate: Candidate, cause: str) -> Evaluation:
        """An evaluation the environment spoiled: no verdict on the candidate."""
        return Evaluation(
            candidate=candidate.digest, operator=operator.name, verdict=VerdictClass.VOID, cause=cause,
            build=BuildReport(ok=False, cause=cause), host=self._host.name, toolchain=self._toolchain.name,
            device=self._toolchain.device,
        )  # fmt: skip


def local_twin_evaluator(
    cache_dir: Path, soc: str = "Ascend910B1", slots: int = DEFAULT_SLOTS
) -> HostEvaluator:
    """The evaluator that needs neither NPU nor CANN: this computer, CPU twin.

    Args:
        cache_dir: Where builds and references are kept; may be deleted at any time.
        soc: Processor to model.
        slots: Evaluations that may run at the same time.
    """
    twin_dir = Path(str(resources.files("resources") / "twin"))
    return HostEvaluator(LocalHost(slots), TwinToolchain(cache_dir.resolve(), twin_dir, soc))
