"""Questions about hot memory: what Algorithm 1 would choose under another budget, who left and why."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from enum import StrEnum

from core.memory import residency
from core.memory.ledger import episodes_applied
from core.memory.reading import latest_parameters
from core.memory.records import ItemState
from core.memory.tokens import block_tokens
from core.memory.views.queries import item_rows
from core.memory.views.rows import ItemRow


class Absence(StrEnum):
    """Why a rule that was resident once is not now, judged by how its item stands today."""

    DISABLED = "disabled"
    BLOCKED = "blocked"
    DEMOTED = "demoted"
    UTILITY = "utility"
    DISPLACED = "displaced"


@dataclass(frozen=True)
class Departed:
    """A former resident; the latest to leave comes first in a list."""

    row: ItemRow
    reason: Absence


@dataclass(frozen=True)
class HotChoice:
    """What Algorithm 1 would choose today.

    Attributes:
        budget: B in tokens it was asked for.
        tokens: Tok(H) of the block it would make.
        rules: How many rules the block would have.
        entering: uids of items that would become resident.
        leaving: uids of residents that would lose their place.
    """

    budget: int
    tokens: int
    rules: int
    entering: tuple[str, ...]
    leaving: tuple[str, ...]


def hot_choice(db: sqlite3.Connection, budget: int) -> HotChoice:
    """Run Algorithm 1 over H ∪ V under another budget of tokens, without writing anything.

    Everything but the budget is as in the latest episode.
    """
    parameters = replace(latest_parameters(db), B=budget)
    seq = int(
        db.execute("SELECT coalesce(max(seq), 0) FROM memory_event").fetchone()[0]
    )
    entering, leaving = residency.moved(
        residency.select(db, parameters, seq=seq, applied=episodes_applied(db))
    )
    residents = {
        row[0] for row in db.execute("SELECT id FROM item WHERE hot_region = 1")
    }
    after = (residents - set(leaving)) | set(entering)
    rows = item_rows(db, sorted(residents | after))
    return HotChoice(
        budget,
        block_tokens(rows[item].L_m for item in sorted(after)),
        len(after),
        tuple(rows[item].uid for item in entering),
        tuple(rows[item].uid for item in leaving),
    )


def last_out(db: sqlite3.Connection) -> tuple[Departed, ...]:
    """Return former residents, the latest to leave first, 50 at most."""
    parameters = latest_parameters(db)
    query = "SELECT id FROM item WHERE ever_hot = 1 AND hot_region = 0 ORDER BY elig_since_seq DESC, id LIMIT 50"
    ids = [row[0] for row in db.execute(query)]
    rows, held_ids = item_rows(db, ids), residency.held_back(db, parameters)
    return tuple(
        Departed(rows[item], _absence(rows[item], held=item in held_ids))
        for item in ids
    )


def _absence(row: ItemRow, *, held: bool) -> Absence:
    if row.state is not ItemState.ACTIVE:
        return Absence.DISABLED
    if row.barred:
        return Absence.BLOCKED
    if held:
        return Absence.DEMOTED
    if row.u_m <= 0.0:
        return Absence.UTILITY
    return Absence.DISPLACED
