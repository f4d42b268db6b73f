"""A TCP proxy on loopback that delays, stops and cuts what passes: slow, dead and broken networks."""

from __future__ import annotations

import heapq
import itertools
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress


class Proxy:
    """Forwards to `port`, `delay_s` later in each direction; a black hole swallows bytes and connections.

    Attributes:
        garbled_greetings: Of so many connections the server's greeting arrives changed.
    """

    def __init__(self, port: int, delay_s: float = 0.0) -> None:
        self._target = port
        self.delay_s = delay_s
        self.black_hole = False
        self.garbled_greetings = 0
        self.bytes_in = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._closed = False
        self.run(self._accept)

    def run(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def cut(self) -> None:
        """Break every connection."""
        for sock in self._sockets:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def close(self) -> None:
        self._closed = True
        with suppress(OSError):
            self._listener.shutdown(
                socket.SHUT_RDWR
            )  # closing alone does not end the accept
        self._listener.close()
        self.cut()
        for thread in self._threads:
            thread.join(2)
        for sock in self._sockets:
            sock.close()

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.black_hole:
                self._sockets.append(client)
                continue
            server = socket.create_connection(("127.0.0.1", self._target))
            for sock in (client, server):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._sockets.append(sock)
            _Pipe(self, client, server, count=True)
            _Pipe(self, server, client, count=False)


class _Pipe:
    """One direction of a connection: one thread reads, one sends each piece when its time has come."""

    def __init__(
        self, proxy: Proxy, source: socket.socket, target: socket.socket, *, count: bool
    ) -> None:
        self._proxy, self._source, self._target, self._count = (
            proxy,
            source,
            target,
            count,
        )
        self._due: list[tuple[float, int, bytes]] = []
        self._order = itertools.count()
        self._changed = threading.Condition()
        proxy.run(self._read)
        proxy.run(self._write)

    def _read(self) -> None:
        while True:
            try:
                data = self._source.recv(1 << 16)
            except OSError:
                data = b""
            if self._proxy.black_hole and data:
                continue
            if self._count:
                self._proxy.bytes_in += len(data)
            elif data.startswith(b"SSH-2.0") and self._proxy.garbled_greetings:
                self._proxy.garbled_greetings -= 1
                data = data.replace(b"SSH-2.0", b"SSH-2/0", 1)
            with self._changed:
                heapq.heappush(
                    self._due,
                    (time.monotonic() + self._proxy.delay_s, next(self._order), data),
                )
                self._changed.notify()
            if not data:
                return

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._due)
                due, _, data = heapq.heappop(self._due)
            if (left := due - time.monotonic()) > 0:
                time.sleep(left)
            try:
                if not data:
                    self._target.shutdown(socket.SHUT_WR)
                    return
                self._target.sendall(data)
            except OSError:
                return
