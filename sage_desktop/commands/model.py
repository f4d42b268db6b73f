"""`sage model`: try an endpoint before relying on it, and keep its key."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict

import click
from tabulate import tabulate

from core.models.endpoint import Endpoint, store_api_key
from sage_desktop.model_check import ANY, try_endpoint


@click.group()
def model() -> None:
    """Test an endpoint and keep its key."""


@model.command()
@click.option("--endpoint", "address", envvar="SAGE_ENDPOINT", required=True, help="Base URL, up to /v1.")
@click.option("--model", "name", envvar="SAGE_MODEL", default="", help="Model name; the first one served.")
@click.option("--key-env", default="SAGE_API_KEY", show_default=True, help="Variable or keyring entry.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def test(address: str, name: str, key_env: str, as_json: bool) -> None:
    """Ask the server what it serves, then the model for one word.

    Exit code 0 when the model can be used, 1 when it cannot.
    """
    checks = asyncio.run(try_endpoint(Endpoint(address, name or ANY, key_env)))
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
