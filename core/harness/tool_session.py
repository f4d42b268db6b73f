"""A trajectory as tools: the ordinary loop asks, and what a coding agent does with its tools is the reply.

The engine runs `core.agent.loop` as for any model. Its questions come to a desk; each
tool fills the fields of the reply it stands for and hands that in. So rounds, gate,
integrity rules, learning and resuming are those of the loop. The gate is asked here
first as well (`core.agent.reply.gate`): a refused tool call costs none of the
corrections a reply has.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.agent.prompt import templates
from core.agent.prompt.round_prompt import experience_text
from core.agent.reply.gate import validate_reply
from core.agent.reply.protocol import render_files
from core.agent.reply.record import (
    AdoptionClaim,
    DiagnosticAsked,
    Reply,
    ResidentUse,
    checked,
    write_reply,
)
from core.agent.run.journal import Journal, TrajectoryRecord
from core.agent.run.records import progress_of
from core.engine import queue
from core.engine.events import (
    EngineEvent,
    EngineFault,
    EngineState,
    EngineStateChanged,
    EntryFinished,
)
from core.errors import SageError
from core.evaluation.candidate_folder import read_candidate
from core.evaluation.candidate_names import FOLDERS
from core.evaluation.records import origin_words
from core.harness.tool_texts import judged_text, next_text
from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.method.parameters import DIAGNOSTICS_PER_TRAJECTORY, LOOK_UPS_PER_ROUND
from core.models.manual import InboxDesk, WaitingPrompt, shown_messages
from core.models.port import LEARNING, Purpose
from core.references.look_up import charged
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.engine.engine import Engine
    from core.operators.spec import OperatorSpec

PATIENCE_S = (
    45.0  # clients give up after a minute; after that an agent has to ask again
)
FindSource = Callable[[str], tuple[str, str]]
FindOperator = Callable[[str, str], "OperatorSpec"]


class ToolRefused(SageError):
    """A tool did not do what was asked; the agent reads why."""


@dataclass
class Records:
    """What the agent has said so far about the experiences of one round.

    It is stored with the candidate.

    Attributes:
        of: Entries ended before, operator and round.
        claims: uid -> whether it was adopted, and why.
        residents: uid of a resident rule -> where it was applied; None: not stated yet.
    """

    of: tuple[int, str, int] = (0, "", 0)
    claims: dict[str, tuple[bool, str]] = field(default_factory=dict)
    residents: dict[str, str] | None = None


class ToolSession:
    """What the tools do, on one workspace.

    Methods are called from any thread, one at a time.

    Args:
        workspace: The file.
        folder: Where the agent writes `<operator>/op_host/` and
            `<operator>/op_kernel/`.
        find_source: (source, name) of an operator as a person or agent names it.
        find_operator: The operator of a source and name.
        patience: Seconds a call waits for the judge before it says so.
    """

    def __init__(
        self,
        workspace: Path,
        folder: Path,
        find_source: FindSource,
        find_operator: FindOperator,
        *,
        patience: float = PATIENCE_S,
    ) -> None:
        self._path = workspace
        self._folder = folder
        self._find_source = find_source
        self._find_operator = find_operator
        self._patience = patience
        self._changed = threading.Condition()
        self.desk = InboxDesk(self._notify)
        self._engine: Engine | None = None
        self._busy = False
        self._why_idle = ""
        self._finished: list[EntryFinished] = []
        self._answered: WaitingPrompt | None = None
        self._records = Records()
        self._ended = 0

    def bind(self, engine: Engine) -> None:
        """Name the engine whose provider asks at `desk` and whose events come to `on_event`."""
        self._engine = engine

    def close(self) -> None:
        """Stop the engine; what is unfinished is continued by the next session."""
        if self._engine is not None:
            self._engine.stop()

    def on_event(self, event: EngineEvent) -> None:
        """Take an event of the engine, in its thread."""
        if isinstance(event, EngineStateChanged) and event.state is EngineState.IDLE:
            self._busy, self._why_idle = False, str(event.reason)
        elif isinstance(event, EntryFinished):
            self._finished.append(event)
            self._ended += 1
        elif isinstance(event, EngineFault):
            self._why_idle = "a mistake in SAGE Desktop stopped the work; `sage memory verify` checks the file"
        self._notify()

    # ---- the tools

    def task(self, operator: str = "") -> str:
        """Begin an operator, or continue the one in work: all a model reads of it, skill included."""
        if self._question() is None and not self._busy:
            self._begin(operator)
        elif (
            operator
            and self._question() is not None
            and not self._names(operator, self._name())
        ):
            raise ToolRefused(
                "{name} is not finished.",
                "Continue it, or end it with `done`.",
                name=self._name(),
            )
        question = self._settled()
        if question is None:
            return self._end_text()
        if question.request.purpose in LEARNING:
            return self._next(question)
        head = templates.fill("agent_tools", folder=self._place(question))
        return f"{head}\n\n{shown_messages(question.request.messages)}\n\n{self._next(question)}"

    def retrieve(self, diagnosis: str = "") -> str:
        """R_t of the round.

        After the first round the diagnosis of the last feedback is the query.
        """
        question = self._candidate_or_diagnosis()
        if question.request.purpose is Purpose.DIAGNOSE:
            if not diagnosis.strip():
                raise ToolRefused(
                    "A diagnosis is missing: it is what is searched for.",
                    "Name the cause.",
                )
            question = self._open_question(
                self._hand_in(question, Reply(diagnosis=diagnosis.strip()))
            )
        uids = question.request.retrieved
        if not uids:
            return "Memory holds nothing on this. Write the files and call `evaluate`."
        with self._reading() as workspace:
            items = MemoryStore(workspace).items(uids)
        texts = "\n\n".join(experience_text(item) for item in items)
        return f"# Retrieved experiences\n\n{texts}\n\nResolve each with `record_adoption`, then `evaluate`."

    def look_up(self, queries: Sequence[str]) -> str:
        """What the reference says on names or words."""
        question = self._for_candidate()
        names = [" ".join(query.split()) for query in queries if query.strip()]
        if not names:
            raise ToolRefused(
                "There is nothing to look up.", "Give one name or a few words."
            )
        with self._reading() as workspace:
            record = self._record(workspace)
            rows = workspace.db.execute(
                "SELECT queries, answer FROM look_up WHERE trajectory_uid = ? AND round = ? ORDER BY number",
                (record.uid, question.request.round),
            ).fetchall()
            before = [(json.loads(row[0]), workspace.text(row[1])) for row in rows]
        used = charged(before)
        free = charged([*before, (names, "")]) == used
        if record.parameters.references != "full" or (
            used >= LOOK_UPS_PER_ROUND and not free
        ):
            raise ToolRefused(
                "All look-ups of this round are used.",
                "Write the candidate and evaluate it.",
            )
        return self._answer_of(self._hand_in(question, Reply(look_up=tuple(names))))

    def record_adoption(
        self,
        records: Sequence[Mapping[str, object]],
        residents: Sequence[Mapping[str, object]] | None = None,
    ) -> str:
        """Say of experiences whether they were adopted and why, and which resident rules were used."""
        question = self._for_candidate()
        records_of_round, retrieved = (
            self._records_of(question),
            question.request.retrieved,
        )
        for entry in records:
            uid, rationale = (
                str(entry.get("id", "")),
                " ".join(str(entry.get("rationale", "")).split()),
            )
            adopted = entry.get("adopted")
            if uid not in retrieved:
                there = ", ".join(retrieved) or "none"
                raise ToolRefused(
                    "{uid!r} was not retrieved in this round; these were: {there}.",
                    uid=uid,
                    there=there,
                )
            if not isinstance(adopted, bool) or not rationale:
                raise ToolRefused(
                    "{uid}: give `adopted` as true or false, and a rationale.", uid=uid
                )
            records_of_round.claims[uid] = (adopted, rationale)
        if residents is not None:
            uses = {
                str(use.get("id", "")): " ".join(str(use.get("rationale", "")).split())
                for use in residents
            }
            if unknown := [
                uid for uid in uses if uid not in question.request.residents
            ]:
                raise ToolRefused(
                    "No resident rules of this task: {unknown}.",
                    unknown=", ".join(unknown),
                )
            records_of_round.residents = uses
        open_ = [uid for uid in retrieved if uid not in records_of_round.claims]
        stated = (
            records_of_round.residents is not None or not question.request.residents
        )
        missing = (
            f"Unresolved: {', '.join(open_)}. "
            if open_
            else "Every retrieved experience is resolved. "
        )
        return missing + (
            ""
            if stated
            else "`resident_rules` is still to be stated, an empty list for none."
        )

    def evaluate(self, diagnosis: str = "") -> str:
        """Let the files in the folder be judged: one round.

        Called while the judge works, it waits for it.

        Raises:
            ToolRefused: The gate is closed, or nothing is there to be judged. No round
                is used.
        """
        if self._busy and self._question() is None:
            return self._judged(self._settled())
        question = self._for_candidate()
        files = self._changed_files(question)
        if not files:
            raise ToolRefused(
                "Nothing below {place} differs from the candidate before.",
                "Write files of op_host/ and op_kernel/ there. No round was used.",
                place=self._place(question),
            )
        reply = replace(
            self._claims(question), diagnosis=diagnosis.strip(), files=files
        )
        self._require_open(question, reply)
        return self._judged(self._hand_in(question, reply))

    def diagnose(self, tool: str, case: str = "") -> str:
        """A look into the kernel in the folder; costs no round."""
        # Before a diagnosis as well: what it shows may be the cause.
        question = self._candidate_or_diagnosis()
        with self._reading() as workspace:
            record = self._record(workspace)
            used = Journal(workspace).diagnostics_used(
                record.uid, question.request.round + 1
            )
        if used >= DIAGNOSTICS_PER_TRAJECTORY:
            raise ToolRefused(
                "All diagnostics of this task are used.",
                "Write the candidate and evaluate it.",
            )
        files = self._changed_files(question)
        diagnostic = DiagnosticAsked(tool.strip().lower(), case.strip())
        probe = Reply(diagnostic=diagnostic, files=files)
        if checked(probe).complaints:
            raise ToolRefused(
                "{tool} {case} is not a diagnostic.",
                "Name one tool, and one case or none.",
                tool=tool,
                case=case,
            )
        return self._answer_of(self._hand_in(question, probe))

    def best(self) -> str:
        """The best correct kernel so far."""
        with self._reading() as workspace:
            record = self._record(workspace)
            journal = Journal(workspace)
            rounds = journal.rounds(record.uid)
            progress = progress_of(rounds)
            number = progress.best_round or progress.first_correct_round
            winner = next((entry for entry in rounds if entry.round == number), None)
            if winner is None:
                return f"No correct kernel yet, after {progress.rounds_used} of {record.parameters.T} rounds."
            files = journal.candidate(winner.candidate).files
        time_ = (
            f", {winner.latency_us:.2f} us {origin_words(winner.latency_origin)}"
            if winner.latency_us
            else ""
        )
        used = f"{progress.rounds_used} of {record.parameters.T} rounds used"
        return f"Round {number}{time_}; {used}.\n\n{render_files(files)}"

    def done(self, reason: str) -> str:
        """End the optimization, or before the kernel is correct give the operator up."""
        if not reason.strip():
            raise ToolRefused(
                "A reason is missing.", "Say why no further round is worth it."
            )
        question = self._candidate_or_diagnosis()
        reply = replace(
            self._claims(question),
            done=True,
            done_reason=reason.strip(),
            gives_up=question.request.objective != Objective.OPT.value,
        )
        self._require_open(question, reply)
        return self._next(self._hand_in(question, reply))

    def learn(self, text: str) -> str:
        """Answer what memory asks about an operator that was worked on."""
        question = self._open_question(self._settled())
        if question.request.purpose not in LEARNING:
            raise ToolRefused(
                "No question about what was learnt is open now.",
                "Call `task` to see what is next.",
            )
        if not text.strip():
            raise ToolRefused(
                "The answer is empty.", "Answer in the form that the question wants."
            )
        return self._next(self._hand_in(question, text))

    # ---- what a reply consists of

    def _records_of(self, question: WaitingPrompt) -> Records:
        of = (self._ended, question.request.subject, question.request.round)
        if self._records.of != of:
            self._records = Records(of)
        return self._records

    def _claims(self, question: WaitingPrompt) -> Reply:
        """The adoption records and uses of resident rules the agent has stated so far."""
        records = self._records_of(question)
        uses = records.residents or {}
        return Reply(
            adoption=tuple(
                AdoptionClaim(uid, adopted, rationale)
                for uid, (adopted, rationale) in records.claims.items()
            ),
            resident=tuple(ResidentUse(uid, why) for uid, why in uses.items()),
            resident_stated=records.residents is not None,
        )

    def _require_open(self, question: WaitingPrompt, reply: Reply) -> None:
        """The loop's own gate, before anything is handed in."""
        request = question.request
        with self._reading() as workspace:
            traced = self._record(workspace).parameters.traces_adoption
        complaints = validate_reply(
            checked(reply),
            request.retrieved if traced else (),
            request.files,
            may_finish=request.objective == Objective.OPT.value,
            residents=request.residents,
        )
        if complaints:
            raise ToolRefused(
                "Not evaluated: {complaints}",
                "Use `record_adoption` for experiences and rules. No round was used.",
                complaints=" ".join(complaint.message for complaint in complaints),
            )

    def _place(self, question: WaitingPrompt) -> Path:
        """Where the files of an operator lie: each has a folder of its own."""
        return self._folder / question.request.subject

    def _changed_files(self, question: WaitingPrompt) -> dict[str, str]:
        """What lies in the folder and differs from the candidate before."""
        place, before = self._place(question), question.request.files
        if not any((place / part).exists() for part in FOLDERS):
            return {}
        files = read_candidate(place).files
        return {path: text for path, text in files.items() if before.get(path) != text}

    # ---- the desk

    def _begin(self, operator: str) -> None:
        assert self._engine is not None
        with self._reading() as workspace:
            following = queue.next_entry(workspace)
        in_work = following is not None and bool(following.trajectory)
        if (
            following is not None
            and in_work
            and operator
            and not self._names(operator, following.operator)
        ):
            raise ToolRefused(
                "{operator} is not finished.",
                "Continue it: call `task`.",
                operator=following.operator,
            )
        if not in_work and operator:
            source, name = self._find_source(operator)

            def enqueue(workspace: Workspace) -> None:
                queue.run_next(workspace, queue.enqueue(workspace, name, source))

            self._engine.submit(enqueue).result()
        elif following is None:
            raise ToolRefused(
                "Nothing is running here.", "Name an operator: `task` with `operator`."
            )
        self._busy, self._why_idle, self._finished = True, "", []
        self._engine.start()

    def _names(self, operator: str, name: str) -> bool:
        """Whether what `task` was given, a name or the folder of an operator, is `name`."""
        try:
            return operator == name or self._find_source(operator)[1] == name
        except SageError:  # no operator, or several: not this one
            return False

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _question(self) -> WaitingPrompt | None:
        """What the loop waits for, None while it works or rests."""
        waiting = [
            question for question in self.desk.waiting if question is not self._answered
        ]
        return waiting[0] if waiting else None

    def _settled(self) -> WaitingPrompt | None:
        """The next question, or None when the work has ended.

        Raises:
            ToolRefused: Judge or loop are still at work.
        """
        until = time.monotonic() + self._patience
        with self._changed:
            while (question := self._question()) is None and self._busy:
                if (
                    not self._changed.wait(until - time.monotonic())
                    and time.monotonic() >= until
                ):
                    raise ToolRefused(
                        "The evaluation is still running.",
                        "Call `evaluate` again to wait for it.",
                    )
        return question

    def _hand_in(
        self, question: WaitingPrompt, reply: Reply | str
    ) -> WaitingPrompt | None:
        """Answer a question.

        What memory asks is answered in words, a round by the record.
        """
        text = reply if isinstance(reply, str) else write_reply(reply)
        self._answered = question
        if not self.desk.answer(question.key, text):
            raise ToolRefused(
                "That question is no longer waiting.",
                "Call `task` to see what is next.",
            )
        return self._settled()

    def _open_question(self, question: WaitingPrompt | None) -> WaitingPrompt:
        if question is None:
            raise ToolRefused(self._end_text())
        return question

    def _candidate_or_diagnosis(self) -> WaitingPrompt:
        question = self._open_question(self._settled())
        if question.request.purpose in LEARNING:
            raise ToolRefused(self._next(question))
        return question

    def _for_candidate(self) -> WaitingPrompt:
        question = self._candidate_or_diagnosis()
        if question.request.purpose is Purpose.DIAGNOSE:
            raise ToolRefused(
                "This round has not begun.",
                "Call `retrieve` with your diagnosis first.",
            )
        return question

    # ---- what the agent reads

    def _judged(self, following: WaitingPrompt | None) -> str:
        """The feedback on the round judged last, and what is next.

        A refused reply is refused here.
        """
        if following is not None and following.request.purpose is Purpose.CORRECTION:
            raise ToolRefused(following.request.messages[-1].content)
        with self._reading() as workspace:
            record = self._record(workspace)
            journal = Journal(workspace)
            operator = self._find_operator(
                self._source(workspace, record), record.operator
            )
            judged = judged_text(journal, record, operator)
        following_text = self._next(following)
        return f"{judged}\n\n{following_text}" if judged else following_text

    def _answer_of(self, following: WaitingPrompt | None) -> str:
        question = self._open_question(following)
        if question.request.purpose is Purpose.CORRECTION:
            raise ToolRefused(question.request.messages[-1].content)
        return question.request.messages[-1].content

    def _next(self, question: WaitingPrompt | None) -> str:
        return self._end_text() if question is None else next_text(question.request)

    def _end_text(self) -> str:
        ends = [
            f"{end.operator} is {end.state}: {end.reason}." for end in self._finished
        ]
        text = " ".join([*ends, self._why_idle]).strip()
        if not text:
            return "Nothing is in work: `task` with an operator begins one."
        return f"Finished. {text} `task` with another operator begins that one."

    # ---- the workspace

    def _reading(self) -> Workspace:
        return Workspace.open_readonly(self._path)

    def _record(self, workspace: Workspace) -> TrajectoryRecord:
        """The trajectory worked on last."""
        row = workspace.db.execute(
            "SELECT uid FROM trajectory ORDER BY rowid DESC LIMIT 1"
        ).fetchone()
        question = self._question()
        if question is not None:
            query = "SELECT uid FROM trajectory WHERE operator = ? AND state = 'open' ORDER BY rowid DESC LIMIT 1"
            row = (
                workspace.db.execute(query, (question.request.subject,)).fetchone()
                or row
            )
        if row is None:
            raise ToolRefused(
                "No operator was started.", "Call `task` with an operator."
            )
        return Journal(workspace).trajectory(row[0])

    def _name(self) -> str:
        with self._reading() as workspace:
            return self._record(workspace).operator

    @staticmethod
    def _source(workspace: Workspace, record: TrajectoryRecord) -> str:
        return queue.entry(workspace, record.queue_id).source
