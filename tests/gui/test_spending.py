"""Tokens and cost in the status bar."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from pytestqt.qtbot import QtBot

from core.workspace import Workspace
from sage_desktop.spending import read_spending
from sage_desktop.status import StatusBar


def test_tokens_are_added_up_and_priced_by_model(workspace: Path, qtbot: QtBot) -> None:
    with Workspace.open(workspace) as opened:
        db: sqlite3.Connection = opened.db
        (model,) = db.execute("SELECT DISTINCT provider FROM trajectory").fetchone()
        names = ("prompt_tokens", "cached_tokens", "completion_tokens")
        for name in names:
            db.execute(f"UPDATE model_call SET {name} = NULL")
        calls = [row[0] for row in db.execute("SELECT id FROM model_call ORDER BY id")]
        for name, tokens in zip(names, (900_000, 400_000, 100_000), strict=True):
            db.execute(f"UPDATE model_call SET {name} = ? WHERE id = ?", (tokens, calls[0]))
        spent = read_spending(db, {model: (2.0, 0.5, 10.0)})
        unpriced = read_spending(db, {})
    assert (spent.tokens, spent.cached, spent.untold) == (1_000_000, 400_000, len(calls) - 1)
    assert spent.cost == 500_000 * 2.0e-6 + 400_000 * 0.5e-6 + 100_000 * 10.0e-6
    assert unpriced.cost is None
    bar = StatusBar()
    qtbot.addWidget(bar)
    assert bar._spending.isHidden()
    bar.show_spending(spent)
    assert bar._spending.text() == "1,000,000 tokens · cost 2.2"
    bar.show_spending(unpriced)
    assert bar._spending.text() == "1,000,000 tokens"
