"""Adoption-Traced Utility estimation (ATU): the paper's equations, one function each."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TypeVar

from core.method.objective import Objective
from core.method.parameters import MethodParameters

Item = TypeVar("Item", int, str)  # number or uid


def terminal_score(
    objective: Objective,
    *,
    correct: bool,
    t_first: float | None,
    t_best: float | None,
    parameters: MethodParameters,
) -> float:
    """Return z of an episode (paper, Eq. "episode_score").

    Args:
        objective: What the episode was for.
        correct: Whether correctness passes (corr).
        t_first: Latency of the first correct kernel (opt); any unit, the same for both.
        t_best: Latency of the best correct kernel (opt).
        parameters: Uses delta.

    Returns:
        1 for a passed corr episode; 1 - T_best/T_first in (0, 1) for a faster kernel; -delta otherwise.
    """
    failure = -parameters.delta
    if objective is Objective.CORR:
        return 1.0 if correct else failure
    # A kernel without a time, or with one that is no time, is no success (docs/method.md, D).
    if t_first is None or not _is_latency(t_first):
        return failure
    if t_best is None or not _is_latency(t_best):
        return failure
    gain = 1.0 - t_best / t_first
    return gain if gain > 0.0 else failure


def _is_latency(value: float) -> bool:
    return math.isfinite(value) and value > 0.0


def adoption_credit(
    z: float,
    retrieved: Collection[Item],
    adopted: Collection[Item],
    parameters: MethodParameters,
) -> dict[Item, float]:
    """Return xi_m for every item of R (paper, Eq. "Adoption-Aware Credit Assignment").

    Adopted items share z, so that their credits sum to z however many they are; the others get -beta. The
    rule `uniform`, the paper's control ("Fixed-Bank Credit Assignment"), gives the whole z to each item of R.

    Args:
        z: Terminal score.
        retrieved: R, the items retrieved in the episode.
        adopted: A, a subset of R without repetitions.
        parameters: Uses beta and credit_rule.

    Returns:
        Item -> credit, in ascending order of items; empty for the rule `none`.
    """
    order = sorted(retrieved)
    rule = parameters.credit_rule
    if rule == "uniform":
        return dict.fromkeys(order, z)
    if rule == "none":
        return {}
    # Without an adopted item nothing shares z, and all lose beta.
    share = z / len(adopted) if adopted else 0.0
    sharing = frozenset(adopted)
    return {item: share if item in sharing else -parameters.beta for item in order}


def step_size(n_ret_before: int, parameters: MethodParameters) -> float:
    """Return eta_m = max(1 / (1 + n_ret), eta_min) (paper, "Online Utility Tracking and Retrieval").

    Decaying steps average the evidence; the floor keeps old evidence from outweighing new for ever (Property 2).

    Args:
        n_ret_before: Retrieval count before this episode is added. With it the first step is 1 and u is the
            exact mean of the credits until the floor is reached (docs/method.md, A).
        parameters: Uses eta_min.
    """
    return max(1.0 / (1.0 + n_ret_before), parameters.eta_min)


def updated_utility(u: float, xi: float, eta: float) -> float:
    """Return (1 - eta) u + eta xi, which stays in [-q, 1] with q = max(delta, beta) (Property 2).

    Args:
        u: Utility before the episode, 0 for an item that was never retrieved.
        xi: The episode's credit.
        eta: Step size.
    """
    return (1.0 - eta) * u + eta * xi


def reranked_score(s_rel: float, u: float, gamma: float) -> float:
    """Return s = s_rel (1 + gamma u), the late reranking of the pool.

    The factor lies in [1 - gamma q, 1 + gamma] and is positive: utility reorders what is about as relevant and
    never brings up what is not (Property 3).
    """
    return s_rel * (1.0 + gamma * u)


def dominance_bound(parameters: MethodParameters) -> float:
    """Return the relevance ratio no utility can overturn: (1 + gamma) / (1 - gamma q) (Property 3)."""
    return (1.0 + parameters.gamma) / (1.0 - parameters.gamma * parameters.q)


def half_life(step: float) -> float:
    """Return how many updates of size `step` halve the old value: log(1/2) / log(1 - step)."""
    return math.log(0.5) / math.log1p(-step)
