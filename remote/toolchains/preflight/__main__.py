"""The lint as a child process: one request (JSON) on standard input, one report on standard output.

A candidate that brings libclang down, or keeps it busy for ever, ends this process and nothing else.
"""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import msgspec

from .lint import LintReport, lint
from .parsing import LintUnavailable, Parser

_MEMORY_BYTES = 3 << 30
_STACK_FRAMES = 20_000


def main() -> None:
    """Answer the request."""
    started = time.monotonic()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    sys.setrecursionlimit(_STACK_FRAMES)
    request = msgspec.json.decode(sys.stdin.buffer.read())
    try:
        parser = Parser(Path(request["include"]), Path(request["cache_dir"]))
        report = lint(parser, request["operator"], request["files"])
        report = replace(report, version=f"libclang {metadata.version('libclang')}")
    except LintUnavailable as fault:
        report = LintReport(note=str(fault))
    report = replace(report, seconds=time.monotonic() - started)
    sys.stdout.buffer.write(msgspec.json.encode(report))


if __name__ == "__main__":
    main()
