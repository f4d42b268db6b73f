"""Where the method meets the machines: builds engines from workspaces, providers and evaluators.

Together with `app.py` and `cli.py` the only place that knows both `core` and `remote`. Qt-free.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import SageError
from core.evaluation.port import Evaluator
from sage_desktop.services.hosts.choice import (
    DEFAULT_SOC,
    evaluator_on,
    host_names,
    toolchain_named,
)
from sage_desktop.services.places import cache_dir as cache_dir  # noqa: PLC0414 - asked for here
from sage_desktop.services.places import data_dir as data_dir  # noqa: PLC0414

if TYPE_CHECKING:  # an evaluation needs no engine: what does imports it
    from core.agent.run.limits import Limits
    from core.engine.engine import Engine
    from core.engine.events import EngineEvent
    from core.engine.run_config import RunConfig
    from core.memory.records import Retrieve
    from core.method.parameters import MethodParameters
    from core.models.port import ModelProvider
    from core.references.folders import UserFolders
    from core.replay.session_file import Session
    from core.workspace import Workspace
    from remote.toolchains.preflight.client import Preflight
    from sage_desktop.services.models.choice import ModelChoice

ENCODER_SECONDS = 30.0  # how long a live run waits for search by meaning


def user_folders() -> UserFolders:
    """The documentation the user added."""
    from core.references.folders import UserFolders

    return UserFolders(data_dir() / "references")


def integrity_file() -> Path:
    """The user's own integrity rules; the shipped ones hold while there is no such file."""
    return data_dir() / "integrity.toml"


def twin_dir() -> Path:
    """Headers and runtime of the CPU twin that ships with the application."""
    return Path(str(resources.files("resources") / "twin"))


