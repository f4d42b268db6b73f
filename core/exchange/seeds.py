"""The cold-start bank that ships, and banks of the same form that a user writes.

A bank is a folder of TOML files with `[[item]]` tables: uid, title, type, category,
error_message, summary, source, wrong_code, correct_code, scope, and `said` where a reader found that every prompt
says it already (`core.memory.said`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from core.errors import InvalidInput
from core.memory.content import content_hash, require_content, require_uid
from core.memory.ledger import known_uids, one_step
from core.memory.records import CodeDiff, Experience, Origin, Scope
from core.memory.store import MemoryStore
from core.outside import convert, files_in, read_file, toml_table
from core.same_fields import record_of


class _Item(msgspec.Struct, forbid_unknown_fields=True):
    uid: str
    title: str
    type: str
    category: str
    error_message: str = ""
    summary: str = ""
    source: str = ""
    wrong_code: str = ""
    correct_code: str = ""
    scope: Scope = Scope()
    said: bool = False


def cold_start_bank() -> tuple[tuple[str, Experience], ...]:
    """Return (uid, experience) of every seed that ships, by uid."""
    with resources.as_file(resources.files("resources") / "seeds") as folder:
        return read_seeds(folder)


def read_seeds(bank: Path) -> tuple[tuple[str, Experience], ...]:
    """Read a bank: a folder of TOML files, or one such file.

    Raises:
        InvalidInput: Naming file and item for anything unexpected, a uid that occurs
            twice, or no file.
    """
    seeds: dict[str, Experience] = {}
    files = [bank] if bank.is_file() else files_in(bank, "*.toml")
    if not files:
        raise InvalidInput(
            str(bank), "folder", "has no *.toml files", "A bank is made of such files."
        )
    for path in files:
        for uid, experience in _read(path):
            if uid in seeds:
                raise InvalidInput(str(path), uid, "occurs twice")
            seeds[uid] = experience
    return tuple(sorted(seeds.items()))


@dataclass(frozen=True)
class SeedReport:
    """What became of a bank of seeds.

    Attributes:
        new: How many were written.
        differing: uids of items that are there with other content, which stays.
    """

    new: int
    differing: tuple[str, ...]


def add_seeds(
    store: MemoryStore, seeds: tuple[tuple[str, Experience], ...]
) -> SeedReport:
    """Write seeds that are not there yet, in one transaction.

    What is there already stays as it is.
    """
    with store.workspace.transaction() as db:
        # A seed whose coming was undone is written again.
        uids, taken_back = known_uids(db)
        there = uids - taken_back
        with one_step(db, "add-seeds", actor="user", reason="cold start"):
            for uid, experience in seeds:
                if uid not in there:
                    store.add_item(
                        experience,
                        origin=Origin.SEED,
                        uid=uid,
                        actor="user",
                        reason="cold start",
                    )
        present = {uid: experience for uid, experience in seeds if uid in there}
        differing = [
            item.uid
            for item in store.items(present)
            if content_hash(item.experience) != content_hash(present[item.uid])
        ]
    return SeedReport(len(seeds) - len(present), tuple(differing))


def _read(path: Path) -> Iterator[tuple[str, Experience]]:
    """Uid and experience of every item of a file of seeds.

    Raises:
        InvalidInput: An item is not as a memory takes it; names file and item.
    """
    tables = convert(
        toml_table(read_file(path), str(path)).get("item", []),
        list[Any],
        str(path),
        "item",
    )
    for number, table in enumerate(tables):
        item = convert(table, _Item, str(path), f"item[{number}]")
        code = CodeDiff(item.wrong_code.strip("\n"), item.correct_code.strip("\n"))
        experience = record_of(Experience, item, code_diff=code)
        require_content(experience, f"{path}: item[{number}]")
        require_uid(item.uid, f"{path}: item[{number}]")
        yield item.uid, experience
