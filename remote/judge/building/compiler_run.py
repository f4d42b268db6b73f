"""One compiler run on a candidate's sources, and whose fault its end was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from remote.judge.building.twin_runtime import CANDIDATE_LIMITS
from remote.judge.faults import EnvironmentFault
from remote.judge.machine.machine_faults import machine_state
from remote.judge.processes.children import ChildGroup, Finished

_BROKEN_HEADER = re.compile(r"corrupted AST file|PCH file|precompiled header file")
_OUT_OF_MEMORY = re.compile(
    r"virtual memory exhausted|out of memory allocating|std::bad_alloc|memory exhausted"
)


def run_compiler(
    children: ChildGroup, command: Sequence[str], folder: Path
) -> dict[str, Any]:
    """Run a compiler on the candidate's sources and note how it went.

    Raises:
        EnvironmentFault: The machine failed, not the source; nothing is noted then.
    """
    before = machine_state()
    finished = children.run(command, folder, CANDIDATE_LIMITS)
    if _was_killed(finished) and not before.cause_of_end(folder, was_killed=True):
        finished = children.run(
            command, folder, CANDIDATE_LIMITS
        )  # nothing explains it: does it happen again?
    limit = ""
    if finished.code != 0:
        cause = before.cause_of_end(folder, was_killed=_was_killed(finished))
        if finished.used is not None and finished.used.overloaded:
            cause = f"The machine is too busy: a compiler did not end within {finished.seconds:.0f} s."
        if cause:
            raise EnvironmentFault(cause)
        if _BROKEN_HEADER.search(_of_the_compiler(finished.output)):
            raise EnvironmentFault(
                f"The compiler refuses its precompiled header: {finished.output[:300]}"
            )
        if finished.timed_out or finished.signal_name == "SIGXCPU":
            limit = f"compiling takes longer than {CANDIDATE_LIMITS.wall_s:.0f} s"
        elif _OUT_OF_MEMORY.search(finished.output):
            limit = (
                f"compiling takes more than {CANDIDATE_LIMITS.memory_mb} MiB of memory"
            )
        elif _was_killed(finished):
            limit = "the compiler is killed whenever it compiles this"
    return {
        "ok": finished.code == 0,
        "log": finished.output,
        "seconds": finished.seconds,
        "limit": limit,
    }


def _was_killed(finished: Finished) -> bool:
    """Whether a compiler, or a program it calls, was ended by SIGKILL."""
    said = "Killed signal terminated" in _of_the_compiler(finished.output)
    return not finished.timed_out and (finished.signal_name == "SIGKILL" or said)


def _of_the_compiler(output: str) -> str:
    """What a compiler says of itself, without lines about the candidate, which can hold any text."""
    return "\n".join(
        line
        for line in output.splitlines()
        if not re.search(r"op_(host|kernel)/|^\s*\d*\s*\|", line)
    )
