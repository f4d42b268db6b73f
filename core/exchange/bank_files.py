"""The forms a memory travels in.

JSON lines (complete), a SQLite file (complete), the paper's item records.

The paper's records hold counters without the episodes behind them. They are taken in as
priors: a start value that later evidence moves, and that is counted once however often
the file is imported.
"""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from typing import Any

import msgspec

from core.errors import InvalidInput, SageError
from core.exchange.memory_file import (
    Bank,
    BankItem,
    bank_lines,
    export_bank,
    paper_item,
    parse_bank,
    read_bank,
)
from core.exchange.merge import merge_bank
from core.held_file import held
from core.memory.content import content_columns, content_hash, require_content
from core.memory.evidence import EpisodeRecord
from core.memory.reading import read_items
from core.memory.records import CodeDiff, ContentChange, Experience, ItemState, Origin
from core.memory.store import MemoryStore
from core.method.fold import CreditRecord, Prior
from core.outside import json_record, read_file, require_regular
from core.same_fields import record_of
from core.whole_file import DATABASE, whole_file
from core.workspace import Workspace, now
from core.workspace.errors import explain

# Any edit is later, so an import never overrides one.
_BEFORE_ALL = "1970-01-01T00:00:00+00:00"


class _PaperItem(msgspec.Struct):
    """A record of the paper's Table "Schema of a memory-item record".

    What is derived is not read.
    """

    title: str
    type: str
    category: str
    error_message: str = ""
    code_diff: CodeDiff = CodeDiff()
    summary: str = ""
    u_m: float = 0.0
    n_ret: int = 0
    n_ado: int = 0
    adopted_operators: tuple[str, ...] = ()
    n_elig: int = 0


def read_any_bank(path: Path) -> Bank:
    """Read a memory of any form.

    A SQLite file is a workspace, read without changing it.

    Raises:
        InvalidInput: Naming the place that is not as expected.
        WorkspaceError: The SQLite file is no workspace, or of a newer release.
    """
    require_regular(path)
    try:
        with held(path) as file:
            head = file.read(len(DATABASE))
            start = file.read(len(DATABASE) + 4096).lstrip()[:4096]
    except OSError as error:
        raise InvalidInput(
            str(path), "file", "cannot be read ({error})", error=error
        ) from error
    # The content decides, not the name: files that travel are often renamed.
    if head == DATABASE:
        with Workspace.open_foreign(path) as workspace:
            return parse_bank(str(path), export_bank(workspace.db))
    first_line = start.split(b"\n", 1)[0]
    if start.startswith(b"[") or (
        first_line.startswith(b"{") and b'"kind"' not in first_line
    ):
        return _read_paper(path)
    return read_bank(path)


def write_bank(
    workspace: Workspace, path: Path, form: str, *, replace: bool = False
) -> None:
    """Write the memory of a workspace to a file, whole or not at all.

    Args:
        workspace: Read-only will do.
        path: Must not exist unless `replace`; never the workspace itself.
        form: `jsonl` and `sqlite` hold everything, of the state of items only whether
            they are archived; `paper` is one item record of the paper's schema per
            line, counters without traces, archived items left out.
        replace: A file that is there may be replaced; it is kept when the new one
            cannot be written.

    Raises:
        SageError: When the file exists, or cannot be written.
    """
    workspace.refuse_as_target(path, replace=replace)
    if not path.absolute().parent.is_dir():
        raise SageError(
            "There is no folder {parent}.",
            "Create it, or choose another.",
            parent=path.absolute().parent,
        )
    with whole_file(path, over_database=form == "sqlite") as partial:
        if form == "sqlite":
            # A merge into an empty workspace takes the same way as any import.
            try:
                with Workspace.open(partial) as target:
                    text = export_bank(workspace.db)
                    bank = parse_bank(str(workspace.path), text)
                    merge_bank(
                        MemoryStore(target),
                        bank,
                        source=workspace.path.name,
                        state=ItemState.ACTIVE,
                    )
            except sqlite3.Error as error:  # a full disk
                raise explain(error, path) or error from error
        elif form == "paper":
            # The paper's record has no field for a state.
            in_use = [
                item
                for item in read_items(workspace.db, None)
                if item.state is not ItemState.ARCHIVED
            ]
            lines = [
                paper_item(item, _episode(workspace.db, item.hot_last_used_episode))
                + "\n"
                for item in in_use
            ]
            partial.write_text("".join(lines), encoding="utf-8")
        else:
            with partial.open("w", encoding="utf-8") as file, workspace.one_state():
                file.writelines(bank_lines(workspace.db))


