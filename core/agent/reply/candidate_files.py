"""Which files belong to a candidate, and that nothing is left out in them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from core.evaluation.candidate_names import FOLDERS, name_fault

LARGEST_FILE = (
    400_000  # characters; a kernel is a tenth of this, a stuck model writes more
)

_SUFFIXES = frozenset({".cpp", ".h", ".hpp"})
_PATH = re.compile(r"^[A-Za-z0-9_][A-Za-z0-9_./-]*$")
_COMMENT_LINE = re.compile(
    r"^\s*+(?://++|/\*++|\*|#(?!\s*+(?:include|if|else|endif|define|undef|pragma|error|line)))(.*)$"
)
_ELISION_WORDS = re.compile(
    r"\b(existing|unchanged|remaining|rest of|same as|as before|omitted|previous code)\b",
    re.IGNORECASE,
)


def check_path(path: str) -> str:
    """Why `path` may not be written, empty when it may.

    A candidate consists of C++ sources and headers below `op_host/` and `op_kernel/`.
    """
    pure = PurePosixPath(path)
    if (
        not _PATH.match(path)
        or ".." in pure.parts
        or "." in path.split("/")
        or "//" in path
        or path.endswith("/")
    ):
        return "it is not a plain relative path"
    if pure.parts[0] not in FOLDERS or len(pure.parts) < 2:
        return "files live in op_host/ or op_kernel/"
    if pure.suffix not in _SUFFIXES:
        return "only .cpp, .h and .hpp files belong to a candidate"
    return str(name_fault(path) or "")


def elided_line(text: str) -> int:
    """1-based number of the first line that stands for left-out code, 0: none."""
    for number, line in enumerate(text.split("\n"), start=1):
        comment = _COMMENT_LINE.match(line)
        if comment is None:
            bare = line.strip()
            if bare in {"...", "…"}:
                return number
            continue
        body = comment.group(1).strip().removesuffix("*/").rstrip()
        dots = "..." in body or "…" in body
        if dots and (
            _ELISION_WORDS.search(body) or not re.search(r"[A-Za-z0-9]", body)
        ):
            return number
    return 0
