"""One running agent in its cell: process, connection, sessions and the turn it takes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.harness.acp_client import Tell, TurnClient
from core.harness.candidate_space import CandidateSpace
from core.harness.gateway import Gateway, Turn
from core.harness.launch import PROJECT, Agent, Confine, Launch
from core.models.endpoint import Endpoint
from core.models.faults import ModelFault, StalledStream, TransientFault
from core.models.port import Message
from core.private import process_folder
from core.text import Text

_LINE = 50 << 20  # bytes of one message
_START_S = 90.0
_LOOK_S = 0.25
_CANCEL_S = 0.4  # for a killed process to be gone, and for its connection: a stop takes less than a second
_LOG_END = 300  # characters


OnSilence = Callable[[str, float], None]


class AgentFault(ModelFault):
    """The agent did something that asking again would only repeat."""


class AgentGone(TransientFault):
    """The agent's process ended."""


@dataclass(frozen=True)
class TurnLimits:
    """When a turn is ended.

    Attributes:
        requests: To the model, in one turn.
        seconds: Of one turn.
        silent_seconds: Without a sign of agent or model.
        told_seconds: Of silence, after which the person sees who is waited for.
    """

    requests: int = 120
    seconds: float = 3600.0
    silent_seconds: float = 900.0
    told_seconds: float = 60.0


