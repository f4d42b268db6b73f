"""A finished memory that is only read: the transfer evaluation of the paper ("Experimental Details").

Retrieval and resident rules come from the frozen file, which nothing is written to. The workspace of the run
keeps the traces; what they name is noted there as archived copies, which are neither retrieved nor resident.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from core.errors import SageError
from core.memory.content import content_columns, content_hash
from core.memory.ledger import Value, record_new
from core.memory.reading import read_items
from core.memory.records import ItemFilter, ItemState, MemoryItem, Retrieve, Retrieved
from core.method.parameters import MethodParameters
from core.text import Text
from core.workspace import Workspace

_DIGEST, _NAME = "frozen_memory", "frozen_memory_name"


class FrozenMemory:
    """An opened frozen memory, of the thread that opened it.

    Attributes:
        path: The file.
        workspace: It, opened so that not even a lock touches its folder.
        digest: sha256 of the file, its identity in results.

    Raises:
        WorkspaceError: The file cannot be read, or is in use and therefore not finished.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.workspace = Workspace.open_frozen(path)
        self.digest = self.workspace.digest()
        self._stamp = _stamp(path)

    def require_unchanged(self) -> None:
        """Check that the file was not written to meanwhile.

        Raises:
            SageError: Results before and after would not belong to one memory.
        """
        if _stamp(self.path) != self._stamp:
            raise SageError(
                "{path} was changed while it was read as a frozen memory.",
                "Make a copy with `sage workspace backup` and begin again in a new workspace with it.",
                path=self.path,
            )

    def note(self, run: Workspace, uids: Iterable[str]) -> None:
        """Write archived copies of items to the run's workspace, for its traces to refer to; each once."""
        with run.transaction() as db:
            present = {row[0] for row in db.execute("SELECT uid FROM item")}
            for item in read_items(
                self.workspace.db, [uid for uid in uids if uid not in present]
            ):
                record_new(
                    db,
                    self._copied(item),
                    "engine",
                    f"read from the frozen memory {self.path.name}",
                )

    def retrieve(
        self,
        search: Retrieve,
        run: Workspace,
        query: str,
        k: int | None,
        parameters: MethodParameters,
        filters: ItemFilter,
    ) -> tuple[Retrieved, ...]:
        """What `search` finds here for a run that keeps its traces in a workspace of its own.

        Every item of the memory is older than the episode.
        """
        self.require_unchanged()
        hits = search(query, k, parameters, replace(filters, until_seq=None))
        self.note(run, [hit.uid for hit in hits])
        return hits

    def close(self) -> None:
        """Close the file."""
        self.workspace.close()

    def _copied(self, item: MemoryItem) -> dict[str, Value]:
        return content_columns(item.experience) | {
            "uid": item.uid,
            "origin": item.origin.value,
            "state": ItemState.ARCHIVED.value,
            "state_reason": f"part of the frozen memory {self.path.name}",
            "content_hash": content_hash(item.experience),
            "rule_text": item.rule_text,
            "rule_example": item.rule_example,
            "auto_title": int(item.auto_title),
            "L_m": item.L_m,
            "tokenizer_id": item.tokenizer_id,
        }


@contextmanager
def frozen_memory(path: Path | None) -> Iterator[FrozenMemory | None]:
    """The frozen memory in a file, closed at the end; None where a run reads its own.

    Raises:
        WorkspaceError: As for `FrozenMemory`.
    """
    memory = FrozenMemory(path) if path else None
    try:
        yield memory
    finally:
        if memory is not None:
            memory.close()


def claim(run: Workspace, memory: FrozenMemory | None) -> None:
    """Bind a workspace to the memory its results are for; one workspace holds results for one memory.

    Raises:
        SageError: It holds results for another memory, or a memory of its own.
    """
    require_fit(run, memory)
    if memory is not None and run.meta(_DIGEST) != memory.digest:
        with run.transaction():
            run.set_meta(_DIGEST, memory.digest)
            run.set_meta(_NAME, memory.path.name)


def require_fit(run: Workspace, memory: FrozenMemory | None) -> None:
    """See that results for `memory`, None for the workspace's own, may be kept in `run`; writes nothing.

    Raises:
        SageError: It holds results for another memory, or a memory of its own.
    """
    stored = run.meta(_DIGEST)
    if memory is None:
        if stored:
            raise SageError(
                "{run} holds results for the frozen memory {memory}.",
                "Name that memory again (sha256 {stored}…), or choose another workspace.",
                run=run.path,
                memory=run.meta(_NAME),
                stored=stored[:12],
            )
        return
    if stored == memory.digest:
        return
    used = run.db.execute(
        "SELECT 1 FROM item UNION ALL SELECT 1 FROM trajectory LIMIT 1"
    ).fetchone()
    if stored or used:
        whose = (
            Text("the frozen memory {memory}", memory=run.meta(_NAME))
            if stored
            else "a memory of its own"
        )
        raise SageError(
            "{run} holds results for {whose}.",
            "Choose a new workspace for this frozen memory.",
            run=run.path,
            whose=whose,
        )


def claimed(run: Workspace) -> tuple[str, str]:
    """Name and sha256 of the frozen memory a workspace holds results for; two empty texts without one."""
    return run.meta(_NAME), run.meta(_DIGEST)


def _stamp(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return (status.st_ino, status.st_size, status.st_mtime_ns)
