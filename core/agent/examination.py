"""Diagnostics within a round: what the model asked to see before it commits itself to a candidate.

They cost no round but have a limit of their own in a trajectory. Each answer is stored before the model hears
of it, so that a continued round repeats none.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from core.agent.protocol import DIAGNOSTIC, FILES, Complaint, Reply
from core.agent.records import DiagnosticMade, ProgressNote
from core.agent.tools import Task, Tools
from core.evaluation.records import Candidate, DiagnosticResult


class Examination:
    """The diagnostics of one round.

    Args:
        tools: What the trajectory works with; without diagnostics every request is refused.
        task: The trajectory.
        number: Of the round.
    """

    def __init__(self, tools: Tools, task: Task, number: int) -> None:
        self._tools = tools
        self._task = task
        self._round = number
        self._made = 0
        self._before = tools.journal.diagnostics_used(task.uid, number)

    @property
    def tools(self) -> Mapping[str, str]:
        """Name -> what it shows; empty when none are allowed."""
        allowed = self._tools.diagnostics is not None and self._task.parameters.diagnostics > 0
        return self._tools.diagnostics.tools if self._tools.diagnostics is not None and allowed else {}

    @property
    def left(self) -> int:
        """Diagnostics that are still possible in the trajectory."""
        return self._task.parameters.diagnostics - self._before - self._made

    def checked(self, reply: Reply, base: Mapping[str, str]) -> Reply:
        """`reply`, or with a complaint in place of a diagnostic that cannot be made."""
        if reply.diagnostic is None:
            return reply
        asked = reply.diagnostic
        problem = ""
        if not self.tools:
            problem = "There are no diagnostics here; send the candidate."
        elif self.left <= 0:
            problem = "All diagnostics of this task are used; send the candidate."
        elif asked.tool not in self.tools:
            problem = f"There is no diagnostic {asked.tool}; there are {', '.join(self.tools)}."
        elif not (base or reply.files):
            problem = "There is no kernel to examine yet; send the candidate, or a probe under `## Files`."
        if not problem:
            return reply
        # The probe and what is wrong with it go with the request: it was never meant to be judged.
        kept = tuple(c for c in reply.complaints if c.subject != FILES and "/" not in c.subject)
        return replace(
            reply, diagnostic=None, files={}, complaints=(*kept, Complaint(DIAGNOSTIC, problem, FILES))
        )

    async def answer(self, reply: Reply, base: Mapping[str, str]) -> tuple[DiagnosticResult, int]:
        """The answer to the next diagnostic of the round, stored or new, and its number in the round."""
        assert reply.diagnostic is not None
        assert self._tools.diagnostics is not None
        asked, observe = reply.diagnostic, self._tools.observe
        self._made += 1
        number, journal = self._made, self._tools.journal
        known = journal.diagnostic(self._task.uid, self._round, number)
        if known is not None:
            return known, number
        candidate = Candidate({**base, **reply.files})
        began = time.monotonic()
        result = await self._tools.diagnostics.diagnose(
            self._task.operator,
            candidate,
            asked.tool,
            asked.case,
            lambda text: observe(ProgressNote(*self._task.stamp, text)),
            ticket=f"{self._task.uid}/{self._round}/diagnostic/{number}",
        )
        seconds = time.monotonic() - began
        journal.store_diagnostic(self._task.uid, self._round, number, asked.case, candidate, result, seconds)
        observe(
            DiagnosticMade(
                *self._task.stamp, self._round, asked.tool, asked.case, result.ok, result.summary, self.left
            )
        )
        return result, number
