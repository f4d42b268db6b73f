"""Applying a finished episode to the memory: ATU, counts, access frequencies, gates, UGC and a snapshot.

Works inside a transaction of the caller, both when an episode happens and when the projection is rebuilt from
the log. What an episode does to the evidence of an item is `core.method.fold`'s business. Rules the episode
made due are written by a model in between, so Algorithm 1 runs once more when they are there (`consolidate`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from core.errors import SageError
from core.memory import residency
from core.memory.ledger import (
    RESELECTED,
    Changes,
    encode,
    episodes_applied,
    set_columns,
)
from core.memory.records import EpisodeOutcome, HotEntry
from core.memory.tokens import block_tokens
from core.method.consolidation import density, usage_ema
from core.method.fold import Evidence, Occasion, advance, episode_credit
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.method.utility import terminal_score
from core.records_json import decode
from core.workspace.rows import insert, update

# Of a round `r` of episode :uid: that its records count (docs/method.md, D, F and F′).
_COUNTED = "r.episode_uid = :uid AND r.step = 'evaluated' AND r.verdict NOT IN ('void', 'fail-integrity')"


class IncompleteTrace(SageError):
    """An evaluated round has retrieved items whose adoption is unresolved; the gate was passed by."""


@dataclass(frozen=True)
class _Episode:
    """An episode at its end, in the paper's terms; items by number.

    Attributes:
        uid: Of the episode.
        seq: Its position in the event sequence.
        start: Position of the memory it began with.
        operator: Name of the operator.
        parameters: Of the method.
        z: Terminal score.
        retrieved: R, the union of R_t over its rounds, ascending.
        adopted: A, the items of R with a_{m,t} = 1 in some round.
        used: Residents whose rule was used in some round.
        use_stated: Whether every counted round said which residents it used.
        unproven: Those of A that were adopted for a gain the time model does not prove.
    """

    uid: str
    seq: int
    start: int
    operator: str
    parameters: MethodParameters
    z: float
    retrieved: tuple[int, ...]
    adopted: frozenset[int]
    used: frozenset[int]
    use_stated: bool
    unproven: frozenset[int]


def count_evaluated_rounds(db: sqlite3.Connection, uid: str) -> None:
    """Mark the records whose round reached an evaluation; only they earn credit.

    Raises:
        IncompleteTrace: When such a round has an unresolved record, although adoption is traced.
    """
    evaluated = f"round IN (SELECT r.round FROM round AS r WHERE {_COUNTED})"
    for table in ("trace", "hot_use"):
        db.execute(
            f"UPDATE {table} SET counted = 1 WHERE episode_uid = :uid AND {evaluated}",
            {"uid": uid},
        )
    # A round that was not asked, because no rule was resident, left nothing unsaid.
    db.execute(
        "UPDATE episode SET residents_stated = (SELECT coalesce(min(coalesce(r.residents_stated, 1)), 0) "
        f"FROM round AS r WHERE {_COUNTED}) WHERE uid = :uid",
        {"uid": uid},
    )
    row = db.execute("SELECT parameters FROM episode WHERE uid = ?", (uid,)).fetchone()
    parameters = MethodParameters.from_json(row["parameters"], f"episode {uid}")
    if not parameters.traces_adoption:
        return
    open_record = db.execute(
        "SELECT t.round, item.uid FROM trace AS t JOIN item ON item.id = t.item_id "
        "WHERE t.episode_uid = ? AND t.counted = 1 AND t.state = 'unresolved'",
        (uid,),
    ).fetchone()
    if open_record is not None:
        raise IncompleteTrace(
            "Round {round} was evaluated although the adoption of {uid} is unresolved.",
            round=open_record[0],
            uid=open_record[1],
        )


def apply(
    db: sqlite3.Connection, outcome: EpisodeOutcome, *, seq: int, at: str
) -> None:
    """Apply an open episode: everything the paper does at the end of an episode, in its order.

    ATU for every item of R, then the moving averages and eligibility, then the gates, then Algorithm 1, then
    the snapshot. A promoted item's first moving-average step is therefore the next episode.

    Args:
        db: Connection inside a transaction; the episode row is open and its counted records are marked.
        outcome: How the episode ended.
        seq: Its position in the event sequence.
        at: Time stamp to store.
    """
    episode = _load(db, outcome, seq)
    _assign_credit(db, episode)
    _advance_frequencies(db, episode)
    _advance_eligibility(db, episode)
    # Only an episode that has unproven items names them: effects stored before there were any stay equal.
    unproven = _uids(db, sorted(episode.unproven))
    effect = {"unproven": unproven} if unproven else {}
    # Before the selection, which counts evidence newer than a demotion and asks what is proven.
    db.execute(
        "UPDATE episode SET status = 'applied', seq = ?, t_first = ?, t_best = ?, z = ?, finished_at = ?, "
        "effect = ? WHERE uid = ?",
        (
            seq,
            outcome.t_first,
            outcome.t_best,
            episode.z,
            at,
            encode(effect),
            episode.uid,
        ),
    )
    applied = episodes_applied(db)
    validated = residency.newly_validated(db, episode.parameters)
    db.executemany(
        "UPDATE item SET sigma = 'validated' WHERE id = ?",
        [(item,) for item in validated],
    )
    changes = residency.select(db, episode.parameters, seq=seq, applied=applied)
    set_columns(db, changes)
    _write_snapshot(
        db,
        episode.uid,
        episode.parameters,
        seq=seq,
        applied=applied,
        completes=outcome.completes_trajectory,
        at=at,
    )
    promoted, demoted = residency.moved(changes)
    effect |= {
        "validated": _uids(db, validated),
        "promoted": _uids(db, promoted),
        "demoted": _uids(db, demoted),
    }
    db.execute(
        "UPDATE episode SET effect = ? WHERE uid = ?", (encode(effect), episode.uid)
    )


# Uids that were promoted, and those that were demoted.
Moved = tuple[tuple[str, ...], tuple[str, ...]]


def consolidate(db: sqlite3.Connection, *, at: str) -> Moved:
    """Let the rules written since the last selection compete: Algorithm 1 of the last episode, completed.

    Paper: UGC "is invoked after each task-solving episode"; it admits rules, and those of items the episode
    validated are only abstracted after its credit is given. One event; nothing when no rule is new, so that
    a crash in between repeats nothing.

    Returns:
        Uids promoted and demoted.
    """
    row = db.execute(
        "SELECT uid, parameters, seq FROM episode ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    is_applied = row is not None and row["seq"] is not None
    if not is_applied or not _has_new_rule(db, row["seq"]):
        return (), ()
    uid = row["uid"]
    parameters = MethodParameters.from_json(row["parameters"], f"episode {uid}")
    seq, changes = residency.reselect(
        db,
        parameters,
        actor="engine",
        reason="rules were abstracted",
        note={"episode": uid},
    )
    return record_consolidation(db, uid, changes, seq=seq, at=at)


def record_consolidation(
    db: sqlite3.Connection, uid: str, changes: Changes, *, seq: int, at: str
) -> Moved:
    """Add what a consolidation changed to the episode's effect, and take a snapshot; see `consolidate`."""
    promoted_items, demoted_items = residency.moved(changes)
    promoted = _uids(db, promoted_items)
    demoted = _uids(db, demoted_items)
    row = db.execute(
        "SELECT parameters, effect FROM episode WHERE uid = ?", (uid,)
    ).fetchone()
    effect = decode(row["effect"], dict[str, list[str]])
    effect |= {
        "promoted": effect["promoted"] + promoted,
        "demoted": effect["demoted"] + demoted,
    }
    db.execute("UPDATE episode SET effect = ? WHERE uid = ?", (encode(effect), uid))
    parameters = MethodParameters.from_json(row["parameters"], f"episode {uid}")
    _write_snapshot(
        db,
        uid,
        parameters,
        seq=seq,
        applied=episodes_applied(db),
        completes=False,
        at=at,
    )
    return tuple(promoted), tuple(demoted)


