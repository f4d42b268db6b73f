"""From a candidate's files to runnable programs: op_host, one kernel per dtype signature, link.

Every product lies in a content-addressed store; its key covers the sources it depends on, the headers of the
twin, the compiler and its flags. Nothing is ever rebuilt for an unchanged key, and nothing stale can be used.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from core.evaluation.records import BuildReport, CompilerMessage
from remote.judge.building import counted_loops
from remote.judge.building.built_program import Programs, built_digest
from remote.judge.building.compiler_run import compile_sources, run_compiler
from remote.judge.building.glue import (
    GLUE_NAME,
    core_sides,
    declared_outputs,
    declares_both_sides,
    entry_parameters,
    host_sources,
    kernel_glue,
    kernel_source,
    kernel_text,
)
from remote.judge.building.side_objects import complete_sides, with_own_names
from remote.judge.building.source_text import program_text
from remote.judge.building.twin_runtime import (
    HOST_FLAGS,
    KERNEL_FLAGS,
    RUNTIME_FLAGS,
    SIMULATOR,
    SIMULATOR_FLAGS,
    Twin,
    confined_compiler,
)
from remote.judge.building.wired_calls import (
    numbering_unit,
    replay_unit,
    unmarked_function,
    wired_calls,
)
from remote.judge.job import Operator
from remote.judge.machine.artifacts import Artifact, ArtifactStore, digest_of
from remote.judge.machine.compiler import (
    cause_of,
    read_messages,
    without_addresses,
    without_warnings,
)
from remote.judge.processes.children import ChildGroup, Limits
from remote.judge.sandbox import Confinement
from remote.judge.sandbox.objects import read_object, screen

_DEMANGLING = Confinement("tools", memory_mb=512, cpu_s=5)
_TWICE = re.compile(r"multiple definition of [`']([^'\n]+)'")


@dataclass(frozen=True)
class Signature:
    """Dtypes of one way to call the operator: (name, dtype) of inputs and outputs, in call order."""

    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]

    @property
    def label(self) -> str:
        """Short text for progress and reports, e.g. `float32`."""
        kinds = list(dict.fromkeys(dtype for _, dtype in (*self.inputs, *self.outputs)))
        return "/".join(kinds)


@dataclass
class BuildOutcome:
    """How a build went, and the programs of every signature."""

    report: BuildReport
    programs: dict[Signature, Programs] = field(default_factory=dict)
    is_endless: bool = False  # a compiler had used up its time or memory

    def fail(self, stage: str, cause: str) -> None:
        """Say what ended it."""
        self.note(ok=False, stage=stage, cause=cause)

    def note(self, **changes: Any) -> None:
        """Change fields of the report."""
        self.report = replace(self.report, **changes)


@dataclass(frozen=True)
class _Step:
    """One compile or link: its product and what the compiler said."""

    artifact: Artifact
    stage: str

    @property
    def ok(self) -> bool:
        return bool(self.artifact.record["ok"])

    @property
    def log(self) -> str:
        return str(self.artifact.record["log"])

    @property
    def object(self) -> Path:
        """What a compile that went well made."""
        return self.artifact.path("object.o")


@dataclass(frozen=True)
class _Pair:
    """A kernel and its simulator, linked; `refusal` says why they are not."""

    kernel: _Step
    simulator: _Step
    refusal: str = ""

    @property
    def steps(self) -> tuple[_Step, _Step]:
        return self.kernel, self.simulator


@dataclass(frozen=True)
class _Compiled:
    """All compiles of a build, and their objects; `runtime` is empty where one of them failed."""

    steps: list[_Step]
    hosts: list[Path]
    kernels: dict[Signature, list[Path]]
    runtime: Mapping[str, Path]


@dataclass(frozen=True)
class _BuildTask:
    """What one build is made of, beside its dtype signatures; see `Builder.build`."""

    operator: Operator
    files: Mapping[str, str]
    children: ChildGroup
    snapshot: Artifact


class Builder:
    """Builds candidates. Safe to use from several threads.

    Args:
        twin: The twin as the compiler of choice compiles it.
        store: Where products are kept.
        workers: Compilers at a time.
        second: Gives the builder with another compiler, which is asked about sources this one refuses.
    """

    def __init__(
        self,
        twin: Twin,
        store: ArtifactStore,
        workers: int = 2,
        second: Callable[[], Builder | None] = lambda: None,
    ) -> None:
        self._twin = twin
        self._store = store
        self._workers = workers
        self._second = second

    def build(
        self,
        operator: Operator,
        files: Mapping[str, str],
        signatures: Sequence[Signature],
        children: ChildGroup,
        snapshot: Artifact | None = None,
    ) -> BuildOutcome:
        """Build a program of op_host, and one of the kernel for every signature.

        A second compiler, where there is one, is asked about a kernel the first one refuses: clang compiles
        it for the device. CANN compiles op_host with g++, whose word is the last there.

        Args:
            operator: `name`, `snake`, `inputs` and `outputs` of the interface.
            files: The candidate, path -> text.
            signatures: Dtype signatures the cases need.
            children: Where child processes are registered.
            snapshot: The twin that is compiled against; by default as it is now.

        Raises:
            EnvironmentFault: No compiler, disk full, compiler killed.
            Cancelled: The job was cancelled.
        """
        started = time.monotonic()
        snapshot = snapshot or self._twin.snapshot()
        task = _BuildTask(operator, files, children, snapshot)
        outcome = self._by_one_compiler(task, signatures)
        if (
            outcome.report.stage == "kernel"
            and "fatal error:" not in outcome.report.log
            and not outcome.is_endless  # the next would take as long
        ):
            second = self._second()
            other = (
                None
                if second is None
                else second.build(operator, files, signatures, children, snapshot)
            )
            outcome = other if other is not None and other.report.ok else outcome
        outcome.note(seconds=time.monotonic() - started)
        return outcome

    def _by_one_compiler(
        self, task: _BuildTask, signatures: Sequence[Signature]
    ) -> BuildOutcome:
        operator, files = task.operator, task.files
        outcome = BuildOutcome(
            BuildReport(ok=True, cached=True, compiler=self._twin.compiler.label)
        )
        kernel = kernel_source(files, operator.snake)
        hosts = host_sources(files)
        missing = (
            _unsafe(files)
            or counted_loops.redefinition(files)
            or _missing(operator, hosts, kernel)
        )
        if missing or kernel is None:
            outcome.fail("preflight", missing)
            return outcome
        compiled = self._compile_all(task, signatures, hosts, kernel)
        failed = _note_steps(outcome, compiled.steps)
        if failed is None:
            kernel_objects = [
                path for paths in compiled.kernels.values() for path in paths
            ]
            refusal = screen(compiled.hosts, kernel_objects)
            if refusal:
                outcome.fail("link", refusal)
                return outcome
            parts = [*compiled.hosts, compiled.runtime["tiling_runner.cpp"]]
            apart = any(path.endswith("_def.cpp") for path in hosts)
            tiling = self._link(parts, task.children, apart=apart)
            usual = self._twin.usual_calls(task.snapshot)
            pairs = {
                signature: self._link_kernel(task, compiled.runtime, paths, usual)
                for signature, paths in compiled.kernels.items()
            }
            refusal = next((one.refusal for one in pairs.values() if one.refusal), "")
            if refusal:
                outcome.fail("link", refusal)
                return outcome
            steps = [tiling, *(step for one in pairs.values() for step in one.steps)]
            failed = _note_steps(outcome, steps)
            outcome.note(messages=_twice_defined([tiling]))
            if failed is None:
                _note_programs(outcome, files, tiling, pairs)
        if failed is not None:
            outcome.is_endless = bool(failed.artifact.record["limit"])
            self._explain(outcome, failed, task, kernel)
        return outcome

    def _compile_all(
        self,
        task: _BuildTask,
        signatures: Sequence[Signature],
        hosts: Sequence[str],
        kernel: str,
    ) -> _Compiled:
        """Compile op_host once, the kernel for every signature and side, and the twin's own sources."""
        sides = core_sides(task.files)
        pairs = [(signature, side) for signature in signatures for side in sides]
        with ThreadPoolExecutor(self._workers) as pool:
            # Kernels first: they take longest.
            kernel_futures = [
                pool.submit(self._kernel, task, kernel, signature, side)
                for signature, side in pairs
            ]
            host_futures = [pool.submit(self._host, task, path) for path in hosts]
            host_steps = [future.result() for future in host_futures]
            kernel_steps = [future.result() for future in kernel_futures]
            steps = [*host_steps, *kernel_steps]
            # A second compiler need not make its own for sources that it refuses as well.
            sources = RUNTIME_FLAGS if all(step.ok for step in steps) else ()
            runtime_futures = {
                name: pool.submit(
                    self._twin.runtime, task.snapshot, name, task.children
                )
                for name in sources
            }
            runtime = {name: each.result() for name, each in runtime_futures.items()}
        kernels: dict[Signature, list[Path]] = {each: [] for each in signatures}
        for (signature, _), step in zip(pairs, kernel_steps, strict=True):
            kernels[signature].append(step.object)
        return _Compiled(steps, [step.object for step in host_steps], kernels, runtime)

    def _link_kernel(
        self,
        task: _BuildTask,
        runtime: Mapping[str, Path],
        paths: Sequence[Path],
        usual: frozenset[str],
    ) -> _Pair:
        """Link a kernel, whose calls that are not `usual` get numbers, and what it runs on, which makes them."""
        children = task.children
        names = frozenset[str]().union(*(read_object(path).defined for path in paths))
        demangle = partial(self._run_demangler, children)
        calls = wired_calls(names, usual, demangle)
        numbers, replay, replays = list[Path](), None, list[Path]()
        if calls:
            numbers = [self._unit(task, "numbers", numbering_unit(calls)).object]
            replay = self._unit(task, "replay", replay_unit(calls))
            replays = [replay.object]
        device = [runtime["kernel_runner.cpp"], runtime["device.cpp"]]
        both_sides = declares_both_sides(task.files)
        sides = paths if both_sides else complete_sides(paths, device)
        kernel = self._link([*self._linkable(sides), *numbers, *device], children)
        if replay is not None and not replay.ok:
            return _Pair(kernel, replay)
        defined = read_object(replay.object).defined if replay else frozenset[str]()
        if function := unmarked_function(calls, defined):
            return _Pair(kernel, kernel, f"{function} is no call of the API.")
        # The same for all kernels that make usual calls alone.
        parts = [*replays, *(runtime[source] for source in SIMULATOR)]
        return _Pair(kernel, self._link(parts, children, is_simulator=True))

    def _unit(self, task: _BuildTask, name: str, text: str) -> _Step:
        """Compile a source of ours that is made for a kernel."""
        source = f"{name}.cpp"
        return self._compile(task, name, {source: text}, source, SIMULATOR_FLAGS)

    def _run_demangler(self, children: ChildGroup, command: Sequence[str]) -> str:
        """Run what reads symbols of a candidate, of which a short one can name a gigabyte."""
        program = shutil.which(command[0]) or command[0]
        words = [program, *command[1:]]
        confined = self._twin.sandbox.wrap(words, _DEMANGLING, Path("/"))
        limits = Limits(
            _DEMANGLING.cpu_s, _DEMANGLING.cpu_s, memory_mb=_DEMANGLING.memory_mb
        )
        return children.run(confined, Path("/"), limits).output

    def _host(self, task: _BuildTask, path: str) -> _Step:
        files = task.files
        needed = {
            name: text
            for name, text in files.items()
            if name == path or not name.endswith((".cpp", ".cc"))
        }
        # CANN compiles op_host with g++, which takes a value in braces that may not fit.
        narrowing = (
            ["-Wno-c++11-narrowing"] if self._twin.compiler.kind == "clang" else []
        )
        return self._compile(
            task, "host", needed, path, [*HOST_FLAGS, *narrowing, "-Iop_host"]
        )

    def _kernel(
        self, task: _BuildTask, kernel: str, signature: Signature, side: str
    ) -> _Step:
        operator, files = task.operator, task.files
        named = dict(signature.outputs)
        parameters = entry_parameters(files[kernel], operator.snake)
        declared = declared_outputs(
            files, [name for name, _ in signature.inputs], list(named), parameters
        )
        outputs = [(name, named[name]) for name in declared]
        glue = kernel_glue(operator, files, kernel, signature.inputs, outputs, side)
        needed = {
            path: kernel_text(text) if path.startswith("op_kernel/") else text
            for path, text in files.items()
            if path.startswith("op_kernel/")
            or (path.startswith("op_host/") and not path.endswith((".cpp", ".cc")))
        }
        needed[GLUE_NAME] = glue
        flags = [*KERNEL_FLAGS, "-Iop_kernel", "-Iop_host"]
        return self._compile(task, "kernel", needed, GLUE_NAME, flags)

    def _compile(
        self,
        task: _BuildTask,
        stage: str,
        files: Mapping[str, str],
        source: str,
        flags: Sequence[str],
    ) -> _Step:
        compiler = self._twin.compiler
        snapshot = task.snapshot
        children = task.children
        kind = stage if stage in ("host", "kernel") else "simulator"
        headers = self._twin.precompiled(snapshot, kind, children)
        loop_flags: tuple[str, ...] = ()
        if stage == "kernel":
            loop_flags = counted_loops.flags(snapshot.path("include"))
        flags = [*flags, *self._twin.flags(snapshot)]
        common = (
            compiler.device_flags() if stage == "kernel" else compiler.compile_flags()
        )
        arguments = [*common, *flags, *headers.flags, *loop_flags]
        read = (snapshot.folder, *headers.folders)
        whole = [part for path in sorted(files) for part in (path, files[path])]
        program = [
            part for path in sorted(files) for part in (path, program_text(files[path]))
        ]
        digest = digest_of(*whole)

        def make(folder: Path) -> dict[str, Any]:
            target = ["-c", source, "-o", str(folder / "object.o")]
            command = [compiler.path, *arguments, *target]
            sandbox = self._twin.sandbox
            noted = compile_sources(children, sandbox, command, files, folder, read)
            return {**noted, "written": digest}

        def build_step(texts: Sequence[str]) -> Artifact:
            key = digest_of(
                stage, snapshot.key, compiler.identity, *arguments, source, *texts
            )
            return self._store.get(key, make)

        artifact = build_step(program)
        record = artifact.record
        if not record["ok"] and not record["limit"] and record["written"] != digest:
            artifact = build_step(
                whole
            )  # what the compiler says shows lines and columns of the text itself
        return _Step(artifact, stage)

    def _linkable(self, sides: Sequence[Path]) -> list[Path]:
        """The objects of one kernel, ready to be linked together: each side under names of its own."""
        first, *further_sides = sides

        def renamed(path: Path) -> Path:
            def make(folder: Path) -> dict[str, Any]:
                (folder / "object.o").write_bytes(with_own_names(path.read_bytes()))
                return {}

            return self._store.get(
                digest_of("own names 2", path.parent.name), make
            ).path("object.o")

        return [first, *map(renamed, further_sides)]

    def _link(
        self,
        parts: Sequence[Path],
        children: ChildGroup,
        *,
        apart: bool = False,
        is_simulator: bool = False,
    ) -> _Step:
        """Link a program of `parts`.

        `apart`: the definition has a file of its own (`*_def.cpp`), as CANN's operators have. Its build then
        links it into another library than the tiling, so that both may define a name.
        """
        compiler = self._twin.compiler
        read = [path.parent for path in parts]
        # Where the simulator's code lies is not for a kernel to know.
        flags = compiler.program_flags(is_moved=is_simulator)
        names = (*flags, *(path.parent.name for path in parts))
        key = digest_of("link", compiler.identity, *names, str(apart))

        def make(folder: Path) -> dict[str, Any]:
            command = [
                compiler.path,
                "-pthread",
                *flags,
                *(str(path) for path in parts),
                "-o",
                str(folder / "program"),
            ]
            noted = run_compiler(
                children,
                confined_compiler(self._twin.sandbox, command, folder, read),
                folder,
            )
            if apart and not noted["ok"] and _TWICE.search(noted["log"]):
                relaxed = [*command, "-Wl,-z,muldefs"]
                again = run_compiler(
                    children,
                    confined_compiler(self._twin.sandbox, relaxed, folder, read),
                    folder,
                )
                return {**again, "log": noted["log"]} if again["ok"] else noted
            return noted

        return _Step(self._store.get(key, make), "link")

    def _explain(
        self, outcome: BuildOutcome, failed: _Step, task: _BuildTask, kernel: str
    ) -> None:
        snapshot = task.snapshot
        strip = {str(snapshot.path("include")): "", str(snapshot.path("src")): ""}
        log = without_warnings(without_addresses(failed.log))
        short_log = log.replace(f"{snapshot.path('include')}/", "")
        messages = [
            _entry_message(message, task.operator, kernel)
            for message in read_messages(log, strip)
        ]
        outcome.note(log=short_log, messages=tuple(messages))
        limit = str(failed.artifact.record["limit"])
        lines = [line for line in short_log.splitlines() if line.strip()]
        silent = "the compiler failed silently"
        outcome.fail(
            failed.stage, limit or cause_of(messages) or (lines[0] if lines else silent)
        )


