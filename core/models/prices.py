"""What tokens cost: the one place that counts with prices."""

from __future__ import annotations

from typing import NamedTuple


class Prices(NamedTuple):
    """Of a million prompt tokens, cached prompt tokens and reply tokens, in any currency; 0: not known."""

    prompt: float = 0.0
    cached: float = 0.0
    reply: float = 0.0

    def cost(self, prompt: int, cached: int, reply: int) -> float:
        """Cost of tokens; `cached` are some of the prompt's."""
        return (
            (prompt - cached) * self.prompt + cached * self.cached + reply * self.reply
        ) / 1e6
