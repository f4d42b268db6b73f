"""An installed stand-in for CANN, and a judge that uses it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.evaluation.records import Candidate, Evaluation
from remote.hosts.registry import HostRegistry
from remote.judge.cann.judge import CannJudge
from remote.judge.processes.children import ChildGroup
from remote.judge.serving.guarded import guarded
from remote.toolchains.cann import CannToolchain
from remote.toolchains.port import read_answer
from tests.remote.cann_stand_in import install
from tests.remote.helpers import operator
from tests.remote.sshd import ALIAS, Sshd, start_sshd


@pytest.fixture(scope="session")
def set_env(tmp_path_factory: pytest.TempPathFactory, build_cache: Path) -> Path:
    """An installed stand-in."""
    build_cache.mkdir(parents=True, exist_ok=True)
    return install(tmp_path_factory.mktemp("cann") / "home", build_cache)


@pytest.fixture(scope="session")
def toolchain(tmp_path_factory: pytest.TempPathFactory, set_env: Path) -> CannToolchain:
    """Few calls, and two cases: each launch of the stand-in is a process."""
    cache = tmp_path_factory.mktemp("cann-cache")
    return CannToolchain(
        cache,
        set_env=str(set_env),
        work_dir=str(cache / "w"),
        warmups=1,
        repeats=4,
        extra_seeds=1,
        run_big=False,
    )


@pytest.fixture
def judged(toolchain: CannToolchain) -> Callable[..., Evaluation]:
    """Judges a candidate for AbsMath on two of its cases."""

    def judge(kernel: Candidate, **changes: Any) -> Evaluation:
        payload = {**toolchain.request(operator(), kernel).payload, **changes}
        visible = next(case for case in payload["cases"] if not case["hidden"])
        hidden = next(case for case in payload["cases"] if case["hidden"])
        payload["cases"] = [{**visible, "timed": True}, hidden]
        result = guarded(
            lambda _job: CannJudge(toolchain.cache_dir),
            payload,
            ChildGroup("test"),
            lambda _text, **_fields: None,
        )
        answer = read_answer(json.loads(json.dumps(result)))
        return toolchain.read(kernel, "test", answer)

    return judge


@pytest.fixture
def far(
    tmp_path: Path, build_cache: Path, set_env: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[HostRegistry, Sshd]]:
    """A host behind a real SSH server, with the stand-in on the path of its users."""
    base = tmp_path / "base"
    base.mkdir()
    (base / "cache").symlink_to(build_cache)
    path = f"{set_env.parent / 'bin'}:{os.environ['PATH']}"
    server = start_sshd(tmp_path / "sshd", f"SetEnv PATH={path}")
    registry = HostRegistry(tmp_path)
    monkeypatch.setenv("SAGE_SSH_CONFIG", str(server.config))
    registry.change(
        ALIAS,
        python=sys.executable,
        base=str(base),
        locks=str(tmp_path / "locks"),
        slots=1,
        setup=f"source {set_env}",
    )
    yield registry, server
    server.stop()
