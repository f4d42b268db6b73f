"""Utility-Gated Consolidation (UGC): gates, access frequency, density and Algorithm 1 as pure functions."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import NamedTuple

from core.method.parameters import MethodParameters


class RuleCandidate(NamedTuple):
    """What Algorithm 1 needs to know of one member of H ∪ V.

    Attributes:
        item: Number of the item.
        utility: u_m.
        frequency: p̂_m in [0, 1].
        tokens: L_m, at least 1.
        adoptions: n_ado, breaks ties.
        resident: Whether it is in H now.
        pinned: Whether a person keeps it resident.
        pin_order: Position among the pinned.
    """

    item: int
    utility: float
    frequency: float
    tokens: int
    adoptions: int = 0
    resident: bool = False
    pinned: bool = False
    pin_order: int = 0

    @property
    def density(self) -> float:
        """U(m)."""
        return density(self.utility, self.frequency, self.tokens)


def passes_gates(
    u: float, adoptions: int, operators: int, parameters: MethodParameters
) -> bool:
    """Return whether u > 0, n_ado >= K_ado and |O| >= K_op (paper, "Evidence-Gated Admission and Abstraction").

    Utility alone would promote what was right once; the counts ask for repeated use, by several operators.
    """
    return u > 0.0 and has_evidence(adoptions, operators, parameters)


def has_evidence(adoptions: int, operators: int, parameters: MethodParameters) -> bool:
    """Return whether the two counts alone reach their gates; they never fall again."""
    return adoptions >= parameters.K_ado and operators >= parameters.K_op


def access_frequency(accesses: int, n_elig: int) -> float:
    """Return p̂ of an item never promoted: n_ret / N_elig (paper, "Budgeted Hot-Memory Selection").

    Before its first whole episode N_elig is 0: at least one counts. At most 1.
    """
    return min(1.0, accesses / max(1, n_elig))


def usage_ema(frequency: float, mu: float, *, used: bool) -> float:
    """Return p̂ ← (1 - mu) p̂ + mu 1[used], which halves in log(1/2) / log(1 - mu) unused episodes (Property 4).

    Residents bypass retrieval, so that n_ret / N_elig would say nothing of them any more.
    """
    return (1.0 - mu) * frequency + (mu if used else 0.0)


def density(u: float, frequency: float, tokens: int) -> float:
    """Return U(m) = u p̂ / L, the expected utility per resident token; 0 while there is no rule.

    Args:
        u: Utility, in [-1, 1].
        frequency: p̂, in [0, 1].
        tokens: L, the length of the rule's line.
    """
    return u * frequency / tokens if tokens > 0 else 0.0


def select_hot(
    candidates: Iterable[RuleCandidate],
    budget: int,
    parameters: MethodParameters,
    seed: int = 0,
) -> tuple[int, ...]:
    """Choose H' from H ∪ V (paper, Algorithm 1 "Budgeted Hot-Memory Replacement").

    Greedy by decreasing density; an item that does not fit is skipped and the scan continues, so shorter ones
    further down still get in. It is a heuristic, not the optimum of the knapsack. Pinned items come first,
    in pin order. What has no expected use, U(m) <= 0, is not chosen (docs/method.md, J).
    Ties: shorter, then more adoptions, then smaller number.

    Args:
        candidates: H ∪ V without repeats, barred items left out.
        budget: Tokens the chosen rule lines may have together.
        parameters: Uses consolidation.
        seed: Drawn on only by the `random` control.

    Returns:
        The chosen items in the order of the scan.
    """
    pinned: list[RuleCandidate] = []
    ranked: list[RuleCandidate] = []
    for candidate in candidates:
        if candidate.pinned:
            pinned.append(candidate)
        elif candidate.density > 0.0:
            ranked.append(candidate)
    pinned.sort(key=lambda candidate: (candidate.pin_order, candidate.item))
    ranked.sort(key=_densest_first)
    if parameters.consolidation == "off":
        ranked = []
    elif parameters.consolidation == "random":
        # Of the sorted list, so that equal seeds shuffle equal lists.
        random.Random(seed).shuffle(ranked)
    admitted: list[int] = []
    remaining = budget
    # One that does not fit is passed over: a shorter one behind it may.
    for candidate in (*pinned, *ranked):
        if candidate.tokens <= remaining:
            admitted.append(candidate.item)
            remaining -= candidate.tokens
    return tuple(admitted)


def _densest_first(candidate: RuleCandidate) -> tuple[float, int, int, int]:
    """Key of the scan; all but the density only make the order of equals the same everywhere."""
    return (
        -candidate.density,
        candidate.tokens,
        -candidate.adoptions,
        candidate.item,
    )
