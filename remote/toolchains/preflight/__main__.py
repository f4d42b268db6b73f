"""The lint as a child process: requests (JSON) on standard input, reports on standard output, one a line.

It stays, because loading libclang takes longer than a lint. A candidate that brings libclang down, or keeps
it busy for ever, ends this process and nothing else; and the process reaches no more than it needs.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import select
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from remote.judge.job import Interface
from remote.judge.json_records import read

from .confined import confine
from .lint import lint
from .parsing import LintUnavailable, Parser
from .report import LintReport

_MEMORY_BYTES = 3 << 30
_ENOUGH_KIB = (
    1 << 20
)  # libclang gives memory back late: beyond this the next request gets a new process
_STACK_FRAMES = 20_000
_IDLE_S = 900.0
_PIECE = 1 << 20


def main() -> None:
    """Answer requests until the input ends, nothing was asked for a while, or memory has grown."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    sys.setrecursionlimit(_STACK_FRAMES)
    status = _own_status()
    gc.disable()  # a walk makes many short-lived cursors: looking through them costs a fifth of the time
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
    """Most memory this process has had. Linux lets the usage of a process begin with that of its parent."""
    if status is not None:
        for line in os.pread(status, _PIECE, 0).splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _requests(source: int) -> Iterator[bytes]:
    """Lines as they arrive, until the input ends or rests."""
    rest = b""
    while select.select([source], [], [], _IDLE_S)[0]:
        piece = os.read(source, _PIECE)
        if not piece:
            return
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines


def _answer(request: Mapping[str, Any]) -> LintReport:
    started = time.monotonic()
    try:
        parser = _parser(Path(request["twin_dir"]), Path(request["cache_dir"]))
        if not parser.has_headers():
            raise SystemExit(
                0
            )  # confined, it cannot make them again: the next process does
        report = lint(parser, read(Interface, request["operator"]), request["files"])
        report = replace(report, version=f"libclang {metadata.version('libclang')}")
    except LintUnavailable as fault:
        report = LintReport(note=str(fault))
    return replace(report, seconds=time.monotonic() - started)


@cache
def _parser(twin_dir: Path, cache_dir: Path) -> Parser:
    """The parser of this process, which reaches no other files from then on."""
    parser = Parser(twin_dir, cache_dir)
    confine(cache_dir, parser.prepare())
    return parser


if __name__ == "__main__":
    main()
