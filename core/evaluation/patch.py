"""The difference of two candidates as a patch."""

from __future__ import annotations

import difflib
from collections.abc import Mapping


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


def compared(
    before: Mapping[str, str],
    after: Mapping[str, str],
    names: tuple[str, str] = ("a", "b"),
    around: int = 3,
) -> list[str]:
    """The lines of a unified diff of two sets of files, for a reader: under these names, with some around."""
    (one, other), lines = names, list[str]()
    for path in sorted({*before, *after}):
        old, new = before.get(path, "").splitlines(), after.get(path, "").splitlines()
        lines += difflib.unified_diff(
            old, new, f"{one}/{path}", f"{other}/{path}", lineterm="", n=around
        )
    return lines
