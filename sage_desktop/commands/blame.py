"""`sage blame`: the round that wrote a line, what taught it, what that brought; and what an item taught."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from core.diff.lines import lines_of
from core.engine import blame as blaming
from core.engine import queries
from core.engine.blame import Blame, Effect, LineBlame, RoundWork, Taught
from core.errors import InvalidInput, SageError
from sage_desktop.commands.memory.common import (
    JSON,
    WORKSPACE,
    as_text,
    reader,
    tell_rest,
)

_LEGEND = (
    "taught by: experience the round declared as adopted (the gate's record; ^ a resident rule it followed)\n"
    "whose code an automatic check finds in the line, or at most three lines away (~). Neither is proof.\n"
    "brought: what became of the latency in that round; it belongs to all changes of the round together."
)


@click.command()
@click.argument("operator", required=False, default="")
@click.option(
    "--item", "uid", default="", help="What this experience taught, in every operator."
)
@click.option(
    "--round",
    "number",
    type=click.IntRange(1),
    help="Kernel of this round; by default the best.",
)
@click.option("--file", "wanted", default="", help="Only this file of the kernel.")
@click.option("--line", type=click.IntRange(1), help="Only this line of the file.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=40,
    show_default=True,
    help="Rounds shown of an item.",
)
@WORKSPACE
@JSON
def blame(
    operator: str,
    uid: str,
    number: int | None,
    wanted: str,
    line: int | None,
    limit: int,
    path: Path | None,
    as_json: bool,
) -> None:
    """Show which round wrote each line of OPERATOR's kernel, what taught it, and what it gained."""
    if bool(operator) == bool(uid):
        raise click.UsageError("Name an operator, or an experience with --item.")
    if line is not None and not wanted:
        raise click.UsageError("--line needs the --file it is in.")
    with reader(path) as workspace:
        if uid:
            found, total = blaming.taught_by(workspace.db, uid, limit)
            click.echo(
                as_text([_record(entry) for entry in found])
                if as_json
                else _taught_text(found)
            )
            tell_rest(len(found), total)
            return
        runs = queries.trajectories(workspace.db, operator, 1)
        if not runs:
            raise SageError(
                "No run of {operator} is in this workspace.",
                "Run it.",
                operator=operator,
            )
        read = blaming.read_blame(workspace.db, runs[0].uid)
    shown = number or runs[0].best_round or read.latest
    places = _places(read, shown, wanted, line)
    if as_json:
        click.echo(as_text(_as_data(read, operator, shown, places)))
    else:
        click.echo(_text(read, operator, shown, places))


def _places(
    read: Blame, number: int, wanted: str, line: int | None
) -> list[tuple[str, int]]:
    """(path, 0-based line) of everything that is asked for."""
    if number not in read.versions:
        known = ", ".join(map(str, read.versions))
        raise InvalidInput(
            "--round", str(number), "rounds with a kernel: {known}", known=known
        )
    files = read.versions[number].lines
    chosen = [path for path in files if not wanted or path.endswith(wanted)]
    if not chosen:
        raise InvalidInput("--file", wanted, "files: {files}", files=", ".join(files))
    if line is not None and line > len(files[chosen[0]]):
        raise InvalidInput(
            "--line",
            str(line),
            "the file has {lines} lines",
            lines=len(files[chosen[0]]),
        )
    return [
        (path, n)
        for path in chosen
        for n in range(len(files[path]))
        if line is None or n == line - 1
    ]


def _line(read: Blame, number: int, path: str, line: int) -> tuple[LineBlame, str]:
    found = read.of_line(number, path, line)
    if found is None:
        raise InvalidInput("--line", str(line + 1), "is no line of {path}", path=path)
    return found, lines_of(read.texts[number][path])[line]


def _as_data(
    read: Blame, operator: str, number: int, places: list[tuple[str, int]]
) -> dict[str, Any]:
    lines = []
    for path, line in places:
        found, text = _line(read, number, path, line)
        lines.append(
            {
                "file": path,
                "line": line + 1,
                "text": text,
                "round": found.origin.version,
                "written_at": {
                    "file": found.origin.path,
                    "line": found.origin.line + 1,
                },
                "lessons": [
                    {"item": lesson.uid, "declared": lesson.basis, "check": evidence}
                    for lesson, evidence in found.lessons
                ],
            }
        )
    rounds = {entry["round"] for entry in lines}
    return {
        "operator": operator,
        "trajectory": read.trajectory,
        "round": number,
        "lines": lines,
        "rounds": [
            _work_data(work)
            for version, work in read.works.items()
            if version in rounds
        ],
    }


