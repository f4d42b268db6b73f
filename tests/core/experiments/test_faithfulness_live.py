"""Rounds of a real trajectory played again: only the experience changes, and its worth shows."""

from __future__ import annotations

import asyncio
import random
import re
from pathlib import Path

import pytest

from core.experiments.faithfulness.analysis import (
    ALTERED,
    Condition,
    Trial,
    analysed,
    declared_adoption,
    planned_trials,
    recorded_rounds,
)
from core.experiments.faithfulness.live import (
    LiveAgain,
    altered_items,
    usable_rounds,
    why_not,
)
from core.experiments.faithfulness.outcomes import Study, play
from core.memory.records import Experience, Origin
from core.memory.store import MemoryStore
from core.method.methods import method
from core.models.port import ModelRequest, Purpose
from core.operators.catalogue import catalogue_operator
from core.workspace import Workspace
from tests.core.agent.scripted import Model, files, reply_text
from tests.scenario import PlayedOperator

STUDY = Study("bank", "trials", "test model", "test evaluator", 0, 1)
SHOWN = re.compile(r"^### \[(\S+)\] (.*)$", re.MULTILINE)


def needs_first(request: ModelRequest) -> str:
    """Adopts the first two experiences it sees; passes only where the text of seed-0001 is whole."""
    if request.purpose not in (Purpose.CANDIDATE, Purpose.REPAIR):
        return "Nothing new."
    prompt = request.messages[-1].content
    titles = dict(SHOWN.findall(prompt))
    uids = list(titles)
    helped = titles.get("seed-0001") == "Use DataCopyPad for the tail of alder"
    adoption = {uid: "adopted" if uid in uids[:2] else "not_adopted" for uid in uids}
    if "or `## Done`" in prompt:
        return reply_text(adoption, {}).split("## Files")[0] + "## Done\nfast enough\n"
    return reply_text(
        adoption, files("AbsMath", "pass 10" if helped else "fail-result")
    )


async def learnt(bench: PlayedOperator) -> None:
    await bench.run(needs_first)
    assert bench.verdicts()[0] == ("corr", "pass")


def add_others(bench: PlayedOperator) -> None:
    for number in range(6):
        experience = Experience(f"Something else {number}", "api_misuse", "Other")
        bench.store.add_item(experience, origin=Origin.SEED)


def again(bench: PlayedOperator, model: Model | None = None) -> LiveAgain:
    return LiveAgain(
        bench.workspace,
        model or Model(needs_first),
        bench.evaluator,
        catalogue_operator,
        0,
    )


def test_the_item_that_helps_is_told_from_the_one_that_is_only_cited(
    bench: PlayedOperator, tmp_path: Path
) -> None:
    asyncio.run(learnt(bench))
    (recorded,) = recorded_rounds(bench.workspace)
    assert "seed-0001" in recorded.adopted
    assert len(recorded.adopted) == 2
    other = next(uid for uid in recorded.adopted if uid != "seed-0001")
    trials = planned_trials((recorded,), 0, 1, 0)
    before = bench.workspace.digest()
    outcomes = asyncio.run(play(trials, again(bench), tmp_path / "study.jsonl", STUDY))
    study = analysed(outcomes, declared_adoption(bench.workspace))
    effects = {entry.declared.uid: entry.effect for entry in study.items}
    assert effects == {"seed-0001": 1.0, other: 0.0}
    assert {
        entry.condition: entry.effect for entry in study.conditions
    } == dict.fromkeys(ALTERED, 1.0)
    assert bench.workspace.digest() == before


def test_nothing_but_the_experiences_changes_in_the_prompt(
    bench: PlayedOperator,
) -> None:
    asyncio.run(learnt(bench))
    (recorded,) = recorded_rounds(bench.workspace)
    add_others(bench)
    model = Model(needs_first)
    for condition in Condition:
        mask = recorded.adopted[0] if condition is Condition.MASKED else ""
        asyncio.run(again(bench, model)(Trial(recorded, condition, mask)))
    prompts = [request.messages for request in model.requests]
    stored = prompts[0]
    head, _, rest = stored[1].content.partition("# Retrieved experiences\n\n")
    end = rest[rest.index("\n\n# ") :] if "\n\n# " in rest else rest[-200:]
    for messages in prompts:
        assert messages[0] == stored[0]
        assert messages[1].content.startswith(head)
        assert messages[1].content.endswith(end)
    removed = model.requests[1]
    assert "# Retrieved experiences" not in removed.messages[1].content
    assert removed.retrieved == ()
    assert len({messages[1].content for messages in prompts}) == len(Condition)


def test_alterations_do_what_they_are_called(bench: PlayedOperator) -> None:
    add_others(bench)
    items = MemoryStore(bench.workspace).items()
    shown, rng = items[:2], random.Random(1)
    shuffled = altered_items(Condition.SHUFFLED, shown, items, "", rng)
    assert [sorted(item.title.split()) for item in shuffled] == [
        sorted(item.title.split()) for item in shown
    ]
    assert [item.uid for item in shuffled] == [item.uid for item in shown]
    corrupted = altered_items(Condition.CORRUPTED, shown, items, "", rng)
    assert [
        (item.code_diff.wrong_code, item.code_diff.correct_code) for item in corrupted
    ] == [(item.code_diff.correct_code, item.code_diff.wrong_code) for item in shown]
    irrelevant = altered_items(Condition.IRRELEVANT, shown, items, "", rng)
    assert [item.category for item in irrelevant] == ["Other", "Other"]
    masked = altered_items(Condition.MASKED, shown, items, shown[0].uid, rng)
    assert masked == shown[1:]


def test_a_round_whose_experience_was_edited_is_left_out(bench: PlayedOperator) -> None:
    asyncio.run(learnt(bench))
    (recorded,) = recorded_rounds(bench.workspace)
    assert why_not(bench.workspace, recorded) == ""
    bench.workspace.db.execute(
        "UPDATE item SET title = 'another' WHERE uid = 'seed-0001'"
    )
    assert "seed-0001" in why_not(bench.workspace, recorded)


def test_a_round_in_which_adoption_was_not_asked_for_is_left_out(
    workspace: Workspace,
) -> None:
    bench = PlayedOperator(workspace, parameters=method("uniform-credit").parameters())
    asyncio.run(bench.run(needs_first))
    assert recorded_rounds(workspace)
    usable, left_out = usable_rounds(workspace)
    assert not usable
    assert all("uniform credit" in why for why in left_out)


@pytest.mark.parametrize("reply", ["I do not know.", "## Give up\nno idea\n"])
def test_a_reply_without_a_kernel_is_a_failure_that_says_why(
    bench: PlayedOperator, reply: str
) -> None:
    asyncio.run(learnt(bench))
    (recorded,) = recorded_rounds(bench.workspace)
    asked = len(bench.evaluator.asked)
    found = asyncio.run(
        again(bench, Model(lambda _: reply))(Trial(recorded, Condition.ORIGINAL))
    )
    assert found.success is False
    assert found.note
    assert len(bench.evaluator.asked) == asked
