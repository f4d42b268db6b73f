"""One judge for all tests of this folder: its precompiled headers take a few seconds to make."""

from __future__ import annotations

from pathlib import Path

import pytest

from remote.judge.judge import Judge
from tests.remote.helpers import TWIN


@pytest.fixture(scope="session")
def judge(build_cache: Path) -> Judge:
    """A judge with the run's shared build cache."""
    return Judge(build_cache, TWIN, workers=2)
