"""Latencies of two time models are never compared, and each says which it is where they could be confused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.agent.prompt.attempts import ledger_line
from core.agent.prompt.feedback import feedback_text
from core.agent.run.records import (
    ProgressNote,
    Step,
    StoredRound,
    best_of,
    progress_of,
)
from core.analysis.queries import entry_of, queue_rows
from core.evaluation.port import Progress
from core.evaluation.records import (
    TIME_MODEL,
    Candidate,
    Evaluation,
    Latency,
    LatencyOrigin,
    is_proven_gain,
    origin_words,
    stored_origin,
    time_model_of,
)
from core.method.objective import Objective
from core.operators.spec import OperatorSpec
from core.records_json import from_json, to_json
from core.workspace import Workspace
from sage_desktop.panels.results.reading import read_curves
from tests.core.agent.scripted import CommentEvaluator
from tests.gui import sample_workspace
from tests.scenario import PlayedOperator

MODELLED = LatencyOrigin.MODELLED
FIRST, PRESENT = stored_origin(MODELLED, 1), stored_origin(MODELLED, TIME_MODEL)


def latency(us: float, time_model: int = TIME_MODEL) -> Latency:
    return Latency(
        us, "us", MODELLED, "twin", 0, None, "a model", time_model=time_model
    )


def stored(number: int, us: float, origin: str) -> StoredRound:
    return StoredRound(
        round=number,
        episode_uid="e",
        objective=Objective.OPT,
        step=Step.EVALUATED,
        diagnosis="",
        candidate=f"c{number}",
        verdict="pass",
        cause="",
        latency_us=us,
        latency_origin=origin,
        evaluation="",
    )


def test_files_of_the_first_time_model_say_no_number() -> None:
    assert FIRST == "modelled"
    assert f"modelled-{TIME_MODEL}" == PRESENT
    assert [time_model_of(each) for each in (FIRST, PRESENT, "measured", "")] == [
        1,
        TIME_MODEL,
        0,
        0,
    ]
    text = to_json(latency(5.0)).replace(f',"time_model":{TIME_MODEL}', "")
    assert from_json(text, Latency, "latency").stored_origin == FIRST


def test_only_the_present_time_model_needs_no_name() -> None:
    assert origin_words(PRESENT) == "modelled"
    assert origin_words(FIRST) == "modelled by time model 1, not comparable"
    assert origin_words("measured") == "measured"


def test_progress_starts_again_where_the_time_model_changed() -> None:
    rounds = [stored(1, 30.0, FIRST), stored(2, 20.0, FIRST)]
    assert (progress_of(rounds).t_first, progress_of(rounds).t_best) == (30.0, 20.0)
    rounds += [stored(3, 9.0, PRESENT), stored(4, 6.0, PRESENT)]
    progress = progress_of(rounds)
    assert (progress.t_first, progress.t_best) == (9.0, 6.0)
    assert (progress.first_correct_round, progress.best_round) == (1, 4)
    assert progress.latency_origin == PRESENT
    slower = progress_of([stored(1, 3.0, FIRST), stored(2, 9.0, PRESENT)])
    assert (slower.t_best, slower.best_round) == (9.0, 2)


def test_times_of_two_calibrations_and_of_shipped_constants_are_told_apart() -> None:
    mine, other = (
        replace(latency(5.0), calibration=digits) for digits in ("5f0c22a1", "77aa0b1c")
    )
    origins = {mine.stored_origin, other.stored_origin, PRESENT}
    assert len(origins) == 3
    assert {time_model_of(origin) for origin in origins} == {TIME_MODEL}
    assert origin_words(mine.stored_origin) == "modelled by calibration 5f0c22a1"
    of_old = stored_origin(MODELLED, TIME_MODEL - 1, "5f0c22a1")
    assert "not comparable" in origin_words(of_old)


def test_progress_starts_again_where_the_host_was_calibrated_on_the_way() -> None:
    own = replace(latency(5.0), calibration="5f0c22a1").stored_origin
    rounds = [stored(1, 3.0, PRESENT), stored(2, 9.0, own), stored(3, 8.0, own)]
    progress = progress_of(rounds)
    assert (progress.t_first, progress.t_best, progress.best_round) == (9.0, 8.0, 3)
    assert progress.latency_origin == own


def test_a_measured_trajectory_stays_measured() -> None:
    rounds = [stored(1, 30.0, "measured"), stored(2, 2.0, PRESENT)]
    assert progress_of(rounds).t_best == 30.0
    assert (best := best_of(rounds)) is not None
    assert best.round == 1


def test_a_gain_inside_the_range_is_no_proof_and_says_so() -> None:
    before = replace(latency(10.0), low=8.0, high=12.0)
    slightly, clearly = (
        replace(latency(us), low=0.8 * us, high=1.2 * us) for us in (9.5, 8.5)
    )
    assert not is_proven_gain(before.value, slightly.value, slightly.margin)
    assert is_proven_gain(before.value, clearly.value, clearly.margin)
    measured = replace(latency(9.99), origin=LatencyOrigin.MEASURED)
    assert is_proven_gain(10.0, measured.value, measured.margin)
    evaluation = sample_workspace.evaluation_of(
        Candidate({}),
        sample_workspace.Step(Objective.OPT, sample_workspace.PASS, 9.5),
    )
    text = feedback_text(replace(evaluation, latency=slightly), before)
    assert "9.50 us, 7.60 to 11.40 (modelled" in text
    assert "the difference lies inside what the model knows" in text
    text = feedback_text(replace(evaluation, latency=clearly), before)
    assert "inside what" not in text
    for judged, marked in ((slightly, True), (clearly, False)):
        line = ledger_line(
            4,
            "opt",
            replace(evaluation, latency=judged),
            "",
            new_best=True,
            best_before=before.value,
        )
        assert line.endswith("a gain inside what the model knows") is marked


def test_latencies_stored_before_there_were_ranges_are_read_without_one() -> None:
    text = to_json(latency(5.0)).replace('"high":null,', "").replace('"low":null,', "")
    assert "low" not in text
    old = from_json(text, Latency, "latency")
    assert (old.low, old.high, old.range_text, old.margin) == (None, None, "", 0.0)


def test_feedback_sets_no_time_beside_one_of_another_model() -> None:
    evaluation = replace(
        sample_workspace.evaluation_of(
            Candidate({}),
            sample_workspace.Step(Objective.OPT, sample_workspace.PASS, 6.0),
        ),
        latency=latency(6.0),
    )
    assert "best correct kernel so far" in feedback_text(evaluation, latency(5.0))
    assert "best correct kernel so far" not in feedback_text(
        evaluation, latency(5.0, 1)
    )


class Remodelled(CommentEvaluator):
    """A judge whose first `calls` latencies are of the first time model, as of a run begun before it changed."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self._calls = calls

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        evaluation = await super().evaluate(operator, candidate, progress, ticket)
        if evaluation.latency is None or len(self.asked) > self._calls:
            return evaluation
        return replace(evaluation, latency=replace(evaluation.latency, time_model=1))


