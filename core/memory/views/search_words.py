"""The query words of the item table: `type:api utility:>0 tag:tail copy` as a `TableFilter`.

A word is `field:value`, `-field:value` for what must not hold, or plain text that must occur in the item.
Values with blanks stand in double quotes. A field that does not exist is plain text: code has colons too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from core.memory.views.rows import Condition, TableFilter

TEXTS = ("type", "category", "state", "lifecycle", "origin", "uid", "tag", "operator")
NUMBERS = (
    "utility",
    "retrieved",
    "adopted",
    "operators",
    "frequency",
    "density",
    "tokens",
)
FLAGS = ("hot", "pinned", "blocked")
FIELDS = (*TEXTS, *NUMBERS, *FLAGS)
_WORD = re.compile(r'(-?)(?:(\w+):)?(?:"([^"]*)"|(\S+))')
_NUMBER = re.compile(r"(>=|<=|>|<|=)?([+-]?\d+(?:\.\d+)?)")
_YES, _NO = ("yes", "true", "1"), ("no", "false", "0")


@dataclass(frozen=True)
class Query:
    """A search field, read.

    Attributes:
        filter: What it asks for, beside what other filters do.
        words: The plain text in it, to be marked in what is found.
        faults: Words that cannot be understood, each with what was expected (number, flag, value); they
            do not restrict.
    """

    filter: TableFilter
    words: tuple[str, ...]
    faults: tuple[tuple[str, str], ...] = ()


def parse(text: str, beside: TableFilter | None = None) -> Query:
    """Read a search field; `beside` holds what lists and switches ask for."""
    conditions: list[Condition] = []
    plain: list[str] = []
    faults: list[tuple[str, str]] = []
    for word in _WORD.finditer(text):
        minus, field, quoted, bare = word.groups()
        value = quoted if quoted is not None else bare
        if field is None or field.lower() not in FIELDS:
            plain.append(
                word[0].strip('"') if field is None else word[0].replace('"', "")
            )
            continue
        name = field.lower()
        condition = _condition(name, value, negated=bool(minus))
        if condition is None:
            faults.append((word[0], _expected(name)))
        else:
            conditions.append(condition)
    restriction = replace(
        beside or TableFilter(), text=" ".join(plain), conditions=tuple(conditions)
    )
    return Query(restriction, tuple(plain), tuple(faults))


def _condition(name: str, value: str, *, negated: bool) -> Condition | None:
    if name in NUMBERS:
        number = _NUMBER.fullmatch(value)
        return (
            Condition(name, number[1] or "=", float(number[2]), negated)
            if number
            else None
        )
    if name in FLAGS:
        word = value.lower()
        return (
            Condition(name, "=", float(word in _YES), negated)
            if word in (*_YES, *_NO)
            else None
        )
    return Condition(name, "has", value, negated) if value else None


def _expected(name: str) -> str:
    return "number" if name in NUMBERS else "flag" if name in FLAGS else "value"
