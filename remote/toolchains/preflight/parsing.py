"""libclang against the twin's headers: where they are, a precompiled header, one parsed source."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from core.errors import SageError
from core.text import Text
from remote.judge.building.glue import KERNEL_SIDE
from remote.judge.building.twin_sources import TwinSources, placed_headers
from remote.judge.machine.compiler import installed_compilers

from .syntax_tree import Clang, File, Location, Unit

_ASK_S = 20
_WORD = re.compile(r"\w+")
_SEARCH_LIST = re.compile(
    r"^#include <\.\.\.> search starts here:\n(.*?)^End of search list",
    re.MULTILINE | re.DOTALL,
)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_KERNEL_HEADERS = ("twin/kernel_prelude.h", "twin/launch.h")
_HOST_HEADERS = (
    "twin/host/standard.h",
    "register/op_def_registry.h",
    "register/tilingdata_base.h",
)
# A kernel again, with pointers into global memory as a type.
ADDRESSES = "addresses"
# What a source is parsed as -> the headers precompiled for it, its macros.
_SIDES = {
    "kernel": (_KERNEL_HEADERS, (KERNEL_SIDE,)),
    "host": (_HOST_HEADERS, ()),
    ADDRESSES: (_KERNEL_HEADERS, (KERNEL_SIDE, "-DTWIN_ADDRESS_SPACES=1")),
}
# The device compiler knows `half` scalars as a builtin type; `-w`: only errors matter here.
_LANGUAGE = ("-std=c++17", "-w", "-ferror-limit=64", "-fno-strict-aliasing")
# What the headers instantiate is instantiated when they are precompiled, not again with each candidate.
_PRECOMPILED = "-fpch-instantiate-templates"


class LintUnavailable(SageError):
    """The lint cannot run on this computer; kernels are evaluated without it."""


@dataclass(frozen=True)
class Parsed:
    """One translation unit and what clang said about it: (file, line, column, text) of its errors."""

    unit: Unit
    errors: tuple[tuple[str, int, int, str], ...]


@dataclass(frozen=True)
class HeaderPlaces:
    """Where headers lie that are not the candidate's: those of the twin, those of the compiler."""

    twin: Path
    system: tuple[str, ...]


def load_libclang() -> Clang:
    """The module `clang.cindex`, with its library loaded.

    Raises:
        LintUnavailable: The package is missing or does not fit this computer.
    """
    try:
        from clang import cindex

        cindex.conf.lib  # noqa: B018 - loads the library, which is what may fail
    except Exception as error:
        if (
            not isinstance(error, ImportError | OSError)
            and type(error).__name__ != "LibclangError"
        ):
            raise
        raise _unavailable(
            Text("libclang cannot be loaded ({error})", error=error),
            "Install it: pip install libclang.",
        ) from error
    return cindex


def standard_includes() -> tuple[str, ...]:
    """Where this computer's C++ compiler finds its standard headers, in its order.

    The libclang package has no headers of its own, not even <stddef.h>: those of the compiler serve.

    Raises:
        LintUnavailable: There is no C++ compiler.
    """
    for path in installed_compilers(os.environ):
        try:
            output = subprocess.run(
                [path, "-E", "-v", "-x", "c++", os.devnull],
                capture_output=True,
                text=True,
                timeout=_ASK_S,
                check=True,
                env={**os.environ, "LC_ALL": "C"},
            ).stderr
        except (OSError, subprocess.SubprocessError):
            continue
        search_list = _SEARCH_LIST.search(output)
        if search_list:
            folders = [
                line.strip().removesuffix(" (framework directory)")
                for line in search_list[1].splitlines()
            ]
            return tuple(os.path.realpath(folder) for folder in folders if folder)
    raise _unavailable(
        "there are no C++ standard headers on this computer", "Install g++ or clang++."
    )


