"""A scripted OpenAI-compatible server on a real socket: what it does with each request is a small recipe."""

from __future__ import annotations

import contextlib
import json
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from core.memory.tokens import EstimatedTokens


@dataclass(frozen=True)
class Say:
    """Stream `text` in pieces, then end with `finish` and a usage."""

    text: str
    reasoning: str = ""
    reasoning_field: str = "reasoning"
    finish: str = "stop"
    cached: int | None = None
    context: int | None = None  # tokens of the prompt the server keeps, silently


@dataclass(frozen=True)
class Fail:
    """Answer with an HTTP status and an error text."""

    status: int
    text: str = "it failed"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""  # in place of the usual form of an error


@dataclass(frozen=True)
class Stall:
    """Go silent: before the headers, or after a first piece of the stream."""

    after: str = ""


@dataclass(frozen=True)
class Garbage:
    """Answer 200 with something else."""

    body: str = "<html>welcome</html>"
    content_type: str = "text/html"


@dataclass(frozen=True)
class Break:
    """Close the connection in the middle of the stream."""

    after: str = "half"


@dataclass(frozen=True)
class Events:
    """Stream exactly these `data:` lines, then close in good order."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Packed:
    """Answer 200 with so many MiB of one letter, packed to a thousandth."""

    mebibytes: int


@dataclass(frozen=True)
class Drip:
    """Stream this piece again and again, a pause before each, until the client hangs up."""

    piece: str
    pause: float


@dataclass(frozen=True)
class Call:
    """Stream one tool call, as an agent's model does."""

    tool: str
    arguments: Mapping[str, Any]


Recipe = Say | Fail | Stall | Garbage | Break | Events | Call | Packed | Drip
Act = Callable[[dict[str, Any]], Recipe]


class Server:
    """Takes one recipe per request, the last one for ever; keeps every request body and its headers.

    With `act` the recipe follows from the request instead.
    """

    def __init__(
        self,
        *recipes: Recipe,
        models: Mapping[str, int] | None = None,
        act: Act | None = None,
    ) -> None:
        self.recipes = list(recipes)
        self.act = act
        self.models = {"test-model": 32_768} if models is None else models
        self.listed = ""  # said in place of the list of models
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.gone = threading.Event()  # the client of a stalled request hung up
        self._end = threading.Event()
        handler = type("Handler", (_Handler,), {"script": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.02,), daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def next(self, request: dict[str, Any]) -> Recipe:
        if self.act is not None:
            return self.act(request)
        return self.recipes.pop(0) if len(self.recipes) > 1 else self.recipes[0]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    script: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        rows = [
            {
                "id": name,
                "object": "model",
                "max_model_len": size,
                "created": 1,
                "owned_by": "test",
            }
            for name, size in self.script.models.items()
        ]
        self._whole(
            200, self.script.listed or json.dumps({"object": "list", "data": rows})
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.script.requests.append(json.loads(body))
        self.script.headers.append(
            {name.lower(): value for name, value in self.headers.items()}
        )
        recipe = self.script.next(self.script.requests[-1])
        match recipe:
            case Call():
                self._begin()
                call = {"name": recipe.tool, "arguments": json.dumps(recipe.arguments)}
                number = f"call-{len(self.script.requests)}"
                self._chunk(
                    {
                        "tool_calls": [
                            {
                                "index": 0,
                                "id": number,
                                "type": "function",
                                "function": call,
                            }
                        ]
                    }
                )
                self._chunk({}, "tool_calls")
                self._end(body=body)
            case Say():
                self._stream(recipe, body)
            case Fail():
                text = json.dumps(
                    {"error": {"message": recipe.text, "code": recipe.status}}
                )
                self._whole(recipe.status, recipe.body or text, recipe.headers)
            case Garbage():
                self._whole(200, recipe.body, {"Content-Type": recipe.content_type})
            case Stall():
                if recipe.after:
                    self._begin()
                    self._chunk({"content": recipe.after})
                self._wait_for_hang_up()
            case Events():
                self._begin()
                for line in recipe.lines:
                    self._event(line)
                self.wfile.write(b"0\r\n\r\n")
            case Packed():
                self._packed(recipe.mebibytes)
            case Drip():
                self._drip(recipe)
            case Break():
                self._begin()
                self._chunk({"content": recipe.after})
                self.close_connection = True

    def _whole(
        self, status: int, text: str, headers: Mapping[str, str] | None = None
    ) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # the client has had enough
            self.wfile.write(data)

    def _packed(self, mebibytes: int) -> None:
        packer = zlib.compressobj(wbits=31)
        parts = [packer.compress(b"x" * (1 << 20)) for _ in range(mebibytes)]
        data = b"".join((*parts, packer.flush()))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(data)

    def _drip(self, recipe: Drip) -> None:
        self._begin()
        with contextlib.suppress(OSError):
            while not self.script._end.wait(recipe.pause):
                self._event(recipe.piece)
        self.script.gone.set()
        self.close_connection = True

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _stream(self, say: Say, body: bytes) -> None:
        self._begin()
        if say.reasoning:
            self._chunk({say.reasoning_field: say.reasoning})
        for at in range(0, len(say.text), 40):
            self._chunk({"content": say.text[at : at + 40]})
        self._chunk({}, say.finish)
        self._end(say.cached, body=body, context=say.context)

    def _end(
        self, cached: int | None = None, *, body: bytes, context: int | None = None
    ) -> None:
        prompt = max(100, EstimatedTokens().count(body.decode()))
        usage: dict[str, Any] = {
            "prompt_tokens": min(prompt, context or prompt),
            "completion_tokens": 7,
        }
        if cached is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": cached}
        self._event(json.dumps({**self._frame([]), "usage": usage}))
        self._event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def _frame(self, choices: list[Any]) -> dict[str, Any]:
        return {
            "id": "1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": choices,
        }

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> None:
        self._event(
            json.dumps(
                self._frame([{"index": 0, "delta": delta, "finish_reason": finish}])
            )
        )

    def _event(self, data: str) -> None:
        frame = f"data: {data}\n\n".encode()
        self.wfile.write(f"{len(frame):x}\r\n".encode() + frame + b"\r\n")
        self.wfile.flush()

    def _wait_for_hang_up(self) -> None:
        self.connection.settimeout(0.02)
        until = time.monotonic() + 20
        while time.monotonic() < until and not self.script._end.is_set():
            try:
                if self.connection.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        self.script.gone.set()
        self.close_connection = True
