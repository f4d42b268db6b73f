"""Devices of a site that hands them out itself: `task-submit` waits for one and runs a shell line on it.

Written after how public scripts call the program (`--device auto --device-num 1 --run LINE`, the device in
`$TASK_DEVICE`); tried with a stand-in only. Its queue may run the line in another environment and folder, so
both are part of the line.
"""

from __future__ import annotations

import os
import shlex
from typing import List, Mapping

_CARRIED = (
    "ASCEND",
    "SAGE",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYTHON",
    "LC_",
    "LANG",
    "HOME",
    "TMPDIR",
)


def queued_line(command: List[str], folder: str, environment: Mapping[str, str]) -> str:
    """The shell line that runs `command` in `folder` on the device the queue chose."""
    carried = {
        name: value for name, value in environment.items() if name.startswith(_CARRIED)
    }
    exports = " ".join(
        "%s=%s" % (name, shlex.quote(value)) for name, value in sorted(carried.items())
    )
    device = 'SAGE_DEVICE="npu$TASK_DEVICE" ASCEND_RT_VISIBLE_DEVICES="$TASK_DEVICE"'
    words = " ".join(shlex.quote(word) for word in command)
    return "cd %s && exec env %s %s %s" % (shlex.quote(folder), exports, device, words)


def run_in_queue(program: str, command: List[str]) -> int:
    """Replace this process by the queue's client, which ends as the command does."""
    line = queued_line(command, os.getcwd(), os.environ)
    return os.execvp(  # noqa: S606
        program, [program, "--device", "auto", "--device-num", "1", "--run", line]
    )
