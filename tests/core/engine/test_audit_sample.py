"""The sample of adoption records a person rates."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from core.engine.audit_sample import (
    Rating,
    as_csv,
    as_table,
    draw_sample,
    rate,
    read_revision,
    read_sample,
    samples,
)
from core.errors import SageError
from core.workspace import Workspace
from tests.gui import sample_workspace


def test_a_sample_is_drawn_once_rated_and_counted(tmp_path: Path) -> None:
    with Workspace.open(sample_workspace.build(tmp_path / "w.sage")) as workspace:
        adopted = workspace.db.execute(
            "SELECT count(*) FROM trace WHERE state = 'adopted' AND counted = 1"
        ).fetchone()[0]
        number = draw_sample(workspace, 4, seed=7)
        sample = read_sample(workspace.db, number)
        assert (len(sample.records), sample.population, sample.rated) == (4, adopted, 0)
        assert len({(r.trajectory, r.round, r.item_uid) for r in sample.records}) == 4
        again = read_sample(workspace.db, draw_sample(workspace, 4, seed=7))
        assert [r.item_uid for r in again.records] == [
            r.item_uid for r in sample.records
        ]
        assert (
            len(read_sample(workspace.db, draw_sample(workspace, seed=7)).records)
            == adopted
        )
        rate(workspace, number, 1, Rating.FULL)
        rate(workspace, number, 2, Rating.UNRELATED, "no trace of it")
        rate(workspace, number, 2, Rating.PARTIAL, "half of it")
        sample = read_sample(workspace.db, number)
        assert [sample.count(rating) for rating in Rating] == [2, 1, 1, 0]
        assert sample.records[1].comment == "half of it"
        assert samples(workspace.db) == (3, 2, 1)
        assert "| full | 1 | 50 % |" in as_table(sample)
        assert "| rated | 2 of 4 | |" in as_table(sample)
        rows = list(csv.DictReader(as_csv(sample).splitlines()))
        assert [row["rating"] for row in rows] == ["full", "partial", "", ""]


def test_the_evidence_of_a_record_is_the_revision_of_its_round(tmp_path: Path) -> None:
    with Workspace.open(sample_workspace.build(tmp_path / "w.sage")) as workspace:
        sample = read_sample(workspace.db, draw_sample(workspace))
        record = next(r for r in sample.records if r.item_uid == "seed-0001")
        revision = read_revision(workspace.db, record)
        assert record.round == 3
        assert "DataCopyPad" in revision.after["op_kernel/abs_math.cpp"]
        assert "DataCopyPad" not in revision.before["op_kernel/abs_math.cpp"]
        assert revision.item.uid == "seed-0001"


def test_nothing_adopted_nothing_drawn(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "empty.sage") as workspace:
        with pytest.raises(SageError, match="No experience was adopted"):
            draw_sample(workspace)
        assert samples(workspace.db) == ()
