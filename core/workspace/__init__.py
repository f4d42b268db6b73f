"""The SQLite workspace file: opening, schema, lock, transactions, content-addressed blobs.

Names are loaded at their first use: a window that only needs the words of
a query paints before SQLite, schema and locks are there.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
_LOCK = ("EngineLock", "EngineOwner", "engine_owner")
_WORKSPACE = ("Workspace", "now")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "errors"
    if name in _LOCK:
        home = "lock"
    elif name in _WORKSPACE:
        home = "workspace"
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
