"""`ascend_pytorch_profiler_*.db` and `msprof_*.db`: the same launches from SQLite.

Names, types and shapes are ids into `STRING_IDS`. Older files lack tables and columns,
so only what is there is asked for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from core.errors import InvalidInput
from core.outside import require_regular
from core.workload.kernel_csv import REPORT_ROWS, Progress
from core.workload.launches import (
    NO_COUNTERS,
    Counters,
    Launch,
    Signature,
    operator_of,
)

_TASKS = "COMPUTE_TASK_INFO"
_TEXTS = (
    "name",
    "opType",
    "taskType",
    "inputShapes",
    "inputDataTypes",
    "inputFormats",
    "outputShapes",
    "outputDataTypes",
    "outputFormats",
)
_BLOCKS = ("blockDim", "blockNum")
_COUNTERS = ("aic_total_time", "aic_total_cycles", "aiv_total_time", "aiv_total_cycles")
_NS = 1000.0  # of a microsecond


def read_kernel_db(
    path: Path, warn: Callable[[str], None], progress: Progress = lambda _read: None
) -> Iterator[Launch]:
    """Every launch of a database, by start, communication behind.

    Args:
        path: The file.
        warn: Gets what a person should know.
        progress: Gets the bytes that were read, an estimate by the rows of `TASK`.

    Raises:
        InvalidInput: It is no such database, or damaged; names file and table.
    """
    require_regular(path)
    address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as base:
            base.execute("PRAGMA trusted_schema = OFF")
            database = _Database(base, str(path), warn)
            size, tasks = path.stat().st_size, database.tasks()
            reported = 0
            for count, launch in enumerate(database.launches()):
                if count % REPORT_ROWS == 0:
                    read = size * min(count, tasks) // max(1, tasks)
                    progress(read - reported)
                    reported = read
                yield launch
            progress(size - reported)
    except sqlite3.Error as error:
        problem = "cannot be read: {error}"
        raise InvalidInput(str(path), "database", problem, error=error) from error


class _Database:
    """One open file."""

    def __init__(
        self, base: sqlite3.Connection, file: str, warn: Callable[[str], None]
    ) -> None:
        self._base = base
        self._file = file
        self._warn = warn
        tables = base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self._tables = {name for (name,) in tables}
        for table in ("TASK", _TASKS, "STRING_IDS"):
            if table not in self._tables:
                remedy = "Give the database of torch_npu's profiler or of msprof."
                raise InvalidInput(file, table, "there is no such table", remedy)

    def tasks(self) -> int:
        """How many rows `TASK` has."""
        (count,) = self._base.execute("SELECT count(*) FROM TASK").fetchone()
        return int(count)

    def launches(self) -> Iterator[Launch]:
        """Tasks that compute, then communication."""
        steps = self._steps()
        texts = dict(self._base.execute("SELECT id, value FROM STRING_IDS"))
        columns = self._columns(_TASKS)
        selected = [name if name in columns else "NULL" for name in _TEXTS]
        blocks = next((name for name in _BLOCKS if name in columns), "NULL")
        query = (
            f"SELECT t.startNs, t.endNs, t.deviceId, t.globalTaskId, i.{blocks}, "
            f"{', '.join(f'i.{name}' for name in selected)} FROM TASK t "
            f"JOIN {_TASKS} i ON i.globalTaskId = t.globalTaskId ORDER BY t.startNs"
        ).replace("i.NULL", "NULL")
        counters = self._counters(texts)
        for row, record in enumerate(self._base.execute(query), 1):
            start, end, device, task, blocks_count, *ids = record
            name, kind, core, *lists = (str(texts.get(key, "N/A")) for key in ids)
            yield Launch(
                Signature(operator_of(kind, name), core, *lists),
                name,
                self._time(start, row),
                (self._time(end, row) - start) / _NS,
                steps(start),
                "" if device is None else str(device),
                "" if blocks_count is None else str(blocks_count),
                counters.get(task, NO_COUNTERS),
                row,
            )
        yield from self._communication(texts, steps)

    def _time(self, value: object, row: int) -> int:
        if not isinstance(value, int):
            field = f"TASK, row {row}, startNs and endNs"
            raise InvalidInput(
                self._file, field, "{value!r} is not a time", value=value
            )
        return value

    def _communication(
        self, texts: dict[int, str], steps: Callable[[int], str]
    ) -> Iterator[Launch]:
        if "COMMUNICATION_OP" not in self._tables:
            return
        query = "SELECT opName, opType, startNs, endNs FROM COMMUNICATION_OP"
        rows = self._base.execute(f"{query} ORDER BY startNs")
        for row, (name_id, kind_id, start, end) in enumerate(rows, 1):
            name = str(texts.get(name_id, "N/A"))
            kind = operator_of(str(texts.get(kind_id, "")), name)
            duration_us = (self._time(end, row) - self._time(start, row)) / _NS
            signature = Signature(kind, "COMMUNICATION")
            yield Launch(
                signature,
                name,
                start,
                duration_us,
                steps(start),
                "",
                "",
                NO_COUNTERS,
                row,
            )

    def _columns(self, table: str) -> set[str]:
        return {row[1] for row in self._base.execute(f"PRAGMA table_info({table})")}

    def _steps(self) -> Callable[[int], str]:
        """The step that a time lies in, empty for none."""
        if "STEP_TIME" not in self._tables:
            return lambda _start: ""
        query = "SELECT startNs, endNs, id FROM STEP_TIME ORDER BY startNs"
        steps = self._base.execute(query).fetchall()

        def step(start: int) -> str:
            inside = (
                str(name) for first, last, name in steps if first <= start <= last
            )
            return next(inside, "")

        return step

    def _counters(self, texts: dict[int, str]) -> dict[int, Counters]:
        """Times and cycles of the first tasks: enough to tell the processor."""
        if "TASK_PMU_INFO" not in self._tables:
            return {}
        ids = {value: key for key, value in texts.items() if value in _COUNTERS}
        if len(ids) < len(_COUNTERS):
            return {}
        columns = ", ".join(
            f"max(CASE name WHEN {ids[name]} THEN value END)" for name in _COUNTERS
        )
        query = f"SELECT globalTaskId, {columns} FROM TASK_PMU_INFO"
        rows = self._base.execute(f"{query} GROUP BY globalTaskId LIMIT 10000")
        cycles = {}
        for task, *values in rows:
            cube_ns, cube_cycles, vector_ns, vector_cycles = (v or 0.0 for v in values)
            cycles[task] = (
                str(cube_ns / _NS),
                str(cube_cycles),
                str(vector_ns / _NS),
                str(vector_cycles),
            )
        return cycles
