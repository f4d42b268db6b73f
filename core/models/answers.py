"""Reading of refusals: exceptions of the HTTP client and status codes of a server become model faults."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence
from email.utils import parsedate_to_datetime

from core.models.endpoint import Endpoint
from core.models.faults import (
    BadKey,
    ContextOverflow,
    ModelFault,
    QuotaUsedUp,
    RateLimited,
    RequestRefused,
    ServerDown,
    ServerFault,
    UnknownModel,
    UnusableReply,
    overflow_limit,
    told_without,
)
from core.records_json import to_json
from core.visible import one_line

_WORDS = 300
_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|balance)|current quota|quota (?:is )?(?:exceeded|exhausted)"
    r"|billing|arrear|out of credit|余额不足|欠费",
    re.IGNORECASE,
)


def fault_of(
    error: Exception, endpoint: Endpoint, secrets: Sequence[str] = ()
) -> ModelFault | None:
    """The fault an exception of the client stands for.

    None when it is not about the network.

    `secrets` are taken out of the server's words before these are shortened: half a key
    is one too.
    """
    import httpx2
    import openai

    # A bound of ours that was crossed inside the library's request.
    if isinstance(error.__cause__, ModelFault):
        return error.__cause__.without(secrets)
    if isinstance(error, openai.APIStatusError):
        message = told_without(_error_text(error), secrets)
        return status_fault(
            error.status_code,
            message,
            error.response.headers.get("retry-after"),
            endpoint,
        )
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError):
        cause = error.__cause__ or error
        return ServerDown(
            "No connection to {base_url}: {cause}.",
            "Check the address, and that the server runs.",
            base_url=endpoint.base_url,
            cause=str(cause).rstrip(".") or type(cause).__name__,
        ).without(secrets)
    if isinstance(error, openai.APIError):
        return status_fault(
            500, told_without(_error_text(error), secrets), None, endpoint
        )
    if isinstance(error, ValueError | RecursionError | openai.OpenAIError):
        message = one_line(told_without(str(error), secrets), _WORDS)
        return UnusableReply(
            "{base_url} sent something that is not a chat completion: {said}",
            "Check the address; it usually ends in /v1.",
            base_url=endpoint.base_url,
            said=message,
        )
    return None


def status_fault(
    status: int, message: str, retry_after: str | None, endpoint: Endpoint | None = None
) -> ModelFault:
    """The fault of an HTTP status, or of an error inside a stream."""
    where = endpoint.base_url if endpoint else "The server"
    model = endpoint.model if endpoint else "the model"
    message = one_line(message, _WORDS)
    limit = overflow_limit(message)
    if limit is not None and status in {400, 413, 422, 500}:
        return ContextOverflow(
            "The prompt is longer than the context of {model}: {said}",
            "Set the context length in the model's profile, or serve the model with a longer one.",
            limit=limit,
            model=model,
            said=message,
        )
    if status in {402, 403, 429} and _QUOTA.search(message):
        return QuotaUsedUp(
            "The account at {where} is used up: {said}",
            "Add credit there, or use another key.",
            where=where,
            said=message,
        )
    if status in {401, 403}:
        name = endpoint.key_name if endpoint else "the key"
        return BadKey(
            "{where} refuses the key: {said}",
            "Store the right key as {name}.",
            where=where,
            said=message,
            name=name,
        )
    if status == 404:
        return UnknownModel(
            "{where} does not know {model}: {said}",
            "Check address and model; `sage model test` lists them.",
            where=where,
            model=model,
            said=message,
        )
    if status == 429:
        return RateLimited(
            "{where} asks for fewer requests: {said}",
            "Wait, or use fewer workers.",
            after=_seconds(retry_after),
            where=where,
            said=message,
        )
    if status in {408, 409, 425} or status >= 500:
        return ServerFault(
            "{where} failed with HTTP {status}: {said}",
            "Look at its log.",
            after=_seconds(retry_after),
            where=where,
            status=status,
            said=message,
        )
    return RequestRefused(
        "{where} refuses the request with HTTP {status}: {said}",
        where=where,
        status=status,
        said=message,
    )


def _error_text(error: Exception) -> str:
    """What a server says of an error: the message of its body, with the code where it tells of an empty account."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        message = body.get("message") or body.get("error") or body.get("detail")
        if message:
            text = message if isinstance(message, str) else to_json(message)
            code = str(body.get("code") or body.get("type"))
            # The code tells an empty account from a rate limit where the message does not.
            return f"{text} ({code})" if _QUOTA.search(code) else text
    return str(error)


def _seconds(text: str | None) -> float | None:
    """Seconds of a Retry-After header, which holds them or a date (RFC 9110, 10.2.3)."""
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except ValueError:
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
