"""A kernel that is right in one order of cores and pipes only is wrong, however it fails in another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.evaluation.direct_launch import launched_candidate, read_launched
from remote.judge.judge import Judge
from tests.remote.helpers import job, judge_job, operator

LAUNCH = """\
operator = "AbsMath"
kernel = "abs_math"
block_dim = 4
workspace = 4096
arguments = ["x", "y", "workspace", "length"]

[scalars]
length = { type = "uint32", value = "x.size" }
"""
HEAD = """\
#include "kernel_operator.h"
using namespace AscendC;

__global__ __aicore__ void abs_math(GM_ADDR x, GM_ADDR y, GM_ADDR space, uint32_t length) {
    using T = DTYPE_X;
    const uint32_t share = (length + 63) / 64 * 16, start = GetBlockIdx() * share;
    const uint32_t end = start + share < length ? start + share : length;
    constexpr uint32_t kTile = 256;
    TPipe pipe;
    TBuf<TPosition::VECCALC> in, out;
    pipe.InitBuffer(in, kTile * sizeof(T));
    pipe.InitBuffer(out, kTile * sizeof(T));
    LocalTensor<T> a = in.Get<T>(), b = out.Get<T>();
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer((__gm__ T*)x, length);
    to.SetGlobalBuffer((__gm__ T*)y, length);
    GlobalTensor<int32_t> marks;
    marks.SetGlobalBuffer((__gm__ int32_t*)space, 1024);
"""
LOOP = """\
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    for (uint32_t at = start; at < end; at += kTile) {
        const uint32_t count = end - at < kTile ? end - at : kTile;
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
        DataCopyPad(a, from[at], DataCopyExtParams{1, (uint32_t)(count * sizeof(T)), 0, 0, 0},
                    DataCopyPadExtParams<T>{false, 0, 0, 0});
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
        Abs(b, a, count);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopyPad(to[at], b, DataCopyExtParams{1, (uint32_t)(count * sizeof(T)), 0, 0, 0});
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    }
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
"""
TIMED = next(case.name for case in operator().cases if case.timed and not case.big)

Judged = Callable[..., dict[str, Any]]


@pytest.fixture
def judged(judge: Judge, tmp_path: Path) -> Judged:
    """Judges the kernel whose body is HEAD and what is given, with one case."""

    def run(body: str, case: str = TIMED, **options: Any) -> dict[str, Any]:
        file = tmp_path / "abs.cpp"
        file.write_text(HEAD + body + "}\n")
        file.with_suffix(".toml").write_text(LAUNCH)
        spec = operator()
        asked = job(
            spec,
            launched_candidate(spec, read_launched(file)),
            Path("unused"),
            [case],
            **options,
        )
        asked["cases"] = [
            {**entry, **options.get("change", {})} for entry in asked["cases"]
        ]
        asked.pop("change", None)
        return judge_job(judge, asked)

    return run


def rules(result: dict[str, Any]) -> set[str]:
    return {finding["rule"] for finding in result["findings"]}


@pytest.mark.system
def test_whatever_fails_in_another_order_fails_also_with_a_case_that_is_not_timed(
    judged: Judged,
) -> None:
    right = """\
    WriteGmByPassDCache(marks[GetBlockIdx() * 16].GetPhyAddr(0), 7);
    SyncAll();
    if (GetBlockIdx() > 0 && marks.GetValue((GetBlockIdx() - 1) * 16) != 7) Trap();
"""
    wrong = right.replace("    SyncAll();\n", "") + "    SyncAll();\n"
    assert judged(right + LOOP)["verdict"] == "pass"
    for change in ({}, {"timed": False}):
        result = judged(wrong + LOOP, change=change)
        assert (result["verdict"], rules(result)) == (
            "fail-run",
            {"trap", "order-dependent"},
        ), result["cause"]
        assert "other orders" in result["facts"]["orders"]
    assert judged(wrong + LOOP, schedules=0)["verdict"] == "pass", (
        "no other rule sees it"
    )


@pytest.mark.system
def test_a_workspace_begins_with_anything(judged: Judged) -> None:
    fresh = LOOP.replace(
        "        Abs(b, a, count);\n",
        "        Abs(b, a, count);\n        Adds(b, b, (T)marks.GetValue(512), count);\n",
    )
    assert judged(fresh)["verdict"] == "fail-result", "new device memory holds no zeros"


# Every core leaves ones for its neighbour, which reads them and says so before they become zeros.
NEIGHBOURS = """\
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    TBuf<TPosition::VECCALC> spare;
    pipe.InitBuffer(spare, 3 * 64);
    LocalTensor<T> one = spare.Get<T>(), none = one[64 / sizeof(T)], left = one[128 / sizeof(T)];
    GlobalTensor<T> slots;
    slots.SetGlobalBuffer((__gm__ T*)space, 512);
    const int me = GetBlockIdx(), kSlot = 64 / sizeof(T);
    Duplicate(one, (T)1, kSlot);
    Duplicate(none, (T)0, kSlot);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
    DataCopy(slots[me * kSlot], one, kSlot);
    SyncAll();
    DataCopy(left, slots[(me + 1) % 4 * kSlot], kSlot);
    CrossCoreSetFlag<0, PIPE_MTE2>(0);
    CrossCoreWaitFlag(0);
    DataCopy(slots[me * kSlot], none, kSlot);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID1);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID1);
    if ((float)left.GetValue(0) != 1.0f) return;
