"""The connection to one host: requests that outlive the channel they were sent on.

A request is kept until its answer is there. When the channel breaks, a new one is opened and every open request
is sent again: all of them may be repeated. One thread keeps the connection (connects, listens for silence,
waits before the next try), two more read and write while it stands. No caller ever blocks: answers come
through futures.
"""

from __future__ import annotations

import itertools
import logging
import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.errors import SageError
from core.text import Text, text_of
from remote.connection.channel import OpenChannel, Opening
from remote.connection.faults import ChannelFault, HostFault, NeedsUser, SessionEnded
from remote.connection.session import Outgoing, Session
from remote.connection.timeouts import JOB_SERVER_GREETING, Timing
from remote.job_server.frames import REQUEST, pack_json

_LOG = logging.getLogger(__name__)
_TICK_S = 0.25
# Sessions in a row that end at once before the person hears of it: seconds, not minutes.
_SESSIONS = 3


class ConnectionState(StrEnum):
    """Where a connection stands. While RECONNECTING, jobs on the host keep running and requests wait."""

    OFFLINE = "offline"
    CONNECTING = "connecting"
    NEEDS_USER = "needs-user"
    ONLINE = "online"
    SUSPECT = "suspect"
    RECONNECTING = "reconnecting"


@dataclass(frozen=True)
class ConnectionStatus:
    """State with what to tell a person: `detail` is the last fault, `attempt` counts tries since it broke."""

    state: ConnectionState
    detail: str | Text = ""
    attempt: int = 0
    fault: SageError | None = None


@dataclass(frozen=True)
class Answer:
    """Reply of a job server: its fields and the raw bytes behind them."""

    fields: Mapping[str, Any]
    body: bytes


@dataclass
class _Open:
    """A request without an answer. `data` makes its stream again each time it is sent."""

    request: Mapping[str, Any]
    data: Callable[[], Iterable[bytes]] | None
    future: Future[Answer] = field(default_factory=Future)


OnStatus = Callable[[ConnectionStatus], None]


