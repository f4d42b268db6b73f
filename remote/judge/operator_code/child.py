"""The process in which an operator's own Python runs: it gives up every right first, then answers requests.

It is forked from the judge, as importing torch takes longer than judging, or started by `main` where the
sandbox has to be around it from the beginning.

Requests are {"do": "make", "case"}, {"do": "dtypes", "given", "attributes"}, {"do": "gates"} and
{"do": "check", "case", "inputs", "expected", "actual"}; an answer has the same form, or {"error", "message"}.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import fcntl
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from core.operators.spec import TestCase
from remote.judge.faults import EnvironmentFault, UnavailableCase
from remote.judge.inputs.reference_module import module_in, own_check
from remote.judge.inputs.reference_results import output_dtypes
from remote.judge.inputs.tensor_memory import tensor_from
from remote.judge.job import Operator
from remote.judge.json_records import plain, read
from remote.judge.operator_code import stand_in
from remote.judge.operator_code.made_case import make_case
from remote.judge.operator_code.wire import receive, send
from remote.judge.processes.patience import state_of

_LINE = 3  # descriptor of the line to the judge
_ABOVE = 10  # descriptors from here on are free of a meaning
_MOST_FILES = 1 << 20
_PARENT_DEATH = 1  # PR_SET_PDEATHSIG
_MOST_WORDS = 4000
_MIB = 1 << 20
NO_SANDBOX = 71


def begin(
    line: int, rights: Mapping[str, Any], operator: Operator, gates: bool
) -> None:
    """Confine this process and answer until the judge closes the line. Does not return.

    Args:
        line: Descriptor of the line to the judge.
        rights: `library` (empty: no sandbox), `options` of the launcher, `folder` of the operator's files,
            `memory_mb`, `cpu_s`, `paths` that may be imported from, `parent`.
        operator: Whose code it is.
        gates: Whether the gates are asked as well.
    """
    code = 1
    try:
        if gates:
            # Later its file may be out of reach.
            import remote.judge.operator_code.gates  # noqa: F401
        _alone(line, rights)
        if not _confine(rights):
            os._exit(NO_SANDBOX)
        _serve(socket.socket(fileno=_LINE), operator, Path(rights["folder"]))
        code = 0
    finally:
        os._exit(code)


def _alone(line: int, rights: Mapping[str, Any]) -> None:
    """Keep nothing of the judge: its descriptors, environment, signals and imports."""
    faulthandler.disable()
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != rights["parent"] and rights["parent"]:
            os._exit(0)
    for ending_signal in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(ending_signal, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the judge's to answer
    duplicate = fcntl.fcntl(line, fcntl.F_DUPFD, _ABOVE)
    nothing = fcntl.fcntl(os.open(os.devnull, os.O_RDWR), fcntl.F_DUPFD, _ABOVE)
    for number in range(_LINE):
        os.dup2(nothing, number)
    os.dup2(duplicate, _LINE)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.closerange(_LINE + 1, most if 0 < most < _MOST_FILES else _MOST_FILES)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, closefd=False, errors="replace")  # noqa: SIM115 - for the process's life
        for number, mode in enumerate("rww")
    )
    _forget_environment()
    os.environ |= {"LC_ALL": "C", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    os.chdir(rights["folder"])
    sys.argv = ["reference"]
    sys.path[:] = [path for path in sys.path if path in rights["paths"]]
    sys.dont_write_bytecode = True
    with contextlib.suppress(OSError):  # when memory is short, this goes first
        Path("/proc/self/oom_score_adj").write_text("1000")
    torch.set_num_threads(1)


def _forget_environment() -> None:
    """Remove the judge's environment, also from the memory the system gave it: keys may stand in it."""
    os.environ.clear()
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = state_of(os.getpid())
        start, end = (
            int(fields[47]),
            int(fields[48]),
        )  # env_start, env_end: fields 50 and 51 of proc(5)
        if 0 < start < end:
            ctypes.memset(start, 0, end - start)


