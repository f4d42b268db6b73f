"""The paper's audit of adoption records: a random sample, rated by a person, and the table of ratings.

Paper, "Expert Audit of Adoption Records": 50 records drawn at random from all records labelled adopted; for
each the experience and the rationale are checked against the code revision and rated full, partial or
unrelated. A sample is drawn once and kept, so that ratings can be given over several days.
"""

from __future__ import annotations

import csv
import io
import random
import sqlite3
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from core.engine.queries import candidate_before, candidate_files
from core.errors import SageError
from core.memory.reading import read_item
from core.memory.records import MemoryItem
from core.workspace.rows import insert, named, rows_as, update

if TYPE_CHECKING:
    from core.workspace import Workspace

SAMPLE = 50  # of the paper


class Rating(StrEnum):
    """How well a record corresponds to the code revision; OPEN while nobody has looked."""

    OPEN = ""
    FULL = "full"
    PARTIAL = "partial"
    UNRELATED = "unrelated"


@dataclass(frozen=True)
class SampledRecord:
    """One record of the sample, in the order it was drawn.

    Attributes:
        place: 1, 2, ...
        trajectory: uid of its trajectory.
        rationale: What the generator said when it adopted the item.
    """

    place: int
    trajectory: str
    operator: str
    round: int
    item_uid: str
    title: str
    rationale: str
    rating: Rating
    comment: str


@dataclass(frozen=True)
class AuditSample:
    """A sample with what was drawn from: `population` records were labelled adopted at `drawn_at`."""

    number: int
    seed: int
    population: int
    drawn_at: str
    records: tuple[SampledRecord, ...]

    def count(self, rating: Rating) -> int:
        """How many records have a rating."""
        return sum(record.rating is rating for record in self.records)

    @property
    def rated(self) -> int:
        """How many records somebody has looked at."""
        return len(self.records) - self.count(Rating.OPEN)


@dataclass(frozen=True)
class Revision:
    """The code before and after the round of a record, and the experience it is about."""

    item: MemoryItem
    before: dict[str, str]
    after: dict[str, str]


_ADOPTED = """
SELECT t.episode_uid, t.round, t.item_id FROM trace t JOIN episode e ON e.uid = t.episode_uid
JOIN round r ON r.trajectory_uid = e.trajectory_uid AND r.round = t.round
WHERE t.state = 'adopted' AND t.counted = 1 AND r.candidate IS NOT NULL
ORDER BY e.rowid, t.round, t.rank
"""
_RECORDS = """
SELECT a.place, e.trajectory_uid AS trajectory, e.operator, a.round, i.uid AS item_uid, i.title,
  t.rationale, a.rating, a.comment
FROM audit_record a JOIN episode e ON e.uid = a.episode_uid JOIN item i ON i.id = a.item_id
JOIN trace t ON t.episode_uid = a.episode_uid AND t.round = a.round AND t.item_id = a.item_id
WHERE a.sample = ? ORDER BY a.place
"""
_CANDIDATE = "SELECT candidate FROM round WHERE trajectory_uid = ? AND round = ?"


def draw_sample(workspace: Workspace, size: int = SAMPLE, seed: int = 0) -> int:
    """Draw and keep a random sample of the records labelled adopted; returns its number.

    Args:
        workspace: Writable.
        size: How many; all there are when there are fewer.
        seed: Equal seeds draw equal samples from equal records.

    Raises:
        SageError: No record is labelled adopted yet.
    """
    from core.workspace import now

    with workspace.transaction() as db:
        population = db.execute(_ADOPTED).fetchall()
        if not population:
            raise SageError(
                "No experience was adopted in a finished round yet.",
                "Let an operator run, then draw.",
            )
        drawn = random.Random(seed).sample(population, min(size, len(population)))
        number = insert(
            db, "audit_sample", seed=seed, population=len(population), drawn_at=now()
        )
        db.executemany(
            "INSERT INTO audit_record(sample, place, episode_uid, round, item_id) VALUES (?, ?, ?, ?, ?)",
            [(number, place, *tuple(row)) for place, row in enumerate(drawn, start=1)],
        )
    return number


def samples(db: sqlite3.Connection) -> tuple[int, ...]:
    """Numbers of the samples, the latest first."""
    return tuple(
        row[0] for row in db.execute("SELECT id FROM audit_sample ORDER BY id DESC")
    )


def read_sample(db: sqlite3.Connection, number: int) -> AuditSample:
    """Read a sample with its ratings; raises SageError when there is none of that number."""
    row = db.execute(
        "SELECT id AS number, seed, population, drawn_at FROM audit_sample WHERE id = ?",
        (number,),
    )
    found = named(row)
    if not found:
        raise SageError("There is no audit sample {number}.", number=number)
    return AuditSample(
        **found[0], records=rows_as(db.execute(_RECORDS, (number,)), SampledRecord)
    )


def rate(
    workspace: Workspace, number: int, place: int, rating: Rating, comment: str = ""
) -> None:
    """Keep a rating; an earlier one of the same record is replaced."""
    from core.workspace import now

    with workspace.transaction() as db:
        chosen = {"sample": number, "place": place}
        update(
            db, "audit_record", chosen, rating=rating.value, comment=comment, at=now()
        )


def read_revision(db: sqlite3.Connection, record: SampledRecord) -> Revision:
    """Read the code evidence of a record: the round's candidate and the one before it."""
    after = db.execute(_CANDIDATE, (record.trajectory, record.round)).fetchone()[0]
    return Revision(
        read_item(db, record.item_uid),
        candidate_before(db, record.trajectory, record.round),
        candidate_files(db, after),
    )


def as_csv(sample: AuditSample) -> str:
    """The records with their ratings, one a line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            "place",
            "operator",
            "round",
            "item",
            "title",
            "rationale",
            "rating",
            "comment",
            "trajectory",
        ]
    )
    writer.writerows(
        [
            record.place,
            record.operator,
            record.round,
            record.item_uid,
            record.title,
            record.rationale,
            record.rating.value,
            record.comment,
            record.trajectory,
        ]
        for record in sample.records
    )
    return out.getvalue()


def as_table(sample: AuditSample) -> str:
    """The table of the paper in Markdown: correspondence, records, share of the rated ones."""
    lines = ["| Correspondence | Records | Share |", "|---|---:|---:|"]
    for rating in (Rating.FULL, Rating.PARTIAL, Rating.UNRELATED):
        count = sample.count(rating)
        share = f"{100 * count / sample.rated:.0f} %" if sample.rated else "n/a"
        lines.append(f"| {rating.value} | {count} | {share} |")
    lines.append(f"| rated | {sample.rated} of {len(sample.records)} | |")
    lines.append("")
    lines.append(
        f"Drawn {sample.drawn_at[:19]} with seed {sample.seed} from {sample.population} adoption records."
    )
    return "\n".join(lines) + "\n"
