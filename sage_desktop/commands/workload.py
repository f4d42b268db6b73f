"""`sage workload`: from a profile of a model to the operators that matter."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click
from tabulate import tabulate
from tqdm import tqdm

from core.records_json import to_json
from core.text import count_text
from core.workload.importing import import_profile, profile_bytes
from core.workload.ranking import LEAST_GAIN, RankedOperator, Worth
from core.workload.records import Workload
from core.workload.store import check_name, load_workload, save_workload
from core.workload.tasks import make_task
from sage_desktop.commands.command_group import CommandGroup
from sage_desktop.services.workloads import (
    default_name,
    gain_text,
    known_processors,
    lacks_processor,
    ranked,
    remark,
    saving_text,
    workload_folder,
)

_PART = click.option(
    "--part", default="", help="Processor the profile was made on, e.g. Ascend910B4."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_WORKLOAD = click.option(
    "--workload", "name", default="", help="Name or file; the newest by default."
)
_MS = 1000.0  # microseconds


@click.group(cls=CommandGroup)
def workload() -> None:
    """Profiles of a model: which of its operators are worth a kernel, and tasks of them."""


@workload.command("import")
@click.argument(
    "paths",
    metavar="PATH...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True),
)
@click.option(
    "--name", default="", help="What to call it; the first path's by default."
)
@_PART
def import_(paths: tuple[Path, ...], name: str, part: str) -> None:
    """Read profiles of torch_npu or msprof: folders of ranks, tables or databases.

    Several ranks become one workload, whose step is that of all ranks together. An
    earlier workload of the same name is replaced.
    """
    called = check_name(name) if name else default_name(paths[0])
    total = profile_bytes(paths)
    with tqdm(total=total, unit="B", unit_scale=True, leave=False, disable=None) as bar:
        profile = import_profile(
            paths, called, known_processors(), part=part, progress=bar.update
        )
    path = save_workload(profile, workload_folder())
    click.echo(render_workload(profile))
    click.echo(f"\nKept as {path}. {_next_step(profile)}")


def _next_step(profile: Workload) -> str:
    if not any(group.has_shapes for group in profile.groups):
        return "Next: profile again, with shapes."
    if lacks_processor(profile):
        return "Next: import it again with the --part it was made on."
    return "Next: sage workload rank"


@workload.command("rank")
@_WORKLOAD
@_PART
@click.option("--all", "everything", is_flag=True, help="Also what is not worth it.")
@_JSON
def rank_(name: str, part: str, everything: bool, as_json: bool) -> None:
    """List operators by the time that a better kernel could save in a step, as an interval."""
    profile = load_workload(name, workload_folder())
    rows = ranked(profile, part)
    if as_json:
        click.echo(to_json(rows))
        return
    named = part or " or ".join(profile.parts)
    click.echo(render_ranking(profile, rows, named, everything=everything))


@workload.command()
@click.argument("group", metavar="GROUP")
@_WORKLOAD
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder of operators that gets it; here by default.",
)
def task(group: str, name: str, into: Path) -> None:
    """Make an operator folder of GROUP, an operator of the ranking, with the shapes of the model.

    Its cases are weighted by their calls. The reference is that of the catalogue where
    the operator is in it; else it is yours to write.
    """
    profile = load_workload(name, workload_folder())
    new_task = make_task(profile, group, into)
    spec = new_task.spec
    timed = sum(case.timed and not case.hidden for case in spec.cases)
    hidden = sum(case.hidden for case in spec.cases)
    cases = f"{count_text(timed, 'timed case')} of the model, {hidden} hidden"
    before = "" if new_task.is_new else " It was there already."
    click.echo(f"{spec.folder}: {cases}.{before}")
    for line in new_task.left_out:
        click.echo(f"Left out: {line}")
    if new_task.from_catalogue:
        click.echo(
            f"The reference is that of {new_task.from_catalogue} in the catalogue."
        )
        click.echo(f"Next: sage queue {shlex.quote(str(spec.folder))}")
    else:
        folder = shlex.quote(str(spec.folder))
        click.echo("Write the summary and reference.py: a profile tells neither.")
        click.echo(f"Next: sage operators check {folder}, then sage queue {folder}")


def render_workload(profile: Workload) -> str:
    """What was read, as text."""
    parts = " or ".join(profile.parts) or "not told by the profile, name it with --part"
    versions = ", ".join(f"{key} {value}" for key, value in profile.versions.items())
    steps = "no steps, taken as one"
    if profile.has_steps:
        steps = count_text(profile.steps, "step")
    launches = count_text(profile.rows, "launch", "launches")
    lines = [
        f"{profile.name}: {launches}, rank {', '.join(profile.ranks)}, {steps}",
        f"Processor: {parts}",
        *([f"Made by {versions}"] if versions else []),
        _step_line(profile),
    ]
    agreeing = sum(check.agrees for check in profile.checks)
    if profile.checks:
        lines.append(
            f"{agreeing} of {len(profile.checks)} sums agree with the profile's own summaries."
        )
    lines += [f"Note: {warning}" for warning in profile.warnings]
    return "\n".join(lines)


def _step_line(profile: Workload) -> str:
    computing = f"{profile.computing_us / _MS:,.1f} ms computing"
    communication = f"{profile.communication_us / _MS:,.1f} ms communication"
    whole = ""
    if profile.step_us is not None:
        whole = f" of {profile.step_us / _MS:,.1f} ms"
    return f"A step: {computing}, {communication}{whole}"


def _ranking_row(row: RankedOperator) -> tuple[object, ...]:
    """An operator of the ranking by column."""
    exposed = "?" if row.exposed is None else f"{row.exposed:.0%}"
    return (
        row.operator,
        f"{row.calls:g}",
        f"{row.time_us / _MS:.2f}",
        f"{row.share:.1%}",
        saving_text(row),
        gain_text(row),
        exposed,
        remark(row),
    )


def render_ranking(
    profile: Workload,
    rows: Sequence[RankedOperator],
    processor: str,
    *,
    everything: bool,
) -> str:
    """The ranking as a table, with what is not in it below."""
    # A model has hundreds of operators, of which few decide the time of a step.
    listed = [row for row in rows if everything or row.worth is not Worth.SMALL]
    hidden = len(rows) - len(listed)
    headers = (
        "operator",
        "calls",
        "ms",
        "computing",
        "saves ms",
        "of the step",
        "exposed",
        "",
    )
    table = [_ranking_row(row) for row in listed]
    align = ("left", "right", "right", "right", "right", "right", "right", "left")
    lines = [_step_line(profile), f"Processor: {processor}", ""]
    if table:
        lines.append(tabulate(table, headers, disable_numparse=True, colalign=align))
    else:
        lines.append("No operator is worth a kernel.")
    if hidden:
        limit = f"each saves less than {LEAST_GAIN:.1%} of a step"
        verb = "is" if hidden == 1 else "are"
        lines += ["", f"{hidden} more {verb} not worth it: {limit} (--all lists all)."]
    return "\n".join(lines)
