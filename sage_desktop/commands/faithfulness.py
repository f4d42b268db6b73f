"""`sage faithfulness`: recorded rounds again without their experience, to see whether adoption is true."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tabulate import tabulate

from core.errors import SageError
from sage_desktop.commands.shared_options import JUDGE, SERVER
from sage_desktop.services.wiring import reach_hosts

if TYPE_CHECKING:
    from core.experiments.faithfulness.analysis import Faithfulness, Interval, Trial
    from core.workspace import Workspace

_SHOWN = 20


@click.command()
@click.option(
    "--workspace",
    "path",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    required=True,
    help="The run whose rounds are played again; it is only read.",
)
@click.option(
    "--into",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="File of the outcomes; an interrupted study continues from it.",
)
@click.option(
    "--model",
    default="",
    help="Who writes the kernels, as for `sage run`: a live model or manual:FOLDER.",
)
@SERVER
@JUDGE
@click.option(
    "--rounds",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Rounds drawn at random; 0: all.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="How often each trial is repeated.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed of the sample and of the changed texts.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only show how many replies and evaluations it takes.",
)
@click.option(
    "--analyse", is_flag=True, help="Only show what --into holds; no model is asked."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def faithfulness(
    path: Path,
    into: Path,
    model: str,
    endpoint: str,
    key_env: str,
    host: str,
    toolchain: str,
    soc: str,
    rounds: int,
    repeats: int,
    seed: int,
    dry_run: bool,
    analyse: bool,
    as_json: bool,
) -> None:
    """Replay recorded rounds with their experience removed, shuffled, corrupted, irrelevant.

    Every adopted item of these rounds is left out once per repeat as well. The result is the causal effect of
    each beside its declared adoption and its utility, and whether utility ranks items as the effect does.
    """
    from core.experiments.faithfulness.analysis import analysed, declared_adoption
    from core.experiments.faithfulness.live import Players, play_again
    from core.experiments.faithfulness.outcomes import read_outcomes
    from core.workspace import Workspace
    from sage_desktop.commands.run_progress import waiting
    from sage_desktop.services import wiring
    from sage_desktop.services.models.choice import choose_model

    with Workspace.open_readonly(path) as workspace:
        if analyse:
            if not into.exists():
                raise click.UsageError(f"There is no study {into}.")
            outcomes = read_outcomes(into)
        else:
            trials = _planned(workspace, rounds, repeats, seed)
            if dry_run:
                click.echo(f"{len(trials)} replies, and at most as many evaluations")
                return
            asyncio.run(reach_hosts(host, wiring.data_dir(), toolchain))
            choice = choose_model(model, endpoint, key_env, on_question=waiting)
            if choice.session is not None:
                raise click.UsageError(
                    "A recording answers only what it was asked; name a model or manual:FOLDER."
                )
            players = Players(
                choice.make(), wiring.evaluator_for(host, toolchain, soc), choice.label
            )
            total = len(trials)
            outcomes = asyncio.run(
                play_again(
                    workspace,
                    players,
                    trials,
                    into,
                    seed,
                    repeats,
                    lambda count: click.echo(f"{count} of {total}", err=True),
                )
            )
        study = analysed(outcomes, declared_adoption(workspace))
    if as_json:
        whole = {
            "study": asdict(study),
            "outcomes": [asdict(outcome) for outcome in outcomes],
        }
        click.echo(json.dumps(whole, indent=1))
    else:
        click.echo(_text(study))


def _planned(
    workspace: Workspace, rounds: int, repeats: int, seed: int
) -> tuple[Trial, ...]:
    from core.experiments.faithfulness.analysis import planned_trials
    from core.experiments.faithfulness.live import UNTRACED, usable_rounds

    usable, left_out = usable_rounds(workspace)
    total = len(usable) + len(left_out)
    untraced = left_out.count(UNTRACED)
    reasons = {
        UNTRACED: untraced,
        "their prompt does not hold their experiences as they are rendered today": (
            len(left_out) - untraced
        ),
    }
    for reason, count in reasons.items():
        if count:
            click.echo(f"{count} of {total} rounds left out: {reason}", err=True)
    if not usable:
        raise SageError(
            "{workspace} holds no round that can be played again.",
            "Name the workspace of a run by a model that retrieved experiences and was asked for adoption.",
            workspace=workspace.path,
        )
    return planned_trials(usable, rounds, repeats, seed)


def _text(study: Faithfulness) -> str:
    """The study for a terminal: conditions, items, and whether utility ranks as the effect."""
    lines = [_condition_table(study), "", _item_table(study)]
    if len(study.items) > _SHOWN:
        lines.append(f"{_SHOWN} of {len(study.items)} items shown; --json has all")
    lines.append("")
    for agreement in study.agreement:
        correlation = "not defined"
        if agreement.rho is not None:
            correlation = f"{agreement.rho:+.2f}"
        if agreement.interval is not None:
            low, high = agreement.interval
            correlation += f" ({low:+.2f} … {high:+.2f})"
        ranking = f"rank correlation of {agreement.of} with the effect"
        lines.append(f"{ranking}, {agreement.items} items: {correlation}")
    lines.append(
        f"bypassed: {study.bypassed} of {study.retrieved} retrieved items were never adopted "
        f"({100 * study.bypass_rate:.0f} %); {100 * study.unused:.0f} % of all retrievals were not used"
    )
    if study.void:
        lines.append(
            f"{study.void} trials were spoiled by the environment and count nowhere"
        )
    return "\n".join(lines)


def _condition_table(study: Faithfulness) -> str:
    """What each change of the experiences did to the share of correct kernels."""
    rows = []
    for entry in study.conditions:
        adopted = "-"
        if entry.adoption is not None:
            adopted = f"{100 * entry.adoption:.0f}"
        row = (
            entry.condition.value,
            entry.rounds,
            f"{100 * entry.original:.1f}",
            f"{100 * entry.altered:.1f}",
            _effect(entry.effect, entry.interval),
            f"{entry.p:.2g}",
            adopted,
            entry.nothing_to_judge,
        )
        rows.append(row)
    headers = (
        "experience",
        "rounds",
        "original %",
        "altered %",
        "effect in points",
        "p",
        "adopted %",
        "no kernel",
    )
    return tabulate(rows, headers=headers, disable_numparse=True)


def _item_table(study: Faithfulness) -> str:
    """What leaving out each item did, beside its utility and declared adoption."""
    rows = [
        (
            entry.declared.uid,
            f"{entry.declared.u:+.3f}",
            f"{100 * entry.declared.rate:.0f}",
            entry.occasions,
            _effect(entry.effect, entry.interval),
            entry.declared.title[:50],
        )
        for entry in study.items[:_SHOWN]
    ]
    headers = ("item", "u", "adopted %", "masked in", "effect in points", "title")
    return tabulate(rows, headers=headers, disable_numparse=True)


def _effect(effect: float, interval: Interval) -> str:
    """An effect in percentage points, with its confidence interval where there is one."""
    points = f"{100 * effect:+.1f}"
    if interval is None:
        return points
    low, high = interval
    return f"{points} ({100 * low:+.1f} … {100 * high:+.1f})"
