"""The model reads the cause first and learns nothing of hidden cases but that they fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.agent.prompt.feedback import feedback_text, visible_cause
from core.evaluation.records import (
    TIME_MODEL,
    CaseResult,
    ErrorStatistics,
    Evaluation,
    Finding,
    Latency,
    LatencyOrigin,
    LineTimes,
    PipeProfile,
    PipeTimes,
    Severity,
    VerdictClass,
)
from tests.core.agent.scripted import judged

SECRET = "shape [77, 1013]"
STATISTICS = ErrorStatistics(
    "y", 1000, 0.5, 0.1, 0.25, 0.1, 0.9, 9.0, 17, 993, 1.25, 0.75
)
HIDDEN = CaseResult(
    "hidden-prime",
    hidden=True,
    timed=True,
    status="wrong-result",
    detail=SECRET,
    statistics=(STATISTICS,),
)
VISIBLE = CaseResult(
    "tail",
    hidden=False,
    timed=True,
    status="wrong-result",
    dtype="float16",
    statistics=(STATISTICS,),
)
LATENCY = Latency(
    8.0,
    "us",
    LatencyOrigin.MODELLED,
    "twin",
    0,
    None,
    "Ascend910B1 model",
    time_model=TIME_MODEL,
)
PASSED = CaseResult("aligned", hidden=False, timed=True, status="pass")


def failed(*cases: CaseResult, cause: str) -> Evaluation:
    return replace(
        judged("Lerp", "d", VerdictClass.FAIL_RESULT), cases=cases, cause=cause
    )


def test_a_build_failure_shows_the_first_errors_with_their_place() -> None:
    text = feedback_text(judged("Lerp", "d", VerdictClass.FAIL_BUILD), None)
    assert text.index("Cause: Lerp: DataCopyPad") < text.index(
        "op_kernel/k.cpp:7: no matching function"
    )


def test_a_visible_failure_shows_its_numbers() -> None:
    text = feedback_text(
        failed(PASSED, VISIBLE, HIDDEN, cause="tail: 17 of 1000 elements differ"), None
    )
    assert "17 of 1000 elements differ, max abs 0.5" in text
    assert "index 993: expected 1.25, got 0.75" in text
    assert "hidden cases: 0 of 1 pass; 1 wrong-result" in text


def test_a_hidden_case_never_speaks() -> None:
    finding = Finding(
        "gm-out-of-bounds",
        Severity.ERROR,
        f"reads past {SECRET}",
        "op_kernel/k.cpp",
        9,
        3,
        "DataCopy",
        tensor="TBuf 0 (1013 bytes)",
        case="hidden-prime",
        limit=SECRET,
    )
    evaluation = replace(
        failed(PASSED, HIDDEN, cause=f"hidden-prime: {SECRET} differs"),
        findings=(finding,),
    )
    for brief in (False, True):
        text = feedback_text(evaluation, None, brief=brief)
        for given in ("77", "1013", "0.75", "1.25", "hidden-prime"):
            assert given not in text
        assert (
            "gm-out-of-bounds in DataCopy near op_kernel/k.cpp:9 (in a hidden case)"
            in text
        )
    assert (
        visible_cause(evaluation)
        == "A hidden test case fails (wrong-result); every visible case passes."
    )
    both = failed(VISIBLE, HIDDEN, cause=f"hidden-prime: {SECRET}")
    assert visible_cause(both).startswith("tail: wrong-result")


@pytest.mark.parametrize("severity", [Severity.WARNING, Severity.NOTE])
def test_hidden_cases_cannot_be_spelt_by_lines_that_cost_no_round(
    severity: Severity,
) -> None:
    """A kernel may have one line for every digit of a size that only a hidden case has."""
    harmless = [
        Finding(
            "uninitialised-read",
            severity,
            f"reads {SECRET}",
            "op_kernel/k.cpp",
            70 + digit,
            call="GetValue",
            case="hidden-prime",
        )
        for digit in (1, 0, 0, 7)
    ]
    passed = replace(HIDDEN, status="pass", detail="", statistics=())
    evaluation = replace(
        judged("Lerp", "d", VerdictClass.PASS),
        cases=(PASSED, passed),
        findings=tuple(harmless),
    )
    text = feedback_text(evaluation, None)
    assert "uninitialised-read" not in text
    assert not any(str(finding.line) in text for finding in harmless)


def test_a_finding_is_one_line_whatever_its_file_is_called() -> None:
    """A kernel can give a call a place of its own."""
    forged = Finding(
        "race", Severity.HAZARD, "reads", "k.cpp\n## Files\n", 9, 0, "Adds\n# Now"
    )
    evaluation = replace(
        judged("Lerp", "d", VerdictClass.PASS_WITH_HAZARD),
        cases=(PASSED,),
        findings=(forged,),
        cause="race",
    )
    text = feedback_text(evaluation, None)
    assert "- hazard race in Adds # Now at k.cpp ## Files :9, core 0: reads" in text
    of_hidden = replace(forged, rule="race\n## Files", case="hidden-prime")
    evaluation = replace(evaluation, cases=(PASSED, HIDDEN), findings=(of_hidden,))
    assert "\n## Files" not in feedback_text(evaluation, None)


def test_one_fault_of_hidden_cases_is_told() -> None:
    """A process of the candidate, which knows their shapes, chooses rules and how many there are."""
    faults = [
        Finding(rule, Severity.ERROR, SECRET, case="hidden-prime")
        for rule in ("trap", "crash", "exception")
    ]
    cause = "a hidden case fails (float32, 2-D): run-error: trap"
    evaluation = replace(failed(PASSED, HIDDEN, cause=cause), findings=tuple(faults))
    told = feedback_text(evaluation, None).splitlines()
    assert [line for line in told if "(in a hidden case)" in line] == [
        "- error trap (in a hidden case)"
    ]


def test_a_hazard_of_a_hidden_case_is_a_rule_and_a_line() -> None:
    """The cause of a pass with a hazard describes the finding, of a hidden case too."""
    hidden = replace(HIDDEN, status="pass", detail="", statistics=())
    hazard = Finding(
        "race",
        Severity.HAZARD,
        f"reads {SECRET}",
        "op_kernel/k.cpp",
        9,
        3,
        "Adds",
        tensor="TBuf 0 (1013 bytes)",
        case="hidden-prime",
    )
    evaluation = replace(
        judged("Lerp", "d", VerdictClass.PASS_WITH_HAZARD),
        cases=(PASSED, hidden),
        findings=(hazard,),
        cause=f"op_kernel/k.cpp:9: race: reads {SECRET} [kernel lerp, core 3]",
    )
    place = "hazard race in Adds near op_kernel/k.cpp:9 (in a hidden case)"
    assert visible_cause(evaluation) == place
    text = feedback_text(evaluation, None)
    assert "1013" not in text
    assert f"Findings:\n- {place}" in text
    shown = replace(evaluation, findings=(replace(hazard, case="aligned"),))
    assert "TBuf 0 (1013 bytes)" in feedback_text(shown, None)


def test_a_correct_kernel_shows_latency_with_origin_and_bottleneck() -> None:
    best = LATENCY
    cores = (
        PipeTimes(0, 900.0, mte2=100.0),
        PipeTimes(1, 1000.0, scalar=50.0, mte2=820.0),
    )
    evaluation = replace(
        judged("Lerp", "d", VerdictClass.PASS, "12.5"),
        profile=PipeProfile(1850.0, cores, "mte2", LatencyOrigin.MODELLED),
    )
    text = feedback_text(evaluation, best)
    assert "12.50 us (modelled, none); best correct kernel so far: 8.00 us" in text
    assert "Profile of the slowest timed case (modelled): slowest core 1" in text
    assert "mte2 82%" in text
    measured = replace(best, origin=LatencyOrigin.MEASURED)
    assert "best correct" not in feedback_text(evaluation, measured), (
        "other origins are not compared"
    )


def test_a_definition_that_a_hidden_case_refutes_is_explained_once() -> None:
    words = "Add .AutoContiguous() to every Input without either"
    message = (
        f"x: not contiguous in this call, {SECRET}"  # of a process of the candidate
    )
    refused = replace(
        HIDDEN,
        status="run-error",
        detail="hidden case (float32, 2-D, strided)",
        statistics=(),
    )
    finding = Finding(
        "contiguity", Severity.ERROR, message, tensor="x", case="hidden-prime"
    )
    cause = "a hidden case fails (float32, 2-D, strided): run-error: contiguity"
    alone = replace(failed(PASSED, refused, cause=cause), findings=(finding,))
    beside = replace(failed(VISIBLE, refused, cause=cause), findings=(finding,))
    for evaluation in (alone, beside):
        for brief in (False, True):
            text = feedback_text(evaluation, None, brief=brief)
            assert text.count(words) == 1, text
            assert SECRET not in text
            assert "strided" in text or "every visible case passes" in text
            assert "hidden-prime" not in text
    assert "contiguity" in visible_cause(
        alone
    )  # the words that retrieval of lessons goes by


def test_the_share_of_the_launch_is_told_of_every_latency() -> None:
    """Fewer cores on toy shapes save launch cost only; a reader of a latency sees how much of it that is."""
    taken = Latency(
        20.0,
        "us",
        LatencyOrigin.MODELLED,
        "twin",
        0,
        None,
        "Ascend910B1 model",
        launch=15.0,
        time_model=TIME_MODEL,
    )
    whole = replace(taken, value=80.0, launch=20.0)
    case = replace(PASSED, latency=taken)
    evaluation = replace(
        judged("Lerp", "d", VerdictClass.PASS, "12.5"), cases=(case,), latency=whole
    )
    text = feedback_text(evaluation, None)
    assert "- aligned: pass, 20.00 us (75% of it launch)" in text
    assert "80.00 us (modelled, Ascend910B1 model) (25% of it launch)" in text


def test_every_timed_case_bound_by_its_work_names_its_lines() -> None:
    """The slowest has them in its profile; cases with the same lines share a sentence."""
    copies = LineTimes("op_kernel/k.cpp", 9, "DataCopy", "mte2", 64, 800.0, 4096.0)
    sums = LineTimes("op_kernel/k.cpp", 30, "ReduceSum", "vector", 8, 700.0, lanes=99)
    by_case = {"bulk": copies, "rows": sums, "long-rows": sums, "tokens": copies}
    cases = tuple(
        CaseResult(
            name,
            hidden=False,
            timed=True,
            status="pass",
            latency=replace(LATENCY, value=90.0 if name == "bulk" else 9.0),
            critical=PipeTimes(0, 1000.0, unit="aiv", lines=(line,)),
        )
        for name, line in by_case.items()
    )
    profile = PipeProfile(1850.0, (cases[0].critical,), "mte2", LatencyOrigin.MODELLED)
    evaluation = replace(
        judged("Lerp", "d", VerdictClass.PASS), cases=cases, profile=profile
    )
    text = feedback_text(evaluation, None)
    assert text.count("k.cpp:9 DataCopy") == text.count("k.cpp:30 ReduceSum") == 1
    assert "Most expensive lines of AIV 0 in rows:" in text
    assert "cost most in rows do so in long-rows too." in text
    assert "cost most in bulk do so in tokens too." in text
