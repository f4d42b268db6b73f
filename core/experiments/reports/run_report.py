"""What a run did, operator by operator: the report a person shares when it has ended."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.analysis import queries
from core.analysis.results import RunResults, read_runs
from core.diff.patch import patch_of
from core.evaluation.records import (
    Latency,
    origin_words,
)
from core.experiments.plans.plan import arm_name
from core.experiments.reports.report import ArmFigures, arm_figures
from core.experiments.reports.trust import UNFINISHED, trust_notes, watermarks
from core.experiments.running.trials import Trial, trials_of
from core.models.prices import Prices
from core.same_fields import record_of
from core.workspace import Workspace
from core.workspace.rows import LISTED, listed, named

_SEED = 0  # of the intervals
_SHOWN = {"local": "this computer"}


@dataclass(frozen=True)
class ToldRound:
    """One evaluated round.

    Attributes:
        number: From 1 on.
        objective: corr or opt.
        verdict: Class of the outcome.
        cause: Of a failure, its first line; empty otherwise.
        latency: With its origin; None where the kernel was not timed.
        host: Who evaluated it.
        device: On what.
        seconds: Of the evaluation.
        candidate: Digest of the kernel.
        by_hand: Whether a person wrote the kernel.
        copied: Whether it was another run's, with which a fork begins.
    """

    number: int
    objective: str
    verdict: str
    cause: str
    latency: Latency | None
    host: str
    device: str
    seconds: float
    candidate: str
    by_hand: bool = False
    copied: bool = False

    @property
    def failed(self) -> bool:
        """Whether the kernel was refused; a fault of the environment is none of the kernel's."""
        return self.verdict.startswith("fail")

    @property
    def trust(self) -> str:
        """Where the latency comes from: origin, clock, runs, device and host. Empty without one."""
        if self.latency is None:
            return ""
        latency = self.latency
        clock = f" by {latency.clock}" if latency.clock else ""
        runs = f"mean of {latency.n} runs" if latency.n else ""
        device = latency.device or self.device
        host = _SHOWN.get(self.host, self.host)
        parts = (
            f"{origin_words(latency.stored_origin)}{clock}",
            runs,
            *dict.fromkeys((device, host)),
        )
        return ", ".join(filter(None, parts))


@dataclass(frozen=True)
class Story:
    """One operator of the run: its rounds, and what the best kernel changed in the first correct one.

    Attributes:
        trial: What the metrics take.
        arm: Name of the run it belongs to.
        stopped: Why it ended, for a reader.
        began: ISO time.
        ended: ISO time, empty where it was interrupted.
        rounds: Evaluated ones, in order.
        first: The first correct one; None where no kernel is correct.
        best: The fastest correct one.
        patch: Unified diff from the first correct kernel to the best; empty where they are the same.
        learnt: Titles of the experiences distilled from it.
        edited: Whether a person edited one of its kernels: told apart, and in no figure.
    """

    trial: Trial
    arm: str
    stopped: str
    began: str
    ended: str
    rounds: tuple[ToldRound, ...]
    first: ToldRound | None
    best: ToldRound | None
    patch: str
    learnt: tuple[str, ...]
    edited: bool

    @property
    def own(self) -> tuple[ToldRound, ...]:
        """The rounds it played itself."""
        return tuple(entry for entry in self.rounds if not entry.copied)


@dataclass(frozen=True)
class CreditRow:
    """What the run made of one experience: episodes that retrieved and adopted it, and its utility."""

    uid: str
    title: str
    retrieved: int
    adopted: int
    before: float
    after: float


