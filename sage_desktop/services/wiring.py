"""Where the method meets the machines: builds engines from workspaces, providers and evaluators.

The only place in `sage_desktop` that makes anything of `remote`: evaluators, toolchains, the user's
hosts, the cells of agents. Qt-free; SSH and toolchains are imported on use.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import SageError
from sage_desktop.services.places import cache_dir as cache_dir  # noqa: PLC0414 - asked for here
from sage_desktop.services.places import data_dir as data_dir  # noqa: PLC0414

if TYPE_CHECKING:  # an evaluation needs no engine: what does imports it
    from core.agent.run.limits import Limits
    from core.engine.engine import Engine
    from core.engine.events import EngineEvent
    from core.engine.run_config import RunConfig
    from core.evaluation.port import Evaluator, Progress
    from core.exporters.kernel import ExportedKernel
    from core.memory.encoder import EncoderClient
    from core.memory.records import Retrieve
    from core.method.parameters import MethodParameters
    from core.models.port import ModelProvider
    from core.operators.spec import CaseShapes, OperatorSpec
    from core.references.folders import UserFolders
    from core.replay.session_file import Session
    from core.workspace import Workspace
    from remote.agents.confined import Cell
    from remote.calibration.folder import CalibrationFolder
    from remote.calibration.record import Calibration
    from remote.headers.kept import KeptHeaders
    from remote.hosts.registry import HostRegistry
    from remote.judge.building.processors import Processors
    from remote.judge.witness.header_set import HeaderSet
    from remote.toolchains.cann import CannToolchain
    from remote.toolchains.port import Toolchain
    from remote.toolchains.preflight.client import Preflight
    from remote.toolchains.twin import TwinToolchain

TOOLCHAINS = ("twin", "cann")
DEFAULT_SOC = "Ascend910B1"
SOC_HELP = (
    f"Processor: what the twin models (when left out that of the profile a task was made of, else {DEFAULT_SOC}), "
    "what CANN builds for (that of the host)."
)
# How long the first connection of a run is tried again: a restart of sshd, not of the host.
_FIRST_PATIENCE = 60.0
# How long a live run waits for search by meaning.
ENCODER_SECONDS = 30.0


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
    import subprocess

    import remote

    # The child must find the same sources, whether they are installed or a checkout.
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


def twin_evaluator(usual: str = "") -> Evaluator:
    """The CPU twin on this computer, and nothing before it; `usual` as for `evaluator_for`."""
    return evaluator_on(("local",), toolchain_named("twin", cache_dir(), usual=usual))


def evaluator_for(
    host: str,
    toolchain: str,
    soc: str = "",
    *,
    usual: str = "",
    run_big: bool = False,
    cold: bool = False,
    schedules: int | None = None,
    lint: Preflight | None = None,
    headers: bool = True,
) -> Evaluator:
    """The evaluator for a host and toolchain as named on the command line.

    It stands behind the integrity rules: no candidate is compiled, timed or credited before them. The twin of one
    host takes the constants of its calibration; several that share the work must agree, so they take the shipped.

    Args:
        host: `local`, or names of the user's SSH configuration.
        toolchain: One of `TOOLCHAINS`.
        soc: Processor that the twin models, or that CANN builds for. Empty: the twin models that of its profile
            for a task made of one, and the usual one for all others; CANN asks the host.
        usual: The usual one.
        run_big: Whether the twin runs the cases marked as too large for it; a device always does.
        cold: Whether the twin models the first launch, with nothing in L2.
        schedules: Other orders of cores and pipes the twin runs every case in; None leaves it to the kernel.
        lint: The caller's, who ends its process; None for one that ends with the evaluator.
        headers: Whether candidates of the twin are checked against the CANN headers the user added.

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
    # Hosts that share the work must give the same latency for the same kernel.
    calibration = None
    if len(names) == 1:
        calibration = calibrations().of(names[0])
    judge_toolchain = toolchain_named(
        toolchain,
        cache_dir(),
        soc,
        usual=usual,
        run_big=run_big,
        cold=cold,
        schedules=schedules,
        calibration=calibration,
        headers_dir=kept_headers().checked if headers else None,
    )
    evaluator = evaluator_on(names, judge_toolchain)
    rules = load_rules(integrity_file())
    # A lint of the caller's is not closed with the evaluator.
    is_lent = lint is not None
    preflighted = Preflighted(evaluator, lint or language_lint(), rules, lent=is_lent)
    return Guarded(preflighted, rules)


