"""`sage memory audit draw | show | rate | table`: the paper's audit of adoption records, by hand."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from core.engine import audit_sample
from core.engine.audit_sample import AuditSample, Rating, Revision, SampledRecord
from core.errors import SageError
from sage_desktop.commands.command_group import CommandGroup
from sage_desktop.commands.memory.common import (
    JSON,
    WORKSPACE,
    as_text,
    memory,
    reader,
    writer,
)

if TYPE_CHECKING:
    from core.workspace import Workspace

_RATINGS = ("full", "partial", "unrelated")
_SAMPLE = click.option(
    "--sample",
    "number",
    type=click.IntRange(0),
    default=0,
    help="Number; the latest one.",
)


@memory.group(cls=CommandGroup)
def audit() -> None:
    """Rate drawn adoption records against the code revision they are about."""


@audit.command()
@WORKSPACE
@click.option(
    "--size", type=click.IntRange(1), default=50, show_default=True, help="Records."
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Kept with the sample."
)
def draw(path: Path | None, size: int, seed: int) -> None:
    """Draw a simple random sample of all records labelled adopted, and keep it."""
    with writer(path) as workspace:
        found = audit_sample.read_sample(
            workspace.db, audit_sample.draw_sample(workspace, size, seed)
        )
    click.echo(
        f"sample {found.number}: {len(found.records)} of {found.population} records labelled adopted, "
        f"seed {found.seed}"
    )


@audit.command()
@WORKSPACE
@_SAMPLE
@click.argument("place", type=click.IntRange(1), required=False)
def show(path: Path | None, number: int, place: int | None) -> None:
    """Show record PLACE of a sample, or the next one nobody has rated: experience, reason and revision."""
    with reader(path) as workspace:
        sample = _sample(workspace, number)
        record = _record(sample, place)
        text = _shown(sample, record, audit_sample.read_revision(workspace.db, record))
    click.echo(text)


@audit.command()
@WORKSPACE
@_SAMPLE
@click.argument("place", type=click.IntRange(1))
@click.argument("rating", type=click.Choice(_RATINGS))
@click.option("--comment", default="", help="Kept with the rating.")
def rate(path: Path | None, number: int, place: int, rating: str, comment: str) -> None:
    """Rate record PLACE: does the revision do what the experience says? An earlier rating is replaced."""
    with writer(path) as workspace:
        sample = _sample(workspace, number)
        record = _record(sample, place)
        audit_sample.rate(
            workspace, sample.number, record.place, Rating(rating), comment
        )
        rated = _sample(workspace, sample.number).rated
    click.echo(f"{rated} of {len(sample.records)} rated")


@audit.command()
@WORKSPACE
@_SAMPLE
@click.option(
    "--csv",
    "as_records",
    is_flag=True,
    help="Print the records with their ratings as CSV.",
)
@JSON
def table(path: Path | None, number: int, as_records: bool, as_json: bool) -> None:
    """Print the table of the paper, and how far the automatic check agrees."""
    from core.engine.audit import audit_adoption
    from core.engine.audit_agreement import agreement, agreement_lines

    with reader(path) as workspace:
        sample = _sample(workspace, number)
        found = agreement(sample, audit_adoption(workspace))
    if as_json:
        check = {
            "borne_out": found.borne_out,
            "doubted": found.doubted,
            "agreement": found.share,
        }
        click.echo(as_text({"sample": msgspec.to_builtins(sample), "check": check}))
    elif as_records:
        click.echo(audit_sample.as_csv(sample), nl=False)
    else:
        click.echo("\n".join((audit_sample.as_table(sample), *agreement_lines(found))))


def _sample(workspace: Workspace, number: int) -> AuditSample:
    known = audit_sample.samples(workspace.db)
    if not known:
        raise SageError(
            "No sample was drawn yet.", "Draw one with `sage memory audit draw`."
        )
    return audit_sample.read_sample(workspace.db, number or known[0])


def _record(sample: AuditSample, place: int | None) -> SampledRecord:
    if place is None:
        unrated = (record for record in sample.records if not record.rating.value)
        found = next(unrated, None)
        if found is None:
            raise SageError(
                "Every record of the sample is rated.", "See `sage memory audit table`."
            )
        return found
    if place > len(sample.records):
        raise SageError(
            "Sample {number} has {count} records, no record {place}.",
            number=sample.number,
            count=len(sample.records),
            place=place,
        )
    return sample.records[place - 1]


def _shown(sample: AuditSample, record: SampledRecord, revision: Revision) -> str:
    item = revision.item
    lines = [
        f"record {record.place} of {len(sample.records)}, sample {sample.number}"
        + (f": {record.rating.value} {record.comment}" if record.rating.value else ""),
        f"{record.operator}, round {record.round} ({record.trajectory})",
        "",
        f"[{record.item_uid}] {record.title}",
        item.summary,
        *(
            [f"wrong:\n{item.code_diff.wrong_code}"]
            if item.code_diff.wrong_code
            else []
        ),
        *(
            [f"correct:\n{item.code_diff.correct_code}"]
            if item.code_diff.correct_code
            else []
        ),
        "",
        f"adopted because: {record.rationale}",
        "",
    ]
    for name in sorted({*revision.before, *revision.after}):
        old, new = (
            files.get(name, "").splitlines()
            for files in (revision.before, revision.after)
        )
        lines += difflib.unified_diff(
            old, new, f"before/{name}", f"after/{name}", lineterm=""
        )
    return "\n".join(lines)
