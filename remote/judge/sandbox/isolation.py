"""The sandbox of this machine: which one it is, shown by an attack on it, and the commands that use it.

In order of strength: bubblewrap with the launcher `confine` inside; `confine` alone (Landlock, seccomp,
resource limits); none. A sandbox counts only when a hostile program (`probe.cpp`) was held back by it in
every respect; the answer is kept until the machine restarts. Without one nothing foreign is run unless the
person said so, and what comes of it is marked `unconfined`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from remote.judge.faults import EnvironmentFault
from remote.judge.json_records import place_json
from remote.judge.machine.artifacts import ArtifactStore, digest_of
from remote.judge.machine.compiler import Compiler, find_compiler
from remote.judge.sandbox.launch_server import LaunchServer

BUBBLEWRAP = "bubblewrap"
LANDLOCK = "landlock"
UNCONFINED = "unconfined"

_LABELS = {
    BUBBLEWRAP: "bubblewrap, seccomp",
    LANDLOCK: "Landlock, seccomp",
    UNCONFINED: UNCONFINED,
}
_HERE = Path(__file__).parent
_SOURCES = (
    *("confine.h", "confine.cpp", "probe.cpp"),
    *("launch_server.cpp", "launch_server.py"),
)
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_PROBE_MB = 512
_ASK_S, _COMPILE_S = 30.0, 60.0
# What the probe says of: all are held back, or the sandbox is none.
_ATTEMPT_NAMES = """
read-file read-accounts list-folder write-file connect unix-socket trace-others signal-others
signal-threads limit-others environment new-process run-program memory threads sleep
"""
_ATTEMPTS = frozenset(_ATTEMPT_NAMES.split())
# By profile, what it is for: the simulated cores are threads; a compiler starts programs, and each may end itself.
_OF_THREADS = frozenset({"threads", "sleep"})
_OF_TOOLS = frozenset({"new-process", "run-program", "exec", "signal-threads"})
_ALLOWED: Mapping[str, frozenset[str]] = {
    "run": frozenset(),
    "simulator": _OF_THREADS,
    "tools": _OF_THREADS | _OF_TOOLS,
}
_SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/lib32")
# What is read and written of the system's views. Inside bubblewrap they show nothing but the sandbox.
_VIEWS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    BUBBLEWRAP: (("/proc", "/dev", "/sys"), ("/dev/zero", "/dev/full", "/dev/shm")),  # noqa: S108
    LANDLOCK: (
        (
            *("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version"),
            *("/proc/filesystems", "/sys", "/dev/urandom", "/dev/random"),
        ),
        ("/dev/zero", "/dev/full"),
    ),
}
LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/lib32", "/lib", "/lib64", "/lib32")


@dataclass(frozen=True)
class Isolation:
    """What holds foreign code back on this machine.

    Attributes:
        kind: `bubblewrap` (with Landlock where the kernel has it), `landlock` or `unconfined`.
        why: Why nothing stronger is used; empty for the strongest.
    """

    kind: str
    why: str = ""

    @property
    def label(self) -> str:
        """The layers, as a person reads them."""
        return _LABELS[self.kind]

    @property
    def holds(self) -> bool:
        """Whether there is a sandbox at all."""
        return self.kind != UNCONFINED


def require_sandbox(isolation: Isolation, *, unconfined_allowed: bool) -> None:
    """Refuse to run foreign code where nothing holds it back, unless the person allowed that.

    Raises:
        EnvironmentFault: There is no sandbox, and going without is not allowed.
    """
    if not isolation.holds and not unconfined_allowed:
        raise EnvironmentFault(
            f"This machine has no sandbox ({isolation.why}), and kernels that a model wrote are not run "
            "without one, nor is foreign Python. Install bubblewrap (Debian, Ubuntu: apt install bubblewrap) "
            "or set SAGE_ALLOW_UNCONFINED=1: results are then marked as unconfined and earn no credit."
        )


@dataclass(frozen=True)
class Confinement:
    """What one child may do.

    Attributes:
        profile: `run` for a candidate, `simulator` for what its kernel runs on, `tools` for a compiler.
        read: Files and folders it may read and execute, besides the system's.
        write: Folders it may write into.
        environment: All of its environment.
        memory_mb: Address space in MiB; 0 for no limit.
        cpu_s: CPU seconds.
        file_mb: Largest file it may write, in MiB.
        open_files: Files it may have open.
        devices: Device files it may open to read, write and control.
        inherited: Variables it gets with the value they have when it is started, where they have one.
        has_system: Whether it sees processors and memory as a program of the system does: `/sys`, and of
            `/proc` and `/dev` what tells nothing of other processes.
    """

    profile: str = "run"
    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    environment: tuple[tuple[str, str], ...] = (("LC_ALL", "C"),)
    memory_mb: int = 6144
    cpu_s: int = 60
    file_mb: int = 512
    open_files: int = 64
    devices: tuple[Path, ...] = ()
    inherited: tuple[str, ...] = ()
    has_system: bool = False


class Sandbox:
    """Wraps commands so that they run confined. Safe to use from several threads once `isolation` was asked.

    Args:
        store: Where the launcher is kept once compiled.
        compiler: What compiles it.
        folder: Where the result of the self-test is kept until the machine restarts.
    """

    def __init__(self, store: ArtifactStore, compiler: Compiler, folder: Path) -> None:
        self.store = store
        self.compiler = compiler
        self._folder = folder
        self._bubblewrap = shutil.which("bwrap") or ""

    @classmethod
    def within(cls, cache_dir: Path) -> Sandbox:
        """The sandbox that keeps its things in a cache folder, compiled by the compiler of the machine.

        Raises:
            EnvironmentFault: There is no compiler.
        """
        return cls(
            ArtifactStore(cache_dir / "builds"), find_compiler(), cache_dir / "sandbox"
        )

    @cached_property
    def isolation(self) -> Isolation:
        """The strongest sandbox that held in the self-test; asked once per boot, user and version.

        That there is none is not kept: it may have been a limit of this session or a moment without memory.
        """
        record = self._folder / f"{self._identity()}.json"
        try:
            isolation = Isolation(**json.loads(record.read_text()))
            if isolation.kind in _LABELS and isolation.holds:
                return isolation
        except (OSError, ValueError, TypeError):
            pass  # never asked, or a file of another version: ask now
        isolation = self._strongest()
        if isolation.holds:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            place_json(record, asdict(isolation))
        return isolation

    @property
    def library(self) -> Path:
        """The launcher as a library, by which a forked process confines itself."""
        return self._program("confine.cpp", library=True)

    def wrap(
        self,
        command: Sequence[str],
        confinement: Confinement,
        folder: Path,
        kind: str = "",
    ) -> list[str]:
        """`command`, confined by the sandbox of this machine; as it is where there is none.

        Args:
            command: Absolute path of a program and its arguments.
            confinement: What it may do.
            folder: Where it starts; the root inside bubblewrap unless it may be seen.
            kind: A sandbox that was attacked (see `weakness`); that of this machine by default.
        """
        kind = kind or self.isolation.kind
        if kind == UNCONFINED:
            return list(command)
        launcher = self._program("confine.cpp")
        program = Path(command[0])
        options = self.options(confinement, program, kind=kind)
        confined = [str(launcher), *options, "--", *command]
        if kind == LANDLOCK:
            return confined
        is_visible = any(
            folder.is_relative_to(path)
            for path in (*confinement.read, *confinement.write)
        )
        start = str(folder) if is_visible else "/"
        around = self._bubble(confinement, (launcher, program))
        return [*around, "--chdir", start, *confined]

    def serve(self, environment: Mapping[str, str], kind: str = "") -> LaunchServer:
        """A server in the sandbox of this machine that starts candidates' programs and what these run on.

        Args:
            environment: All of the server's environment.
            kind: As for `wrap`.

        Raises:
            EnvironmentFault: It cannot be started.
        """
        server = self._program("launch_server.cpp")
        is_bubble = (kind or self.isolation.kind) == BUBBLEWRAP
        around = self._bubble(Confinement(), (server,)) if is_bubble else []
        return LaunchServer(
            lambda line: [*around, str(server), str(line)], dict(environment)
        )

    def options(
        self, confinement: Confinement, *programs: Path, kind: str = ""
    ) -> list[str]:
        """What launcher and launch server take before a program, see `confine.h`; `kind` as for `wrap`."""
        kind = kind or self.isolation.kind
        options = ["-l", "optional"] if kind == BUBBLEWRAP else []
        options += ["-p", confinement.profile, "-n", str(confinement.open_files)]
        options += ["-t", str(confinement.cpu_s), "-f", str(confinement.file_mb)]
        options += ["-m", str(confinement.memory_mb)] if confinement.memory_mb else []
        system = [Path(path) for path in _system(confinement) if Path(path).is_dir()]
        for path in (*system, *confinement.read, *programs):
            options += ["-r", str(path)]
        views, devices = _VIEWS[kind] if confinement.has_system else ((), ())
        for option, paths in (("-r", views), ("-w", devices)):
            for name in paths:
                options += [option, name] if Path(name).exists() else []
        for path in (*confinement.write, *confinement.devices):
            options += ["-w", str(path)]
        if confinement.profile == "tools":
            options += ["-w", os.devnull]
        for name, value in confinement.environment:
            options += ["-e", f"{name}={value}"]
        for name in confinement.inherited:
            options += ["-e", name]
        return options

    def _bubble(self, confinement: Confinement, programs: Sequence[Path]) -> list[str]:
        """The command line of bubblewrap: namespaces of its own and a file system of what may be seen."""
        words = [self._bubblewrap, "--unshare-all", "--die-with-parent"]
        words += ["--new-session", "--cap-drop", "ALL"]
        words += shown_folders(_system(confinement))
        if confinement.has_system:
            words += ["--proc", "/proc", "--dev", "/dev", "--ro-bind", "/sys", "/sys"]
        if confinement.profile == "tools":
            words += ["--dev-bind", os.devnull, os.devnull]
        readable = dict.fromkeys((*confinement.read, *programs))
        for path in readable:
            if not str(path).startswith("/usr/") and readable.keys().isdisjoint(
                path.parents
            ):
                # Another mount would not let a device be opened.
                how = "--dev-bind" if str(path).startswith("/dev/") else "--ro-bind"
                words += [how, str(path), str(path)]
        for path in confinement.write:
            words += ["--bind", str(path), str(path)]
        for path in confinement.devices:
            words += ["--dev-bind", str(path), str(path)]
        return [*words, "--remount-ro", "/"]

    def _program(self, source: str, *, library: bool = False) -> Path:
        """A program of this folder, compiled."""
        flags = ["-pthread", *self.compiler.program_flags(is_moved=True)]
        if library:
            flags = ["-shared", "-fPIC", "-DCONFINE_LIBRARY"]
        return compiled(
            self.store, self.compiler, _HERE / source, flags, [_HERE / "confine.h"]
        )

    def _identity(self) -> str:
        """What the answer depends on: this boot, user, kernel, bubblewrap and our own sources."""
        boot = _BOOT_ID.read_text() if _BOOT_ID.exists() else ""
        bubble = self._bubblewrap
        stamp = str(Path(bubble).stat().st_mtime_ns) if bubble else ""
        texts = [(_HERE / name).read_text() for name in (*_SOURCES, __file__)]
        user = str(os.getuid())
        words = (boot, user, os.uname().release, bubble, stamp, *texts)
        return hashlib.sha256("\0".join(words).encode()).hexdigest()[:24]

    def _strongest(self) -> Isolation:
        if not sys.platform.startswith("linux"):
            return Isolation(UNCONFINED, f"there is no sandbox for {sys.platform} yet")
        failures = [] if self._bubblewrap else ["bubblewrap is not installed"]
        for kind in (BUBBLEWRAP, LANDLOCK) if self._bubblewrap else (LANDLOCK,):
            try:
                why = self._attack(kind)
            except (OSError, subprocess.SubprocessError) as error:
                why = str(error)
            if not why:
                return Isolation(kind, "; ".join(failures))
            failures.append(f"{_LABELS[kind]}: {why}")
        return Isolation(UNCONFINED, "; ".join(failures))

    def _attack(self, kind: str) -> str:
        """Why a sandbox of `kind` cannot be trusted; empty when it held in every respect."""
        weak = (self.weakness(kind, Confinement(profile)) for profile in _ALLOWED)
        return next(filter(None, weak), "")

    def weakness(self, kind: str, confinement: Confinement) -> str:
        """In what a sandbox of `kind` does not hold a hostile program back; empty when it does.

        Args:
            kind: `bubblewrap` or `landlock`.
            confinement: What the program may do; its memory is limited here, and a tool gets a folder.

        Raises:
            OSError: It cannot be started in it.
        """
        probe, profile = self._program("probe.cpp"), confinement.profile
        with (
            tempfile.TemporaryDirectory() as name,
            socket.create_server(("127.0.0.1", 0)) as listener,
        ):
            secret, target, own = (Path(name, one) for one in ("secret", "made", "own"))
            secret.write_text("secret")
            own.mkdir()
            port, most_mb = listener.getsockname()[1], 4 * _PROBE_MB
            words = [*map(str, (probe, secret, target, port, most_mb, os.getpid()))]
            write = (*confinement.write, *((own,) if profile == "tools" else ()))
            limited = replace(confinement, write=write, memory_mb=_PROBE_MB)
            answers = [self._ask(kind, words, limited, own)]
            # What candidates run with, started by a launch server.
            if confinement == Confinement():
                answers.append(self._ask_served(kind, words, limited))
            states = [pair for one in answers for pair in one.items()]
            open_ = dict.fromkeys(name for name, state in states if state == "open")
            broken = [attempt for attempt in open_ if attempt not in _ALLOWED[profile]]
            if broken or target.exists():
                return f"{profile}: {', '.join(broken) or 'write-file'} not held back"
            if profile != "run" and "threads" not in open_:
                return f"{profile}: it has no threads"
            if min(map(len, answers)) < len(_ATTEMPTS):
                return f"{profile}: the self-test did not come to its end"
        return ""

    def _ask(
        self, kind: str, words: Sequence[str], confinement: Confinement, folder: Path
    ) -> Mapping[str, str]:
        finished = subprocess.run(
            self.wrap(words, confinement, folder, kind),
            capture_output=True,
            text=True,
            timeout=_ASK_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "SAGE_SANDBOX_PROBE": "1"},
        )
        return _fields(
            finished.stdout,
            finished.stderr.strip() or f"it ended with exit code {finished.returncode}",
        )

    def _ask_served(
        self, kind: str, words: Sequence[str], confinement: Confinement
    ) -> Mapping[str, str]:
        """As `_ask`, by way of a launch server."""
        with tempfile.TemporaryFile() as output:
            try:
                server = self.serve({"SAGE_SANDBOX_PROBE": "1"}, kind)
                with contextlib.closing(server):
                    options = self.options(confinement, kind=kind)
                    program = server.start(
                        options, Path(words[0]), words[1:], output.fileno(), ()
                    )
                    with contextlib.closing(program):
                        code = program.wait(_ASK_S)
            except EnvironmentFault as fault:
                raise OSError(str(fault)) from fault
            output.seek(0)
            return _fields(
                output.read().decode("utf-8", "replace"),
                f"it ended with exit code {code}",
            )


def compiled(
    store: ArtifactStore,
    compiler: Compiler,
    source: Path,
    flags: Sequence[str],
    headers: Sequence[Path] = (),
) -> Path:
    """A small program of ours of one source and the headers beside it, compiled once.

    Raises:
        OSError: It does not compile.
    """
    text = "".join(path.read_text() for path in (*headers, source))

    def make(folder: Path) -> dict[str, object]:
        target = str(folder / "program")
        # clang refuses narrowing where g++ only warns of it: neither takes it here.
        options = ["-std=c++17", "-O1", "-Werror=narrowing", *flags]
        command = [compiler.path, *options, str(source), "-o", target]
        finished = subprocess.run(
            command, capture_output=True, text=True, timeout=_COMPILE_S, check=False
        )
        return {"ok": finished.returncode == 0, "log": finished.stderr[-2000:]}

    artifact = store.get(digest_of("sandbox", compiler.identity, text, *flags), make)
    if not artifact.record["ok"]:
        raise OSError(f"{source.name} does not compile: {artifact.record['log']}")
    return artifact.path("program")


def _fields(text: str, otherwise: str) -> dict[str, str]:
    """What the probe said of its attempts.

    Raises:
        OSError: Nothing, and `otherwise` says why.
    """
    fields = dict(line.split(" ", 1) for line in text.splitlines() if " " in line)
    if not fields.keys() & _ATTEMPTS:
        raise OSError(f"{text.strip()} {otherwise}".strip()[-300:])
    return fields


def _system(confinement: Confinement) -> tuple[str, ...]:
    """Folders of the system a profile sees."""
    return _SYSTEM if confinement.profile == "tools" else LIBRARIES


def shown_folders(names: Sequence[str]) -> list[str]:
    """Bubblewrap's words for folders of the system that may be seen: links as links, others read-only."""
    words = []
    for name in names:
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            words += ["--ro-bind", name, name]
    return words
