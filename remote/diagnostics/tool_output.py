"""What all readers of tool output share: the error they raise, and tables with named columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from core.errors import SageError
from core.text import Text, as_text

_ABSENT = ("", "na", "n/a", "-", "null", "none")


class UnreadableOutput(SageError):
    """The output of a tool is not what the tool is known to write. It says nothing about the kernel.

    Args:
        source: The file or command the output came from.
        reason: What is missing or malformed.
        remedy: What to do; empty when there is nothing particular.
    """

    def __init__(
        self, source: str, reason: str | Text, remedy: str = "", /, **fields: object
    ) -> None:
        self.source = source
        self.reason = as_text(reason, fields)
        what = Text(
            "Could not read {source} because {reason}.",
            source=source,
            reason=self.reason,
        )
        super().__init__(what, remedy)


def read_table(
    text: str, source: str, needed: tuple[str, ...]
) -> list[Mapping[str, str]]:
    """The rows of a CSV by column name, whatever the order of its columns and whichever others it has.

    Args:
        text: The file.
        source: Its name, for messages.
        needed: Columns that must be there.

    Raises:
        UnreadableOutput: The file is empty, a column is missing, or a row has another number of cells (a file
            cut off in the middle).
    """
    rows = [
        row
        for row in csv.reader(io.StringIO(text.lstrip("\ufeff").replace("\0", "")))
        if any(row)
    ]
    if not rows:
        raise UnreadableOutput(
            source, "it is empty", "The profiler wrote nothing: look at its log."
        )
    header = [name.strip() for name in rows[0]]
    missing = [name for name in needed if name not in header]
    if missing:
        raise UnreadableOutput(
            source, "it has no column {missing}", missing=", ".join(map(repr, missing))
        )
    if len(rows) == 1:
        raise UnreadableOutput(
            source,
            "it has a header but no rows",
            "No kernel of that name was launched.",
        )
    table: list[Mapping[str, str]] = []
    for number, row in enumerate(rows[1:], start=2):
        cells = [cell.strip() for cell in row]
        while len(cells) > len(header) and not cells[-1]:
            cells.pop()
        if len(cells) != len(header):
            reason = Text(
                "row {number} has {count} cells where the header has {columns}",
                number=number,
                count=len(cells),
                columns=len(header),
            )
            raise UnreadableOutput(source, reason, "The file seems to be cut off.")
        table.append(dict(zip(header, cells, strict=True)))
    return table


def number_in(row: Mapping[str, str], column: str, source: str) -> float | None:
    """The number in a cell; None where the column is absent or says that it does not apply.

    Raises:
        UnreadableOutput: The cell holds something else.
    """
    text = row.get(column, "")
    if text.lower() in _ABSENT:
        return None
    try:
        return float(text)
    except ValueError:
        raise UnreadableOutput(
            source,
            "column {column!r} holds {text!r} where a number is due",
            column=column,
            text=text[:40],
        ) from None
