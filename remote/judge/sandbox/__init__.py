"""What foreign code may see and do while it is compiled, run or imported: nothing but its own case.

`isolation` finds the strongest sandbox of this machine by attacking it; `confine.cpp` is the launcher inside
it.
"""

from .isolation import BUBBLEWRAP, LANDLOCK, UNCONFINED, Confinement, Isolation, Sandbox, Unconfined, require

__all__ = [
    "BUBBLEWRAP",
    "LANDLOCK",
    "UNCONFINED",
    "Confinement",
    "Isolation",
    "Sandbox",
    "Unconfined",
    "require",
]
