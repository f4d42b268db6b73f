"""Everything of the CPU twin that depends on no candidate, made ahead: at set-up, or when the window starts.

Whatever is missing or broken when a candidate comes is made then, as if nothing had been prepared.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from remote.judge.building.twin_runtime import Twin
from remote.judge.faults import fault_of
from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox import Sandbox


def prepare(
    cache_dir: Path, twin_dir: Path, workers: int, tell: Callable[[str], None]
) -> str:
    """Prepare the twin in `twin_dir` for all judges that keep their builds in `cache_dir`.

    Args:
        cache_dir: As in a job; builds of other versions in it stay.
        twin_dir: `resources/twin`.
        workers: Compilers at a time.
        tell: Told what is being made.

    Returns:
        The compiler and the sandbox found, as a person reads them.

    Raises:
        EnvironmentFault: No compiler, disk full, or the twin does not compile.
    """
    cache_dir = cache_dir.resolve()  # as judges do, whose builds are named by it
    try:
        sandbox = Sandbox.within(cache_dir)
        tell("sandbox")
        label = sandbox.isolation.label
        if sandbox.isolation.holds:
            _ = sandbox.library
        twin = Twin(twin_dir, sandbox.store, sandbox.compiler, sandbox)
        twin.prepare(ChildGroup("prepare"), workers, tell)
    except OSError as error:
        raise fault_of(error) from error
    return f"{sandbox.compiler.label}, {label}"
