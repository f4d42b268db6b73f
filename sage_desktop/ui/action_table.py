"""What every command of the window is called: `resources/commands.toml` as records.

Titles and tips are English source texts, translated at use.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True)
class ActionSpec:
    """One command.

    Attributes:
        id: Stable name, `<menu>.<verb>`; the menu is a key of `MENUS`.
        title: What menus and palette show (translated at use; `&` marks the mnemonic).
        tip: One sentence for the tool tip and the palette.
        icon: File of `resources/icons`, or empty.
        keys: Shortcuts in portable notation; the first is shown.
        context: Context menu it appears in (`queue`, `memory`, `review`), or empty.
        switch: Whether it is turned on and off.
        part: Key of `PARTS`: the part of the menu it stands in, or empty for the menu.
        section: Number of the lines above it in its menu.
    """

    id: str
    title: str
    tip: str
    icon: str = ""
    keys: tuple[str, ...] = ()
    context: str = ""
    switch: bool = False
    part: str = ""
    section: int = 0

    @property
    def menu(self) -> str:
        """Key of the menu it stands in."""
        return self.id.partition(".")[0]


def _read() -> tuple[dict[str, str], dict[str, str], tuple[ActionSpec, ...]]:
    """Titles of menus, titles of their parts, and the commands in the order of the file.

    Raises:
        TypeError: A command has a field there is not.
    """
    file = resources.files("resources") / "commands.toml"
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    menus = table.pop("menus")
    parts = table.pop("parts")
    specs = []
    for menu, commands in table.items():
        section = 0
        for verb, fields in commands.items():
            # A command with a line above it begins another section.
            if fields.pop("line", False):
                section += 1
            keys = tuple(fields.pop("keys", ()))
            spec = ActionSpec(f"{menu}.{verb}", keys=keys, section=section, **fields)
            specs.append(spec)
    return menus, parts, tuple(specs)


MENUS, PARTS, ACTIONS = _read()
