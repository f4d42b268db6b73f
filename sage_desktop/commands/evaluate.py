"""`sage evaluate`: judge a hand-written candidate folder exactly as the agent's candidates are judged."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import CaseResult, Evaluation
from core.operators.catalogue import find_operator
from core.records_json import to_json


@click.command()
@click.option("--operator", "operator_name", required=True, metavar="NAME|FOLDER", help="Catalogue name or operator folder.")
@click.option(
    "--candidate",
    "candidate_folder",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder with op_host/ and op_kernel/.",
)
@click.option("--host", default="local", show_default=True, help="Where to compile and run.")
@click.option("--toolchain", type=click.Choice(["twin"]), default="twin", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the whole evaluation as JSON.")
def evaluate(operator_name: str, candidate_folder: Path, host: str, toolchain: str, as_json: bool) -> None:
    """Compile, check and time the kernel in a folder. Exit code 0 when it is correct, 1 when it is not."""
    from sage_desktop.wiring import evaluator_for

    operator = find_operator(*_source_and_name(operator_name))
    candidate = read_candidate(candidate_folder)
    progress = (lambda _text: None) if as_json else (lambda text: click.echo(text, err=True))

    async def judge() -> Evaluation:
        evaluator = evaluator_for(host, toolchain)
        try:
            return await evaluator.evaluate(operator, candidate, progress)
        finally:
            await evaluator.close()

    evaluation = asyncio.run(judge())
    click.echo(to_json(evaluation) if as_json else render_evaluation(evaluation))
    raise SystemExit(0 if evaluation.correct else 1)


def _source_and_name(text: str) -> tuple[str, str]:
    """Split `NAME|FOLDER` into the (source, name) pair `find_operator` takes."""
    folder = Path(text)
    if (folder / "operator.toml").is_file():
        return str(folder), folder.name
    return "catalogue", text


def render_evaluation(evaluation: Evaluation) -> str:
    """The evaluation as text for a terminal: verdict first, then build, cases, findings and latency."""
    lines = [f"{evaluation.operator}: {evaluation.verdict.value}" + (f": {evaluation.cause}" if evaluation.cause else "")]
    build = evaluation.build
    how = "from cache" if build.cached else f"in {build.seconds:.1f} s"
    lines.append(f"build     {'ok' if build.ok else 'failed (' + build.stage + ')'} {how}, {build.compiler}")
    for message in build.messages if not build.ok else ():
        lines.append(f"          {message.file}:{message.line}: {message.severity}: {message.text}")
    if evaluation.cases:
        lines.append("")
        lines.append(f"{'case':<28} {'dtype':<9} {'status':<13} {'max abs':>10} {'max rel':>10} {'ulp':>7}  {'latency':>12}")
        lines.extend(_case_line(case) for case in evaluation.cases)
    if evaluation.findings:
        lines.append("")
        for finding in evaluation.findings:
            where = f"{finding.file}:{finding.line}" if finding.file else finding.kernel
            core = f", core {finding.core}" if finding.core >= 0 else ""
            times = f" ({finding.count} times)" if finding.count > 1 else ""
            lines.append(f"{finding.severity.value:<8} {finding.rule}: {finding.message} [{where}{core}]{times}")
    if evaluation.latency is not None:
        latency = evaluation.latency
        lines.append("")
        lines.append(f"latency   {latency.value:.2f} {latency.unit} {latency.origin.value} ({latency.clock}, {latency.device})")
    lines.extend(f"note: {note}" for note in evaluation.notes)
    return "\n".join(lines)


def _case_line(case: CaseResult) -> str:
    worst = max(case.statistics, key=lambda s: s.max_abs, default=None)
    numbers = f"{worst.max_abs:>10.3g} {worst.max_rel:>10.3g} {worst.max_ulp:>7.3g}" if worst else f"{'':>10} {'':>10} {'':>7}"
    latency = f"{case.latency.value:>9.2f} {case.latency.unit}" if case.latency else f"{'':>12}"
    name = case.case + (" (hidden)" if case.hidden else "")
    detail = f"  {case.detail}" if case.detail else ""
    return f"{name:<28} {case.dtype:<9} {case.status:<13} {numbers}  {latency}{detail}"
