"""`sage prepare`: make now what the first evaluation on the CPU twin would wait for."""

from __future__ import annotations

import os
import time

import click

from core.errors import SageError

# The window, and the judges it starts, have the processor first.
_NICENESS = 10


@click.command()
@click.option("--quiet", is_flag=True, help="Print only errors.")
@click.option(
    "--background", is_flag=True, help="Leave the processors to whatever else runs."
)
def prepare(quiet: bool, background: bool) -> None:
    """Compile the CPU twin for this computer: once per version and compiler, then nothing is left to do."""
    from remote.judge.faults import EnvironmentFault
    from remote.judge.serving.prepare import prepare as make
    from sage_desktop.services.wiring import cache_dir, language_lint, twin_dir

    if background and hasattr(os, "nice"):
        os.nice(_NICENESS)
    started = time.monotonic()

    def tell(what: str) -> None:
        if not quiet:
            click.echo(f"preparing the CPU twin: {what}", err=True)

    try:
        compiler = make(cache_dir(), twin_dir(), os.cpu_count() or 1, tell)
    except EnvironmentFault as fault:
        raise SageError(str(fault)) from fault
    tell("preflight")
    lint = language_lint()
    # Where the lint cannot work, evaluations report it.
    lint.warm_up()
    lint.close()
    if not quiet:
        click.echo(
            f"The CPU twin is ready ({compiler}; {time.monotonic() - started:.1f} s)."
        )
