"""A person's diagnostic is kept with the candidate, and is no part of the trajectory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.agent.run.journal import Journal
from core.analysis import queries
from core.analysis.inquiries import BY_MODEL, BY_USER, add_inquiry, answer, inquiries
from core.bundle.redaction import Redactor
from core.bundle.subset import choose, copy_subset
from core.errors import SageError
from core.evaluation.diagnostic_text import diagnostic_text
from core.evaluation.records import Candidate, DiagnosticResult, Finding, Severity
from core.memory.store import MemoryStore
from core.workspace import Workspace
from tests.gui import sample_workspace

UID = "trajectory-1"
RESULT = DiagnosticResult(
    "sanitizer",
    ok=False,
    summary="case tail run-error: errors and hazards: 1, warnings and notes: 0",
    findings=(
        Finding(
            "gm-out-of-bounds",
            Severity.ERROR,
            "reads 48 bytes too far",
            "op_kernel/a.cpp",
            35,
        ),
    ),
    log="[sanitizer] at /home/someone/secret/abs.cpp",
)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """One finished operator with six rounds."""
    with Workspace.open(tmp_path / "asked.sage") as opened:
        sample_workspace.add_bank(MemoryStore(opened))
        sample_workspace.run(opened, sample_workspace.enqueue(opened, "AbsMath"))
        yield opened


def _candidate(workspace: Workspace, number: int) -> str:
    return next(
        row.candidate
        for row in queries.rounds(workspace.db, UID)
        if row.round == number
    )


def test_answers_are_kept_with_the_candidate_whoever_asked(
    workspace: Workspace,
) -> None:
    candidate = _candidate(workspace, 2)
    files = queries.candidate_files(workspace.db, candidate)
    journal = Journal(workspace)
    journal.store_diagnostic(UID, 2, 1, "full", Candidate(files), RESULT, 1.5)
    add_inquiry(workspace, candidate, "", "this computer · CPU twin", RESULT, 2.5)
    found = inquiries(workspace.db, candidate)
    assert {(row.by, row.case, row.judge) for row in found} == {
        (BY_USER, "", "this computer · CPU twin"),
        (BY_MODEL, "full", ""),
    }
    assert [answer(workspace.db, row) for row in found] == [RESULT, RESULT]
    assert not inquiries(workspace.db, _candidate(workspace, 3))
    assert journal.diagnostics_used(UID, 3) == 1, (
        "a person's question costs the model none of its own"
    )
    text = diagnostic_text(RESULT)
    assert "error gm-out-of-bounds: op_kernel/a.cpp:35: reads 48 bytes too far" in text
    assert text.endswith(RESULT.log)
    assert RESULT.log not in diagnostic_text(RESULT, with_log=False)


def test_an_unknown_candidate_is_refused(workspace: Workspace) -> None:
    with pytest.raises(SageError, match="no candidate"):
        add_inquiry(workspace, "0" * 64, "", "twin", RESULT, 1.0)


def test_answers_travel_with_a_trajectory_and_name_no_folder(
    workspace: Workspace, tmp_path: Path
) -> None:
    add_inquiry(workspace, _candidate(workspace, 2), "", "twin", RESULT, 1.0)
    copy_subset(workspace, tmp_path / "part.sage", choose(workspace.db), Redactor())
    with Workspace.open_readonly(tmp_path / "part.sage") as part:
        (row,) = inquiries(part.db, _candidate(part, 2))
        assert "someone" not in answer(part.db, row).log
        assert answer(part.db, row).findings == RESULT.findings
