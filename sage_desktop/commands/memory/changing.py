"""`sage memory add | edit | pin | … | undo`: every change is an event that can be undone."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from core.errors import SageError
from core.memory.curation import Curator
from core.memory.records import Experience, ItemState, Origin
from core.memory.seeds import add_seeds, cold_start_bank, read_seeds
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
@click.argument("folder", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@WORKSPACE
def seed(folder: Path | None, path: Path | None) -> None:
    """Add the cold-start bank that ships, or the bank in FOLDER (TOML files); what is there already stays."""
    seeds = read_seeds(folder) if folder else cold_start_bank()
    with writer(path) as workspace:
        new = add_seeds(MemoryStore(workspace), seeds)
    click.echo(f"{new} of {len(seeds)} seeds are new")


@memory.command()
@click.argument("folder", metavar="CANDIDATE", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("expert", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--operator", required=True, help="The operator both implement; not one of the evaluated.")
@click.option("--category", default="Any", show_default=True)
@WORKSPACE
def mine(folder: Path, expert: Path, operator: str, category: str, path: Path | None) -> None:
    """Compare a generated project with an EXPERT's and write the patterns it lacks as pending items.

    Operators of the catalogue are what memories are evaluated on, so they are refused.
    """
    from core.memory import mining
    from core.operators.catalogue import operator_names

    drafts = mining.mine(operator, category, _project(folder), _project(expert), operator_names())
    with writer(path) as workspace:
        store = MemoryStore(workspace)
        for draft in drafts:
            uid = store.add_item(
                draft, origin=Origin.MINED, state=ItemState.PENDING, reason="mined, not reviewed"
            )
            click.echo(f"{uid} {draft.title}")
    click.echo(f"{len(drafts)} drafts are pending", err=True)


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


def _project(folder: Path) -> dict[str, str]:
    found = [*folder.glob("op_host/*"), *folder.glob("op_kernel/*")]
    files = {
        str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in found if file.is_file()
    }
    if not files:
        raise SageError(
            f"{folder} has no op_host or op_kernel files.", "Give the folder of an operator project."
        )
    return files


def _read_experience(file: Path) -> Experience:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Experience)
    except msgspec.MsgspecError as error:
        raise SageError(
            f"{file}: {error}.", "Give title, type, category and what you know of the rest."
        ) from error
