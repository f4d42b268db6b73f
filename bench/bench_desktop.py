"""Whether the window is quick: each figure beside a bare PySide6 window and its goal, in one run.

Run: `python -m bench.bench_desktop` (some five minutes). Figures are medians on the clock and, where
that says more on a machine others use, CPU time. Exits 1 where a goal is missed.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QMainWindow,
    QStackedWidget,
    QTableView,
    QWidget,
)

from bench import bench_startup, window_events
from bench.bench_window import Rows
from sage_desktop.app import Desktop, arguments
from sage_desktop.shell.main_window import MEMORY, PAGES, REVIEW
from sage_desktop.ui.preferences import Preferences

SIZE = 1366, 742
TURNS = 15
_WAIT_MS = 60_000
_REST_MS = 300
_AFTER_START_MS = 6_000  # the memory page is made ahead of its use by then


class Table:
    """Prints rows as they are measured.

    Attributes:
        missed: Names of the rows that miss their goal.
    """

    def __init__(self) -> None:
        self.missed: list[str] = []
        sys.stdout.write(f"{'':<52} {'ours':>9} {'bare':>9} {'ratio':>7}   goal\n")

    def add(self, name: str, ours: float, bare: float, goal: str = "") -> None:
        """Print a row; `goal` is a number of what is measured, or of times bare (`3x`)."""
        value = ours / bare if goal.endswith("x") else ours
        if goal and value > float(goal.rstrip("x")):
            self.missed.append(name)
        mark = "  MISSED" if name in self.missed else ""
        row = f"{name:<52} {ours:9.1f} {bare:9.1f} {ours / bare:7.2f}   {goal}{mark}"
        sys.stdout.write(row + "\n")
        sys.stdout.flush()


def wait(app: QApplication, ready: Callable[[], bool]) -> None:
    """Serve events until `ready`, which an event brings about.

    Raises:
        TimeoutError: It takes longer than a minute.
    """
    late = QTimer(singleShot=True, interval=_WAIT_MS)
    late.start()  # an event too: the wait for one ends
    while not ready():
        if not late.isActive():
            raise TimeoutError
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


def rest() -> None:
    """Let what a page reads arrive; an index of a large memory may still be in the making."""
    events = QEventLoop()
    QTimer.singleShot(_REST_MS, events.quit)
    events.exec()


def turn(app: QApplication, act: Callable[[], object], window: QWidget) -> float:
    """Milliseconds on the clock until what `act` shows is painted."""
    began = time.perf_counter()
    act()
    app.processEvents()
    window.grab()
    return 1e3 * (time.perf_counter() - began)


def bare_turn(app: QApplication) -> float:
    """A plain window turns between a label and a table of as many rows as the memory has."""
    window, stack, table = QMainWindow(), QStackedWidget(), QTableView()
    table.setModel(Rows(table))
    stack.addWidget(QLabel("a page"))
    stack.addWidget(table)
    window.setCentralWidget(stack)
    window.resize(*SIZE)
    window.show()
    app.processEvents()
    spent = [
        turn(app, partial(stack.setCurrentIndex, number % 2), window)
        for number in range(TURNS)
    ]
    window.close()
    return statistics.median(spent)


def pages(items: int, folder: Path) -> dict[str, float]:
    """Turn to every page of a window whose memory holds `items`; milliseconds on the clock.

    `memory` is the first opening of that page until its rows stand there, with nothing made ahead;
    `memory_cpu` is that of all threads meanwhile, `turn`, `turn_cpu` and `turn_p95` a turn to a page
    seen before.
    """
    window_events.ITEMS = items
    path = folder / f"{items}.sage"
    window_events.fill(path)
    app = QApplication([])
    bare = bare_turn(app)
    desktop = Desktop(
        app, arguments(["--workspace", str(path)]), Preferences(folder / "window.ini")
    )
    window, loaded = desktop.window, []
    desktop.opening.loaded.connect(lambda: loaded.append(True))
    window.resize(*SIZE)
    desktop.start()
    desktop.crash.uninstall()  # a fault of this benchmark is shown by Python
    wait(app, lambda: bool(loaded))

    cpu = time.process_time()

    def shows_memory() -> None:
        window.tabs.setCurrentIndex(MEMORY)
        wait(app, lambda: window.memory.model.rowCount() == items)

    memory = turn(app, shows_memory, window)
    memory_cpu = 1e3 * (time.process_time() - cpu)
    spent, spent_cpu = [], []
    for again in range(4):
        for number in range(len(PAGES)):
            began = time.thread_time()
            show_page = partial(window.tabs.setCurrentIndex, number)
            milliseconds = turn(app, show_page, window)
            if again:
                spent.append(milliseconds)
                spent_cpu.append(1e3 * (time.thread_time() - began))
            rest()
    window.tabs.setCurrentIndex(REVIEW)
    window.close()
    desktop.shut_down()
    spent.sort()
    return {
        "bare": bare,
        "memory": memory,
        "memory_cpu": memory_cpu,
        "turn": statistics.median(spent),
        "turn_cpu": statistics.median(spent_cpu),
        "turn_p95": spent[int(0.95 * (len(spent) - 1))],
    }


def start_handlers(path: Path) -> dict[str, object]:
    """The slowest event handler after the first paint of a start, by CPU time of the window's thread."""
    app = window_events.Measured([])
    desktop = Desktop(
        app,
        arguments(["--workspace", str(path)]),
        Preferences(path.with_suffix(".ini")),
    )
    desktop.start()
    QTimer.singleShot(_AFTER_START_MS, lambda: app.exit(0))
    app.exec()
    slowest = max(app.durations)
    desktop.window.close()
    desktop.shut_down()
    return {"cpu_ms": slowest[0], "where": " ".join(slowest[2:4])}


