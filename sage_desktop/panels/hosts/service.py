"""Hosts for the window: every question to a machine runs in a thread of its own and comes back as a signal.

One connection a host, kept until it is closed. Nothing here is asked in the window's thread.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, Slot

from core.errors import SageError
from core.text import Text
from remote.connection.connection import ConnectionState, ConnectionStatus
from remote.hosts.slurm import waits
from remote.job_server.jobs import FINAL

if TYPE_CHECKING:
    from remote.hosts.detached import DetachedHost
    from remote.hosts.registry import HostRegistry

PROBE_S = 3.0


@dataclass(frozen=True)
class JobRow:
    """A job a host keeps; `device` is what it holds while running, `waits` why it does not run yet."""

    job: str
    state: str
    device: str
    waits: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in FINAL


class HostsService(QObject):
    """Connections to the user's hosts.

    Signals:
        changed: (host, `ConnectionStatus`).
        probed: (host, words on whether it answers, whether it does or None when that cannot be told).
        examined: (host, `Diagnosis`).
        cards: (host, `Cards`).
        jobs: (host, list of `JobRow`).
        finished: (host, words) after something that was ordered.
        failed: (host, `SageError`).
        crashed: Any other exception: a bug.
    """

    changed = Signal(str, object)
    probed = Signal(str, object, object)
    examined = Signal(str, object)
    cards = Signal(str, object)
    jobs = Signal(str, list)
    finished = Signal(str, str)
    failed = Signal(str, object)
    crashed = Signal(object)
    _arrived = Signal(object)

    def __init__(self, registry: HostRegistry, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.registry = registry
        self._hosts: dict[str, DetachedHost] = {}
        self._status: dict[str, ConnectionStatus] = {}
        self._busy: dict[str, int] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._arrived.connect(self._arrive, Qt.ConnectionType.QueuedConnection)

    # ---- what panels ask, in the window's thread

    def status(self, name: str) -> ConnectionStatus:
        """Where the connection stands."""
        return self._status.get(name, ConnectionStatus(ConnectionState.OFFLINE))

    def busy(self, name: str) -> bool:
        """Whether an answer of the host is waited for."""
        return self._busy.get(name, 0) > 0

    def calibration(self, name: str) -> str | Text:
        """Whether the twin of the host was calibrated, when, and with which CANN; empty when it was not."""
        from sage_desktop.services.wiring import calibrations

        try:
            calibration = calibrations().of(name)
        except SageError as error:
            return error.what
        if calibration is None:
            return ""
        words = self.tr("Twin calibrated {0}, {1}, CANN {2}")
        if not calibration.is_current:
            words = self.tr("Twin calibrated {0}, {1}, CANN {2}: out of date")
        return words.format(calibration.date, calibration.part, calibration.cann or "?")

    def connect_host(self, name: str) -> None:
        """Reach the host; a connection that waited for the person is begun again."""

        async def work(host: DetachedHost) -> str:
            hello = await host.connect()
            words = self.tr("Reached: Python {0}, {1} CPUs")
            return words.format(hello.get("python", "?"), hello.get("cpus"))

        if self.status(name).state is ConnectionState.NEEDS_USER:
            self._drop(name)
        self._ask(name, work, lambda words: self.finished.emit(name, words))

    def disconnect_host(self, name: str) -> None:
        """Close the connection; jobs there continue."""
        self._drop(name)
        self._set_status(name, ConnectionStatus(ConnectionState.OFFLINE))

    def examine(self, name: str) -> None:
        """Look at everything work there needs; answers with `examined`, and `cards` where there are NPUs."""
        from remote.hosts.doctor import examine

        if self.status(name).state is ConnectionState.NEEDS_USER:
            self._drop(name)

        def on_diagnosis(diagnosis: Any) -> None:
            self.examined.emit(name, diagnosis)
            if diagnosis.npus.devices:
                self.cards.emit(name, self._host(name).cards_of(diagnosis.npus))

        self._ask(
            name, lambda host: examine(host, self.registry.ssh.report), on_diagnosis
        )

    def read_cards(self, name: str) -> None:
        """Ask for the devices now."""
        self._ask(
            name, lambda host: host.cards(), lambda cards: self.cards.emit(name, cards)
        )

    def quarantine(self, name: str, unit: str, why: str) -> None:
        """Lease a device no more (`why`), or again (empty)."""
        host = self._host(name)
        if why:
            host.quarantined.put(unit, why)
        else:
            host.quarantined.release(unit)
        self.read_cards(name)

    def read_jobs(self, name: str) -> None:
        """Ask which jobs the host keeps."""
        self._ask(name, _jobs, lambda rows: self.jobs.emit(name, rows))

    def end_jobs(self, name: str, jobs: list[str]) -> None:
        """End running jobs and remove ended ones, then list again."""

        async def work(host: DetachedHost) -> list[JobRow]:
            # As they stand now: one may have ended since the list was read.
            rows_by_job = {row.job: row for row in await _jobs(host)}
            for job in jobs:
                row = rows_by_job.get(job)
                if row is None:
                    continue
                if row.has_ended:
                    await host.forget(job)
                else:
                    await host.cancel(job)
            return await _jobs(host)

        self._ask(name, work, lambda rows: self.jobs.emit(name, rows))

    def collect(self, name: str, keep_days: float, most_bytes: int) -> None:
        """Remove old jobs and files of ours from the host."""

        async def work(host: DetachedHost) -> str:
            await host.connect()
            byte_counts = await host.machine.collect(keep_days, most_bytes)
            freed_mb = f"{byte_counts['freed'] / 1e6:.1f}"
            kept_mb = f"{byte_counts['kept'] / 1e6:.1f}"
            return self.tr("{0} MB freed, {1} MB kept").format(freed_mb, kept_mb)

        self._ask(name, work, lambda words: self.finished.emit(name, words))

    def probe(self, name: str) -> None:
        """Whether the machine answers at its SSH port; without a login or a question."""
        config = self.registry.ssh.config

        def run() -> None:
            reachable = _reachable(name, config)
            self._arrived.emit(lambda: self.probed.emit(name, *reachable))

        threading.Thread(target=run, name="probe", daemon=True).start()

    def trust(self, name: str, unknown: Any) -> None:
        """Keep the key the person confirmed, connect, and look what works there."""
        self.registry.trust(unknown.host, unknown.kind, unknown.key)
        self.examine(name)

    def forget(self, name: str) -> None:
        """Take the host off the list; nothing changes on the machine."""
        self._drop(name)
        self.registry.remove(name)
        self._status.pop(name, None)

    def change(self, name: str, **values: object) -> None:
        """Add a host or change its settings; the next connection uses them."""
        self._drop(name)
        self.registry.change(name, **values)
        self._set_status(name, ConnectionStatus(ConnectionState.OFFLINE))

    def close(self) -> None:
        """Close every connection and end the thread."""
        for name in list(self._hosts):
            self._drop(name)
        loop, thread = self._loop, self._thread
        if loop is not None and thread is not None:
            asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result(5)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(5)
            loop.close()
        self._loop = self._thread = None

    # ---- threads

    def _host(self, name: str) -> DetachedHost:
        if name not in self._hosts:

            def on_status(status: ConnectionStatus) -> None:
                self._arrived.emit(lambda: self._status_changed(new_host, status))

            new_host = self.registry.host(name, on_status)
            self._hosts[name] = new_host
        return self._hosts[name]

    def _status_changed(self, host: DetachedHost, status: ConnectionStatus) -> None:
        if self._hosts.get(host.name) is host:  # not of a connection that was closed
            self._set_status(host.name, status)

    def _set_status(self, name: str, status: ConnectionStatus) -> None:
        self._status[name] = status
        self.changed.emit(name, status)

    def _drop(self, name: str) -> None:
        """Forget the connection of a host, and close it in a thread: a dead one takes a while."""
        host = self._hosts.pop(name, None)
        if host is not None:
            close = host.connection.close
            threading.Thread(target=close, name=f"close-{name}", daemon=True).start()

    def _ask(
        self,
        name: str,
        work: Callable[[DetachedHost], Awaitable[Any]],
        success: Callable[[Any], object],
    ) -> None:
        """Do `work` in the thread of the hosts, then `success` with its result in this one.

        What came is dropped where the connection was closed meanwhile.
        """
        host = self._host(name)
        self._busy[name] = self._busy.get(name, 0) + 1
        self.changed.emit(name, self.status(name))

        def back(tell: Callable[[], object]) -> None:
            def finish() -> None:
                self._busy[name] -= 1
                if self._hosts.get(name) is host:
                    tell()
                self.changed.emit(name, self.status(name))

            self._arrived.emit(finish)

        async def run() -> None:
            try:
                result = await work(host)
            except SageError as error:
                refusal = error
                back(lambda: self.failed.emit(name, refusal))
            except Exception as error:  # noqa: BLE001 - told in the window's thread
                fault = error
                back(lambda: self.crashed.emit(fault))
            else:
                back(lambda: success(result))

        self._spawn(run())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=self._loop.run_forever, name="hosts", daemon=True
            )
            self._thread.start()
        asyncio.run_coroutine_threadsafe(work, self._loop)

    @Slot(object)
    def _arrive(self, finish: Callable[[], object]) -> None:
        finish()


async def _cancel_all() -> None:
    """End every task of the loop but this one."""
    this = asyncio.current_task()
    other_tasks = [task for task in asyncio.all_tasks() if task is not this]
    for task in other_tasks:
        task.cancel()
    await asyncio.gather(*other_tasks, return_exceptions=True)


async def _jobs(host: DetachedHost) -> list[JobRow]:
    """The jobs a host keeps."""
    await host.connect()
    rows = []
    for job in await host.machine.jobs():
        device = str(job.get("device", ""))
        why_waits = waits(job.get("reason"), job.get("ahead"))
        rows.append(JobRow(job["job"], job["state"], device, why_waits))
    return rows


def _reachable(name: str, config: Path | None) -> tuple[str | Text, bool | None]:
    """What is found at the SSH port of a host, in words; behind jumps or a command nothing can be told."""
    from remote.connection.ssh.config import resolve

    try:
        target = resolve(name, config)
    except SageError as error:
        return error.what, False
    if target.jumps or target.proxy_command:
        words = QCoreApplication.translate("HostsService", "{0} through {1}")
        way = ", ".join(jump.address for jump in target.jumps) or target.proxy_command
        return words.format(target.address, way), None
    try:
        with socket.create_connection((target.hostname, target.port), PROBE_S):
            return target.address, True
    except (OSError, UnicodeError) as error:
        # UnicodeError: of a name that cannot be one of a host; it has no `strerror`.
        reason = getattr(error, "strerror", "") or error
        return f"{target.address}: {reason}", False
