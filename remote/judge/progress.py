"""How a judge says what it does: one line of English for each step."""

from __future__ import annotations

import sys
from collections.abc import Callable

Progress = Callable[[str], None]
"""Called with the step that begins or has ended."""


def to_stderr(step: str) -> None:
    """Write a line of the log."""
    sys.stderr.write(f"{step}\n")
