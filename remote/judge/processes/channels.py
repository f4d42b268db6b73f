"""How a foreign program is asked: a sealed request in, a bounded answer out, nothing else in common.

The request lies in a memory file that cannot be changed any more, shared memory in one that cannot be
resized; the answer comes through a pipe of which only so many bytes are read. The program is killed before
its answer counts.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from remote.judge.machine.streams import Stream
from remote.judge.processes.children import Finished, Limits
from remote.judge.processes.launcher import Launcher

MOST_ANSWER = 16 << 20  # bytes of an answer; a longer one is none
_SIZE_SEALS = 0x2 | 0x4  # F_SEAL_SHRINK | F_SEAL_GROW
_WRITE_SEAL, _LAST_SEAL = 0x8, 0x1


@dataclass(frozen=True)
class Answer:
    """What a program said before it ended.

    Attributes:
        text: Its answer; nothing of one beyond `MOST_ANSWER` bytes, whose beginning could be another's.
        finished: How it ended, with what it printed.
    """

    text: bytes
    finished: Finished


def _memory_file(name: str) -> int:
    """A new file that lies in no folder. Without memory files (macOS) one that is already deleted."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name, os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _seal(file: int, seals: int) -> None:
    if hasattr(fcntl, "F_ADD_SEALS"):
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals | _LAST_SEAL)


@contextlib.contextmanager
def sealed(data: bytes) -> Iterator[int]:
    """A file with `data` that cannot be written to."""
    file = _memory_file("request")
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(file, view) :]
        os.lseek(file, 0, os.SEEK_SET)
        _seal(file, _SIZE_SEALS | _WRITE_SEAL)
        yield file
    finally:
        os.close(file)


@contextlib.contextmanager
def shared_memory(size: int) -> Iterator[tuple[int, mmap.mmap]]:
    """A file of `size` bytes (at least a page) and the same as memory; it can be written, not resized."""
    file = _memory_file("memory")
    try:
        os.ftruncate(file, max(size, mmap.PAGESIZE))
        _seal(file, _SIZE_SEALS)
        memory = mmap.mmap(file, 0)
        yield file, memory
        with contextlib.suppress(
            BufferError
        ):  # a view of what was left in it exists: the memory ends with it
            memory.close()
    finally:
        os.close(file)


def ask(
    program: Path,
    request: bytes,
    memory: int,
    limits: Limits,
    launcher: Launcher,
    folder: Path,
) -> Answer:
    """Run `program <request> <memory> <answer>`, the numbers of three descriptors, and take its answer.

    Args:
        program: What to run.
        request: What it is asked.
        memory: Descriptor of the file it works on.
        limits: What it may use.
        launcher: Starts it.
        folder: Where it starts when nothing holds it back.

    Raises:
        EnvironmentFault: It cannot be started.
        Cancelled: The job was cancelled.
    """
    read, write = os.pipe()
    answer = Stream(read, MOST_ANSWER)
    try:
        with sealed(request) as asked:
            finished = launcher(program, (asked, memory, write), limits, folder, answer)
        return Answer(_whole_text(answer), finished)
    finally:
        os.close(write)
        answer.close()


def ask_simulator(
    simulator: Path,
    kernel: Path,
    kernels: int,
    request: bytes,
    kernel_request: bytes,
    memory: int,
    limits: Limits,
    kernel_limits: Limits,
    launcher: Launcher,
    folder: Path,
) -> tuple[Answer, list[Finished]]:
    """Run a simulator and the processes of the kernel that runs on it, each joined to it by two pipes.

    The simulator gets `<request> <memory> <answer>` and `<commands> <replies>` of each, a kernel `<request>
    <commands> <replies>`: it holds no tensor, and nothing it writes is an answer.

    Args:
        simulator: A program of ours.
        kernel: The candidate's.
        kernels: How many processes run it.
        request: What the simulator is asked.
        kernel_request: What the kernel is.
        memory: Descriptor of the file the simulator works on.
        limits: What the simulator may use; it waits while the kernel computes.
        kernel_limits: What each process of the kernel may use.
        launcher: Starts them.
        folder: Where they start when nothing holds them back.

    Returns:
        What the simulator answered, and how the kernel's processes ended.

    Raises:
        EnvironmentFault: One cannot be started.
        Cancelled: The job was cancelled.
    """
    read, write = os.pipe()
    answer = Stream(read, MOST_ANSWER)
    wires = [(*os.pipe(), *os.pipe()) for _ in range(kernels)]
    ours = [end for _, orders, replies, _ in wires for end in (orders, replies)]

    def run_kernel(asked: int, commands: int, told: int) -> Finished:
        silence = _nothing_to_read()
        try:
            descriptors = (asked, commands, told)
            return launcher(kernel, descriptors, kernel_limits, folder, silence)
        finally:  # the simulator notices
            os.close(commands)
            os.close(told)
            silence.close()

    def run_simulator(asked: int) -> Finished:
        try:
            descriptors = (asked, memory, write, *ours)
            own = replace(limits, has_threads=True)  # the simulated cores
            return launcher(simulator, descriptors, own, folder, answer)
        finally:
            for end in ours:
                os.close(end)

    try:
        with (
            sealed(request) as asked,
            sealed(kernel_request) as of_kernel,
            ThreadPoolExecutor(kernels) as beside,
        ):
            futures = [
                beside.submit(run_kernel, of_kernel, commands, told)
                for commands, _, _, told in wires
            ]
            finished = run_simulator(asked)
            results = [one.result() for one in futures]
        return Answer(_whole_text(answer), finished), results
    finally:
        os.close(write)
        answer.close()


def _whole_text(answer: Stream) -> bytes:
    text = answer.rest()
    return text if len(text) <= MOST_ANSWER else b""


def _nothing_to_read() -> Stream:
    read, write = os.pipe()
    os.close(write)
    return Stream(read, 0)
