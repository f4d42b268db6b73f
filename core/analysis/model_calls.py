"""What was asked of the generator, what it answered, and what that cost in tokens: the table `model_call`."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from core.analysis.queries import blob_text
from core.workspace.rows import rows_as

_TOKENS_SQL = """
SELECT t.provider AS model, coalesce(sum(c.prompt_tokens), 0) AS prompt,
  coalesce(sum(c.cached_tokens), 0) AS cached, coalesce(sum(c.completion_tokens), 0) AS reply,
  count(*) FILTER (WHERE c.prompt_tokens IS NULL) AS untold
FROM model_call c JOIN trajectory t ON t.uid = c.trajectory_uid GROUP BY t.provider
"""


@dataclass(frozen=True)
class ModelCall:
    """One answer of the generator; tokens are None where the provider does not tell.

    Attributes:
        attempt: 0, or the number of the correction request within the round.
        prompt: Blob of the messages as JSON, see `prompt_messages`.
        reply: Blob of the answer.
        reasoning: Blob of the reasoning, empty when there is none.
    """

    id: int
    round: int
    purpose: str
    subject: str
    attempt: int
    prompt: str
    reply: str
    reasoning: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    seconds: float
    at: str


@dataclass(frozen=True)
class TokenUse:
    """Tokens a model was paid for: of prompts, those of them in the server's cache, of replies.

    `untold` calls are in none of the numbers: their server told no tokens.
    """

    model: str
    prompt: int
    cached: int
    reply: int
    untold: int


def model_calls(
    connection: sqlite3.Connection, trajectory_uid: str
) -> tuple[ModelCall, ...]:
    """All answers of the generator for one trajectory, in the order they came."""
    rows = connection.execute(
        "SELECT * FROM model_call WHERE trajectory_uid = ? ORDER BY id",
        (trajectory_uid,),
    )
    return rows_as(rows, ModelCall)


def prompt_before(connection: sqlite3.Connection, call: ModelCall) -> str:
    """Blob of the prompt of the call before in the same trajectory, empty for the first."""
    row = connection.execute(
        "SELECT prompt FROM model_call WHERE id < ?1 AND trajectory_uid = "
        "(SELECT trajectory_uid FROM model_call WHERE id = ?1) ORDER BY id DESC LIMIT 1",
        (call.id,),
    ).fetchone()
    return "" if row is None else str(row[0])


def prompt_messages(
    connection: sqlite3.Connection, sha256: str
) -> tuple[tuple[str, str], ...]:
    """The messages of a prompt as sent: (role, content) in order."""
    text = blob_text(connection, sha256)
    return tuple(
        (message["role"], message["content"]) for message in json.loads(text or "[]")
    )


def token_use(connection: sqlite3.Connection) -> tuple[TokenUse, ...]:
    """Tokens by model over all trajectories."""
    return rows_as(connection.execute(_TOKENS_SQL), TokenUse)
