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
from remote.judge.machine.machine_faults import machine_state
from remote.judge.processes.children import ChildGroup, Finished, Limits
from remote.judge.sandbox import Sandbox

_BROKEN_HEADER = re.compile(r"corrupted AST file|PCH file|precompiled header file")
_OUT_OF_MEMORY = re.compile(
    r"virtual memory exhausted|out of memory allocating|std::bad_alloc|memory exhausted"
)
# How g++, its linker and clang say by which signal a program ended that they had called.
_ENDED_BY = re.compile(
    r"error: (?:([\w ]+) signal terminated program|\w+ terminated with signal \d+ \[([\w ]+)"
    r"|unable to execute command: ([\w ]+))"
)
_OWN_LIMITS = ("SIGXCPU", "SIGXFSZ")


def run_compiler(
    children: ChildGroup,
    command: Sequence[str],
    folder: Path,
    limits: Limits = CANDIDATE_LIMITS,
) -> dict[str, Any]:
    """Run a compiler on the candidate's sources, or others under their limits, and note how it went.

    `lasting` is false when a signal ended it that is none of its limits: what sent it is not known, so the
    end is that of this evaluation, not of the sources.

    Raises:
        EnvironmentFault: The machine failed, not the source; nothing is noted then.
    """
    before = machine_state()
    finished = children.run(command, folder, limits)
    ended_by = _foreign_signal(finished)
    if ended_by and not before.cause_of_end(folder, was_killed=ended_by == "SIGKILL"):
        # Nothing explains it: does it happen again?
        finished = children.run(command, folder, limits)
        ended_by = _foreign_signal(finished)
    limit = ""
    if finished.code != 0:
        cause = before.cause_of_end(folder, was_killed=ended_by == "SIGKILL")
        if finished.used is not None and finished.used.overloaded:
            cause = f"The machine is too busy: a compiler did not end within {finished.seconds:.0f} s."
        if cause:
            raise EnvironmentFault(cause)
        # What it reads was removed by who tidies the cache.
        if finished.output.startswith("bwrap: "):
            raise EnvironmentFault(
                f"The sandbox cannot start a compiler: {finished.output[:300]}"
            )
        if _BROKEN_HEADER.search(_of_the_compiler(finished.output)):
            raise EnvironmentFault(
                f"The compiler refuses its precompiled header: {finished.output[:300]}"
            )
        if finished.timed_out or _signal(finished) == "SIGXCPU":
            limit = f"compiling takes longer than {limits.wall_s:.0f} s"
        elif _OUT_OF_MEMORY.search(finished.output):
            limit = f"compiling takes more than {limits.memory_mb} MiB of memory"
        elif _signal(finished) == "SIGXFSZ":
            limit = f"a compiled file is larger than {limits.file_mb} MiB"
        elif ended_by:
            limit = f"the compiler was ended by {ended_by}, and by a signal before"
    return {
        "ok": finished.code == 0,
        "log": finished.output,
        "seconds": finished.seconds,
        "limit": limit,
        "lasting": not ended_by,
    }


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
    """
    work = folder / "source"
    write_texts(files, work)
    confined = confined_compiler(sandbox, command, folder, read, work)
    noted = run_compiler(children, confined, work)
    shutil.rmtree(work)
    return noted


def _foreign_signal(finished: Finished) -> str:
    """The signal that ended a compiler, or a program it calls; empty for none and for those of its limits."""
    name = _signal(finished)
    return "" if finished.timed_out or name in _OWN_LIMITS else name


def _signal(finished: Finished) -> str:
    if finished.signal_name or finished.code == 0:
        return finished.signal_name
    signal_match = _ENDED_BY.search(_of_the_compiler(finished.output))
    if signal_match is None:
        return ""
    words = next(filter(None, signal_match.groups())).strip()
    names = (each.name for each in signal.Signals if signal.strsignal(each) == words)
    return next(names, "")


def _of_the_compiler(output: str) -> str:
    """What a compiler says of itself, without lines about the candidate, which can hold any text."""
    return "\n".join(
        line
        for line in output.splitlines()
        if not re.search(r"op_(host|kernel)/|^\s*\d*\s*\|", line)
    )
