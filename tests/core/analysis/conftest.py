"""Results come from an engine on a demonstration workspace."""

from tests.core.engine.conftest import lab  # noqa: F401 - a fixture
