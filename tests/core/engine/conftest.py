"""An engine on a demonstration workspace; whatever was begun is stopped at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenario import PlayedQueue


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[PlayedQueue]:
    made = PlayedQueue(tmp_path / "demo.sage")
    yield made
    made.close()
