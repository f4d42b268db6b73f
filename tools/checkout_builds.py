"""How many operators of a public checkout the CPU twin compiles: `python -m tools.checkout_builds FOLDER`.

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
from core.operators.spec import TensorSpec
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
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_CONFIG = re.compile(r"AddConfig\s*\(\s*\"(\w+)\"")
_MODELLED = {"ascend910b", "ascend910_93"}  # processors of the twin
_USUAL_DTYPE = "float16"  # of a tensor whose definition names none
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
    """The operators of a checkout, folder by folder; in a folder by path of their definition."""
    for kernels in sorted(checkout.rglob("op_kernel")):
        folder = kernels.parent
        is_skipped = _SKIPPED & set(folder.relative_to(checkout).parts)
        if (folder / "op_host").is_dir() and not is_skipped:
            yield from _projects_in(folder)


def _projects_in(folder: Path) -> Iterator[Project]:
    """The operators that a folder defines, then the kernels there that no definition belongs to."""
    texts = _source_texts(folder)
    # Operator -> path of its definition.
    definitions: dict[str, str] = {}
    for path, text in texts.items():
        if path.startswith("op_host/"):
            names = _OPDEF.findall(code_in_place(text))
            definitions |= dict.fromkeys(names, path)
    # Files of operators that are defined.
    owned = set()
    for name, path in definitions.items():
        neighbours = [each for each in definitions if each != name]
        files = _own_files(texts, name, path, neighbours)
        if not _is_library(files):
            owned |= set(files)
            yield Project(name, folder, files)
    for path, text in texts.items():
        is_kernel = path.startswith("op_kernel/") and path.endswith(_SOURCES)
        if is_kernel and path not in owned and ENTRY.search(code_in_place(text)):
            yield Project(Path(path).stem, folder, dict(texts), path)


def _source_texts(folder: Path) -> dict[str, str]:
    """Path below `folder` -> text, of the sources and headers of op_host and op_kernel."""
    texts = {}
    for side in ("op_host", "op_kernel"):
        for path in sorted((folder / side).rglob("*")):
            below = path.relative_to(folder)
            is_source = path.suffix in (*_SOURCES, *_HEADERS)
            if is_source and not _SKIPPED & set(below.parts):
                texts[below.as_posix()] = _text(path)
    return texts


def _is_library(files: Mapping[str, str]) -> bool:
    """Whether op_host is that of a library for PyTorch."""
    host_texts = [text for path, text in files.items() if path.startswith("op_host/")]
    return any(_LIBRARY.search(text) for text in host_texts)


def _own_files(
    texts: Mapping[str, str], name: str, definition: str, neighbours: Sequence[str]
) -> dict[str, str]:
    """The files of one of several operators that share a folder.

    Headers belong to all of them. A source belongs to the operator whose name its own begins
    with, the longest where several do; where none does, to no operator.

    Args:
        texts: Of the folder, by path.
        name: Of the operator.
        definition: Path of its OpDef.
        neighbours: Names of the other operators.
    """
    if not neighbours:
        return dict(texts)
    stem = _snake(name)
    stems = (stem, *{_snake(neighbour) for neighbour in neighbours})

    def is_own(path: str) -> bool:
        if path == definition or not path.endswith(_SOURCES):
            return True
        fitting = [each for each in stems if Path(path).stem.startswith(each)]
        return bool(fitting) and max(fitting, key=len) == stem

    return {path: text for path, text in texts.items() if is_own(path)}


def _sides(project: Project) -> tuple[str, ...]:
    """The sides a kernel is compiled for, as `core_sides`, and both where it includes catlass.

    Catlass is no part of the project, and asks for the type of the core, too.
    """
    for path, text in project.files.items():
        if path.startswith("op_kernel/") and "catlass/" in text:
            return VECTOR_SIDE, CUBE_SIDE
    return core_sides(project.files)


def _direct_unit(project: Project, operator: Names, side: str) -> str:
    """The translation unit of a kernel without a definition: the kernel alone, with nothing that launches it."""
    lines = []
    if side:
        lines += [f"#define TWIN_{side.upper()}_SIDE 1", '#include "twin/core_side.h"']
    lines += kernel_prelude(operator, project.files, project.direct, [], [])
    return "\n".join([*lines, ""])


def _snake(name: str) -> str:
    """PascalCase as CANN's file names write it: `HcPost` -> `hc_post`."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", "_", parts).lower()


