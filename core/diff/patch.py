"""The difference of two sets of files as a patch, and as lines for a reader."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from core.diff.lines import lines_of


def patch_of(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The difference of two sets of files as a unified diff that `git apply` and `patch -p1` take."""
    parts: list[str] = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        parts.append(f"diff --git a/{path} b/{path}\n")
        parts += [] if old is not None else ["new file mode 100644\n"]
        parts += [] if new is not None else ["deleted file mode 100644\n"]
        lines = difflib.unified_diff(
            (old or "").splitlines(keepends=True),
            (new or "").splitlines(keepends=True),
            "/dev/null" if old is None else f"a/{path}",
            "/dev/null" if new is None else f"b/{path}",
        )
        for line in lines:
            parts.append(
                line
                if line.endswith("\n")
                else f"{line}\n\\ No newline at end of file\n"
            )
    return "".join(parts)


def diff_lines(
    before: Mapping[str, str],
    after: Mapping[str, str],
    names: tuple[str, str] = ("a", "b"),
    around: int = 3,
) -> list[str]:
    """The lines of a unified diff of two sets of files, for a reader.

    Args:
        before: Path -> whole text.
        after: Path -> whole text.
        names: What the two sets are called before each path.
        around: Unchanged lines around a change.
    """
    lines: list[str] = []
    for path in sorted({*before, *after}):
        old, new = lines_of(before.get(path)), lines_of(after.get(path))
        old_name, new_name = (f"{name}/{path}" for name in names)
        lines += difflib.unified_diff(
            old, new, old_name, new_name, lineterm="", n=around
        )
    return lines
