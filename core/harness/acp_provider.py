"""A coding agent as the generator G: each request of the loop is a turn of the agent in a candidate's folder.

The loop stays what it is: it retrieves, gates, evaluates, counts the rounds and learns.
What the agent says at the end of its turn, with the files it leaves, is a reply like
any other.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from core.agent.prompt import templates
from core.agent.reply.protocol import read_reply, render_files
from core.harness.agent_process import (
    AgentGone,
    AgentProcess,
    OnSilence,
    TurnLimits,
)
from core.harness.launch import Agent, Confine
from core.models.endpoint import Endpoint
from core.models.faults import EmptyReply
from core.models.manual import shown_messages
from core.models.pieces import account
from core.models.port import (
    TRUNCATED,
    Message,
    ModelOrigin,
    ModelProvider,
    ModelReply,
    ModelRequest,
    Purpose,
    Stream,
)

_CANDIDATE = frozenset(
    {Purpose.CANDIDATE, Purpose.REPAIR, Purpose.EXAMINED, Purpose.CORRECTION}
)
_EPISODE = _CANDIDATE | {Purpose.DIAGNOSE}
_LEARNING = "learning"
_IDLE_KEPT = 1  # agents that wait while their kernels are judged; one takes some 600 MB
_TRIES = 2


class AcpProvider(ModelProvider):
    """A provider for an agent and its model.

    Args:
        agent: What it is.
        endpoint: Its model.
        confine: Puts it into its cell.
        limits: When a turn is ended.
        on_silence: Hears of agents and models that say nothing for long.
    """

    def __init__(
        self,
        agent: Agent,
        endpoint: Endpoint,
        confine: Confine,
        limits: TurnLimits | None = None,
        on_silence: OnSilence | None = None,
    ) -> None:
        self._agent = agent
        self._endpoint = endpoint
        self._confine = confine
        self._limits = limits or TurnLimits()
        self._on_silence = on_silence
        self._running: OrderedDict[str, AgentProcess] = OrderedDict()

    @property
    def label(self) -> str:
        """Agent and model."""
        return f"{self._agent.name} with {self._endpoint.model}"

    @property
    def origin(self) -> ModelOrigin:
        """A coding agent, confined."""
        return ModelOrigin.AGENT

    async def complete(
        self, request: ModelRequest, stream: Stream | None = None
    ) -> ModelReply:
        """Let the agent take a turn.

        Raises:
            ModelFault: It came to no end, and why; an agent whose process ended is
                started once more before.
        """
        began = time.monotonic()
        place = request.subject if request.purpose in _EPISODE else _LEARNING
        for attempt in range(1, _TRIES + 1):
            try:
                async with self._agent_of(place) as process:
                    reply = await self._turn(process, request, stream)
            except AgentGone:
                if attempt == _TRIES:
                    raise
            else:
                return ModelReply(
                    reply.text, reply.reasoning, reply.usage, time.monotonic() - began
                )
        raise AssertionError("unreachable")

    async def _turn(
        self, process: AgentProcess, request: ModelRequest, stream: Stream | None
    ) -> ModelReply:
        """One turn of the agent: a new session where the conversation is another one, else what was said since."""
        if not process.said or request.messages[:-1] != process.said:
            await process.new_session()
            process.space.lay_out(request.files)
            text_of_turn = shown_messages(request.messages)
        else:
            text_of_turn = request.messages[-1].content
        if request.purpose in _CANDIDATE:
            text_of_turn = f"{text_of_turn}\n\n{templates.prompt('agent_folder')}"
        client, turn, stopped = await process.take_turn(text_of_turn, stream)
        text = "".join(client.text).strip()
        if stopped == "max_tokens":
            text = f"{text}\n{TRUNCATED}"
        if request.purpose in _CANDIDATE:
            text = _with_files(text, process.space.changed(request.files))
        if not text:
            raise EmptyReply(
                "{agent} ended its turn without a reply ({stopped}).",
                "Run again.",
                agent=self._agent.name,
                stopped=stopped,
            )
        process.said = (*request.messages, Message("assistant", text))
        return ModelReply(text, account(client.work), turn.usage)

    @asynccontextmanager
    async def _agent_of(self, place: str) -> AsyncIterator[AgentProcess]:
        """The agent of a place, running and for one turn alone.

        Those that wait longest end.

        Between looking for it and counting as its user nothing is awaited, so of
        several turns that ask at once one starts it, and none ends what another is
        about to use.
        """
        while True:
            process, before = self._running.get(place), None
            if process is None or process.has_ended:
                before = process
                process = AgentProcess(
                    self._agent,
                    self._endpoint,
                    self._confine,
                    self._limits,
                    self._on_silence,
                )
                self._running[place] = process
            self._running.move_to_end(place)
            process.users += 1
            try:
                async with process.lock:
                    if before is not None:
                        await before.close()
                    if process.has_ended:  # by the turn that was waited for
                        continue
                    await self._end_idle()
                    if not process.alive:
                        await self._started(process)
                    yield process
                    return
            finally:
                process.users -= 1

    async def _started(self, process: AgentProcess) -> None:
        try:
            await process.start()
        except BaseException:
            await process.close()
            raise

    async def _end_idle(self) -> None:
        idle = [name for name, other in self._running.items() if not other.users]
        surplus = [
            self._running.pop(name) for name in idle[: max(0, len(idle) - _IDLE_KEPT)]
        ]
        for process in surplus:
            await process.close()

    async def close(self) -> None:
        """End all agents."""
        running, self._running = list(self._running.values()), OrderedDict()
        await asyncio.gather(
            *(process.close() for process in running), return_exceptions=True
        )


def _with_files(text: str, changed: dict[str, str]) -> str:
    """The reply with the files it leaves behind.

    An end of the episode has none, what it sends wins.
    """
    read = read_reply(text)
    files = {
        path: body
        for path, body in changed.items()
        if path not in read.files and path not in read.edits
    }
    if read.done or not files:
        return text
    return f"{text}\n\n## Files\n{render_files(files)}\n"
