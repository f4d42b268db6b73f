"""What the numeric and lettered codes of CANN mean, from the data file beside this module."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class ErrorCode:
    """One code of CANN.

    Attributes:
        code: As it stands in logs, e.g. `507035`, `EZ1001`; for bits of the error word the bit number.
        name: Symbolic name.
        meaning: What it says, in one line.
        hint: What to look at; empty when the code alone gives no clue.
        environment: Whether it blames the machine and not the kernel.
    """

    code: str
    name: str
    meaning: str
    hint: str = ""
    environment: bool = False


def find_code(code: str) -> ErrorCode | None:
    """The entry of a numeric (`507035`, `561003`) or lettered code (`EZ9999`, `ERR00100`), if known."""
    tables = _tables()
    for kind in ("runtime", "aclnn", "message"):
        if code in tables[kind]:
            return tables[kind][code]
    return None


def explain_error_word(word: int) -> tuple[ErrorCode, ...]:
    """The known bits that are set in the error word of an AI Core exception, most telling first.

    Args:
        word: Value after `error code =` in the core dump line; the further words of `errcode:(a, b, c)`
            follow as bits 64 to 127 and 128 to 191.
    """
    return tuple(
        entry for bit, entry in _tables()["bit"].items() if word >> int(bit) & 1
    )


def core_message(text: str) -> ErrorCode | None:
    """The entry whose meaning is `text`, one sentence after `errorStr:` of a device exception."""
    message = text.strip().rstrip(".").lower()
    for kind in ("bit", "device"):
        for entry in _tables()[kind].values():
            if message == entry.meaning.lower():
                return entry
    return None


@cache
def _tables() -> dict[str, dict[str, ErrorCode]]:
    text = (resources.files(__package__) / "error_codes.toml").read_text(
        encoding="utf-8"
    )
    return {
        kind: {code: ErrorCode(code, **fields) for code, fields in table.items()}
        for kind, table in tomllib.loads(text).items()
    }
