"""The twin as the builder needs it: a snapshot of its headers, precompiled headers, runtime objects."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .artifacts import Artifact, ArtifactStore, digest_of
from .compiler import Compiler
from .faults import EnvironmentFault
from .glue import KERNEL_SIDE
from .run import ChildGroup, Limits

COMPILE_LIMITS = Limits(wall_s=120, cpu_s=110, memory_mb=4096, file_mb=512)
HOST_FLAGS = ["-O0"]
KERNEL_FLAGS = ["-O1", KERNEL_SIDE]
RUNTIME_FLAGS = {"runner.cpp": ["-O1"], "device.cpp": ["-O2"]}
_HOST_HEADERS = "host_std.h"
_KERNEL_HEADERS = "kernel_all.h"
_HOST_STANDARD = (
    "cstdint", "cstring", "cstdio", "cstdarg", "string", "vector", "list", "map", "memory", "utility",
    "ostream",
)  # fmt: skip


class Twin:
    """The headers and runtime of the CPU twin, as compiled by one compiler into one store.

    Headers are copied into the store under their digest first, so an installation that changes while a build
    runs cannot mix two versions.
    """

    def __init__(self, sources: Path, store: ArtifactStore, compiler: Compiler) -> None:
        self._sources = sources
        self._store = store
        self.compiler = compiler
        self._lock = threading.Lock()
        self._stamp: tuple[tuple[str, int, int], ...] = ()
        self._texts: dict[str, str] = {}
        self._digest = ""

    def snapshot(self) -> Artifact:
        """The headers and sources as they are now."""
        with self._lock:
            files = sorted(
                path
                for kind in ("include", "src")
                for path in (self._sources / kind).rglob("*")
                if path.is_file()
            )
            stamp = tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files)
            if stamp != self._stamp:
                self._texts = {str(path.relative_to(self._sources)): path.read_text() for path in files}
                self._digest = digest_of(*(part for pair in self._texts.items() for part in pair))
                self._stamp = stamp
            texts, digest = self._texts, self._digest

        def copy(folder: Path) -> dict[str, Any]:
            for name, text in texts.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text)
            return {}

        return self._store.get(digest_of("twin sources", digest), copy)

    def flags(self, snapshot: Artifact) -> list[str]:
        """Include path of the twin."""
        return [f"-I{snapshot.path('include')}"]

    def precompiled(self, snapshot: Artifact, kind: str, children: ChildGroup) -> list[str]:
        """Flags that bring in the precompiled header for `kind` (`host` or `kernel`) translation units.

        Host sources get standard headers only: a candidate that forgets a CANN header must not compile here.
        """
        name, flags = (_HOST_HEADERS, HOST_FLAGS) if kind == "host" else (_KERNEL_HEADERS, KERNEL_FLAGS)
        includes = (
            [f"<{header}>" for header in _HOST_STANDARD]
            if kind == "host"
            else ['"twin/kernel_prelude.h"', '"twin/launch.h"']
        )
        text = "#pragma once\n" + "".join(f"#include {include}\n" for include in includes)
        key = digest_of(
            "header", snapshot.key, self.compiler.identity, *self.compiler.compile_flags(), *flags, text
        )

        def make(folder: Path) -> dict[str, Any]:
            (folder / name).write_text(text)
            command = self.compiler.header_command(
                folder / name, folder / f"{name}.gch", [*flags, *self.flags(snapshot)]
            )
            _trusted(children, command, folder, f"precompile the {kind} headers of the twin")
            return {}

        return self.compiler.with_header(self._store.get(key, make).folder, name)

    def runtime(self, snapshot: Artifact, source: str, children: ChildGroup) -> Path:
        """Object of one of the twin's own sources."""
        flags = [*self.compiler.compile_flags(), *RUNTIME_FLAGS[source], *self.flags(snapshot)]
        key = digest_of("runtime", source, snapshot.key, self.compiler.identity, *flags)

        def make(folder: Path) -> dict[str, Any]:
            command = [self.compiler.path, *flags, "-c", str(snapshot.path("src") / source)]
            command += ["-o", str(folder / "object.o")]
            _trusted(children, command, folder, f"compile {source} of the twin")
            return {}

        return self._store.get(key, make).path("object.o")


def _trusted(children: ChildGroup, command: Sequence[str], folder: Path, purpose: str) -> None:
    """Run a compiler on our own sources: a failure is the environment's, not the candidate's."""
    finished = children.run(command, folder, COMPILE_LIMITS)
    if finished.code != 0:
        tail = "\n".join(finished.output.splitlines()[:12])
        raise EnvironmentFault(f"The compiler could not {purpose}: {tail or finished.signal_name}")
