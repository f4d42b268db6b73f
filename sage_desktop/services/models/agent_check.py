"""Which coding agents can be driven on this computer, what is missing, and how to get it. Knows no window."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from core.errors import SageError
from core.harness.launch import (
    OPENCODE,
    OPENCODE_TRIED,
    NoAgent,
    find_agent,
    find_program,
    needed_programs,
)
from core.text import Text
from sage_desktop.services.models.check import Check

_VERSION_S = 15.0
_NO_BUBBLEWRAP = Text("Not installed (Debian, Ubuntu: apt install bubblewrap).")
_CELL = Text("sees the candidate's folder and its model, nothing else")


def look_for(command: str) -> list[Check]:
    """Whether the programs of an agent are there; reads the PATH and runs nothing."""
    checks = []
    for name in needed_programs(command):
        try:
            checks.append(Check(name, ok=True, detail=str(find_program(name))))
        except NoAgent as missing:
            checks.append(Check(name, ok=False, detail=missing.message))
    if shutil.which("bwrap") is None:
        checks.append(Check("bwrap", ok=False, detail=_NO_BUBBLEWRAP))
    return checks


def try_agent(command: str, read: Sequence[Path] = ()) -> list[Check]:
    """Whether an agent can be driven: its programs, its version, and a cell that holds it. Blocks.

    Args:
        command: `opencode`, or the command of another one.
        read: What another one may read beside its program.
    """
    from sage_desktop.services import wiring

    try:
        agent = find_agent(command, read)
    except SageError as error:
        return [check for check in look_for(command) if not check.ok] or [
            Check("agent", ok=False, detail=error.message)
        ]
    program = agent.programs[agent.command[0]]
    version = _version(program) if agent.name == OPENCODE else ""
    detail: str | Text = str(program)
    if version:
        detail = Text("version {version}, {program}", version=version, program=program)
    if version and version.split(".")[0] != OPENCODE_TRIED.split(".")[0]:
        detail = Text(
            "{found}; tried with version {tried} only",
            found=detail,
            tried=OPENCODE_TRIED,
        )
    checks = [Check(agent.name, ok=True, detail=detail)]
    checks += [
        Check("path", ok=False, detail=Text("{path} does not exist", path=path))
        for path in read
        if not path.exists()
    ]
    try:
        wiring.agent_cell()
    except SageError as error:
        return [*checks, Check("cell", ok=False, detail=error.message)]
    return [*checks, Check("cell", ok=True, detail=_CELL)]


def _version(program: Path) -> str:
    """What a program says its version is; empty when it says none."""
    try:
        process = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_VERSION_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    words = process.stdout.split()
    return words[-1][:20] if words and process.returncode == 0 else ""


def paths_of(text: str) -> tuple[Path, ...]:
    """Paths with colons between, as a person writes them."""
    return tuple(
        Path(path).expanduser() for path in text.split(os.pathsep) if path.strip()
    )


def is_command(text: str) -> bool:
    """Whether a command can be read as words."""
    try:
        return bool(shlex.split(text))
    except ValueError:
        return False
