"""The `## Look up` section of a reply: one name, or a few words, a line."""

from __future__ import annotations

import re

MOST_QUERIES = 100  # of one reply that are read at all
_MARKS = re.compile(r"^\s*(?:[-*+>]|\d+[.)])?\s*")
_NAME = re.compile(r"[A-Za-z_][\w:.]*(?:\(\))?")


def read_queries(text: str) -> tuple[str, ...]:
    """What is to be looked up, each once, in the order asked; a line of names and commas is several."""
    found: dict[str, None] = {}
    for line in text.splitlines():
        bare = _MARKS.sub("", line).replace("`", "").replace("**", "").strip(" .;\t")
        parts = [part.strip() for part in bare.split(",")]
        several = len(parts) > 1 and all(_NAME.fullmatch(part) for part in parts)
        found.update(
            dict.fromkeys(part for part in (parts if several else [bare]) if part)
        )
    return tuple(found)[:MOST_QUERIES]
