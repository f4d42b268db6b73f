"""A log file read for a person: its cause, the lines that show it, whose fault it is, what to do."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from core.errors import SageError
from core.outside import require_regular
from remote.diagnostics.diagnosis import Cause, diagnose
from remote.diagnostics.families import Fault, Stage
from remote.diagnostics.log_lines import READ

_LARGEST = 256 * 2**20  # bytes
_PROBE = 8192  # bytes in which a text has no NUL
_PIECE = 1 << 20  # characters read at a time
_FIRST_LINES, _FAULT_LINES, _LAST_LINES = 5_000, 5_000, 10_000  # half a ms each
_FAULT_WORDS = re.compile(
    r"err|fail|fatal|exception|undefined|invalid|abort|timeout|错误", re.IGNORECASE
)
_SHOWN = 400  # characters of a line of evidence
_FAULTS = {
    Fault.CANDIDATE: "the candidate",
    Fault.MACHINE: "the machine; a round that ends so does not count",
    Fault.UNCLEAR: "unclear: the log does not tell",
}


@dataclass(frozen=True)
class Evidence:
    """One line of the log that shows a cause.

    Attributes:
        line: 1-based line of the log.
        text: The line as it stands there, its first part when it is very long.
        stage: Where it happened.
        cause: The message in it, with paths as the candidate knows them.
    """

    line: int
    text: str
    stage: Stage
    cause: str


@dataclass(frozen=True)
class LogReport:
    """What a log says.

    Attributes:
        source: Name of the log.
        cause: The message that explains the failure best.
        kind: Family of the message, stable; `unexplained` when the log names no cause.
        stage: Where it happened.
        fault: Whose fault it is.
        remedy: What to do; may be empty.
        file: The candidate's file at fault, empty when unknown.
        file_line: 1-based line in `file`, 0 when unknown.
        evidence: Line of the cause first, then those of further causes; none for an empty log.
    """

    source: str
    cause: str
    kind: str
    stage: Stage
    fault: Fault
    remedy: str
    file: str
    file_line: int
    evidence: tuple[Evidence, ...]

    @property
    def explained(self) -> bool:
        """Whether the log names a cause."""
        return self.kind != "unexplained"


def read_log(path: Path) -> str:
    """The text of a log file, whatever bytes are in it, as `shortened`.

    Raises:
        SageError: It cannot be read, is no text, or is larger than 256 MiB.
    """
    require_regular(path)
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise SageError(
                "{path} has {size} MiB, more than the {most} MiB that are read.",
                "Cut it to the part around the failure.",
                path=path.name,
                size=size // 2**20,
                most=_LARGEST // 2**20,
            )
        with path.open(encoding="utf-8", errors="replace") as file:
            return shortened(file, path.name)
    except OSError as error:
        raise SageError(
            "{path} cannot be read: {error}.",
            "Choose a file of text.",
            path=path.name,
            error=error.strerror or error,
        ) from error


def shortened(file: TextIO, source: str) -> str:
    """A log in which lines keep their numbers, but not all of them their words.

    Long lines are cut. The first and the last lines are kept, of those between only
    what speaks of a fault, and that up to a number: a log of hours says the same again
    and again.

    Raises:
        SageError: It is no text.
    """
    lines: list[str] = []
    waiting: deque[int] = deque()
    first_lines = faults = 0
    for line in _cut_lines(file, source):
        lines.append(line)
        if not line or line.isspace():
            continue
        if first_lines < _FIRST_LINES:
            first_lines += 1
            continue
        waiting.append(len(lines) - 1)
        if len(waiting) > _LAST_LINES:
            number = waiting.popleft()
            if faults < _FAULT_LINES and _FAULT_WORDS.search(lines[number]):
                faults += 1
            else:
                lines[number] = ""
    return "\n".join(lines)


def _cut_lines(file: TextIO, source: str) -> Iterator[str]:
    """Lines of a file, the first characters of each; holds one piece at a time."""
    pending, total = "", 0
    while piece := file.read(_PIECE):
        if total == 0 and "\0" in piece[:_PROBE]:
            raise SageError(
                "{path} is not text.", "Choose the log of a build or run.", path=source
            )
        total += len(piece)
        if total > _LARGEST:
            raise SageError(
                "{path} has more than the {most} MiB that are read.",
                "Cut it to the part around the failure.",
                path=source,
                most=_LARGEST // 2**20,
            )
        *whole, rest = piece.split("\n")
        for line in whole:
            yield (pending + line)[:READ]
            pending = ""
        pending = (pending + rest)[:READ]
    if pending:
        yield pending


def report_log(log: str, source: str, operator: str = "") -> LogReport:
    """The report of a log.

    Args:
        log: The text.
        source: Its name, for people.
        operator: OpDef name of the candidate's operator, when it is known.

    Example:
        >>> report_log("ld.lld: error: undefined symbol: expf", "build.log").fault.value
        'candidate'
    """
    diagnosis = diagnose(log, operator=operator)
    lines = log.splitlines()
    best = diagnosis.cause
    evidence = tuple(
        _evidence(each, lines) for each in (best, *diagnosis.others) if each.log_line
    )
    return LogReport(
        source,
        best.line,
        best.kind,
        best.stage,
        best.fault,
        best.hint,
        best.file,
        best.line_number,
        evidence,
    )


def _evidence(cause: Cause, lines: list[str]) -> Evidence:
    return Evidence(
        cause.log_line,
        lines[cause.log_line - 1].strip()[:_SHOWN],
        cause.stage,
        cause.line,
    )


def report_text(report: LogReport) -> str:
    """The report as lines for a terminal or the clipboard."""
    where = (
        f"{report.file}:{report.file_line}"
        if report.file and report.file_line
        else report.file
    )
    rows = [("Log", report.source), ("Cause", report.cause), ("File", where)]
    rows += [
        ("Evidence", f"line {each.line}: {each.text}") for each in report.evidence[:1]
    ]
    rows += [
        ("Stage", report.stage.value),
        ("Fault", _FAULTS[report.fault]),
        ("Remedy", report.remedy),
    ]
    rows += [
        ("Also", f"line {each.line} ({each.stage}): {each.cause}")
        for each in report.evidence[1:]
    ]
    return "\n".join(f"{name + ':':<10} {words}" for name, words in rows if words)
