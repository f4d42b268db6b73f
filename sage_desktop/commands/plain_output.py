"""What the command line prints: outside text cannot command the terminal, whichever command prints it."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from core.visible import visible


class PlainStream(io.TextIOWrapper):
    """A stream that spells out what a terminal would obey; see `core.visible`."""

    def write(self, text: str, /) -> int:
        # A progress bar begins each of its own writes with a carriage return.
        bar = "\r" if text.startswith("\r") and not text.startswith("\r\n") else ""
        super().write(bar + visible(text[len(bar) :]))
        return len(text)


@contextmanager
def plain_output() -> Iterator[None]:
    """Everything written to standard output and error meanwhile is made visible."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _plain(sys.stdout), _plain(sys.stderr)
    plain_streams = sys.stdout, sys.stderr
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        for stream in plain_streams:
            if isinstance(stream, PlainStream):
                with suppress(BrokenPipeError):  # who read has gone
                    stream.detach()  # flushes; the stream below belongs to others


def _plain(stream: TextIO) -> TextIO:
    buffer = getattr(stream, "buffer", None)
    # A caller's own stream of text.
    if buffer is None or isinstance(stream, PlainStream):
        return stream
    stream.flush()
    ascii_only = stream.encoding.lower() in {"ascii", "us-ascii", "ansi_x3.4-1968"}
    encoding = "utf-8" if ascii_only else stream.encoding
    return PlainStream(
        buffer,
        encoding,
        errors="backslashreplace",
        newline=None,
        line_buffering=stream.isatty() or stream is sys.stderr,
        write_through=stream is sys.stderr,
    )
