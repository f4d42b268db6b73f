"""The SQLite workspace file: opening, schema, lock, transactions, content-addressed blobs."""

from core.workspace.errors import (
    CorruptWorkspace,
    NewerWorkspace,
    NotAWorkspace,
    ReadOnlyWorkspace,
    UnsafeFileSystem,
    WorkspaceBusy,
    WorkspaceError,
)
from core.workspace.lock import EngineLock, EngineOwner, engine_owner
from core.workspace.workspace import Workspace, now

__all__ = [
    "CorruptWorkspace",
    "EngineLock",
    "EngineOwner",
    "NewerWorkspace",
    "NotAWorkspace",
    "ReadOnlyWorkspace",
    "UnsafeFileSystem",
    "Workspace",
    "WorkspaceBusy",
    "WorkspaceError",
    "engine_owner",
    "now",
]
