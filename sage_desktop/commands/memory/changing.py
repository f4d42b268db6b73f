"""`sage memory add | edit | pin | … | undo`: every change is an event that can be undone."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from core.errors import SageError
from core.memory.curation import Curator
from core.memory.records import Experience, Origin
from core.memory.store import MemoryStore
from sage_desktop.commands.memory.common import REASON, WORKSPACE, memory, tell, writer


@memory.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@WORKSPACE
@REASON
def add(file: Path, path: Path | None, reason: str) -> None:
    """Add the experience in FILE (JSON: title, type, category, error_message, code_diff, summary)."""
    experience = _read_experience(file)
    with writer(path) as workspace:
        store = MemoryStore(workspace)
        uid = store.add_item(experience, origin=Origin.USER, actor="user", reason=reason)
        item = store.item(uid)
    click.echo(f"{uid} {item.state.value} {item.state_reason}".rstrip())


@memory.command()
@click.argument("uid")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@WORKSPACE
@REASON
def edit(uid: str, file: Path, path: Path | None, reason: str) -> None:
    """Replace the content of UID by the experience in FILE; its evidence stays."""
    experience = _read_experience(file)
    with writer(path) as workspace:
        tell(Curator(MemoryStore(workspace)).edit(uid, experience, reason=reason))


def _curating(name: str, help_text: str) -> None:
    @memory.command(name, help=help_text)
    @click.argument("uid")
    @WORKSPACE
    @REASON
    def command(uid: str, path: Path | None, reason: str) -> None:
        with writer(path) as workspace:
            tell(getattr(Curator(MemoryStore(workspace)), name)(uid, reason=reason))


for _name, _help in (
    ("pin", "Keep UID resident whatever its density."),
    ("unpin", "Let consolidation decide about UID again."),
    ("bar", "Keep UID out of hot memory."),
    ("unbar", "Let UID compete for hot memory again."),
    ("promote", "Admit UID to hot memory now."),
    ("demote", "Remove UID from hot memory now."),
    ("disable", "Take UID out of use for now."),
    ("enable", "Put UID into use: also accepts a pending or quarantined one."),
    ("archive", "Put UID away; it stays readable."),
):
    _curating(_name, _help)


@memory.command()
@WORKSPACE
@click.option("--redo", is_flag=True, help="Take the latest undo back instead.")
@REASON
def undo(path: Path | None, redo: bool, reason: str) -> None:
    """Undo the latest change a person made; repeat to go further back."""
    with writer(path) as workspace:
        curator = Curator(MemoryStore(workspace))
        tell(curator.redo(reason=reason) if redo else curator.undo(reason=reason))


def _read_experience(file: Path) -> Experience:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Experience)
    except msgspec.MsgspecError as error:
        raise SageError(
            f"{file}: {error}.", "Give title, type, category and what you know of the rest."
        ) from error
