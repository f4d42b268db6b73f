"""Plays numbered episodes against a workspace until all are applied; killed and restarted by the tests.

Arguments: file, number of the first episode, how many, items in the memory, items retrieved per episode.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.workspace import Workspace
from tests.scenario import add_items, open_trajectory, play_episode

PARAMETERS = MethodParameters(B=60)  # room for two or three of the rules


def adoptions(number: int, items: int, retrieved: int) -> dict[str, bool]:
    """What episode `number` retrieves, and whether it is adopted: the first sixth of the items always is."""
    chosen = sorted((number + offset) % items for offset in range(retrieved))
    return {f"m{1 + item}": item < items // 6 for item in chosen}


def main(path: Path, first: int, count: int, items: int, retrieved: int) -> None:
    with Workspace.open(path) as workspace:
        store = MemoryStore(workspace)
        add_items(store, items)
        for number in range(first, first + count):
            uid = f"e{number}"
            status = workspace.db.execute(
                "SELECT status FROM episode WHERE uid = ?", (uid,)
            ).fetchone()
            if status is not None and status[0] == "applied":
                continue
            records = adoptions(number, items, retrieved)
            for name in store.needs_rule():  # the job an earlier episode left behind
                store.set_rule(name, f"Rule of {name}.")
            open_trajectory(workspace, uid, f"Op{number % 7}")
            residents = store.begin_episode(
                uid, uid, f"Op{number % 7}", Objective.CORR, PARAMETERS
            ).residents
            used = residents if number % 3 == 0 else ()
            with (
                workspace.transaction()
            ):  # what the engine does in several steps must not matter here
                workspace.db.execute(
                    "DELETE FROM round WHERE trajectory_uid = ?", (uid,)
                )
            play_episode(
                store,
                uid,
                records,
                used=used,
                correct=number % 5 != 0,
                parameters=PARAMETERS,
            )
            print(number, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(number) for number in sys.argv[2:6]))
