"""One call of a candidate: op_host is asked for its tiling, the kernel is launched, each in its own process.

The tiling program sees shapes, attributes and the values of small integer inputs; the kernel program sees its
tensors. Neither sees an expected result, another case or a file. What they answer is checked, and the judge
itself makes the memory of the launch, reads the outputs after the kernel's process is gone and notices
changed inputs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.evaluation.records import Finding, Severity
from core.operators.spec import TestCase
from remote.judge.building.built_program import Programs
from remote.judge.building.processors import Processor
from remote.judge.faults import EnvironmentFault, UnexplainedEnd
from remote.judge.inputs.case_data import CaseData
from remote.judge.job import Operator
from remote.judge.machine.machine_faults import MachineState, machine_state
from remote.judge.processes.channels import Answer, ask, ask_simulator, shared_memory
from remote.judge.processes.children import Finished, Limits
from remote.judge.processes.launcher import Launcher
from remote.judge.running.account import Account
from remote.judge.running.answers import (
    MOST_BLOCKS,
    Inferred,
    KernelAnswer,
    Launch,
    Malformed,
    TilingAnswer,
    read_kernel,
    read_tiling,
)
from remote.judge.running.memory_layout import Layout, lay_out
from remote.judge.running.requests import (
    call_request,
    host_values,
    kernel_request,
    launch_request,
)
from remote.judge.running.trace import MOST_TRACE, left_trace

GRACE_S = 10.0  # seconds a run may take beyond its kernel's time limit (loading, host side, writing)
# A kernel gets a second more for this many bytes of inputs and outputs.
_BYTES_PER_S = 4e6
# Exit codes of our programs and of the sandbox when they cannot work. A candidate can leave with them, too.
_OF_OUR_OWN = (1, 64, 70)
_FROM_OUTSIDE = frozenset(
    {"SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"}
)  # or from the candidate itself
_IDLE_SHARE = 0.1  # of a CPU: a run that used less slept
_HOST_MB = 1024  # MiB of address space of op_host, besides values; it computes a tiling
# MiB of address space of a kernel's process, which holds no tensor, besides addresses
# behind which nothing lies: 75 cores with a stack of 8 MiB, and 24 MiB of addresses for
# on-chip memories (`local_memory_impl.h` of the twin), each.
_KERNEL_MB = 2560
_GAP_MB = 16  # behind each tensor, see `memory.h` of the twin
_PATIENCE = 2  # times the time of one process that two may take which take turns
_MOST_STARTS = 6  # each with a task that is surer than the one before
_LOG_KEPT = 2000
_TOO_MUCH_WORK = (
    "the kernel computes between its calls, in C++ of its own, far longer than its modelled scalar work "
    "takes; the model does not know what that costs, so there is no latency: compute with vector or matrix "
    "instructions"
)


@dataclass
class RunReport:
    """One call of a candidate: what its programs answered, or how they ended."""

    findings: list[Finding]
    log: str = ""
    inferred: list[Inferred] = field(default_factory=list)
    changed_inputs: Sequence[str] = ()
    launch: Launch | None = None
    trace: bytes = b""
    tiling_key: int = 0
    outputs: list[memoryview] = field(default_factory=list)


@dataclass(frozen=True)
class RunSettings:
    """How runs are made.

    Attributes:
        soc: Modelled processor.
        time_limit_s: CPU seconds one kernel launch may use. A kernel that waits uses none, so it may also sleep
            no longer than that at a stretch.
        memory_mb: Address space of a run in MiB, besides that of its tensors.
        strict: Whether warnings that lose data on hardware fail the run.
        scratch: Folder for the files of runs.
        processor: Numbers of the modelled processor, measured constants among them.
        constants: Those that were measured on a card, by name.
        device: What modelled latencies are of; empty for the processor with the shipped constants.
        fast: Whether races and unwritten bytes are left unchecked.
        second_pattern: Whether outputs start as the pattern of a second run.
        unforeseen: Whether outputs start with unpredictable bytes, as workspaces always do.
        trace: Whether the launch keeps what every pipe did and when.
        regrouped: Whether blocks are dealt to the kernel's processes in another way.
        schedule: 0, or the number of another order of cores and pipes.
        cold: Whether nothing of the tensors lies in L2 at the launch; else launches before it used them.
        is_short_of_memory: Whether the machine has less for a run than the job allows.
        account: Of all runs of the evaluation.
    """

    soc: str
    time_limit_s: float
    memory_mb: int
    strict: bool
    scratch: Path
    processor: Processor
    constants: Mapping[str, float] = field(default_factory=dict)
    device: str = ""
    fast: bool = False
    second_pattern: bool = False
    unforeseen: bool = False
    trace: bool = False
    regrouped: bool = False
    schedule: int = 0
    cold: bool = False
    is_short_of_memory: bool = False
    account: Account = field(default_factory=Account, compare=False)


def launch(
    operator: Operator,
    case: TestCase,
    data: CaseData,
    programs: Programs,
    settings: RunSettings,
    folder: Path,
    launcher: Launcher,
) -> tuple[RunReport, float]:
    """Run a candidate on `case`; what it left in the outputs is in the report.

    Returns:
        A report (what its programs answered, or how they ended) and the seconds it took.

    Raises:
        EnvironmentFault: The machine failed, not the candidate.
        UnavailableCase: The case cannot be described to the candidate.
        UnexplainedEnd: It is not known whose fault the end was, which happened for the
            first time in this evaluation. A second time it is the candidate's.
        Cancelled: The job was cancelled.
    """
    limit = settings.time_limit_s + _bytes_of(data) / _BYTES_PER_S
    # The tensors themselves are no fault of the kernel.
    memory_mb = settings.memory_mb + (4 * _bytes_of(data) >> 20)
    settings = replace(settings, time_limit_s=round(limit, 2), memory_mb=memory_mb)
    call = _Call(operator, case, data, programs, settings, folder, launcher)
    tiling, ended, seconds = call.tile()
    report = RunReport(ended)
    if tiling is not None:
        inferred = list(tiling.inferred)
        report = RunReport(
            [*tiling.findings, *ended],
            tiling.log,
            inferred,
            tiling_key=tiling.tiling_key,
        )
    if tiling is not None and not ended and tiling.done:
        seconds += call.run(tiling, report)
    return report, seconds


@dataclass(frozen=True)
class _Ended(Answer):
    """An answer, and how its program ended where nothing else explains that.

    `kernel_s`: CPU seconds of a kernel. `simulator`: what its simulator answered, where the kernel's end
    decides; `memory_mb`: MiB the kernel had then.
    """

    again: str
    kernel_s: float = 0.0
    simulator: bytes = b""
    memory_mb: int = 0


@dataclass(frozen=True)
class _Call:
    """One call of the candidate, see `launch`."""

    operator: Operator
    case: TestCase
    data: CaseData
    programs: Programs
    settings: RunSettings
    folder: Path
    launcher: Launcher

    def tile(self) -> tuple[TilingAnswer | None, list[Finding], float]:
        """Ask op_host; its answer if it gave one, a finding if it gave none or crashed, and the seconds."""
        values, offsets = host_values(self.operator, self.data)
        request = call_request(
            self.operator, self.case, self.data, self.settings.soc, offsets
        )
        memory_mb = min(self.settings.memory_mb, _HOST_MB + (4 * len(values) >> 20))
        limits = Limits(self._allowed_s, math.ceil(self._allowed_s), memory_mb)
        with shared_memory(len(values)) as (file, memory):
            memory[: len(values)] = values
            answer = self._ask_op_host(request, file, limits)
        try:
            tiling = read_tiling(answer.text)
        except Malformed as fault:
            ended = self._finding_of_end(answer, fault, memory_mb)
            return None, [ended], answer.finished.seconds
        expected = (len(self.data.outputs), len(self.data.outputs))
        if tiling.done and (len(tiling.made), len(tiling.inferred)) != expected:
            why = Malformed("it speaks of another number of outputs")
            ended = self._finding_of_end(answer, why, memory_mb)
            return None, [ended], answer.finished.seconds
        return tiling, [], answer.finished.seconds

    def run(self, tiling: TilingAnswer, report: RunReport) -> float:
        """Launch the kernel; completes the report and returns the seconds it took."""
        if refusal := self._beyond_the_card(tiling):
            report.findings.append(refusal)
            return 0.0
        try:
            settings = self.settings
            remains = self._remains.to_bytes(8) if settings.unforeseen else b""
            layout = lay_out(
                self.operator,
                self.case,
                self.data,
                tiling,
                second_pattern=settings.second_pattern,
                remains=remains,
            )
        except Malformed as fault:
            report.findings.append(finding_of_judge("operator-definition", str(fault)))
            return 0.0
        most = self.settings.memory_mb << 20
        if layout.size + sum(tiling.workspaces) > most:
            who = f"kernel {self.operator.snake} or its op_host"
            report.findings.append(self._too_much_memory(who, self.settings.memory_mb))
            return 0.0
        seconds = 0.0
        task: tuple[int, ...] = ()
        for _ in range(_MOST_STARTS):
            took, task = self._run_once(tiling, layout, task, report)
            seconds += took
            if not task:
                break
        return seconds

    def _run_once(
        self,
        tiling: TilingAnswer,
        layout: Layout,
        task: Sequence[int],
        report: RunReport,
    ) -> tuple[float, tuple[int, ...]]:
        """Launch the kernel in a process that knows nothing yet, on cores that `task` tells.

        Returns:
            The seconds it took; on what other cores it has to start again, empty for none.
        """
        room = MOST_TRACE if self.settings.trace else 0
        request = launch_request(
            self.operator.snake,
            self.settings.soc,
            self.settings.time_limit_s,
            tiling,
            layout,
            strict=self.settings.strict,
            fast=self.settings.fast,
            trace=room,
            schedule=self.settings.schedule,
            cold=self.settings.cold,
            constants=self.settings.constants,
            task=task,
            apart=self._apart(tiling.block_dim),
            remains=self._remains,
        )
        limits = Limits(
            self._allowed_s, math.ceil(self._allowed_s), self.settings.memory_mb
        )
        with shared_memory(layout.size + room) as (file, memory):
            layout.fill(file)
            kernels = 2 if self._apart(tiling.block_dim) else 1
            memory_mb = layout.size + sum(tiling.workspaces) >> 20
            kernel_mb = _KERNEL_MB + memory_mb + _GAP_MB * len(layout.places)
            own = replace(limits, memory_mb=min(limits.memory_mb, kernel_mb))
            answer = self._ask_simulator(request, file, limits, own, kernels)
            if room:
                report.trace = left_trace(memory, layout.size)
            kernel = self._kernel_answer(answer, report)
            if kernel is not None and kernel.launch.completed:
                self._finish(layout, memory, report)
        again = () if kernel is None else kernel.launch.starts_again
        return answer.finished.seconds, again

    @property
    def _remains(self) -> int:
        """Seed of what memory holds before: another for each candidate and run of a case, so that none knows it.

        Even for the first run, which holds no zeros then, odd for the others.
        """
        settings = self.settings
        how = (settings.schedule, settings.second_pattern, settings.unforeseen)
        build = self.programs.kernel.parent.name
        seed = f"{build}/{self.case.name}/{self.case.seed}/{how}"
        draw = random.Random(seed).getrandbits(64)
        return draw | 1 if any(how) else draw & ~1

    def _apart(self, block_dim: int) -> str:
        """Which blocks of a timed launch a second process of its kernel runs, one digit a block; empty for none.

        Cores share no memory but the global one. In one process they could meet elsewhere, at no cost. Who
        meets whom, and how many there are, follows from the seed of the case, which no candidate knows.
        """
        if not self.case.timed or block_dim < 2:
            return ""
        seed = f"{self.case.seed}/{self.settings.regrouped}"
        bits = random.Random(seed).getrandbits(block_dim)
        digits = f"{bits:0{block_dim}b}"
        if len(set(digits)) == 1:
            digits = digits[:-1] + ("0" if digits[0] == "1" else "1")
        return digits

    def _beyond_the_card(self, tiling: TilingAnswer) -> Finding | None:
        """The finding about blocks or workspace that no launch on the card can have."""
        if tiling.block_dim > MOST_BLOCKS:
            limit = f"{MOST_BLOCKS} blocks"
            message = f"SetBlockDim({tiling.block_dim}): a launch has at most {limit}"
            return finding_of_judge("block-dim", message, limit)
        workspace_bytes = sum(tiling.workspaces)
        hbm_bytes = self.settings.processor.hbm_bytes
        if workspace_bytes > hbm_bytes:
            limit = f"{hbm_bytes >> 30} GiB of {self.settings.soc}"
            message = (
                f"GetWorkspaceSizes asks for {workspace_bytes / (1 << 30):.3g} GiB, more than the "
                f"{limit}"
            )
            return finding_of_judge("memory-limit", message, limit)
        return None

    def _finish(self, layout: Layout, memory: Any, report: RunReport) -> None:
        """Read what the kernel left in memory: outputs, shapes it decided, inputs it changed."""
        report.changed_inputs = layout.changed_inputs(memory)
        report.outputs = [
            layout.output(memory, index) for index in range(len(self.data.outputs))
        ]
        for index, shape in layout.kernel_shapes(memory).items():
            report.inferred[index] = replace(
                report.inferred[index],
                has_shape=True,
                by_kernel=True,
                shape=shape or (),
            )
            if shape is None:
                message = (
                    f"The kernel gives {self.data.outputs[index].name} no shape: the shape of an output "
                    "declared OutputShapeDependOnCompute has a rank of at most 8 in its first number."
                )
                report.findings.append(finding_of_judge("kernel-shape", message))

    def _kernel_answer(self, answer: _Ended, report: RunReport) -> KernelAnswer | None:
        try:
            kernel = read_kernel(answer.text)
        except Malformed as fault:
            memory_mb = answer.memory_mb or self.settings.memory_mb
            ended = self._finding_of_end(answer, fault, memory_mb)
            report.findings.append(_at_place(ended, answer.simulator))
            report.log = report.log or answer.finished.output[-_LOG_KEPT:]
            return None
        if kernel.launch.starts_again:
            return kernel
        report.findings += kernel.findings
        report.launch = kernel.launch
        if kernel.launch.completed and answer.kernel_s > kernel.launch.own_work_s:
            report.launch = replace(kernel.launch, unmodelled=True)
            report.findings.append(
                finding_of_judge(
                    "scalar-work", _TOO_MUCH_WORK, severity=Severity.WARNING
                )
            )
        return kernel

    @property
    def _allowed_s(self) -> float:
        return self.settings.time_limit_s + GRACE_S

    def _ask_op_host(self, request: str, memory: int, limits: Limits) -> _Ended:
        """Run op_host; its answer does not count where its end is the candidate's own doing."""
        before = machine_state()
        program = self.programs.tiling
        answer = ask(
            program, request.encode(), memory, limits, self.launcher, self.folder
        )
        self._check_programs(answer)
        self._charge(answer.finished)
        how = self._how_it_ended("op_host", answer, before)
        return _Ended(b"" if how else answer.text, answer.finished, how)

    def _ask_simulator(
        self, request: str, memory: int, limits: Limits, own: Limits, kernels: int
    ) -> _Ended:
        """Run the kernel on its simulator, whose answer does not count where the kernel ended it."""
        before = machine_state()
        patient = replace(limits, wall_s=_PATIENCE * limits.wall_s, company=[])
        cpu_s, memory_mb = math.ceil(self.settings.time_limit_s), own.memory_mb
        own = replace(patient, cpu_s=cpu_s, memory_mb=memory_mb)
        answer, ended = ask_simulator(
            self.programs.simulator,
            self.programs.kernel,
            kernels,
            request.encode(),
            kernel_request(request).encode(),
            memory,
            patient,
            own,
            self.launcher,
            self.folder,
        )
        self._check_programs(answer)
        self._charge(answer.finished, *ended)
        for kernel in ended:
            how = self._how_it_ended("the kernel", Answer(b"", kernel), before)
            # A simulator that stops leaves its kernel writing without a reader.
            was_left = kernel.code == 0 or kernel.signal_name == "SIGPIPE"
            if how or kernel.timed_out or not was_left:
                return _Ended(
                    b"", kernel, how, simulator=answer.text, memory_mb=memory_mb
                )
        how = self._how_it_ended("the simulator", answer, before)
        used_s = sum(kernel.cpu_s for kernel in ended)
        return _Ended(b"" if how else answer.text, answer.finished, how, used_s)

    def _charge(self, *programs: Finished) -> None:
        self.settings.account.add(programs, _bytes_of(self.data) / _BYTES_PER_S)

    def _check_programs(self, answer: Answer) -> None:
        """A program that says nothing may be gone.

        Raises:
            EnvironmentFault: It is.
        """
        if not answer.text and not self.programs.exist():
            raise EnvironmentFault(
                "The built program vanished: was the cache folder emptied?"
            )

    def _how_it_ended(self, who: str, answer: Answer, before: MachineState) -> str:
        """How a program ended where that alone tells nothing of whose fault it was; empty for any other end.

        Raises:
            EnvironmentFault: It was the machine's.
            UnexplainedEnd: It is the first of this evaluation.
        """
        finished, how = answer.finished, ""
        if finished.used is not None:
            if finished.used.overloaded:
                raise EnvironmentFault(
                    f"The machine is too busy to judge: a run had {finished.used.cpu_s:.1f} s of CPU time in "
                    f"{finished.seconds:.0f} s. Close other programs, or evaluate on another machine."
                )
        elif finished.signal_name in _FROM_OUTSIDE:
            how = f"was ended by {finished.signal_name} ({who})"
        elif finished.code in _OF_OUR_OWN and not answer.text:
            how = f"ended with exit code {finished.code} ({who})"
        killed = finished.signal_name == "SIGKILL"
        if how and (cause := before.cause_of_end(self.folder, was_killed=killed)):
            raise EnvironmentFault(cause)
        if how and self.settings.account.note_unexplained():
            raise UnexplainedEnd(how)
        return how

    def _too_much_memory(self, who: str, memory_mb: int) -> Finding:
        """The finding about what asked for more memory than a run has.

        Raises:
            EnvironmentFault: The machine has less for it than the job allows.
        """
        limit = f"{memory_mb} MiB of memory"
        message = f"{who} asked for more than {limit}"
        if self.settings.is_short_of_memory and memory_mb == self.settings.memory_mb:
            raise EnvironmentFault(
                f"{message}, all that this machine has for a run. Close other programs, "
                "or evaluate on a larger machine."
            )
        return finding_of_judge("memory-limit", message, limit)

    def _finding_of_end(
        self, answer: _Ended, fault: Malformed, memory_mb: int
    ) -> Finding:
        """The finding that explains a program which gave no answer that can be read."""
        finished = answer.finished
        kernel, settings = self.operator.snake, self.settings
        signal_name, who = finished.signal_name, f"kernel {kernel} or its op_host"
        limit = f"{settings.time_limit_s:g} s"
        if (
            finished.used is not None
            and finished.used.cpu_s < _IDLE_SHARE * finished.seconds
        ):
            message = (
                f"{who} slept for {finished.seconds:.0f} s, of which it computed {finished.used.cpu_s:.1f} "
                "s, and had to be killed: it waits for something that does not come"
            )
            return finding_of_judge("deadlock", message, limit)
        if finished.timed_out or signal_name == "SIGXCPU":
            message = f"{who} did not end within {limit} and had to be killed"
            return finding_of_judge("time-limit", message, limit)
        if "bad_alloc" in finished.output:
            return self._too_much_memory(who, memory_mb)
        words = finished.output.strip().splitlines()[-1:]
        how = answer.again or (
            f"crashed with {signal_name}"
            if signal_name
            else f"ended with exit code {finished.code}"
        )
        if finished.code in (0, 70) and not signal_name and not answer.again:
            how += f" and an answer that cannot be read ({fault})"
        return finding_of_judge("crash", ": ".join([f"kernel {kernel} {how}", *words]))


def _at_place(end_finding: Finding, simulator: bytes) -> Finding:
    """The finding about the end of a kernel, with the core and the call at which its simulator missed it."""
    try:
        findings = read_kernel(simulator).findings
    except Malformed:
        return end_finding
    missed = next(
        (finding for finding in findings if finding.rule == "crash"), end_finding
    )
    return replace(
        end_finding,
        core=missed.core,
        call=missed.call,
        file=missed.file,
        line=missed.line,
    )


def _bytes_of(data: CaseData) -> int:
    """Bytes of all inputs and outputs of a case."""
    return sum(file.bytes for file in (*data.input_files, *data.outputs))


def finding_of_judge(
    rule: str, message: str, limit: str = "", severity: Severity = Severity.ERROR
) -> Finding:
    """A finding about a whole run, in the form the runner reports its own."""
    return Finding(rule, severity, message, limit=limit)
