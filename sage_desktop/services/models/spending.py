"""What the models of a workspace used: tokens as the servers told them, and their price. No Qt."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from core.analysis.model_calls import token_use
from core.models.prices import Prices


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


def read_spending(
    connection: sqlite3.Connection, prices: Mapping[str, Prices]
) -> Spending:
    """Add up the calls of a workspace.

    Args:
        connection: Reading is enough.
        prices: By model, as trajectories name it; models without prices are not in it.
    """
    prompt = cached = reply = untold = 0
    cost: float | None = 0.0
    for used in token_use(connection):
        prompt, cached, reply = (
            prompt + used.prompt,
            cached + used.cached,
            reply + used.reply,
        )
        untold += used.untold
        if not used.prompt + used.reply:
            continue
        price = prices.get(used.model)
        if price is None:
            cost = None
        elif cost is not None:
            cost += price.cost(used.prompt, used.cached, used.reply)
    return Spending(prompt, cached, reply, untold, cost if prompt + reply else None)
