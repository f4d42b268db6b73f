"""The warm judge of this computer: which keeper may answer whom, and how one is started.

There is one keeper for everything its forks cannot change of themselves: user, program, Python and torch,
folder of the cache, priority, limits, what the system confines them to, and the variables libraries read
when they are loaded. Another program, an upgraded one or one under another limit has another name to ask for.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from remote.judge.serving import warm

_START_S = 20.0
_MOST_KEEPERS = 4  # of a cache folder; each holds some 230 MB, most of it shared
_PREFIX = "sage-judge"
_READ_AT_START = (
    "LD_",
    "PYTHON",
    "OMP_",
    "GOMP_",
    "KMP_",
    "MKL_",
    "OPENBLAS_",
    "TORCH_",
    "ATEN_",
    "MALLOC_",
    "GLIBC_",
    "LC_",
    "LANG",
    warm.KEEP_S,
)
_SURROUNDINGS = ("ns/mnt", "ns/pid", "ns/user", "ns/net")


def line_to_judge(
    settings: Mapping[str, Any], environment: Mapping[str, str], output: int
) -> socket.socket | None:
    """A line to a fork of the keeper, which is started when there is none; None where no keeper can run.

    Args:
        settings: As for `warm.ask`; `cache_dir` is a folder, made when it is missing.
        environment: All of the judge's.
        output: Descriptor of what it takes for standard output and error.
    """
    if not sys.platform.startswith("linux") or warm.idle_s(environment) <= 0:
        return None
    folder = Path(settings["cache_dir"])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        name = keeper_name(folder, environment)
        line = warm.ask(name, settings, environment, output)
        if line is None:
            _end_surplus(folder)
            subprocess.run(
                [sys.executable, "-m", warm.__name__, "keep", name],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd=folder,
                timeout=_START_S,
                check=True,
            )
            line = warm.ask(name, settings, environment, output)
    except (OSError, subprocess.SubprocessError):
        return None
    return line


async def line_in_thread(
    settings: Mapping[str, Any], environment: Mapping[str, str], output: int
) -> socket.socket | None:
    """`line_to_judge` in a thread. A cancelled call leaves the thread running; its line is closed then.

    The thread has an output of its own: the caller's may be closed by then, and its number another file.
    """
    try:
        own = os.dup(output)
    except OSError:
        # No descriptor is left: the keeper cannot be asked.
        return None
    with_one = ThreadPoolExecutor(1)
    request = with_one.submit(line_to_judge, settings, environment, own)
    request.add_done_callback(lambda _: os.close(own))
    with_one.shutdown(wait=False)
    try:
        return await asyncio.wrap_future(request)
    except asyncio.CancelledError:
        request.add_done_callback(_close_line)
        raise


def _close_line(request: Future[socket.socket | None]) -> None:
    if (
        not request.cancelled()
        and request.exception() is None
        and (line := request.result()) is not None
    ):
        line.close()


def keeper_name(folder: Path, environment: Mapping[str, str]) -> str:
    """Name of the keeper for a cache folder and an environment, as asked from this process."""
    at_start = sorted(
        item for item in environment.items() if item[0].startswith(_READ_AT_START)
    )
    parts = [*warm.sources(), *_torch(), *_limits(), at_start]
    whole = hashlib.sha256(repr(parts).encode()).hexdigest()
    return f"{_of_folder(folder)}{whole[:24]}"


def end_keepers(folder: Path) -> None:
    """End all keepers for a cache folder; their forks run until their owner closes the line."""
    for name in _keepers(folder):
        warm.end(name)


def _end_surplus(folder: Path) -> None:
    """Make room for one more keeper: programs under ever new limits would fill the memory."""
    names = _keepers(folder)
    if len(names) >= _MOST_KEEPERS:
        for name in names:
            warm.end(name)


def _keepers(folder: Path) -> set[str]:
    """Names of the keepers for a cache folder; none where the system is not Linux."""
    try:
        table = Path("/proc/net/unix").read_text()
    except OSError:
        return set()
    names = (line.rpartition(" ")[2].removeprefix("@") for line in table.splitlines())
    return {name for name in names if name.startswith(_of_folder(folder))}


def _of_folder(folder: Path) -> str:
    return (
        f"{_PREFIX}-{hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]}-"
    )


def _torch() -> tuple[object, ...]:
    """State of the installed torch, which is not imported for that."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        return ()
    state = Path(spec.origin).stat()
    return spec.origin, state.st_size, state.st_mtime_ns


def _limits() -> tuple[object, ...]:
    """What a process inherits and cannot give back: user, priority, CPUs, limits, namespaces, cgroup."""
    import resource  # not on Windows

    kinds = sorted(kind for kind in dir(resource) if kind.startswith("RLIMIT_"))
    limits = [resource.getrlimit(getattr(resource, kind)) for kind in kinds]
    around = [str(Path("/proc/self", name).readlink()) for name in _SURROUNDINGS]
    group = Path("/proc/self/cgroup").read_text()
    return (
        os.getuid(),
        os.nice(0),
        sorted(os.sched_getaffinity(0)),
        limits,
        around,
        group,
    )
