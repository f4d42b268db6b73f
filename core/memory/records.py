"""What the memory M = (C, H) holds and answers, as plain frozen data with the paper's field names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from core.method.parameters import MethodParameters
from core.same_fields import record_of

# The types of experience: what prompts offer, drafts use and filters list.
# Of an experience distilled from a trajectory.
TYPES = (
    "compile_error",
    "build_failure",
    "runtime_failure",
    "wrong_result",
    "api_misuse",
    "synchronisation",
    "precision",
    "correctness",
    "tiling",
    "performance",
    "algorithmic_optimization",
    "debugging",
)
# Of an experience mined from an expert's kernel.
MINED_TYPES = ("implementation_pattern", "performance", "api_usage")


class Lifecycle(StrEnum):
    """sigma_m: consolidated items are resident in H, validated ones have passed the gates."""

    NORMAL = "normal"
    VALIDATED = "validated"
    CONSOLIDATED = "consolidated"


class ItemState(StrEnum):
    """Whether the item takes part. Only active items are retrieved or resident."""

    PENDING = "pending"
    ACTIVE = "active"
    QUARANTINED = "quarantined"
    DISABLED = "disabled"
    ARCHIVED = "archived"


class Origin(StrEnum):
    """How an item came into the memory."""

    SEED = "seed"
    DISTILLED = "distilled"
    MINED = "mined"
    USER = "user"
    IMPORT = "import"


class AdoptionState(StrEnum):
    """a_{m,t}: adopted, not adopted, or (bottom) unresolved. Unresolved is never read as not adopted."""

    ADOPTED = "adopted"
    NOT_ADOPTED = "not_adopted"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True)
class CodeDiff:
    """Minimal incorrect and correct code pair; either may be empty."""

    wrong_code: str = ""
    correct_code: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an experience holds; an empty list means everywhere.

    `work` are kinds of work of `core.operators.kinds_of_work`, of which an operator has one or more.
    """

    soc: tuple[str, ...] = ()
    cann: tuple[str, ...] = ()
    dtype: tuple[str, ...] = ()
    work: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Experience:
    """The content of a memory item, as it is written (paper, "Schema of a memory-item record").

    Attributes:
        title: Compact retrieval-facing rule.
        type: Kind of experience, used for filtering, e.g. `api_misuse`, `algorithmic_optimization`.
        category: Operator or failure category, e.g. `Scan/Reduction`.
        error_message: Failure or inefficiency that motivated the item.
        code_diff: Wrong and correct code.
        summary: Compressed explanation stored for retrieval.
        scope: SoCs, CANN versions, dtypes and kinds of work it holds for.
        source: Where it comes from, for a reader.
    """

    title: str
    type: str
    category: str
    error_message: str = ""
    code_diff: CodeDiff = CodeDiff()
    summary: str = ""
    scope: Scope = Scope()
    source: str = ""


