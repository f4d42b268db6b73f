"""The sandbox for compilers and candidates, attacked by a hostile program in every form it has here."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from remote.judge.machine.artifacts import ArtifactStore
from remote.judge.machine.compiler import find_compiler
from remote.judge.processes.channels import ask, shared_memory
from remote.judge.processes.children import ChildGroup, Limits
from remote.judge.processes.launcher import open_launcher
from remote.judge.sandbox import BUBBLEWRAP, LANDLOCK, UNCONFINED, Confinement, Sandbox
from remote.judge.sandbox.isolation import _ATTEMPTS
from tests.remote.no_sandbox import without_sandbox

KINDS = [
    LANDLOCK,
    pytest.param(
        BUBBLEWRAP,
        marks=pytest.mark.skipif(
            shutil.which("bwrap") is None, reason="bubblewrap is not installed"
        ),
    ),
]


@pytest.fixture(scope="session")
def sandbox(build_cache: Path) -> Sandbox:
    return Sandbox(
        ArtifactStore(build_cache / "builds"), find_compiler(), build_cache / "sandbox"
    )


def compiled(folder: Path, source: str) -> Path:
    (folder / "program.cpp").write_text(source)
    program = folder / "program"
    subprocess.run(
        ["g++", "-O0", "-pthread", folder / "program.cpp", "-o", program], check=True
    )
    return program


def test_this_machine_has_a_sandbox_and_remembers_which(
    sandbox: Sandbox, build_cache: Path
) -> None:
    assert sandbox.isolation.holds
    assert sandbox.isolation.kind == (BUBBLEWRAP if shutil.which("bwrap") else LANDLOCK)
    assert list(
        (build_cache / "sandbox").glob("*.json")
    )  # another of an older probe may lie there


def test_a_session_without_files_to_open_leaves_no_answer_behind(
    tmp_path: Path, build_cache: Path
) -> None:
    ask = f"""
import resource
from pathlib import Path
from remote.judge.sandbox import Sandbox
from remote.judge.machine.artifacts import ArtifactStore
from remote.judge.machine.compiler import find_compiler

store = ArtifactStore(Path({str(build_cache)!r}, "builds"))
sandbox = Sandbox(store, find_compiler(), Path({str(tmp_path)!r}))
resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))
print(sandbox.isolation.why)
"""
    asked = subprocess.run(
        [sys.executable, "-c", ask], capture_output=True, text=True, check=True
    )
    assert "cannot be prepared" in asked.stdout
    assert not list(tmp_path.glob("*.json")), "asked again once there are files"


def test_the_attack_succeeds_where_nothing_holds_it_back(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """Else the self-test would trust anything."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    probe = sandbox._program("probe.cpp")
    words = [
        str(probe),
        str(secret),
        str(tmp_path / "made"),
        "1",
        "64",
        str(os.getpid()),
    ]
    said = sandbox._ask(UNCONFINED, words, Confinement(), tmp_path)
    still_held = {name for name in _ATTEMPTS if said[name] == "held"}
    assert still_held <= {"connect", "read-accounts"}  # nobody listens on port 1
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_attack_succeeds_inside(sandbox: Sandbox, kind: str) -> None:
    assert sandbox._attack(kind) == ""


