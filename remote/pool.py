"""Several hosts as one evaluator: work goes where there is room, and elsewhere when a host stays away.

One evaluation gives one answer, however many hosts it visited: what a lost host still runs is left there,
never asked for, and ended when the host is back.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import SageError
from core.evaluation.port import STOPPING, Evaluator, Progress
from core.evaluation.records import Candidate, DiagnosticResult, Evaluation, VerdictClass
from core.operators.spec import OperatorSpec
from core.sentence import Sentence
from remote.connection.faults import NeedsUser
from remote.connection.reconnecting import ConnectionState
from remote.diagnostics.asking import ask_tool
from remote.evaluator import HostEvaluator
from remote.hosts.detached import DetachedHost
from remote.toolchains.port import NO_PROBE, Probe

GRACE_S = 120.0
_REST_S = 60.0
_LOOK_S = 0.2
_ASK_S = 5.0


def _common(values: Iterable[str]) -> str:
    """What all say, nothing when they do not agree."""
    said = set(values)
    return said.pop() if len(said) == 1 else ""


@dataclass(eq=False)
class _Member:
    """One host with its evaluator, and what is known of its health."""

    evaluator: HostEvaluator
    working: int = 0
    away_since: float | None = None
    rests_until: float = 0.0
    reason: str = ""
    orphans: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def slots(self) -> int:
        return self.evaluator.host.slots

    def away(self) -> float:
        """Seconds its line has been down; 0 for a host that is there or was not asked yet."""
        host = self.evaluator.host
        if not isinstance(host, DetachedHost):
            return 0.0
        state = host.connection.status.state
        if state in (
            ConnectionState.ONLINE,
            ConnectionState.SUSPECT,
            ConnectionState.OFFLINE,
            ConnectionState.CONNECTING,
        ):
            self.away_since = None
            return 0.0
        if self.away_since is None:
            self.away_since = time.monotonic()
        return time.monotonic() - self.away_since


class PoolEvaluator(Evaluator):
    """Evaluates on several hosts with the same toolchain.

    Args:
        evaluators: One for each host.
        grace_s: Seconds a host may be out of reach before its work is done elsewhere.
    """

    def __init__(self, evaluators: Sequence[HostEvaluator], grace_s: float = GRACE_S) -> None:
        self._members = [_Member(evaluator) for evaluator in evaluators]
        self._grace_s = grace_s
        self._room = asyncio.Event()

    @property
    def label(self) -> str:
        """All hosts, and the toolchain."""
        first, *others = (member.evaluator.host.label for member in self._members)
        for other in others:
            first = Sentence("{hosts}, {host}", hosts=first, host=other)
        toolchain = self._members[0].evaluator.toolchain_label
        return Sentence("{host} · {toolchain}", host=first, toolchain=toolchain)

    @property
    def soc(self) -> str:
        """Processor of the toolchain all hosts have; empty where hosts differ."""
        return _common(member.evaluator.soc for member in self._members)

    @property
    def cann(self) -> str:
        """CANN of the hosts; empty where they differ."""
        return _common(member.evaluator.cann for member in self._members)

    @property
    def tools(self) -> Mapping[str, str]:
        """Diagnostics of the toolchain all hosts have."""
        return self._members[0].evaluator.tools

    async def diagnose(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        tool: str,
        case: str,
        progress: Progress,
        ticket: str = "",
    ) -> DiagnosticResult:
        """Run a tool on whatever host there is room."""
        tools = self._members[0].evaluator.toolchain_tools
        return await ask_tool(tools, self.evaluate, operator, candidate, tool, case, progress, ticket)

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
        probe: Probe = NO_PROBE,
    ) -> Evaluation:
        """Judge `candidate` on the host with the most room, or on the one that has begun it already.

        Raises:
            NeedsUser: No host can be used before the person has acted.
        """
        member = await self._who_began(candidate, ticket) if ticket else None
        ticket = ticket or uuid.uuid4().hex  # so that a job left on a lost host can be named later
        tried: list[_Member] = []
        while True:
            member = member or await self._member_with_room(tried)
            judging = member.evaluator.evaluate(operator, candidate, progress, ticket, probe)
            found = await self._on(member, judging, candidate, ticket)
            if found is not None and (
                found.verdict is not VerdictClass.VOID or len(tried) + 1 >= len(self._members)
            ):
                return found
            tried.append(member)
            reason = (
                found.cause
                if found is not None
                else Sentence("{host} is out of reach.", host=member.evaluator.host.label)
            )
            progress(Sentence("{reason} The work goes to another host.", reason=reason))
            member.rests_until = time.monotonic() + _REST_S
            member.reason = reason
            member = None

    async def close(self) -> None:
        """Let go of all hosts."""
        for member in self._members:
            for task in member.orphans:
                task.cancel()
        await asyncio.gather(*(member.evaluator.close() for member in self._members))

    async def _who_began(self, candidate: Candidate, ticket: str) -> _Member | None:
        """The host that keeps a job of this ticket from an earlier start of the application."""
        for member in self._members:
            if member.evaluator.host.keeps_jobs and member.away() == 0.0:
                try:
                    known = await asyncio.wait_for(member.evaluator.knows(ticket, candidate), _ASK_S)
                except (SageError, TimeoutError):
                    continue
                if known:
                    return member
        return None

    async def _member_with_room(self, tried: Sequence[_Member]) -> _Member:
        """Wait for a host with a free slot, the emptiest first.

        Raises:
            NeedsUser: Every host waits for the person.
        """
        while True:
            now = time.monotonic()
            there = [m for m in self._members if m.away() == 0.0 and m.rests_until <= now]
            fresh = [m for m in there if m not in tried] or there
            free = [m for m in fresh if m.working < m.slots]
            if free:
                return min(free, key=lambda m: m.working / m.slots)
            faults = [self._needs_user(member) for member in self._members]
            if all(faults) and faults[0] is not None:
                raise faults[0]
            self._room.clear()
            try:
                await asyncio.wait_for(self._room.wait(), _LOOK_S)
            except TimeoutError:
                continue

    def _needs_user(self, member: _Member) -> SageError | None:
        host = member.evaluator.host
        if isinstance(host, DetachedHost) and host.connection.status.state is ConnectionState.NEEDS_USER:
            return host.connection.status.fault
        return None

    async def _on(
        self, member: _Member, judging: Coroutine[Any, Any, Evaluation], candidate: Candidate, ticket: str
    ) -> Evaluation | None:
        """The answer of one host; None when it stayed out of reach for longer than the grace."""
        member.working += 1
        task = asyncio.ensure_future(judging)
        try:
            while not task.done():
                await asyncio.wait([task], timeout=_LOOK_S)
                if not task.done() and member.away() > self._grace_s:
                    self._leave(member, task, candidate, ticket)
                    return None
            return task.result()
        except NeedsUser:
            return None
        except asyncio.CancelledError as cancelled:
            task.cancel(*cancelled.args)
            await asyncio.gather(task, return_exceptions=True)
            raise
        finally:
            member.working -= 1
            self._room.set()

    def _leave(
        self, member: _Member, task: asyncio.Task[Evaluation], candidate: Candidate, ticket: str
    ) -> None:
        """Stop following a job on a lost host, and end it there once the host is back."""
        task.cancel(STOPPING)

        async def end() -> None:
            await asyncio.gather(task, return_exceptions=True)
            await member.evaluator.drop(ticket, candidate)

        orphan = asyncio.ensure_future(end())
        member.orphans.add(orphan)
        orphan.add_done_callback(member.orphans.discard)
