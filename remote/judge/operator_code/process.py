"""An operator's own Python, asked from the judge: its reference, its checker, its gates.

It runs in a process of its own, forked from the judge and confined before any of it is imported: it reads
Python's packages and the operator's files, writes nothing, has no network and starts no process; memory, CPU
and wall time are limited. It answers in numbers and text that are checked, and is killed when the evaluation
ends. What it does to torch or to the judge's modules stays in that process.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from core.operators.spec import TestCase
from remote.judge.faults import EnvironmentFault, UnavailableCase, fault_of
from remote.judge.inputs.fills import DTYPES
from remote.judge.inputs.memory_needs import available_bytes, spare_bytes
from remote.judge.inputs.reference_results import dtype_name
from remote.judge.inputs.tensor_memory import tensor_bytes
from remote.judge.job import Operator
from remote.judge.json_records import Unfit, read
from remote.judge.json_records import plain as values
from remote.judge.operator_code.child import begin
from remote.judge.operator_code.made_case import CheckedCase
from remote.judge.operator_code.wire import Unreadable, receive, send
from remote.judge.processes.children import ChildGroup
from remote.judge.processes.patience import left_s, usage_of
from remote.judge.program import python_folders, readable_paths, start_command
from remote.judge.result import OperatorCheck
from remote.judge.sandbox import BUBBLEWRAP, LIBRARIES, Confinement, Sandbox

# Files outside Python's own folders that torch, numpy or the C library read.
_ALSO_READ = (
    *("/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo"),
    *("/dev/null", "/dev/urandom", "/sys/devices/system/cpu"),
    *("/proc/cpuinfo", "/proc/meminfo", *LIBRARIES),
)
_OPEN_FILES = 256
_MOST_WORDS = 2000
_LEAST_BYTES = 64 << 20
_START_S, _END_S = 60.0, 5.0
_TORCH_MB = 4096  # address space that importing torch takes


@dataclass(frozen=True)
class ForeignLimits:
    """What an operator's code may use.

    Attributes:
        wall_s: Seconds for one request, those not counted in which it waits for a CPU.
        cpu_s: CPU seconds of all requests of one evaluation.
        memory_mb: MiB beside what the judge has itself; 0 for most of what the machine has free.
    """

    wall_s: float = 300.0
    cpu_s: int = 3600
    memory_mb: int = 0


def _by_row(case: TestCase) -> TestCase:
    """A case as the operator's code is asked for it: that of an imported task knows it by its row alone."""
    return replace(case, inputs={}, attributes={}) if case.row else case


