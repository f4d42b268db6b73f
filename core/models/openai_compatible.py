"""Live models behind an OpenAI-compatible server: vLLM, vllm-ascend, llama-server, Ollama, a cloud service.

One streamed request per call. Passing faults are repeated with growing pauses;
everything else is raised at once as the `ModelFault` that says what to fix. The
`openai` package is imported with the first request.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import random
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.errors import SageError
from core.memory.tokens import EstimatedTokens
from core.models.answers import fault_of, status_fault
from core.models.api_keys import api_key, secrets_of
from core.models.bounded_client import bounded_client
from core.models.endpoint import Endpoint
from core.models.event_stream import completion_chunks
from core.models.faults import (
    ContextOverflow,
    CutReply,
    EmptyReply,
    ModelFault,
    RequestRefused,
    StalledStream,
    TransientFault,
    UnusableReply,
    told_without,
)
from core.models.port import (
    TRUNCATED,
    ModelOrigin,
    ModelProvider,
    ModelReply,
    ModelRequest,
    Stream,
)
from core.models.stream_pieces import Collected, take, whole

if TYPE_CHECKING:
    from openai import AsyncOpenAI

MARGIN = 256  # tokens of chat template and estimation error kept free beside prompt and reply
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0
_LONGEST_OBEYED = 300.0  # of a Retry-After
_TOLD_SECONDS = 60.0  # of silence
_LONGEST_TOKEN = 16  # characters, on average over a reply; texts have 3 to 5
_SHORT_PROMPT = 2000  # tokens; every context holds them
# Estimated tokens for each one a server counts: the estimate is off by 6 % for the
# vocabulary it was fitted to, and vocabularies differ by a third.
_MOST_PER_TOKEN = 1.6
_THOUGHT = re.compile(r"\A\s*<think>(.*?)</think>\s*", re.DOTALL)

OnRetry = Callable[[str, float], None]
OnChange = Callable[[Endpoint], None]


class OpenAICompatible(ModelProvider):
    """A provider for one endpoint.

    Args:
        endpoint: Where and how.
        on_retry: Hears why a request is repeated and after how many seconds; also that
            the server is silent, and how many seconds that is still waited for.
        first_pause: Seconds before the first repetition; doubles each time.
        on_change: Hears how the server wants to be asked, once it has said so.
        told_seconds: Of silence, after which `on_retry` hears of it.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        on_retry: OnRetry | None = None,
        *,
        first_pause: float = _FIRST_PAUSE,
        on_change: OnChange | None = None,
        told_seconds: float = _TOLD_SECONDS,
    ) -> None:
        self._on_change = on_change
        self._told_seconds = told_seconds
        self._endpoint = endpoint
        self._on_retry = on_retry
        self._first_pause = first_pause
        self._client: AsyncOpenAI | None = None
        # Never printed nor stored, whatever repeats them.
        self._secrets: tuple[str, ...] = ()
        self._context = endpoint.context_tokens
        self._tokens = EstimatedTokens()

    @property
    def label(self) -> str:
        """Model name."""
        return self._endpoint.model

    @property
    def origin(self) -> ModelOrigin:
        """Live."""
        return ModelOrigin.LIVE

    async def complete(
        self, request: ModelRequest, stream: Stream | None = None
    ) -> ModelReply:
        """Ask the model.

        Raises:
            ModelFault: See `core.models.faults`; a `TransientFault` only after the last
                attempt.
        """
        began = time.monotonic()
        attempt = 1
        while True:
            try:
                collected = await self._once(request, stream)
                self._require_whole_prompt(request, collected)
                return _reply(collected, time.monotonic() - began, self._secrets)
            # The refusal may name the field the server wants; asked so, it may answer.
            except RequestRefused as refusal:
                endpoint = _as_asked_for(self._endpoint, str(refusal))
                if endpoint == self._endpoint:
                    raise
                self._endpoint = endpoint
                if self._on_change is not None:
                    self._on_change(endpoint)
            except TransientFault as fault:
                if attempt >= self._endpoint.attempts:
                    raise
                await self._pause(fault, attempt)
                attempt += 1

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def served(self) -> dict[str, int]:
        """Models the server lists, with their context in tokens (0: not told).

        Raises:
            ModelFault: It cannot be asked.
        """
        client = await self._connected()
        try:
            async with asyncio.timeout(self._endpoint.connect_seconds * 2):
                page = await client.models.list()
            models = list(page.data)
            names = [told_without(whole(model.id), self._secrets) for model in models]
        except (
            AttributeError,
            TypeError,
        ) as error:
            # The client trips over it, or we do.
            raise UnusableReply(
                "{base_url} sent something that is not a list of models.",
                "Check the address; it usually ends in /v1.",
                base_url=self._endpoint.base_url,
            ) from error
        except Exception as error:
            raise self._understood(error) from error
        return {
            name: _context_of(model) for name, model in zip(names, models, strict=True)
        }

    async def context_tokens(self) -> int:
        """Context of the model: configured, or as the server says.

        0 when neither does.
        """
        if not self._context:
            self._context = (await self.served()).get(self._endpoint.model, 0)
        return self._context

    # ---- one request

    async def _once(self, request: ModelRequest, stream: Stream | None) -> Collected:
        """One attempt: the whole reply, or a fault."""
        collected = Collected()
        most = _LONGEST_TOKEN * self._endpoint.max_output_tokens
        client = await self._connected()
        clock = asyncio.get_running_loop().time
        # When text or reasoning came last.
        grown = clock()
        end = grown + self._endpoint.longest_seconds
        silence: asyncio.TimerHandle | None = None
        try:
            async with asyncio.timeout(self._endpoint.first_token_seconds) as patience:
                silence = self._tell_silence(patience)
                answer = await self._send(client, request)
                async with aclosing(answer.response):
                    async for chunk in _chunks(answer.response):
                        silence.cancel()
                        silence = self._tell_silence(patience)
                        before = collected.size
                        piece = told_without(take(chunk, collected), self._secrets)
                        grown = clock() if collected.size > before else grown
                        # Bounds of silence, of chunks without text, and of the whole reply.
                        patience.reschedule(
                            min(
                                clock() + self._endpoint.idle_seconds,
                                grown + self._endpoint.first_token_seconds,
                                end,
                            )
                        )
                        if piece and stream is not None:
                            stream(piece)
                        if collected.size > most:
                            # A server that does not keep to max_tokens.
                            collected.finish = "length"
                            break
        except Exception as error:
            raise self._understood(error) from error
        finally:
            if silence is not None:
                silence.cancel()
        return collected

    def _tell_silence(self, patience: asyncio.Timeout) -> asyncio.TimerHandle:
        """Have a silence told once it has lasted a while, unless what this returns is cancelled."""
        loop = asyncio.get_running_loop()

        def tell() -> None:
            if self._on_retry is not None:
                left = (patience.when() or loop.time()) - loop.time()
                host, seconds = self._endpoint.base_url, self._told_seconds
                self._on_retry(f"{host} has sent nothing for {seconds:.0f} s.", left)

        return loop.call_later(self._told_seconds, tell)

    async def _send(self, client: AsyncOpenAI, request: ModelRequest) -> Any:
        messages: list[Any] = [
            {"role": message.role, "content": message.content}
            for message in request.messages
        ]
        options: dict[str, Any] = {
            self._endpoint.limit_field: self._room(request),
            "extra_body": dict(self._endpoint.body),
        }
        if self._endpoint.asks_usage:
            options["stream_options"] = {"include_usage": True}
        if self._endpoint.temperature is not None:
            options["temperature"] = self._endpoint.temperature
        # One operator goes to one rank, whose prefix cache holds its prompts.
        if self._endpoint.data_parallel > 1:
            rank = (
                hashlib.sha256(request.subject.encode()).digest()[0]
                % self._endpoint.data_parallel
            )
            options["extra_headers"] = {"X-data-parallel-rank": str(rank)}
        return await client.chat.completions.create(
            model=self._endpoint.model,
            messages=messages,
            stream=True,
            **options,
        )

    def _prompt_tokens(self, request: ModelRequest) -> int:
        return sum(self._tokens.count(message.content) for message in request.messages)

    def _require_whole_prompt(self, request: ModelRequest, reply: Collected) -> None:
        """Refuse a reply to a part of the prompt.

        Ollama and others keep the last tokens of one that is longer than their context;
        only the usage shows it.
        """
        read, sent = reply.usage.prompt_tokens, self._prompt_tokens(request)
        if not read or sent < _SHORT_PROMPT or read * _MOST_PER_TOKEN > sent:
            return
        raise ContextOverflow(
            "{label} read {read} tokens of a prompt of about {sent}: the server cut it.",
            "Serve it with a longer context: num_ctx in Ollama (OLLAMA_CONTEXT_LENGTH), "
            "-c in llama.cpp, --max-model-len in vLLM.",
            limit=read,
            label=self.label,
            read=read,
            sent=sent,
        )

    def _room(self, request: ModelRequest) -> int:
        """Tokens left for the reply.

        Raises:
            ContextOverflow: None are; nothing is sent.
        """
        most = self._endpoint.max_output_tokens
        # Without a known context the server decides; `_require_whole_prompt` looks after.
        if not self._context:
            return most
        prompt = self._prompt_tokens(request)
        room = self._context - prompt - MARGIN
        if room < 1:
            raise ContextOverflow(
                "The prompt needs about {prompt} tokens; the context of {label} has {context}.",
                "Use a model with a longer context, or lower the budget of hot memory.",
                limit=self._context,
                prompt=prompt,
                label=self.label,
                context=self._context,
            )
        return min(most, room)

    async def _connected(self) -> AsyncOpenAI:
        """The client.

        Importing it takes a second, during which other trajectories work.
        """
        if self._client is None:
            await asyncio.to_thread(importlib.import_module, "openai")
            import openai

            endpoint = self._endpoint
            key = api_key(endpoint.key_name)
            self._secrets = secrets_of(key, endpoint.headers)
            client = bounded_client(endpoint)
            self._client = openai.AsyncOpenAI(
                api_key=key,
                base_url=endpoint.base_url,
                max_retries=0,
                timeout=client.timeout,
                default_headers=dict(endpoint.headers),
                http_client=client,
            )
        return self._client

    def _understood(self, error: Exception) -> Exception:
        """The fault behind an exception.

        What is not about the network is a bug and stays as it is.
        """
        # Servers repeat the key in messages of refusal.
        if isinstance(error, ModelFault):
            return error.without(self._secrets)
        if isinstance(error, SageError):
            return error
        if isinstance(error, TimeoutError):
            return StalledStream(
                "{base_url} accepted the request and then sent nothing for too long.",
                "Look at the server's load and log, or allow more time.",
                base_url=self._endpoint.base_url,
            )
        return fault_of(error, self._endpoint, self._secrets) or error

    async def _pause(self, fault: TransientFault, attempt: int) -> None:
        doubled = min(_LONGEST_PAUSE, self._first_pause * 2 ** (attempt - 1))
        # The jitter keeps workers that failed together from trying together.
        growing = doubled * random.uniform(0.8, 1.2)
        seconds = growing if fault.after is None else min(fault.after, _LONGEST_OBEYED)
        if self._on_retry is not None:
            long_wait = ""
            if fault.after is not None and fault.after > seconds:
                long_wait = f"It asks to wait {fault.after:.0f} s, longer than the {seconds:.0f} s waited. "
            following = f"Attempt {attempt + 1} of {self._endpoint.attempts} follows."
            self._on_retry(f"{fault.what} {long_wait}{following}", seconds)
        await asyncio.sleep(seconds)


