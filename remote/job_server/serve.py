"""The serving job server: one thread reads frames, one answers each request, the end of input is the end."""

from __future__ import annotations

import io
import os
import platform
import queue
import sys
import threading
import time
import traceback
from typing import IO, Any, Callable, Dict, List, Optional, Tuple

from . import jobs, probe, store
from .frames import (
    ACK,
    DATA,
    DATA_END,
    HELLO,
    REPLY,
    REQUEST,
    BrokenFrame,
    Frame,
    pack,
    pack_json,
    read_frame,
    unpack_json,
)
from .home import Home, Refused, disk_refusal
from .processes import boot_id, run

PROTOCOL = 1
_LAST_WORDS_S = 5.0
_ACK_BYTES = 256 << 10


class _Incoming(io.RawIOBase):
    """The data of one request as a readable stream; what is read is acknowledged."""

    def __init__(self, server: Server, request: int) -> None:
        super().__init__()
        self._server = server
        self._request = request
        self._chunks: queue.SimpleQueue[Optional[bytes]] = queue.SimpleQueue()
        self._left = b""
        self._ended = False
        self._unacknowledged = 0

    def put(self, chunk: Optional[bytes]) -> None:
        """Add received bytes; None at the end."""
        self._chunks.put(chunk)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left and not self._ended:
            chunk = self._chunks.get()
            if chunk is None:
                self._ended = True
            else:
                self._left = chunk
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        self._unacknowledged += count
        if self._unacknowledged >= _ACK_BYTES:
            self._server.say(
                pack(ACK, self._request, self._unacknowledged.to_bytes(4, "big"))
            )
            self._unacknowledged = 0
        return count


class Server:
    """Serves one connection."""

    def __init__(self, source: IO[bytes], target: IO[bytes], base: str) -> None:
        self._source = source
        self._target = target
        self._home = Home.at(base)
        self._write = threading.Lock()
        self._streams: Dict[int, _Incoming] = {}
        self._gone = threading.Event()

    def run(self) -> None:
        """Serve until the input ends. Requests in work are then given a moment to finish what they do."""
        problem = ""
        try:
            self._home.make()
        except Refused as refused:
            problem = str(refused)
        self.say(pack_json(HELLO, 0, self._hello(problem)))
        threads: List[threading.Thread] = []
        while True:
            try:
                frame = read_frame(self._source.read)
            except (EOFError, BrokenFrame, OSError):
                break
            if frame.kind == REQUEST:
                threads = [thread for thread in threads if thread.is_alive()]
                threads.append(self._begin(frame))
            elif frame.request in self._streams and frame.kind in (DATA, DATA_END):
                self._streams[frame.request].put(
                    frame.payload if frame.kind == DATA else None
                )
        self._gone.set()
        for stream in list(self._streams.values()):
            stream.put(None)
        deadline = time.monotonic() + _LAST_WORDS_S
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def say(self, frame: bytes) -> None:
        """Write one frame; a channel that is gone is noticed by the reader."""
        with self._write:
            try:
                self._target.write(frame)
                self._target.flush()
            except (OSError, ValueError):
                self._gone.set()

    def _hello(self, problem: str) -> Dict[str, Any]:
        return {
            "protocol": PROTOCOL,
            "base": str(self._home.base),
            "boot": boot_id(),
            "time": time.time(),
            "python": platform.python_version(),
            "hostname": platform.node(),
            "problem": problem,
            "cpus": len(os.sched_getaffinity(0)),
        }

    def _begin(self, frame: Frame) -> threading.Thread:
        stream = self._streams[frame.request] = _Incoming(self, frame.request)
        thread = threading.Thread(target=self._serve, args=(frame, stream), daemon=True)
        thread.start()
        return thread

    def _serve(self, frame: Frame, stream: _Incoming) -> None:
        body = b""
        try:
            request, _ = unpack_json(frame.payload)
            answer, body = self._answer(request, stream)
            reply = {"ok": True, **answer}
        except Refused as refused:
            reply = refused.reply()
        except OSError as error:
            reply = disk_refusal(error, self._home.base).reply()
        except Exception as error:  # noqa: BLE001 - a bug here must reach the client, not end the job server
            reply = {
                "ok": False,
                "kind": "bug",
                "text": repr(error),
                "trace": traceback.format_exc(),
            }
        del self._streams[frame.request]
        self.say(pack_json(REPLY, frame.request, reply, body))

    def _answer(self, request: Any, stream: _Incoming) -> Tuple[Dict[str, Any], bytes]:
        home, client_gone = self._home, self._gone.is_set
        operations: Dict[str, Callable[[], Any]] = {
            "ping": lambda: {"time": time.time()},
            "follow": lambda: jobs.follow(home, request, client_gone),
            "start": lambda: jobs.start(home, request),
            "missing": lambda: {"missing": store.missing(home, request["shas"])},
            "put": lambda: {
                "received": store.receive(home, io.BufferedReader(stream, 1 << 20))
            },
            "plant": lambda: {
                "planted": store.plant(home, request["digest"], request["files"])
            },
            "read": lambda: jobs.read(home, request),
            "cancel": lambda: jobs.cancel(home, request, client_gone),
            "forget": lambda: jobs.forget(home, request),
            "list": lambda: {"jobs": jobs.listing(home)},
            "collect": lambda: store.collect(
                home, request["keep_days"], request["most_bytes"]
            ),
            "probe": lambda: probe.facts(home, request),
            "npu-smi": lambda: {**probe.npu_smi(), "task_submit": probe.task_submit()},
            "run": lambda: _run(request),
        }
        if request["op"] not in operations:
            raise Refused("bad-request", "there is no request %r" % request["op"])
        answer = operations[request["op"]]()
        return answer if isinstance(answer, tuple) else (answer, b"")


def _run(request: Dict[str, Any]) -> Dict[str, Any]:
    """A short command of ours, e.g. a probe; nothing long runs this way."""
    code, output = run(request["command"], float(request.get("limit_s", 20)))
    return {"code": code, "output": output[-65536:]}


def serve(base: str) -> int:
    """Serve the connection on standard input and output."""
    target = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    # Nothing a library prints may mix with the frames.
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.umask(0o077)
    Server(os.fdopen(0, "rb", buffering=0), target, base).run()
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open until the process ends
    # Threads that still wait for output have no channel left to answer on.
    os._exit(0)
