"""What a command is, as plain data; the tables are in `frame.py`, `rooms.py` and `memory.py`.

Titles and tips are English source texts, translated at use.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ActionSpec:
    """One command.

    Attributes:
        id: Stable name, `<room>.<verb>`.
        title: What menus and palette show (translated at use; `&` marks the mnemonic).
        tip: One sentence for the tool tip and the palette.
        icon: File of `resources/icons`, or empty.
        keys: Shortcuts in portable notation; the first is shown.
        menu: Key of `MENUS`, or empty for palette and context menu only.
        under: Key of `SUBMENUS`: the part of the menu it stands in, or empty for the menu itself.
        context: Context menu it appears in (`queue`, `memory`, `review`, `hosts`), or empty.
        checkable: Whether it is a switch.
        group: Switches of one group exclude each other.
        section: Within a menu, a change of section draws a line.
    """

    id: str
    title: str
    tip: str
    icon: str = ""
    keys: tuple[str, ...] = ()
    menu: str = ""
    under: str = ""
    context: str = ""
    checkable: bool = False
    group: str = ""
    section: int = 0


MENUS = {
    "file": "&File",
    "edit": "&Edit",
    "view": "&View",
    "queue": "&Queue",
    "review": "&Review",
    "memory": "&Memory",
    "hosts": "H&osts",
    "help": "&Help",
}

SUBMENUS = {
    "theme": "&Theme",
    "go": "&Go To",
    "compare": "&Compare",
    "display": "Di&splay",
    "export": "Copy and &Export",
    "transfer": "Import and E&xport",
}
