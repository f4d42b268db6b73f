"""Small experiments: the test session replayed, or a model whose kernels say how they are judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.experiments.plans.plan import changed
from core.experiments.plans.plan_file import read_plan
from core.experiments.running.folder import Experiment, create
from core.models.port import ModelReply, ModelRequest, Purpose, Stream, Usage
from core.replay.session_file import write_session
from sage_desktop.services.experiment_run import ExperimentRun
from sage_desktop.services.models.choice import ModelChoice
from tests.core.agent.scripted import (
    RULE,
    CommentEvaluator,
    Model,
    files,
    reply_text,
    session,
)

ARMS = """
name = "small"
title = "A small experiment"
question = "Does it run?"
operators = ["AbsMath", "Lerp", "SwiGlu", "RmsNorm"]
against = "sage"
repeats = {repeats}
[parameters]
encoder = "none"
[budget]
rounds = 6
[[arms]]
name = "sage"
{arms}
"""
ABLATION = "\n".join(
    f'[[arms]]\nname = "{name}"\nmethod = "{name}"'
    for name in ("uniform-credit", "no-ugc", "random-ugc")
)


def answer(request: ModelRequest) -> str:
    """A model that gets faster with the round, and solves SwiGlu only when it retrieved something."""
    if request.purpose is Purpose.DIAGNOSE:
        return "## Diagnosis\nDataCopyPad blockLen\n"
    if request.purpose is Purpose.ABSTRACT:
        return RULE
    if request.purpose is Purpose.DISTIL:
        return "None.\n"
    judged = {
        1: "fail-build",
        2: f"pass {20 + len(request.retrieved)}.0",
        3: "pass 10.0",
    }.get(request.round, "fail-run")
    if request.subject == "SwiGlu" and not request.retrieved:
        judged = "fail-result"
    return reply_text(
        dict.fromkeys(request.retrieved, "adopted"), files(request.subject, judged)
    )


class Told(Model):
    """A model whose server tells its tokens."""

    async def complete(
        self, request: ModelRequest, stream: Stream | None = None
    ) -> ModelReply:
        return replace(
            await super().complete(request, stream), usage=Usage(1000, 100, 0)
        )


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """The test session as a file."""
    path = tmp_path / "session.jsonl"
    write_session(path, session())
    return path


def made(folder: Path, arms: str, *, model: str = "", repeats: int = 1) -> Experiment:
    """A new experiment with `sage` and further arms."""
    text = ARMS.format(arms=arms, repeats=repeats)
    return create(
        folder,
        changed(read_plan(text, "small.toml"), models={"": model} if model else {}),
        text,
    )


def run(
    experiment: Experiment,
    ask: Callable[[ModelRequest], str] = answer,
    side_by_side: int = 2,
) -> ExperimentRun:
    """Run an experiment to where it gets, judged by the comments in its kernels."""
    choice = ModelChoice(lambda: Told(ask), "test model")
    models = {backbone.name: choice for backbone in experiment.plan.backbones}
    work = ExperimentRun(
        experiment, models, CommentEvaluator, lambda cell, event: None, side_by_side
    )
    work.run()
    return work
