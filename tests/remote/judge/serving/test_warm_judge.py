"""The kept judge: who may be answered by whom, what it inherits, when it ends, what happens without it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.evaluation.records import VerdictClass
from remote.evaluator import local_twin_evaluator
from remote.hosts import local_keeper
from remote.hosts.local_keeper import end_keepers, keeper_name, line_to_judge
from remote.judge.program import program_files
from remote.judge.serving import warm
from tests.remote.helpers import TWIN, candidate, job, operator
from tests.remote.test_evaluator import SHORT, evaluate

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="judges are kept on Linux only"
)
ROOT = Path(__file__).parents[4]


class Asked:
    """A fork of a keeper, as who asked for it sees it."""

    def __init__(self, line: socket.socket | None) -> None:
        assert line is not None
        line.settimeout(60)
        self.line, self.stream = line, line.makefile("rw", encoding="utf-8")
        self.pid = int(self.next()["pid"])
        self.keeper = int(
            Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[1]
        )

    def next(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.stream.readline())
        return told

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.stream.close()
        self.line.close()


def asked(cache: Path, said: int = 2, **variables: str) -> Asked:
    settings = {"cache_dir": str(cache), "twin_dir": str(TWIN), "workers": 1}
    return Asked(
        line_to_judge(
            settings, {**os.environ, "PYTHONPATH": str(ROOT), **variables}, said
        )
    )


def ends(pid: int, within_s: float = 30.0) -> bool:
    """Whether a process that is no child of ours ends in time."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with os.fdopen(watched):
        return bool(select.select([watched], [], [], within_s)[0])


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("kept")
    yield folder
    end_keepers(folder)


@pytest.mark.system
def test_one_keeper_serves_all_who_ask_alike_and_every_fork_is_a_process_of_its_own(
    cache: Path,
) -> None:
    first, second = asked(cache), asked(cache, TERM_SESSION="another window")
    assert first.keeper == second.keeper
    assert first.pid != second.pid
    assert os.getsid(first.pid) == first.pid, (
        "the end of a terminal is none of its business"
    )
    first.close()
    assert ends(first.pid), "it ends with who asked"
    assert not ends(second.pid, 0)
    assert Path(f"/proc/{second.pid}/cwd").readlink() == Path.cwd()
    os.kill(second.pid, signal.SIGKILL)
    assert second.next() == {"ended": -signal.SIGKILL}, (
        "how it ended is told, though its parent is another"
    )
    second.close()


@pytest.mark.system
def test_a_fork_has_the_environment_of_who_asked_and_nothing_of_another(
    cache: Path, tmp_path: Path
) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\necho "$KEY_OF_ANOTHER|$OWN" >> "$0.saw"\nexit 1\n')
    compiler.chmod(0o700)
    asked(cache, KEY_OF_ANOTHER="secret").close()
    fork = asked(cache, SAGE_CXX=str(compiler), OWN="mine")
    asked_for = {**job(operator(), candidate(), cache), "id": "job"}
    fork.stream.write(json.dumps({"job": asked_for}) + "\n")
    fork.stream.flush()
    result = fork.next()["result"]["evaluation"]
    fork.close()
    assert result["verdict"] == "void"
    assert str(compiler) in result["cause"], (
        "the compiler of who asked, not that of who asked first"
    )
    assert set((tmp_path / "compiler.saw").read_text().split()) == {"|mine"}


@pytest.mark.system
def test_the_keeper_looks_at_the_compiler_once_for_all_forks(
    cache: Path, tmp_path: Path
) -> None:
    """Forks that made judges of their own asked it again, and read 140 MB of headers to verify them."""
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\necho "$1" >> "$0.saw"\nexec g++ "$@"\n')
    compiler.chmod(0o700)
    forks = [asked(cache, SAGE_CXX=str(compiler)) for _ in range(3)]
    for fork in forks:
        fork.close()
    assert (tmp_path / "compiler.saw").read_text().split().count("--version") == 1


def test_what_a_fork_cannot_change_of_itself_has_a_keeper_of_its_own(
    cache: Path,
) -> None:
    def name(*before: str, **variables: str) -> str:
        program = f"""
import os, pathlib
from remote.hosts.local_keeper import keeper_name
print(keeper_name(pathlib.Path({str(cache)!r}), os.environ))
"""
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
        command = [*before, sys.executable, "-c", program]
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    usual = name()
    assert usual == name(WINDOWID="7", OPENAI_API_KEY="secret")
    others = [
        name("nice", "-n", "3"),
        name("sh", "-c", 'ulimit -n 512; exec "$@"', "sh"),
        name(OMP_NUM_THREADS="2"),
        keeper_name(cache.parent, os.environ),
    ]
    assert len({usual, *others}) == 5


