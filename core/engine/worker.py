"""Work on one queue entry: begin or continue its trajectory, run it, and store how it ended."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from core.agent.loop.trajectory import Trajectory
from core.agent.prompt.templates import references_digest
from core.agent.run.journal import Journal, TrajectoryRecord
from core.agent.run.limits import LimitReached
from core.agent.run.records import StopKind
from core.agent.run.run_context import RunContext, Task
from core.engine import queue
from core.engine.events import EntryFinished, EntryStarted, OnEvent
from core.engine.queue import QueueEntry
from core.errors import NeedsPerson, SageError
from core.evaluation.secret_seeds import secret_digest, seed_secret, with_secret_seeds
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.models.faults import TransientFault
from core.models.port import RECORDINGS, NoReply
from core.operators.spec import OperatorSpec, judged_by_paper
from core.text import Text
from core.workspace import WorkspaceError
from core.workspace.pauses import pause, resume

NO_REPLIES = "fault of the model: no usable reply"
MORE_TO_SPEND = "Nothing is credited. Run again with more to spend: it goes on."
FindOperator = Callable[[str, str], OperatorSpec]


class WaitsForModel(SageError):
    """The entry is not at fault: it waits in the queue for a run that has a model."""


class EnvironmentWatch:
    """Notices that the environment fails every entry alike: the rest would only cost replies and patience.

    Attributes:
        reason: Why no further entry should be begun, empty while one may.
    """

    def __init__(self) -> None:
        self.reason: str | Text = ""
        self._last: str | Text = ""

    def record(self, fault: str | Text, *, of_all: bool = False) -> str | Text:
        """Take the end of an entry (`fault` empty: another one) and return `reason`.

        Args:
            fault: Why the environment came to no verdict.
            of_all: Every other entry would meet it, or may not be worked on before this
                one.
        """
        if fault and of_all:
            self.reason = Text("stopped: {fault}", fault=fault)
        elif fault and fault == self._last:
            self.reason = Text(
                "stopped: two operators in a row met the same {fault}", fault=fault
            )
        self._last = fault
        return self.reason


class Worker:
    """Runs one entry from `queued` (or an interrupted `running`) to its end.

    Attributes:
        environment_fault: Why it came to no verdict, empty unless the environment,
            whose fault leaves its trajectory open, or the model was at fault.
        fails_all: Whether that fault is one every entry would meet, or this one must
            come first.
        interruption: Which limit stopped it before its end, or that it waits for a
            model; empty otherwise.
    """

    def __init__(
        self,
        run: RunContext,
        parameters: MethodParameters,
        operators: FindOperator,
        on_event: OnEvent,
        entry: QueueEntry,
    ) -> None:
        self._on_event = on_event
        self._run = run
        self._parameters = parameters
        self._operators = operators
        self._entry = entry
        self._journal: Journal = run.journal
        self._workspace = run.journal.workspace
        self._trajectory = entry.trajectory
        self.environment_fault: str | Text = ""
        self.fails_all = False
        self.interruption: str | Text = ""

    async def run(self) -> None:
        """Work on the entry.

        Fixable faults end it as failed; cancelling the task leaves it resumable.
        """
        try:
            await self._work()
        except WorkspaceError as error:
            # Not even its end can be stored: it stays `running`, to be resumed.
            self._note_fault(error)
            self._tell_end("interrupted", error.message, error.remedy)

    async def _work(self) -> None:
        """Run the trajectory to its end; what stops it decides whether it stays open, failed or is void."""
        try:
            task = self._task()
            stop = await Trajectory(self._run, task).run()
        except LimitReached as reached:
            # Nothing is credited; a run that may spend more continues here.
            self.interruption = reached.text
            self.interrupt(reached.text, MORE_TO_SPEND)
        except NoReply as error:
            self._abandon("failed", error.message)
        except WaitsForModel as error:
            self.interruption = error.message
            self.interrupt(error.message, error.remedy)
        except SageError as error:
            # E.g. the server is down: the trajectory stays open, retry continues it.
            self._note_fault(error)
            self._end("failed", error.message)
        else:
            if stop.kind in (StopKind.VOID, StopKind.NO_VERDICT):
                self.environment_fault, self.fails_all = stop.text, self._is_recording()
                self._end(
                    "failed",
                    stop.text,
                    trajectory="void" if stop.kind is StopKind.VOID else "",
                )
            elif stop.kind is StopKind.UNRESOLVED and not self._was_judged():
                self.environment_fault = NO_REPLIES
                self._end("failed", stop.text, trajectory="finished")
            else:
                self._end(
                    "done" if self._is_correct() else "failed",
                    stop.text,
                    trajectory="finished",
                )

    def _note_fault(self, error: SageError) -> None:
        """Keep what the entry could not be at fault for.

        A recording only holds in its order.
        """
        if isinstance(error, (NeedsPerson, WorkspaceError, TransientFault)):
            self.environment_fault = error.message
            self.fails_all = (
                not isinstance(error, TransientFault) or self._is_recording()
            )

    def _is_recording(self) -> bool:
        return self._run.provider.origin in RECORDINGS

    def interrupt(
        self, reason: str | Text = "stopped by the user", remedy: str | Text = ""
    ) -> None:
        """Let the entry wait with its open trajectory: the next run continues in the step it was in."""
        self._store_end("queued", reason, "")
        self._tell_end("interrupted", reason, remedy)

    def cancel(self) -> None:
        """Store that a person cancelled it: its open episode is void, nothing in it earns credit."""
        self._abandon("cancelled", "cancelled by the user", trajectory="cancelled")

    def _task(self) -> Task:
        """Continue the open trajectory of the entry, or begin a new one."""
        operator = self._operators(self._entry.source, self._entry.operator)
        record = self._open_record(operator)
        resumed = record is not None
        if record is None:
            record = self._new_record(operator)
        if record.parameters.rule == "paper":
            operator = judged_by_paper(operator)
        self._trajectory = record.uid
        with self._workspace.transaction():
            if resumed:
                resume(self._workspace.db, record.uid)
            else:
                self._journal.begin(record)
            queue.mark(self._workspace, self._entry.id, "running")
        self._on_event(EntryStarted(self._entry.id, record.uid, operator.name, resumed))
        if self._is_recording():  # its kernels are written already
            return Task(record.uid, self._entry.id, operator, record.parameters)
        secret = seed_secret(self._workspace)
        unforeseen = with_secret_seeds(operator, secret)
        return Task(
            record.uid,
            self._entry.id,
            unforeseen,
            record.parameters,
            secret_digest(secret),
        )

    def _open_record(self, operator: OperatorSpec) -> TrajectoryRecord | None:
        """The open trajectory of the entry, unless task or model changed under it: then void."""
        if not self._entry.trajectory:
            return None
        record = self._journal.trajectory(self._entry.trajectory)
        if record.state != "open":
            return None
        provider = self._run.provider
        if record.forked_from and self._is_recording():
            raise WaitsForModel(
                "A recording cannot continue from what a person wrote.",
                "Set up a run with a model, or manual.",
            )
        if record.forked_from and not record.provider:
            self._journal.assign_fork(record.uid, self._new_record(operator))
            return self._journal.trajectory(record.uid)
        if record.operator_digest != operator.digest:
            reason: str | Text = (
                "the operator was changed while the trajectory was interrupted"
            )
        elif (record.provider, record.provider_origin) != (
            provider.label,
            provider.origin.value,
        ):
            reason = Text("it was begun with {provider}", provider=record.provider)
        else:
            return record
        with self._workspace.transaction():
            self._void_episodes(reason)
            self._journal.finish(record.uid, "void", reason)
        return None

    def _new_record(self, operator: OperatorSpec) -> TrajectoryRecord:
        """The record of a trajectory that begins, with everything it depends on."""
        run = self._run
        return TrajectoryRecord(
            uid=f"{operator.snake_name}-{secrets.token_hex(5)}",
            queue_id=self._entry.id,
            operator=operator.name,
            operator_digest=operator.digest,
            parameters=self._parameters,
            provider=run.provider.label,
            provider_origin=run.provider.origin.value,
            evaluator=run.evaluator.label_for(operator),
            state="open",
            stop_reason="",
            references_digest=references_digest(self._parameters, run.references),
        )

    def _abandon(
        self, state: str, reason: str | Text, *, trajectory: str = "void"
    ) -> None:
        """End the entry without crediting the open episode of its trajectory."""
        with self._workspace.transaction():
            self._void_episodes(reason)
            self._store_end(state, reason, trajectory)
        self._tell_end(state, reason)

    def _void_episodes(self, reason: str | Text) -> None:
        for objective in Objective:
            uid = f"{self._trajectory}-{objective.value}"
            if self._journal.episode_status(uid) == "open":
                self._run.store.void_episode(uid, str(reason))

    def _end(self, state: str, reason: str | Text, *, trajectory: str = "") -> None:
        """Store the end of entry and trajectory, then tell.

        An empty `trajectory` leaves that open.
        """
        self._store_end(state, reason, trajectory)
        self._tell_end(state, reason)

    def _store_end(self, state: str, reason: str | Text, trajectory: str) -> None:
        with self._workspace.transaction():
            if trajectory and self._trajectory:
                self._journal.finish(self._trajectory, trajectory, reason)
            elif self._trajectory:
                pause(self._workspace.db, self._trajectory)
            queue.mark(self._workspace, self._entry.id, state, reason)

    def _tell_end(
        self, state: str, reason: str | Text, remedy: str | Text = ""
    ) -> None:
        """Events follow the commit: who hears them may read the workspace at once."""
        self._on_event(
            EntryFinished(
                self._entry.id,
                self._trajectory,
                self._entry.operator,
                state,
                reason,
                remedy,
            )
        )

    def _was_judged(self) -> bool:
        """Whether any reply led as far as a verdict."""
        query = "SELECT 1 FROM round WHERE trajectory_uid = ? AND verdict <> '' LIMIT 1"
        return (
            self._workspace.db.execute(query, (self._trajectory,)).fetchone()
            is not None
        )

    def _is_correct(self) -> bool:
        row = self._workspace.db.execute(
            "SELECT first_correct_round FROM trajectory WHERE uid = ?",
            (self._trajectory,),
        ).fetchone()
        return row is not None and row[0] is not None
