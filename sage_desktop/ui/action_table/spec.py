"""What a command is, as plain data; the tables are in `frame.py`, `rooms.py` and `memory.py`.

Titles and tips are English source texts, translated at use.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class ActionSpec:
    """One command.

    Attributes:
        id: Stable name, `<menu>.<verb>`; the menu is a key of `MENUS`.
        title: What menus and palette show (translated at use; `&` marks the mnemonic).
        tip: One sentence for the tool tip and the palette.
        icon: File of `resources/icons`, or empty.
        keys: Shortcuts in portable notation; the first is shown.
        context: Context menu it appears in (`queue`, `memory`, `review`, `hosts`), or empty.
        checkable: Whether it is a switch.
        group: Switches of one group exclude each other.
        under: Key of `SUBMENUS`: the part of the menu it stands in, or empty for the menu itself.
        section: Within a menu, a change of section draws a line. Both are said by the table, once a group.
    """

    id: str
    title: str
    tip: str
    icon: str = ""
    keys: tuple[str, ...] = ()
    context: str = ""
    checkable: bool = False
    group: str = ""
    under: str = ""
    section: int = 0

    @property
    def menu(self) -> str:
        """Key of the menu it stands in."""
        return self.id.partition(".")[0]


def in_sections(*sections: tuple[ActionSpec, ...]) -> tuple[ActionSpec, ...]:
    """The commands of a table, a line of the menu between `sections`."""
    return tuple(
        replace(spec, section=at)
        for at, section in enumerate(sections)
        for spec in section
    )


def part(under: str, *specs: ActionSpec) -> tuple[ActionSpec, ...]:
    """`specs` in the part `under` of their menu."""
    return tuple(replace(spec, under=under) for spec in specs)


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
