"""The token counter of a memory: chosen by name, remembered as an event, never mixed with another.

A name is one of

- `estimate`: standard library only, no model needed (the default);
- `wordpiece`: the tokenizer that comes with the bundled sentence encoder;
- `file:PATH`: a `tokenizer.json`, exact for the model it belongs to;
- `served:MODEL@URL`: the `/tokenize` of the server that serves the model (vLLM, llama-server), exact.

What only some counters need is imported by them: the window and the command line must start without it.
"""

from __future__ import annotations

import json
import os
import sqlite3
from functools import lru_cache
from pathlib import Path

import msgspec

from core.errors import InvalidInput, SageError
from core.memory.tokens import EstimatedTokens, TokenCounter, TokenizerFile

DEFAULT = "estimate"
_SECONDS = 20.0
_REMEDY = (
    "Start the server, or choose another counter with `sage memory verify --recount`."
)


class _Counted(msgspec.Struct):
    """What `/tokenize` answers: vLLM a count, llama-server the tokens."""

    count: int | None = None
    tokens: list[object] | None = None


class ServedTokens:
    """Counts by asking the server of the model, so that Tok(H) is what the model really reads.

    Attributes:
        id: `served:` and the model's name.

    Args:
        model: Name as the server lists it.
        address: Base URL, with or without `/v1`.
    """

    def __init__(self, model: str, address: str) -> None:
        self._model = model
        self._url = address.rstrip("/").removesuffix("/v1") + "/tokenize"
        self.id = f"served:{model}"

    def count(self, text: str) -> int:
        """Return how many tokens `text` has.

        Raises:
            SageError: The server cannot be asked, or has no `/tokenize`.
        """
        import http.client
        import urllib.request

        # `prompt` is vLLM's name of the text, `content` llama-server's; each ignores the other's
        question = {
            "model": self._model,
            "prompt": text,
            "content": text,
            "add_special_tokens": False,
        }
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get("SAGE_API_KEY", ""):
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(  # noqa: S310
            self._url, json.dumps(question).encode(), headers
        )
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
                counted = msgspec.json.decode(answer.read(), type=_Counted)
        except (OSError, http.client.HTTPException, msgspec.MsgspecError) as error:
            raise SageError(
                "{url} does not count tokens: {error}.",
                _REMEDY,
                url=self._url,
                error=error,
            ) from error
        if counted.count is not None:
            return counted.count
        if counted.tokens is not None:
            return len(counted.tokens)
        raise SageError("{url} answers without a count.", _REMEDY, url=self._url)


@lru_cache(maxsize=8)
def make_counter(name: str) -> TokenCounter:
    """Return the counter of a name.

    Raises:
        InvalidInput: For a name of another form, or a file that is no tokenizer.
        SageError: What it needs is not installed.
    """
    kind, _, rest = name.partition(":")
    if name == DEFAULT:
        return EstimatedTokens()
    if name == "wordpiece":
        from core.memory.retrieval.encoder.model_files import find_model

        return TokenizerFile(Path(find_model().location) / "tokenizer.json")
    if kind == "file" and rest:
        return TokenizerFile(Path(rest).expanduser())
    model, _, address = rest.partition("@")
    if kind == "served" and model and address.startswith(("http://", "https://")):
        return ServedTokens(model, address)
    raise InvalidInput(
        "token counter",
        "name",
        "{name!r} is none",
        "Use estimate, wordpiece, file:PATH or served:MODEL@URL.",
        name=name,
    )


def chosen_counter(db: sqlite3.Connection) -> str:
    """Return the name of the counter this memory uses: that of the latest recount not undone."""
    row = db.execute(
        "SELECT json_extract(payload, '$.note.counter') FROM memory_event WHERE kind = 'recount' "
        "AND undone_by IS NULL AND json_extract(payload, '$.note.counter') IS NOT NULL "
        "ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    return DEFAULT if row is None else str(row[0])
