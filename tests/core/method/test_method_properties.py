"""The paper's numbers, its Properties 1–4 and Algorithm 1."""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.memory.tokens import (
    HEADER_TOKENS,
    HOT_HEADER,
    EstimatedTokens,
    render_hot_block,
    render_rule,
    rule_tokens,
)
from core.method.consolidation import (
    RuleCandidate,
    access_frequency,
    density,
    passes_gates,
    select_hot,
    usage_ema,
)
from core.method.objective import Objective
from core.method.parameters import RETIRED, MethodParameters
from core.method.utility import (
    adoption_credit,
    dominance_bound,
    half_life,
    reranked_score,
    step_size,
    terminal_score,
    updated_utility,
)

PAPER = MethodParameters()
UNIT = st.floats(0.0, 1.0)


def test_defaults_are_the_papers_table() -> None:
    table = (
        PAPER.T,
        PAPER.delta,
        PAPER.beta,
        PAPER.eta_min,
        PAPER.gamma,
        PAPER.K_ado,
        PAPER.K_op,
        PAPER.B,
        PAPER.mu,
    )
    assert table == (30, 0.2, 0.2, 0.05, 0.3, 3, 3, 10_000, 0.1)


def test_examples_of_the_paper() -> None:
    assert round(density(0.42, 0.35, 96), 5) == 0.00153
    assert round(density(0.62, 0.44, 61), 5) == 0.00447
    assert round(half_life(PAPER.eta_min), 1) == 13.5
    assert round(half_life(PAPER.mu), 1) == 6.6
    assert round(dominance_bound(PAPER), 2) == 1.38
    assert reranked_score(1.0, 1.0, PAPER.gamma) == 1.3
    assert reranked_score(1.0, -PAPER.q, PAPER.gamma) == 0.94


@pytest.mark.parametrize(
    ("objective", "correct", "first", "best", "z"),
    [
        (Objective.CORR, True, None, None, 1.0),
        (Objective.CORR, False, None, None, -0.2),
        (Objective.OPT, True, 420.0, 155.0, 1 - 155 / 420),
        (Objective.OPT, True, 420.0, 420.0, -0.2),
        (Objective.OPT, True, 420.0, 500.0, -0.2),
        (Objective.OPT, True, None, 155.0, -0.2),
        (Objective.OPT, True, 0.0, 0.0, -0.2),
        (Objective.OPT, True, 420.0, math.nan, -0.2),
        (Objective.OPT, True, math.inf, 1.0, -0.2),
    ],
)
def test_terminal_score(
    objective: Objective,
    correct: bool,
    first: float | None,
    best: float | None,
    z: float,
) -> None:
    assert (
        terminal_score(
            objective, correct=correct, t_first=first, t_best=best, parameters=PAPER
        )
        == z
    )


@given(
    z=st.floats(-1.0, 1.0),
    delta=UNIT,
    beta=UNIT,
    retrieved=st.sets(st.integers(0, 99), max_size=12),
    data=st.data(),
)
def test_property_1_credit_is_bounded_and_adopted_credit_sums_to_z(
    z: float, delta: float, beta: float, retrieved: set[int], data: st.DataObject
) -> None:
    parameters = MethodParameters(delta=delta, beta=beta)
    z = max(z, -delta)
    adopted = (
        data.draw(st.sets(st.sampled_from(sorted(retrieved)))) if retrieved else set()
    )
    credit = adoption_credit(z, retrieved, adopted, parameters)
    assert set(credit) == retrieved
    assert all(-parameters.q <= xi <= 1.0 for xi in credit.values())
    assert all(credit[item] == -beta for item in retrieved - adopted)
    if adopted:
        assert sum(credit[item] for item in adopted) == pytest.approx(z)


@given(
    received=st.lists(st.floats(-0.2, 1.0), max_size=60),
)
def test_property_2_utility_stays_bounded_and_forgets_geometrically(
    received: list[float],
) -> None:
    parameters = PAPER
    low, high = 0.0, 0.0
    utility, other, gap = 0.0, 0.0, None
    for count, xi in enumerate(received):
        eta = step_size(count, parameters)
        assert parameters.eta_min <= eta <= 1.0
        utility = updated_utility(utility, xi, eta)
        low, high = min(low, xi), max(high, xi)
        assert -parameters.q - 1e-12 <= utility <= 1.0  # an ulp may be lost to rounding
        if count == 5:
            other, gap = utility + 0.5, 0
        elif gap is not None:
            other, gap = updated_utility(other, xi, eta), gap + 1
            assert abs(other - utility) <= 0.5 * (1 - parameters.eta_min) ** gap + 1e-12
    assert low - 1e-12 <= utility <= high + 1e-12


