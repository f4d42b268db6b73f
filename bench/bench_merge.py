"""A merge of two memories of 10,000 items, half of them in both.

Time of the processor, and of the clock, which other work on the machine lengthens; medians of some runs.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from core.exchange.memory_file import export_bank, parse_bank
from core.exchange.merge import merge_bank
from core.memory.records import CodeDiff, Experience, Origin
from core.memory.store import MemoryStore
from core.workspace import Workspace

ITEMS = 10_000
RUNS = 5


def main() -> None:
    """Print the times."""
    with tempfile.TemporaryDirectory() as folder:
        colleague = Path(folder) / "theirs.sage"
        with filled(colleague, ITEMS // 2) as workspace:
            text = export_bank(workspace.db)
        print(
            f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; median of {RUNS}, CPU and wall"
        )
        report(
            "read the exported file",
            [timed(lambda: parse_bank("ben", text)) for _ in range(RUNS)],
        )
        bank = parse_bank("ben", text)
        first, again = [], []
        for run in range(RUNS):
            with filled(Path(folder) / f"mine{run}.sage", 0) as workspace:
                store = MemoryStore(workspace)
                merge = partial(merge_bank, store, bank, source="ben")
                first.append(timed(merge))
                again.append(timed(merge))
        report("merge into the workspace", first)
        report("the same again", again)


def filled(path: Path, first_number: int) -> Workspace:
    """A workspace with `ITEMS` experiences, named by their numbers from `first_number` on."""
    workspace = Workspace.open(path)
    store = MemoryStore(workspace)
    with workspace.transaction():
        for number in range(first_number, first_number + ITEMS):
            item = Experience(
                f"rule number {number}",
                "api_misuse",
                "Math",
                f"error {number}",
                CodeDiff(f"wrong_{number}();", f"right_{number}();"),
                f"do the right thing {number}",
            )
            store.add_item(item, origin=Origin.SEED, uid=f"m{number}")
    return workspace


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the processor and of the clock."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def report(what: str, runs: list[tuple[float, float]]) -> None:
    """One line of a table."""
    cpu, wall = (statistics.median(each) for each in zip(*runs, strict=True))
    print(f"{what:<26} {cpu:6.2f} s {wall:6.2f} s")


if __name__ == "__main__":
    main()
