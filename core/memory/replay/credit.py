"""Utilities and retrievals from the same traces under another credit rule; the memory is not touched.

This is the paper's "Fixed-Bank Credit Assignment" control.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from core.memory.evidence import (
    EpisodeRecord,
    foreign_episodes,
    in_order,
    own_episodes,
    owners,
)
from core.method.fold import CreditRecord, Evidence, advance, episode_credit
from core.method.parameters import MethodParameters
from core.workspace import Workspace


@dataclass(frozen=True)
class ReplayedUtility:
    """The utility of an item as stored, and as another credit rule gives it."""

    uid: str
    stored: float
    replayed: float


Denied = Mapping[str, Collection[str]]
"""Episode uid -> uids of items that do not count as adopted in it, whatever was declared."""


def replay_credit(
    workspace: Workspace,
    denied: Denied | None = None,
    **changes: bool | float | str,
) -> tuple[ReplayedUtility, ...]:
    """Recompute utilities from the same traces under other parameters, without touching the bank.

    This is the paper's "Fixed-Bank Credit Assignment" control.

    Args:
        workspace: Open workspace, read-only will do.
        denied: Adoptions that are not counted; None: all are, as they were declared.
        **changes: Fields of `MethodParameters` to replace, e.g. `credit_rule="uniform"` or `beta=0.0`.

    Returns:
        Every item ever retrieved, by replayed rank.
    """
    db = workspace.db
    owner = owners(db)
    evidence: dict[int, Evidence] = {}
    for episode in _all_episodes(db):
        occasion = episode.occasion(**changes)
        records = _with_credit(
            episode, occasion.parameters, (denied or {}).get(episode.uid, ())
        )
        for item in sorted({owner[uid] for uid in records if uid in owner}):
            mine = [record for uid, record in records.items() if owner.get(uid) == item]
            evidence[item] = advance(
                evidence.get(item, Evidence()), mine, occasion
            ).after
    return _ranked(
        db,
        {item: row.u for item, row in evidence.items() if row.n_ret or row.u},
    )


def _with_credit(
    episode: EpisodeRecord, parameters: MethodParameters, denied: Collection[str]
) -> dict[str, CreditRecord]:
    """Return the records of an episode with the credit other parameters give; priors stay as they came."""
    priors = {
        uid: record
        for uid, record in episode.credit.items()
        if record.prior is not None
    }
    traced = {
        uid: record for uid, record in episode.credit.items() if record.prior is None
    }
    score = episode.z if episode.z > 0.0 else -parameters.delta
    adopted = [
        uid for uid, record in traced.items() if record.adopted and uid not in denied
    ]
    return episode_credit(score, traced, adopted, parameters) | priors


def _all_episodes(db: sqlite3.Connection) -> list[EpisodeRecord]:
    """Return every episode that gave credit: as they were applied here, in merging order with others'."""
    own, foreign = own_episodes(db), foreign_episodes(db)
    own_uids = {episode.uid for episode in own}
    return (
        in_order([*own, *(other for other in foreign if other.uid not in own_uids)])
        if foreign
        else own
    )


def _ranked(
    db: sqlite3.Connection, utilities: dict[int, float]
) -> tuple[ReplayedUtility, ...]:
    """Return the items that have a utility, by the replayed one."""
    rows = {row["id"]: row for row in db.execute("SELECT id, uid, u_m FROM item")}
    ranked = sorted(utilities.keys() & rows.keys(), key=lambda i: (-utilities[i], i))
    return tuple(
        ReplayedUtility(rows[item]["uid"], rows[item]["u_m"], utilities[item])
        for item in ranked
    )
