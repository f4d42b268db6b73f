"""Where the programs of a candidate are started: in the sandbox, which stays for all of an evaluation.

Without a sandbox, by the person's word or for code that is ours, they are children of the judge.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from remote.judge.machine.streams import Stream
from remote.judge.processes.children import JOB_COOKIE, ChildGroup, Finished, Limits
from remote.judge.sandbox import Confinement, LaunchServer, Sandbox

_FIRST = (
    3  # number of the first descriptor of a launched program, behind the standard ones
)


class Launcher(Protocol):
    """Starts programs and waits for their end."""

    def __call__(
        self,
        program: Path,
        descriptors: Sequence[int],
        limits: Limits,
        folder: Path,
        answer: Stream,
        /,
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


def direct_launcher(children: ChildGroup) -> Launcher:
    """Starts programs that nothing holds back."""

    def run(
        program: Path,
        descriptors: Sequence[int],
        limits: Limits,
        folder: Path,
        answer: Stream,
    ) -> Finished:
        command = [str(program), *map(str, descriptors)]
        folder.mkdir(parents=True, exist_ok=True)
        with answer.followed():
            return children.run(command, folder, limits, pass_fds=descriptors)

    return run


def confined_launcher(
    sandbox: Sandbox, server: LaunchServer, children: ChildGroup
) -> Launcher:
    """Starts programs in a sandbox that is there already; they start nowhere in particular."""

    def run(
        program: Path,
        descriptors: Sequence[int],
        limits: Limits,
        _folder: Path,
        answer: Stream,
    ) -> Finished:
        may = Confinement(
            "run",
            memory_mb=limits.memory_mb,
            cpu_s=limits.cpu_s,
            file_mb=limits.file_mb,
        )
        options = sandbox.options(may)
        words = [str(_FIRST + place) for place in range(len(descriptors))]
        return children.launch(
            lambda output: server.start(options, program, words, output, descriptors),
            limits,
            answer,
        )

    return run


@contextlib.contextmanager
def open_launcher(sandbox: Sandbox, children: ChildGroup) -> Iterator[Launcher]:
    """A launcher for one evaluation, in the strongest sandbox there is; nothing it started outlives it.

    Raises:
        EnvironmentFault: The sandbox cannot be set up.
    """
    if not sandbox.isolation.holds:
        yield direct_launcher(children)
        return
    server = sandbox.serve({JOB_COOKIE: children.job})
    children.on_cancel(server.kill)
    try:
        children.check()
        yield confined_launcher(sandbox, server, children)
    finally:
        children.no_longer(server.kill)
        server.close()
