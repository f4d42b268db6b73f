"""`sage model`: profiles of models, tried before they are relied on; keys go into the keyring."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import click
from tabulate import tabulate

from core.errors import SageError
from core.models.api_keys import store_api_key
from core.models.endpoint import Endpoint
from core.models.profiles import read_profiles, write_profiles
from core.models.servers import SERVERS, endpoint_at, server_settings
from core.outside import json_value
from core.records_json import to_json
from sage_desktop.commands.command_group import CommandGroup
from sage_desktop.services.models.check import ANY, Check, try_endpoint
from sage_desktop.services.models.choice import profiles_file


@click.group(cls=CommandGroup)
def model() -> None:
    """Profiles of models: where one is served, its settings and its key."""


@model.command()
@click.argument("profile", metavar="PROFILE|URL")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def test(profile: str, as_json: bool) -> None:
    """Ask the server of a PROFILE, or that at URL, what it serves, then the model for one word.

    Of a server at URL (up to /v1) the first model served is asked, with its usual key or SAGE_API_KEY. Exit code 0
    when the model can be used, 1 when it cannot.
    """
    is_url = "://" in profile
    endpoint = endpoint_at(profile, ANY) if is_url else _profile(profile)
    checks = [
        Check("profile", ok=True, detail=_described(endpoint)),
        *asyncio.run(try_endpoint(endpoint)),
    ]
    if as_json:
        click.echo(to_json(checks))
    else:
        click.echo(
            tabulate(
                [("ok" if c.ok else "FAILED", c.name, c.detail) for c in checks],
                tablefmt="plain",
            )
        )
    raise SystemExit(0 if all(check.ok for check in checks) else 1)


@model.command("list")
def list_profiles() -> None:
    """List the profiles."""
    rows = [
        (name, _described(endpoint))
        for name, endpoint in read_profiles(profiles_file()).items()
    ]
    click.echo(tabulate(rows, ("profile", "endpoint")) if rows else "no profiles yet")


@model.command()
@click.argument("profile")
@click.option(
    "--endpoint",
    "base_url",
    help=f"Base URL, up to /v1, or one of {', '.join(SERVERS)}.",
)
@click.option(
    "--body",
    multiple=True,
    metavar="FIELD=JSON",
    help="Further field of every request, e.g. enable_thinking=false; null takes it out. May be repeated.",
)
@click.option("--model", "model", help="Model name as the server lists it.")
@click.option(
    "--key-env", "key_name", help="Variable or keyring entry that holds the key."
)
@click.option(
    "--temperature", type=click.FloatRange(0, 2), help="Sampling temperature."
)
@click.option(
    "--max-output",
    "max_output_tokens",
    type=click.IntRange(1),
    help="Longest reply, tokens.",
)
@click.option(
    "--context",
    "context_tokens",
    type=click.IntRange(0),
    help="Context length, tokens; 0: what the server says.",
)
@click.option(
    "--prices",
    type=(click.FloatRange(0),) * 3,
    metavar="IN CACHED OUT",
    help="Prices per million prompt, cached prompt and reply tokens.",
)
@click.option(
    "--key",
    "ask_key",
    is_flag=True,
    help="Ask for the key and keep it in the system's keyring; an empty answer removes it.",
)
def add(
    profile: str,
    prices: tuple[float, float, float] | None,
    ask_key: bool,
    body: tuple[str, ...],
    **values: Any,
) -> None:
    """Add PROFILE, or change the given settings of it. Keys are never part of a profile."""
    every = read_profiles(profiles_file())
    changes = {name: value for name, value in values.items() if value is not None}
    if prices is not None:
        changes |= dict(
            zip(("price_input", "price_cached", "price_output"), prices, strict=True)
        )
    if "base_url" in changes:
        changes = server_settings(changes["base_url"]) | {
            name: value for name, value in changes.items() if name != "base_url"
        }
    former = every[profile].body if profile in every else {}
    changes["body"] = _with_fields(former, body)
    if profile in every:
        every[profile] = replace(every[profile], **changes)
    elif "base_url" in changes:
        every[profile] = Endpoint(**{"model": ANY, **changes})
    else:
        raise click.UsageError(
            f"There is no profile {profile}; a new one needs --endpoint."
        )
    write_profiles(profiles_file(), every)
    click.echo(f"{profile}: {_described(every[profile])}")
    if ask_key:
        _keep_key(every[profile].key_name)


@model.command()
@click.argument("profile")
def remove(profile: str) -> None:
    """Remove PROFILE."""
    every = read_profiles(profiles_file())
    _profile(profile)
    del every[profile]
    write_profiles(profiles_file(), every)
    click.echo(f"{profile} removed")


def _with_fields(former: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a request with these set, or taken out by `null`."""
    body = dict(former)
    for text in fields:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{text!r} is not FIELD=JSON", param_hint="--body")
        body[name] = json_value(value, "--body", name)
    return {name: value for name, value in body.items() if value is not None}


def _keep_key(name: str) -> None:
    key = click.prompt("Key", hide_input=True, default="", show_default=False).strip()
    store_api_key(name, key)
    change = "stored in" if key else "removed from"
    click.echo(f"{name}: {change} the keyring of this system.")


def _profile(name: str) -> Endpoint:
    every = read_profiles(profiles_file())
    if name not in every:
        raise SageError(
            "There is no profile {name}.",
            "There are: {every}.",
            name=name,
            every=", ".join(every) or "none; see `sage model add`",
        )
    return every[name]


def _described(endpoint: Endpoint) -> str:
    """A profile in one line: where, which, and every setting that is not the default."""
    parts = [
        f"{endpoint.model} at {endpoint.base_url}",
        f"key from {endpoint.key_name}",
    ]
    for field in fields(endpoint):
        value = getattr(endpoint, field.name)
        if field.name not in {"model", "base_url", "key_name"} and value not in (
            field.default,
            {},
        ):
            parts.append(f"{field.name} {value}")
    return ", ".join(parts)
