"""Everything of the CPU twin that depends on no candidate, made ahead: at set-up, or when the window starts.

    python -m remote.judge.prepare CACHE TWIN     quietly and in the background; 1 when it cannot be done

Whatever is missing or broken when a candidate comes is made then, as if nobody had prepared anything.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from .artifacts import ArtifactStore
from .compiler import find_compiler
from .faults import EnvironmentFault, fault_of
from .run import ChildGroup
from .sandbox import Sandbox
from .twin_runtime import Twin

_NICENESS = 10  # the window, and the judges it starts, come first


def prepare(cache_dir: Path, twin_dir: Path, workers: int, progress: Callable[[str], None]) -> str:
    """Prepare the twin in `twin_dir` for all judges that keep their builds in `cache_dir`.

    Args:
        cache_dir: As in a job; builds of other versions in it stay.
        twin_dir: `resources/twin`.
        workers: Compilers at a time.
        progress: Told what is being made.

    Returns:
        The compiler and the sandbox found, as a person reads them.

    Raises:
        EnvironmentFault: No compiler, disk full, or the twin does not compile.
    """
    cache_dir = cache_dir.resolve()  # as judges do, whose builds are named by it
    compiler = find_compiler()
    try:
        store = ArtifactStore(cache_dir / "builds")
        sandbox = Sandbox(store, compiler, cache_dir / "sandbox")
        progress("sandbox")
        found = sandbox.isolation.label
        if sandbox.isolation.holds:
            _ = sandbox.library
        twin = Twin(twin_dir, store, compiler, sandbox)
        twin.prepare(ChildGroup("prepare"), workers, progress)
    except OSError as error:
        raise fault_of(error) from error
    return f"{compiler.label}, {found}"


def main(arguments: list[str]) -> int:
    """Entry of `python -m remote.judge.prepare`."""
    if os.name != "posix":
        return 1
    os.nice(_NICENESS)
    try:
        prepare(Path(arguments[0]), Path(arguments[1]), os.cpu_count() or 1, lambda _text: None)
    except EnvironmentFault:
        return 1  # the first evaluation meets it as well, and has somebody to tell
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
