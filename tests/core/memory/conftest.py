"""A real workspace file and a short way to play episodes against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

from core.memory.records import (
    AdoptionState,
    CodeDiff,
    EpisodeEffect,
    EpisodeOutcome,
    Experience,
    Origin,
    Retrieved,
)
from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.workspace import Workspace, now

settings.register_profile(
    "shared-machine", deadline=None
)  # time limits of examples fail under load
settings.load_profile("shared-machine")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "w.sage") as opened:
        yield opened


@pytest.fixture
def store(workspace: Workspace) -> MemoryStore:
    return MemoryStore(workspace)


def experience(number: int, **changes: object) -> Experience:
    fields: dict[str, object] = {
        "title": f"rule number {number}",
        "type": "api_misuse",
        "category": "Math",
        "error_message": f"error {number}",
        "code_diff": CodeDiff(f"wrong_{number}();", f"right_{number}();"),
        "summary": f"do the right thing {number}",
    }
    return Experience(**(fields | changes))  # type: ignore[arg-type]


def add(store: MemoryStore, count: int, first: int = 1) -> list[str]:
    """Add `count` seeds named m1, m2, …"""
    return [
        store.add_item(experience(number), origin=Origin.SEED, uid=f"m{number}")
        for number in range(first, first + count)
    ]


def open_trajectory(workspace: Workspace, uid: str, operator: str) -> None:
    workspace.db.execute(
        "INSERT OR IGNORE INTO trajectory(uid, operator, operator_digest, parameters, provider, "
        "provider_origin, "
        "evaluator, started_at) VALUES (?, ?, '', '{}', 'test', 'scripted', 'test', ?)",
        (uid, operator, now()),
    )


def evaluated_round(
    workspace: Workspace,
    trajectory: str,
    episode: str,
    number: int,
    verdict: str = "pass",
) -> None:
    workspace.db.execute(
        "INSERT INTO round(trajectory_uid, round, episode_uid, step, verdict, started_at) "
        "VALUES (?, ?, ?, 'evaluated', ?, ?)",
        (trajectory, number, episode, verdict, now()),
    )


def play(
    store: MemoryStore,
    uid: str,
    records: Mapping[str, bool],
    *,
    operator: str = "AbsMath",
    objective: Objective = Objective.CORR,
    correct: bool = True,
    t_first: float | None = None,
    t_best: float | None = None,
    used: tuple[str, ...] = (),
    parameters: MethodParameters | None = None,
    apply: bool = True,
) -> EpisodeEffect | None:
    """Play one episode of one evaluated round: records maps uid -> adopted."""
    open_trajectory(store.workspace, uid, operator)
    store.begin_episode(uid, uid, operator, objective, parameters or MethodParameters())
    store.record_retrieval(
        uid,
        1,
        [
            Retrieved(name, rank, store.item(name).u_m)
            for rank, name in enumerate(records, start=1)
        ],
    )
    states = {True: AdoptionState.ADOPTED, False: AdoptionState.NOT_ADOPTED}
    store.record_adoption(
        uid,
        1,
        {name: (states[adopted], "because") for name, adopted in records.items()},
    )
    store.record_hot_use(uid, 1, dict.fromkeys(used, "applied"))
    evaluated_round(store.workspace, uid, uid, 1)
    if not apply:
        return None
    return store.apply_episode(
        EpisodeOutcome(uid, correct, t_first, t_best, completes_trajectory=True)
    )


def unresolved(store: MemoryStore, episode: str, number: int) -> tuple[str, ...]:
    """The items of R_t without an adoption state, in rank order."""
    rows = store.workspace.db.execute(
        "SELECT item.uid FROM trace JOIN item ON item.id = trace.item_id "
        "WHERE episode_uid = ? AND round = ? AND trace.state = 'unresolved' ORDER BY rank",
        (episode, number),
    )
    return tuple(row[0] for row in rows)
