"""What an evaluation costs besides the kernel: a no-op judge through this computer, sshd and Slurm.

The three ways, all real, are each other's peers. Shown for growing numbers of evaluations at a time: how many
end in a second, and what each costs this process: the laptop's part, from which `docs/scaling.md` derives how
many cards one can drive. `EVALUATIONS=200` for more of each, `AT_A_TIME=1,16` for other numbers.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from remote.connection.connection import Connection
from remote.connection.job_server_program import job_server_program
from remote.connection.ssh import SshSettings, ssh_channel
from remote.evaluator import HostEvaluator
from remote.hosts import LocalHost
from remote.hosts.detached import DetachedHost, HostSettings
from tests.remote.helpers import TWIN, candidate, operator
from tests.remote.no_op import NoOp, no_op_judge
from tests.remote.slurm_site import missing, slurm_site
from tests.remote.sshd import ALIAS, start_sshd

EVALUATIONS = int(os.environ.get("EVALUATIONS", "64"))
AT_A_TIME = tuple(map(int, os.environ.get("AT_A_TIME", "1,4,16,64").split(",")))
SLOTS = 16  # of host and of Slurm's node


@dataclass(frozen=True)
class Cost:
    """Of one number at a time: evaluations a second, and seconds of this process's processor time of each."""

    rate: float
    client_s: float


async def cost_at(evaluator: HostEvaluator, at_a_time: int, count: int) -> Cost:
    """Evaluate `count` times, `at_a_time` at once."""
    room = asyncio.Semaphore(at_a_time)

    async def one(number: int) -> None:
        async with room:
            evaluation = await evaluator.evaluate(
                operator(), candidate(), lambda _line: None, f"{at_a_time}/{number}"
            )
            assert evaluation.verdict.value == "pass", evaluation.cause

    await one(-1)  # connects
    began, client = time.monotonic(), time.process_time()
    await asyncio.gather(*(one(number) for number in range(count)))
    seconds = time.monotonic() - began
    return Cost(count / seconds, (time.process_time() - client) / count)


def costs(make: Callable[[], HostEvaluator]) -> list[Cost]:
    """For each number at a time, on one connection."""

    async def work() -> list[Cost]:
        evaluator = make()
        try:
            return [
                await cost_at(evaluator, number, max(8, min(EVALUATIONS, 8 * number)))
                for number in AT_A_TIME
            ]
        finally:
            await evaluator.close()

    return asyncio.run(work())


@contextmanager
def ways(folder: Path) -> Iterator[dict[str, Callable[[], HostEvaluator]]]:
    """How evaluations are sent, each with a judge that does nothing."""
    with ExitStack() as stack:
        judge = no_op_judge(folder)
        toolchain = NoOp(folder, TWIN, on_device=False)
        settings = HostSettings(python=judge, locks=str(folder / "locks"), slots=SLOTS)

        def far(
            name: str, base: str, extra: tuple[str, ...], host: HostSettings
        ) -> Callable[[], HostEvaluator]:
            server = start_sshd(folder / name, *extra)
            stack.callback(server.stop)
            ssh = SshSettings(folder / f"known-{name}", config=server.config)
            opened = ssh_channel(
                ALIAS,
                ssh,
                job_server_program(),
                str(folder / base),
                (sys.executable, "python3"),
            )
            return lambda: HostEvaluator(
                DetachedHost(name, name, Connection(name, opened), host), toolchain
            )

        evaluator_makers = {
            "local": lambda: HostEvaluator(LocalHost(2, judge), toolchain),
            "sshd": far("sshd", "base", (), settings),
        }
        if not missing():
            site = stack.enter_context(slurm_site(devices=4, cpus=SLOTS))
            variable = f"SetEnv SLURM_CONF={site.environment['SLURM_CONF']}"
            scheduled = HostSettings(
                python=judge, scheduler="slurm", partition="cpu", slots=64
            )
            evaluator_makers["Slurm"] = far("slurm", "site", (variable,), scheduled)
        yield evaluator_makers


def main() -> None:
    """Measure and print the table."""
    with (
        tempfile.TemporaryDirectory(
            prefix="dispatch-", ignore_cleanup_errors=True
        ) as folder,
        ways(Path(folder)) as every,
    ):
        table = {name: costs(make) for name, make in every.items()}
    if missing():
        print(missing())
    columns = ("at a time", "a second", "of local")
    client_columns = ("client ms", "of a core")
    heads = [f"{column:>10}" for column in columns]
    heads += [f"{column:>11}" for column in client_columns]
    print(f"{'way':<8}{''.join(heads)}")
    for name, rows in table.items():
        for number, cost, local in zip(AT_A_TIME, rows, table["local"], strict=True):
            ratio = f"{cost.rate / local.rate:.3f}x"
            client_ms = cost.client_s * 1e3
            share = f"{cost.rate * cost.client_s:.1%}"
            rates = f"{number:>10}{cost.rate:>10.1f}{ratio:>10}"
            print(f"{name:<8}{rates}{client_ms:>11.1f}{share:>11}")
    print("cards one core of this computer can drive, evaluations of 10, 60 and 600 s:")
    for name, rows in table.items():
        least_s = min(cost.client_s for cost in rows)
        cards = [f"{seconds / least_s:>10,.0f}" for seconds in (10, 60, 600)]
        print(f"{name:<8}{''.join(cards)}")


if __name__ == "__main__":
    main()
