"""Compiles test kernels against the twin's headers and runs single cases of them in this process.

A test kernel is a C++ file in `kernels/` that registers small cases (see `kernels/case.h`). All cases of one
file go into one shared library, because compiling is the expensive part.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock

from remote.judge.building.twin_sources import TwinSources, placed_headers

KERNELS = Path(__file__).parent / "kernels"
TWIN = TwinSources(Path(__file__).parents[2] / "resources" / "twin")
INCLUDE = placed_headers(
    TWIN, Path(tempfile.gettempdir()) / "sage-twin-tests" / "headers"
)
COMPILER = shutil.which("g++") or shutil.which("clang++") or "c++"
WARNINGS = ("-Wall", "-Wextra", "-Werror")
FLAGS = (
    "-std=c++17",
    "-O1",
    *WARNINGS,
    "-fPIC",
    "-pthread",
    f"-I{INCLUDE}",
    f"-I{KERNELS}",
)
FIRST = "twin/kernel_prelude.h"  # what every kernel includes, precompiled
POISON = 0xFF


@dataclass(frozen=True)
class Report:
    """What one launch did; see `twin/launch.h`."""

    completed: bool
    abandoned: bool
    modelled_us: float
    launch_us: float
    bound: str
    printed: str
    cores: list[dict[str, float]]
    findings: list[dict[str, Any]]

    def rules(self, severity: str | None = None) -> list[str]:
        """Names of the rules found, in order of first occurrence."""
        return [
            f["rule"]
            for f in self.findings
            if severity is None or f["severity"] == severity
        ]

    def finding(self, rule: str) -> dict[str, Any]:
        """The one finding of `rule`."""
        (found,) = [f for f in self.findings if f["rule"] == rule]
        return found


@dataclass(frozen=True)
class Library:
    """A compiled test kernel file."""

    path: Path
    source: Path

    def has(self, case: str) -> bool:
        """Whether the file registers a case of that name."""
        return bool(ctypes.CDLL(str(self.path)).twin_test_has(case.encode()))

    def run(
        self,
        case: str,
        inputs: Sequence[torch.Tensor] = (),
        outputs: Sequence[torch.Tensor] = (),
        parameters: Sequence[float] = (),
        *,
        block_dim: int = 1,
        time_limit: float = 20.0,
        strict: bool = False,
        fast: bool = False,
        cold: bool = False,
        soc: str = "Ascend910B1",
        coverage: bool = False,
        trace: bytearray | None = None,
    ) -> Report:
        """Runs `case`; results are written into `outputs` in place.

        Most cases write only a part of their output, so findings about unwritten bytes are left out unless
        `coverage` asks for them. A tensor that is both input and output is one buffer. `trace` takes records.
        `cold` models the first launch, with nothing in L2.
        """
        tensors = [*inputs, *outputs]
        buffers = {id(tensor): _padded(tensor) for tensor in tensors}
        padded = [buffers[id(tensor)] for tensor in tensors]
        sizes = [tensor.numel() * tensor.element_size() for tensor in tensors]
        library = ctypes.CDLL(str(self.path))
        report = ctypes.create_string_buffer(1 << 18)
        count = len(tensors)
        room = (ctypes.c_uint8 * len(trace)).from_buffer(trace) if trace else None
        used = library.twin_test_run(
            case.encode(),
            count,
            len(inputs),
            (ctypes.c_void_p * count)(*(buffer.data_ptr() for buffer in padded)),
            (ctypes.c_size_t * count)(*sizes),
            (ctypes.c_double * len(parameters))(*parameters),
            len(parameters),
            ctypes.c_uint32(block_dim),
            ctypes.c_double(time_limit),
            2 if fast else int(strict),
            int(cold),
            soc.encode(),
            str(KERNELS).encode(),
            report,
            ctypes.c_size_t(len(report)),
            room,
            ctypes.c_size_t(len(trace or ())),
        )
        assert used, f"{self.source.name} has no case {case}"
        for tensor, buffer, size in list(zip(tensors, padded, sizes, strict=True))[
            len(inputs) :
        ]:
            tensor.view(-1).view(torch.uint8).copy_(buffer[:size])
        found = json.loads(report.value)
        if not coverage:
            found["findings"] = [
                f for f in found["findings"] if f["rule"] != "gm-unwritten"
            ]
        return Report(**found)


def _padded(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor's bytes as the device holds them: aligned to 512 bytes, filled up to 512 with poison."""
    raw = tensor.contiguous().view(-1).view(torch.uint8)
    room = torch.full(
        ((raw.numel() + 32 + 511) // 512 * 512 + 512,), POISON, dtype=torch.uint8
    )
    start = -room.data_ptr() % 512
    aligned = room[start : start + (raw.numel() + 32 + 511) // 512 * 512]
    aligned[: raw.numel()] = raw
    return aligned


def build(name: str, *, defines: Sequence[str] = ()) -> Library:
    """Compiles `kernels/<name>.cpp` once per content of headers and source."""
    source = KERNELS / f"{name}.cpp"
    flags = tuple(f"-D{d}" for d in defines)

    def compiled(part: Path) -> None:
        _compile(
            [*flags, *_first(), "-shared", str(source), str(_driver()), "-o", str(part)]
        )

    return Library(
        _once(f"{name}-", ".so", (source.read_bytes(), flags), compiled), source
    )


@cache
def _driver() -> Path:
    """The device runtime and the entry points as an object, once for all libraries."""
    return _once(
        "driver-",
        ".o",
        (),
        lambda part: _compile(["-c", str(KERNELS / "driver.cpp"), "-o", str(part)]),
    )


@cache
def _first() -> list[str]:
    """Flags that bring in the precompiled headers; reading them as text takes longer than most kernels."""
    if not COMPILER.endswith("g++"):
        return []
    text = f'#include "{FIRST}"\n'

    def compiled(part: Path) -> None:
        header = part.with_name(part.name.partition(".")[0] + ".h")
        header.write_text(
            text
        )  # stays: a compiler that refuses what is precompiled reads it instead
        _compile(["-x", "c++-header", str(header), "-o", str(part)])

    made = _once("first-", ".h.gch", (text,), compiled)
    for other in made.parent.glob("first-*.gch"):
        if other != made:
            other.unlink(missing_ok=True)  # of other headers: 90 MB each
    return [
        "-include",
        str(made.with_suffix("")),
    ]  # without its suffix, as compilers look for it


def _once(
    name: str, suffix: str, of: tuple[object, ...], make: Callable[[Path], None]
) -> Path:
    """The file made of `of` and all headers; tests that run beside each other wait for whoever makes it."""
    digest = hashlib.sha256(repr((_common(), of)).encode()).hexdigest()
    folder = Path(tempfile.gettempdir()) / "sage-twin-tests"
    folder.mkdir(exist_ok=True)
    target = folder / f"{name}{digest[:20]}{suffix}"
    if not target.exists():
        with FileLock(target.with_suffix(".lock")):
            if not target.exists():
                part = target.with_suffix(f".{os.getpid()}.part")
                make(part)
                part.replace(target)
    return target


@cache
def _common() -> str:
    """Digest of what every library is compiled of."""
    digest = hashlib.sha256(" ".join((COMPILER, *FLAGS)).encode())
    headers = sorted(path for path in INCLUDE.rglob("*") if path.is_file())
    for path in [KERNELS / "case.h", KERNELS / "driver.cpp", *headers]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _compile(arguments: Sequence[str]) -> None:
    done = subprocess.run(
        [COMPILER, *FLAGS, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-6000:]


def line_of(library: Library, marker: str) -> int:
    """Line number of the comment `// marker` in the library's source."""
    for number, line in enumerate(library.source.read_text().splitlines(), 1):
        if line.rstrip().endswith(f"// {marker}"):
            return number
    raise AssertionError(f"no marker {marker} in {library.source.name}")


def compile_error(source: str) -> str:
    """Compiler output for a kernel text that must not compile."""
    command = [COMPILER, *FLAGS, *_first(), "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(
        command, input=source, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0, "the kernel compiled"
    return done.stderr
