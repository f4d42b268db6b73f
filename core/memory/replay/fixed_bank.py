"""One frozen memory under several rankings (paper, "Fixed-Bank Credit Assignment").

The bank is copied whole; only the utility of cold items is written again, as another credit rule gives it
from the same traces. H, texts and lifecycle are those of the source, so that what differs between two such
banks is the ranking of cold memory and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.errors import SageError
from core.memory.ledger import REPLAYED, Changes, next_seq, set_columns, write_change
from core.memory.replay.credit import Denied, replay_credit
from core.whole_file import whole_file
from core.workspace import Workspace, WorkspaceError

RELEVANCE = "relevance"  # no credit at all: with u = 0 the ranking is that of relevance, whatever gamma
MASKED = "masked"  # ATU over the adoptions that masked replays upheld
_RULES = {RELEVANCE: "none", MASKED: "atu"}


@dataclass(frozen=True)
class FixedBank:
    """A bank that was written.

    Attributes:
        path: The file, ready for `sage run --frozen FILE`.
        sha256: Of the file, its identity in results.
        changed: Cold items that have another utility than in the source.
        cold: Cold items.
        residents: Items of H, which are the same in every bank.
    """

    path: Path
    sha256: str
    changed: int
    cold: int
    residents: int


def write_fixed_bank(
    source: Workspace,
    target: Path,
    credit: str,
    denied: Denied | None = None,
    **changes: bool | float | str,
) -> FixedBank:
    """Copy a memory to `target` and give its cold items the utility that `credit` yields from its traces.

    The new utilities are one event of the copy, so that `sage memory verify` finds the copy whole.

    Args:
        source: Open workspace, read-only will do; it is not changed.
        target: A file that does not exist.
        credit: A credit rule of `MethodParameters`, `relevance`, or `masked` with what masked replays denied.
        denied: Adoptions that are not counted.
        **changes: Further parameters to replay with, e.g. `beta=0.0`.

    Raises:
        SageError: The target exists, or the source holds only a part of its log.
    """
    if source.meta("part_of_a_run"):
        raise SageError(
            "{source} holds a part of a run: its traces do not say how its utilities came about.",
            "Replay the workspace it came from.",
            source=source.path,
        )
    rule = _RULES.get(credit, credit)
    if target.exists():
        raise WorkspaceError(
            "{target} exists already.", "Choose a new name.", target=target
        )
    replayed = {
        row.uid: row.replayed
        for row in replay_credit(source, denied, credit_rule=rule, **changes)
    }
    with whole_file(target) as part:  # under its name only when it is what it says
        source.backup(part)
        with Workspace.open(part, create=False) as bank, bank.transaction() as db:
            rows = db.execute(
                "SELECT id, uid, u_m FROM item WHERE hot_region = 0 ORDER BY id"
            ).fetchall()
            utilities: Changes = {}
            for row in rows:
                utility = (
                    0.0 if credit == RELEVANCE else replayed.get(row["uid"], row["u_m"])
                )
                if utility != row["u_m"]:
                    utilities[row["id"]] = {"u_m": utility}
            inverse = set_columns(db, utilities)
            write_change(
                db,
                next_seq(db),
                REPLAYED,
                None,
                utilities,
                inverse,
                actor="engine",
                reason=f"utilities of cold items by {credit}, from the same traces",
                note={
                    "credit": credit,
                    **{name: _noted(value) for name, value in changes.items()},
                },
            )
            residents = db.execute(
                "SELECT count(*) FROM item WHERE hot_region = 1"
            ).fetchone()[0]
    with Workspace.open_frozen(target) as finished:
        return FixedBank(
            target, finished.digest(), len(utilities), len(rows), residents
        )


def _noted(value: bool | float | str) -> float | str:
    return value if isinstance(value, str) else float(value)
