"""A team's memory: one file that each exchanges with, and that holds everything anyone shared.

What comes waits in quarantine unless its author is trusted here; what goes is in use here, or there already.
States and trust are each person's own and never travel. The file is the union of what was shared
(`core.exchange.join`), so it depends on nothing but that: not on who came first, nor on how often.
"""

from __future__ import annotations

import getpass
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from core.curation.screening import screen
from core.errors import InvalidInput, SageError
from core.exchange import shared_file
from core.exchange.join import joined
from core.exchange.memory_file import Bank, BankItem, bank_text, memory_bank, parse_bank
from core.exchange.merge import (
    Arrival,
    MergeReport,
    experience_of,
    folded_changes,
    merge_bank,
)
from core.memory.ledger import encode
from core.memory.records import ItemState, Origin
from core.memory.store import MemoryStore
from core.records_json import decode
from core.sentence import Sentence
from core.whole_file import DATABASE
from core.workspace import Workspace

_AUTHOR = "author"  # in `meta`: how this person is called in the team
_TRUSTED = "trusted_authors"
_MOST_ATTEMPTS = 40
_PAUSE_S = 0.2
_LONGEST_NAME = 80


class Place(Protocol):
    """Where a team's file lies."""

    @property
    def name(self) -> str:
        """What the user calls it."""
        ...

    def read(self) -> bytes | None:
        """Return the file, None when there is none; raises SageError."""
        ...

    def replace(self, data: bytes, expected: str) -> bool:
        """Replace the file whose content has the digest `expected`; false when it has another by now."""
        ...


class FolderPlace:
    """A file in a folder of this computer or of the network.

    Args:
        path: The file, or a folder, in which it is `team.sage`; with a slash at its end it is made.
        lease_s: Seconds after which the right of a client that died to replace the file is anybody's.
    """

    def __init__(self, path: Path | str, lease_s: float = shared_file.LEASE_S) -> None:
        self.name = str(path)
        self._lease_s = lease_s
        with _told(self.name):
            self._path = shared_file.located(str(path))
        self.name = str(self._path)

    def read(self) -> bytes | None:
        """Return the file."""
        with _told(self.name):
            return shared_file.read(self._path)

    def replace(self, data: bytes, expected: str) -> bool:
        """Replace it if nobody else did."""
        with _told(self.name):
            return shared_file.replace(self._path, data, expected, self._lease_s)


@dataclass(frozen=True)
class SyncReport:
    """What an exchange did, or would do.

    Attributes:
        pulled: What came.
        shared: uids of items the file did not have.
        changed: uids of items it has more of now: texts, evidence.
        pushed: Whether the file was replaced; it is not when it held everything.
        attempts: How often the file was read; more than once when others were faster.
    """

    pulled: MergeReport
    shared: tuple[str, ...]
    changed: tuple[str, ...]
    pushed: bool
    attempts: int


def sync(store: MemoryStore, place: Place, *, dry_run: bool = False) -> SyncReport:
    """Merge a team's file into a memory, and the memory into the file.

    Each half is atomic and may be repeated, so whatever ends an exchange, the next one completes it.

    Raises:
        SageError: The place cannot be used, or others replaced the file again and again.
        InvalidInput: The file is damaged, or no exported memory; it is left as it is.
    """
    for attempt in range(1, _MOST_ATTEMPTS + 1):
        data = place.read()
        bank = _bank(place.name, data)
        arrival = _arrival(trusted(store.workspace), place.name)
        pulled = merge_bank(
            store, bank, source=place.name, dry_run=dry_run, arrival=arrival
        )
        union = joined(
            bank, _own_share(store.workspace, {item.uid for item in bank.items})
        )
        before = {item.uid: item for item in bank.items}
        shared = tuple(item.uid for item in union.items if item.uid not in before)
        changed = tuple(
            item.uid for item in union.items if before.get(item.uid, item) != item
        )
        fresh = bank_text(union).encode()
        if dry_run or fresh == data:
            return SyncReport(pulled, shared, changed, pushed=False, attempts=attempt)
        if place.replace(fresh, shared_file.digest(data)):
            return SyncReport(pulled, shared, changed, pushed=True, attempts=attempt)
        time.sleep(_PAUSE_S * random.random())
    raise SageError(
        "Others replaced {place} {most} times meanwhile.",
        "Try again later.",
        place=place.name,
        most=_MOST_ATTEMPTS,
    )


