"""How many operators of somebody's checkout the CPU twin compiles: `python -m tools.checkout_builds FOLDER`.

Every folder with `op_kernel` beside `op_host` is looked at, and every operator its op_host defines. All of
op_host is compiled, and the kernel for the first data types of the definition, on each side its cores have.
Nothing is run or kept. Headers shared between folders are found by their names, as the checkout's CMake
would. Operators whose definition names other processors only are listed, and not counted. Kernels no
definition belongs to, which a program of its own launches, are compiled without that program and the
functions that launch them.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from core.cpp_text import code_in_place
from core.errors import SageError
from core.evaluation.records import Candidate
from remote.judge.building import counted_loops
from remote.judge.building.glue import (
    CUBE_SIDE,
    GLUE_NAME,
    VECTOR_SIDE,
    core_sides,
    host_sources,
    kernel_glue,
    kernel_prelude,
    kernel_source,
    kernel_text,
)
from remote.judge.building.twin_runtime import (
    HOST_FLAGS,
    KERNEL_FLAGS,
    Headers,
    Twin,
    confined_compiler,
)
from remote.judge.job import Names
from remote.judge.machine.artifacts import ArtifactStore
from remote.judge.machine.compiler import Compiler, find_compiler, second_compiler
from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox import Sandbox
from remote.toolchains.preflight.project import ENTRY, declared_operator

_TWIN = Path(__file__).resolve().parents[1] / "resources" / "twin"
_SOURCES, _HEADERS = (".cpp", ".cc"), (".h", ".hpp", ".inc")
_SKIPPED = {
    "tests",
    "test",
    "examples",
    "op_api",
    "op_graph",
    "aicpu",
    "op_kernel_aicpu",
    "third_party",
}
_OPDEF = re.compile(r"\bclass\s+(\w+)\s*:\s*public\s+(?:ops::)?OpDef\b")
_INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_CONFIG = re.compile(r"AddConfig\s*\(\s*\"(\w+)\"")
_OURS = {"ascend910b", "ascend910_93"}
# Host code of a library for PyTorch, not of an operator package.
_LIBRARY = re.compile(r'#include [<"](?:ATen/|torch/|aclrtlaunch_|.*torch_helper)')
_LIMIT_S = 240
Tensors = list[tuple[str, str]]


@dataclass
class Project:
    """One operator of a checkout.

    Attributes:
        name: As its OpDef says.
        folder: With `op_host` and `op_kernel`.
        files: Path below the folder -> text.
        direct: Path of a kernel that is launched without a definition.
    """

    name: str
    folder: Path
    files: dict[str, str] = field(default_factory=dict)
    direct: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of a project: `compiles`, `host`, `kernel`, `other processor` or `not read`, and why."""

    project: Project
    stage: str
    compiler: str = ""
    reason: str = ""


def projects(checkout: Path) -> Iterator[Project]:
    """The operators of a checkout, by folder and name."""
    for kernels in sorted(checkout.rglob("op_kernel")):
        folder = kernels.parent
        if not (folder / "op_host").is_dir() or _SKIPPED & set(
            folder.relative_to(checkout).parts
        ):
            continue
        texts = {
            path.relative_to(folder).as_posix(): path.read_text(
                encoding="utf-8", errors="replace"
            )
            for side in ("op_host", "op_kernel")
            for path in sorted((folder / side).rglob("*"))
            if path.suffix in (*_SOURCES, *_HEADERS)
            and not _SKIPPED & set(path.relative_to(folder).parts)
        }
        defined = {
            name: path
            for path, text in texts.items()
            if path.startswith("op_host/")
            for name in _OPDEF.findall(code_in_place(text))
        }
        taken = set()
        for name, path in defined.items():
            others = [other for other in defined if other != name]
            files = _own_files(texts, name, path, others)
            if not any(
                _LIBRARY.search(text)
                for path, text in files.items()
                if path.startswith("op_host/")
            ):
                taken |= set(files)
                yield Project(name, folder, files)
        for path, text in texts.items():
            own = (
                path.startswith("op_kernel/")
                and path.endswith(_SOURCES)
                and path not in taken
            )
            if own and ENTRY.search(code_in_place(text)):
                yield Project(Path(path).stem, folder, dict(texts), path)