def resident() -> float:
    """Megabytes of this process in memory now (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (row,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(row.split()[1]) / 1024


def demonstration(path: Path) -> dict[str, float]:
    """Play the whole demonstration; megabytes of the window when it is finished, and of a bare one."""
    app = QApplication([])
    bare = QMainWindow()
    bare.show()
    app.processEvents()
    plain = resident()
    bare.close()
    desktop = Desktop(
        app,
        arguments(["--workspace", str(path), "--autorun"]),
        Preferences(path.with_suffix(".ini")),
    )
    finished: list[float] = []
    desktop.session.finished.connect(lambda: finished.append(resident()))
    desktop.session.finished.connect(lambda: app.exit(0))
    desktop.start()
    app.exec()
    desktop.window.close()
    desktop.shut_down()
    return {"bare": plain, "window": finished[0]}


_PARTS: dict[str, Callable[[Path], object]] = {
    "pages-10000": lambda folder: pages(10_000, folder),
    "pages-100000": lambda folder: pages(100_000, folder),
    "start": lambda folder: start_handlers(folder / "start.sage"),
    "demonstration": lambda folder: demonstration(folder / "demo.sage"),
}


def part(name: str) -> dict[str, float]:
    """One part in a process and a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.run(
            [sys.executable, "-m", "bench.bench_desktop", name, folder],
            env={**os.environ, "SAGE_DATA_DIR": f"{folder}/data"},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    figures: dict[str, float] = json.loads(process.stdout.splitlines()[-1])
    return figures


def add_starts(table: Table) -> None:
    """Starts of both programs in turn."""
    with tempfile.TemporaryDirectory() as folder:
        moments = bench_startup.in_turns(Path(folder) / "demo.sage")

    def median(key: str, of: str) -> float:
        times: list[float] = [getattr(moment, of) for moment in moments[key]]
        return 1e3 * statistics.median(times)

    for of, unit in (("wall", "ms"), ("cpu", "ms of the processor")):
        bare = median("bare", of)
        table.add(f"first paint, {unit}", median("painted", of), bare, "3x")
        table.add(f"queue and review shown, {unit}", median("shown", of), bare)


def main() -> int:
    """Measure everything and print the table."""
    before = os.getloadavg()[0]
    table = Table()
    add_starts(table)
    for items in (10_000, 100_000):
        of = part(f"pages-{items}")
        bare = of["bare"]
        table.add(f"turn to a page, {items:,} items, ms", of["turn"], bare, "100")
        table.add("  ms of the processor", of["turn_cpu"], bare)
        table.add("  the slowest of twenty, ms", of["turn_p95"], bare)
        name = f"memory page first opened, {items:,} items, ms"
        table.add(name, of["memory"], bare, "1000")
        table.add("  ms of the processor, all threads", of["memory_cpu"], bare)
    slowest = part("start")["cpu_ms"]
    table.add("slowest handler of a start, ms of the processor", slowest, bare, "50")
    played = part("demonstration")
    name = "memory of the window after the demonstration, MB"
    table.add(name, played["window"], played["bare"], "220")
    sys.stdout.write(f"load {before:.1f} to {os.getloadavg()[0]:.1f}\n")
    return 1 if table.missed else 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        sys.stdout.write(json.dumps(_PARTS[sys.argv[1]](Path(sys.argv[2]))) + "\n")
    else:
        sys.exit(main())