def _work_data(work: RoundWork) -> dict[str, Any]:
    return {
        "round": work.row.round,
        "verdict": work.row.verdict,
        "latency_us": work.row.latency_us,
        "effect": _effect_data(work.effect),
        "lessons": [
            {
                "item": lesson.uid,
                "title": lesson.title,
                "declared": lesson.basis,
                "rationale": lesson.rationale,
            }
            for lesson in work.lessons
        ],
    }


def _effect_data(effect: Effect | None) -> dict[str, Any] | None:
    if effect is None:
        return None
    return {
        "from_round": effect.before or None,
        "from_us": effect.before_us,
        "to_round": effect.after,
        "to_us": effect.after_us,
        "change_us": effect.change_us,
        "origin": effect.origin,
    }


def _text(
    read: Blame, operator: str, number: int, places: list[tuple[str, int]]
) -> str:
    blocks = [f"{operator}, round {number}"]
    rounds: set[int] = set()
    last = ""
    rows: list[str] = []
    for path, line in places:
        found, text = _line(read, number, path, line)
        rounds.add(found.origin.version)
        if path != last:
            rows.append(f"\n{path}")
            last = path
        marks = {blaming.Evidence.LINE: "", blaming.Evidence.CHANGE: "~"}
        told = " ".join(
            f"{lesson.uid}{'^' if lesson.basis is blaming.Basis.FOLLOWED else ''}{marks[evidence]}"
            for lesson, evidence in found.taught_by
        )
        rows.append(
            f"{line + 1:>5}  round {found.origin.version:<3} {told:<24} {text}".rstrip()
        )
    blocks += rows
    table = [
        (
            work.row.round,
            work.row.verdict,
            brought(work.effect),
            " ".join(x.uid for x in work.lessons),
        )
        for version, work in read.works.items()
        if version in rounds
    ]
    head = ("round", "verdict", "brought", "declared as used")
    blocks += ["", tabulate(table, head, disable_numparse=True), "", _LEGEND]
    return "\n".join(blocks)


def brought(effect: Effect | None) -> str:
    """What became of the latency, with the origin of both numbers."""
    if effect is None:
        return "no correct kernel since"
    if effect.change_us is None:
        return f"first correct in round {effect.after}: {effect.after_us:.2f} us {effect.origin}"
    return (
        f"{effect.change_us:+.2f} us {effect.origin} (round {effect.before}: {effect.before_us:.2f}, "
        f"round {effect.after}: {effect.after_us:.2f})"
    )


def _record(entry: Taught) -> dict[str, Any]:
    return {
        "operator": entry.operator,
        "trajectory": entry.trajectory,
        "round": entry.work.row.round,
        "declared": entry.basis,
        "rationale": entry.rationale,
        "checked": entry.checked,
        "effect": _effect_data(entry.work.effect),
        "kept_in_round": entry.kept_in,
        "lines": [
            {
                "file": line.path,
                "line": line.line + 1,
                "text": line.text,
                "now": {"file": line.now[0], "line": line.now[1] + 1}
                if line.now is not None
                else None,
            }
            for line in entry.lines
        ],
    }


def _taught_text(found: tuple[Taught, ...]) -> str:
    if not found:
        return "No round declares that it used this experience."
    blocks = []
    for entry in found:
        blocks.append(
            f"{entry.operator}, round {entry.work.row.round}, {entry.basis}: {brought(entry.work.effect)}"
        )
        kept = sum(line.now is not None for line in entry.lines)
        if not entry.checked:
            blocks.append("  it has no code to look for: the agent's declaration alone")
        elif not entry.lines:
            blocks.append(
                "  no line of the round shows its code: the agent's declaration alone"
            )
        else:
            blocks.append(
                f"  {kept} of {len(entry.lines)} lines are still in round {entry.kept_in}:"
            )
        blocks += [
            f"  {'=' if line.now else '-'} {line.path}:{line.line + 1}  {line.text.strip()}"
            for line in entry.lines
        ]
    return "\n".join(blocks)
