"""What a run led to.

Results of every operator with their origin, promoted items with their evidence.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass, field

from core.analysis.results import RunResults, read_runs
from core.evaluation.records import (
    Evaluation,
    Latency,
    origin_words,
)
from core.memory.views.queries import item_page
from core.memory.views.rows import ItemPage
from core.method.methods import described
from core.method.parameters import MethodParameters
from core.records_json import decode, from_json
from core.same_fields import record_of
from core.templates import rendered
from core.visible import visible
from core.workspace import Workspace

FORMAT = 1


@dataclass(frozen=True)
class TrajectoryReport:
    """One trajectory of an operator.

    Attributes:
        provider: Who wrote the kernels.
        provider_origin: Whether a live model did, or a recording or a script.
        evaluator: Who judged them.
        state: finished, cancelled, void, or open: interrupted and incomplete. Only the
            first is a result.
        rounds: Rounds used.
        verdicts: Verdict class -> how many rounds had it.
        first: Latency of the first correct kernel with its origin, None when there is
            none.
        best: Latency of the best one.
        retrieved: Adoption records.
        adopted: Those that say adopted.
        model_calls: Replies of the model.
        prompt_tokens: Sum over the calls that reported it, None when none did.
        completion_tokens: As above.
        method: Method, and what was chosen differently from the paper.
        forked_from: The trajectory it begins with, where a person edited the next
            version; else empty.
    """

    trajectory: str
    operator: str
    operator_digest: str
    provider: str
    provider_origin: str
    evaluator: str
    state: str
    stop_reason: str
    rounds: int
    verdicts: dict[str, int]
    first_correct_round: int | None
    best_round: int | None
    first: Latency | None
    best: Latency | None
    retrieved: int
    adopted: int
    model_calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    method: str = ""
    forked_from: str = ""

    @property
    def speedup(self) -> float | None:
        """T_first / T_best, None when either is missing or their origins differ."""
        if self.first is None or self.best is None or not self.best.value:
            return None
        return (
            self.first.value / self.best.value
            if self.first.stored_origin == self.best.stored_origin
            else None
        )


@dataclass(frozen=True)
class Credit:
    """What an episode of this run gave an item."""

    operator: str
    objective: str
    adopted: bool
    xi: float
    u_before: float
    u_after: float


@dataclass(frozen=True)
class PromotedItem:
    """An item that entered hot memory in this run, as it stood at the export.

    Attributes:
        resident: Whether it still is in hot memory.
        credits: Credit from the episodes of this run; `n_ret` may count episodes
            outside it too.
    """

    uid: str
    title: str
    category: str
    rule: str
    u_m: float
    n_ret: int
    n_ado: int
    adopted_operators: tuple[str, ...]
    resident: bool
    credits: tuple[Credit, ...]


@dataclass(frozen=True)
class OriginMetrics:
    """The paper's metrics over one run (`core.analysis.results`).

    `origin` is its name.
    """

    origin: str
    n: int
    solved: int
    compilation_rate: float | None
    execution_rate: float | None
    fast: float | None
    self_speedup: float | None
    reference_speedup: float | None = None
    incomplete: int = 0
    # Level -> share.
    execution_rate_by_level: dict[str, float] = field(default_factory=dict)
    method: str = ""
    model: str = ""
    judge: str = ""
    memory: str = ""
    number: int = 1
    with_reference: int = 0
    self_speedup_range: tuple[float, float] | None = None
    reference_speedup_range: tuple[float, float] | None = None
    edited: bool = False


@dataclass(frozen=True)
class RunReport:
    """Everything a reader needs before opening the workspace.

    Attributes:
        exported_at: UTC.
        counts: Table name -> rows that travel.
        redacted: Strings from which a path or a secret was taken out.
        metrics: The paper's metrics, one entry per run; void and cancelled trajectories
            do not count.
    """

    exported_at: str
    counts: dict[str, int]
    redacted: int
    metrics: tuple[OriginMetrics, ...]
    trajectories: tuple[TrajectoryReport, ...]
    promoted: tuple[PromotedItem, ...]
    format: int = FORMAT


def report_on(workspace: Workspace, *, exported_at: str, redacted: int) -> RunReport:
    """Describe the run a (part of a) workspace holds."""
    db = workspace.db
    tables = (
        "trajectory",
        "episode",
        "round",
        "candidate",
        "model_call",
        "item",
        "credit_event",
    )
    return RunReport(
        exported_at=exported_at,
        counts={
            table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in tables
        },
        redacted=redacted,
        metrics=tuple(map(_metrics, read_runs(db, at_rest=True))),
        trajectories=tuple(
            _trajectory(workspace, row)
            for row in db.execute("SELECT * FROM trajectory ORDER BY rowid").fetchall()
        ),
        promoted=_promoted(db),
    )


def _metrics(run: RunResults) -> OriginMetrics:
    """The metrics of one kind of latency, as the report has them."""
    rates = {
        str(level): rate for level, rate in run.metrics.execution_rate_by_level.items()
    }
    return record_of(
        OriginMetrics,
        {**vars(run.metrics), **vars(run.kind)},
        execution_rate_by_level=rates,
    )


def _trajectory(workspace: Workspace, row: sqlite3.Row) -> TrajectoryReport:
    """What a report says of a trajectory: rounds, verdicts, adoptions, tokens and its best kernels."""
    db, uid = workspace.db, row["uid"]
    rows = db.execute(
        "SELECT round, verdict, evaluation FROM round WHERE trajectory_uid = ? ORDER BY round",
        (uid,),
    ).fetchall()
    rounds = {row["round"]: row for row in rows}
    verdicts = Counter(row["verdict"] for row in rows if row["verdict"])
    retrieved, adopted = db.execute(
        "SELECT count(*), coalesce(sum(t.state = 'adopted'), 0) FROM trace AS t "
        "JOIN episode AS e ON e.uid = t.episode_uid WHERE e.trajectory_uid = ?",
        (uid,),
    ).fetchone()
    calls, prompts, completions = db.execute(
        "SELECT count(*), sum(prompt_tokens), sum(completion_tokens) FROM model_call "
        "WHERE trajectory_uid = ?",
        (uid,),
    ).fetchone()
    return record_of(
        TrajectoryReport,
        dict(row),
        trajectory=uid,
        rounds=len(rounds),
        verdicts=dict(sorted(verdicts.items())),
        first=_latency(workspace, rounds.get(row["first_correct_round"])),
        best=_latency(workspace, rounds.get(row["best_round"])),
        retrieved=retrieved,
        adopted=adopted,
        model_calls=calls,
        prompt_tokens=prompts,
        completion_tokens=completions,
        method=described(
            MethodParameters.from_json(row["parameters"], f"trajectory {uid}")
        ),
    )


def _latency(workspace: Workspace, row: sqlite3.Row | None) -> Latency | None:
    if row is None or not row["evaluation"]:
        return None
    return from_json(
        workspace.text(row["evaluation"]), Evaluation, "evaluation"
    ).latency


def _promoted(db: sqlite3.Connection) -> tuple[PromotedItem, ...]:
    names: dict[str, None] = {}
    for row in db.execute(
        "SELECT effect FROM episode WHERE status = 'applied' ORDER BY seq"
    ):
        names |= dict.fromkeys(decode(row[0], dict[str, list[str]]).get("promoted", ()))
    return tuple(_promoted_item(item_page(db, uid)) for uid in names)


def _promoted_item(page: ItemPage) -> PromotedItem:
    """An item that the run promoted, with the credit that led there."""
    of_this_run = [row for row in page.credits if row.seq]  # others came with a merge
    return record_of(
        PromotedItem,
        page.item,
        rule=page.item.rule_text,
        resident=page.item.hot_region,
        credits=tuple(record_of(Credit, row) for row in of_this_run),
    )


def as_markdown(report: RunReport) -> str:
    """The report for a reader; every latency with unit and origin."""
    return (
        visible(
            rendered("report/run.md", report=report, origin_words=origin_words).rstrip()
        )
        + "\n"
    )
