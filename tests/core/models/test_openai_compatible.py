"""The live provider against a scripted server: replies, usage, and each fault told apart."""

from __future__ import annotations

import asyncio
import socket
import time
from typing import Any

import pytest

from core.errors import InvalidInput
from core.models import faults
from core.models.api_keys import api_key
from core.models.endpoint import Endpoint
from core.models.openai_compatible import OpenAICompatible
from core.models.port import TRUNCATED, Message, ModelReply, ModelRequest, Purpose
from tests.core.models.server import Break, Fail, Garbage, Recipe, Say, Server, Stall

QUICK = {
    "first_token_seconds": 0.5,
    "idle_seconds": 0.3,
    "connect_seconds": 1.0,
    "attempts": 1,
}


def request(text: str = "write a kernel", subject: str = "AbsMath") -> ModelRequest:
    return ModelRequest(Purpose.CANDIDATE, subject, "corr", 1, (Message("user", text),))


def ask(
    url: str,
    asked: ModelRequest | None = None,
    heard: list[str] | None = None,
    **options: Any,
) -> ModelReply:
    endpoint = Endpoint(url, "test-model", **{**QUICK, **options})

    async def go() -> ModelReply:
        provider = OpenAICompatible(
            endpoint,
            None if heard is None else lambda text, _seconds: heard.append(text),
            first_pause=0.01,
        )
        try:
            return await provider.complete(asked or request())
        finally:
            await provider.close()

    return asyncio.run(go())


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_a_stream_gives_text_reasoning_and_usage(name: str) -> None:
    text = "## Files\n" + "x" * 200
    with Server(
        Say(text, reasoning="think", reasoning_field=name, cached=64)
    ) as server:
        reply = ask(server.url)
    assert (reply.text, reply.reasoning) == (text, "think")
    assert (
        reply.usage.prompt_tokens,
        reply.usage.completion_tokens,
        reply.usage.cached_tokens,
    ) == (
        100,
        7,
        64,
    )
    assert reply.seconds > 0
    assert server.requests[0]["messages"] == [
        {"role": "user", "content": "write a kernel"}
    ]


def test_thoughts_that_leak_into_the_text_are_taken_out() -> None:
    with Server(Say("<think>first this</think>\n## Diagnosis\nok")) as server:
        reply = ask(server.url)
    assert (reply.text, reply.reasoning) == ("## Diagnosis\nok", "first this")


def test_text_arrives_while_it_is_streamed() -> None:
    pieces: list[str] = []

    async def go(url: str) -> None:
        provider = OpenAICompatible(Endpoint(url, "test-model", **QUICK))
        await provider.complete(request(), pieces.append)
        await provider.close()

    with Server(Say("a" * 100)) as server:
        asyncio.run(go(server.url))
    assert len(pieces) > 1
    assert "".join(pieces) == "a" * 100


def test_a_reply_cut_at_the_token_limit_says_so() -> None:
    with Server(
        Say("## Files\n### op_kernel/a.cpp\n```cpp\nint a", finish="length")
    ) as server:
        assert ask(server.url).text.endswith(TRUNCATED)


@pytest.mark.parametrize(
    ("recipe", "fault", "words"),
    [
        (Fail(401, "Invalid API key"), faults.BadKey, "SAGE_API_KEY"),
        (
            Fail(404, "The model `test-model` does not exist."),
            faults.UnknownModel,
            "test-model",
        ),
        (
            Fail(400, "'temperature' must be <= 2"),
            faults.RequestRefused,
            "must be <= 2",
        ),
        (Fail(429, "slow down"), faults.RateLimited, "slow down"),
        (Fail(500, "CUDA out of memory"), faults.ServerFault, "out of memory"),
        (Stall(), faults.StalledStream, "sent nothing"),
        (Stall(after="## Dia"), faults.StalledStream, "sent nothing"),
        (Break(), faults.ServerDown, "No connection"),
        (Garbage(), faults.UnusableReply, "not a chat completion"),
        (
            Garbage("data: {not json\n\n", "text/event-stream"),
            faults.UnusableReply,
            "not a chat completion",
        ),
        (
            Garbage(
                'data: {"error": {"message": "engine died", "code": 500}}\n\n',
                "text/event-stream",
            ),
            faults.ServerFault,
            "engine died",
        ),
        (Say(""), faults.EmptyReply, "without any text"),
    ],
)
def test_each_fault_has_its_own_state_and_words(
    recipe: Recipe, fault: type[Exception], words: str
) -> None:
    with (
        Server(recipe) as server,
        pytest.raises(faults.ModelFault, match=words) as caught,
    ):
        ask(server.url)
    assert type(caught.value) is fault


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (
            "This model's maximum context length is 8192 tokens. However, your request has 9012.",
            8192,
        ),
        ("max_tokens must be at least 1, got -186.", 0),
        ("the request exceeds the available context size (4096 tokens)", 4096),
    ],
)
def test_an_overflow_is_recognised_and_not_repeated(text: str, limit: int) -> None:
    with (
        Server(Fail(400, text)) as server,
        pytest.raises(faults.ContextOverflow) as caught,
    ):
        ask(server.url, attempts=5)
    assert caught.value.limit == limit
    assert len(server.requests) == 1