class AgentProcess:
    """An agent that works for one operator.

    Args:
        agent: What it is.
        endpoint: Its model.
        confine: Puts it into its cell.
        limits: When a turn is ended.
        on_silence: Hears who is silent, and how many seconds that is still waited for.
    """

    def __init__(
        self,
        agent: Agent,
        endpoint: Endpoint,
        confine: Confine,
        limits: TurnLimits,
        on_silence: OnSilence | None = None,
    ) -> None:
        self._agent = agent
        self._endpoint = endpoint
        self._confine = confine
        self._limits = limits
        self._on_silence = on_silence
        self._silence_told = 0.0  # the last sign before the silence the person knows of
        self._home = process_folder("agent")
        self._log = self._home / "agent.log"
        self._gateway = Gateway(endpoint, self._home / "model.sock")
        self._process: asyncio.subprocess.Process | None = None
        self._connection: Any = None
        self._session = ""
        self.space = CandidateSpace(self._home)
        self._client = TurnClient(self.space.edited)
        self.lock = asyncio.Lock()
        self.users = 0  # turns that have it or wait for it
        self._closed = False
        self.said: tuple[
            Message, ...
        ] = ()  # the conversation of the session, as the loop knows it

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.returncode is None

    @property
    def has_ended(self) -> bool:
        """Whether it ran and does so no more."""
        return self._closed or (self._process is not None and not self.alive)

    async def start(self) -> None:
        """Start the agent and shake hands.

        Raises:
            AgentGone: It ended, or does not speak the protocol.
        """
        await self._gateway.start()
        command = self._confine(
            Launch(
                self._agent.command,
                self._agent.programs,
                self._agent.environment(self._endpoint),
                self.space.folder,
                self._home / "model.sock",
                self._agent.read,
            )
        )
        with self._log.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=_LINE,
                start_new_session=True,
                cwd=self._home,
            )
        acp = await asyncio.to_thread(_imported)
        self._connection = acp.connect_to_agent(
            self._client, self._process.stdin, self._process.stdout
        )
        hello = self._connection.initialize(
            protocol_version=1,
            client_capabilities=acp.schema.ClientCapabilities(),
            client_info=acp.schema.Implementation(name="sage", version="1"),
        )
        await self._within(
            hello, "{agent} does not answer as an agent of the Agent Client Protocol."
        )

    async def new_session(self) -> None:
        """Begin a conversation."""
        opening = self._connection.new_session(cwd=PROJECT, mcp_servers=[])
        self._session = (
            await self._within(opening, "{agent} does not open a session.")
        ).session_id
        self.said = ()

    async def take_turn(
        self, text: str, tell: Tell | None
    ) -> tuple[TurnClient, Turn, str]:
        """Let the agent work until it ends its turn: what it said, what it used, why it stopped.

        Raises:
            ModelFault: It was ended, and why. The process is ended with it.
        """
        from acp import text_block

        turn = self._gateway.begin()
        began = time.monotonic()

        def touch() -> None:
            turn.active = time.monotonic()

        self._client.begin(tell, touch)
        request = asyncio.ensure_future(
            self._connection.prompt(session_id=self._session, prompt=[text_block(text)])
        )
        try:
            while not (await asyncio.wait({request}, timeout=_LOOK_S))[0]:
                self._see(turn, began)
            self._see(turn, began, ended=True)
            return self._client, turn, str(self._result(request))
        except BaseException:
            request.cancel()
            await self.close()
            raise

    def _result(self, request: asyncio.Future[Any]) -> str:
        """Why a turn stopped, as the agent says; its end or refusal becomes a fault with the end of its log."""
        from acp import RequestError

        try:
            return str(request.result().stop_reason)
        except RequestError as error:
            raise AgentFault(
                "{agent} refuses the task: {error}.",
                Text(self._log_end()),
                agent=self._agent.name,
                error=error,
            ) from error
        except (ConnectionError, EOFError, asyncio.CancelledError) as error:
            raise self._ended_in_turn() from error

    def _see(self, turn: Turn, began: float, *, ended: bool = False) -> None:
        """Raise what ends the turn now.

        One that has `ended` by itself can only have failed.
        """
        name, limits, now = self._agent.name, self._limits, time.monotonic()
        if turn.fault is not None:
            raise turn.fault
        if ended:
            return
        if not self.alive:
            raise self._ended_in_turn()
        if turn.requests > limits.requests:
            raise AgentFault(
                "{name} does not stop: more than {requests} requests in one turn.",
                "Run again to let it try once more.",
                name=name,
                requests=limits.requests,
            )
        if now - began > limits.seconds:
            raise AgentFault(
                "{name} took more than {seconds:.0f} s for one turn.",
                "Run again.",
                name=name,
                seconds=limits.seconds,
            )
        silent = now - turn.active
        if silent > limits.silent_seconds:
            raise self._silence(turn, silent)
        if silent > limits.told_seconds and turn.active != self._silence_told:
            self._silence_told = turn.active
            if self._on_silence is not None:
                words = str(self._silence(turn, silent).what)
                self._on_silence(words, limits.silent_seconds - silent)

    def _silence(self, turn: Turn, seconds: float) -> ModelFault:
        """Who has not been heard of: the model's server, or the agent itself."""
        if turn.model_is_silent:
            return StalledStream(
                "{base_url} has sent nothing for {seconds:.0f} s.",
                "Look at the server's load and log.",
                base_url=self._endpoint.base_url,
                seconds=seconds,
            )
        return AgentFault(
            "{name} has done nothing for {seconds:.0f} s; its model waits for it.",
            "Run again: it continues in this round.",
            name=self._agent.name,
            seconds=seconds,
        )

    async def _within(self, answer: Any, problem: str) -> Any:
        """The agent's answer to a request of ours.

        Raises:
            AgentGone: None came, or none that can be read: `problem`.
        """
        request = asyncio.ensure_future(answer)
        try:
            await asyncio.wait({request}, timeout=_START_S)
            return self._answer(request, problem)
        except BaseException:
            request.cancel()
            await self.close()
            raise

    def _answer(self, request: asyncio.Future[Any], problem: str) -> Any:
        """What the agent answered to the first requests; `problem` says what has failed where it did not."""
        from acp import RequestError

        problem_text = Text(problem, agent=self._agent.name)
        fault = AgentGone(self._with_log(problem_text), "Try it by hand.")
        if not request.done() or request.cancelled():
            raise fault
        try:
            return request.result()
        except (
            RequestError,
            OSError,
            EOFError,
            ValueError,
        ) as error:
            # What is unreadable is a ValueError.
            raise fault from error

    def _ended_in_turn(self) -> AgentGone:
        """The fault of an agent that ended while it was asked."""
        code = self._process.returncode if self._process is not None else None
        problem_text = Text(
            "{agent} ended in the middle of its turn (exit code {code}).",
            agent=self._agent.name,
            code=code,
        )
        return AgentGone(
            self._with_log(problem_text), "Run again: it continues in this round."
        )

    def _with_log(self, message: Text) -> Text:
        log = self._log_end()
        return Text("{what} {remedy}", what=message, remedy=log) if log else message

    def _log_end(self) -> str:
        """What it said last on standard error.

        Nothing where it is gone with its folder.
        """
        with contextlib.suppress(OSError), self._log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 4 * _LOG_END))
            return " ".join(log.read().decode("utf-8", "replace")[-_LOG_END:].split())
        return ""

    async def close(self) -> None:
        """End the agent and everything it started, and remove its folder."""
        process, connection = self._process, self._connection
        self._closed, self._connection = True, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                # Its namespace ends with it, and all in there.
                os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _CANCEL_S)
        if connection is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(connection.close(), _CANCEL_S)
        await self._gateway.close()
        await asyncio.to_thread(shutil.rmtree, self._home, True)  # noqa: FBT003 - asyncio hands on positions


def _imported() -> Any:
    """The client package, in a thread: it takes a second."""
    import acp
    import acp.schema

    return acp
