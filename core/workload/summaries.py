"""A profile's own summaries, and whether its launches add up to them.

op_statistic.csv     launches and time of each operator on each kind of core
step_trace_time.csv  computing, communication and idle time of each step
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import InvalidInput
from core.outside import read_text
from core.workload.cells import fault, number
from core.workload.collector import RankTotals
from core.workload.records import Check

_MOST = 32 << 20  # bytes; a summary has one row for each operator or step


@dataclass(frozen=True)
class StepTimes:
    """One step of `step_trace_time.csv`, in microseconds."""

    computing_us: float
    communication_us: float
    exposed_us: float
    free_us: float

    @property
    def whole_us(self) -> float:
        """From its beginning to its end."""
        return self.computing_us + self.exposed_us + self.free_us


def step_times(folder: Path) -> dict[str, StepTimes]:
    """Steps of the summary in a folder, empty where there is none.

    Raises:
        InvalidInput: A cell is no number; names file, row and column.
    """
    steps = {}
    columns = (
        "Computing",
        "Communication",
        "Communication(Not Overlapped)",
        "Free",
    )
    for file in sorted(folder.glob("step_trace_time*.csv")):
        for row, record in _records(file, ("Step", *columns)):
            values = [number(record[name], (str(file), row, name)) for name in columns]
            steps[record["Step"].strip()] = StepTimes(*values)
    return steps


def operator_times(folder: Path) -> dict[tuple[str, str], tuple[int, float]]:
    """(operator, core) -> launches and microseconds; empty where there is no summary.

    Raises:
        InvalidInput: A cell is no number; names file, row and column.
    """
    sums: dict[tuple[str, str], tuple[int, float]] = {}
    files = sorted(folder.glob("op_statistic*.csv"))
    for file in files[-1:]:  # a later export repeats the earlier
        columns = ("OP Type", "Core Type", "Count", "Total Time(us)")
        for row, record in _records(file, columns):
            count = number(record["Count"], (str(file), row, "Count"))
            time_us = number(record[columns[3]], (str(file), row, columns[3]))
            key = (record["OP Type"].strip(), record["Core Type"].strip())
            known_count, known_us = sums.get(key, (0, 0.0))
            sums[key] = (known_count + int(count), known_us + time_us)
    return sums


def _records(
    file: Path, columns: Sequence[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    lines = read_text(file, _MOST).splitlines()
    reader = csv.DictReader(lines)
    missing = [name for name in columns if name not in (reader.fieldnames or ())]
    if missing:
        problem = "there is no column {names}"
        raise InvalidInput(str(file), "header", problem, names=", ".join(missing))
    for row, record in enumerate(reader, 2):
        for name in columns:
            if record[name] is None:
                raise fault((str(file), row, name), "is missing")
        yield row, record


def checks_of(
    rank: str, folder: Path, totals: RankTotals, warn: Callable[[str], None]
) -> list[Check]:
    """Sums of a rank beside those of its summaries; differences are warned of."""
    checks = [
        *_step_checks(rank, folder, totals),
        *_operator_checks(rank, folder, totals),
    ]
    for check in checks:
        if not check.agrees:
            warn(
                f"{check.what}: the rows add up to {check.ours:,.2f} {check.unit}, the "
                f"profile's own summary says {check.profile:,.2f}."
            )
    return checks


def _step_checks(rank: str, folder: Path, totals: RankTotals) -> Iterator[Check]:
    for step, times in step_times(folder).items():
        if step not in totals.computing_us:
            continue
        what = f"rank {rank}, step {step}"
        computing_us = totals.computing_us[step]
        busy_us = totals.busy_us.get(step, computing_us)
        # Kernels that run side by side are counted once there, and each by itself in rows.
        ours = min((computing_us, busy_us), key=lambda us: abs(us - times.computing_us))
        yield Check(f"{what}, computing", ours, times.computing_us)
        talks = totals.communication_us[step]
        yield Check(f"{what}, communication", talks, times.communication_us)


def _operator_checks(rank: str, folder: Path, totals: RankTotals) -> Iterator[Check]:
    summary_times = operator_times(folder)
    if not summary_times:
        return
    counts = sum(count for count, _us in summary_times.values())
    times_us = sum(time_us for _count, time_us in summary_times.values())
    ours = totals.operators
    what = f"rank {rank}, op_statistic"
    our_count = sum(count for count, _us in ours.values())
    our_us = sum(time_us for _count, time_us in ours.values())
    yield Check(f"{what}, launches", our_count, counts, "launches")
    yield Check(f"{what}, time", our_us, times_us)
    same = sum(
        key in ours and ours[key][0] == count and abs(ours[key][1] - time_us) <= 1.0
        for key, (count, time_us) in summary_times.items()
    )
    yield Check(f"{what}, operators alike", same, len(summary_times), "operators")