def _has_new_rule(db: sqlite3.Connection, since: int) -> bool:
    """Whether a rule was abstracted after Algorithm 1 last ran, at the episode `since` or later."""
    row = db.execute(
        "SELECT coalesce(max(seq) FILTER (WHERE kind = 'rule'), 0), "
        "coalesce(max(seq) FILTER (WHERE kind = ?), 0) FROM memory_event WHERE seq > ?",
        (RESELECTED, since),
    ).fetchone()
    return bool(row[0] > row[1])


def _load(db: sqlite3.Connection, outcome: EpisodeOutcome, seq: int) -> _Episode:
    """The episode from its counted records, with its terminal score z."""
    row = db.execute(
        "SELECT operator, objective, parameters, memory_seq_at_start, residents_stated "
        "FROM episode WHERE uid = ?",
        (outcome.uid,),
    ).fetchone()
    source = f"episode {outcome.uid}"
    parameters = MethodParameters.from_json(row["parameters"], source)
    # R with, for each item, whether it is in A: adopted in one round is adopted.
    records = db.execute(
        "SELECT item_id, max(state = 'adopted') FROM trace WHERE episode_uid = ? AND counted = 1 "
        "GROUP BY item_id ORDER BY item_id",
        (outcome.uid,),
    ).fetchall()
    used = db.execute(
        "SELECT DISTINCT item_id FROM hot_use WHERE episode_uid = ? AND counted = 1",
        (outcome.uid,),
    )
    z = terminal_score(
        Objective(row["objective"]),
        correct=outcome.correct,
        t_first=outcome.t_first,
        t_best=outcome.t_best,
        parameters=parameters,
    )
    retrieved = tuple(item for item, _ in records)
    adopted = frozenset(item for item, is_adopted in records if is_adopted)
    return _Episode(
        uid=outcome.uid,
        seq=seq,
        start=row["memory_seq_at_start"],
        operator=row["operator"],
        parameters=parameters,
        z=z,
        retrieved=retrieved,
        adopted=adopted,
        used=frozenset(record[0] for record in used),
        use_stated=row["residents_stated"] != 0,
        unproven=frozenset() if outcome.proven else adopted,
    )


