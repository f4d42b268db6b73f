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
        needs = np.arange(regime.needs)
        count = regime.needs * regime.per_need
        # Everything is drawn in this order: another one would be another world for the same seed.
        directions = rng.normal(size=(regime.needs, regime.dimensions))
        self.need_vectors = _unit(directions)
        self.need_of = np.repeat(needs, regime.per_need)
        self._before = np.full(count, regime.decoy_quality)
        self.neighbour = np.full(count, -1)
        good_of = [self._draw_good(rng, need) for need in needs.tolist()]
        noise = _noise(rng, (count, regime.dimensions))
        own_needs = self.need_vectors[self.need_of]
        self.vectors = _unit(own_needs + regime.item_noise * noise)
        if regime.companions:
            self._place_companions(rng, good_of)
        fewest_words, most_words = regime.words
        self.words = rng.integers(fewest_words, most_words + 1, size=count)
        self.operators = self._draw_operators(rng)
        self._after = self._drifted(rng, good_of)

    def quality(self, place: int) -> Floats:
        """The quality of every item when the operator at `place` of the stream is worked on, (items,)."""
        return self._after if place >= self.drift_place else self._before

    @property
    def drift_place(self) -> int:
        """Place of the first operator after the drift; beyond the stream when there is none."""
        whole = len(self.operators)
        if not self.regime.drift:
            return whole + 1
        return round(whole * self.regime.drift_at)

    @property
    def final_quality(self) -> Floats:
        """Quality at the end of the stream, which a frozen bank is judged by, (items,)."""
        return self.quality(len(self.operators))

    def is_good(self, quality: Floats) -> NDArray[np.bool_]:
        """Which items are good by this quality, (items,)."""
        return quality > _GOOD_FROM

    def true_effects(self) -> Floats:
        """The change of the chance to meet the own need by using an item alone, at the end, (items,)."""
        quality = self.final_quality
        base = self.regime.base_rate[_EFFECT_LEVEL]
        share = np.where(self.is_good(quality), 1.0, self.regime.kept)
        missed_by_both = (1 - quality) * (1 - base)
        effects: Floats = (1 - missed_by_both) * share - base
        return effects

    def _draw_good(self, rng: np.random.Generator, need: int) -> NDArray[np.int64]:
        """Draw which items of a need are good, and how good; returns their numbers."""
        regime = self.regime
        fewest, most = regime.good
        number = int(rng.integers(fewest, most + 1))
        first_of_need = need * regime.per_need
        places = rng.choice(regime.per_need, number, replace=False)
        good = first_of_need + places
        self._before[good] = rng.uniform(*regime.good_quality, size=number)
        return good

    def _items_of(self, need: int) -> NDArray[np.int64]:
        first = need * self.regime.per_need
        return np.arange(first, first + self.regime.per_need)

    def _place_companions(
        self, rng: np.random.Generator, good_of: list[NDArray[np.int64]]
    ) -> None:
        """Put a decoy of the same need beside every good item: no search can tell the two apart."""
        for need, good_items in enumerate(good_of):
            decoys = np.setdiff1d(self._items_of(need), good_items)
            # Fewer decoys than good items leave some of these alone.
            for decoy, neighbour in zip(decoys, good_items, strict=False):
                noise = _noise(rng, (self.regime.dimensions,))
                beside = self.vectors[neighbour] + _TWIN_NOISE * noise
                self.vectors[decoy] = _unit(beside)
                self.neighbour[decoy] = neighbour

    def _draw_operators(
        self, rng: np.random.Generator
    ) -> tuple[SyntheticOperator, ...]:
        regime = self.regime
        # Zipf's law: the need of rank r occurs in proportion to 1 / r^zipf.
        ranks = np.arange(1, regime.needs + 1)
        weights = rng.permutation(1 / ranks**regime.zipf)
        weights /= weights.sum()
        operators = []
        for level, number in enumerate(regime.levels):
            for index in range(number):
                name = f"Synthetic{level + 1}x{index}"
                operators.append(self._draw_operator(rng, name, level, weights))
        order = rng.permutation(len(operators))
        return tuple(operators[place] for place in order)

    def _draw_operator(
        self, rng: np.random.Generator, name: str, level: int, weights: Floats
    ) -> SyntheticOperator:
        """Draw an operator; `weights`: how often each need occurs, (needs,), of sum 1."""
        regime = self.regime
        corr_count = regime.corr_needs[level]
        opt_count = regime.opt_needs[level]
        count = corr_count + opt_count
        needs = rng.choice(regime.needs, count, replace=False, p=weights).tolist()
        gains = rng.uniform(*regime.gain, size=opt_count).tolist()
        # Log-normal: `torch` has the median of the ratio and sigma of its logarithm.
        median, sigma = regime.torch
        torch = float(np.exp(rng.normal(np.log(median), sigma)))
        levers = needs[corr_count:]
        return SyntheticOperator(
            name=name,
            level=level,
            corr=tuple(needs[:corr_count]),
            opt=tuple(levers),
            gains=dict(zip(levers, gains, strict=True)),
            torch=torch,
            vector=_unit(rng.normal(size=regime.dimensions)),
        )

    def _drifted(
        self, rng: np.random.Generator, good_of: list[NDArray[np.int64]]
    ) -> Floats:
        """The quality of every item after the drift: of some needs good and decoy change places, (items,)."""
        regime = self.regime
        after = self._before.copy()
        drifting = round(regime.drift * regime.needs)
        for need in rng.permutation(regime.needs)[:drifting]:
            good = good_of[need]
            others = np.setdiff1d(self._items_of(need), good)
            decoys = rng.permutation(others)[: len(good)]
            after[decoys] = self._before[good][: len(decoys)]
            after[good] = regime.decoy_quality
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
    """Each vector, the last axis, scaled to length 1."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Floats = vectors / lengths
    return scaled


def _noise(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Normal vectors, the last axis, of expected length 1 in whatever dimensions."""
    scaled: Floats = rng.normal(size=shape) / np.sqrt(shape[-1])
    return scaled
