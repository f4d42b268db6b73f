"""One judge for all tests of this folder: its precompiled headers take a few seconds to make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.judge.judge import Judge
from remote.judge.machine.artifacts import ArtifactStore
from remote.judge.machine.compiler import find_compiler
from remote.judge.sandbox import Sandbox
from tests.remote.helpers import TWIN
from tests.remote.sshd import Sshd, start_sshd


@pytest.fixture(scope="session")
def judge(build_cache: Path) -> Judge:
    """A judge with the run's shared build cache."""
    return Judge(build_cache, TWIN, workers=2)


@pytest.fixture(scope="session")
def sandbox(build_cache: Path) -> Sandbox:
    """The sandbox of this machine, as the judge finds it."""
    return Sandbox(
        ArtifactStore(build_cache / "builds"), find_compiler(), build_cache / "sandbox"
    )


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """One OpenSSH server for all tests that do not need a special one."""
    server = start_sshd(tmp_path_factory.mktemp("sshd"))
    yield server
    server.stop()
