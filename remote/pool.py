"""Several hosts as one evaluator: work goes where there is room, and elsewhere when a host stays away.

One evaluation gives one answer, however many hosts it visited: what a lost host still runs is left there,
never asked for, and ended when the host is back. Who waits longest gets room first. Candidates of one
operator are compared by latency, so they go to hosts of one processor only: which one follows from the
operator's name and the processors there are, and is the same after a restart.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import time
import uuid
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import SageError
from core.evaluation.port import STOPPING, Progress
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.operators.spec import OperatorSpec
from remote.connection.connection import ConnectionState
from remote.connection.faults import NeedsUser
from remote.connection.timeouts import KNOWS_JOB, OUT_OF_REACH
from remote.diagnosing import Diagnosing
from remote.evaluator import HostEvaluator
from remote.hosts.detached import DetachedHost
from remote.hosts.port import HostLoad
from remote.toolchains.port import NO_PROBE, Probe, Tool

_REST_S = 60.0
_LOOK_S = 0.2


def _common(values: Iterable[str]) -> str:
    """What all say, nothing when they do not agree."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else ""


OnLoads = Callable[[Mapping[str, HostLoad]], None]


def processor_of(operator: str, socs: Iterable[str]) -> str:
    """The processor on which an operator is judged, one of those of the hosts; a host counts as its share.

    Weighted rendezvous hashing: another host changes the choice of few operators. Source: Thaler and
    Ravishankar 1998; the logarithm makes the shares exact.
    """
    shares = Counter(socs)

    def score(soc: str) -> float:
        digest = hashlib.sha256(f"{operator}\0{soc}".encode()).digest()[:8]
        return -shares[soc] / math.log((int.from_bytes(digest) + 1) / (2**64 + 1))

    return max(sorted(shares), key=score)


@dataclass(eq=False)
class _Waiter:
    """An evaluation that waits for room."""

    same: Sequence[_Member]
    tried: Sequence[_Member]
    grant: asyncio.Future[_Member]


@dataclass(eq=False)
class _Member:
    """One host with its evaluator, and what is known of its health."""

    evaluator: HostEvaluator
    working: int = 0
    answered: int = 0
    away_since: float | None = None
    rests_until: float = 0.0
    reason: str = ""
    # Tasks that end the jobs left on a lost host, by ticket.
    orphans: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    @property
    def slots(self) -> int:
        return self.evaluator.host.slots

    def away(self) -> float:
        """Seconds its line has been down; 0 for a host that is there or is not asked for anything.

        A first try is no outage, but the ones after it are: each begins with CONNECTING again.
        """
        host = self.evaluator.host
        if not isinstance(host, DetachedHost):
            return 0.0
        status = host.connection.status
        if status.state in (
            ConnectionState.ONLINE,
            ConnectionState.SUSPECT,
            ConnectionState.OFFLINE,
        ) or (status.state is ConnectionState.CONNECTING and not status.attempt):
            self.away_since = None
            return 0.0
        if self.away_since is None:
            self.away_since = time.monotonic()
        return time.monotonic() - self.away_since


