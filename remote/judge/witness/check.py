"""Compiles a candidate against CANN's own headers, syntax only: is it what CANN would take?

    witness = Witness.of(Sandbox.within(cache_dir))
    for headers in header_sets_below(folder):
        answer = witness.check(headers, operator, files, signatures, ChildGroup("check"))
        answer.messages     # empty where the headers accept the candidate

op_host is compiled as CANN's project does, in `HOST_STANDARD`; op_kernel for each dtype signature, in the
form of CANN's headers for a CPU, which is all that a C++ compiler of the machine can read: all signatures as
one source, and where that is refused each by itself, whose messages count. What only the
device's own compiler knows (address spaces, what a scalar may be) it does not see, and of a kernel entry with
template parameters it sees what does not depend on them. Nothing is linked and nothing runs. Compilers run in
the sandbox in which all compilers of candidates run, and an unchanged source is never compiled twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core.evaluation.records import NOT_CHECKED, BuildReport, CompilerMessage
from remote.judge.building.builder import Signature
from remote.judge.building.compiler_run import compile_sources, run_compiler
from remote.judge.building.glue import GLUE_NAME, host_sources, kernel_source
from remote.judge.building.source_text import program_text
from remote.judge.building.twin_runtime import COMPILE_LIMITS, confined_compiler
from remote.judge.building.twin_sources import write_texts
from remote.judge.job import Names
from remote.judge.machine.artifacts import Artifact, ArtifactStore, digest_of
from remote.judge.machine.compiler import Compiler
from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox import Sandbox
from remote.judge.witness.header_set import HeaderSet
from remote.judge.witness.kernel_unit import (
    KERNEL_DEFINES,
    PRELUDES,
    kernel_side_texts,
    kernel_unit,
    prelude_of,
    shared_unit,
)
from remote.judge.witness.refusals import read_refusals

# The standard in which the twin compiles op_host, and in which a package is built: ours says so to
# CANN's CMake functions, and what msopgen made for C++11 is changed, see `toolchains.cann.project`.
HOST_STANDARD = "c++17"
# The device's compiler is a clang: a value in braces that may not fit is an error there.
_NARROWING = "-Werror=narrowing"
_SPEECH = ("-fmessage-length=0", "-fno-diagnostics-color", "-fmax-errors=12")


@dataclass(frozen=True)
class HeaderCheck:
    """What CANN's headers say of a candidate.

    Attributes:
        headers: Label of the header set, e.g. `CANN 8.1.RC1`.
        stage: `host` or `kernel`, where something was refused.
        messages: The refusals, on lines of the candidate; empty for an accepted one.
        cause: The first of them, with what explains it.
        unusable: Why the headers could not be asked; empty where they were.
    """

    headers: str
    stage: str = ""
    messages: tuple[CompilerMessage, ...] = ()
    cause: str = ""
    unusable: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether the headers were asked and refuse nothing."""
        return not self.messages and not self.unusable


@dataclass(frozen=True)
class _Unit:
    """One compile: the sources it may read, which of them is compiled, and how.

    `against` is the key of what it is compiled against, `read` the folders of that.
    """

    files: Mapping[str, str]
    source: str
    flags: tuple[str, ...]
    against: str
    read: tuple[Path, ...]


