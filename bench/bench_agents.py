"""What a turn costs beside the model: the built-in client, a small agent over ACP and OpenCode, one reply.

Peer: the built-in client (`core.models.openai_compatible`) against the same server. Judge and memory are left
out: they are the same for all three. OpenCode is measured where it and `rg` are on the PATH.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from core.harness.acp_provider import AcpProvider
from core.harness.launch import find_agent
from core.models.endpoint import Endpoint
from core.models.openai_compatible import OpenAICompatible
from core.models.port import Message, ModelProvider, ModelRequest, Purpose
from remote.agents.confined import Cell
from tests.core.models.server import Say, Server

TURNS = 7
AGENT = Path(__file__).parents[1] / "tests" / "agents" / "small_agent.py"


async def seconds_of(provider: ModelProvider) -> tuple[float, float]:
    """Seconds of the first turn, and the median of those after it; closes the provider."""
    request = ModelRequest(
        Purpose.CANDIDATE, "AbsMath", "corr", 1, (Message("user", "write " * 5000),)
    )
    taken = []
    for number in range(1 + TURNS):
        began = time.perf_counter()
        await provider.complete(replace(request, round=number + 1))
        taken.append(time.perf_counter() - began)
    await provider.close()
    return taken[0], statistics.median(taken[1:])


def main() -> None:
    with (
        Server(Say("## Diagnosis\nnothing\n")) as server,
        tempfile.TemporaryDirectory() as cache,
    ):
        endpoint, cell = Endpoint(server.url, "test-model"), Cell(Path(cache))
        # The small agent may read itself and the libraries of its Python.
        os.environ["SAGE_AGENT_PATHS"] = os.pathsep.join([sys.base_prefix, str(AGENT)])
        python = Path(sys.executable).resolve()
        ways: dict[str, ModelProvider] = {
            "built-in": OpenAICompatible(endpoint),
            "small agent": AcpProvider(
                find_agent(f"{python} -I -S {AGENT}"), endpoint, cell
            ),
        }
        if shutil.which("opencode") and shutil.which("rg"):
            ways["opencode"] = AcpProvider(find_agent("opencode"), endpoint, cell)
        for name, provider in ways.items():
            first, later = asyncio.run(seconds_of(provider))
            print(
                f"{name:<12} first turn {first:6.2f} s, median of {TURNS} later {later * 1000:7.1f} ms"
            )


if __name__ == "__main__":
    main()
