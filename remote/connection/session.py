"""One channel in use: a thread that reads answers, and one that writes requests and, between them, data."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from remote.connection.channel import Channel, plain
from remote.connection.faults import ChannelFault, HostFault, SessionEnded
from remote.job_server.frames import (
    ACK,
    DATA,
    DATA_END,
    HELLO,
    REPLY,
    REQUEST,
    WINDOW,
    BrokenFrame,
    pack,
    pack_json,
    read_frame,
    unpack_json,
)

_PING = 0
_MOST_WORDS = 400  # kept of what a host says instead of frames

OnReply = Callable[[int, Mapping[str, Any], bytes], None]


@dataclass
class Outgoing:
    """Data of one request on its way: at most `WINDOW` bytes more than were acknowledged."""

    request: int
    chunks: Iterator[bytes]
    credit: int = WINDOW


class Session:
    """A channel from its first frame to its end. `end` may be called from any thread."""

    def __init__(self, name: str, channel: Channel) -> None:
        self._name = name
        self._channel = channel
        self._lock = threading.Condition()
        self._frames: deque[bytes] = deque()
        self._outgoing: deque[Outgoing] = deque()
        self._sent: dict[int, int] = {}
        self._threads: list[threading.Thread] = []
        self.ended = threading.Event()
        self.why = ""
        self.heard_at = time.monotonic()

    def greet(self, limit_s: float) -> Mapping[str, Any]:
        """Read the job server's first frame.

        Raises:
            SessionEnded: Its Python ends at once and says nothing.
            HostFault: The host cannot run the job server, or it speaks another version.
            ChannelFault: The channel broke or nothing came.
        """
        # Reading blocks without a limit of its own, so a timer cuts the channel.
        guard = threading.Timer(limit_s, lambda: self.end("no greeting"))
        guard.daemon = True
        guard.start()
        words = bytearray()

        def read(count: int) -> bytes:
            part = self._channel.receive(count)
            if len(words) < _MOST_WORDS:
                words.extend(part[:_MOST_WORDS])
            return part

        try:
            frame = read_frame(read)
        except (BrokenFrame, EOFError, OSError) as error:
            # Only a program that said nothing and was not cut by us ended by itself.
            code = None if self.ended.is_set() or words else self._channel.exit_code()
            if code is not None:
                raise SessionEnded(
                    "Python on {name} ended with exit code {code} and no output.",
                    "Start it there by hand: `python3 -V`.",
                    name=self._name,
                    code=code,
                ) from error
            if self.ended.is_set() or not words:
                raise ChannelFault(
                    "The connection to {name} was lost while connecting: {error}.",
                    name=self._name,
                    error=error,
                ) from error
            while len(words) < _MOST_WORDS and read(_MOST_WORDS):
                continue
            raise HostFault(
                "{name} cannot run the helper program: {heard}.",
                "The host needs Python 3.8 or newer and a home folder that can be written.",
                name=self._name,
                heard=plain(words),
            ) from error
        finally:
            guard.cancel()
        if frame.kind != HELLO:
            raise HostFault(
                "{name} answered with something unexpected.", name=self._name
            )
        hello: Mapping[str, Any] = unpack_json(frame.payload)[0]
        if hello["problem"]:
            raise HostFault(
                "{name}: {problem}.",
                kind="disk",
                name=self._name,
                problem=hello["problem"],
            )
        return hello

    def start(self, on_reply: OnReply) -> None:
        """Begin to read and write."""
        for target, name in (
            (lambda: self._read(on_reply), "read"),
            (self._write, "write"),
        ):
            thread = threading.Thread(
                target=target, name=f"{self._name}-{name}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def send(self, frame: bytes, data: Outgoing | None = None) -> None:
        """Queue a frame, ahead of all data, and the data that belongs to it."""
        with self._lock:
            self._frames.append(frame)
            if data is not None:
                self._outgoing.append(data)
            self._lock.notify_all()

    def ping(self) -> None:
        """Ask for a sign of life."""
        self.send(pack_json(REQUEST, _PING, {"op": "ping"}))

    def take_sent(self, request: int) -> int:
        """Bytes of data sent for a request, once."""
        with self._lock:
            return self._sent.pop(request, 0)

    def end(self, why: str) -> None:
        """Cut the channel; both threads and all that wait in it are released."""
        with self._lock:
            self.why = self.why or why
            self.ended.set()
            self._lock.notify_all()
        self._channel.close()

    def close(self) -> None:
        """Cut the channel and wait for the threads."""
        self.end("closed")
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(5)

    def _read(self, on_reply: OnReply) -> None:
        try:
            while True:
                frame = read_frame(self._channel.receive)
                self.heard_at = time.monotonic()
                if frame.kind == ACK:
                    self._acknowledge(
                        frame.request, int.from_bytes(frame.payload, "big")
                    )
                elif frame.kind == REPLY and frame.request != _PING:
                    self._stop_data(frame.request)
                    on_reply(frame.request, *unpack_json(frame.payload))
        except (EOFError, BrokenFrame, OSError) as error:
            self.end(str(error) or type(error).__name__)
        except Exception as error:  # noqa: BLE001 - whatever the SSH library raises, the channel is unusable
            self.end(repr(error))

    def _write(self) -> None:
        try:
            while True:
                with self._lock:
                    self._lock.wait_for(self._has_something)
                    if self.ended.is_set():
                        return
                    frame = self._next_frame()
                if frame:
                    self._channel.send(frame)
        except Exception as error:  # noqa: BLE001 - whatever the SSH library raises, the channel is unusable
            self.end(str(error) or type(error).__name__)

    def _has_something(self) -> bool:
        return (
            self.ended.is_set()
            or bool(self._frames)
            or any(entry.credit > 0 for entry in self._outgoing)
        )

    def _next_frame(self) -> bytes:
        """The next frame: requests first, then a chunk of the stream whose turn it is."""
        if self._frames:
            return self._frames.popleft()
        # Streams take turns, so that a large file does not hold up a small one.
        for _ in range(len(self._outgoing)):
            entry = self._outgoing[0]
            self._outgoing.rotate(-1)
            if entry.credit <= 0:
                continue
            chunk = next(entry.chunks, None)
            if chunk is None:
                self._outgoing.remove(entry)
                return pack(DATA_END, entry.request)
            entry.credit -= len(chunk)
            self._sent[entry.request] = self._sent.get(entry.request, 0) + len(chunk)
            return pack(DATA, entry.request, chunk)
        return b""

    def _acknowledge(self, request: int, count: int) -> None:
        with self._lock:
            for entry in self._outgoing:
                if entry.request == request:
                    entry.credit += count
            self._lock.notify_all()

    def _stop_data(self, request: int) -> None:
        """The answer is there already: what was not sent yet is dropped."""
        with self._lock:
            self._outgoing = deque(
                entry for entry in self._outgoing if entry.request != request
            )