class Parser:
    """Parses kernel and host sources; the headers of the twin are precompiled once per version.

    Attributes:
        clang: The module `clang.cindex`.
        macros: Names of the macros the headers define.
        places: Where the headers lie.

    Args:
        twin_dir: Folder of the twin.
        cache_dir: Where its headers are put together and precompiled; may be deleted at any time.
    """

    def __init__(self, twin_dir: Path, cache_dir: Path) -> None:
        self.clang = load_libclang()
        include = self._include = placed_headers(
            TwinSources(twin_dir), cache_dir / "headers"
        )
        self._cache = cache_dir
        standard = standard_includes()
        self._base = [
            "-x",
            "c++",
            *_LANGUAGE,
            "-nostdinc",
            "-nostdinc++",
            f"-I{include}",
        ]
        self._base += [part for folder in standard for part in ("-isystem", folder)]
        self._making = {side: threading.Lock() for side in _SIDES}
        self._ready: dict[str, Path | None] = {}
        self._index = self.clang.Index.create(excludeDecls=True)
        self._stamp = _stamp(include, standard)
        self.macros = frozenset(_defined(include))
        self.places = HeaderPlaces(include, standard)

    def has_headers(self) -> bool:
        """Whether the headers are still there: the cache may have been deleted."""
        return self._include.is_dir()

    def parse(self, source: str, side: str) -> Parsed:
        """Parse `source` as a translation unit of a side. Several threads may parse at once.

        Args:
            source: Path relative to the working directory, which must be the candidate's folder: libclang
                names files as they were given to it.
            side: `kernel`, `host` or `ADDRESSES`.

        Raises:
            LintUnavailable: libclang gives no translation unit at all.
        """
        arguments = [*self._flags(side), "-Iop_kernel", "-Iop_host", "-I."]
        header = self._header(side)
        if header is not None:
            arguments += _with(header)
        try:
            unit = self._index.parse(source, args=arguments)
        except self.clang.TranslationUnitLoadError as error:
            raise _unavailable(
                Text("libclang could not parse {source}", source=source),
                "Report this.",
            ) from error
        return Parsed(unit, tuple(self._errors(unit)))

    def prepare(self) -> tuple[Path, ...]:
        """Make now what is kept on disk; everything that must be read from now on."""
        with ThreadPoolExecutor(len(self._making)) as threads:
            self._ready = dict(
                zip(self._making, threads.map(self._sound, self._making), strict=True)
            )
        headers = [path for path in self._ready.values() if path is not None]
        texts = [path.with_suffix(".h") for path in headers]
        return (*headers, *texts, self._include, *map(Path, self.places.system))

    def _header(self, side: str) -> Path | None:
        if side in self._ready:
            header = self._ready[side]
            # The cache may be deleted.
            return header if header is not None and header.is_file() else None
        with self._making[side]:
            return self._precompiled(side)

    def _sound(self, side: str) -> Path | None:
        """The precompiled headers for one side, made again when they cannot be loaded."""
        header = self._precompiled(side)
        if header is None:
            return None
        arguments = [*self._flags(side), *_with(header)]
        try:
            self._index.parse(
                "empty.cpp", args=arguments, unsaved_files=[("empty.cpp", "")]
            )
        except self.clang.TranslationUnitLoadError:
            header.unlink(missing_ok=True)
            return self._precompiled(side)
        return header

    def _flags(self, side: str) -> list[str]:
        return [*self._base, *_SIDES[side][1]]

    def _errors(self, unit: Unit) -> Iterator[tuple[str, int, int, str]]:
        for message in unit.diagnostics:
            if message.severity >= self.clang.Diagnostic.Error:
                place = message.location
                yield shown_path(place.file), place.line, place.column, message.spelling

    def _precompiled(self, side: str) -> Path | None:
        """The precompiled headers for one side; None when they cannot be made (parsing is slower then)."""
        target = self._cache / f"{side}-{self._stamp}.pch"
        if target.is_file():
            return target
        self._cache.mkdir(parents=True, exist_ok=True)
        headers = _SIDES[side][0]
        text = self._cache / f"{side}-{self._stamp}.h"
        text.write_text(
            "#pragma once\n" + "".join(f'#include "{header}"\n' for header in headers)
        )
        flags = ["-x", "c++-header", _PRECOMPILED, *self._flags(side)[2:]]
        kinds = self.clang.TranslationUnit
        # Bodies of the twin's own functions say nothing about a candidate and are most of what there is to
        # read; clang keeps those it needs, of constexpr functions and where `auto` is returned.
        options = kinds.PARSE_INCOMPLETE | kinds.PARSE_SKIP_FUNCTION_BODIES
        unit = self._index.parse(str(text), args=flags, options=options)
        if any(self._errors(unit)):
            return None
        partial = target.with_suffix(f".{os.getpid()}")
        try:
            unit.save(str(partial))
        except self.clang.TranslationUnitSaveError:
            return None
        partial.replace(target)
        return target


def _with(header: Path) -> list[str]:
    return ["-include-pch", str(header), "-Xclang", "-fno-validate-pch"]


def shown_path(file: File | None) -> str:
    """Path of a file of libclang as the candidate writes it, `` when there is none."""
    return "" if file is None else os.path.normpath(file.name)


class WrittenLines:
    """Lines of sources as clang counts them: a line feed ends one, columns are bytes of UTF-8."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._split: dict[str, list[bytes]] = {}

    def line(self, file: str, number: int, column: int = 1) -> str:
        """A line from a column on, both counted from 1; empty where there is none."""
        if file not in self._split:
            self._split[file] = self._files.get(file, "").encode().split(b"\n")
        lines = self._split[file]
        return (
            lines[number - 1][column - 1 :].decode(errors="replace")
            if 0 < number <= len(lines)
            else ""
        )

    def word_at(self, location: Location) -> str:
        """The name that is written where clang says something is; empty where there is none."""
        word = _WORD.match(
            self.line(shown_path(location.file), location.line, location.column)
        )
        return word[0] if word else ""


def _defined(include: Path) -> Iterator[str]:
    """Names of the macros the twin's headers define."""
    for path in include.rglob("*.h"):
        yield from _DEFINED.findall(path.read_text(encoding="utf-8"))


def _stamp(include: Path, standard: Sequence[str]) -> str:
    """Short digest of the twin's headers as they are, and of the standard headers' place."""
    total = hashlib.sha256(repr(standard).encode())
    for path in sorted(include.rglob("*.h")):
        state = path.stat()
        total.update(f"{path} {state.st_size} {state.st_mtime_ns}\n".encode())
    return total.hexdigest()[:20]


def _unavailable(what: str | Text, hint: str) -> LintUnavailable:
    return LintUnavailable("The language lint did not run: {what}.", hint, what=what)
