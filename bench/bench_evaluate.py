"""What `sage evaluate` of AbsMath costs, all processes counted, beside what it cost before judges were kept.

    cold            everything prepared (`sage prepare`), nothing of the candidate known, no judge kept
    kernel changed  one line of the kernel is new: both of its data types are compiled
    warm            nothing changed, the keeper forks a judge
    without keeper  the same with a judge process of its own, which imports torch

Medians of CPU seconds (command; judge with its compilers; programs inside bubblewrap, whose time the system
tells only who inherits them) and of seconds on the clock, which a busy machine stretches. Goals: warm 0.8 s
CPU; cold 5 s and changed 1.5 s on the clock of an idle machine. RUNS=7 says how often each is measured.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from remote.hosts.local_keeper import end_keepers
from remote.judge.serving.warm import KEEP_S

ROOT = Path(__file__).resolve().parent.parent
RUNS = int(os.environ.get("RUNS", "7"))
SAGE = [sys.executable, "-m", "sage_desktop.cli"]
KERNEL = ROOT / "tests" / "data" / "kernels" / "AbsMath"
SOURCE = Path("op_kernel", "abs_math.cpp")
COLUMNS = ("command", "judge", "programs", "CPU s", "clock s")
# As measured before; of the cold one the clock of the command behind that of its set-up.
BEFORE = {
    "cold": "12 s clock, after 35 s of set-up",
    "kernel changed": "not written down",
    "warm": "2.0 s CPU without programs, 2.9-3.0 s with",
    "without keeper": "the same: there was none",
}
GOALS = {
    "warm": ("CPU s", 0.8),
    "cold": ("clock s", 5.0),
    "kernel changed": ("clock s", 1.5),
}
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
_KEEPER_ENDS_S = 30
_ENDS_S = 0.3  # the keeper waits for its fork, the sandbox ends
Row = tuple[float, ...]


class Machine:
    """CPU seconds of everything a command starts."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache.resolve()
        self._inherited = 0.0
        # Orphans become children of this process: the keeper, and the first process of every sandbox.
        ctypes.CDLL(None).prctl(_SUBREAPER, 1)

    def measure(self, environment: Mapping[str, str], candidate: Path) -> Row:
        """Evaluate a candidate; the numbers of `COLUMNS`: CPU seconds of its parts and all, seconds on the clock."""
        self._inherit()
        command_before, keepers_before = self._command_s(), self._keepers_s()
        inherited_before = self._inherited
        began = time.monotonic()
        words = ["evaluate", "--operator", "AbsMath", "--candidate", str(candidate)]
        subprocess.run(
            [*SAGE, *words], env=environment, check=True, capture_output=True
        )
        wall = time.monotonic() - began
        command = self._command_s() - command_before
        time.sleep(_ENDS_S)
        self._inherit()
        programs = self._inherited - inherited_before
        judge = self._keepers_s() - keepers_before
        return command, judge, programs, command + judge + programs, wall

    def end_keepers(self) -> None:
        """Have no judge kept; what the keepers used belongs to no measurement."""
        end_keepers(self._cache)
        until = time.monotonic() + _KEEPER_ENDS_S
        while self._keepers_s():
            if time.monotonic() > until:
                raise TimeoutError(
                    f"a keeper of {self._cache} still runs {_KEEPER_ENDS_S} s after its end"
                )
            self._inherit()
            time.sleep(0.05)

    def _command_s(self) -> float:
        """CPU seconds of the commands that were waited for, without inherited processes."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime - self._inherited

    def _inherit(self) -> None:
        """Count the CPU seconds of inherited processes that have ended."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.wait4(-1, os.WNOHANG))[0]:
                self._inherited += ended[2].ru_utime + ended[2].ru_stime

    def _keepers_s(self) -> float:
        """CPU seconds of the running keepers of the cache, with the forks they have waited for; 0 without any."""
        total = 0.0
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                command = (entry / "cmdline").read_bytes()
                is_keeper = b"remote.judge.serving.warm" in command
                if is_keeper and (entry / "cwd").resolve().is_relative_to(self._cache):
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                    # Fields 14 to 17 of proc(5): its own time and that of its children, user and system.
                    ticks = sum(map(int, fields[11:15]))
                    total += ticks / os.sysconf("SC_CLK_TCK")
            except OSError:  # ended meanwhile
                continue
        return total


def with_new_line(folder: Path, number: int) -> Path:
    """The candidate in `folder`, its kernel with a line that was not compiled before."""
    kernel = folder / SOURCE
    kernel.write_text(
        f'{(KERNEL / SOURCE).read_text()}static_assert(true, "{number}");\n'
    )
    return folder


def all_rows(folder: Path) -> dict[str, list[Row]]:
    """Rows of every way of `BEFORE`, measured in turns so that other load meets all alike."""
    cache = folder / "cache"
    cache.mkdir()
    folders = {"SAGE_CACHE_DIR": str(cache), "SAGE_DATA_DIR": str(folder / "data")}
    base = {**os.environ, "PYTHONPATH": str(ROOT), **folders}
    machine = Machine(cache)
    copy = Path(shutil.copytree(KERNEL, folder / "candidate"))
    subprocess.run(
        [*SAGE, "prepare", "--quiet"], env=base, check=True, capture_output=True
    )
    prepared = set(cache.rglob("*"))
    rows: dict[str, list[Row]] = {way: [] for way in BEFORE}
    try:
        for turn in range(RUNS):
            machine.end_keepers()
            for path in sorted(set(cache.rglob("*")) - prepared, reverse=True):
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
            rows["cold"].append(machine.measure(base, KERNEL))
            changed = with_new_line(copy, turn)
            rows["kernel changed"].append(machine.measure(base, changed))
            rows["warm"].append(machine.measure(base, KERNEL))
            no_keeper = {**base, KEEP_S: "0"}
            rows["without keeper"].append(machine.measure(no_keeper, KERNEL))
    finally:
        end_keepers(cache)
    return rows


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        rows_of_ways = all_rows(Path(name))
    print(f"{'':<16}" + "".join(f"{column:>10}" for column in COLUMNS) + "  before")
    missed = False
    for way, rows in rows_of_ways.items():
        columns = zip(*rows, strict=True)
        medians = dict(zip(COLUMNS, map(statistics.median, columns), strict=True))
        numbers = "".join(f"{medians[column]:10.2f}" for column in COLUMNS)
        line = f"{way:<16}{numbers}  {BEFORE[way]}"
        if way in GOALS:
            column, goal = GOALS[way]
            is_missed = medians[column] > goal
            missed |= is_missed
            line += f"; goal {goal} {column}: {'missed' if is_missed else 'kept'}"
        print(line)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