@dataclass(frozen=True)
class RunReport:
    """Everything the page shows.

    Attributes:
        name: Of the workspace.
        began: ISO time of the first trajectory, empty where there is none.
        ended: ISO time of the last end.
        watermarks: What a reader must not overlook; `replayed` is one.
        notes: Trust lines, and what a reader has to know.
        arms: One row of figures for every run in it.
        stories: Operators, in the order they were begun.
        failures: Failed rounds by class, the most frequent first.
        left: Entries of the queue without a result: operator, state and reason.
        credits: Experiences whose utility the run changed, the largest change first.
        residents: Titles of experiences by what became of them: validated, promoted or demoted.
    """

    name: str
    began: str
    ended: str
    watermarks: tuple[str, ...]
    notes: tuple[str, ...]
    arms: tuple[ArmFigures, ...]
    stories: tuple[Story, ...]
    failures: tuple[tuple[str, int], ...]
    left: tuple[tuple[str, str, str], ...]
    credits: tuple[CreditRow, ...]
    residents: Mapping[str, tuple[str, ...]]

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The rows of all operators."""
        return tuple(story.trial for story in self.stories)


def trajectories_since(db: sqlite3.Connection, since: str) -> frozenset[str]:
    """Trajectories that something was done for at or after an ISO time, or all for an empty one."""
    rows = db.execute(
        "SELECT uid FROM trajectory t WHERE coalesce(finished_at, '') >= ?1 OR EXISTS (SELECT 1 FROM round r "
        "WHERE r.trajectory_uid = t.uid AND r.finished_at >= ?1)",
        (since,),
    )
    return frozenset(row[0] for row in rows)


def run_report(
    workspace: Workspace,
    name: str,
    prices: Mapping[str, Prices] | None = None,
    only: Collection[str] | None = None,
) -> RunReport:
    """Read what the runs of a workspace did.

    Args:
        workspace: Reading is enough.
        name: Of the workspace, for the title.
        prices: By model, as trajectories name it; models without prices are not in it.
        only: Uids of the trajectories to tell; None for all.
    """
    trials, arms = list[Trial](), list[ArmFigures]()
    for run in read_runs(workspace.db):
        price = (prices or {}).get(run.kind.model, Prices())
        rows = list(trials_of(workspace, run, _named(run), price, only))
        trials += rows
        if any(row.counts for row in rows):
            arms.append(arm_figures(rows, _title(run), _SEED))
    uids = [trial.trajectory for trial in trials]
    stories = _stories(workspace.db, trials)
    failures = Counter(
        entry.verdict for story in stories for entry in story.own if entry.failed
    )
    incomplete = any(not trial.complete for trial in trials)
    return RunReport(
        name=name,
        began=min((story.began for story in stories), default=""),
        ended=max((story.ended for story in stories), default=""),
        watermarks=(*watermarks(trials, {}), *((UNFINISHED,) if incomplete else ())),
        notes=trust_notes(trials, (), {}),
        arms=tuple(arms),
        stories=stories,
        failures=tuple(failures.most_common()),
        left=_unfinished_entries(workspace.db, set(uids)),
        credits=_credits(workspace.db, uids),
        residents=_residents(workspace.db, uids),
    )


def _named(run: RunResults) -> tuple[str, str, int]:
    """A run as the arm of a table: what tells it apart, its model, and 1, for a repetition is another run."""
    kind = run.kind
    again = f"#{kind.number}" if kind.number > 1 else ""
    return (
        " ".join(part for part in (kind.label, kind.method, again) if part),
        kind.model,
        1,
    )


def _title(run: RunResults) -> str:
    """Where kernels came from and who evaluated them."""
    return f"{run.kind.model_origin} · {run.kind.judge}"


def _stories(db: sqlite3.Connection, trials: Sequence[Trial]) -> tuple[Story, ...]:
    """What became of every trajectory, in the order in which they began."""
    rows = named(
        db.execute(
            "SELECT uid, stop_reason, started_at, coalesce(finished_at, '') AS ended, "
            "first_correct_round AS first, best_round AS best, forked_from, forked_round FROM trajectory"
        )
    )
    row_of = {row["uid"]: row for row in rows}
    learnt = _learnt(db)
    stories = [_story(db, trial, row_of[trial.trajectory], learnt) for trial in trials]
    return tuple(sorted(stories, key=lambda story: (story.began, story.trial.operator)))


def _story(
    db: sqlite3.Connection,
    trial: Trial,
    row: Mapping[str, Any],
    learnt: Mapping[str, tuple[str, ...]],
) -> Story:
    """The rounds of one trajectory, and the difference of its first correct and its best kernel."""
    rounds = _rounds(db, trial.trajectory, row["forked_round"])
    by_number = {entry.number: entry for entry in rounds}
    first = by_number.get(row["first"])
    best = by_number.get(row["best"], first)
    patch = ""
    if first is not None and best is not None and first.candidate != best.candidate:
        files = (
            queries.candidate_files(db, entry.candidate) for entry in (first, best)
        )
        patch = patch_of(*files)
    return Story(
        trial=trial,
        arm=arm_name(trial.arm, trial.backbone),
        stopped=row["stop_reason"],
        began=row["started_at"],
        ended=row["ended"],
        rounds=rounds,
        first=first,
        best=best,
        patch=patch,
        learnt=learnt.get(trial.trajectory, ()),
        edited=bool(row["forked_from"]),
    )


def _rounds(
    db: sqlite3.Connection, trajectory: str, copied: int
) -> tuple[ToldRound, ...]:
    """The evaluated rounds; those up to `copied` were another run's."""
    return tuple(
        record_of(
            ToldRound,
            evaluation,
            number=row.round,
            objective=row.objective,
            verdict=row.verdict,
            cause=(row.cause or evaluation.cause).strip().partition("\n")[0],
            candidate=row.candidate,
            by_hand=row.author == "person",
            copied=row.round <= copied,
        )
        for row in queries.rounds(db, trajectory)
        if (evaluation := queries.evaluation(db, row.evaluation)) is not None
    )


