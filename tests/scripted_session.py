"""The scripted session of the tests: kernels with planted mistakes, and replies written by hand around them.

The sources are meant to be read and edited: `session.toml` (order, retrieved items, expected verdicts),
the files of `resources/seeds` it names and `bank/*.toml` (the initial memory), one Markdown file per reply:
`<Operator>/<objective>-<round>-<purpose>.md`, `<Operator>/corr-distil.md` where the corr episode overcame a
failure, `<Operator>/distil.md` and `abstract/<uid>.md`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from core.models.port import Purpose
from core.replay.session_file import (
    Session,
    SessionHeader,
    SessionItem,
    SessionReply,
    bank_digest,
    write_session,
)

TWO = ("AbsMath", "Lerp")  # operators the quick tests play
SAGE = [sys.executable, "-c", "from sage_desktop.cli import main; main()"]
SOURCES = Path(__file__).parent / "data" / "scripted_session"
RESOURCES = Path(__file__).parents[1] / "resources"


@dataclass(frozen=True)
class ScriptedRound:
    """One row of `session.toml`. `verdict` is what the real evaluator must say about the candidate."""

    operator: str
    objective: str
    round: int
    retrieved: tuple[str, ...]
    verdict: str

    def reply_path(self, purpose: Purpose) -> Path:
        """Where the text of a reply of this round lies."""
        return (
            SOURCES
            / self.operator
            / f"{self.objective}-{self.round:02d}-{purpose.value}.md"
        )


def scripted_rounds() -> tuple[ScriptedRound, ...]:
    """All rounds in playing order."""
    rows = tomllib.loads((SOURCES / "session.toml").read_text(encoding="utf-8"))[
        "round"
    ]
    return tuple(
        ScriptedRound(**{**row, "retrieved": tuple(row["retrieved"])}) for row in rows
    )


def pack() -> Session:
    """Build the session from its sources; every Markdown file below them must have its place in it."""
    document = tomllib.loads((SOURCES / "session.toml").read_text(encoding="utf-8"))
    items = tuple(sorted(_bank(document["seeds"]), key=lambda item: item.uid))
    header = SessionHeader(
        origin=document["origin"],
        model=document["model"],
        title=document["title"],
        description=" ".join(document["description"].split()),
        bank_sha256=bank_digest(items),
        operators=tuple(document["operators"]),
    )
    used: set[Path] = set()
    replies = tuple(_replies(header.operators, used))
    unused = sorted({*SOURCES.rglob("*.md")} - used)
    if unused:
        names = [path.relative_to(SOURCES).as_posix() for path in unused]
        raise ValueError(f"No row of session.toml plays {names}.")
    return Session(header, items, replies)


def plays(session: Session, folder: Path) -> list[str]:
    """The command that plays the operators of a session."""
    path = folder / "session.jsonl"
    write_session(path, session)
    operators = ",".join(session.header.operators)
    return [
        *SAGE,
        "run",
        "--json",
        "--model",
        f"replay:{path}",
        "--operators",
        operators,
    ]


def played(command: list[str], path: Path) -> tuple[Path, dict[str, Any]]:
    """Play into the workspace `path`; what the command told at the end."""
    done = subprocess.run(
        [*command, "--workspace", path],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return path, json.loads(done.stdout)


def two_played() -> tuple[list[str], Path, dict[str, Any]]:
    """Two operators of the session played undisturbed: the command, its workspace and what it told.

    Once for all workers of a test run, as seven candidates are judged; the workspace is for reading.
    """
    folder = Path(os.environ["SAGE_DATA_DIR"]) / "scripted"
    folder.mkdir(parents=True, exist_ok=True)
    told, path = folder / "told.json", folder / "undisturbed.sage"
    with FileLock(folder / "lock"):
        command = plays(pack().only(TWO), folder)
        if not told.exists():
            path.unlink(missing_ok=True)
            told.write_text(json.dumps(played(command, path)[1]), encoding="utf-8")
    return command, path, json.loads(told.read_text(encoding="utf-8"))


def _bank(shared: list[str]) -> Iterator[SessionItem]:
    own = (SOURCES / "bank").glob("*.toml")
    for path in sorted(
        (*own, *(RESOURCES / "seeds" / f"{name}.toml" for name in shared))
    ):
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["item"]:
            code = {
                key: row.pop(key).strip("\n") for key in ("wrong_code", "correct_code")
            }
            scope = {
                name: tuple(values) for name, values in row.pop("scope", {}).items()
            }
            row.pop("said", None)  # of the seed bank; a recording holds what was found
            yield SessionItem(**row, code_diff=code, scope=scope)


def _replies(operators: tuple[str, ...], used: set[Path]) -> Iterator[SessionReply]:
    rounds = scripted_rounds()
    for operator in operators:
        previous = ""
        mine = [entry for entry in rounds if entry.operator == operator]
        solved = max(entry.round for entry in mine if entry.objective == "corr")
        for entry in mine:
            purposes = (
                (Purpose.DIAGNOSE, Purpose.REPAIR) if previous else (Purpose.CANDIDATE,)
            )
            for purpose in purposes:
                yield SessionReply(
                    subject=operator,
                    objective=entry.objective,
                    round=entry.round,
                    purpose=purpose.value,
                    text=_text(entry.reply_path(purpose), used),
                    retrieved=() if purpose is Purpose.DIAGNOSE else entry.retrieved,
                    previous_verdict=previous,
                )
            previous = entry.verdict
            if entry.objective == "corr" and entry.round == solved > 1:
                text = _text(SOURCES / operator / "corr-distil.md", used)
                yield SessionReply(operator, "corr", solved, Purpose.DISTIL.value, text)
        yield _outside(operator, Purpose.DISTIL, SOURCES / operator / "distil.md", used)
    for path in sorted((SOURCES / "abstract").glob("*.md")):
        yield _outside(path.stem, Purpose.ABSTRACT, path, used)


def _outside(
    subject: str, purpose: Purpose, path: Path, used: set[Path]
) -> SessionReply:
    return SessionReply(
        subject=subject,
        objective="",
        round=0,
        purpose=purpose.value,
        text=_text(path, used),
    )


def _text(path: Path, used: set[Path]) -> str:
    used.add(path)
    return path.read_text(encoding="utf-8")
