"""Who lives in hot memory: gates, Algorithm 1 and the column changes that promotion and demotion mean."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from core.memory.consolidation import Candidate, access_frequency, passes_gates, select_hot
from core.memory.ledger import Changes, Value
from core.memory.parameters import MethodParameters
from core.memory.tokens import block_tokens, rule_budget

_LAST = 2**62  # pin order of an item pinned but not yet admitted
_COLUMNS = (
    "id, uid, u_m, n_ret, n_ado, sigma, state, L_m, hot_region, hot_admitted_seq, p_hat_ema, ever_hot, "
    "elig_acc, "
    "elig_mark, pinned, barred, (SELECT count(*) FROM item_operator AS o WHERE o.item_id = item.id) AS "
    "operators"
)


@dataclass(frozen=True)
class Selection:
    """Outcome of one run of Algorithm 1: item ids, and the column changes that realise it."""

    promoted: tuple[int, ...]
    demoted: tuple[int, ...]
    changes: Changes


def eligible_episodes(row: sqlite3.Row, applied: int) -> int:
    """Return N_elig of an item row: what was accumulated plus the episodes since eligibility last began."""
    since = 0 if row["elig_mark"] is None else max(0, applied - row["elig_mark"])
    return int(row["elig_acc"]) + since


def frequency(row: sqlite3.Row, applied: int, parameters: MethodParameters) -> float:
    """Return p̂ of an item row: the moving average once promoted, else accesses over eligible episodes."""
    if row["p_hat_ema"] is not None:
        return float(row["p_hat_ema"])
    accesses = row["n_ado"] if parameters.frequency_counts == "adopted" else row["n_ret"]
    return access_frequency(accesses, eligible_episodes(row, applied))


def newly_validated(db: sqlite3.Connection, parameters: MethodParameters) -> list[int]:
    """Return the normal items that pass the gates now."""
    rows = db.execute(
        "SELECT id FROM item INDEXED BY item_with_evidence WHERE n_ado > 0 AND n_ado >= ? AND u_m > 0 "
        "AND sigma = 'normal' AND state = 'active' "
        "AND (SELECT count(*) FROM item_operator AS o WHERE o.item_id = item.id) >= ?",
        (parameters.K_ado, parameters.K_op),
    )
    return sorted(row[0] for row in rows)


def select(db: sqlite3.Connection, parameters: MethodParameters, *, seq: int, applied: int) -> Selection:
    """Run Algorithm 1 over H ∪ V.

    Args:
        db: Connection inside a transaction.
        parameters: Of the episode, or of the latest one when a person curates.
        seq: Event this belongs to; becomes the admission order of those promoted.
        applied: Episodes applied so far, this one included.
    """
    rows = {row["id"]: row for row in _pool(db, parameters)}
    offered = [
        _candidate(row, applied, parameters)
        for row in rows.values()
        if row["hot_region"] or row["pinned"] or _is_candidate(row, parameters)
    ]
    chosen = set(select_hot((c for c in offered if c.tokens > 0), rule_budget(parameters.B), parameters, seq))
    residents = {item for item, row in rows.items() if row["hot_region"]}
    promoted = tuple(sorted(chosen - residents))
    demoted = tuple(sorted(residents - chosen))
    changes = {item: promotion(rows[item], seq, applied, parameters) for item in promoted}
    changes |= {item: demotion(rows[item], seq, applied, parameters) for item in demoted}
    return Selection(promoted, demoted, changes)


def promotion(row: sqlite3.Row, seq: int, applied: int, parameters: MethodParameters) -> dict[str, Value]:
    """Return the column changes of admission to H; p̂ so far becomes the start of the moving average."""
    return {
        "sigma": "consolidated",
        "hot_region": 1,
        "hot_admitted_seq": seq,
        "ever_hot": 1,
        "p_hat_ema": frequency(row, applied, parameters),
        "elig_acc": eligible_episodes(row, applied),
        "elig_mark": None,
    }


def demotion(row: sqlite3.Row, seq: int, applied: int, parameters: MethodParameters) -> dict[str, Value]:
    """Return the column changes of leaving H: the source can be retrieved again.

    The moving average is kept. Returning to n_ret / n_elig would let the stale item outrank its replacement
    at once and flap (docs/method.md, H). An item a person promoted without evidence goes back to normal.
    """
    evident = row["n_ado"] >= parameters.K_ado and row["operators"] >= parameters.K_op
    changes: dict[str, Value] = {
        "sigma": "validated" if evident else "normal",
        "hot_region": 0,
        "hot_admitted_seq": None,
    }
    if row["state"] == "active":
        changes |= {"elig_mark": applied, "elig_since_seq": seq}
    if parameters.frequency_after_demotion == "ratio":
        changes["p_hat_ema"] = None
    return changes


def over_budget(db: sqlite3.Connection, parameters: MethodParameters) -> bool:
    """Return whether Tok(H) exceeds B, e.g. after a rule was edited."""
    return (
        block_tokens(row[0] for row in db.execute("SELECT L_m FROM item WHERE hot_region = 1")) > parameters.B
    )


def item_row(db: sqlite3.Connection, item_id: int) -> sqlite3.Row:
    """Return the columns the functions above need of one item."""
    row: sqlite3.Row = db.execute(f"SELECT {_COLUMNS} FROM item WHERE id = ?", (item_id,)).fetchone()  # noqa: S608
    return row


def _pool(db: sqlite3.Connection, parameters: MethodParameters) -> list[sqlite3.Row]:
    """Return the rows of H and of those that may compete, found by the small index of rules."""
    gates = "AND u_m > 0 AND n_ado >= :adoptions" if parameters.check_gates_again else ""
    return db.execute(
        f"SELECT {_COLUMNS} FROM item INDEXED BY item_with_rule WHERE rule_text <> '' AND (hot_region = 1 "  # noqa: S608
        f"OR (state = 'active' AND barred = 0 AND (pinned = 1 OR (sigma = 'validated' {gates})))) ORDER BY "
        f"id",
        {"adoptions": parameters.K_ado},
    ).fetchall()


def _is_candidate(row: sqlite3.Row, parameters: MethodParameters) -> bool:
    if row["sigma"] != "validated":
        return False
    if not parameters.check_gates_again:
        return True
    return passes_gates(row["u_m"], row["n_ado"], row["operators"], parameters)


def _candidate(row: sqlite3.Row, applied: int, parameters: MethodParameters) -> Candidate:
    barred = row["barred"] or row["state"] != "active"
    return Candidate(
        item=row["id"],
        utility=row["u_m"],
        frequency=frequency(row, applied, parameters),
        tokens=0 if barred else row["L_m"],
        adoptions=row["n_ado"],
        resident=bool(row["hot_region"]),
        pinned=bool(row["pinned"]),
        pin_order=row["hot_admitted_seq"] or _LAST,
    )
