"""How the states of connections, findings and jobs look: a drawing, a colour role and words."""

from __future__ import annotations

from remote.connection.reconnecting import LinkState
from remote.hosts.doctor import Health
from sage_desktop.ui.widgets.verdicts import Look

LINKS = {
    LinkState.OFFLINE: Look("cancelled", "muted", "Not connected"),
    LinkState.CONNECTING: Look("running", "info", "Connecting"),
    LinkState.NEEDS_USER: Look("warning", "warning", "Waits for you"),
    LinkState.ONLINE: Look("done", "success", "Connected"),
    LinkState.SUSPECT: Look("clock", "warning", "Silent for a while"),
    LinkState.RECONNECTING: Look("retry", "warning", "Line lost; trying again"),
}
HEALTH = {
    Health.OK: Look("done", "success", "Fine"),
    Health.NOTE: Look("info", "info", "Note"),
    Health.FAULT: Look("error", "danger", "To be mended"),
}
