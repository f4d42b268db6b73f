"""The only way from a driven agent to its model: a Unix socket behind which SAGE makes the requests.

The key never enters the agent's cell. Tokens are counted here, request by request, and
what a server does wrong is known here first: agents repeat a failing request for ever
without a word.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.models.answers import fault_of, status_fault
from core.models.api_keys import api_key, secrets_of
from core.models.bounded_client import bounded_client
from core.models.endpoint import Endpoint
from core.models.faults import (
    ModelFault,
    StalledStream,
    TransientFault,
    UnusableReply,
    told_without,
)
from core.models.port import Usage
from core.models.stream_pieces import usage_in
from core.text import Text

_LARGEST = 64 << 20  # bytes of a request
_LONGEST_HEAD = 64 << 10
_SAID = 4000  # characters of an error that are read


@dataclass
class Turn:
    """What one turn of the agent asked of the model.

    Attributes:
        requests: How many.
        fault: Why the turn must end, a `ModelFault` unless it is a mistake of ours;
            None while it need not.
        active: Time of the last sign of agent or model, as `time.monotonic`. A request
            that repeats one the model never answered is none.
        unanswered: Requests since the last byte of the model.
        waiting: Requests that wait for a byte of the model now.
    """

    requests: int = 0
    failures: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    told: bool = False
    fault: Exception | None = None
    active: float = 0.0
    unanswered: int = 0
    waiting: int = 0

    @property
    def model_is_silent(self) -> bool:
        """Whether it is the model that is waited for, not the agent."""
        return self.waiting > 0 or self.unanswered > 0

    def begin_request(self) -> None:
        """A request begins to wait for the model."""
        self.requests += 1
        if not self.unanswered:
            self.active = time.monotonic()
        self.unanswered += 1

    def answered(self) -> None:
        """The model sent something."""
        self.active = time.monotonic()
        self.unanswered = 0

    @property
    def usage(self) -> Usage:
        """Tokens of the turn; None where the server told none."""
        if not self.told:
            return Usage()
        return Usage(self.prompt_tokens, self.completion_tokens, self.cached_tokens)


class Gateway:
    """Serves one agent at a Unix socket. All of it in one event loop.

    Args:
        endpoint: The model.
        socket: Where to listen; its folder is the caller's.
    """

    def __init__(self, endpoint: Endpoint, socket: Path) -> None:
        self._endpoint = endpoint
        self._socket = socket
        self._key = api_key(endpoint.key_name)
        self._secrets = secrets_of(self._key, endpoint.headers)
        self._client: Any = None
        self._server: asyncio.Server | None = None
        self.turn = Turn()

    async def start(self) -> None:
        """Listen."""
        await asyncio.to_thread(importlib.import_module, "openai")
        self._client = bounded_client(self._endpoint)
        self._server = await asyncio.start_unix_server(
            self._serve, str(self._socket), limit=_LONGEST_HEAD
        )

    async def close(self) -> None:
        """Hang up."""
        if self._server is not None:
            self._server.close()
        if self._client is not None:
            await self._client.aclose()

    def begin(self) -> Turn:
        """Count from here."""
        self.turn = Turn(active=time.monotonic())
        return self.turn

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            while (request := await _request(reader)) is not None:
                method, path, body = request
                if method == "POST" and path == "/v1/chat/completions":
                    await self._complete(body, writer)
                    break  # a stream ends with its connection
                await self._other(method, path, writer)
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):
            pass  # the agent hung up, or speaks something else: not our fault
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _other(
        self, method: str, path: str, writer: asyncio.StreamWriter
    ) -> None:
        if method == "GET" and path == "/v1/models":
            listed = {
                "object": "list",
                "data": [{"id": self._endpoint.model, "object": "model"}],
            }
            await _whole(writer, 200, json.dumps(listed).encode())
        else:
            await _whole(
                writer, 404, b'{"error":{"message":"only chat completions are served"}}'
            )

    async def _complete(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        turn = self.turn
        turn.begin_request()
        if turn.fault is not None:  # the turn is over; the agent has not noticed yet
            await _whole(writer, 400, b'{"error":{"message":"the turn is over"}}')
            return
        try:
            sent = self._body(body)
        except ValueError as error:
            # The agent gets it as an answer; what it does next is counted.
            turn.answered()
            why = {"error": {"message": f"the request cannot be read: {error}"}}
            await _whole(writer, 400, json.dumps(why).encode())
            return
        has_begun = False
        turn.waiting += 1
        clock = asyncio.get_running_loop().time
        end = clock() + self._endpoint.longest_seconds
        try:
            async with asyncio.timeout(self._endpoint.first_token_seconds) as patience:
                async with self._client.stream(
                    "POST", self._address(), content=sent, headers=self._headers()
                ) as answer:
                    turn.answered()
                    if answer.status_code != 200:
                        await self._refused(answer, writer, turn)
                        return
                    has_begun = True
                    kind = answer.headers.get("content-type", "application/json")
                    writer.write(
                        f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode()
                    )
                    line = b""
                    async for piece in answer.aiter_bytes():
                        turn.answered()
                        idle = clock() + self._endpoint.idle_seconds
                        patience.reschedule(min(idle, end))
                        writer.write(piece)
                        turn.waiting -= 1  # from here it is the agent that must read
                        try:
                            await writer.drain()
                        finally:
                            turn.waiting += 1
                        *whole, line = (line + piece).split(b"\n")
                        for data in whole:
                            _count(data, turn)
                    _count(line, turn)
            turn.failures = 0
        except TimeoutError:
            problem_text = Text(
                "{base_url} accepted the request and then sent nothing for too long.",
                base_url=self._endpoint.base_url,
            )
            await self._failed(
                StalledStream(problem_text, "Look at the server's load and log."),
                writer,
                turn,
                has_begun,
            )
        except Exception as error:  # noqa: BLE001 - ends the turn, which raises it
            if writer.is_closing() or isinstance(error, ConnectionError):
                return
            fault = (
                error
                if isinstance(error, ModelFault)
                else fault_of(error, self._endpoint, self._secrets)
            )
            if fault is None:
                turn.fault = error  # a mistake of ours ends the turn as what it is
                return
            await self._failed(fault, writer, turn, has_begun)
        finally:
            turn.waiting -= 1

    async def _refused(
        self, answer: Any, writer: asyncio.StreamWriter, turn: Turn
    ) -> None:
        raw = (await answer.aread()).decode("utf-8", "replace")[:_SAID]
        body = told_without(raw, self._secrets)
        fault = status_fault(
            answer.status_code,
            _message(body),
            answer.headers.get("retry-after"),
            self._endpoint,
        )
        await self._failed(
            fault, writer, turn, has_begun=False, status=answer.status_code
        )

    async def _failed(
        self,
        fault: ModelFault,
        writer: asyncio.StreamWriter,
        turn: Turn,
        has_begun: bool,
        status: int = 503,
    ) -> None:
        """Take a fault: at once what cannot pass, after the endpoint's attempts what may."""
        turn.failures += 1
        if (
            not isinstance(fault, TransientFault)
            or turn.failures >= self._endpoint.attempts
        ):
            turn.fault = fault
        if not has_begun:
            text = json.dumps(
                {"error": {"message": str(fault.what), "type": "model"}}
            ).encode()
            await _whole(writer, status, text)

    def _address(self) -> str:
        return f"{self._endpoint.base_url.rstrip('/')}/chat/completions"

    def _headers(self) -> dict[str, str]:
        return {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {self._key}",
            **self._endpoint.headers,
        }

    def _body(self, body: bytes) -> bytes:
        """The agent's request, of our model and with its usage told.

        Raises:
            ValueError: It is none.
        """
        try:
            request = json.loads(body)
        except RecursionError as error:
            raise ValueError("it is nested too deeply") from error
        if not isinstance(request, dict):
            raise ValueError("it is no JSON object")  # noqa: TRY004 - what is read, not an argument
        request["model"] = self._endpoint.model
        if self._endpoint.temperature is not None:
            request["temperature"] = self._endpoint.temperature
        if request.get("stream"):
            request["stream_options"] = {"include_usage": True}
        return json.dumps(request).encode()


