"""What SAGE answers an agent over the Agent Client Protocol: permissions by policy, and nothing of its own.

The agent has its own eyes and hands, inside its cell; no file or terminal of ours is offered to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Any, NoReturn

from core.harness.launch import PROJECT

_IN_FOLDER = frozenset({"read", "edit", "delete", "move", "search", "think"})
Tell = Callable[[str], None]


class TurnClient:
    """Gathers what the agent says in a turn, and answers what it asks."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.thoughts: list[str] = []
        self.tools = 0
        self._tell: Tell | None = None
        self._touch: Callable[[], None] = _nothing

    def begin(self, tell: Tell | None, touch: Callable[[], None]) -> None:
        """Gather from here; `touch` hears that the agent is alive."""
        self.text, self.thoughts, self.tools = [], [], 0
        self._tell, self._touch = tell, touch

    async def session_update(self, update: Any, **_: Any) -> None:
        """Text, thoughts and tool calls as they come."""
        self._touch()
        kind = getattr(update, "session_update", "")
        if kind == "agent_message_chunk":
            self._take(self.text, getattr(update.content, "text", ""))
        elif kind == "agent_thought_chunk":
            self._take(self.thoughts, getattr(update.content, "text", ""))
        elif kind == "tool_call":
            self.tools += 1
            self.text.append("\n")  # what it says before a tool and after it are different sentences
            self._told(f"\n[{update.kind or 'tool'}: {update.title}]\n")
        elif kind == "tool_call_update" and update.status == "failed":
            self._told("[refused or failed]\n")

    async def request_permission(self, tool_call: Any, options: Sequence[Any], **_: Any) -> Any:
        """Yes to work on files in its folder, no to everything else."""
        from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

        wanted = "allow_once" if _may(tool_call) else "reject_once"
        chosen = next((option.option_id for option in options if option.kind == wanted), None)
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen))

    async def write_text_file(self, **_: Any) -> Any:
        """Not offered."""
        _refuse("fs/write_text_file")

    async def read_text_file(self, **_: Any) -> Any:
        """Not offered."""
        _refuse("fs/read_text_file")

    async def create_terminal(self, **_: Any) -> Any:
        """Not offered."""
        _refuse("terminal/create")

    def _take(self, into: list[str], text: str) -> None:
        into.append(text)
        self._told(text)

    def _told(self, text: str) -> None:
        if self._tell is not None and text:
            self._tell(text)


def _may(call: Any) -> bool:
    places = [str(place.path) for place in (getattr(call, "locations", None) or ())]
    return getattr(call, "kind", None) in _IN_FOLDER and all(_inside(place) for place in places)


def _inside(place: str) -> bool:
    path = PurePosixPath(PROJECT) / place
    return ".." not in path.parts and path.is_relative_to(PROJECT)


def _refuse(method: str) -> NoReturn:
    from acp import RequestError

    raise RequestError.method_not_found(method)


def _nothing() -> None:
    pass
