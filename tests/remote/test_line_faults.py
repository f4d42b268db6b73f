"""Lines that break, fall silent or freeze: every job runs once and every result is collected."""

from __future__ import annotations

import asyncio
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import paramiko
import pytest

from remote.connection.connection import ConnectionState
from remote.connection.faults import (
    AuthenticationFailed,
    ChannelFault,
    HostFault,
    LoginCut,
)
from remote.connection.remote_machine import RemoteMachine
from remote.connection.ssh.asking import Secrets, nobody_to_ask
from remote.connection.ssh.authentication import authenticate
from remote.connection.ssh.config import SshTarget
from remote.connection.timeouts import Timing
from tests.remote.helpers import wait_until
from tests.remote.machines import QUICK, Bench, far, near, shell, to_the_end, until
from tests.remote.proxy import Proxy
from tests.remote.sshd import Sshd, free_port, make_key, start_sshd

NOISY = r"""ForceCommand sh -c 'echo noise; printf "\377\n"; echo more >&2; exec sh -c "$SSH_ORIGINAL_COMMAND"'"""


@pytest.fixture
def proxy(sshd: Sshd) -> Iterator[Proxy]:
    made = Proxy(sshd.port)
    sshd.write_client(made.port)
    yield made
    made.close()
    sshd.write_client(sshd.port)


@pytest.fixture
def bench(sshd: Sshd, proxy: Proxy, tmp_path: Path) -> Iterator[Bench]:
    made = far(tmp_path / "base", sshd)
    yield made
    made.end_all()


