"""What a launch is bound by: launch cost, a pipe of the critical core, a wait, uneven or serial work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.evaluation.bottleneck import bottleneck, bound_text, critical_core, waits
from core.evaluation.profile_text import profile_text
from core.evaluation.records import LatencyOrigin, LineTimes, PipeProfile, PipeTimes

CLOCK = 1850.0


def _profile(*cores: PipeTimes, launch_us: float = 5.0) -> PipeProfile:
    return PipeProfile(CLOCK, cores, "mte3", LatencyOrigin.MODELLED, launch_us)


def _aiv(core: int, total: float, **busy: float) -> PipeTimes:
    return PipeTimes(core, total, **busy, unit="aiv")


def _aic(core: int, total: float, **busy: float) -> PipeTimes:
    return PipeTimes(core, total, **busy, unit="aic")


CASES = {
    "a short kernel in a long launch": (
        _profile(_aiv(0, 1694, mte3=900, mte2=500), launch_us=19.0),
        "bound by the cost of the launch (95% of the time)",
    ),
    "copies in": (
        _profile(_aiv(0, 30_000, mte2=27_000, vector=9000)),
        "bound by mte2 of AIV 0",
    ),
    "vector work": (
        _profile(_aiv(0, 30_000, vector=29_000)),
        "bound by vector of AIV 0",
    ),
    "scalar work": (
        _profile(_aiv(0, 90_000, scalar=80_000, mte2=9)),
        "bound by scalar of AIV 0",
    ),
    "one pipe after the other": (
        _profile(_aiv(0, 30_000, mte2=12_000, vector=10_000, mte3=7_000)),
        "bound by no single pipe: the pipes of AIV 0 run one after the other",
    ),
    "flags and barriers": (
        _profile(_aiv(0, 40_000, mte2=6000, vector=4000)),
        "bound by waits on AIV 0: its busiest pipe, mte2, works 15% of the time",
    ),
    "one core does everything": (
        _profile(
            _aiv(0, 60_000, vector=50_000),
            *(_aiv(core, 3000, vector=2000) for core in range(1, 8)),
        ),
        "bound by uneven work: AIV 0 takes 5.9 times the mean, most of it vector",
    ),
    "the vector core ends last and only waits for the cube core": (
        _profile(
            _aic(0, 59_000, cube=31_000, mte2=52_000),
            _aiv(0, 60_000, mte3=1694),
            _aiv(1, 60_000),
        ),
        "bound by mte2 of AIC 0",
    ),
    "the vector core goes on after the cube core it waited for": (
        _profile(
            _aic(0, 40_000, cube=38_000), _aiv(0, 60_000, vector=15_000, mte2=9000)
        ),
        "bound by cube of AIC 0: AIV waits for AIC",
    ),
    "the cube core waits for what the vector cores prepare": (
        _profile(_aic(0, 60_000, cube=4000), _aiv(0, 52_000, vector=50_000)),
        "bound by vector of AIV 0: AIC waits for AIV",
    ),
    "a measured profile knows no cost of a launch": (
        _profile(_aiv(0, 1694, mte3=900), launch_us=0.0),
        "bound by mte3 of AIV 0",
    ),
    "a record from before units were known": (
        _profile(PipeTimes(3, 30_000, mte2=27_000)),
        "bound by mte2 of core 3",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_label_is_what_the_launch_is_bound_by(name: str) -> None:
    profile, label = CASES[name]

    assert bottleneck(profile).label == label


def test_the_text_tells_launch_from_kernel_and_cube_from_vector_cores() -> None:
    aic = _aic(0, 59_000, cube=31_000, mte2=52_000)
    profile = _profile(aic, _aiv(0, 60_000, mte3=1694), _aiv(1, 60_000), launch_us=5.9)

    text = profile_text(profile)

    assert "launch costs 5.90 us; slowest AIV 0 takes 60000 cycles (32.43 us)" in text
    assert "critical AIC 0: mte2 88%, cube 53%" in text
    assert "AIV waits for AIC" in text
    assert "1 cube cores (AIC): 59000 cycles" in text
    assert "2 vector cores (AIV): 60000 cycles" in text
    assert critical_core(profile) is aic


def test_cores_that_work_at_the_same_time_do_not_wait() -> None:
    both = _profile(_aic(0, 60_000, cube=55_000), _aiv(0, 60_000, vector=50_000))

    assert waits(both) == ""


def test_an_empty_profile_says_that_nothing_is_known() -> None:
    assert bottleneck(_profile()).label == "not known: the profile holds no core"
    assert profile_text(_profile()) == ""


def test_a_rate_stands_beside_the_most_the_core_can_move() -> None:
    """Rates of 17 to 41 bytes a cycle were learnt as constants, for nothing said of what they were a part."""
    work = {"gm_read": 900_000.0, "gm_written": 450_000.0, "gm_rate": 36.0}
    text = profile_text(
        _profile(*(_aiv(core, 40_000, mte2=38_000, **work) for core in range(24)))
    )
    assert (
        "AIV 0 moves 900.0 kB in and 450.0 kB out, together 33.8 bytes a cycle from L2 or HBM; "
        "HBM gives at most 36.0 while 24 of its kind share it"
    ) in text
    assert "HBM" not in profile_text(_profile(_aiv(0, 40_000, mte2=38_000)))


def test_lines_are_told_with_calls_cycles_and_what_a_call_moves() -> None:
    lines = (
        LineTimes("op_kernel/a.cpp", 18, "Max", "vector", 352, 9011.2, lanes=135168.0),
        LineTimes(
            "op_kernel/a.cpp", 9, "DataCopy", "mte2", 64, 19584.0, moved=106496.0
        ),
        LineTimes("op_kernel/a.cpp", 40, "GetValue", "scalar", 3, 180.0),
    )
    core = replace(_aiv(0, 40_000, vector=9_500, mte2=38_000), lines=lines)
    text = profile_text(_profile(core))
    assert (
        "op_kernel/a.cpp:18 Max (vector): 352 calls, 25.6 cycles a call, "
        "384 elements a call, 23% of the core"
    ) in text
    assert "64 calls, 306.0 cycles a call, 1664 bytes a call, 49% of the core" in text
    assert " 0% of the core" not in text, "what costs nothing is no cure"


def test_a_line_says_how_long_its_pipe_did_nothing_and_a_copy_waited() -> None:
    copies = LineTimes(
        "op_kernel/a.cpp", 9, "DataCopy", "mte2", 10, 20_000.0, blocked=9_000.0
    )
    sums = LineTimes(
        "op_kernel/a.cpp", 18, "Add", "vector", 10, 4_000.0, idle=8_000.0, held=6_000.0
    )
    core = replace(_aiv(0, 40_000, vector=4_000, mte2=20_000), lines=(copies, sums))
    text = profile_text(_profile(core))
    assert "2000.0 cycles a call (900.0 wait for copies the other way)" in text
    assert "vector idle for 800.0 before a call, 75% of it held by flags" in text
    assert "mte2 idle" not in text


def test_a_bound_says_how_far_from_it_a_launch_is() -> None:
    core = _aiv(0, 40_000, mte2=38_000)
    assert bound_text(_profile(core)) == (
        "bound by mte2 of AIV 0, mte2 works 95% of its time"
    )
    moving = replace(core, gm_read=1e6, gm_rate=37.6)
    assert bound_text(_profile(moving)).endswith(
        "25.0 bytes a cycle from L2 or HBM; HBM gives at most 37.6"
    )


def test_a_rate_above_that_of_hbm_is_not_said_to_be_of_hbm() -> None:
    core = _aiv(0, 40_000, mte2=38_000, gm_read=2.4e6, gm_rate=37.6)
    beside = "60.0 bytes a cycle with L2; HBM alone gives at most 37.6"
    assert beside in profile_text(_profile(core))
    assert bound_text(_profile(core)).endswith(beside)


def test_lines_of_the_kind_of_core_that_ends_first_are_shown_too() -> None:
    """A vector core ended last and hid the lines of the cube core it had waited for."""
    copies = LineTimes("op_kernel/k.cpp", 7, "DataCopy", "mte2", 100, 50_000)
    stores = LineTimes("op_kernel/k.cpp", 9, "DataCopyPad", "mte3", 100, 20_000)
    cube = replace(_aic(0, 58_000, mte2=52_000), lines=(copies,))
    vector = replace(_aiv(0, 60_000, mte3=21_000), lines=(stores,))

    text = profile_text(_profile(cube, vector))

    assert "k.cpp:7 DataCopy (mte2): 100 calls" in text
    assert "k.cpp:9 DataCopyPad (mte3): 100 calls" in text
