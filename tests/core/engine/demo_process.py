"""Runs the test demonstration in a process of its own, so that it can be killed: prints a line per event."""

from __future__ import annotations

import sys
from pathlib import Path

from core.engine.demo import prepare_demo
from core.engine.engine import Engine
from core.engine.events import EngineEvent
from core.engine.run_config import RunConfig
from core.method.parameters import MethodParameters
from core.models.replay import ReplayProvider
from core.operators.catalogue import find_operator
from tests.core.agent.scripted import LookingEvaluator, looking_session


def tell(event: EngineEvent) -> None:
    sys.stdout.write(f"{type(event).__name__}\n")
    sys.stdout.flush()


def main(path: Path) -> None:
    recording = looking_session()
    prepare_demo(path, recording)
    engine = Engine(
        path,
        RunConfig(lambda: ReplayProvider(recording), LookingEvaluator, MethodParameters()),
        find_operator,
        tell,
    )
    engine.start()
    engine.wait_idle()
    engine.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
