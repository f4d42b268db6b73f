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
        words = [
            "bwrap",
            "--unshare-all",
            "--as-pid-1",
            "--die-with-parent",
            "--new-session",
            "--cap-drop",
            "ALL",
            "--clearenv",
        ]
        words += shown_folders(LIBRARIES)
        for python in Path("/usr/lib").glob(
            "python3*"
        ):  # where a system-wide `sage` would be
            words += ["--tmpfs", str(python)]
        words += [
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--tmpfs",
            "/tmp",  # noqa: S108
            "--tmpfs",
            "/home",
        ]
        words += [
            "--ro-bind",
            str(self._relay),
            "/agent/relay",
            "--bind",
            str(launch.socket),
            _SOCKET,
        ]
        words += ["--ro-bind", str(_accounts(launch)), "/etc/passwd"]
        for path in launch.read:
            words += ["--ro-bind", str(path), str(path)]
        for name, path in launch.programs.items():
            words += ["--ro-bind", str(path.resolve()), f"/agent/bin/{name}"]
        words += [
            "--bind",
            str(launch.folder),
            PROJECT,
            "--remount-ro",
            "/",
            "--chdir",
            PROJECT,
        ]
        for name, value in launch.environment.items():
            words += ["--setenv", name, value]
        return [
            *words,
            "/agent/relay",
            str(PORT),
            _SOCKET,
            f"/agent/bin/{launch.command[0]}",
            *launch.command[1:],
        ]


def _accounts(launch: Launch) -> Path:
    """A list of accounts with the agent's own: Node's `os.userInfo` fails without."""
    accounts = launch.socket.with_name("passwd")
    user, group = os.getuid(), os.getgid()
    accounts.write_text(f"agent:x:{user}:{group}:agent:/home:/bin/false\n")
    return accounts
