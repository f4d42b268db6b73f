"""An engine on a demonstration workspace, with its events gathered and waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.engine.demo import prepare_demo
from core.engine.engine import Engine
from core.engine.events import EngineEvent
from core.engine.run_config import RunConfig
from core.method.parameters import MethodParameters
from core.operators.catalogue import find_operator
from core.replay.provider import ReplayProvider
from core.replay.session_file import Session
from tests.core.agent.scripted import CommentEvaluator, session

WAIT = 20.0


class Listener:
    """Gathers events; `wait_for` blocks until one that fits has come."""

    def __init__(self) -> None:
        self.events: list[EngineEvent] = []
        self._news = threading.Condition()

    def __call__(self, event: EngineEvent) -> None:
        with self._news:
            self.events.append(event)
            self._news.notify_all()

    def wait_for(self, fits: Callable[[EngineEvent], bool]) -> None:
        with self._news:
            assert self._news.wait_for(lambda: any(map(fits, self.events)), WAIT), (
                self.events[-5:]
            )

    def of(self, kind: type) -> list[EngineEvent]:
        return [event for event in self.events if isinstance(event, kind)]


class Lab:
    """Makes engines on one workspace file and stops them all at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.session: Session = session()
        self.engines: list[Engine] = []
        self.heard = Listener()
        prepare_demo(path, self.session)

    def engine(
        self, evaluator: CommentEvaluator | None = None, **changes: object
    ) -> Engine:
        options: dict[str, object] = {
            "provider": lambda: ReplayProvider(self.session),
            "evaluator": evaluator
            if callable(evaluator)
            else lambda: evaluator or CommentEvaluator(),
            "parameters": MethodParameters(),
        }
        operators, on_event = (
            changes.pop("operators", find_operator),
            changes.pop("on_event", self.heard),
        )
        config = RunConfig(**(options | changes))  # type: ignore[arg-type]
        made = Engine(self.path, config, operators, on_event)  # type: ignore[arg-type]
        self.engines.append(made)
        return made

    def run(self, **changes: object) -> None:
        """Run the whole queue with a fresh engine and stop it."""
        engine = self.engine(**changes)  # type: ignore[arg-type]
        engine.start()
        assert engine.wait_idle(WAIT)
        assert engine.stop()


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmp_path / "demo.sage")
    yield made
    for engine in made.engines:
        assert engine.stop(WAIT)
