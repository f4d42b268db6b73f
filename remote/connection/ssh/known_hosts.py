"""Known host keys, read from the user's files without ever changing them, and a file of our own to add to.

Reading is tolerant: a line that makes no sense is skipped, hashed names, wildcards, negations and markers
count as in OpenSSH (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). What lines of certificate authorities are worth is
decided in `host_certificates`.
"""

from __future__ import annotations

import base64
import binascii
import fnmatch
import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.private import private_file, private_folder, write_private
from core.text import Text
from remote.connection.faults import HostFault


class Trust(StrEnum):
    """What the known keys say about a key a host shows."""

    KNOWN = "known"
    UNKNOWN = "unknown"
    CHANGED = "changed"
    REVOKED = "revoked"


@dataclass(frozen=True)
class KnownKey:
    """One line: `marker` is empty, `cert-authority` or `revoked`; `names` are its patterns."""

    marker: str
    names: tuple[str, ...]
    kind: str
    key: str
    source: str


def read_known_hosts(paths: Iterable[Path]) -> tuple[KnownKey, ...]:
    """All usable lines of the files that can be read."""
    entries: list[KnownKey] = []
    for path in paths:
        try:
            text = path.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            entry = _entry(line, f"{path}:{number}")
            if entry is not None:
                entries.append(entry)
    return tuple(entries)


def _entry(line: str, source: str) -> KnownKey | None:
    fields = line.split()
    if not fields or fields[0].startswith("#"):
        return None
    marker = ""
    if fields[0].startswith("@"):
        marker, fields = fields[0][1:], fields[1:]
    if len(fields) < 3 or marker not in ("", "cert-authority", "revoked"):
        return None
    try:
        base64.b64decode(fields[2], validate=True)
    except (binascii.Error, ValueError):
        return None
    return KnownKey(marker, tuple(fields[0].split(",")), fields[1], fields[2], source)


def names_match(patterns: Sequence[str], name: str) -> bool:
    """Whether a line's patterns mean `name`; a negated pattern that matches rules the line out."""
    hit = False
    for pattern in patterns:
        negated = pattern.startswith("!")
        body = pattern[1:] if negated else pattern
        if _matches(body, name):
            if negated:
                return False
            hit = True
    return hit


def _matches(pattern: str, name: str) -> bool:
    if pattern.startswith("|1|"):
        parts = pattern.split("|")
        try:
            salt, digest = base64.b64decode(parts[2]), base64.b64decode(parts[3])
        except (IndexError, binascii.Error, ValueError):
            return False
        return hmac.compare_digest(
            hmac.new(salt, name.encode(), hashlib.sha1).digest(), digest
        )
    return fits(pattern, name)


def fits(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern of stars and question marks, as in OpenSSH."""
    # fnmatch would read brackets as a set, but here they belong to `[host]:port`.
    return fnmatch.fnmatchcase(name.lower(), pattern.lower().replace("[", "[[]"))


def keys_for(entries: Sequence[KnownKey], name: str) -> tuple[KnownKey, ...]:
    """Lines that mean `name`; with `[host]:port` unknown, those of the plain host count, as in OpenSSH."""
    matching = tuple(entry for entry in entries if names_match(entry.names, name))
    if any(not entry.marker for entry in matching) or not name.startswith("["):
        return matching
    plain = name[1:].partition("]")[0]
    return (*matching, *(entry for entry in entries if names_match(entry.names, plain)))


def judge_key(
    entries: Sequence[KnownKey], name: str, kind: str, key: str
) -> tuple[Trust, str | Text]:
    """What to think of the key a host shows, and why."""
    matching = keys_for(entries, name)
    for entry in matching:
        if entry.marker == "revoked" and entry.key == key:
            return Trust.REVOKED, Text(
                "it is marked as revoked in {source}", source=entry.source
            )
    # Lines of authorities say nothing about a plain key.
    plain = [entry for entry in matching if not entry.marker]
    if any(entry.kind == kind and entry.key == key for entry in plain):
        return Trust.KNOWN, ""
    same_kind = [entry for entry in plain if entry.kind == kind]
    if same_kind:
        return Trust.CHANGED, Text(
            "another {kind} key is known from {source}",
            kind=kind,
            source=same_kind[0].source,
        )
    if plain:
        kinds = ", ".join(sorted({entry.kind for entry in plain}))
        return Trust.UNKNOWN, Text(
            "Keys of other types ({kinds}) are known for it.", kinds=kinds
        )
    if any(entry.marker == "cert-authority" for entry in matching):
        return (
            Trust.UNKNOWN,
            "A certificate authority is known for it, but it shows no certificate.",
        )
    return Trust.UNKNOWN, ""


def preferred_kinds(
    entries: Sequence[KnownKey], name: str, offered: Sequence[str]
) -> tuple[str, ...]:
    """Key types to ask for, those already known first, so that a host with several shows a known one."""
    kinds = {entry.kind for entry in keys_for(entries, name) if not entry.marker}
    # One RSA key signs by three algorithms; known_hosts names only the oldest.
    if "ssh-rsa" in kinds:
        kinds |= {"rsa-sha2-512", "rsa-sha2-256"}
    return (
        *(kind for kind in offered if kind in kinds),
        *(kind for kind in offered if kind not in kinds),
    )


def fingerprint(key: str) -> str:
    """`SHA256:…` of a base64 key, as OpenSSH shows it."""
    digest = hashlib.sha256(base64.b64decode(key)).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def forget_keys(paths: Iterable[Path], name: str, kind: str) -> tuple[Path, ...]:
    """Take the keys of one type known for a name out of files; returns the files that had one.

    Raises:
        HostFault: A file cannot be written.
    """
    changed = []
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        except (OSError, UnicodeDecodeError):
            continue
        other_lines = []
        for line in lines:
            entry = _entry(line.strip(), str(path))
            is_old = entry is not None and not entry.marker and entry.kind == kind
            if not (is_old and entry is not None and names_match(entry.names, name)):
                other_lines.append(line)
        if len(other_lines) == len(lines):
            continue
        try:
            write_private(path, "".join(other_lines).encode())
        except OSError as error:
            raise HostFault(
                "{path} cannot be written: {error}.", path=path, error=error.strerror
            ) from error
        changed.append(path)
    return tuple(changed)


def trust_key(path: Path, name: str, kind: str, key: str) -> None:
    """Append a key to our own file of known hosts.

    Raises:
        HostFault: The file cannot be written.
    """
    try:
        private_folder(path.parent, ours=False)
        private_file(path)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{name} {kind} {key}\n")
    except OSError as error:
        raise HostFault(
            "{path} cannot be written: {error}.", path=path, error=error.strerror
        ) from error