class ForeignCode:
    """The code of one operator. The process is started by the first request; several threads may ask.

    Args:
        operator: The operator.
        folder: Its files, `reference.py` among them.
        sandbox: What holds it back.
        limits: What it may use.
        children: The job it belongs to, None outside a job.
        gates: Whether the gates are asked as well.
    """

    def __init__(
        self,
        operator: Operator,
        folder: Path,
        sandbox: Sandbox,
        limits: ForeignLimits,
        children: ChildGroup | None = None,
        *,
        gates: bool = False,
    ) -> None:
        self._operator, self._folder, self._sandbox = operator, folder, sandbox
        self._limits, self._children, self._gates = limits, children, gates
        self._lock = threading.RLock()
        self._process: _Process | None = None
        self._line: socket.socket | None = None
        self._over = ""  # why nothing can be asked any more
        if children is not None:
            children.on_cancel(self._kill)

    def case(self, case: TestCase) -> CheckedCase:
        """Make a case.

        Raises:
            UnavailableCase: The code of an imported task cannot make this one.
            EnvironmentFault: The code fails, or makes something else than a case.
        """
        what, most = f"case {case.name}", max(available_bytes() // 2, _LEAST_BYTES)
        request = {"do": "make", "case": values(_by_row(case))}
        description, blobs = self._ask(request, (), what)
        try:
            return CheckedCase(self._operator, case, description, blobs, most)
        except Unreadable as fault:
            raise self._nonsense(what, fault) from fault

    def output_dtypes(
        self, input_dtypes: Mapping[str, str], attributes: Mapping[str, Any]
    ) -> tuple[str, ...]:
        """As `results.output_dtypes`.

        Raises:
            EnvironmentFault: The code fails, or names no dtypes.
        """
        what = "dtypes of outputs"
        answer, _ = self._ask(
            {"do": "dtypes", "given": input_dtypes, "attributes": attributes}, (), what
        )
        named = answer.get("dtypes")
        dtypes = tuple(map(str, named)) if isinstance(named, list) else ()
        if len(dtypes) != len(self._operator.outputs) or not {"", *DTYPES}.issuperset(
            dtypes
        ):
            raise self._nonsense(
                what, Unreadable("OUTPUT_DTYPES does not fit the outputs")
            )
        return dtypes

    def check(
        self,
        case: TestCase,
        inputs: Mapping[str, Any],
        expected: Sequence[torch.Tensor | None],
        actual: Sequence[torch.Tensor],
    ) -> str:
        """As `task.own_check`.

        Raises:
            EnvironmentFault: There is no checker, or it fails.
        """
        blobs: list[bytes] = []

        def row(tensor: torch.Tensor | None) -> dict[str, Any] | None:
            if tensor is None:
                return None
            blobs.append(tensor_bytes(tensor))
            return {
                "dtype": dtype_name(tensor.dtype),
                "shape": list(tensor.shape),
                "blob": len(blobs) - 1,
            }

        request = {
            "do": "check",
            "case": values(_by_row(case)),
            "inputs": {
                name: [row(tensor) for tensor in tensors]
                if isinstance(tensors, list)
                else row(tensors)
                for name, tensors in inputs.items()
            },
            "expected": [row(tensor) for tensor in expected],
            "actual": [row(tensor) for tensor in actual],
        }
        what = f"the check of case {case.name}"
        answer, _ = self._ask(request, blobs, what)
        objection = answer.get("objection")
        if not isinstance(objection, str):
            raise self._nonsense(what, Unreadable("the objection is no text"))
        return plain(objection)

    def gates(self) -> OperatorCheck:
        """As `operator_check.check_operator`.

        Raises:
            EnvironmentFault: The code ends its process, or does not end.
        """
        answer, _ = self._ask({"do": "gates"}, (), "its gates")
        try:
            check = read(OperatorCheck, answer.get("row"), "row")
        except Unfit as fault:
            raise self._nonsense("its gates", Unreadable(str(fault))) from fault
        if not all(
            0 <= count < 1 << 40
            for count in (check.cases, check.skipped, check.seconds)
        ):
            raise self._nonsense("its gates", Unreadable("no counts"))
        problems, weak = (
            tuple(map(plain, lines)) for lines in (check.problems, check.weak)
        )
        return replace(check, name=self._operator.name, problems=problems, weak=weak)

    def close(self) -> None:
        """End the process."""
        self._kill()
        with self._lock:
            if self._process is not None:
                self._process.words()  # it is gone before anything else happens
            if self._line is not None:
                self._line.close()
            self._line, self._over = None, "its process was ended"

    def __del__(self) -> None:  # outside an evaluation nothing else ends it
        self._kill()
        if self._line is not None:
            self._line.close()

    def _kill(self) -> None:
        process = self._process
        if process is not None:
            process.kill()

    def _nonsense(self, what: str, fault: Unreadable) -> EnvironmentFault:
        name = self._operator.name
        return EnvironmentFault(
            f"The code of {name} gives no usable answer for {what}: {fault}."
        )

    def _ask(
        self, request: Mapping[str, Any], blobs: Sequence[bytes], what: str
    ) -> tuple[dict[str, Any], list[bytearray]]:
        """One request, one answer.

        Raises:
            EnvironmentFault: It fails, ends its process or does not end.
            Cancelled: The job was cancelled.
        """
        with self._lock:
            if self._children is not None:
                self._children.check()
            if self._over:
                raise EnvironmentFault(self._over)
            try:
                line = self._line or self._start()
                answer = self._exchange(line, request, blobs, what)
            except EnvironmentFault as fault:
                self._over = str(fault)
                self._kill()
                if self._children is not None:
                    self._children.check()
                raise
        header, data = answer
        message = header.get("message")
        if "error" in header:
            kind = (
                UnavailableCase
                if header["error"] == "unavailable"
                else EnvironmentFault
            )
            raise kind(plain(message) if isinstance(message, str) else "")
        return header, data

    def _exchange(
        self,
        line: socket.socket,
        request: Mapping[str, Any],
        blobs: Sequence[bytes],
        what: str,
    ) -> tuple[dict[str, Any], list[bytearray]]:
        process, name = self._process, self._operator.name
        assert process is not None
        started = time.monotonic()

        def read(room: memoryview) -> int:
            remaining_s = self._limits.wall_s - (time.monotonic() - started)
            while True:
                line.settimeout(max(remaining_s, 0.01))
                try:
                    return line.recv_into(room)
                except TimeoutError:
                    passed = time.monotonic() - started
                    remaining_s = left_s(
                        usage_of(process.number, passed), self._limits.wall_s, passed
                    )
                    if remaining_s <= 0:
                        raise EnvironmentFault(
                            f"The code of {name} did not end within {self._limits.wall_s:g} s "
                            f"({what}) and was stopped."
                        ) from None

        try:
            line.settimeout(self._limits.wall_s)
            send(line, request, blobs)
            answer = receive(read, max(available_bytes() // 2, _LEAST_BYTES))
        except Unreadable as fault:
            raise self._nonsense(what, fault) from fault
        except TimeoutError:
            raise EnvironmentFault(
                f"The code of {name} does not read what it is asked ({what})."
            ) from None
        except OSError:  # the other end is gone
            answer = None
        if answer is None:
            raise EnvironmentFault(
                f"The code of {name} ended its process ({what}): {process.words()}."
            )
        return answer

    def _start(self) -> socket.socket:
        """Start the process; returns the line to it.

        Raises:
            EnvironmentFault: It cannot be confined.
        """
        rights = self._rights()
        kind = self._sandbox.isolation.kind
        # Only Linux forks: other systems' libraries do not survive it.
        ways = (
            [False, True]
            if kind == BUBBLEWRAP
            else [not sys.platform.startswith("linux")]
        )
        for by_itself in ways:
            command = self._command(rights) if by_itself else []
            ours, child_end = socket.socketpair()
            with child_end:
                self._process = _Process(
                    child_end, rights, self._operator, self._gates, command
                )
            ours.settimeout(_START_S)
            with contextlib.suppress(OSError, Unreadable):
                if command:
                    settings = {
                        "rights": self._rights(inside=True),
                        "operator": values(self._operator),
                    }
                    send(ours, {**settings, "gates": self._gates})
                if receive(ours.recv_into, 0) is not None:
                    self._line = ours
                    return ours
            ours.close()
            self._process.kill()
        raise EnvironmentFault(
            f"The process for the code of {self._operator.name} cannot be confined or started "
            f"({self._process.words() if self._process else ''}): the sandbox for it needs Landlock "
            "(Linux 5.13 or newer) or bubblewrap."
        )

    def _rights(self, *, inside: bool = False) -> dict[str, Any]:
        """What the process may do; `inside` bubblewrap Landlock may be missing."""
        names = ("site-packages", "dist-packages")
        packages = [path for path in map(Path, sys.path) if path.name in names]
        paths = [*python_folders(), Path(torch.__file__).parents[1], *packages]
        imported = [
            path
            for path in sys.path
            if any(Path(path).is_relative_to(allowed) for allowed in paths)
        ]
        library = str(self._sandbox.library) if self._sandbox.isolation.holds else ""
        options = ["-n", str(_OPEN_FILES), "-w", os.devnull]
        options += ["-l", "optional"] if inside else []
        read = self._readable(paths)
        for path in read:
            options += ["-r", str(path)]
        memory = self._limits.memory_mb or max(spare_bytes() >> 20, 512)
        memory = 0 if inside else memory  # the launcher around it has limited that
        return {
            "library": library,
            "options": options,
            "folder": str(self._folder),
            "memory_mb": memory,
            "cpu_s": self._limits.cpu_s,
            "paths": imported,
            "parent": 0 if inside else os.getpid(),
        }

    def _readable(self, paths: Sequence[Path]) -> list[Path]:
        libraries = [Path(prefix, "lib") for prefix in (sys.prefix, sys.base_prefix)]
        outside = (*paths, *map(Path, _ALSO_READ), *libraries)
        every = (*outside, *readable_paths(), self._folder.resolve())
        return [path for path in dict.fromkeys(every) if path.exists()]

    def _command(self, rights: Mapping[str, Any]) -> list[str]:
        """Python inside the sandbox; the descriptor of its line comes behind it."""
        words = start_command("operator_code.child")
        python_path = os.pathsep.join(rights["paths"])
        read = [
            path
            for path in rights["options"][1::2]
            if path.startswith("/") and path != os.devnull
        ]
        read += [
            sys.executable,
            str(Path(sys.executable).resolve().parents[1]),
            rights["library"],
        ]
        environment = (("PYTHONPATH", python_path), ("LC_ALL", "C"))
        confinement = Confinement(
            "tools",
            tuple(Path(path) for path in dict.fromkeys(read) if path),
            (),
            environment,
            rights["memory_mb"] + _TORCH_MB,
            self._limits.cpu_s,
        )
        return self._sandbox.wrap(words, confinement, self._folder)


class _Process:
    """The other process: started, awaited and killed.

    The thread that starts it waits for it, as it dies with that thread: not with one of a pool.
    """

    def __init__(
        self,
        child_end: socket.socket,
        rights: Mapping[str, Any],
        operator: Operator,
        gates: bool,
        command: Sequence[str],
    ) -> None:
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._code: int | None = None
        started: queue.SimpleQueue[int | OSError] = queue.SimpleQueue()
        line = child_end.fileno()

        def host() -> None:
            try:
                if command:
                    child = subprocess.Popen(
                        [*command, str(line)],
                        pass_fds=(line,),
                        stdin=subprocess.DEVNULL,
                        cwd="/",
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        process_group=0,
                    )
                    number = child.pid
                else:
                    number = os.fork()
                    if number == 0:
                        begin(line, rights, operator, gates)
            except OSError as error:
                started.put(error)
                return
            started.put(number)
            self._wait(number)
            if command:
                child.returncode = self._code or 0  # it is not waited for twice

        threading.Thread(target=host, daemon=True).start()
        number = started.get()
        if isinstance(number, OSError):
            raise fault_of(number)
        self.number = number

    def _wait(self, number: int) -> None:
        try:
            os.waitid(os.P_PID, number, os.WEXITED | os.WNOWAIT)
            with self._lock:  # its number must not be another's when it is killed
                self._code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
                self._ended.set()
        except ChildProcessError:  # the system was told not to keep endings
            self._ended.set()

    def kill(self) -> None:
        """End it; harmless when it is gone."""
        with self._lock:
            if not self._ended.is_set():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.number, signal.SIGKILL)

    def words(self) -> str:
        """How it ended."""
        self._ended.wait(_END_S)
        if self._code is None:
            return "it is not known how"
        if self._code < 0:
            with contextlib.suppress(ValueError):
                return signal.Signals(-self._code).name
        return f"exit code {self._code}"


def plain(text: str) -> str:
    """Foreign text, cut, without what a terminal would obey."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\ufffd"
        for letter in text[:_MOST_WORDS]
    )
