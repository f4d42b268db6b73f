"""What ships beside the seed bank: a mined bank, a recorded run, and the memory it ended with."""

from __future__ import annotations

import gzip
from functools import cache
from importlib import resources

from core.exchange import memory_file as exchange
from core.exchange.seeds import read_seeds
from core.memory.records import Experience
from core.replay.session_file import Session, parse_session

# Operators of the recorded run that the demonstration plays. What they used of others came from one of
# these; three adopted something, one lost a round, one became twice as fast.
DEMONSTRATED = (
    "BatchedMatmul",
    "Less",
    "MaskedSelectV3",
    "GatherV3",
    "MoeGatingTopKRemap",
    "ApplyAdamWV2",
)


@cache
def recorded_run() -> Session:
    """The whole recorded run; what it is stands in its header."""
    return parse_session(_text("sessions", "recorded.jsonl.gz"), "recorded.jsonl.gz")


def demonstration() -> Session:
    """Some of its operators: what `sage run --demo` and the window play."""
    return recorded_run().only(DEMONSTRATED)


def evolved_memory() -> exchange.Bank:
    """The memory the recorded run ended with.

    It was learnt from operators of the evaluation.
    """
    return exchange.parse_bank("evolved.jsonl.gz", _text("banks", "evolved.jsonl.gz"))


def mined_experiences() -> tuple[tuple[str, Experience], ...]:
    """(uid, experience) of what differential mining drew from the operators of resources/cold_start."""
    file = resources.files("resources") / "banks" / "mined.toml"
    with resources.as_file(file) as path:
        return read_seeds(path)


def _text(folder: str, name: str) -> str:
    return gzip.decompress(
        (resources.files("resources") / folder / name).read_bytes()
    ).decode("utf-8")