def _episode(db: sqlite3.Connection, seq: int | None) -> int | None:
    """Number of the episode applied at a position of the event sequence, counted from 1."""
    if seq is None:
        return None
    applied = "SELECT count(*) FROM episode WHERE status = 'applied' AND seq <= ?"
    return int(db.execute(applied, (seq,)).fetchone()[0])


def _read_paper(path: Path) -> Bank:
    """Item records of the paper as a memory whose evidence is one prior of each item."""
    items: list[BankItem] = []
    credit: dict[str, CreditRecord] = {}
    raw = read_file(path)
    # Named by content, so that a file imported twice gives its evidence once.
    name = f"prior-{hashlib.sha256(raw).hexdigest()[:16]}"
    for place, record in _records(path, raw):
        experience = record_of(Experience, record, source=f"imported from {path.name}")
        require_content(experience, f"{path}: {place}")
        _check(path, place, record)
        uid = f"exp-{content_hash(experience)[:12]}"
        if uid in credit:
            raise InvalidInput(str(path), place, "has the content of an earlier record")
        operators = tuple(sorted(record.adopted_operators))
        prior = Prior(record.u_m, record.n_ret, record.n_ado, operators)
        credit[uid] = CreditRecord(record.n_ado > 0, None, prior)
        items.append(_bank_item(uid, experience, record, name))
    with_priors = {
        uid: record
        for uid, record in credit.items()
        if record.prior and record.prior.n_ret
    }
    episode = EpisodeRecord(name, "", name, "", "", 0.0, "{}", with_priors)
    episodes = (episode,) if episode.credit else ()
    return Bank(tuple(items), episodes, names_are_content=True)


def _bank_item(
    uid: str, experience: Experience, record: _PaperItem, bank: str
) -> BankItem:
    """A row of the paper's form as an item of a bank: its counts without traces, no rule, no history."""
    fields: dict[str, Any] = content_columns(experience)
    return record_of(
        BankItem,
        record,
        uid=uid,
        origin=Origin.IMPORT,
        created_at=now(),
        rule_text="",
        rule_example="",
        auto_title=False,
        scope=experience.scope,
        source=experience.source,
        changes=(ContentChange(_BEFORE_ALL, fields),),
        eligible={bank: record.n_elig} if record.n_elig else {},
    )


def _records(path: Path, raw: bytes) -> list[tuple[str, _PaperItem]]:
    """Read a JSON array, or one JSON object per line."""
    if raw.lstrip().startswith(b"["):
        records = json_record(raw, list[msgspec.Raw], str(path))
        rows = [bytes(record) for record in records]
    else:
        rows = [line for line in raw.splitlines() if line.strip()]
    named = ((f"record {number}", row) for number, row in enumerate(rows, start=1))
    return [
        (place, json_record(row, _PaperItem, str(path), place)) for place, row in named
    ]


def _check(path: Path, place: str, record: _PaperItem) -> None:
    """Refuse counts that cannot come from episodes; the paper's form has no traces that would tell."""
    if not -1.0 <= record.u_m <= 1.0:
        raise InvalidInput(
            str(path), f"{place}: u_m", "{u_m} is outside -1 … 1", u_m=record.u_m
        )
    if not 0 <= record.n_ado <= record.n_ret:
        raise InvalidInput(
            str(path),
            f"{place}: n_ado",
            "{n_ado} of {n_ret} retrievals",
            n_ado=record.n_ado,
            n_ret=record.n_ret,
        )
    if record.n_elig < 0:
        raise InvalidInput(
            str(path), f"{place}: n_elig", "{n_elig} is negative", n_elig=record.n_elig
        )
