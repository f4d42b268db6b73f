"""`sage run`: work through a queue without a window, with a progress bar and a result table."""

from __future__ import annotations

import asyncio
import json
import queue as thread_queue
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from tabulate import tabulate
from tqdm import tqdm

from core.agent.limits import Limits
from core.agent.records import DiagnosticMade, ModelCalled
from core.engine import queue
from core.engine.demo import experience_of, run_summary
from core.engine.events import (
    EngineEvent,
    EngineFault,
    EngineState,
    EngineStateChanged,
    EntryFinished,
    EntryStarted,
    EpisodeApplied,
    RoundEvaluated,
)
from core.errors import SageError
from core.evaluation.port import Evaluator
from core.experiments.methods import METHODS, method
from core.memory.parameters import MethodParameters
from core.memory.records import Origin
from core.memory.store import MemoryStore
from core.models.session_file import read_session
from core.operators.catalogue import CATALOGUE, catalogue_operator, operator_names, resolve_operator
from core.workspace import Workspace
from sage_desktop.host_choice import DEFAULT_SOC, SOC_HELP, TOOLCHAINS, reach_hosts
from sage_desktop.model_choice import choose_model

if TYPE_CHECKING:
    from sage_desktop.wiring import EngineSession

SUCCESS, INCOMPLETE, FAULT, INTERRUPTED = 0, 1, 3, 130


_OPERATORS_HELP = "Names, folders, level:1 … level:3 or all; separated by commas."
_MODEL_HELP = "Model name (with --endpoint), manual:FOLDER, or replay:SESSION.jsonl."


@click.command()
@click.option("--demo", is_flag=True, help="Run the scripted demonstration: no model and no NPU are used.")
@click.option("--operators", default="", metavar="LIST", help=_OPERATORS_HELP)
@click.option("--again", is_flag=True, help="Also run operators that were run in this workspace before.")
@click.option("--model", default="", metavar="MODEL", help=_MODEL_HELP)
@click.option("--endpoint", default="", help="Base URL of an OpenAI-compatible server; or SAGE_ENDPOINT.")
@click.option("--key-env", default="SAGE_API_KEY", show_default=True, help="Variable or keyring entry.")
@click.option("--host", default="local", show_default=True, help="Where to compile and run.")
@click.option("--toolchain", type=click.Choice(TOOLCHAINS), default="twin", show_default=True)
@click.option("--soc", default=DEFAULT_SOC, show_default=True, help=SOC_HELP)
@click.option("--method", "method_name", default="sage", show_default=True, help=", ".join(METHODS))
@click.option(
    "--rounds", type=click.IntRange(1, 10_000), default=30, show_default=True, help="T per operator."
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Operators at a time."
)
@click.option(
    "--patience", type=click.IntRange(0), default=0, help="Optimization rounds without gain; 0: all."
)
@click.option(
    "--diagnostics", type=click.IntRange(0, 1_000), default=10, show_default=True,
    help="Diagnostics the model may ask for per operator; they cost no round.",
)  # fmt: skip
@click.option("--max-tokens", type=click.IntRange(0), default=0, help="Tokens per operator; 0: no limit.")
@click.option("--max-minutes", type=click.FloatRange(0), default=0.0, help="Minutes per operator.")
@click.option("--max-cost", type=click.FloatRange(0), default=0.0, help="Price per operator, see --prices.")
@click.option("--max-run-tokens", type=click.IntRange(0), default=0, help="Tokens of the whole run.")
@click.option("--max-run-minutes", type=click.FloatRange(0), default=0.0, help="Minutes of the whole run.")
@click.option("--max-run-cost", type=click.FloatRange(0), default=0.0, help="Price of the whole run.")
@click.option("--prices", type=(float, float, float), default=(0.0, 0.0, 0.0), metavar="IN CACHED OUT",
              help="Prices per million prompt, cached prompt and reply tokens.")  # fmt: skip
@click.option("--bank", help="Experiences of a new workspace: a session file, or `demo`.")
@click.option(
    "--workspace",
    "workspace_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Workspace file; one in the user's data folder by default.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON on standard output.")
def run(demo: bool, workspace_path: Path | None, as_json: bool, **chosen: Any) -> None:
    """Run operators, or the queue as it is, to the end; interrupted work continues where it was.

    Exit code 0: every operator has a correct kernel. 1: some have not. 3: an internal fault.
    130: interrupted.
    """
    from sage_desktop import wiring

    plan = RunPlan(**chosen)
    asyncio.run(reach_hosts(plan.host, wiring.data_dir()))
    if demo:
        path = workspace_path or wiring.default_workspace()
        follow(lambda on_event: wiring.open_demo(path, on_event, plan.host), as_json=as_json)
    model = choose_model(plan.model, plan.endpoint, plan.key_env, _retrying, _waiting)
    path = workspace_path or wiring.data_dir() / "workspace.sage"
    if model.session is not None:
        session = model.session
        follow(lambda on_event: wiring.open_replay(path, session, on_event, plan.host), as_json=as_json)
    parameters, limits = plan.parameters(), plan.limits()
    plan.evaluator()
    plan.prepare(path)
    follow(
        lambda on_event: wiring.open_run(path, model, parameters, plan.evaluator, on_event, limits),
        as_json=as_json,
    )


