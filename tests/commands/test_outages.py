"""A host that a run cannot reach is named before its person gives up."""

from __future__ import annotations

from remote.connection.connection import ConnectionState, ConnectionStatus
from sage_desktop.commands.outages import Outages

CONNECTING = ConnectionStatus(ConnectionState.CONNECTING)
TRIES = ConnectionStatus(ConnectionState.RECONNECTING, "It refuses connections.", 3)
ONLINE = ConnectionStatus(ConnectionState.ONLINE)


def test_a_long_outage_is_told_once_and_its_end_too() -> None:
    lines: list[str] = []
    now = [0.0]
    outages = Outages(lines.append, lambda: now[0])

    def at(seconds: float, status: ConnectionStatus, host: str = "site") -> None:
        now[0] = seconds
        outages.heard(host, status)

    at(0, CONNECTING)
    at(30, TRIES)
    at(40, ONLINE)
    assert lines == []
    at(100, TRIES)
    at(101, TRIES, "other")
    at(159, TRIES)
    assert lines == []
    at(170, TRIES)
    at(200, TRIES)
    (line,) = lines
    assert line.startswith("site has been out of reach for 70 s; it is tried again.")
    assert line.endswith("It refuses connections.")
    at(210, ONLINE)
    assert lines[1:] == ["site is reached again."]
    at(220, TRIES)
    at(230, ONLINE)
    assert len(lines) == 2