class Connection:
    """The connection to one host. Methods may be called from any thread and return at once.

    Args:
        name: Of the host, for threads and messages.
        open_channel: Opens a channel to a job server; blocks, runs in the connection's thread.
        timing: When silence is noticed.
        on_status: Called in the connection's thread at each change.

    Attributes:
        status: The state now.
        hello: What the job server said about itself at the last connection.
    """

    def __init__(
        self,
        name: str,
        open_channel: OpenChannel,
        timing: Timing | None = None,
        on_status: OnStatus | None = None,
    ) -> None:
        self.name = name
        self._open_channel = open_channel
        self._timing = timing or Timing()
        self._on_status = on_status or (lambda _status: None)
        self._ids = itertools.count(1)
        self._lock = threading.Condition()
        self._open: dict[int, _Open] = {}
        self._session: Session | None = None
        self._opening: Opening | None = None
        self.status = ConnectionStatus(ConnectionState.OFFLINE)
        self.hello: Mapping[str, Any] = {}
        self._thread: threading.Thread | None = None
        self._closed = False
        self.channels_opened = 0
        self.file_bytes_sent = 0

    def request(
        self,
        request: Mapping[str, Any],
        data: Callable[[], Iterable[bytes]] | None = None,
    ) -> Future[Answer]:
        """Send a request; the future gets the answer, however many channels that takes.

        The future fails with `NeedsUser` when the person must act first, `HostFault` when the job server
        refuses, `ChannelFault` when the connection is closed.
        """
        entry = _Open(request, data)
        with self._lock:
            if self._closed:
                entry.future.set_exception(
                    ChannelFault("The connection to {name} was closed.", name=self.name)
                )
                return entry.future
            if self.status.state is ConnectionState.NEEDS_USER and self.status.fault:
                entry.future.set_exception(self.status.fault)
                return entry.future
            identity = next(self._ids)
            self._open[identity] = entry
            session = self._session
            if session is not None:
                self._send(session, identity, entry)
            self._ensure_thread()
            self._lock.notify_all()
        entry.future.add_done_callback(lambda _future: self._drop(identity))
        return entry.future

    def retry(self) -> None:
        """The person may have acted: the next request opens a channel again, where it waited for that."""
        with self._lock:
            if self.status.state is not ConnectionState.NEEDS_USER:
                return
            self.status = ConnectionStatus(ConnectionState.OFFLINE)
        self._on_status(self.status)

    def cut(self, why: str = "cut") -> None:
        """Drop the channel as a fault would; it is opened again when something waits."""
        session = self._session
        if session is not None:
            session.end(why)

    def close(self) -> None:
        """Close the channel and fail what is open. Jobs on the host keep running."""
        with self._lock:
            self._closed = True
            opening, session, thread = self._opening, self._session, self._thread
            self._lock.notify_all()
        if opening is not None:
            opening.give_up()
        if session is not None:
            session.end("closed")
        if thread is not None and thread is not threading.current_thread():
            thread.join(5)
        self._fail_all(
            ChannelFault("The connection to {name} was closed.", name=self.name)
        )

    # ---- the connection's thread

    def _ensure_thread(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._keep, name=f"connection-{self.name}", daemon=True
            )
            self._thread.start()

    def _keep(self) -> None:
        """Connect, watch, and connect again while requests wait; the whole life of the thread."""
        attempt = sessions_ended = 0
        while self._wait_for_work():
            self._tell(
                ConnectionState.RECONNECTING
                if self.channels_opened
                else ConnectionState.CONNECTING,
                attempt=attempt,
            )
            try:
                session = self._connect()
            except SessionEnded as fault:
                sessions_ended += 1
                if sessions_ended < _SESSIONS:
                    self._tell(ConnectionState.RECONNECTING, fault, sessions_ended)
                    self._pause(sessions_ended)
                    continue
                attempt = sessions_ended = 0
                self._tell(ConnectionState.NEEDS_USER, fault.for_person)
                self._fail_all(fault.for_person)
                continue
            except (NeedsUser, HostFault) as fault:
                attempt = 0
                self._tell(ConnectionState.NEEDS_USER, fault)
                self._fail_all(fault)
                continue
            except (SageError, OSError, EOFError) as fault:
                attempt += 1
                self._tell(
                    ConnectionState.RECONNECTING, _as_fault(self.name, fault), attempt
                )
                self._pause(attempt)
                continue
            attempt = sessions_ended = 0
            self._tell(ConnectionState.ONLINE)
            why = self._watch(session)
            if not self._closed:
                _LOG.info("%s: channel lost: %s", self.name, why)
                self._tell(
                    ConnectionState.RECONNECTING,
                    ChannelFault(
                        "The connection to {name} was lost: {why}.",
                        name=self.name,
                        why=why,
                    ),
                )
        with self._lock:
            self.status = ConnectionStatus(ConnectionState.OFFLINE)

    def _wait_for_work(self) -> bool:
        """Wait until something is asked for; false once closed.

        A broken channel without an open request is not opened again: the host is not connected then, and not
        known to be out of reach, so `remote.pool` may still choose it.
        """
        with self._lock:
            idle = not (self._closed or self._open)
        if idle and self.status.state is ConnectionState.RECONNECTING:
            self.status = ConnectionStatus(ConnectionState.OFFLINE, self.status.detail)
            self._on_status(self.status)
        with self._lock:
            while not self._closed:
                if self._open and self.status.state is not ConnectionState.NEEDS_USER:
                    return True
                self._lock.wait()
            return False

    def _connect(self) -> Session:
        """Open a channel, read the job server's greeting, and send what is open."""
        opening = Opening()
        with self._lock:
            self._opening = opening
            if self._closed:
                raise ChannelFault("closed")
        try:
            session = Session(self.name, self._open_channel(opening))
            opening.register(lambda: session.end("given up"))
            self.hello = session.greet(
                self._timing.quiet + self._timing.answer + JOB_SERVER_GREETING
            )
        except BaseException:
            opening.give_up()
            raise
        finally:
            self._opening = None
        with self._lock:
            session.start(self._receive)
            self._session = session
            self.channels_opened += 1
            # Answers to these may be lost; the job server takes any request twice.
            for identity, entry in list(self._open.items()):
                self._send(session, identity, entry)
        return session

    def _watch(self, session: Session) -> str:
        """Listen for silence until the channel ends; returns why it did."""
        timing = self._timing
        asked_at = 0.0
        wall, monotonic = time.time(), time.monotonic()
        limit = timing.answer
        while not session.ended.wait(_TICK_S) and not self._closed:
            now_wall, now = time.time(), time.monotonic()
            slept = (
                abs((now_wall - wall) - (now - monotonic)) > timing.jump
                or now - monotonic > timing.jump
            )
            wall, monotonic = now_wall, now
            # Clocks that disagree mean that this computer slept, and the channel with it.
            if slept:
                self._tell(ConnectionState.SUSPECT)
                asked_at, limit = now, timing.answer_after_sleep
                session.ping()
            elif asked_at and session.heard_at > asked_at:
                asked_at, limit = 0.0, timing.answer
                if self.status.state is ConnectionState.SUSPECT:
                    self._tell(ConnectionState.ONLINE)
            elif asked_at and now - max(asked_at, session.heard_at) > limit:
                session.end(f"no answer for {now - session.heard_at:.0f} s")
            elif not asked_at and now - session.heard_at > timing.quiet:
                asked_at = now
                session.ping()
        with self._lock:
            self._session = None
        session.close()
        return session.why

    def _pause(self, attempt: int) -> None:
        """Wait before the next try, longer each time, never in step with others."""
        timing = self._timing
        seconds = min(
            timing.longest_pause, timing.first_pause * 2 ** min(attempt, 10)
        ) * random.uniform(0.5, 1.0)
        deadline = time.monotonic() + seconds
        with self._lock:
            while not self._closed and (remaining_s := deadline - time.monotonic()) > 0:
                self._lock.wait(remaining_s)

    # ---- bookkeeping

    def _send(self, session: Session, identity: int, entry: _Open) -> None:
        frame = pack_json(REQUEST, identity, entry.request)
        session.send(
            frame,
            Outgoing(identity, iter(entry.data())) if entry.data is not None else None,
        )

    def _receive(self, identity: int, fields: Mapping[str, Any], body: bytes) -> None:
        """An answer arrived (called in the reading thread)."""
        with self._lock:
            entry = self._open.pop(identity, None)
            if self._session is not None:
                self.file_bytes_sent = self.file_bytes_sent + self._session.take_sent(
                    identity
                )
        # An answer that came twice, or whose caller stopped waiting.
        if entry is None or not entry.future.set_running_or_notify_cancel():
            return
        if fields.get("ok"):
            entry.future.set_result(Answer(fields, body))
        else:
            entry.future.set_exception(_refusal(self.name, fields))

    def _drop(self, identity: int) -> None:
        """Forget a request whose caller stopped waiting."""
        with self._lock:
            self._open.pop(identity, None)

    def _fail_all(self, fault: SageError) -> None:
        with self._lock:
            entries = list(self._open.values())
            self._open.clear()
        for entry in entries:
            if entry.future.set_running_or_notify_cancel():
                entry.future.set_exception(fault)

    def _tell(
        self, state: ConnectionState, fault: SageError | None = None, attempt: int = 0
    ) -> None:
        if fault is None and state is ConnectionState.RECONNECTING:
            fault = self.status.fault
        self.status = ConnectionStatus(
            state, text_of(fault) if fault else "", attempt, fault
        )
        self._on_status(self.status)


def _as_fault(name: str, fault: BaseException) -> SageError:
    return (
        fault
        if isinstance(fault, SageError)
        else ChannelFault("{name} cannot be reached: {fault}.", name=name, fault=fault)
    )


def _refusal(name: str, fields: Mapping[str, Any]) -> SageError:
    """What a job server refused, as an error of the host."""
    kind, text = str(fields.get("kind", "")), str(fields.get("text", "unknown"))
    remedy = (
        "Free some space there, or name another folder for the host."
        if fields.get("full")
        else ""
    )
    return HostFault("{name}: {text}.", remedy, kind, fields, name=name, text=text)