def readable_copy(checkout: Path, into: Path) -> Path:
    """The checkout's sources as compilers for this machine can read them; lines and columns are kept."""
    for path in checkout.rglob("*"):
        if path.suffix in (*_SOURCES, *_HEADERS) and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            if "op_host" not in path.parts:
                text = kernel_text(text)
            target = into / path.relative_to(checkout)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    return into


class Checkout:
    """Finds headers and sources of a checkout by the last parts of their path."""

    def __init__(self, folder: Path) -> None:
        self._by_name: dict[str, list[Path]] = {}
        for path in folder.rglob("*"):
            if path.suffix in (*_HEADERS, *_SOURCES) and path.is_file():
                self._by_name.setdefault(path.name, []).append(path)

    def include_folders(self, project: Project, include: Path) -> list[Path]:
        """Folders in which the project's files find what they include, its own first."""
        folders, _headers = self._includes(project, include, [])
        return folders

    def shared_tilings(self, project: Project, include: Path) -> dict[str, str]:
        """Headers elsewhere with tiling data of the project: path from its folder -> text.

        CANN's build puts op_host of all operators into one library, so another folder may register them.
        """
        registers = re.compile(rf"\bREGISTER_TILING_DATA_CLASS\(\s*{project.name}\b")
        host_headers = self._host_headers()
        elsewhere = [path for path in host_headers if registers.search(_text(path))]
        _folders, headers = self._includes(project, include, elsewhere)
        host = project.folder / "op_host"
        tilings = {}
        for path in headers:
            is_own = path.is_relative_to(project.folder)
            if not is_own and "BEGIN_TILING_DATA_DEF" in _text(path):
                below = os.path.relpath(path, host)
                tilings[f"op_host/{below}"] = _text(path)
        return tilings

    def _host_headers(self) -> Iterator[Path]:
        """Headers of op_host of all operators."""
        for paths in self._by_name.values():
            for path in paths:
                if "op_host" in path.parts and path.suffix in _HEADERS:
                    yield path

    def _includes(
        self, project: Project, include: Path, more: Sequence[Path]
    ) -> tuple[list[Path], list[Path]]:
        """What a project and the files `more` include, directly or not.

        Args:
            project: Of this checkout.
            include: Headers of the twin, which are not followed.
            more: Further files to begin with.

        Returns:
            Folders to look for headers in, the project's own first, and the headers.
        """
        own = [project.folder / "op_kernel", project.folder / "op_host", project.folder]
        shared: list[Path] = []
        unread = [*more, *(project.folder / name for name in project.files)]
        visited = set(unread)
        while unread:
            path = unread.pop()
            for name in _INCLUDE.findall(_text(path)):
                header = _file_in((path.parent, *own, *shared), name)
                if header is None and not (include / name).is_file():
                    header = self._nearest(name, project.folder)
                    if header is not None:
                        shared.append(Path(str(header).removesuffix(name)))
                if header is not None and header.resolve() not in visited:
                    visited.add(header.resolve())
                    unread.append(header.resolve())
        headers = [path for path in visited if path.suffix in _HEADERS]
        return [*own, *dict.fromkeys(shared)], sorted(headers)

    def _nearest(self, name: str, folder: Path) -> Path | None:
        """The header of the checkout that an include of `name` in `folder` means; None without any."""
        same_names = self._by_name.get(Path(name).name, ())
        candidates = [path for path in same_names if str(path).endswith(f"/{name}")]

        # A folder that operators share goes before another operator's own `op_host`.
        def rank(path: Path) -> tuple[bool, int]:
            root = Path(str(path).removesuffix(name))
            is_shared = not any((root / "op_host").glob("*.cpp"))
            return is_shared, len(os.path.commonpath([path, folder]))

        return max(candidates, key=rank, default=None)


def _file_in(folders: Sequence[Path], name: str) -> Path | None:
    """The first file `folder/name` that exists; None without any."""
    files = (folder / name for folder in folders)
    return next((file for file in files if file.is_file()), None)


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


