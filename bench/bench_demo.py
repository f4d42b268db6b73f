"""The recorded demonstration from the command line beside a bare window: its evaluations on the CPU twin.

    cold    an empty cache: the twin's headers, references and every kernel are compiled
    warm    a new workspace, the cache of the run before

CPU seconds of everything that was started, judges that are kept and sandboxed programs included, and seconds
on the clock, which a busy machine stretches. WARM=2 warm runs are measured, the least is printed.
Run: `python -m bench.bench_demo`.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.bench_startup import BARE, moments
from remote.hosts.local_keeper import end_keepers

WARM = int(os.environ.get("WARM", "2"))
BARE_RUNS = 7
_SUBREAPER = 36  # prctl
_ENDS_S = 60


def _used() -> float:
    """CPU seconds of every process that ended; who is left behind is our child."""
    until = time.monotonic() + _ENDS_S
    with contextlib.suppress(ChildProcessError):
        while True:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                if time.monotonic() > until:
                    raise TimeoutError(
                        f"a process of the run still works {_ENDS_S} s after its end"
                    )
                time.sleep(0.05)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def played(folder: Path, number: int) -> tuple[float, float]:
    """Play the demonstration in a new workspace; CPU seconds and seconds on the clock."""
    cache = folder / "cache"
    environment = os.environ | {
        "SAGE_CACHE_DIR": str(cache),
        "SAGE_DATA_DIR": str(folder / "data"),
    }
    before, began = _used(), time.monotonic()
    words = ["run", "--demo", "--workspace", str(folder / f"{number}.sage")]
    command = [sys.executable, "-m", "sage_desktop.cli", *words]
    subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    clock = time.monotonic() - began
    end_keepers(cache.resolve())
    return _used() - before, clock


def main() -> None:
    """Print both, and their ratio to the first paint of a bare window."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare_runs = []
        for _run in range(BARE_RUNS):
            (painted,) = moments(BARE, folder / "none")
            bare_runs.append((painted.cpu, painted.wall))
        cold, *warm_runs = [played(folder, number) for number in range(1 + WARM)]
    bare_cpu, bare_clock = _least(bare_runs)
    ratio = "of a bare window"
    print(f"{'':<8}{'CPU s':>8}{ratio:>18}{'clock s':>10}{ratio:>18}")
    for words, (cpu, clock) in (
        ("bare", (bare_cpu, bare_clock)),
        ("cold", cold),
        ("warm", _least(warm_runs)),
    ):
        cpu_text = f"{cpu:>8.2f}{cpu / bare_cpu:>18.0f}"
        clock_text = f"{clock:>10.2f}{clock / bare_clock:>18.0f}"
        print(f"{words:<8}{cpu_text}{clock_text}")


def _least(runs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The least seconds of the processor and on the clock, which need not be of one run."""
    return min(cpu for cpu, _clock in runs), min(clock for _cpu, clock in runs)


if __name__ == "__main__":
    main()
