"""What the models of a workspace used: tokens as the servers told them, and their price. No Qt."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

Prices = tuple[float, float, float]  # of a million prompt, cached and reply tokens

_SQL = """
SELECT t.provider, coalesce(sum(c.prompt_tokens), 0), coalesce(sum(c.cached_tokens), 0),
  coalesce(sum(c.completion_tokens), 0), count(*) FILTER (WHERE c.prompt_tokens IS NULL)
FROM model_call c JOIN trajectory t ON t.uid = c.trajectory_uid GROUP BY t.provider
"""


@dataclass(frozen=True)
class Spending:
    """Tokens and price over all trajectories.

    Attributes:
        prompt: Prompt tokens, those found in the server's cache included.
        cached: Of them, found in the cache.
        reply: Tokens of replies.
        untold: Calls whose server told no tokens; they are in none of the numbers.
        cost: Price, None unless the prices of every model that told tokens are known.
    """

    prompt: int = 0
    cached: int = 0
    reply: int = 0
    untold: int = 0
    cost: float | None = None

    @property
    def tokens(self) -> int:
        """Prompt and reply tokens."""
        return self.prompt + self.reply


def read_spending(connection: sqlite3.Connection, prices: Mapping[str, Prices]) -> Spending:
    """Add up the calls of a workspace.

    Args:
        connection: Reading is enough.
        prices: By model, as trajectories name it; models without prices are not in it.
    """
    prompt = cached = reply = untold = 0
    cost: float | None = 0.0
    for model, asked, known, answered, silent in connection.execute(_SQL):
        prompt, cached, reply, untold = prompt + asked, cached + known, reply + answered, untold + silent
        if not asked + answered:
            continue
        price = prices.get(model)
        if price is None:
            cost = None
        elif cost is not None:
            cost += ((asked - known) * price[0] + known * price[1] + answered * price[2]) / 1e6
    return Spending(prompt, cached, reply, untold, cost if prompt + reply else None)
