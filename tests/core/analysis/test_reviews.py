"""A person's word about a candidate: kept, and heard where the best kernel is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.agent.run.journal import Journal
from core.agent.run.records import progress_of
from core.analysis import queries
from core.analysis.reviews import Decision, add_review, reviews
from core.bundle.redaction import Redactor
from core.bundle.subset import choose, copy_subset
from core.errors import SageError
from core.memory.store import MemoryStore
from core.workspace import Workspace
from tests.gui import sample_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """One finished operator: correct in rounds 3, 4 and 6, best in round 6."""
    with Workspace.open(tmp_path / "reviewed.sage") as opened:
        sample_workspace.add_bank(MemoryStore(opened))
        sample_workspace.run(opened, sample_workspace.enqueue(opened, "AbsMath"))
        yield opened


def _best(
    workspace: Workspace,
) -> tuple[int | None, float | None, int | None, float | None]:
    row = workspace.db.execute(
        "SELECT best_round, t_best, first_correct_round, t_first FROM trajectory"
    ).fetchone()
    return tuple(row)


def _candidate(workspace: Workspace, number: int) -> str:
    rows = queries.rounds(workspace.db, "trajectory-1")
    return next(row.candidate for row in rows if row.round == number)


def test_a_rejected_candidate_is_no_longer_the_best_until_it_is_taken_back(
    workspace: Workspace,
) -> None:
    assert _best(workspace) == (6, 9.63, 3, 21.84)
    credit = workspace.db.execute(
        "SELECT count(*), sum(u_after) FROM credit_event"
    ).fetchone()
    assert add_review(
        workspace, _candidate(workspace, 6), Decision.REJECTED, "skips the tail"
    )
    assert _best(workspace) == (4, 15.02, 3, 21.84)
    journal = Journal(workspace)
    assert progress_of(journal.rounds("trajectory-1")).best_round == 4
    assert tuple(credit) == tuple(
        workspace.db.execute(
            "SELECT count(*), sum(u_after) FROM credit_event"
        ).fetchone()
    )
    assert add_review(
        workspace, _candidate(workspace, 6), Decision.OPEN, "the tail is empty here"
    )
    assert _best(workspace) == (6, 9.63, 3, 21.84)
    assert [
        review.decision for review in reviews(workspace.db, _candidate(workspace, 6))
    ] == [
        Decision.REJECTED,
        Decision.OPEN,
    ]


def test_rejecting_the_first_correct_candidate_leaves_the_first_latency(
    workspace: Workspace,
) -> None:
    for number in (3, 4, 6):
        add_review(workspace, _candidate(workspace, number), Decision.REJECTED)
    assert _best(workspace) == (None, None, 3, 21.84)


def test_the_same_word_twice_is_one_event(workspace: Workspace) -> None:
    candidate = _candidate(workspace, 6)
    assert add_review(workspace, candidate, Decision.ACCEPTED, "fine")
    assert not add_review(workspace, candidate, Decision.ACCEPTED, "fine")
    assert len(reviews(workspace.db, candidate)) == 1


def test_an_unknown_candidate_is_refused(workspace: Workspace) -> None:
    with pytest.raises(SageError, match="no candidate"):
        add_review(workspace, "0" * 64, Decision.ACCEPTED)


def test_reviews_travel_with_a_trajectory(workspace: Workspace, tmp_path: Path) -> None:
    candidate = _candidate(workspace, 6)
    add_review(workspace, candidate, Decision.REJECTED, "skips the tail")
    copy_subset(workspace, tmp_path / "part.sage", choose(workspace.db), Redactor())
    with Workspace.open_readonly(tmp_path / "part.sage") as part:
        assert [review.comment for review in reviews(part.db, candidate)] == [
            "skips the tail"
        ]
