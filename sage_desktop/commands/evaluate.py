"""`sage evaluate`: judge a hand-written candidate folder exactly as the agent's candidates are judged."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import click

from core.errors import SageError
from core.evaluation.candidate_folder import read_candidate_for
from core.evaluation.records import (
    CANN_HEADERS,
    CANN_PROFILED,
    BuildReport,
    Candidate,
    CaseResult,
    Evaluation,
    Finding,
    Latency,
)
from core.evaluation.secret_seeds import (
    SEEDS,
    require_secret,
    secret_digest,
    with_secret_seeds,
)
from core.operators.catalogue import resolve_operator
from core.operators.measured_kernels import (
    WORKLOAD,
    measured_kernels,
    profiled_processors,
)
from core.operators.spec import OperatorSpec
from core.records_json import to_json
from sage_desktop.commands.shared_options import JUDGE
from sage_desktop.services.wiring import cann_toolchain
from sage_desktop.services.workloads import alike_processors

# What an ordinary evaluation does not use is imported where it is.
if TYPE_CHECKING:
    from core.evaluation.direct_launch import LaunchedKernel
    from core.trace import Trace


@click.command()
@click.option(
    "--operator",
    "operator_name",
    default="",
    metavar="NAME|FOLDER",
    help="Catalogue name or operator folder; the description of a launched kernel may name it.",
)
@click.option(
    "--candidate",
    "candidate_folder",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder with op_host/ and op_kernel/, or a kernel file with a launch description beside it.",
)
@JUDGE
@click.option(
    "--dry-run",
    is_flag=True,
    help="With cann: show every command as a script, run nothing.",
)
@click.option(
    "--big",
    is_flag=True,
    help="Run the cases marked as too large for the CPU twin too.",
)
@click.option(
    "--cold",
    is_flag=True,
    help="Model the first launch, with nothing in L2; by default one of many on the same buffers.",
)
@click.option(
    "--schedules",
    metavar="N",
    type=click.IntRange(0, 100),
    help="Run every case in N more orders of cores and pipes; by default only for cross-core kernels.",
)
@click.option(
    "--seeds-of",
    "workspace_path",
    metavar="WORKSPACE",
    type=click.Path(path_type=Path),
    help="Judge with the inputs of this workspace's runs; the verdict names the digest of its secret.",
)
@click.option(
    "--trace",
    "trace_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a trace of every pipe for Perfetto, MindStudio Insight or the window.",
)
@click.option(
    "--trace-case",
    default="",
    metavar="CASE",
    help="The visible case to trace; else the slowest timed one.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the whole evaluation as JSON."
)
@click.option(
    "--feedback",
    is_flag=True,
    help="Print what an agent is told; hidden cases stay hidden.",
)
def evaluate(
    operator_name: str,
    candidate_folder: Path,
    host: str,
    toolchain: str,
    soc: str,
    dry_run: bool,
    big: bool,
    cold: bool,
    schedules: int | None,
    workspace_path: Path | None,
    trace_file: Path | None,
    trace_case: str,
    as_json: bool,
    feedback: bool,
) -> None:
    """Compile, check and time the kernel in a folder. Exit code 0 when it is correct, 1 when it is not."""
    from sage_desktop.services import wiring
    from sage_desktop.services.tracing import (
        check_traceable,
        slowest_case,
        trace_kernel,
    )

    # All that can be refused is refused before minutes of work begin.
    _check_trace_file(trace_file, trace_case)
    operator, candidate = operator_and_candidate(operator_name, candidate_folder)
    if toolchain == "twin" and not soc:
        _tell_open_processor(operator)
    if trace_file is not None:
        check_traceable(operator, trace_case, toolchain)
    if cold and toolchain != "twin":
        raise click.UsageError(
            "--cold is modelled by the CPU twin; a device is timed after warm-up."
        )
    if dry_run:
        if toolchain == "twin":
            raise click.UsageError(
                "--dry-run shows the commands of CANN: `--toolchain cann`."
            )
        click.echo(cann_toolchain(wiring.cache_dir(), soc).dry_run(operator, candidate))
        return
    seeds = ""
    if workspace_path is not None:
        from core.workspace import Workspace

        with Workspace.open_readonly(workspace_path) as workspace:
            secret = require_secret(workspace)
        operator, seeds = with_secret_seeds(operator, secret), secret_digest(secret)
    # With --json nothing but the JSON is printed.
    progress = _pass_over if as_json else _say

    async def judge() -> tuple[Evaluation, Trace | SageError | None]:
        async with wiring.judge(
            host, toolchain, soc, run_big=big, cold=cold, schedules=schedules
        ) as evaluator:
            evaluation = await evaluator.evaluate(operator, candidate, progress)
            if trace_file is None:
                return evaluation, None
            case = trace_case or slowest_case(evaluation)
            try:
                trace = await trace_kernel(
                    evaluator, operator, candidate, case, progress
                )
            except SageError as fault:
                # The verdict is worth more than its trace: it is printed first.
                return evaluation, fault
            return evaluation, trace

    evaluation, trace = asyncio.run(judge())
    if seeds:
        evaluation = replace(evaluation, facts={**evaluation.facts, SEEDS: seeds})
    click.echo(_verdict_text(operator, evaluation, feedback=feedback, as_json=as_json))
    if trace_file is not None:
        _write(trace, trace_file)
    raise SystemExit(0 if evaluation.correct else 1)


def _say(text: str) -> None:
    """Write a line beside the verdict, which is on standard output."""
    click.echo(text, err=True)


def _pass_over(_text: str) -> None:
    """Write nothing."""


def _tell_open_processor(operator: OperatorSpec) -> None:
    """Say where the profile of a task leaves open which of several processors it was made on."""
    names = profiled_processors(operator)
    if names and not alike_processors(names):
        click.echo(
            f"The profile was made on {' or '.join(names)}, and does not tell which: "
            "--soc names the one to model, here it is the usual one.",
            err=True,
        )


def _check_trace_file(path: Path | None, case: str) -> None:
    """See before anything is judged that a trace can be written; raises SageError or UsageError."""
    if path is None:
        if case:
            raise click.UsageError(
                "--trace-case chooses what --trace FILE writes; name the file too."
            )
        return
    # A new file needs a folder one may write to, an old one only its own permission.
    place = path if path.exists() else path.absolute().parent
    if not place.exists():
        raise _unwritable(path, f"there is no folder {place}")
    if not os.access(place, os.W_OK):
        raise _unwritable(path, "permission denied")


def _write(trace: Trace | SageError | None, path: Path) -> None:
    from core.trace import write_trace

    if isinstance(trace, SageError):
        raise trace
    if trace is None:
        return
    try:
        write_trace(trace, path)
    except OSError as error:
        raise _unwritable(path, error.strerror or error) from error


def _verdict_text(
    operator: OperatorSpec, evaluation: Evaluation, *, feedback: bool, as_json: bool
) -> str:
    """The verdict as JSON, in the words an agent gets, or for a terminal."""
    if feedback:
        from core.agent.prompt.feedback import feedback_text

        return feedback_text(evaluation, None, operator=operator)
    if as_json:
        return to_json(evaluation)
    lines = [render_evaluation(evaluation)]
    if operator.benchmark == WORKLOAD:
        lines += map(str, measured_kernels(operator))
        lines += _stand_in_lines(operator, evaluation)
    return "\n".join(lines)


def _stand_in_lines(operator: OperatorSpec, evaluation: Evaluation) -> list[str]:
    """Of which timed cases the latency is not one of the model's own shapes."""
    derived = {case.name for case in operator.cases if case.derived}
    timed = [case.case for case in evaluation.cases if case.is_timed]
    stand_ins = [name for name in timed if name in derived]
    if not stand_ins:
        return []
    names = ", ".join(stand_ins)
    line = (
        f"The latency is not comparable with these times: {names} stands for a shape "
        "that is too large for the twin."
    )
    return [line]