@dataclass(frozen=True)
class RunPlan:
    """What was asked for on the command line."""

    operators: str
    again: bool
    model: str
    endpoint: str
    key_env: str
    host: str
    toolchain: str
    soc: str
    method_name: str
    rounds: int
    workers: int
    bank: str | None
    patience: int
    diagnostics: int
    max_tokens: int
    max_minutes: float
    max_cost: float
    max_run_tokens: int
    max_run_minutes: float
    max_run_cost: float
    prices: tuple[float, float, float]

    def limits(self) -> Limits:
        """What may be spent.

        Raises:
            InvalidInput: A cost without prices.
        """
        return Limits(
            self.max_tokens,
            self.max_minutes * 60,
            self.max_cost,
            self.max_run_tokens,
            self.max_run_minutes * 60,
            self.max_run_cost,
            *self.prices,
        )

    def evaluator(self) -> Evaluator:
        """Host and toolchain.

        Raises:
            SageError: One of them is not known.
        """
        from sage_desktop import wiring

        return wiring.evaluator_for(self.host, self.toolchain, self.soc)

    def parameters(self) -> MethodParameters:
        """Method parameters of new trajectories."""
        stream = "free" if self.workers > 1 else "sequential"
        return method(self.method_name).parameters(
            MethodParameters(
                T=self.rounds,
                workers=self.workers,
                stream=stream,
                patience=self.patience,
                diagnostics=self.diagnostics,
            )
        )

    def prepare(self, path: Path) -> None:
        """Write the bank of a new workspace, queue what is not there, and let what failed go on.

        Raises:
            SageError: An operator or bank is not there, or nothing is left to be done.
        """
        wanted = [
            spec for text in self.operators.split(",") if text.strip() for spec in chosen_operators(text)
        ]
        with Workspace.open(path) as workspace:
            self._fill_memory(workspace)
            for source, name in wanted:
                known = workspace.db.execute(
                    "SELECT id, state FROM queue_entry WHERE operator = ? AND source = ? ORDER BY id DESC",
                    (name, source),
                ).fetchone()
                if known is None or (self.again and known["state"] not in {"queued", "running"}):
                    queue.enqueue(workspace, name, source)
            for row in workspace.db.execute(_RESUMABLE).fetchall():
                queue.retry(workspace, row[0])
            if not queue.waiting(workspace):
                raise SageError(
                    f"Nothing is left to be done in {path}.",
                    "Name operators with --operators, or use --again.",
                )

    def _fill_memory(self, workspace: Workspace) -> None:
        if self.bank is None:
            return
        from sage_desktop.wiring import demo_session

        session = demo_session() if self.bank == "demo" else read_session(Path(self.bank))
        if workspace.db.execute("SELECT 1 FROM trajectory LIMIT 1").fetchone():
            return  # the bank is what a workspace begins with
        store = MemoryStore(workspace)
        with workspace.transaction():
            for item in session.items:
                reason = f"bank {session.header.title}"
                store.add_item(experience_of(item), origin=Origin.SEED, uid=item.uid, reason=reason)


_RESUMABLE = (
    "SELECT q.id FROM queue_entry q JOIN trajectory t ON t.uid = q.trajectory_uid "
    "WHERE q.state = 'failed' AND t.state = 'open' ORDER BY q.position, q.id"
)


def chosen_operators(text: str) -> list[tuple[str, str]]:
    """(source, name) of `all`, `level:N`, a catalogue name or an operator folder.

    Raises:
        SageError: There is no such operator.
    """
    text = text.strip()
    if text == "all" or text.startswith("level:"):
        found = [(CATALOGUE, name) for name in operator_names()]
        if text != "all":
            level = text.removeprefix("level:")
            found = [pair for pair in found if str(catalogue_operator(pair[1]).level) == level]
        if not found:
            raise SageError(f"The catalogue has no operator of {text}.", "Levels are 1, 2 and 3.")
        return found
    spec = resolve_operator(text)
    folder = Path(text).expanduser()
    return [(str(folder.resolve()) if folder.is_dir() else CATALOGUE, spec.name)]


def follow(
    open_session: Callable[[Callable[[EngineEvent], None]], EngineSession], *, as_json: bool
) -> NoReturn:
    """Run the queue of a session, print its results, and end the program with the exit code of `sage run`."""
    events: thread_queue.SimpleQueue[EngineEvent] = thread_queue.SimpleQueue()
    session = open_session(events.put)
    path = session.workspace_path
    if session.session is not None:
        header = session.session.header
        _say(f"{header.title}: {header.origin} replies, no model is running.")
    else:
        _say(f"Kernels are written by: {session.provider}")
    _say(f"workspace {path}")
    with Workspace.open_readonly(path) as workspace:
        entries = queue.waiting(workspace)
    outcome = _Outcome()
    try:
        session.engine.start()
        _follow(events, entries, outcome)
    except KeyboardInterrupt:
        _say("Interrupted; the same command continues here.")
        outcome.exit_code = INTERRUPTED
    finally:
        session.engine.stop()
    with Workspace.open_readonly(path) as workspace:
        summary = run_summary(workspace)
        table = "" if as_json else _table(summary, _promoted_items(workspace))
    click.echo(json.dumps(summary, indent=2) if as_json else table)
    if outcome.exit_code == SUCCESS and not all(row["correct"] for row in summary["operators"]):
        outcome.exit_code = INCOMPLETE
    raise SystemExit(outcome.exit_code)


