"""The numbers of a report computed again from the raw rows of its workspaces, with the standard library.

Knows the tables of a workspace and the paper's definitions, and nothing of the code that made the report. By hand:
`python -m tests.core.experiments.recomputed FOLDER` for an experiment whose report is in its folder.
"""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import statistics
import sys
from pathlib import Path
from typing import Any

_ROWS = """
SELECT t.operator, t.t_first, t.t_best, t.first_correct_round IS NOT NULL AS correct, t.rounds_used, t.uid,
  t.provider_origin, t.evaluator,
  (SELECT count(*) FROM round r WHERE r.trajectory_uid = t.uid AND r.verdict IN
    ('pass', 'pass-with-hazard', 'fail-run', 'fail-result')) AS built,
  (SELECT min(r.latency_us) FROM round r WHERE r.trajectory_uid = t.uid AND r.verdict = 'pass') AS fastest,
  (SELECT r.latency_us FROM round r WHERE r.trajectory_uid = t.uid AND r.verdict = 'pass'
    ORDER BY r.round LIMIT 1) AS earliest
FROM trajectory t JOIN queue_entry q ON q.id = t.queue_id
WHERE q.label = ? AND t.state = 'finished' ORDER BY t.operator
"""


def level_of(operators: Path, name: str) -> int:
    text = (operators / name / "operator.toml").read_text()
    return int(
        next(line for line in text.splitlines() if line.startswith("level")).split("=")[
            1
        ]
    )


def recompute(folder: Path, report: Path, operators: Path) -> int:
    """Assert that JSON, CSV and page say what the rows say; returns how many numbers were compared."""
    told = json.loads((report / "report.json").read_text())
    page = (report / "report.html").read_text()
    with (report / "trials.csv").open() as file:
        trials = list(csv.DictReader(file))
    with (report / "arms.csv").open() as file:
        arms = {(row["arm"], row["backbone"]): row for row in csv.DictReader(file)}
    reported = {line["trajectory"] for line in trials if line["reported"] == "True"}
    compared, every = 0, 0
    for arm in told["arms"]:
        rows: list[dict[str, Any]] = []
        for path in sorted(
            (folder / "cells").glob(f"{arm['arm']}--{arm['backbone']}--r*.sage")
        ):
            db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            db.row_factory = sqlite3.Row
            rows += [
                dict(row) | {"cell": path.stem}
                for row in db.execute(_ROWS, (path.stem,))
                if row["uid"] in reported
            ]
            db.close()
        every += len(rows)
        cells = sorted({row["cell"] for row in rows})
        levels = {row["operator"]: level_of(operators, row["operator"]) for row in rows}

        def mean(
            value: Any, rows: list[dict[str, Any]] = rows, cells: list[str] = cells
        ) -> float:
            return statistics.mean(
                value([row for row in rows if row["cell"] == cell]) for cell in cells
            )

        def gains(rows: list[dict[str, Any]]) -> list[float]:
            return [
                row["earliest"] / row["fastest"]
                for row in rows
                if row["correct"] and row["fastest"]
            ]

        expected = {
            "execution_rate": mean(
                lambda some: sum(row["correct"] for row in some) / len(some)
            ),
            "compilation_rate": mean(
                lambda some: sum(row["built"] > 0 for row in some) / len(some)
            ),
        }
        if gains(rows):
            by_cell = [
                gains([row for row in rows if row["cell"] == cell]) for cell in cells
            ]
            expected["self_speedup"] = statistics.mean(
                statistics.median(some) for some in by_cell if some
            )
            assert arm["self_speedup_range"] == [min(gains(rows)), max(gains(rows))]
            assert f"{expected['self_speedup']:.2f}×" in page
        for name, value in expected.items():
            assert abs(arm[name]["value"] - value) < 1e-12, (arm["arm"], name)
            assert abs(float(arms[arm["arm"], arm["backbone"]][name]) - value) < 1e-12
            compared += 1
        for level, figure in arm["execution_rate_by_level"].items():
            at_level = [row for row in rows if levels[row["operator"]] == int(level)]
            share = statistics.mean(
                row["correct"] for row in at_level
            )  # as many in every repeat
            assert abs(figure["value"] - share) < 1e-12
            compared += 1
        assert arm["operators"] == len(levels)
        assert arm["solved"] == [
            sum(r["correct"] for r in rows if r["cell"] == cell) for cell in cells
        ]
        assert arm["fast"]["value"] is None, "nothing was measured on a device"
        for row in rows:
            (line,) = [
                t
                for t in trials
                if t["trajectory"] == row["uid"] and t["arm"] == arm["arm"]
            ]
            assert (line["operator"], int(line["rounds"])) == (
                row["operator"],
                row["rounds_used"],
            )
            assert line["model_origin"] == row["provider_origin"]
            assert line["judge"] == row["evaluator"]
            assert line["t_first"] == (
                "" if row["t_first"] is None else repr(row["t_first"])
            )
            assert line["t_best"] == (
                "" if row["t_best"] is None else repr(row["t_best"])
            )
            if row["correct"]:
                assert (row["t_first"], row["t_best"]) == (
                    row["earliest"],
                    row["fastest"],
                )
            compared += 4
        if not told["bars"]:
            compared += bars_recomputed(page, f"{arm['arm']}@{arm['backbone']}", rows)
    assert len(reported) == every
    return compared


def bars_recomputed(page: str, arm: str, rows: list[dict[str, Any]]) -> int:
    """Assert that the speed-ups drawn for an arm are those of the rows; returns how many bars there are."""
    title = f"Speed-up over the first correct kernel by operator, {arm};"
    drawn = [
        figure
        for figure in re.findall(r"<figure.*?</figure>", page, re.DOTALL)
        if f"<figcaption>{title}" in figure
    ]
    gains: dict[str, list[float]] = {}
    for row in rows:
        if row["correct"] and row["fastest"]:
            gain = row["earliest"] / row["fastest"]
            gains.setdefault(row["operator"], []).append(gain)
    labels = [
        label for figure in drawn for label in re.findall(r">([0-9.]+)×<", figure)
    ]
    medians = sorted(statistics.median(found) for found in gains.values())
    assert sorted(labels, key=float) == [f"{median:.2f}" for median in medians], arm
    return len(labels)


if __name__ == "__main__":
    _place = Path(sys.argv[1])
    _operators = Path(__file__).parents[3] / "resources" / "operators"
    _count = recompute(_place, _place / "report", _operators)
    sys.stdout.write(f"{_count} numbers of the report are those of the raw rows\n")
