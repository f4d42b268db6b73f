"""The tables of a report as CSV: raw rows, arms, pairs. Numbers are in full, what is not there is empty."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from core.analysis.rules import RULES
from core.experiments.faithfulness.studies import CellStudy
from core.experiments.reports.report import ArmFigures, Figure, Pair
from core.experiments.running.trials import Trial

_FIGURES = (
    "compilation_rate",
    "execution_rate",
    "fast",
    "self_speedup",
    "reference_speedup",
)
_BY_KEY = ("execution_rate_by_level", "execution_rate_by_rule")
_LEVELS = range(4)


def trials_csv(trials: Iterable[Trial]) -> str:
    """One line a raw row."""
    names = [entry.name for entry in fields(Trial)]
    return _csv(
        names, ({name: getattr(trial, name) for name in names} for trial in trials)
    )


def arms_csv(arms: Iterable[ArmFigures]) -> str:
    """One line an arm and backbone; of every figure its value and the ends of its interval."""
    plain = [
        entry.name
        for entry in fields(ArmFigures)
        if entry.name not in {*_FIGURES, *_BY_KEY} and not entry.name.endswith("_range")
    ]
    columns = [
        *_FIGURES,
        *(f"execution_rate_l{level}" for level in _LEVELS),
        *(f"execution_rate_{rule}" for rule in RULES),
    ]
    names = [
        *plain,
        *(f"{name}{end}" for name in columns for end in ("", "_low", "_high")),
    ]
    rows = []
    for arm in arms:
        row = {name: _plain(getattr(arm, name)) for name in plain}
        for name in _FIGURES:
            row |= _figure(name, getattr(arm, name))
        for level in _LEVELS:
            row |= _figure(
                f"execution_rate_l{level}", arm.execution_rate_by_level.get(str(level))
            )
        for rule, figure in arm.execution_rate_by_rule.items():
            row |= _figure(f"execution_rate_{rule}", figure)
        rows.append(row)
    return _csv(names, rows)


def pairs_csv(pairs: Iterable[Pair]) -> str:
    """One line a pair."""
    rows = [
        {
            "first": pair.first,
            "second": pair.second,
            "operators": pair.operators,
            "same_inputs": pair.same_inputs,
            **_figure("er_difference", pair.difference),
            "only_first": pair.correctness.only_first,
            "only_second": pair.correctness.only_second,
            "mcnemar_p": pair.correctness.p,
            "mcnemar_p_holm": pair.p_correctness,
            "both_solved": pair.speed.n if pair.speed else None,
            "speed_ratio": pair.speed.ratio if pair.speed else None,
            "wilcoxon_p": pair.speed.p if pair.speed else None,
            "wilcoxon_p_holm": pair.p_speed,
        }
        for pair in pairs
    ]
    return _csv(list(rows[0]) if rows else ["first", "second"], rows)


def adopted_items_csv(studies: Iterable[CellStudy]) -> str:
    """One line a masked item: what was declared of it beside what leaving it out cost."""
    rows = [
        {
            "run": study.cell,
            "item": entry.declared.uid,
            "title": entry.declared.title,
            "u": entry.declared.u,
            "retrieved": entry.declared.retrieved,
            "adopted": entry.declared.adopted,
            "masked_in": entry.occasions,
            "effect": entry.effect,
            "effect_low": entry.interval[0] if entry.interval else None,
            "effect_high": entry.interval[1] if entry.interval else None,
        }
        for study in studies
        for entry in study.faithfulness.items
    ]
    return _csv(list(rows[0]) if rows else ["run", "item"], rows)


def masked_credit_csv(studies: Iterable[CellStudy]) -> str:
    """One line an item with a tested adoption: its utility by either credit."""
    rows = [
        {
            "run": study.cell,
            "item": item.uid,
            "title": item.title,
            "tested": item.tested,
            "upheld": item.upheld,
            "u_declared": item.declared,
            "u_masked": item.masked,
        }
        for study in studies
        for item in study.credit.items
    ]
    return _csv(list(rows[0]) if rows else ["run", "item"], rows)


def _figure(name: str, figure: Figure | None) -> dict[str, float | None]:
    interval = figure.interval if figure else None
    return {
        name: figure.value if figure else None,
        f"{name}_low": interval.low if interval else None,
        f"{name}_high": interval.high if interval else None,
    }


def _plain(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, tuple) else value


def _csv(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)  # None is written as nothing
    return out.getvalue()
