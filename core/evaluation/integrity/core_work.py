"""Which primitives would do an operator's core work, and why: `resources/integrity/core_work.toml`, read."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Annotated, Any

import msgspec

from core.errors import InvalidInput
from core.operators.spec import OperatorSpec, plain_name
from core.outside import convert

_SOURCE = "core_work.toml"


class CoreWork(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was decided for an operator.

    Attributes:
        deny: Primitives that subsume its core functionality; empty where none does.
        reason: Why these, or why none.
    """

    deny: tuple[str, ...]
    reason: Annotated[str, msgspec.Meta(min_length=1)]


@cache
def core_work() -> Mapping[str, CoreWork]:
    """Every decision, by operator.

    Raises:
        InvalidInput: Names field and value of what is not as it should be.
    """
    text = (resources.files("resources") / "integrity" / _SOURCE).read_text(
        encoding="utf-8"
    )
    table: dict[str, Any] = tomllib.loads(text)
    if table.pop("format", None) != 1:
        raise InvalidInput(_SOURCE, "format", "is not 1")
    return {name: convert(row, CoreWork, _SOURCE, name) for name, row in table.items()}


def decision_on(operator: OperatorSpec) -> CoreWork | None:
    """The decision about an operator of this name; None where there is none."""
    return _by_plain_name().get(plain_name(operator.name))


def denied_to(operator: OperatorSpec) -> tuple[str, ...]:
    """Primitives denied to an operator: those decided for its name, then those of its own file."""
    decided = decision_on(operator)
    return tuple(dict.fromkeys((*(decided.deny if decided else ()), *operator.deny)))


@cache
def _by_plain_name() -> Mapping[str, CoreWork]:
    return {plain_name(name): decision for name, decision in core_work().items()}
