"""How many hosts and cards there are to work with, in a few words for the status bar."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt, Signal

from remote.connection.connection import ConnectionState, ConnectionStatus
from remote.hosts.cards import Cards
from remote.hosts.registry import HostRegistry


class HostsSummary(QObject):
    """Gathers what the hosts page and the run's own connections tell.

    Signals:
        said: (words, tool tip with a line a host); both empty without hosts.
        run_line: (host, `ConnectionStatus`): the connection of the run changed.
    """

    said = Signal(str, str)
    run_line = Signal(str, object)
    _seen = Signal(str, object)
    _loaded = Signal()

    def __init__(self, registry: HostRegistry, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self._page: dict[str, ConnectionState] = {}
        self._run: dict[str, ConnectionState] = {}
        self._cards: dict[str, Cards] = {}
        self._seen.connect(self._run_changed, Qt.ConnectionType.QueuedConnection)
        self._loaded.connect(self.tell, Qt.ConnectionType.QueuedConnection)
        registry.watch = self._seen.emit
        registry.watch_loads = self._loaded.emit

    def close(self) -> None:
        """Listen no more."""
        self._registry.watch = self._registry.watch_loads = None

    def page_changed(self, name: str, status: ConnectionStatus) -> None:
        """The connection of the hosts page changed."""
        self._page[name] = status.state
        self.tell()

    def _run_changed(self, name: str, status: ConnectionStatus) -> None:
        self._run[name] = status.state
        self.run_line.emit(name, status)
        self.tell()

    def saw_cards(self, name: str, cards: Cards) -> None:
        """Devices of a host were read."""
        self._cards[name] = cards
        self.tell()

    def tell(self) -> None:
        """Say how things stand."""
        names = tuple(self._registry.settings())
        if not names:
            self.said.emit("", "")
            return
        connected = [name for name in names if self._connected(name)]
        words = self.tr("{0} of {1} hosts connected").format(len(connected), len(names))
        units = [len(cards.units()) for cards in self._of(names)]
        free = [len(cards.usable()) for cards in self._of(names)]
        if sum(units):
            words += " · " + self.tr("{0} of {1} devices free").format(
                sum(free), sum(units)
            )
        loads = self._registry.loads
        lines = [self._line(name) + self._share(name) for name in names]
        lines += [name + self._share(name) for name in loads if name not in names]
        self.said.emit(words, "\n".join(lines))

    def _share(self, name: str) -> str:
        """What of a run's evaluations a host does."""
        loads = self._registry.loads
        if name not in loads:
            return ""
        own, every = loads[name], sum(load.answered for load in loads.values())
        part = f"{own.answered / every:.0%}" if every else "–"
        return " · " + self.tr("{0} of {1} at work, {2} answered ({3})").format(
            own.working, own.slots, own.answered, part
        )

    def _connected(self, name: str) -> bool:
        return ConnectionState.ONLINE in (self._page.get(name), self._run.get(name))

    def _of(self, names: Iterable[str]) -> list[Cards]:
        return [self._cards[name] for name in names if name in self._cards]

    def _line(self, name: str) -> str:
        if not self._connected(name):
            return self.tr("{0}: not connected").format(name)
        cards = self._cards.get(name)
        if cards is None or not cards.units():
            return self.tr("{0}: connected").format(name)
        return self.tr("{0}: connected, {1} of {2} devices free").format(
            name, len(cards.usable()), len(cards.units())
        )
