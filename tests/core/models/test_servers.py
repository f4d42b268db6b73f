"""Servers that want to be asked otherwise, or answer in a form of their own."""

from __future__ import annotations

import asyncio
import json
from email.utils import formatdate
from pathlib import Path
from time import time
from typing import Any

import pytest
from click.testing import CliRunner

from core.errors import InvalidInput
from core.models import faults
from core.models.endpoint import Endpoint
from core.models.port import ModelProvider
from core.models.profiles import read_profiles
from core.models.servers import endpoint_at
from sage_desktop import cli
from tests.core.models.server import Fail, Garbage, Recipe, Say, Server
from tests.core.models.test_openai_compatible import ask, request


def newer_openai(body: dict[str, Any]) -> Recipe:
    """As o-series, GPT-5 and Azure answer, behind a proxy that knows no usage."""
    if "max_tokens" in body:
        return Fail(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
        )
    if "stream_options" in body:
        return Fail(400, body='{"detail": [{"loc": ["stream_options"], "msg": "no"}]}')
    return Say("ready")


def test_a_server_that_wants_other_fields_is_asked_its_way_and_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_CONFIG_DIR", str(tmp_path))
    from sage_desktop.services.models.choice import choose_model, profiles_file

    def sage(*words: str) -> str:
        result = CliRunner().invoke(cli.main, ["model", *words])
        assert result.exit_code == 0, result.output
        return result.output

    with Server(act=newer_openai) as server:
        sage("add", "lab", "--endpoint", server.url, "--model", "test-model")
        sage("add", "lab", "--body", 'think={"on": false}')

        def reply() -> str:
            return asyncio.run(go(choose_model("lab").make()))

        async def go(provider: ModelProvider) -> str:
            try:
                return (await provider.complete(request())).text
            finally:
                await provider.close()

        assert reply() == "ready"
        assert len(server.requests) == 3
        assert server.requests[-1]["think"] == {"on": False}
        kept = read_profiles(profiles_file())["lab"]
        assert (kept.limit_field, kept.asks_usage) == ("max_completion_tokens", False)
        assert reply() == "ready"
        assert len(server.requests) == 4


def test_a_prompt_that_the_server_cut_is_named_with_the_setting() -> None:
    """Ollama keeps the last 4,096 tokens of whatever is longer."""
    long = request("static const int tile = 128; // bytes\n" * 1500)
    with Server(Say("x", context=4096)) as server:
        with pytest.raises(faults.ContextOverflow, match="num_ctx") as told:
            ask(server.url, long)
        assert told.value.limit == 4096
    with Server(Say("x")) as server:
        assert ask(server.url, long).text == "x"


def chunk(**choice: object) -> str:
    return json.dumps({"choices": [choice]})


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (
            json.dumps(
                {
                    "choices": [
                        {"message": {"content": "whole"}, "finish_reason": "stop"}
                    ]
                }
            ),
            "application/json",
        ),
        (
            f"id: 1\nretry: 3\n\ndata: {chunk(delta={'content': 'whole'})}\n\ndata: [DONE]\n\n",
            "text/event-stream",
        ),
    ],
    ids=["no stream", "events without data, no finish"],
)
def test_forms_that_bring_a_whole_reply_are_read(body: str, kind: str) -> None:
    with Server(Garbage(body, kind)) as server:
        assert ask(server.url).text == "whole"


@pytest.mark.parametrize(
    ("recipe", "fault", "words"),
    [
        (
            Fail(
                429,
                body='{"error": {"message": "no", "code": "insufficient_quota"}}',
            ),
            faults.QuotaUsedUp,
            "used up",
        ),
        (
            Fail(400, body='{"detail": [{"loc": ["body", "seed"], "msg": "odd"}]}'),
            faults.RequestRefused,
            '"seed"',
        ),
        (Say("half", finish="content_filter"), faults.CutReply, "content filter"),
    ],
)
def test_refusals_keep_their_words(
    recipe: Recipe, fault: type[faults.ModelFault], words: str
) -> None:
    with Server(recipe) as server, pytest.raises(fault, match=words):
        ask(server.url, attempts=1)
    assert len(server.requests) == 1


def test_a_date_says_how_long_to_wait() -> None:
    late = formatdate(time() + 86_400, usegmt=True)
    with (
        Server(Fail(429, "slow", {"Retry-After": late})) as server,
        pytest.raises(faults.RateLimited) as told,
    ):
        ask(server.url, attempts=1)
    assert told.value.after == pytest.approx(86_400, abs=60)


@pytest.mark.parametrize(
    ("address", "key", "field"),
    [
        ("openai", "OPENAI_API_KEY", "max_completion_tokens"),
        (
            "https://lab.openai.azure.com/openai/v1",
            "AZURE_OPENAI_API_KEY",
            "max_completion_tokens",
        ),
        ("https://api.deepseek.com", "DEEPSEEK_API_KEY", "max_tokens"),
        ("ollama", "SAGE_API_KEY", "max_tokens"),
        ("http://127.0.0.1:9/v1", "SAGE_API_KEY", "max_tokens"),
    ],
)
def test_an_address_brings_key_and_fields(address: str, key: str, field: str) -> None:
    endpoint = endpoint_at(address, "m")
    assert (endpoint.key_name, endpoint.limit_field) == (key, field)
    assert endpoint_at(address, "m", "OTHER").key_name == "OTHER"


def test_a_field_that_sage_writes_is_refused() -> None:
    with pytest.raises(InvalidInput, match="messages"):
        Endpoint("http://h/v1", "m", body={"messages": []})
