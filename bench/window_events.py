"""Measures every event handler while the demonstration runs: `python -m bench.window_events FILE`.

Prints JSON. A handler's time is CPU time of the window's thread: what it makes everybody else wait for, on
whatever machine. Wall time, in which other programs take their turns, stands beside it.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count, cycle
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QAbstractScrollArea, QApplication

from sage_desktop.app import Desktop, arguments
from sage_desktop.services import wiring
from sage_desktop.shell.main_window import (
    HOSTS,
    MEMORY,
    RESULTS,
    REVIEW,
    START,
    TIMELINE,
    TRAJECTORY,
)
from sage_desktop.ui.diff.document import FileView, compared
from sage_desktop.ui.preferences import Preferences

ITEMS, LINES = 100_000, 2_000
WARM_MS, WATCHED_MS = 3_000, 40_000
_STEP_MS = 60


class Measured(QApplication):
    """Notes how long each outermost event handler took: (CPU ms, wall ms, receiver, event, what was done)."""

    def __init__(self, argv: list[str]) -> None:
        super().__init__(argv)
        self.durations: list[tuple[float, float, str, str, str]] = []
        self.doing = "start"
        self._depth = 0

    def notify(self, receiver: QObject, event: QEvent) -> bool:  # noqa: D102
        if self._depth:
            return bool(super().notify(receiver, event))
        name, kind = type(receiver).__name__, event.type().name
        if isinstance(receiver, QTimer):
            name = f"timer of {type(receiver.parent()).__name__}"
        self._depth += 1
        cpu, wall = time.thread_time(), time.perf_counter()
        try:
            return bool(super().notify(receiver, event))
        finally:
            spent = 1e3 * (time.thread_time() - cpu), 1e3 * (time.perf_counter() - wall)
            self._depth -= 1
            self.durations.append((*spent, name, kind, self.doing))


def fill(path: Path) -> None:
    """The demonstration's workspace with its memory grown to `ITEMS`."""
    session = wiring.open_demo(path, lambda _event: None)
    session.engine.stop()
    db = sqlite3.connect(path)
    columns = [
        row[1]
        for row in db.execute("PRAGMA table_info(item)")
        if row[1] not in ("id", "uid", "title")
    ]
    names = ", ".join(columns)
    (count,) = db.execute("SELECT count(*) FROM item").fetchone()
    with db:
        db.execute(
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
            f"INSERT INTO item(uid, title, {names}) "
            f"SELECT 'copy-' || i, item.title || ' ' || i, {names} FROM n JOIN item ON item.id = "
            "(SELECT min(id) FROM item) + i % ?",
            (ITEMS - count, count),
        )
    db.close()


def kernel_change(number: int) -> FileView:
    """Two versions of a file of `LINES` lines that differ in every tenth; another file for each number."""
    old = [
        f"    DataCopy(local{n}, xGm[{n} * tileLength], tileLength);  // tile {n}"
        for n in range(LINES)
    ]
    new = [
        line.replace("tileLength", "tail", 1) if n % 10 == 0 else line
        for n, line in enumerate(old)
    ]
    head = f"// kernel {number}"
    return FileView(
        "op_kernel/big.cpp", "\n".join([head, *old]), "\n".join([head, *new])
    )


class Person(QObject):
    """A person who looks at everything while the queue runs."""

    def __init__(self, app: Measured, desktop: Desktop) -> None:
        super().__init__()
        self._app = app
        self._window = desktop.window
        self._late = desktop.late
        self._files = count(1)
        window = desktop.window
        pause = ("rest", lambda: None)
        self._steps: Iterator[tuple[str, Callable[[], object]]] = cycle(
            [
                ("review", lambda: window.tabs.setCurrentIndex(REVIEW)),
                ("open file", lambda: self._open_file(desktop)),
                *[("scroll diff", lambda: self._scroll(window.review.code.diff, 400))]
                * 6,
                ("next change", lambda: window.review.code.diff.next_change(1)),
                ("memory", lambda: window.tabs.setCurrentIndex(MEMORY)),
                *[("scroll memory", lambda: self._scroll(window.memory.table, 3000))]
                * 8,
                ("search", lambda: window.memory.search.setText("copy tile")),
                *[pause] * 4,
                ("search ends", lambda: window.memory.search.setText("")),
                *[pause] * 3,
                ("trajectory", lambda: window.tabs.setCurrentIndex(TRAJECTORY)),
                *[pause] * 2,
                ("results", lambda: window.tabs.setCurrentIndex(RESULTS)),
                *[pause] * 2,
                ("timeline", lambda: window.tabs.setCurrentIndex(TIMELINE)),
                ("hosts", lambda: window.tabs.setCurrentIndex(HOSTS)),
                ("start", lambda: window.tabs.setCurrentIndex(START)),
                ("settings", window.actions_["file.settings"].trigger),
                *[pause] * 4,
                ("settings end", self._close_settings),
                ("palette", window.palette_.open),
                ("palette ends", window.palette_.hide),
            ]
        )
        self._timer = QTimer(self)
        self._timer.setInterval(_STEP_MS)
        self._timer.timeout.connect(self._act)
        self._timer.start()

    def _open_file(self, desktop: Desktop) -> None:
        """As the review page does: compared in the background, shown when that is done."""
        view = kernel_change(next(self._files))
        desktop.operations.run_in_background(
            self,
            lambda: compared(view.left, view.right),
            lambda _done: self._window.review.code.diff.show_file(view),
        )

    def _close_settings(self) -> None:
        assert self._late.settings is not None
        self._late.settings.reject()

    def _act(self) -> None:
        self._app.doing, act = next(self._steps)
        act()

    def _scroll(self, view: QAbstractScrollArea, by: int) -> None:
        """Scroll down, from the end to the top again."""
        bar = view.verticalScrollBar()
        bar.setValue((bar.value() + by) % max(1, bar.maximum()))


def main(path: Path) -> None:
    """Run the queue under the eyes of a person, then print what handlers took.

    It takes 43 s (`WARM_MS` and `WATCHED_MS`), or less where the queue ends before.

    Args:
        path: Of the workspace, made when it is not there.
    """
    if not path.exists():
        fill(path)
    app = Measured([])
    desktop = Desktop(
        app,
        arguments(["--workspace", str(path)]),
        Preferences(path.with_suffix(".ini")),
    )
    desktop.window.resize(1600, 1000)
    desktop.session.finished.connect(lambda: app.exit(0))
    desktop.start()
    desktop.opening.opened.connect(lambda _made: desktop.session.run())
    person: list[Person] = []

    def begin_measuring() -> None:
        """Let a person begin, and drop what was measured during the start."""
        person.append(Person(app, desktop))
        app.durations.clear()

    QTimer.singleShot(WARM_MS, begin_measuring)
    QTimer.singleShot(
        WARM_MS + WATCHED_MS, lambda: app.exit(0)
    )  # quit() would ask first
    app.exec()
    durations = sorted(app.durations, reverse=True)
    wall = sorted(row[1] for row in app.durations)
    (items,) = sqlite3.connect(path).execute("SELECT count(*) FROM item").fetchone()
    report = {
        "events": len(durations),
        "items": items,
        "slowest": durations[:15],
        "wall_p99_ms": wall[int(0.99 * (len(wall) - 1))],
        "wall_max_ms": wall[-1],
        "states": [row.state for row in desktop.window.queue.model.rows()],
    }
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()
    # A window with work under way asks before it closes.
    desktop.window.set_busy(busy=False)
    desktop.window.close()
    desktop.shut_down()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
