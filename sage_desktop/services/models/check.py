"""Trying an endpoint before relying on it: what it serves, and whether the model answers. Knows no window."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace

from core.models.endpoint import Endpoint
from core.models.faults import ModelFault
from core.models.openai_compatible import OpenAICompatible
from core.models.port import Message, ModelRequest, Purpose
from core.text import Text

ANY = "*"  # whichever model is served first
_LONGEST_S = 180.0  # for one word, loading the model included
_QUESTION = "Answer with the one word: ready"


@dataclass(frozen=True)
class Check:
    """One thing tried; `detail` says what came of it.

    `model` is the only one a server serves, empty where that says nothing.
    """

    name: str
    ok: bool
    detail: str | Text
    model: str = ""


async def try_endpoint(endpoint: Endpoint) -> list[Check]:
    """Ask what is served, then the model for one word; a model called `ANY` is the first one served."""
    checks: list[Check] = []
    lister = OpenAICompatible(replace(endpoint, attempts=1))
    try:
        served = await lister.served()
    except ModelFault as fault:
        return [Check("server", ok=False, detail=fault.message)]
    finally:
        await lister.close()
    checks.append(
        Check(
            "server",
            ok=True,
            detail=Text(
                "serves {served}",
                served=", ".join(sorted(served)) or Text("no model"),
            ),
            model=next(iter(served)) if len(served) == 1 else "",
        )
    )
    name = endpoint.model if endpoint.model != ANY else next(iter(served), "")
    if not name or (served and name not in served):
        missing = (
            Text("{name} is not served there", name=name) if name else "none is served"
        )
        return [*checks, Check("model", ok=False, detail=missing)]
    context = served.get(name, 0)
    size = (
        Text("{context} tokens", context=context)
        if context
        else "not reported; set it if requests overflow"
    )
    checks.append(Check("context", ok=True, detail=size))
    return [
        *checks,
        *await _conversation(
            replace(endpoint, model=name, attempts=1, max_output_tokens=512)
        ),
    ]


async def _conversation(endpoint: Endpoint) -> list[Check]:
    """Ask the model one question; whether it answers, how fast, and what its server counts."""
    provider = OpenAICompatible(endpoint)
    first: list[float] = []
    request = ModelRequest(
        Purpose.CANDIDATE, "test", "", 0, (Message("user", _QUESTION),)
    )
    began = time.monotonic()
    try:
        async with asyncio.timeout(_LONGEST_S):
            reply = await provider.complete(
                request, lambda _text: first.append(time.monotonic() - began)
            )
    except TimeoutError:
        endless = Text(
            "asked for one word, it had not ended after {seconds:.0f} s",
            seconds=_LONGEST_S,
        )
        return [Check("reply", ok=False, detail=endless)]
    except ModelFault as fault:
        return [Check("reply", ok=False, detail=fault.message)]
    finally:
        await provider.close()
    usage = reply.usage
    late = Text(", first text after {seconds:.2f} s", seconds=first[0]) if first else ""
    cached = (
        Text("not reported") if usage.cached_tokens is None else usage.cached_tokens
    )
    return [
        Check(
            "reply",
            ok=True,
            detail=Text(
                "{reply!r} in {seconds:.2f} s{late}",
                reply=reply.text.strip()[:60],
                seconds=reply.seconds,
                late=late,
            ),
        ),
        Check(
            "reasoning", ok=True, detail="separate" if reply.reasoning else "none seen"
        ),
        Check(
            "usage",
            ok=True,
            detail=Text("not reported")
            if usage.prompt_tokens is None
            else Text(
                "{prompt_tokens} in, {completion_tokens} out, cached: {cached}",
                prompt_tokens=usage.prompt_tokens,
                completion_tokens=usage.completion_tokens,
                cached=cached,
            ),
        ),
    ]
