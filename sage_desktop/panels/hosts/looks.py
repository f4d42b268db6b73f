"""How the states of connections, findings and jobs look: a drawing, a colour role and words."""

from __future__ import annotations

from remote.connection.reconnecting import ConnectionState
from remote.hosts.doctor import Health
from sage_desktop.ui.widgets.verdicts import StatusStyle

LINKS = {
    ConnectionState.OFFLINE: StatusStyle("cancelled", "muted", "Not connected"),
    ConnectionState.CONNECTING: StatusStyle("running", "info", "Connecting"),
    ConnectionState.NEEDS_USER: StatusStyle("warning", "warning", "Waiting for you"),
    ConnectionState.ONLINE: StatusStyle("done", "success", "Connected"),
    ConnectionState.SUSPECT: StatusStyle("clock", "warning", "Not responding"),
    ConnectionState.RECONNECTING: StatusStyle(
        "retry", "warning", "Connection lost; trying again"
    ),
}
HEALTH = {
    Health.OK: StatusStyle("done", "success", "OK"),
    Health.NOTE: StatusStyle("info", "info", "Note"),
    Health.FAULT: StatusStyle("error", "danger", "Problem"),
}
