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
    said = set(values)
    return said.pop() if len(said) == 1 else ""


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
    given: asyncio.Future[_Member]


@dataclass(eq=False)
class _Member:
    """One host with its evaluator, and what is known of its health."""

    evaluator: HostEvaluator
    working: int = 0
    answered: int = 0
    away_since: float | None = None
    rests_until: float = 0.0
    reason: str = ""
    orphans: dict[str, asyncio.Task[None]] = field(
        default_factory=dict
    )  # endings of jobs left, by ticket

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
        *others, last = self._members
        labels = [member.evaluator.host.label for member in others]
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
        ticket = (
            ticket or uuid.uuid4().hex
        )  # so that a job left on a lost host can be named later
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
            others = [each for each in same if each is not member]
            found = await self._on(member, others, judging, candidate, ticket, progress)
            if found is not None and (
                found.verdict is not VerdictClass.VOID or len(tried) + 1 >= len(same)
            ):
                member.answered += 1
                self._tell()
                return found
            tried.append(member)
            reason = (
                found.cause
                if found is not None
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
        """Let go of all hosts."""
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
                    known = await asyncio.wait_for(
                        member.evaluator.knows(ticket, candidate), KNOWS_JOB
                    )
                except (SageError, TimeoutError):
                    continue
                if known:
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
        told = False
        try:
            while not own.given.done():
                if not told and not any(member.away() == 0.0 for member in same):
                    progress(
                        f"Waits for a host with {soc}: latencies on another processor cannot be "
                        "compared."
                    )
                    told = True
                faults = [self._needs_user(member) for member in same]
                if all(faults) and faults[0] is not None:
                    raise faults[0]
                await asyncio.wait([own.given], timeout=_LOOK_S)
                if (
                    time.monotonic() - self._looked > _LOOK_S
                ):  # hosts come and go without a word
                    self._hand_out()
            return own.given.result()
        finally:
            self._waiting = [waiter for waiter in self._waiting if waiter is not own]

    def _hand_out(self) -> None:
        """Give free slots to those who wait, in turn; each the host with the smallest part of it at work."""
        self._looked = now = time.monotonic()
        there = [m for m in self._members if m.rests_until <= now and m.away() == 0.0]
        planned = {member: member.working for member in there}
        for waiter in self._waiting:
            if waiter.given.done():
                planned[waiter.given.result()] = (
                    planned.get(waiter.given.result(), 0) + 1
                )
        for waiter in self._waiting:
            fitting = [m for m in there if m in waiter.same]
            fresh = [m for m in fitting if m not in waiter.tried] or fitting
            free = [m for m in fresh if planned[m] < m.slots]
            if free and not waiter.given.done():
                chosen = min(
                    free, key=lambda m: (planned[m] / m.slots, m.answered / m.slots)
                )
                planned[chosen] += 1
                waiter.given.set_result(chosen)

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
        others: Sequence[_Member],
        judging: Coroutine[Any, Any, Evaluation],
        candidate: Candidate,
        ticket: str,
        progress: Progress,
    ) -> Evaluation | None:
        """The answer of one host; None when it stayed out of reach for longer than the grace.

        The `others` are those of its processor.
        Where no other host could take the work, its job is left to run and followed again once it is back.
        """
        task = asyncio.ensure_future(judging)
        self._tell()
        told = False
        try:
            while not task.done():
                await asyncio.wait([task], timeout=_LOOK_S)
                if not task.done() and member.away() > self._grace_s:
                    if any(each.away() == 0.0 for each in others):
                        self._leave(member, task, candidate, ticket)
                        return None
                    if not told:
                        progress(f"{member.evaluator.host.label} is out of reach.")
                        told = True
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
