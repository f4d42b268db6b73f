"""Follow a running queue in the terminal: a progress bar, what happens, and the table at the end."""

from __future__ import annotations

import json
import queue as thread_queue
import shlex
import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from tabulate import tabulate
from tqdm import tqdm

from core.agent.run.records import (
    Consolidated,
    DiagnosticMade,
    EpisodeApplied,
    LookedUp,
    ModelCalled,
    RoundEvaluated,
)
from core.engine import queue
from core.engine.events import (
    EngineEvent,
    EngineFault,
    EngineState,
    EngineStateChanged,
    EntryFinished,
    EntryStarted,
)
from core.engine.run_summary import run_summary
from core.evaluation.records import origin_words
from core.memory.reading import read_items
from core.memory.records import MemoryItem
from core.workspace import Workspace
from sage_desktop.services.bug_report import described, save_report

if TYPE_CHECKING:
    from sage_desktop.services.wiring import EngineSession

SUCCESS, INCOMPLETE, FAULT, INTERRUPTED = 0, 1, 3, 130


def follow(
    open_session: Callable[[Callable[[EngineEvent], None]], EngineSession],
    *,
    as_json: bool,
) -> NoReturn:
    """Run the queue of a session, print its results, and end the program with the exit code of `sage run`."""
    events: thread_queue.SimpleQueue[EngineEvent] = thread_queue.SimpleQueue()
    session = open_session(events.put)
    path = session.workspace_path
    if session.session is not None:
        header = session.session.header
        say(f"{header.title}: {header.origin} replies, no model is running.")
    else:
        say(f"Kernels are written by: {session.provider}")
    say(f"workspace {path}")
    with Workspace.open_readonly(path) as workspace:
        entries = queue.waiting(workspace)
    try:
        session.engine.start()
        code = _follow(events, entries)
    except KeyboardInterrupt:
        say("Interrupted; the same command continues here.")
        code = INTERRUPTED
    finally:
        session.engine.stop()
    # The results of another file are not those of this run, whose own was kept beside it.
    if session.engine.replaced is not None:
        raise session.engine.replaced
    # A reader leaves log and index of SQLite behind; a writer removes them.
    with Workspace.open(path, create=False) as workspace:
        summary = run_summary(workspace)
        promoted = read_items(workspace.db, summary["promoted"])
    if as_json:
        click.echo(json.dumps(summary, indent=2))
    else:
        click.echo(results_table(summary, promoted))
        click.echo(export_hint(summary, path), nl=False)
    # A limit that stopped an operator makes the run incomplete, however good its kernel.
    is_complete = all(
        row["correct"] and not row["incomplete"] for row in summary["operators"]
    )
    if code == SUCCESS and not is_complete:
        code = INCOMPLETE
    raise SystemExit(code)


def _follow(events: thread_queue.SimpleQueue[EngineEvent], entries: int) -> int:
    """Show progress on standard error until the engine is idle again; returns `SUCCESS` or `FAULT`."""
    has_started, code = False, SUCCESS
    with tqdm(
        total=entries,
        unit="operator",
        file=sys.stderr,
        dynamic_ncols=True,
        leave=False,
        disable=None,  # leaves the bar out where there is no terminal, as in a log
    ) as bar:
        while True:
            event = events.get()
            # The engine is idle before it runs as well, so its start is waited for.
            if isinstance(event, EngineStateChanged):
                is_running = event.state is EngineState.RUNNING
                has_started = has_started or is_running
                is_idle = event.state in (EngineState.IDLE, EngineState.STOPPED)
                is_over = is_idle and has_started
                if event.reason and (is_over or is_running):
                    bar.write(str(event.reason), file=sys.stderr)
                if is_over:
                    return code
            else:
                code = FAULT if isinstance(event, EngineFault) else code
                _show(event, bar)


