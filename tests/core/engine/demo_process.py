"""Runs the test demonstration in a process of its own, so that it can be killed: prints a line per event."""

from __future__ import annotations

import sys
from pathlib import Path

from core.engine.demo import prepare_demo
from core.engine.engine import Engine
from core.engine.events import EngineEvent
from core.engine.run_config import RunConfig
from core.method.parameters import MethodParameters
from core.operators.catalogue import find_operator
from core.replay.provider import ReplayProvider
from core.replay.session_file import read_session
from tests.core.agent.scripted import (
    CommentEvaluator,
    LookingEvaluator,
    looking_session,
)


def tell(event: EngineEvent) -> None:
    sys.stdout.write(f"{type(event).__name__}\n")
    sys.stdout.flush()


def main(path: Path, session: Path | None = None) -> None:
    """Play the demonstration, or four operators at a time of a session with its own parameters."""
    recording = read_session(session) if session else looking_session()
    prepare_demo(path, recording)
    parameters = MethodParameters()
    if session:
        parameters = MethodParameters.from_json(recording.header.parameters, "session")
    config = RunConfig(
        lambda: ReplayProvider(recording),
        CommentEvaluator if session else LookingEvaluator,
        parameters,
    )
    engine = Engine(path, config, find_operator, tell)
    engine.start()
    engine.wait_idle()
    engine.stop()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
