"""What a run may cost besides its rounds: tokens, money and time, per operator and for the whole run.

Counted from the stored calls, so that a resumed trajectory has spent what it had spent;
the limits of a run count what was spent since it began. Checked before a request: none
is sent once a limit is reached. A limit interrupts, it judges nothing: the trajectory
stays open, and a run that may spend more continues it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import InvalidInput
from core.memory.tokens import EstimatedTokens
from core.models.prices import Prices
from core.text import Text
from core.workspace import now

if TYPE_CHECKING:
    from core.agent.run.journal import Journal


@dataclass(frozen=True)
class Limits:
    """Limits, 0 meaning none.

    Prices are per million tokens, in whatever currency `cost` is in.

    Attributes:
        tokens: Prompt and reply tokens of one operator.
        seconds: Seconds of model and judge for one operator.
        cost: Price of one operator.
        run_tokens: Tokens of the whole run.
        run_seconds: Seconds of model and judge over the whole run.
        run_cost: Price of the whole run.
        price_input: Of prompt tokens.
        price_cached: Of prompt tokens the server had cached.
        price_output: Of reply tokens.
    """

    tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    run_tokens: int = 0
    run_seconds: float = 0.0
    run_cost: float = 0.0
    price_input: float = 0.0
    price_cached: float = 0.0
    price_output: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value >= 0:
                raise InvalidInput("limits", name, "{value} is negative", value=value)
        if (self.cost or self.run_cost) and not any(self.prices):
            raise InvalidInput(
                "limits",
                "cost",
                "there are no prices to count with",
                "State the prices.",
            )

    @property
    def prices(self) -> Prices:
        """What tokens cost."""
        return Prices(self.price_input, self.price_cached, self.price_output)


@dataclass(frozen=True)
class Spent:
    """What was used, or may be; tokens the server did not tell are estimated."""

    tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0


_REACHED = {
    "tokens": "the limit of {tokens:.0f} tokens per {whose} is reached ({used} used)",
    "seconds": "the limit of {seconds:.0f} s per {whose} is reached ({used:.0f} s used)",
    "cost": "the limit of {cost:g} per {whose} is reached ({used:.4g} spent)",
}


class LimitReached(Exception):
    """A request was not sent; control flow, not an error.

    `text` says which limit, and what was used.
    """

    def __init__(self, text: str | Text) -> None:
        super().__init__(str(text))
        self.text = text


class Meter:
    """Compares what the record says was spent with the limits.

    Args:
        limits: Of this run.
        journal: The record; what it holds now was spent before this run.
    """

    def __init__(self, limits: Limits, journal: Journal) -> None:
        self._limits = limits
        self._journal = journal
        self._tokens = EstimatedTokens()
        row = journal.workspace.db.execute(
            "SELECT coalesce(max(id), 0) FROM model_call"
        ).fetchone()
        self._before = int(row[0])
        self._began = now()

    def check(self, trajectory: str) -> None:
        """Let a request pass, or refuse it.

        Raises:
            LimitReached: With the reason.
        """
        limits = self._limits
        allowed = Spent(limits.tokens, limits.seconds, limits.cost)
        reason = self._over(allowed, "operator", trajectory) or self.run_over()
        if reason:
            raise LimitReached(reason)

    def run_over(self) -> str | Text:
        """Why no further operator may be begun, empty while one may."""
        limits = self._limits
        return self._over(
            Spent(limits.run_tokens, limits.run_seconds, limits.run_cost),
            "run",
        )

    def _over(self, allowed: Spent, whose: str, trajectory: str = "") -> str | Text:
        """Which limit is reached, empty while none is.

        Nothing is counted where there are none.
        """
        if not any(vars(allowed).values()):
            return ""
        spent = vars(self.spent(trajectory))
        for name, limit in vars(allowed).items():
            if limit and spent[name] >= limit:
                return Text(
                    _REACHED[name], **{name: limit}, whose=Text(whose), used=spent[name]
                )
        return ""

    def spent(self, trajectory: str = "") -> Spent:
        """What a trajectory used, or everything since this run began."""
        where, value = (
            ("trajectory_uid = ?", trajectory)
            if trajectory
            else ("id > ?", self._before)
        )
        rows = self._journal.workspace.db.execute(
            f"SELECT * FROM model_call WHERE {where}",
            (value,),
        ).fetchall()
        tokens, seconds, cost = 0, 0.0, 0.0
        for row in rows:
            prompt = self._count(row["prompt_tokens"], row["prompt"])
            reply = self._count(row["completion_tokens"], row["reply"])
            cached = row["cached_tokens"] or 0
            tokens += prompt + reply
            seconds += row["seconds"]
            cost += self._limits.prices.cost(prompt, cached, reply)
        since = "" if trajectory else self._began
        seconds += sum(
            self._judging(uid, since) for uid in {row["trajectory_uid"] for row in rows}
        )
        return Spent(tokens, seconds, cost)

    def _count(self, reported: int | None, digest: str) -> int:
        if reported is not None:
            return reported
        return self._tokens.count(self._journal.workspace.text(digest))

    def _judging(self, trajectory: str, since: str) -> float:
        """Seconds of judge and diagnostics for a trajectory, those that ended before `since` left out."""
        db = self._journal.workspace.db
        rounds = db.execute(
            "SELECT evaluation FROM round WHERE trajectory_uid = ? AND evaluation IS NOT NULL "
            "AND finished_at >= ?",
            (trajectory, since),
        )
        judged = sum(
            self._journal.evaluation(row[0]).seconds for row in rounds.fetchall()
        )
        query = "SELECT coalesce(sum(seconds), 0) FROM diagnostic WHERE trajectory_uid = ? AND at >= ?"
        return judged + float(db.execute(query, (trajectory, since)).fetchone()[0])
