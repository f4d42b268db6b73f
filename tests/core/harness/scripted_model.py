"""A model for agents, played by a script: what it answers follows from the request alone."""

from __future__ import annotations

import json
import re
from typing import Any

from core.agent.reply.protocol import read_reply
from tests.core.models.server import Call, Recipe, Say
from tests.scripted_session import pack

SOLVED_IN = {
    "AbsMath": 2,
    "Lerp": 3,
}  # round of the scripted session in which the kernel is correct
ALIEN = "/etc/sage-was-here"


def kernel(operator: str) -> dict[str, str]:
    """The first correct kernel of an operator in the scripted session, all files."""
    files: dict[str, str] = {}
    for row in pack().replies:
        mine = (row.subject, row.objective) == (
            operator,
            "corr",
        ) and row.round <= SOLVED_IN[operator]
        if mine and row.purpose in {"candidate", "repair"}:
            files |= dict(read_reply(row.text).files)
    return files


def text_of(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return (
        content
        if isinstance(content, str)
        else "\n".join(part.get("text", "") for part in content)
    )


def since_asked(request: dict[str, Any]) -> tuple[str, str, list[str]]:
    """The whole conversation, the last message of the user, and the results of tools after it."""
    messages = request["messages"]
    last = max(
        number for number, message in enumerate(messages) if message["role"] == "user"
    )
    results = [
        text_of(message)
        for message in messages[last + 1 :]
        if message["role"] == "tool"
    ]
    return "\n".join(map(text_of, messages)), text_of(messages[last]), results


def operator_of(text: str) -> str:
    return re.findall(r"^## Operator (\w+)", text, re.MULTILINE)[-1]


def records(text: str) -> list[tuple[str, bool]]:
    """Every experience shown last, the first of them adopted."""
    shown = text.rsplit("# Retrieved experiences", 1)
    uids = (
        re.findall(r"^### \[(\S+)\]", shown[1], re.MULTILINE) if len(shown) == 2 else []
    )
    return [(uid, number == 0) for number, uid in enumerate(uids)]


def adoption(text: str) -> str:
    lines = [
        f"- [{uid}] {'adopted' if yes else 'not_adopted'}: op_kernel/abs_math.cpp:1: because"
        for uid, yes in records(text)
    ]
    return (
        "## Diagnosis\nmoved whole\n## Adoption\n"
        + "\n".join(lines)
        + "\n## Resident rules used\nnone\n"
    )


def drives_folder(request: dict[str, Any]) -> Recipe:
    """Over ACP: diagnose, write the kernel file by file, end the turn with the records, then be done."""
    whole, asked, results = since_asked(request)
    if "Distil what later operators" in asked:
        return Say("Nothing new.")
    if "Do not write code yet" in asked:
        return Say(
            "## Diagnosis\nbound by transfers of DataCopy\n",
            reasoning="the profile says mte2",
        )
    if "or `## Done`" in asked:
        return Say(f"{adoption(asked)}## Done\nno idea left\n")
    files = list(kernel(operator_of(whole)).items())
    if len(results) < len(files):
        path, body = files[len(results)]
        return Call("write", {"filePath": f"/project/{path}", "content": body})
    return Say(adoption(whole))


def uses_tools(request: dict[str, Any]) -> Recipe:
    """Over MCP: the tools of SAGE in their order, files by the agent's own; `evaluate` too early once."""
    whole, asked, results = since_asked(request)
    operators = re.findall(r"Solve (\w+) and (\w+)", asked)[0]
    calls = [
        call
        for message in request["messages"]
        for call in message.get("tool_calls") or ()
    ]
    done = [call["function"]["name"].removeprefix("sage_") for call in calls]
    ended = sum("Finished. " in result for result in results)
    last = results[-1] if results else ""
    if ended == 2:
        return Say("Both are solved.")
    operator = operators[ended]
    tasks = done.count("task")
    if tasks <= ended:
        return Call("sage_task", {"operator": operator})
    here = done[len(done) - 1 - done[::-1].index("task") :]
    if "# Before it goes on" in last:
        return Call("sage_learn", {"text": "Nothing new."})
    if here[-1] == "task":
        return Call("sage_evaluate", {})  # before adoption: refused
    if here == ["task", "evaluate"]:
        return Call("sage_retrieve", {})
    if here[-1] == "retrieve":
        said = [
            {"id": uid, "adopted": yes, "rationale": "because"}
            for uid, yes in records(last)
        ]
        return Call("sage_record_adoption", {"records": said, "resident_rules": []})
    if "evaluate" in here[2:]:
        if here[-1] == "evaluate":
            return Call(
                "sage_retrieve", {"diagnosis": "bound by transfers of DataCopy"}
            )
        return Call("sage_done", {"reason": "no idea left"})
    files = list(kernel(operator).items())
    written = here.count("write")
    if written < len(files):
        path, body = files[written]
        folder = re.findall(r"below `op_host/` and `op_kernel/` of (\S+), then", whole)[
            -1
        ]
        return Call("write", {"filePath": f"{folder}/{path}", "content": body})
    return Call("sage_evaluate", {})


def arguments_of(call: dict[str, Any]) -> dict[str, Any]:
    found = json.loads(call["function"]["arguments"])
    assert isinstance(found, dict)
    return found
