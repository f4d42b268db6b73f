"""What a trajectory and an expert's kernel teach without a model."""

from __future__ import annotations

import pytest

from core.agent.learning.distillation import Attempt, extract
from core.agent.learning.mining import NotDisjoint, mine

FILES = {"op_kernel/lerp.cpp": "A\nB\nDataCopy(x, y, 44);\nC\nD\n"}
FIXED = {
    "op_kernel/lerp.cpp": "A\nB\nDataCopyPad(x, y, {1, 44, 0, 0, 0}, pad);\nC\nD\n"
}
FASTER = {
    "op_kernel/lerp.cpp": "A\nB2\nDataCopyPad(x, y, {1, 44, 0, 0, 0}, pad);\nC\nD\n"
}


def test_a_trajectory_teaches_without_a_model() -> None:
    attempts = [
        Attempt(1, "fail-run", "DataCopy of 44 bytes at line 3", "", FILES),
        Attempt(
            2, "fail-run", "DataCopy of 40 bytes at line 3", "still the tail", FILES
        ),
        Attempt(
            3,
            "pass",
            "",
            "The tail is not a multiple of 32 bytes. Pad it.",
            FIXED,
            20.0,
        ),
        Attempt(
            4,
            "pass",
            "",
            "One buffer makes copy and compute wait. Use two.",
            FASTER,
            12.0,
        ),
        Attempt(5, "pass", "", "noise", FIXED, 11.9),
    ]
    fix, speed = extract("Lerp", "Math", attempts)
    assert (fix.type, fix.error_message) == (
        "runtime_failure",
        "DataCopy of 40 bytes at line 3",
    )
    assert "DataCopy(x, y, 44);" in fix.code_diff.wrong_code
    assert "DataCopyPad" in fix.code_diff.correct_code
    assert (
        "A" not in fix.code_diff.wrong_code.split()
    )  # only the change and a line around it
    assert fix.summary.endswith("the kernel passed.")
    assert (speed.type, speed.title) == (
        "performance",
        "One buffer makes copy and compute wait.",
    )
    assert "40%" in speed.summary
    assert speed.source == "extracted from rounds 3 and 4 of Lerp"


def test_nothing_is_learned_from_a_trajectory_that_goes_nowhere() -> None:
    same = [
        Attempt(n, "fail-build", f"line {n}: unknown name", "", FILES)
        for n in range(1, 5)
    ]
    assert extract("Lerp", "Math", same) == ()
    assert extract("Lerp", "Math", []) == ()


def test_mining_finds_what_the_expert_does_and_refuses_evaluation_operators() -> None:
    candidate = {
        "op_kernel/add.cpp": "// DataCopyPad would be better\nDataCopy(x, y, n);\nAdd(z, x, y, n);"
    }
    calls = (
        "auto id = GetBlockIdx();",
        "DataCopyPad(x, y, p, q);",
        "Muls(z, x, 2, n);",
        "Add(z, x, y, n);",
    )
    expert = {"op_kernel/add.cpp": "\n".join(calls)}
    drafts = mine("Add", "Math", candidate, expert, evaluated=["Lerp"])
    titles = [draft.title for draft in drafts]
    assert titles[0] == "Split the work over all cores"
    assert "Pad copies whose length is not a multiple of 32 bytes" in titles
    assert (
        titles[-1]
        == "Calls an expert uses for Math operators: DataCopyPad, GetBlockIdx, Muls"
    )
    assert "DataCopyPad(x, y, p, q);" in drafts[1].code_diff.correct_code
    assert mine("Add", "Math", expert, expert, evaluated=[]) == ()
    with pytest.raises(NotDisjoint, match="evaluation operator"):
        mine("add", "Math", candidate, expert, evaluated=["Add"])
