"""The rule file: patterns, switches and deny-lists, read from TOML that a user can see and replace."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
from core.evaluation.integrity.core_work import denied_to
from core.evaluation.records import Finding, Severity
from core.operators.spec import OperatorSpec
from core.outside import read_text, toml_table

PREFIX = "integrity/"
# What needs more than a pattern, and the constraint of the paper it enforces.
CHECKS: Mapping[str, str] = {
    "high-level-substitution": "No equivalent high-level substitution",
    "foreign-include": "No expert-implementation leakage",
    "shape-detection": "No semantic shortcuts",
    "compiler-branch": "No semantic shortcuts",
    "kept-state": "No semantic shortcuts",
}
_PLACES = ("any", "kernel", "host", "resolved")
# Checks that copies of earlier rule files still name; others find what they caught.
_FORMER = ("no-kernel-work", "hidden-name")


@dataclass(frozen=True)
class Pattern:
    """A rule that is one regular expression over the stripped code of a file, and over resolved names."""

    name: str
    paper: str
    where: str
    regex: re.Pattern[str]
    message: str


@dataclass(frozen=True)
class Rules:
    """A rule file as read.

    Attributes:
        patterns: In file order.
        checks: Those of `CHECKS` that are switched on.
        deny: Operator -> primitives denied beside those of `core_work` and of its own file.
    """

    patterns: tuple[Pattern, ...]
    checks: frozenset[str]
    deny: Mapping[str, tuple[str, ...]]

    def denied(self, operator: OperatorSpec) -> tuple[str, ...]:
        """Every primitive denied to an operator."""
        return tuple(
            dict.fromkeys((*denied_to(operator), *self.deny.get(operator.name, ())))
        )


@cache
def shipped_rules() -> Rules:
    """The rules in `resources/integrity/rules.toml`."""
    return parse_rules(shipped_text(), "rules.toml")


def shipped_text() -> str:
    """The shipped rule file, the one to copy and edit."""
    return (resources.files("resources") / "integrity" / "rules.toml").read_text(
        encoding="utf-8"
    )


def load_rules(path: Path) -> Rules:
    """The user's rule file when there is one at `path`, else the shipped one.

    Raises:
        InvalidInput: It cannot be read; names field and value.
    """
    if not path.exists():
        return shipped_rules()
    return parse_rules(read_text(path), path.name)


def parse_rules(text: str, source: str) -> Rules:
    """Read a rule file.

    Raises:
        InvalidInput: Names field and value.
    """
    table = toml_table(text, source)
    if table.pop("format", None) != 1:
        raise InvalidInput(source, "format", "is not 1")
    checks = _table(table, "checks", source)
    deny = _table(table, "deny", source)
    rows = table.pop("pattern", [])
    if not isinstance(rows, list):
        raise InvalidInput(
            source, "pattern", "is not a list of tables; write [[pattern]]"
        )
    if table:
        raise InvalidInput(source, next(iter(table)), "is not known here")
    for name, value in checks.items():
        if name not in (*CHECKS, *_FORMER) or not isinstance(value, bool):
            raise InvalidInput(
                source,
                f"checks.{name}",
                "{value!r}",
                "Available: {known}.",
                value=value,
                known=", ".join(CHECKS),
            )
    for name, value in deny.items():
        if not isinstance(value, list) or not all(
            isinstance(entry, str) for entry in value
        ):
            raise InvalidInput(
                source, f"deny.{name}", "{value!r} is not a list of names", value=value
            )
    patterns = tuple(
        _pattern(row, f"pattern[{number}]", source) for number, row in enumerate(rows)
    )
    on = frozenset(name for name in CHECKS if checks.get(name, True))
    return Rules(patterns, on, {name: tuple(value) for name, value in deny.items()})


def _table(table: dict[str, Any], name: str, source: str) -> dict[str, Any]:
    found = table.pop(name, {})
    if not isinstance(found, dict):
        raise InvalidInput(source, name, "is not a table")
    return found


def _pattern(row: object, where: str, source: str) -> Pattern:
    """A row of the rules' file.

    Raises:
        InvalidInput: It has other keys, an unknown place, or no regular expression.
    """
    wanted = {"name", "paper", "where", "regex", "message"}
    if (
        not isinstance(row, dict)
        or set(row) != wanted
        or not all(isinstance(value, str) for value in row.values())
    ):
        raise InvalidInput(
            source,
            where,
            "needs exactly the texts {wanted}",
            wanted=", ".join(sorted(wanted)),
        )
    if row["where"] not in _PLACES:
        raise InvalidInput(
            source,
            f"{where}.where",
            "{where!r} is not any, kernel, host or resolved",
            where=row["where"],
        )
    try:
        regex = re.compile(row["regex"])
    except (re.error, RecursionError, OverflowError) as error:
        raise InvalidInput(source, f"{where}.regex", str(error)) from error
    return Pattern(row["name"], row["paper"], row["where"], regex, row["message"])


def finding(rule: str, paper: str, path: str, line: int, what: str) -> Finding:
    """The finding of a broken rule.

    Args:
        rule: Name in the rule file.
        paper: The constraint of the paper it enforces.
        path: File in the candidate.
        line: 1-based, 0 for the file as a whole.
        what: One sentence.
    """
    return Finding(
        rule=f"{PREFIX}{rule}",
        severity=Severity.ERROR,
        message=what,
        file=path,
        line=line,
        limit=paper,
    )


def shown(text: str) -> str:
    """Code as a message quotes it."""
    return " ".join(text.split()).rstrip("( ")
