"""Fork from here: a person edits the kernel of a round, and a trajectory of its own continues from there.

The trajectory it came from stays as it is, with its credit. The fork begins with the
same rounds and the same view of the memory; the person's version is its next round,
judged like any other. From then on it earns no credit and is in no metric (ER,
Fast_1.0), because what a person wrote says nothing about the method.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.agent.run.journal import Journal, TrajectoryRecord
from core.agent.run.records import Step, StoredRound, progress_of
from core.engine import queue
from core.errors import InvalidInput, SageError
from core.evaluation.candidate_names import name_fault
from core.evaluation.records import Candidate
from core.memory.ledger import next_seq, write_change
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.workspace import Workspace, now
from core.workspace.pauses import pause
from core.workspace.rows import insert

LABEL = "fork"  # of its queue entry, so that no batch counts it among its own
LEAST_ROUNDS = 5  # that are left after the person's, where nothing else is said
_EPISODES = """
INSERT INTO episode(uid, trajectory_uid, operator, objective, parameters, memory_seq_at_start,
  hot_snapshot_seq, hot_block, residents, started_at)
SELECT :new || '-' || :objective, :new, operator, :objective, :parameters, memory_seq_at_start,
  hot_snapshot_seq, hot_block, residents, :at
FROM episode WHERE trajectory_uid = :old ORDER BY objective = :objective DESC, rowid DESC LIMIT 1
"""
_ROUNDS = """
INSERT INTO round(trajectory_uid, round, episode_uid, step, diagnosis, query, candidate, verdict, cause,
  latency_us, latency_origin, evaluation, started_at, finished_at, author)
SELECT :new, r.round, :new || '-' || e.objective, r.step, r.diagnosis, r.query, r.candidate, r.verdict,
  r.cause, r.latency_us, r.latency_origin, r.evaluation, r.started_at, r.finished_at, r.author
FROM round r JOIN episode e ON e.uid = r.episode_uid WHERE r.trajectory_uid = :old AND r.round <= :upto
"""


@dataclass(frozen=True)
class Fork:
    """A trajectory that continues from a person's version.

    Attributes:
        trajectory: Its uid.
        queue_id: The entry that waits for the next run.
        round: Number of the person's version.
        objective: What that round and the next ones are for.
    """

    trajectory: str
    queue_id: int
    round: int
    objective: Objective


def fork(
    workspace: Workspace,
    trajectory: str,
    number: int,
    files: Mapping[str, str],
    note: str = "",
    rounds: int = 0,
) -> Fork:
    """Begin a trajectory with the rounds of another up to `number` and a person's version after them.

    One transaction; nothing is judged here. The entry is queued first, and the run that
    takes it judges the version and continues.

    Args:
        workspace: Writable.
        trajectory: Whose round was edited.
        number: Of that round; it was judged.
        files: The whole project as the person left it, path -> text.
        note: What the person says about it; the model reads it.
        rounds: How many the model may play after it; 0: those left of the budget, at
            least `LEAST_ROUNDS`.

    Raises:
        SageError: There is no such round, it was not judged, or nothing was changed.
        InvalidInput: A file has no name a compiler takes.
    """
    journal = Journal(workspace)
    source = journal.trajectory(trajectory)
    before = tuple(
        entry for entry in journal.rounds(trajectory) if entry.round <= number
    )
    edited = _checked(source, before, number, files)
    least = len(before) + 1 + (rounds or LEAST_ROUNDS)
    parameters = replace(
        source.parameters, T=least if rounds else max(source.parameters.T, least)
    )
    objective = _objective(before, parameters)
    uid = f"{trajectory.rpartition('-')[0] or trajectory}-{secrets.token_hex(5)}"
    names = {
        "new": uid,
        "old": trajectory,
        "upto": number,
        "parameters": parameters.to_json(),
        "at": now(),
    }
    with workspace.transaction() as db:
        waiting = queue.enqueue(
            workspace, source.operator, _source(workspace, source), LABEL
        )
        journal.begin(_record(source, uid, waiting, parameters, number))
        for goal in dict.fromkeys((*(entry.objective for entry in before), objective)):
            db.execute(_EPISODES, {**names, "objective": goal.value})
        db.execute(_ROUNDS, names)
        digest = journal.store_candidate(edited)
        insert(
            db,
            "round",
            trajectory_uid=uid,
            round=number + 1,
            episode_uid=f"{uid}-{objective.value}",
            step=Step.GATED.value,
            diagnosis=note.strip(),
            candidate=digest,
            author="person",
            started_at=str(names["at"]),
        )
        journal.set_progress(uid, progress_of(before))
        pause(db, uid)
        write_change(
            db,
            next_seq(db),
            "fork",
            None,
            {},
            {},
            actor="user",
            reason=note.strip(),
            note={
                "trajectory": uid,
                "from": trajectory,
                "round": number,
                "candidate": digest,
            },
        )
        queue.run_next(workspace, waiting)
    return Fork(uid, waiting, number + 1, objective)


def _checked(
    source: TrajectoryRecord,
    before: tuple[StoredRound, ...],
    number: int,
    files: Mapping[str, str],
) -> Candidate:
    """The edited kernel that a fork begins with.

    Raises:
        SageError: The round has no verdict, or nothing was changed.
        InvalidInput: A file has a name that no candidate may have.
    """
    if not before or before[-1].round != number or not before[-1].has_verdict:
        raise SageError(
            "Round {round} of {operator} was not evaluated.",
            "Choose a round that has a verdict.",
            round=number,
            operator=source.operator,
        )
    for path in files:
        if fault := name_fault(path):
            raise InvalidInput("version", path, fault, "Rename the file.")
    edited = Candidate(dict(files))
    if edited.digest == before[-1].candidate:
        raise SageError(
            "This is the kernel of round {round} as it stands.",
            "Change it first.",
            round=number,
        )
    return edited


def _objective(
    before: tuple[StoredRound, ...], parameters: MethodParameters
) -> Objective:
    """Optimization where it would be the model's turn to optimize, else correctness."""
    progress = progress_of(before)
    optimizes = (
        parameters.goal == "fast" and progress.correct and progress.t_first is not None
    )
    return Objective.OPT if optimizes else Objective.CORR


def _record(
    source: TrajectoryRecord,
    uid: str,
    entry: int,
    parameters: MethodParameters,
    number: int,
) -> TrajectoryRecord:
    """What continues it is noted by the run that takes it."""
    return replace(
        source,
        uid=uid,
        queue_id=entry,
        parameters=parameters,
        provider="",
        provider_origin="",
        evaluator="",
        state="open",
        stop_reason="",
        references_digest="",
        forked_from=source.uid,
        forked_round=number,
    )


def _source(workspace: Workspace, record: TrajectoryRecord) -> str:
    """Where the operator's description is."""
    return (
        queue.entry(workspace, record.queue_id).source
        if record.queue_id
        else "catalogue"
    )
