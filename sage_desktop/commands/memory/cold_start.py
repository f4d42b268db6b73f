"""`sage memory cold-start`: experiences from operators outside the evaluation."""

from __future__ import annotations

import asyncio
import queue as thread_queue
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from core.agent.run.records import RoundEvaluated
from core.engine.events import EntryFinished, EntryStarted
from core.errors import SageError
from core.operators.catalogue import operator_names
from core.workspace import Workspace
from sage_desktop.commands.memory.common import memory, tell_table
from sage_desktop.commands.run_progress import INCOMPLETE, INTERRUPTED, say, waiting
from sage_desktop.commands.shared_options import JUDGE, SERVER
from sage_desktop.services import wiring
from sage_desktop.services.wiring import reach_hosts

if TYPE_CHECKING:
    from core.engine.run_config import RunConfig
    from core.experiments.running.cold_start import Drafted, Source
    from sage_desktop.services.models.choice import ModelChoice

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_POLL_SECONDS = 0.2


@memory.command("cold-start")
@click.argument("folder", type=_FOLDER)
@click.option(
    "--model",
    default="",
    help="Who writes kernels and patterns, as for `sage run`; may be left out when every operator has a "
    "`candidate`: then the drafts are a plain comparison.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Rounds for each kernel.",
)
@click.option(
    "--workspace",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="Workspace in which the drafts wait for a person; made when it is not there.",
)
@SERVER
@JUDGE
def cold_start(
    folder: Path,
    model: str,
    rounds: int,
    path: Path,
    endpoint: str,
    key_env: str,
    host: str,
    toolchain: str,
    soc: str,
) -> None:
    """Build the experiences a memory begins with from the operators in FOLDER.

    Each is a folder with operator.toml, reference.py and an expert's project in
    `expert/`; operators of the catalogue are refused. The model writes a kernel with
    the three references; once one compiles it is compared with the expert's, and what
    the expert does besides is drafted. A kernel that is there in `candidate/` is
    compared as it is. Run again, the command continues; what else the workspace has
    queued stays as it is.
    """
    from core.experiments.running import cold_start as batch

    sources = batch.read_sources(folder, operator_names())
    writes = [one.operator.name for one in sources if one.candidate is None]
    if writes and not model:
        raise click.UsageError(f"Name a --model: {writes[0]} has no candidate.")
    choice = _model(model, endpoint, key_env) if model else None
    with Workspace.open(path) as workspace:
        batch.queue_sources(workspace, sources)
    if writes and choice is not None:
        asyncio.run(reach_hosts(host, wiring.data_dir(), toolchain))
        config = wiring.run_config(
            choice.make,
            choice.context_budget,
            batch.parameters(rounds),
            lambda: wiring.evaluator_for(host, toolchain, soc),
        )
        _generate(path, replace(config, batch=batch.BATCH), choice.label)
    drafted = asyncio.run(_drafts(path, sources, choice))
    rows = [
        (one.operator, one.round or "-", len(one.uids), one.reason) for one in drafted
    ]
    tell_table(rows, ("operator", "compiled in round", "drafts", "note"))
    click.echo(
        f"Drafts wait in {path}: read them in the window, or `sage memory accept UID`.",
        err=True,
    )
    if not all(one.compared for one in drafted):
        sys.exit(INCOMPLETE)


def _generate(path: Path, config: RunConfig, provider: str) -> None:
    """Have the model write kernels for the operators of the batch."""
    events: thread_queue.SimpleQueue[Any] = thread_queue.SimpleQueue()
    session = wiring.open_run(path, config, events.put, provider=provider)
    try:
        session.engine.start()
        while not session.engine.wait_idle(_POLL_SECONDS):
            _tell(events)
    except KeyboardInterrupt:
        say("Interrupted; the same command continues.")
        sys.exit(INTERRUPTED)
    finally:
        session.engine.stop()
        _tell(events)


async def _drafts(
    path: Path, sources: tuple[Source, ...], choice: ModelChoice | None
) -> list[Drafted]:
    from core.experiments.running import cold_start as batch

    provider = choice.make() if choice is not None else None
    try:
        with Workspace.open(path) as workspace:
            return [
                await batch.draft(workspace, source, provider) for source in sources
            ]
    finally:
        if provider is not None:
            await provider.close()


def _model(name: str, endpoint: str, key_env: str) -> ModelChoice:
    from sage_desktop.services.models.choice import choose_model

    choice = choose_model(name, endpoint, key_env, on_question=waiting)
    if choice.session is not None:
        raise SageError(
            "A recording holds no answers to this.", "Name a model or manual:FOLDER."
        )
    return choice


def _tell(events: thread_queue.SimpleQueue[Any]) -> None:
    while not events.empty():
        match events.get():
            case EntryStarted() as event:
                say(f"{event.operator}{' continues' if event.resumed else ''}")
            case RoundEvaluated() as event:
                say(
                    f"{event.operator} round {event.round}: {event.verdict.value}  {event.cause}".rstrip()
                )
            case EntryFinished() as event:
                say(f"{event.operator}: {event.reason or event.state}")
