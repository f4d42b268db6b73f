"""A host needs the person in the middle of `sage run`, and nobody is there to be asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.workspace import Workspace
from remote.hosts.registry import HostRegistry
from tests.commands.test_live_run import answer
from tests.remote.machines import near
from tests.remote.sshd import ALIAS, Sshd, start_sshd

COMMAND = [
    sys.executable,
    "-c",
    "from sage_desktop.cli import main; main()",
    "run",
    "--operators",
    "AbsMath",
]


@pytest.fixture
def server(tmp_path: Path) -> Sshd:
    return start_sshd(tmp_path / "sshd")


@pytest.mark.slow
def test_the_entry_fails_with_the_reason_and_the_next_run_goes_on_in_its_round(
    server: Sshd, tmp_path: Path, build_cache: Path
) -> None:
    base, desk, path = tmp_path / "base", tmp_path / "desk", tmp_path / "w.sage"
    base.mkdir()
    build_cache.mkdir(parents=True, exist_ok=True)
    (base / "cache").symlink_to(build_cache)
    HostRegistry(tmp_path).change(ALIAS, python=sys.executable, base=str(base), slots=1)
    environment = {
        **os.environ,
        "SAGE_SSH_CONFIG": str(server.config),
        "SAGE_DATA_DIR": str(tmp_path),
    }
    run = [
        *COMMAND,
        "--model",
        f"manual:{desk}",
        "--bank",
        "demo",
        "--rounds",
        "1",
        "--host",
        ALIAS,
        "--workspace",
        str(path),
        "--json",
    ]
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
            prompt = wait_for_prompt(process.stderr, desk)
            known.write_text("")  # from now on its key is that of a stranger
            server.drop()
            reply(prompt)
            said = process.communicate(timeout=200)
        assert process.returncode == 1, said
        assert not json.loads(said[0])["operators"][0]["correct"]
        assert (
            f"key of [127.0.0.1]:{server.port}" in said[1] or "is not known" in said[1]
        ), said[1]
        with Workspace.open_readonly(path) as workspace:
            assert (
                workspace.db.execute("SELECT state FROM trajectory").fetchone()[0]
                == "open"
            )
            assert (
                workspace.db.execute("SELECT state FROM queue_entry").fetchone()[0]
                == "failed"
            )
            assert (
                workspace.db.execute("SELECT count(*) FROM model_call").fetchone()[0]
                == 1
            )
        known.write_text(trusted)
        with subprocess.Popen(
            run,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stderr is not None
            reply(
                wait_for_prompt(process.stderr, desk)
            )  # the distillation at the end; no candidate again
            said = process.communicate(timeout=200)
        assert process.returncode == 0, said
        row = json.loads(said[0])["operators"][0]
        assert (row["correct"], row["rounds"]) == (True, 1)
        assert sorted(file.name for file in desk.rglob("*.prompt.md")) == [
            "distil.prompt.md",
            "round-001.prompt.md",
        ]
        jobs = [
            folder
            for folder in (base / "jobs").iterdir()
            if not folder.name.startswith(".")
        ]
        assert len(jobs) == 1, "the kernel ran once"
    finally:
        near(base).end_all()
        server.stop()


def wait_for_prompt(errors: object, desk: Path) -> Path:
    """Read what is said until a prompt waits."""
    for line in errors:  # type: ignore[attr-defined]
        if "waiting for a reply to" in line:
            return desk / line.strip().split(f"{desk}/")[1]
    pytest.fail("it ended without asking")


def reply(prompt: Path) -> None:
    target = Path(str(prompt).replace(".prompt.", ".reply."))
    target.write_text(answer(prompt.read_text(encoding="utf-8")), encoding="utf-8")
