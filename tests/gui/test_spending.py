"""Tokens and cost in the status bar."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from pytestqt.qtbot import QtBot

from core.models.prices import Prices
from core.workspace import Workspace
from sage_desktop.services.models.spending import read_spending
from sage_desktop.shell.status import StatusBar


def test_tokens_are_added_up_and_priced_by_model(workspace: Path, qtbot: QtBot) -> None:
    with Workspace.open(workspace) as opened:
        db: sqlite3.Connection = opened.db
        uid, model = db.execute(
            "SELECT uid, provider FROM trajectory ORDER BY uid"
        ).fetchone()
        db.execute("DELETE FROM model_call")
        db.executemany(
            "INSERT INTO model_call(trajectory_uid, round, purpose, subject, attempt, prompt, reply, "
            "prompt_tokens, cached_tokens, completion_tokens, seconds, at) "
            "VALUES (?, 1, 'candidate', '', 0, '', '', ?, ?, ?, 1.0, '')",
            [(uid, 900_000, 400_000, 100_000), (uid, None, None, None)],
        )
        spent = read_spending(db, {model: Prices(2.0, 0.5, 10.0)})
        unpriced = read_spending(db, {})
    assert (spent.tokens, spent.cached, spent.untold) == (1_000_000, 400_000, 1)
    assert spent.cost == 500_000 * 2.0e-6 + 400_000 * 0.5e-6 + 100_000 * 10.0e-6
    assert unpriced.cost is None
    bar = StatusBar()
    qtbot.addWidget(bar)
    assert bar.spending.isHidden()
    bar.show_spending(spent)
    assert bar.spending.text() == "1,000,000 tokens · cost 2.2"
    bar.show_spending(unpriced)
    assert bar.spending.text() == "1,000,000 tokens"