def test_a_sandbox_that_leaks_is_not_trusted(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A launcher that forgets Landlock: the self-test must say so and the answer must be: none."""
    monkeypatch.setattr(Sandbox, "wrap", lambda _self, command, *_rest: list(command))
    leaking = Sandbox(sandbox.store, sandbox.compiler, tmp_path)
    assert leaking.isolation.kind == UNCONFINED
    assert "read-file" in leaking.isolation.why


def test_without_bubblewrap_the_launcher_holds_alone(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(find_compiler().path).parent / "nowhere"))
    alone = Sandbox(sandbox.store, sandbox.compiler, tmp_path)
    assert alone.isolation.kind == LANDLOCK
    assert "bubblewrap is not installed" in alone.isolation.why


@pytest.mark.parametrize("kind", KINDS)
def test_a_compiler_can_start_others_but_leaves_none_behind(
    sandbox: Sandbox, kind: str, tmp_path: Path
) -> None:
    """A child that leaves its session and closes everything ends with the launcher nonetheless."""
    program = compiled(
        tmp_path,
        """
        #include <cstdio>
        #include <unistd.h>
        int main() {
            if (fork() == 0) { setsid(); std::fprintf(stderr, "%d\\n", getpid()); pause(); }
            sleep(1); return 0;
        }""",
    )
    command = sandbox.wrap(
        [str(program)], Confinement("tools", write=(tmp_path,)), tmp_path, kind
    )
    marker = f"{program}"
    finished = ChildGroup("survivors").run(command, tmp_path, Limits(10, 10))
    assert finished.code == 0
    deadline = time.monotonic() + 5
    while _running(marker) and time.monotonic() < deadline:
        os.sched_yield()
    assert not _running(marker)


def _running(program: str) -> list[str]:
    """Processes that are `program` itself, not a launcher that names it."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_text().split("\0")[0] == program:
                found.append(folder.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize("sandboxed", [True, False])
def test_an_answer_that_never_ends_is_cut_and_its_writer_killed(
    sandbox: Sandbox, sandboxed: bool, tmp_path: Path
) -> None:
    program = compiled(
        tmp_path,
        """
        #include <cstdlib>
        #include <unistd.h>
        int main(int, char** words) {
            static char garbage[1 << 20];
            for (;;) if (write(std::atoi(words[3]), garbage, sizeof garbage) < 0) return 3;
        }""",
    )
    chosen = sandbox if sandboxed else without_sandbox(tmp_path)
    with (
        shared_memory(4096) as (file, _),
        open_launcher(chosen, ChildGroup("flood")) as launcher,
    ):
        answer = ask(program, b"x", file, Limits(20, 20), launcher, tmp_path)
    assert answer.text == b"", "what was read until then is no answer"
    assert not answer.finished.timed_out


def test_a_request_cannot_be_changed_nor_memory_resized(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    program = compiled(
        tmp_path,
        """
        #include <cstdlib>
        #include <cstdio>
        #include <sys/mman.h>
        #include <unistd.h>
        int main(int, char** words) {
            const int request = std::atoi(words[1]), memory = std::atoi(words[2]);
            const int answer = std::atoi(words[3]);
            const bool wrote = pwrite(request, "y", 1, 0) == 1;
            const bool mapped = mmap(nullptr, 1, PROT_WRITE, MAP_SHARED, request, 0) != MAP_FAILED;
            const bool resized = ftruncate(memory, 1) == 0 || ftruncate(memory, 1 << 20) == 0;
            dprintf(answer, "%d%d%d", wrote, mapped, resized);
        }""",
    )
    for chosen in (sandbox, without_sandbox(tmp_path)):
        with shared_memory(8192) as (file, memory):
            with open_launcher(chosen, ChildGroup("seal")) as launcher:
                answer = ask(program, b"x", file, Limits(20, 20), launcher, tmp_path)
            assert len(memory) == 8192
        assert answer.text == b"000"


def test_a_judge_that_is_killed_takes_its_candidate_along(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    program = compiled(tmp_path, "int main() { for (;;) {} }")
    command = sandbox.wrap([str(program)], Confinement(cpu_s=60), tmp_path)
    judge = subprocess.Popen(
        ["/bin/sh", "-c", '"$@" & wait', "sh", *command],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 10
    while not _running(f"{program}") and time.monotonic() < deadline:
        os.sched_yield()
    judge.send_signal(signal.SIGKILL)
    judge.wait()
    while _running(f"{program}") and time.monotonic() < deadline:
        os.sched_yield()
    assert not _running(f"{program}")
