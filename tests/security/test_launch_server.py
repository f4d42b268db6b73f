"""The sandbox that stays for an evaluation: its programs reach neither it, nor each other, nor outlive it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from remote.judge.faults import Cancelled, EnvironmentFault
from remote.judge.machine.artifacts import ArtifactStore
from remote.judge.machine.compiler import find_compiler
from remote.judge.processes.channels import ask, shared_memory
from remote.judge.processes.children import JOB_COOKIE, ChildGroup, Limits
from remote.judge.processes.launcher import Launcher, open_launcher
from remote.judge.sandbox import BUBBLEWRAP, LANDLOCK, Isolation, Sandbox

KINDS = [
    LANDLOCK,
    pytest.param(
        BUBBLEWRAP,
        marks=pytest.mark.skipif(
            shutil.which("bwrap") is None, reason="bubblewrap is not installed"
        ),
    ),
]
LIMITS = Limits(20, 20)
# One program for all tests: what it does is the first letter of its request.
SOURCE = r"""
    #include <cstdio>
    #include <cstdlib>
    #include <fcntl.h>
    #include <signal.h>
    #include <sys/mman.h>
    #include <sys/resource.h>
    #include <sys/stat.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    int main(int, char** words) {
        char asked[32] = {};
        read(std::atoi(words[1]), asked, sizeof asked - 1);
        const int answer = std::atoi(words[3]), other = std::atoi(asked + 1);
        struct stat found;
        rlimit now = {1, 1};
        switch (asked[0]) {
            case 'd':  // what it holds
                for (int file = 0; file < 4096; ++file) {
                    if (!fstat(file, &found)) dprintf(answer, "%d ", file);
                }
                break;
            case 'h':  // harm others: those it can name, and the process of a number it was given
                for (int index = 0; index < 41; ++index) {
                    const int process = index < 40 ? index + 1 : other;
                    if (process == getpid()) continue;
                    if (!syscall(SYS_tgkill, process, process, SIGKILL)) dprintf(answer, "signal ");
                    if (!syscall(SYS_kill, process, SIGKILL)) dprintf(answer, "kill ");
                    if (!prlimit(process, RLIMIT_CPU, &now, nullptr)) dprintf(answer, "limit ");
                }
                break;
            case 'x': {  // becomes another program, of its own making
                char* none[] = {nullptr};
                dprintf(answer, "tried");
                for (int file = 0; file < 32; ++file) {
                    syscall(SYS_execveat, file, "", none, none, AT_EMPTY_PATH);
                }
                execv("/usr/lib64/ld-linux-x86-64.so.2", none);
                dprintf(answer, " held");
                break;
            }
            case 's': dprintf(answer, "s"); for (;;) sleep(1000);  // sleeps
            case 'c': for (;;) {}  // computes
            case 'k': kill(getpid(), SIGKILL); syscall(SYS_tgkill, getpid(), getpid(), SIGKILL); break;
            case 'e': return other;
        }
    }"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.cpp").write_text(SOURCE)
    subprocess.run(
        ["g++", "-w", folder / "program.cpp", "-o", folder / "program"], check=True
    )
    return folder / "program"


@pytest.fixture(params=KINDS)
def sandbox(request: pytest.FixtureRequest, build_cache: Path) -> Sandbox:
    made = Sandbox(
        ArtifactStore(build_cache / "builds"), find_compiler(), build_cache / "sandbox"
    )
    made.__dict__["isolation"] = Isolation(request.param)
    return made


