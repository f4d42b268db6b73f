"""The content of an item as columns and as a hash."""

from __future__ import annotations

import hashlib

from core.errors import InvalidInput
from core.memory.ledger import Value, encode
from core.memory.records import Experience


def require_content(experience: Experience, source: str = "memory item") -> None:
    """Raise InvalidInput when title, type or category is empty."""
    for field in ("title", "type", "category"):
        if not getattr(experience, field).strip():
            raise InvalidInput(source, field, "is empty")


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
