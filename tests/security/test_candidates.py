"""Hostile kernels gain nothing, reach nothing and leave nothing; honest ones that look alike lose nothing.

Each goes the way of an agent's candidate: integrity rules, preflight, judge on the CPU twin.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.integrity.verdict import Guarded, violations
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.operators.spec import OperatorSpec
from core.records_json import to_json
from remote.evaluator import HostEvaluator
from remote.hosts.detached import DetachedHost, HostSettings
from remote.hosts.local import LocalHost
from remote.hosts.port import Host
from remote.toolchains.preflight.client import Preflight
from remote.toolchains.preflight.evaluator import Preflighted
from remote.toolchains.twin import TwinToolchain
from tests.remote.helpers import TWIN, candidate, operator
from tests.remote.machines import far
from tests.remote.sshd import start_sshd
from tests.security.candidates import (
    BENIGN,
    BUILD,
    FRESH,
    HAZARD,
    HOSTILE,
    JUDGE,
    LANGUAGE,
    NOTHING,
    TEXT,
    TREE,
    Case,
)

CASES = {"special-values-float32", "long-rows-float32", "hidden-prime-length-float32"}
HONEST = Case("honest", "the kernel all others are edits of", ())
LONGEST_S = 60
COMPILED = (BUILD, JUDGE, NOTHING, HAZARD, FRESH)


class Bench:
    """The pipeline an agent's candidates go through, with something to steal beside it."""

    def __init__(self, folder: Path, cache: Path, host: Callable[[], Host] = LocalHost) -> None:
        self.word = uuid.uuid4().hex
        self.folder = folder
        self.secret = folder / "secret"
        self.secret.write_text(f"int {'x' + self.word};\n")
        self.made = folder / "made"
        toolchain = TwinToolchain(cache, TWIN, kernel_time_limit_s=2.0, memory_mb=1024)
        judge = HostEvaluator(host(), toolchain)
        self._evaluator = Guarded(Preflighted(judge, Preflight(TWIN / "include", cache / "preflight")))
        self._runner = asyncio.Runner()
        self.honest = self.judged(HONEST)

    def candidate(self, case: Case) -> Candidate:
        """The honest kernel with the edits of `case`."""
        files = dict(candidate().files)
        for path, old, new in case.edits:
            before, written = files.get(path, ""), new
            for mark, text in (("secret", self.secret), ("made", self.made), ("marker", self.word)):
                written = written.replace("{" + mark + "}", str(text))
            assert old in before, f"{old!r} is not in {path}"
            files[path] = before.replace(old, written) if old else written
        return Candidate(files)

    def operator(self, case: Case) -> OperatorSpec:
        """AbsMath with three cases of float32: small, timed and hidden."""
        spec = operator()
        kept = tuple(entry for entry in spec.cases if entry.name in CASES)
        assert len(kept) == len(CASES)
        return replace(spec, cases=kept, deny=case.deny)

    def judged(self, case: Case) -> Evaluation:
        """The verdict on a candidate."""
        work = self._evaluator.evaluate(self.operator(case), self.candidate(case), lambda _text: None)
        return self._runner.run(work)

    def layer(self, case: Case, found: Evaluation) -> str:
        """Which layer stopped a candidate, in the words of `candidates`."""
        if found.verdict is VerdictClass.FAIL_INTEGRITY:
            if any(entry.rule == "integrity/shape-tuned" for entry in found.findings):
                return FRESH
            return TEXT if violations(self.operator(case), self.candidate(case)) else TREE
        if found.verdict is VerdictClass.FAIL_BUILD:
            return LANGUAGE if found.build.stage == "preflight" else BUILD
        if found.verdict is VerdictClass.PASS_WITH_HAZARD:
            return HAZARD
        if found.verdict is VerdictClass.PASS and found.latency is not None:
            return NOTHING
        return JUDGE

    def close(self) -> None:
        """End the judge and the lint."""
        self._runner.run(self._evaluator.close())
        self._runner.close()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, build_cache: Path) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("beside")
    before = os.environ.get("SAGE_API_KEY")
    os.environ["SAGE_API_KEY"] = "key-" + folder.name
    made = Bench(folder, build_cache)
    yield made
    made.close()
    if before is None:
        del os.environ["SAGE_API_KEY"]
    else:
        os.environ["SAGE_API_KEY"] = before


