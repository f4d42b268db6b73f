"""The HTTP client behind which model servers stand: what they send is bounded.

A server, or who answers in its place, could send a list of models of a gigabyte, a line
without end or a small body that unpacks to a large one, or pass the prompt on to another
host by a redirect.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from core.models.endpoint import Endpoint
from core.models.faults import UnusableReply

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

_LARGEST_ANSWER = 8 << 20  # bytes of a list of models or of an error
_LONGEST_LINE = 8 << 20  # bytes; a whole reply in one line has a hundredth
_BYTES_A_TOKEN = 4096  # of a stream; servers send 200 to 1,000 around each


def bounded_client(endpoint: Endpoint) -> AsyncClient:
    """A client for the requests to one endpoint.

    What is sent beyond its bounds ends a request with `UnusableReply`.
    """
    import httpx2
    import openai

    class BoundedStream(httpx2.AsyncByteStream):
        def __init__(self, response: Response) -> None:
            self._stream = response.stream
            self._most = _most_bytes(response, endpoint)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            total = line = 0
            assert isinstance(self._stream, httpx2.AsyncByteStream)
            async for piece in self._stream:
                total += len(piece)
                line = _line_bytes(line, piece)
                if total > self._most or line > _LONGEST_LINE:
                    most = self._most if total > self._most else _LONGEST_LINE
                    raise _too_much(endpoint, most)
                yield piece

        async def aclose(self) -> None:
            assert isinstance(self._stream, httpx2.AsyncByteStream)
            await self._stream.aclose()

    async def bound(response: Response) -> None:
        _require_origin(response, endpoint)
        _require_plain(response, endpoint)
        response.stream = BoundedStream(response)

    # Silence of a stream is bounded by the provider, which knows its parts.
    timeout = openai.Timeout(None, connect=endpoint.connect_seconds)
    return openai.DefaultAsyncHttpxClient(
        timeout=timeout,
        trust_env=not endpoint.on_this_network,
        # A packed answer could unpack to any size.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound]},
    )


def _most_bytes(response: Response, endpoint: Endpoint) -> int:
    if response.request.method != "POST" or response.status_code != 200:
        return _LARGEST_ANSWER
    return _LARGEST_ANSWER + _BYTES_A_TOKEN * endpoint.max_output_tokens


def _line_bytes(before: int, piece: bytes) -> int:
    """Bytes of the line that a piece leaves open."""
    end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
    return before + len(piece) if end < 0 else len(piece) - end - 1


def _too_much(endpoint: Endpoint, most: int) -> UnusableReply:
    return UnusableReply(
        "{base_url} sent more than {most} MiB, which no reply of that length has.",
        "Check the address, and what stands between.",
        base_url=endpoint.base_url,
        most=most >> 20,
    )


def _require_plain(response: Response, endpoint: Endpoint) -> None:
    """Refuse what is packed: its size is known only once it is unpacked."""
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in {"", "identity"}:
        raise UnusableReply(
            "{base_url} packed its answer ({packed}), although it was asked not to.",
            "Switch compression off in the proxy before it.",
            base_url=endpoint.base_url,
            packed=packed[:40],
        )


def _require_origin(response: Response, endpoint: Endpoint) -> None:
    """Refuse to be sent elsewhere: prompt and headers are for the server that was named."""
    if not response.has_redirect_location:
        return
    here = str(response.request.url)
    there = urljoin(here, response.headers["location"])
    if not _is_same_place(here, there):
        raise UnusableReply(
            "{base_url} sends the request on to {there}, which was not asked.",
            "If that is the right server, set its address in the model's profile.",
            base_url=endpoint.base_url,
            there=there[:200],
        )


def _is_same_place(here: str, there: str) -> bool:
    """Whether scheme, host and port are the same, or only HTTPS takes HTTP's place."""
    try:
        origin, target = _origin(here), _origin(there)
    except ValueError:  # no port
        return False
    upgraded = origin[0] == "http" and target[0] == "https" and origin[1] == target[1]
    return origin == target or (upgraded and (origin[2], target[2]) == (80, 443))


def _origin(address: str) -> tuple[str, str, int]:
    parts = urlsplit(address)
    standard = {"http": 80, "https": 443}.get(parts.scheme, 0)
    return parts.scheme, parts.hostname or "", parts.port or standard
