"""The cell of a coding agent: bubblewrap with a candidate's folder, a socket to its model, and nothing else.

It has no file of the host but libraries, no network but the relay, no environment but the one given, and sees
nobody else's process. What it must not find is not there: hidden cases, references, workspaces, or `sage`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from core.errors import NeedsPerson
from core.harness.launch import PORT, PROJECT, Launch
from remote.judge.artifacts import ArtifactStore, digest_of
from remote.judge.compiler import find_compiler
from remote.judge.sandbox.isolation import BUBBLEWRAP, LIBRARIES, Sandbox, shown_folders

_RELAY = Path(__file__).with_name("relay.cpp")
_SOCKET = "/agent/model.sock"
_COMPILE_S = 60.0


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
        compiler = find_compiler()
        self._store = ArtifactStore(cache_dir / "builds")
        isolation = Sandbox(self._store, compiler, cache_dir / "sandbox").isolation
        if isolation.kind != BUBBLEWRAP:
            raise NoCell(
                "Coding agents are driven in bubblewrap only, and there is none here ({why}).",
                "Install it (Debian, Ubuntu: apt install bubblewrap), or use `sage mcp` from your own agent.",
                why=isolation.why,
            )
        self._compiler = compiler.path
        self._relay = self._compiled(digest_of("relay", compiler.identity, _RELAY.read_text()))

    def __call__(self, launch: Launch) -> list[str]:
        """The command that runs a launch."""
        words = [
            "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
        ]  # fmt: skip
        words += shown_folders(LIBRARIES)
        for python in Path("/usr/lib").glob("python3*"):  # where a system-wide `sage` would be
            words += ["--tmpfs", str(python)]
        words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/home"]  # noqa: S108
        words += ["--ro-bind", str(self._relay), "/agent/relay", "--bind", str(launch.socket), _SOCKET]
        for path in launch.read:
            words += ["--ro-bind", str(path), str(path)]
        for name, path in launch.programs.items():
            words += ["--ro-bind", str(path.resolve()), f"/agent/bin/{name}"]
        words += ["--bind", str(launch.folder), PROJECT, "--remount-ro", "/", "--chdir", PROJECT]
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

    def _compiled(self, key: str) -> Path:
        def make(folder: Path) -> dict[str, object]:
            command = [
                self._compiler,
                "-std=c++17",
                "-O1",
                "-w",
                "-pthread",
                str(_RELAY),
                "-o",
                str(folder / "relay"),
            ]
            done = subprocess.run(command, capture_output=True, text=True, timeout=_COMPILE_S, check=False)
            return {"ok": done.returncode == 0, "log": done.stderr[-2000:]}

        made = self._store.get(key, make)
        if not made.record["ok"]:
            raise NoCell(
                "The relay of agents does not compile: {log}", "Check the compiler.", log=made.record["log"]
            )
        return made.path("relay")
