"""What the questions of `core.memory.views.queries` answer, as plain frozen rows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.memory.records import ContentChange, ItemState, Lifecycle, MemoryItem


class ItemSort(StrEnum):
    """Columns the item table sorts by."""

    ID = "item.id"
    UID = "item.uid"
    TITLE = "item.title COLLATE NOCASE"
    TYPE = "item.type"
    CATEGORY = "item.category"
    LIFECYCLE = "item.sigma"
    STATE = "item.state"
    UTILITY = "item.u_m"
    RETRIEVED = "item.n_ret"
    ADOPTED = "item.n_ado"
    OPERATORS = "operators"
    FREQUENCY = "v.p_hat"
    TOKENS = "item.L_m"
    DENSITY = "v.density"
    RESIDENT = "item.hot_region"
    LAST_USED = "item.hot_last_used_episode"
    CREATED = "item.created_seq"


@dataclass(frozen=True)
class Condition:
    """One query word: see `core.memory.views.search_words`.

    Attributes:
        field: One of `table_query.FIELDS`.
        comparison: `has` of a text, else `=`, `<`, `<=`, `>` or `>=`.
        value: Text, or a number; flags are 0 and 1.
        negated: It must not hold.
    """

    field: str
    comparison: str
    value: str | float
    negated: bool = False


@dataclass(frozen=True)
class TableFilter:
    """What the item table shows; empty fields do not restrict.

    Attributes:
        text: Every word must occur in the uid, title, category, error message, summary or rule.
        resident: True for H only, False for C without H.
        conditions: Query words, all of which must hold.
    """

    text: str = ""
    types: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    lifecycles: tuple[Lifecycle, ...] = ()
    states: tuple[ItemState, ...] = ()
    origins: tuple[str, ...] = ()
    resident: bool | None = None
    pinned: bool | None = None
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class ItemRow:
    """One row of the item table; see `MemoryItem` for the fields. `operators` is |O_m|, `tags` a person's."""

    id: int
    uid: str
    title: str
    type: str
    category: str
    sigma: Lifecycle
    state: ItemState
    u_m: float
    n_ret: int
    n_ado: int
    operators: int
    p_hat: float
    n_elig: int
    L_m: int
    density: float
    hot_region: bool
    hot_last_used_episode: int | None
    pinned: bool
    barred: bool
    origin: str
    created_at: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class CreditRow:
    """One point of an item's utility curve, with what earned it.

    `adopted_together` is |A| of the episode; `seq` is 0 where the episode came with a merged memory.
    """

    seq: int
    episode_uid: str
    trajectory_uid: str
    operator: str
    objective: str
    rule: str
    adopted: bool
    z: float
    adopted_together: int
    xi: float
    eta: float
    u_before: float
    u_after: float
    at: str


@dataclass(frozen=True)
class AdoptionRow:
    """One adoption record of an item. `counted` tells whether its round reached an evaluation."""

    episode_uid: str
    trajectory_uid: str
    operator: str
    objective: str
    round: int
    rank: int
    state: str
    rationale: str
    s_rel: float | None
    u_at: float
    s: float | None
    counted: bool


@dataclass(frozen=True)
class UseRow:
    """One use of the item's resident rule."""

    episode_uid: str
    operator: str
    objective: str
    round: int
    rationale: str
    z: float | None


@dataclass(frozen=True)
class EventRow:
    """One event of curation or creation. `undone_by` is the seq of the undo, None while it holds."""

    seq: int
    kind: str
    item_uid: str
    actor: str
    reason: str
    at: str
    undone_by: int | None


@dataclass(frozen=True)
class SinceDemotion:
    """How far the evidence newer than a person's demotion is; the rule returns when it passes the gates.

    Attributes:
        seq: Event of the demotion.
        u: Utility from the episodes since alone.
        adopted: Adoptions since, of `K_ado`.
        operators: Distinct operators since, of `K_op`.
    """

    seq: int
    u: float
    adopted: int
    operators: int
    K_ado: int
    K_op: int


@dataclass(frozen=True)
class ItemPage:
    """Everything known of one item, newest last in every list."""

    item: MemoryItem
    credits: tuple[CreditRow, ...]
    adoptions: tuple[AdoptionRow, ...]
    uses: tuple[UseRow, ...]
    events: tuple[EventRow, ...]
    history: tuple[ContentChange, ...] = ()
    demotion: SinceDemotion | None = None
    time_model: int = 0
    """The earlier time model some of its evidence is of, 0 for none."""
    unproven: bool = False
    """Whether it fails the gates without gains inside what the time model knows."""

    @property
    def says_nothing_new(self) -> bool:
        """Whether the engine keeps it out of hot memory: every prompt says it already."""
        blocks = [
            event
            for event in self.events
            if event.kind == "block" and event.undone_by is None
        ]
        return self.item.barred and bool(blocks) and blocks[-1].actor == "engine"


@dataclass(frozen=True)
class HotView:
    """Hot memory and who waits for it.

    Attributes:
        budget: B in tokens.
        tokens: Tok(H) of the rendered block.
        residents: Densest first.
        waiting: Validated items with a rule, densest first: next in line.
        unruled: uids of validated items no rule was written for.
        blocked: Validated items that are kept out.
        block: The rendered text.
    """

    budget: int
    tokens: int
    residents: tuple[ItemRow, ...]
    waiting: tuple[ItemRow, ...]
    unruled: tuple[str, ...]
    blocked: int
    block: str
