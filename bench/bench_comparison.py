"""What the comparison of two long kernels costs the window: a new page, the next change, a search.

Run: `python -m bench.bench_comparison [lines]`. Times are CPU milliseconds of the window's thread, the median
of several, with the wall clock beside them; a page is measured until its first screen is painted.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from sage_desktop.ui import theme
from sage_desktop.ui.diff.document import FileView, compared
from sage_desktop.ui.diff.search import Query
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.preferences import Preferences

_TIMES = 9


def kernels(lines: int, number: int) -> FileView:
    """Two versions that differ in every tenth line; another text for each `number`."""
    head = f"// kernel {number}"
    old, new = [head], [head]
    for tile in range(lines):
        line = f"    DataCopy(local{tile}, xGm[{tile} * tileLength], tileLength);"
        line = f"{line}  // tile {tile}"
        old.append(line)
        is_changed = tile % 10 == 0
        new.append(line.replace("tileLength", "tail", 1) if is_changed else line)
    return FileView(f"k{number}.cpp", "\n".join(old), "\n".join(new))


def _measure(name: str, work: Callable[[], object]) -> None:
    """Print the median time of some work, of the processor and by the clock."""
    cpu_times, wall_times = [], []
    for _ in range(_TIMES):
        cpu, wall = time.thread_time(), time.perf_counter()
        work()
        cpu_times.append(1e3 * (time.thread_time() - cpu))
        wall_times.append(1e3 * (time.perf_counter() - wall))
    cpu_ms = statistics.median(cpu_times)
    wall_ms = statistics.median(wall_times)
    sys.stdout.write(f"{name:<34} {cpu_ms:8.1f} ms CPU {wall_ms:8.1f} ms wall\n")


def main() -> None:
    """Measure and print."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 2100
    app = QApplication([])
    theme.install(app, Preferences(Path(os.devnull)))
    view = DiffView()
    view.resize(1200, 900)
    view.show()
    app.processEvents()
    files = iter([kernels(lines, number) for number in range(2 * _TIMES)])

    def page(file: FileView) -> None:
        view.show_file(file)
        view.viewport().grab()

    def cold() -> None:
        page(next(files))

    page_ms: list[float] = []  # without the comparison, which is made before

    def warm() -> None:
        file = next(files)
        compared(file.left, file.right)
        began = time.thread_time()
        page(file)
        page_ms.append(1e3 * (time.thread_time() - began))

    def after(step: Callable[[], object]) -> Callable[[], None]:
        def work() -> None:
            step()
            view.viewport().grab()

        return work

    _measure("page, compared at once", cold)
    _measure("(page and comparison)", warm)
    median_ms = statistics.median(page_ms)
    sys.stdout.write(f"{'page, compared before':<34} {median_ms:8.1f} ms CPU\n")
    _measure("next change (F8)", after(lambda: view.next_change(1)))
    view.search(Query("local20"))
    _measure("search, next hit", after(lambda: view.find_next(1)))
    _measure("one column", after(lambda: view.set_option("inline", on=not view.inline)))
    view.close()


if __name__ == "__main__":
    main()
