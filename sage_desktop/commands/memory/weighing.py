"""`sage memory worth`: one adopted experience's lines taken out of a kernel, which is timed again."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sage_desktop.commands.memory.common import (
    JSON,
    WORKSPACE,
    as_text,
    memory,
    reader,
    writer,
)
from sage_desktop.commands.options import JUDGE
from sage_desktop.services import wiring

if TYPE_CHECKING:
    from core.engine.worth import Worth


@memory.command()
@click.argument("uid")
@click.option(
    "--operator", default="", help="Only where this operator's kernel adopted it."
)
@click.option(
    "--round",
    "number",
    type=click.IntRange(1),
    help="Which round; by default the latest that shows its code.",
)
@click.option(
    "--known", is_flag=True, help="Only show what was found before; nothing is judged."
)
@JUDGE
@WORKSPACE
@JSON
def worth(
    uid: str,
    operator: str,
    number: int | None,
    known: bool,
    host: str,
    toolchain: str,
    soc: str,
    path: Path | None,
    as_json: bool,
) -> None:
    """Remove the lines that item UID taught from a kernel that adopted it, and time the kernel again.

    The lines are those changes of the round that show its code. Kernel and rest are judged by the same judge;
    the answer is kept beside the adoption record. Where the lines cannot be removed, it says why.
    """
    from core.engine import worth as weighing

    if not known:
        _weigh(uid, operator, number or 0, path, (host, toolchain, soc))
    with reader(path) as workspace:
        found = weighing.worths_of(workspace.db, uid)
    if as_json:
        click.echo(as_text([asdict(entry) for entry in found]))
    elif found:
        click.echo(
            "\n".join(worth_text(entry) for entry in (found if known else found[-1:]))
        )
        if not known and found[-1].removed:
            click.echo(f"\n{found[-1].removed}")
    else:
        click.echo(f"Nobody asked yet what {uid} was worth.")


def _weigh(
    uid: str, operator: str, number: int, path: Path | None, judge: tuple[str, str, str]
) -> None:
    from core.engine import worth as weighing
    from core.experiments.faithfulness_live import operators_of

    with reader(path) as workspace:
        place, removal = weighing.weighable(workspace.db, uid, operator, number)
        row = workspace.db.execute(
            "SELECT operator FROM trajectory WHERE uid = ?", (place[0],)
        ).fetchone()
        spec, found_at = operators_of(workspace)(row[0]), workspace.path
    if isinstance(removal, str):
        with writer(found_at) as workspace:
            weighing.keep_why_not(workspace, place, removal)
        return
    judged = asyncio.run(weighing.measured(wiring.judge(*judge), spec, removal))
    with writer(found_at) as workspace:
        weighing.keep_worth(workspace, *judged)


def worth_text(found: Worth) -> str:
    """One answer in a line."""
    where = f"{found.operator} round {found.round}"
    if found.why_not:
        return f"{where}: {found.why_not}"
    with_lines = _side(found.with_verdict, found.with_us, found.latency_origin)
    without = _side(found.without_verdict, found.without_us, found.latency_origin)
    gain = found.gain_us
    if found.outcome == "needed":
        says = "needed: the kernel is not correct without these lines"
    elif found.outcome == "bound":
        says = "no answer for these lines alone: the kernel does not build without them"
    elif gain is None:
        says = "not comparable"
    else:
        says = f"{abs(gain):.2f} us {'saved' if gain >= 0 else 'lost'} by these lines"
    return f"{where}: {says}; with them {with_lines}, without {without} ({found.judge})"


def _side(verdict: str, us: float | None, origin: str) -> str:
    return f"{verdict} {us:.2f} us {origin}" if us is not None else verdict
