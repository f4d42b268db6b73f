"""Strict reading of one TOML table: each value is asked for by name and type, the rest is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

from core.errors import InvalidInput


class Table:
    """One TOML table being read: knows its path for messages and refuses keys that were not read."""

    def __init__(self, source: str, path: str, values: object) -> None:
        self.source = source
        self.path = path
        if not isinstance(values, dict):
            raise InvalidInput(
                source, path, "expected a table, found {values!r}", values=values
            )
        self._left: dict[str, object] = dict(values)

    def field(self, key: str) -> str:
        """Path of `key` as a message names it."""
        return f"{self.path}.{key}" if self.path else key

    def fault(
        self, key: str, problem: str, remedy: str = "", /, **fields: object
    ) -> InvalidInput:
        """The error to raise for `key`."""
        return InvalidInput(self.source, self.field(key), problem, remedy, **fields)

    def take(
        self, key: str, kind: type | tuple[type, ...], default: object = None
    ) -> Any:
        """Remove and return the value of `key`; `default` None makes it required."""
        if key not in self._left:
            if default is None:
                raise self.fault(key, "is missing")
            return default
        value = self._left.pop(key)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kinds) or (
            isinstance(value, bool) and bool not in kinds
        ):
            raise self.fault(
                key,
                "expected {kinds}, found {value!r}",
                kinds=" or ".join(k.__name__ for k in kinds),
                value=value,
            )
        return value

    def take_text(self, key: str, pattern: re.Pattern[str], what: str) -> str:
        """A required string that matches `pattern` wholly."""
        value = cast("str", self.take(key, str))
        if not pattern.fullmatch(value):
            raise self.fault(key, "{value!r} is not {what}", value=value, what=what)
        return value

    def take_strings(
        self, key: str, default: tuple[str, ...] | None = None
    ) -> tuple[str, ...]:
        """A list of strings; a single string is a list of one."""
        value = self.take(
            key, (list, str), default if default is None else list(default)
        )
        entries = [value] if isinstance(value, str) else value
        for index, entry in enumerate(entries):
            if not isinstance(entry, str):
                raise self.fault(
                    f"{key}[{index}]", "expected str, found {entry!r}", entry=entry
                )
        return tuple(entries)

    def take_choice(
        self, key: str, choices: Iterable[str], default: str | None = None
    ) -> str:
        """A string that is one of `choices`; `default` None makes it required."""
        return self.one_of(key, self.take(key, str, default), choices)

    def one_of(self, key: str, value: str, choices: Iterable[str]) -> str:
        """`value`, which stands at `key`, when it is one of `choices`."""
        if value not in (allowed := tuple(choices)):
            raise self.fault(
                key,
                "{value!r} is not one of {allowed}",
                value=value,
                allowed=", ".join(allowed),
            )
        return value

    def take_table(self, key: str) -> Table:
        """A table, empty when absent."""
        return Table(self.source, self.field(key), self.take(key, dict, {}))

    def take_tables(self, key: str) -> list[Table]:
        """An array of tables, empty when absent."""
        rows = self.take(key, list, [])
        return [
            Table(self.source, f"{self.field(key)}[{index}]", row)
            for index, row in enumerate(rows)
        ]

    def rest(self) -> dict[str, object]:
        """Everything not taken yet, for tables whose keys are names."""
        left, self._left = self._left, {}
        return left

    def finish(self) -> None:
        """Refuse what is left over: a misspelt key must not be silently ignored."""
        for key in self._left:
            raise self.fault(
                key, "is not a known key", "Check the spelling or remove it."
            )