"""


@pytest.mark.system
def test_a_source_that_may_be_overwritten_before_it_is_read_fails_in_another_order(
    judged: Judged,
) -> None:
    """Late reads: the twin reads when an instruction is called, the device when its pipe comes to it."""
    right = NEIGHBOURS + LOOP
    assert judged(right)["verdict"] == "pass"
    wrong = right.replace(
        "CrossCoreSetFlag<0, PIPE_MTE2>", "CrossCoreSetFlag<0, PIPE_MTE3>"
    )
    assert judged(wrong, schedules=0)["verdict"] == "pass-with-hazard", (
        "a signal tells of the pipe that gives it"
    )
    result = judged(wrong)
    assert (result["verdict"], rules(result)) == (
        "fail-result",
        {"cross-core-race", "order-dependent", "result-wrong"},
    )


@pytest.mark.system
def test_a_buffer_that_is_filled_again_before_it_is_used_fails_in_another_order(
    judged: Judged,
) -> None:
    """Within a core, where the vector unit reads late: with all flags, and without those of one pair."""
    assert judged(LOOP, schedules=2)["verdict"] == "pass"
    lines = [line for line in LOOP.splitlines(keepends=True) if "V_MTE2>" not in line]
    wrong = "".join(lines)
    hazard = judged(wrong, schedules=0)
    assert (hazard["verdict"], rules(hazard)) == ("pass-with-hazard", {"race"})
    result = judged(wrong, schedules=1)
    assert result["verdict"] == "fail-result", result["cause"]
    assert {"race", "order-dependent"} <= rules(result)


# What core 3 takes from core 2 without waiting for it: 7 where the blocks go in turn.
TAKEN = {
    "element": "marks.GetValue(32)",
    "pointer": "*((__gm__ int32_t*)space + 32)",
}
FROM_A_CORE = """\
    if (GetBlockIdx() == 2) {
        LEFT
    }
    if (GetBlockIdx() == 3 && TAKEN != 7) return;
"""
COPIED = """\
TBuf<TPosition::VECCALC> spare;
        pipe.InitBuffer(spare, 32);
        LocalTensor<int32_t> seven = spare.Get<int32_t>();
        Duplicate(seven, 7, 8);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
        DataCopy(marks[32], seven, 8);"""
STORED = "*((__gm__ int32_t*)space + 32) = 7;"


@pytest.mark.system
@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN.keys())
@pytest.mark.parametrize("left", [COPIED, STORED], ids=["copied", "stored"])
def test_what_a_scalar_read_takes_of_another_core_is_tried_in_other_orders(
    judged: Judged, taken: str, left: str
) -> None:
    """The read may belong to a poll, so it is no race by itself; without one it is right by chance."""
    body = FROM_A_CORE.replace("LEFT", left).replace("TAKEN", taken) + LOOP
    assert judged(body, schedules=0)["verdict"] == "pass", "the blocks go in turn"
    result = judged(body)
    assert result["verdict"] == "fail-result", result["cause"]
    assert "order-dependent" in rules(result)


@pytest.mark.system
def test_a_poll_passes_in_every_order(judged: Judged) -> None:
    """Cores in a ring, so that one waits in any order."""
    ring = """\
    WriteGmByPassDCache(marks[GetBlockIdx() * 16].GetPhyAddr(0), 7);
    while (marks.GetValue((GetBlockIdx() + 1) % 4 * 16) != 7) {
        DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE>(marks[(GetBlockIdx() + 1) % 4 * 16]);
    }
"""
    result = judged(ring + LOOP)
    assert result["verdict"] == "pass", result["cause"]
    assert "other orders" in result["facts"]["orders"]
