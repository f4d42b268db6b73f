"""What a person chose for a run, and how an engine is equipped for it. Knows no window."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.agent.run.limits import Limits
from core.engine.beginning import begin_memory
from core.engine.demo import prepare_demo
from core.engine.run_config import RunConfig
from core.errors import SageError
from core.evaluation.port import Evaluator
from core.memory.frozen import frozen_memory, require_fit
from core.method.methods import with_frozen_memory
from core.method.parameters import MethodParameters
from core.models.endpoint import Endpoint
from core.models.manual import Desk, Manual
from core.models.openai_compatible import OnRetry
from core.replay.session_file import Session, SessionHeader, read_session
from core.workspace import Workspace
from sage_desktop.services import wiring
from sage_desktop.services.models.check import ANY
from sage_desktop.services.models.choice import (
    ACP,
    ModelChoice,
    agent_with_model,
    served_model,
)
from sage_desktop.services.wiring import DEFAULT_SOC, reach_hosts

logger = logging.getLogger("engine")

MANUAL = "manual"
PROFILE = "profile:"
REPLAY = "replay:"


@dataclass(frozen=True)
class RunSetup:
    """A choice of the run dialog.

    Attributes:
        model: `manual`, `profile:NAME`, `replay:FILE`, or `acp:COMMAND` for a coding agent.
        endpoint: The profile, also of an agent; None for `manual` and `replay`.
        hosts: Names as `--host` takes them, commas between.
        parameters: Of new trajectories; a replay brings its own.
        limits: What may be spent.
        soc: Processor the CPU twin models, except for tasks made of a profile.
        toolchain: One of `wiring.TOOLCHAINS`.
        frozen: A memory that is read in place of the workspace's own, and never written; None for that one.
        agent_reads: What a coding agent may read beside its program and the candidate's folder.
    """

    model: str
    endpoint: Endpoint | None
    hosts: str
    parameters: MethodParameters
    limits: Limits
    soc: str = DEFAULT_SOC
    toolchain: str = "twin"
    frozen: Path | None = None
    agent_reads: tuple[Path, ...] = ()

    @property
    def provider(self) -> str:
        """Name of the model, agent or recording, for the status bar."""
        if self.endpoint is not None and self.model.startswith(ACP):
            program = self.model.removeprefix(ACP).split()[0]
            return f"{Path(program).name} · {self.endpoint.model}"
        if self.endpoint is not None and self.endpoint.model == ANY:
            return self.model.removeprefix(PROFILE)
        if self.endpoint is not None:
            return self.endpoint.model
        return Path(self.model.removeprefix(REPLAY)).name


def profile_label(name: str, endpoint: Endpoint) -> str:
    """A profile with its model; by its name alone where the server is asked which it serves."""
    return name if endpoint.model == ANY else f"{name} · {endpoint.model}"


@dataclass(frozen=True)
class PreparedRun:
    """What an engine is to work with.

    Attributes:
        config: For `Engine.configure`.
        replayed: The session that is replayed, None for a live model.
    """

    config: RunConfig
    replayed: SessionHeader | None = None


def prepare(
    setup: RunSetup, workspace: Path, desk: Desk, on_retry: OnRetry | None = None
) -> PreparedRun:
    """Reach the hosts and ask the model once, then say what the engine is to work with. Blocks.

    Args:
        setup: The choice.
        workspace: A replay writes its bank and queue into it while it is empty; a model's own memory begins
            in it with the seed bank, which the log says.
        desk: Where prompts of the manual model are put.
        on_retry: Hears of repeated requests.

    Raises:
        SageError: Something chosen cannot be used, and why.
    """
    asyncio.run(reach_hosts(setup.hosts, wiring.data_dir(), setup.toolchain))
    # CANN builds for the processor it finds.
    soc = setup.soc if setup.toolchain == "twin" else ""
    judge = partial(wiring.evaluator_for, setup.hosts, setup.toolchain, usual=soc)
    with (
        frozen_memory(setup.frozen) as memory,
        Workspace.open_readonly(workspace) as opened,
    ):
        # Checked here before a model is asked, and once more by the engine.
        require_fit(opened, memory)
    if setup.model.startswith(REPLAY):
        session = read_session(Path(setup.model.removeprefix(REPLAY)).expanduser())
        return _replayed(session, workspace, judge)
    parameters = setup.parameters
    if setup.frozen is not None:
        parameters = with_frozen_memory(parameters)
    model = _model(setup, desk, on_retry)
    # Written only now: a model that does not answer leaves the workspace as it was.
    if setup.frozen is None:
        with Workspace.open(workspace) as opened:
            message = begin_memory(opened)
        if message:
            logger.info("%s", message)
    config = wiring.run_config(
        model.make,
        model.context_budget,
        parameters,
        judge,
        setup.limits,
        setup.frozen,
    )
    return PreparedRun(config)


def prepare_demonstration(workspace: Path) -> PreparedRun:
    """Prepare the demonstration to be played in its workspace, where another model was chosen since. Blocks.

    Raises:
        SageError: The workspace holds something else.
    """
    from core.engine.shipped import demonstration

    with Workspace.open_readonly(workspace) as opened:
        require_fit(opened, None)
    judge = partial(wiring.evaluator_for, "local", "twin")
    return _replayed(demonstration(), workspace, judge)


def _replayed(
    session: Session, workspace: Path, judge: partial[Evaluator]
) -> PreparedRun:
    """How a recording is played in `workspace`, into which its bank and queue are written while it is empty."""
    prepare_demo(workspace, session)
    # CANN headers that came since would refuse what the recording has passed.
    as_recorded = partial(judge, headers=False)
    return PreparedRun(wiring.replay_config(session, as_recorded), session.header)


def _model(setup: RunSetup, desk: Desk, on_retry: OnRetry | None) -> ModelChoice:
    """Who writes the kernels; a server or an agent is asked whether it is there.

    Raises:
        SageError: None was chosen, or it cannot be used.
    """
    if setup.model == MANUAL:
        return ModelChoice(lambda: Manual(desk), MANUAL)
    if setup.endpoint is None:
        raise SageError(
            "No model was chosen.", "Choose a profile, yourself, or a recorded session."
        )
    if setup.model.startswith(ACP):
        from core.harness.launch import find_agent

        agent = find_agent(setup.model.removeprefix(ACP), setup.agent_reads)
        return agent_with_model(agent, setup.endpoint, on_retry)
    return served_model(setup.endpoint, on_retry)
