"""`sage simulate`: the mechanism on a synthetic stream with known truth. A demonstration, not evidence."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from tabulate import tabulate
from tqdm import tqdm

if TYPE_CHECKING:
    from core.experiments.simulation.studies import Comparison, SeedScores, Simulated

    Compared = Callable[[Sequence[SeedScores]], tuple[Comparison, ...]]

_WORKERS = min(2, os.cpu_count() or 1)  # processes; they change no number


@click.command()
@click.option(
    "--fixed-bank",
    "is_fixed",
    is_flag=True,
    help="Rank one frozen bank by ATU, by uniform credit and by relevance alone, instead.",
)
@click.option(
    "--passes",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Over each frozen bank.",
)
@click.option(
    "--seeds",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="How many worlds.",
)
@click.option(
    "--regime",
    "names",
    multiple=True,
    help="Named in docs/simulation.md; `all` for every one. [default: base]",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Leave the simulated memories in this folder.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, every seed included."
)
def simulate(is_fixed: bool, passes: int, **choices: Any) -> None:
    """Drive the real memory with a synthetic agent whose truth is known.

    Every declared method learns online from the same empty counters. The result demonstrates the mechanism;
    it is no evidence about kernels.
    """
    from core.experiments.simulation import studies

    if is_fixed:
        simulated = partial(studies.fixed_bank, passes=passes)
        compared = studies.fixed_bank_comparisons
        _run("fixed-bank", simulated, compared, passes, **choices)
    else:
        _run("stream", studies.stream, studies.stream_comparisons, 1, **choices)


def _run(
    kind: str,
    simulated: Simulated,
    compared: Compared,
    passes: int,
    *,
    seeds: int,
    names: tuple[str, ...],
    keep: Path | None,
    as_json: bool,
) -> None:
    """Run the chosen regimes and print each as soon as it is known."""
    from core.experiments.simulation.studies import LABEL, NOT_REPRODUCED, over_seeds
    from core.experiments.simulation.world import REGIMES, regime

    regime_names = tuple(REGIMES) if "all" in names else names or ("base",)
    # All names are looked up first: an unknown one ends the command before anything runs.
    regimes = {name: regime(name) for name in regime_names}
    reports: list[dict[str, Any]] = []
    if not as_json:
        click.echo(f"{LABEL}\n")
    for name, world in regimes.items():
        folder = None if keep is None else keep / name
        with tqdm(
            total=seeds, desc=name, file=sys.stderr, leave=False, disable=None
        ) as bar:
            rows = over_seeds(
                simulated,
                world,
                range(seeds),
                workers=_WORKERS,
                folder=folder,
                on_progress=lambda _: bar.update(),
            )
        comparisons = compared(rows)
        if not as_json:
            _print(name, rows, comparisons)
            continue
        reports.append(
            {
                "regime": name,
                "world": {
                    **asdict(world),
                    "method": json.loads(world.method.to_json()),
                },
                "comparisons": [asdict(entry) for entry in comparisons],
                "seeds": [asdict(row) for row in rows],
            }
        )
    if as_json:
        whole = {
            "label": LABEL,
            "not_reproduced": NOT_REPRODUCED,
            "simulation": kind,
            "passes": passes,
        }
        click.echo(json.dumps(whole | {"regimes": reports}, indent=1))
    else:
        click.echo("not reproduced: " + "; ".join(NOT_REPRODUCED))


def _print(
    name: str, rows: Sequence[SeedScores], comparisons: Sequence[Comparison]
) -> None:
    from core.experiments.simulation.studies import mean_scores

    click.echo(f"regime {name}, {len(rows)} seeds, means in %")
    table = []
    for entry in rows[0].scores:
        mean = mean_scores(rows, entry)
        fast = _number(mean.fast, ".1f")
        auc, rho = _number(mean.auc, ".3f"), _number(mean.rho, "+.2f")
        table.append((entry, f"{mean.er:.1f}", f"{mean.er_l3:.1f}", fast, auc, rho))
    headers = ("ranking", "ER", "L3 ER", "Fast1.0", "AUC of u", "rho with truth")
    click.echo(tabulate(table, headers=headers, disable_numparse=True))
    for pair in comparisons:
        click.echo(
            f"{pair.better} - {pair.worse}: ER {pair.mean:+.2f} points, {pair.wins} won, {pair.ties} tied, "
            f"{pair.losses} lost, one-sided paired p {pair.p:.2g}"
        )
    click.echo()


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
