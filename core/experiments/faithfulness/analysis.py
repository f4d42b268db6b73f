"""Is adoption true? Recorded rounds again, with the experience removed, shuffled, corrupted or irrelevant.

The method trusts the agent's word about what it adopted. Here the same rounds are played again without that
experience, and without single adopted items, so that the word stands beside an effect. This module says which
rounds are played and what the outcomes amount to; `faithfulness_live` asks a model and a judge.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from core.experiments.statistics import (
    bootstrap_interval,
    mean_interval,
    rank_correlation,
    sign_flip_p,
)
from core.method.objective import Objective
from core.workspace import Workspace

_LEAST_ITEMS = 4  # a rank correlation of fewer says nothing
Interval = tuple[float, float] | None


class Condition(StrEnum):
    """What became of the retrieved experience in a round that is played again."""

    ORIGINAL = "original"  # as it was: the model's own spread
    REMOVED = "removed"
    SHUFFLED = "shuffled"
    CORRUPTED = "corrupted"
    IRRELEVANT = "irrelevant"
    MASKED = "masked"  # all but one item that was adopted


ALTERED = (
    Condition.REMOVED,
    Condition.SHUFFLED,
    Condition.CORRUPTED,
    Condition.IRRELEVANT,
)


@dataclass(frozen=True, slots=True)
class RecordedRound:
    """An evaluated round of a workspace.

    Attributes:
        trajectory: uid of the trajectory.
        round: Number within it.
        episode: uid of the episode.
        operator: Its name.
        objective: corr or opt.
        retrieved: R_t in rank order.
        adopted: Those of it that were recorded as adopted.
    """

    trajectory: str
    round: int
    episode: str
    operator: str
    objective: Objective
    retrieved: tuple[str, ...]
    adopted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One round to be played again; `item` is the masked one."""

    of: RecordedRound
    condition: Condition
    item: str = ""
    repeat: int = 0

    @property
    def key(self) -> tuple[str, int, str, str, int]:
        """Identity within a study."""
        return (
            self.of.trajectory,
            self.of.round,
            self.condition.value,
            self.item,
            self.repeat,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a trial ended.

    Attributes:
        trajectory: Of its round.
        round: Its number.
        condition: What became of the experience.
        item: The masked one.
        repeat: Number of the repeat.
        success: A correct kernel (corr) or one faster than the best before (opt); None when the environment
            failed, which counts nowhere.
        shown: uids of the experiences in the prompt.
        adopted: Those of them recorded as adopted.
        note: Why there was nothing to judge, else empty.
        tokens: Prompt and reply together, None where the model does not tell.
    """

    trajectory: str
    round: int
    condition: Condition
    item: str
    repeat: int
    success: bool | None
    shown: tuple[str, ...] = ()
    adopted: tuple[str, ...] = ()
    note: str = ""
    tokens: int | None = None

    @property
    def key(self) -> tuple[str, int, str, str, int]:
        """Identity of its trial."""
        return (
            self.trajectory,
            self.round,
            self.condition.value,
            self.item,
            self.repeat,
        )


@dataclass(frozen=True)
class Declared:
    """What the traces of a memory say of an item: evaluated rounds it was in, and adopted in; its utility."""

    uid: str
    title: str
    retrieved: int
    adopted: int
    u: float

    @property
    def rate(self) -> float:
        """Share of its retrievals in which it was adopted."""
        return self.adopted / self.retrieved


@dataclass(frozen=True)
class ConditionEffect:
    """An altered condition beside the original one, over the rounds that have both.

    Attributes:
        condition: Which.
        rounds: How many.
        original: Share of successes with the experience as it was.
        altered: Share of successes under the condition.
        effect: Their mean paired difference: what the experience, or its content, was worth.
        interval: 95 %, rounds drawn again.
        p: One-sided paired permutation test of effect > 0.
        adoption: Share of what was shown that was recorded as adopted; None where nothing is shown.
        nothing_to_judge: Replies without a usable kernel, which count as failures.
    """

    condition: Condition
    rounds: int
    original: float
    altered: float
    effect: float
    interval: Interval
    p: float
    adoption: float | None
    nothing_to_judge: int


@dataclass(frozen=True)
class ItemEffect:
    """What masking an adopted item cost, beside what was declared of it.

    Attributes:
        declared: What the traces say.
        occasions: Rounds it was masked in.
        effect: Success with it minus success without it, the mean over them.
        interval: 95 %, rounds drawn again; None for a single one.
    """

    declared: Declared
    occasions: int
    effect: float
    interval: Interval


@dataclass(frozen=True)
class TestedAdoption:
    """An adoption of an episode put to the test: its rounds again without the item.

    Attributes:
        episode: uid.
        item: uid.
        occasions: Rounds that adopted it and were played again with and without it.
        effect: Success with it minus success without it, the mean over them.
    """

    episode: str
    item: str
    occasions: int
    effect: float

    @property
    def is_upheld(self) -> bool:
        """Whether the rounds needed it; only then a masked replay gives it a share of the score."""
        return self.effect > 0.0


@dataclass(frozen=True)
class Agreement:
    """Rank correlation of something with the causal effect, over the masked items; None: not defined."""

    of: str
    items: int
    rho: float | None
    interval: Interval


@dataclass(frozen=True)
class Faithfulness:
    """The whole study.

    Attributes:
        conditions: What the experience as a whole was worth.
        items: Masked items, largest effect first.
        agreement: Whether utility, and declared adoption, rank items as the effect does.
        bypassed: Items retrieved and never adopted.
        retrieved: Items retrieved.
        unused: Share of all retrievals that were not adopted.
        void: Trials the environment spoiled.
    """

    conditions: tuple[ConditionEffect, ...]
    items: tuple[ItemEffect, ...]
    agreement: tuple[Agreement, ...]
    bypassed: int
    retrieved: int
    unused: float
    void: int

    @property
    def bypass_rate(self) -> float:
        """Share of the retrieved items that were never adopted."""
        return self.bypassed / self.retrieved if self.retrieved else 0.0


# ---- what is played


def recorded_rounds(workspace: Workspace) -> tuple[RecordedRound, ...]:
    """Every evaluated round of applied episodes whose records count and that retrieved something."""
    rows = workspace.db.execute(
        "SELECT e.trajectory_uid, t.round, e.uid, e.operator, e.objective, item.uid, t.state = 'adopted' "
        "FROM trace AS t JOIN episode AS e ON e.uid = t.episode_uid JOIN item ON item.id = t.item_id "
        "WHERE t.counted = 1 AND e.status = 'applied' ORDER BY e.seq, t.round, t.rank"
    ).fetchall()
    retrieved: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for row in rows:
        retrieved.setdefault((row[0], row[1]), []).append(tuple(row))
    return tuple(
        RecordedRound(
            trajectory,
            number,
            hits[0][2],
            hits[0][3],
            Objective(hits[0][4]),
            tuple(hit[5] for hit in hits),
            tuple(hit[5] for hit in hits if hit[6]),
        )
        for (trajectory, number), hits in retrieved.items()
    )


def declared_adoption(workspace: Workspace) -> dict[str, Declared]:
    """What the traces say of every item that was retrieved, by uid."""
    rows = workspace.db.execute(
        "SELECT item.uid, item.title, count(*), sum(t.state = 'adopted'), item.u_m FROM trace AS t "
        "JOIN episode AS e ON e.uid = t.episode_uid JOIN item ON item.id = t.item_id "
        "WHERE t.counted = 1 AND e.status = 'applied' GROUP BY item.id ORDER BY item.id"
    )
    return {row[0]: Declared(*row) for row in rows}


def planned_trials(
    rounds: Sequence[RecordedRound],
    sample: int,
    repeats: int,
    seed: int,
    conditions: Sequence[Condition] = ALTERED,
) -> tuple[Trial, ...]:
    """The trials of a study: a simple random sample of rounds, each in every condition.

    Every adopted item of a sampled round is masked once per repeat. The original comes with every round, for
    a model that is asked again answers differently by itself.

    Args:
        rounds: To draw from.
        sample: How many; 0: all.
        repeats: Of each trial.
        seed: Of the sample.
        conditions: Altered ones, in which the whole experience of a round is played.
    """
    places = sorted(
        random.Random(seed).sample(
            range(len(rounds)), min(sample or len(rounds), len(rounds))
        )
    )
    trials: list[Trial] = []
    for place in places:
        recorded = rounds[place]
        for repeat in range(repeats):
            trials.append(Trial(recorded, Condition.ORIGINAL, repeat=repeat))
            trials += [
                Trial(recorded, condition, repeat=repeat) for condition in conditions
            ]
            trials += [
                Trial(recorded, Condition.MASKED, item, repeat)
                for item in recorded.adopted
            ]
    return tuple(trials)


# ---- what it amounts to


def tested_adoptions(
    outcomes: Sequence[Outcome], rounds: Iterable[RecordedRound]
) -> tuple[TestedAdoption, ...]:
    """The adoptions of episodes that a study put to the test, in the order of their rounds."""
    rates = _success_rates(outcomes)
    original = rates.get((Condition.ORIGINAL, ""), {})
    effects: dict[tuple[str, str], list[float]] = {}
    for recorded in rounds:
        place = (recorded.trajectory, recorded.round)
        for item in recorded.adopted:
            masked = rates.get((Condition.MASKED, item), {}).get(place)
            if masked is not None and place in original:
                differences = effects.setdefault((recorded.episode, item), [])
                differences.append(original[place] - masked)
    return tuple(
        TestedAdoption(
            episode, item, len(differences), sum(differences) / len(differences)
        )
        for (episode, item), differences in effects.items()
    )


_Rates = dict[tuple[Condition, str], dict[tuple[str, int], float]]


def _success_rates(outcomes: Sequence[Outcome]) -> _Rates:
    """(condition, masked item) -> (trajectory, round) -> share of successes over the repeats."""
    grouped: dict[tuple[Condition, str, str, int], list[bool]] = {}
    for entry in outcomes:
        if entry.success is not None:
            key = (entry.condition, entry.item, entry.trajectory, entry.round)
            grouped.setdefault(key, []).append(entry.success)
    rates: _Rates = {}
    for (condition, item, trajectory, number), successes in grouped.items():
        share = sum(successes) / len(successes)
        rates.setdefault((condition, item), {})[trajectory, number] = share
    return rates


def analysed(
    outcomes: Sequence[Outcome], declared: Mapping[str, Declared]
) -> Faithfulness:
    """What the outcomes of a study say; see `Faithfulness`."""
    judged = [outcome for outcome in outcomes if outcome.success is not None]
    rates = _success_rates(judged)
    original = rates.get((Condition.ORIGINAL, ""), {})
    items = tuple(
        sorted(
            (
                _item_effect(declared[item], original, rates_of_item)
                for (condition, item), rates_of_item in rates.items()
                if condition is Condition.MASKED
                and item in declared
                and rates_of_item.keys() & original.keys()
            ),
            key=lambda entry: (-entry.effect, entry.declared.uid),
        )
    )
    retrievals = sum(entry.retrieved for entry in declared.values())
    adoptions = sum(entry.adopted for entry in declared.values())
    return Faithfulness(
        conditions=tuple(
            _condition_effect(condition, original, rates[condition, ""], judged)
            for condition in ALTERED
            if rates.get((condition, ""), {}).keys() & original.keys()
        ),
        items=items,
        agreement=(
            _agreement("u", items, lambda entry: entry.declared.u),
            _agreement("declared adoption", items, lambda entry: entry.declared.rate),
        ),
        bypassed=sum(not entry.adopted for entry in declared.values()),
        retrieved=len(declared),
        unused=1 - adoptions / retrievals if retrievals else 0.0,
        void=len(outcomes) - len(judged),
    )


def _condition_effect(
    condition: Condition,
    original: Mapping[tuple[str, int], float],
    altered: Mapping[tuple[str, int], float],
    outcomes: Sequence[Outcome],
) -> ConditionEffect:
    """What a condition changed in the success of the rounds that were played with it and without it."""
    both = sorted(original.keys() & altered.keys())
    differences = np.array([original[key] - altered[key] for key in both])
    mine = [outcome for outcome in outcomes if outcome.condition is condition]
    item_count = sum(len(outcome.shown) for outcome in mine)
    return ConditionEffect(
        condition=condition,
        rounds=len(both),
        original=float(np.mean([original[key] for key in both])),
        altered=float(np.mean([altered[key] for key in both])),
        effect=float(differences.mean()),
        interval=mean_interval(differences),
        p=sign_flip_p(list(differences)),
        adoption=sum(len(outcome.adopted) for outcome in mine) / item_count
        if item_count
        else None,
        nothing_to_judge=sum(bool(outcome.note) for outcome in mine),
    )


def _item_effect(
    declared: Declared,
    original: Mapping[tuple[str, int], float],
    masked: Mapping[tuple[str, int], float],
) -> ItemEffect:
    """What an item did for the rounds that were played with it and with it masked."""
    both = sorted(original.keys() & masked.keys())
    differences = np.array([original[key] - masked[key] for key in both])
    return ItemEffect(
        declared, len(both), float(differences.mean()), mean_interval(differences)
    )


def _agreement(
    name: str, items: Sequence[ItemEffect], value: Callable[[ItemEffect], float]
) -> Agreement:
    """How far a declared number of the items ranks them as their effects do, with its interval."""
    if len(items) < _LEAST_ITEMS:
        return Agreement(name, len(items), None, None)
    values = [value(entry) for entry in items]
    effects = [entry.effect for entry in items]

    def again(rows: NDArray[np.int64]) -> float | None:
        return rank_correlation([values[i] for i in rows], [effects[i] for i in rows])

    return Agreement(
        name,
        len(items),
        rank_correlation(values, effects),
        bootstrap_interval(again, len(items)),
    )
