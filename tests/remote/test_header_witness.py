"""CANN's headers beside the twin: their refusal is a build error, and nothing of the candidate runs."""

from __future__ import annotations

import asyncio
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.evaluation.records import CANN_HEADERS, NOT_CHECKED, Candidate, Evaluation
from core.operators.spec import OperatorSpec
from remote.evaluator import HostEvaluator
from remote.headers.kept import KeptHeaders
from remote.hosts import LocalHost
from remote.hosts.detached import DetachedHost, HostSettings
from remote.hosts.port import Host
from remote.judge.judge import Judge
from remote.toolchains.twin import TwinToolchain
from tests.remote.headers.stand_in import INSTALLED, VERSION, kept_stand_in
from tests.remote.helpers import (
    KERNEL,
    TWIN,
    candidate,
    edited,
    job,
    judge_job,
    operator,
)
from tests.remote.machines import far, near
from tests.remote.sshd import Sshd

CASE = "short-tail-float16"
LINE = "Abs(y, x, count);"
# The twin has it, the stand-in for CANN's headers does not.
LACKING = edited((KERNEL, LINE, f"{LINE} Relu(y, y, count);"))
REFUSED = f"refused by the headers of CANN {VERSION}"
ACCEPTED = f"accepted by the headers of CANN {VERSION}"


@pytest.fixture(scope="module")
def headers_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kept_stand_in(tmp_path_factory.mktemp("headers")).folder.parent


def one_case() -> OperatorSpec:
    spec = operator()
    return replace(spec, cases=tuple(c for c in spec.cases if c.name == CASE))


def judged(
    judge: Judge, cache: Path, kernel: Candidate, headers_dir: Path | None
) -> dict[str, Any]:
    payload = job(one_case(), kernel, cache, headers_dir=str(headers_dir or ""))
    return judge_job(judge, payload)


def test_what_the_headers_accept_is_judged_as_without_them(
    judge: Judge, build_cache: Path, headers_dir: Path
) -> None:
    without = judged(judge, build_cache, candidate(), None)
    checked = judged(judge, build_cache, candidate(), headers_dir)
    assert without["facts"][CANN_HEADERS] == NOT_CHECKED
    assert checked["facts"][CANN_HEADERS] == ACCEPTED
    for field in ("verdict", "latency", "device"):
        assert checked[field] == without[field]
    [one], [other] = checked["cases"], without["cases"]
    assert one["latency"] == other["latency"]
    assert checked["build"]["digest"] == without["build"]["digest"]


def test_a_refusal_fails_the_build_at_the_line_of_the_candidate(
    judge: Judge, build_cache: Path, headers_dir: Path
) -> None:
    assert judged(judge, build_cache, LACKING, None)["verdict"] == "pass"
    refused = judged(judge, build_cache, LACKING, headers_dir)
    line = candidate().files[KERNEL].partition(LINE)[0].count("\n") + 1
    assert refused["verdict"] == "fail-build"
    assert refused["cases"] == []
    assert refused["build"]["stage"] == "kernel"
    (message,) = refused["build"]["messages"]
    assert (message["file"], message["line"]) == (KERNEL, line)
    assert "'Relu' was not declared" in message["text"]
    assert refused["cause"].endswith(f"(headers of CANN {VERSION})")
    assert refused["facts"][CANN_HEADERS] == REFUSED
    assert str(headers_dir) not in str(refused)


def test_what_the_twin_refuses_is_told_in_its_words(
    judge: Judge, build_cache: Path, headers_dir: Path
) -> None:
    broken = edited((KERNEL, LINE, "Abs(y, x);"))
    answer = judged(judge, build_cache, broken, headers_dir)
    assert answer["build"]["stage"] == "kernel"
    assert "headers of CANN" not in answer["cause"]
    assert answer["facts"][CANN_HEADERS] == REFUSED


def test_every_version_that_was_added_is_asked(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    kept = kept_stand_in(tmp_path / "kept").folder.parent
    newer = shutil.copytree(INSTALLED / VERSION, tmp_path / "newer", symlinks=True)
    (newer / "aarch64-linux/ascend_toolkit_install.info").write_text("version=9.0.T2\n")
    vector = newer / "aarch64-linux/ascendc/include/basic_api/interface/kernel_vector.h"
    more = "template <class T> void Relu(const T& to, const T& from, const int32_t& count);"
    text = vector.read_text()
    vector.write_text(
        text.replace("int64_t GetBlockIdx();", f"int64_t GetBlockIdx();\n{more}")
    )
    KeptHeaders(kept).add_from_folder(newer, lambda _text: None)
    answer = judged(judge, build_cache, LACKING, kept)
    assert answer["verdict"] == "fail-build"
    said = f"{REFUSED}; accepted by the headers of CANN 9.0.T2"
    assert answer["facts"][CANN_HEADERS] == said


def evaluated(
    host: Host, cache: Path, headers_dir: Path, kernel: Candidate
) -> Evaluation:
    toolchain = TwinToolchain(cache, TWIN, headers_dir=headers_dir)

    async def work() -> Evaluation:
        evaluator = HostEvaluator(host, toolchain)
        try:
            return await evaluator.evaluate(one_case(), kernel, lambda _text: None)
        finally:
            await evaluator.close()

    return asyncio.run(work())


@pytest.mark.system
def test_a_judge_of_its_own_process_asks_them(
    build_cache: Path, headers_dir: Path
) -> None:
    answer = evaluated(LocalHost(1), build_cache, headers_dir, LACKING)
    assert (answer.verdict, answer.facts[CANN_HEADERS]) == ("fail-build", REFUSED)


@pytest.mark.system
def test_headers_travel_to_a_host_that_judges(
    sshd: Sshd, build_cache: Path, headers_dir: Path, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    base.mkdir()
    build_cache.mkdir(parents=True, exist_ok=True)
    (base / "cache").symlink_to(build_cache)
    settings = HostSettings(
        python=sys.executable, base=str(base), slots=1, locks=str(tmp_path / "locks")
    )
    try:
        for kernel, verdict, said in (
            (LACKING, "fail-build", REFUSED),
            (candidate(), "pass", ACCEPTED),
        ):
            host = DetachedHost("lab", "lab", far(base, sshd).connection(), settings)
            answer = evaluated(host, build_cache, headers_dir, kernel)
            assert (answer.verdict, answer.facts[CANN_HEADERS]) == (verdict, said)
    finally:
        near(base).end_all()
