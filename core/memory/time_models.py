"""Evidence whose latencies are of a time model that the twin no longer has (docs/method.md, H″).

What an opt episode credited by such latencies may be an artefact of the model. It stays in u, in the counts
and in the history, but it admits no rule: an item that does not pass the gates without it is held as if a
person had demoted it, until newer evidence passes them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from core.evaluation.records import TIME_MODEL, is_superseded, time_model_of
from core.memory.evidence import (
    EpisodeRecord,
    EvidenceFolder,
    foreign_episodes,
    own_episodes,
    owners,
)
from core.memory.ledger import Value, episodes_applied, next_seq, record_change
from core.memory.reading import latest_parameters
from core.memory.residency import demotion, item_row
from core.method.consolidation import passes_gates
from core.method.objective import Objective
from core.workspace import Workspace

_HELD = "held_time_model"  # in `meta`: the time model for which items were held here


def hold_for_present_model(workspace: Workspace) -> tuple[str, ...]:
    """Hold what was earned here under earlier time models; once for each model.

    Returns:
        Uids of the items that are held from now on.
    """
    if workspace.meta(_HELD) == str(TIME_MODEL):
        return ()
    with workspace.transaction() as db:
        held_items = hold_superseded(db, residents_too=True)
        workspace.set_meta(_HELD, str(TIME_MODEL))
    return held_items


def hold_superseded(
    db: sqlite3.Connection, *, residents_too: bool = False
) -> tuple[str, ...]:
    """Hold items that pass no gates without superseded evidence; one event each.

    Args:
        db: Connection inside a transaction.
        residents_too: Whether residents leave hot memory as well; pinned ones never do.

    Returns:
        Uids of the items.
    """
    all_episodes = [*own_episodes(db), *foreign_episodes(db)]
    if not any(map(is_old, all_episodes)):
        return ()
    folder = EvidenceFolder(all_episodes)
    parameters, applied = latest_parameters(db), episodes_applied(db)
    held_items = []
    for item, uids in sorted(_names(db).items()):
        episodes = folder.episodes(uids).values()
        if not any(_admitted(episode, uids) for episode in episodes):
            continue
        row = item_row(db, item)
        if row["demoted_seq"] is not None or row["pinned"]:
            continue
        if row["hot_region"] and not residents_too:
            continue
        rest = [entry for entry in episodes if entry.proven and not is_old(entry)]
        evidence = EvidenceFolder(rest).of(uids)
        operators = len(evidence.operators)
        if passes_gates(evidence.u, evidence.n_ado, operators, parameters):
            continue
        seq = next_seq(db)
        changes: dict[str, Value] = {"demoted_seq": seq}
        if row["hot_region"]:
            changes |= demotion(row, seq, applied, parameters)
        record_change(
            db,
            "demote",
            item,
            {item: changes},
            actor="engine",
            reason="earned under an earlier time model of the twin",
            seq=seq,
        )
        held_items.append(row["uid"])
    return tuple(held_items)


def earned_under(db: sqlite3.Connection, item: int) -> int:
    """The earlier time model that an item has evidence of; 0 without any."""
    uids = _names(db).get(item, set())
    foreign = (
        episode for episode in foreign_episodes(db) if uids & episode.credit.keys()
    )
    models = (
        time_model_of(episode.latency_origin)
        for episode in (*own_episodes(db, {item}), *foreign)
        if _admitted(episode, uids)
    )
    return max(models, default=0)


def is_old(episode: EpisodeRecord) -> bool:
    """Whether the latencies that scored an episode are of a time model the twin no longer has."""
    return episode.objective == Objective.OPT and is_superseded(episode.latency_origin)


def _admitted(episode: EpisodeRecord, uids: Collection[str]) -> bool:
    """Whether a superseded episode counts as an adoption of an item known under `uids`."""
    records = (episode.credit[uid] for uid in uids if uid in episode.credit)
    return is_old(episode) and any(record.adopted for record in records)


def _names(db: sqlite3.Connection) -> dict[int, set[str]]:
    """Item -> the uids it is known under."""
    names: dict[int, set[str]] = {}
    for uid, item in owners(db).items():
        names.setdefault(item, set()).add(uid)
    return names
