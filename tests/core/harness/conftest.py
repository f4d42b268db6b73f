"""The real OpenCode, installed from npm once and kept in the cache of the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from filelock import FileLock

OPENCODE = "1.18.33"


@pytest.fixture(scope="session")
def opencode(build_cache: Path) -> Path:
    """The folder of its program; skipped where it cannot be installed.

    `make setup` installs rg, and Node brings npm: 354 MB in some ten seconds.
    """
    for needed in ("npm", "rg"):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed (Debian: apt install npm ripgrep)")
    folder = build_cache / f"opencode-{OPENCODE}"
    bin_ = folder / "node_modules" / ".bin"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(str(folder) + ".lock"):
        if not (bin_ / "opencode").exists():
            done = subprocess.run(
                [
                    "npm",
                    "install",
                    "--no-save",
                    "--no-audit",
                    "--no-fund",
                    "--fetch-retries",
                    "1",
                    "--prefix",
                    str(folder),
                    f"opencode-ai@{OPENCODE}",
                ],
                capture_output=True,
                text=True,
                timeout=200,
                check=False,
            )
            if done.returncode != 0:
                pytest.skip(
                    f"npm cannot install opencode-ai {OPENCODE}: {done.stderr[-300:]}"
                )
    return bin_


@pytest.fixture
def with_opencode(opencode: Path) -> Mapping[str, str]:
    """The environment in which it is found."""
    return {**os.environ, "PATH": f"{opencode}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def small_agent(monkeypatch: pytest.MonkeyPatch) -> str:
    """The command of `small_agent.py`, which does what its model says, and what it may read for that."""
    command, reads = small_agent_command()
    monkeypatch.setenv("SAGE_AGENT_PATHS", reads)
    return command


def small_agent_command() -> tuple[str, str]:
    """Its command, and what it may read, colons between."""
    here = Path(__file__).with_name("small_agent.py")
    return f"{Path(sys.executable).resolve()} -I -S {here}", os.pathsep.join(
        [sys.base_prefix, str(here)]
    )
