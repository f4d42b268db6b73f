"""The tools of SAGE as an MCP client sees them: names, descriptions, schemas, and what each call does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import SageError
from core.harness.tool_session import ToolSession
from core.sentence import Sentence

_TEXT: Mapping[str, Any] = {"type": "string"}


def _tool(name: str, description: str, properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    schema = {
        "type": "object", "properties": properties, "required": list(required), "additionalProperties": False,
    }  # fmt: skip
    return {"name": name, "description": description, "inputSchema": schema}


def _said(what: str, **properties: Any) -> dict[str, Any]:
    entry = {"id": _TEXT, **properties, "rationale": {**_TEXT, "description": "Why, in one sentence."}}
    return {"type": "array", "description": what, "items": {"type": "object", "properties": entry}}


class Tools:
    """The tools of one session.

    Args:
        session: What they do.
        diagnostics: Name -> what it shows, of the judge.
    """

    def __init__(self, session: ToolSession, diagnostics: Mapping[str, str]) -> None:
        self._session = session
        shows = "; ".join(f"{name}: {what}" for name, what in diagnostics.items())
        folder = "the files op_host/ and op_kernel/ in the operator's folder"
        self.listed = (
            _tool(
                "task",
                "Begin an Ascend C operator, or go on with the one in work. Returns the whole task: rules, "
                "skill, interface, current kernel, feedback, retrieved experiences. Call it first.",
                {"operator": {**_TEXT, "description": "Name or folder; empty: go on."}},
            ),
            _tool(
                "retrieve",
                "Experiences from memory for this round. After the first round it needs your diagnosis of "
                "the last feedback: cause, line, what has to change.",
                {"diagnosis": _TEXT},
            ),
            _tool(
                "look_up",
                "Look up names, parts of names or words in the Ascend C API reference. Costs no round.",
                {"queries": {"type": "array", "items": _TEXT}},
                "queries",
            ),
            _tool(
                "record_adoption",
                "State honestly for every retrieved experience whether it guided your diagnosis or change, "
                "and why; and which resident rules of the task you applied.",
                {
                    "records": _said("One for each retrieved experience.", adopted={"type": "boolean"}),
                    "resident_rules": _said("Those you applied, empty for none."),
                },
                "records",
            ),
            _tool(
                "evaluate",
                f"Compile, check and time {folder}: one round. Refused while a retrieved experience is "
                "unresolved.",
                {"diagnosis": _TEXT},
            ),
            _tool(
                "diagnose",
                f"Look into {folder} without using a round. {shows}",
                {
                    "tool": {**_TEXT, **({"enum": list(diagnostics)} if diagnostics else {})},
                    "case": {**_TEXT, "description": "A visible case; empty for any."},
                },
                "tool",
            ),
            _tool("best", "The best correct kernel so far, its latency, and how many rounds are used.", {}),
            _tool(
                "done",
                "End the optimization when no further gain is worth a round; before the kernel is correct "
                "this gives the operator up.",
                {"reason": _TEXT},
                "reason",
            ),
            _tool(
                "learn",
                "Answer what memory asks once an operator is solved: experiences and rules for later ones.",
                {"text": _TEXT},
                "text",
            ),
        )

    def call(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """What a tool answers, and whether it was refused; the agent reads either."""
        try:
            return self._called(name, arguments), False
        except SageError as error:
            return str(error), True

    def _called(self, name: str, given: Mapping[str, Any]) -> str:
        session = self._session
        text = {key: value for key, value in given.items() if isinstance(value, str)}
        match name:
            case "task":
                return session.task(text.get("operator", ""))
            case "retrieve":
                return session.retrieve(text.get("diagnosis", ""))
            case "look_up":
                queries = given.get("queries")
                return session.look_up([str(query) for query in queries] if isinstance(queries, list) else [])
            case "record_adoption":
                rules = given.get("resident_rules")
                residents = None if rules is None else _objects(rules, "resident_rules")
                return session.record_adoption(_objects(given.get("records"), "records"), residents)
            case "evaluate":
                return session.evaluate(text.get("diagnosis", ""))
            case "diagnose":
                return session.diagnose(text.get("tool", ""), text.get("case", ""))
            case "best":
                return session.best()
            case "done":
                return session.done(text.get("reason", ""))
            case "learn":
                return session.learn(text.get("text", ""))
        names = ", ".join(str(tool["name"]) for tool in self.listed)
        raise SageError("There is no tool {name!r}.", "Available: {names}.", name=name, names=names)


def _objects(value: object, name: str) -> list[dict[str, object]]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise SageError(
            "{name} is not a list of objects.",
            Sentence('Send [{"id": …, "adopted": true, "rationale": …}].'),
            name=name,
        )
    return value
