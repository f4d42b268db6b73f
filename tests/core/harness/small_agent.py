"""A small agent over ACP, standard library alone: it does, line by line, what its model tells it.

`WRITE path text`, `READ path`, `FILL path bytes`, `CONNECT host port`, `LINK path target`, `ENVIRONMENT`,
`PROCESSES`, `NONSENSE` (a request that is no JSON): the result is told to the model. `THINK words`: it thinks
aloud. `DIE`: it ends at once. `HANG`: it works on for ever and reacts to nothing. `AGAIN`: it asks the model
again. Anything else is its message, and the end of its turn. Reads and writes are told as tool calls.
"""

import http.client
import json
import os
import signal
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit


def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(session, **what):
    say({"method": "session/update", "params": {"sessionId": session, "update": what}})


def post(body):
    address = urlsplit(os.environ["OPENAI_BASE_URL"])
    connection = http.client.HTTPConnection(address.hostname, address.port)
    connection.request("POST", f"{address.path}/chat/completions", body)
    return connection.getresponse()


def model(messages):
    answer = post(json.dumps({"model": "x", "stream": True, "messages": messages}))
    if answer.status != 200:
        return f"STATUS {answer.status}"
    text = ""
    for line in answer:
        if line.startswith(b"data: {"):
            for choice in json.loads(line[6:])["choices"]:
                text += choice["delta"].get("content") or ""
    return text


def told(session, number, line):
    """Do a line, as a tool call where it is one."""
    word, _, rest = line.partition(" ")
    if word == "THINK":
        update(
            session,
            sessionUpdate="agent_thought_chunk",
            content={"type": "text", "text": rest},
        )
        return "thought"
    if word not in ("READ", "WRITE"):
        return done(line)
    path = rest.partition(" ")[0]
    uid, place = f"call-{number}", str(Path.cwd() / path)
    kind = "edit" if word == "WRITE" else "read"
    update(
        session,
        sessionUpdate="tool_call",
        toolCallId=uid,
        title=word.lower(),
        kind=kind,
        status="pending",
    )
    update(
        session,
        sessionUpdate="tool_call_update",
        toolCallId=uid,
        status="in_progress",
        locations=[{"path": place}],
    )
    result = done(line)
    how = "failed" if result.startswith("error") else "completed"
    update(session, sessionUpdate="tool_call_update", toolCallId=uid, status=how)
    return result


def done(line):
    word, _, rest = line.partition(" ")
    try:
        if word == "WRITE":
            path, _, text = rest.partition(" ")
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text)
            return "written"
        if word == "FILL":
            path, size = rest.split()
            with Path(path).open("wb") as file:
                file.seek(int(size))
                file.write(b"x")
            return "filled"
        if word == "NONSENSE":
            return str(post(b"{").status)
        if word == "LINK":
            path, target = rest.split()
            Path(path).symlink_to(target)
            return "linked"
        if word == "READ":
            place = Path(rest)
            return (
                str(sorted(child.name for child in place.iterdir()))
                if place.is_dir()
                else place.read_text()[:200]
            )
        if word == "CONNECT":
            host, port = rest.split()
            socket.create_connection((host, int(port)), 3).close()
            return "connected"
        if word == "ENVIRONMENT":
            return json.dumps(dict(os.environ))
        if word == "PROCESSES":
            return str(
                [
                    place.name
                    for place in Path("/proc").iterdir()
                    if place.name.isdigit()
                ]
            )
    except OSError as error:
        return f"error {error}"
    return None


def turn(session, text):
    messages = [{"role": "user", "content": text}]
    calls = 0
    while True:
        said = model(messages)
        if said.startswith("STATUS 5"):
            continue  # as agents do
        if said == "DIE":
            os.kill(os.getpid(), signal.SIGKILL)
        if said == "HANG":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            update(
                session,
                sessionUpdate="agent_thought_chunk",
                content={"type": "text", "text": "hanging"},
            )
            while True:
                pass
        calls += 1
        lines = enumerate(said.splitlines())
        results = (
            [told(session, f"{calls}-{n}", line) for n, line in lines]
            if said != "AGAIN"
            else ["again"]
        )
        if None in results or not results:
            update(
                session,
                sessionUpdate="agent_message_chunk",
                content={"type": "text", "text": said},
            )
            return
        messages += [
            {"role": "assistant", "content": said},
            {"role": "user", "content": "\n".join(results)},
        ]


def main():
    for line in sys.stdin:
        asked = json.loads(line)
        method, params = asked.get("method"), asked.get("params") or {}
        if method == "initialize":
            say(
                {
                    "id": asked["id"],
                    "result": {"protocolVersion": 1, "agentCapabilities": {}},
                }
            )
        elif method == "session/new":
            say({"id": asked["id"], "result": {"sessionId": f"s{asked['id']}"}})
        elif method == "session/prompt":
            turn(params["sessionId"], params["prompt"][0]["text"])
            say({"id": asked["id"], "result": {"stopReason": "end_turn"}})


main()
