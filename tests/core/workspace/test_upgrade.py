"""A workspace written by an earlier release is brought up to date and keeps saying what it said."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from core.curation.curator import Curator
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.workspace import Workspace, WorkspaceError
from tests.scenario import play_episode

WRITTEN = (
    Path(__file__).parents[2] / "data" / "workspace_m_0007.sql"
)  # dump of a file of release 0.1.0


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.sage"
    database = sqlite3.connect(path)
    database.executescript(WRITTEN.read_text(encoding="utf-8"))
    database.close()
    return path


def test_a_file_of_migration_7_keeps_its_evidence_and_gets_the_access_frequency_of_its_parameters(
    old: Path,
) -> None:
    """Its episodes count adoptions (`frequency_counts`) and credit used residents (`hot_credit`)."""
    with pytest.raises(WorkspaceError, match=r"older release.*sage run --workspace"):
        Workspace.open_readonly(old)
    with Workspace.open(old) as workspace:
        store = MemoryStore(workspace)
        evidence = [
            (item.uid, item.u_m, item.n_ret, item.n_ado, item.hot_region)
            for item in store.items()
        ]
        assert evidence == [
            ("m1", 0.875, 3, 3, True),
            ("m2", pytest.approx(0.18), 5, 2, False),
            ("m3", -0.2, 4, 0, False),
            ("m4", -0.2, 0, 0, True),
        ]
        assert [item.p_hat for item in store.items()] == pytest.approx(
            [0.62775, 2 / 7, 0.0, 0.1]
        )
        assert workspace.check() == ()
        assert (
            verify(workspace)[0]
            == "item (1,) u_m: stored 0.875, events say 0.8333333333333333"
        ), "what used residents earned then is not earned by the decision of today"
        for row in workspace.db.execute("SELECT residents_stated FROM episode"):
            assert row[0] is None, "silence counted as none when these were applied"


def test_an_upgraded_file_is_worked_on(old: Path) -> None:
    with Workspace.open(old) as workspace:
        store = MemoryStore(workspace)
        Curator(store).demote("m1")
        play_episode(store, "later", {"m1": True}, operator="G")
        assert [item.uid for item in store.residents()] == ["m4"]
        assert store.item("m1").u_m == 0.90625
        Curator(store).undo()
        assert store.item("m1").demoted_seq is None
