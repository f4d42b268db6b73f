"""Where the programs of a candidate are started: in the sandbox, which stays for all of an evaluation.

Without a sandbox, by the person's word or for code that is ours, they are children of the judge.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from .run import JOB_COOKIE, ChildGroup, Finished, Limits
from .sandbox import Confinement, LaunchServer, Sandbox
from .streams import Stream

_FIRST = 3  # number of the first descriptor of a launched program, behind the standard ones


class Launcher(Protocol):
    """Starts programs and waits for their end."""

    def run(
        self, program: Path, descriptors: Sequence[int], limits: Limits, folder: Path, answer: Stream
    ) -> Finished:
        """Run `program` with the numbers of `descriptors`, which it holds, as its arguments.

        Args:
            program: What is run.
            descriptors: All it holds beside the standard ones.
            limits: What it may use.
            folder: Where it starts when nothing holds it back; made when it is missing.
            answer: What is read meanwhile.

        Raises:
            EnvironmentFault: It cannot be started.
            Cancelled: The job was cancelled.
        """
        ...


class DirectLauncher:
    """Starts programs that nothing holds back."""

    def __init__(self, children: ChildGroup) -> None:
        self._children = children

    def run(
        self, program: Path, descriptors: Sequence[int], limits: Limits, folder: Path, answer: Stream
    ) -> Finished:
        """As `Launcher.run`."""
        command = [str(program), *map(str, descriptors)]
        folder.mkdir(parents=True, exist_ok=True)
        with answer.followed():
            return self._children.run(command, folder, limits, pass_fds=descriptors)


class ConfinedLauncher:
    """Starts programs in a sandbox that is there already."""

    def __init__(self, sandbox: Sandbox, server: LaunchServer, children: ChildGroup) -> None:
        self._sandbox = sandbox
        self._server = server
        self._children = children

    def run(
        self, program: Path, descriptors: Sequence[int], limits: Limits, folder: Path, answer: Stream
    ) -> Finished:
        """As `Launcher.run`; the program starts nowhere in particular."""
        del folder
        may = Confinement("run", memory_mb=limits.memory_mb, cpu_s=limits.cpu_s, file_mb=limits.file_mb)
        options = self._sandbox.options(may)
        words = [str(_FIRST + place) for place in range(len(descriptors))]
        return self._children.launch(
            lambda output: self._server.start(options, program, words, output, descriptors), limits, answer
        )


@contextlib.contextmanager
def launcher(sandbox: Sandbox, children: ChildGroup) -> Iterator[Launcher]:
    """A launcher for one evaluation, in the strongest sandbox there is; nothing it started outlives it.

    Raises:
        EnvironmentFault: The sandbox cannot be set up.
    """
    if not sandbox.isolation.holds:
        yield DirectLauncher(children)
        return
    server = sandbox.serve({JOB_COOKIE: children.job})
    children.on_cancel(server.kill)
    try:
        children.check()
        yield ConfinedLauncher(sandbox, server, children)
    finally:
        children.no_longer(server.kill)
        server.close()