def clone(store: MemoryStore, place: Place) -> MergeReport:
    """Begin an empty memory with a team's; all of it is in use at once but what the screening notices.

    Raises:
        SageError: The memory has items already, or there is no file.
    """
    if store.items():
        raise SageError(
            "{workspace} has a memory already.",
            "Use `sage memory sync`, or name a new workspace.",
            workspace=store.workspace.path,
        )
    data = place.read()
    if data is None:
        raise SageError(
            "There is no file {place}.",
            "`sage memory sync` makes it.",
            place=place.name,
        )
    bank = _bank(place.name, data)
    everybody = {item.author for item in bank.items}
    return merge_bank(
        store, bank, source=place.name, arrival=_arrival(everybody, place.name)
    )


def author(workspace: Workspace) -> str:
    """Return how this person is called in the team: as set, else the name of the login."""
    return workspace.meta(_AUTHOR) or getpass.getuser()


def set_author(workspace: Workspace, name: str) -> None:
    """Choose how this person is called in the team from now on; what was shared before keeps its author."""
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        remedy = Sentence("One line of at most {most} characters.", most=_LONGEST_NAME)
        raise InvalidInput(
            "author",
            "name",
            "{most!r} is not a name",
            remedy,
            most=name[:_LONGEST_NAME],
        )
    with workspace.transaction():
        workspace.set_meta(_AUTHOR, name)


def trusted(workspace: Workspace) -> set[str]:
    """Return the authors whose items are in use as soon as they come."""
    return set(decode(workspace.meta(_TRUSTED, "[]"), list[str]))


def trust(workspace: Workspace, name: str, *, withdraw: bool = False) -> set[str]:
    """Trust an author from the next exchange on, or no longer; returns all that are trusted."""
    with workspace.transaction():
        names = trusted(workspace) - {name} if withdraw else trusted(workspace) | {name}
        workspace.set_meta(_TRUSTED, encode(sorted(names)))
    return names


def _bank(name: str, data: bytes | None) -> Bank:
    if data is None:
        return Bank((), ())
    if data.startswith(DATABASE):
        problem = "is a workspace, which cannot be shared by replacing it"
        remedy = "Name a new file; `sage memory merge` takes a workspace in."
        raise InvalidInput(name, "file", problem, remedy)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(name, f"byte {error.start}", "is not UTF-8") from error
    return parse_bank(name, text)


def _own_share(workspace: Workspace, there: set[str]) -> Bank:
    """Return what this memory gives: items in use here, and what it knows of those the file has."""
    me = author(workspace)
    bank = memory_bank(
        workspace.db, lambda item: item.state is ItemState.ACTIVE or item.uid in there
    )
    return Bank(tuple(_signed(item, me) for item in bank.items), bank.episodes)


def _signed(item: BankItem, me: str) -> BankItem:
    """Seeds are the program's; other items are by whom they came from, or one's own."""
    return (
        item if item.author or item.origin is Origin.SEED else replace(item, author=me)
    )


def _arrival(trusted_authors: set[str], place: str) -> Arrival:
    def state(item: BankItem) -> tuple[ItemState, str]:
        by = f"shared by {item.author}" if item.author else "shared"
        if item.author not in trusted_authors:
            return ItemState.QUARANTINED, f"{by} in {place}"
        suspicion = screen(experience_of(folded_changes(item.changes)))
        return (
            (ItemState.QUARANTINED, suspicion)
            if suspicion
            else (ItemState.ACTIVE, f"{by} in {place}")
        )

    return state


@contextmanager
def _told(name: str) -> Iterator[None]:
    try:
        yield
    except shared_file.Unusable as error:
        raise SageError(
            "{name}: {error}.",
            "Check the path, and your rights to its folder.",
            name=name,
            error=error,
        ) from error
