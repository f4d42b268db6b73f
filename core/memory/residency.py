"""Who lives in hot memory: gates, Algorithm 1 and the column changes that promotion and demotion mean."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from core.memory.evidence import (
    HOLDS,
    EvidenceFolder,
    fold,
    foreign_episodes,
    merged_items,
    own_episodes,
    owners,
    whole_item,
)
from core.memory.ledger import (
    RESELECTED,
    Changes,
    Value,
    episodes_applied,
    next_seq,
    record_change,
)
from core.memory.tokens import block_tokens, rule_budget
from core.method.consolidation import (
    RuleCandidate,
    access_frequency,
    has_evidence,
    passes_gates,
    select_hot,
)
from core.method.fold import Evidence
from core.method.parameters import MethodParameters

_LAST = 2**62  # pin order of an item pinned but not yet admitted
_COLUMNS = (
    "id, uid, u_m, n_ret, n_ado, sigma, state, state_reason, L_m, hot_region, hot_admitted_seq, p_hat_ema, ever_hot, "
    "elig_acc, elig_mark, pinned, barred, demoted_seq, "
    "(SELECT count(*) FROM item_operator AS o WHERE o.item_id = item.id) AS operators"
)


def eligible_episodes(row: sqlite3.Row, applied: int) -> int:
    """Return N_elig of an item row: what was accumulated plus the episodes since eligibility last began."""
    since = 0 if row["elig_mark"] is None else max(0, applied - row["elig_mark"])
    return int(row["elig_acc"]) + since


def frequency(row: sqlite3.Row, applied: int) -> float:
    """Return p̂ of an item row: the moving average once promoted, else accesses over eligible episodes.

    The view `memory_item` says the same in SQL, for tables that sort by it and for people with another
    program; a test holds them together.
    """
    if row["p_hat_ema"] is not None:
        return float(row["p_hat_ema"])
    return access_frequency(row["n_ret"], eligible_episodes(row, applied))


def newly_validated(db: sqlite3.Connection, parameters: MethodParameters) -> list[int]:
    """Return the normal items that pass the gates now, by id."""
    rows = db.execute(
        "SELECT id, u_m, n_ado, (SELECT count(*) FROM item_operator AS o WHERE o.item_id = item.id) "
        "AS operators FROM item INDEXED BY item_with_evidence WHERE n_ado > 0 AND n_ado >= ? "
        "AND sigma = 'normal' AND state = 'active'",
        (parameters.K_ado,),
    )
    validated = []
    for item, u, adoptions, operators in rows:
        if passes_gates(u, adoptions, operators, parameters):
            validated.append(item)
    return sorted(validated)


def select(
    db: sqlite3.Connection, parameters: MethodParameters, *, seq: int, applied: int
) -> Changes:
    """Run Algorithm 1 over H ∪ V; returns the column changes of the items that enter H or leave it.

    Args:
        db: Connection inside a transaction.
        parameters: Of the episode, or of the latest one when a person curates.
        seq: Event this belongs to; becomes the admission order of those promoted.
        applied: Episodes applied so far, this one included.
    """
    pool = _pool(db, parameters, applied)
    # Without a rule there is nothing to show; one is abstracted when an item passes the gates.
    offered = [candidate for candidate in pool if candidate.tokens > 0]
    budget = rule_budget(parameters.B)
    selected = set(select_hot(offered, budget, parameters, seq))
    residents = {candidate.item for candidate in pool if candidate.resident}
    changes: Changes = {}
    # In the order of items: the log of one episode is the same wherever it is written.
    for item in sorted(selected ^ residents):
        row = item_row(db, item)
        if item in selected:
            changes[item] = promotion(row, seq, applied)
        else:
            changes[item] = demotion(row, seq, applied, parameters)
    return changes


def moved(changes: Changes) -> list[list[int]]:
    """Return the items that the changes of a selection bring into H, and those they take out, by id."""
    promoted = [item for item in sorted(changes) if changes[item]["hot_region"] == 1]
    demoted = [item for item in sorted(changes) if changes[item]["hot_region"] == 0]
    return [promoted, demoted]


def reselect(
    db: sqlite3.Connection,
    parameters: MethodParameters,
    *,
    actor: str,
    reason: str,
    note: Mapping[str, Value] | None = None,
) -> tuple[int, Changes]:
    """Run Algorithm 1 between episodes, as an event of its own; returns its seq and what it changed."""
    seq = next_seq(db)
    changes = select(db, parameters, seq=seq, applied=episodes_applied(db))
    record_change(
        db, RESELECTED, None, changes, actor=actor, reason=reason, seq=seq, note=note
    )
    return seq, changes


def evidence_since_demotion(
    db: sqlite3.Connection, item: int, demoted_seq: int
) -> Evidence:
    """Return the evidence of an item from the episodes this memory applied after a demotion, as if new.

    Gains inside what the time model knows are left out (docs/method.md, H″).
    """
    into = merged_items(db)
    parts = {part for part in into if whole_item(part, into) == item}
    newer = own_episodes(db, {item, *parts}, demoted_seq)
    episodes = [episode for episode in newer if episode.proven]
    uids = {uid for episode in episodes for uid in episode.credit}
    return fold(uids, episodes)


def held_back(db: sqlite3.Connection, parameters: MethodParameters) -> frozenset[int]:
    """Return the items a person demoted whose newer evidence does not pass the gates (docs/method.md, H′)."""
    rows = db.execute(
        "SELECT id, demoted_seq FROM item WHERE demoted_seq IS NOT NULL AND pinned = 0 ORDER BY id"
    ).fetchall()
    newer = (
        (row["id"], evidence_since_demotion(db, row["id"], row["demoted_seq"]))
        for row in rows
    )
    return frozenset(
        item
        for item, evidence in newer
        if not passes_gates(
            evidence.u, evidence.n_ado, len(evidence.operators), parameters
        )
    )


def unproven(db: sqlite3.Connection, parameters: MethodParameters) -> frozenset[int]:
    """Return the items that fail the gates without gains inside what the time model knows (docs/method.md, H″)."""
    if not _any_unproven(db):
        return frozenset()
    episodes = [*own_episodes(db), *foreign_episodes(db)]
    concerned = {
        uid
        for episode in episodes
        if not episode.proven
        for uid, record in episode.credit.items()
        if record.adopted
    }
    names: dict[int, set[str]] = {}
    for uid, item in owners(db).items():
        names.setdefault(item, set()).add(uid)
    proofs = EvidenceFolder(episode for episode in episodes if episode.proven)
    out = set()
    for item, uids in names.items():
        if concerned.isdisjoint(uids):
            continue
        evidence = proofs.of(uids)
        operators = len(evidence.operators)
        if not passes_gates(evidence.u, evidence.n_ado, operators, parameters):
            out.add(item)
    return frozenset(out)


def _any_unproven(db: sqlite3.Connection) -> bool:
    """Return whether any episode has a gain that is no proof, so that `unproven` can find something."""
    own = "SELECT 1 FROM episode WHERE status = 'applied' AND effect LIKE '%\"unproven\"%'"
    foreign = f"SELECT 1 FROM foreign_episode WHERE data LIKE '%\"proven\":false%' AND {HOLDS}"
    return db.execute(f"{own} UNION ALL {foreign} LIMIT 1").fetchone() is not None


def promotion(row: sqlite3.Row, seq: int, applied: int) -> dict[str, Value]:
    """Return the column changes of admission to H; p̂ so far becomes the start of the moving average."""
    return {
        "sigma": "consolidated",
        "demoted_seq": None,
        "hot_region": 1,
        "hot_admitted_seq": seq,
        "ever_hot": 1,
        "p_hat_ema": frequency(row, applied),
        "elig_acc": eligible_episodes(row, applied),
        "elig_mark": None,
    }


def demotion(
    row: sqlite3.Row, seq: int, applied: int, parameters: MethodParameters
) -> dict[str, Value]:
    """Return the column changes of leaving H: the source can be retrieved again.

    The moving average is kept. Returning to n_ret / n_elig would let the stale item outrank its replacement
    at once and flap (docs/method.md, H). An item a person promoted without evidence goes back to normal.
    """
    evident = has_evidence(row["n_ado"], row["operators"], parameters)
    changes: dict[str, Value] = {
        "sigma": "validated" if evident else "normal",
        "hot_region": 0,
        "hot_admitted_seq": None,
    }
    if row["state"] == "active":
        changes |= {"elig_mark": applied, "elig_since_seq": seq}
    return changes


def over_budget(db: sqlite3.Connection, parameters: MethodParameters) -> bool:
    """Return whether Tok(H) exceeds B, e.g. after a rule was edited."""
    return (
        block_tokens(
            row[0] for row in db.execute("SELECT L_m FROM item WHERE hot_region = 1")
        )
        > parameters.B
    )


def item_row(db: sqlite3.Connection, item_id: int) -> sqlite3.Row:
    """Return the columns the functions above need of one item."""
    row: sqlite3.Row = db.execute(
        f"SELECT {_COLUMNS} FROM item WHERE id = ?", (item_id,)
    ).fetchone()
    return row


def _pool(
    db: sqlite3.Connection, parameters: MethodParameters, applied: int
) -> list[RuleCandidate]:
    """Return H and V, found by the small index of rules; those that may not stay have no tokens.

    A validated item must still pass the gates (docs/method.md, I), and enters by proven gains (H″).
    """
    rows = db.execute(
        "SELECT id, u_m, n_ret, n_ado, p_hat_ema, elig_acc, elig_mark, hot_region, pinned, "
        "CASE WHEN barred = 1 OR state <> 'active' THEN 0 ELSE L_m END AS tokens, "
        "coalesce(hot_admitted_seq, :last) AS place "
        "FROM item INDEXED BY item_with_rule WHERE rule_text <> '' AND (hot_region = 1 "
        "OR (state = 'active' AND barred = 0 AND (pinned = 1 OR (sigma = 'validated' "
        "AND u_m > 0 AND n_ado >= :adoptions "
        "AND (SELECT count(*) FROM item_operator AS o WHERE o.item_id = item.id) >= :operators)))) "
        "ORDER BY id",
        {"adoptions": parameters.K_ado, "operators": parameters.K_op, "last": _LAST},
    )
    out, waiting = held_back(db, parameters), unproven(db, parameters)
    return [
        RuleCandidate(
            row["id"],
            row["u_m"],
            frequency(row, applied),
            row["tokens"],
            row["n_ado"],
            resident=bool(row["hot_region"]),
            pinned=bool(row["pinned"]),
            pin_order=row["place"],
        )
        for row in rows
        if row["id"] not in out
        and (row["hot_region"] or row["pinned"] or row["id"] not in waiting)
    ]
