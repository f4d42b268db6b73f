"""Where a model is served and how it is asked: the profile of an OpenAI-compatible endpoint.

A profile holds no key, only the name under which `core.models.api_keys` finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from core.errors import InvalidInput
from core.models.prices import Prices

# Fields of a request that come from the profile and the prompt, never from `body`.
_OWN_FIELDS = frozenset(
    {"model", "messages", "stream", "max_tokens", "max_completion_tokens"}
)


@dataclass(frozen=True)
class Endpoint:
    """An endpoint and the way it is used.

    Attributes:
        base_url: Address up to and including `/v1`.
        model: Model name as the server lists it.
        key_name: Environment variable, or entry of the system keyring, that holds the
            key.
        max_output_tokens: Longest reply asked for.
        context_tokens: Context of the model; 0: what the server says.
        temperature: Sampling temperature, None for the server's default.
        headers: Further HTTP headers.
        body: Further fields of every request, e.g. `{"enable_thinking": false}`.
        limit_field: Name of the field that limits the reply; a server that refuses it
            names the other one, which is then stored here.
        asks_usage: Whether the server takes `stream_options`; false once it refused.
        data_parallel: Ranks of a data-parallel vLLM server; requests of one operator go
            to one rank.
        connect_seconds: Longest time to a connection.
        first_token_seconds: Longest time from request to first token; covers a long
            prefill.
        idle_seconds: Longest silence inside a stream.
        attempts: Requests made before a passing fault is reported.
        price_input: Per million prompt tokens, any currency.
        price_cached: Per million cached prompt tokens.
        price_output: Per million reply tokens.
    """

    base_url: str
    model: str
    key_name: str = "SAGE_API_KEY"
    max_output_tokens: int = 16_384
    context_tokens: int = 0
    temperature: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    asks_usage: bool = True
    data_parallel: int = 0
    connect_seconds: float = 10.0
    first_token_seconds: float = 600.0
    idle_seconds: float = 120.0
    attempts: int = 5
    price_input: float = 0.0
    price_cached: float = 0.0
    price_output: float = 0.0

    @property
    def longest_seconds(self) -> float:
        """Seconds a reply may take in all, at a token a second after the first.

        It bounds a stream that never ends.
        """
        return self.first_token_seconds + self.max_output_tokens

    @property
    def prices(self) -> Prices:
        """What its tokens cost."""
        return Prices(self.price_input, self.price_cached, self.price_output)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidInput(
                "endpoint",
                "base_url",
                "{base_url!r} is not an HTTP address",
                "Example: http://host:8000/v1",
                base_url=self.base_url,
            )
        if parts.username or parts.password:
            raise InvalidInput(
                "endpoint",
                "base_url",
                "holds a password",
                "Put the key in the keyring.",
            )
        if clash := sorted(_OWN_FIELDS & self.body.keys()):
            raise InvalidInput(
                "endpoint",
                "body",
                "{name!r} is written by SAGE itself",
                name=clash[0],
            )
        if not self.model.strip():
            raise InvalidInput(
                "endpoint",
                "model",
                "is empty",
                "`sage model test` lists what is served.",
            )
        for name in ("max_output_tokens", "attempts"):
            if getattr(self, name) < 1:
                raise InvalidInput(
                    "endpoint",
                    name,
                    "{value} is less than 1",
                    value=getattr(self, name),
                )
        for name in ("connect_seconds", "first_token_seconds", "idle_seconds"):
            if not getattr(self, name) > 0:
                raise InvalidInput(
                    "endpoint",
                    name,
                    "{value} is not a positive time",
                    value=getattr(self, name),
                )

    @property
    def on_this_network(self) -> bool:
        """Whether the host is this computer or named without a domain: a web proxy would be in the way."""
        host = urlsplit(self.base_url).hostname or ""
        return (
            "." not in host
            or host.startswith(("127.", "10.", "192.168."))
            or host.endswith(".local")
        )
