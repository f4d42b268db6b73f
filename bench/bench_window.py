"""What the window's largest views cost, beside plain Qt views of the same content.

Run: `python bench/bench_window.py [--events]`. Each line gives CPU milliseconds of the
window's thread, the least of several, for ours and for the plain view, and their ratio:
ratios can be compared between machines. With `--events` the demonstration runs once under
`bench.window_events`, which tells the slowest event handlers (45 s).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QPlainTextEdit,
    QTableView,
    QWidget,
)

from bench.window_events import ITEMS, fill, kernel_change
from core.evaluation.records import ErrorMap
from core.trace.columns import Place
from core.trace.mismatch import Mismatch
from core.trace.writes import Writes
from sage_desktop.panels.memory.panel import MemoryPanel
from sage_desktop.panels.review.mismatch.image import MismatchImage
from sage_desktop.ui import theme
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.diff.document import compared
from sage_desktop.ui.diff.highlight import warm_up
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.widgets.tables import RowTable

Index = QModelIndex | QPersistentModelIndex
_TIMES = 5
_FRAMES = 60


class Rows(QAbstractTableModel):
    """As many rows as the large memory has, given by Python as all models of ours do."""

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, D102, N802
        return 0 if parent.isValid() else ITEMS

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, D102, N802
        return 0 if parent.isValid() else 3

    def data(self, index: Index, role: int = 0) -> object:  # noqa: D102
        return str(index.row()) if role == Qt.ItemDataRole.DisplayRole else None


def least(work: Callable[[], object], times: int = _TIMES) -> float:
    """CPU milliseconds of this thread, the least of several."""
    spent = []
    for _again in range(times):
        began = time.thread_time()
        work()
        spent.append(1e3 * (time.thread_time() - began))
    return min(spent)


def tell(name: str, ours: float, plain: float) -> None:
    """One line of the table."""
    sys.stdout.write(f"{name:<44} {ours:8.1f} {plain:8.1f} {ours / plain:7.2f}\n")


def serve(app: QApplication, ready: Callable[[], bool]) -> None:
    """Serve events until `ready`."""
    while not ready():
        app.processEvents()


def first_screen(app: QApplication) -> None:
    """Two versions of 2,000 lines, compared before: shown and coloured."""
    warm_up()  # as the program does in an idle moment
    view = DiffView()
    view.resize(1200, 900)
    view.show()
    app.processEvents()
    numbers = count()
    files = [kernel_change(next(numbers)) for _ in range(2 * _TIMES)]
    for file in files:
        compared(file.left, file.right)
    ahead = iter(files)

    def ours() -> None:
        view.show_file(next(ahead))
        app.processEvents()
        view.viewport().grab()

    pair = QWidget()
    row = QHBoxLayout(pair)
    edits = [QPlainTextEdit(), QPlainTextEdit()]
    for edit in edits:
        row.addWidget(edit)
    pair.resize(1200, 900)
    pair.show()
    app.processEvents()

    def plain() -> None:
        file = next(ahead)
        for edit, text in zip(edits, (file.left, file.right), strict=True):
            edit.setPlainText(text or "")
        app.processEvents()
        pair.grab()

    tell("first screen of 2,000 lines (two text edits)", least(ours), least(plain))
    for widget in (view, pair):
        widget.close()


def selected_rows() -> None:
    """100,000 selected rows painted."""
    spent = []
    for kind in (RowTable, QTableView):
        table = kind()
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setModel(Rows(table))
        table.resize(600, 600)
        table.show()
        table.selectAll()
        spent.append(least(table.grab, 3))
        table.close()
    tell("100,000 selected rows painted (table view)", *spent)


def scrolling(app: QApplication, folder: Path) -> None:
    """A frame of scrolling through a memory of 100,000 experiences."""
    path = folder / "large.sage"
    fill(path)
    operations = Operations(path)
    window = QWidget()
    panel = MemoryPanel(
        operations, ActionRegistry(window), Preferences(folder / "window.ini")
    )
    panel.resize(1200, 900)
    panel.show()
    panel.activate()
    serve(app, lambda: panel.model.rowCount() == ITEMS and operations.idle)
    table = QTableView()
    table.setModel(Rows(table))
    table.resize(1200, 900)
    table.show()

    def frame(view: QTableView) -> None:
        bar = view.verticalScrollBar()
        bar.setValue((bar.value() + bar.maximum() // 70) % bar.maximum())
        view.viewport().grab()

    frames = []
    for view in (panel.table, table):
        began = time.thread_time()
        for _ in range(_FRAMES):
            frame(view)
        frames.append(1e3 * (time.thread_time() - began) / _FRAMES)
    tell("a frame of scrolling 100,000 items (table view)", *frames)
    table.close()
    panel.close()
    serve(app, lambda: operations.idle)
    operations.close()


def mismatch_picture() -> None:
    """16 million elements and who wrote them, as many pixels as a dialog at twice the scale."""
    side = 4096
    error_map = ErrorMap(
        shape=(side, side),
        rows=64,
        columns=64,
        flat=False,
        cells="80" * 64 * 64,
        width=4,
    )
    mismatch = Mismatch(error_map, "y")
    begins = np.arange(0, 4 * side * side, 1 << 15)
    none = np.zeros(len(begins), int)
    mismatch.take_writes(
        Writes(
            tuple(f"core{number}" for number in range(48)),
            (Place("op_kernel/k.cpp", 41),),
            ("y",),
            begins,
            np.full(len(begins), 1 << 15),
            np.arange(len(begins)) % 48,
            none,
            none,
        )
    )
    image = MismatchImage()
    image.resize(2400, 1500)
    image.show_mismatch(mismatch)

    pixels = QImage(side, side, QImage.Format.Format_RGB32)
    pixels.fill(Qt.GlobalColor.red)
    picture = least(lambda: image.picture(mismatch))
    scaled = least(lambda: pixels.scaled(2400, 1500))
    tell("picture of 16 M elements (an image scaled)", picture, scaled)


def event_handlers(folder: Path) -> None:
    """The slowest event handlers while the demonstration runs over a large memory."""
    run = subprocess.run(
        [sys.executable, "-m", "bench.window_events", str(folder / "demo.sage")],
        env={**os.environ, "SAGE_DATA_DIR": str(folder / "data")},
        capture_output=True,
        text=True,
        check=True,
    )
    report = json.loads(run.stdout)
    sys.stdout.write(
        f"{report['events']} events, 99 % within {report['wall_p99_ms']:.1f} ms of wall time; "
        "the slowest by CPU:\n"
    )
    for cpu, wall, receiver, event, doing in report["slowest"][:5]:
        sys.stdout.write(
            f"{cpu:8.1f} ms CPU {wall:8.1f} ms wall  {receiver} {event} ({doing})\n"
        )


def main() -> None:
    """Measure and print."""
    app = QApplication([])
    theme.install(app, Preferences(Path(os.devnull)))
    sys.stdout.write(f"{'':<44} {'ours':>8} {'plain':>8} {'ratio':>7}\n")
    first_screen(app)
    selected_rows()
    mismatch_picture()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["SAGE_DATA_DIR"] = str(folder / "data")
        scrolling(app, folder)
        if "--events" in sys.argv[1:]:
            event_handlers(folder)


if __name__ == "__main__":
    main()
