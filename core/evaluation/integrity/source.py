"""A candidate's text as rules see it: without comments and string contents, line numbers kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.cpp_text import JOINT, code_of

_SPLICED_LINE = re.compile(rf"^(?:[^\n]*{JOINT.pattern})+[^\n]*", re.MULTILINE)
_LINE_END = re.compile(r"\r\n?")
_DIGRAPHS = (("%:%:", "##"), ("%:", "#"), ("<%", "{"), ("%>", "}"))


@dataclass(frozen=True)
class Source:
    """One file of a candidate.

    Attributes:
        path: Within the candidate.
        code: The text with comments blanked and strings emptied, as many lines as the file has.
    """

    path: str
    code: str

    @property
    def in_kernel(self) -> bool:
        """Whether the file runs on the device."""
        return self.path.startswith("op_kernel/")

    def line_of(self, position: int) -> int:
        """1-based line of a position in `code`."""
        return self.code.count("\n", 0, position) + 1


def read_source(path: str, text: str) -> Source:
    """Blank comments and empty strings of a file; join spliced lines at the first, undo digraphs."""
    text = _LINE_END.sub("\n", text)

    def emptied(part: str, _start: int) -> str:
        if part.startswith("'"):
            inner = part[1:-1]
            return f"'{inner if len(inner) == 1 else ''}'"
        return '""' + "\n" * part.count("\n")

    code = code_of(text, emptied)
    code = _SPLICED_LINE.sub(_whole_line, code)
    for digraph, plain in _DIGRAPHS:
        code = code.replace(digraph, plain)
    return Source(path, code)


def _whole_line(spliced: re.Match[str]) -> str:
    """A line that was written in several, and as many empty ones after it as it had more."""
    joined, count = JOINT.subn("", spliced[0])
    return joined + "\n" * count