def test_a_trajectory_that_continues_under_another_model_says_so_once(
    workspace: Workspace,
) -> None:
    bench = PlayedOperator(workspace, evaluator=Remodelled(calls=2))
    bench.play({1: "pass 40.0", 2: "pass 30.0", 3: "pass 8.0", 4: "pass 4.0"})
    ((t_first, t_best, origin),) = bench.rows(
        "SELECT t_first, t_best, latency_origin FROM trajectory"
    )
    assert (t_first, t_best, origin) == (8.0, 4.0, PRESENT)
    ((z,),) = bench.rows("SELECT z FROM episode WHERE objective = 'opt'")
    assert z == 0.5, "1 - 4 / 8, and nothing of the forty"
    notes = [event.text for event in bench.events if isinstance(event, ProgressNote)]
    (note,) = (text for text in notes if "time model" in text)
    assert "T_first and T_best start again" in note


def test_queue_and_curves_show_only_points_that_compare(tmp_path: Path) -> None:
    with Workspace.open(sample_workspace.build(tmp_path / "w.sage")) as workspace:
        db = workspace.db
        db.execute(
            "UPDATE round SET latency_origin = 'modelled' "
            "WHERE trajectory_uid = 'trajectory-1' AND round = 3"
        )
        curve = next(c for c in read_curves(db) if c.trajectory == "trajectory-1")
        assert 3 not in [number for number, _minutes, _us in curve.points]
        entry = entry_of(db, "trajectory-1")
        assert entry is not None
        row = queue_rows(db, [entry])[entry]
        by_round = {point.round: point.latency_us for point in row.points}
        assert by_round[3] is None
        assert by_round[4] is not None
