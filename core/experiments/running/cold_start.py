"""The paper's cold start as one batch: generate kernels for simple operators, compare with experts', draft.

Paper, "Cold-start knowledge construction": conditioned on the three references the agent generates kernels
for simple operators disjoint from those of the evaluation; once one compiles it is compared with an expert's.
A kernel that is there already is compared as it is.
Everything stands in one workspace: the trajectories, and what was drafted, waiting for a person.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.agent.learning.mining import (
    Mined,
    mine,
    mine_with_model,
    refuse_evaluated,
    store_mined,
)
from core.agent.run.journal import Journal
from core.agent.run.stopping import NOT_BUILT
from core.engine import queue
from core.errors import InvalidInput
from core.evaluation.candidate_folder import read_project
from core.memory.store import MemoryStore
from core.method.methods import method
from core.method.parameters import NO_ENCODER, MethodParameters
from core.models.port import ModelProvider
from core.operators.catalogue import find_operator, operator_names
from core.operators.spec import OperatorSpec
from core.workspace import Workspace

EXPERT = "expert"  # folder of the expert's project inside an operator's
CANDIDATE = "candidate"  # folder of a generated project, where there is one already
BATCH = (
    "cold start"  # label of what it queues: the workspace may hold a queue of its own
)
_DRAFTED = "cold_start"  # key in the workspace: what was drafted from an operator


@dataclass(frozen=True)
class Source:
    """A simple operator with an expert's kernel.

    Attributes:
        folder: Holds operator.toml, reference.py, `expert` and maybe `candidate`.
        operator: What both kernels compute.
        expert: Path -> text of the expert's project.
        candidate: Path -> text of a generated project that compiles; None: the model writes it.
    """

    folder: Path
    operator: OperatorSpec
    expert: Mapping[str, str]
    candidate: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Drafted:
    """What became of an operator.

    Attributes:
        operator: Its name.
        round: Whose kernel compiled first; 0: none did, or a kernel was there.
        uids: The drafts.
        reason: Why they wait, or why there are none.
        compared: Whether there was a kernel to compare with the expert's.
    """

    operator: str
    round: int
    uids: tuple[str, ...]
    reason: str
    compared: bool = True


def parameters(rounds: int) -> MethodParameters:
    """Those of the generation: no memory, the paper's three references, until a kernel compiles."""
    base = MethodParameters(
        T=rounds, references="paper", goal="compiles", encoder=NO_ENCODER
    )
    return method("refinement").parameters(base)


def read_sources(folder: Path, evaluated: Collection[str]) -> tuple[Source, ...]:
    """Read the operators of a folder, each a folder with an operator and its `expert` project.

    Raises:
        InvalidInput: There is none, or one has no expert's project.
        NotDisjoint: One of them is evaluated.
    """
    sources = []
    for name in operator_names(folder):
        place = folder / name
        operator = find_operator(str(place), name)
        if not (place / EXPERT).is_dir():
            raise InvalidInput(
                str(place), EXPERT, "is not there", "Put the expert's project into it."
            )
        expert = read_project(place / EXPERT)
        refuse_evaluated(operator.name, evaluated, expert)
        candidate = None
        if (place / CANDIDATE).is_dir():
            candidate = read_project(place / CANDIDATE)
        sources.append(Source(place, operator, expert, candidate))
    if not sources:
        raise InvalidInput(
            str(folder),
            "folder",
            "holds no operators",
            "Each is a folder with operator.toml.",
        )
    return tuple(sources)


def queue_sources(workspace: Workspace, sources: Collection[Source]) -> None:
    """Queue the operators that have no kernel and are not queued yet, and those again that were cut short."""
    for source in sources:
        if source.candidate is not None:
            continue
        name, folder = source.operator.name, str(source.folder)
        if queue.newest_entry(workspace, name, folder, BATCH) is None:
            queue.enqueue(workspace, name, folder, BATCH)
    queue.resume_failed(workspace, batch=BATCH)


def first_compiled(
    workspace: Workspace, operator: str
) -> tuple[int, Mapping[str, str]] | None:
    """(round, files) of the first kernel generated here that compiled; None where none did."""
    journal = Journal(workspace)
    rows = workspace.db.execute(
        "SELECT t.uid FROM trajectory t JOIN queue_entry q ON q.id = t.queue_id "
        "WHERE t.operator = ? AND q.label = ? ORDER BY t.rowid",
        (operator, BATCH),
    )
    for (uid,) in rows.fetchall():
        for entry in journal.rounds(uid):
            if entry.has_verdict and entry.verdict not in NOT_BUILT:
                return entry.round, journal.candidate(entry.candidate).files
    return None


async def draft(
    workspace: Workspace, source: Source, provider: ModelProvider | None
) -> Drafted:
    """Compare the generated kernel of an operator with the expert's; once, whatever was interrupted.

    Args:
        workspace: Holds the generated kernels, and gets the drafts.
        source: The operator.
        provider: Who writes the patterns; None: a plain comparison does.
    """
    name = source.operator.name
    drafted = json.loads(workspace.meta(_DRAFTED) or "{}")
    if name in drafted:
        return Drafted(
            name, drafted[name]["round"], tuple(drafted[name]["uids"]), "drafted before"
        )
    if source.candidate is not None:
        number, files = 0, source.candidate
    else:
        generated = first_compiled(workspace, name)
        if generated is None:
            return Drafted(name, 0, (), "no kernel compiled", compared=False)
        number, files = generated
    pair = (name, source.operator.category, files, source.expert, operator_names())
    mined = Mined(mine(*pair), "mined, not reviewed")
    if provider is not None:
        mined = await mine_with_model(provider, *pair)
    with workspace.transaction():
        uids = store_mined(MemoryStore(workspace), mined)
        workspace.set_meta(
            _DRAFTED, json.dumps({**drafted, name: {"round": number, "uids": uids}})
        )
    return Drafted(name, number, uids, mined.reason)