def _assign_credit(db: sqlite3.Connection, episode: _Episode) -> None:
    """Take u, counts and O of every item of R one step of the fold further."""
    records = episode_credit(
        episode.z, episode.retrieved, episode.adopted, episode.parameters
    )
    occasion = Occasion(episode.operator, episode.parameters)
    for item, record in records.items():
        step = advance(_evidence(db, item), (record,), occasion)
        before, after = step.before, step.after
        if record.xi is not None:
            insert(
                db,
                "credit_event",
                seq=episode.seq,
                episode_uid=episode.uid,
                item_id=item,
                rule=episode.parameters.credit_rule,
                adopted=record.adopted,
                xi=record.xi,
                eta=step.eta,
                u_before=before.u,
                u_after=after.u,
            )
        update(
            db,
            "item",
            {"id": item},
            u_m=after.u,
            n_ret=after.n_ret,
            n_ado=after.n_ado,
        )
        # O only grows, at its end: the names behind the old ones are new.
        new = after.operators[len(before.operators) :]
        db.executemany(
            "INSERT INTO item_operator VALUES (?, ?, ?)",
            [(item, name, episode.seq) for name in new],
        )


def _evidence(db: sqlite3.Connection, item: int) -> Evidence:
    """Return the stored evidence of an item."""
    u, n_ret, n_ado = db.execute(
        "SELECT u_m, n_ret, n_ado FROM item WHERE id = ?", (item,)
    ).fetchone()
    rows = db.execute(
        "SELECT operator FROM item_operator WHERE item_id = ? ORDER BY first_seq, operator",
        (item,),
    )
    operators = tuple(name for (name,) in rows)
    return Evidence(u, n_ret, n_ado, operators)