class PoolEvaluator(Diagnosing):
    """Evaluates on several hosts with the same toolchain.

    Args:
        evaluators: One for each host.
        grace_s: Seconds a host may be out of reach before its work is done elsewhere.
        on_loads: Told what every host does, whenever that changes.
    """

    def __init__(
        self,
        evaluators: Sequence[HostEvaluator],
        grace_s: float = OUT_OF_REACH,
        on_loads: OnLoads | None = None,
    ) -> None:
        self._members = [_Member(evaluator) for evaluator in evaluators]
        self._grace_s = grace_s
        self._on_loads = on_loads
        self._waiting: list[_Waiter] = []
        self._looked = 0.0

    @property
    def loads(self) -> dict[str, HostLoad]:
        """What every host does now, by name."""
        return {
            member.evaluator.host.name: HostLoad(
                member.working, member.slots, member.answered
            )
            for member in self._members
        }

    @property
    def label(self) -> str:
        """All hosts, and the toolchain."""
        hosts = ", ".join(member.evaluator.host.label for member in self._members)
        return f"{hosts} · {self._members[0].evaluator.toolchain_label}"

    def label_for(self, operator: OperatorSpec) -> str:
        """All hosts, and the toolchain for the operator."""
        *first_members, last = self._members
        labels = [member.evaluator.host.label for member in first_members]
        return ", ".join([*labels, last.evaluator.label_for(operator)])

    @property
    def soc(self) -> str:
        """Processor of the toolchain all hosts have; empty where hosts differ."""
        return _common(member.evaluator.soc for member in self._members)

    def soc_for(self, operator: OperatorSpec) -> str:
        """That of the toolchain for the operator."""
        return _common(member.evaluator.soc_for(operator) for member in self._members)

    @property
    def cann(self) -> str:
        """CANN of the hosts; empty where they differ."""
        return _common(member.evaluator.cann for member in self._members)

    @property
    def toolchain_tools(self) -> Mapping[str, Tool]:
        """Diagnostics of the toolchain all hosts have."""
        return self._members[0].evaluator.toolchain_tools

    @property
    def runs_big(self) -> bool:
        """As the toolchain all hosts have."""
        return self._members[0].evaluator.runs_big

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
        # The ticket names the job later, when its lost host is back.
        ticket = ticket or uuid.uuid4().hex
        # Latencies of two processors cannot be compared, so only hosts of one take part.
        tried: list[_Member] = []
        socs = [each.evaluator.soc_for(operator) for each in self._members]
        soc = processor_of(operator.name, socs)
        same = [
            each
            for each, its_soc in zip(self._members, socs, strict=True)
            if its_soc == soc
        ]
        while True:
            if member is None:
                member = await self._member_with_room(same, tried, soc, progress)
            member.working += 1
            judging = self._judge(member, operator, candidate, progress, ticket, probe)
            alternatives = [each for each in same if each is not member]
            evaluation = await self._on(
                member, alternatives, judging, candidate, ticket, progress
            )
            is_last = len(tried) + 1 >= len(same)
            # A void answer says nothing about the kernel: another host may judge it.
            if evaluation is not None and (
                evaluation.verdict is not VerdictClass.VOID or is_last
            ):
                member.answered += 1
                self._tell()
                return evaluation
            tried.append(member)
            reason = (
                evaluation.cause
                if evaluation is not None
                else f"{member.evaluator.host.label} is out of reach."
            )
            progress(f"{reason} The work goes to another host.")
            member.rests_until = time.monotonic() + _REST_S
            member.reason = reason
            member = None

    def retry(self) -> None:
        """Tell every host, and let none rest."""
        for member in self._members:
            member.evaluator.retry()
            member.rests_until = 0.0

    async def close(self) -> None:
        """Close all hosts."""
        orphans = [task for member in self._members for task in member.orphans.values()]
        for task in orphans:
            task.cancel()
        await asyncio.gather(*orphans, return_exceptions=True)
        await asyncio.gather(*(member.evaluator.close() for member in self._members))

    async def _who_began(self, candidate: Candidate, ticket: str) -> _Member | None:
        """The host that keeps a job of this ticket from an earlier start of the application."""
        for member in self._members:
            if member.evaluator.host.keeps_jobs and member.away() == 0.0:
                try:
                    has_job = await asyncio.wait_for(
                        member.evaluator.knows(ticket, candidate), KNOWS_JOB
                    )
                except (SageError, TimeoutError):
                    continue
                if has_job:
                    return member
        return None

    async def _member_with_room(
        self,
        same: Sequence[_Member],
        tried: Sequence[_Member],
        soc: str,
        progress: Progress,
    ) -> _Member:
        """Wait for a host of a processor with a free slot, behind those who have waited longer.

        Raises:
            NeedsUser: Every host of the processor waits for the person.
        """
        own = _Waiter(same, tried, asyncio.get_running_loop().create_future())
        self._waiting.append(own)
        self._hand_out()
        is_announced = False
        try:
            while not own.grant.done():
                if not is_announced and not any(
                    member.away() == 0.0 for member in same
                ):
                    progress(
                        f"Waits for a host with {soc}: latencies on another processor cannot be "
                        "compared."
                    )
                    is_announced = True
                faults = [self._needs_user(member) for member in same]
                if all(faults) and faults[0] is not None:
                    raise faults[0]
                await asyncio.wait([own.grant], timeout=_LOOK_S)
                # No event tells that a host came back, so the waiting look themselves.
                if time.monotonic() - self._looked > _LOOK_S:
                    self._hand_out()
            return own.grant.result()
        finally:
            self._waiting = [waiter for waiter in self._waiting if waiter is not own]

    def _hand_out(self) -> None:
        """Give free slots to those who wait, in turn; each the host with the smallest part of it at work."""
        self._looked = now = time.monotonic()
        there = [m for m in self._members if m.rests_until <= now and m.away() == 0.0]
        planned = {member: member.working for member in there}
        # A place that was granted counts, although its evaluation has not begun yet.
        for waiter in self._waiting:
            if waiter.grant.done():
                member = waiter.grant.result()
                planned[member] = planned.get(member, 0) + 1
        for waiter in self._waiting:
            fitting = [m for m in there if m in waiter.same]
            fresh = [m for m in fitting if m not in waiter.tried] or fitting
            free = [m for m in fresh if planned[m] < m.slots]
            if free and not waiter.grant.done():
                best = min(
                    free, key=lambda m: (planned[m] / m.slots, m.answered / m.slots)
                )
                planned[best] += 1
                waiter.grant.set_result(best)

    def _tell(self) -> None:
        if self._on_loads is not None:
            self._on_loads(self.loads)

    def _needs_user(self, member: _Member) -> SageError | None:
        host = member.evaluator.host
        if (
            isinstance(host, DetachedHost)
            and host.connection.status.state is ConnectionState.NEEDS_USER
        ):
            return host.connection.status.fault
        return None

    async def _judge(
        self,
        member: _Member,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str,
        probe: Probe,
    ) -> Evaluation:
        """Judge on one host, once a job left there has ended: one ticket gives one id."""
        if orphan := member.orphans.get(ticket):
            await asyncio.wait([orphan])
        return await member.evaluator.evaluate(
            operator, candidate, progress, ticket, probe
        )

    async def _on(
        self,
        member: _Member,
        alternatives: Sequence[_Member],
        judging: Coroutine[Any, Any, Evaluation],
        candidate: Candidate,
        ticket: str,
        progress: Progress,
    ) -> Evaluation | None:
        """The answer of one host; None when it stayed out of reach for longer than the grace.

        The `alternatives` are the other hosts of its processor.
        Where no other host could take the work, its job is left to run and followed again once it is back.
        """
        task = asyncio.ensure_future(judging)
        self._tell()
        is_announced = False
        try:
            while not task.done():
                await asyncio.wait([task], timeout=_LOOK_S)
                if not task.done() and member.away() > self._grace_s:
                    if any(each.away() == 0.0 for each in alternatives):
                        self._leave(member, task, candidate, ticket)
                        return None
                    if not is_announced:
                        progress(f"{member.evaluator.host.label} is out of reach.")
                        is_announced = True
            return task.result()
        except NeedsUser:
            return None
        except asyncio.CancelledError as cancelled:
            task.cancel(*cancelled.args)
            await asyncio.gather(task, return_exceptions=True)
            raise
        finally:
            member.working -= 1
            self._hand_out()
            self._tell()

    def _leave(
        self,
        member: _Member,
        task: asyncio.Task[Evaluation],
        candidate: Candidate,
        ticket: str,
    ) -> None:
        """Stop following a job on a lost host, and end it there once the host is back."""
        task.cancel(STOPPING)

        async def end() -> None:
            await asyncio.gather(task, return_exceptions=True)
            await member.evaluator.drop(ticket, candidate)

        def over(orphan: asyncio.Task[None]) -> None:
            if member.orphans.get(ticket) is orphan:
                del member.orphans[ticket]

        orphan = member.orphans[ticket] = asyncio.ensure_future(end())
        orphan.add_done_callback(over)
