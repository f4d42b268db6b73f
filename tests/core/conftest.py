"""What tests of the core play: a workspace, its memory, one operator in it, a queue of operators."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from core.memory.store import MemoryStore
from core.workspace import Workspace
from tests.scenario import PlayedOperator, PlayedQueue

# Time limits of examples fail under load.
settings.register_profile("shared-machine", deadline=None)
settings.load_profile("shared-machine")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "w.sage") as opened:
        yield opened


@pytest.fixture
def store(workspace: Workspace) -> MemoryStore:
    return MemoryStore(workspace)


@pytest.fixture
def bench(workspace: Workspace) -> PlayedOperator:
    return PlayedOperator(workspace)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[PlayedQueue]:
    made = PlayedQueue(tmp_path / "demo.sage")
    yield made
    made.close()
