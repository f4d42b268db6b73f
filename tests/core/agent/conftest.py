"""A trajectory on a real workspace."""

from __future__ import annotations

import pytest

from core.workspace import Workspace
from tests.scenario import PlayedOperator


@pytest.fixture
def bench(workspace: Workspace) -> PlayedOperator:
    return PlayedOperator(workspace)