def language_lint() -> Preflight:
    """What finds, on this computer and before anything is sent, what the device's compiler refuses."""
    from remote.toolchains.preflight.client import Preflight

    return Preflight(twin_dir(), cache_dir() / "preflight")


def host_names(host: str) -> tuple[str, ...]:
    """Names in a `--host` option: `local`, hosts of the user's SSH configuration, commas between them."""
    names = [name.strip() for name in host.split(",")]
    return tuple(name for name in names if name)


def evaluator_on(names: tuple[str, ...], toolchain: Toolchain) -> Evaluator:
    """A toolchain on one host, or on several that share the work.

    Args:
        names: As `host_names` gives them, at least one.
        toolchain: How they judge.
    """
    from remote.evaluator import HostEvaluator
    from remote.hosts import LocalHost

    if names == ("local",) and toolchain.name == "twin":
        return HostEvaluator(LocalHost(), toolchain)
    from remote.pool import PoolEvaluator

    hosts = registry(data_dir())
    evaluators = []
    for name in names:
        host = LocalHost() if name == "local" else hosts.host(name)
        versions = hosts.versions(name)
        evaluators.append(HostEvaluator(host, toolchain, versions=versions))
    if len(evaluators) == 1:
        return evaluators[0]
    return PoolEvaluator(evaluators, on_loads=hosts.note_loads)


def toolchain_named(
    name: str,
    cache_dir: Path,
    soc: str = "",
    *,
    usual: str = "",
    run_big: bool = False,
    cold: bool = False,
    schedules: int | None = None,
    calibration: Calibration | None = None,
    headers_dir: Path | None = None,
) -> Toolchain:
    """The toolchain a person names, one of `TOOLCHAINS`; arguments as for `evaluator_for`.

    With a `calibration` the twin models the part it was made on with its constants, unless `soc` or `usual`
    names another. Without a `soc` it models another processor for a task made of a profile of it.

    Raises:
        SageError: There is none of that name, or no such processor.
    """
    if name not in TOOLCHAINS:
        raise SageError(
            "There is no toolchain called {name!r}.",
            "Use one of {known}.",
            name=name,
            known=", ".join(TOOLCHAINS),
        )
    if name == "twin":
        from remote.evaluator import twin_toolchain

        # Constants of an older time model would mix two models.
        current = calibration if calibration and calibration.is_current else None

        def of_processor(name: str) -> TwinToolchain:
            twin = twin_toolchain(
                cache_dir,
                name,
                run_big=run_big,
                cold=cold,
                schedules=schedules,
                headers_dir=headers_dir,
            )
            if current is None or name != current.part:
                return twin
            return calibrated_twin(twin, current)

        measured = current.part if current else DEFAULT_SOC
        twin = of_processor(soc or usual or measured)
        return twin if soc else replace(twin, of_processor=of_processor)
    return cann_toolchain(cache_dir, soc)


def calibrated_twin(twin: TwinToolchain, calibration: Calibration) -> TwinToolchain:
    """The twin of the part of a calibration, with its constants."""
    return replace(
        twin,
        constants=calibration.values,
        ranges=calibration.ranges,
        calibrated=calibration.label,
    )


def kept_headers() -> KeptHeaders:
    """The headers of CANN that the user added."""
    from remote.headers.kept import KeptHeaders

    return KeptHeaders(data_dir() / "headers")


def headers_fault(headers: HeaderSet) -> str:
    """Why judges of this computer cannot use a header set; empty where they can. Precompiles it: seconds."""
    from remote.judge.faults import EnvironmentFault
    from remote.judge.processes.children import ChildGroup
    from remote.judge.sandbox import Sandbox
    from remote.judge.witness.check import Witness

    try:
        witness = Witness.of(Sandbox.within(cache_dir().resolve()))
        return witness.prepare(headers, ChildGroup("headers"))
    except EnvironmentFault as fault:
        return str(fault)