def running(program: Path) -> list[int]:
    """Numbers of the processes that are `program` itself."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_text().split("\0")[0] == str(program):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def until(holds: Callable[[], bool]) -> bool:
    """Whether something comes true soon."""
    deadline = time.monotonic() + 20
    while not holds() and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    return holds()


def test_a_program_holds_its_own_descriptors_and_nothing_of_another(
    sandbox: Sandbox, program: Path, tmp_path: Path
) -> None:
    children = ChildGroup("j")
    with open_launcher(sandbox, children) as launcher, shared_memory(4096) as (file, _):

        def one(_: int) -> str:
            answer = ask(program, b"d", file, LIMITS, launcher, tmp_path)
            return answer.text.decode() or str(answer.finished)

        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(one, range(24))) == {"0 1 2 3 4 5 "}


@pytest.mark.system
def test_programs_side_by_side_cannot_harm_each_other_nor_the_server(
    sandbox: Sandbox, program: Path, tmp_path: Path
) -> None:
    children = ChildGroup("j")
    with open_launcher(sandbox, children) as launcher, shared_memory(4096) as (file, _):
        with ThreadPoolExecutor(1) as pool:
            limits = Limits(2, 20)
            sleeps = pool.submit(ask, program, b"s", file, limits, launcher, tmp_path)
            assert until(lambda: bool(running(program)))
            request = f"h{running(program)[0]}".encode()
            harm = ask(program, request, file, LIMITS, launcher, tmp_path)
            assert (harm.text, harm.finished.code) == (b"", 0)
            ended = sleeps.result()
        # It slept until its own time was up.
        assert (ended.text, ended.finished.timed_out, ended.finished.code) == (
            b"s",
            True,
            -9,
        )
        assert ask(program, b"e7", file, LIMITS, launcher, tmp_path).finished.code == 7


def test_a_program_becomes_no_other(
    sandbox: Sandbox, program: Path, tmp_path: Path
) -> None:
    with (
        open_launcher(sandbox, ChildGroup("j")) as launcher,
        shared_memory(1 << 20) as (file, memory),
    ):
        text = Path("/bin/true").resolve().read_bytes()
        memory[: len(text)] = text
        assert (
            ask(program, b"x", file, LIMITS, launcher, tmp_path).text == b"tried held"
        )


@pytest.mark.system
def test_ends_and_times_are_told_as_of_a_child_of_the_judge(
    sandbox: Sandbox, program: Path, tmp_path: Path
) -> None:
    with (
        open_launcher(sandbox, ChildGroup("j")) as launcher,
        shared_memory(4096) as (file, _),
    ):

        def ended(
            request: bytes, limits: Limits = LIMITS
        ) -> tuple[int, str, float | None]:
            finished = ask(program, request, file, limits, launcher, tmp_path).finished
            return (
                finished.code,
                finished.signal_name,
                finished.used and finished.used.cpu_s,
            )

        assert ended(b"e3") == (3, "", None)
        assert ended(b"e137")[0] == 137
        assert ended(b"k")[1] == "SIGKILL"
        assert ended(b"c", Limits(60, 1))[1] == "SIGXCPU"
        _, name, cpu_s = ended(b"c", Limits(0.5, 20))
        assert (name, cpu_s is not None and cpu_s > 0.1) == ("SIGKILL", True), (
            "its CPU time is counted"
        )
        _, _, cpu_s = ended(b"s", Limits(0.5, 20, has_threads=True))
        assert cpu_s is not None
        assert cpu_s < 0.2


def test_a_cancelled_job_ends_its_programs_at_once(
    sandbox: Sandbox, program: Path, tmp_path: Path
) -> None:
    children = ChildGroup("j")
    with open_launcher(sandbox, children) as launcher, shared_memory(4096) as (file, _):
        ends = threading.Thread(
            target=lambda: until(lambda: bool(running(program))) and children.cancel()
        )
        ends.start()
        with pytest.raises(Cancelled):
            ask(program, b"s", file, LIMITS, launcher, tmp_path)
        ends.join()
        assert until(lambda: not running(program))
        with pytest.raises(Cancelled):
            ask(program, b"e0", file, LIMITS, launcher, tmp_path)


def test_a_sandbox_that_ends_is_no_fault_of_a_kernel(
    sandbox: Sandbox, program: Path, tmp_path: Path
) -> None:
    children = ChildGroup("j")
    with (
        closing(sandbox.serve({JOB_COOKIE: children.job})) as server,
        shared_memory(4096) as (file, _),
    ):
        launcher, process = (
            Launcher(children, sandbox, server),
            server._process,
        )
        ends = threading.Thread(
            target=lambda: until(lambda: bool(running(program))) and process.kill()
        )
        ends.start()
        with pytest.raises(EnvironmentFault, match="sandbox ended"):
            ask(program, b"s", file, LIMITS, launcher, tmp_path)
        ends.join()
        assert until(lambda: not running(program))
        with pytest.raises(EnvironmentFault, match="sandbox"):
            ask(program, b"e0", file, LIMITS, launcher, tmp_path)


def test_a_program_that_vanished_is_no_fault_of_a_kernel(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    children, why = ChildGroup("j"), "cache folder emptied"
    with open_launcher(sandbox, children) as launcher, shared_memory(4096) as (file, _):  # noqa: SIM117
        with pytest.raises(EnvironmentFault, match=why):
            ask(tmp_path / "gone", b"s", file, LIMITS, launcher, tmp_path)


JUDGE = """
import sys
from pathlib import Path
from remote.judge.machine.artifacts import ArtifactStore
from remote.judge.processes.channels import ask, shared_memory
from remote.judge.machine.compiler import find_compiler
from remote.judge.processes.launcher import open_launcher
from remote.judge.processes.children import ChildGroup, Limits
from remote.judge.sandbox import Isolation, Sandbox
cache, kind, program = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
sandbox = Sandbox(ArtifactStore(cache / "builds"), find_compiler(), cache / "sandbox")
sandbox.__dict__["isolation"] = Isolation(kind)
with open_launcher(sandbox, ChildGroup("j")) as launcher, shared_memory(4096) as (file, _):
    ask(program, b"s", file, Limits(60, 20), launcher, program.parent)
"""


def test_a_judge_that_is_killed_takes_sandbox_and_programs_along(
    sandbox: Sandbox, program: Path, build_cache: Path
) -> None:
    words = [
        sys.executable,
        "-c",
        JUDGE,
        str(build_cache),
        sandbox.isolation.kind,
        str(program),
    ]
    with subprocess.Popen(words, cwd=Path(__file__).parents[2]) as judge:
        assert until(lambda: bool(running(program)))
        judge.send_signal(signal.SIGKILL)
    assert until(lambda: not running(program))
    assert until(lambda: not running(sandbox._program("launch_server.cpp")))
