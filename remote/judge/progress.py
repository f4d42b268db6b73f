"""How a judge tells what it does: constant templates with fields, to be said in any language."""

from __future__ import annotations

import sys
from typing import Protocol


class Progress(Protocol):
    """Told the next thing that is done."""

    def __call__(self, template: str, /, **fields: str | float) -> None:
        """Tell it; a template without fields is the text as it stands."""


def to_stderr(template: str, /, **fields: str | float) -> None:
    """A line of the log, which is English."""
    sys.stderr.write((template.format(**fields) if fields else template) + "\n")
