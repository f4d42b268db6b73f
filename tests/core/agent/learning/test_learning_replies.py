"""Rules and experiences are read whole or refused with the part named."""

from __future__ import annotations

import pytest

from core.agent.learning.learning_replies import (
    LONGEST_RULE,
    RuleReply,
    read_bare_rule,
    read_experiences,
    read_rule,
    require_short,
)
from core.errors import InvalidInput
from core.memory.records import CodeDiff, Experience, Scope
from core.memory.tokens import EstimatedTokens


def test_a_rule_with_and_without_example() -> None:
    assert read_bare_rule(
        "## Rule\nUse X\nalways.\n## Example\n```cpp\nfoo();\n```"
    ) == RuleReply("Use X always.", "foo();")
    assert read_bare_rule("Sure.\n# Rule:\nUse X.") == RuleReply("Use X.")


CONDITIONS = (
    "## Rule\nOne core per 16 KB.\n## When\nmte2 is busiest.\n"
    "## Not when\nThe input is under 64 KB.\n## Evidence\nSwish, 8 MB: 81.9 to 37.8 us.\n"
)


def test_a_rule_comes_with_its_condition_counter_condition_and_numbers() -> None:
    rule = read_rule(CONDITIONS)

    assert (rule.when, rule.unless) == ("mte2 is busiest.", "The input is under 64 KB.")
    assert rule.text == (
        "One core per 16 KB. When: mte2 is busiest. Not when: The input is under 64 KB. "
        "Seen: Swish, 8 MB: 81.9 to 37.8 us."
    )


def test_a_rule_of_more_than_120_tokens_is_refused_with_its_length() -> None:
    counter = EstimatedTokens()
    require_short(read_rule(CONDITIONS), counter)
    longer = read_rule(CONDITIONS.replace("per 16 KB", "per 16 KB" + " of input" * 60))
    with pytest.raises(InvalidInput, match=r"1[2-9]\d tokens .* at most 120 fit"):
        require_short(longer, counter)


@pytest.mark.parametrize("part", ["When", "Not when", "Evidence"])
def test_a_rule_that_lacks_one_of_them_is_refused_by_its_name(part: str) -> None:
    with pytest.raises(InvalidInput, match=part):
        read_rule(CONDITIONS.replace(f"## {part}\n", "## Other\n"))


def test_evidence_without_a_number_is_refused() -> None:
    with pytest.raises(InvalidInput, match="holds no number"):
        read_rule(CONDITIONS.replace("Swish, 8 MB: 81.9 to 37.8 us.", "It was faster."))


@pytest.mark.parametrize(
    "text", ["Use X.", "## Rule\n", f"## Rule\n{'x' * (LONGEST_RULE + 1)}"]
)
def test_no_rule_or_one_too_long_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="Rule"):
        read_bare_rule(text)


def test_experiences_are_zero_or_more() -> None:
    assert read_experiences("Nothing new was learnt.") == ()
    text = (
        "## Experience\ntitle: A: with colon\n- **type**: tiling_error\ncategory: Math\nerror_message: e\n"
        "summary: one\ntwo\n### Wrong\n```cpp\nx\n```\n### Correct\n```\ny\n```\n"
        "## Experience 2\ntitle: B\ntype: t\ncategory: c\nsummary: s\n"
    )
    first, second = read_experiences(text)
    code = CodeDiff("x", "y")
    assert first == Experience(
        "A: with colon", "tiling_error", "Math", "e", code, "one two"
    )
    assert (second.title, second.code_diff.wrong_code) == ("B", "")


def test_a_lesson_says_for_which_kinds_of_work_it_holds() -> None:
    text = "## Experience\ntitle: A\ntype: t\ncategory: c\nwork: `sorting`, Short rows\nsummary: s\n"

    (lesson,) = read_experiences(text)

    assert lesson.scope == Scope(work=("sorting", "short rows"))
    with pytest.raises(InvalidInput, match=r"work: 'knitting' is no kind of work"):
        read_experiences(text.replace("Short rows", "knitting"))


def test_an_experience_without_title_is_refused_by_number_and_field() -> None:
    with pytest.raises(InvalidInput, match="Experience 1: title"):
        read_experiences("## Experience\ntype: t\ncategory: c\nsummary: s\n")


ONE = "## Experience\ntitle: {title}\ntype: t\ncategory: c\nsummary: {summary}\n### Wrong\n```\n{code}\n```\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE.format(title="x" * 301, summary="s", code=""), "title: 301 characters"),
        (
            ONE.format(title="x", summary="s" * 4001, code=""),
            "summary: 4001 characters",
        ),
        (
            ONE.format(title="x", summary="s", code="x" * 16_001),
            "wrong_code: 16001 characters",
        ),
        (ONE * 4, "4 of them, at most 3"),
    ],
)
def test_what_would_burst_a_prompt_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_experiences(text)
