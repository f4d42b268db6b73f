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


# Header, and the line that included it.
_BEGIN_LINE = re.compile(re.escape(_BEGIN) + r"([^:\n]+): (.*)")


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
    text = _expanded(path, files, keep, used, (), conditional=False)
    return text, set(used)


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
    depth = -1 if above and _is_guarded(text) else 0
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
        header = ""
        if include is not None:
            header = _resolved(path, include[1], files)
        if not header or header == keep:
            # The text below has a guard of its own; a `#pragma once` would be of the file around it.
            is_dropped = above and _ONCE.fullmatch(line) is not None
            lines.append(f"{_KEPT}{line}" if is_dropped else line)
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
        around = (*above, path)
        body = _expanded(header, files, keep, used, around, conditional=under)
        used[header] = used.get(header, False) or not under
        lines += [
            f"{_BEGIN}{header}: {line}",
            f"#ifndef {guard}",
            f"#define {guard}",
            body,
            "#endif",
            f"{_END}{header}",
        ]
    return "\n".join(lines)


def _is_guarded(text: str) -> bool:
    """Whether a header begins with `#ifndef X`, `#define X`, but for comments."""
    comments = _COMMENTS.match(text)
    begin = comments.end() if comments is not None else 0
    return _GUARD.match(text[begin:]) is not None


def _resolved(path: str, name: str, files: Mapping[str, str]) -> str:
    """The candidate's file that `#include "name"` in `path` means, empty when it is none of its own."""
    # Beside the file that includes it, as a compiler looks first; then in `op_host` or `op_kernel` as a whole.
    first_folder, _, _ = path.partition("/")
    for folder in (posixpath.dirname(path), first_folder):
        place = posixpath.normpath(posixpath.join(folder, name))
        if place in files:
            return place
    return ""


def restore_headers(path: str, text: str) -> dict[str, str]:
    """Path -> text of the file `path` and of every header that `inline_headers` wrote into it."""
    files: dict[str, str] = {}
    # The file itself and the headers around the present line, the innermost last.
    top_lines: list[str] = []
    open_ = [(path, top_lines)]
    skip = 0
    for line in text.split("\n"):
        name, lines = open_[-1]
        if skip:
            skip -= 1
        elif line.startswith((_ABOVE, _KEPT)):
            without_mark = line.removeprefix(_ABOVE).removeprefix(_KEPT)
            lines.append(without_mark)
        elif begin := _BEGIN_LINE.fullmatch(line):
            lines.append(begin[2])
            open_.append((begin[1], []))
            skip = 2  # the guard
        elif line == _END + name and len(open_) > 1:
            without_endif = lines[:-1]
            files.setdefault(name, "\n".join(without_endif))
            open_.pop()
        else:
            lines.append(line)
    return {path: "\n".join(top_lines)} | files
