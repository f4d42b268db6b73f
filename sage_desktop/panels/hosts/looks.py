"""How the states of connections, findings and jobs look: a drawing, a colour role and words."""

from __future__ import annotations

from remote.connection.reconnecting import ConnectionState
from remote.hosts.doctor import Health
from sage_desktop.ui.widgets.verdicts import Look

LINKS = {
    ConnectionState.OFFLINE: Look("cancelled", "muted", "Not connected"),
    ConnectionState.CONNECTING: Look("running", "info", "Connecting"),
    ConnectionState.NEEDS_USER: Look("warning", "warning", "Waits for you"),
    ConnectionState.ONLINE: Look("done", "success", "Connected"),
    ConnectionState.SUSPECT: Look("clock", "warning", "Silent for a while"),
    ConnectionState.RECONNECTING: Look("retry", "warning", "Line lost; trying again"),
}
HEALTH = {
    Health.OK: Look("done", "success", "Fine"),
    Health.NOTE: Look("info", "info", "Note"),
    Health.FAULT: Look("error", "danger", "To be mended"),
}
