"""Signs and words for lifecycle, state and origin of an experience, and events."""

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

_STEPS = {
    "pin": "Pin",
    "unpin": "Unpin",
    "block": "Block",
    "unblock": "Unblock",
    "promote": "Promote",
    "demote": "Demote",
    "edit": "Edit",
    "edit-rule": "Edit Rule",
    "state-active": "Put into Use",
    "state-archived": "Archive",
    "state-quarantined": "Quarantine",
    "state-pending": "Return to Pending",
    "merge-items": "Join",
    "recount": "Recount Tokens",
    "reset-evidence": "Reset Evidence",
    "restore-snapshot": "Restore Snapshot",
    "add": "Add",
    "add-again": "Add",
    "add-seeds": "Add Seeds",
    "add-mined": "Add Mined Patterns",
    "merge-memory": "Merge Memory",
    "redo": "Redo",
    "accept-items": "Accept {0} items",
    "reject-items": "Reject {0} items",
    "pin-items": "Pin {0} items",
    "unpin-items": "Unpin {0} items",
    "block-items": "Block {0} items",
    "unblock-items": "Unblock {0} items",
    "promote-items": "Promote {0} items",
    "demote-items": "Demote {0} items",
    "tag": "Tag",
    "tag-items": "Tag {0} items",
    "archive-items": "Archive {0} items",
    "restore-items": "Restore {0} items",
    # What older releases wrote.
    "bar": "Block",
    "unbar": "Unblock",
    "bar-items": "Block {0} items",
    "unbar-items": "Unblock {0} items",
    "disable-items": "Disable {0} items",
    "enable-items": "Enable {0} items",
    "state-disabled": "Disable",
    "split-rule": "Split Rule",
    "contradict": "Mark Contradiction",
    "import-library": "Import Library",
}

_DONE = {
    "accept": "Accepted %n item(s)",
    "reject": "Rejected %n item(s)",
    "pin": "Pinned %n item(s)",
    "unpin": "Unpinned %n item(s)",
    "block": "Blocked %n item(s)",
    "unblock": "Unblocked %n item(s)",
    "promote": "Promoted %n item(s)",
    "demote": "Demoted %n item(s)",
    "archive": "Archived %n item(s)",
    "restore": "Restored %n item(s)",
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


def step_words(kind: str, items: int = 0) -> str:
    """Words for a kind of event; `items` is how many a step of that kind changed."""
    return QCoreApplication.translate("Undo", _STEPS.get(kind, kind)).format(
        f"{items:,}"
    )


def done_words(name: str, items: int) -> str:
    """What the command `name` did to so many items, in words."""
    return QCoreApplication.translate("Undo", _DONE[name], None, items)