def microseconds(found: Evaluation) -> float:
    assert found.latency is not None
    return found.latency.value


def running(word: str) -> list[str]:
    """Processes that name `word`, this one left out."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in words and folder.name != str(os.getpid()):
            found.append(words.decode(errors="replace"))
    return found


def check_hostile(bench: Bench, case: Case) -> Evaluation:
    """What holds of every hostile candidate, whoever stops it."""
    started = time.monotonic()
    found = bench.judged(case)
    assert time.monotonic() - started < LONGEST_S
    assert found.verdict is not VerdictClass.VOID, found.cause
    if found.verdict is VerdictClass.PASS and found.latency is not None:
        assert microseconds(found) >= 0.999 * microseconds(bench.honest), "it won by cheating"
    text = to_json(found)
    assert bench.word not in text.replace(str(bench.secret), ""), "it read the secret"
    assert os.environ["SAGE_API_KEY"] not in text
    assert sorted(path.name for path in bench.folder.iterdir()) == ["secret"]
    assert not running(bench.word)
    return found


def marked(cases: tuple[Case, ...]) -> list[object]:
    """Candidates as parameters; of those that are compiled only some are run every time."""
    return [
        pytest.param(
            case, id=f"{case.kind}-{case.name}".replace(" ", "-"),
            marks=() if case.quick or case.by in {TEXT, TREE, LANGUAGE} else pytest.mark.slow,
        )
        for case in cases
    ]  # fmt: skip


@pytest.mark.parametrize("case", marked(HOSTILE))
def test_a_hostile_candidate_gains_nothing(bench: Bench, case: Case) -> None:
    found = check_hostile(bench, case)
    assert bench.layer(case, found) == case.by, (found.verdict, found.cause)


@pytest.mark.parametrize("case", marked(BENIGN))
def test_its_benign_twin_passes_as_the_honest_kernel_does(bench: Bench, case: Case) -> None:
    found = bench.judged(case)
    assert found.verdict is VerdictClass.PASS, (found.cause, found.findings)
    assert microseconds(found) == pytest.approx(microseconds(bench.honest), rel=0.01)


def test_every_kind_has_a_benign_twin() -> None:
    assert {case.kind for case in HOSTILE} == {case.kind for case in BENIGN}
    assert len(HOSTILE) >= 60


@pytest.fixture(scope="module")
def far_bench(tmp_path_factory: pytest.TempPathFactory, build_cache: Path) -> Iterator[Bench]:
    """The same pipeline with the judge behind a real SSH server."""
    base = tmp_path_factory.mktemp("far")
    server = start_sshd(tmp_path_factory.mktemp("sshd"))
    machine = far(base, server)
    (base / "cache").symlink_to(build_cache)

    def host() -> Host:
        settings = HostSettings(python=sys.executable, locks=str(base / "locks"))
        return DetachedHost("far", "far", machine.link(), settings)

    made = Bench(tmp_path_factory.mktemp("beside-far"), build_cache, host)
    yield made
    made.close()
    machine.end_all()
    server.stop()


FAR = {
    "ASCENDC_CPU_DEBUG", "daemon", "trap", "answer in the input", "table", "loop over global memory",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in HOSTILE if case.name in FAR], ids=lambda case: case.name)
def test_nor_does_it_on_a_host_far_away(
    far_bench: Bench, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_API_KEY", "key-of-nobody-far-away")
    found = check_hostile(far_bench, case)
    assert far_bench.layer(case, found) == case.by, (found.verdict, found.cause)
