"""Where the programs of a candidate are started: in the sandbox, which stays for all of an evaluation.

Without a sandbox, by the person's word or for code that is ours, they are children of the judge.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from remote.judge.machine.streams import Stream
from remote.judge.processes.children import JOB_COOKIE, ChildGroup, Finished, Limits
from remote.judge.sandbox import (
    Confinement,
    LaunchedProgram,
    LaunchServer,
    Sandbox,
)

_FIRST = 3  # descriptor of a launched program, behind the standard ones


@dataclass(frozen=True)
class Launcher:
    """Starts programs and waits for their end; in a sandbox where there is a `server`, else nothing holds them."""

    children: ChildGroup
    sandbox: Sandbox | None = None
    server: LaunchServer | None = None

    def __call__(
        self,
        program: Path,
        descriptors: Sequence[int],
        limits: Limits,
        folder: Path,
        answer: Stream,
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
        sandbox, server = self.sandbox, self.server
        if sandbox is None or server is None:
            command = [str(program), *map(str, descriptors)]
            folder.mkdir(parents=True, exist_ok=True)
            with answer.followed():
                return self.children.run(command, folder, limits, pass_fds=descriptors)
        memory_mb, cpu_s, file_mb = limits.memory_mb, limits.cpu_s, limits.file_mb
        profile = "simulator" if limits.has_threads else "run"
        may = Confinement(profile, memory_mb=memory_mb, cpu_s=cpu_s, file_mb=file_mb)
        options = sandbox.options(may)
        words = [str(_FIRST + place) for place in range(len(descriptors))]

        def start(output: int) -> LaunchedProgram:
            return server.start(options, program, words, output, descriptors)

        return self.children.launch(start, limits, answer)


@contextlib.contextmanager
def open_launcher(sandbox: Sandbox, children: ChildGroup) -> Iterator[Launcher]:
    """A launcher for one evaluation, in the strongest sandbox there is; nothing it started outlives it.

    Raises:
        EnvironmentFault: The sandbox cannot be set up.
    """
    if not sandbox.isolation.holds:
        yield Launcher(children)
        return
    server = sandbox.serve({JOB_COOKIE: children.job})
    children.on_cancel(server.kill)
    try:
        children.check()
        yield Launcher(children, sandbox, server)
    finally:
        children.no_longer(server.kill)
        server.close()
