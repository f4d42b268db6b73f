"""plog: the log files CANN's host libraries write, and what in them matters."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from remote.diagnostics.reading import UnreadableOutput

_LINE = re.compile(
    r"^\[(?P<level>DEBUG|INFO|WARNING|ERROR|EVENT|TRACE)\]\s+(?P<module>\w+)\((?P<pid>\d+)[^)]*\):"
    r"(?P<time>\d{4}-\d\d-\d\d-[\d:.]+)\s*(?P<rest>.*)$"
)
_PLACES = re.compile(
    r"^(?:\[(?P<file>[\w.]+\.(?:cc|cpp|c|h|py)):(?P<line>\d+)\])?\s*(?:\d+\s+)?(?P<message>.*)$"
)


@dataclass(frozen=True)
class PlogEntry:
    """One message of a plog.

    Attributes:
        level: `ERROR`, `WARNING`, ...
        module: Library, e.g. `RUNTIME`, `OP`, `GE`.
        pid: Process.
        time: As written, e.g. `2026-03-10-18:52:43.281.517`.
        place: Source file and line inside CANN, empty when not written.
        message: The text, with lines that follow it.
        count: How often the same text was written.
    """

    level: str
    module: str
    pid: int
    time: str
    place: str
    message: str
    count: int = 1


def read_plog(text: str, source: str = "the plog") -> tuple[PlogEntry, ...]:
    """All messages of a plog in order; a message written several times is one entry, at its first place.

    Raises:
        UnreadableOutput: The text is not empty and no line is one of a plog.
    """
    entries: list[PlogEntry] = []
    for line in text.splitlines():
        found = _LINE.match(line)
        if found:
            rest = _PLACES.match(found["rest"])
            message = rest["message"] if rest else found["rest"]
            place = f"{rest['file']}:{rest['line']}" if rest and rest["file"] else ""
            entries.append(
                PlogEntry(
                    found["level"], found["module"], int(found["pid"]), found["time"], place, message.strip()
                )
            )
        elif entries and line.strip():
            entries[-1] = replace(entries[-1], message=f"{entries[-1].message}\n{line.strip()}")
    if text.strip() and not entries:
        raise UnreadableOutput(
            source, "its first line is {text!r}, not a log line", text=text.strip().splitlines()[0][:80]
        )
    folded: dict[tuple[str, str, str], PlogEntry] = {}
    for entry in entries:
        key = (entry.level, entry.module, entry.message)
        before = folded.get(key)
        folded[key] = replace(before, count=before.count + 1) if before else entry
    return tuple(folded.values())


def errors_of(entries: tuple[PlogEntry, ...], pid: int | None = None) -> tuple[PlogEntry, ...]:
    """The errors among `entries`, of one process when `pid` is given; the first is nearest to the cause."""
    return tuple(entry for entry in entries if entry.level == "ERROR" and pid in (None, entry.pid))
