"""A real OpenSSH server on loopback with keys of its own; nothing of the user's SSH set-up is touched."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ALIAS = "loopback-test"


def find_sshd() -> str:
    """Path of the server, installed when this is root on a Debian; skips loudly where there is none."""
    found = shutil.which("sshd") or shutil.which(
        "sshd", path="/usr/sbin:/usr/local/sbin"
    )
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        packages = ["openssh-server", "openssh-client"]
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages],
            check=False,
            capture_output=True,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            timeout=300,
        )
        found = shutil.which("sshd", path="/usr/sbin")
    if found is None:
        pytest.skip(
            "NO SSH SERVER: install openssh-server, or nothing about remote hosts is tested"
        )
    return found


def make_key(path: Path, *options: str) -> Path:
    """A new key pair."""
    subprocess.run(
        ["ssh-keygen", "-q", "-N", "", "-t", "ed25519", "-f", path, *options],
        check=True,
    )
    return path


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@dataclass
class Sshd:
    """A running server. `config` is a client configuration with the host `loopback-test`."""

    folder: Path
    port: int
    extra: tuple[str, ...] = ()
    client: tuple[str, ...] = ()
    process: subprocess.Popen[bytes] | None = field(default=None)

    @property
    def config(self) -> Path:
        return self.folder / "client"

    @property
    def user_key(self) -> Path:
        return self.folder / "user"

    @property
    def host_key(self) -> str:
        """Type and key, as in known_hosts."""
        return " ".join((self.folder / "host.pub").read_text().split()[:2])

    def start(self) -> Sshd:
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        if not self.user_key.exists():
            make_key(self.folder / "host")
            make_key(self.user_key)
        (self.folder / "authorized").write_text((self.folder / "user.pub").read_text())
        lines = [
            "ListenAddress 127.0.0.1",
            f"Port {self.port}",
            f"HostKey {self.folder}/host",
            "PidFile none",
            f"AuthorizedKeysFile {self.folder}/authorized",
            "StrictModes no",
            "UsePAM no",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PermitRootLogin prohibit-password",
            "MaxStartups 200",
            "LogLevel VERBOSE",
        ]
        (self.folder / "server").write_text("\n".join([*self.extra, *lines]) + "\n")
        self.write_client(self.port)
        self.listen()
        return self

    def write_client(self, port: int, *more: str) -> None:
        known = self.folder / "known_hosts"
        if not known.exists():
            known.write_text(f"[127.0.0.1]:{self.port} {self.host_key}\n")
        lines = [
            f"Host {ALIAS}",
            "  HostName 127.0.0.1",
            f"  Port {port}",
            f"  User {getpass.getuser()}",
            f"  IdentityFile {self.user_key}",
            "  IdentitiesOnly yes",
            "  IdentityAgent none",
            f"  UserKnownHostsFile {known}",
            "  GlobalKnownHostsFile none",
            f"  HostKeyAlias [127.0.0.1]:{self.port}",
            *(f"  {line}" for line in (*self.client, *more)),
        ]
        self.config.write_text("\n".join(lines) + "\n")

    def listen(self) -> None:
        log = self.folder / "log"
        self.process = subprocess.Popen(
            [find_sshd(), "-D", "-f", self.folder / "server", "-E", log],
            stdin=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            assert self.process.poll() is None, log.read_text()[-800:]
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.5).close()
            except OSError:
                continue
            return
        pytest.fail("sshd does not listen")

    @property
    def listens(self) -> bool:
        """Whether it runs."""
        return self.process is not None and self.process.poll() is None

    def sessions(self) -> list[int]:
        """Server processes of live connections, innermost last."""
        assert self.process is not None
        found: list[int] = []
        layer = [self.process.pid]
        while layer:
            layer = [
                pid
                for parent in layer
                for pid in _children(parent)
                if _name(pid).startswith("sshd")
            ]
            found += layer
        return found

    def drop(self) -> None:
        """Kill every live connection; the server goes on listening."""
        self.signal(signal.SIGKILL)

    def signal(self, number: int) -> None:
        """Send a signal to the server processes of live connections, e.g. SIGSTOP to freeze them."""
        for pid in reversed(self.sessions()):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def stop(self) -> None:
        assert self.process is not None
        self.signal(signal.SIGCONT)
        self.drop()
        self.process.kill()
        self.process.wait()


def _children(pid: int) -> list[int]:
    try:
        return [
            int(child)
            for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def start_sshd(folder: Path, *extra: str, client: tuple[str, ...] = ()) -> Sshd:
    """A new server in `folder`, with extra lines for its and the client's configuration."""
    find_sshd()
    folder.mkdir(parents=True, exist_ok=True)
    return Sshd(folder, free_port(), extra, client).start()
