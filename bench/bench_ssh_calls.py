"""SSH round trips, uploads and dead lines, side by side with OpenSSH, scp and rsync on the same server.

A real sshd on loopback; the slow network is a TCP proxy that adds 20 ms in each direction. OpenSSH starts the
login shell for every command, the job server once for a connection: that is part of the difference.
"""

from __future__ import annotations

import asyncio
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from remote.connection.connection import ConnectionState
from remote.connection.remote_machine import RemoteMachine
from remote.connection.timeouts import Timing
from tests.remote.machines import far, near, shell, to_the_end
from tests.remote.proxy import Proxy
from tests.remote.sshd import ALIAS, Sshd, start_sshd

TURNS = 50
FILES = {f"f{number:03}.txt": bytes([number]) * 2048 for number in range(100)}
WORKERS, JOBS = 8, 40


def median_seconds(work: Callable[[], object], turns: int) -> float:
    """Median seconds of a call."""
    durations = []
    for _ in range(turns):
        began = time.perf_counter()
        work()
        durations.append(time.perf_counter() - began)
    return statistics.median(durations)


def show(
    what: str, seconds: float, peer: str, peer_seconds: float | None, goal: str
) -> None:
    """Print one line of the table.

    Args:
        what: Is measured.
        seconds: The product takes.
        peer: Name of the other program.
        peer_seconds: It takes; None where it is not installed.
        goal: Of the product, in words.
    """
    own_column = f"{seconds * 1e3:10.1f} ms"
    peer_column, ratio = "not installed", ""
    if peer_seconds is not None:
        peer_column = f"{peer_seconds * 1e3:10.1f} ms  {peer}"
        ratio = f"{peer_seconds / seconds:7.1f}x faster"
    print(f"{what:<44}{own_column}   {peer_column:<44}{ratio:<18}{goal}")


def ssh(server: Sshd, *words: str) -> list[str]:
    return ["ssh", "-F", str(server.config), *words]


def run(command: list[str]) -> None:
    subprocess.run(
        command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )


def round_trips(server: Sshd, folder: Path) -> None:
    """A command that does nothing, on a connection that stands already."""
    control = ["-o", f"ControlPath={folder}/master"]
    run(ssh(server, *control, "-o", "ControlMaster=yes", "-fN", ALIAS))
    peer = median_seconds(lambda: run(ssh(server, *control, ALIAS, "true")), TURNS)
    run(ssh(server, *control, "-O", "exit", ALIAS))
    fresh = median_seconds(lambda: run(ssh(server, ALIAS, "true")), 5)

    async def work(machine: RemoteMachine) -> tuple[float, float]:
        await machine.ask("ping")
        # Side by side, so that other load of the machine meets both alike.
        durations: dict[str, list[float]] = {"ping": [], "run": []}
        for _ in range(TURNS):
            for operation, seconds in durations.items():
                began = time.perf_counter()
                await machine.ask(operation, command=["true"])
                seconds.append(time.perf_counter() - began)
        ping, command = (statistics.median(each) for each in durations.values())
        return ping, command

    ping, command = far(folder / "base", server).run(work, Timing())
    show(
        "run `true` on the standing connection",
        command,
        "OpenSSH ControlMaster",
        peer,
        "goal: not slower",
    )
    show("ask the job server something", ping, "OpenSSH ControlMaster", peer, "")
    show(
        "run `true` on the standing connection",
        command,
        "OpenSSH, new connection",
        fresh,
        "",
    )


