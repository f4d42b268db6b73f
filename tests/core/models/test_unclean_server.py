"""A server that says what no server should: each oddity becomes a fault in words, none a traceback."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from core.models import faults
from core.models.endpoint import Endpoint
from core.models.openai_compatible import OpenAICompatible
from tests.core.models.server import (
    Drip,
    Events,
    Fail,
    Garbage,
    Packed,
    Recipe,
    Say,
    Server,
)
from tests.core.models.test_openai_compatible import QUICK, ask, request

KEY = "sk-1234567890abcdef1234"


def piece(finish: str | None = None, **delta: Any) -> str:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return json.dumps(
        {
            "id": "1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": choices,
        }
    )


def stream(*pieces: str) -> Events:
    return Events((*pieces, piece("stop"), "[DONE]"))


def test_an_empty_event_between_the_pieces_is_passed_over() -> None:
    with Server(stream(piece(content="a"), "null", piece(content="b"))) as server:
        assert ask(server.url).text == "ab"


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        (piece(content=5), "content is 5"),
        (piece(content=["a"]), "content is ['a']"),
        (piece(reasoning={"a": 1}), "reasoning is {'a': 1}"),
        ('{"choices": 7}', "choices is 7"),
        (
            '{"choices": [], "usage": {"prompt_tokens": "many"}}',
            "prompt_tokens is 'many'",
        ),
        ('{"choices": [{"finish_reason": [], "delta": {}}]}', "finish_reason is []"),
        ("[" * 100_000, "not a chat completion"),
        ("{", "not a chat completion"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(odd: str, words: str) -> None:
    with Server(stream(odd)) as server, pytest.raises(faults.UnusableReply) as told:
        ask(server.url)
    assert words in str(told.value)


@pytest.mark.parametrize(
    "odd", ["5", '"text"', "[1]", "{}", '{"choices": [null]}', '{"choices": [[]]}']
)
def test_pieces_without_content_do_no_harm(odd: str) -> None:
    with Server(stream(odd, piece(content="ok"))) as server:
        assert ask(server.url).text == "ok"


def test_a_lone_surrogate_is_replaced_and_a_pair_across_pieces_is_kept() -> None:
    text = [piece(content=half) for half in ("a\ud800b", "\ud83d", "\ude00")]
    with Server(stream(*text)) as server:
        reply = ask(server.url)
    assert reply.text == "a\N{REPLACEMENT CHARACTER}b\N{GRINNING FACE}"
    reply.text.encode()


def test_a_reply_that_ends_without_a_finish_is_asked_for_again() -> None:
    cut = Events((piece(content="## Files, half of"),))
    heard: list[str] = []
    with Server(cut, Say("whole")) as server:
        assert ask(server.url, heard=heard, attempts=2).text == "whole"
    assert "without saying that it is complete" in heard[0]
    with Server(cut) as server, pytest.raises(faults.CutReply):
        ask(server.url)


def test_a_wait_of_a_day_is_bounded_and_told() -> None:
    async def go(url: str) -> tuple[str, float]:
        heard: asyncio.Queue[tuple[str, float]] = asyncio.Queue()
        endpoint = Endpoint(url, "test-model", **{**QUICK, "attempts": 2})
        provider = OpenAICompatible(
            endpoint, lambda text, seconds: heard.put_nowait((text, seconds))
        )
        waiting = asyncio.ensure_future(provider.complete(request()))
        said = await asyncio.wait_for(heard.get(), 10)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await provider.close()
        return said

    with Server(Fail(429, "slow", {"Retry-After": "86400"})) as server:
        text, seconds = asyncio.run(go(server.url))
    assert seconds <= 300
    assert "86400 s" in text
    assert "300 s" in text


@pytest.mark.parametrize(
    "recipe",
    [
        Fail(401, f"Incorrect API key provided: {KEY}."),
        Fail(401, "x" * 290 + KEY),  # would be cut within the key
        Fail(500, f"upstream sent Authorization: Bearer {KEY}"),
        Events((json.dumps({"error": {"message": f"bad {KEY}", "code": 401}}),)),
        Events((piece(content=5), KEY)),
        Garbage(f"<html>{KEY}</html>"),
    ],
)
def test_the_key_is_in_no_fault(
    monkeypatch: pytest.MonkeyPatch, recipe: Recipe
) -> None:
    monkeypatch.setenv("SAGE_API_KEY", KEY)
    heard: list[str] = []
    with Server(recipe) as server, pytest.raises(faults.ModelFault) as told:
        ask(
            server.url,
            heard=heard,
            attempts=2 if getattr(recipe, "status", 0) == 500 else 1,
        )
    fault = told.value
    for text in (str(fault), str(fault.what), str(fault.remedy), repr(fault), *heard):
        assert KEY[:10] not in text


def test_the_key_is_in_no_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAGE_API_KEY", KEY)
    with Server(Say(f"your key is {KEY}", reasoning=f"hm, {KEY}")) as server:
        reply = ask(server.url)
    assert KEY not in reply.text + reply.reasoning
    assert reply.text == "your key is <secret>"


@pytest.mark.parametrize(
    "listed", ["[]", '{"data": null}', '{"data": [5]}', '{"data": [{"id": 5}]}', "["]
)
def test_a_list_of_models_that_is_none_is_told(
    listed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def go(url: str) -> None:
        provider = OpenAICompatible(Endpoint(url, "test-model", **QUICK))
        try:
            await provider.served()
        finally:
            await provider.close()

    with Server(Say("ok")) as server:
        server.listed = listed
        with pytest.raises(faults.UnusableReply):
            asyncio.run(go(server.url))


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        (Garbage("x" * (9 << 20), "text/event-stream"), "more than 8 MiB"),
        (Garbage("data: 1\n" * (9 << 17), "text/event-stream"), "more than 8 MiB"),
        (Fail(500, "x" * (9 << 20)), "more than 8 MiB"),
        (Packed(64), "packed its answer (gzip)"),
    ],
    ids=["a line", "a stream", "an error", "a bomb"],
)
def test_what_is_too_much_is_not_kept(recipe: Recipe, words: str) -> None:
    with Server(recipe) as server, pytest.raises(faults.UnusableReply) as told:
        ask(server.url, max_output_tokens=1, first_token_seconds=60.0)
    assert words in str(told.value)


def test_a_list_of_models_has_an_end() -> None:
    with Server(Say("x")) as server:
        server.listed = json.dumps({"data": [{"id": "x" * (9 << 20)}]})
        with pytest.raises(faults.UnusableReply) as told:
            served(server.url)
    assert "more than 8 MiB" in str(told.value)


def served(url: str) -> dict[str, int]:
    async def go() -> dict[str, int]:
        provider = OpenAICompatible(Endpoint(url, "test-model", **QUICK))
        try:
            return await provider.served()
        finally:
            await provider.close()

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("drip", "options"),
    [
        (Drip("null", 0.05), {}),
        (Drip(piece(content=""), 0.05), {"idle_seconds": 20.0}),
        (Drip(piece(content="x"), 0.1), {"max_output_tokens": 1}),
    ],
    ids=["nothing", "empty pieces", "a letter at a time"],
)
def test_a_drip_has_an_end(drip: Drip, options: dict[str, Any]) -> None:
    with Server(drip) as server, pytest.raises(faults.StalledStream):
        ask(server.url, **{"first_token_seconds": 0.2, **options})


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_prompt_is_not_sent_on_to_another_server(status: int) -> None:
    with Server(Say("from elsewhere")) as other:
        away = Fail(status, "go there", {"Location": f"{other.url}/chat/completions"})
        with Server(away) as server, pytest.raises(faults.UnusableReply) as told:
            ask(server.url)
        assert other.requests == []
        assert other.url in str(told.value)
