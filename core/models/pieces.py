"""What comes of a reply in the making: words, and from a coding agent its thoughts and tool calls."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

ENDED = frozenset({"completed", "failed"})
_MARKS = {"completed": "✓", "failed": "✗"}
_MOST_LINES = 400  # of a diff
_LARGEST = 4000  # lines of a file that are compared


@dataclass(frozen=True)
class Thought:
    """A piece of what an agent thinks aloud; no part of its reply."""

    text: str


@dataclass(frozen=True)
class AgentStep:
    """A tool call of a coding agent, told again whenever it gets further.

    Attributes:
        uid: Names the call within its turn.
        kind: read, edit, delete, move, search, execute, think, fetch or other, as the
            Agent Client Protocol has it.
        title: As the agent calls it.
        state: pending, in_progress, completed or failed.
        places: Paths it works on; those in the candidate's folder from there on.
        diff: What it changed, as a unified diff without head; empty for other calls.
    """

    uid: str
    kind: str
    title: str
    state: str
    places: tuple[str, ...] = ()
    diff: str = ""

    @property
    def head(self) -> str:
        """Kind and place, or what the agent calls it, with the lines it added and removed."""
        words = (
            f"{self.kind} {', '.join(self.places)}"
            if self.places
            else self.title or self.kind
        )
        if not self.diff:
            return words
        lines = self.diff.splitlines()
        added = sum(line.startswith("+") for line in lines)
        removed = sum(line.startswith("-") for line in lines)
        return f"{words} +{added} −{removed}"


Piece = str | Thought | AgentStep


def joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """The same with neighbouring words joined, and of each step only its last report, where it began."""
    merged: list[Piece] = []
    place: dict[str, int] = {}
    for piece in pieces:
        last = merged[-1] if merged else None
        if isinstance(piece, AgentStep):
            if piece.uid in place:
                merged[place[piece.uid]] = piece
            else:
                place[piece.uid] = len(merged)
                merged.append(piece)
        elif isinstance(piece, Thought) and isinstance(last, Thought):
            merged[-1] = Thought(last.text + piece.text)
        elif isinstance(piece, str) and isinstance(last, str):
            merged[-1] = last + piece
        else:
            merged.append(piece)
    return tuple(merged)


def account(pieces: Iterable[Piece]) -> str:
    """Thoughts and tool calls as one text: what is kept of an agent's turn beside its reply."""
    parts = []
    for piece in joined(piece for piece in pieces if not isinstance(piece, str)):
        if isinstance(piece, Thought):
            parts.append(piece.text.strip())
        elif isinstance(piece, AgentStep):
            mark = _MARKS.get(piece.state, "…")
            parts.append(f"{mark} {piece.head}\n{piece.diff}".rstrip())
    return "\n\n".join(part for part in parts if part)


def diff_of(before: str, after: str) -> str:
    """The lines that changed, with three around them; long ones are cut."""
    old, new = before.splitlines(), after.splitlines()
    # A comparison of files that long takes seconds, and no kernel is that long.
    if max(len(old), len(new)) > _LARGEST:
        return f"@@ {len(old)} lines → {len(new)} lines @@"
    lines = list(difflib.unified_diff(old, new, n=3, lineterm=""))[2:]
    surplus = len(lines) - _MOST_LINES
    if surplus > 0:
        lines = [*lines[:_MOST_LINES], f"@@ {surplus} more lines @@"]
    return "\n".join(lines)
