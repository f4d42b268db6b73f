"""The content of an item as columns and as a hash."""

from __future__ import annotations

import hashlib

from core.errors import InvalidInput
from core.memory.ledger import Value, encode
from core.memory.records import Experience

# Characters. An item stands in the prompt of every round it is retrieved in, beside k - 1 others.
LONGEST = {"title": 300, "type": 100, "category": 100, "error_message": 4000, "summary": 4000, "source": 2000}
LONGEST_CODE = 16_000


def require_content(experience: Experience, source: str = "memory item") -> None:
    """Raise InvalidInput when title, type or category is empty, or a field too long for a prompt."""
    for field in ("title", "type", "category"):
        if not getattr(experience, field).strip():
            raise InvalidInput(source, field, "is empty")
    code = experience.code_diff
    texts = [(field, getattr(experience, field), limit) for field, limit in LONGEST.items()]
    texts += [(name, getattr(code, name), LONGEST_CODE) for name in ("wrong_code", "correct_code")]
    for field, text, limit in texts:
        if len(text) > limit:
            raise InvalidInput(
                source, field, f"has {len(text)} characters, at most {limit} fit", "Shorten it."
            )


def content_columns(experience: Experience) -> dict[str, Value]:
    """Return the item columns that hold an experience."""
    return {
        "title": experience.title,
        "type": experience.type,
        "category": experience.category,
        "error_message": experience.error_message,
        "code_diff": encode(experience.code_diff),
        "summary": experience.summary,
        "scope": encode(experience.scope),
        "source": experience.source,
    }


def content_hash(experience: Experience) -> str:
    """Return the sha256 of everything in an experience but its source note."""
    columns = content_columns(experience)
    del columns["source"]
    return hashlib.sha256(encode(columns).encode()).hexdigest()
