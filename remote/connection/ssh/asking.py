"""What a connection asks a person, and what is known beside its target; needs no SSH library.

The window has this from its start; paramiko, 20 MB of memory, is read with the first
connection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

KEYRING_SERVICE = "sage-desktop-ssh"


@dataclass(frozen=True)
class LoginQuestion:
    """Something only the person knows.

    Attributes:
        kind: `passphrase`, `password` or `interactive`.
        host: Host it is for.
        title: What the server (or we) say first.
        prompts: One line to be answered each; with it whether the answer may be seen while typing.
    """

    kind: str
    host: str
    title: str
    prompts: tuple[tuple[str, bool], ...]


# Shows a question and waits; called in a thread of the connection, never in the window's. The answers, one per
# prompt, or None when the person declines.
AskPerson = Callable[[LoginQuestion], Sequence[str] | None]


def nobody_to_ask(_question: LoginQuestion) -> Sequence[str] | None:
    """For programs without a person: every question is declined."""
    return None


@dataclass
class Secrets:
    """Passphrases of keys: in memory while the application runs, or stored by the person in the keyring."""

    passphrases: dict[Path, str] = field(default_factory=dict)

    def passphrase(self, path: Path) -> str | None:
        """The passphrase of a key, None when neither memory nor keyring has it."""
        return self.passphrases.get(path) or keyring_passphrase(path)


def keyring_passphrase(path: Path) -> str | None:
    """The passphrase the person stored in the system's keyring for a key, None when there is none."""
    import keyring  # slow to import
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(KEYRING_SERVICE, str(path))
    except KeyringError:
        return None


@dataclass
class SshSettings:
    """Everything beside the target that a connection needs.

    Attributes:
        own_known_hosts: The application's own file of keys; keys the person trusts are added to it.
        ask: Puts questions to the person.
        secrets: What the person typed before.
        config: SSH configuration file, by default the user's.
        report: Facts of the last connection, for the doctor.
    """

    own_known_hosts: Path
    ask: AskPerson = nobody_to_ask
    secrets: Secrets = field(default_factory=Secrets)
    config: Path | None = None
    report: dict[str, str] = field(default_factory=dict)