@given(received=st.lists(st.floats(-0.2, 1.0), min_size=1, max_size=20))
def test_first_steps_give_the_exact_mean(received: list[float]) -> None:
    utility = 0.0
    for count, xi in enumerate(received):
        utility = updated_utility(utility, xi, step_size(count, PAPER))
    assert utility == pytest.approx(sum(received) / len(received), abs=1e-12)


@given(
    high=st.floats(1e-3, 100.0),
    low=st.floats(1e-3, 100.0),
    u_high=st.floats(-0.2, 1.0),
    u_low=st.floats(-0.2, 1.0),
)
def test_property_3_utility_never_overturns_a_ratio_beyond_the_bound(
    high: float, low: float, u_high: float, u_low: float
) -> None:
    ratio = high / low
    if ratio > dominance_bound(PAPER) * (1 + 1e-12):
        assert reranked_score(high, u_high, 0.3) > reranked_score(low, u_low, 0.3)
    assert reranked_score(high, u_high, 0.3) > 0


def test_bound_of_property_3_is_tight() -> None:
    bound = dominance_bound(PAPER)
    assert reranked_score(0.999 * bound, -0.2, 0.3) < reranked_score(1.0, 1.0, 0.3)


@given(
    start=UNIT,
    mu=st.floats(0.01, 0.5),
    steps=st.integers(0, 40),
    rival=st.floats(1e-6, 1.0),
)
def test_property_4_unused_residents_decay_and_lose_to_any_useful_rival(
    start: float, mu: float, steps: int, rival: float
) -> None:
    frequency = start
    for _ in range(steps):
        frequency = usage_ema(frequency, mu, used=False)
    assert frequency == pytest.approx(start * (1 - mu) ** steps)
    if start > rival:
        needed = math.floor(math.log(start / rival) / -math.log1p(-mu)) + 1
        assert start * (1 - mu) ** needed < rival * (1 + 1e-9)
    assert 0.0 <= usage_ema(start, mu, used=True) <= 1.0


def test_access_frequency_needs_an_eligible_episode_and_is_at_most_one() -> None:
    assert access_frequency(0, 0) == 0.0
    assert access_frequency(6, 18) == pytest.approx(1 / 3)
    assert access_frequency(3, 2) == 1.0


@pytest.mark.parametrize(
    ("utility", "adoptions", "operators", "open_"),
    [
        (0.1, 3, 3, True),
        (0.0, 3, 3, False),
        (-0.1, 9, 9, False),
        (0.9, 2, 3, False),
        (0.9, 3, 2, False),
    ],
)
def test_gates(utility: float, adoptions: int, operators: int, open_: bool) -> None:
    assert passes_gates(utility, adoptions, operators, PAPER) is open_


CANDIDATES = st.lists(
    st.builds(
        RuleCandidate,
        item=st.integers(0, 10_000),
        utility=st.floats(-0.2, 1.0),
        frequency=UNIT,
        tokens=st.integers(1, 300),
        adoptions=st.integers(0, 9),
        resident=st.booleans(),
        pinned=st.booleans(),
        pin_order=st.integers(0, 9),
    ),
    max_size=30,
    unique_by=lambda candidate: candidate.item,
)


@given(
    candidates=CANDIDATES,
    budget=st.integers(0, 1500),
    order=st.randoms(use_true_random=False),
)
def test_algorithm_1(
    candidates: list[RuleCandidate], budget: int, order: object
) -> None:
    chosen = select_hot(candidates, budget, PAPER)
    by_item = {candidate.item: candidate for candidate in candidates}
    assert len(set(chosen)) == len(chosen)
    assert sum(by_item[item].tokens for item in chosen) <= budget
    assert all(by_item[item].pinned or by_item[item].density > 0 for item in chosen)
    # whatever was left out would not have fitted when its turn came, or has no value
    for candidate in candidates:
        if candidate.item not in chosen and (candidate.pinned or candidate.density > 0):
            before = itertools.takewhile(
                lambda item, c=candidate: _precedes(by_item[item], c), chosen
            )
            assert (
                sum(by_item[item].tokens for item in before) + candidate.tokens > budget
            )
    order.shuffle(candidates)  # type: ignore[attr-defined]
    assert select_hot(candidates, budget, PAPER) == chosen


def _precedes(one: RuleCandidate, other: RuleCandidate) -> bool:
    def key(c: RuleCandidate) -> tuple[float, ...]:
        pins = (0, c.pin_order, c.item) if c.pinned else (1, 0, 0)
        return (*pins, -c.density, c.tokens, -c.adoptions, c.item)

    return key(one) < key(other)


def test_scan_goes_on_after_an_item_that_does_not_fit() -> None:
    candidates = [
        RuleCandidate(1, 0.9, 0.9, 60),
        RuleCandidate(2, 0.8, 0.9, 60),
        RuleCandidate(3, 0.1, 0.5, 30),
    ]
    assert select_hot(candidates, 100, PAPER) == (1, 3)


