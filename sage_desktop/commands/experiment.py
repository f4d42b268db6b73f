"""`sage experiment`: run a plan, and report how far it is and what it shows."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from core.agent.run.records import RoundEvaluated
from core.engine.events import EngineEvent, EngineFault, EntryFinished, EntryStarted
from core.errors import SageError
from core.experiments.faithfulness.studies import (
    studied_cells,
    study_name,
    study_progress,
)
from core.experiments.plans.cells import Cell, recording
from core.experiments.plans.operator_sets import SETS
from core.experiments.plans.plan import Plan, changed, narrowed
from core.experiments.plans.plan_file import plan_text, read_plan, shipped_plans
from core.experiments.running.folder import FILE, Experiment, create, repeated
from core.method.parameters import NO_ENCODER
from core.records_json import to_json
from core.replay.standin import STAND_IN, covered_operators
from sage_desktop.commands.command_group import CommandGroup
from sage_desktop.commands.run_progress import (
    FAULT,
    INCOMPLETE,
    INTERRUPTED,
    judged,
    retrying,
    say,
    waiting,
)
from sage_desktop.commands.shared_options import named_values
from sage_desktop.services import wiring
from sage_desktop.services.bug_report import described, save_report
from sage_desktop.services.wiring import SOC_HELP, TOOLCHAINS, reach_hosts

_MODEL_HELP = "Profile, manual:FOLDER, standin, replay or replay:FILE, for every backbone that names none."
_SET_HELP = f"Other operators than the plan's: names and {', '.join(SETS)}."
_MEMORY_HELP = "A finished memory that stands in for an arm, which is then not run."
_SIDE_BY_SIDE = click.option(
    "--side-by-side",
    type=click.IntRange(1, 64),
    help="Arms and repeats run at the same time; one, or one a processor (at most 4) with the stand-in.",
)
_MOST_SIDE_BY_SIDE = 4  # each has a judge of its own, of some 500 MB
_PLACE = click.option(
    "--into",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the experiment; one in the user's data folder by default.",
)


@click.group(cls=CommandGroup)
def experiment() -> None:
    """Compare methods, backbones and memories over the same operators; see docs/experiments.md."""


@experiment.command()
@click.argument("plan")
@_PLACE
@click.option("--model", default="", help=_MODEL_HELP)
@click.option(
    "--backbone",
    "backbones",
    multiple=True,
    metavar="NAME=MODEL",
    help="Model of one backbone.",
)
@click.option("--set", "operators", default="", metavar="LIST", help=_SET_HELP)
@click.option(
    "--repeats",
    type=click.IntRange(0, 100),
    default=0,
    help="How often every arm is run.",
)
@click.option(
    "--rounds", type=click.IntRange(0, 10_000), default=0, help="T per operator."
)
@click.option("--host", default="", help="Where to compile and run.")
@click.option("--toolchain", type=click.Choice(("", *TOOLCHAINS)), default="")
@click.option("--soc", default="", help=SOC_HELP)
@click.option(
    "--memory", "memories", multiple=True, metavar="ARM=FILE", help=_MEMORY_HELP
)
@_SIDE_BY_SIDE
def run(
    plan: str, folder: Path | None, side_by_side: int | None, **choices: Any
) -> None:
    """Run PLAN (one that ships or a TOML file), or continue the experiment in a folder, and write its report.

    The folder of a new experiment is made first. Where a backbone has no model, it ends there and names the
    next command.

    An existing experiment takes only --model and --backbone, for backbones without a model.

    Exit code 0: every arm finished. 1: some did not. 3: an internal fault. 130: interrupted.
    """
    experiment_folder = folder
    if experiment_folder is None:
        is_shipped = plan in shipped_plans()
        experiment_folder = _default_folder(plan) if is_shipped else Path(plan)
    if (experiment_folder / FILE).is_file():
        models = _models_by_backbone(choices.pop("model"), choices.pop("backbones"))
        if any(choices.values()):
            raise click.UsageError(
                f"{experiment_folder} goes on as it was made; leave the options out, or make another with --into."
            )
        current = Experiment(experiment_folder)
        if (
            folder
            and Path(plan) != folder
            and read_plan(*plan_text(plan)).name != current.plan.name
        ):
            raise click.UsageError(
                f"{experiment_folder} holds {current.plan.name}, not {plan}; leave --into out, or name another folder."
            )
        if models:
            current.name_models(models)
    else:
        current = _new(plan, folder, **choices)
    _tell_cells(current)
    if current.open_backbones:
        raise SageError(
            "{folder} is made; no model is named yet.",
            "Run `sage experiment run {folder} {backbones}`, or with --model for all; see `sage model list`.",
            folder=current.folder,
            backbones=" ".join(
                f"--backbone {name}=MODEL" for name in current.open_backbones
            ),
        )
    _run(current, side_by_side)


@experiment.command()
@click.argument("place")
@click.option(
    "--into",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder of the repetition: new or empty.",
)
@_SIDE_BY_SIDE
def repeat(place: str, folder: Path, side_by_side: int | None) -> None:
    """Run the experiment PLACE once more in another folder, with its plan, models, first memory and inputs.

    The same kernels get the same verdicts there, and a stand-in or a recording the same report.
    """
    _run(repeated(_experiment_at(place), folder), side_by_side)


@experiment.command()
@click.argument("place")
@click.option(
    "--into",
    "target",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the report.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the report as JSON, and write nothing.",
)
def report(place: str, target: Path | None, as_json: bool) -> None:
    """Show how far the experiment PLACE is, and write its report: an HTML page, JSON and CSV.

    PLACE is its folder, or a plan that was run in the default one.
    """
    current = _experiment_at(place)
    if as_json:
        from core.experiments.reports.report import report_on

        click.echo(to_json(report_on(current)))
        return
    click.echo(f"{current.plan.title}: {current.folder}")
    click.echo(
        f"cold start: {current.record.experiences} experiences, sha256 {current.record.cold_start}"
    )
    _tell_cells(current)
    _write(current, target or current.folder / "report")


@experiment.command()
@click.argument("sides", nargs=-1, required=True, metavar="PLACE:ARM[@BACKBONE] ...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(sides: tuple[str, ...], as_json: bool) -> None:
    """Test the first arm against each of the others, of the same or of different experiments."""
    from core.experiments.reports.comparison import compared, side
    from core.experiments.reports.page import pair_cells

    if len(sides) < 2:
        raise click.UsageError("Name two arms or more.")
    arms = []
    for text in sides:
        place, _, arm = text.rpartition(":")
        if not place:
            raise click.UsageError(f"{text!r} names no arm: PLACE:ARM.")
        name, _, backbone = arm.partition("@")
        arms.append(side(_experiment_at(place), name, backbone))
    pairs = compared(arms[0], arms[1:])
    if as_json:
        click.echo(to_json(pairs))
        return
    click.echo(
        tabulate([pair_cells(pair) for pair in pairs], _PAIR, disable_numparse=True)
    )
    click.echo("p: exact McNemar, then Wilcoxon; corrected after Holm in brackets")


def _new(
    plan: str,
    folder: Path | None,
    *,
    model: str,
    backbones: tuple[str, ...],
    operators: str,
    repeats: int,
    rounds: int,
    host: str,
    toolchain: str,
    soc: str,
    memories: tuple[str, ...],
) -> Experiment:
    """The folder of a new experiment, from a plan and what the command line changes in it."""
    text, source = plan_text(plan)
    plan_file = read_plan(text, source)
    models = _models_by_backbone(model, backbones)
    parts = [part.strip() for part in operators.split(",")]
    names = tuple(part for part in parts if part)
    changed_plan = changed(
        plan_file,
        operators=names,
        repeats=repeats,
        rounds=rounds,
        hosts=host,
        toolchain=toolchain,
        soc=soc,
        models=models,
    )
    profiles = {backbone.profile for backbone in changed_plan.backbones}
    if not names and profiles == {STAND_IN}:
        changed_plan = narrowed(changed_plan, covered_operators())
    if STAND_IN in profiles:
        # The encoder is not ready at once, and what it brings is the same only where it is.
        parameters = {**changed_plan.parameters, "encoder": NO_ENCODER}
        changed_plan = replace(changed_plan, parameters=parameters)
    memory_values = named_values(memories, "--memory")
    memory_files = {name: Path(file) for name, file in memory_values.items()}
    if folder is None:
        folder = _default_folder(changed_plan.name)
    return create(folder, changed_plan, text, memory_files)


def _models_by_backbone(model: str, backbones: tuple[str, ...]) -> dict[str, str]:
    """The model of each backbone; under the empty name that of all others."""
    models = named_values(backbones, "--backbone")
    if model:
        models[""] = model
    return models


def _run(current: Experiment, side_by_side: int | None) -> None:
    """Run what is left of an experiment, with its progress on standard error."""
    from sage_desktop.services.experiment_run import ExperimentRun

    plan = current.plan
    models = _models(plan)
    asyncio.run(reach_hosts(plan.hosts, wiring.data_dir(), plan.toolchain))
    progress = _ProgressLines()
    judge = partial(wiring.evaluator_for, plan.hosts, plan.toolchain, plan.soc)
    work = ExperimentRun(
        current,
        models,
        judge,
        progress,
        side_by_side or _usual_side_by_side(plan),
        lambda name, count, of: say(f"{name}: {count} of {of} trials"),
        partial(judge, headers=False),
    )
    say(f"{plan.title}: {len(current.cells)} runs in {current.folder}")
    try:
        work.run()
    except KeyboardInterrupt:
        say(f"Interrupted; `sage experiment run {current.folder}` goes on.")
        sys.exit(INTERRUPTED)
    _tell_cells(current)
    for label, reason in work.stopped.items():
        say(f"{label}: {reason or 'stopped before its end'}")
    _write(current, current.folder / "report")
    if progress.fault:
        sys.exit(FAULT)
    if work.stopped:
        sys.exit(INCOMPLETE)


def _usual_side_by_side(plan: Plan) -> int:
    """How many cells a person who says nothing means: a stand-in waits for nothing but the judge."""
    if {backbone.profile for backbone in plan.backbones} != {STAND_IN}:
        return 1
    return min(os.cpu_count() or 1, _MOST_SIDE_BY_SIDE)


class _ProgressLines:
    """Tells what happens in a line each."""

    def __init__(self) -> None:
        self.fault = False

    def __call__(self, cell: Cell, event: EngineEvent | None) -> None:
        match event:
            case None:
                say(f"{cell.label}: begins")
            case EntryStarted():
                resumed = " goes on" if event.resumed else ""
                say(f"{cell.label}: {event.operator}{resumed}")
            case RoundEvaluated():
                say(f"{cell.label}: {judged(event)}")
            case EntryFinished():
                why = f": {event.reason}" if event.state != "done" else ""
                say(f"{cell.label}: {event.operator}: {event.state}{why}")
            case EngineFault():
                self.fault = True
                path = save_report(described(event.report))
                say(
                    f"A mistake in SAGE Desktop stopped {cell.label}. The report is in {path}."
                )


def _models(plan: Plan) -> dict[str, Any]:
    """The models of the backbones that are live, each asked whether it is there."""
    from sage_desktop.services.models.choice import choose_model

    models = {}
    for backbone in plan.backbones:
        if recording(backbone.profile) is not None:
            continue
        models[backbone.name] = choose_model(
            backbone.profile, on_retry=retrying, on_question=waiting
        )
    return models


_PAIR = (
    "first",
    "second",
    "operators",
    "inputs",
    "ER difference",
    "only first",
    "only second",
    "p",
    "both",
    "speed",
    "p",
)


def _write(current: Experiment, target: Path) -> None:
    from core.experiments.reports.page import write_report
    from core.experiments.reports.report import report_on

    summary = report_on(current)
    rows = []
    for arm in summary.arms:
        figures = (
            arm.compilation_rate,
            arm.execution_rate,
            arm.fast,
            arm.self_speedup,
        )
        # A figure has no value where no operator of the arm could give one.
        texts = [
            "n/a" if figure.value is None else f"{figure.value:.3f}"
            for figure in figures
        ]
        solved = "/".join(map(str, arm.solved))
        tokens = "n/a" if arm.tokens is None else arm.tokens
        rows.append((arm.name, arm.operators, solved, *texts, tokens))
    columns = ("arm", "operators", "solved", "CR", "ER", "Fast1.0", "S_self", "tokens")
    click.echo(tabulate(rows, columns))
    if summary.watermarks:
        click.echo(f"watermark: {', '.join(summary.watermarks)}")
    if summary.unranked:
        click.echo(f"no arm is ranked: {summary.unranked}")
    click.echo(f"report {write_report(summary, target)}")


def _tell_cells(current: Experiment) -> None:
    """Print how far each run and each study of an experiment is."""
    progress_of = {cell.label: current.progress(cell) for cell in current.cells}
    for cell in studied_cells(current):
        progress_of[study_name(cell)] = study_progress(current, cell)
    rows = []
    for label, progress in progress_of.items():
        ended = f"{progress.ended}/{progress.operators}"
        note = progress.reason[:60]
        rows.append((label, progress.state, ended, progress.solved, note))
    columns = ("run", "state", "ended", "solved", "note")
    click.echo(tabulate(rows, columns, disable_numparse=True))


def _experiment_at(place: str) -> Experiment:
    """The experiment in a folder, or the one a shipped plan makes by default."""
    folder = Path(place).expanduser()
    is_made = (folder / FILE).is_file()
    if not is_made and place in shipped_plans():
        folder = _default_folder(place)
    return Experiment(folder)


def _default_folder(name: str) -> Path:
    return wiring.data_dir() / "experiments" / name
