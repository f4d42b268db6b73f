"""Token costs and the text of hot memory: how a rule is rendered, and what counts its tokens.

A counter has a name, is remembered as an event, and its counts are never mixed with another's:

- `estimate`: standard library only, no model needed (the default);
- `wordpiece`: the tokenizer that comes with the bundled sentence encoder;
- `file:PATH`: a `tokenizer.json`, exact for the model it belongs to;
- `served:MODEL@URL`: the `/tokenize` of the server that serves the model (vLLM, llama-server), exact.

What only some counters need is imported by them: the window and the command line must start without it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from string import digits
from typing import Any, Protocol

import msgspec

from core.errors import InvalidInput, SageError

HOT_HEADER = "Resident rules (always in force; name by id those you apply):\n"
HEADER_TOKENS = 24  # reserved for the header whatever the counter, so that the log can be replayed without one


class TokenCounter(Protocol):
    """Counts tokens. `id` is stored beside every L_m; counts of different counters are never mixed."""

    @property
    def id(self) -> str:
        """Stable name of the counter and its vocabulary."""
        ...

    def count(self, text: str) -> int:
        """Return how many tokens `text` has."""
        ...


_SAFETY = 1.05
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PUNCTUATION = re.compile(r"[^\w\s]+")
_UNDERSCORES = re.compile(r"_+")
_NEWLINES = re.compile(r"\n+")
_BLANKS = re.compile(r"[ \t]{2,}")
_FOREIGN = re.compile(r"[^\x00-\x7f]")


class EstimatedTokens:
    """Standard-library estimate of the Qwen vocabulary, `est-qwen-v1`.

    A linear model over regular-expression classes, fitted once on 2,171 snippets of Ascend C, Python,
    Markdown and Chinese (mean error -0.5 %, mean absolute error 5.7 %). A safety factor of 1.05 keeps Tok(H)
    below B.
    """

    id = "est-qwen-v1"

    def count(self, text: str) -> int:
        """Return the estimate, rounded up; 0 for an empty text."""
        return math.ceil(_SAFETY * self.estimate(text)) if text else 0

    def estimate(self, text: str) -> float:
        """Return the bare estimate. It is a sum over lines, so a block costs what its lines cost."""
        return max(0, _thousandths(text)) / 1000


# A linear model of the Qwen vocabulary, fitted on kernels and prose, in thousandths of a token.
_PER_WORD = 975
_PER_LETTER_FROM_THE_SIXTH_ON = 76
_PER_LETTER_OF_CAPITALS = 84
_PER_PUNCTUATION = 838
_PER_FURTHER_PUNCTUATION = 152  # in one run
_PER_DIGIT = 1282
_PER_FOREIGN_LETTER = 732
_PER_UNDERSCORES = -51
_PER_NEWLINES = 746
_PER_BLANKS = 895


@lru_cache(maxsize=64)  # a round counts its system prompt and its corrections again
def _thousandths(text: str) -> int:
    """The model of `text`, in whole numbers, so that no order of adding matters."""
    total = 0
    for word, times in Counter(_WORD.findall(text)).items():
        cost = _PER_WORD + _PER_LETTER_FROM_THE_SIXTH_ON * max(0, len(word) - 5)
        if len(word) > 1 and word.isupper():
            cost += _PER_LETTER_OF_CAPITALS * len(word)
        total += times * cost
    for run, times in Counter(_PUNCTUATION.findall(text)).items():
        cost = _PER_PUNCTUATION + _PER_FURTHER_PUNCTUATION * (len(run) - 1)
        total += times * cost
    total += _PER_DIGIT * sum(map(text.count, digits))
    for character, times in Counter(_FOREIGN.findall(text)).items():
        if character.isdigit():
            total += times * _PER_DIGIT
        if character.isalpha():
            total += times * _PER_FOREIGN_LETTER
    total += _PER_UNDERSCORES * len(_UNDERSCORES.findall(text))
    total += _PER_NEWLINES * len(_NEWLINES.findall(text))
    return total + _PER_BLANKS * len(_BLANKS.findall(text))


class TokenizerFile:
    """Exact counts by a local `tokenizer.json` of the served model (needs the `tokenizers` package).

    Attributes:
        id: `hf:` and the head of the file's sha256.
    """

    def __init__(self, path: Path) -> None:
        try:
            library = import_module("tokenizers")
            self._tokenizer: Any = library.Tokenizer.from_file(str(path))
        except ImportError as error:
            raise SageError(
                "Counting by a tokenizer file needs the package tokenizers.",
                "Install it.",
            ) from error
        except (
            Exception
        ) as error:  # the library raises bare Exception for files it cannot read
            raise InvalidInput(
                str(path), "file", "is not a tokenizer ({error})", error=error
            ) from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.id = f"hf:{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"

    def count(self, text: str) -> int:
        """Return how many tokens `text` has, special tokens left out."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


def render_rule(uid: str, title: str, rule: str, example: str = "") -> str:
    """Return the line (with its example, if any) that stands in the prompt for a resident rule.

    Nothing in it changes while the item is resident: no counters, no utilities, no dates, so that a serving
        engine
    can reuse its prompt cache.
    """
    text = _one_line(rule)
    head = _one_line(title)
    line = (
        f"- [{uid}] {head}\n"
        if not text or text == head
        else f"- [{uid}] {head}: {text}\n"
    )
    body = example.strip("\n").replace("\r\n", "\n")
    if not body.strip():
        return line
    indented = "\n".join("  " + row.rstrip() for row in body.split("\n") if row.strip())
    return f"{line}  ```cpp\n{indented}\n  ```\n"


def render_hot_block(rules: Iterable[str]) -> str:
    """Return the text of H: a header and the rendered rules in admission order; empty when there are none."""
    lines = "".join(rules)
    return HOT_HEADER + lines if lines else ""


def rule_tokens(
    uid: str, title: str, rule: str, example: str, counter: TokenCounter
) -> int:
    """Return L_m: tokens of the rendered rule, at least 1."""
    return max(1, counter.count(render_rule(uid, title, rule, example)))


def rule_budget(budget: int) -> int:
    """Return what is left of B for the rule lines after the header."""
    return max(0, budget - HEADER_TOKENS)


def block_tokens(costs: Iterable[int]) -> int:
    """Return Tok(H) of the rendered block: the sum of L_m of its rules and the header; 0 when empty."""
    total = sum(costs)
    return total + HEADER_TOKENS if total else 0


def _one_line(text: str) -> str:
    return " ".join(text.split())


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
                reply = msgspec.json.decode(answer.read(), type=_Counted)
        except (OSError, http.client.HTTPException, msgspec.MsgspecError) as error:
            raise SageError(
                "{url} does not count tokens: {error}.",
                _REMEDY,
                url=self._url,
                error=error,
            ) from error
        if reply.count is not None:
            return reply.count
        if reply.tokens is not None:
            return len(reply.tokens)
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
        from core.memory.encoder.model_files import find_model

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
