"""Hostile candidates on a host with CANN: what their build and the process with the device can reach."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.evaluation.records import Evaluation, VerdictClass
from remote.hosts.soc import soc_script
from remote.judge.cann.confined import CannSandbox, cann_sandbox, keep_plain
from remote.judge.cann.device_case import DeviceCase, DeviceTensor, Manifest
from remote.judge.cann.device_run import DeviceRows, DeviceRun
from remote.judge.cann.environment import load_environment
from remote.judge.cann.package import PackageBuild, build_package
from remote.judge.job import BuildPlan, Probe, Step
from remote.judge.machine.artifacts import ArtifactStore
from remote.judge.machine.compiler import find_compiler
from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox import BUBBLEWRAP, LANDLOCK, UNCONFINED, Sandbox
from tests.remote.cann_stand_in import DEVICE
from tests.remote.helpers import candidate

needs_bubblewrap = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not installed"
)
KINDS = [LANDLOCK, pytest.param(BUBBLEWRAP, marks=needs_bubblewrap)]
SECRET = "a-key-of-somebody"
ATTACK = """\
import os, socket, subprocess, sys
secret, made, port, marker, folder = sys.argv[1:]
def attempt(what):
    try:
        print("DONE", what())
    except BaseException as error:
        print("held", type(error).__name__)
attempt(lambda: open(secret).read())
attempt(lambda: open(made, "w").write("x") and "made")
attempt(lambda: socket.create_connection(("127.0.0.1", int(port)), 2) and "connected")
attempt(lambda: open(f"/proc/{os.getppid()}/environ").read() and "environment of the parent")
attempt(lambda: os.environ["SOME_MODELS_PASSPHRASE"] and "environment")
attempt(lambda: os.link(secret, folder + "/linked") or "linked")
for name in ("project.from", "out-0.bin"):
    attempt(lambda: os.symlink(secret, folder + "/" + name) or "link left behind")
attempt(lambda: os.mkfifo(folder + "/pipe") or "pipe")
sys.stdout.flush()
"""
SURVIVE = """\
import os, subprocess, sys
wait = [sys.executable, "-c", "import time; time.sleep(500)", sys.argv[4]]
ready, tell = os.pipe()
for before in (os.setpgrp, os.setsid, lambda: None):
    if os.fork() == 0:
        try:
            before()
        except OSError:
            pass
        os.write(tell, b"x")
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        os.execv(wait[0], wait)
    os.read(ready, 1)
"""


@dataclass(frozen=True)
class Ground:
    """Where an attack is tried: what it must not read, make, reach, and a word to find survivors by."""

    secret: Path
    made: Path
    listener: socket.socket
    marker: str

    def script(self, folder: str) -> str:
        """Both attacks as one Python program that takes no arguments; `folder` is where it may write."""
        port = str(self.listener.getsockname()[1])
        words = ["attack", str(self.secret), str(self.made), port, self.marker, folder]
        given = f"import sys\nsys.argv = {words!r}\n"
        return f"{given}{ATTACK}{SURVIVE}"

    def reached(self) -> bool:
        self.listener.settimeout(0.01)
        with contextlib.suppress(TimeoutError):
            self.listener.accept()[0].close()
            return True
        return False

    def survivors(self) -> list[int]:
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if self.marker.encode() in (path / "cmdline").read_bytes():
                    found.append(int(path.name))
        return found


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    secret = tmp_path / "secrets" / "id_ed25519"
    secret.parent.mkdir()
    secret.write_text(SECRET)
    monkeypatch.setenv("SOME_MODELS_PASSPHRASE", SECRET)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        marker = f"survivor-{tmp_path.name}-{os.getpid()}"
        here = Ground(secret, tmp_path / "secrets" / "made", listener, marker)
        yield here
        for process in here.survivors():
            os.kill(process, signal.SIGKILL)


@pytest.fixture
def confined(
    set_env: Path, build_cache: Path, tmp_path: Path
) -> Callable[[str], CannSandbox]:
    """CANN's sandbox of a kind, `none` for the control."""

    def make(kind: str) -> CannSandbox:
        sandbox = Sandbox(
            ArtifactStore(build_cache / "builds"),
            find_compiler(),
            build_cache / "sandbox",
        )
        chosen = {BUBBLEWRAP: "", LANDLOCK: "landlock", UNCONFINED: "none"}[kind]
        script = f"source {set_env}\nexport SAGE_CANN_SANDBOX={chosen}"
        environment = load_environment(script, tmp_path, ChildGroup("test"))
        made = cann_sandbox(sandbox, environment, allowed=kind == UNCONFINED)
        assert made.isolation.kind == kind, made.isolation.why
        return made

    return make


def build(ground: Ground, sandbox: CannSandbox, base: Path) -> PackageBuild:
    """A build whose CMake files attack."""
    cmake = (
        "cmake_minimum_required(VERSION 3.16)\nproject(hostile NONE)\n"
        f'execute_process(COMMAND "{sys.executable}" "${{CMAKE_SOURCE_DIR}}/attack.py"\n'
        '    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}/../..")\n'
    )
    step = Step(
        "configure",
        "project",
        "cmake -S candidate/op_host -B made -G 'Unix Makefiles'",
        60.0,
    )
    files = {
        "candidate/op_host/CMakeLists.txt": cmake,
        "candidate/op_host/attack.py": ground.script("."),
    }
    plan = BuildPlan(files, (step,), "opp")
    return build_package(
        plan, sandbox, base, ChildGroup("test"), lambda _text, **_fields: None
    )


