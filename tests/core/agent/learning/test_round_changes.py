"""What the learning prompts hold: every gain with its code, types of the memory, evidence for a rule."""

from __future__ import annotations

import asyncio
import re

import pytest

from core.agent.learning.distillation import Attempt, extract
from core.agent.learning.round_changes import MOST_TOKENS, folded_ledger
from core.exchange.seeds import cold_start_bank
from core.memory.records import MINED_TYPES, TYPES
from core.memory.tokens import EstimatedTokens
from core.models.port import ModelRequest, Purpose
from tests.core.agent.scripted import RULE, Model, files, reply_text
from tests.scenario import PlayedOperator


def _model(judges: dict[int, str], code: dict[int, str] | None = None) -> Model:
    """Writes kernels that are judged as told and hold `code`; adopts everything."""

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE:
            return f"## Diagnosis\nIdea {request.round}. More words.\n"
        if request.purpose is Purpose.ABSTRACT:
            return RULE
        if request.purpose is Purpose.DISTIL:
            return "Nothing new."
        records = dict.fromkeys(request.retrieved, "adopted")
        if request.round not in judges:
            return reply_text(records, {}).replace("## Files", "## Done\nno idea left")
        made = files("AbsMath", judges[request.round])
        path = next(path for path in made if path.startswith("op_kernel/"))
        made[path] += (code or {}).get(request.round, f"// version {request.round}\n")
        return reply_text(records, made)

    return Model(answer)


def _told(model: Model) -> str:
    """The changes of the last distillation."""
    prompt = (
        [r for r in model.requests if r.purpose is Purpose.DISTIL][-1]
        .messages[0]
        .content
    )
    return prompt.split("# Changes that mattered")[1].split("# Experiences the memory")[
        0
    ]


def test_every_gain_is_told_with_its_code_not_the_last_alone(
    bench: PlayedOperator,
) -> None:
    model = _model(
        {1: "pass 20.0", 2: "pass 16.0", 3: "fail-run", 4: "pass 18.0", 5: "pass 9.0"}
    )
    asyncio.run(bench.run(model))

    told = _told(model)

    assert "to round 2, 20.00 to 16.00 us" in told
    assert "## Round 3 (fail-run" in told, "what made it run again is a lesson"
    assert "## Round 2 (pass) to round 5, 16.00 to 9.00 us" in told, (
        "a gain is over the best before it"
    )
    assert {"+// version 2", "+// version 5"} <= set(told.splitlines())


def test_a_first_time_pass_offers_its_code(bench: PlayedOperator) -> None:
    model = _model({1: "pass 20.0"}, {1: "// the whole idea\n"})
    asyncio.run(bench.run(model))

    told = _told(model)

    assert "None." not in told
    assert "Round 1 was correct" in told
    assert "// the whole idea" in told


def test_what_is_told_stays_within_its_tokens(bench: PlayedOperator) -> None:
    long = {
        n: "".join(f"int value_{n}_{line} = {line};\n" for line in range(2000))
        for n in (2, 3)
    }
    model = _model({1: "pass 20.0", 2: "pass 16.0", 3: "pass 9.0"}, long)
    asyncio.run(bench.run(model))

    told = _told(model)

    assert EstimatedTokens().count(told) < 1.1 * MOST_TOKENS
    assert told.count("more lines") == 2, "no change crowds the other out"


def test_ten_equal_failures_are_one_line_with_what_was_tried(
    bench: PlayedOperator,
) -> None:
    bench.parameters = bench.parameters.__class__(T=6)
    model = _model(dict.fromkeys(range(1, 7), "fail-result"))
    asyncio.run(bench.run(model))
    prompt = (
        [r for r in model.requests if r.purpose is Purpose.DISTIL][-1]
        .messages[0]
        .content
    )

    assert prompt.count("fail-result") <= 3
    assert "- rounds 1 to 6 (corr): fail-result" in prompt
    assert "tried: Idea 4." in prompt
    assert "none correct" in prompt, "and what all of them changed"


def test_lines_that_differ_are_not_folded() -> None:
    ledger = ("- round 1 (corr): fail-build: a", "- round 2 (corr): fail-build: b")

    assert folded_ledger(ledger, ()) == "\n".join(ledger)


@pytest.mark.parametrize(("name", "types"), [("distil", TYPES), ("mine", MINED_TYPES)])
def test_prompts_offer_the_types_of_the_memory(
    name: str, types: tuple[str, ...]
) -> None:
    from core.agent.prompt import templates

    assert "type: one of $types" in templates.prompt(name)
    assert not re.search(r"host_error|performance_optimization", templates.prompt(name))
    assert len(set(types)) == len(types)


def test_every_type_of_the_bank_and_of_drafts_is_one_that_is_offered() -> None:
    rounds = [
        Attempt(number, verdict, verdict, "", {"a": str(number)}, latency)
        for number, (verdict, latency) in enumerate(
            (
                ("fail-build", None),
                ("fail-run", None),
                ("fail-result", None),
                ("pass", 9.0),
                ("pass", 3.0),
            )
        )
    ]
    drafts = {draft.type for draft in extract("X", "Math", rounds)}

    assert len(drafts) == 4
    assert drafts | {seed.type for _, seed in cold_start_bank()} <= set(TYPES)


def test_a_rule_is_abstracted_from_numbers_for_and_against(
    bench: PlayedOperator,
) -> None:
    bench.parameters = bench.parameters.__class__(K_ado=1, K_op=1, T=2)
    model = _model({1: "fail-build", 2: "pass 20.0"})
    asyncio.run(bench.run(model))
    prompt = (
        next(r for r in model.requests if r.purpose is Purpose.ABSTRACT)
        .messages[0]
        .content
    )

    assert "adopted in 1 of them on 1 operators" in prompt
    assert "fail-build to pass 20.00 us" in prompt
    assert "did not apply" in prompt
    (rule,) = {
        row[0] for row in bench.rows("SELECT rule_text FROM item WHERE rule_text <> ''")
    }
    assert "Not when: It is: DataCopy is as good." in str(rule)