def _own_files(
    texts: Mapping[str, str], name: str, definition: str, others: Sequence[str]
) -> dict[str, str]:
    """What belongs to one of several operators that share a folder: sources go by their names."""
    if not others:
        return dict(texts)
    stem = _snake(name)
    foreign = {_snake(other) for other in others}

    def own(path: str) -> bool:
        if path == definition or not path.endswith(_SOURCES):
            return True
        named = [one for one in (stem, *foreign) if Path(path).stem.startswith(one)]
        return bool(named) and max(named, key=len) == stem

    return {path: text for path, text in texts.items() if own(path)}


def _sides(project: Project) -> tuple[str, ...]:
    """As `core_sides`; catlass, which is no part of the project, asks for the type of the core, too."""
    asks = any(
        "catlass/" in text
        for path, text in project.files.items()
        if path.startswith("op_kernel/")
    )
    return (VECTOR_SIDE, CUBE_SIDE) if asks else core_sides(project.files)


def _alone(project: Project, operator: Names, side: str) -> str:
    """The unit of a kernel that nothing in it calls."""
    before = (
        [f"#define TWIN_{side.upper()}_SIDE 1", '#include "twin/core_side.h"']
        if side
        else []
    )
    return "\n".join(
        [*before, *kernel_prelude(operator, project.files, project.direct, [], []), ""]
    )


def _snake(name: str) -> str:
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", "_", parts).lower()


def readable_copy(checkout: Path, into: Path) -> Path:
    """The checkout's sources as compilers for this machine can read them; lines and columns are kept."""
    for path in checkout.rglob("*"):
        if path.suffix in (*_SOURCES, *_HEADERS) and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            target = into / path.relative_to(checkout)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(
                text if "op_host" in path.parts else kernel_text(text),
                encoding="utf-8",
            )
    return into


class Checkout:
    """Where headers of a checkout are, by the last parts of their path."""

    def __init__(self, folder: Path) -> None:
        self._by_name: dict[str, list[Path]] = {}
        for path in folder.rglob("*"):
            if path.suffix in (*_HEADERS, *_SOURCES) and path.is_file():
                self._by_name.setdefault(path.name, []).append(path)

    def include_folders(self, project: Project, include: Path) -> list[Path]:
        """Folders that bring in what the project's files include and have not beside them."""
        return self._reached(project, include, [])[0]

    def shared_tilings(self, project: Project, include: Path) -> dict[str, str]:
        """Headers elsewhere with tiling data of the project: path from its folder -> text.

        CANN's build puts op_host of all operators into one library, so another folder may register them.
        """
        registers = re.compile(rf"\bREGISTER_TILING_DATA_CLASS\(\s*{project.name}\b")
        elsewhere = [
            path
            for paths in self._by_name.values()
            for path in paths
            if "op_host" in path.parts
            and path.suffix in _HEADERS
            and registers.search(_text(path))
        ]
        host = project.folder / "op_host"
        return {
            f"op_host/{os.path.relpath(path, host)}": _text(path)
            for path in self._reached(project, include, elsewhere)[1]
            if not path.is_relative_to(project.folder)
            and "BEGIN_TILING_DATA_DEF" in _text(path)
        }

    def _reached(
        self, project: Project, include: Path, more: Sequence[Path]
    ) -> tuple[list[Path], list[Path]]:
        """Folders to look for headers in, and the headers that the project and `more` include."""
        own = [project.folder / "op_kernel", project.folder / "op_host", project.folder]
        found: list[Path] = []
        waiting = [*more, *(project.folder / name for name in project.files)]
        seen = set(waiting)
        while waiting:
            path = waiting.pop()
            for name in _INCLUDED.findall(_text(path)):
                near = [base / name for base in (path.parent, *own, *found)]
                target = next((one for one in near if one.is_file()), None)
                if target is None and not (include / name).is_file():
                    target = self._nearest(name, project.folder)
                    if target is not None:
                        found.append(Path(str(target).removesuffix(name)))
                if target is not None and target.resolve() not in seen:
                    seen.add(target.resolve())
                    waiting.append(target.resolve())
        headers = [path for path in seen if path.suffix in _HEADERS]
        return [*own, *dict.fromkeys(found)], sorted(headers)

    def _nearest(self, name: str, folder: Path) -> Path | None:
        ends = [
            path
            for path in self._by_name.get(Path(name).name, ())
            if str(path).endswith(f"/{name}")
        ]

        def rank(path: Path) -> tuple[bool, int]:
            root = Path(str(path).removesuffix(name))
            shared = not any((root / "op_host").glob("*.cpp"))
            return shared, len(os.path.commonpath([path, folder]))

        # `op_host/x.h` is a folder that operators share before it is another operator's own.
        return max(ends, key=rank, default=None)


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


