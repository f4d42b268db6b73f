"""Names a candidate's files may have: ones that every system, compiler and script takes for a file."""

from __future__ import annotations

import re

from core.text import Text

FOLDERS = ("op_host", "op_kernel")
LONGEST_NAME = (
    100  # characters; file systems take 255 bytes, builds add endings and folders
)
MOST_FOLDERS = 15  # that lie in each other
_NAME = re.compile(r"\w[\w.+ -]*")
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE | re.DOTALL
)


def name_fault(path: str) -> Text | None:
    """Why a part of a relative path is no name for a file or folder, None when all are.

    Example:
        >>> str(name_fault("op_host/-o.cpp"))
        "'-o.cpp' is not a plain name (letters, digits, _ . + -, not an option)"
    """
    parts = path.split("/")
    folders = len(parts) - 1
    if folders > MOST_FOLDERS:
        return Text(
            "it lies in {count} folders; {most} are the most",
            count=folders,
            most=MOST_FOLDERS,
        )
    for part in parts:
        if len(part) > LONGEST_NAME:
            return Text(
                "{part!r} has {count} characters; a name has at most {most}",
                part=part[:20] + "…",
                count=len(part),
                most=LONGEST_NAME,
            )
        if not _NAME.fullmatch(part) or part.endswith((".", " ")):
            return Text(
                "{part!r} is not a plain name (letters, digits, _ . + -, not an option)",
                part=part,
            )
        if _DEVICE.fullmatch(part):
            return Text("{part!r} is the name of a device on Windows", part=part)
    return None