def _confine(rights: Mapping[str, Any]) -> bool:
    """Whether everything that was asked for holds now."""
    memory = rights["memory_mb"] * _MIB + _address_space() if rights["memory_mb"] else 0
    if not rights["library"]:
        for limit, most in (
            (resource.RLIMIT_CPU, rights["cpu_s"]),
            (resource.RLIMIT_AS, memory),
        ):
            with contextlib.suppress(
                ValueError, OSError
            ):  # not every system knows every limit
                resource.setrlimit(
                    limit, (most or resource.RLIM_INFINITY, resource.RLIM_INFINITY)
                )
        return True
    words = [
        "confine",
        "-p",
        "python",
        "-t",
        str(rights["cpu_s"]),
        "-m",
        str(memory // _MIB),
    ]
    words += [*rights["options"], "--"]
    arguments = (ctypes.c_char_p * (len(words) + 1))(*map(os.fsencode, words), None)
    return int(ctypes.CDLL(rights["library"]).confine_self(len(words), arguments)) == 0


def _address_space() -> int:
    """Bytes of address space this process has already."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf(
        "SC_PAGE_SIZE"
    )


def _serve(line: socket.socket, operator: Operator, folder: Path) -> None:
    """Answer until the judge closes the line."""
    answers = _Answers(operator, folder)
    send(line, {"ready": True})
    while (message := receive(line.recv_into, 1 << 62)) is not None:
        try:
            send(line, *answers.to(*message))
        except UnavailableCase as fault:
            send(line, {"error": "unavailable", "message": str(fault)[:_MOST_WORDS]})
        except EnvironmentFault as fault:
            send(line, {"error": "fault", "message": str(fault)[:_MOST_WORDS]})


class _Answers:
    """Runs the code of one operator, which is imported when the first request needs it."""

    def __init__(self, operator: Operator, folder: Path) -> None:
        self._operator = operator
        self._folder = folder
        self._module: ModuleType | None = None

    def to(
        self, request: Mapping[str, Any], blobs: Sequence[bytearray]
    ) -> tuple[dict[str, Any], Sequence[bytes]]:
        """What the code says.

        Raises:
            EnvironmentFault: It fails.
        """
        does: Mapping[str, Callable[..., tuple[dict[str, Any], Sequence[bytes]]]] = {
            "make": self._make,
            "dtypes": self._dtypes,
            "check": self._check,
            "gates": self._gates,
        }
        name = self._operator.name
        try:
            return does[request["do"]](request, blobs)
        except EnvironmentFault:
            raise
        except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            raise EnvironmentFault(
                f"The code of {name} fails: {_words(error)}."
            ) from error

    def _code(self) -> ModuleType:
        if self._module is None:
            self._module = load(self._operator, self._folder)
        return self._module

    def _make(
        self, request: Mapping[str, Any], _: object
    ) -> tuple[dict[str, Any], Sequence[bytes]]:
        return make_case(self._operator, read(TestCase, request["case"]), self._code())

    def _dtypes(
        self, request: Mapping[str, Any], _: object
    ) -> tuple[dict[str, Any], Sequence[bytes]]:
        dtypes = output_dtypes(
            self._operator, request["given"], self._code(), request["attributes"]
        )
        return {"dtypes": [str(dtype) for dtype in dtypes]}, ()

    def _check(
        self, request: Mapping[str, Any], blobs: Sequence[bytearray]
    ) -> tuple[dict[str, Any], Sequence[bytes]]:
        def tensor(row: Mapping[str, Any] | None) -> torch.Tensor | None:
            return (
                None
                if row is None
                else tensor_from(blobs[row["blob"]], row["dtype"], row["shape"])
            )

        inputs = {
            name: [tensor(row) for row in rows]
            if isinstance(rows, list)
            else tensor(rows)
            for name, rows in request["inputs"].items()
        }
        expected = [tensor(row) for row in request["expected"]]
        actual = [
            made for row in request["actual"] if (made := tensor(row)) is not None
        ]
        objection = own_check(
            self._code(), read(TestCase, request["case"]), inputs, expected, actual
        )
        return {"objection": objection[:_MOST_WORDS]}, ()

    def _gates(self, _: object, __: object) -> tuple[dict[str, Any], Sequence[bytes]]:
        # It is imported already.
        from remote.judge.operator_code.gates import check_operator

        return {"row": plain(check_operator(self._operator, self._code))}, ()


def load(operator: Operator, folder: Path) -> ModuleType:
    """Import the operator's reference file.

    Raises:
        EnvironmentFault: It cannot be imported or defines no `reference`.
    """
    if operator.files:
        stand_in.install()
    try:
        module = module_in(folder / "reference.py")
    except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        raise EnvironmentFault(
            f"The reference of {operator.name} cannot be loaded: {_words(error)}."
        ) from error
    if not any(
        callable(getattr(module, name, None)) for name in ("reference", "evaluate")
    ):
        raise EnvironmentFault(
            f"The reference of {operator.name} defines no function `reference`."
        )
    return module


def _words(error: BaseException) -> str:
    """An exception in words, also one that has none."""
    try:
        return repr(error)[:_MOST_WORDS]
    except Exception:  # noqa: BLE001 - the class is foreign
        return type(error).__name__


def main(arguments: Sequence[str]) -> None:
    """Entry where the sandbox is around this process already: the first message says the rest."""
    line = socket.socket(fileno=int(arguments[0]))
    message = receive(line.recv_into, 0)
    if message is not None:
        first, _ = message
        begin(
            line.detach(),
            first["rights"],
            read(Operator, first["operator"]),
            first["gates"],
        )
