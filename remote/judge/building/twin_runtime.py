"""The twin as the builder needs it: a snapshot of its headers, precompiled headers, runtime objects."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remote.judge.building.glue import KERNEL_SIDE
from remote.judge.building.twin_sources import TwinSources, write_texts
from remote.judge.building.wired_calls import usual_symbols
from remote.judge.faults import EnvironmentFault
from remote.judge.machine.artifacts import Artifact, ArtifactStore, digest_of
from remote.judge.machine.compiler import Compiler
from remote.judge.processes.children import ChildGroup, Limits
from remote.judge.sandbox import Confinement, Sandbox

CANDIDATE_LIMITS = Limits(wall_s=60, cpu_s=55, memory_mb=4096, file_mb=64)
COMPILE_LIMITS = Limits(wall_s=120, cpu_s=110, memory_mb=4096, file_mb=512)
HOST_FLAGS = ["-O0"]
SIMULATOR_FLAGS = ["-O1", "-ftree-vectorize", KERNEL_SIDE]  # of what makes its calls
KERNEL_FLAGS = [*SIMULATOR_FLAGS, "-DTWIN_WIRED=1"]  # its simulator is another process
RUNTIME_FLAGS = {
    "tiling_runner.cpp": ["-O1"],
    "kernel_runner.cpp": ["-O1"],
    "simulator.cpp": ["-O1"],
    "usual_calls.cpp": SIMULATOR_FLAGS,
    "device.cpp": ["-O2", "-ftree-vectorize"],
}
SIMULATOR = ("simulator.cpp", "usual_calls.cpp", "device.cpp")
_LOOK_S = 0.1  # between two looks whether another process is done
_KINDS = ("host", "kernel", "simulator")
_HOST_HEADERS = "host_std.h"
_KERNEL_HEADERS = "kernel_all.h"


@dataclass(frozen=True)
class Headers:
    """A precompiled header: the flags that bring it in and the folders they name."""

    flags: list[str]
    folders: tuple[Path, ...]


class Twin:
    """The headers and runtime of the CPU twin, as compiled by one compiler into one store.

    Headers are copied into the store under their digest first, so an installation that changes while a build
    runs cannot mix two versions.
    """

    def __init__(
        self, folder: Path, store: ArtifactStore, compiler: Compiler, sandbox: Sandbox
    ) -> None:
        self._sources = TwinSources(folder)
        self._store = store
        self.compiler = compiler
        self.sandbox = sandbox

    def snapshot(self) -> Artifact:
        """The headers, sources and tables as they are now."""
        texts, digest = self._sources.texts()

        def copy(folder: Path) -> dict[str, Any]:
            write_texts(texts, folder)
            return {}

        return self._store.get(digest_of("twin sources", digest), copy)

    def flags(self, snapshot: Artifact) -> list[str]:
        """Include path of the twin."""
        return [f"-I{snapshot.path('include')}"]

    def usual_calls(self, snapshot: Artifact) -> frozenset[str]:
        """Symbols of the calls that kernels and simulators know by number, see `wired_calls.py`."""
        return usual_symbols(snapshot.path("src/usual_calls.inc").read_text())

    def is_prepared(self, snapshot: Artifact) -> bool:
        """Whether everything that does not depend on a candidate is already built."""
        artifacts, parts = self.parts_made(snapshot)
        return artifacts == parts

    def parts_made(self, snapshot: Artifact) -> tuple[int, int]:
        """How many of the parts that depend on no candidate are built, by anybody, and of how many."""
        keys = [self._header(snapshot, kind)[0] for kind in _KINDS]
        keys += [self._object(snapshot, source)[0] for source in RUNTIME_FLAGS]
        return sum(self._store.find(key) is not None for key in keys), len(keys)

    def objects(self, snapshot: Artifact) -> list[Path]:
        """Objects of the twin's own sources, those that are made."""
        artifacts = [
            self._store.find(self._object(snapshot, source)[0])
            for source in RUNTIME_FLAGS
        ]
        return [
            artifact.path("object.o") for artifact in artifacts if artifact is not None
        ]

    def prepare(
        self,
        children: ChildGroup,
        workers: int,
        on_part: Callable[[str], None] = lambda _name: None,
        on_percent: Callable[[int], None] = lambda _percent: None,
    ) -> None:
        """Make everything that does not depend on a candidate; of several processes one does it.

        Args:
            children: Where the compilers are registered.
            workers: Compilers at a time.
            on_part: Takes the name of each part when it is begun, from several threads.
            on_percent: Takes how many percent of the parts are made, each time another one is, also by another
                process.

        Raises:
            EnvironmentFault: The twin does not compile here.
            Cancelled: The job was cancelled.
        """
        snapshot, reported = self.snapshot(), -1

        def look() -> None:
            nonlocal reported
            artifacts, parts = self.parts_made(snapshot)
            if reported != artifacts:
                reported = artifacts
                on_percent(100 * artifacts // parts)

        def header(kind: str) -> None:
            on_part(f"headers of the {kind} side")
            self.precompiled(snapshot, kind, children)

        def runtime(source: str) -> None:
            on_part(source)
            self.runtime(snapshot, source, children)

        # The longest first.
        longest = ("device.cpp", "usual_calls.cpp")
        sources = sorted(RUNTIME_FLAGS, key=lambda source: source not in longest)
        with self._alone(children, look), ThreadPoolExecutor(workers) as pool:
            jobs = [pool.submit(runtime, source) for source in sources[:2]]
            jobs.append(pool.submit(header, "kernel"))
            jobs += [pool.submit(runtime, source) for source in sources[2:]]
            jobs += [pool.submit(header, kind) for kind in ("simulator", "host")]
            for future in as_completed(jobs):
                future.result()
                look()

    @contextlib.contextmanager
    def _alone(self, children: ChildGroup, look: Callable[[], None]) -> Iterator[None]:
        """Wait while another process prepares the twin, whose work is then found; without locks, do not.

        `look` is called before, and now and then while it waits.
        """
        with self._store.folder_of_locks().joinpath("twin.lock").open("w") as file:
            while True:
                look()
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    children.check()
                    time.sleep(_LOOK_S)
                except OSError:
                    break  # a file system without locks: two may do the same work, which does no harm
            yield

    def precompiled(
        self, snapshot: Artifact, kind: str, children: ChildGroup
    ) -> Headers:
        """The precompiled header for `kind` (`host`, `kernel` or `simulator`) translation units.

        Host sources get standard headers only: a candidate that forgets a CANN header must not compile here.
        """
        key, name, text, flags = self._header(snapshot, kind)

        def place(folder: Path) -> dict[str, Any]:
            (folder / name).write_text(text)
            return {}

        # clang remembers where the header was, so it lies in a place of its own before it is compiled.
        header = self._store.get(digest_of("header text", text), place).path(name)

        def make(folder: Path) -> dict[str, Any]:
            shutil.copy(header, folder / name)
            command = self.compiler.header_command(
                header, folder / f"{name}.gch", flags
            )
            _trusted(
                children, command, folder, f"precompile the {kind} headers of the twin"
            )
            return {}

        folder = self._store.get(key, make).folder
        return Headers(self.compiler.with_header(folder, name), (folder, header.parent))

    def runtime(self, snapshot: Artifact, source: str, children: ChildGroup) -> Path:
        """Object of one of the twin's own sources, a key of `RUNTIME_FLAGS`."""
        key, command = self._object(snapshot, source)

        def make(folder: Path) -> dict[str, Any]:
            _trusted(
                children,
                [*command, "-o", str(folder / "object.o")],
                folder,
                f"compile {source} of the twin",
            )
            return {}

        return self._store.get(key, make).path("object.o")

    def _header(self, snapshot: Artifact, kind: str) -> tuple[str, str, str, list[str]]:
        """Key, file name, text and flags of a precompiled header."""
        name, flags = {
            "host": (_HOST_HEADERS, HOST_FLAGS),
            "kernel": (_KERNEL_HEADERS, KERNEL_FLAGS),
            "simulator": (_KERNEL_HEADERS, SIMULATOR_FLAGS),
        }[kind]
        included = ['"twin/host/standard.h"']
        if kind != "host":
            included = ['"twin/kernel_prelude.h"', '"twin/launch.h"']
        text = "#pragma once\n" + "".join(f"#include {header}\n" for header in included)
        identity = (self.compiler.identity, *self.compiler.compile_flags())
        key = digest_of("precompiled header", snapshot.key, *identity, *flags, text)
        return key, name, text, [*flags, *self.flags(snapshot)]

    def _object(self, snapshot: Artifact, source: str) -> tuple[str, list[str]]:
        """Key and command (without output) of one of the twin's own objects."""
        flags = [
            *self.compiler.compile_flags(),
            *RUNTIME_FLAGS[source],
            *self.flags(snapshot),
        ]
        key = digest_of("runtime", source, snapshot.key, self.compiler.identity, *flags)
        return key, [
            self.compiler.path,
            *flags,
            "-c",
            str(snapshot.path("src") / source),
        ]


def confined_compiler(
    sandbox: Sandbox,
    command: Sequence[str],
    folder: Path,
    read: Sequence[Path],
    start: Path | None = None,
) -> list[str]:
    """A compiler's command on foreign sources: it sees `read` and the system, and writes into `folder`.

    It starts in `start`, a folder inside `folder`.
    """
    compiler = Path(command[0])
    places = (compiler.parent, compiler.resolve().parents[1])
    outside = [
        place
        for place in places
        if not place.is_relative_to("/usr") and place != Path("/")
    ]
    search = dict.fromkeys((str(compiler.parent), "/usr/bin", "/bin"))
    confinement = Confinement(
        "tools",
        (*read, *outside),
        (folder,),
        (
            ("PATH", ":".join(search)),
            ("TMPDIR", str(folder)),
            ("LC_ALL", "C"),
            ("CCACHE_DISABLE", "1"),
        ),
        COMPILE_LIMITS.memory_mb,
        COMPILE_LIMITS.cpu_s,
        COMPILE_LIMITS.file_mb,
    )
    return sandbox.wrap(command, confinement, start or folder)


def _trusted(
    children: ChildGroup, command: Sequence[str], folder: Path, purpose: str
) -> None:
    """Run a compiler on our own sources: a failure is the environment's, not the candidate's."""
    finished = children.run(command, folder, COMPILE_LIMITS)
    if finished.code != 0:
        tail = "\n".join(finished.output.splitlines()[:12])
        raise EnvironmentFault(
            f"The compiler could not {purpose}: {tail or finished.signal_name}"
        )
