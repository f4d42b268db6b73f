"""Time from process start to the first painted window: SAGE Desktop beside a bare PySide6 window.

Goal: at most three times the bare window on the clock. Told beside it: when the queue and the review of
the workspace stand there. Run it with a display, or offscreen (the default here). Where other programs use
the machine, look at the processor time.

Both use compiled modules, as an installed program does: where `PYTHONDONTWRITEBYTECODE` is set, a start would
compile 190 modules each time, which no user waits for.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

RUNS = 15
GOAL = 3.0

_PAINTED = """
import sys, time
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

def tell():
    print(time.time() - float(sys.argv[1]), time.process_time(), flush=True)

class FirstPaint(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.report)
        return False

    def report(self):
        tell()
        if is_bare:
            QApplication.exit()

first_paint = FirstPaint()
"""
BARE = (
    _PAINTED
    + """
is_bare = True
app = QApplication([])
window = QMainWindow()
window.resize(1280, 800)
window.installEventFilter(first_paint)
window.show()
app.exec()
"""
)
SAGE = (
    _PAINTED
    + """
from PySide6.QtCore import Qt

is_bare = False
from sage_desktop.app import Desktop, arguments
app = QApplication([])
desktop = Desktop(app, arguments(["--workspace", sys.argv[2]]))
window = desktop.window
window.installEventFilter(first_paint)

look = QTimer(interval=0)

def look_whether_shown():
    if window.queue.model.rowCount() and desktop.operations.idle:
        look.stop()
        tell()
        desktop.opening.wait()
        QApplication.exit()

look.timeout.connect(look_whether_shown)
window.queue.counted.connect(look.start, Qt.ConnectionType.SingleShotConnection)
desktop.start()
app.exec()
desktop.shut_down()
"""
)


@dataclass(frozen=True)
class Moment:
    """Seconds since the process was started: on the clock, of the processor in all its threads."""

    wall: float
    cpu: float


def moments(program: str, workspace: Path) -> list[Moment]:
    """Start `program` in a new interpreter; returns the moments it tells."""
    environment = os.environ | {
        "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
        "PYTHONPYCACHEPREFIX": str(workspace.parent / "compiled"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    launcher = "import sys; sys.argv[1:] = {arguments!r}\n"
    arguments = [str(time.time()), str(workspace)]
    result = subprocess.run(
        [sys.executable, "-c", launcher.format(arguments=arguments) + program],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env=environment,
    )
    lines = [line.split() for line in result.stdout.splitlines()]
    return [Moment(float(wall), float(cpu)) for wall, cpu in lines]


def in_turns(workspace: Path, runs: int = RUNS) -> dict[str, list[Moment]]:
    """Start both programs in turn; the first turn makes the workspace and warms the caches."""
    moments_by_name: dict[str, list[Moment]] = {"bare": [], "painted": [], "shown": []}
    for turn in range(runs + 1):
        (bare,) = moments(BARE, workspace)
        painted, shown = moments(SAGE, workspace)
        if turn:
            moments_by_name["bare"].append(bare)
            moments_by_name["painted"].append(painted)
            moments_by_name["shown"].append(shown)
    return moments_by_name


def spread(values: list[float]) -> str:
    """Median, least, quartiles and most."""
    low, _middle, high = statistics.quantiles(values, n=4)
    return (
        f"{statistics.median(values):.3f} s (least {min(values):.3f}, "
        f"quartiles {low:.3f} and {high:.3f}, most {max(values):.3f})"
    )


def main() -> int:
    """Print medians and ratios; exit 1 when the goal is missed."""
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        moments_by_name = in_turns(Path(folder) / "demo.sage")
    names = {
        "bare": "bare PySide6 window",
        "painted": "SAGE Desktop, first paint",
        "shown": "queue and review shown",
    }
    ratios = {}
    for key, name in names.items():
        walls = [moment.wall for moment in moments_by_name[key]]
        cpus = [moment.cpu for moment in moments_by_name[key]]
        bare = moments_by_name["bare"]
        ratios[key] = statistics.median(walls) / statistics.median(
            moment.wall for moment in bare
        )
        of_cpu = min(cpus) / min(moment.cpu for moment in bare)
        print(f"{name}\n  clock      {spread(walls)}: {ratios[key]:.2f} of bare")
        print(f"  processor  {spread(cpus)}: {of_cpu:.2f} by the least")
    print(f"n = {RUNS}, load {before:.1f} to {os.getloadavg()[0]:.1f}; goal {GOAL}")
    return 0 if ratios["painted"] <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