def processor_table() -> Processors:
    """The processors the twin has numbers of."""
    from remote.judge.building.processors import processors

    return processors(twin_dir() / "processors.toml")


def calibrations() -> CalibrationFolder:
    """What was measured on the user's own cards, by host."""
    from remote.calibration.folder import CalibrationFolder

    names = next(iter(processor_table().modelled.values())).constants
    return CalibrationFolder(data_dir() / "calibrations", frozenset(names))


async def calibrate_host(name: str, soc: str, progress: Progress) -> Calibration:
    """Measure micro kernels with CANN on a host and fit its twin's constants; keeps nothing.

    Args:
        name: The host.
        soc: Its processor; empty to ask it.
        progress: Hears what is being done.

    Raises:
        SageError: The host failed, or its processor is not modelled.
    """
    from remote.calibration.calibrate import calibrate
    from remote.evaluator import HostEvaluator, twin_toolchain
    from remote.hosts import LocalHost

    await reach_hosts(name, data_dir(), "cann")
    device = evaluator_on((name,), cann_toolchain(cache_dir(), soc))
    near = LocalHost(1)

    def twin_of(part: str, constants: Mapping[str, float]) -> Evaluator:
        twin = twin_toolchain(cache_dir(), part, schedules=0)
        return HostEvaluator(near, replace(twin, fast=True, constants=constants))

    try:
        return await calibrate(name, device, twin_of, processor_table(), progress)
    finally:
        await device.close()
        await near.close()


def cann_toolchain(cache_dir: Path, soc: str) -> CannToolchain:
    """CANN as it is installed on the host; `soc` names the host's processor, empty to ask the host.

    Raises:
        InvalidInput: No processor is called so.
    """
    from remote.hosts.soc import soc_named
    from remote.toolchains.cann import CannToolchain

    name = soc_named(soc).name if soc else ""
    unconfined = os.environ.get("SAGE_ALLOW_UNCONFINED") == "1"
    return CannToolchain(
        cache_dir.resolve(),
        name,
        allow_unconfined=unconfined,
    )


def package_project(
    kernels: Sequence[ExportedKernel], vendor: str, soc: str
) -> dict[str, str]:
    """Kernels as a package that CANN builds, see `remote.toolchains.cann.exported`."""
    from remote.toolchains.cann import exported

    return exported.package_project(kernels, vendor, soc)


def tools_of(toolchain: str) -> dict[str, str]:
    """The diagnostics of one of `TOOLCHAINS`: name -> what it shows. Asks no host."""
    tools = toolchain_named(toolchain, Path()).diagnostics
    return {name: tool.what for name, tool in tools.items() if tool.offered}


@cache
def registry(data_dir: Path) -> HostRegistry:
    """The user's hosts; one object, so that what a person typed serves every connection.

    Questions are put at the terminal; a window sets `ssh.ask`.
    """
    from remote.hosts.registry import HostRegistry
    from sage_desktop.services.terminal_questions import ask_at_terminal

    return HostRegistry(data_dir, ask_at_terminal)


async def reach_hosts(host: str, data_dir: Path, toolchain: str) -> None:
    """Connect to every far host of a `--host` option once, so that a fault shows before any work begins.

    A host that will build with CANN and was never looked at is: memory is searched with its version.

    Raises:
        SageError: One cannot be reached, or the person must act first.
    """
    from remote.hosts.doctor import examine

    for name in host_names(host):
        if name != "local":
            far_host = registry(data_dir).host(name)
            try:
                await far_host.connect(_FIRST_PATIENCE)
                if toolchain != "twin" and not far_host.versions.cann:
                    await examine(far_host, {})
            finally:
                await far_host.close()


def agent_cell() -> Cell:
    """What confines a coding agent on this computer."""
    from remote.agents.confined import Cell

    return Cell(cache_dir())


