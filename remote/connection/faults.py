"""Faults on the way to a host, parted by who can fix them.

`NeedsUser`: the person must decide or type something; nothing is tried again by itself. `ChannelFault`: the
connection; tried again for as long as a request waits. `HostFault`: the machine (disk full, no Python); the
work goes elsewhere. A fault of a kernel is none of these: it is a result the judge wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import NeedsPerson, SageError
from core.text import Text


class NeedsUser(NeedsPerson):
    """The connection stands still until the person has answered."""


class HostKeyUnknown(NeedsUser):
    """The host showed a key the person has not confirmed yet.

    Args:
        host: Name the key is kept under, e.g. `[lab7]:2222`.
        kind: Key type, e.g. `ssh-ed25519`.
        key: The key itself, base64.
        fingerprint: `SHA256:…`, as OpenSSH shows it.
        note: What else should be known, e.g. that a key of another type is known.
    """

    def __init__(
        self, host: str, kind: str, key: str, fingerprint: str, note: str | Text = ""
    ) -> None:
        what = Text(
            "The key of {host} is not known yet: {kind} {fingerprint}.",
            host=host,
            kind=kind,
            fingerprint=fingerprint,
        )
        super().__init__(
            Text("{what} {remedy}", what=what, remedy=note) if note else what,
            "Compare the fingerprint with the one its administrator gives you, then trust it (`sage host trust`).",
        )
        self.host, self.kind, self.key, self.fingerprint = host, kind, key, fingerprint


class HostKeyRefused(NeedsUser):
    """The host's key was revoked, or differs from the one that is known. Nothing here accepts it."""


class HostKeyChanged(HostKeyRefused):
    """The host's key differs from the one that is known; `sage host trust --replace` forgets that one.

    Attributes:
        host: Name the key is kept under.
        kind: Key type.
        key: The key it showed, base64.
        fingerprint: `SHA256:…` of that.
    """

    host = kind = key = fingerprint = ""


class AuthenticationFailed(NeedsUser):
    """The host accepted none of the keys and answers it was given."""


class ChannelFault(SageError):
    """The host cannot be reached, or the channel to it broke. Nothing is known about what runs there."""


class HostFault(SageError):
    """The host cannot do its part: no Python, disk full, folder not writable.

    Args:
        what: What happened, with the numbers.
        remedy: What to do.
        kind: As the job server names it, e.g. `disk`.
        facts: Numbers and names that come with it.
    """

    def __init__(
        self,
        what: str,
        remedy: str = "",
        /,
        kind: str = "",
        facts: Mapping[str, Any] | None = None,
        **fields: object,
    ) -> None:
        super().__init__(what, remedy, **fields)
        self.kind = kind
        self.facts = facts or {}


class SessionEnded(HostFault):
    """The login works, but what it starts ended by itself before it said anything of ours.

    A loaded host may do that once, so it becomes a message only after a few tries.
    """

    @property
    def for_person(self) -> SageError:
        """What the person reads after those tries."""
        return self


class GreetingUnusable(SessionEnded):
    """What the server said first allows no session.

    A garbled line does that once, a server that is too old each time.

    Args:
        refusal: The message when it happens again and again.
    """

    def __init__(self, what: str, refusal: HostFault, /, **fields: object) -> None:
        super().__init__(what, "", "", None, **fields)
        self._refusal = refusal

    @property
    def for_person(self) -> SageError:
        """That the server is too old."""
        return self._refusal


class LoginCut(SessionEnded):
    """The connection ended while logging in: it was cut, or the server had enough of what it was offered.

    Args:
        refusal: The message when it happens again and again.
    """

    def __init__(
        self, what: str, refusal: AuthenticationFailed, /, **fields: object
    ) -> None:
        super().__init__(what, "", "", None, **fields)
        self._refusal = refusal

    @property
    def for_person(self) -> SageError:
        """That the server accepts no login."""
        return self._refusal
