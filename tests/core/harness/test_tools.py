"""`sage mcp`: gate, rounds and memory are those of the built-in loop, whoever writes the kernels."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.harness.mcp_server import McpServer, serve_stdio
from core.memory.replay.verification import verify
from core.method.parameters import BUNDLED_ENCODER
from core.workspace import Workspace
from sage_desktop.commands.mcp import _crashed
from tests.commands.test_live_run import person, sage
from tests.core.harness.tool_client import ToolClient, teach
from tests.own_kernels import few_cases

STATISTICS = "SELECT uid, u_m, n_ret, n_ado, sigma FROM item ORDER BY uid"
RECORDS = (
    "SELECT round, item, state, rationale FROM adoption_record ORDER BY round, item"
)


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with Workspace.open_readonly(path) as workspace:
        return [tuple(row) for row in workspace.db.execute(query)]


@pytest.mark.system
def test_memory_learns_what_the_built_in_loop_teaches_it(
    tmp_path: Path, build_cache: Path
) -> None:
    ours, theirs, few = (
        tmp_path / "ours.sage",
        tmp_path / "theirs.sage",
        few_cases(tmp_path),
    )
    teach(ours)
    teach(theirs)
    with ToolClient(theirs, tmp_path / "kernels") as client:
        task = client.call("task", {"operator": few})
        assert "Use the ascend-kernel-generator skill" in task
        assert str(tmp_path / "kernels" / "AbsMath") in task
        assert client.solve("AbsMath").startswith("Finished. AbsMath is done")
    with person(tmp_path / "desk"):
        sage(
            "run",
            "--operators",
            few,
            "--model",
            f"manual:{tmp_path / 'desk'}",
            "--workspace",
            ours,
        )
    assert rows(theirs, RECORDS) == rows(ours, RECORDS)
    assert rows(theirs, STATISTICS) == rows(ours, STATISTICS)
    assert sum(row[3] for row in rows(theirs, STATISTICS)) >= 1, "adopted"
    (stored,) = rows(
        theirs, "SELECT provider_origin, state, rounds_used FROM trajectory"
    )
    assert stored == ("agent-unconfined", "finished", 1)
    with Workspace.open_readonly(theirs) as workspace:
        assert not verify(workspace)


@pytest.mark.system
def test_the_gate_and_the_budget_are_the_servers(
    tmp_path: Path, build_cache: Path
) -> None:
    teach(tmp_path / "w.sage")
    with ToolClient(tmp_path / "w.sage", tmp_path, "--rounds", "2") as client:
        assert "Name an operator" in client.refused("task")
        assert client.refused("evaluate").startswith("Nothing is in work")
        assert "all names 104 operators; a task is one" in client.refused(
            "task", {"operator": "all"}
        )
        client.call("task", {"operator": "AbsMath"})
        client.write("AbsMath", ("GET_TILING_DATA", "NO_SUCH_MACRO"))
        said = client.refused("evaluate")
        assert "Adoption records are missing for [seed-" in said
        assert "No round was used" in said
        retrieved = client.call("retrieve")
        assert "DataCopy" in client.call("look_up", {"queries": "DataCopy"})
        assert "was not retrieved" in client.refused(
            "record_adoption", {"records": [{"id": "seed-9999"}]}
        )
        client.resolve(retrieved)
        assert client.evaluate().startswith("Round 1 of 2: fail-build (AbsMath)")
        assert "Call `retrieve` with your diagnosis first" in client.refused("evaluate")
        assert "A diagnosis is missing" in client.refused("retrieve")
        # What a tool shows may be what the diagnosis says.
        assert "Available: build, sanitizer, profile" in client.refused(
            "diagnose", {"tool": "gdb"}
        )
        seen = client.call("diagnose", {"tool": "profile"})
        assert "NO_SUCH_MACRO" in seen
        assert "further diagnostics are possible" in seen
        client.resolve(client.call("retrieve", {"diagnosis": "a macro is not known"}))
        assert "differs from the candidate before" in client.refused("evaluate")
        assert "evaluate takes no operator. It takes: diagnosis" in client.refused(
            "evaluate", {"operator": "Lerp"}
        )
        client.write("AbsMath", ("GET_TILING_DATA", "NOR_THIS_MACRO"))
        assert "Round 2 of 2: fail-build" in client.evaluate()
        client.call("learn", {"text": "Nothing new."})
        assert "the budget of 2 rounds is used" in client.refused("evaluate")
        assert "No correct kernel yet, after 2 of 2 rounds" in client.call("best")
    assert rows(tmp_path / "w.sage", "SELECT count(*) FROM round") == [(2,)]


@pytest.mark.system
def test_a_killed_server_goes_on_in_its_round(
    tmp_path: Path, build_cache: Path
) -> None:
    path = tmp_path / "w.sage"
    teach(path)
    client = ToolClient(path, tmp_path)
    few = few_cases(tmp_path)
    client.call("task", {"operator": few})
    before = client.call("retrieve")
    client.resolve(before)
    client.kill()
    with ToolClient(path, tmp_path) as again:
        for other in ("Lerp", "all", "NoSuchOperator"):
            assert "AbsMath is not finished" in again.refused(
                "task", {"operator": other}
            )
        assert "# Task" in again.call("task", {"operator": few}), (
            "its folder names it as well"
        )
        assert "# Task" in again.call("task", {"operator": few})
        assert again.call("retrieve") == before, "R_t is as it was"
        again.write("AbsMath")
        assert "Adoption records are missing" in again.refused("evaluate"), (
            "nothing unsaid is taken as said"
        )
        again.resolve(before)
        assert "Round 1 of 30: pass" in again.evaluate()
        assert "Round 1, " in again.call("best")


@pytest.mark.system
def test_an_integrity_rule_costs_the_round_and_the_31st_is_refused(
    tmp_path: Path, build_cache: Path
) -> None:
    with ToolClient(tmp_path / "w.sage", tmp_path) as client:
        client.call("task", {"operator": "AbsMath"})
        client.resolve(client.call("retrieve"))
        for number in range(1, 31):
            client.write(
                "AbsMath", ("GET_TILING_DATA", f'system("{number}"); GET_TILING_DATA')
            )
            assert client.evaluate().startswith(f"Round {number} of 30: fail-integrity")
            if number < 30:
                client.resolve(
                    client.call("retrieve", {"diagnosis": "system is forbidden"})
                )
        assert "the budget of 30 rounds is used" in client.refused("evaluate")
    assert rows(tmp_path / "w.sage", "SELECT rounds_used, state FROM trajectory") == [
        (30, "finished")
    ]


def test_a_mistake_of_ours_is_answered_and_reported_and_the_session_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path))

    class Broken:
        listed = property(lambda _self: 1 // 0)

    server = McpServer(Broken(), "1", _crashed)  # type: ignore[arg-type]
    asked = b'{"jsonrpc": "2.0", "id": 7, "method": "%s"}\n'
    sink = io.BytesIO()
    serve_stdio(server, io.BytesIO(asked % b"tools/list" + asked % b"ping"), sink)
    answers = sorted(sink.getvalue().splitlines(), key=len)
    assert json.loads(answers[0])["result"] == {}
    assert json.loads(answers[1])["error"]["code"] == -32603
    said = capsys.readouterr().err
    (report,) = (tmp_path / "reports").iterdir()
    assert said.splitlines() == [
        f"A mistake in SAGE Desktop (ZeroDivisionError); the report is {report}"
    ]
    assert "1 // 0" in report.read_text()


def test_a_client_that_reads_no_more_ends_the_server(tmp_path: Path) -> None:
    class Deaf(io.BytesIO):
        def flush(self) -> None:
            raise BrokenPipeError

    crashes: list[BaseException] = []
    lines = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n' * 3
    serve_stdio(McpServer(None, "1", crashes.append), io.BytesIO(lines), Deaf())  # type: ignore[arg-type]
    assert not crashes, "that is the client's affair"
    serve_stdio(McpServer(None, "1", crashes.append), io.BytesIO(lines), None)  # type: ignore[arg-type]
    assert {type(crash) for crash in crashes} == {AttributeError}, "and this is ours"


@pytest.mark.system
def test_http_answers_whoever_has_the_token_and_no_page(
    tmp_path: Path, build_cache: Path
) -> None:
    environment = {**os.environ, "SAGE_MCP_TOKEN": "a-token-of-ours"}
    command = [
        sys.executable,
        "-c",
        "from sage_desktop.cli import main; main()",
        "mcp",
        "--http",
        "0",
        "--workspace",
        str(tmp_path / "w.sage"),
    ]
    server = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert server.stderr is not None
    address = next(
        line for line in server.stderr if line.startswith("http://127.0.0.1:")
    ).strip()
    port = int(address.rsplit(":", 1)[1].split("/")[0])

    def post(method: str, **headers: str) -> tuple[int, dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method})
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text or "{}")

    try:
        right = {"Authorization": "Bearer a-token-of-ours"}
        assert post("tools/list")[0] == 401
        assert post("tools/list", Authorization="Bearer another")[0] == 401
        assert post("tools/list", **right, Origin="http://evil.example")[0] == 403
        status, body = post("tools/list", **right)
        assert status == 200
        names = [tool["name"] for tool in body["result"]["tools"]]
        assert names == [
            "task",
            "retrieve",
            "look_up",
            "record_adoption",
            "evaluate",
            "diagnose",
            "best",
            "done",
            "learn",
        ]
    finally:
        server.terminate()
        server.wait()
        server.stderr.close()


@pytest.mark.system
def test_what_was_said_of_one_operator_says_nothing_of_the_next(tmp_path: Path) -> None:
    teach(tmp_path / "w.sage")
    with ToolClient(tmp_path / "w.sage", tmp_path) as client:
        client.call("task", {"operator": "AbsMath"})
        client.resolve(client.call("retrieve"))
        assert "AbsMath is failed: the model gives up" in client.call(
            "done", {"reason": "no idea"}
        )
        client.call("task", {"operator": "AbsMath"})
        client.write("AbsMath")
        assert "Adoption records are missing" in client.refused("evaluate")


@pytest.mark.system
def test_the_encoder_is_on_the_way_before_the_first_task(tmp_path: Path) -> None:
    """It takes seconds, which the first `task` waited for."""
    bundled = ("--set", f"encoder={BUNDLED_ENCODER}")
    with ToolClient(tmp_path / "w.sage", tmp_path, *bundled) as client:
        begun = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it ended meanwhile
                parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
                if int(parent) == client.process.pid:
                    begun.append((process / "cmdline").read_bytes())
        assert any(b"core.memory.encoder" in command for command in begun)


@pytest.mark.parametrize(
    ("number", "answered"),
    [
        ("1e999", None),
        ("-1e999", None),
        ("NaN", None),
        ("[1]", None),
        ("true", None),
        ('{"a": 1}', None),
        ('"\\ud800"', "\ud800"),  # half a pair, as JSON can spell it
        ("1.5", 1.5),
        ("7", 7),
    ],
)
def test_every_answer_is_json_whatever_the_id(number: str, answered: object) -> None:
    crashes: list[BaseException] = []
    sink = io.BytesIO()
    line = f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}\n'.encode()
    serve_stdio(McpServer(None, "1", crashes.append), io.BytesIO(line), sink)  # type: ignore[arg-type]
    assert crashes == []
    response = json.loads(sink.getvalue(), parse_constant=pytest.fail)
    assert response["id"] == answered
    assert ("error" in response) is (answered is None)