def started_encoder(name: str) -> EncoderClient | None:
    """The text encoder, its process on the way: it takes seconds. None where none is asked for.

    Args:
        name: As in `MethodParameters`.
    """
    from core.memory.encoder import EncoderClient
    from core.method.parameters import NO_ENCODER

    if name == NO_ENCODER:
        return None
    client = EncoderClient(name)
    client.start()
    return client


def hybrid_retriever(
    workspace: Workspace, encoder: str, client: EncoderClient | None = None
) -> Retrieve:
    """Search by words and by meaning.

    The first query waits for the encoder process, so that results do not depend on how fast it starts. The
    process ends by itself when it is idle or its owner is gone.

    Args:
        workspace: The memory.
        encoder: As in `MethodParameters`.
        client: One that was started already.
    """
    from core.engine.run_config import sparse_retriever
    from core.method.parameters import NO_ENCODER

    if encoder == NO_ENCODER:
        return sparse_retriever(workspace)
    from core.memory.encoder import EncoderClient
    from core.memory.retrieval.retriever import HybridRetriever

    client = client or EncoderClient(encoder)
    return HybridRetriever(workspace, client, wait_seconds=ENCODER_SECONDS)


@asynccontextmanager
async def judge(
    host: str = "local",
    toolchain: str = "twin",
    soc: str = "",
    *,
    usual: str = "",
    run_big: bool = False,
    cold: bool = False,
    schedules: int | None = None,
    lint: Preflight | None = None,
) -> AsyncIterator[Evaluator]:
    """`evaluator_for` these, closed at the end."""
    evaluator = evaluator_for(
        host,
        toolchain,
        soc,
        usual=usual,
        run_big=run_big,
        cold=cold,
        schedules=schedules,
        lint=lint,
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
        provider: The live model or person who writes; empty while none is chosen.
        queued_again: Operators that failed for no fault of their own and wait again.
    """

    engine: Engine
    workspace_path: Path
    session: Session | None = None
    provider: str = ""
    queued_again: tuple[str, ...] = ()


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

    queued_again = prepare_demo(workspace_path, session)
    judge = partial(evaluator_for, host, "twin", headers=False)
    config = replay_config(session, judge)
    opened = open_run(workspace_path, config, on_event, session)
    return replace(opened, queued_again=queued_again)


def replay_config(
    session: Session,
    evaluator: Callable[[], Evaluator],
    parameters: MethodParameters | None = None,
) -> RunConfig:
    """How a recording is played, with the parameters it was made with unless others are given.

    `evaluator` makes a judge as it was recorded: one that asks no CANN headers, which may have come since.
    """
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
    model: Callable[[], ModelProvider],
    context_budget: int,
    parameters: MethodParameters,
    evaluator_factory: Callable[[], Evaluator],
    limits: Limits | None = None,
    frozen: Path | None = None,
    encoder: EncoderClient | None = None,
) -> RunConfig:
    """What a live run works with.

    Args:
        model: Makes who writes the kernels.
        context_budget: Tokens a prompt may have.
        parameters: Of new trajectories.
        evaluator_factory: Makes who judges them.
        limits: What may be spent.
        frozen: A memory that is read instead of the workspace's own.
        encoder: Of `started_encoder`; None: it starts with the run.
    """
    from core.agent.prompt.round_prompt import ContextBuilder
    from core.agent.run.limits import Limits
    from core.engine.run_config import RunConfig
    from core.references.builtin import references_with

    return RunConfig(
        model,
        evaluator_factory,
        parameters,
        partial(hybrid_retriever, encoder=parameters.encoder, client=encoder),
        ContextBuilder(context_budget),
        limits or Limits(),
        frozen,
        references=lambda: references_with(user_folders()),
        shape_cases=_cases_of,
    )


def _cases_of(operator: OperatorSpec) -> Sequence[CaseShapes]:
    """What the code of an imported task makes of its cases, asked in a process of its own."""
    from remote.operator_check import case_shapes

    return case_shapes([operator], cache_dir())[0]
