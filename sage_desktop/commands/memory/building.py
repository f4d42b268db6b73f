"""`sage memory cold-start | rewind`: experiences from operators no memory is evaluated on, in one batch."""

from __future__ import annotations

import asyncio
import queue as thread_queue
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from core.agent.loop.records import RoundEvaluated
from core.engine.events import EntryFinished, EntryStarted
from core.errors import SageError
from core.operators.catalogue import operator_names, resolve_operator
from core.workspace import Workspace
from sage_desktop.commands.memory.common import memory, tell_table
from sage_desktop.commands.run_progress import INCOMPLETE, INTERRUPTED, say, waiting
from sage_desktop.commands.shared_options import JUDGE, SERVER, together
from sage_desktop.services import wiring
from sage_desktop.services.host_choice import reach_hosts

if TYPE_CHECKING:
    from core.agent.learning.rewinding import Rewound
    from core.experiments.cold_start import Drafted, Source
    from sage_desktop.services.model_choice import ModelChoice

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_POLL_SECONDS = 0.2


_judge = together(
    click.option(
        "--workspace",
        "path",
        type=click.Path(path_type=Path, dir_okay=False),
        required=True,
        help="Workspace in which the drafts wait for a person; made when it is not there.",
    ),
    SERVER,
    JUDGE,
)


@memory.command("cold-start")
@click.argument("folder", type=_FOLDER)
@click.option(
    "--model", required=True, help="Who writes kernels and patterns, as for `sage run`."
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Rounds for each kernel.",
)
@_judge
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
    """Build the experiences a memory begins with, as the paper does, from the operators in FOLDER.

    Each is a folder with operator.toml, reference.py and an expert's project in `expert/`; operators of the
    catalogue are refused. The model writes a kernel with the three references; once one compiles it is
    compared with the expert's, and what the expert does besides is drafted. Run again, it goes on; what else
    the workspace has queued stays as it is.
    """
    from core.experiments import cold_start as batch

    sources = batch.read_sources(folder, operator_names())
    asyncio.run(reach_hosts(host, wiring.data_dir(), toolchain))
    choice = _model(model, endpoint, key_env)
    with Workspace.open(path) as workspace:
        batch.queue_sources(workspace, sources)
    events: thread_queue.SimpleQueue[Any] = thread_queue.SimpleQueue()
    config = wiring.run_config(
        choice,
        batch.parameters(rounds),
        lambda: wiring.evaluator_for(host, toolchain, soc),
    )
    session = wiring.open_run(
        path, replace(config, batch=batch.BATCH), events.put, provider=choice.label
    )
    try:
        session.engine.start()
        while not session.engine.wait_idle(_POLL_SECONDS):
            _tell(events)
    except KeyboardInterrupt:
        say("Interrupted; the same command goes on.")
        sys.exit(INTERRUPTED)
    finally:
        session.engine.stop()
        _tell(events)
    found = asyncio.run(_drafts(path, sources, choice))
    rows = [
        (one.operator, one.round or "-", len(one.uids), one.reason) for one in found
    ]
    tell_table(rows, ("operator", "compiled in round", "drafts", "note"))
    click.echo(
        f"Drafts wait in {path}: read them in the window, or `sage memory enable UID`.",
        err=True,
    )
    if any(not one.round for one in found):
        sys.exit(INCOMPLETE)


async def _drafts(
    path: Path, sources: tuple[Source, ...], choice: ModelChoice
) -> list[Drafted]:
    from core.experiments.cold_start import draft

    provider = choice.make()
    try:
        with Workspace.open(path) as workspace:
            return [await draft(workspace, source, provider) for source in sources]
    finally:
        await provider.close()


@memory.command()
@click.argument("operator")
@click.argument("kernel", type=_FOLDER)
@click.option(
    "--model",
    default="",
    help="Who says what to undo; empty: what can be recognised in the text.",
)
@click.option(
    "--steps",
    type=click.IntRange(1, 100),
    default=5,
    show_default=True,
    help="At most.",
)
@_judge
def rewind(
    operator: str,
    kernel: Path,
    model: str,
    steps: int,
    path: Path,
    endpoint: str,
    key_env: str,
    host: str,
    toolchain: str,
    soc: str,
) -> None:
    """Undo what makes the KERNEL (a project) of OPERATOR (a folder) good, step by step, and judge every step.

    Each step that makes it slower or wrong is drafted as a pair of a bad and a good kernel with what it was
    worth. Operators of the catalogue are refused: memories are evaluated on them.
    """
    from core.agent.learning.mining import refuse_evaluated
    from core.evaluation.candidate_folder import read_candidate_for

    spec = resolve_operator(operator)
    files = read_candidate_for(spec, kernel).files
    refuse_evaluated(spec.name, operator_names(), files)
    asyncio.run(reach_hosts(host, wiring.data_dir(), toolchain))
    choice = _model(model, endpoint, key_env) if model else None
    evaluator = wiring.evaluator_for(host, toolchain, soc)
    provider = choice.make() if choice else None

    async def work() -> list[tuple[Rewound, str]]:
        from core.agent.learning.mining_job import Mined, store_mined
        from core.agent.learning.rewinding import by_model, by_rule
        from core.agent.learning.rewinding import rewind as rewound
        from core.memory.store import MemoryStore

        worse = by_rule if provider is None else by_model(provider, spec)
        found = []
        try:
            with Workspace.open(path) as workspace:
                async for step in rewound(spec, files, evaluator, worse, steps):
                    drafts = Mined(
                        (step.pair,) if step.pair else (), "rewound, not reviewed"
                    )
                    uids = (
                        store_mined(MemoryStore(workspace), drafts) if step.pair else ()
                    )
                    found.append((step, "".join(uids)))
                    say(f"step {step.number}: {step.title}: {step.effect}")
        finally:
            await asyncio.gather(
                evaluator.close(),
                *([provider.close()] if provider else []),
                return_exceptions=True,
            )
        return found

    rows = [
        (step.number, uid or "-", step.title[:60], step.effect)
        for step, uid in asyncio.run(work())
    ]
    tell_table(rows, ("step", "draft", "undone", "effect"))


def _model(name: str, endpoint: str, key_env: str) -> ModelChoice:
    from sage_desktop.services.model_choice import choose_model

    found = choose_model(name, endpoint, key_env, on_question=waiting)
    if found.session is not None:
        raise SageError(
            "A recording holds no answers to this.", "Name a model or manual:FOLDER."
        )
    return found


def _tell(events: thread_queue.SimpleQueue[Any]) -> None:
    while not events.empty():
        match events.get():
            case EntryStarted() as event:
                say(f"{event.operator}{' goes on' if event.resumed else ''}")
            case RoundEvaluated() as event:
                say(
                    f"{event.operator} round {event.round}: {event.verdict.value}  {event.cause}".rstrip()
                )
            case EntryFinished() as event:
                say(f"{event.operator}: {event.reason or event.state}")
