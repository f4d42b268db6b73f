"""Evidence of an item as a fold over credit records, wherever they were earned."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from core.memory.ledger import OPERATORS, Value, encode
from core.memory.parameters import MethodParameters
from core.memory.utility import step_size, updated_utility
from core.records_json import decode

# of a row a merge brought: that the merge was not undone
HOLDS = "NOT EXISTS (SELECT 1 FROM memory_event WHERE seq = brought_by AND undone_by IS NOT NULL)"


@dataclass(frozen=True, slots=True)
class Prior:
    """Evidence that came as numbers, without the episodes behind it (docs/method.md, V)."""

    u: float
    n_ret: int
    n_ado: int
    operators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Evidence:
    """u, counts and O of an item; `operators` with the position of the first adoption."""

    u: float
    n_ret: int
    n_ado: int
    operators: tuple[str, ...]


@dataclass(frozen=True)
class CreditStep:
    """What one episode did to an item: u_after = (1 - eta) u_before + eta xi; xi None leaves u as it is."""

    episode: EpisodeRecord
    adopted: bool
    xi: float | None
    eta: float
    u_before: float
    u_after: float


def in_order(episodes: Iterable[EpisodeRecord]) -> list[EpisodeRecord]:
    """Return episodes in the order they are folded in, which depends on nothing but themselves."""
    return sorted(episodes, key=lambda episode: (episode.finished_at, episode.uid))


def fold(
    uids: Collection[str], episodes: Iterable[EpisodeRecord], steps: list[CreditStep] | None = None
) -> Evidence:
    """Return the evidence of an item known under `uids` from episodes in the order of (finished_at, uid).

    The order depends on nothing but the episodes, so two memories that know the same ones agree. Priors have
    no time and come first: u is their mean weighted by retrievals, counts are added.

    Args:
        uids: The item's own and those of items merged into it.
        episodes: Those it may have been retrieved in.
        steps: Gets what each of them did.
    """
    u, n_ret, n_ado = 0.0, 0, 0
    operators: dict[str, str] = {}
    adopted_in: set[str] = set()
    for episode in in_order(episodes):
        records = [episode.credit[uid] for uid in sorted(uids) if uid in episode.credit]
        priors = [record.prior for record in records if record.prior is not None]
        for prior in priors:
            u, n_ret = with_prior(u, n_ret, prior)
            n_ado += prior.n_ado
            operators = {name.casefold(): name for name in prior.operators} | operators
        if not records or priors:
            continue
        parameters = MethodParameters.from_json(episode.parameters, f"episode {episode.uid}")
        best, eta, before = best_of(records), step_size(n_ret, parameters), u
        if best.xi is not None:
            u = updated_utility(u, best.xi, eta)
        if steps is not None:
            steps.append(CreditStep(episode, best.adopted, best.xi, eta, before, u))
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


def with_prior(u: float, n_ret: int, prior: Prior) -> tuple[float, int]:
    """Return u and n_ret with a start value taken in: the mean weighted by retrievals."""
    return (u * n_ret + prior.u * prior.n_ret) / max(1, n_ret + prior.n_ret), n_ret + prior.n_ret


def best_of(records: Iterable[CreditRecord]) -> CreditRecord:
    """Return the record that counts when one episode gave several to what is one item now."""
    return max(records, key=lambda record: (record.adopted, record.xi or 0.0))


def owners(db: sqlite3.Connection) -> dict[str, int]:
    """Return which item each known uid stands for: itself, or the one it was merged into."""
    rows = db.execute("SELECT id, uid, superseded_by FROM item").fetchall()
    into = {row["id"]: row["superseded_by"] for row in rows if row["superseded_by"] is not None}
    found = {row["uid"]: row["id"] for row in rows}
    found |= {row[0]: row[1] for row in db.execute(f"SELECT uid, item_id FROM item_alias WHERE {HOLDS}")}  # noqa: S608
    return {uid: _whole(item, into) for uid, item in found.items()}


def _whole(item: int, into: Mapping[int, int]) -> int:
    seen = {item}
    while item in into and into[item] not in seen:
        item = into[item]
        seen.add(item)
    return item


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
