"""What must not leave this machine with a run: where things lie on it, and secrets.

Compiler logs, tracebacks and prompts name absolute paths; a reader elsewhere needs the
last part of one at most. Secrets are not kept in workspaces on purpose, but a log or an
endpoint's error message may quote one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from core.memory.ledger import encode

SECRET = "<secret>"  # noqa: S105 - what stands in its place
_SHORTEST_SECRET = 8
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)
_SECRETS = (
    re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----",
        re.DOTALL,
    ),
    re.compile(r"\b(?:sk-|hf_|gh[pousr]_|github_pat_)[\w-]{16,}"),
    re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
    re.compile(r"(?<=bearer )[\w.~+/=-]{16,}", re.IGNORECASE),
    re.compile(r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)"),
    re.compile(
        r"""(?i)(?:api[_-]?key|passw(?:or)?d|access[_-]?token|secret[_-]?key)["']?\s*[:=]\s*["']?[^\s"',;]{8,}"""
    ),
)
# Folders at the root of common systems; those of this machine are added.
_ROOTS = frozenset(
    {
        "home",
        "root",
        "Users",
        "tmp",
        "var",
        "private",
        "mnt",
        "media",
        "srv",
        "opt",
        "usr",
        "data",
        "etc",
        "run",
    }
)
_NOT_PRIVATE = frozenset({"dev", "proc", "sys"})
# Not inside a relative path or a division; right after a compiler flag or the colours
# of a terminal.
_BEFORE = r"(?:(?<![\w.~/)\]])|(?<=-[ILB])|(?<=\x1b\[[Km])|(?<=[0-9]m))"
_WINDOWS = re.compile(r"""(?<!\w)[A-Za-z]:\\(?:[^\s"'<>|:*?\\]+\\)*[^\s"'<>|:*?\\]*""")


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of environment variables with secret names, the longest first."""
    values = {
        value.strip()
        for name, value in environment.items()
        if _SECRET_NAME.search(name) and len(value.strip()) >= _SHORTEST_SECRET
    }
    return tuple(sorted(values, key=len, reverse=True))


class Redactor:
    """Takes paths and secrets out of texts.

    JSON stays JSON, however deep one lies in another.

    Attributes:
        renamed: Whole strings that are replaced by others: names of texts that changed.
        changed: How many strings were not left as they were.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.renamed: dict[str, str] = {}
        self.changed = 0
        self._secrets = tuple(secrets)
        self._home = str(Path.home())
        top = {
            path.name for path in Path("/").glob("*") if path.is_dir()
        } - _NOT_PRIVATE
        roots = "|".join(sorted(map(re.escape, _ROOTS | top)))
        self._path = re.compile(
            _BEFORE + rf"""/(?:{roots})(?:/[^\s"'`<>|:;,()\[\]{{}}\\]*)+"""
        )

    def text(self, text: str) -> str:
        """Return `text` as it may travel.

        The same text when there is nothing to take out.
        """
        if text in self.renamed:
            return self.renamed[text]
        if text[:1] in ("{", "["):
            try:
                value = msgspec.json.decode(text)
            except msgspec.DecodeError:
                return self._plain(text)
            clean = self._value(value)
            return text if clean == value else encode(clean)
        return self._plain(text)

    def _value(self, value: Any) -> Any:
        """A value of JSON with every text in it redacted, names of fields included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._value(entry) for entry in value]
        if isinstance(value, dict):
            return {
                self._plain(key): self._value(entry) for key, entry in value.items()
            }
        return value

    def _plain(self, text: str) -> str:
        """A text that is no JSON, redacted: secrets first, since a path may be part of one."""
        clean = text
        for secret in self._secrets:
            clean = clean.replace(secret, SECRET)
        for pattern in _SECRETS:
            clean = pattern.sub(SECRET, clean)
        if len(self._home) > 1:
            # By itself: it may hold a space, at which the pattern of paths would end.
            clean = re.sub(re.escape(self._home) + r"(?=/)", "/home/user", clean)
        clean = self._path.sub(_last_part, clean)
        clean = _WINDOWS.sub(_last_part, clean)
        self.changed += clean != text
        return clean


def _last_part(match: re.Match[str]) -> str:
    last = re.split(r"[/\\]", match.group(0).rstrip("/\\"))[-1]
    return f"<path>/{last}"
