"""One run over two real sshd's: turns, shares, one processor for an operator, a host that dies."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.records import Evaluation, VerdictClass
from core.operators.spec import OperatorSpec
from remote.connection.connection import Connection
from remote.connection.faults import HostKeyUnknown
from remote.connection.job_server_program import job_server_program
from remote.connection.ssh import SshSettings, ssh_channel
from remote.evaluator import HostEvaluator
from remote.hosts.detached import DetachedHost, HostSettings
from remote.hosts.port import HostLoad
from remote.pool import PoolEvaluator, processor_of
from tests.remote.helpers import TWIN, candidate, operator, wait_until
from tests.remote.machines import QUICK, far
from tests.remote.no_op import NoOp, no_op_judge, ran
from tests.remote.sshd import ALIAS, Sshd, start_sshd

NAMES = ("lab7", "lab8")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Sshd]]:
    made = {name: start_sshd(tmp_path_factory.mktemp(name)) for name in NAMES}
    yield made
    for server in made.values():
        server.stop()


@pytest.fixture
def hosts(
    servers: dict[str, Sshd], tmp_path: Path
) -> Iterator[dict[str, DetachedHost]]:
    """Hosts with two CPU slots each; their judge waits while `closed` lies in their folder."""
    made = {}
    for name, server in servers.items():
        folder = tmp_path / name
        folder.mkdir()
        settings = HostSettings(
            python=no_op_judge(folder), locks=str(folder / "locks"), slots=2
        )
        ssh = SshSettings(folder / "own_known_hosts", config=server.config)
        opened = ssh_channel(
            ALIAS,
            ssh,
            job_server_program(),
            str(folder / "base"),
            (sys.executable, "python3"),
        )
        made[name] = DetachedHost(name, name, Connection(name, opened, QUICK), settings)
    yield made
    for name in NAMES:
        if not servers[name].listens:
            servers[name].listen()
        (tmp_path / name / "closed").unlink(missing_ok=True)
        far(tmp_path / name / "base", servers[name]).end_all()


def pool_of(hosts: dict[str, DetachedHost], folder: Path, *socs: str) -> PoolEvaluator:
    """A pool of no-op evaluators, with a processor for each host."""
    made = [
        HostEvaluator(host, NoOp(folder, TWIN, soc=soc, on_device=False))
        for host, soc in zip(hosts.values(), socs or ("Ascend910B1",) * 2, strict=True)
    ]
    return PoolEvaluator(made, grace_s=0.5)


def quiet(_line: str) -> None:
    """Progress nobody reads."""


@pytest.mark.system
def test_turns_shares_and_a_host_that_dies(
    hosts: dict[str, DetachedHost], servers: dict[str, Sshd], tmp_path: Path
) -> None:
    """Twelve evaluations on two hosts of two slots, one of which goes for good in the middle."""
    (tmp_path / "lab7" / "closed").touch()
    (tmp_path / "lab8" / "closed").touch()
    order: list[int] = []

    async def work() -> tuple[list[Evaluation], dict[str, HostLoad]]:
        pool = pool_of(hosts, tmp_path)

        async def one(number: int) -> Evaluation:
            began = lambda line: order.append(number) if line == "began" else None  # noqa: E731
            return await pool.evaluate(operator(), candidate(), began)

        try:
            await asyncio.gather(*(host.connect() for host in hosts.values()))
            tasks = [asyncio.ensure_future(one(number)) for number in range(12)]
            await wait_until(lambda: len(order) >= 4)
            assert {name: load.working for name, load in pool.loads.items()} == {
                "lab7": 2,
                "lab8": 2,
            }
            assert set(order) == {0, 1, 2, 3}, "who came first goes first"
            (tmp_path / "lab8" / "closed").unlink()
            await wait_until(lambda: sum(task.done() for task in tasks) >= 3)
            servers["lab7"].stop()
            (tmp_path / "lab7" / "closed").unlink()
            return await asyncio.gather(*tasks), pool.loads
        finally:
            await pool.close()

    found, loads = asyncio.run(asyncio.wait_for(work(), 60))
    assert [one.verdict for one in found] == [VerdictClass.PASS] * 12
    assert {one.host for one in found} == {"lab8"}
    assert (loads["lab8"], loads["lab7"].answered) == (HostLoad(0, 2, 12), 0)
    assert set(Counter(ran(tmp_path / "lab8")).values()) == {1}


@pytest.mark.system
def test_candidates_of_an_operator_are_timed_on_one_processor(
    hosts: dict[str, DetachedHost], tmp_path: Path
) -> None:
    socs = ("Ascend910B1", "Ascend910B3")

    async def work() -> dict[str, set[str]]:
        pool = pool_of(hosts, tmp_path, *socs)
        try:
            names = ("Add", "Softmax", "Gelu", "LayerNorm", "AbsMath", "Arange")
            specs = [replace(operator(), name=name) for name in names for _ in range(2)]
            found = await asyncio.gather(
                *(
                    pool.evaluate(spec, candidate(), quiet, f"t/{n}")
                    for n, spec in enumerate(specs)
                )
            )
            placed: dict[str, set[str]] = {}
            for spec, one in zip(specs, found, strict=True):
                placed.setdefault(spec.name, set()).add(one.host)
            return placed
        finally:
            await pool.close()

    placed = asyncio.run(asyncio.wait_for(work(), 60))
    assert all(len(where) == 1 for where in placed.values()), placed
    assert len(set.union(*placed.values())) == 2, "both hosts have work"
    assert {processor_of(name, socs) for name in placed} == set(socs)


SOCS = ("Ascend910B1", "Ascend910B3")


def operator_for(soc: str) -> OperatorSpec:
    """One that is judged on the hosts of a processor."""
    names = (f"Operator{number}" for number in range(100))
    return replace(
        operator(), name=next(name for name in names if processor_of(name, SOCS) == soc)
    )


@pytest.mark.system
def test_the_only_host_of_a_processor_goes_on_with_its_job_when_it_is_back(
    hosts: dict[str, DetachedHost], servers: dict[str, Sshd], tmp_path: Path
) -> None:
    (tmp_path / "lab7" / "closed").touch()

    async def work() -> Evaluation:
        pool = pool_of(hosts, tmp_path, *SOCS)
        lines: list[str] = []
        try:
            asked = pool.evaluate(
                operator_for(SOCS[0]), candidate(), lines.append, "t/only"
            )
            task = asyncio.ensure_future(asked)
            await wait_until(lambda: "began" in lines)
            servers["lab7"].stop()
            await wait_until(  # longer than a host may be out of reach
                lambda: any("lab7 is out of reach" in line for line in lines)
            )
            servers["lab7"].listen()
            await hosts["lab7"].machine.ask("ping")
            (tmp_path / "lab7" / "closed").unlink()
            return await task
        finally:
            await pool.close()

    found = asyncio.run(asyncio.wait_for(work(), 60))
    assert (found.verdict, found.host) == (VerdictClass.PASS, "lab7"), found.cause
    assert len(ran(tmp_path / "lab7")) == 1, (
        "nobody else could judge it, so it was left to run"
    )


def test_the_person_is_asked_for_the_only_host_of_a_processor(
    hosts: dict[str, DetachedHost], servers: dict[str, Sshd], tmp_path: Path
) -> None:
    known = servers["lab7"].folder / "known_hosts"
    trusted = known.read_text()
    known.write_text("")

    async def work() -> None:
        pool = pool_of(hosts, tmp_path, *SOCS)
        try:
            with pytest.raises(HostKeyUnknown):
                await pool.evaluate(operator_for(SOCS[0]), candidate(), quiet)
            assert (
                await pool.evaluate(operator_for(SOCS[1]), candidate(), quiet)
            ).host == "lab8"
        finally:
            await pool.close()

    try:
        asyncio.run(asyncio.wait_for(work(), 15))
    finally:
        known.write_text(trusted)


def test_operators_are_shared_out_by_how_many_hosts_a_processor_has() -> None:
    socs = ["910B1", "910B1", "910B1", "910B3"]
    names = [f"Operator{number}" for number in range(4000)]
    before = {name: processor_of(name, socs) for name in names}
    assert Counter(before.values())["910B1"] / len(names) == pytest.approx(
        0.75, abs=0.03
    )
    moved = sum(before[name] != processor_of(name, [*socs, "910B3"]) for name in names)
    assert moved / len(names) == pytest.approx(0.15, abs=0.03), (
        "another host moves no more than its share"
    )
