"""Hostile kernels gain nothing, reach nothing and leave nothing; honest ones that look alike lose nothing.

Each goes the way of an agent's candidate: integrity rules, preflight, judge on the CPU twin, here or behind a
real SSH server.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.evaluation.records import VerdictClass
from remote.hosts.detached import DetachedHost, HostSettings
from remote.hosts.port import Host
from tests.remote.machines import far
from tests.remote.sshd import start_sshd
from tests.security.bench import AT_A_TIME, Attempt, Bench
from tests.security.candidates import (
    BENIGN,
    HOSTILE,
    LANGUAGE,
    TEXT,
    TREE,
    Case,
)


@pytest.fixture(scope="module", autouse=True)
def _key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Something in the environment that is worth a theft."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(
            "SAGE_API_KEY", "key-" + tmp_path_factory.mktemp("key").name + "-of-nobody"
        )
        yield


@pytest.fixture(scope="module")
def bench(
    tmp_path_factory: pytest.TempPathFactory, build_cache: Path
) -> Iterator[Bench]:
    made = Bench(tmp_path_factory.mktemp("beside"), build_cache)
    yield made
    made.close()


def marked(cases: tuple[Case, ...]) -> list[object]:
    """Candidates as parameters; of those that are compiled only some are run every time."""
    return [
        pytest.param(
            case,
            id=f"{case.kind}-{case.name}".replace(" ", "-"),
            marks=()
            if case.quick or case.by in {TEXT, TREE, LANGUAGE}
            else pytest.mark.slow,
        )
        for case in cases
    ]


@pytest.mark.parametrize("case", marked(HOSTILE))
def test_a_hostile_candidate_gains_nothing(bench: Bench, case: Case) -> None:
    attempt = bench.judged(case)
    assert not attempt.complaints(bench)
    assert not bench.left_behind()
    assert bench.layer(attempt) == case.by, (attempt.found.verdict, attempt.found.cause)


@pytest.mark.system
@pytest.mark.parametrize("case", marked(BENIGN))
def test_its_benign_twin_passes_as_the_honest_kernel_does(
    bench: Bench, case: Case
) -> None:
    assert not unlike_the_honest(bench, bench.judged(case))


def unlike_the_honest(bench: Bench, attempt: Attempt) -> str:
    """What a benign candidate lost; empty when nothing."""
    if attempt.found.verdict is not VerdictClass.PASS:
        return f"{attempt.case.kind}, {attempt.case.name}: {attempt.found.cause} {attempt.found.findings}"
    same = attempt.latency == pytest.approx(bench.honest_us(attempt.case), rel=0.01)
    return (
        ""
        if same
        else f"{attempt.case.kind}, {attempt.case.name}: {attempt.latency} us"
    )


def test_every_kind_has_a_benign_twin() -> None:
    assert {case.kind for case in HOSTILE} == {case.kind for case in BENIGN}
    assert len(HOSTILE) >= 60


@pytest.fixture(scope="module")
def far_bench(
    tmp_path_factory: pytest.TempPathFactory, build_cache: Path
) -> Iterator[Bench]:
    """The same pipeline with the judge behind a real SSH server: one connection, one judge that stays."""
    base = tmp_path_factory.mktemp("far")
    server = start_sshd(tmp_path_factory.mktemp("sshd"))
    machine = far(base, server)
    (base / "cache").symlink_to(build_cache)

    def host() -> Host:
        settings = HostSettings(
            python=sys.executable, locks=str(base / "locks"), slots=AT_A_TIME
        )
        return DetachedHost("far", "far", machine.connection(), settings)

    made = Bench(tmp_path_factory.mktemp("beside-far"), build_cache, host)
    yield made
    made.close()
    machine.end_all()
    server.stop()


def gained(bench: Bench, attempts: list[Attempt], *, rules: bool) -> list[str]:
    """What hostile candidates got, and of those that met the rules, which layer failed."""
    got = [what for attempt in attempts for what in attempt.complaints(bench)]
    if rules:
        got += [
            f"{attempt.case.kind}, {attempt.case.name}: {bench.layer(attempt)}, {attempt.found.cause}"
            for attempt in attempts
            if bench.layer(attempt) != attempt.case.by
        ]
    return got + bench.left_behind()


@pytest.mark.system
def test_nor_does_one_of_each_layer_on_a_host_far_away(far_bench: Bench) -> None:
    """The whole catalogue goes there in the slow test below."""
    some = [case for case in HOSTILE if case.quick or case.name == "daemon"]
    assert not gained(far_bench, far_bench.all_judged(some), rules=True)


@pytest.mark.slow
def test_nor_does_any_on_a_host_far_away(far_bench: Bench) -> None:
    assert not gained(far_bench, far_bench.all_judged(HOSTILE), rules=True)
    lost = [
        unlike_the_honest(far_bench, attempt)
        for attempt in far_bench.all_judged(BENIGN)
    ]
    assert not [what for what in lost if what]


@pytest.mark.slow
def test_nor_does_one_that_gets_past_the_rules_on_a_host_far_away(
    far_bench: Bench,
) -> None:
    """Rules refuse early and explain; what holds is around the candidate, which is sent without them."""
    stopped = [case for case in HOSTILE if case.by in {TEXT, TREE, LANGUAGE}]
    assert not gained(
        far_bench, far_bench.all_judged(stopped, rules=False), rules=False
    )
