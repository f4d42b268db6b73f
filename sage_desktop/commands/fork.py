"""`sage fork`: edit the kernel of a round, have it judged, continue from it or keep what it teaches."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.agent.run.journal import Journal
from core.analysis.queries import trajectories
from core.errors import SageError
from core.evaluation.records import origin_words
from core.same_fields import record_of
from core.whole_file import write_files
from core.workspace import Workspace
from sage_desktop.commands.memory.common import WORKSPACE, reader, writer
from sage_desktop.commands.shared_options import JUDGE
from sage_desktop.services import wiring

if TYPE_CHECKING:
    from core.agent.run.records import StoredRound
    from core.evaluation.records import Candidate, Evaluation
    from core.operators.spec import OperatorSpec

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("operator")
@WORKSPACE
@click.option(
    "--trajectory",
    default="",
    metavar="UID",
    help="Which run of it; by default the latest.",
)
@click.option(
    "--round",
    "number",
    type=click.IntRange(1),
    help="Which round; by default the best one.",
)
@click.option(
    "--into",
    type=_FOLDER,
    help="Write the kernel of the round there, to be edited; a new folder.",
)
@click.option("--version", type=_FOLDER, help="The folder with your version of it.")
@click.option(
    "--note", default="", help="What you changed and why; the model reads it."
)
@click.option(
    "--rounds",
    type=click.IntRange(0),
    default=0,
    help="Rounds the model may play after it.",
)
@click.option("--check", is_flag=True, help="Only judge the version; keep nothing.")
@click.option(
    "--lesson",
    is_flag=True,
    help="Keep what the version teaches as an experience; no fork.",
)
@JUDGE
def fork(
    operator: str,
    path: Path | None,
    trajectory: str,
    number: int | None,
    into: Path | None,
    version: Path | None,
    note: str,
    rounds: int,
    check: bool,
    lesson: bool,
    host: str,
    toolchain: str,
    soc: str,
) -> None:
    """Continue OPERATOR from your own version of a round's kernel.

    --into FOLDER writes the kernel out; edit it there; --version FOLDER has it judged and queues a run that
    continues from it: `sage run` on the same workspace takes it up. That run earns no credit and is in no
    metric; the one it came from stays as it is. Exit code 0 when your version is correct, 1 when it is not.
    """
    if (into is None) == (version is None):
        raise click.UsageError(
            "Name --into FOLDER to begin with, or --version FOLDER when it is edited."
        )
    if check and lesson:
        raise click.UsageError(
            "--check keeps nothing and --lesson keeps an experience: leave one out."
        )
    with reader(path) as workspace:
        uid, stored = _round(workspace, operator, trajectory, number)
        spec, before = _kernel(workspace, operator, stored)
        found_at = workspace.path
    if into is not None:
        _write_out(before, into, stored.round)
        return
    assert version is not None
    from core.evaluation.candidate_folder import read_candidate_for

    edited = read_candidate_for(spec, version)
    evaluation = asyncio.run(_judged(spec, edited, host, toolchain, soc))
    click.echo(_beside(stored, evaluation))
    if lesson:
        _keep_lesson(found_at, spec, stored, (before, edited), evaluation, note)
    elif not check:
        _begin(found_at, uid, stored.round, edited, note, rounds)
    raise SystemExit(0 if evaluation.correct else 1)


def _round(
    workspace: Workspace, operator: str, trajectory: str, number: int | None
) -> tuple[str, StoredRound]:
    """The trajectory and the round to begin with, by default the best one.

    Raises:
        SageError: There is no such run, or the round was not evaluated.
    """
    runs = trajectories(workspace.db, operator)
    matching = [run for run in runs if trajectory in ("", run.uid)]
    if not matching:
        what = trajectory or operator
        raise SageError(
            "No run of {what} is in this workspace.", "Run it first.", what=what
        )
    run = matching[0]
    rounds = {
        entry.round: entry
        for entry in Journal(workspace).rounds(run.uid)
        if entry.has_verdict
    }
    last = max(rounds, default=0)
    round_number = number or run.best_round or last
    if round_number not in rounds:
        raise SageError(
            "Round {round} of {operator} was not evaluated.",
            "Evaluated rounds: {known}.",
            round=round_number,
            operator=operator,
            known=", ".join(map(str, rounds)) or "none",
        )
    return run.uid, rounds[round_number]


def _kernel(
    workspace: Workspace, name: str, stored: StoredRound
) -> tuple[OperatorSpec, Candidate]:
    """The operator with the inputs its rounds were judged with, and the kernel of the round."""
    from core.engine.queue import operators_of

    operator = operators_of(workspace)(name)
    return operator, Journal(workspace).candidate(stored.candidate)


def _write_out(kernel: Candidate, folder: Path, number: int) -> None:
    write_files(kernel.files, folder)
    click.echo(
        f"The kernel of round {number} is in {folder}. Edit it, then: sage fork … --version {folder}"
    )


async def _judged(
    operator: OperatorSpec, candidate: Candidate, host: str, toolchain: str, soc: str
) -> Evaluation:
    async with wiring.judge(host, toolchain, soc) as evaluator:
        return await evaluator.evaluate(
            operator, candidate, lambda text: click.echo(text, err=True)
        )


def _beside(stored: StoredRound, evaluation: Evaluation) -> str:
    """Both verdicts in two lines."""

    def line(verdict: str, cause: str, us: float | None, origin: str) -> str:
        words = verdict
        if us is not None:
            words += f", {us:.2f} us {origin_words(origin)}"
        if cause:
            words += f": {cause}"
        return words

    before = line(
        stored.verdict, stored.cause, stored.latency_us, stored.latency_origin
    )
    latency = evaluation.latency
    us, origin = (latency.value, latency.stored_origin) if latency else (None, "")
    after = line(evaluation.verdict.value, evaluation.cause, us, origin)
    return f"round {stored.round}: {before}\nyours:   {after}"


def _keep_lesson(
    path: Path,
    operator: OperatorSpec,
    stored: StoredRound,
    kernels: tuple[Candidate, Candidate],
    evaluation: Evaluation,
    note: str,
) -> None:
    from core.agent.learning.distillation import Attempt
    from core.agent.learning.lesson import keep_lesson, lesson_of

    before = record_of(Attempt, stored, diagnosis="", files=kernels[0].files)
    experience = lesson_of(operator, before, kernels[1].files, evaluation, note)
    with writer(path) as workspace:
        uid = keep_lesson(workspace, experience, note)
    click.echo(f"kept as {uid}: {experience.title}")


def _begin(
    path: Path, uid: str, number: int, edited: Candidate, note: str, rounds: int
) -> None:
    from core.engine import forking

    with writer(path) as workspace:
        fork = forking.fork(workspace, uid, number, edited.files, note, rounds)
    click.echo(
        f"{fork.trajectory} goes on from your version, round {fork.round}; it is the next in the queue:\n"
        f"  sage run --workspace {path} --model …\n"
        "It earns no credit and is in no metric."
    )
