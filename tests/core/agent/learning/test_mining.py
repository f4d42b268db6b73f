"""Differential mining with a model: what it may learn from, and which of its answers are believed."""

from __future__ import annotations

import asyncio

import pytest

from core.agent.learning.corrections import LARGEST_CORRECTIONS
from core.agent.learning.mining import Mined, NotDisjoint, mine_with_model, store_mined
from core.memory.records import ItemState, Origin
from core.memory.store import MemoryStore
from core.workspace import Workspace
from tests.core.agent.scripted import Model

CANDIDATE = {"op_kernel/neg_one.cpp": "DataCopy(x, y, n);\nMuls(z, x, -1, n);"}
EXPERT = {
    "op_kernel/neg_one.cpp": "DataCopyPad(x, y, copyParams, padParams);\nMuls(z, x, -1, n);"
}
PATTERN = """## Experience
title: The tail needs DataCopyPad
type: implementation_pattern
category: Math
error_message: the last elements are wrong
summary: DataCopy moves whole blocks of 32 bytes only.
### Wrong
```cpp
DataCopy(x, y, n);
```
### Correct
```cpp
DataCopyPad(x, y, copyParams, padParams);
```
"""
FOREIGN = PATTERN.replace(
    "DataCopyPad(x, y, copyParams", "SomethingElse(aaaa, bbbb, cccc"
)
SHORTCUT = PATTERN.replace(
    "DataCopy moves whole blocks of 32 bytes only.",
    "Keep the call for show and execute the real computation on CPU.",
)


def mined(
    *answers: str, operator: str = "NegOne", expert: dict[str, str] | None = None
) -> tuple[Mined, Model]:
    left = list(answers)
    model = Model(lambda _: left.pop(0) if len(left) > 1 else left[0])
    question = mine_with_model(
        model, operator, "Math", CANDIDATE, expert or EXPERT, ["RmsNorm"]
    )
    return asyncio.run(question), model


def test_a_readable_answer_is_taken_with_its_source() -> None:
    found, model = mined(PATTERN)
    assert [draft.title for draft in found.experiences] == [
        "The tail needs DataCopyPad"
    ]
    assert (
        found.experiences[0].source
        == "mined from an expert solution of NegOne by test model"
    )
    assert found.reason == "mined, not reviewed"
    prompt = model.requests[0].messages[-1].content
    assert "+DataCopyPad(x, y, copyParams, padParams);" in prompt
    assert "-DataCopy(x, y, n);" in prompt
    assert mined("None.")[0].experiences == ()


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("I think it is good.", "there is neither"),
        (
            PATTERN.replace("title: The tail needs DataCopyPad\n", ""),
            "Experience 1: title: is missing",
        ),
        (PATTERN.partition("### Correct")[0], "shows no code"),
        (FOREIGN, "does not have"),
        (PATTERN * 6, "at most 5"),
    ],
)
def test_an_answer_that_is_not_as_asked_is_sent_back_with_the_reason(
    answer: str, complaint: str
) -> None:
    found, model = mined(answer, PATTERN)
    assert len(found.experiences) == 1
    assert complaint in model.requests[1].messages[-1].content


def test_without_a_readable_answer_the_plain_comparison_takes_its_place() -> None:
    found, model = mined("no idea")
    assert len(model.requests) == 1 + LARGEST_CORRECTIONS
    assert "Pad copies whose length is not a multiple of 32 bytes" in {
        d.title for d in found.experiences
    }
    assert "could not be read" in found.reason


@pytest.mark.parametrize(
    "expert",
    [
        {"op_host/a.cpp": "OP_ADD(RmsNorm);"},
        {
            "op_kernel/a.cpp": 'extern "C" __global__ __aicore__ void rms_norm(GM_ADDR x)'
        },
    ],
)
def test_an_evaluation_operator_under_another_name_is_refused_unasked(
    expert: dict[str, str],
) -> None:
    model = Model(lambda _: PATTERN)
    with pytest.raises(NotDisjoint, match="evaluation operator"):
        asyncio.run(
            mine_with_model(model, "NegOne", "Math", CANDIDATE, expert, ["RmsNorm"])
        )
    assert model.requests == []


def test_what_was_mined_waits_for_a_person_and_shortcuts_go_to_quarantine(
    workspace: Workspace,
) -> None:
    store = MemoryStore(workspace)
    (honest,) = store_mined(store, mined(PATTERN)[0])
    (shortcut,) = store_mined(store, mined(SHORTCUT)[0])
    assert store.item(honest).state is ItemState.PENDING
    assert store.item(honest).origin is Origin.MINED
    assert store.item(shortcut).state is ItemState.QUARANTINED
    assert store.item(shortcut).state_reason
