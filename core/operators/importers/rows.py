"""Cases that come as rows of a CSV file: opaque parameters, typed per column as the benchmark types them."""

from __future__ import annotations

import ast
import csv
import io
import math
from collections.abc import Mapping

from core.errors import InvalidInput
from core.operators.importers.task import TaskCase
from core.operators.spec import RowValue

# Above this the CPU twin would need minutes for a case: elements of the largest tensor, and multiply-adds.
BIG_ELEMENTS = 1 << 23
BIG_PRODUCTS = 1 << 27


def read_cases(text: str, source: str, delimiter: str = ";") -> tuple[TaskCase, ...]:
    """Cases of a table with a header row; the column `case_id` only names them.

    A column of whole numbers gives int, of numbers float (int when all are whole), of true and false bool,
    every other column text. Cells that begin with a bracket must be Python literals.

    Raises:
        InvalidInput: No header, no row, a row of another width, or a cell that is no literal.
    """
    lines = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    if not lines or "case_id" not in lines[0]:
        raise InvalidInput(source, "row 1", "is not a header with the column case_id")
    header, rows = lines[0], [line for line in lines[1:] if line]
    if not rows:
        raise InvalidInput(source, "row 2", "is missing: the table has no case")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise InvalidInput(
                source,
                f"row {number}",
                "has {count} cells where the header has {columns}",
                count=len(row),
                columns=len(header),
            )
        for name, cell in zip(header, row, strict=True):
            _check_literal(cell, source, f"row {number}, column {name}")
    columns = {name: _typed([row[i] for row in rows]) for i, name in enumerate(header)}
    cases = []
    for index in range(len(rows)):
        given = {
            name: values[index] for name, values in columns.items() if name != "case_id"
        }
        cases.append(
            TaskCase(f"case-{columns['case_id'][index]}", given, is_big(given))
        )
    names = [case.name for case in cases]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(
                source,
                "column case_id",
                "{name!r} is used twice",
                name=name.removeprefix("case-"),
            )
    return tuple(cases)


def _check_literal(cell: str, source: str, field: str) -> None:
    if cell.strip()[:1] in ("[", "(", "{"):
        try:
            ast.literal_eval(cell.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
            raise InvalidInput(
                source, field, "{cell!r} is not a literal", cell=cell[:200]
            ) from error


def _typed(cells: list[str]) -> list[RowValue]:
    if all(cell.strip().lower() in ("true", "false") for cell in cells):
        return [cell.strip().lower() == "true" for cell in cells]
    try:
        numbers = [float(cell) if cell.strip() else math.nan for cell in cells]
    except ValueError:
        return list(cells)
    if all(number.is_integer() for number in numbers):
        return [int(number) for number in numbers]
    return list(numbers)


def is_big(row: Mapping[str, RowValue]) -> bool:
    """Whether a case is too large for the CPU twin, judged by the shapes and sizes its row names."""
    largest, sizes = 0, []
    for name, value in row.items():
        if isinstance(value, str) and value.strip()[:1] in ("[", "("):
            largest = max(largest, _elements(ast.literal_eval(value.strip())))
        elif (
            isinstance(value, int)
            and not isinstance(value, bool)
            and name.lower() in ("m", "n", "k", "batch")
        ):
            sizes.append(value)
    products = math.prod(sizes) if len(sizes) >= 3 else 0
    return largest > BIG_ELEMENTS or products > BIG_PRODUCTS


def _elements(value: object) -> int:
    """Elements of the largest shape in a literal: a list of sizes, or a list of such lists (their sum)."""
    if isinstance(value, list | tuple):
        if value and all(
            isinstance(entry, int) and not isinstance(entry, bool) for entry in value
        ):
            return math.prod(entry for entry in value if entry > 0)
        return sum(_elements(entry) for entry in value)
    return 0
