"""The diagnostics of CANN, under the names by which those of the CPU twin answer the same questions."""

from __future__ import annotations

from collections.abc import Mapping

from remote.diagnostics.twin_tools import read_build
from remote.toolchains.port import Probe, Tool

CANN_TOOLS: Mapping[str, Tool] = {
    "build": Tool(
        "compiles the files with CANN and shows every message; nothing runs",
        Probe(build_only=True),
        read_build,
    ),
}
