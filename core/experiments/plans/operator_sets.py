"""Named sets of operators: what `--operators` and the plans of experiments call by one word."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources

from core.errors import SageError
from core.operators.catalogue import (
    CATALOGUE,
    catalogue_operator,
    operator_folder,
    operator_names,
    resolve_operator,
)
from core.replay.standin import STAND_IN, covered_operators

LEVELS = "level:"
NPUKERNELBENCH, XCCL, DEMO, ALL = "npukernelbench", "xccl", "demo", "all"
HELD_OUT = "held-out"
SETS = (
    NPUKERNELBENCH,
    "l1",
    "l2",
    "l3",
    "l2-fixed-25",
    HELD_OUT,
    XCCL,
    DEMO,
    STAND_IN,
    ALL,
)

Named = tuple[str, str]
"""(source, name) of an operator, as a queue entry has them."""


def chosen_operators(text: str) -> list[Named]:
    """What a person named: a set, `level:N`, a catalogue name or an operator folder.

    Raises:
        SageError: There is no such operator, level or set.
    """
    text = text.strip()
    if text in SETS:
        return [(CATALOGUE, name) for name in operator_set(text)]
    if text.startswith(LEVELS):
        level = text.removeprefix(LEVELS)
        names = [
            name
            for name in operator_names()
            if str(catalogue_operator(name).level) == level
        ]
        if not names:
            raise SageError(
                "The catalogue has no operator of {text}.",
                "Levels are 0 (outside the benchmark), 1, 2 and 3.",
                text=text,
            )
        return [(CATALOGUE, name) for name in names]
    folder = operator_folder(text)
    if folder is None and text in operator_names():
        # Asked at every event of a run: its files are not read for that.
        return [(CATALOGUE, text)]
    spec = resolve_operator(text)
    return [(str(folder.resolve()) if folder else CATALOGUE, spec.name)]


def all_chosen(texts: Sequence[str]) -> tuple[Named, ...]:
    """The operators several texts name, each once, in that order; raises as `chosen_operators`."""
    return tuple(
        dict.fromkeys(
            pair for text in texts if text.strip() for pair in chosen_operators(text)
        )
    )


def operator_set(name: str) -> tuple[str, ...]:
    """The operators of a set, in the order an experiment runs them.

    Raises:
        SageError: There is no set of that name.
    """
    listed = _listed()
    if name in listed:
        return listed[name]
    if name == NPUKERNELBENCH:
        return (*listed["l1"], *listed["l2"], *listed["l3"])
    if name == "l2-fixed-25":
        return listed["l2"][::2]
    if name == DEMO:
        from core.engine.shipped import demonstration

        return demonstration().header.operators
    if name == STAND_IN:
        return covered_operators()
    if name == ALL:
        return operator_names()
    raise SageError(
        "There is no operator set {name}.",
        "Available: {known}.",
        name=name,
        known=", ".join(SETS),
    )


@cache
def _listed() -> dict[str, tuple[str, ...]]:
    text = (resources.files("resources") / "operator_sets.toml").read_text(
        encoding="utf-8"
    )
    return {name: tuple(operators) for name, operators in tomllib.loads(text).items()}