def _unsafe(files: Mapping[str, str]) -> str:
    """Complaint about a path that would leave the build folder; empty when there is none."""
    for path in files:
        parts = PurePosixPath(path).parts
        if ".." in parts or parts[:1] not in (("op_host",), ("op_kernel",)):
            return f"{path}: a candidate may only have files under op_host/ and op_kernel/."
    return ""


def _missing(operator: Operator, hosts: Sequence[str], kernel: str | None) -> str:
    snake = operator.snake
    if not hosts:
        return f"op_host/{snake}.cpp is missing: it holds the operator definition and the tiling function."
    if kernel is None:
        return f"op_kernel/{snake}.cpp is missing: it holds the kernel entry {snake}."
    return ""


def _twice_defined(links: Iterable[_Step]) -> tuple[CompilerMessage, ...]:
    """Warnings about names that several files of op_host define, of programs that were linked nonetheless."""
    names = dict.fromkeys(
        name for step in links if step.ok for name in _TWICE.findall(step.log)
    )
    why = (
        "defined in several files of op_host. CANN's own build, which keeps *_def.cpp in a library of its "
        "own, takes it; a project of msopgen does not link."
    )
    return tuple(CompilerMessage("warning", f"{name} is {why}") for name in names)


def _note_steps(outcome: BuildOutcome, steps: Sequence[_Step]) -> _Step | None:
    """Fold steps into the outcome; returns the first that failed."""
    made_now = any(step.artifact.made_now for step in steps)
    outcome.note(cached=outcome.report.cached and not made_now)
    return next((step for step in steps if not step.ok), None)


