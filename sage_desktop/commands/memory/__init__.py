"""`sage memory`: read, search, correct, check and exchange a memory, for a terminal."""

from sage_desktop.commands.memory import (
    cold_start,
    decisions,
    exchange,
    items,
    snapshots,
)
from sage_desktop.commands.memory.common import memory

__all__ = [
    "cold_start",
    "decisions",
    "exchange",
    "items",
    "memory",
    "snapshots",
]
