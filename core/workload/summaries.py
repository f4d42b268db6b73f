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
from core.workload.collector import OperatorTimes, RankTotals
from core.workload.records import Check

_MOST = 32 << 20  # bytes; a summary has one row for each operator or step
_ROUNDING_US = 1.0  # of an operator's sum: its rows are rounded, and so is the summary


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
            values = [_number(record, name, file, row) for name in columns]
            step = record["Step"].strip()
            steps[step] = StepTimes(*values)
    return steps


def operator_times(folder: Path) -> OperatorTimes:
    """Launches and time of every operator; empty where there is no summary.

    Raises:
        InvalidInput: A cell is no number; names file, row and column.
    """
    sums: OperatorTimes = {}
    files = sorted(folder.glob("op_statistic*.csv"))
    columns = ("OP Type", "Core Type", "Count", "Total Time(us)")
    for file in files[-1:]:  # a later export repeats the earlier
        for row, record in _records(file, columns):
            count = int(_number(record, "Count", file, row))
            time_us = _number(record, "Total Time(us)", file, row)
            operator = record["OP Type"].strip()
            core = record["Core Type"].strip()
            count_before, before_us = sums.get((operator, core), (0, 0.0))
            sums[operator, core] = (count_before + count, before_us + time_us)
    return sums


def _number(record: dict[str, str], column: str, file: Path, row: int) -> float:
    return number(record[column], (str(file), row, column))


def _records(
    file: Path, columns: Sequence[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a summary by their number in the file, where the header is row 1.

    Raises:
        InvalidInput: A column is missing, or a row ends before it.
    """
    lines = read_text(file, _MOST).splitlines()
    reader = csv.DictReader(lines)
    header = reader.fieldnames or ()
    missing = [name for name in columns if name not in header]
    if missing:
        problem = "there is no column {names}"
        names = ", ".join(missing)
        raise InvalidInput(str(file), "header", problem, names=names)
    for row, record in enumerate(reader, 2):
        for name in columns:
            if record[name] is None:
                raise fault((str(file), row, name), "is missing")
        yield row, record


def checks_of(
    rank: str,
    folder: Path,
    totals: RankTotals,
    warn: Callable[[str], None],
) -> list[Check]:
    """Sums of a rank beside those of its summaries; differences are warned of."""
    checks = [
        *_step_checks(rank, folder, totals),
        *_operator_checks(rank, folder, totals),
    ]
    for check in checks:
        if not check.agrees:
            ours = f"{check.ours:,.2f} {check.unit}"
            profile = f"{check.profile:,.2f}"
            warn(
                f"{check.what}: the rows add up to {ours}, the profile's own summary "
                f"says {profile}."
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
        ours = computing_us
        if abs(busy_us - times.computing_us) < abs(computing_us - times.computing_us):
            ours = busy_us
        yield Check(f"{what}, computing", ours, times.computing_us)
        talks = totals.communication_us[step]
        yield Check(f"{what}, communication", talks, times.communication_us)


def _operator_checks(rank: str, folder: Path, totals: RankTotals) -> Iterator[Check]:
    summary_times = operator_times(folder)
    if not summary_times:
        return
    ours = totals.operators
    what = f"rank {rank}, op_statistic"
    our_count, our_us = _sums(ours)
    count, us = _sums(summary_times)
    yield Check(f"{what}, launches", our_count, count, "launches")
    yield Check(f"{what}, time", our_us, us)
    same = 0
    for key, (operator_count, operator_us) in summary_times.items():
        own_count, own_us = ours.get(key, (-1, 0.0))
        is_near = abs(own_us - operator_us) <= _ROUNDING_US
        same += own_count == operator_count and is_near
    operators = len(summary_times)
    yield Check(f"{what}, operators alike", same, operators, "operators")


def _sums(operators: OperatorTimes) -> tuple[int, float]:
    """Launches and microseconds of all operators."""
    counts = [count for count, _us in operators.values()]
    times_us = [time_us for _count, time_us in operators.values()]
    return sum(counts), sum(times_us)
