"""`sage memory`: read, search, correct, check and exchange a memory, for a terminal."""

from sage_desktop.commands.memory import (
    auditing,
    building,
    changing,
    deciding,
    exchanging,
    reading,
)
from sage_desktop.commands.memory.common import memory

__all__ = [
    "auditing",
    "building",
    "changing",
    "deciding",
    "exchanging",
    "memory",
    "reading",
]
