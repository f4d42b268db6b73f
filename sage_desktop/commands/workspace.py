"""`sage workspace`: care for workspace files."""

from __future__ import annotations

from pathlib import Path

import click

from core.workspace import Workspace
from sage_desktop.commands.command_group import CommandGroup


@click.group(cls=CommandGroup)
def workspace() -> None:
    """Back up workspace files; export runs, and open exported ones."""


@workspace.command()
@click.argument("source", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
def backup(source: Path, target: Path) -> None:
    """Make a safe copy of SOURCE, even while it is in use, at TARGET (which must not exist)."""
    with Workspace.open_readonly(source) as opened:
        opened.backup(target)
    click.echo(f"{target}: {target.stat().st_size:,} bytes")


@workspace.command("export-run")
@click.argument(
    "source",
    metavar="WORKSPACE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@click.argument(
    "target", metavar="OUT", type=click.Path(path_type=Path, dir_okay=False)
)
@click.option(
    "--operator",
    "operators",
    multiple=True,
    help="Only this operator; may be given several times.",
)
def export_run(source: Path, target: Path, operators: tuple[str, ...]) -> None:
    """Write the finished work of WORKSPACE to OUT: one file with the kernels, the memory used, and a report.

    Absolute paths and secrets are taken out. WORKSPACE is only read and may be in use.
    """
    from core import bundle

    exported_bundle = bundle.export_run(source, target, operators)
    counts = exported_bundle.report.counts
    click.echo(
        f"{target}: {target.stat().st_size:,} bytes, {counts['trajectory']} trajectories, "
        f"{counts['round']} rounds, {counts['item']} memory items"
    )


@workspace.command("open-run")
@click.argument(
    "file",
    metavar="BUNDLE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    help="Unpack into this new folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def open_run(file: Path, into: Path | None, as_json: bool) -> None:
    """Check every byte of BUNDLE against its manifest and show its report.

    The workspace unpacked with --into is for reading: every command that reads and the window open it.
    """
    from core import bundle
    from core.records_json import to_json

    run_bundle = bundle.read_bundle(file)
    click.echo(to_json(run_bundle.report) if as_json else run_bundle.markdown)
    if into is not None:
        click.echo(f"unpacked: {bundle.unpack(run_bundle, into)}", err=True)
