"""The tools of SAGE as an MCP client sees them, `resources/templates/mcp/tools.json`, and what calls do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.errors import SageError
from core.harness.tool_session import ToolSession
from core.templates import rendered
from core.text import Text


class Tools:
    """The tools of one session.

    Args:
        session: What they do.
        diagnostics: Name -> what it shows, of the judge.
    """

    def __init__(self, session: ToolSession, diagnostics: Mapping[str, str]) -> None:
        self._session = session
        self._diagnostics = tuple(diagnostics)
        shows = "; ".join(f"{name}: {what}" for name, what in diagnostics.items())
        listed = json.loads(
            rendered("mcp/tools.json", shows=shows, diagnostics=list(diagnostics))
        )
        self.listed = tuple(
            {
                "name": tool["name"],
                "description": tool["description"],
                "inputSchema": {
                    "type": "object",
                    "properties": tool["properties"],
                    "required": tool.get("required", []),
                    "additionalProperties": False,
                },
            }
            for tool in listed
        )

    def call(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """What a tool answers, and whether it was refused; the agent reads either."""
        try:
            return self._called(name, arguments), False
        except SageError as error:
            return str(error), True

    def _called(self, name: str, arguments: Mapping[str, Any]) -> str:
        self._require_known(name, arguments)
        session = self._session
        text = {
            key: value for key, value in arguments.items() if isinstance(value, str)
        }
        match name:
            case "task":
                return session.task(text.get("operator", ""))
            case "retrieve":
                return session.retrieve(text.get("diagnosis", ""))
            case "look_up":
                queries = arguments.get("queries")
                each = queries if isinstance(queries, list) else [queries]
                return session.look_up([str(query) for query in each if query])
            case "record_adoption":
                rules = arguments.get("resident_rules")
                residents = None if rules is None else _objects(rules, "resident_rules")
                return session.record_adoption(
                    _objects(arguments.get("records"), "records"), residents
                )
            case "evaluate":
                return session.evaluate(text.get("diagnosis", ""))
            case "diagnose":
                tool = text.get("tool", "")
                self._require_diagnostic(tool)
                return session.diagnose(tool, text.get("case", ""))
            case "best":
                return session.best()
            case "done":
                return session.done(text.get("reason", ""))
            case "learn":
                return session.learn(text.get("text", ""))
        names = ", ".join(str(tool["name"]) for tool in self.listed)
        raise SageError(
            "There is no tool {name!r}.", "Available: {names}.", name=name, names=names
        )

    def _require_diagnostic(self, tool: str) -> None:
        if tool.strip().lower() not in self._diagnostics:
            raise SageError(
                "There is no diagnostic {tool!r}.",
                "Available: {names}.",
                tool=tool,
                names=", ".join(self._diagnostics) or "none",
            )

    def _require_known(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Raise where a tool is given what it does not take: it would be ignored."""
        for tool in self.listed:
            takes = tool["inputSchema"]["properties"]
            unknown = ", ".join(sorted(set(arguments) - set(takes)))
            if tool["name"] == name and unknown:
                raise SageError(
                    "{tool} takes no {unknown}.",
                    "It takes: {takes}.",
                    tool=name,
                    unknown=unknown,
                    takes=", ".join(takes) or "nothing",
                )


def _objects(value: object, name: str) -> list[dict[str, object]]:
    """A list of objects, as JSON has them, under a name for the message."""
    if not isinstance(value, list) or not all(
        isinstance(entry, dict) for entry in value
    ):
        raise SageError(
            "{name} is not a list of objects.",
            Text('Send [{"id": …, "adopted": true, "rationale": …}].'),
            name=name,
        )
    return value