def _note_programs(
    outcome: BuildOutcome,
    files: Mapping[str, str],
    tiling: _Step,
    pairs: Mapping[Signature, _Pair],
) -> None:
    """Note the programs and what they are, with the sources they were made from."""
    linked = {"tiling": tiling}
    for signature, one in pairs.items():
        programs = (step.artifact.path("program") for step in (tiling, *one.steps))
        outcome.programs[signature] = Programs(*programs)
        linked[repr(signature)] = one.kernel
        linked[f"simulator of {signature!r}"] = one.simulator
    digests = {name: step.artifact.digests["program"] for name, step in linked.items()}
    outcome.note(digest=built_digest(files, digests))


def _entry_message(
    message: CompilerMessage, operator: Operator, kernel: str
) -> CompilerMessage:
    """Say in CANN's words what an error in the generated call of the entry means."""
    if message.file != GLUE_NAME:
        return message
    snake, text = operator.snake, message.text
    undeclared = (
        "has not been declared",
        "not a member",
        "no member named",
        "undeclared",
    )
    if (
        message.severity == "error"
        and snake in text
        and any(word in text for word in undeclared)
    ):
        text = (
            f"kernel entry `{snake}' not implement in `{Path(kernel).name}', please check whether the "
            "function name is correct in the kernel file."
        )
    elif message.severity == "error" and (
        "arguments to function" in text or "no matching function" in text
    ):
        names = [tensor.name for tensor in (*operator.inputs, *operator.outputs)]
        text = f"kernel entry `{snake}' must take ({', '.join([*names, 'workspace', 'tiling'])}): {text}"
    return CompilerMessage(message.severity, text, kernel, 0, 0)
