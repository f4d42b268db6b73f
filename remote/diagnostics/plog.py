"""plog: the log files CANN's host libraries write, and what in them matters."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from remote.diagnostics.tool_output import UnreadableOutput

_LINE = re.compile(
    r"^\[(?P<level>DEBUG|INFO|WARNING|ERROR|EVENT|TRACE)\]\s+(?P<module>\w+)\(\d+[^)]*\):"
    r"\d{4}-\d\d-\d\d-[\d:.]+\s*(?P<rest>.*)$"
)
_PLACE = re.compile(
    r"^(?:\[[\w.]+\.(?:cc|cpp|c|h|py):\d+\])?\s*(?:\d+\s+)?"
)  # inside CANN


@dataclass(frozen=True)
class PlogEntry:
    """One message of a plog.

    Attributes:
        level: `ERROR`, `WARNING`, ...
        module: Library, e.g. `RUNTIME`, `OP`, `GE`.
        message: The text, with lines that follow it.
        count: How often the same text was written.
    """

    level: str
    module: str
    message: str
    count: int = 1


def read_plog(text: str, source: str = "the plog") -> tuple[PlogEntry, ...]:
    """All messages of a plog in order; a message written several times is one entry, at its first place.

    Raises:
        UnreadableOutput: The text is not empty and no line is one of a plog.
    """
    entries: list[PlogEntry] = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if match:
            message = _PLACE.sub("", match["rest"]).strip()
            entries.append(PlogEntry(match["level"], match["module"], message))
        elif entries and line.strip():
            entries[-1] = replace(
                entries[-1], message=f"{entries[-1].message}\n{line.strip()}"
            )
    if text.strip() and not entries:
        raise UnreadableOutput(
            source,
            "its first line is {text!r}, not a log line",
            text=text.strip().splitlines()[0][:80],
        )
    return tuple(
        replace(entry, count=count) for entry, count in Counter(entries).items()
    )


def errors_of(entries: tuple[PlogEntry, ...]) -> tuple[PlogEntry, ...]:
    """The errors among `entries`; the first is nearest to the cause."""
    return tuple(entry for entry in entries if entry.level == "ERROR")
