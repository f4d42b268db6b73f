"""Every command of the window as plain data, for menus, palette, documentation and translation."""

from __future__ import annotations

from sage_desktop.ui.action_table.frame import FRAME
from sage_desktop.ui.action_table.hosts import HOSTS
from sage_desktop.ui.action_table.memory import MEMORY
from sage_desktop.ui.action_table.queue import QUEUE
from sage_desktop.ui.action_table.rooms import ROOMS
from sage_desktop.ui.action_table.spec import MENUS, SUBMENUS, ActionSpec

__all__ = ["ACTIONS", "MENUS", "SUBMENUS", "ActionSpec"]

ACTIONS: tuple[ActionSpec, ...] = (*FRAME, *QUEUE, *ROOMS, *HOSTS, *MEMORY)
