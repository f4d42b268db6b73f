"""The supervisor of one job: claims it, waits for a lease, runs the command, ends the tree, writes the end.

Exactly one supervisor can claim a job: the claim is a hard link, made at once with its content. Whatever
happens to the supervisor later, no second one will run the job.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import IO, Any, Dict, Optional, Tuple

from . import leases
from .home import disk_facts, read_json, write_json
from .processes import COOKIE, adopt_orphans, boot_id, born, end_job, reap

END_BYTES = 4096
MOST_OUTPUT = 32 << 20
_TAIL = 64 << 10
_PAUSES_S = (0.01, 0.1)  # while a job is young, and later
_YOUNG_S = 5.0


def supervise(folder: Path) -> int:
    """Run the job in `folder` in a process of its own; returns at once in the calling one."""
    if os.fork():
        return 0
    os.setsid()
    # The loss of the terminal or of the connection is no reason to stop; children get the default again.
    signal.signal(signal.SIGHUP, lambda *_: None)
    Supervisor(folder).run()
    return 0


def claim(folder: Path, name: str = "supervisor.json", pid: int = 0) -> bool:
    """Take the job for process `pid`, by default for none, so that no other will; false when it is taken."""
    note = folder / (".claim-%s" % uuid.uuid4().hex)
    owner = {"pid": pid, "born": born(pid) if pid else "nobody", "boot": boot_id()}
    note.write_text(json.dumps(owner))
    # A hard link either appears whole or fails, also on NFS.
    try:
        os.link(str(note), str(folder / name))
    except FileExistsError:
        return False
    finally:
        note.unlink()
    return True


def cookie_of(folder: Path, spec: Dict[str, Any]) -> str:
    """What marks the processes of a job; one prepared by an older job server has its id alone for that."""
    return str(spec.get("cookie", folder.name))


class Supervisor:
    """One job from its claim to its end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._spec: Dict[str, Any] = read_json(folder / "spec.json") or {}
        self._job = folder.name
        self._cookie = cookie_of(folder, self._spec)
        self._began = time.time()
        self._lease: Optional[leases.Lease] = None

    def run(self) -> None:
        """Take the job to its end, unless another supervisor has it."""
        if not claim(self._folder, pid=os.getpid()):
            return
        adopt_orphans()
        self._run_to_the_end()

    def _run_to_the_end(self) -> None:
        try:
            if not self._wait_for_lease():
                return
            state, code = self._run_command()
        except leases.NoLease as error:
            self._end("no-lease", 75, str(error))
        except OSError as error:
            self._end("not-started", 127, "%s: %s" % (error.filename, error.strerror))
        else:
            self._end(state, code, "")

    @property
    def _device(self) -> str:
        """What the job holds, empty for nothing."""
        return self._lease.device if self._lease else ""

    def _wait_for_lease(self) -> bool:
        lease = self._spec.get("lease")
        if not lease:
            return True
        write_json(self._folder / "phase", {"phase": "waiting"})
        self._lease = leases.take(
            Path(lease["folder"]),
            lease["devices"],
            lease["wait_s"],
            self._is_cancelled,
            self._job,
        )
        if self._lease is None:
            self._end("cancelled", 143, "cancelled before it ran")
        return self._lease is not None

    def _run_command(self) -> Tuple[str, int]:
        """Run the command to its end, a cancellation or the limit; its state and exit code."""
        write_json(
            self._folder / "phase",
            {"phase": "running", "device": self._device, "began": time.time()},
        )
        child = subprocess.Popen(
            self._spec["command"],
            cwd=str(self._folder / "work"),
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            close_fds=True,
            pass_fds=(self._lease.fd,) if self._lease else (),
        )
        assert child.stdout is not None
        pump = threading.Thread(
            target=pump_output, args=(child.stdout, self._folder / "out"), daemon=True
        )
        pump.start()
        state, status = self._watch(child.pid)
        # What the command left behind would run on without an owner.
        end_job(
            self._cookie,
            os.getpid(),
            0.0 if state == "done" else float(self._spec.get("grace_s", 0.5)),
        )
        pump.join(10)
        if status is None:
            status = reap().get(child.pid)
        return state, _code(status)

    def _watch(self, pid: int) -> Tuple[str, Optional[int]]:
        """Wait for the command, a cancellation or the time limit."""
        began = time.monotonic()
        limit = float(self._spec["time_limit_s"])
        while True:
            statuses = reap()
            if pid in statuses:
                return "done", statuses[pid]
            spent = time.monotonic() - began
            if self._is_cancelled():
                return "cancelled", None
            if spent > limit:
                return "timeout", None
            time.sleep(_PAUSES_S[spent > _YOUNG_S])

    def _environment(self) -> Dict[str, str]:
        device = self._device
        variables = {
            name: str(value).replace("{device}", device)
            for name, value in self._spec["env"].items()
        }
        return {
            **os.environ,
            "LC_ALL": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            **variables,
            COOKIE: self._cookie,
            **({"SAGE_DEVICE": device} if device else {}),
        }

    def _is_cancelled(self) -> bool:
        return (self._folder / "cancel").exists()

    def _end(self, state: str, code: int, detail: str) -> None:
        """Write the end into the space kept for it, so that a full disk cannot lose it."""
        end = {
            "state": state,
            "code": code,
            "detail": detail[:1000],
            "began": self._began,
            "ended": time.time(),
            "free_bytes": disk_facts(self._folder)["free_bytes"],
            "device": self._device,
        }
        reserved = self._folder / "end.pre"
        with open(str(reserved), "r+b") as file:
            file.write(json.dumps(end).encode().ljust(END_BYTES))
            file.flush()
            os.fsync(file.fileno())
        os.rename(str(reserved), str(self._folder / "end.json"))


def pump_output(source: IO[bytes], target: Path) -> None:
    """Copy output to a file up to 32 MiB, then keep only its last part, which follows at the end."""
    size = left_out = 0
    tail = b""
    full_disk = False
    with open(str(target), "ab", buffering=0) as file:
        while True:
            block = os.read(source.fileno(), 1 << 16)
            if not block:
                break
            room = MOST_OUTPUT - size
            if room > 0 and not full_disk:
                try:
                    file.write(block[:room])
                    size += min(room, len(block))
                except OSError:
                    full_disk = True
                block = block[room:]
            if block:
                left_out += len(block)
                tail = (tail + block)[-_TAIL:]
        if left_out:
            dropped = max(0, left_out - len(tail))
            notice = b"\n[... %d bytes of output left out ...]\n" % dropped
            try:
                file.write(notice + tail)
            except OSError:
                return


def _code(status: Optional[int]) -> int:
    """Exit code as a shell gives it: 128 + n for signal n."""
    if status is None:
        return 143
    return (
        128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    )


def launch(folder: Path) -> None:
    """Start a supervisor for a job, away from this process and its session."""
    program = sys.argv[0]
    subprocess.Popen(
        [sys.executable, "-I", program, "supervise", str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        close_fds=True,
        cwd=str(folder),
    ).wait()
