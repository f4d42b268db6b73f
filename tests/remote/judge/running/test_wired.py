"""A kernel whose simulator is another process: the same verdict, and nothing of it comes from the kernel's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.evaluation.records import Candidate
from remote.judge.judge import Judge
from tests.remote.helpers import (
    KERNEL,
    TWIN,
    candidate,
    edited,
    job,
    judge_job,
    operator,
)

# Written over the wire by the kernel itself: a reply that no call made.
FORGED = """
    if (GetBlockIdx() == 0) {
        unsigned reply[4] = {STATE, 0u, 1u, 0u};
        long done;
        asm volatile("syscall" : "=a"(done) : "a"(1L), "D"(5L), "S"(reply), "d"(sizeof reply)
                     : "rcx", "r11", "memory");
    }
    KernelAbsMath op;"""
READS = """
    if (*(volatile __gm__ uint8_t*)x == 1) return;
    KernelAbsMath op;"""

# The same with calls of the library; the first has a structure of the kernel's as template argument.
LIBRARY = """
        static constexpr CumSumConfig sums{true, false, false};
        CumSum<DTYPE_Y, sums>(y, y, x, CumSumInfo{1, count});
        Sign(y, x, count);
        Mul(y, x, y, count);"""


@pytest.fixture(scope="module")
def wired(build_cache: Path) -> Judge:
    return Judge(build_cache, TWIN, workers=2, wired=True)


def outcomes(judge: Judge, name: str, kernel: Candidate, cache: Path) -> Any:
    """Every case of an operator, without the seconds it took."""
    evaluation = judge_job(judge, job(operator(name), kernel, cache))
    return [
        {key: value for key, value in case.items() if "seconds" not in key}
        for case in evaluation["cases"]
    ]


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("AbsMath", candidate()),
        ("AbsMath", edited((KERNEL, "\n        Abs(y, x, count);", LIBRARY))),
        ("BasicMatmul", candidate("BasicMatmul")),
        ("LessEqual", candidate("LessEqual")),
        ("TopKV3", candidate("TopKV3")),
    ],
    ids=["AbsMath", "library", "BasicMatmul", "compared", "sorted"],
)
def test_both_ways_tell_the_same(
    judge: Judge, wired: Judge, build_cache: Path, name: str, kernel: Candidate
) -> None:
    alone = outcomes(judge, name, kernel, build_cache)
    assert outcomes(wired, name, kernel, build_cache) == alone
    assert {case["status"] for case in alone} <= {"pass", "skipped"}


@pytest.mark.parametrize(
    "edit",
    [FORGED.replace("STATE", "0u"), FORGED.replace("STATE", "2u"), READS],
    ids=["forged batch", "forged end", "reads a tensor"],
)
def test_what_the_kernel_does_beside_its_calls_gains_nothing(
    wired: Judge, build_cache: Path, edit: str
) -> None:
    kernel = edited((KERNEL, "\n    KernelAbsMath op;", edit))
    payload = job(operator(), kernel, build_cache)
    payload["cases"] = payload["cases"][:2]
    evaluation = judge_job(wired, payload)
    assert {case["status"] for case in evaluation["cases"]} == {"run-error"}, evaluation
