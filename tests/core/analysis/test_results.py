"""Results by run: two methods, models or repetitions never replace each other, interrupted ones are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.agent.run.limits import Limits
from core.analysis.results import RunResults, read_runs
from core.bundle import export_run, read_bundle
from core.engine import queue
from core.engine.beginning import beginning
from core.engine.run_summary import run_summary
from core.method.methods import method
from core.method.parameters import MethodParameters
from core.replay.provider import ReplayProvider
from core.workspace import Workspace
from tests.core.agent.scripted import CommentEvaluator
from tests.core.engine.test_engine import without_distilled_rules
from tests.scenario import PlayedQueue


def runs(lab: PlayedQueue) -> tuple[RunResults, ...]:
    with Workspace.open_readonly(lab.path) as workspace:
        return read_runs(workspace.db)


def again(lab: PlayedQueue, *operators: str, label: str = "") -> None:
    with Workspace.open(lab.path) as workspace:
        for name in operators:
            queue.enqueue(workspace, name, label=label)


def only(lab: PlayedQueue, *operators: str) -> None:
    with Workspace.open(lab.path) as workspace:
        for row in workspace.db.execute(
            "SELECT id, operator FROM queue_entry"
        ).fetchall():
            if row["operator"] not in operators:
                queue.request_cancel(workspace, row["id"])


def test_a_second_method_does_not_replace_the_results_of_the_first(
    lab: PlayedQueue,
) -> None:
    lab.session = without_distilled_rules(lab.session)
    only(lab, "AbsMath", "Lerp")
    lab.run()
    again(lab, "AbsMath")
    lab.run(parameters=method("static-rag").parameters())
    again(lab, "AbsMath")
    lab.run(parameters=method("static-rag").parameters(MethodParameters(T=2)))
    found = {
        run.kind.method: [result.operator for result in run.results]
        for run in runs(lab)
    }
    assert found == {
        "sage": ["AbsMath", "Lerp"],
        "static-rag": ["AbsMath"],
        "static-rag, T=2": ["AbsMath"],
    }


def test_a_second_model_does_not_replace_the_results_of_the_first(
    lab: PlayedQueue,
) -> None:
    class Other(ReplayProvider):
        label = "another model"

    lab.session = without_distilled_rules(lab.session)
    only(lab, "AbsMath")
    lab.run()
    again(lab, "AbsMath")
    lab.run(provider=lambda: Other(lab.session))
    assert [(run.kind.model, run.metrics.n) for run in runs(lab)] == [
        ("test script", 1),
        ("another model", 1),
    ]


def test_an_operator_run_twice_is_two_runs_that_can_be_told_apart(
    lab: PlayedQueue,
) -> None:
    lab.session = without_distilled_rules(lab.session)
    only(lab, "AbsMath", "Lerp")
    lab.run()
    again(lab, "AbsMath")
    again(lab, "AbsMath", label="night")
    lab.run()
    found = [
        (run.kind.label, run.kind.number, [r.operator for r in run.results])
        for run in runs(lab)
    ]
    assert found == [
        ("", 1, ["AbsMath", "Lerp"]),
        ("", 2, ["AbsMath"]),
        ("night", 1, ["AbsMath"]),
    ]
    assert runs(lab)[1].kind.name.endswith(" · repetition 2")
    with Workspace.open_readonly(lab.path) as workspace:
        summary = run_summary(workspace)
    rows = [row for row in summary["operators"] if row["name"] == "AbsMath"]
    assert [row["run"] for row in rows] == [1, 2, 1]
    assert len({row["trajectory"] for row in rows}) == 3
    assert [(run["number"], run["n"]) for run in summary["runs"]] == [
        (1, 2),
        (2, 1),
        (1, 1),
    ]


def test_an_interrupted_operator_is_told_as_incomplete(
    lab: PlayedQueue, tmp_path: Path
) -> None:
    only(lab, "AbsMath", "Lerp")
    lab.run(limits=Limits(run_tokens=1))
    (run,) = runs(lab)
    assert run.incomplete == ("AbsMath",)
    assert (run.metrics.n, run.metrics.solved, run.metrics.incomplete) == (1, 0, 1)
    assert run.metrics.execution_rate == 0.0
    with Workspace.open_readonly(lab.path) as workspace:
        rows = run_summary(workspace)["operators"]
    first, second = rows[:2]
    assert (first["state"], first["incomplete"]) == ("interrupted", True)
    assert first["reason"].startswith("the limit of 1 tokens per run")
    assert (second["state"], second["incomplete"], second["run"]) == (
        "queued",
        False,
        0,
    )
    bundle = read_bundle(export_run(lab.path, tmp_path / "run.zip").path)
    assert [(entry.n, entry.incomplete) for entry in bundle.report.metrics] == [(1, 1)]
    assert "1 incomplete" in bundle.markdown
    assert "| AbsMath | incomplete |" in bundle.markdown
    lab.run()
    (run,) = runs(lab)
    assert run.incomplete == ()
    assert run.metrics.execution_rate == 1.0


def test_the_rule_of_the_paper_reaches_the_judge_and_is_part_of_the_key(
    lab: PlayedQueue,
) -> None:
    class Seen(CommentEvaluator):
        rules: list[str] = []  # noqa: RUF012 - of the whole test

        async def evaluate(self, operator, candidate, progress, ticket=""):  # type: ignore[no-untyped-def]
            self.rules.append(operator.rule.value)
            return await super().evaluate(operator, candidate, progress, ticket)

    lab.session = without_distilled_rules(lab.session)
    only(lab, "AbsMath")
    lab.run(evaluator=Seen(), parameters=MethodParameters(rule="paper"))
    again(lab, "AbsMath")
    lab.run(evaluator=Seen())
    assert list(dict.fromkeys(Seen.rules)) == ["paper", "catalogue"]
    kinds = [run.kind for run in runs(lab)]
    assert [kind.method for kind in kinds] == ["sage, rule=paper", "sage"]
    with Workspace.open_readonly(lab.path) as workspace:
        began = beginning(workspace)
    assert began is not None
    assert {kind.memory for kind in kinds} == {began.sha256}


def test_what_was_judged_without_a_sandbox_is_in_no_metric_and_named(
    lab: PlayedQueue,
) -> None:
    class Loose(CommentEvaluator):
        async def evaluate(self, operator, candidate, progress, ticket=""):  # type: ignore[no-untyped-def]
            found = await super().evaluate(operator, candidate, progress, ticket)
            return replace(
                found,
                facts={"sandbox": "unconfined"} if operator.name == "Lerp" else {},
            )

    lab.session = without_distilled_rules(lab.session)
    only(lab, "AbsMath", "Lerp")
    lab.run(evaluator=Loose())
    (run,) = runs(lab)
    assert [result.operator for result in run.results] == ["AbsMath"]
    assert run.unconfined == ("Lerp",)
    assert (run.metrics.n, run.metrics.solved) == (1, 1)
    with Workspace.open_readonly(lab.path) as workspace:
        rows = run_summary(workspace)["operators"]
    assert [(row["name"], row["unconfined"], row["run"]) for row in rows[:2]] == [
        ("AbsMath", False, 1),
        ("Lerp", True, 0),
    ]
