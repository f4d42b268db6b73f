"""The one fold of episodes into the evidence of an item: u by ATU, the two counts, and O.

Pure. Whatever counts evidence goes through `advance`: an episode applied here (`episodes`), evidence of
merged memories and credit curves (`evidence`), utilities under other parameters (`rebuild`), evidence newer
than a person's demotion (`residency`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

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
        resident: The item was not retrieved, its resident rule was used: credit of `hot_credit`, no counts.
    """

    adopted: bool
    xi: float | None
    prior: Prior | None = None
    resident: bool = False


@dataclass(frozen=True, slots=True)
class Occasion:
    """What the fold must know of an episode beside its credit."""

    operator: str
    trajectory: str
    parameters: MethodParameters


@dataclass(frozen=True, slots=True)
class Evidence:
    """u, counts and O of an item.

    Attributes:
        u: Utility.
        n_ret: Episodes it was retrieved in.
        n_ado: Episodes, or trajectories, whose adoption counts.
        operators: Names in the order of their first adoption.
        counted_in: Trajectories an adoption was counted in.
    """

    u: float = 0.0
    n_ret: int = 0
    n_ado: int = 0
    operators: tuple[str, ...] = ()
    counted_in: frozenset[str] = frozenset()


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
    used: Collection[Item],
    parameters: MethodParameters,
) -> dict[Item, CreditRecord]:
    """Return what an episode gives: R by the credit rule, used residents by `hot_credit`.

    Used residents share z among themselves (`own`) or with the adopted items (`shared`); `frozen`, the
    paper's rule, gives them nothing, and their records say only that they were used (docs/method.md, O).

    Args:
        z: Terminal score.
        retrieved: R.
        adopted: A, a subset of R.
        used: Residents a counted round used; those in R count as retrieved.
        parameters: Uses beta, credit_rule and hot_credit.
    """
    shares = adoption_credit(z, retrieved, adopted, parameters)
    residents = sorted(set(used) - set(retrieved))
    hot: float | None = None
    if (
        residents
        and parameters.hot_credit != "frozen"
        and parameters.credit_rule != "none"
    ):
        together = parameters.hot_credit == "shared"
        hot = z / (len(residents) + (len(adopted) if together else 0))
        if together:
            shares |= dict.fromkeys(adopted, hot)
    chosen = frozenset(adopted)
    records = {
        item: CreditRecord(item in chosen, shares.get(item))
        for item in sorted(retrieved)
    }
    return records | {
        item: CreditRecord(adopted=False, xi=hot, resident=True) for item in residents
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
    best = max(
        records,
        key=lambda record: (not record.resident, record.adopted, record.xi or 0.0),
    )
    parameters = episode.parameters
    eta = step_size(evidence.n_ret, parameters)
    u = evidence.u if best.xi is None else updated_utility(evidence.u, best.xi, eta)
    if best.resident:
        return Advance(best, eta, evidence, replace(evidence, u=u))
    n_ado, operators, counted_in = (
        evidence.n_ado,
        evidence.operators,
        evidence.counted_in,
    )
    if best.adopted or parameters.gate_count == "retrieved":
        n_ado += (
            parameters.ado_count == "episode" or episode.trajectory not in counted_in
        )
        counted_in |= {episode.trajectory}
        folded = parameters.operator_identity == "casefold"
        operators = _joined(operators, (episode.operator,), folded=folded)
    return Advance(
        best,
        eta,
        evidence,
        Evidence(u, evidence.n_ret + 1, n_ado, operators, counted_in),
    )


def _with_prior(evidence: Evidence, prior: Prior) -> Evidence:
    n_ret = evidence.n_ret + prior.n_ret
    u = (evidence.u * evidence.n_ret + prior.u * prior.n_ret) / max(1, n_ret)
    operators = _joined(evidence.operators, prior.operators, folded=True)
    return Evidence(
        u, n_ret, evidence.n_ado + prior.n_ado, operators, evidence.counted_in
    )


def _joined(
    known: tuple[str, ...], names: Iterable[str], *, folded: bool
) -> tuple[str, ...]:
    """Return operator names with new ones at the end; a name is told apart by case unless `folded`."""
    joined = list(known)
    seen = {name.casefold() if folded else name for name in known}
    for name in names:
        key = name.casefold() if folded else name
        if key not in seen:
            seen.add(key)
            joined.append(name)
    return tuple(joined)
