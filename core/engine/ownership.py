"""Who runs the queue of a workspace, and what is said to those who cannot."""

from __future__ import annotations

from pathlib import Path

from core.errors import SageError
from core.text import Text
from core.workspace import Workspace, engine_owner


class EngineBusy(SageError):
    """The queue is running, here or in another process."""


class EngineStopped(SageError):
    """The engine has been stopped; make a new one to go on."""


def busy(path: Path) -> EngineBusy:
    """The refusal of a workspace another process owns."""
    with Workspace.open_readonly(path) as workspace:
        text = owner_text(workspace)
    return EngineBusy(
        "The queue of {path} is run by another process{text}.",
        "Operators can be added from here; close the other program to run them here.",
        path=path.name,
        text=Text(" ({owner})", owner=text) if text else "",
    )


def owner_text(workspace: Workspace) -> str:
    """The process that runs the queue, in words; empty when none does."""
    owner = engine_owner(workspace)
    return f"process {owner.pid} on {owner.host} since {owner.since}" if owner else ""