@pytest.mark.system
def test_a_keeper_without_work_ends_and_one_that_was_killed_is_replaced(
    cache: Path,
) -> None:
    fork = asked(cache, SAGE_KEEP_JUDGE_S="0.5")
    assert not ends(fork.keeper, 1.0), "while a fork works it stays"
    fork.close()
    assert ends(fork.pid)
    assert ends(fork.keeper)

    fork = asked(cache)
    os.kill(fork.keeper, signal.SIGKILL)
    assert ends(fork.keeper)
    assert not ends(fork.pid, 0), "what it forked goes on"
    other = asked(cache)
    assert other.keeper != fork.keeper
    for left in (fork, other):
        left.close()
        assert ends(left.pid)
    end_keepers(cache)
    assert ends(other.keeper)


@pytest.mark.system
def test_keepers_of_ever_new_environments_do_not_pile_up(tmp_path: Path) -> None:
    forks = []
    for number in range(6):
        forks.append(asked(tmp_path, OMP_NUM_THREADS=str(number + 1)))
        standing = {fork.keeper for fork in forks if not ends(fork.keeper, 0)}
        assert len(standing) <= 4
    for fork in forks:
        fork.close()
    end_keepers(tmp_path)


@pytest.mark.system
def test_a_judge_that_stays_stopped_is_ended_with_its_keeper(cache: Path) -> None:
    fork = asked(cache)
    for process in (fork.keeper, fork.pid):
        os.kill(process, signal.SIGSTOP)
    warm.end_when_stopped(fork.pid, fork.line, stopped_s=0.2)
    assert fork.stream.readline() == "", "who waits for it is let go"
    assert ends(fork.pid)
    assert ends(fork.keeper)
    fork.close()
    other = asked(cache)
    assert other.keeper != fork.keeper, "the next one finds a keeper that answers"
    other.close()


@pytest.mark.system
def test_a_keeper_ends_when_its_program_changes(tmp_path: Path) -> None:
    for file in program_files():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    name = f"sage-judge-test-{uuid.uuid4().hex}"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", warm.__name__, "keep", name]
    subprocess.run(command, env=environment, cwd=tmp_path, check=True)
    with tempfile.TemporaryFile() as said:
        fork = Asked(
            warm.ask(
                name,
                {"cache_dir": str(tmp_path), "twin_dir": str(TWIN)},
                os.environ,
                said.fileno(),
            )
        )
        fork.close()
        (tmp_path / "remote" / "judge" / "faults.py").write_text("# another version\n")
        assert ends(fork.keeper)
    assert warm.ask(name, {}, os.environ, 2) is None, (
        "and leaves nothing behind that could be asked"
    )


def close_all(listener: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            listener.accept()[0].close()


@pytest.mark.system
def test_who_answers_nothing_is_done_without(
    build_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(warm.KEEP_S, "59")  # a name of its own
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    name = keeper_name(
        build_cache, {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        threading.Thread(target=close_all, args=(listener,), daemon=True).start()
        assert (
            evaluate(local_twin_evaluator(build_cache), SHORT, candidate()).verdict
            is VerdictClass.PASS
        )
        listener.shutdown(socket.SHUT_RDWR)
    monkeypatch.setenv(warm.KEEP_S, "0")
    settings = {"cache_dir": str(build_cache), "twin_dir": str(TWIN)}
    assert line_to_judge(settings, os.environ, 2) is None, (
        "nobody keeps a judge for who wants none"
    )


def test_a_line_nobody_waits_for_any_more_is_closed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours, theirs = socket.socketpair()
    asked, answers = threading.Event(), threading.Event()
    outputs: list[str] = []

    def slow(_settings: object, _environment: object, output: int) -> socket.socket:
        asked.set()
        answers.wait(10)
        outputs.append(str(Path(f"/proc/self/fd/{output}").readlink()))
        return ours

    monkeypatch.setattr(local_keeper, "line_to_judge", slow)

    async def called_off() -> None:
        with (tmp_path / "said").open("wb") as said:
            waiting = asyncio.ensure_future(
                local_keeper.line_in_thread({}, {}, said.fileno())
            )
            await asyncio.to_thread(asked.wait, 10)
            waiting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await waiting
        with (tmp_path / "of another").open(
            "wb"
        ):  # it takes the number that has become free
            answers.set()
            theirs.settimeout(10)
            assert await asyncio.to_thread(theirs.recv, 1) == b"", (
                "the line was left open"
            )

    with theirs:
        asyncio.run(called_off())
    assert outputs == [str(tmp_path / "said")]