class ProjectCompiler:
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
        self._twins: dict[str, Twin] = {}
        for compiler in self._compilers:
            key = compiler.identity + compiler.language
            self._twins[key] = Twin(_TWIN, store, compiler, sandbox)
        self._children = ChildGroup("checkout")
        self._readable_folder = checkout
        self._checkout = Checkout(checkout)
        self._include = include
        self._defines = list(defines)
        self._headers: dict[tuple[str, str], Headers] = {}
        # One for all projects, also when the twin is edited meanwhile.
        self._snapshot = self._twin(first).snapshot()
        for compiler in self._compilers:
            twin = self._twin(compiler)
            # The second compiler is tried on kernels only.
            kinds = ("kernel", "host") if compiler is first else ("kernel",)
            for kind in kinds:
                headers = twin.precompiled(self._snapshot, kind, self._children)
                self._headers[compiler.label, kind] = headers

    def _twin(self, compiler: Compiler) -> Twin:
        return self._twins[compiler.identity + compiler.language]

    def compile(self, project: Project) -> Outcome:
        """Compile a project: its op_host, then its kernel. May take minutes."""
        if project.direct:
            names = Names(project.name, project.name)
            return self._kernels(project, names, project.direct, [], [])
        processors = _processors(project)
        if processors and not processors & _MODELLED:
            reason = ", ".join(sorted(processors))
            return Outcome(project, "other processor", reason=reason)
        try:
            operator = declared_operator(Candidate(project.files))
        except SageError as error:
            return Outcome(project, "not read", reason=str(error))
        kernel = kernel_source(project.files, operator.snake)
        if kernel is None:
            reason = f"there is no op_kernel/{operator.snake}.cpp"
            return Outcome(project, "not read", reason=reason)
        folders = self._search_flags(project)
        for path in host_sources(project.files):
            source = project.folder / path
            errors = self._compile(self._compilers[0], "host", source, folders)
            if errors:
                return Outcome(project, "host", reason=errors)
        inputs = _first_dtypes(operator.inputs)
        outputs = _first_dtypes(operator.outputs)
        return self._kernels(project, operator, kernel, inputs, outputs)

    def _search_flags(self, project: Project) -> list[str]:
        """Flags with which a project finds its headers and macros."""
        include = self._snapshot.path("include")
        folders = [*self._checkout.include_folders(project, include), *self._include]
        return [*self._defines, *(f"-I{folder}" for folder in folders)]

    def _kernels(
        self,
        project: Project,
        operator: Names,
        kernel: str,
        inputs: Tensors,
        outputs: Tensors,
    ) -> Outcome:
        """Compile the kernel of a project, with tiling data from other folders only where it fails without."""
        include = self._snapshot.path("include")
        folders = self._search_flags(project)
        shared = self._checkout.shared_tilings(project, include)
        attempts = [project.files]
        if shared:
            attempts.append({**shared, **project.files})

        def unit(files: Mapping[str, str], side: str) -> str:
            if project.direct:
                return _direct_unit(project, operator, side)
            return kernel_glue(operator, files, kernel, inputs, outputs, side)

        reasons = []
        for files in attempts:
            units = [unit(files, side) for side in _sides(project)]
            compiler, errors = self._first_that_compiles(units, folders)
            if compiler:
                return Outcome(project, "compiles", compiler)
            if errors:
                reasons.append(errors)
        return Outcome(project, "kernel", reason="\n".join(reasons))

    def _first_that_compiles(
        self, units: Sequence[str], folders: Sequence[str]
    ) -> tuple[str, str]:
        """Compile the sides of a kernel with one compiler after the other.

        Returns:
            Label of the first compiler that accepts a side; where none does, the errors
            that each compiler has in the first side.
        """
        messages = []
        for compiler in self._compilers:
            errors = [
                self._compile(compiler, "kernel", unit, folders) for unit in units
            ]
            # One side is enough: a kernel may be written for a single kind of core.
            if not all(errors):
                return compiler.label, ""
            messages += [f"-- {compiler.label}", errors[0]]
        return "", "\n".join(messages)

    def _compile(
        self,
        compiler: Compiler,
        kind: str,
        source: Path | str,
        folders: Sequence[str],
    ) -> str:
        """Errors of a file or a text; nothing when there are none."""
        twin = self._twin(compiler)
        headers = self._headers[compiler.label, kind]
        flags = self._flags(compiler, kind)
        flags += [*folders, *twin.flags(self._snapshot)]
        readable = (
            self._snapshot.folder,
            *headers.folders,
            self._readable_folder,
            *self._include,
        )
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            if isinstance(source, str):
                unit = work / GLUE_NAME
                unit.write_text(source, encoding="utf-8")
                source = unit
            command = [compiler.path, *flags, "-fsyntax-only", str(source)]
            confined = confined_compiler(twin.sandbox, command, work, readable)
            try:
                run = subprocess.run(
                    confined,
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=_LIMIT_S,
                )
            except subprocess.TimeoutExpired:
                return f"the compiler needs more than {_LIMIT_S} s"
        if run.returncode == 0:
            return ""
        output = run.stdout + run.stderr
        errors = [line for line in output.splitlines() if "error:" in line]
        return "\n".join(errors) or f"exit code {run.returncode}"

    def _flags(self, compiler: Compiler, kind: str) -> list[str]:
        """Flags of a compiler for `kernel` or `host` code."""
        headers = self._headers[compiler.label, kind]
        flags = list(compiler.compile_flags())
        if kind == "host":
            return [*flags, *HOST_FLAGS, *headers.flags]
        loop_flags = counted_loops.flags(self._snapshot.path("include"))
        return [*flags, *KERNEL_FLAGS, *headers.flags, *loop_flags]


