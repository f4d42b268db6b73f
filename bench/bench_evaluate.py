"""What a warm `sage evaluate` costs: with the keeper's fork, and with a judge process of its own (its peer).

Goal: at most 0.8 s CPU in total, of the command and of its judge with all its children.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from remote.hosts.local_keeper import end_keepers
from remote.judge.warm import KEEP_S

ROOT = Path(__file__).resolve().parent.parent
GOAL_S = 0.8
RUNS = int(os.environ.get("RUNS", "7"))
COMMAND = [sys.executable, "-m", "sage_desktop.cli", "evaluate", "--operator", "AbsMath", "--candidate"]
KERNEL = ROOT / "tests" / "data" / "kernels" / "AbsMath"


def keeper_cpu_s(cache: Path) -> float:
    """CPU seconds of the keepers of a cache folder, with the forks they have waited for."""
    total = 0.0
    for entry in Path("/proc").iterdir():
        try:
            warm = entry.name.isdigit() and b"remote.judge.warm" in (entry / "cmdline").read_bytes()
            if warm and (entry / "cwd").resolve().is_relative_to(cache.resolve()):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue
    return total


def own_cpu_s() -> float:
    """CPU seconds of the commands run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(environment: dict[str, str], cache: Path) -> tuple[float, float, float]:
    """CPU seconds of the command, those of its judge where a keeper has it, and wall seconds."""
    began, own, kept = time.monotonic(), own_cpu_s(), keeper_cpu_s(cache)
    subprocess.run([*COMMAND, str(KERNEL)], env=environment, check=True, capture_output=True)
    wall = time.monotonic() - began
    time.sleep(0.2)  # the keeper waits for the fork
    return own_cpu_s() - own, keeper_cpu_s(cache) - kept, wall


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        cache = Path(name, "cache")
        folders = {"SAGE_CACHE_DIR": str(cache), "SAGE_DATA_DIR": f"{name}/data"}
        base = {**os.environ, "PYTHONPATH": str(ROOT), **folders}
        ways = {"kept judge": base, "judge of its own": {**base, KEEP_S: "0"}}
        found: dict[str, list[tuple[float, float, float]]] = {way: [] for way in ways}
        try:
            for turn in range(RUNS + 1):
                for way, environment in ways.items():
                    row = measured(environment, cache)
                    if turn:  # the first one compiles
                        found[way].append(row)
        finally:
            end_keepers(cache)
    print(f"{'':<18} {'command':>8} {'judge':>8} {'CPU s':>8} {'wall s':>8}")
    totals = {}
    for way, rows in found.items():
        command, judge, wall = (statistics.median(column) for column in zip(*rows, strict=True))
        totals[way] = statistics.median(row[0] + row[1] for row in rows)
        print(f"{way:<18} {command:8.2f} {judge:8.2f} {totals[way]:8.2f} {wall:8.2f}")
    return 0 if totals["kept judge"] <= GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main())
