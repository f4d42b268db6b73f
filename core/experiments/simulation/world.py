"""The synthetic world of the mechanism simulation (docs/simulation.md): needs, experiences, operators.

It demonstrates the mechanism and says nothing about kernels. The numbers here are those of the page, which is
older than the first run; change them there first, as a regime of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from core.method.methods import declared
from core.method.parameters import MethodParameters

Floats = NDArray[np.float64]

_GOOD_FROM = 0.3  # quality from which an item counts as good
_TWIN_NOISE = 0.05  # of a companion's vector beside its neighbour's
_EFFECT_LEVEL = 1  # the base rate of level 2 is what a true effect is measured against


@dataclass(frozen=True)
class Regime:
    """Everything the world is drawn from; the defaults are the base regime.

    Attributes:
        needs: Latent needs.
        per_need: Experiences per need.
        good: Least and largest number of good ones among them.
        good_quality: Range of their quality, the chance to meet the need when used.
        decoy_quality: Quality of the others.
        dimensions: Of every vector.
        item_noise: Length of the noise of an item's vector.
        query_noise: Length of the noise of a query.
        operator_share: Weight of the operator's own vector in a query.
        levels: Operators of level 1, 2, 3.
        corr_needs: Needs for correctness by level.
        opt_needs: Levers by level; 0: no opt episode.
        zipf: Exponent of how unequally often needs occur.
        gain: Range of the factor a lever has on latency.
        torch: Median and sigma of T_torch / T_first.
        base_rate: Chance to meet a need without experience, by level.
        kept: Factor on the chance for every useless item used.
        use_good: Chance that a good item of the need at hand is used.
        use_decoy: The same of a decoy.
        use_off: The same of an item of another need.
        words: Range of the words of a rule.
        flip: Chance that a record of adoption is wrong.
        over_claim: Whether everything retrieved that belongs to the need is recorded as adopted.
        under_claim: Chance that a used item is recorded as not adopted.
        companions: Whether every good item has a decoy with its vector.
        hitchhike: Whether such a decoy is recorded as adopted whenever its neighbour is.
        drift: Share of the needs whose good items become decoys, and as many decoys good.
        drift_at: Share of the stream after which that happens.
        method: Parameters of the method.
    """

    needs: int = 32
    per_need: int = 8
    good: tuple[int, int] = (1, 2)
    good_quality: tuple[float, float] = (0.4, 0.75)
    decoy_quality: float = 0.02
    dimensions: int = 24
    item_noise: float = 0.8
    query_noise: float = 0.55
    operator_share: float = 0.225
    levels: tuple[int, int, int] = (20, 50, 18)
    corr_needs: tuple[int, int, int] = (2, 4, 6)
    opt_needs: tuple[int, int, int] = (2, 3, 4)
    zipf: float = 0.6
    gain: tuple[float, float] = (0.68, 0.9)
    torch: tuple[float, float] = (0.62, 0.18)
    base_rate: tuple[float, float, float] = (0.10, 0.08, 0.06)
    kept: float = 0.8
    use_good: float = 0.85
    use_decoy: float = 0.12
    use_off: float = 0.03
    words: tuple[int, int] = (15, 60)
    flip: float = 0.0
    over_claim: bool = False
    under_claim: float = 0.0
    companions: bool = False
    hitchhike: bool = False
    drift: float = 0.0
    drift_at: float = 0.5
    method: MethodParameters = field(
        default_factory=lambda: MethodParameters(k=3, B=600, encoder="none")
    )


@dataclass(frozen=True)
class SyntheticOperator:
    """One task of the stream.

    Attributes:
        name: Unique.
        level: 0, 1, 2 for levels 1, 2, 3.
        corr: Needs of its corr episode.
        opt: Its levers.
        gains: Factor on the latency by lever.
        torch: T_torch / T_first.
        vector: Its own direction, (dimensions,).
    """

    name: str
    level: int
    corr: tuple[int, ...]
    opt: tuple[int, ...]
    gains: Mapping[int, float]
    torch: float
    vector: Floats


class World:
    """A world drawn from one seed.

    Attributes:
        regime: What it was drawn from.
        seed: The seed.
        need_vectors: (needs, dimensions), unit.
        vectors: (items, dimensions), unit; item i is experience i of the bank.
        need_of: (items,) the need of each.
        words: (items,) words of each rule.
        neighbour: (items,) the good item a companion stands beside, -1 elsewhere.
        operators: In the order of the stream.
    """

    def __init__(self, regime: Regime, seed: int) -> None:
        self.regime = regime
        self.seed = seed
        rng = np.random.default_rng([seed, 0])
        count = regime.needs * regime.per_need
        self.need_vectors = _unit(rng.normal(size=(regime.needs, regime.dimensions)))
        self.need_of = np.repeat(np.arange(regime.needs), regime.per_need)
        self._before = np.full(count, regime.decoy_quality)
        self.neighbour = np.full(count, -1)
        good_of = [self._draw_good(rng, need) for need in range(regime.needs)]
        noise = rng.normal(size=(count, regime.dimensions)) / np.sqrt(regime.dimensions)
        self.vectors = _unit(
            self.need_vectors[self.need_of] + regime.item_noise * noise
        )
        if regime.companions:
            self._place_companions(rng, good_of)
        self.words = rng.integers(regime.words[0], regime.words[1] + 1, size=count)
        self.operators = self._draw_operators(rng)
        self._after = self._drifted(rng, good_of)

    def quality(self, place: int) -> Floats:
        """The quality of every item when the operator at `place` of the stream is worked on, (items,)."""
        return self._after if place >= self.drift_place else self._before

    @property
    def drift_place(self) -> int:
        """Place of the first operator after the drift; beyond the stream when there is none."""
        whole = len(self.operators)
        return round(whole * self.regime.drift_at) if self.regime.drift else whole + 1

    @property
    def final_quality(self) -> Floats:
        """Quality at the end of the stream, which a frozen bank is judged by, (items,)."""
        return self.quality(len(self.operators))

    def is_good(self, quality: Floats) -> NDArray[np.bool_]:
        """Which items are good by this quality, (items,)."""
        return quality > _GOOD_FROM

    def true_effects(self) -> Floats:
        """The change of the chance to meet the own need by using an item alone, at the end, (items,)."""
        quality, base = self.final_quality, self.regime.base_rate[_EFFECT_LEVEL]
        share = np.where(self.is_good(quality), 1.0, self.regime.kept)
        effects: Floats = (1 - (1 - quality) * (1 - base)) * share - base
        return effects

    def _draw_good(self, rng: np.random.Generator, need: int) -> NDArray[np.int64]:
        regime = self.regime
        number = int(rng.integers(regime.good[0], regime.good[1] + 1))
        good = need * regime.per_need + rng.choice(
            regime.per_need, number, replace=False
        )
        self._before[good] = rng.uniform(*regime.good_quality, size=number)
        return good

    def _place_companions(
        self, rng: np.random.Generator, good_of: list[NDArray[np.int64]]
    ) -> None:
        for need, good_items in enumerate(good_of):
            every = np.arange(
                need * self.regime.per_need, (need + 1) * self.regime.per_need
            )
            decoys = np.setdiff1d(every, good_items)[: len(good_items)]
            for decoy, neighbour in zip(decoys, good_items, strict=False):
                noise = rng.normal(size=self.regime.dimensions) / np.sqrt(
                    self.regime.dimensions
                )
                self.vectors[decoy] = _unit(
                    self.vectors[neighbour] + _TWIN_NOISE * noise
                )
                self.neighbour[decoy] = neighbour

    def _draw_operators(
        self, rng: np.random.Generator
    ) -> tuple[SyntheticOperator, ...]:
        regime = self.regime
        weights = rng.permutation(1 / np.arange(1, regime.needs + 1) ** regime.zipf)
        weights /= weights.sum()
        operators = []
        for level, number in enumerate(regime.levels):
            corr, opt = regime.corr_needs[level], regime.opt_needs[level]
            for index in range(number):
                needs = [
                    int(n)
                    for n in rng.choice(
                        regime.needs, corr + opt, replace=False, p=weights
                    )
                ]
                gains = [float(gain) for gain in rng.uniform(*regime.gain, size=opt)]
                torch = float(
                    np.exp(rng.normal(np.log(regime.torch[0]), regime.torch[1]))
                )
                vector = _unit(rng.normal(size=regime.dimensions))
                operators.append(
                    SyntheticOperator(
                        f"Synthetic{level + 1}x{index}",
                        level,
                        tuple(needs[:corr]),
                        tuple(needs[corr:]),
                        dict(zip(needs[corr:], gains, strict=True)),
                        torch,
                        vector,
                    )
                )
        return tuple(operators[place] for place in rng.permutation(len(operators)))

    def _drifted(
        self, rng: np.random.Generator, good_of: list[NDArray[np.int64]]
    ) -> Floats:
        after = self._before.copy()
        needs = rng.permutation(self.regime.needs)[
            : round(self.regime.drift * self.regime.needs)
        ]
        for need in needs:
            every = np.arange(
                need * self.regime.per_need, (need + 1) * self.regime.per_need
            )
            decoys = rng.permutation(np.setdiff1d(every, good_of[need]))[
                : len(good_of[need])
            ]
            after[decoys] = self._before[good_of[need]][: len(decoys)]
            after[good_of[need]] = self.regime.decoy_quality
        return after


BASE = Regime()


def _with_method(**changes: float) -> Regime:
    return replace(BASE, method=replace(BASE.method, **changes))  # type: ignore[arg-type]


REGIMES: Mapping[str, Regime] = MappingProxyType(
    {
        "base": BASE,
        "flip-5": replace(BASE, flip=0.05),
        "flip-12": replace(BASE, flip=0.12),
        "flip-25": replace(BASE, flip=0.25),
        "flip-50": replace(BASE, flip=0.5),
        "over-claim": replace(BASE, over_claim=True),
        "under-claim": replace(BASE, under_claim=0.8),
        "companions": replace(BASE, companions=True),
        "hitchhikers": replace(BASE, companions=True, hitchhike=True),
        "narrow-topics": replace(BASE, item_noise=0.4, query_noise=0.3),
        "drift-25": replace(BASE, drift=0.25),
        "drift-50": replace(BASE, drift=0.5),
        "drift-100": replace(BASE, drift=1.0),
        "late-drift": replace(BASE, drift=1.0, drift_at=0.9),
        "k-5": _with_method(k=5),
        "k-8": _with_method(k=8),
        "no-hot": _with_method(B=0),
        "hot-10000": _with_method(B=10_000),
        "beta-0": _with_method(beta=0.0),
        "beta-50": _with_method(beta=0.5),
        "gamma-10": _with_method(gamma=0.1),
        "gamma-90": _with_method(gamma=0.9),
        "all-good": replace(BASE, good=(8, 8)),
        "harmless": replace(BASE, kept=1.0),
        "easy": replace(BASE, base_rate=(0.5, 0.45, 0.4)),
    }
)


def regime(name: str) -> Regime:
    """The declared regime `name`.

    Raises:
        InvalidInput: There is none.
    """
    return declared(REGIMES, name, "simulation", "regime")


def _unit(vectors: Floats) -> Floats:
    scaled: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return scaled
