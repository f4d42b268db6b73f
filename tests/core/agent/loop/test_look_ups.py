"""Looking up the API as a tool of the model: at no round, bounded in each, stored, the same after a crash."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace

import pytest

from core.agent.prompt.templates import references_digest
from core.agent.reply.protocol import read_reply
from core.agent.run.records import LookedUp
from core.method.methods import METHODS
from core.method.parameters import MethodParameters
from core.models.port import ModelRequest, Purpose
from core.references.builtin import builtin_references
from core.references.look_up import References
from core.references.sections import Section
from tests.core.agent.scripted import LOOK, LookingEvaluator, Model, files, reply_text
from tests.scenario import PlayedOperator

ASK = "## Diagnosis\nunsure\n## Look up\n- `DataCopyPad`\n- Sort32, MrgSort\n- copy with padding\n"


def kernel(request: ModelRequest) -> str:
    return reply_text(
        dict.fromkeys(request.retrieved, "not_adopted"), files("AbsMath", "pass 9.0")
    )


def once(request: ModelRequest) -> str:
    """Looks something up in its first round, answers, and is done."""
    if request.objective == "opt" and request.round:
        records = "\n".join(f"- [{uid}] not_adopted: no" for uid in request.retrieved)
        return f"## Adoption\n{records}\n## Done\nfast enough\n"
    return (
        ASK
        if request.purpose is Purpose.CANDIDATE
        else kernel(request)
        if request.round
        else ""
    )


def examined(model: Model) -> list[ModelRequest]:
    return [
        request for request in model.requests if request.purpose is Purpose.EXAMINED
    ]


def test_several_names_are_answered_at_no_round_and_stored_with_it(
    bench: PlayedOperator,
) -> None:
    model = Model(once)
    asyncio.run(bench.run(model))
    told = examined(model)[0].messages[-1].content
    for words in (
        "void DataCopyPad(const LocalTensor<T>& dst",
        "## Sort32",
        "## MrgSort",
        "## copy with padding",
    ):
        assert words in told
    assert "4 further look-ups are possible in this round" in told
    assert bench.verdicts()[0] == ("corr", "pass")
    assert bench.rows("SELECT rounds_used FROM trajectory") == [(1,)]
    [(number, queries, answer, digest)] = bench.rows(
        "SELECT number, queries, answer, references_digest FROM look_up"
    )
    assert (number, json.loads(str(queries))) == (
        1,
        ["DataCopyPad", "Sort32", "MrgSort", "copy with padding"],
    )
    assert bench.workspace.text(str(answer)) in told
    assert digest == builtin_references().digest
    assert [event.left for event in bench.events if isinstance(event, LookedUp)] == [4]


def test_the_prompt_says_how_and_names_every_skeleton(bench: PlayedOperator) -> None:
    model = Model(once)
    asyncio.run(bench.run(model))
    system = model.requests[0].messages[0].content
    assert "## Look up" in system
    assert "at most 8 queries" in system
    skeletons = {
        name
        for section in builtin_references().sections
        for name in section.names
        if name[:9] == "skeleton_"
    }
    assert skeletons == set(re.findall(r"`(skeleton_\w+)`", system))


def test_files_sent_with_a_look_up_are_kept(bench: PlayedOperator) -> None:
    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.CANDIDATE:
            return kernel(request) + "\n## Look up\nDataCopy\n"
        return (
            "## Diagnosis\nas it was\n"
            if request.purpose is Purpose.EXAMINED
            else once(request)
        )

    asyncio.run(bench.run(answer))
    assert bench.verdicts()[0] == ("corr", "pass")


def test_more_than_the_bound_of_a_round_is_not_looked_up(bench: PlayedOperator) -> None:
    complaints: list[str] = []
    ten = "Add\nSub\nMul\nDiv\nExp\nLn\nAbs\nMax\nMrgSort\ncopy with padding"

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.CORRECTION:
            complaints.append(request.messages[-1].content)
            return kernel(request)
        if request.purpose is Purpose.CANDIDATE and request.round == 1:
            return f"## Look up\n{ten}\n"
        return ASK if request.purpose is Purpose.EXAMINED else once(request)

    model = Model(answer)
    asyncio.run(bench.run(model))
    [request] = examined(model)
    assert (
        "Not looked up, for there were more than allowed: MrgSort, copy with padding."
        in request.messages[-1].content
    )
    assert "All look-ups of this round are used; send the candidate." in complaints[0]
    assert bench.rows("SELECT count(*) FROM look_up") == [(1,)]


def test_the_rest_of_an_answer_that_was_cut_costs_no_further_query(
    bench: PlayedOperator,
) -> None:
    """Asked for beside others a skeleton is cut; two of eight queries for a name used them up."""
    eight = (
        "skeleton_larger_product\nskeleton_middle_of_row\nskeleton_spread_of_all\n"
        "Sub\nMul\nDiv\nExp\nLn"
    )
    asked = [eight, "skeleton_larger_product", "Add"]

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.CORRECTION or (
            request.purpose is Purpose.EXAMINED and not asked
        ):
            told.append(request.messages[-1].content)
            return kernel(request)
        if request.round == 1 and request.objective == "corr":
            told.append(request.messages[-1].content)
            return f"## Look up\n{asked.pop(0)}\n"
        return once(request)

    told: list[str] = []
    asyncio.run(bench.run(answer))
    together, alone, refused = told[1:]
    assert "more characters; look up skeleton_larger_product alone]" in together
    assert "0 further look-ups" in together
    assert "0 further look-ups" in alone
    assert "more characters" not in alone
    assert "All look-ups of this round are used" in refused
    rows = bench.rows("SELECT queries FROM look_up ORDER BY number")
    assert [len(json.loads(str(row[0]))) for row in rows] == [8, 1]


def test_an_interrupted_round_looks_nothing_up_again_and_tells_the_same(
    bench: PlayedOperator,
) -> None:
    def interrupted(request: ModelRequest) -> str:
        if request.purpose is Purpose.EXAMINED:
            seen.append(request.messages[-1].content)
            raise KeyError("the power goes")
        return once(request)

    seen: list[str] = []
    with pytest.raises(KeyError, match="power"):
        asyncio.run(bench.run(interrupted))
    bench.references = References(
        [Section("Other", ("DataCopyPad",), "changed meanwhile", "elsewhere")]
    )
    model = Model(once)
    asyncio.run(bench.run(model))
    assert examined(model)[0].messages[-1].content == seen[0]
    assert bench.rows("SELECT count(*) FROM look_up") == [(1,)]


def test_a_look_up_and_a_diagnostic_of_one_reply_are_both_answered(
    bench: PlayedOperator,
) -> None:
    bench.evaluator = LookingEvaluator()

    def answer(request: ModelRequest) -> str:
        if request.round == 1 and request.purpose is Purpose.CANDIDATE:
            return reply_text(
                dict.fromkeys(request.retrieved, "not_adopted"),
                files("AbsMath", "fail-run"),
            )
        if request.purpose is Purpose.REPAIR and request.objective == "corr":
            return LOOK + "## Look up\nSetFlag\n"
        return kernel(request) if request.purpose is Purpose.EXAMINED else once(request)

    model = Model(answer)
    asyncio.run(bench.run(model))
    told = examined(model)[0].messages[-1].content
    assert "gm-out-of-bounds at op_kernel/abs_math.cpp:12" in told
    assert "### SetFlag" in told


def test_the_papers_three_references_alone(bench: PlayedOperator) -> None:
    """Nothing is announced and nothing is answered; the three references stay in the prompt."""
    bench.parameters = MethodParameters(references="paper")

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.CORRECTION:
            complaints.append(request.messages[-1].content)
            return kernel(request)
        return once(request)

    complaints: list[str] = []
    model = Model(answer)
    asyncio.run(bench.run(model))
    system = model.requests[0].messages[0].content
    assert "Look up" not in system
    for reference in ("quick-reference.md", "add_custom/op_kernel/add_custom.cpp"):
        assert reference in system
    assert "Nothing can be looked up here" in complaints[0]
    assert bench.rows("SELECT count(*) FROM look_up") == [(0,)]


def test_arms_that_differ_in_memory_alone_have_one_digest() -> None:
    known = builtin_references()
    paper = MethodParameters(references="paper")
    assert (
        len(
            {
                references_digest(method.parameters(paper), known)
                for method in METHODS.values()
            }
        )
        == 1
    )
    full = MethodParameters()
    assert (
        len(
            {
                references_digest(method.parameters(full), known)
                for method in METHODS.values()
            }
        )
        == 1
    )
    assert references_digest(full, known) != references_digest(paper, known)
    more = References(
        (*known.sections, Section("Own", ("Own",), "a page of mine", "docs/own.md"))
    )
    assert references_digest(full, more) != references_digest(full, known)
    assert references_digest(paper, more) == references_digest(paper, known)


def test_what_an_older_release_stored_goes_on_without_look_ups() -> None:
    stored = json.loads(MethodParameters().to_json())
    del stored["references"]
    assert MethodParameters.from_json(json.dumps(stored)).references == "paper"
    assert (
        MethodParameters.from_json(
            replace(MethodParameters(), references="full").to_json()
        ).references
        == "full"
    )


@pytest.mark.parametrize(
    ("section", "asked"),
    [
        ("DataCopyPad", ("DataCopyPad",)),
        ("1. `Add`\n2. Sub", ("Add", "Sub")),
        ("- Add, Sub, AscendC::Mul", ("Add", "Sub", "AscendC::Mul")),
        ("sum over rows, then columns", ("sum over rows, then columns",)),
        ("Add\nAdd", ("Add",)),
        ("```\nGetUserWorkspace()\n```", ("GetUserWorkspace()",)),
    ],
)
def test_queries_are_read_as_models_write_them(
    section: str, asked: tuple[str, ...]
) -> None:
    assert read_reply(f"## Look up\n{section}\n").look_up == asked


def test_an_empty_section_and_one_beside_done_are_complained_of() -> None:
    assert [entry.rule for entry in read_reply("## Look up\n").complaints] == [
        "look-up"
    ]
    assert "done-with-files" in [
        entry.rule for entry in read_reply("## Done\nx\n## Look up\nAdd\n").complaints
    ]


def test_what_an_operator_may_not_call_is_named_with_the_answer(
    bench: PlayedOperator,
) -> None:
    bench.operator = "Swish"

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.CANDIDATE:
            return "## Look up\nSigmoid\n"
        if not request.round:
            return ""
        records = dict.fromkeys(request.retrieved, "not_adopted")
        if request.objective == "opt":
            return "## Done\nfast enough\n"
        return reply_text(records, files("Swish", "pass 9.0"))

    model = Model(answer)
    asyncio.run(bench.run(model))
    told = examined(model)[0].messages[-1].content
    assert "Not to be called for this operator: Sigmoid" in told