def _show(event: EngineEvent, bar: tqdm[Any]) -> None:
    """One event of the engine, as a line above the bar or in it."""
    tell = partial(bar.write, file=sys.stderr)
    match event:
        case EntryStarted():
            bar.set_description(event.operator)
            if event.resumed:
                tell(f"{event.operator}: continues where it was interrupted")
        case ModelCalled():
            bar.set_postfix_str(f"{event.purpose}, round {event.round}")
        case RoundEvaluated():
            recorded = f" (recorded: {event.recorded})" if event.recorded else ""
            cause = f"  {event.cause}" if event.cause else ""
            tell(f"{judged(event, recorded)}{cause}")
        case DiagnosticMade() | LookedUp():
            place = f"{event.operator} round {event.round}"
            tell(f"{place}: {_question(event)} ({event.left} left)")
        case EpisodeApplied() | Consolidated():
            for uid in event.promoted:
                tell(f"promoted to hot memory: {uid}")
        case EntryFinished():
            bar.update()
            if event.state != "done":
                tell(f"{event.operator}: {event.state}: {event.reason}")
            if event.remedy:
                tell(str(event.remedy))
        case EngineFault():
            path = save_report(described(event.report))
            tell(
                f"A mistake in SAGE Desktop ended the run. The report is in {path}; please attach it when "
                "you tell us. `sage memory verify` shows whether the workspace is whole."
            )


def _question(event: DiagnosticMade | LookedUp) -> str:
    if isinstance(event, LookedUp):
        return f"looked up {', '.join(event.queries)}"
    return f"{event.tool}: {event.summary}"


def judged(event: RoundEvaluated, recorded: str = "") -> str:
    """The verdict of a round in a line, behind it what was `recorded`, and its latency."""
    timed = ""
    if event.latency_us is not None:
        timed = f"  {event.latency_us:.2f} us {origin_words(event.latency_origin)}"
    place = f"{event.operator} round {event.round}"
    return f"{place}: {event.verdict.value}{recorded}{timed}"


def results_table(summary: dict[str, Any], promoted: Sequence[MemoryItem]) -> str:
    """The results for a terminal."""
    operators = summary["operators"]
    rows = [_row(row) for row in operators]
    lines = [tabulate(rows, _COLUMNS, disable_numparse=True, colalign=_ALIGNMENT)]
    # Modelled and measured latencies must not be taken for each other.
    origins = {row["latency_origin"] for row in operators if row["latency_origin"]}
    words = ", ".join(sorted({origin_words(origin) for origin in origins}))
    lines.append(
        f"latencies: {words or 'none'}; adopted/retrieved counts items once per episode"
    )
    lines += _judge_lines(operators)
    for row in operators:
        if row["cann_in_profile"]:
            calls = f"CANN's own kernels for the calls of {row['name']}"
            lines.append(f"{calls}: {row['cann_in_profile']}, measured")
    if any(row["unconfined"] for row in operators):
        lines.append(
            "unconfined: judged without a sandbox; no credit, no rank, in no metric"
        )
    if any(row["edited"] for row in operators):
        lines.append(
            "edited: a person changed a version by hand; no credit, in no metric"
        )
    recordings = {
        row["name"]: row["recording"] for row in operators if row["recording"]
    }
    lines += _against_recording(recordings)
    if summary["frozen_memory"]:
        lines.append(f"frozen memory, nothing was learnt: {summary['frozen_memory']}")
    if len(summary["hosts"]) > 1:
        lines.append(_host_line(summary["hosts"]))
    for item in promoted:
        lines += _promotion_lines(item)
    return "\n".join(lines)


def _promotion_lines(item: MemoryItem) -> list[str]:
    """A rule that became resident, and on which evidence."""
    # Another rule may have taken its place by the end of the run.
    state = "resident" if item.hot_region else "was resident"
    rule = item.rule_text or item.title
    counts = f"retrieved {item.n_ret}, adopted {item.n_ado} times"
    adopted_by = ", ".join(sorted(item.adopted_operators))
    return [
        f"\nhot memory: {item.uid} ({state}, {item.L_m} tokens) {rule}",
        f"  evidence: u = {item.u_m:.3f}, {counts}, in {adopted_by}",
    ]