async def _chunks(response: Any) -> AsyncIterator[Any]:
    """Chunks of a stream.

    A server that ends it with an error inside raises what a status would have.
    """
    kind = response.headers.get("content-type", "")
    async for chunk in completion_chunks(response.aiter_bytes(), kind):
        error = chunk.get("error") if isinstance(chunk, dict) else None
        if error:
            code = error.get("code") if isinstance(error, dict) else None
            raise status_fault(code if type(code) is int else 500, str(error), None)
        yield chunk


def _reply(collected: Collected, seconds: float, secrets: Sequence[str]) -> ModelReply:
    """The reply of a finished stream.

    Raises:
        UnusableReply: It is something else.
        CutReply: The stream ended before the model had.
        EmptyReply: It has no text.
    """
    text = told_without(whole("".join(collected.text)), secrets)
    reasoning = told_without(whole("".join(collected.reasoning)), secrets)
    inline = _THOUGHT.match(text)
    if inline is not None:  # a server without reasoning parser
        text, reasoning = text[inline.end() :], reasoning + inline.group(1).strip()
    if not collected.has_piece:
        raise UnusableReply(
            "The server's answer is not a chat completion.",
            "Check that the address ends in /v1 or the like.",
        )
    if not collected.finish:
        # A proxy that gives up closes the connection as if all had been said.
        raise CutReply(
            "The server ended its answer after {size} characters without saying that it is complete.",
            "Look at the log of the server, and of a proxy before it.",
            size=collected.size,
        )
    if collected.finish == "content_filter":
        raise CutReply(
            "The content filter of the server cut the answer after {size} characters.",
            "Try again, or use another server.",
            size=collected.size,
        )
    if collected.finish == "length":
        text = f"{text}\n{TRUNCATED}"
    elif not text.strip():
        raise EmptyReply(
            "The model answered without any text besides its reasoning."
            if reasoning
            else "The model answered without any text.",
            "Check the reasoning parser of the server.",
        )
    return ModelReply(text, reasoning, collected.usage, seconds)


def _as_asked_for(endpoint: Endpoint, refusal: str) -> Endpoint:
    """Return the endpoint as the words of a refusal ask for it; unchanged where they do not.

    Newer models of OpenAI and Azure take `max_completion_tokens` in place of
    `max_tokens`; some proxies take no `stream_options`.
    """
    if "stream_options" in refusal and endpoint.asks_usage:
        return replace(endpoint, asks_usage=False)
    if "max_completion_tokens" in refusal and endpoint.limit_field == "max_tokens":
        return replace(endpoint, limit_field="max_completion_tokens")
    return endpoint


def _context_of(model: Any) -> int:
    """`max_model_len` of vLLM, `meta.n_ctx` of llama.cpp, else 0."""
    limit = getattr(model, "max_model_len", None)
    meta = getattr(model, "meta", None)
    if limit is None and isinstance(meta, dict):
        limit = meta.get("n_ctx")
    return limit if isinstance(limit, int) and limit > 0 else 0
