"""Plans: those that ship can be run as the paper did, and what would spoil a comparison is refused."""

from __future__ import annotations

import pytest

from core.engine.beginning import evolved_bank
from core.errors import InvalidInput, SageError
from core.experiments.plans.plan import changed
from core.experiments.plans.plan_file import plan_text, read_plan, shipped_plans

PLAN = """
name = "small"
title = "Small"
operators = ["AbsMath"]
{top}
[parameters]
{parameters}
[[arms]]
name = "sage"
{arm}
"""


def plan(top: str = "", parameters: str = "", arm: str = ""):  # type: ignore[no-untyped-def]
    return read_plan(PLAN.format(top=top, parameters=parameters, arm=arm), "small.toml")


def test_those_that_ship_keep_to_the_paper() -> None:
    assert set(shipped_plans()) == {
        "main",
        "ablation",
        "order",
        "transfer",
        "xccl",
        "fixed-bank",
        "faithfulness",
        "hard",
        "masked-credit",
    }
    for name in shipped_plans():
        found = read_plan(*plan_text(name))
        assert found.bank == "seeds"
        for arm in found.arms:
            parameters = found.parameters_of(arm)
            assert (parameters.rule, parameters.references, parameters.T) == (
                "operator",
                "paper",
                30,
            )
            assert (
                parameters.K_ado,
                parameters.delta,
                parameters.beta,
                parameters.B,
            ) == (
                3,
                0.2,
                0.2,
                10_000,
            )


def test_every_table_and_figure_that_needs_runs_has_a_plan_that_names_it() -> None:
    named = " ".join(read_plan(*plan_text(name)).paper for name in shipped_plans())
    # 3 to 5 are lists and parameters, 6 is an audit by experts; 1 and 2 are drawings.
    for what in (
        *(f"Table {number}" for number in (1, 2, 7)),
        *(f"Figure {number}" for number in range(3, 8)),
    ):
        assert f"{what} (" in named


@pytest.mark.parametrize(
    "name", ["main", "ablation", "order", "transfer", "xccl", "fixed-bank"]
)
def test_a_bank_that_learnt_from_evaluation_operators_is_refused(name: str) -> None:
    text, source = plan_text(name)
    assert evolved_bank().trained_on
    with pytest.raises(InvalidInput, match="operators it is evaluated on"):
        read_plan(
            text.replace('bank = "seeds"', 'bank = "evolved"').replace(
                '"l3"]', '"l3", "npukernelbench"]'
            ),
            source,
        )


def test_a_bank_is_fine_on_operators_it_did_not_learn_from() -> None:
    other = next(
        n
        for n in ("Eye", "Fill", "Sqrt", "Arange", "HcPost")
        if n not in evolved_bank().trained_on
    )
    text = PLAN.format(top="", parameters="", arm="").replace("AbsMath", other)
    assert read_plan(text + '[memory]\nbank = "evolved"\n', "x").bank == "evolved"


@pytest.mark.parametrize(
    "value", ["K_ado = 1", "K_op = 1", "delta = 0.0", "beta = 1.0", "delta = 1.0"]
)
def test_the_ends_the_paper_excludes_are_refused(value: str) -> None:
    with pytest.raises(InvalidInput, match="both excluded"):
        plan(parameters=value)


def test_mistakes_are_told_with_their_place() -> None:
    for arm, words in (
        ('methd = "sage"', r"arms\[0\].methd: is not a known key"),
        ('method = "best"', "'best' is not there"),
        ('reads = "later"', r"arms\[0\]: 'later' is not an arm before it"),
        ('reads = "initial"\nmethod = "uniform-credit"', "has no effect"),
        ('operators = ["Nothing"]', "'Nothing' is not there"),
        ('backbones = ["glm"]', "'glm' is not among the backbones"),
        ('ranking = "uniform"', "needs the memory of another arm"),
        (
            'ranking = "masked"\nreads = "initial"\n[[arms]]\nname = "other"',
            "needs the memory of another arm",
        ),
        (
            '[[arms]]\nname = "other"\nranking = "masked"\nreads = "sage"',
            "rounds of 'sage' played again",
        ),
    ):
        with pytest.raises(SageError, match=words):
            plan(arm=arm)
    with pytest.raises(InvalidInput, match="repeats"):
        plan(top="repeats = 0")


def test_the_mixed_stream_spreads_both_sets_and_keeps_their_order() -> None:
    found = read_plan(*plan_text("order"))
    only, mixed, staged = (
        [name for _, name in found.operators_of(found.arm(arm))]
        for arm in ("l3-only", "mixed", "l2-then-l3")
    )
    assert (len(only), len(mixed), len(staged)) == (18, 43, 43)
    assert [name for name in mixed if name in only] == only == staged[-18:]
    assert [name for name in mixed if name not in only] == staged[:25]
    assert 5 <= sum(name in only for name in mixed[:15]) <= 8
    assert [name for name in mixed if found.is_told(name)] == only


def test_a_model_is_given_to_one_backbone_or_to_all_that_have_none() -> None:
    found = read_plan(*plan_text("main"))
    models = {"": "local", "glm-5.2": "big"}
    assert {b.name: b.profile for b in changed(found, models=models).backbones} == {
        "qwen3-coder-next": "local",
        "deepseek-v4-flash": "local",
        "glm-5.2": "big",
    }
    with pytest.raises(SageError, match="no backbone gpt"):
        changed(found, models={"gpt": "x"})
    with pytest.raises(SageError, match="has none of the operators"):
        changed(read_plan(*plan_text("order")), operators=("AbsMath",))


def test_adoption_that_nobody_asked_for_cannot_be_doubted() -> None:
    text = PLAN.format(top="", parameters="", arm='method = "uniform-credit"')
    arm = read_plan(text, "x").arms[0].name
    with pytest.raises(InvalidInput, match=r"faithfulness.arm: .*uniform credit"):
        read_plan(f'{text}\n[faithfulness]\narm = "{arm}"\n', "x")


def test_every_plan_judges_by_a_rule_a_right_kernel_can_meet() -> None:
    """The operators' own rules: `operators check` tries each with the operator's formula in float32."""
    for name in shipped_plans():
        found = read_plan(*plan_text(name))
        for arm in found.arms:
            assert found.parameters_of(arm).rule == "operator"
            sources = {source for source, _ in found.operators_of(arm)}
            assert sources == {"catalogue"}, "those that `operators check --all` tries"