def test_residents_without_expected_use_leave_although_there_is_room() -> None:
    assert (
        select_hot([RuleCandidate(1, -0.1, 0.5, 10, resident=True)], 100, PAPER) == ()
    )
    seldom_used = [RuleCandidate(1, 0.5, 0.02, 10, resident=True)]
    assert select_hot(seldom_used, 100, PAPER) == (1,)


def test_credit_rules_of_the_controls() -> None:
    def credit(rule: str) -> dict[int, float]:
        return adoption_credit(
            0.6, {1, 2, 3}, {1, 2}, MethodParameters(credit_rule=rule)
        )

    assert credit("atu") == {1: 0.3, 2: 0.3, 3: -0.2}
    assert credit("uniform") == {1: 0.6, 2: 0.6, 3: 0.6}
    assert credit("none") == {}


RULES = st.lists(
    st.tuples(
        st.text(max_size=60),
        st.text(max_size=200),
        st.sampled_from(["", "DataCopyPad(x, y, p);\nreturn;"]),
    ),
    max_size=8,
)


@given(rules=RULES)
def test_tokens_of_the_block_never_exceed_the_sum_of_its_lines(
    rules: list[tuple[str, str, str]],
) -> None:
    counter = EstimatedTokens()
    lines = [render_rule(f"m{i}", *rule) for i, rule in enumerate(rules)]
    costs = [rule_tokens(f"m{i}", *rule, counter) for i, rule in enumerate(rules)]
    assert counter.count(render_hot_block(lines)) <= sum(costs) + HEADER_TOKENS
    assert all(cost >= 1 for cost in costs)


def test_header_fits_what_is_reserved_for_it() -> None:
    assert EstimatedTokens().count(HOT_HEADER) <= HEADER_TOKENS


def test_rendered_rule_is_one_line_with_an_indented_example() -> None:
    assert (
        render_rule("m1", "Title", "Do  this\nand that.")
        == "- [m1] Title: Do this and that.\n"
    )
    assert render_rule("m1", "Title", "Title") == "- [m1] Title\n"
    text = render_rule("m1", "Title", "Rule", "if (x) {\r\n  y();\n\n}")
    assert text == "- [m1] Title: Rule\n  ```cpp\n  if (x) {\n    y();\n  }\n  ```\n"


def test_parameters_survive_json_and_refuse_nonsense() -> None:
    changed = MethodParameters(B=400, credit_rule="uniform", gamma=0.7)
    assert MethodParameters.from_json(changed.to_json()) == changed
    assert MethodParameters.from_json("{}") == PAPER
    for text, field in (
        ('{"gama": 0.3}', "gama"),
        ('{"gamma": 1.5}', "gamma"),
        ('{"goal": "loose"}', "goal"),
        ('{"k": "5"}', "parameters"),
    ):
        with pytest.raises(InvalidInput, match=field):
            MethodParameters.from_json(text, "file")


def test_what_earlier_releases_stored_is_read_with_the_decisions_of_today(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stored = {"references": "full", "k": 7, **RETIRED}
    assert MethodParameters.from_json(json.dumps(stored)) == MethodParameters(k=7)
    assert caplog.text == ""
    other = stored | {"fit": "stop", "pool": 77, "credit_rule": "adopted-only"}
    for _ in range(2):
        read = MethodParameters.from_json(json.dumps(other))
        assert read == MethodParameters(k=7, beta=0.0)
    assert sorted(record.args for record in caplog.records) == [  # type: ignore[type-var]
        ("fit", "stop", "skip"),
        ("pool", 77, 50),
    ]


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        ({"stream": "sequential", "workers": 6}, MethodParameters(workers=1)),
        ({"stream": "free", "workers": 6}, MethodParameters(workers=6)),
        (
            {"credit_rule": "uniform", "tracing": "off", "gate_count": "retrieved"},
            MethodParameters(credit_rule="uniform"),
        ),
        (
            {"credit_rule": "uniform-split"},
            MethodParameters(credit_rule="uniform"),
        ),
    ],
)
def test_what_follows_from_another_parameter_is_derived(
    stored: dict[str, str | int], read: MethodParameters
) -> None:
    text = json.dumps({"references": "full", **stored})
    assert MethodParameters.from_json(text) == read


def test_a_decision_cannot_be_set() -> None:
    with pytest.raises(InvalidInput, match="fit: is decided by the method: skip"):
        MethodParameters().changed({"fit": "stop"}, "--set")


def test_every_parameter_is_explained() -> None:
    page = (Path(__file__).parents[3] / "docs" / "method.md").read_text(
        encoding="utf-8"
    )
    named = set(re.findall(r"`([\w]+)(?: = [^`]*)?`", page))
    assert {field.name for field in fields(MethodParameters)} - named == set()