def _unwritable(path: Path, why: object) -> SageError:
    return SageError(
        "The trace cannot be written to {path}: {why}.",
        "Name a file in a folder you may write to.",
        path=path,
        why=why,
    )


def operator_and_candidate(
    operator_name: str, path: Path
) -> tuple[OperatorSpec, Candidate]:
    """Operator and candidate: a project, or a kernel file with the description of its launch.

    Raises:
        SageError: One of them is not there, or the operator is not named.
    """
    kernel = _launched(path) if path.is_file() else None
    name = operator_name
    if kernel is not None and not operator_name:
        name = kernel.description.operator
        # The description of a launch may name a folder beside the kernel.
        if (path.parent / name / "operator.toml").is_file():
            name = str(path.parent / name)
    if not name:
        remedy = "Name --operator NAME|FOLDER"
        if kernel is not None:
            remedy += f' or put operator = "NAME" into {kernel.described_in}'
        raise click.UsageError(f"{remedy}.")
    operator = resolve_operator(name)
    if kernel is None:
        return operator, read_candidate_for(operator, path)
    from core.evaluation.direct_launch import launched_candidate

    return operator, launched_candidate(operator, kernel)


def _launched(path: Path) -> LaunchedKernel | None:
    """A kernel file with the description of its launch; None for a file of another kind."""
    from core.evaluation.direct_launch import SUFFIXES, read_launched

    return read_launched(path) if path.suffix in SUFFIXES else None


