"""The loop: what costs a round, what blocks an evaluation, when episodes end, and what is credited."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from core.agent.run.records import (
    CorrectionAsked,
    ModelCalled,
    ReplyStreamed,
    StopKind,
)
from core.analysis import queries
from core.evaluation.integrity.verdict import Guarded
from core.evaluation.port import Progress
from core.evaluation.records import Candidate, Evaluation
from core.memory.records import Experience, Origin, Scope
from core.method.parameters import MethodParameters
from core.models.port import ModelRequest, Purpose
from core.operators.spec import OperatorSpec
from core.replay.provider import ReplayDiverged, ReplayProvider
from core.workspace import Workspace
from tests.core.agent.scripted import (
    CommentEvaluator,
    Model,
    files,
    reply_text,
    session,
)
from tests.scenario import PlayedOperator, Verdicts, model_of


def model(verdicts: Verdicts, **options: object) -> Model:
    """As `model_of`; adopts the first seed and has learnt nothing."""
    usual = {"adopted": {"seed-0001"}, "lesson": "Nothing new."}
    return model_of(verdicts, **(usual | options))  # type: ignore[arg-type]


def run(bench: PlayedOperator, verdicts: Verdicts, **options: object) -> StopKind:
    return asyncio.run(bench.run(model(verdicts, **options))).kind


def test_corr_then_opt_share_the_rounds_and_latencies_are_those_of_the_paper(
    bench: PlayedOperator,
) -> None:
    judges = {
        1: "fail-build",
        2: "fail-result",
        3: "pass 20.0",
        4: "pass 12.0",
        5: "fail-run",
        6: "pass 15.0",
    }
    assert run(bench, judges) is StopKind.DONE
    assert bench.verdicts()[:6] == [
        ("corr", "fail-build"),
        ("corr", "fail-result"),
        ("corr", "pass"),
        ("opt", "pass"),
        ("opt", "fail-run"),
        ("opt", "pass"),
    ]
    (row,) = bench.rows(
        "SELECT rounds_used, first_correct_round, best_round, t_first, t_best FROM trajectory"
    )
    assert row == (6, 3, 4, 20.0, 12.0)
    credit = bench.rows("SELECT objective, z FROM episode ORDER BY seq")
    assert credit == [("corr", 1.0), ("opt", pytest.approx(0.4))]


class RangedEvaluator(CommentEvaluator):
    """Its latencies carry a range of a fifth to either side."""

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        evaluation = await super().evaluate(operator, candidate, progress, ticket)
        taken = evaluation.latency
        if taken is None:
            return evaluation
        ranged = replace(taken, low=0.8 * taken.value, high=1.2 * taken.value)
        return replace(evaluation, latency=ranged)


@pytest.mark.parametrize(("best", "proven"), [("19.0", False), ("12.0", True)])
def test_an_optimization_inside_the_range_credits_and_proves_nothing(
    bench: PlayedOperator, best: str, proven: bool
) -> None:
    bench.evaluator = RangedEvaluator()
    run(bench, {1: "pass 20.0", 2: f"pass {best}", 3: "pass 30.0"})
    ((z, unproven),) = bench.rows(
        "SELECT z, json_extract(effect, '$.unproven') FROM episode "
        "WHERE objective = 'opt'"
    )
    assert z == pytest.approx(1 - float(best) / 20.0)
    assert (unproven is None) is proven
    rounds = queries.rounds(bench.workspace.db, bench.uid)
    assert queries.unproven_gains(rounds) == (frozenset() if proven else {2})


def test_replies_are_told_while_they_come_and_whole(bench: PlayedOperator) -> None:
    run(bench, {1: "pass 20.0"})
    streamed: dict[tuple[str, int, int], str] = {}
    for event in bench.events:
        if isinstance(event, ReplyStreamed):
            key = (event.purpose, event.round, event.attempt)
            streamed[key] = streamed.get(key, "") + event.text
    assert streamed["candidate", 1, 0].startswith("#")
    assert "pass 20.0" in streamed["candidate", 1, 0]
    told = [
        event
        for event in bench.events
        if isinstance(event, ModelCalled | ReplyStreamed)
    ]
    assert isinstance(told[0], ReplyStreamed)  # pieces come before the reply is there
    assert len([event for event in told if isinstance(event, ModelCalled)]) == len(
        streamed
    )


def test_every_round_retrieves_and_the_diagnosis_feeds_the_query(
    bench: PlayedOperator,
) -> None:
    run(bench, {1: "fail-build", 2: "pass 20.0"})
    queries = [row[0] for row in bench.rows("SELECT query FROM round ORDER BY round")]
    assert "float16 in float32" in str(queries[0]), "at t=1 the operator's structure"
    assert "AbsMath: DataCopyPad blockLen is wrong" in str(queries[1]), (
        "the cause of the last failure"
    )
    assert "blockLen counts bytes" in str(queries[1]), "and the diagnosis"
    assert str(queries[1]).endswith("\nMath"), "and the category"


def test_a_model_may_give_up_with_a_reason(bench: PlayedOperator) -> None:
    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DISTIL:
            return "Nothing new."
        if request.purpose is Purpose.DIAGNOSE:
            return "## Diagnosis\nno idea\n"
        records = dict.fromkeys(request.retrieved, "not_adopted")
        if request.round == 1:
            return reply_text(records, files("AbsMath", "fail-run"))
        if request.purpose is Purpose.REPAIR:
            return reply_text(records, {}).replace("## Files", "## Done\nenough")
        if request.attempt == 1:
            return "## Give up\n"
        return "## Give up\nThe judge needs what the processor lacks.\n"

    model = Model(answer)
    stop = asyncio.run(bench.run(model))

    assert stop.kind is StopKind.GIVEN_UP
    assert "needs what the processor lacks" in str(stop.text)
    assert [each for each in bench.verdicts() if each[1]] == [("corr", "fail-run")], (
        "no round was spent"
    )
    asked = [
        r.messages[-1].content
        for r in model.requests
        if r.purpose is Purpose.CORRECTION
    ]
    assert "`## Give up` and the reason" in asked[0]
    assert "holds no reason" in asked[1]
    assert bench.rows("SELECT z FROM episode WHERE objective = 'corr'") == [(-0.2,)]


class On910B1(CommentEvaluator):
    """Judges for a processor, with a version of CANN."""

    soc = "Ascend910B1"
    cann = "8.5.1"


def test_experience_of_another_processor_or_cann_is_not_retrieved(
    workspace: Workspace,
) -> None:
    bench = PlayedOperator(workspace, evaluator=Guarded(On910B1()))  # type: ignore[arg-type]
    for uid, scope in (
        ("here", Scope(("Ascend910B",), ("8.5",))),
        ("elsewhere", Scope(("Ascend310P",))),
        ("before", Scope(cann=("8.1", "8.3.RC1"))),
    ):
        told = Experience(
            f"DataCopyPad blockLen {uid}",
            "api_misuse",
            "Math",
            "DataCopyPad blockLen",
            scope=scope,
        )
        bench.store.add_item(told, origin=Origin.SEED, uid=uid)
    asyncio.run(bench.run(model({1: "fail-build", 2: "pass 20.0"})))
    retrieved = {row[0] for row in bench.rows("SELECT item FROM adoption_record")}
    assert "here" in retrieved
    assert not {"elsewhere", "before"} & retrieved


def test_no_rounds_left_after_corr_means_no_opt_episode(bench: PlayedOperator) -> None:
    bench.parameters = MethodParameters(T=2)
    assert run(bench, {1: "fail-build", 2: "pass 20.0"}) is StopKind.CORRECT
    assert bench.status("opt") == ""
    assert bench.rows("SELECT value FROM meta WHERE key = 'episodes_applied'") == [
        ("1",)
    ]


def test_the_budget_ends_a_trajectory_that_never_succeeds(
    bench: PlayedOperator,
) -> None:
    bench.parameters = MethodParameters(T=3)
    assert run(bench, dict.fromkeys(range(1, 9), "fail-run")) is StopKind.BUDGET
    assert len(bench.verdicts()) == 3
    assert bench.rows("SELECT z FROM episode") == [(-0.2,)]


def test_an_incomplete_trace_is_corrected_before_anything_is_evaluated(
    bench: PlayedOperator,
) -> None:
    def forget(request: ModelRequest) -> str:
        if request.purpose is Purpose.CORRECTION:
            records = "\n".join(
                f"- [{uid}] not_adopted: late but honest" for uid in request.retrieved
            )
            return f"## Adoption\n{records}\n"
        return (
            reply_text({}, files("AbsMath", "pass 20.0")) if request.round == 1 else ""
        )

    assert run(bench, {1: "pass 20.0"}, instead=forget) is StopKind.DONE
    asked = [event for event in bench.events if isinstance(event, CorrectionAsked)]
    assert len(asked) == 1
    assert "seed-0001" in asked[0].complaints[0]
    assert bench.rows(
        "SELECT count(*) FROM trace WHERE round = 1 AND state = 'unresolved'"
    ) == [(0,)]
    assert bench.rows("SELECT rounds_used FROM trajectory") == [(1,)], (
        "a correction costs no round"
    )


def test_a_project_no_prompt_could_show_again_is_refused(bench: PlayedOperator) -> None:
    """Evaluated, it would make every later round fail; so would a diagnosis without end."""

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE:
            return "and then " * 60_000
        kernel = files("AbsMath", "pass 20.0" if request.round > 1 else "fail-build")
        if request.purpose is Purpose.CANDIDATE:
            kernel = {**kernel, "op_kernel/table.h": "int entry = 1;\n" * 26_000}
        elif request.purpose is Purpose.CORRECTION:
            assert "at most" in request.messages[-1].content
            kernel = {**kernel, "op_kernel/table.h": "int entry = 1;\n"}
        return reply_text(dict.fromkeys(request.retrieved, "not_adopted"), kernel)

    bench.parameters = MethodParameters(T=2)
    asyncio.run(bench.run(answer))
    assert bench.verdicts() == [("corr", "fail-build"), ("corr", "pass")]
    candidate = bench.journal.rounds("t1")[0].candidate
    assert len(bench.journal.candidate(candidate).files["op_kernel/table.h"]) < 100


def test_a_trace_that_stays_incomplete_is_never_evaluated(
    bench: PlayedOperator,
) -> None:
    silent = reply_text({}, files("AbsMath", "pass 20.0"))
    provider = model({}, instead=lambda request: silent)
    assert asyncio.run(bench.run(provider)).kind is StopKind.UNRESOLVED
    purposes = [request.purpose for request in provider.requests]
    assert purposes.count(Purpose.CORRECTION) == 3
    assert bench.evaluator.asked == []
    assert bench.rows("SELECT count(*) FROM trace WHERE state <> 'unresolved'") == [
        (0,)
    ]
    assert bench.rows("SELECT sum(n_ret), sum(abs(u_m)) FROM item") == [(0, 0.0)], (
        "and nothing is credited"
    )


def test_done_in_optimization_stops_with_the_models_reason(
    bench: PlayedOperator,
) -> None:
    stop = asyncio.run(bench.run(model({1: "pass 20.0"})))
    assert str(stop.text) == "the model is done: no idea left"
    assert bench.status("opt") == "applied"
    assert bench.rows("SELECT rounds_used FROM trajectory") == [(1,)], (
        "a round without evaluation costs nothing"
    )


def test_an_ending_in_place_of_a_diagnosis_costs_one_prompt(
    bench: PlayedOperator,
) -> None:
    usual = model({1: "fail-run", 2: "pass 20.0"})
    bench.parameters = MethodParameters(K_ado=9)

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE and request.round == 3:
            return "## Done\nbound by the launch"
        return usual._answer(request)

    asked = Model(answer)
    stop = asyncio.run(bench.run(asked))
    assert str(stop.text) == "the model is done: bound by the launch"
    assert bench.status("opt") == "applied"
    last = [each.purpose for each in asked.requests if each.round == 3]
    assert last == [Purpose.DIAGNOSE]
    assert bench.rows("SELECT rounds_used FROM trajectory") == [(2,)]


def test_done_is_no_ending_before_the_kernel_is_correct_and_giving_up_is(
    bench: PlayedOperator,
) -> None:
    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DISTIL:
            return "Nothing new."
        if request.purpose is Purpose.DIAGNOSE:
            return "## Done\nenough" if request.round == 2 else "## Give up\nno time"
        records = dict.fromkeys(request.retrieved, "not_adopted")
        return reply_text(records, files("AbsMath", "fail-run"))

    stop = asyncio.run(bench.run(Model(answer)))
    assert stop.kind is StopKind.GIVEN_UP
    assert [each for each in bench.verdicts() if each[1]] == [("corr", "fail-run")] * 2


def test_an_environment_fault_costs_nothing(bench: PlayedOperator) -> None:
    assert run(bench, {1: "fail-build", 2: "void"}) is StopKind.NO_VERDICT
    assert bench.status("corr") == "open"
    assert bench.rows("SELECT sum(n_ret), sum(abs(u_m)) FROM item") == [(0, 0.0)]
    assert run(bench, {}) is StopKind.VOID, (
        "the same kernel was judged again, with the same end"
    )
    assert bench.status("corr") == "void"
    assert bench.rows("SELECT rounds_used FROM trajectory") == [(1,)]
    assert bench.rows("SELECT sum(n_ret), sum(abs(u_m)) FROM item") == [(0, 0.0)]
    assert bench.rows("SELECT count(*) FROM job") == [(0,)]


def test_a_pass_with_hazard_is_no_correct_kernel(workspace: Workspace) -> None:
    bench = PlayedOperator(workspace, MethodParameters(T=2))
    run(bench, {1: "pass-with-hazard 20.0", 2: "fail-build"})
    assert bench.status("opt") == ""
    assert bench.rows("SELECT t_first FROM trajectory") == [(None,)]


def test_a_reply_may_send_only_the_files_it_changes(bench: PlayedOperator) -> None:
    kernel = {
        "op_kernel/abs_math.cpp": files("AbsMath", "pass 9.0")["op_kernel/abs_math.cpp"]
    }

    def partly(request: ModelRequest) -> str:
        return (
            reply_text(dict.fromkeys(request.retrieved, "not_adopted"), kernel)
            if request.round == 2
            else ""
        )

    run(bench, {1: "fail-build"}, instead=partly)
    rounds = bench.journal.rounds(bench.uid)
    first, second = (
        bench.journal.candidate(entry.candidate).files for entry in rounds[:2]
    )
    assert {path for path in second if second[path] != first[path]} == set(kernel)


def test_replay_pins_the_retrieval_and_says_so(bench: PlayedOperator) -> None:
    asyncio.run(bench.run(ReplayProvider(session())))
    assert bench.rows("SELECT DISTINCT retrieval_pinned FROM round") == [(1,)]
    assert bench.rows("SELECT DISTINCT s FROM trace") == [(None,)], (
        "no score is invented for it"
    )


def test_replay_stops_when_the_verdict_is_another_one(bench: PlayedOperator) -> None:
    class Harsh(CommentEvaluator):
        async def evaluate(
            self,
            operator: OperatorSpec,
            candidate: Candidate,
            progress: Progress,
            ticket: str = "",
        ) -> Evaluation:
            found = await super().evaluate(operator, candidate, progress, ticket)
            return replace(found, verdict=type(found.verdict)("fail-run"))

    bench.evaluator = Harsh()
    with pytest.raises(
        ReplayDiverged, match="'fail-run', the recording saw 'fail-build'"
    ):
        asyncio.run(bench.run(ReplayProvider(session())))
    assert len(bench.evaluator.asked) == 1


def test_distilled_experience_is_written_once_and_found_by_the_next_operator(
    bench: PlayedOperator,
) -> None:
    asyncio.run(bench.run(ReplayProvider(session())))
    asyncio.run(bench.run(ReplayProvider(session())))
    assert bench.rows("SELECT title, source FROM item WHERE origin = 'distilled'") == [
        ("learnt from AbsMath", "distilled from AbsMath")
    ]


def test_unreadable_distillation_leaves_extracted_drafts_for_a_person(
    bench: PlayedOperator,
) -> None:
    unreadable = "## Experience\ntype: nothing else\n"
    asyncio.run(bench.run(model({1: "fail-run", 2: "pass 20.0"}, lesson=unreadable)))
    drafts = bench.rows(
        "SELECT state, source, state_reason FROM item WHERE origin = 'distilled'"
    )
    assert drafts
    assert all(
        state == "pending" and "AbsMath" in source for state, source, _ in drafts
    )
    assert all("could not be read" in reason for _, _, reason in drafts)
    assert bench.rows("SELECT state FROM job WHERE purpose = 'distil'") == [("done",)]


class Crash(Exception):
    pass


@pytest.mark.parametrize("after", range(1, 13))
def test_a_trajectory_continues_in_the_step_it_was_in(
    bench: PlayedOperator, after: int
) -> None:
    """Cut the run at every model call and evaluation in turn; nothing is asked or judged twice."""
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1
        if steps == after:
            raise Crash

    judges = {1: "fail-build", 2: "pass 20.0", 3: "pass 12.0"}
    provider = model(judges)
    answered = provider.complete

    async def cut_model(request: ModelRequest, stream: object = None) -> object:
        count()
        return await answered(request)

    provider.complete = cut_model  # type: ignore[method-assign, assignment]
    judge = bench.evaluator.evaluate

    async def cut_judge(
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        count()
        return await judge(operator, candidate, progress, ticket)

    bench.evaluator.evaluate = cut_judge  # type: ignore[method-assign]
    try:
        asyncio.run(bench.run(provider))
    except Crash:
        asyncio.run(bench.run(provider))
    assert bench.verdicts()[:3] == [
        ("corr", "fail-build"),
        ("corr", "pass"),
        ("opt", "pass"),
    ]
    coordinates = [(r.purpose, r.round, r.attempt) for r in provider.requests]
    assert len(set(coordinates)) == len(coordinates) == 9
    assert len(bench.evaluator.asked) == 3
    assert bench.rows("SELECT objective, z FROM episode ORDER BY seq") == [
        ("corr", 1.0),
        ("opt", pytest.approx(0.4)),
    ]
    assert bench.rows("SELECT n_ret, n_ado FROM item WHERE uid = 'seed-0001'") == [
        (2, 2)
    ]
