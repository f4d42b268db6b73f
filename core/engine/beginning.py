"""What a new memory begins with: the same bank under every method (paper, "Controlled comparison")."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from core.engine.shipped import (
    demonstration,
    evolved_memory,
    mined_experiences,
)
from core.errors import SageError
from core.exchange import memory_file as exchange
from core.exchange.merge import merge_bank
from core.exchange.seeds import add_seeds, cold_start_bank, read_seeds
from core.memory.content import content_hash
from core.memory.records import CodeDiff, Experience, ItemState, Scope
from core.memory.store import MemoryStore
from core.replay.session_file import Session, SessionItem, read_session
from core.same_fields import record_of
from core.workspace import Workspace

SEEDS, MINED, NONE, DEMO, EVOLVED = "seeds", "mined", "none", "demo", "evolved"
_BEGAN = "initial_bank"


@dataclass(frozen=True)
class Bank:
    """Experiences a memory may begin with.

    Attributes:
        name: As a person reads it.
        seeds: (uid, experience), by uid.
        memory: A memory with evidence and rules that it brings as well.
    """

    name: str
    seeds: tuple[tuple[str, Experience], ...]
    memory: exchange.Bank | None = None

    @property
    def trained_on(self) -> tuple[str, ...]:
        """The operators its evidence comes from, by name.

        None of a bank without evidence.
        """
        episodes = self.memory.episodes if self.memory else ()
        return tuple(sorted({episode.operator for episode in episodes}))


@dataclass(frozen=True)
class Beginning:
    """What the memory of a workspace began with.

    Attributes:
        experiences: How many.
        sha256: Over uid and content of each; equal exactly if two memories began alike.
        trained_on: Operators whose episodes its evidence comes from: nothing measured
            on them with this memory says anything about the method.
    """

    experiences: int
    sha256: str
    trained_on: tuple[str, ...] = ()


def seed_bank() -> Bank:
    """The bank that ships."""
    return Bank("the seed bank", cold_start_bank())


def evolved_bank() -> Bank:
    """The memory the recorded run that ships ended with."""
    memory = evolved_memory()
    return Bank(
        "the memory of the recorded run, trained on evaluation operators", (), memory
    )


def mined_bank() -> Bank:
    """The bank of the paper's cold start: mined from operators outside the evaluation."""
    return Bank("the mined bank", mined_experiences())


def session_bank(session: Session) -> Bank:
    """The experiences a recorded run began with."""
    return Bank(
        f"the bank of {session.header.title!r}",
        tuple((item.uid, experience_of(item)) for item in session.items),
    )


def read_bank(name: str) -> Bank:
    """The bank a person names: one that ships, a folder of TOML files, one such file, or a session.

    Those that ship are `seeds`, `mined`, `none`, `demo` (what the demonstration began
    with) and `evolved`.

    Raises:
        SageError: There is none of that name.
        InvalidInput: It cannot be read; names file and item.
    """
    if name == SEEDS:
        return seed_bank()
    if name == MINED:
        return mined_bank()
    if name == NONE:
        return Bank("no experience", ())
    if name == DEMO:
        return session_bank(demonstration())
    if name == EVOLVED:
        return evolved_bank()
    path = Path(name).expanduser()
    if not path.exists():
        raise SageError(
            "There is no bank {name}.",
            "Name a folder of TOML files, one such file, a session file, seeds, mined, none, demo or evolved.",
            name=name,
        )
    if path.is_dir() or path.suffix == ".toml":
        return Bank(f"the bank in {path}", read_seeds(path))
    return session_bank(read_session(path))


def begin_memory(workspace: Workspace, bank: Bank | None = None) -> str:
    """Give a workspace in which nothing ran yet the bank its memory begins with, in one transaction.

    Args:
        workspace: Its memory stays as it is once an operator was run, and without
            `bank` also when it holds experiences already or was begun before.
        bank: What a person asked for; the seed bank when they said nothing.

    Returns:
        One sentence for the person, empty when there is nothing new to say.
    """
    with workspace.transaction() as db:
        if db.execute("SELECT 1 FROM trajectory LIMIT 1").fetchone():
            return (
                ""
                if bank is None
                else f"Operators were run here before, so {bank.name} is not added."
            )
        initial_bank = bank or seed_bank()
        if bank is None and workspace.meta(_BEGAN):
            return ""
        has_items = bank is None and db.execute("SELECT 1 FROM item LIMIT 1").fetchone()
        if not has_items and initial_bank.seeds:
            add_seeds(MemoryStore(workspace), initial_bank.seeds)
        if not has_items and initial_bank.memory is not None:
            merge_bank(
                MemoryStore(workspace),
                initial_bank.memory,
                source=initial_bank.name,
                state=ItemState.ACTIVE,
            )
        began = note_beginning(workspace, () if has_items else initial_bank.trained_on)
    what = "the experiences that are here" if has_items else initial_bank.name
    return f"The memory begins with {what}: {began.experiences} in all, sha256 {began.sha256[:12]}…"


def note_beginning(workspace: Workspace, trained_on: tuple[str, ...] = ()) -> Beginning:
    """Write down what the memory holds before anything is run.

    Within the caller's transaction.
    """
    lines = sorted(
        f"{item.uid} {content_hash(item.experience)}\n"
        for item in MemoryStore(workspace).items()
    )
    began = Beginning(
        len(lines), hashlib.sha256("".join(lines).encode()).hexdigest(), trained_on
    )
    workspace.set_meta(_BEGAN, msgspec.json.encode(began).decode())
    return began


def beginning(workspace: Workspace) -> Beginning | None:
    """What the memory began with.

    None where it was not written down: an older file, or nothing was run.
    """
    stored = workspace.meta(_BEGAN)
    return msgspec.json.decode(stored, type=Beginning) if stored else None


def experience_of(item: SessionItem) -> Experience:
    """The content of a session's bank item."""
    return record_of(
        Experience,
        item,
        code_diff=CodeDiff(
            item.code_diff.get("wrong_code", ""), item.code_diff.get("correct_code", "")
        ),
        scope=Scope(**{name: tuple(values) for name, values in item.scope.items()}),
    )
