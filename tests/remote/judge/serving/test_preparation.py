"""The CPU twin is made ready before anybody waits for it; a judge finds it, or makes it as before."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from remote.judge.building.twin_runtime import Twin
from remote.judge.faults import Cancelled
from remote.judge.judge import Judge
from remote.judge.machine.artifacts import ArtifactStore
from remote.judge.machine.compiler import find_compiler
from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox import Sandbox
from remote.judge.serving.prepare import prepare
from tests.remote.helpers import TWIN, candidate, job, judge_job, operator


def _twin(cache: Path) -> Twin:
    compiler, store = find_compiler(), ArtifactStore(cache / "builds")
    return Twin(TWIN, store, compiler, Sandbox(store, compiler, cache / "sandbox"))


def _into(said: list[str]) -> Callable[..., None]:
    """Takes what a judge tells, with its fields filled in."""
    return lambda template, **fields: said.append(template.format(**fields))


def test_what_was_prepared_is_what_a_judge_looks_for(build_cache: Path) -> None:
    told: list[str] = []
    found = prepare(build_cache, TWIN, 2, told.append)
    assert find_compiler().label in found
    assert {
        "sandbox",
        "device.cpp",
        "headers of the kernel side",
        "headers of the host side",
    } <= set(told)
    twin = _twin(build_cache)
    assert twin.is_prepared(twin.snapshot())
    said: list[str] = []
    judge = Judge(build_cache, TWIN, workers=2)
    judge_job(
        judge,
        job(operator(), candidate(), build_cache, ["aligned-float32"]),
        _into(said),
    )
    assert not [line for line in said if line.startswith("preparing")]


@pytest.mark.slow
@pytest.mark.system
def test_a_damaged_preparation_is_made_again(tmp_path: Path) -> None:
    """In a cache of its own: where judges share one, each of them may make it again first."""
    prepare(tmp_path, TWIN, 2, lambda _text: None)
    twin = _twin(tmp_path)
    snapshot, children = twin.snapshot(), ChildGroup("test")
    runner = twin.runtime(snapshot, "simulator.cpp", children)
    runner.write_bytes(b"torn")
    assert not twin.is_prepared(snapshot)
    said: list[str] = []
    judge = Judge(tmp_path, TWIN, workers=2)
    result = judge_job(
        judge,
        job(operator(), candidate(), tmp_path, ["aligned-float32"]),
        _into(said),
    )
    assert result["verdict"].startswith("pass")
    assert runner.read_bytes() != b"torn"
    shares = [
        int(line.split()[4])
        for line in said
        if line.startswith("preparing the CPU twin: ")
    ]
    assert shares[-1] == 100
    assert 50 < shares[0] < 100  # all parts but one are there


def test_two_processes_do_not_prepare_at_the_same_time(build_cache: Path) -> None:
    twin, begun = _twin(build_cache), threading.Event()
    children = ChildGroup("test")
    with (ArtifactStore(build_cache / "builds").folder_of_locks() / "twin.lock").open(
        "w"
    ) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        waiting = threading.Thread(
            target=twin.prepare, args=(children, 1, lambda _text: begun.set())
        )
        waiting.start()
        assert not begun.wait(0.3)
    assert begun.wait(60)
    waiting.join(60)
    assert not waiting.is_alive()


def test_who_waits_for_another_process_can_be_cancelled(build_cache: Path) -> None:
    children = ChildGroup("test")
    with (ArtifactStore(build_cache / "builds").folder_of_locks() / "twin.lock").open(
        "w"
    ) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        children.cancel()
        with pytest.raises(Cancelled):
            _twin(build_cache).prepare(children, 1)
