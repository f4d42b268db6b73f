"""`sage memory add | edit | pin | … | undo`: every change is an event that can be undone."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from core.curation.curator import Curator
from core.curation.undo import taken_back
from core.errors import InvalidInput
from core.exchange.seeds import add_seeds, cold_start_bank, read_seeds
from core.memory.ledger import current_seq
from core.memory.records import CodeDiff, Experience, Origin, Scope
from core.memory.store import MemoryStore
from core.outside import convert, json_value, read_text
from sage_desktop.commands.memory.common import (
    REASON,
    WORKSPACE,
    curated,
    memory,
    tell,
    writer,
)

if TYPE_CHECKING:
    from core.agent.learning.mining_job import Mined
    from core.models.port import ModelProvider

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@memory.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@WORKSPACE
@REASON
def add(file: Path, path: Path | None, reason: str) -> None:
    """Add the experience in FILE (JSON: title, type, category, error_message, code_diff, summary)."""
    experience = _read_experience(file)
    with writer(path) as workspace, workspace.transaction() as db:
        store = MemoryStore(workspace)
        before = current_seq(db)
        uid = store.add_item(
            experience, origin=Origin.USER, actor="user", reason=reason
        )
        item = store.item(uid)
        known = (
            "" if current_seq(db) > before else " (there already, nothing to change)"
        )
    click.echo(f"{uid} {item.state.value} {item.state_reason}".rstrip() + known)


@memory.command()
@click.argument(
    "folder",
    required=False,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
@WORKSPACE
def seed(folder: Path | None, path: Path | None) -> None:
    """Add the cold-start bank that ships, or the bank in FOLDER (TOML files); what is there already stays.

    A workspace named with --workspace that does not exist yet is created.
    """
    seeds = read_seeds(folder) if folder else cold_start_bank()
    with writer(path, create=True) as workspace:
        report = add_seeds(MemoryStore(workspace), seeds)
    click.echo(f"{report.new} of {len(seeds)} seeds are new")
    for uid in report.differing:
        click.echo(
            f"{uid} is there with other content, which stays; `sage memory edit` changes it",
            err=True,
        )


@memory.command()
@click.option(
    "--operator",
    required=True,
    help="The operator both implement; not one of the evaluated.",
)
@click.option(
    "--candidate",
    type=_FOLDER,
    required=True,
    help="Project of a generated kernel that compiles.",
)
@click.option(
    "--expert", type=_FOLDER, required=True, help="Project of an expert's solution."
)
@click.option("--category", default="Any", show_default=True)
@click.option(
    "--model",
    "model_name",
    default="",
    help="Who writes the rule, as for `sage run`; empty: a draft without a model.",
)
@click.option("--endpoint", default="", help="Where the model is served.")
@WORKSPACE
def mine(
    operator: str,
    candidate: Path,
    expert: Path,
    category: str,
    model_name: str,
    endpoint: str,
    path: Path | None,
) -> None:
    """Compare a generated project with an expert's and write the patterns it lacks as pending items.

    Operators of the catalogue are what memories are evaluated on, so they are refused, also under another
    name. With a model the patterns are in its words, checked against the expert's code; without one they are
    a plain comparison.
    """
    from core.agent.learning import mining
    from core.agent.learning.mining_job import Mined, mine_with_model, store_mined
    from core.evaluation.candidate_folder import read_project
    from core.operators.catalogue import operator_names

    pair = (read_project(candidate), read_project(expert))
    if model_name:
        from sage_desktop.services.model_choice import choose_model

        provider = choose_model(model_name, endpoint).make()
        mined = asyncio.run(
            _ask(
                mine_with_model(provider, operator, category, *pair, operator_names()),
                provider,
            )
        )
    else:
        mined = Mined(
            mining.mine(operator, category, *pair, operator_names()),
            "mined, not reviewed",
        )
    with writer(path) as workspace:
        store = MemoryStore(workspace)
        uids = store_mined(store, mined)
        items = store.items(uids)
    for item in items:
        click.echo(f"{item.uid} {item.state.value} {item.title}")
    count = (
        f"{len(items)} drafts"
        if items
        else "no drafts, nothing the expert has was found missing"
    )
    click.echo(f"{count}: {mined.reason}", err=True)


async def _ask(
    question: Coroutine[None, None, Mined], provider: ModelProvider
) -> Mined:
    try:
        return await question
    finally:
        await provider.close()


@memory.command()
@click.argument("uid")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@WORKSPACE
@REASON
def edit(uid: str, file: Path, path: Path | None, reason: str) -> None:
    """Replace the content of UID by the experience in FILE; its evidence stays."""
    experience = _read_experience(file)
    with curated(path) as workspace:
        tell(Curator(MemoryStore(workspace)).edit(uid, experience, reason=reason))


def _curating(name: str, help_text: str) -> None:
    @memory.command(name, help=help_text)
    @click.argument("uid")
    @WORKSPACE
    @REASON
    def command(uid: str, path: Path | None, reason: str) -> None:
        with curated(path) as workspace:
            tell(getattr(Curator(MemoryStore(workspace)), name)(uid, reason=reason))


for _name, _help in (
    ("pin", "Keep UID resident whatever its density."),
    ("unpin", "Let consolidation decide about UID again."),
    ("bar", "Keep UID out of hot memory."),
    ("unbar", "Let UID compete for hot memory again."),
    ("promote", "Admit UID to hot memory now."),
    ("demote", "Remove UID from hot memory until newer evidence passes the gates."),
    ("disable", "Take UID out of use for now."),
    ("enable", "Enable UID; a pending or quarantined item is accepted too."),
    ("archive", "Archive UID; it stays readable."),
    ("accept", "Accept UID, which is pending or quarantined, for use."),
    ("reject", "Reject UID, which is pending or quarantined; it stays readable."),
):
    _curating(_name, _help)


@memory.command()
@WORKSPACE
@click.option(
    "--event",
    type=int,
    help="Undo this event instead of the latest (see `sage memory history`).",
)
@click.option("--redo", is_flag=True, help="Redo the latest undone change instead.")
@REASON
def undo(path: Path | None, event: int | None, redo: bool, reason: str) -> None:
    """Undo the latest change a person made; repeat to go further back."""
    with curated(path) as workspace:
        curator = Curator(MemoryStore(workspace))
        seq = (
            curator.redo(reason=reason) if redo else curator.undo(event, reason=reason)
        )
        gone = taken_back(workspace.db, seq)
    what = " ".join(
        word
        for word in (
            gone.kind,
            gone.item_uid,
            f"({gone.reason})" if gone.reason else "",
        )
        if word
    )
    click.echo(f"event {seq} takes back event {gone.seq}: {what}")


@memory.command()
@click.option(
    "--counter",
    default="",
    help="From now on: estimate, wordpiece, file:PATH of a tokenizer.json, or served:MODEL@URL.",
)
@WORKSPACE
@REASON
def recount(counter: str, path: Path | None, reason: str) -> None:
    """Count the tokens of every rule again, with another counter if one is named; one event."""
    with curated(path) as workspace:
        tell(Curator(MemoryStore(workspace)).recount(counter, reason=reason))


def _read_experience(file: Path) -> Experience:
    try:
        raw = convert(
            json_value(read_text(file), str(file)), dict[str, Any], str(file), "file"
        )
        _require_known(file, raw)
        return convert(raw, Experience, str(file), "experience")
    except InvalidInput as error:
        remedy = (
            error.remedy or "Give title, type, category and what you know of the rest."
        )
        raise InvalidInput(error.source, error.field, error.problem, remedy) from error


def _require_known(file: Path, raw: dict[str, Any]) -> None:
    """Refuse a field no experience has: a slip of the pen would lose its text without a word."""
    for place, values, kind in (
        ("", raw, Experience),
        ("code_diff.", raw.get("code_diff"), CodeDiff),
        ("scope.", raw.get("scope"), Scope),
    ):
        names = [field.name for field in fields(kind)]
        for name in values if isinstance(values, dict) else ():
            if name not in names:
                raise InvalidInput(
                    str(file),
                    f"{place}{name}",
                    "is no field of an experience",
                    "Available: {names}.",
                    names=", ".join(names),
                )
