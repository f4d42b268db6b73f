"""One compiler run on a candidate's sources, and whose fault its end was."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remote.judge.building.twin_runtime import CANDIDATE_LIMITS, confined_compiler
from remote.judge.building.twin_sources import write_texts
from remote.judge.faults import EnvironmentFault
from remote.judge.machine.machine_faults import MachineState, machine_state
from remote.judge.processes.children import ChildGroup, Finished, Limits
from remote.judge.sandbox import Sandbox

_BROKEN_HEADER = re.compile(r"corrupted AST file|PCH file|precompiled header file")
_OUT_OF_MEMORY = re.compile(
    r"virtual memory exhausted|out of memory allocating|std::bad_alloc|memory exhausted"
)
# How g++, its linker and clang report the signal that ended a program which they had called.
_ENDED_BY = re.compile(
    r"^\S+: (?:fatal |internal compiler )?error: (?:([\w ]+) signal terminated program"
    r"|\w+ terminated with signal \d+ \[([\w ]+)|unable to execute command: ([\w ]+))",
    re.MULTILINE,
)
# Where one is, the source explains the end, and lines behind it may be the text of a static_assert.
_ERROR_OF_SOURCE = re.compile(r":\d+: (?:fatal )?error: ")
_OWN_LIMITS = ("SIGXCPU", "SIGXFSZ")  # what the limits of CPU time and file size send


def run_compiler(
    children: ChildGroup,
    command: Sequence[str],
    folder: Path,
    limits: Limits = CANDIDATE_LIMITS,
) -> dict[str, Any]:
    """Run a compiler on the candidate's sources, or others under their limits.

    Returns:
        `ok`; `log`, its output; `seconds`; `limit`, the limit it met in words, empty for none; `lasting`,
        whether the result may be stored: not when a signal ended it that is none of its limits, since what
        sent it is not known and need not come again.

    Raises:
        EnvironmentFault: The machine failed, not the source.
    """
    before = machine_state()
    finished = children.run(command, folder, limits)
    ended_by = _foreign_signal(finished)
    if ended_by and not before.cause_of_end(folder, was_killed=ended_by == "SIGKILL"):
        # Nothing of the machine explains the signal. A second run shows whether the sources do.
        finished = children.run(command, folder, limits)
        ended_by = _foreign_signal(finished)
    limit = ""
    if finished.code != 0:
        fault = _machine_fault(before, finished, folder, ended_by)
        if fault:
            raise EnvironmentFault(fault)
        limit = _limit_met(finished, limits, ended_by)
    return {
        "ok": finished.code == 0,
        "log": finished.output,
        "seconds": finished.seconds,
        "limit": limit,
        "lasting": not ended_by,
    }


def _machine_fault(
    before: MachineState, finished: Finished, folder: Path, ended_by: str
) -> str:
    """Why the machine is to blame for a compiler that failed; empty when it is not."""
    if finished.used is not None and finished.used.overloaded:
        return f"The machine is too busy: a compiler did not end within {finished.seconds:.0f} s."
    cause = before.cause_of_end(folder, was_killed=ended_by == "SIGKILL")
    if cause:
        return cause
    # What it reads was tidied away from the cache meanwhile.
    if finished.output.startswith("bwrap: "):
        return f"The sandbox cannot start a compiler: {finished.output[:300]}"
    return ""


def _limit_met(finished: Finished, limits: Limits, ended_by: str) -> str:
    """The limit that ended a compiler, in words for the model; empty when it failed by itself."""
    signal_name = _signal(finished)
    if finished.timed_out or signal_name == "SIGXCPU":
        return f"compiling takes longer than {limits.wall_s:.0f} s"
    if _OUT_OF_MEMORY.search(finished.output):
        return f"compiling takes more than {limits.memory_mb} MiB of memory"
    if signal_name == "SIGXFSZ":
        return f"a compiled file is larger than {limits.file_mb} MiB"
    if ended_by:
        return f"the compiler was ended by {ended_by}, and by a signal before"
    return ""


def compile_sources(
    children: ChildGroup,
    sandbox: Sandbox,
    command: Sequence[str],
    files: Mapping[str, str],
    folder: Path,
    read: Sequence[Path],
) -> dict[str, Any]:
    """As `run_compiler`, confined, in a folder of `files` (path -> text) that is removed afterwards.

    The compiler sees `read` and writes into `folder`.

    Raises:
        EnvironmentFault: It cannot read what was precompiled. A candidate can write any words; so it counts
            that empty files are refused as well.
    """
    work = folder / "source"
    write_texts(files, work)
    confined = confined_compiler(sandbox, command, folder, read, work)
    result = run_compiler(children, confined, work)
    if not result["ok"] and _BROKEN_HEADER.search(result["log"]):
        write_texts(dict.fromkeys(files, ""), work)
        empty = run_compiler(children, confined, work)
        if not empty["ok"]:
            why = empty["log"][:300]
            raise EnvironmentFault(
                f"The compiler refuses its precompiled header: {why}"
            )
    shutil.rmtree(work)
    return result


def _foreign_signal(finished: Finished) -> str:
    """The signal that ended a compiler, or a program it calls; empty for none and for those of its limits."""
    name = _signal(finished)
    return "" if finished.timed_out or name in _OWN_LIMITS else name


def _signal(finished: Finished) -> str:
    """Name of the signal that ended a compiler or a program it calls, `SIGKILL`; empty for none."""
    if finished.signal_name or finished.code == 0:
        return finished.signal_name
    signal_match = _ENDED_BY.search(finished.output)
    if signal_match is None or _ERROR_OF_SOURCE.search(finished.output):
        return ""
    description = next(filter(None, signal_match.groups())).strip()
    for each in signal.Signals:
        if signal.strsignal(each) == description:
            return each.name
    return ""
