"""A client of `sage mcp` over its standard streams, as an agent's is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

from core.exchange.seeds import add_seeds, cold_start_bank
from core.memory.records import Experience, Origin
from core.memory.store import MemoryStore
from core.workspace import Workspace
from tests.core.harness.scripted_model import kernel, records


def teach(workspace: Path) -> None:
    """A memory with the seeds and one lesson for kernels of every kind, which any first prompt retrieves."""
    with Workspace.open(workspace) as opened:
        store = MemoryStore(opened)
        add_seeds(store, cold_start_bank())
        lesson = Experience(
            title="Tail of the last tile: fetch it first, in the shadow of the prologue",
            type="tiling",
            category="DataMovement",
            summary="The shortest transfer hides behind parsing; later tiles stream undisturbed.",
        )
        store.add_item(lesson, origin=Origin.SEED, uid="seed-9001")


class ToolClient:
    """Starts `sage mcp` on a workspace; files are written below `folder`."""

    def __init__(self, workspace: Path, folder: Path, *more: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "from sage_desktop.cli import main; main()",
                "mcp",
                "--workspace",
                str(workspace),
                "--folder",
                str(folder),
                "--set",
                "encoder=none",
                *more,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._sent = 0
        self.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "test"},
        )

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._sent += 1
        request = {
            "jsonrpc": "2.0",
            "id": self._sent,
            "method": method,
            "params": params,
        }
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == self._sent
        return dict(answer["result"])

    def call(self, tool: str, arguments: dict[str, Any] | None = None) -> str:
        result = self.ask("tools/call", name=tool, arguments=arguments or {})
        text = str(result["content"][0]["text"])
        assert not result["isError"], text
        return text

    def refused(self, tool: str, arguments: dict[str, Any] | None = None) -> str:
        result = self.ask("tools/call", name=tool, arguments=arguments or {})
        text = str(result["content"][0]["text"])
        assert result["isError"], text
        return text

    def resolve(self, retrieved: str) -> str:
        said = [
            {
                "id": uid,
                "adopted": yes,
                "rationale": "op_kernel/abs_math.cpp:1: because",
            }
            for uid, yes in records(retrieved)
        ]
        return self.call("record_adoption", {"records": said, "resident_rules": []})

    def write(self, operator: str, change: tuple[str, str] = ("", "")) -> None:
        for path, text in kernel(operator).items():
            place = self.folder / operator / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(
                text.replace(*change) if change[0] else text, encoding="utf-8"
            )

    def solve(self, operator: str) -> str:
        """Do the task that was asked for."""
        self.resolve(self.call("retrieve"))
        self.write(operator)
        self.evaluate()
        self.resolve(
            self.call("retrieve", {"diagnosis": "bound by transfers of DataCopy"})
        )
        self.call("done", {"reason": "no idea left"})
        return self.call("learn", {"text": "Nothing new."})

    def evaluate(self) -> str:
        """Evaluate, and wait for a judge that takes its time, as the answer says."""
        while True:
            result = self.ask("tools/call", name="evaluate", arguments={})
            text = str(result["content"][0]["text"])
            if "still running" not in text:
                assert not result["isError"], text
                return text

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        assert self.process.wait(30) == 0
        self.process.stdout.close()

    def kill(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.close()