class Bench:
    """Compiles projects with the twin's headers.

    Args:
        cache: Where precompiled headers are kept.
        checkout: Whose operators they are; compilers may read it.
        include: Folders of libraries that the checkout has as submodules.
        defines: Flags of macros that its CMake sets.
    """

    def __init__(
        self,
        cache: Path,
        checkout: Path,
        include: Sequence[Path] = (),
        defines: Sequence[str] = (),
    ) -> None:
        store, first = ArtifactStore(cache / "builds"), find_compiler()
        sandbox = Sandbox(store, first, cache / "sandbox")
        second = second_compiler(first)
        self._compilers = [first] if second is None else [first, second]
        self._twins = {
            one.identity + one.language: Twin(_TWIN, store, one, sandbox)
            for one in self._compilers
        }
        self._children = ChildGroup("checkout")
        self._place, self._checkout, self._include = (
            checkout,
            Checkout(checkout),
            include,
        )
        self._defines = list(defines)
        self._headers: dict[tuple[str, str], Headers] = {}
        self._snapshot = self._twin(
            first
        ).snapshot()  # for all, also when somebody edits the twin meanwhile
        for compiler in self._compilers:
            for kind in ("kernel", "host") if compiler is first else ("kernel",):
                made = self._twin(compiler).precompiled(
                    self._snapshot, kind, self._children
                )
                self._headers[compiler.label, kind] = made

    def _twin(self, compiler: Compiler) -> Twin:
        return self._twins[compiler.identity + compiler.language]

    def outcome(self, project: Project) -> Outcome:
        """Compile a project."""
        if project.direct:
            named = Names(project.name, project.name)
            return self._kernels(project, named, project.direct, [], [])
        host = "\n".join(
            code_in_place(t)
            for p, t in project.files.items()
            if p.startswith("op_host/")
        )
        units = set(_CONFIG.findall(host))
        if units and not units & _OURS:
            return Outcome(project, "other processor", reason=", ".join(sorted(units)))
        try:
            operator = declared_operator(Candidate(project.files))
        except SageError as error:
            return Outcome(project, "not read", reason=str(error))
        kernel = kernel_source(project.files, operator.snake)
        if kernel is None:
            return Outcome(
                project,
                "not read",
                reason=f"there is no op_kernel/{operator.snake}.cpp",
            )
        folders = self._folders(project)
        for path in host_sources(project.files):
            said = self._compile(
                self._compilers[0], "host", project.folder / path, folders
            )
            if said:
                return Outcome(project, "host", reason=said)
        inputs, outputs = (
            [(one.name, (one.dtypes or ("float16",))[0]) for one in tensors]
            for tensors in (operator.inputs, operator.outputs)
        )
        return self._kernels(project, operator, kernel, inputs, outputs)

    def _folders(self, project: Project) -> list[str]:
        include = self._snapshot.path("include")
        found = [*self._checkout.include_folders(project, include), *self._include]
        return [*self._defines, *(f"-I{folder}" for folder in found)]

    def _kernels(
        self,
        project: Project,
        operator: Names,
        kernel: str,
        inputs: Tensors,
        outputs: Tensors,
    ) -> Outcome:
        include = self._snapshot.path("include")
        shared = self._checkout.shared_tilings(project, include)
        attempts = [project.files, *([{**shared, **project.files}] if shared else [])]
        said = ""
        for files in attempts:
            units = [
                _alone(project, operator, side)
                if project.direct
                else kernel_glue(operator, files, kernel, inputs, outputs, side)
                for side in _sides(project)
            ]
            compiler, refused = self._first_that_compiles(units, self._folders(project))
            if compiler:
                return Outcome(project, "compiles", compiler)
            said = "\n".join(part for part in (said, refused) if part)
        return Outcome(project, "kernel", reason=said)

    def _first_that_compiles(
        self, units: Sequence[str], folders: Sequence[str]
    ) -> tuple[str, str]:
        """The compiler that takes one of the units, the sides of a kernel; else what they say."""
        said = ""
        for compiler in self._compilers:
            failed = [
                self._compile(compiler, "kernel", unit, folders) for unit in units
            ]
            refused = [text for text in failed if text]
            if len(refused) < len(failed):  # a side nobody wrote for is left away
                return compiler.label, ""
            said = "\n".join(
                part for part in (said, f"-- {compiler.label}", refused[0]) if part
            )
        return "", said

    def _compile(
        self,
        compiler: Compiler,
        kind: str,
        source: Path | str,
        folders: Sequence[str],
    ) -> str:
        """Errors of a file or a text; nothing when there are none."""
        twin, headers = self._twin(compiler), self._headers[compiler.label, kind]
        snapshot = self._snapshot
        flags = (
            [*KERNEL_FLAGS, *headers.flags, *counted_loops.FLAGS]
            if kind == "kernel"
            else [*HOST_FLAGS, *headers.flags]
        )
        with tempfile.TemporaryDirectory() as work:
            if isinstance(source, str):
                (Path(work) / GLUE_NAME).write_text(source, encoding="utf-8")
                source = Path(work) / GLUE_NAME
            command = [
                compiler.path,
                *compiler.compile_flags(),
                *flags,
                *folders,
                *twin.flags(snapshot),
                "-fsyntax-only",
                str(source),
            ]
            read = (snapshot.folder, *headers.folders, self._place, *self._include)
            try:
                done = subprocess.run(
                    confined_compiler(twin.sandbox, command, Path(work), read),
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=_LIMIT_S,
                )
            except subprocess.TimeoutExpired:
                return f"the compiler needs more than {_LIMIT_S} s"
        if done.returncode == 0:
            return ""
        errors = [
            line
            for line in (done.stdout + done.stderr).splitlines()
            if re.search(r"error:", line)
        ]
        return "\n".join(errors) or f"exit code {done.returncode}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("checkout", type=Path)
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / "sage-checkout-builds",
    )
    parser.add_argument(
        "--include",
        type=Path,
        action="append",
        default=[],
        help="headers of a submodule",
    )
    parser.add_argument(
        "--define",
        action="append",
        default=[],
        help="a macro its CMake sets, NAME=VALUE",
    )
    parser.add_argument("--only", default="", help="operators whose name holds this")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--errors", type=int, default=1, help="errors to print of each")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="sage-checkout-") as folder:
        _print_table(readable_copy(given.checkout.resolve(), Path(folder)), given)


def _print_table(checkout: Path, given: argparse.Namespace) -> None:
    found = [
        one for one in projects(checkout) if given.only.lower() in one.name.lower()
    ]
    defines = [f"-D{macro}" for macro in given.define]
    bench = Bench(
        given.cache, checkout, [path.resolve() for path in given.include], defines
    )
    counts: dict[str, int] = {}
    with ThreadPoolExecutor(given.workers) as pool:
        for outcome in pool.map(bench.outcome, found):
            counts[outcome.stage] = counts.get(outcome.stage, 0) + 1
            place = outcome.project.folder.relative_to(checkout)
            sys.stdout.write(
                f"| {outcome.project.name} | {place} | {outcome.stage} | {outcome.compiler} |\n"
            )
            for line in outcome.reason.splitlines()[: given.errors]:
                sys.stdout.write(f"    {line.replace(str(checkout) + '/', '')}\n")
            sys.stdout.flush()
    counted = sum(
        count for stage, count in counts.items() if stage != "other processor"
    )
    sys.stdout.write(f"{counts.get('compiles', 0)} of {counted} compile; {counts}\n")


if __name__ == "__main__":
    main()
