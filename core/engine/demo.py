"""The demonstration: a workspace with the bank and the queue of a session."""

from __future__ import annotations

from pathlib import Path

from core.engine import queue
from core.engine.beginning import experience_of, note_beginning
from core.errors import SageError
from core.memory.records import Origin
from core.memory.store import MemoryStore
from core.replay.session_file import Session
from core.workspace import Workspace

_BANK = "demo_bank_sha256"


class NotThisDemo(SageError):
    """The workspace holds something else than this session's demonstration."""


def prepare_demo(workspace_path: Path, session: Session) -> tuple[str, ...]:
    """Create the workspace with the session's bank and queue.

    In an existing one queue what failed again.

    Returns:
        Names of the operators that failed for no fault of their own and wait again.

    Raises:
        NotThisDemo: The file has other contents, which a replay of this session would
            mix with.
        WorkspaceError: The file cannot be used.
    """
    with Workspace.open(workspace_path) as workspace, workspace.transaction() as db:
        stored = workspace.meta(_BANK)
        if stored == session.header.bank_sha256 and _is_of(workspace, session):
            return queue.resume_failed(workspace, untouched=True)
        if (
            stored
            or db.execute(
                "SELECT 1 FROM item UNION ALL SELECT 1 FROM queue_entry LIMIT 1"
            ).fetchone()
        ):
            raise NotThisDemo(
                "{workspace_path} is not a workspace of the demonstration {title!r}.",
                "Choose a new file for the demonstration; this one was not changed.",
                workspace_path=workspace_path,
                title=session.header.title,
            )
        store = MemoryStore(workspace)
        for item in session.items:
            store.add_item(
                experience_of(item),
                origin=Origin.SEED,
                uid=item.uid,
                reason=session.header.title,
            )
        note_beginning(workspace)
        for operator in session.header.operators:
            queue.enqueue(workspace, operator)
        workspace.set_meta(_BANK, session.header.bank_sha256)
        return ()


def _is_of(workspace: Workspace, session: Session) -> bool:
    """Whether a workspace plays this session, not another one that began with the same experiences."""
    first = workspace.db.execute(
        "SELECT reason FROM memory_event ORDER BY seq LIMIT 1"
    ).fetchone()
    return first is None or first[0] == session.header.title


def is_demo(workspace_path: Path) -> bool:
    """Whether the file holds a demonstration, or is not there yet.

    Raises:
        WorkspaceError: The file cannot be used.
    """
    if not workspace_path.exists():
        return True
    with Workspace.open_readonly(workspace_path) as workspace:
        return bool(workspace.meta(_BANK))
