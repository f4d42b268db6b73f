"""`sage prepare`: make now what the first evaluation on the CPU twin would wait for."""

from __future__ import annotations

import os
import time

import click

from core.errors import SageError


@click.command()
@click.option("--quiet", is_flag=True, help="Tell nothing but errors.")
def prepare(quiet: bool) -> None:
    """Compile the CPU twin for this computer: once per version and compiler, then nothing is left to do."""
    from remote.judge.faults import EnvironmentFault
    from remote.judge.prepare import prepare as make
    from sage_desktop.wiring import cache_dir, twin_dir

    started = time.monotonic()

    def tell(what: str) -> None:
        if not quiet:
            click.echo(f"preparing the CPU twin: {what}", err=True)

    try:
        found = make(cache_dir(), twin_dir(), os.cpu_count() or 1, tell)
    except EnvironmentFault as fault:
        raise SageError(str(fault)) from fault
    if not quiet:
        click.echo(f"The CPU twin is ready ({found}; {time.monotonic() - started:.1f} s).")
