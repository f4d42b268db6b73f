"""The API keys of models: where a key is read, stored, and kept out of texts.

A key has a name, `Endpoint.key_name`. It is looked for in the environment variable of
that name first, then in the system keyring. It is in no file of this program.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from core.errors import InvalidInput
from core.text import Text

KEYRING_SERVICE = "sage-desktop"
# Servers without authentication still want a header.
NO_KEY = "none"
_SECRET = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)
_SHORTEST_SECRET = 6  # characters
# What stands before the key in a header: as a secret it would be taken out of every text.
_AUTH_SCHEMES = {"apikey", "api-key", "basic", "bearer", "digest", "negotiate", "token"}


def api_key(name: str) -> str:
    """The key stored as `name`: environment first, then the system keyring.

    `none` when there is none.
    """
    value = os.environ.get(name, "").strip()
    if value:
        return value
    import keyring  # slow to import
    from keyring.errors import KeyringError

    try:
        return (keyring.get_password(KEYRING_SERVICE, name) or "").strip() or NO_KEY
    except KeyringError:
        return NO_KEY


def store_api_key(name: str, value: str) -> None:
    """Store a key in the system keyring; an empty value removes it.

    Raises:
        InvalidInput: This system has no keyring.
    """
    advice = Text("Set the environment variable {name} instead.", name=name)
    import keyring
    from keyring.errors import KeyringError, PasswordDeleteError

    try:
        if value:
            keyring.set_password(KEYRING_SERVICE, name, value)
        else:
            keyring.delete_password(KEYRING_SERVICE, name)
    except PasswordDeleteError:
        return
    except KeyringError as error:
        raise InvalidInput(
            "keyring",
            name,
            "this system has no usable keyring: {error}",
            advice,
            error=error,
        ) from error


def secrets_of(key: str, headers: Mapping[str, str]) -> tuple[str, ...]:
    """What must be printed and stored nowhere, the longest first.

    These are the key and each word of the values of headers like Authorization. A word
    of less than 6 characters and the name of a scheme (`Bearer`) stay out: they would be
    taken out of every text.

    Args:
        key: The key, or `none`.
        headers: Name -> value.
    """
    candidates = [key]
    for name, value in headers.items():
        if _SECRET.search(name):
            words = value.split()
            candidates += [word for word in words if word.lower() not in _AUTH_SCHEMES]
    secrets = {
        value
        for value in candidates
        if len(value) >= _SHORTEST_SECRET and value != NO_KEY
    }
    return tuple(sorted(secrets, key=len, reverse=True))
