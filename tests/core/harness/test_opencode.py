"""The real OpenCode, both ways round, on the CPU twin; its model is a script behind a socket.

Slow: it is installed from npm. The same is tested quickly with a small agent (`test_driven_agent.py`) and a
client of our own (`test_tools.py`).
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.analysis.queries import blob_text
from core.harness.acp_provider import AcpProvider
from core.harness.launch import find_agent
from core.memory.replay.verification import verify
from core.models.endpoint import Endpoint
from core.models.faults import ContextOverflow, ServerFault
from core.workspace import Workspace
from remote.agents.confined import Cell
from tests.core.harness.scripted_model import drives_folder, since_asked, uses_tools
from tests.core.harness.test_driven_agent import SAGE, asked
from tests.core.models.server import Call, Fail, Recipe, Say, Server

pytestmark = pytest.mark.slow
OPERATORS = ("AbsMath", "Lerp")


def both_were_solved_and_taught_memory(path: Path, origin: str) -> None:
    with Workspace.open_readonly(path) as workspace:
        db = workspace.db
        stored = db.execute(
            "SELECT operator, state, provider_origin, first_correct_round FROM trajectory"
        )
        assert [tuple(row) for row in stored] == [
            (name, "finished", origin, 1) for name in OPERATORS
        ]
        states = dict(
            db.execute(
                "SELECT state, count(*) FROM adoption_record GROUP BY state"
            ).fetchall()
        )
        assert set(states) == {"adopted", "not_adopted"}, "nothing was left unresolved"
        assert states["adopted"] >= 2
        assert db.execute("SELECT count(*) FROM credit_event").fetchone()[0] >= 2
        assert (
            db.execute("SELECT count(*) FROM item WHERE n_ado > 0").fetchone()[0] >= 1
        )
        assert {row[0] for row in db.execute("SELECT status FROM episode")} == {
            "applied"
        }
        assert not verify(workspace)


def test_it_solves_two_operators_driven_over_acp(
    with_opencode: Mapping[str, str], build_cache: Path, tmp_path: Path
) -> None:
    path = tmp_path / "w.sage"
    with Server(act=drives_folder, models={"m": 131_072}) as server:
        done = subprocess.run(
            [
                *SAGE,
                "run",
                "--operators",
                ",".join(OPERATORS),
                "--model",
                "acp:opencode",
                "--endpoint",
                server.url,
                "--set",
                "encoder=none",
                "--workspace",
                str(path),
                "--json",
            ],
            capture_output=True,
            text=True,
            timeout=290,
            check=False,
            env=dict(with_opencode),
            cwd=tmp_path,
        )
        tools = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert done.returncode == 0, done.stderr
    assert tools == {"read", "glob", "grep", "edit", "write"}, "no shell, no web"
    both_were_solved_and_taught_memory(path, "agent")
    with Workspace.open_readonly(path) as workspace:
        kept = workspace.db.execute(
            "SELECT reasoning FROM model_call WHERE reasoning <> ''"
        ).fetchall()
        work = [blob_text(workspace.db, row[0]) for row in kept]
    for told in ("✓ edit op_kernel/", '\n+extern "C"', "the profile says mte2"):
        assert sum(told in text for text in work) == 2, f"{told}: of each operator"
    left = {entry.name for entry in tmp_path.iterdir()} - {
        "w.sage",
        "w.sage.lock",
        "w.sage-wal",
        "w.sage-shm",
    }
    assert not left, "nothing of it stands in the user's folder"


def test_it_solves_the_same_two_by_itself_with_the_tools(
    with_opencode: Mapping[str, str], build_cache: Path, tmp_path: Path
) -> None:
    path, project, home = tmp_path / "w.sage", tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    command = [
        *SAGE,
        "mcp",
        "--workspace",
        str(path),
        "--folder",
        str(project / "kernels"),
        "--set",
        "encoder=none",
    ]
    with Server(act=uses_tools, models={"m": 131_072}) as server:
        model = {"limit": {"context": 131_072, "output": 8192}, "tool_call": True}
        (project / "opencode.json").write_text(
            json.dumps(
                {
                    "mcp": {
                        "sage": {
                            "type": "local",
                            "command": command,
                            "timeout": 600_000,
                        }
                    },
                    "experimental": {"mcp_timeout": 600_000},
                    "enabled_providers": ["lab"],
                    "provider": {
                        "lab": {
                            "npm": "@ai-sdk/openai-compatible",
                            "models": {"m": model},
                            "options": {"baseURL": server.url, "apiKey": "none"},
                        }
                    },
                    "model": "lab/m",
                    "small_model": "lab/m",
                    "autoupdate": False,
                    "share": "disabled",
                    "agent": {"title": {"disable": True}},
                    "permission": "allow",
                }
            )
        )
        environment = {
            **with_opencode,
            "HOME": str(home),
            "PWD": str(project),
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "SAGE_DATA_DIR": os.environ["SAGE_DATA_DIR"],
            "SAGE_CACHE_DIR": os.environ["SAGE_CACHE_DIR"],
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        environment = {
            name: value
            for name, value in environment.items()
            if not name.startswith("XDG_")
        }
        done = subprocess.run(
            ["opencode", "run", "Solve AbsMath and Lerp with the tools of sage."],
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=290,
            check=False,
        )
        results = [
            result for request in server.requests for result in since_asked(request)[2]
        ]
    assert done.returncode == 0, done.stderr
    assert "Both are solved." in done.stdout
    assert any(
        "Not evaluated: Adoption records are missing" in said for said in results
    )
    both_were_solved_and_taught_memory(path, "agent-unconfined")


def turn(
    server: Server,
    environment: Mapping[str, str],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    monkeypatch.setenv("PATH", environment["PATH"])

    async def work() -> str:
        endpoint = Endpoint(server.url, "m", attempts=2)
        provider = AcpProvider(find_agent("opencode"), endpoint, Cell(cache))
        try:
            return (await provider.complete(asked())).text
        finally:
            await provider.close()

    return asyncio.run(work())


def test_it_is_ended_where_it_would_repeat_for_ever(
    with_opencode: Mapping[str, str], build_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        Server(Fail(500, "no memory")) as server,
        pytest.raises(ServerFault, match="no memory"),
    ):
        turn(server, with_opencode, build_cache, monkeypatch)
    said = "This model's maximum context length is 4096 tokens. However, you requested 9000"
    with Server(Fail(400, said)) as server, pytest.raises(ContextOverflow):
        turn(server, with_opencode, build_cache, monkeypatch)
    assert len(server.requests) == 1


def test_what_it_writes_elsewhere_is_refused_and_it_goes_on(
    with_opencode: Mapping[str, str], build_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = Path("/var/tmp/sage-was-here.cpp")
    told: list[str] = []

    def writes(request: dict[str, Any]) -> Recipe:
        results = since_asked(request)[2]
        told[:] = results
        places = [
            str(outside),
            "/project/loose.cpp",
            "/project/../usr/a.cpp",
            "/project/op_kernel/a.cpp",
        ]
        if len(results) < len(places):
            return Call(
                "write", {"filePath": places[len(results)], "content": "int a;\n"}
            )
        return Say("## Diagnosis\nwritten\n")

    with Server(act=writes) as server:
        text = turn(server, with_opencode, build_cache, monkeypatch)
    assert "### op_kernel/a.cpp" in text
    assert "loose.cpp" not in text
    assert not outside.exists()
    assert "successfully" in told[3]
    assert not any("successfully" in result for result in told[:3])
