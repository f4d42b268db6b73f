"""What rewinding recognises in a text by itself, and how it refuses a kernel that is not good."""

from __future__ import annotations

import asyncio

import pytest

from core.agent.learning.rewinding import by_rule, rewind
from core.errors import SageError
from core.evaluation.records import VerdictClass
from core.operators.catalogue import catalogue_operator
from core.sentence import Sentence
from tests.core.agent.scripted import CommentEvaluator, files, judged


@pytest.mark.parametrize(
    ("line", "worse"),
    [
        (
            "pipe.InitBuffer(inQueueX, 2, tile * sizeof(T));",
            "pipe.InitBuffer(inQueueX, 1, tile * sizeof(T));",
        ),
        ("constexpr int32_t BUFFER_NUM = 2;", "constexpr int32_t BUFFER_NUM = 1;"),
        ("pipe.InitBuffer(tmp, 2 * tile * sizeof(T));", None),  # the size of a TBuf
        ("pipe.InitBuffer(tmp, 2);", None),
        ("constexpr int32_t BUFFER_NUM = 2 * PARTS;", None),
    ],
)
def test_only_the_number_of_buffers_of_a_queue_is_halved(
    line: str, worse: str | None
) -> None:
    good = files("Lerp", "pass 10.0")
    evaluation = judged("Lerp", "x", VerdictClass.PASS, "10.0")
    change = asyncio.run(by_rule(1, {"op_kernel/lerp.cpp": line}, evaluation, ()))
    assert (change and change.files["op_kernel/lerp.cpp"]) == worse
    assert asyncio.run(by_rule(1, good, evaluation, ())) is None


def test_a_kernel_that_is_not_good_is_refused_with_words_that_can_be_translated() -> (
    None
):
    operator, evaluator = catalogue_operator("Lerp"), CommentEvaluator()

    async def refused(judge: str) -> Sentence:
        with pytest.raises(SageError) as told:
            async for _ in rewind(
                operator, files("Lerp", judge), evaluator, by_rule, 1
            ):
                pass
        return told.value.sentence

    wrong = asyncio.run(refused("fail-result"))
    assert "DataCopyPad blockLen is wrong" in wrong
    assert "was not timed" in asyncio.run(refused("pass"))
    what = wrong.fields["what"]
    assert isinstance(what, Sentence)
    assert what.fields["operator"] == "Lerp"
