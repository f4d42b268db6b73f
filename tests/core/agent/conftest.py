"""A trajectory on a real workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.workspace import Workspace
from tests.scenario import PlayedOperator


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "w.sage") as opened:
        yield opened


@pytest.fixture
def bench(workspace: Workspace) -> PlayedOperator:
    return PlayedOperator(workspace)
