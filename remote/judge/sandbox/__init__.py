"""What foreign code may see and do while it is compiled, run or imported: nothing but its own case.

`isolation` finds the strongest sandbox of this machine by attacking it; inside it `confine.cpp` launches one
program, and `launch_server.cpp` all those of an evaluation.
"""

from remote.judge.sandbox.isolation import (
    BUBBLEWRAP,
    LANDLOCK,
    LIBRARIES,
    UNCONFINED,
    Confinement,
    Isolation,
    Sandbox,
    require_sandbox,
)
from remote.judge.sandbox.launch_server import LaunchedProgram, LaunchServer

__all__ = [
    "BUBBLEWRAP",
    "LANDLOCK",
    "LIBRARIES",
    "UNCONFINED",
    "Confinement",
    "Isolation",
    "LaunchServer",
    "LaunchedProgram",
    "Sandbox",
    "require_sandbox",
]