def render_evaluation(evaluation: Evaluation) -> str:
    """The evaluation as text for a terminal: verdict first, then build, cases, findings and latency."""
    from tabulate import tabulate

    cause = f": {evaluation.cause}" if evaluation.cause else ""
    parts = [
        f"{evaluation.operator}: {evaluation.verdict.value}{cause}",
        _build_text(evaluation.build),
    ]
    if evaluation.cases:
        rows = [_case_row(case) for case in evaluation.cases]
        parts.append(tabulate(rows, _CASE_COLUMNS, floatfmt=".3g"))
    if evaluation.findings:
        parts.append("\n".join(map(_finding_line, evaluation.findings)))
    if evaluation.latency is not None:
        parts.append(_latency_line(evaluation.latency, evaluation.cases))
    reference = evaluation.reference_latency
    if reference is not None:
        parts.append(
            f"torch_npu {reference.value:.2f} {reference.unit}, {reference.origin.value}"
        )
    if evaluation.latency and evaluation.t_reference and evaluation.slowest_gain:
        whole = evaluation.t_reference / evaluation.latency.value
        name, least = evaluation.slowest_gain
        parts.append(
            f"{whole:.2f} times as fast, ratio of the sums; least of the cases: "
            f"{least:.2f} ({name})"
        )
    parts += _fact_lines(evaluation)
    parts += [f"note: {note}" for note in evaluation.notes]
    return "\n\n".join(parts)


def _latency_line(latency: Latency, cases: Sequence[CaseResult]) -> str:
    """The latency of an operator, of what it is the sum, and where it comes from."""
    value = f"{latency.value:.2f} {latency.unit}"
    if latency.range_text:
        value += f", {latency.range_text}"
    timed = [case for case in cases if case.is_timed]
    is_weighted = any(case.weight != 1 for case in timed)
    kind = "weighted sum" if is_weighted else "sum"
    meaning = f"{kind} of {len(timed)} timed cases (*)"
    if len(timed) == 1:
        meaning = "of the timed case (*)"
        if is_weighted:
            meaning += " by its weight"
    # A number without its origin, clock and device could be compared with any other.
    origin = f"{latency.origin.value} ({latency.clock}, {latency.device})"
    return f"latency {value}, {meaning}, {origin}"


def _fact_lines(evaluation: Evaluation) -> list[str]:
    """The facts about an evaluation; those with words of their own come first."""
    facts = dict(evaluation.facts)
    lines = []
    sandbox = facts.pop("sandbox", "")
    if sandbox:
        effect = ": no credit, no rank" if evaluation.is_unconfined else ""
        lines.append(f"sandbox: {sandbox}{effect}")
    headers = facts.pop(CANN_HEADERS, "")
    if headers:
        lines.append(headers)
    profiled = facts.pop(CANN_PROFILED, "")
    if profiled:
        lines.append(f"CANN's own kernels for the same calls: {profiled}, measured")
    others = ", ".join(f"{name} {value}" for name, value in facts.items() if value)
    if others:
        lines.append(f"judged by {evaluation.toolchain} with {others}")
    return lines


_CASE_COLUMNS = (
    "case",
    "dtype",
    "status",
    "max abs",
    "max rel",
    "ulp",
    "latency us",
    "",
)


def _build_text(build: BuildReport) -> str:
    if not build.ok and not build.stage:
        return "Nothing was built."
    state = "ok" if build.ok else f"failed in stage {build.stage}"
    how = "from cache" if build.cached else f"in {build.seconds:.1f} s"
    lines = [f"build {state}, {how}, {build.compiler}"]
    # Warnings of a build that worked are left to --json.
    if not build.ok:
        lines += [
            f"  {entry.file}:{entry.line}: {entry.severity}: {entry.text}"
            for entry in build.messages
        ]
    return "\n".join(lines)


def _case_row(case: CaseResult) -> tuple[object, ...]:
    """A case by column, with the errors of its worst output."""
    name = f"{case.case} (hidden)" if case.hidden else case.case
    errors: tuple[float | None, ...] = (None, None, None)
    if case.statistics:
        worst = max(case.statistics, key=lambda statistics: statistics.max_abs)
        errors = (worst.max_abs, worst.max_rel, worst.max_ulp)
    latency = ""
    if case.latency:
        mark = " *" if case.is_timed else "  "
        latency = f"{case.latency.value:.2f}{mark}"
    detail = shorten(case.detail, 72, placeholder=" …")
    return (name, case.dtype, case.status, *errors, latency, detail)


def _finding_line(finding: Finding) -> str:
    where = f"{finding.file}:{finding.line}" if finding.file else finding.kernel
    if finding.core >= 0:
        where += f", core {finding.core}"
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    severity = f"{finding.severity.value:<8}"
    return f"{severity} {finding.rule}: {finding.message} [{where}]{times}"
