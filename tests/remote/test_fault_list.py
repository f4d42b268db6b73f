"""Faults of the list in docs/remote.md without another file: agents, two releases, zombies, closed homes."""

from __future__ import annotations

import asyncio
import io
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.connection.faults import AuthenticationFailed, HostFault
from remote.connection.job_server_program import Program, job_server_program
from remote.connection.remote_machine import RemoteMachine
from remote.job_server.processes import born
from tests.remote.machines import Bench, far, near, shell, to_the_end
from tests.remote.near_channel import local_channel
from tests.remote.sshd import Sshd, make_key, start_sshd
from tests.remote.test_ssh_access import connect


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    made = start_sshd(tmp_path / "sshd")
    yield made
    made.stop()


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Path]:
    """The socket of a real agent that holds no key yet."""
    path = tmp_path / "agent"
    with subprocess.Popen(
        ["ssh-agent", "-D", "-a", path], stdout=subprocess.DEVNULL
    ) as process:
        while not path.exists():
            assert process.poll() is None
        yield path
        process.terminate()


def ssh_add(agent: Path, *arguments: object, typed: str = "") -> None:
    script = agent.with_name("typed")
    script.write_text(f"#!/bin/sh\necho {typed}\n")
    script.chmod(0o700)
    environment = {
        **os.environ,
        "SSH_AUTH_SOCK": str(agent),
        "SSH_ASKPASS": str(script),
    }
    subprocess.run(
        ["ssh-add", "-q", *map(str, arguments)],
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env={**environment, "SSH_ASKPASS_REQUIRE": "force"},
    )


@pytest.mark.system
def test_a_key_of_the_agent_is_used_and_a_locked_or_missing_agent_is_no_riddle(
    server: Sshd, agent: Path, tmp_path: Path
) -> None:
    text = server.config.read_text()
    for old, new in (
        ("IdentityAgent none", f"IdentityAgent {agent}"),
        ("IdentitiesOnly yes", ""),
        (f"IdentityFile {server.user_key}", "IdentityFile none"),
    ):
        text = text.replace(old, new)
    server.config.write_text(text)
    for number in range(3):
        ssh_add(agent, make_key(tmp_path / f"other{number}"))
    with pytest.raises(AuthenticationFailed, match="agent key"):
        connect(far(tmp_path / "base", server))
    ssh_add(agent, server.user_key)
    assert connect(far(tmp_path / "base", server)) == "answered"
    ssh_add(agent, "-x", typed="secret")
    with pytest.raises(AuthenticationFailed, match="refused the login"):
        connect(far(tmp_path / "base", server))
    ssh_add(agent, "-X", typed="secret")
    assert connect(far(tmp_path / "base", server)) == "answered"
    agent.unlink()
    with pytest.raises(AuthenticationFailed, match="refused the login"):
        connect(far(tmp_path / "base", server))


def another_release() -> Program:
    """The job server with one line more, as another release of the application would send it."""
    ours, buffer = zipfile.ZipFile(io.BytesIO(job_server_program().data)), io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in ours.namelist():
            archive.writestr(name, ours.read(name) + b"# another release\n")
    return Program("job-server-ffffffffffffffff.pyz", buffer.getvalue())


@pytest.mark.system
def test_two_releases_share_a_host_and_start_a_job_once(tmp_path: Path) -> None:
    base, count = tmp_path / "base", tmp_path / "count"
    old, new = near(base), Bench(base, local_channel(another_release(), str(base)))

    async def both() -> list[str]:
        connections = [old.connection(), new.connection()]
        machines = [RemoteMachine(connection) for connection in connections]
        jobs = [
            shell(f"echo ran >> {count}; echo done", job=f"shared-{number}")
            for number in range(3)
        ]
        try:
            await asyncio.gather(
                *(machine.start(job) for job in jobs for machine in machines)
            )
            views = [
                await to_the_end(machine, job.job)
                for job in jobs
                for machine in machines
            ]
            return [view.state for view, _ in views]
        finally:
            for connection in connections:
                await asyncio.to_thread(connection.close)

    try:
        assert asyncio.run(both()) == ["done"] * 6
        assert count.read_text().split() == ["ran"] * 3
        assert len(list(base.glob("job-server-*.pyz"))) == 2
    finally:
        old.end_all()


def test_a_zombie_counts_as_dead() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE
    ) as process:
        assert born(process.pid) is not None
        assert process.stdin is not None
        process.stdin.close()
        os.waitid(
            os.P_PID, process.pid, os.WEXITED | os.WNOWAIT
        )  # ended, and nobody has asked how
        assert Path(f"/proc/{process.pid}").exists()
        assert born(process.pid) is None


def test_a_home_that_cannot_be_written_is_a_fault_of_the_host(
    server: Sshd, tmp_path: Path
) -> None:
    (tmp_path / "closed").write_text("a file where the folder should be")
    bench = far(tmp_path / "closed" / "base", server)
    with pytest.raises(HostFault, match="closed"):
        connect(bench)


def test_the_list_of_faults_names_tests_that_exist() -> None:
    root = Path(__file__).parents[2]
    text = (root / "docs" / "remote.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \|.*$", text, re.MULTILINE)
    assert rows == [str(number) for number in range(1, 21)]
    sources = "".join(
        path.read_text(encoding="utf-8")
        for path in (root / "tests" / "remote").glob("*.py")
    )
    for name, more in re.findall(r"`(?:tests/remote/)?(test_\w+)(…|\.py)?`", text):
        if more == ".py":
            assert (root / "tests" / "remote" / f"{name}.py").is_file(), name
        else:
            assert f"def {name}" in sources, name
