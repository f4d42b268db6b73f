"""How a judge tells what it does: constant templates with fields, to be said in any language."""

from __future__ import annotations

import json
import sys
from typing import Protocol


class Progress(Protocol):
    """Told the next thing that is done."""

    def __call__(self, template: str, /, **fields: str | float) -> None:
        """Tell it; a template without fields is the text as it stands."""


def to_stderr(template: str, /, **fields: str | float) -> None:
    """A line of the log: English, and with fields how it was made, for a window of another language."""
    said = template.format(**fields) if fields else template
    made = (
        f"\x1f{json.dumps({'template': template, 'fields': fields})}" if fields else ""
    )
    sys.stderr.write(f"{said}{made}\n")
