"""Exchanges one memory with a team's file; killed and restarted by the tests.

Arguments: workspace, the team's file, seconds of the lease.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.exchange.shared_memory import FolderPlace, sync
from core.memory.store import MemoryStore
from core.workspace import Workspace

if __name__ == "__main__":
    with Workspace.open(sys.argv[1]) as workspace:
        sys.stdout.write("begins\n")
        sys.stdout.flush()
        sync(MemoryStore(workspace), FolderPlace(Path(sys.argv[2]), float(sys.argv[3])))
