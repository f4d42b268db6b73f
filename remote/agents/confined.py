"""The cell of a coding agent: bubblewrap with a candidate's folder, a socket to its model, and nothing else.

It has no file of the host but libraries, no network but the relay, no environment but the
one given, and sees no other process. The relay is its first process; it counts what
is used in there and ends all of it beyond bounds. What an agent must not find is not there:
hidden cases, references, workspaces, or `sage`.
"""

from __future__ import annotations

import os
from pathlib import Path

from core.errors import NeedsPerson
from core.harness.launch import PORT, PROJECT, Launch
from remote.judge.sandbox.isolation import (
    BUBBLEWRAP,
    LIBRARIES,
    Sandbox,
    compiled,
    shown_folders,
)

_RELAY = Path(__file__).with_name("relay.cpp")
_SOCKET = "/agent/model.sock"
_SEPARATION = (
    "--unshare-all",
    "--as-pid-1",
    "--die-with-parent",
    "--new-session",
    *("--cap-drop", "ALL"),
    "--clearenv",
)
_SYSTEM_FOLDERS = (
    *("--proc", "/proc"),
    *("--dev", "/dev"),
    *("--tmpfs", "/tmp"),  # noqa: S108 - inside the cell
    *("--tmpfs", "/home"),
)


class NoCell(NeedsPerson):
    """No agent can be driven here, because nothing would hold it back."""


class Cell:
    """Builds the command line that runs an agent confined.

    Args:
        cache_dir: Where the relay is kept once compiled.

    Raises:
        NoCell: This machine has no bubblewrap that held in the self-test.
    """

    def __init__(self, cache_dir: Path) -> None:
        sandbox = Sandbox.within(cache_dir)
        isolation = sandbox.isolation
        if isolation.kind != BUBBLEWRAP:
            raise NoCell(
                "Coding agents are driven in bubblewrap only, and there is none here ({why}).",
                "Install it (Debian, Ubuntu: apt install bubblewrap), or use `sage mcp` from your own agent.",
                why=isolation.why,
            )
        try:
            self._relay = compiled(
                sandbox.store, sandbox.compiler, _RELAY, ["-pthread"]
            )
        except OSError as error:
            raise NoCell(
                "The relay of agents does not compile: {log}",
                "Check the compiler.",
                log=error,
            ) from error

    def __call__(self, launch: Launch) -> list[str]:
        """The command that runs a launch."""
        return [
            "bwrap",
            *_SEPARATION,
            *shown_folders(LIBRARIES),
            *_hidden_pythons(),
            *_SYSTEM_FOLDERS,
            *_bound("--ro-bind", self._relay, "/agent/relay"),
            *_bound("--bind", launch.socket, _SOCKET),
            *_bound("--ro-bind", _accounts(launch), "/etc/passwd"),
            *_what_it_reads(launch),
            *_bound("--bind", launch.folder, PROJECT),
            *("--remount-ro", "/"),
            *("--chdir", PROJECT),
            *_variables(launch),
            *("/agent/relay", str(PORT), _SOCKET),
            *(f"/agent/bin/{launch.command[0]}", *launch.command[1:]),
        ]


def _bound(how: str, source: Path, target: str) -> list[str]:
    """A file or folder of the host under a name in the cell; `how` says whether it may be written."""
    return [how, str(source), target]


def _hidden_pythons() -> list[str]:
    """Empty folders in place of the system's Python packages, where a system-wide `sage` would be."""
    words: list[str] = []
    for python in Path("/usr/lib").glob("python3*"):
        words += ["--tmpfs", str(python)]
    return words


def _what_it_reads(launch: Launch) -> list[str]:
    """The files the agent needs and its own programs."""
    words: list[str] = []
    for path in launch.read:
        words += _bound("--ro-bind", path, str(path))
    for name, path in launch.programs.items():
        words += _bound("--ro-bind", path.resolve(), f"/agent/bin/{name}")
    return words


def _variables(launch: Launch) -> list[str]:
    """The whole environment of the cell."""
    words: list[str] = []
    for name, value in launch.environment.items():
        words += ["--setenv", name, value]
    return words


def _accounts(launch: Launch) -> Path:
    """A list of accounts with the agent's own: Node's `os.userInfo` fails without."""
    accounts = launch.socket.with_name("passwd")
    user, group = os.getuid(), os.getgid()
    accounts.write_text(f"agent:x:{user}:{group}:agent:/home:/bin/false\n")
    return accounts
