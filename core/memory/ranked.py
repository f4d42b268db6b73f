"""A copy of a memory that ranks its cold items under another credit rule: the paper's fixed-bank control."""

from __future__ import annotations

import os
from pathlib import Path

from core.errors import SageError
from core.memory.ledger import RANKED, Changes, next_seq, set_columns, write_change
from core.memory.rebuild import replay_credit
from core.workspace import Workspace


def ranked_copy(source: Path, target: Path, **changes: bool | float | str) -> int:
    """Copy a memory, the utilities of its cold items counted again from the same traces.

    Resident rules and their order, texts, counts and lifecycle stay as they are: what differs is how
    retrieval ranks cold items. The copy says so in an event of its own.

    Args:
        source: A workspace, read only.
        target: A new file.
        **changes: Fields of `MethodParameters` to replace, e.g. `credit_rule="uniform"`.

    Returns:
        How many items got another utility.

    Raises:
        WorkspaceError: The source cannot be read, or `target` exists or cannot be written.
    """
    if target.exists():
        raise SageError(f"{target} exists already.", "Choose a new name.")
    part = target.with_name(f"{target.name}.{os.getpid()}.new")
    part.unlink(missing_ok=True)
    with Workspace.open_readonly(source) as memory:
        memory.backup(part)
    with Workspace.open(part) as copy, copy.transaction() as db:
        cold = dict(db.execute("SELECT uid, id FROM item WHERE hot_region = 0").fetchall())
        replayed = replay_credit(copy, **changes)
        found: Changes = {
            cold[row.uid]: {"u_m": row.replayed}
            for row in replayed
            if row.uid in cold and row.replayed != row.stored
        }
        seq = next_seq(db)
        inverse = set_columns(db, found)
        rule = ", ".join(f"{name}={value}" for name, value in changes.items()) or "as it was credited"
        reason = f"cold items ranked by the same traces under {rule}"
        write_change(db, seq, RANKED, None, found, inverse, actor="user", reason=reason)
    part.replace(target)
    return len(found)
