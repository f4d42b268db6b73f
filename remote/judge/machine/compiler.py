"""The C++ compiler of the machine: finding it, its command lines, and reading what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from core.evaluation.records import CompilerMessage
from remote.judge.faults import EnvironmentFault

MINIMUM = {"gcc": 11, "clang": 14}
_ASK_TIMEOUT_S = 20
_GOLD = "-fuse-ld=gold"
_CLANGS = ("clang++", *(f"clang++-{at}" for at in range(21, MINIMUM["clang"] - 1, -1)))
# What only warns, and is an error for the device's compiler: a clang called with
# `-cce-aicore-stack-size=0x8000`, as published operators are built.
_DEVICE_ERRORS = {
    "gcc": ("-Werror=narrowing", "-Werror=frame-larger-than=32768"),
    "clang": ("-Wframe-larger-than=32768", "-Werror=frame-larger-than"),
}
_NEWER_LANGUAGE = "gnu++20"
# One meaning of arithmetic on every machine: no fused multiply-add, wrapping integers, no aliasing tricks.
_LANGUAGE = (
    *("-pipe", "-pthread", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing"),
    "-fmessage-length=0",
)
_SPEECH = {
    "gcc": ("-fno-diagnostics-color", "-w", "-fmax-errors=12"),
    "clang": ("-fno-color-diagnostics", "-w", "-ferror-limit=12"),
}

_MESSAGE = re.compile(
    r"^(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)? "
    r"(?P<severity>fatal error|error|warning|note): (?P<text>.*)$"
)
_REQUIRED = re.compile(
    r"^(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?\s+(?:recursively )?required (?:from|by)"
)
_EXPANSION = "in expansion of macro"
_CANDIDATE = ("op_host/", "op_kernel/")
# Its macros stand for words of the language; an error is never looked for there.
_LOOP_MACROS = "twin/count_loops.h"
_LINKER = re.compile(
    r"(undefined reference to .*|multiple definition of .*|undefined symbol: .*)$"
)
# Functions that only have an address are never what a call meant: the twin's own candidates, left out.
_ADDRESS_HEADERS = ("api/vector_addresses.h", "lib/addresses.h")
_EXPLAINING_NOTE = re.compile(
    r"deduced conflicting|template argument deduction|mismatched types|cannot convert|no known conversion"
    r"|couldn't deduce|expects \d+ arguments?"
)


@dataclass(frozen=True)
class Compiler:
    """A usable compiler: `kind` is gcc or clang, `identity` goes into every build key.

    `link_flags` choose a linker quicker than the usual one, where there is one. `has_static`: whether programs
    can bring the C and C++ libraries along, which takes less time than loading them. `has_moved_code`: whether
    code is compiled so that it can lie anywhere, without being asked.
    """

    path: str
    kind: str
    version: str
    identity: str
    link_flags: tuple[str, ...] = ()
    language: str = "c++17"
    has_static: bool = False
    has_moved_code: bool = False

    @property
    def label(self) -> str:
        """What a report shows, e.g. `g++ 12.2.0`."""
        newer = f", {self.language}" if self.language == _NEWER_LANGUAGE else ""
        return f"{Path(self.path).name} {self.version}{newer}"

    def compile_flags(self) -> list[str]:
        """Flags of every translation unit."""
        return [f"-std={self.language}", *_LANGUAGE, *_SPEECH[self.kind]]

    def program_flags(self, *, is_moved: bool = False) -> tuple[str, ...]:
        """Flags that link a program; `is_moved`: one whose code lies at another address in each run."""
        if not self.has_static:
            return self.link_flags
        if is_moved and self.has_moved_code:
            return ("-static-pie",)  # which gold cannot do
        return ("-static", *self.link_flags)

    def device_flags(self) -> list[str]:
        """`compile_flags` for a kernel, with errors for what its own compiler refuses.

        `-w` would silence them; the other warnings are left out by `without_warnings`.
        """
        flags = [flag for flag in self.compile_flags() if flag != "-w"]
        return [*flags, *_DEVICE_ERRORS[self.kind]]

    def header_command(
        self, header: Path, target: Path, flags: Iterable[str]
    ) -> list[str]:
        """Precompile `header` into `target`."""
        places = ["-x", "c++-header", str(header), "-o", str(target)]
        return [self.path, *self.compile_flags(), *flags, *places]

    def with_header(self, folder: Path, name: str) -> list[str]:
        """Flags that use the precompiled `name` in `folder`."""
        if self.kind == "gcc":
            return ["-include", str(folder / name)]
        # Contents are addressed by digest: time stamps, which clang compares, say nothing.
        header = str(folder / f"{name}.gch")
        return ["-Xclang", "-fno-validate-pch", "-include-pch", header]


def installed_compilers(environment: Mapping[str, str]) -> Iterator[str]:
    """Paths of `$SAGE_CXX`, where that is not set of g++, clang++ and c++, as far as they are there."""
    override = environment.get("SAGE_CXX", "")
    for name in [override] if override else ["g++", "clang++", "c++"]:
        if path := shutil.which(name, path=environment.get("PATH")):
            yield path


def find_compiler(environment: Mapping[str, str] | None = None) -> Compiler:
    """The first of `$SAGE_CXX`, g++, clang++, c++ that is new enough.

    Raises:
        EnvironmentFault: There is none; says what to install.
    """
    environment = os.environ if environment is None else environment
    too_old = []
    for path in installed_compilers(environment):
        compiler = _identify(path)
        if compiler is None:
            continue
        if int(compiler.version.split(".")[0]) >= MINIMUM[compiler.kind]:
            return compiler
        too_old.append(compiler.label)
    old = f" Found only {', '.join(too_old)}." if too_old else ""
    override = environment.get("SAGE_CXX", "")
    asked_for = f" (SAGE_CXX={override})" if override else ""
    raise EnvironmentFault(
        f"No C++ compiler for the CPU twin{asked_for}.{old} Install g++ 11 or newer, or clang++ 14 or newer "
        "(Debian, Ubuntu: apt install g++; macOS: xcode-select --install)."
    )


def second_compiler(first: Compiler) -> Compiler | None:
    """Who is asked about what `first` refuses: clang, as the device's compiler is one, when it is installed.

    The device's compiler accepts more than g++ in C++17: explicit specialisations within classes, template
    arguments on functions found by their arguments, constexpr constructors that leave members open. In C++20
    g++ takes the last two as well, but aggregates no longer have defaulted constructors: C++17 is first.
    """
    if first.kind != "gcc":
        return None
    for name in () if os.environ.get("SAGE_CXX", "") else _CLANGS:
        path = shutil.which(name)
        compiler = _identify(path) if path else None
        if (
            compiler is not None
            and int(compiler.version.split(".")[0]) >= MINIMUM["clang"]
        ):
            return compiler
    return newer_language(first)


def newer_language(compiler: Compiler) -> Compiler:
    """The same compiler in the language of sources that C++17 refuses, see `second_compiler`."""
    return replace(compiler, language=_NEWER_LANGUAGE)


def _identify(path: str) -> Compiler | None:
    version_text = _output(path, "--version")
    macros = _output(path, "-dM", "-E", "-x", "c++", "/dev/null")
    if version_text is None or macros is None:
        return None
    clang = "__clang__" in macros
    names = ("__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__")
    if clang:
        names = ("__clang_major__", "__clang_minor__", "__clang_patchlevel__")
    numbers = [re.search(rf"#define {name} (\d+)", macros) for name in names]
    parts = [match[1] for match in numbers if match is not None]
    if len(parts) < len(names):
        return None
    real = Path(path).resolve()
    stamp = real.stat()
    first_line = version_text.splitlines()[0] if version_text else ""
    return Compiler(
        path,
        "clang" if clang else "gcc",
        ".".join(parts),
        f"{real} {stamp.st_size} {stamp.st_mtime_ns} {first_line}",
        _link_flags(path),
        has_static=_has_static(path),
        has_moved_code="#define __PIE__" in macros,
    )


def _has_static(path: str) -> bool:
    """Whether the compiler at `path` finds all that programs without shared libraries are linked with."""
    # Before glibc 2.34 threads lie in a library of their own, of which a program without
    # shared libraries gets too little.
    library, _, version = _c_library().partition(" ")
    numbers = tuple(int(part) for part in version.split(".") if part.isdigit())
    parts = ("libstdc++.a", "libc.a", "rcrt1.o")
    return (library == "glibc" and numbers >= (2, 34)) and all(
        Path((_output(path, f"-print-file-name={part}") or "").strip()).is_absolute()
        for part in parts
    )


def _c_library() -> str:
    """Name and version of the C library, such as `glibc 2.36`; empty where it does not tell."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (ValueError, OSError, AttributeError):
        return ""