async def _request(reader: asyncio.StreamReader) -> tuple[str, str, bytes] | None:
    """Method, path and body of the next request; None when the agent hung up.

    Raises:
        ValueError: It is none, or too long.
    """
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    method, target, _ = head[0].split(" ", 2)
    fields = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in head[1:])
    }
    if "transfer-encoding" in fields:
        return method, target, await _chunked(reader)
    size = int(fields.get("content-length", "0") or 0)
    if not 0 <= size <= _LARGEST:
        raise ValueError("the request is too long")
    return method, target.split("?")[0], await reader.readexactly(size)


async def _chunked(reader: asyncio.StreamReader) -> bytes:
    """A body in chunks (RFC 9112, 7.1); raises ValueError for one that is too long or no such body."""
    body = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        if len(body) + size > _LARGEST:
            raise ValueError("the request is too long")
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


async def _whole(writer: asyncio.StreamWriter, status: int, body: bytes) -> None:
    head = f"HTTP/1.1 {status} .\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()


def _message(text: str) -> str:
    """The server's words in an error body."""
    try:
        error = json.loads(text)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError, RecursionError):
        return text


def _count(line: bytes, turn: Turn) -> None:
    """Add the usage a line of an answer tells, if it tells one."""
    if b'"usage"' not in line:
        return
    try:
        usage = usage_in(json.loads(line.strip().removeprefix(b"data:")))
    except (ValueError, RecursionError, UnusableReply):
        return
    if usage.prompt_tokens is not None and usage.completion_tokens is not None:
        turn.told = True
        turn.prompt_tokens += usage.prompt_tokens
        turn.completion_tokens += usage.completion_tokens
        turn.cached_tokens += usage.cached_tokens or 0
