"""`sage operators import` and `export`: tasks of public benchmarks in, candidates for other tools out."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click
from tabulate import tabulate

from core.agent.prompt.opencode_task import opencode_task
from core.errors import InvalidInput, SageError
from core.evaluation.candidate_folder import read_candidate
from core.exporters import export_answer_folder, export_six_strings
from core.exporters.kernel import ExportedKernel
from core.operators.catalogue import operator_folder, resolve_operator
from core.operators.importers import ImportReport, import_benchmark, read_benchmark
from core.records_json import to_json
from core.whole_file import write_files
from sage_desktop.services.kernel_export import (
    FORMS,
    export_kernels,
    kernel_of_run,
    shapes_of,
)
from sage_desktop.services.wiring import twin_evaluator

PASSED, FAILED = 0, 1
_MOST_FAULTS_SHOWN = 20


@click.command("import")
@click.argument(
    "folder", metavar="FOLDER|FILE", type=click.Path(path_type=Path, exists=True)
)
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder that gets one operator folder per task; needed unless --dry-run.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Import this task only; may be repeated.",
)
@click.option(
    "--dry-run", is_flag=True, help="Say what would be imported and write nothing."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def import_(
    folder: Path, into: Path | None, only: tuple[str, ...], dry_run: bool, as_json: bool
) -> None:
    """Import a benchmark's checkout, a folder of task files or one task file.

    Known are NPUKernelBench, MultiKernelBench, CANN Bench and KernelBench; of any other folder every
    Python file with `class Model` and `get_inputs` is a task.

    Task code is read, never run, and experts' answers are not opened. A task with a fault is left out and
    named by file and field. Exit code 0 when every task came in, 1 when one did not.
    """
    if dry_run:
        report = read_benchmark(folder)
    elif into is None:
        raise SageError(
            "There is no folder to import into.",
            "Name one with --into, or use --dry-run.",
        )
    else:
        report, _folders = import_benchmark(folder, into, only)
    if as_json:
        click.echo(_report_json(report))
    else:
        click.echo(render_import(report, None if dry_run else into))
    raise SystemExit(FAILED if report.faults else PASSED)


def render_import(report: ImportReport, into: Path | None) -> str:
    """What came in as a table by category, notes counted, every fault with its file."""
    tasks: Counter[tuple[str, str]] = Counter()
    cases: Counter[tuple[str, str]] = Counter()
    for task in report.tasks:
        # Benchmarks without levels have one row for each of their categories.
        level = f"level {task.level}" if task.level else task.benchmark
        key = (level, task.category)
        tasks[key] += 1
        cases[key] += len(task.cases)
    rows = [(*key, tasks[key], cases[key]) for key in sorted(tasks)]
    lines = [tabulate(rows, headers=("", "category", "tasks", "cases")), ""]
    for task in report.tasks:
        lines += [f"{task.name}: {note}" for note in task.notes]
    lines += [f"not imported: {fault}" for fault in report.faults[:_MOST_FAULTS_SHOWN]]
    more = len(report.faults) - _MOST_FAULTS_SHOWN
    if more > 0:
        lines.append(f"... and {more} more")
    lines += report.notes
    where = f" into {into}" if into is not None else ", nothing written"
    counts = (
        f"{len(report.tasks)} tasks",
        f"{report.case_count} cases",
        f"{len(report.faults)} errors",
    )
    lines.append(f"{report.benchmark}: {', '.join(counts)}{where}.")
    return "\n".join(lines)


def _report_json(report: ImportReport) -> str:
    tasks = [
        {
            "identifier": task.identifier,
            "name": task.name,
            "benchmark": task.benchmark,
            "level": task.level,
            "category": task.category,
            "cases": len(task.cases),
            "rule": task.rule.value,
            "split": task.split,
            "expert_answer": task.expert_answer,
            "notes": list(task.notes),
        }
        for task in report.tasks
    ]
    faults = [asdict(fault) for fault in report.faults]
    rows = {
        "benchmark": report.benchmark,
        "tasks": tasks,
        "faults": faults,
        "notes": list(report.notes),
    }
    return to_json(rows)


@click.command("export")
@click.option(
    "--operator",
    "names",
    required=True,
    multiple=True,
    metavar="NAME|FOLDER",
    help="The operator the kernel is for; package and torch take several.",
)
@click.option(
    "--workspace",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Export the kernel of the operator's latest run in this workspace.",
)
@click.option(
    "--round",
    "number",
    type=click.IntRange(1),
    help="Which round of it; by default the best one.",
)
@click.option(
    "--candidate",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Export the kernel in this folder, with op_host/ and op_kernel/.",
)
@click.option(
    "--as",
    "form",
    required=True,
    type=click.Choice([*FORMS, "npukernelbench", "multikernelbench", "opencode"]),
    help="Package for CANN, wheel project for PyTorch, an answer of a benchmark, or the task itself for OpenCode.",
)
@click.option(
    "--vendor",
    default="",
    metavar="NAME",
    help="Name of the package; of package and torch. By default made of the operator's name.",
)
@click.option(
    "--soc",
    default="",
    metavar="SOC",
    help="Processor of package, torch and opencode; by default that of the machine that builds.",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="New folder, or file.",
)
def export(
    names: tuple[str, ...],
    workspace: Path | None,
    number: int | None,
    candidate: Path | None,
    form: str,
    vendor: str,
    soc: str,
    out: Path,
) -> None:
    """Export a finished kernel: for CANN, for PyTorch, for a benchmark; or the task of an operator.

    With package and torch the folder's README.md says how to build, install and call it.
    """
    several = form in FORMS
    is_one_kernel = not several or candidate is not None or number is not None
    if len(names) > 1 and is_one_kernel:
        raise click.UsageError(
            "Several operators go into one package or torch project, each from its best round in a workspace."
        )
    if vendor and not several:
        raise click.UsageError("--vendor names a package: --as package or torch.")
    if form == "opencode":
        _write_opencode_task(names[0], soc, out)
        return
    if (workspace is None) == (candidate is None):
        raise click.UsageError(
            "Name the --workspace whose kernel is exported, or the --candidate in a folder."
        )
    if number is not None and workspace is None:
        raise click.UsageError("--round names a round of a --workspace.")
    if candidate is not None:
        kernels = [_kernel_of_folder(names[0], candidate)]
    else:
        assert workspace is not None
        kernels = [kernel_of_run(workspace, name, number) for name in names]
    exported = ", ".join(kernel.spec.name for kernel in kernels)
    if several:
        project = export_kernels(kernels, form, vendor, soc)
        write_files(project.files, out)
        click.echo(f"{out}: {exported} as {form}; README.md says how to build it.")
        for note in project.notes:
            click.echo(f"To be written: {note}")
        return
    spec, kernel = kernels[0].spec, kernels[0].candidate
    if form == "multikernelbench":
        (cases,) = shapes_of([spec])
        _write_new(out, export_six_strings(spec, kernel, cases))
    else:
        write_files(export_answer_folder(spec, kernel), out)
    click.echo(f"{out}: {exported} for {form}.")


def _kernel_of_folder(operator: str, candidate: Path) -> ExportedKernel:
    """A kernel that no run made; its origin names the command that judges it."""
    spec = resolve_operator(operator)
    own = operator_folder(operator)
    operator_name = own.resolve().name if own else spec.name
    folder = candidate.resolve().name
    command = f"sage evaluate --operator {operator_name} --candidate {folder}"
    origin = f"folder {folder}, not judged by this export: `{command}` judges it"
    return ExportedKernel(spec, read_candidate(candidate), origin)


def _write_opencode_task(operator: str, soc: str, folder: Path) -> None:
    spec = resolve_operator(operator)
    own = operator_folder(operator)
    called = str(own.resolve()) if own else spec.name
    modelled = soc or twin_evaluator().soc_for(spec)
    write_files(opencode_task(spec, called, soc=modelled), folder)
    click.echo(
        f"{folder}: {spec.name} as a task for OpenCode; README.md says how to run it."
    )


def _write_new(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as error:
        raise InvalidInput(
            str(path), "file", "exists already", "Choose another name."
        ) from error
    except OSError as error:
        raise InvalidInput(
            str(path),
            "file",
            "cannot be written: {error}",
            error=error.strerror or error,
        ) from error