def _link_flags(path: str) -> tuple[str, ...]:
    """What makes the compiler at `path` link with gold, in a third of the time of GNU ld; or nothing."""
    return (_GOLD,) if "gold" in (_output(path, _GOLD, "-Wl,--version") or "") else ()


def _output(path: str, *options: str) -> str | None:
    """What the compiler at `path` prints; None when it cannot be run or fails."""
    try:
        process = subprocess.run(
            [path, *options],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ASK_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return process.stdout


def without_addresses(log: str) -> str:
    """Compiler output without the notes about candidates of `_ADDRESS_HEADERS`."""
    lines = []
    skipping = False
    for line in log.splitlines(keepends=True):
        message = _MESSAGE.match(line.rstrip("\n"))
        if message:
            note, text = message["severity"] == "note", message["text"]
            if note and message["file"].endswith(_ADDRESS_HEADERS):
                skipping = True
            elif not note or (
                text.startswith("candidate")
                and not text.startswith("candidate expects")
            ):
                skipping = False
        if not skipping:
            lines.append(line)
    return "".join(lines)


def without_warnings(log: str) -> str:
    """What a compiler said, less its warnings and the lines that belong to them."""
    lines: list[str] = []
    within = False
    for line in log.splitlines(keepends=True):
        message = _MESSAGE.match(line.rstrip("\n"))
        if message:
            severity = message["severity"]
            within = severity == "warning" or (within and severity == "note")
        elif not line.startswith(" "):
            within = False
        if not within:
            lines.append(line)
    return "".join(lines)


def read_messages(log: str, strip: Mapping[str, str]) -> list[CompilerMessage]:
    """Diagnostics in compiler output.

    An error inside a header of the twin is moved to the line of the candidate that led there, as far as the
    compiler says it ("required from", "in expansion of macro").

    Args:
        log: Both streams of the compiler.
        strip: Path prefix -> what to show in its place.
    """
    messages: list[CompilerMessage] = []
    required: tuple[str, int, int] | None = None
    header = ""  # of the last error, where that is in none of the candidate's files
    for line in log.splitlines():
        if ": In instantiation of" in line or ": In substitution of" in line:
            required = None
        through = _REQUIRED.match(line)
        if through:
            file = _stripped_path(through["file"], strip)
            if file.startswith(_CANDIDATE):
                required = (file, int(through["line"]), int(through["column"] or 0))
            continue
        message = _MESSAGE.match(line)
        if message:
            file = _stripped_path(message["file"], strip)
            place = (file, int(message["line"]), int(message["column"] or 0))
            text = message["text"]
            severity = (
                "error" if message["severity"] == "fatal error" else message["severity"]
            )
            own = file.startswith(_CANDIDATE)
            if own and header and text.startswith(_EXPANSION):
                error = messages[-1].text.removesuffix(_in_header(header))
                where = "" if header.endswith(_LOOP_MACROS) else _in_header(header)
                messages[-1] = CompilerMessage("error", error + where, *place)
                header = ""
                continue
            header = file if severity == "error" and not own else ""
            if header and required is not None:
                text, place = text + _in_header(header), required
            messages.append(CompilerMessage(severity, text, *place))
            continue
        linker = _LINKER.search(line)
        if linker:
            messages.append(CompilerMessage("error", linker[1]))
            header = ""
    return messages


def _in_header(file: str) -> str:
    return f" (in {Path(file).name})"


def cause_of(messages: list[CompilerMessage]) -> str:
    """The line that explains a failure: the first error, with the note that says why when there is one."""
    for index, message in enumerate(messages):
        if message.severity != "error":
            continue
        why = ""
        for note in messages[index + 1 :]:
            if note.severity != "note":
                break
            if _EXPLAINING_NOTE.search(note.text) and not note.text.startswith(
                "candidate: "
            ):
                why = f"; {note.text.strip()}"
                if "deduced conflicting" in note.text or "cannot convert" in note.text:
                    break
        return f"{message}{why}"
    return ""


def _stripped_path(file: str, strip: Mapping[str, str]) -> str:
    for prefix, replacement in strip.items():
        if file.startswith(prefix):
            return replacement + file[len(prefix) :].lstrip("/")
    return file.removeprefix("./")
