"""How lifecycle, state and origin of an experience look: drawing, colour role, words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.memory.records import ItemState, Lifecycle, MemoryItem
from core.memory.views.rows import ItemRow
from sage_desktop.ui.widgets.verdicts import StatusStyle

_LIFECYCLES = {
    Lifecycle.NORMAL: StatusStyle("queued", "muted", "Normal"),
    Lifecycle.VALIDATED: StatusStyle("done", "success", "Validated"),
    Lifecycle.CONSOLIDATED: StatusStyle("flame", "warning", "Hot"),
}
_STATES = {
    ItemState.PENDING: StatusStyle("clock", "info", "Pending"),
    ItemState.ACTIVE: StatusStyle("check", "muted", "Active"),
    ItemState.QUARANTINED: StatusStyle("warning", "danger", "Quarantined"),
    ItemState.DISABLED: StatusStyle("cancelled", "muted", "Disabled"),
    ItemState.ARCHIVED: StatusStyle("archive", "muted", "Archived"),
}
_ORIGINS = {
    "seed": "shipped with the program",
    "distilled": "distilled from a trajectory",
    "mined": "mined from an expert kernel",
    "user": "written by a person",
    "import": "imported",
}


def item_look(item: ItemRow | MemoryItem) -> StatusStyle:
    """The one sign that matters most: an unusual state first, then the lifecycle."""
    if item.state is not ItemState.ACTIVE:
        return _STATES[item.state]
    return _LIFECYCLES[item.sigma]


def lifecycle_text(value: str) -> str:
    """Words for a lifecycle state."""
    return _LIFECYCLES[Lifecycle(value)].text


def state_text(value: str) -> str:
    """Words for an item state."""
    return _STATES[ItemState(value)].text


def origin_text(value: str) -> str:
    """Words for how an item came into the memory."""
    return QCoreApplication.translate("Verdicts", _ORIGINS.get(value, value))