@pytest.mark.slow  # quicker: `test_eight_workers_share_one_line_through_a_cut`
def test_the_line_cut_at_twenty_instants_loses_and_doubles_nothing(
    bench: Bench, sshd: Sshd, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    chance = random.Random(4)
    blob = chance.randbytes(2 << 20)

    async def one(machine: RemoteMachine, number: int) -> bytes:
        spec = shell(
            f"echo {number} >>{ran}; sleep 0.05; md5sum <data; echo {number} >r",
            f"job{number}",
            files={"data": blob + bytes([number])},
        )
        await machine.start(spec)
        _, output = await to_the_end(machine, spec.job)
        assert await machine.read(spec.job, "r") == f"{number}\n".encode()
        return output

    async def work(machine: RemoteMachine) -> tuple[list[bytes], int]:
        outputs = []

        def cut(number: int) -> None:
            """Every second one waits for a line that stands, so that it hits however slow connecting is."""
            if number % 2:
                bench.wait_until_stands()
            sshd.drop()

        for number in range(20):
            cutter = threading.Timer(chance.uniform(0.0, 0.25), cut, [number])
            cutter.start()
            outputs.append(await one(machine, number))
            await asyncio.to_thread(cutter.join)
        return outputs, machine.connection.channels_opened

    outputs, lines = bench.run(work)
    expected = [
        subprocess.run(
            ["md5sum"], input=blob + bytes([n]), capture_output=True, check=True
        ).stdout
        for n in range(20)
    ]
    assert outputs == expected
    assert sorted(ran.read_text().split(), key=int) == [str(n) for n in range(20)]
    assert lines > 10, "the cuts hit"
    assert list((bench.base / "incoming").iterdir()) == []


@pytest.mark.system
def test_eight_workers_share_one_line_through_a_cut(
    bench: Bench, sshd: Sshd, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"

    async def worker(machine: RemoteMachine, worker: int) -> list[bytes]:
        outputs = []
        for turn in range(4):
            name = f"w{worker}t{turn}"
            await machine.start(shell(f"echo {name} >>{ran}; echo {name}", name))
            outputs.append((await to_the_end(machine, name))[1])
        return outputs

    async def work(machine: RemoteMachine) -> list[list[bytes]]:
        threading.Timer(0.5, sshd.drop).start()
        return await asyncio.gather(*(worker(machine, number) for number in range(8)))

    names = [f"w{worker}t{turn}" for worker in range(8) for turn in range(4)]
    assert [o.decode().strip() for outputs in bench.run(work) for o in outputs] == names
    assert sorted(ran.read_text().split()) == sorted(names)


@pytest.mark.system
@pytest.mark.parametrize(
    ("timing", "longest", "lines"),
    [
        (Timing(quiet=0.5, answer=0.75, first_pause=0.05), 7.0, 20),
        pytest.param(Timing(first_pause=0.05), 15.0, 120, marks=pytest.mark.slow),
    ],
    ids=["eight times as fast", "as shipped"],
)
def test_a_dead_network_is_noticed_in_time_and_the_log_goes_on_where_it_was(
    bench: Bench, proxy: Proxy, timing: Timing, longest: float, lines: int
) -> None:
    script = f"for i in $(seq {lines}); do echo $i; sleep 0.1; done"

    async def work(machine: RemoteMachine) -> tuple[float, bytes]:
        spec = shell(script)
        await machine.start(spec)
        await until(machine, spec.job, "running")
        proxy.black_hole = True
        began = time.monotonic()
        collecting = asyncio.ensure_future(to_the_end(machine, spec.job))
        await wait_until(
            lambda: machine.connection.status.state is not ConnectionState.ONLINE
        )
        noticed = time.monotonic() - began
        proxy.black_hole = False
        proxy.cut()
        view, output = await collecting
        assert view.state == "done"
        return noticed, output

    noticed, output = bench.run(work, timing)
    assert noticed < longest
    assert output.decode().split() == [str(number) for number in range(1, lines + 1)]


@pytest.mark.system
def test_a_frozen_server_is_noticed_and_the_caller_is_never_blocked(
    bench: Bench, sshd: Sshd
) -> None:
    async def work(machine: RemoteMachine) -> float:
        await machine.ask("ping")
        sshd.signal(signal.SIGSTOP)
        asked = asyncio.ensure_future(machine.ask("ping"))
        longest = last = 0.0
        began = time.monotonic()
        last = began
        while machine.connection.status.state is not ConnectionState.RECONNECTING:
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - last)
            last = time.monotonic()
        assert time.monotonic() - began < 10
        await asked
        return longest

    longest = bench.run(work)
    sshd.signal(signal.SIGCONT)
    assert longest < 1.0, "the loop went on all the time"


def test_waking_from_sleep_is_noticed_at_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time
    shift = 0.0
    monkeypatch.setattr(
        "remote.connection.connection.time.time", lambda: real() + shift
    )

    async def work(machine: RemoteMachine) -> None:
        nonlocal shift
        await machine.ask("ping")
        shift = 3600.0
        await wait_until(
            lambda: any(
                status.state is ConnectionState.SUSPECT for status in bench.statuses
            )
        )
        await wait_until(lambda: bench.statuses[-1].state is ConnectionState.ONLINE)
        assert machine.connection.channels_opened == 1, (
            "a line that still answers is kept"
        )

    bench.run(work)


def test_a_restarted_host_is_no_fault_of_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = near(tmp_path / "base")
    spec = shell("echo begun; sleep 89")

    async def begin(machine: RemoteMachine) -> None:
        await machine.start(spec)
        await until(machine, spec.job, "running")
        while not (await machine.follow(spec.job, 0, "running", 1)).output:
            continue

    async def look(machine: RemoteMachine) -> tuple[str, bytes]:
        view, output = await to_the_end(machine, spec.job)
        return view.state, output

    bench.run(begin)
    bench.end_all()
    monkeypatch.setenv("SAGE_STEWARD_BOOT_ID", "another boot")
    assert bench.run(look) == ("lost-reboot", b"begun\n")


@pytest.mark.system
def test_a_job_is_adopted_by_another_start_of_the_application(
    bench: Bench, sshd: Sshd, tmp_path: Path
) -> None:
    """Four jobs run, the client is killed with SIGKILL, the next one follows them from their offsets."""
    ran, go = tmp_path / "ran", tmp_path / "go"
    wait = f"until [ -e {go} ]; do sleep 0.05; done"
    client = f"""
import asyncio, os, signal
from pathlib import Path
from tests.remote.machines import *
from tests.remote.sshd import Sshd
bench = far(Path({str(bench.base)!r}), Sshd(Path({str(sshd.folder)!r}), {sshd.port}))
async def work(machine):
    for n in range(4):
        await machine.start(shell(f"echo {{n}} >>{ran}; echo a{{n}}; {wait}; echo b{{n}}", f"k{{n}}"))
    for n in range(4):
        await until(machine, f"k{{n}}", "running")
    os.kill(os.getpid(), signal.SIGKILL)
bench.run(work)
"""
    done = subprocess.run(
        [sys.executable, "-c", client],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == -signal.SIGKILL, done.stderr

    async def adopt(machine: RemoteMachine) -> list[tuple[str, bytes]]:
        known = {row["job"] for row in await machine.jobs()}
        assert known == {"k0", "k1", "k2", "k3"}
        go.touch()
        found = []
        for number in range(4):
            view, output = await to_the_end(machine, f"k{number}")
            found.append((view.state, output))
        return found

    assert bench.run(adopt) == [("done", f"a{n}\nb{n}\n".encode()) for n in range(4)]
    assert sorted(ran.read_text().split()) == ["0", "1", "2", "3"]


@pytest.mark.system
@pytest.mark.parametrize(
    "limits",
    [
        ("MaxSessions 1",),
        (NOISY,),
        ("Subsystem sftp /bin/false", "ClientAliveInterval 1"),
    ],
    ids=["one session", "noisy start-up files", "no SFTP"],
)
def test_servers_with_limits(tmp_path: Path, limits: tuple[str, ...]) -> None:
    server = start_sshd(tmp_path / "sshd", *limits)
    bench = far(tmp_path / "base", server)

    async def work(machine: RemoteMachine) -> list[bytes]:
        specs = [
            shell(f"cat f; echo {number}", files={"f": b"x" * 100_000 + b"\n"})
            for number in range(4)
        ]
        await asyncio.gather(*(machine.start(spec) for spec in specs))
        return [(await to_the_end(machine, spec.job))[1][-2:] for spec in specs]

    try:
        assert bench.run(work) == [b"0\n", b"1\n", b"2\n", b"3\n"]
    finally:
        server.stop()
        bench.end_all()


@pytest.mark.system
def test_a_full_disk_is_told_with_its_numbers_before_during_and_at_the_end(
    sshd: Sshd, tmp_path: Path
) -> None:
    base = tmp_path / "small"
    base.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=80m", "tmpfs", base],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("a small file system can be mounted by root only")
    bench = far(base, sshd)

    async def work(machine: RemoteMachine) -> None:
        with pytest.raises(
            HostFault, match=r"disk of .* is full: \d+ MB .* free"
        ) as fault:
            await machine.start(
                shell("true", files={"big": random.Random(1).randbytes(90 << 20)})
            )
        assert fault.value.kind == "disk"
        assert list((base / "incoming").iterdir()) == []
        spec = shell("head -c 200000000 /dev/zero >filler; echo $?")
        await machine.start(spec)
        view, _ = await to_the_end(machine, spec.job)
        assert (view.state, view.facts["code"]) == ("done", 0), (
            "the end was written into space kept for it"
        )
        assert view.facts["free_bytes"] < 1 << 20
        with pytest.raises(HostFault, match=r"a job needs 64 MB|is full"):
            await machine.start(shell("echo never"))

    try:
        bench.run(work, Timing())
    finally:
        bench.end_all()
        subprocess.run(["umount", "-l", base], check=True)


class _HangsUp(paramiko.ServerInterface):
    """A server whose line is cut while somebody logs in: at once, or when a key is offered."""

    def __init__(self, line: socket.socket, at_once: bool) -> None:
        self._line, self._at_once = line, at_once

    def get_allowed_auths(self, username: str) -> str:
        if self._at_once:
            self._line.shutdown(socket.SHUT_RDWR)
        return "publickey"

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        self._line.shutdown(socket.SHUT_RDWR)
        return paramiko.AUTH_FAILED


@pytest.mark.parametrize("at_once", [True, False])
def test_a_line_that_is_cut_while_logging_in_is_no_refusal(
    tmp_path: Path, at_once: bool
) -> None:
    """It is tried again; only when a key is answered so again and again, the person is told."""
    ours, theirs = socket.socketpair()
    serving, client = paramiko.Transport(theirs), paramiko.Transport(ours)
    serving.add_server_key(
        paramiko.Ed25519Key.from_private_key_file(str(make_key(tmp_path / "host")))
    )
    user = (make_key(tmp_path / "user"),)
    target = SshTarget("site", "site", user="ada", identity_files=user, agent="none")
    try:
        serving.start_server(threading.Event(), _HangsUp(theirs, at_once))
        client.start_client(timeout=10)
        with pytest.raises(
            ChannelFault if at_once else LoginCut, match="was lost while logging in"
        ) as cut:
            authenticate(client, target, nobody_to_ask, Secrets())
        assert at_once or isinstance(cut.value.for_person, AuthenticationFailed)
    finally:
        client.close()
        serving.close()


def test_a_garbled_greeting_is_no_old_server(bench: Bench, proxy: Proxy) -> None:
    """It is tried again; only when each greeting is so, the person is told."""

    async def ask(machine: RemoteMachine) -> None:
        await machine.ask("ping")

    proxy.garbled_greetings = 1
    bench.run(ask, QUICK)
    assert any("allows no session" in str(status.detail) for status in bench.statuses)

    proxy.garbled_greetings = 1000
    with pytest.raises(HostFault, match="only outdated cryptography"):
        bench.run(ask, QUICK)


def test_an_unreachable_host_is_tried_again_until_it_is_there(
    sshd: Sshd, tmp_path: Path
) -> None:
    sshd.write_client(free_port())
    bench = far(tmp_path / "base", sshd)

    async def work(machine: RemoteMachine) -> None:
        asked = asyncio.ensure_future(machine.ask("ping"))
        await wait_until(lambda: any(status.attempt >= 2 for status in bench.statuses))
        assert "cannot be reached" in str(bench.statuses[-1].detail)
        sshd.write_client(sshd.port)
        await asked

    try:
        bench.run(work, QUICK)
    finally:
        sshd.write_client(sshd.port)
