"""Hosts that fail in the middle: killed judges, login shells and Pythons that end at once, endless noise."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.workspace import Workspace
from remote.connection.channel import OpenChannel
from remote.connection.connection import Connection
from remote.connection.job_server_program import job_server_program
from remote.connection.ssh import SshSettings, ssh_channel
from remote.evaluator import HostEvaluator
from remote.hosts.detached import DetachedHost, HostSettings
from remote.hosts.registry import HostRegistry
from remote.toolchains.twin import TwinToolchain
from tests.remote.helpers import KERNEL, TWIN, edited
from tests.remote.machines import Bench, near
from tests.remote.near_channel import local_channel
from tests.remote.sshd import ALIAS, Sshd, start_sshd
from tests.remote.test_evaluator import SHORT
from tests.remote.test_far_demo import COMMAND, part_of_the_demo, rounds

TOLD_S = 15.0
pytestmark = pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="the job server runs on Linux"
)


def evaluator_of(open_channel: OpenChannel, base: Path, cache: Path) -> HostEvaluator:
    settings = HostSettings(
        python=sys.executable, base=str(base), locks=str(base / "locks"), slots=2
    )
    return HostEvaluator(
        DetachedHost("lab", "lab", Connection("lab", open_channel), settings),
        TwinToolchain(cache, TWIN),
    )


# ---- what a login starts ends at once, or prints without end


def told(tmp_path: Path, force: str, python: str) -> tuple[Evaluation, float]:
    """What an evaluation on a host says whose logins run `force`, and after how many seconds."""
    server = start_sshd(tmp_path / "sshd", f"ForceCommand {force}")
    ssh = SshSettings(tmp_path / "own_known_hosts", config=server.config)
    open_channel = ssh_channel(
        ALIAS, ssh, job_server_program(), str(tmp_path / "base"), (python,)
    )

    async def work() -> Evaluation:
        evaluator = evaluator_of(open_channel, tmp_path / "base", tmp_path / "cache")
        try:
            async with asyncio.timeout(4 * TOLD_S):
                return await evaluator.evaluate(SHORT, edited(), print)
        finally:
            await evaluator.close()

    try:
        began = time.monotonic()
        return asyncio.run(work()), time.monotonic() - began
    finally:
        server.stop()


RUN_IT = 'sh -c "$SSH_ORIGINAL_COMMAND"'


@pytest.mark.system
@pytest.mark.parametrize(
    ("force", "python", "words"),
    [
        ("exit 3", "exit 7", "login shell of the host ended with exit code 3"),
        (
            "printf 'This account is\\033[31m closed'; exit 1",
            "exit 7",
            "This account is [31m closed",
        ),
        (RUN_IT, "exit 7", "Python on lab ended with exit code 7"),
        (RUN_IT, "echo no libpython; exit 1", "no libpython"),
        (
            f"tr '\\0' '\\033' </dev/zero | head -c 20000000; {RUN_IT}",
            "exit 7",
            "prints more than 1 MB",
        ),
    ],
    ids=["shell", "shell with words", "python", "python with words", "noise"],
)
def test_a_login_that_cannot_work_is_told_at_once(
    tmp_path: Path, force: str, python: str, words: str
) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{python}\n")
    program.chmod(0o755)
    found, seconds = told(tmp_path, force, str(program))
    assert found.verdict is VerdictClass.VOID
    assert words in found.cause
    assert found.cause.isprintable()
    assert seconds < TOLD_S


def test_noise_within_bounds_costs_nothing_but_its_bytes(tmp_path: Path) -> None:
    server = start_sshd(tmp_path / "sshd", f"ForceCommand seq 100000; {RUN_IT}")
    ssh = SshSettings(tmp_path / "own_known_hosts", config=server.config)
    base = tmp_path / "base"
    bench = Bench(
        base,
        ssh_channel(ALIAS, ssh, job_server_program(), str(base), (sys.executable,)),
    )
    try:
        began = time.monotonic()
        assert bench.run(lambda machine: machine.jobs()) == ()
        assert time.monotonic() - began < TOLD_S
    finally:
        server.stop()
        bench.end_all()


# ---- judges that are killed


@pytest.fixture
def bench(tmp_path: Path, build_cache: Path) -> Iterator[Bench]:
    base = tmp_path / "base"
    base.mkdir()
    build_cache.mkdir(parents=True, exist_ok=True)
    (base / "cache").symlink_to(build_cache)
    made = near(base)
    yield made
    made.end_all()


class Killer:
    """Kills judges as soon as they compile: forks of the `keep`er, or who stands for them (`run`).

    It looks at what a job says where it says it: what comes over the line may come when the judge is done.
    """

    def __init__(self, base: Path, kind: str, most: int) -> None:
        self._base, self._kind, self._most = base, kind.encode(), most
        self.killed: set[Path] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while len(self.killed) < self._most and not self._over.wait(0.01):
            for output in self._base.glob("jobs/*/out"):
                with contextlib.suppress(OSError):  # a job that goes this moment
                    if (
                        output.parent not in self.killed
                        and b"compiling" in output.read_bytes()
                    ):
                        self._kill(output.parent)

    def _kill(self, job: Path) -> None:
        """Their number says nothing: a child that is not its compiler yet looks like its judge."""
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                words = (
                    (entry / "cmdline").read_bytes().split(b"\0")
                    if entry.name.isdigit()
                    else []
                )
                is_judge = b"remote.judge.serving.warm" in words and self._kind in words
                if is_judge and (entry / "cwd").readlink().is_relative_to(job):
                    os.kill(int(entry.name), signal.SIGKILL)
                    self.killed.add(job)


@pytest.mark.system
@pytest.mark.parametrize("kind", ["keep", "run"])
def test_a_judge_that_was_killed_is_run_again_and_what_came_to_nothing_is_not_kept(
    bench: Bench, tmp_path: Path, kind: str
) -> None:
    kernel = edited(
        (
            KERNEL,
            "op.Process();",
            f'op.Process(); static_assert(sizeof("{uuid.uuid4()}") > 1);',
        )
    )
    lines: list[str] = []

    async def work(candidate: Candidate = kernel) -> Evaluation:
        evaluator = evaluator_of(bench.open_channel, bench.base, tmp_path / "cache")
        try:
            return await evaluator.evaluate(
                SHORT, candidate, lines.append, ticket="t/1"
            )
        finally:
            await evaluator.close()

    if kind == "keep":  # the first job may be quicker than its keeper, and judge itself
        assert asyncio.run(work(edited())).verdict is VerdictClass.PASS
    with Killer(bench.base, kind, 3) as killer:
        spoiled = asyncio.run(work())
    assert len(killer.killed) == 3
    assert spoiled.verdict is VerdictClass.VOID
    assert "killed on the host" in spoiled.cause
    assert sum("It will run again." in line for line in lines) == 2, (
        "three attempts, and no more"
    )
    with Killer(bench.base, kind, 1) as killer:
        assert asyncio.run(work()).verdict is VerdictClass.PASS, (
            "asked for again, and killed once"
        )
    assert len(killer.killed) == 1


@pytest.mark.system
@pytest.mark.parametrize(
    "open_files",
    [
        pytest.param(24, id="too few for the judge"),
        pytest.param(38, id="too few for a run"),
    ],
)
def test_limits_of_an_ended_session_are_not_those_of_the_next(
    bench: Bench, tmp_path: Path, open_files: int
) -> None:
    few_files = tmp_path / "few_files"
    few_files.write_text(
        f'#!/bin/sh\nulimit -n {open_files}\nexec {sys.executable} "$@"\n'
    )
    few_files.chmod(0o755)
    channel = local_channel(job_server_program(), str(bench.base), str(few_files))

    async def work(open_channel: OpenChannel) -> Evaluation:
        evaluator = evaluator_of(open_channel, bench.base, tmp_path / "cache")
        try:
            return await evaluator.evaluate(SHORT, edited(), print)
        finally:
            await evaluator.close()

    limited = asyncio.run(work(channel))
    assert limited.verdict is VerdictClass.VOID
    assert asyncio.run(work(bench.open_channel)).verdict is VerdictClass.PASS, limited


# ---- a replay


@pytest.mark.slow
def test_a_replay_goes_on_after_the_key_of_its_host_changed(
    tmp_path: Path, build_cache: Path
) -> None:
    server: Sshd = start_sshd(tmp_path / "sshd")
    base = tmp_path / "base"
    base.mkdir()
    build_cache.mkdir(parents=True, exist_ok=True)
    (base / "cache").symlink_to(build_cache)
    HostRegistry(tmp_path).change(ALIAS, python=sys.executable, base=str(base), slots=2)
    environment = {
        **os.environ,
        "SAGE_SSH_CONFIG": str(server.config),
        "SAGE_DATA_DIR": str(tmp_path),
    }
    what = part_of_the_demo(tmp_path / "part.jsonl", "AbsMath", "Lerp")
    far, local = tmp_path / "far.sage", tmp_path / "local.sage"
    run = [*map(str, (*COMMAND, *what, "--host", ALIAS, "--workspace", far))]
    known = server.folder / "known_hosts"
    trusted = known.read_text()
    try:
        with subprocess.Popen(
            run,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if "round 1:" in line:
                    break
            known.write_text("")  # from now on its key is that of a stranger
            server.drop()
            said = process.communicate(timeout=200)
        assert process.returncode == 1, said
        with Workspace.open_readonly(far) as workspace:
            rows = workspace.db.execute(
                "SELECT state, reason FROM queue_entry ORDER BY id"
            ).fetchall()
        assert [row["state"] for row in rows] == ["failed", "queued"]
        assert "key" in rows[0]["reason"]
        known.write_text(trusted)
        done = subprocess.run(
            run,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env=environment,
        )
    finally:
        near(base).end_all()
        server.stop()
    assert done.returncode == 0, done.stderr
    command = [*map(str, (*COMMAND, *what, "--workspace", local))]
    near_run = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment,
    )
    assert near_run.returncode == 0, near_run.stderr
    ended, calm = (json.loads(run.stdout)["operators"] for run in (done, near_run))
    for row in (*ended, *calm):
        del row["judge"], row["trajectory"]
    assert ended == calm
    assert rounds(far) == rounds(local)