def test_nobody_at_the_address() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(faults.ServerDown, match="Check the address"):
        ask(f"http://127.0.0.1:{port}/v1")


def test_passing_faults_are_repeated_and_told_and_retry_after_is_obeyed() -> None:
    heard: list[str] = []
    recipes = (
        Fail(429, "slow", {"Retry-After": "0.3"}),
        Fail(503, "starting"),
        Break(),
        Say("ok"),
    )
    began = time.monotonic()
    with Server(*recipes) as server:
        patient = {"attempts": 5, "first_token_seconds": 60.0, "idle_seconds": 60.0}
        assert ask(server.url, heard=heard, **patient).text == "ok"
    assert time.monotonic() - began >= 0.3
    assert len(server.requests) == 4
    assert ["slow" in heard[0], "starting" in heard[1], len(heard)] == [
        True,
        True,
        3,
    ], heard


def test_an_empty_answer_is_asked_for_again() -> None:
    with Server(Say("", reasoning="hm"), Say("ok")) as server:
        assert ask(server.url, attempts=2).text == "ok"
    assert len(server.requests) == 2


def test_a_reply_without_end_is_cut_off() -> None:
    with Server(Say("and then " * 10_000)) as server:
        reply = ask(server.url, max_output_tokens=50)
    assert reply.text.endswith(TRUNCATED)
    assert 16 * 50 <= len(reply.text) < 16 * 50 + 2000


def test_no_more_requests_than_allowed_attempts() -> None:
    with Server(Fail(500)) as server, pytest.raises(faults.ServerFault):
        ask(server.url, attempts=3)
    assert len(server.requests) == 3


@pytest.mark.parametrize("recipe", [Stall(), Stall(after="## Dia")])
def test_a_silent_server_is_told_once_and_named_while_it_is_waited_for(
    recipe: Stall,
) -> None:
    """A person who hears nothing for ten minutes takes the program for the fault."""
    heard: list[tuple[str, float]] = []

    async def go(url: str) -> None:
        provider = OpenAICompatible(
            Endpoint(url, "test-model", **QUICK | {"first_token_seconds": 2.0}),
            lambda text, seconds: heard.append((text, seconds)),
            told_seconds=0.1,
        )
        with pytest.raises(faults.StalledStream):
            await provider.complete(request())
        await provider.close()

    with Server(recipe) as server:
        asyncio.run(go(server.url))
    ((text, left),) = heard
    assert text == f"{server.url} has sent nothing for 0 s."
    assert 0 < left < 2.0


@pytest.mark.parametrize("recipe", [Stall(), Stall(after="## Dia")])
def test_cancelling_takes_less_than_100_ms_and_hangs_up(recipe: Stall) -> None:
    async def go(url: str) -> float:
        provider = OpenAICompatible(Endpoint(url, "test-model"))
        began = asyncio.Event()
        task = asyncio.create_task(
            provider.complete(request(), lambda _text: began.set())
        )
        if recipe.after:
            await began.wait()
        else:
            while not server.requests:
                await asyncio.sleep(0.005)
        at = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        took = time.monotonic() - at
        await provider.close()
        return took

    with Server(recipe) as server:
        took = asyncio.run(go(server.url))
        assert server.gone.wait(5), "the server still generates"
    assert took < 0.1


def test_the_context_of_the_server_bounds_prompt_and_reply() -> None:
    async def go(url: str) -> tuple[int, ModelReply]:
        provider = OpenAICompatible(Endpoint(url, "test-model", **QUICK))
        limit = await provider.context_tokens()
        reply = await provider.complete(request("word " * 1000))
        with pytest.raises(faults.ContextOverflow):
            await provider.complete(request("word " * 4000))
        await provider.close()
        return limit, reply

    with Server(Say("ok"), models={"test-model": 2000}) as server:
        limit, _ = asyncio.run(go(server.url))
    assert limit == 2000
    assert len(server.requests) == 1, "what cannot fit is not sent"
    assert 0 < server.requests[0]["max_tokens"] <= 2000 - 1000 - 256


def test_requests_of_one_operator_go_to_one_rank() -> None:
    with Server(Say("ok")) as server:
        for subject in ("AbsMath", "AbsMath", "Lerp", "SwiGlu", "RmsNorm", "Gelu"):
            ask(server.url, request(subject=subject), data_parallel=4)
    ranks = [headers["x-data-parallel-rank"] for headers in server.headers]
    assert ranks[0] == ranks[1]
    assert len(set(ranks)) > 1


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY_NAME", " secret ")
    with Server(Say("ok")) as server:
        ask(server.url, key_name="TEST_KEY_NAME")
    assert server.headers[0]["authorization"] == "Bearer secret"
    assert api_key("TEST_KEY_NAME") == "secret"


@pytest.mark.parametrize(
    ("url", "model"),
    [("localhost:8000", "m"), ("http://user:pw@host/v1", "m"), ("http://host/v1", " ")],
)
def test_a_profile_that_cannot_work_is_refused(url: str, model: str) -> None:
    with pytest.raises(InvalidInput):
        Endpoint(url, model)