class Witness:
    """Asks header sets about candidates. Safe to use from several threads.

    Args:
        sandbox: Confines the compiler.
        store: Where precompiled headers and answers are kept.
        compiler: g++, or what is there in its place.
        workers: Compilers at a time.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        store: ArtifactStore,
        compiler: Compiler,
        workers: int = 2,
    ) -> None:
        self._sandbox = sandbox
        self._store = store
        self._compiler = compiler
        self._workers = workers

    @classmethod
    def of(cls, sandbox: Sandbox, workers: int = 2) -> Witness:
        """With the sandbox's own compiler and store."""
        return cls(sandbox, sandbox.store, sandbox.compiler, workers)

    def check(
        self,
        headers: HeaderSet,
        operator: Names,
        files: Mapping[str, str],
        signatures: Sequence[Signature],
        children: ChildGroup,
    ) -> HeaderCheck:
        """Compile a candidate against one header set.

        Args:
            headers: The set.
            operator: What the operator is called.
            files: The candidate, path -> text.
            signatures: Dtypes its kernel is compiled for.
            children: Where the compilers are registered.

        Raises:
            EnvironmentFault: The machine failed.
            Cancelled: The job was cancelled.
        """
        kernel = kernel_source(files, operator.snake)
        units = [
            kernel_unit(operator, files, kernel, each.inputs, each.outputs)
            for each in signatures
            if kernel is not None
        ]
        with ThreadPoolExecutor(self._workers) as pool:

            def compiled(unit: _Unit) -> Future[Artifact]:
                return pool.submit(self._compiled, unit, children)

            host_runs = [
                compiled(self._host_unit(headers, files, path))
                for path in host_sources(files)
            ]
            prelude = self._prelude(headers, prelude_of(files), children)
            if not prelude.record["ok"]:
                return HeaderCheck(headers.label, unusable=_why_unusable(prelude))
            kernels: list[Artifact] = []
            shared = shared_unit(units)
            if shared is not None:
                unit = self._kernel_unit(headers, prelude, shared)
                kernels = [compiled(unit).result()]
            if shared is None or not kernels[0].record["ok"]:
                kernel_runs = [
                    compiled(self._kernel_unit(headers, prelude, each))
                    for each in units
                ]
                kernels = [run.result() for run in kernel_runs]
            hosts = [run.result() for run in host_runs]
        return _summed_up(headers, hosts, kernels)

    def prepare(self, headers: HeaderSet, children: ChildGroup) -> str:
        """Precompile the headers of a set ahead of candidates; why they cannot be used, empty where they can.

        Raises:
            EnvironmentFault: The machine failed.
        """
        preludes = [self._prelude(headers, name, children) for name in PRELUDES]
        unusable = [each for each in preludes if not each.record["ok"]]
        return _why_unusable(unusable[0]) if unusable else ""

    def look_up(self, headers: HeaderSet) -> None:
        """Find the precompiled headers of a set, if they are made, so that forks of this process need not."""
        for name in PRELUDES:
            self._store.find(self._prelude_key(headers, name))

    def _prelude(self, headers: HeaderSet, name: str, children: ChildGroup) -> Artifact:
        """Our headers of a kernel's unit, with those of CANN precompiled: made once, in seconds.

        Args:
            headers: The set.
            name: Which of `PRELUDES` is precompiled.
            children: Where the compiler is registered.
        """

        def make(folder: Path) -> dict[str, Any]:
            write_texts(kernel_side_texts(), folder)
            target = folder / f"{name}.gch"
            flags = (*self._kernel_flags(headers), f"-I{folder}", "-x", "c++-header")
            places = (str(folder / name), "-o", str(target))
            command = [self._compiler.path, *flags, *places]
            confined = confined_compiler(
                self._sandbox, command, folder, (headers.folder,)
            )
            # Of genuine headers it has 100 MB, more than anything of a candidate may have.
            run = run_compiler(children, confined, folder, COMPILE_LIMITS)
            return _without_header_text(run)

        return self._store.get(self._prelude_key(headers, name), make)

    def _prelude_key(self, headers: HeaderSet, name: str) -> str:
        texts = kernel_side_texts()
        parts = [part for path in texts for part in (path, texts[path])]
        identity = (headers.digest, self._compiler.identity)
        flags = self._kernel_flags(headers)
        return digest_of("witness prelude 2", name, *identity, *flags, *parts)

    def _kernel_flags(self, headers: HeaderSet) -> list[str]:
        """Flags of a kernel's unit and of what is precompiled for it."""
        defines = [f"-D{each}" for each in (*KERNEL_DEFINES, *headers.defines)]
        folders = [f"-isystem{path}" for path in headers.kernel_folders()]
        return [f"-std={self._compiler.language}", *_SPEECH, *defines, *folders]

    def _kernel_unit(
        self, headers: HeaderSet, prelude: Artifact, sources: Mapping[str, str]
    ) -> _Unit:
        flags = (
            *self._kernel_flags(headers),
            "-include",
            str(prelude.path(prelude_of(sources))),
            f"-I{prelude.folder}",
            "-Iop_kernel",
            "-Iop_host",
            _NARROWING,
        )
        read = (headers.folder, prelude.folder)
        return _Unit(sources, GLUE_NAME, flags, prelude.key, read)

    def _host_unit(
        self, headers: HeaderSet, files: Mapping[str, str], path: str
    ) -> _Unit:
        """A source of op_host. Nothing is precompiled for it: an #include that it forgets is refused."""
        needed = {
            name: text
            for name, text in files.items()
            if name == path or not name.endswith((".cpp", ".cc"))
        }
        folders = [f"-isystem{folder}" for folder in headers.host_folders()]
        flags = (f"-std={HOST_STANDARD}", *_SPEECH, *folders, "-Iop_kernel")
        return _Unit(needed, path, flags, headers.digest, (headers.folder,))

    def _compiled(self, unit: _Unit, children: ChildGroup) -> Artifact:
        """What the compiler says of a unit; asked once for each program text."""

        def make(folder: Path) -> dict[str, Any]:
            command = [self._compiler.path, *unit.flags, "-fsyntax-only", unit.source]
            run = compile_sources(
                children, self._sandbox, command, unit.files, folder, unit.read
            )
            return _without_header_text(run)

        texts = [
            part
            for path in sorted(unit.files)
            for part in (path, program_text(unit.files[path]))
        ]
        identity = (unit.against, self._compiler.identity, *unit.flags, unit.source)
        return self._store.get(digest_of("witness", *identity, *texts), make)


