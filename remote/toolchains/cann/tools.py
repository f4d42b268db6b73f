"""The diagnostics of CANN, under the names by which those of the CPU twin answer the same questions.

A tool is put before the command that runs one case, its files come back as attachments, and a reader of
`remote.diagnostics` says what they hold. Output that cannot be read is a fault of the tool, never of the
kernel.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.evaluation.bottleneck import bottleneck
from core.evaluation.records import (
    FAULTS,
    DiagnosticResult,
    Evaluation,
    Finding,
    Severity,
)
from remote.diagnostics.device_output import read_device_output
from remote.diagnostics.plog import errors_of, read_plog
from remote.diagnostics.profiles import (
    imbalance,
    read_basics,
    read_kernel_details,
    read_pipe_utilization,
)
from remote.diagnostics.sanitizer import read_sanitizer
from remote.diagnostics.tool_output import UnreadableOutput
from remote.toolchains.answers import LOG_SHOWN, RUN_LOG, guarded, read_build
from remote.toolchains.port import Probe, Tool

_MOST_SHOWN = 40


@guarded
def _sanitizer(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    log = evaluation.attachments.get(RUN_LOG, "")
    findings = read_sanitizer(log)
    grave = [finding for finding in findings if finding.severity in FAULTS]
    summary = (
        f"errors and hazards: {len(grave)}, warnings: {len(findings) - len(grave)}"
    )
    return DiagnosticResult(
        tool, ok=not grave, summary=summary, findings=findings, log=log[-LOG_SHOWN:]
    )


@guarded
def _profile(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    pipes = read_pipe_utilization(*_file(evaluation, "PipeUtilization.csv"))
    (launch, *_) = read_basics(*_file(evaluation, "OpBasicInfo.csv"))
    throttled = ", below its rated clock" if launch.throttled else ""
    summary = (
        f"{launch.name}: {launch.duration_us:.2f} us measured on {launch.block_dim} "
        f"blocks{throttled}; {bottleneck(pipes).label}, slowest core "
        f"{imbalance(pipes):.2f} times the mean"
    )
    log = "\n".join(
        f"# {name}\n{text}" for name, text in evaluation.attachments.items()
    )
    return DiagnosticResult(
        tool, ok=True, summary=summary, profile=pipes, log=log[:LOG_SHOWN]
    )


@guarded
def _trace(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    text, source = _file(evaluation, "kernel_details.csv")
    kernels = read_kernel_details(text, source)
    own = [
        kernel
        for kernel in kernels
        if evaluation.operator.lower() in kernel.kind.lower()
    ]
    listed = "; ".join(
        f"{kernel.name} {kernel.duration_us:.2f} us on {kernel.core}"
        for kernel in kernels[:8]
    )
    summary = (
        f"{len(kernels)} kernels ran, {len(own)} of them the candidate's: {listed}"
    )
    return DiagnosticResult(tool, ok=bool(own), summary=summary, log=text[:LOG_SHOWN])


@guarded
def _output(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    log = evaluation.attachments.get(RUN_LOG, "")
    output = read_device_output(log)
    summary = f"{len(output.dumps)} dumps, {len(output.printed)} printed lines"
    return DiagnosticResult(
        tool,
        ok=bool(output.dumps or output.printed),
        summary=summary,
        log=log[-LOG_SHOWN:],
    )


@guarded
def _plog(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    texts = [
        text
        for name, text in evaluation.attachments.items()
        if name.endswith(".log") and name != RUN_LOG
    ]
    entries = read_plog("\n".join(texts), "the plog of the run")
    errors = errors_of(entries)
    findings = tuple(
        Finding(
            rule=f"plog-{entry.module.lower()}",
            severity=Severity.ERROR,
            message=entry.message,
            count=entry.count,
        )
        for entry in errors[:_MOST_SHOWN]
    )
    summary = f"{len(errors)} errors among {len(entries)} messages"
    log = "\n".join(texts)[-LOG_SHOWN:]
    return DiagnosticResult(
        tool, ok=not errors, summary=summary, findings=findings, log=log
    )


@guarded
def _debugger(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    log = evaluation.attachments.get(RUN_LOG, "")
    stops = [
        line.strip()
        for line in log.splitlines()
        if "stop reason" in line or "exited with" in line
    ]
    if not stops:
        remedy = "msDebug needs the driver's debug switch: `echo 1 > /proc/debug_switch` as root."
        raise UnreadableOutput(
            "the output of msdebug", "it names no stop and no end", remedy
        )
    return DiagnosticResult(tool, ok=True, summary=stops[-1], log=log[-LOG_SHOWN:])


def _file(evaluation: Evaluation, name: str) -> tuple[str, str]:
    """Text and name of the attachment whose path ends with `name`."""
    for path, text in evaluation.attachments.items():
        if path.rpartition("/")[2].endswith(name):
            return text, name
    raise UnreadableOutput(name, "the tool wrote no such file", "Its log says why.")


def _mssanitizer(what: str, check: str) -> Tool:
    caching = (("PYTORCH_NO_NPU_MEMORY_CACHING", "1"),)
    probe = Probe(
        wrap=("mssanitizer", f"--tool={check}", "--"),
        options="-sanitizer",
        environment=caching,
        collect=("*.log",),
    )
    return Tool(f"{what} (msSanitizer, on the device)", probe, _sanitizer)


CANN_TOOLS: Mapping[str, Tool] = {
    "build": Tool(
        "compiles the files with CANN and shows every message; nothing runs",
        Probe(build_only=True),
        read_build,
    ),
    "sanitizer": _mssanitizer(
        "illegal and misaligned accesses on one case", "memcheck"
    ),
    "racecheck": _mssanitizer(
        "accesses of two pipes to the same bytes without order", "racecheck"
    ),
    "initcheck": _mssanitizer("reads of memory nobody wrote", "initcheck"),
    "synccheck": _mssanitizer(
        "flags that are set and not waited for, or the other way round", "synccheck"
    ),
    "profile": Tool(
        "cycles by pipe and core on one case, measured (msprof op)",
        Probe(
            wrap=("msprof", "op", "--output={folder}/prof", "--launch-count=1"),
            collect=(
                "prof/**/PipeUtilization.csv",
                "prof/**/OpBasicInfo.csv",
                "prof/**/Memory*.csv",
            ),
        ),
        _profile,
    ),
    "trace": Tool(
        "the kernels that really ran on one case and their times (profiler of torch_npu)",
        Probe(profiler=True, collect=("trace/**/kernel_details.csv",)),
        _trace,
    ),
    "output": Tool(
        "what printf, DumpTensor and DumpAccChkPoint in the kernel write on one case",
        Probe(collect=("*.log",)),
        _output,
    ),
    "plog": Tool(
        "what CANN logs about one case (plog, from level info)",
        Probe(
            environment=(
                ("ASCEND_PROCESS_LOG_PATH", "{folder}/plog"),
                ("ASCEND_GLOBAL_LOG_LEVEL", "1"),
            ),
            collect=("plog/**/*.log",),
        ),
        _plog,
    ),
    "debugger": Tool(
        "where the kernel stops on one case, with the call stack (msDebug)",
        Probe(
            wrap=("msdebug", "--batch", "-o", "run", "-o", "bt", "--"),
            options="-g -O0",
            collect=("*.log",),
        ),
        _debugger,
    ),
}
