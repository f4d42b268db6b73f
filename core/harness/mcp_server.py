"""The Model Context Protocol, as much of it as tools need: JSON-RPC 2.0 over stdio, or HTTP on loopback.

Written here because the maintained SDK costs a second of start and a dozen packages
more (docs/agents.md has the measurement) for the four methods below. Source:
modelcontextprotocol.io, specification 2025-11-25.
"""

from __future__ import annotations

import hmac
import json
import math
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, BinaryIO

from core.harness.mcp_tools import Tools

NEWEST = "2025-11-25"
_KNOWN = frozenset({"2024-11-05", "2025-03-26", "2025-06-18", NEWEST})
_PARSE, _INVALID, _NO_METHOD, _BAD_PARAMS, _INTERNAL = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
_LARGEST = 8 << 20  # bytes of one message
_CRASHED = "A mistake in SAGE Desktop; standard error says where its report is."
OnCrash = Callable[[BaseException], None]


class McpServer:
    """Answers messages. Calls of tools take turns: they stand for one conversation.

    Args:
        tools: What can be called.
        version: Of the program.
        on_crash: Hears of an exception that is a bug; the client hears that there was
            one.
    """

    def __init__(self, tools: Tools, version: str, on_crash: OnCrash) -> None:
        self._tools = tools
        self._version = version
        self.on_crash = on_crash
        self._turn = threading.Lock()

    def answer(self, message: bytes | str) -> dict[str, Any] | None:
        """The response to one message, None to a notification."""
        try:
            request = json.loads(message, parse_float=_finite, parse_constant=_finite)
        except (ValueError, RecursionError):
            return _error(None, _PARSE, "This is no JSON.")
        if not isinstance(request, dict) or not isinstance(request.get("method"), str):
            is_response = isinstance(request, dict) and (
                "result" in request or "error" in request
            )
            return (
                None
                if is_response
                else _error(None, _INVALID, "This is no JSON-RPC request.")
            )
        if "id" not in request:
            return None  # a cancelled call runs on: its round is in work, and the next call waits for it
        number, params = request["id"], request.get("params")
        if isinstance(number, bool) or not isinstance(number, str | int | float | None):
            return _error(None, _INVALID, "The id is neither a text nor a number.")
        try:
            return self._response(
                number, request["method"], params if isinstance(params, dict) else {}
            )
        except Exception as error:  # noqa: BLE001 - a bug is reported and answered; the session lives on
            self.on_crash(error)
            return _error(number, _INTERNAL, f"{_CRASHED} ({type(error).__name__})")

    def _response(
        self, number: object, method: str, params: dict[str, Any]
    ) -> dict[str, Any]:
        match method:
            case "initialize":
                version = params.get("protocolVersion")
                return _result(
                    number,
                    {
                        "protocolVersion": version if version in _KNOWN else NEWEST,
                        "capabilities": {"tools": {}},
                        "serverInfo": {"name": "sage", "version": self._version},
                        "instructions": "Call `task` with an operator first; it says how to go on.",
                    },
                )
            case "ping":
                return _result(number, {})
            case "tools/list":
                return _result(number, {"tools": list(self._tools.listed)})
            case "tools/call":
                name, arguments = params.get("name"), params.get("arguments") or {}
                if not isinstance(name, str) or not isinstance(arguments, dict):
                    return _error(
                        number,
                        _BAD_PARAMS,
                        "A call needs a name, and arguments as an object.",
                    )
                text, refused = self._called(name, arguments)
                return _result(
                    number,
                    {"content": [{"type": "text", "text": text}], "isError": refused},
                )
        return _error(number, _NO_METHOD, f"There is no method {method}.")

    def _called(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        with self._turn:
            try:
                return self._tools.call(name, arguments)
            except Exception as error:  # noqa: BLE001 - a bug must not end the agent's session
                self.on_crash(error)
                return f"{_CRASHED} ({type(error).__name__})", True


def serve_stdio(server: McpServer, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer one message a line until `source` ends or is not read any more.

    A ping is answered beside a call.
    """
    writing, unread = threading.Lock(), threading.Event()

    def take(line: bytes) -> None:
        response = server.answer(line)
        if response is None:
            return
        with writing:
            sink.write(json.dumps(response).encode() + b"\n")
            sink.flush()

    def on_sent(future: Future[None]) -> None:
        error = future.exception()
        if isinstance(error, OSError):  # the client hung up
            unread.set()
        elif error is not None:
            server.on_crash(error)

    with ThreadPoolExecutor(max_workers=8, thread_name_prefix="mcp") as pool:
        while not unread.is_set() and (line := source.readline(_LARGEST)):
            if line.strip():
                pool.submit(take, line).add_done_callback(on_sent)


def http_server(server: McpServer, token: str, port: int = 0) -> ThreadingHTTPServer:
    """A server on 127.0.0.1 that answers `POST /mcp` of a client that has the token.

    The caller runs it.
    """
    handler = type("_Bound", (_Handler,), {"mcp": server, "bearer": f"Bearer {token}"})
    return ThreadingHTTPServer(("127.0.0.1", port), handler)


class _Handler(BaseHTTPRequestHandler):
    mcp: McpServer
    bearer: str
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing: requests hold a token."""

    def do_GET(self) -> None:
        self._send(405)

    def do_DELETE(self) -> None:
        self._send(405)

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Origin") is not None:
            # Any request of a page in a browser.
            return self._send(403)
        if not hmac.compare_digest(
            self.headers.get("Authorization", "").encode(), self.bearer.encode()
        ):
            return self._send(401)
        if self.path != "/mcp":
            return self._send(404)
        if not length.isdigit() or int(length) > _LARGEST:
            return self._send(413)
        response = self.mcp.answer(self.rfile.read(int(length)))
        return self._send(202) if response is None else self._send(200, response)

    def _send(self, status: int, body: dict[str, Any] | None = None) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        if body is not None:
            self.send_header("Content-Type", "application/json")
        if status >= 400:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _finite(text: str) -> float:
    """A number that JSON can say again, unlike 1e999; raises ValueError."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number of JSON")
    return number


def _result(number: object, result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _error(number: object, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}
