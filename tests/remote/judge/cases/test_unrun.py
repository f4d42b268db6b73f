"""Instructions that no visible case ran are told with their lines; what ran, or is no call, is not."""

from __future__ import annotations

from core.evaluation.records import CaseResult
from remote.judge.cases.outcome import CaseOutcome
from remote.judge.cases.unrun import unrun_calls
from remote.judge.running.answers import Launch

CODE = """#define COPY(a, b) DataCopy(a, b, 8)
// Muls(x, x, 2.0f, 8);
void Row() {
    DataCopyPad(local, x[begin],
                parameters, padding);
    if (wide) {
        Cast<float, half>(wideRow, local, RoundMode::CAST_NONE, n);
        op.Mul(1);
        Muls(wideRow, wideRow, 2.0f, n);
    }
    Add(local, local, local, n);
    if (tail) Exp(local, local, n);
}
"""
PATH = "op_kernel/k.h"


def outcome(
    *lines: int, case: str = "small", hidden: bool = False, completed: bool = True
) -> CaseOutcome:
    row = CaseResult(case, hidden=hidden, timed=False, status="pass")
    nothing = (False, "", "", (), 1850, 1, 2)
    launch = Launch(completed, *nothing, ran={PATH: frozenset(lines)})
    return CaseOutcome(row, launch=launch)


def places(*outcomes: CaseOutcome) -> list[tuple[int, str]]:
    return [(one.line, one.message) for one in unrun_calls({PATH: CODE}, outcomes)]


def test_a_branch_no_case_takes_is_one_place_and_the_larger_one_comes_first() -> None:
    assert places(outcome(5, 11), outcome(4, case="other")) == [
        (7, "no visible case runs Cast, Muls in lines 7 to 9"),
        (12, "no visible case runs Exp in line 12"),
    ]


def test_what_one_of_the_cases_runs_is_run() -> None:
    assert places(outcome(4, 11), outcome(7, 9, 12, case="other")) == []


def test_a_single_case_speaks_for_itself_alone() -> None:
    assert places(outcome(4, 7, 9, 11)) == [(12, "small does not run Exp in line 12")]


def test_a_hidden_case_tells_nothing_of_the_lines_it_runs() -> None:
    hidden = outcome(7, 9, 12, case="secret", hidden=True)
    with_it = places(outcome(4, 11), outcome(4, 11, case="other"), hidden)
    assert with_it == places(outcome(4, 11), outcome(4, 11, case="other"))


def test_nothing_is_told_of_a_kernel_that_did_not_come_to_its_end() -> None:
    assert places(outcome(4, completed=False), outcome(4, case="other")) == []
    assert places(outcome(4, hidden=True)) == []


def test_a_function_of_the_candidate_is_no_instruction() -> None:
    own = "void Cast(int n) {}\nvoid Row() {\n    Cast(3);\n}\n"
    assert unrun_calls({PATH: own}, [outcome()]) == ()
    assert unrun_calls({"op_host/k.cpp": CODE}, [outcome()]) == ()
