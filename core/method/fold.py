"""The one fold of episodes into the evidence of an item: u by ATU, the two counts, and O.

Pure. Whatever counts evidence goes through `advance`: an episode applied here (`episodes`), evidence of
merged memories and credit curves (`evidence`), utilities under other parameters (`replay`), evidence newer
than a person's demotion (`residency`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from core.method.parameters import MethodParameters
from core.method.utility import Item, adoption_credit, step_size, updated_utility


@dataclass(frozen=True, slots=True)
class Prior:
    """Evidence that came as numbers, without the episodes behind it (docs/method.md, V)."""

    u: float
    n_ret: int
    n_ado: int
    operators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CreditRecord:
    """What one episode gave one item.

    Attributes:
        adopted: Whether it was adopted in the episode.
        xi: Credit; None under a rule that gives none.
        prior: Set when this stands for all episodes of a bank without traces, not for one.
        resident: Only in what earlier releases wrote: the item was not retrieved, its resident rule was used.
            A used resident earns nothing (docs/method.md, O), so such a record counts nothing.
    """

    adopted: bool
    xi: float | None
    prior: Prior | None = None
    resident: bool = False


@dataclass(frozen=True, slots=True)
class Occasion:
    """What the fold must know of an episode beside its credit."""

    operator: str
    parameters: MethodParameters


@dataclass(frozen=True, slots=True)
class Evidence:
    """u, counts and O of an item.

    Attributes:
        u: Utility.
        n_ret: Episodes it was retrieved in.
        n_ado: Episodes it was adopted in; in any it was retrieved in where nothing is traced.
        operators: Names in the order of their first adoption, told apart ignoring case.
    """

    u: float = 0.0
    n_ret: int = 0
    n_ado: int = 0
    operators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Advance:
    """One step of the fold; `record` is None where the episode did not touch the item or was a prior."""

    record: CreditRecord | None
    eta: float
    before: Evidence
    after: Evidence


def episode_credit(
    z: float,
    retrieved: Collection[Item],
    adopted: Collection[Item],
    parameters: MethodParameters,
) -> dict[Item, CreditRecord]:
    """Return what an episode gives every item of R by the credit rule, in ascending order of items.

    Args:
        z: Terminal score.
        retrieved: R.
        adopted: A, a subset of R.
        parameters: Uses beta and credit_rule.
    """
    credit = adoption_credit(z, retrieved, adopted, parameters)
    return {
        item: CreditRecord(item in adopted, credit.get(item))
        for item in sorted(retrieved)
    }


def advance(
    evidence: Evidence, records: Sequence[CreditRecord], episode: Occasion
) -> Advance:
    """Return the evidence of an item after one more episode.

    Priors have no place in time: u becomes the mean weighted by retrievals, counts are added.

    Args:
        evidence: Before.
        records: What the episode gave it; several when it knew parts of what is one item now. Then the best
            one counts, once.
        episode: Where they were earned.
    """
    priors = [record.prior for record in records if record.prior is not None]
    if priors or not records:
        after = evidence
        for prior in priors:
            after = _with_prior(after, prior)
        return Advance(None, 0.0, evidence, after)
    # Parts that were merged may all have been retrieved: their item gets one credit.
    best = max(records, key=lambda record: (record.adopted, record.xi or 0.0))
    # By the retrievals before this one, which makes the first step 1 (docs/method.md, A).
    eta = step_size(evidence.n_ret, episode.parameters)
    u = evidence.u
    if best.xi is not None:
        u = updated_utility(u, best.xi, eta)
    n_ado = evidence.n_ado
    operators = evidence.operators
    # A method that traces no adoption counts every retrieval as one.
    if best.adopted or not episode.parameters.traces_adoption:
        n_ado += 1
        operators = _joined(operators, (episode.operator,))
    after = Evidence(u, evidence.n_ret + 1, n_ado, operators)
    return Advance(best, eta, evidence, after)


def _with_prior(evidence: Evidence, prior: Prior) -> Evidence:
    """Evidence and a prior as one: u is their mean by retrievals, as steps of 1 / (1 + n) would have made it."""
    n_ret = evidence.n_ret + prior.n_ret
    n_ado = evidence.n_ado + prior.n_ado
    weighted = evidence.u * evidence.n_ret + prior.u * prior.n_ret
    operators = _joined(evidence.operators, prior.operators)
    return Evidence(weighted / max(1, n_ret), n_ret, n_ado, operators)


def _joined(operators: tuple[str, ...], names: Iterable[str]) -> tuple[str, ...]:
    """Return operator names with new ones at the end, told apart ignoring case."""
    joined = {name.casefold(): name for name in operators}
    for name in names:
        joined.setdefault(name.casefold(), name)
    return tuple(joined.values())
