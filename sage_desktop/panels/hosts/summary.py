"""How many hosts and cards there are to work with, in a few words for the status bar."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal

from remote.connection.connection import ConnectionState, ConnectionStatus
from remote.hosts.cards import Cards
from remote.hosts.registry import HostRegistry


class HostsSummary(QObject):
    """Gathers the state of the hosts page's and of the run's own connections.

    Args:
        registry: The user's hosts.
        parent: Owner.

    Signals:
        changed: (words, tool tip with a line a host); both empty without hosts.
        run_line: (host, `ConnectionStatus`): the connection of the run changed.
    """

    changed = Signal(str, str)
    run_line = Signal(str, object)
    # The registry calls from its own threads; queued signals bring that to this one.
    _status_arrived = Signal(str, object)
    _loads_arrived = Signal()

    def __init__(self, registry: HostRegistry, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self._page: dict[str, ConnectionState] = {}
        self._run: dict[str, ConnectionState] = {}
        self._cards: dict[str, Cards] = {}
        queued = Qt.ConnectionType.QueuedConnection
        self._status_arrived.connect(self._run_changed, queued)
        self._loads_arrived.connect(self.announce, queued)
        registry.watch = self._status_arrived.emit
        registry.watch_loads = self._loads_arrived.emit

    def close(self) -> None:
        """Listen no more."""
        self._registry.watch = self._registry.watch_loads = None

    def page_changed(self, name: str, status: ConnectionStatus) -> None:
        """The connection of the hosts page changed."""
        self._page[name] = status.state
        self.announce()

    def _run_changed(self, name: str, status: ConnectionStatus) -> None:
        self._run[name] = status.state
        self.run_line.emit(name, status)
        self.announce()

    def saw_cards(self, name: str, cards: Cards) -> None:
        """Devices of a host were read."""
        self._cards[name] = cards
        self.announce()

    def announce(self) -> None:
        """Emit `changed` with the present state."""
        names = tuple(self._registry.settings())
        if not names:
            self.changed.emit("", "")
            return
        words = self._hosts_text(names)
        devices = self._devices_text(names)
        if devices:
            words = f"{words} · {devices}"
        lines = [self._line(name) + self._share(name) for name in names]
        # A run may evaluate on this computer too, which is no host of the registry.
        elsewhere = [name for name in self._registry.loads if name not in names]
        lines += [name + self._share(name) for name in elsewhere]
        self.changed.emit(words, "\n".join(lines))

    def _hosts_text(self, names: Sequence[str]) -> str:
        connected = sum(self._connected(name) for name in names)
        words = self.tr("{0} of {1} hosts connected")
        return words.format(connected, len(names))

    def _devices_text(self, names: Sequence[str]) -> str:
        """How many devices of hosts are free; empty where none was read."""
        cards = [self._cards[name] for name in names if name in self._cards]
        units = sum(len(of_host.units()) for of_host in cards)
        free = sum(len(of_host.usable()) for of_host in cards)
        if not units:
            return ""
        return self.tr("{0} of {1} devices free").format(free, units)

    def _share(self, name: str) -> str:
        """What of a run's evaluations a host does."""
        loads = self._registry.loads
        if name not in loads:
            return ""
        load = loads[name]
        answered = sum(each.answered for each in loads.values())
        share = f"{load.answered / answered:.0%}" if answered else "–"
        words = self.tr("{0} of {1} at work, {2} answered ({3})")
        words = words.format(load.working, load.slots, load.answered, share)
        return f" · {words}"

    def _connected(self, name: str) -> bool:
        """Whether the page or the run has a connection; each has its own."""
        states = (self._page.get(name), self._run.get(name))
        return ConnectionState.ONLINE in states

    def _line(self, name: str) -> str:
        """A host and its devices, for the tool tip."""
        if not self._connected(name):
            return self.tr("{0}: not connected").format(name)
        cards = self._cards.get(name)
        if cards is None or not cards.units():
            return self.tr("{0}: connected").format(name)
        free, units = len(cards.usable()), len(cards.units())
        words = self.tr("{0}: connected, {1} of {2} devices free")
        return words.format(name, free, units)