def _retrying(what: str, seconds: float) -> None:
    _say(f"{what} Waiting {seconds:.0f} s.")


def _waiting(prompt: Path) -> None:
    _say(f"waiting for a reply to {prompt}")


@dataclass
class _Outcome:
    exit_code: int = SUCCESS
    rounds: dict[str, int] = field(default_factory=dict)


def _follow(events: thread_queue.SimpleQueue[EngineEvent], entries: int, outcome: _Outcome) -> None:
    """Show progress on standard error until the engine is idle again."""
    started = False
    with tqdm(total=entries, unit="operator", file=sys.stderr, dynamic_ncols=True, leave=False) as bar:
        while True:
            event = events.get()
            if isinstance(event, EngineStateChanged):
                started = started or event.state is EngineState.RUNNING
                if event.state in (EngineState.IDLE, EngineState.STOPPED) and started:
                    if event.reason:
                        bar.write(event.reason, file=sys.stderr)
                    return
            else:
                _show(event, bar, outcome)


def _show(event: EngineEvent, bar: tqdm[Any], outcome: _Outcome) -> None:
    match event:
        case EntryStarted():
            bar.set_description(event.operator)
            if event.resumed:
                bar.write(f"{event.operator}: continues where it was interrupted", file=sys.stderr)
        case ModelCalled():
            bar.set_postfix_str(f"{event.purpose}, round {event.round}")
        case RoundEvaluated():
            latency = (
                "" if event.latency_us is None else f"  {event.latency_us:.2f} us {event.latency_origin}"
            )
            cause = f"  {event.cause}" if event.cause else ""
            bar.write(
                f"{event.operator} round {event.round}: {event.verdict.value}{latency}{cause}",
                file=sys.stderr,
            )
        case DiagnosticMade():
            text = f"{event.operator} round {event.round}: {event.tool}: {event.summary} ({event.left} left)"
            bar.write(text, file=sys.stderr)
        case EpisodeApplied():
            for uid in event.promoted:
                bar.write(f"promoted to hot memory: {uid}", file=sys.stderr)
        case EntryFinished():
            bar.update()
            if event.state != "done":
                bar.write(f"{event.operator}: {event.state}: {event.reason}", file=sys.stderr)
        case EngineFault():
            bar.write(event.report, file=sys.stderr)
            outcome.exit_code = FAULT


def _promoted_items(workspace: Workspace) -> list[Any]:
    """Items that are or were resident, with the evidence that took them there."""
    return workspace.db.execute(
        "SELECT i.uid, i.title, i.rule_text, i.u_m, i.n_ret, i.n_ado, i.hot_region, i.L_m, "
        "(SELECT group_concat(operator, ', ') FROM item_operator o WHERE o.item_id = i.id) AS operators "
        "FROM item i WHERE ever_hot = 1 ORDER BY id"
    ).fetchall()


def _table(summary: dict[str, Any], promoted: list[Any]) -> str:
    """The results for a terminal."""
    rows = [_row(row) for row in summary["operators"]]
    origins = sorted({row["latency_origin"] for row in summary["operators"] if row["latency_origin"]})
    lines = [
        tabulate(rows, _COLUMNS, disable_numparse=True, colalign=_ALIGNMENT),
        f"latencies: {', '.join(origins) or 'none'}; adopted/retrieved counts items once per episode",
    ]
    for item in promoted:
        state = "resident" if item["hot_region"] else "was resident"
        rule = item["rule_text"] or item["title"]
        counts = f"retrieved {item['n_ret']}, adopted {item['n_ado']} times"
        lines.append(f"\nhot memory: {item['uid']} ({state}, {item['L_m']} tokens) {rule}")
        lines.append(f"  evidence: u = {item['u_m']:.3f}, {counts}, in {item['operators']}")
    return "\n".join(lines)


_COLUMNS = ("operator", "correct", "rounds", "first ok", "first us", "best us", "ratio", "adopted")
_ALIGNMENT = ("left", "left", *("right",) * 6)


def _row(row: dict[str, Any]) -> tuple[object, ...]:
    first, best = row["latency_first_us"], row["latency_best_us"]
    return (
        row["name"],
        "yes" if row["correct"] else "no",
        row["rounds"],
        row["first_correct_round"] or "-",
        "-" if first is None else f"{first:.2f}",
        "-" if best is None else f"{best:.2f}",
        f"{first / best:.2f}x" if first and best else "n/a",
        f"{row['adopted']}/{row['retrieved']}",
    )


def _say(text: str) -> None:
    click.echo(text, err=True)
