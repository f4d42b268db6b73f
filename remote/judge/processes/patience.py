"""How long a child may take on a machine that has other work: the wall clock stands while it waits for a CPU.

What a child may use is CPU time, which the system limits. The wall clock is for children that sleep, and must
not end one that only waits for its turn: the time its threads were ready to run and did not is given to it on
top (Linux counts it per thread; elsewhere the load average stands for it), up to a multiple that ends all.
Of processes that wait for each other none is late while another one waits for a CPU.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from remote.judge.machine.machine_faults import load_per_cpu
from remote.judge.sandbox import LaunchedProgram

MOST = 16.0  # times its wall limit, then even a child that had no turn is ended


Child = subprocess.Popen[bytes] | LaunchedProgram  # what is waited for


@dataclass(frozen=True)
class Usage:
    """What a child had when it was given up.

    Attributes:
        cpu_s: CPU seconds it used.
        starved_s: Seconds its threads were ready to run and had no CPU.
        overloaded: Whether other work of the machine, not that of its own children, kept it from the CPU to
            the end.
    """

    cpu_s: float
    starved_s: float
    overloaded: bool = False


def wait_with_patience(
    child: Child, wall_s: float, company: list[int] | None = None
) -> Usage | None:
    """Wait for the end of `child`.

    Args:
        child: What is waited for.
        wall_s: Seconds it may take where it has its turn.
        company: Processes that wait for each other; the child is one of them until its end. None for none.

    Returns:
        None when it ended, else what it and its company used until its time was up. It still runs then.
    """
    started, remaining_s, most = time.monotonic(), wall_s, (MOST - 1) * wall_s
    company = [] if company is None else company
    company.append(child.pid)
    try:
        while True:
            try:
                child.wait(remaining_s)
            except subprocess.TimeoutExpired:
                passed = time.monotonic() - started
                used = _usage_of_all(tuple(company), passed)
                remaining_s = left_s(used, wall_s, passed)
                if remaining_s <= 0:
                    starved = used.starved_s >= most and not _has_children(child.pid)
                    return replace(used, overloaded=starved)
            else:
                return None
    finally:
        company.remove(child.pid)


def _usage_of_all(pids: Sequence[int], wall_s: float) -> Usage:
    used = [usage_of(pid, wall_s) for pid in pids]
    return Usage(sum(one.cpu_s for one in used), sum(one.starved_s for one in used))


def left_s(used: Usage, wall_s: float, passed: float) -> float:
    """Seconds that are left of a wall limit after `passed` of them; none or less when the time is up."""
    return wall_s + min(used.starved_s, (MOST - 1) * wall_s) - passed


def _has_children(group: int) -> bool:
    """Whether the process group that a child leads has other members; True where the system does not say."""
    return sum(int(fields[2]) == group for _, fields in process_states()) != 1


def process_states() -> Iterator[tuple[int, list[str]]]:
    """Number of every process the system shows, and its `state_of`."""
    for path in Path("/proc").glob("[0-9]*"):
        if fields := state_of(int(path.name)):
            yield int(path.name), fields


def state_of(process: int) -> list[str]:
    """The fields of a process's `stat` from the state on, see proc(5); none when it is gone."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return []
    # The name in parentheses may itself hold spaces and parentheses: fields start after the last one.
    return text.rpartition(")")[2].split()


def usage_of(pid: int, wall_s: float) -> Usage:
    """What a process and its descendants, which run since `wall_s` seconds, used and waited for."""
    cpu_s = waited_ns = 0.0
    has_time = False
    for process in (pid, *descendants(pid, parents())):
        cpu_ns = starved_ns = 0
        for task in _threads(process):
            try:
                ran, waited, _ = (task / "schedstat").read_text().split()
            except (OSError, ValueError):  # a thread that ended meanwhile
                continue
            cpu_ns, starved_ns = cpu_ns + int(ran), max(starved_ns, int(waited))
        waited_ns += starved_ns  # its threads wait side by side, also for each other
        has_time = has_time or cpu_ns > 0
        cpu_s += _cpu_s(process, cpu_ns * 1e-9)
    if has_time:
        return Usage(cpu_s, waited_ns * 1e-9)
    return Usage(cpu_s, wall_s * max(0.0, 1.0 - 1.0 / max(load_per_cpu(), 1.0)))


def _threads(process: int) -> list[Path]:
    """A folder of each thread of a process; none when it is gone, also while they are listed."""
    try:
        return list(Path(f"/proc/{process}/task").iterdir())
    except OSError:
        return []


def parents() -> dict[int, int]:
    """Parent of every process the system shows."""
    return {process: int(fields[1]) for process, fields in process_states()}


def descendants(pid: int, parent_of: Mapping[int, int]) -> list[int]:
    """All processes below one, nearest first: the sandbox starts the program as a grandchild."""
    children: dict[int, list[int]] = {}
    for process, parent in parent_of.items():
        children.setdefault(parent, []).append(process)
    pids = layer = children.get(pid, [])
    while layer:
        layer = [child for parent in layer for child in children.get(parent, ())]
        pids = pids + layer
    return pids


def _cpu_s(pid: int, least: float) -> float:
    """CPU seconds of a process, threads that ended included; `least` where the system does not say."""
    fields = state_of(pid)
    if not fields:
        return least
    return max(least, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
