"""Readers of tool output: the documented formats, and what they say about broken ones.

The texts follow the formats CANN's tools document; the CSV headers are the real ones of a 910B.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest

from core.evaluation.records import LatencyOrigin, Severity
from remote.diagnostics.device_output import read_device_output
from remote.diagnostics.error_codes import explain_error_word, find_code
from remote.diagnostics.plog import errors_of, read_plog
from remote.diagnostics.profiles import (
    imbalance,
    read_basics,
    read_pipe_utilization,
)
from remote.diagnostics.sanitizer import read_sanitizer
from remote.diagnostics.tool_output import UnreadableOutput

PIPES = """\
block_id,sub_block_id,aic_time(us),aic_total_cycles,aic_cube_ratio,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),\
aiv_vec_ratio,aiv_mte2_ratio,aiv_mte3_ratio,aiv_scalar_time(us),aiv_scalar_ratio
0,vector0,NA,NA,NA,10.0,18000,2.0,0.2,0.6,0.3,1.0,0.1
1,vector0,NA,NA,NA,20.0,36000,4.0,0.2,0.7,0.3,1.0,0.05
"""
BASICS = """\
Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq
add_custom,vector,23.46,48,NA,3,4711,1500,1800
"""
SANITIZER = """\
[mssanitizer] logging to file: ./mindstudio_sanitizer_log/mssanitizer.log
====== ERROR: illegal read of size 224
======    at 0x12c0c0015000 on GM in add_custom_kernel
======    in block aiv(0) on device 0
======    code in pc current 0x77c (serialNo:10)
======    #0 ${ASCEND_HOME_PATH}/compiler/tikcpp/tikcfw/impl/dav_c220/kernel_operator_data_copy_impl.h:58:9
======    #3 illegal_read_and_write/op_kernel/add_custom.cpp:18:5
====== ERROR: illegal read of size 224
======    at 0x12c0c0015000 on GM in add_custom_kernel
======    in block aiv(1) on device 0
======    #3 illegal_read_and_write/op_kernel/add_custom.cpp:18:5
====== WARNING: out of bounds of size 256
======    at 0x12c0c00150fc on GM when writing data in add_custom_kernel
======    in block aiv(9) on device 0
====== ERROR: misaligned access of size 13
======    at 0x6 on UB in add_custom_kernel
====== ERROR: Potential RAW hazard detected at GM in kernel_float on device 0:
======    PIPE_MTE2 Write at RAW()+0x0 in block 0 (aiv) on device 0 at pc current 0xa98 (serialNo:14)
======    #3 op_kernel/add_custom.cpp:17:5
======    PIPE_MTE3 Read at RAW()+0x0 in block 0 (aiv) on device 0 at pc current 0xad4 (serialNo:17)
====== WARNING: Unpaired set_flag instructions detected
======    from PIPE_S to PIPE_MTE3 in kernel
======    in block aiv(0) on device 1
====== ERROR: LeakCheck: detected memory leaks
======    Direct leak of 100 byte(s)
"""
DUMPS = """\
opType=AddCustom, DumpHead: AIV-3, CoreType=AIV, block dim=8, total_block_num=8
hello from the kernel 42
DumpTensor: desc=5, addr=0, data_type=float16, position=UB, dump_size=4
[19.000000, 4.000000,
-inf, nan]
DumpTensor: desc=6, addr=40, data_type=int32, position=UB, dump_size=4
[[1, 2, 3],
[4, -, -]]
shape is [2, 3], dumpSize is 4, data is not enough.
"""
PLOG = """\
[ERROR] OP(4711,python3):2026-03-10-18:52:43.281.517 [add_custom.cpp:31]4712 tiling: input shape is null
and more of it
[INFO] RUNTIME(4711,python3):2026-03-10-18:52:43.281.600 [runtime.cc:5]4712 device 0 opened
[ERROR] OP(4711,python3):2026-03-10-18:52:44.000.000 [other.cc:9]4712 second
[ERROR] OP(4711,python3):2026-03-10-18:52:45.000.000 [other.cc:9]4712 second
"""


def test_pipe_utilization_names_the_busiest_pipe_of_the_slowest_core() -> None:
    profile = read_pipe_utilization(PIPES)
    assert profile.bound == "mte2"
    assert profile.origin is LatencyOrigin.MEASURED
    assert profile.clock_mhz == pytest.approx(1800)
    assert profile.cores[1].mte2 == pytest.approx(0.7 * 36000)
    assert imbalance(profile) == pytest.approx(36000 / 27000)


def test_columns_are_found_by_name_whatever_their_order() -> None:
    rows = [line.split(",") for line in PIPES.splitlines()]
    turned = "\n".join(",".join(reversed(row)) for row in rows)
    assert read_pipe_utilization(turned) == read_pipe_utilization(PIPES)


def test_a_row_of_the_cube_unit_counts_as_its_own_core() -> None:
    text = PIPES + "0,cube0,40.0,72000,0.9,NA,NA,NA,NA,NA,NA,NA,NA\n"
    profile = read_pipe_utilization(text)
    assert (profile.bound, len(profile.cores)) == ("cube", 3)


def test_basics_tell_a_throttled_clock() -> None:
    (basics,) = read_basics(BASICS)
    assert (basics.name, basics.duration_us, basics.block_dim) == (
        "add_custom",
        23.46,
        48,
    )
    assert basics.throttled


def test_sanitizer_reports_become_findings_at_the_candidates_line() -> None:
    found = {finding.rule: finding for finding in read_sanitizer(SANITIZER)}
    assert set(found) == {
        "gm-out-of-bounds",
        "misaligned",
        "race",
        "flag-unpaired",
        "memory-leak",
    }
    race = found["race"]
    assert (race.file, race.line, race.tensor, race.kernel) == (
        "op_kernel/add_custom.cpp",
        17,
        "GM",
        "kernel_float",
    )
    assert found["flag-unpaired"].severity is Severity.WARNING


def test_cores_that_report_the_same_are_counted() -> None:
    first = read_sanitizer(SANITIZER)[0]
    assert (first.count, first.core, first.line) == (2, 0, 18)
    assert first.kernel == "add_custom_kernel"


def test_a_sanitizer_that_found_nothing_has_no_findings() -> None:
    assert read_sanitizer(SANITIZER.splitlines()[0]) == ()


def test_dumps_are_told_from_printed_lines() -> None:
    output = read_device_output(DUMPS)
    assert output.printed == ("hello from the kernel 42",)
    flat, shaped = output.dumps
    assert (flat.desc, flat.dtype, flat.core) == (5, "float16", "AIV-3")
    assert flat.values[:3] == (19.0, 4.0, float("-inf"))
    assert (shaped.shape, shaped.complete, shaped.values) == (
        (2, 3),
        False,
        (1, 2, 3, 4),
    )


def test_plog_errors_are_folded_and_keep_their_further_lines() -> None:
    first, second = errors_of(read_plog(PLOG))
    assert first.message == "tiling: input shape is null\nand more of it"
    assert (second.message, second.count) == ("second", 2)


@pytest.mark.parametrize(
    ("read", "text", "because"),
    [
        (read_pipe_utilization, "", "it is empty"),
        (
            read_pipe_utilization,
            PIPES[:120],
            "it has a header but no rows|neither column",
        ),
        (read_pipe_utilization, PIPES[: PIPES.index("36000")], "row 3 has 7 cells"),
        (
            read_pipe_utilization,
            PIPES.replace("18000", "many"),
            "column 'aiv_total_cycles' holds 'many'",
        ),
        (read_pipe_utilization, "<html>\n<body>\n", "no column 'block_id'"),
        (
            read_basics,
            BASICS.replace("Task Duration(us)", "Duration"),
            r"no column 'Task Duration\(us\)'",
        ),
        (read_sanitizer, "", "it is empty"),
        (read_sanitizer, "Segmentation fault\n", "no line of msSanitizer"),
        (read_device_output, DUMPS[: DUMPS.index("-inf")], "its brackets do not close"),
        (read_device_output, "DumpTensor: desc=5, addr=0\n", "no values follow"),
        (read_plog, "\x7fELF...", "not a log line"),
    ],
)
def test_broken_output_says_what_could_not_be_read_and_why(
    read: Callable[[str], object], text: str, because: str
) -> None:
    with pytest.raises(
        UnreadableOutput, match=f"^Could not read .* because .*({because})"
    ):
        read(text)


def test_output_cut_off_anywhere_is_read_or_named_unreadable() -> None:
    readers: list[tuple[Callable[[str], object], str]] = [
        (read_pipe_utilization, PIPES),
        (read_basics, BASICS),
        (read_sanitizer, SANITIZER),
    ]
    for read, text in readers:
        for end in range(0, len(text), 7):
            with contextlib.suppress(UnreadableOutput):
                assert read(text[:end]) is not None


def test_codes_are_explained() -> None:
    trapped = find_code("507035")
    assert trapped is not None
    assert trapped.hint
    assert not trapped.environment
    memory = find_code("EL0004")
    assert memory is not None
    assert memory.environment
    assert find_code("999999") is None
    names = [entry.name for entry in explain_error_word(1 << 33 | 1 << 78)]
    assert names == ["ccu_addr_err", "mte_gdma_write_overflow"]