def _without_header_text(run: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a compiler's run: refusals in its words, and no line of the headers."""
    refusals, cause = read_refusals(run["log"])
    return {
        "ok": run["ok"],
        "limit": run["limit"],
        "lasting": run["lasting"],
        "messages": [asdict(message) for message in refusals],
        "cause": cause,
    }


def _why_unusable(answer: Artifact) -> str:
    reason = answer.record["limit"] or answer.record["cause"]
    return reason or "the compiler failed silently"


def _summed_up(
    headers: HeaderSet, hosts: Sequence[Artifact], kernels: Sequence[Artifact]
) -> HeaderCheck:
    """One answer of those to all sources of op_host and all signatures of op_kernel."""
    refused = [answer for answer in (*hosts, *kernels) if not answer.record["ok"]]
    for answer in refused:
        if answer.record["limit"] or not answer.record["messages"]:
            return HeaderCheck(headers.label, unusable=_why_unusable(answer))
    if not refused:
        return HeaderCheck(headers.label)
    messages = dict.fromkeys(
        CompilerMessage(**message)
        for answer in refused
        for message in answer.record["messages"]
    )
    stage = "host" if refused[0] in hosts else "kernel"
    cause = str(refused[0].record["cause"])
    return HeaderCheck(headers.label, stage, tuple(messages), cause)


def with_refusals(build: BuildReport, checks: Sequence[HeaderCheck]) -> BuildReport:
    """The report of a build that CANN's headers may refuse, though the twin takes it.

    What the twin itself refuses is reported in the twin's words.

    Args:
        build: How the twin's build went.
        checks: What each header set says.
    """
    refusing = [check for check in checks if check.messages]
    if not build.ok or not refusing:
        return build
    first = refusing[0]
    return replace(
        build,
        ok=False,
        stage=first.stage,
        cause=f"{first.cause} (headers of {_listed(refusing)})",
        messages=first.messages,
        log="\n".join(str(message) for message in first.messages),
        digest="",
    )


def words_of(checks: Sequence[HeaderCheck]) -> str:
    """The checks in a line, for the facts of a verdict."""
    kinds = (
        ("refused by the headers of", [one for one in checks if one.messages]),
        ("accepted by the headers of", [one for one in checks if one.is_accepted]),
    )
    parts = [f"{what} {_listed(which)}" for what, which in kinds if which]
    parts += [
        f"not checked against {check.headers} ({check.unusable})"
        for check in checks
        if check.unusable
    ]
    return "; ".join(parts) or NOT_CHECKED


def _listed(checks: Sequence[HeaderCheck]) -> str:
    return ", ".join(check.headers for check in checks)
