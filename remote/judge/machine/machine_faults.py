"""What the machine did to a run, as far as it says so: only this makes the end of a run the machine's.

An end that nothing here explains may be the candidate's own doing, however much it looks like the machine's:
a kernel can kill itself, or leave with any exit code.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from remote.judge.faults import fault_of

_LEAST_DISK = 16 << 20  # bytes; a report and its folder entry need far less
_KILLS = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class MachineState:
    """What is to be compared before and after a run. `oom_kills` is None where the system does not count."""

    oom_kills: int | None

    def cause_of_end(self, folder: Path, *, was_killed: bool) -> str:
        """What the machine did since then that explains why a run ended; empty for nothing.

        Args:
            folder: Where the run wrote, if it did.
            was_killed: Whether it ended by SIGKILL, as the kernel ends what takes too much memory.
        """
        kills = oom_kills()
        if (
            was_killed
            and self.oom_kills is not None
            and kills is not None
            and kills > self.oom_kills
        ):
            return (
                "The machine ran out of memory and killed a run (oom_kill of its cgroup rose): close other "
                "programs, or evaluate on a larger machine."
            )
        place = next(
            place for place in (folder, *folder.absolute().parents) if place.exists()
        )
        if shutil.disk_usage(place).free < _LEAST_DISK:
            return str(
                fault_of(OSError(errno.ENOSPC, "No space left on device", str(folder)))
            )
        return ""


def machine_state() -> MachineState:
    """The state now."""
    return MachineState(oom_kills())


def oom_kills() -> int | None:
    """How often the system killed a process of our cgroup (else any process) for want of memory."""
    for path in (*_own_cgroup_files(), Path("/proc/vmstat")):
        try:
            count = _KILLS.search(path.read_text())
        except OSError:
            continue
        if count:
            return int(count[1])
    return None


@cache
def _own_cgroup_files() -> tuple[Path, ...]:
    return tuple(
        path for path in _cgroup_files(Path("/proc/self/cgroup")) if path.exists()
    )


def _cgroup_files(listing: Path) -> list[Path]:
    """Files of our cgroup that count killed processes, of either version of cgroups."""
    try:
        lines = listing.read_text().splitlines()
    except OSError:  # not Linux
        return []
    root = Path("/sys/fs/cgroup")
    files = []
    for line in lines:
        _, controllers, place = line.split(":", 2)
        place = place.lstrip("/")
        if not controllers:
            files += [
                base / place / "memory.events" for base in (root, root / "unified")
            ]
        elif "memory" in controllers.split(","):
            files.append(root / "memory" / place / "memory.oom_control")
    return files


def load_per_cpu() -> float:
    """Processes that want a CPU, for each there is; 1 where the system does not say."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return 1.0