def uploads(server: Sshd, folder: Path) -> None:
    """100 files of 2 KB through a network with 40 ms round trip; then the same again, unchanged."""
    source = folder / "files"
    source.mkdir()
    for name, data in FILES.items():
        (source / name).write_bytes(data)
    proxy = Proxy(server.port, delay_s=0.020)
    server.write_client(proxy.port)

    async def work(machine: RemoteMachine) -> tuple[float, float, int]:
        await machine.ask("ping")
        durations, sent_bytes = [], []
        for _ in range(2):
            before = machine.connection.file_bytes_sent
            began = time.perf_counter()
            await machine.start(shell("true", files=FILES))
            durations.append(time.perf_counter() - began)
            sent_bytes.append(machine.connection.file_bytes_sent - before)
        first, again = durations
        return first, again, sent_bytes[-1]

    first, again, sent = far(folder / "upload", server).run(work, Timing())
    began = time.perf_counter()
    options = ["-q", "-r", "-F", str(server.config)]
    run(["scp", *options, str(source), f"{ALIAS}:{folder}/scp"])
    scp = time.perf_counter() - began
    rsync = unchanged = None
    if shutil.which("rsync"):
        way = ["-e", f"ssh -F {server.config}"]
        command = ["rsync", "-r", *way, f"{source}/", f"{ALIAS}:{folder}/rsync/"]
        rsync = median_seconds(lambda: run(command), 1)
        unchanged = median_seconds(lambda: run(command), 1)
    show(
        "100 files x 2 KB and start a job, RTT 40 ms",
        first,
        "scp -r",
        scp,
        "goal: >= 50x, <= 500 ms",
    )
    show("the same", first, "rsync -r", rsync, "")
    show(
        f"again, unchanged: {sent} file bytes sent",
        again,
        "scp -r",
        scp,
        "goal: 0 bytes",
    )
    show("the same", again, "rsync -r, unchanged", unchanged, "")
    proxy.close()
    server.write_client(server.port)


def dead_line(server: Sshd, folder: Path) -> None:
    """Seconds until a network that swallows everything is noticed, with the timing of the product."""
    proxy = Proxy(server.port)
    server.write_client(proxy.port)

    async def work(machine: RemoteMachine) -> float:
        await machine.ask("ping")
        proxy.black_hole = True
        began = time.perf_counter()
        while machine.connection.status.state is ConnectionState.ONLINE:  # noqa: ASYNC110 - a poll is what is measured
            await asyncio.sleep(0.01)
        return time.perf_counter() - began

    ours = far(folder / "dead", server).run(work, Timing())
    proxy.black_hole = False
    alive = ["-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"]
    process = subprocess.Popen(
        ssh(server, *alive, ALIAS, "sleep 100"),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(1)  # it has logged in by then
    proxy.black_hole = True
    began = time.perf_counter()
    process.wait()
    peer = time.perf_counter() - began
    show(
        "a dead network is noticed after",
        ours,
        "OpenSSH, ServerAlive 5 x 3",
        peer,
        "goal: <= 15 s",
    )
    proxy.close()
    server.write_client(server.port)


def many_jobs(server: Sshd, folder: Path) -> None:
    """8 workers x 40 jobs on one connection, cut once meanwhile; the peer starts plain ssh commands."""
    bench, ran = far(folder / "many", server), folder / "ran"

    async def worker(machine: RemoteMachine, number: int) -> int:
        """Jobs of one worker whose output arrived as they wrote it."""
        right = 0
        for turn in range(JOBS):
            name = f"w{number}t{turn}"
            await machine.start(shell(f"echo {name} >>{ran}; echo {name}", name))
            _, output = await to_the_end(machine, name)
            right += output == f"{name}\n".encode()
        return right

    async def work(machine: RemoteMachine) -> tuple[float, int]:
        await machine.ask("ping")
        began = time.perf_counter()
        asyncio.get_running_loop().call_later(5, server.drop)
        right = await asyncio.gather(
            *(worker(machine, number) for number in range(WORKERS))
        )
        return time.perf_counter() - began, sum(right)

    seconds, right = bench.run(work, Timing())
    # Every job adds its name: one that the cut made run twice is there twice.
    names = ran.read_text().split()
    doubled = len(names) - len(set(names))
    peer = median_seconds(lambda: run(ssh(server, ALIAS, "true")), 5)
    what = f"a job, {WORKERS} workers x {JOBS}, one line, cut once"
    show(what, seconds / (WORKERS * JOBS), "OpenSSH, new connection, `true`", peer, "")
    every = WORKERS * JOBS
    lost = every - right
    print(f"  {right} of {every} right, {lost} lost, {doubled} doubled (goal: 0, 0)")


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="sage-bench-"))
    # scp needs sftp, the product does not.
    server = start_sshd(folder / "sshd", "Subsystem sftp internal-sftp")
    try:
        for measure in (round_trips, uploads, dead_line, many_jobs):
            measure(server, folder)
    finally:
        server.stop()
        near(folder).end_all()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
