"""Experiments from plan to page: every number is recomputed from raw rows, and what ranks nothing says so."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InvalidInput, SageError
from core.experiments.faithfulness.analysis import Condition
from core.experiments.faithfulness.studies import study_file, study_progress
from core.experiments.plans.plan import INITIAL, changed
from core.experiments.plans.plan_file import read_plan
from core.experiments.reports.comparison import compared, side
from core.experiments.reports.page import figures_of, write_report
from core.experiments.reports.report import Report, report_on
from core.experiments.running.folder import Experiment, create, repeated
from core.memory.replay.verification import verify
from core.models.port import ModelRequest
from core.operators.catalogue import catalogue_folder
from core.workspace import Workspace
from sage_desktop.services.experiment_run import ExperimentRun
from sage_desktop.services.models.choice import ModelChoice
from tests.core.agent.scripted import CommentEvaluator
from tests.core.experiments.conftest import ABLATION, ARMS, Told, answer, made, run
from tests.core.experiments.recomputed import recompute

REFINEMENT = '[[arms]]\nname = "refinement"\nmethod = "refinement"\n'


@pytest.mark.system
def test_a_replayed_ablation_is_whole_and_ranks_nothing(
    tmp_path: Path, recorded: Path
) -> None:
    experiment = made(tmp_path / "small", ABLATION, model=f"replay:{recorded}")
    assert run(experiment).stopped == {}
    report = report_on(experiment)
    assert [arm.arm for arm in report.arms] == [
        "sage",
        "uniform-credit",
        "no-ugc",
        "random-ugc",
    ]
    assert report.watermarks[0] == "replayed"
    assert report.pairs == ()
    assert "cannot show that one method is better" in report.unranked
    page = write_report(report, tmp_path / "report").read_text()
    assert "No arm is ranked" in page
    assert 'content: "replayed"' in page
    assert "<strong>" not in page.partition("<tbody>")[2].partition("</tbody>")[0], (
        "nothing is marked as best"
    )
    assert recompute(experiment.folder, tmp_path / "report", catalogue_folder()) > 40
    assert {t.memory for t in report.trials} == {experiment.record.cold_start}
    assert {t.tokens for t in report.trials} == {None}, "a replay asks no model"
    states = {state.cell: state for state in report.memory}
    assert (
        states["no-ugc--model--r1"].residents == 0 < states["sage--model--r1"].residents
    )


def made_and_run(folder: Path) -> Experiment:
    another = made(folder / "another", "")
    run(another)
    return another


@pytest.mark.system
def test_arms_of_a_live_model_are_compared(tmp_path: Path) -> None:
    experiment = made(tmp_path / "small", REFINEMENT, repeats=2)
    run(experiment)
    report = report_on(experiment)
    assert report.unranked == ""
    assert report.watermarks == ("latencies are modelled",)
    (pair,) = report.pairs
    assert (pair.first, pair.second) == ("sage@model", "refinement@model")
    assert [arm.name for arm in report.arms] == [pair.first, pair.second], (
        "one name everywhere"
    )
    assert (
        pair.operators,
        pair.correctness.only_first,
        pair.correctness.only_second,
    ) == (4, 1, 0)
    assert pair.difference.value == pytest.approx(0.25)
    assert pair.speed is not None
    assert pair.speed.n == 3
    assert pair.same_inputs
    inputs = {(t.repeat, t.inputs) for t in report.trials}
    assert len(inputs) == 2, "one for each repeat, the same in both arms"
    sage, refinement = report.arms
    assert (sage.solved, refinement.solved) == ((4, 4), (3, 3))
    calls = sum(t.model_calls for t in report.trials if t.arm == "sage")
    assert (sage.tokens, sage.tokens_estimated, sage.cost) == (
        1100 * calls,
        False,
        None,
    )
    write_report(report, tmp_path / "report")
    assert recompute(experiment.folder, tmp_path / "report", catalogue_folder()) > 20
    again = compared(side(experiment, "sage"), [side(experiment, "refinement")])
    assert again[0].correctness == pair.correctness
    with pytest.raises(SageError, match="no arm nothing"):
        side(experiment, "nothing")
    repetition = repeated(experiment, tmp_path / "repetition")
    run(repetition)
    assert report_on(repetition).figures_sha256 == report.figures_sha256
    (others,) = compared(
        side(experiment, "sage"), [side(made_and_run(tmp_path), "sage")]
    )
    assert not others.same_inputs


@pytest.mark.system
def test_a_run_that_was_not_finished_ranks_nothing(tmp_path: Path) -> None:
    experiment = made(tmp_path / "small", REFINEMENT)

    def broken(request: ModelRequest) -> str:
        if request.subject == "RmsNorm":
            raise SageError("the server is down")
        return answer(request)

    work = run(experiment, broken)
    assert set(work.stopped) == {"sage--model--r1", "refinement--model--r1"}
    assert "the server is down" in work.stopped["sage--model--r1"]
    unranked = report_on(experiment).unranked
    assert "sage--model--r1, refinement--model--r1." in unranked
    run(Experiment(experiment.folder))
    assert report_on(experiment).unranked == ""


READERS = """
[[arms]]
name = "initial"
reads = "initial"
[[arms]]
name = "native"
reads = "sage"
[[arms]]
name = "relevance"
reads = "sage"
parameters = { gamma = 0.0 }
[[arms]]
name = "uniform"
reads = "sage"
ranking = "uniform"
[[arms]]
name = "goes-on"
continues = "sage"
operators = ["Eye"]
"""


@pytest.mark.system
def test_memories_that_are_read_stay_as_they_are_and_those_continued_go_on(
    tmp_path: Path,
) -> None:
    experiment = made(tmp_path / "small", READERS)
    assert run(experiment).stopped == {}
    report = report_on(experiment)
    states = {state.cell.partition("--")[0]: state for state in report.memory}
    assert [
        states[name].is_unchanged
        for name in ("initial", "native", "relevance", "uniform")
    ] == [True] * 4
    assert (
        states["native"].frozen
        == states["relevance"].frozen
        != states["uniform"].frozen
    )
    assert states["initial"].retrieved == 0 < states["native"].retrieved
    by_arm = {t.arm: t for t in report.trials}
    assert by_arm["native"].memory == states["native"].frozen
    assert "gamma=0.0" in by_arm["relevance"].method
    assert [t.operator for t in report.trials if t.arm == "goes-on"] == ["Eye"], (
        "what the donor ran is not counted"
    )
    assert states["goes-on"].retrieved >= states["native"].retrieved
    memory, uniform = (
        experiment.folder / "memories" / f"sage--model--r1{suffix}.sage"
        for suffix in ("", "--uniform")
    )
    with (
        Workspace.open_readonly(memory) as one,
        Workspace.open_readonly(uniform) as two,
    ):
        rows = [
            [
                dict(row)
                for row in workspace.db.execute("SELECT * FROM item ORDER BY id")
            ]
            for workspace in (one, two)
        ]
        changed = {
            key for a, b in zip(*rows, strict=True) for key in a if a[key] != b[key]
        }
        assert changed == {"u_m"}, "H, texts and lifecycle are identical"
        assert [a["u_m"] for a in rows[0] if a["hot_region"]] == [
            b["u_m"] for b in rows[1] if b["hot_region"]
        ]
        assert verify(two) == ()


@pytest.mark.system
def test_a_memory_that_is_given_stands_in_for_its_arm(tmp_path: Path) -> None:
    first = made(tmp_path / "first", "")
    run(first)
    text = ARMS.format(arms='[[arms]]\nname = "native"\nreads = "sage"', repeats=1)
    given = {"sage": first.workspace(first.cells[0])}
    second = create(tmp_path / "second", read_plan(text, "x"), text, given)
    run(second)
    assert {cell.label: second.progress(cell).state for cell in second.cells} == {
        "sage--model--r1": "given",
        "native--model--r1": "done",
    }


def test_a_recording_is_refused_where_it_cannot_answer(
    tmp_path: Path, recorded: Path
) -> None:
    replayed = f"replay:{recorded}"
    with pytest.raises(SageError, match="a recording answers to its own"):
        made(
            tmp_path / "reads",
            f'[[arms]]\nname = "x"\nreads = "{INITIAL}"',
            model=replayed,
        )
    text = ARMS.replace('"RmsNorm"]', '"Eye"]').format(arms="", repeats=1)
    with pytest.raises(SageError, match="The recording holds AbsMath"):
        create(
            tmp_path / "other",
            changed(read_plan(text, "x"), models={"": replayed}),
            text,
        )
    assert not any((tmp_path / name).exists() for name in ("reads", "other"))


STUDY = """
[faithfulness]
arm = "sage"
rounds = 3
repeats = 1
"""


@pytest.mark.system
def test_rounds_are_played_again_without_their_experience_in_the_same_report(
    tmp_path: Path,
) -> None:
    experiment = made(tmp_path / "small", STUDY)
    (cell,) = experiment.cells
    assert study_progress(experiment, cell).state == "waiting"
    assert run(experiment).stopped == {}
    report = report_on(experiment)
    (study,) = report.studies
    effects = {entry.condition.value: entry for entry in study.faithfulness.conditions}
    assert effects["removed"].rounds == 3
    assert (
        len(study.outcomes)
        == study.trials
        == report.progress["sage--model--r1 again"].ended
    )
    masked = [
        outcome for outcome in study.outcomes if outcome.condition is Condition.MASKED
    ]
    assert masked
    assert len(study.faithfulness.items) == len({outcome.item for outcome in masked})
    page = write_report(report, tmp_path / "report").read_text()
    assert "Is recorded adoption faithful? sage--model--r1" in page
    assert "Spearman" in page
    with (tmp_path / "report" / "adopted_items.csv").open() as file:
        assert {row["item"] for row in csv.DictReader(file)} == {o.item for o in masked}

    def silent(request: ModelRequest) -> str:
        raise SageError("nobody is asked twice")

    run(experiment, silent)
    lines = study_file(experiment, cell).read_text().splitlines(keepends=True)
    study_file(experiment, cell).write_text("".join(lines[:-2]))
    assert "unfinished" in report_on(experiment).watermarks
    run(experiment)
    assert report_on(experiment).studies == report.studies, (
        "an interrupted study ends with the same figures"
    )


MASKED = """
[[arms]]
name = "masked"
reads = "sage"
ranking = "masked"
[faithfulness]
arm = "sage"
rounds = 0
repeats = 1
items_only = true
"""


@pytest.mark.system
def test_an_arm_ranks_by_the_adoptions_its_donor_could_not_do_without(
    tmp_path: Path,
) -> None:
    experiment = made(tmp_path / "small", MASKED)
    learner, reader = experiment.cells
    assert experiment.progress(reader).state == "waiting"
    assert run(experiment).stopped == {}
    assert experiment.progress(reader).state == "done"
    report = report_on(experiment)
    (study,) = report.studies
    assert {outcome.condition for outcome in study.outcomes} == {
        Condition.ORIGINAL,
        Condition.MASKED,
    }
    # Its model solves SwiGlu only with experience, but any will do: no single item is needed.
    assert study.credit.tested == study.credit.adoptions > 0
    memory = experiment.frozen(reader)
    assert memory is not None
    with (
        Workspace.open_readonly(experiment.workspace(learner)) as learnt,
        Workspace.open_readonly(memory) as ranked,
    ):
        query = "SELECT uid, u_m FROM item WHERE hot_region = 0"
        before, after = (
            dict(map(tuple, workspace.db.execute(query).fetchall()))
            for workspace in (learnt, ranked)
        )
        assert verify(ranked) == ()
    for item in study.credit.items:
        if item.uid in after:
            assert (before[item.uid], after[item.uid]) == (item.declared, item.masked)
    assert any(before[uid] != after[uid] for uid in before)
    page = write_report(report, tmp_path / "report").read_text()
    assert "Credit from masked replays beside declared adoption. sage" in page
    with (tmp_path / "report" / "masked_credit.csv").open() as file:
        rows = [(row["item"], float(row["u_masked"])) for row in csv.DictReader(file)]
    assert rows == [(item.uid, item.masked) for item in study.credit.items]
    for path in (memory, experiment.workspace(reader)):
        path.unlink()
    run(Experiment(experiment.folder))
    again = report_on(experiment)
    assert again.progress == report.progress, (
        "what was killed before the memory was written goes on"
    )
    assert [arm.execution_rate for arm in again.arms] == [
        arm.execution_rate for arm in report.arms
    ]


def test_a_recording_and_a_given_memory_are_refused_where_rounds_are_played_again(
    tmp_path: Path, recorded: Path
) -> None:
    with pytest.raises(SageError, match="only what it was asked"):
        made(tmp_path / "replayed", STUDY, model=f"replay:{recorded}")
    text = ARMS.format(arms=STUDY, repeats=1)
    with pytest.raises(SageError, match="a memory has none"):
        create(tmp_path / "given", read_plan(text, "x"), text, {"sage": recorded})
    with pytest.raises(InvalidInput, match="no memory of its own"):
        read_plan(
            ARMS.format(
                arms=REFINEMENT + STUDY.replace("sage", "refinement"), repeats=1
            ),
            "x",
        )


def test_a_folder_is_not_taken_twice_and_a_changed_bank_is_noticed(
    tmp_path: Path,
) -> None:
    experiment = made(tmp_path / "small", "")
    with pytest.raises(SageError, match="is not empty"):
        made(tmp_path / "small", "")
    experiment.record = replace(experiment.record, cold_start="0" * 64)
    with pytest.raises(SageError, match="another memory than the experiment"):
        experiment.prepare(experiment.cells[0])


@pytest.mark.system
def test_json_and_page_are_the_same_for_the_same_rows(
    tmp_path: Path, recorded: Path
) -> None:
    experiment = made(tmp_path / "small", "", model=f"replay:{recorded}")
    run(experiment)
    for name in ("one", "two"):
        write_report(report_on(experiment), tmp_path / name)
    for name in ("report.json", "report.html", "trials.csv", "arms.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (
            tmp_path / "two" / name
        ).read_bytes()
    assert (
        json.loads((tmp_path / "one" / "report.json").read_text())["question"]
        == "Does it run?"
    )
    page = (tmp_path / "one" / "report.html").read_text()
    assert "<script" not in page
    assert "AbsMath" in page
    assert not [
        part
        for part in page.split('"')
        if part.startswith("http") and "w3.org" not in part
    ]


def test_backbones_of_an_arm_are_drawn_beside_each_other(tmp_path: Path) -> None:
    arms = """