def _learnt(db: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    """Trajectory -> titles of what was distilled from it."""
    rows = db.execute(
        "SELECT i.title, (SELECT t.uid FROM trajectory t WHERE i.source = 'distilled from ' || t.operator "
        "AND t.forked_from = '' AND t.started_at <= i.created_at ORDER BY t.started_at DESC LIMIT 1) AS uid "
        "FROM item i WHERE i.origin = 'distilled' ORDER BY i.id"
    )
    titles: dict[str, tuple[str, ...]] = {}
    for title, uid in rows:
        if uid:
            titles[uid] = (*titles.get(uid, ()), title)
    return titles


def _unfinished_entries(
    db: sqlite3.Connection, reported: set[str]
) -> tuple[tuple[str, str, str], ...]:
    """Operator, state and reason of the entries of the queue that no trial reports."""
    rows = db.execute(
        "SELECT operator, state, reason, coalesce(trajectory_uid, '') FROM queue_entry "
        "WHERE state IN ('failed', 'cancelled', 'queued') ORDER BY position, id"
    )
    return tuple(
        (operator, state, reason)
        for operator, state, reason, uid in rows.fetchall()
        if uid not in reported
    )


def _credits(db: sqlite3.Connection, uids: Sequence[str]) -> tuple[CreditRow, ...]:
    rows = db.execute(
        "SELECT i.uid, i.title, c.adopted, c.u_before, c.u_after FROM credit_event c "
        "JOIN episode e ON e.uid = c.episode_uid JOIN item i ON i.id = c.item_id "
        f"WHERE e.trajectory_uid IN {LISTED} ORDER BY c.seq",
        (listed(uids),),
    )
    credit_of: dict[str, CreditRow] = {}
    for uid, title, adopted, before, after in rows:
        old = credit_of.get(uid) or CreditRow(uid, title, 0, 0, before, before)
        credit_of[uid] = CreditRow(
            uid, title, old.retrieved + 1, old.adopted + adopted, old.before, after
        )
    return tuple(
        sorted(credit_of.values(), key=lambda row: -abs(row.after - row.before))
    )


def _residents(
    db: sqlite3.Connection, uids: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    rows = db.execute(
        f"SELECT effect FROM episode WHERE status = 'applied' AND trajectory_uid IN {LISTED} ORDER BY seq",
        (listed(uids),),
    )
    effects: dict[str, list[str]] = {}
    for (effect,) in rows.fetchall():
        for what, items in json.loads(effect).items():
            effects.setdefault(what, []).extend(items)
    titles = dict(
        db.execute(
            f"SELECT uid, title FROM item WHERE uid IN {LISTED}",
            (listed(sorted({uid for items in effects.values() for uid in items})),),
        ).fetchall()
    )
    return {
        what: tuple(dict.fromkeys(titles.get(uid, uid) for uid in items))
        for what, items in effects.items()
        if items
    }
