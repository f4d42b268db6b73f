"""`kernel_details.csv` of torch_npu and `op_summary_*.csv` of msprof, row by row.

Both are the same table; six columns have two names, and every column but the name and
the duration may be missing. Columns are found by name: their order, and what else is
there, changed with every version of CANN.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from core.errors import InvalidInput
from core.outside import require_regular
from core.text import Text
from core.workload.cells import UNLISTED, fault, nanoseconds, number
from core.workload.launches import (
    NO_COUNTERS,
    NO_START,
    Counters,
    Launch,
    Signature,
    operator_of,
)

_NAMES = {
    "name": ("Name", "Op Name"),
    "type": ("Type", "OP Type"),
    "core": ("Accelerator Core", "Task Type"),
    "start": ("Start Time(us)", "Task Start Time(us)"),
    "duration": ("Duration(us)", "Task Duration(us)"),
    "blocks": ("Block Dim", "Block Num"),
    "step": ("Step Id",),
    "device": ("Device_id", "Device Id"),
}
_LISTS = (
    "Input Shapes",
    "Input Data Types",
    "Input Formats",
    "Output Shapes",
    "Output Data Types",
    "Output Formats",
)
_COUNTERS = ("aicore_time(us)", "aic_total_cycles", "aiv_time(us)", "aiv_total_cycles")
REPORT_ROWS = 4096  # between two reports of progress
_LARGEST_CELL = 1 << 24  # characters: a Foreach operator lists thousands of tensors
_SUMMARIES = {"Count", "Total Time(us)", "Ratio(%)"}  # columns of op_statistic.csv

Progress = Callable[[int], None]
"""Gets the bytes that were read since it was last called."""


class Columns:
    """Where each column of a table stands."""

    def __init__(self, header: Sequence[str], file: str) -> None:
        places = {name.strip().casefold(): at for at, name in enumerate(header)}
        self._places = places
        self.names = {key: self._name(spellings) for key, spellings in _NAMES.items()}
        for key in ("name", "duration"):
            if self.names[key] not in header and self.at(self.names[key]) is None:
                raise _no_column(header, file, _NAMES[key])

    def _name(self, spellings: Sequence[str]) -> str:
        listed = (name for name in spellings if name.casefold() in self._places)
        return next(listed, spellings[0])

    def at(self, name: str) -> int | None:
        """The place of a column; None where the table has none."""
        return self._places.get(name.casefold())


def _no_column(header: Sequence[str], file: str, names: Sequence[str]) -> InvalidInput:
    remedy = "Give kernel_details.csv of torch_npu or op_summary_*.csv of msprof."
    if set(header) >= _SUMMARIES:
        remedy = "This is a summary of operators without launches. " + remedy
    first_columns = ", ".join(header[:8])
    problem = Text(
        "there is no column {names}, only {shown}",
        names=" or ".join(names),
        shown=first_columns or Text("nothing"),
    )
    return InvalidInput(file, "header", problem, remedy)


def read_kernel_csv(
    path: Path, warn: Callable[[str], None], progress: Progress = lambda _read: None
) -> Iterator[Launch]:
    """Every launch of a table, in the order of the file.

    Args:
        path: The file.
        warn: Gets what a person should know, such as a last row that is cut off.
        progress: Gets the bytes that were read.

    Raises:
        InvalidInput: The file is no such table or a cell cannot be read; names file, row
            (the header is row 1) and column.
    """
    require_regular(path)
    csv.field_size_limit(_LARGEST_CELL)
    with path.open("rb") as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        rows = csv.reader(text)
        launches = _Launches(str(path), rows, warn)
        reported = 0
        try:
            for launch in launches.read():
                if launch.row % REPORT_ROWS == 0:
                    progress(raw.tell() - reported)
                    reported = raw.tell()
                yield launch
        except csv.Error as error:
            place = (str(path), launches.row, "cell")
            raise fault(place, "cannot be read: {error}", error=error) from error
        except UnicodeDecodeError as error:
            field = f"after row {launches.row}"
            raise InvalidInput(str(path), field, "is not UTF-8 text") from error
        progress(raw.tell() - reported)


class _Launches:
    """The rows of one table as launches.

    Attributes:
        row: The one that was read last; the header is 1.
    """

    def __init__(
        self, file: str, rows: Iterator[list[str]], warn: Callable[[str], None]
    ) -> None:
        self._file = file
        self._rows = rows
        self._warn = warn
        self.row = 1

    def read(self) -> Iterator[Launch]:
        """Each launch; a last row that is cut off is left out with a warning."""
        header = next(self._rows, [])
        columns = Columns(header, self._file)
        launch_of = self._reader(columns)
        width = len(header)
        short: list[str] | None = None
        for cells in self._rows:
            self.row += 1
            if short is not None:
                raise self._cut(short, width, self.row - 1)
            if len(cells) < width:
                short = cells or None
                continue
            yield launch_of(cells)
        if short is not None:
            where = f"{self._file}, row {self.row}"
            self._warn(f"{where}: the last row is cut off and was left out.")

    def _cut(self, cells: list[str], width: int, row: int) -> InvalidInput:
        place = (self._file, row, f"column {len(cells) + 1}")
        return fault(
            place,
            "is missing: the row has {count} of {width} cells",
            count=len(cells),
            width=width,
        )

    def _reader(self, columns: Columns) -> Callable[[list[str]], Launch]:
        """What turns the cells of a row into a launch."""
        file, names = self._file, columns.names
        at = {key: columns.at(name) for key, name in names.items()}
        lists = [columns.at(name) for name in _LISTS]
        counters = [columns.at(name) for name in _COUNTERS]
        name_at, duration_at = at["name"], at["duration"]
        if name_at is None or duration_at is None:
            raise AssertionError("checked with the header")
        has_counters = None not in counters

        def cell(cells: list[str], place: int | None, default: str = "") -> str:
            return default if place is None else cells[place]

        def launch(cells: list[str]) -> Launch:
            row = self.row
            name = cells[name_at].strip()
            kind = cell(cells, at["type"]).strip()
            core = cell(cells, at["core"]).strip()
            texts = [cell(cells, place, "N/A") for place in lists]
            started = cell(cells, at["start"]).strip()
            start_ns = NO_START
            if started not in UNLISTED:
                start_ns = nanoseconds(started, (file, row, names["start"]))
            cycles: Counters = NO_COUNTERS
            if has_counters:
                cycles = tuple(cell(cells, place) for place in counters)  # type: ignore[assignment]
            return Launch(
                Signature(operator_of(kind, name), core, *texts),
                name,
                start_ns,
                number(cells[duration_at], (file, row, names["duration"])),
                cell(cells, at["step"]).strip(),
                cell(cells, at["device"]).strip(),
                cell(cells, at["blocks"]),
                cycles,
                row,
            )

        return launch