def _processors(project: Project) -> set[str]:
    """The processors that the definitions of op_host name."""
    names: set[str] = set()
    for path, text in project.files.items():
        if path.startswith("op_host/"):
            names |= set(_CONFIG.findall(code_in_place(text)))
    return names


def _first_dtypes(tensors: Sequence[TensorSpec]) -> Tensors:
    """(name, dtype) of tensors in the first column of the definition."""
    columns = []
    for tensor in tensors:
        dtype = tensor.dtypes[0] if tensor.dtypes else _USUAL_DTYPE
        columns.append((tensor.name, dtype))
    return columns


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    summary = __doc__.splitlines()[0] if __doc__ else ""
    parser = argparse.ArgumentParser(description=summary)
    parser.add_argument("checkout", type=Path)
    cache = Path(tempfile.gettempdir()) / "sage-checkout-builds"
    parser.add_argument("--cache", type=Path, default=cache)
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
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="sage-checkout-") as folder:
        checkout = readable_copy(options.checkout.resolve(), Path(folder))
        _print_table(checkout, options)


def _print_table(checkout: Path, options: argparse.Namespace) -> None:
    """Compile every project of a readable checkout and print a row for each, then the totals."""
    part = options.only.lower()
    selection = [one for one in projects(checkout) if part in one.name.lower()]
    defines = [f"-D{macro}" for macro in options.define]
    include = [path.resolve() for path in options.include]
    compiler = ProjectCompiler(options.cache, checkout, include, defines)
    counts: dict[str, int] = {}
    with ThreadPoolExecutor(options.workers) as pool:
        for outcome in pool.map(compiler.compile, selection):
            counts[outcome.stage] = counts.get(outcome.stage, 0) + 1
            _print_row(outcome, checkout, options.errors)
    total = sum(counts.values()) - counts.get("other processor", 0)
    compiling = counts.get("compiles", 0)
    sys.stdout.write(f"{compiling} of {total} compile; {counts}\n")


def _print_row(outcome: Outcome, checkout: Path, most_errors: int) -> None:
    """A row of the table, and below it the first errors, without the folder of the copy."""
    project = outcome.project
    place = project.folder.relative_to(checkout)
    cells = (project.name, place, outcome.stage, outcome.compiler)
    row = " | ".join(map(str, cells))
    sys.stdout.write(f"| {row} |\n")
    for line in outcome.reason.splitlines()[:most_errors]:
        error = line.replace(f"{checkout}/", "")
        sys.stdout.write(f"    {error}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
