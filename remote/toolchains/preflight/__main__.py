"""The lint as a child process: requests (JSON) on standard input, reports on standard output, one a line.

It stays, because loading libclang takes longer than a lint. A candidate that brings libclang down, or keeps
it busy for ever, ends this process and nothing else; and the process reaches no more than it needs.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
import select
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from remote.judge.job import Interface
from remote.judge.json_records import read
from remote.judge.sandbox import Sandbox

from .lint import lint
from .parsing import LintUnavailable, Parser
from .report import LintReport

_MEMORY_BYTES = 3 << 30
# Libclang gives memory back late: beyond this the next request gets a new process.
_ENOUGH_KIB = 1 << 20
_STACK_FRAMES = 20_000
_IDLE_S = 900.0
_PIECE = 1 << 20
_ROOT = Path(__file__).resolve().parents[3]
_OURS = ("core", "remote", "resources")
# As for the compiler: what it can include, the lint has to see.
_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache")
_PYTHON = ("stdlib", "platstdlib", "purelib", "platlib")
_OPEN_FILES, _FILE_MB = 256, 64


def main() -> None:
    """Answer requests until the input ends, nothing was asked for a while, or memory has grown.

    It also ends, without an answer, where the prepared headers are gone.
    """
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    sys.setrecursionlimit(_STACK_FRAMES)
    status = _own_status()
    # A walk makes many short-lived cursors: looking through them costs a fifth of the
    # time.
    gc.disable()
    for request in _requests(sys.stdin.fileno()):
        sys.stdout.buffer.write(
            msgspec.json.encode(_answer(msgspec.json.decode(request))) + b"\n"
        )
        sys.stdout.buffer.flush()
        gc.collect()
        if _peak_kib(status) > _ENOUGH_KIB:
            return


def _own_status() -> int | None:
    """What Linux tells of this process, opened while it may still open it."""
    with contextlib.suppress(OSError):
        return os.open("/proc/self/status", os.O_RDONLY | os.O_CLOEXEC)
    return None


def _peak_kib(status: int | None) -> int:
    """The most memory this process has had, in KiB."""
    # In `getrusage` Linux lets a process begin with the peak of its parent.
    if status is not None:
        for line in os.pread(status, _PIECE, 0).splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _requests(source: int) -> Iterator[bytes]:
    """Lines as they arrive, until the input ends or nothing arrives for `_IDLE_S`."""
    rest = b""
    while select.select([source], [], [], _IDLE_S)[0]:
        piece = os.read(source, _PIECE)
        if not piece:
            return
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines


def _answer(request: Mapping[str, Any]) -> LintReport:
    """The report on a candidate, with a note in place of one where the lint cannot be had.

    Raises:
        SystemExit: The prepared headers are gone; the process ends without an answer.
    """
    started = time.monotonic()
    try:
        parser = _parser(Path(request["twin_dir"]), Path(request["cache_dir"]))
        if not parser.has_headers():
            # Confined, it cannot make them again: the next process does.
            raise SystemExit(0)
        report = lint(parser, read(Interface, request["operator"]), request["files"])
        report = replace(report, version=f"libclang {metadata.version('libclang')}")
    except LintUnavailable as fault:
        report = LintReport(note=str(fault))
    return replace(report, seconds=time.monotonic() - started)


@cache
def _parser(twin_dir: Path, cache_dir: Path) -> Parser:
    """The parser of this process, which reaches no other files from then on."""
    parser = Parser(twin_dir, cache_dir)
    _confine(cache_dir, parser.prepare())
    return parser


def _confine(cache_dir: Path, read: Iterable[Path]) -> None:
    """Give up what the lint does not need, before it reads the first candidate.

    What is left to read: the system in `/usr`, the headers of the twin, Python and our own code. What is left to
    write: the folder of temporary files, where the candidate is placed. Open files and the size of a file
    are limited, too. A candidate that includes another file gets an error that it cannot be opened, and one that takes
    over libclang reaches nothing else. Linux with Landlock only; elsewhere limits of time and memory have to do. The
    process has one thread here.

    Args:
        cache_dir: Where the launcher is kept once compiled; out of reach afterwards.
        read: What may be read besides Python, our code and the system's libraries.
    """
    if not sys.platform.startswith("linux"):
        return
    shared = ctypes.CDLL(str(Sandbox.within(cache_dir).library))
    places = [sysconfig.get_path(name) for name in _PYTHON] + [
        str(_ROOT / name) for name in _OURS
    ]
    places += [
        place
        for place in sys.path
        if Path(place).name in ("site-packages", "dist-packages")
    ]
    places += [*_SYSTEM, *map(str, read), str(Path(sys.base_prefix, "lib"))]
    words = ["-p", "python", "-n", str(_OPEN_FILES), "-f", str(_FILE_MB)]
    for place in dict.fromkeys(place for place in places if Path(place).exists()):
        words += ["-r", place]
    words += ["-w", tempfile.gettempdir(), "-w", os.devnull]
    # A system without Landlock refuses the first; the limits hold there all the same.
    attempts = (words, [*words, "-l", "optional"])
    for attempt in attempts:
        if _confined(shared, attempt):
            return


def _confined(shared: ctypes.CDLL, words: Iterable[str]) -> bool:
    command = ["confine", *words, "--"]
    arguments = (ctypes.c_char_p * (len(command) + 1))(*map(os.fsencode, command), None)
    return int(shared.confine_self(len(command), arguments)) == 0


if __name__ == "__main__":
    main()
