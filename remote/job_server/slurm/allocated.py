"""A job on a node that Slurm chose: the same supervisor, in the place of the batch script.

The node is another machine than the one that serves requests, with the same folder on a shared file system:
the sign of life is a file that changes, and being asked to end (SIGTERM: scancel, preemption, time limit) is
noted, so that who follows the job need not wait for the silence.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import threading
from pathlib import Path
from typing import List, Mapping, Set

from ..home import read_json, write_json
from ..processes import adopt_orphans
from ..supervisor import Supervisor, claim
from .sbatch import run
from .site import ALIVE, BUILDER, STOPPED

BUILT = "built.json"
_BEAT_S = 2.0
_SIGNAL_S = 0.3
_SIGNALS = (130, 137, 143)  # exit codes of what a signal ended
_NO_DEVICE = 75


class NoDevice(Exception):
    """The site's mapping names no device for this job; the message says what was looked at."""


class Allocated(Supervisor):
    """One job, or its build, from the claim to the end."""

    def __init__(self, folder: Path, stage: str) -> None:
        super().__init__(folder)
        self._stage = stage
        self._over = threading.Event()
        self._stopped = threading.Event()
        self._node = os.environ.get("SLURMD_NODENAME") or socket.gethostname()

    @property
    def _device(self) -> str:
        return self._node

    def run(self) -> None:
        """Build, or take the job to its end, unless another node has it or it was cancelled."""
        building = self._stage == "build"
        if self._is_cancelled() or not claim(
            self._folder, BUILDER if building else "supervisor.json", os.getpid()
        ):
            return
        signal.signal(signal.SIGTERM, lambda *_: self._stopped.set())
        os.environ["SAGE_NODE"] = self._node
        adopt_orphans()
        beat = threading.Thread(target=self._beat, daemon=True)
        beat.start()
        if building:
            self._spec = {**self._spec, "command": self._spec["slurm"]["build_command"]}
        self._run_to_the_end()
        self._over.set()

    def _beat(self) -> None:
        count = 0
        while True:
            count += 1
            with contextlib.suppress(OSError):  # a full disk: the end has its space
                (self._folder / ALIVE).write_text(
                    "%s %s %d" % (self._stage, self._node, count)
                )
            if self._over.wait(_BEAT_S):
                return

    def _is_cancelled(self) -> bool:
        return self._stopped.is_set() or super()._is_cancelled()

    def _end(self, state: str, code: int, detail: str) -> None:
        if (
            code in _SIGNALS
            and not super()._is_cancelled()
            and self._stopped.wait(_SIGNAL_S)
        ):
            # Slurm asks all processes of a job to end, and the command may be faster.
            state = STOPPED
        if self._stage == "build":
            built = read_json(self._folder / "work" / BUILT)
            if state != "done" or built is None or built["evaluation"]["build"]["ok"]:
                # The job on the device builds what is missing, and tells what is wrong.
                return
            write_json(self._folder / "work" / "result.json", built)
            # What depends on this is not run: there is nothing to run.
            code = 1
            super()._end(state, 0, detail)
            os._exit(code)
        super()._end(state, code, detail)


def devices_of(mapping: str, environment: Mapping[str, str]) -> str:
    """Logical devices of this job, e.g. `2` or `2,3`, as the site maps them.

    Args:
        mapping: `env:NAME`, a variable the site's prolog or Slurm sets; `scontrol:GRES`, the indices of the
            gres of that name that `scontrol -d show job` shows; `fixed:IDS`, of a node the job has alone.
        environment: Of the job.

    Raises:
        NoDevice: They cannot be told. No device is ever guessed: two jobs would share it.
    """
    kind, _, rest = mapping.partition(":")
    if kind == "fixed":
        return rest
    if kind == "env":
        devices = environment.get(rest, "")
        if re.fullmatch(r"\d+(,\d+)*", devices):
            return devices
        raise NoDevice(
            "%s is %r in a job of this site, which names no device" % (rest, devices)
        )
    job = environment.get("SLURM_JOB_ID", "")
    _, output = run(["scontrol", "-d", "-o", "show", "job", job])
    nodes = _indices(output, rest)
    if len(nodes) != 1:
        text = "scontrol -d shows no device indices of gres %s for job %s (gres without File= has none)"
        raise NoDevice(text % (rest or "(none set)", job))
    return ",".join(str(number) for number in nodes[0])


def _indices(output: str, gres: str) -> List[List[int]]:
    """Of each node of a job the indices it has of `gres`, which may be beside others and of several types.

    Where the settings name no gres (the site's options of sbatch do), the only one there is.

    One node of a job reads `GRES=npu:910b:2(IDX:0,2-3),nic:1(IDX:1)`.
    """
    nodes = []
    for words in re.findall(r"\bGRES=(\S+)", output):
        allocations = re.findall(
            r"(?:^|,)([^,:()]+)(?::[^,()]*)?\(IDX:([\d,-]+)\)", words
        )
        parts = [part for name, part in allocations if name == gres or not gres]
        numbers: Set[int] = set()
        for part in parts:
            for span in part.split(","):
                numbers.update(_span(span))
        kinds = {name for name, _ in allocations}
        # Without a name, two kinds of gres could not be told apart.
        if numbers and (gres or len(kinds) == 1):
            nodes.append(sorted(numbers))
    return nodes


def _span(part: str) -> range:
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


def run_on_allotted(mapping: str, command: List[str]) -> int:
    """Replace this process by `command`, which sees this job's devices only; 75 when none can be told."""
    try:
        devices = devices_of(mapping, os.environ)
    except NoDevice as error:
        os.write(2, ("device: %s\n" % error).encode())
        return _NO_DEVICE
    node = os.environ.get("SAGE_NODE") or os.environ.get("SLURMD_NODENAME", "")
    os.environ["SAGE_DEVICE"] = "%s:npu%s" % (node, devices.replace(",", "+"))
    os.environ["ASCEND_RT_VISIBLE_DEVICES"] = devices
    return os.execvp(command[0], command)  # noqa: S606 - the job's devices go with the process