def _advance_frequencies(db: sqlite3.Connection, episode: _Episode) -> None:
    """One step p̂ ← (1 - mu) p̂ + mu [used] for every item that was ever resident and took part in the whole episode.

    While resident its indicator is use; after demotion it is retrieval, so that p̂ never jumps
    (docs/method.md, H). Where a reply did not state its use, a rule it does not name is not taken for unused.
    """
    rows = db.execute(
        "SELECT id, hot_region, hot_admitted_seq, elig_mark, elig_since_seq, p_hat_ema FROM item "
        "WHERE ever_hot = 1 AND p_hat_ema IS NOT NULL ORDER BY id"
    ).fetchall()
    retrieved = set(episode.retrieved)
    for row in rows:
        if row["hot_region"]:
            used = row["id"] in episode.used
            was_resident = row["hot_admitted_seq"] <= episode.start
            took_part = was_resident and (used or episode.use_stated)
        else:
            used = row["id"] in retrieved
            is_eligible = row["elig_mark"] is not None
            took_part = is_eligible and row["elig_since_seq"] <= episode.start
        if took_part:
            frequency = usage_ema(row["p_hat_ema"], episode.parameters.mu, used=used)
            update(db, "item", {"id": row["id"]}, p_hat_ema=frequency)
    db.executemany(
        "UPDATE item SET hot_last_used_episode = ? WHERE id = ?",
        [(episode.seq, item) for item in sorted(episode.used)],
    )


def _advance_eligibility(db: sqlite3.Connection, episode: _Episode) -> None:
    """Add one to N_elig of every item that was active and available to the retriever in the episode.

    Items written after its start were not available to it. An item stores since which number of episodes it counts,
    so that one number goes up for all of them, and the mark of a late item moves with it.
    """
    db.execute(
        "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'episodes_applied'"
    )
    db.execute(
        "UPDATE item SET elig_mark = elig_mark + 1 WHERE elig_since_seq > ? AND elig_mark IS NOT NULL",
        (episode.start,),
    )


def _write_snapshot(
    db: sqlite3.Connection,
    uid: str,
    parameters: MethodParameters,
    *,
    seq: int,
    applied: int,
    completes: bool,
    at: str,
) -> None:
    """Store hot memory as it is after the episode at `seq`.

    Args:
        db: Inside a transaction.
        uid: Of the episode.
        parameters: Of the method, whose budget B holds.
        seq: Position in the event sequence.
        applied: How many episodes are applied by now.
        completes: Whether a trajectory ends with it.
        at: Time stamp.
    """
    entries = hot_entries(db, applied)
    finished = db.execute(
        "SELECT count(*) FROM hot_snapshot WHERE completes = 1"
    ).fetchone()[0]
    session = int(
        db.execute("SELECT value FROM meta WHERE key = 'session_id'").fetchone()[0]
    )
    insert(
        db,
        "hot_snapshot",
        seq=seq,
        session_id=session,
        created_at=at,
        budget=parameters.B,
        n_ops=finished + int(completes),
        tokens=block_tokens(entry.c_tokens for entry in entries),
        episode_uid=uid,
        completes=completes,
        hot_entries=encode(entries),
    )


def hot_entries(db: sqlite3.Connection, applied: int) -> list[HotEntry]:
    """Return the residents as the paper's snapshot entries, densest first."""
    rows = db.execute("SELECT * FROM item WHERE hot_region = 1").fetchall()
    entries = []
    for row in rows:
        u, tokens = row["u_m"], row["L_m"]
        p_hat = residency.frequency(row, applied)
        entry = HotEntry(
            row["id"], row["title"], tokens, u, p_hat, density(u, p_hat, tokens)
        )
        entries.append(entry)
    entries.sort(key=lambda entry: (-entry.density, entry.id))
    return entries


def _uids(db: sqlite3.Connection, items: Iterable[int]) -> list[str]:
    return [
        db.execute("SELECT uid FROM item WHERE id = ?", (item,)).fetchone()[0]
        for item in items
    ]
