"""What SAGE answers an agent over the Agent Client Protocol: permissions by policy, and nothing of its own.

The agent has its own eyes and hands, inside its cell; no file or terminal of ours is
offered to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, NoReturn

from core.harness.launch import PROJECT
from core.models.pieces import ENDED, AgentStep, Piece, Thought, diff_of

_IN_FOLDER = frozenset({"read", "edit", "delete", "move", "search", "think"})
_CHANGING = frozenset({"edit", "delete", "move"})
_MOST_STEPS = 2000  # of a turn that are reported; an agent that makes more is ended for its requests
Tell = Callable[[Piece], None]
Edited = Callable[[str], tuple[str, str]]


class TurnClient:
    """Gathers what the agent says in a turn, and answers what it asks.

    Args:
        edited: Text before and now of a file of its folder: what it edited is looked
            at, not believed.
    """

    def __init__(self, edited: Edited) -> None:
        self._edited = edited
        self.text: list[str] = []
        self.work: list[Piece] = []  # thoughts and tool calls, in their order
        self._steps: dict[str, AgentStep] = {}
        self._tell: Tell | None = None
        self._touch: Callable[[], None] = _nothing

    def begin(self, tell: Tell | None, touch: Callable[[], None]) -> None:
        """Gather from here; `touch` hears that the agent is alive."""
        self.text, self.work, self._steps = [], [], {}
        self._tell, self._touch = tell, touch

    async def session_update(self, update: Any, **_: Any) -> None:
        """Text, thoughts and tool calls as they come."""
        self._touch()
        kind = getattr(update, "session_update", "")
        if kind == "agent_message_chunk":
            words = getattr(update.content, "text", "")
            self.text.append(words)
            self._report_piece(words)
        elif kind == "agent_thought_chunk":
            self._work(Thought(getattr(update.content, "text", "")))
        elif kind in {"tool_call", "tool_call_update"}:
            self._step(update)

    def _step(self, update: Any) -> None:
        """A tool call as far as it has got; an update tells only what is new."""
        before = self._steps.get(update.tool_call_id)
        if before is None:
            if len(self._steps) >= _MOST_STEPS:
                return
            # What it says before a tool and after it are different sentences.
            self.text.append("\n")
            before = AgentStep(update.tool_call_id, "other", "", "pending")
        elif before.state in ENDED:
            return
        step = AgentStep(
            before.uid,
            update.kind or before.kind,
            update.title or before.title,
            update.status or before.state,
            _places(update) or before.places,
        )
        if step.state == "completed" and step.kind in _CHANGING:
            step = replace(step, diff=self._diff(step.places))
        if step != before or before.uid not in self._steps:
            self._steps[step.uid] = step
            self._work(step)

    async def request_permission(
        self, tool_call: Any, options: Sequence[Any], **_: Any
    ) -> Any:
        """Yes to work on files in its folder, no to everything else."""
        from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

        kind = "allow_once" if _may(tool_call) else "reject_once"
        selected = next(
            (option.option_id for option in options if option.kind == kind), None
        )
        if selected is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(
            outcome=AllowedOutcome(outcome="selected", option_id=selected)
        )

    async def write_text_file(self, **_: Any) -> Any:
        """Not offered."""
        _refuse("fs/write_text_file")

    async def read_text_file(self, **_: Any) -> Any:
        """Not offered."""
        _refuse("fs/read_text_file")

    async def create_terminal(self, **_: Any) -> Any:
        """Not offered."""
        _refuse("terminal/create")

    def _diff(self, places: Sequence[str]) -> str:
        return "\n".join(
            filter(None, (diff_of(*self._edited(place)) for place in places))
        )

    def _work(self, piece: Piece) -> None:
        self.work.append(piece)
        self._report_piece(piece)

    def _report_piece(self, piece: Piece) -> None:
        if self._tell is not None and piece:
            self._tell(piece)


def _places(update: Any) -> tuple[str, ...]:
    """Where a tool works: as the agent says, or as its edits tell."""
    places = [str(place.path) for place in (update.locations or ())]
    places += [
        str(part.path)
        for part in update.content or ()
        if getattr(part, "type", "") == "diff"
    ]
    return tuple(dict.fromkeys(place.removeprefix(f"{PROJECT}/") for place in places))


def _may(call: Any) -> bool:
    places = [str(place.path) for place in (getattr(call, "locations", None) or ())]
    return getattr(call, "kind", None) in _IN_FOLDER and all(
        _inside(place) for place in places
    )


def _inside(place: str) -> bool:
    path = PurePosixPath(PROJECT) / place
    return ".." not in path.parts and path.is_relative_to(PROJECT)


def _refuse(method: str) -> NoReturn:
    from acp import RequestError

    raise RequestError.method_not_found(method)


def _nothing() -> None:
    pass