[figures]
bars = ["AbsMath"]
beside = ["sage"]
[[backbones]]
name = "first"
[[backbones]]
name = "second"
"""
    experiment = made(tmp_path / "two", arms)
    assert run(experiment).stopped == {}
    titles = [title for title, _ in figures_of(*_shown(report_on(experiment)))]
    assert [title.split(";")[0].partition("operator, ")[2] for title in titles[1:]] == [
        "sage@first",
        "sage@second",
        "sage with first and second beside each other",
    ]
    assert (
        "medians over the 1 operators solved by all: first 2.50×, second 2.50×"
        in titles[-1]
    )
    bars = figures_of(*_shown(report_on(experiment)))[1][1]
    assert "AbsMath" in bars
    assert "RmsNorm" not in bars, "the plan draws one operator"


def _shown(report: Report) -> tuple[object, ...]:
    return report.arms, report.trials, report.bars, report.beside


def test_answers_through_files_lie_apart_for_every_cell(tmp_path: Path) -> None:
    experiment = made(tmp_path / "small", REFINEMENT)
    places = list[str]()

    def at_desk(name: str) -> Told:
        places.append(name)
        return Told(answer)

    choice = ModelChoice(lambda: at_desk(""), "test model", make_apart=at_desk)
    models = {"model": choice}
    ExperimentRun(experiment, models, CommentEvaluator, lambda cell, event: None).run()
    assert places == [cell.label for cell in experiment.cells]


def test_an_experiment_does_not_go_on_with_other_texts(tmp_path: Path) -> None:
    experiment = made(tmp_path / "frozen", "")
    digest = experiment.record.texts
    other = made(tmp_path / "same", "").record.texts
    assert digest == other, "it depends on nothing but the texts"
    own = tmp_path / "frozen" / "experiment.json"
    own.write_text(own.read_text().replace(digest, "0" * 64))
    with pytest.raises(SageError, match="have changed since"):
        run(Experiment(tmp_path / "frozen"))
    assert report_on(Experiment(tmp_path / "same")).texts == digest