@dataclass(frozen=True, slots=True)
class ContentChange:
    """What was written to an item at a time: column -> value as stored."""

    at: str
    fields: dict[str, str | int]


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One item with its evidence. Field names up to `density` are the paper's.

    Attributes:
        id: Number within this workspace.
        u_m: Utility in [-q, 1].
        n_ret: Episodes in which it was retrieved.
        n_ado: Episodes in which it was adopted.
        L_m: Tokens of the rendered rule line, 0 while there is no rule.
        hot_last_used_episode: seq of the episode that last used the resident rule.
        p_hat: Access frequency in [0, 1].
        n_elig: Episodes in which it could have been retrieved.
        density: U(m) = u_m p_hat / L_m, utility per token.
        uid: Identity across workspaces.
        rev: Revision of the content: the seq of the event that wrote it.
        created_seq: Position in the sequence of memory events.
        demoted_seq: Event by which a person, or a new time model, demoted its rule, None once it is resident again.
        p_hat_ema: Moving average of its use, which `p_hat` is once it was resident; None before.
    """

    id: int
    title: str
    type: str
    category: str
    error_message: str
    code_diff: CodeDiff
    summary: str
    u_m: float
    n_ret: int
    n_ado: int
    adopted_operators: tuple[str, ...]
    sigma: Lifecycle
    L_m: int
    hot_region: bool
    hot_last_used_episode: int | None
    p_hat: float
    n_elig: int
    density: float
    uid: str
    scope: Scope
    origin: Origin
    source: str
    state: ItemState
    state_reason: str
    rule_text: str
    rule_example: str
    auto_title: bool
    tokenizer_id: str
    pinned: bool
    barred: bool
    rev: int
    created_seq: int
    created_at: str
    demoted_seq: int | None = None
    p_hat_ema: float | None = None

    @property
    def experience(self) -> Experience:
        """The content alone."""
        return record_of(Experience, self)


@dataclass(frozen=True, slots=True)
class HotEntry:
    """One resident of a snapshot (paper, "Schema of a hot-memory snapshot"). `c_tokens` is L_m."""

    id: int
    title: str
    c_tokens: int
    u: float
    p_hat: float
    density: float


@dataclass(frozen=True, slots=True)
class HotSnapshot:
    """Hot memory after an episode. `created_at` has the paper's form `YYYYMMDD_HHMMSS` (UTC)."""

    session_id: int
    created_at: str
    budget: int
    n_ops: int
    hot_entries: tuple[HotEntry, ...]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One member of R_t with the reason for its rank.

    Attributes:
        uid: The item.
        rank: 1 is first.
        rank_before: Rank by relevance alone; None when R_t was prescribed by a recording.
        coverage: Sparse part in [0, 1): share of the query's attainable BM25 score; None when prescribed.
        cosine: Dense part in [-1, 1]; None when no encoder took part.
        s_rel: Relevance in [0, 100].
        u: Utility it was ranked with.
        s: Score after utility, s_rel (1 + gamma u).
        id: Number of the item within this workspace.
    """

    uid: str
    rank: int
    u: float
    rank_before: int | None = None
    coverage: float | None = None
    cosine: float | None = None
    s_rel: float | None = None
    s: float | None = None
    id: int = 0


@dataclass(frozen=True, slots=True)
class EpisodeStart:
    """What an episode sees for its whole length.

    Attributes:
        uid: The episode.
        memory_seq: Position in the event sequence; retrieval does not see what is learnt after it.
        hot_block: Rendered resident rules, empty when there are none; frozen for the episode.
        residents: uids of the residents in the order of the block.
    """

    uid: str
    memory_seq: int
    hot_block: str
    residents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EpisodeOutcome:
    """How an episode ended.

    Attributes:
        uid: The episode.
        correct: Whether a correct kernel is there (corr).
        t_first: Latency of the first correct kernel in us (opt).
        t_best: Latency of the best correct kernel in us (opt).
        completes_trajectory: Whether no further episode of the trajectory follows; counts in the snapshot's
        n_ops.
        proven: Whether the gain is larger than what the time model leaves open (opt; docs/method.md, H″).
    """

    uid: str
    correct: bool
    t_first: float | None = None
    t_best: float | None = None
    completes_trajectory: bool = False
    proven: bool = True


@dataclass(frozen=True, slots=True)
class CreditEvent:
    """One credit an item received: u_after = (1 - eta) u_before + eta xi."""

    item: str
    adopted: bool
    xi: float
    eta: float
    u_before: float
    u_after: float


@dataclass(frozen=True, slots=True)
class EpisodeEffect:
    """What applying an episode changed.

    Attributes:
        uid: The episode.
        seq: Its position in the event sequence.
        z: Terminal score.
        credits: One per item of R, by item id.
        validated: Items that passed the gates in this episode.
        promoted: Items that became resident.
        demoted: Items that left hot memory.
        unproven: Items that were adopted for a gain the time model does not prove; it admits no rule.
    """

    uid: str
    seq: int
    z: float
    credits: tuple[CreditEvent, ...]
    validated: tuple[str, ...]
    promoted: tuple[str, ...]
    demoted: tuple[str, ...]
    unproven: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Which items a question is about; empty fields do not restrict.

    Attributes:
        types: Allowed experience types.
        categories: Allowed categories.
        soc: The SoC at hand: items scoped to other SoCs are left out.
        cann: The CANN version at hand.
        dtypes: The dtypes at hand: items scoped to none of them are left out.
        work: The kinds of work at hand: items scoped to none of them are left out. None: any may be at hand.
        until_seq: Do not see what was learnt after this position of the event sequence: later items are left
            out, later credit has not changed a utility.
        residents: uids resident then; None: those resident now.
        skip: uids to leave out.
        once: Of items that say the same, only the one that ranks first.
        news: Nothing that every prompt says already, see `core.memory.said`.
    """

    types: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    soc: str = ""
    cann: str = ""
    dtypes: tuple[str, ...] = ()
    work: tuple[str, ...] | None = None
    until_seq: int | None = None
    residents: frozenset[str] | None = None
    skip: frozenset[str] = field(default_factory=frozenset)
    once: bool = False
    news: bool = False


# A retriever as the loop needs it, for instance `Retriever.retrieve`: returns R_t, best first.
Retrieve = Callable[
    [str, int | None, MethodParameters, ItemFilter], tuple[Retrieved, ...]
]
