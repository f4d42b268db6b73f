"""A candidate's own headers written into the files that include them, and taken out again.

Formats that hold one host and one kernel file have no place for a helper header. Its text goes where it was
included, between two marks and inside a guard of its own, so that it may appear in several files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from core.errors import InvalidInput
from core.text import Text

_INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"[^\n]*')
_ONCE = re.compile(r"[ \t]*#[ \t]*pragma[ \t]+once\b[^\n]*")
_CONDITION = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|endif)\b")
_GUARD = re.compile(r"\s*#[ \t]*ifndef[ \t]+(\w+)[^\n]*\n\s*#[ \t]*define[ \t]+\1\b")
_COMMENTS = re.compile(r"(?:\s|//[^\n]*\n|/\*.*?\*/)*", re.DOTALL)
_BEGIN, _END, _ABOVE, _KEPT = (
    "// inlined ",
    "// end of ",
    "// inlined above: ",
    "// left out: ",
)


def inline_headers(
    path: str, files: Mapping[str, str], keep: str = ""
) -> tuple[str, set[str]]:
    """The text of `path` with the candidate's own headers in place of their includes.

    Args:
        path: File of the candidate to write.
        files: All of them, path -> text.
        keep: A header that stays included, because the format has a place for it.

    Returns:
        The text, and the headers that went into it. `restore_headers` gives back what went in.

    Raises:
        InvalidInput: Headers include each other in a circle, or a text looks like one of the marks.
    """
    used: dict[str, bool] = {}
    return _expanded(path, files, keep, used, (), conditional=False), set(used)


def _expanded(
    path: str,
    files: Mapping[str, str],
    keep: str,
    used: dict[str, bool],
    above: tuple[str, ...],
    *,
    conditional: bool,
) -> str:
    """`used` says of each header already written whether that was under no condition."""
    text = files[path]
    # The guard around a whole header is no condition: it begins one level below.
    depth = -1 if above and _GUARD.match(text[_COMMENTS.match(text).end() :]) else 0  # type: ignore[union-attr]
    lines = []
    for line in text.split("\n"):
        if line.startswith((_BEGIN, _END, _ABOVE, _KEPT)):
            problem = Text(
                "has the line {line!r}, which would mark inlined text", line=line
            )
            raise InvalidInput(path, "candidate", problem, "Reword it.")
        if change := _CONDITION.match(line):
            depth += -1 if change[1] == "endif" else 1
        include = _INCLUDE.fullmatch(line)
        header = _resolved(path, include[1], files) if include is not None else ""
        if not header or header == keep:
            lines.append(f"{_KEPT}{line}" if above and _ONCE.fullmatch(line) else line)
            continue
        if header in above or header == path:
            raise InvalidInput(
                path,
                line.strip(),
                "includes {header}, which includes it in turn",
                header=header,
            )
        if used.get(header):
            lines.append(f"{_ABOVE}{line}")
            continue
        # Text below a condition may be absent in another build, so it cannot stand for all.
        under = conditional or depth > 0
        guard = "INLINED_" + re.sub(r"\W", "_", header).upper()
        body = _expanded(header, files, keep, used, (*above, path), conditional=under)
        used[header] = used.get(header, False) or not under
        lines += [f"{_BEGIN}{header}: {line}", f"#ifndef {guard}", f"#define {guard}"]
        lines += [body, "#endif", _END + header]
    return "\n".join(lines)


def _resolved(path: str, name: str, files: Mapping[str, str]) -> str:
    """The candidate's file that `#include "name"` in `path` means, empty when it is none of its own."""
    near = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    beside = posixpath.normpath(posixpath.join(path.split("/", 1)[0], name))
    return next((place for place in (near, beside) if place in files), "")


def restore_headers(path: str, text: str) -> dict[str, str]:
    """Path -> text of the file `path` and of every header that `inline_headers` wrote into it."""
    files: dict[str, str] = {}
    open_: list[tuple[str, list[str]]] = [(path, [])]
    skip = 0
    for line in text.split("\n"):
        name, lines = open_[-1]
        if skip:
            skip -= 1
        elif line.startswith((_ABOVE, _KEPT)):
            lines.append(line.removeprefix(_ABOVE).removeprefix(_KEPT))
        elif begin := re.fullmatch(re.escape(_BEGIN) + r"([^:\n]+): (.*)", line):
            lines.append(begin[2])
            open_.append((begin[1], []))
            skip = 2  # the guard
        elif line == _END + name and len(open_) > 1:
            files.setdefault(name, "\n".join(lines[:-1]))  # without its #endif
            open_.pop()
        else:
            lines.append(line)
    return {path: "\n".join(open_[0][1])} | files
