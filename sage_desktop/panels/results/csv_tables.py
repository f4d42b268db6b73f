"""The pages of the results as CSV; latencies in microseconds. No Qt."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

from sage_desktop.panels.results.reading import PIPES

if TYPE_CHECKING:
    from core.analysis.results import RunResults
    from core.evaluation.records import PipeProfile
    from sage_desktop.panels.results.reading import Bottleneck, Curve, OperatorRow

_OPERATORS = (
    "operator",
    "level",
    "compiled",
    "correct",
    "latency_first_us",
    "latency_best_us",
    "gain",
    "latency_torch_npu_us",
    "speedup",
    "latency_origin",
    "incomplete",
    "label",
    "method",
    "model",
    "model_origin",
    "judge",
    "run",
    "memory",
    "edited",
    "rounds",
    "failed",
    "tokens",
    "cost",
    "minutes",
    "host",
    "in_metrics",
)
_ROOFLINE = (
    "round",
    "latency_us",
    "case",
    "unit",
    "operations",
    "bytes",
    "time_us",
    "ops_per_byte",
    "ops_per_s",
    "share_of_roof",
    "bound",
    "time_is",
    "counts_are",
)


def operators_csv(run: RunResults, rows: Sequence[OperatorRow]) -> str:
    """The operators of a run."""
    kind = astuple(run.kind)
    table: list[Sequence[object]] = [_OPERATORS]
    for row in rows:
        result, effort = row.result, row.effort
        table.append(
            [
                result.operator,
                result.level,
                int(result.compiled),
                int(result.correct),
                _fixed(result.t_first, 3),
                _fixed(result.t_best, 3),
                _fixed(result.self_speedup, 4),
                _fixed(result.t_reference, 3),
                _fixed(result.reference_speedup, 4),
                row.latency_origin,
                int(result.incomplete),
                *kind[:-1],
                int(row.edited),
                effort.rounds,
                effort.failed,
                "" if effort.tokens is None else effort.tokens,
                _fixed(effort.cost, 4),
                _fixed(effort.minutes, 2),
                effort.host,
                int(row.counted),
            ]
        )
    return _text(table)


def curves_csv(curves: Sequence[Curve]) -> str:
    """The points of curves."""
    header = ["operator", "round", "minutes", "latency_us", "latency_origin"]
    table: list[Sequence[object]] = [header]
    for curve in curves:
        for point in curve.points:
            minutes = f"{point.minutes:.3f}"
            latency = f"{point.latency_us:.3f}"
            table.append(
                [curve.name, point.round, minutes, latency, curve.latency_origin]
            )
    return _text(table)


def bottleneck_csv(bottleneck: Bottleneck | None) -> str:
    """The timed rounds: place under the roofline, and busy cycles of each pipe."""
    pipes = [attribute for _name, attribute in PIPES]
    header = [*_ROOFLINE, "bound_by", *(f"{pipe}_cycles" for pipe in pipes)]
    table: list[Sequence[object]] = [header]
    for row in bottleneck.rounds if bottleneck is not None else ():
        cells: list[object] = [row.number, _fixed(row.latency_us, 3)]
        point = row.point
        if point is None or bottleneck is None or bottleneck.ceilings is None:
            cells += [""] * (len(_ROOFLINE) - len(cells))
        else:
            cells += [
                point.case,
                point.unit,
                point.operations,
                point.bytes,
                f"{point.time_us:.3f}",
                f"{point.intensity:.4g}",
                f"{point.performance:.4g}",
                f"{point.share(bottleneck.ceilings):.4f}",
                point.bound(bottleneck.ceilings),
                point.origin,
                point.counted.value,
            ]
        cells += _pipe_cells(row.profile, pipes)
        table.append(cells)
    return _text(table)


def _pipe_cells(profile: PipeProfile | None, pipes: Sequence[str]) -> list[object]:
    """What bounds the round, and the cycles of each pipe added up over all cores."""
    if profile is None:
        return [""] * (1 + len(pipes))
    cycles = [sum(getattr(core, pipe) for core in profile.cores) for pipe in pipes]
    return [profile.bound or "", *cycles]


def _text(rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _fixed(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
