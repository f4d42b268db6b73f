"""What the model asks within a round before it commits itself to a candidate: diagnostics and look-ups.

Neither costs a round; diagnostics are limited in a trajectory, look-ups in a round.
Each answer is stored before the model hears of it, so that a continued round repeats
none.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import replace

from core.agent.prompt.feedback import diagnostic_text
from core.agent.reply.record import DIAGNOSTIC, FILES, LOOK_UP, Complaint, Reply
from core.agent.run.records import DiagnosticMade, LookedUp, ProgressNote
from core.agent.run.run_context import RunContext, Task
from core.evaluation.integrity.core_work import denied_to
from core.evaluation.records import Candidate, DiagnosticResult
from core.method.parameters import DIAGNOSTICS_PER_TRAJECTORY, LOOK_UPS_PER_ROUND
from core.references.look_up import charged


class Examination:
    """The diagnostics and look-ups of one round.

    Both count in the numbers of its exchanges. `start` is everywhere the files that the
    edits of the reply start from.

    Args:
        run: What the trajectory works with; without diagnostics every request is
            refused.
        task: The trajectory.
        number: Of the round.
    """

    def __init__(self, run: RunContext, task: Task, number: int) -> None:
        self._run = run
        self._task = task
        self._round = number
        self._exchanges = self._made = 0
        self._looked_up: list[
            tuple[tuple[str, ...], str]
        ] = []  # what was asked, what was answered
        self._before = run.journal.diagnostics_used(task.uid, number)

    @property
    def tools(self) -> Mapping[str, str]:
        """Name -> what it shows."""
        return self._run.evaluator.tools

    @property
    def look_ups(self) -> int:
        """How many names or words may be looked up in a round.

        0 where nothing can be.
        """
        allowed = self._task.parameters.references == "full"
        return LOOK_UPS_PER_ROUND if allowed and self._run.references else 0

    @property
    def remaining_diagnostics(self) -> int:
        """Diagnostics that are still possible in the trajectory."""
        return DIAGNOSTICS_PER_TRAJECTORY - self._before - self._made

    def pass_over(self, diagnostics: int) -> None:
        """Count those of a round that is continued behind its diagnosis."""
        self._exchanges = self._made = diagnostics

    def checked(self, reply: Reply, start: Mapping[str, str]) -> Reply:
        """`reply`, or with a complaint in place of each question that cannot be answered."""
        return self._checked_look_up(self._checked_diagnostic(reply, start))

    def _checked_look_up(self, reply: Reply) -> Reply:
        """The reply without a look-up that cannot be answered any more, and a complaint in its place."""
        if not reply.look_up or self._room_for(reply.look_up):
            return reply
        problem = (
            "All look-ups of this round are used"
            if self.look_ups
            else "Nothing can be looked up here"
        )
        complaint = Complaint(
            LOOK_UP, f"{problem}; send the candidate.", "" if reply.files else FILES
        )
        return replace(reply, look_up=(), complaints=(*reply.complaints, complaint))

    def _room_for(self, queries: tuple[str, ...]) -> int:
        """How many of some queries may be looked up: one that an answer before was cut for always."""
        before = charged(self._looked_up)
        if charged([*self._looked_up, (queries, "")]) == before:
            return len(queries) if self.look_ups else 0
        return max(0, self.look_ups - before)

    def _checked_diagnostic(self, reply: Reply, start: Mapping[str, str]) -> Reply:
        """The reply without a diagnostic that cannot be run, and a complaint that says why.

        Args:
            reply: Of the model.
            start: Files of the kernel the round began with.
        """
        if reply.diagnostic is None:
            return reply
        diagnostic = reply.diagnostic
        problem = ""
        if not self.tools:
            problem = "There are no diagnostics here; send the candidate."
        elif self.remaining_diagnostics <= 0:
            problem = "All diagnostics of this task are used; send the candidate."
        elif diagnostic.tool not in self.tools:
            problem = f"There is no diagnostic {diagnostic.tool}; there are {', '.join(self.tools)}."
        elif not (start or reply.files):
            problem = "There is no kernel to examine yet; send the candidate, or a probe under `## Files`."
        if not problem:
            return reply
        # The probe and what is wrong with it go with the request: it was never meant to
        # be judged.
        complaints = tuple(
            c for c in reply.complaints if c.subject != FILES and "/" not in c.subject
        )
        return replace(
            reply,
            diagnostic=None,
            files={},
            complaints=(*complaints, Complaint(DIAGNOSTIC, problem, FILES)),
        )

    def asks(self, reply: Reply) -> bool:
        """Whether a checked reply asks for something that can be answered now."""
        return bool(reply.look_up) or (
            reply.diagnostic is not None and not reply.complaints
        )

    async def answer(self, reply: Reply, start: Mapping[str, str]) -> tuple[str, int]:
        """The answer for the model, and the number of the exchange in the round."""
        self._exchanges += 1
        number, parts = self._exchanges, []
        if reply.diagnostic is not None and not reply.complaints:
            result = await self._diagnosed(reply, start, number)
            parts.append(f"The diagnostic answers:\n\n{diagnostic_text(result)}")
            parts.append(
                f"{self.remaining_diagnostics} further diagnostics are possible in this task."
            )
        if reply.look_up:
            parts.append(self._look_up_answer(reply.look_up, number))
        return "\n\n".join(parts), number

    def _look_up_answer(self, queries: tuple[str, ...], number: int) -> str:
        """The reference on as many queries as are left in the round."""
        assert self._run.references is not None
        references, journal = self._run.references, self._run.journal
        allowed = queries[: self._room_for(queries)]
        stored = journal.look_up(self._task.uid, self._round, number)
        answer = references.answer(allowed) if stored is None else stored
        self._looked_up.append((allowed, answer))
        remaining = max(0, self.look_ups - charged(self._looked_up))
        if stored is None:
            journal.store_look_up(
                self._task.uid, self._round, number, allowed, answer, references.digest
            )
            self._run.observe(
                LookedUp(*self._task.stamp, self._round, allowed, remaining)
            )
        dropped = ", ".join(queries[len(allowed) :])
        ending = f"{remaining} further look-ups are possible in this round."
        ending += (
            f" Not looked up, for there were more than allowed: {dropped}."
            if dropped
            else ""
        )
        ending += self._denied_in(answer)
        return f"# What was looked up\n\n{answer}\n\n{ending}"

    def _denied_in(self, answer: str) -> str:
        """Which names of an answer this operator may not call."""
        names = [
            name
            for name in denied_to(self._task.operator)
            if re.search(rf"\b{re.escape(name)}\b", answer)
        ]
        if not names:
            return ""
        return f" Not to be called for this operator: {', '.join(names)}."

    async def _diagnosed(
        self, reply: Reply, start: Mapping[str, str], number: int
    ) -> DiagnosticResult:
        """The answer to a diagnostic, stored or new."""
        assert reply.diagnostic is not None
        diagnostic, observe = reply.diagnostic, self._run.observe
        self._made += 1
        journal = self._run.journal
        stored = journal.diagnostic(self._task.uid, self._round, number)
        if stored is not None:
            return stored
        candidate = Candidate({**start, **reply.files})
        began = time.monotonic()
        result = await self._run.evaluator.diagnose(
            self._task.operator,
            candidate,
            diagnostic.tool,
            diagnostic.case,
            lambda text: observe(ProgressNote(*self._task.stamp, text)),
            ticket=f"{self._task.uid}/{self._round}/diagnostic/{number}",
        )
        seconds = time.monotonic() - began
        journal.store_diagnostic(
            self._task.uid,
            self._round,
            number,
            diagnostic.case,
            candidate,
            result,
            seconds,
        )
        observe(
            DiagnosticMade(
                *self._task.stamp,
                self._round,
                diagnostic.tool,
                diagnostic.case,
                result.ok,
                result.summary,
                self.remaining_diagnostics,
            )
        )
        return result