@pytest.mark.system
@pytest.mark.parametrize("kind", KINDS)
def test_a_build_reaches_nothing_and_leaves_nothing(
    ground: Ground, confined: Callable[[str], CannSandbox], kind: str, tmp_path: Path
) -> None:
    made = build(ground, confined(kind), tmp_path / "work")
    assert made.ok, made.log
    assert made.log.count("held") >= 6, made.log
    assert made.log.count("DONE link left behind") == 2, (
        "what it may do in its own folder"
    )
    assert not ground.reached()
    assert not ground.made.exists()
    assert not ground.survivors()
    assert made.project == ""
    left = [path for path in made.folder.rglob("*") if not path.is_dir()]
    assert all(stat.S_ISREG(path.lstat().st_mode) for path in left)
    assert SECRET not in made.log
    assert not any(SECRET in path.read_text(errors="replace") for path in left)


def test_the_attack_succeeds_where_nothing_holds_it_back(
    ground: Ground, confined: Callable[[str], CannSandbox], tmp_path: Path
) -> None:
    """Else the tests of the sandbox would show nothing. What it left is removed nevertheless."""
    sandbox = confined(UNCONFINED)
    assert sandbox.label == UNCONFINED
    made = build(ground, sandbox, tmp_path / "work")
    assert SECRET in made.log
    assert "held" not in made.log, made.log
    assert ground.reached()
    assert ground.made.exists()
    assert ground.survivors()
    assert made.project == "", "a link is not followed"


LIBRARY = """\
#include <cstdlib>
__attribute__((constructor)) static void attack() { std::system({command}); }
"""


def run_library(
    ground: Ground, sandbox: CannSandbox, base: Path, given: Path
) -> tuple[DeviceRows, Path]:
    """Load a package that attacks into the process with the device."""
    folder, package = base / "run", base / "package"
    folder.mkdir()
    package.mkdir()
    (package / "attack.py").write_text(ground.script("."))
    command = json.dumps(f"'{sys.executable}' '{package}/attack.py' 2>&1")
    (package / "hostile.cpp").write_text(LIBRARY.replace("{command}", command))
    library = package / "libcust_opapi.so"
    subprocess.run(
        ["g++", "-shared", "-fPIC", package / "hostile.cpp", "-o", library], check=True
    )
    x = DeviceTensor("x", "float32", (4,), (), str(given), 16)
    case = DeviceCase(
        "only",
        str(folder),
        timed=False,
        reference=False,
        inputs={"x": (x,)},
        outputs=(),
        attributes={},
    )
    manifest = Manifest("AbsMath", ("x",), (), str(library), (), "", {}, 0, 1, (case,))
    children = ChildGroup("test")
    run = DeviceRun({}, sandbox, 60.0, Probe(), folder, package, children)
    return run.rows(manifest), folder


@pytest.mark.system
@pytest.mark.parametrize("kind", KINDS)
def test_what_runs_with_the_device_reaches_nothing_and_leaves_nothing(
    ground: Ground, confined: Callable[[str], CannSandbox], kind: str, tmp_path: Path
) -> None:
    given = (
        tmp_path / "secrets" / "in-0.bin"
    )  # beside the secret, as inputs lie beside what is expected
    given.write_bytes(bytes(16))
    rows, folder = run_library(ground, confined(kind), tmp_path, given)
    assert rows.device == "Ascend910B1", (
        "the library was loaded after the device was there"
    )
    assert "aclnnAbsMath" in rows.load_error
    assert rows.log.count("held") >= 6, rows.log
    assert SECRET not in rows.log
    assert not ground.reached()
    assert not ground.made.exists()
    assert not ground.survivors()
    assert {path.name for path in folder.iterdir()} == {"manifest.json", "rows.jsonl"}
    assert given.read_bytes() == bytes(16)


@pytest.mark.system
def test_a_package_reaches_everything_where_nothing_holds_it_back(
    ground: Ground, confined: Callable[[str], CannSandbox], tmp_path: Path
) -> None:
    given = tmp_path / "in-0.bin"
    given.write_bytes(b"")
    rows, _ = run_library(ground, confined(UNCONFINED), tmp_path, given)
    assert SECRET in rows.log
    assert ground.reached()


@pytest.mark.system
def test_going_without_takes_the_persons_word_and_is_stored(
    judged: Callable[..., Evaluation], set_env: Path
) -> None:
    without = f"source {set_env}\n{soc_script(DEVICE)}\nexport SAGE_CANN_SANDBOX=none"
    refused = judged(candidate(), environment=without)
    assert refused.verdict is VerdictClass.VOID
    assert "SAGE_CANN_SANDBOX=none" in refused.cause
    assert "SAGE_ALLOW_UNCONFINED=1" in refused.cause
    allowed = judged(
        candidate(), environment=without, allow_unconfined=True, build_only=True
    )
    assert allowed.build.ok
    assert allowed.is_unconfined
    odd = judged(candidate(), environment=f"{without}_of_that")
    assert "can be landlock or none" in odd.cause


def test_links_that_lead_out_and_pipes_are_removed_before_anybody_reads(
    tmp_path: Path,
) -> None:
    folder, secret = tmp_path / "run", tmp_path / "secret"
    (folder / "inside").mkdir(parents=True)
    secret.write_text(SECRET)
    (folder / "kept").write_text("kept")
    (folder / "inside" / "same").symlink_to("../kept")
    (folder / "out").symlink_to(secret)
    (folder / "itself").symlink_to("itself")
    (folder / "folder").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    keep_plain(folder)
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*")} == {
        "inside",
        "inside/same",
        "kept",
    }