def _host_line(evaluations: dict[str, int]) -> str:
    """How many evaluations each host made."""
    total = sum(evaluations.values())
    # An evaluation without a host was refused before one was chosen.
    named_hosts = [
        (name or "refused before a host", count) for name, count in evaluations.items()
    ]
    shares = [
        f"{host} {count} ({count / total:.0%})" for host, count in sorted(named_hosts)
    ]
    return f"evaluations by host: {', '.join(shares)}"


def _judge_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Who judged, with the processor; where that differs, which operators."""
    operators: dict[str, list[str]] = {}
    for row in rows:
        if row["judge"]:
            operators.setdefault(row["judge"], []).append(row["name"])
    if len(operators) == 1:
        return [f"judged by: {judge}" for judge in operators]
    return [
        f"judged by {judge}: {', '.join(names)}" for judge, names in operators.items()
    ]


def export_hint(summary: dict[str, Any], path: Path) -> str:
    """The command that takes a correct kernel out of the workspace; empty when there is none."""
    correct = [row["name"] for row in summary["operators"] if row["correct"]]
    if not correct:
        return ""
    command = f"sage operators export --workspace {shlex.quote(str(path))} --operator {correct[0]}"
    return f"\nuse a kernel from PyTorch:\n  {command} --as torch --out FOLDER\n"


def _against_recording(operators: dict[str, dict[str, Any]]) -> list[str]:
    """How a replay differs from its recording, by operator; nothing for any other run."""
    rows = operators.values()
    if not rows:
        return []
    rounds = sum(row["rounds"] for row in rows)
    changed_rounds = []
    for name, row in operators.items():
        changed_rounds += [f"{name} {number}" for number in row["verdicts_changed"]]
    retrievals = sum(len(row["retrieval_changed"]) for row in rows)
    where = f" (rounds {', '.join(changed_rounds)})" if changed_rounds else ""
    count = len(changed_rounds)
    verdicts = f"{count} verdicts differ{where}, {_latency_changes(rows)}"
    retrieval = f"retrieval finds other experiences here in {retrievals}"
    return [f"against the recording, {rounds} rounds: {verdicts}; {retrieval}"]


def _latency_changes(rows: Collection[dict[str, Any]]) -> str:
    """How latencies differ from recorded ones; those of another origin are not compared."""
    changes = [row["largest_latency_change"] for row in rows]
    comparable = [change for change in changes if change is not None]
    other_origins: set[str] = set()
    for row in rows:
        other_origins.update(row["latencies_recorded_as"])
    words = [f"latencies by at most {max(comparable):.2%}"] if comparable else []
    words += [
        f"latencies were {origin_words(origin)}" for origin in sorted(other_origins)
    ]
    return ", ".join(words) or "no latency was recorded"


_COLUMNS = (
    "operator",
    "correct",
    "rounds",
    "first ok",
    "first us",
    "best us",
    "ratio",
    "adopted",
)
_ALIGNMENT = ("left", "left", *("right",) * 6)


def _row(row: dict[str, Any]) -> tuple[object, ...]:
    first, best = row["latency_first_us"], row["latency_best_us"]
    marks = ["yes" if row["correct"] else "no"]
    marks += [mark for mark in ("incomplete", "unconfined", "edited") if row[mark]]
    gain = f"{first / best:.2f}x" if first and best else "n/a"
    return (
        row["name"],
        ", ".join(marks),
        row["rounds"],
        row["first_correct_round"] or "-",
        "-" if first is None else f"{first:.2f}",
        "-" if best is None else f"{best:.2f}",
        gain,
        f"{row['adopted']}/{row['retrieved']}",
    )


def waiting(prompt: Path) -> None:
    """Say that a person is asked for a reply."""
    say(f"waiting for a reply to {prompt}")


def retrying(what: str, seconds: float) -> None:
    """Say that a request is repeated."""
    say(f"{what} Waiting {seconds:.0f} s.")


def tell_beside_bar(text: str) -> None:
    """Write a line above the bar, from any thread."""
    tqdm.write(text, file=sys.stderr)


def say(text: str) -> None:
    """Write a line beside the results, which are on standard output."""
    click.echo(text, err=True)
