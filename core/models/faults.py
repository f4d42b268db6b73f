"""What can go wrong with an endpoint, told apart: each fault says what the user can do about it.

A fault leaves the trajectory open; retrying its queue entry continues in the step it
was in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Self

from core.errors import NeedsPerson, SageError
from core.text import Text

_LIMIT = re.compile(
    r"maximum context length (?:is|of) (\d+)|context (?:size|window|length)[^\d]{0,30}(\d+)"
)
_OVERFLOW = re.compile(
    r"context[ _](?:length|size|window)|max_tokens must be at least 1|prompt is too long|too many tokens"
    r"|exceeds? .{0,40}context|input is too long",
    re.IGNORECASE,
)


class ModelFault(SageError):
    """The endpoint gave no usable reply."""

    def without(self, secrets: Sequence[str]) -> Self:
        """The same fault, its words without these secrets: servers repeat the key they refuse."""
        self.what, self.remedy = (
            text.mapped(lambda part: told_without(part, secrets))
            for text in (self.what, self.remedy)
        )
        self.args = (str(self.message),)
        return self


class BadKey(ModelFault, NeedsPerson):
    """The server refuses the key, or asks for one."""


class UnknownModel(ModelFault, NeedsPerson):
    """The server has no model of this name, or nothing at this address."""


class ContextOverflow(ModelFault):
    """The prompt is longer than the model's context: `limit` tokens, 0 when the server does not say."""

    def __init__(
        self,
        what: str | Text,
        remedy: str | Text = "",
        /,
        *,
        limit: int = 0,
        **fields: object,
    ) -> None:
        super().__init__(what, remedy, **fields)
        self.limit = limit


class RequestRefused(ModelFault):
    """The server refuses the request for another reason; its words are in the text."""


class UnusableReply(ModelFault):
    """The server answered with something that is no chat completion, or with no text at all."""


class QuotaUsedUp(ModelFault, NeedsPerson):
    """The account has no credit left; asked again it has no more."""


class TransientFault(ModelFault):
    """A fault that may pass by itself; requests are repeated before it is raised.

    Attributes:
        after: Seconds the server asks to wait, None when it does not say.
    """

    def __init__(
        self,
        what: str | Text,
        remedy: str | Text = "",
        /,
        *,
        after: float | None = None,
        **fields: object,
    ) -> None:
        super().__init__(what, remedy, **fields)
        self.after = after


class EmptyReply(TransientFault):
    """The model answered without any text; asked again it often does."""


class CutReply(TransientFault):
    """The stream ended in good order, but before the reply did."""


class RateLimited(TransientFault):
    """The server asks for fewer requests."""


class ServerDown(TransientFault):
    """No server answers at the address, or the connection broke."""


class ServerFault(TransientFault):
    """The server failed (HTTP 5xx)."""


class StalledStream(TransientFault):
    """The server accepted the request and went silent."""


def told_without(text: str, secrets: Sequence[str]) -> str:
    """`text` with `<secret>` in the place of each secret."""
    for secret in secrets:
        text = text.replace(secret, "<secret>")
    return text


def overflow_limit(text: str) -> int | None:
    """The context length named in an overflow error.

    0 if it names none, None if it is no overflow.
    """
    if not _OVERFLOW.search(text):
        return None
    match = _LIMIT.search(text)
    return int(next(group for group in match.groups() if group)) if match else 0
