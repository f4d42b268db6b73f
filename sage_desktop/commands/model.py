"""`sage model`: try an endpoint before relying on it, and keep its key."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import asdict, dataclass

import click
from tabulate import tabulate

from core.models.endpoint import Endpoint, store_api_key
from core.models.faults import ModelFault
from core.models.openai_compatible import OpenAICompatible
from core.models.port import Message, ModelRequest, Purpose

_QUESTION = "Answer with the one word: ready"


@click.group()
def model() -> None:
    """Test an endpoint and keep its key."""


@dataclass(frozen=True)
class Check:
    """One thing tried; `detail` says what was found."""

    name: str
    ok: bool
    detail: str


@model.command()
@click.option("--endpoint", "address", envvar="SAGE_ENDPOINT", required=True, help="Base URL, up to /v1.")
@click.option("--model", "name", envvar="SAGE_MODEL", default="", help="Model name; the first one served.")
@click.option("--key-env", default="SAGE_API_KEY", show_default=True, help="Variable or keyring entry.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def test(address: str, name: str, key_env: str, as_json: bool) -> None:
    """Ask the server what it serves, then the model for one word.

    Exit code 0 when the model can be used, 1 when it cannot.
    """
    checks = asyncio.run(_checks(address, name, key_env))
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks], indent=1))
    else:
        click.echo(
            tabulate([("ok" if c.ok else "FAILED", c.name, c.detail) for c in checks], tablefmt="plain")
        )
    raise SystemExit(0 if all(check.ok for check in checks) else 1)


@model.command()
@click.argument("name", default="SAGE_API_KEY")
def key(name: str) -> None:
    """Store the key of an endpoint as NAME in the system keyring; an empty answer removes it."""
    store_api_key(name, click.prompt("Key", hide_input=True, default="", show_default=False).strip())
    click.echo(f"{name}: stored in the keyring of this system.")


async def _checks(address: str, name: str, key_name: str) -> list[Check]:
    checks: list[Check] = []
    lister = OpenAICompatible(Endpoint(address, name or "unnamed", key_name, attempts=1))
    try:
        served = await lister.served()
    except ModelFault as fault:
        return [Check("server", ok=False, detail=str(fault))]
    finally:
        await lister.close()
    checks.append(Check("server", ok=True, detail=f"serves {', '.join(sorted(served)) or 'no model'}"))
    name = name or next(iter(served), "")
    if not name or (served and name not in served):
        return [*checks, Check("model", ok=False, detail=f"{name or 'no model'} is not served there")]
    context = served.get(name, 0)
    told = f"{context} tokens" if context else "not told; set it if requests overflow"
    checks.append(Check("context", ok=True, detail=told))
    return [
        *checks,
        *await _conversation(Endpoint(address, name, key_name, attempts=1, max_output_tokens=512)),
    ]


async def _conversation(endpoint: Endpoint) -> list[Check]:
    provider = OpenAICompatible(endpoint)
    first: list[float] = []
    request = ModelRequest(Purpose.CANDIDATE, "test", "", 0, (Message("user", _QUESTION),))
    began = time.monotonic()
    try:
        reply = await provider.complete(request, lambda _text: first.append(time.monotonic() - began))
    except ModelFault as fault:
        return [Check("reply", ok=False, detail=str(fault))]
    finally:
        await provider.close()
    usage = reply.usage
    late = f", first text after {first[0]:.2f} s" if first else ""
    cached = "not told" if usage.cached_tokens is None else str(usage.cached_tokens)
    return [
        Check("reply", ok=True, detail=f"{reply.text.strip()[:60]!r} in {reply.seconds:.2f} s{late}"),
        Check("reasoning", ok=True, detail="separate" if reply.reasoning else "none seen"),
        Check(
            "usage",
            ok=usage.prompt_tokens is not None,
            detail=f"{usage.prompt_tokens} in, {usage.completion_tokens} out, cached: {cached}",
        ),
    ]