def prepare_in_background() -> None:
    """Prepare the CPU twin in a process of its own, so that the first evaluation need not wait for it."""
    import remote

    paths = [
        str(Path(remote.__file__).resolve().parents[1]),
        os.environ.get("PYTHONPATH", ""),
    ]
    subprocess.Popen(
        [
            sys.executable,
            "-m",
            "sage_desktop.cli",
            "prepare",
            "--quiet",
            "--background",
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def twin_evaluator(soc: str = "") -> Evaluator:
    """The CPU twin on this computer. Imported late: the window must be up before anything heavy loads."""
    from remote.evaluator import local_twin_evaluator

    return local_twin_evaluator(cache_dir(), soc or DEFAULT_SOC)


def evaluator_for(
    host: str,
    toolchain: str,
    soc: str = "",
    *,
    run_big: bool = False,
    schedules: int | None = None,
    lint: Preflight | None = None,
) -> Evaluator:
    """The evaluator for a host and toolchain as named on the command line.

    It stands behind the integrity rules: no candidate is compiled, timed or credited before them.

    Args:
        host: `local`, or names of the user's SSH configuration.
        toolchain: One of `host_choice.TOOLCHAINS`.
        soc: Processor that the twin models, or that CANN builds for; empty for the usual one.
        run_big: Whether the twin runs the cases marked as too large for it; a device always does.
        schedules: Other orders of cores and pipes the twin runs every case in; None leaves it to the kernel.
        lint: The caller's, who ends its process; None for one that ends with the evaluator.

    Raises:
        SageError: No host is named, or one of them is not known.
    """
    from core.evaluation.integrity.rules import load_rules
    from core.evaluation.integrity.verdict import Guarded
    from remote.toolchains.preflight.evaluator import Preflighted

    names = host_names(host)
    if not names:
        raise SageError(
            "No host is named.", "Use `local` or a name of your SSH configuration."
        )
    chosen = toolchain_named(
        toolchain, cache_dir(), soc, run_big=run_big, schedules=schedules
    )
    evaluator = evaluator_on(names, chosen)
    rules = load_rules(integrity_file())
    return Guarded(
        Preflighted(evaluator, lint or language_lint(), rules, lent=lint is not None),
        rules,
    )


def language_lint() -> Preflight:
    """What finds, on this computer and before anything is sent, what the device's compiler refuses."""
    from remote.toolchains.preflight.client import Preflight

    return Preflight(twin_dir(), cache_dir() / "preflight")


def hybrid_retriever(workspace: Workspace, encoder: str) -> Retrieve:
    """Search by words and by meaning.

    The first query waits for the encoder process, so that results do not depend on how fast it starts. The
    process ends by itself when it is idle or its owner is gone.

    Args:
        workspace: The memory.
        encoder: As in `MethodParameters`.
    """
    from core.engine.run_config import sparse_retriever
    from core.method.parameters import NO_ENCODER

    if encoder == NO_ENCODER:
        return sparse_retriever(workspace)
    from core.memory.encoder import EncoderClient
    from core.memory.retrieval.retriever import HybridRetriever

    return HybridRetriever(
        workspace, EncoderClient(encoder), wait_seconds=ENCODER_SECONDS
    ).retrieve


@asynccontextmanager
async def judge(
    host: str = "local",
    toolchain: str = "twin",
    soc: str = "",
    *,
    run_big: bool = False,
    schedules: int | None = None,
    lint: Preflight | None = None,
) -> AsyncIterator[Evaluator]:
    """`evaluator_for` these, closed at the end."""
    evaluator = evaluator_for(
        host, toolchain, soc, run_big=run_big, schedules=schedules, lint=lint
    )
    try:
        yield evaluator
    finally:
        await evaluator.close()


@dataclass(frozen=True)
class EngineSession:
    """An engine together with the workspace it owns.

    Attributes:
        engine: It, not started.
        workspace_path: The workspace.
        session: The recording it replays, None for a live model.
        provider: The live model or person who writes; empty while nobody was chosen.
    """

    engine: Engine
    workspace_path: Path
    session: Session | None = None
    provider: str = ""


def open_demo(
    workspace_path: Path, on_event: Callable[[EngineEvent], None], host: str = "local"
) -> EngineSession:
    """Open (or continue) the demo in `workspace_path`: seed bank and queue are written on first use only."""
    from core.engine.shipped import demonstration

    return open_replay(workspace_path, demonstration(), on_event, host)


def open_replay(
    workspace_path: Path,
    session: Session,
    on_event: Callable[[EngineEvent], None],
    host: str = "local",
) -> EngineSession:
    """Open (or continue) the replay of a session, with the parameters it was recorded with."""
    from core.engine.demo import prepare_demo

    prepare_demo(workspace_path, session)
    config = replay_config(session, lambda: evaluator_for(host, "twin"))
    return open_run(workspace_path, config, on_event, session)


def replay_config(
    session: Session,
    evaluator: Callable[[], Evaluator],
    parameters: MethodParameters | None = None,
) -> RunConfig:
    """How a recording is played, with the parameters it was made with unless others are given."""
    from core.engine.run_config import RunConfig
    from core.method.parameters import NO_ENCODER, MethodParameters
    from core.replay.provider import ReplayProvider

    recorded = session.header.parameters
    if parameters is None:
        parameters = (
            MethodParameters.from_json(recorded, "session")
            if recorded
            else MethodParameters()
        )
    encoder = parameters.encoder if recorded else NO_ENCODER
    return RunConfig(
        lambda: ReplayProvider(session),
        evaluator,
        parameters,
        partial(hybrid_retriever, encoder=encoder),
    )


def open_run(
    workspace_path: Path,
    config: RunConfig,
    on_event: Callable[[EngineEvent], None],
    session: Session | None = None,
    provider: str = "",
) -> EngineSession:
    """Open a workspace as it is, with its queue and memory, for an engine that works with `config`."""
    from core.engine.engine import Engine
    from core.operators.catalogue import find_operator

    engine = Engine(workspace_path, config, find_operator, on_event)
    return EngineSession(engine, workspace_path, session, provider)


def open_own(
    workspace_path: Path, on_event: Callable[[EngineEvent], None]
) -> EngineSession:
    """Open a workspace that may be changed; nothing runs in it before `Engine.configure` named a model.

    Raises:
        WorkspaceError: The file cannot be used or may not be written.
    """
    from core.engine.run_config import RunConfig
    from core.method.parameters import MethodParameters
    from core.workspace import Workspace

    Workspace.open(workspace_path).close()
    used = RunConfig(
        _no_model, lambda: evaluator_for("local", "twin"), MethodParameters()
    )
    return open_run(workspace_path, used, on_event)


def _no_model() -> ModelProvider:
    raise SageError(
        "No model was chosen.", "Choose who writes the kernels with Queue → Set Up Run."
    )


def run_config(
    model: ModelChoice,
    parameters: MethodParameters,
    evaluator_factory: Callable[[], Evaluator],
    limits: Limits | None = None,
    frozen: Path | None = None,
) -> RunConfig:
    """What a live run works with; `frozen` is a memory it reads instead of the workspace's own."""
    from core.agent.prompt.round_prompt import ContextBuilder
    from core.agent.run.limits import Limits
    from core.engine.run_config import RunConfig
    from core.references.builtin import references_with

    return RunConfig(
        model.make,
        evaluator_factory,
        parameters,
        partial(hybrid_retriever, encoder=parameters.encoder),
        ContextBuilder(model.context_budget),
        limits or Limits(),
        frozen,
        references=lambda: references_with(user_folders()),
    )
