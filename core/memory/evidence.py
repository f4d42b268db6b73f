"""Evidence of an item as a fold over credit records, wherever they were earned."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.memory.ledger import OPERATORS, Value, encode
from core.memory.parameters import MethodParameters
from core.memory.utility import step_size, updated_utility
from core.records_json import decode

# of a row a merge brought: that the merge was not undone
HOLDS = "NOT EXISTS (SELECT 1 FROM memory_event WHERE seq = brought_by AND undone_by IS NOT NULL)"


@dataclass(frozen=True)
class Prior:
    """Evidence that came as numbers, without the episodes behind it (docs/method.md, V)."""

    u: float
    n_ret: int
    n_ado: int
    operators: tuple[str, ...] = ()


@dataclass(frozen=True)
class CreditRecord:
    """What one episode gave one item.

    Attributes:
        adopted: Whether it was adopted in the episode.
        xi: Credit; None under a rule that gives none.
        prior: Set when this stands for all episodes of a bank without traces, not for one.
    """

    adopted: bool
    xi: float | None
    prior: Prior | None = None


@dataclass(frozen=True)
class EpisodeRecord:
    """An applied episode as it travels between memories.

    Attributes:
        uid: Identity of the episode everywhere.
        finished_at: Time stamp; episodes are folded in the order of (finished_at, uid).
        trajectory: uid of its trajectory.
        operator: Operator name.
        objective: corr or opt.
        z: Terminal score.
        parameters: JSON of the method parameters it was applied with.
        credit: Item uid -> what it got.
    """

    uid: str
    finished_at: str
    trajectory: str
    operator: str
    objective: str
    z: float
    parameters: str
    credit: dict[str, CreditRecord]


@dataclass(frozen=True)
class Evidence:
    """u, counts and O of an item; `operators` with the position of the first adoption."""

    u: float
    n_ret: int
    n_ado: int
    operators: tuple[str, ...]


def fold(uids: Collection[str], episodes: Iterable[EpisodeRecord]) -> Evidence:
    """Return the evidence of an item known under `uids` from episodes in the order of (finished_at, uid).

    The order depends on nothing but the episodes, so two memories that know the same ones agree. Priors have
    no time and come first: u is their mean weighted by retrievals, counts are added.
    """
    u, n_ret, n_ado = 0.0, 0, 0
    operators: dict[str, str] = {}
    adopted_in: set[str] = set()
    for episode in sorted(episodes, key=lambda e: (e.finished_at, e.uid)):
        records = [episode.credit[uid] for uid in sorted(uids) if uid in episode.credit]
        priors = [record.prior for record in records if record.prior is not None]
        for prior in priors:
            u = (u * n_ret + prior.u * prior.n_ret) / max(1, n_ret + prior.n_ret)
            n_ret, n_ado = n_ret + prior.n_ret, n_ado + prior.n_ado
            operators = {name.casefold(): name for name in prior.operators} | operators
        if not records or priors:
            continue
        parameters = MethodParameters.from_json(episode.parameters, f"episode {episode.uid}")
        best = max(records, key=lambda record: (record.adopted, record.xi or 0.0))
        if best.xi is not None:
            u = updated_utility(u, best.xi, step_size(n_ret, parameters))
        n_ret += 1
        if best.adopted or parameters.gate_count == "retrieved":
            if parameters.ado_count == "episode" or episode.trajectory not in adopted_in:
                n_ado += 1
            adopted_in.add(episode.trajectory)
            folded = parameters.operator_identity == "casefold"
            operators.setdefault(
                episode.operator.casefold() if folded else episode.operator, episode.operator
            )
    return Evidence(u, n_ret, n_ado, tuple(operators.values()))


def counts(evidence: Evidence) -> dict[str, Value]:
    """Return evidence as item columns; operators by name, so that the order of merging leaves no trace."""
    operators = [(name, position) for position, name in enumerate(sorted(evidence.operators), start=1)]
    return {"u_m": evidence.u, "n_ret": evidence.n_ret, "n_ado": evidence.n_ado, OPERATORS: encode(operators)}


def merged_into(db: sqlite3.Connection, items: Collection[int]) -> tuple[str, ...]:
    """Return the uids of items that were merged into one of `items`, here or before they came here."""
    marks = ", ".join("?" * len(items))
    rows = db.execute(
        f"WITH RECURSIVE whole(id) AS (SELECT id FROM item WHERE id IN ({marks}) "  # noqa: S608
        "UNION SELECT item.id FROM item JOIN whole ON item.superseded_by = whole.id) "
        "SELECT uid FROM item WHERE id IN whole AND superseded_by IS NOT NULL "
        f"UNION SELECT uid FROM item_alias WHERE item_id IN whole AND {HOLDS} ORDER BY 1",
        tuple(items),
    )
    return tuple(row[0] for row in rows)


def own_episodes(db: sqlite3.Connection) -> list[EpisodeRecord]:
    """Return every episode applied in this memory, in order of application."""
    rows = db.execute(
        "SELECT uid, finished_at, trajectory_uid, operator, objective, z, parameters FROM episode "
        "WHERE status = 'applied' ORDER BY seq"
    ).fetchall()
    return [
        EpisodeRecord(
            uid=row["uid"],
            finished_at=row["finished_at"],
            trajectory=row["trajectory_uid"],
            operator=row["operator"],
            objective=row["objective"],
            z=row["z"],
            parameters=row["parameters"],
            credit=_credit(db, row["uid"]),
        )
        for row in rows
    ]


def foreign_episodes(db: sqlite3.Connection) -> list[EpisodeRecord]:
    """Return the episodes that came with merged memories, without those of merges that were undone."""
    rows = db.execute(f"SELECT data FROM foreign_episode WHERE {HOLDS} ORDER BY finished_at, uid")  # noqa: S608
    return [decode(row[0], EpisodeRecord) for row in rows]


def _credit(db: sqlite3.Connection, episode_uid: str) -> dict[str, CreditRecord]:
    rows = db.execute(
        "SELECT item.uid, max(t.state = 'adopted'), c.xi FROM trace AS t JOIN item ON item.id = t.item_id "
        "LEFT JOIN credit_event AS c ON c.episode_uid = t.episode_uid AND c.item_id = t.item_id "
        "WHERE t.episode_uid = ? AND t.counted = 1 GROUP BY t.item_id ORDER BY item.uid",
        (episode_uid,),
    )
    return {row[0]: CreditRecord(bool(row[1]), row[2]) for row in rows}
