"""Every rule fires on a kernel that breaks it, names the place, and stays silent on correct kernels."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from tests.twin.harness import Library, Report, build, compile_error, line_of


@pytest.fixture(scope="module")
def library() -> Library:
    return build("strict")


def data(count: int = 1024) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.arange(count).float(), torch.zeros(count)


def run(
    library: Library,
    case: str,
    *parameters: float,
    block_dim: int = 1,
    count: int = 1024,
) -> Report:
    x, z = data(count)
    return library.run(case, [x], [z], parameters, block_dim=block_dim)


@pytest.mark.parametrize("case", ["correct", "correct_flags"])
def test_correct_kernels_are_silent(library: Library, case: str) -> None:
    x, z = data(2048)
    report = library.run(case, [x], [z])
    assert report.completed
    assert report.findings == []
    assert torch.equal(z, x * 2)


@pytest.mark.parametrize(
    ("case", "rule", "severity", "marker"),
    [
        ("queue/undelivered", "queue-undelivered", "error", "undelivered"),
        ("queue/exhausted", "queue-exhausted", "error", "exhausted"),
        ("queue/enqueued_twice", "queue-order", "error", "enqueued twice"),
        ("queue/freed_in_queue", "queue-order", "error", "freed while queued"),
        ("queue/wrong_queue", "queue-foreign", "warning", "wrong queue"),
        ("queue/freed_elsewhere", "queue-foreign", "warning", "freed elsewhere"),
        ("queue/freed_twice", "queue-order", "error", "freed twice"),
        ("queue/full", "queue-full", "error", "full"),
        ("queue/no_dequeue", "race", "hazard", "consumer"),
        ("queue/no_enqueue", "race", "hazard", "producer of global memory"),
        ("queue/use_after_free", "use-after-free", "hazard", "use after free"),
        ("ub/over", "ub-capacity", "warning", "beyond the capacity"),
        ("ub/over", "ub-overflow", "error", "access beyond UB"),
        ("copy/tail", "copy-tail", "warning", "tail dropped"),
        ("race/mte2_v", "race", "hazard", "race consumer"),
        ("race/v_mte3", "race", "hazard", "race writer"),
        ("race/v_mte2", "race", "hazard", "race again"),
        ("vector/uninitialised", "uninitialised-read", "warning", "uninitialised"),
        ("vector/misaligned", "alignment", "error", "misaligned"),
        ("vector/mask", "vector-limit", "error", "mask"),
        ("vector/beyond", "tensor-overwrite", "hazard", "beyond its buffer"),
        ("vector/null", "null-tensor", "error", "null"),
        ("vector/count", "vector-count", "warning", "count"),
        ("repeats/whole", "vector-limit", "error", "whole repeats"),
        ("repeats/block", "vector-limit", "error", "block repeats"),
        ("repeats/sort", "vector-limit", "error", "sort repeats"),
        ("repeats/merge", "vector-limit", "error", "long list"),
        ("sync/event_id", "event-id", "error", "event id"),
        ("sync/never_set", "deadlock", "error", "never set"),
        ("sync/unpaired", "flag-unpaired", "warning", "unpaired"),
        ("assert", "assert", "error", "assertion"),
    ],
)
def test_rule_fires_at_the_call(
    library: Library, case: str, rule: str, severity: str, marker: str
) -> None:
    report = fires_at_the_call(library, case, rule, severity, marker)
    assert report.completed == (report.rules("error") == [])


def fires_at_the_call(
    library: Library, case: str, rule: str, severity: str, marker: str
) -> Report:
    """What one case did, with one finding of `rule` at the line that has the comment `marker`."""
    report = run(library, case)
    finding = report.finding(rule)
    assert finding["severity"] == severity
    assert finding["file"] == library.source.name
    assert finding["line"] == line_of(library, marker)
    assert finding["core"] == 0
    assert finding["message"]
    assert finding["link"]
    return report


@pytest.mark.parametrize(
    ("case", "marker"),
    [
        ("rounded/summed", "sum of the rounding"),
        ("rounded/bits", "bits of the rounding"),
        ("rounded/copied", "copy of the rounding"),
        ("filled/copied", "columns"),
    ],
)
def test_what_nobody_wrote_is_told_where_it_is_used(case: str, marker: str) -> None:
    assert fires_at_the_call(
        build("unwritten"), case, "uninitialised-read", "warning", marker
    ).completed


@pytest.mark.parametrize(
    ("case", "marker"),
    [("padded/sorted", "sorts a gap"), ("padded/summed", "sums gaps")],
)
def test_a_gap_between_rows_is_told_where_it_is_used_with_the_call_that_read_it(
    case: str, marker: str
) -> None:
    unwritten = build("unwritten")
    x, z = torch.ones(8 * 40).half(), torch.zeros(64)
    report = unwritten.run(case, [x], [z])
    finding = report.finding("uninitialised-read")
    assert finding["line"] == line_of(unwritten, marker)
    cast = line_of(unwritten, "cast over the gaps")
    assert f"is what Cast (line {cast}) made of bytes" in finding["message"]
    assert report.rules() == ["uninitialised-read"]


def test_rows_beside_a_gap_are_written() -> None:
    x, z = torch.ones(8 * 40).half(), torch.zeros(64)
    assert build("unwritten").run("padded/unused", [x], [z]).rules() == []


def test_a_buffer_that_is_taken_again_is_told_to_be_empty_since_then() -> None:
    unwritten = build("unwritten")
    finding = run(unwritten, "taken_again").finding("uninitialised-read")
    assert finding["line"] == line_of(unwritten, "taken again")
    assert "was not written since AllocTensor" in finding["message"]


def test_a_line_has_one_finding_of_a_rule() -> None:
    """Several calls and tensors of one line are one finding, another line has its own."""
    unwritten = build("unwritten")
    report = run(unwritten, "one_line")
    lines = [f["line"] for f in report.findings if f["rule"] == "uninitialised-read"]
    assert lines == [line_of(unwritten, name) for name in ("one line", "another line")]
    assert report.findings[0]["count"] >= 5


def test_what_lies_beyond_a_tensor_is_told_once_as_a_read_beyond_it() -> None:
    report = run(build("unwritten"), "beyond")
    assert report.rules() == ["tensor-overread"]


@pytest.mark.parametrize("case", ["rounded/unused", "filled/unused"])
def test_what_a_rounded_count_adds_is_no_finding_while_nothing_uses_it(
    case: str,
) -> None:
    """Compare, Select and TransDataTo5HD take whole repeats and sixteen rows, whatever there is."""
    report = run(build("unwritten"), case)
    assert report.completed
    assert report.findings == []


def test_a_bound_queue_orders_its_two_copies_alone(library: Library) -> None:
    """With the positions of each hand-over it orders the work on the tile between them too, as in CANN."""
    assert run(library, "queue/in_place_unordered").rules() == ["race", "race"]
    assert run(library, "queue/in_place").findings == []


@pytest.mark.parametrize(("buffers", "found"), [(2, []), (3, ["event-id"])])
def test_buffers_of_a_position_share_eight_event_ids(
    library: Library, buffers: int, found: list[str]
) -> None:
    """A buffer holds one from FreeTensor until it is allocated again."""
    x, z = torch.zeros(64), torch.zeros(64)
    report = library.run("queue/many_buffers", [x], [z], [buffers])
    assert report.rules("hazard") == found


def test_queue_left_full_is_a_warning(library: Library) -> None:
    report = run(library, "queue/not_freed")
    assert report.completed
    assert report.rules() == ["queue-leak"]


def test_ub_may_be_used_to_the_last_byte(library: Library) -> None:
    assert run(library, "ub/exact").findings == []


def test_ub_overflow_names_call_core_and_limit(library: Library) -> None:
    finding = run(library, "ub/over").finding("ub-overflow")
    assert finding["call"] == "DataCopy"
    assert finding["limit"] == "196608 bytes of UB"
    assert "VECIN" in finding["tensor"]


@pytest.mark.parametrize(
    ("case", "size", "offset", "expected"),
    [
        ("gm/read", 256, 0, []),
        ("gm/read", 4096, 0, []),
        ("gm/read", 4096 + 64, 0, [("gm-overread", "warning")]),
        ("gm/read", 4096 + 1024, 0, [("gm-out-of-bounds", "error")]),
        ("gm/write", 4096, 0, []),
        ("gm/write", 4, 4096, [("gm-overwrite", "warning")]),
        ("gm/write", 4096, 8, [("gm-overwrite", "warning")]),
        ("gm/write", 4096, 1024, [("gm-out-of-bounds", "error")]),
    ],
)
def test_global_bounds(
    library: Library, case: str, size: int, offset: int, expected: list[tuple[str, str]]
) -> None:
    report = run(library, case, size, offset)
    assert [(f["rule"], f["severity"]) for f in report.findings] == expected
    if expected and expected[0][1] == "error":
        finding = report.findings[0]
        assert finding["tensor"] == ("in0" if case == "gm/read" else "out0")
        assert "4096 bytes" in finding["limit"]


def test_output_bytes_no_core_writes_are_reported(library: Library) -> None:
    x, z = data(1024 + 100)
    report = library.run("correct", [x], [z], coverage=True)
    finding = report.finding("gm-unwritten")
    assert report.completed
    assert finding["tensor"] == "out0"
    assert "400 of the 4496 bytes" in finding["message"]
    assert "byte offset 4096" in finding["message"]
    assert library.run("correct", [x[:1024]], [z[:1024]], coverage=True).findings == []


def test_what_is_updated_in_place_may_keep_bytes(library: Library) -> None:
    x = data(1024 + 100)[0]
    assert library.run("correct", [x], [x], coverage=True).findings == []


def test_writing_an_input_is_reported(library: Library) -> None:
    assert run(library, "gm/input_write").rules("warning") == ["gm-input-write"]


def test_scalar_access_outside_global_memory(library: Library) -> None:
    assert run(library, "gm/scalar", 1023).findings == []
    finding = run(library, "gm/scalar", 1 << 20).finding("gm-out-of-bounds")
    assert finding["call"] == "GlobalTensor::GetValue"
    assert "behind its end" in finding["message"]
    assert finding["tensor"] in ("in0", "out0")


@pytest.mark.parametrize(
    ("case", "fits", "cut", "marker", "words"),
    [
        ("copy/too_long", 1, 65537, "cut length", "16-bit field"),
        ("vector/too_far", 8, 264, "cut stride", "8-bit field"),
    ],
)
def test_a_value_that_a_field_cuts_is_an_error_where_it_is_used(
    library: Library, case: str, fits: int, cut: int, marker: str, words: str
) -> None:
    assert "field-cut" not in run(library, case, fits).rules()
    finding = run(library, case, cut).finding("field-cut")
    assert (finding["severity"], finding["line"]) == ("error", line_of(library, marker))
    assert words in finding["message"]
    assert f"{cut} does not fit" in finding["message"]


def test_dropped_tail_keeps_the_poison(library: Library) -> None:
    x, z = data()
    library.run("copy/tail", [x], [z])
    assert torch.equal(z[:96], x[:96])
    assert bool((z[96:] == 0).all())
    assert "queue" not in " ".join(
        library.run("copy/tail", [x], [z], strict=True).rules("warning")
    )
    assert library.run("copy/tail", [x], [z], strict=True).rules("error") == [
        "copy-tail"
    ]


@pytest.mark.parametrize(
    "case",
    [
        "same place",
        "a repeat before",
        "sum as second source",
        "narrowed in place",
    ],
)
def test_operands_may_share_a_place(library: Library, case: str) -> None:
    assert run(library, f"sharing/{case}").findings == []


@pytest.mark.parametrize(
    "case",
    [
        "sum as first source",
        "sum of products",
        "running sum",
        "shifted by a block",
        "shifted within a repeat",
        "widened in place",
    ],
)
def test_operands_that_overlap_otherwise_are_told(library: Library, case: str) -> None:
    report = run(library, f"sharing/{case}")
    assert report.rules("hazard") == ["operand-overlap"]


def test_a_race_names_both_sites(library: Library) -> None:
    finding = run(library, "race/mte2_v").finding("race")
    assert "PIPE_MTE2" in finding["message"]
    assert f"line {line_of(library, 'race producer')}" in finding["message"]


@pytest.mark.parametrize(
    "case",
    [
        "race/none",
        "race/scalar",
        "race/gm_ordered",
        "repeats/most",
        "race/gm_first_half",
        "race/gm_overwritten_ordered",
    ],
)
def test_ordered_accesses_are_silent(library: Library, case: str) -> None:
    assert run(library, case).findings == []


@pytest.mark.parametrize(
    "case", ["race/gm", "race/gm_second_half", "race/gm_overwritten"]
)
def test_reading_back_global_memory_needs_a_flag(library: Library, case: str) -> None:
    assert run(library, case).rules("hazard") == ["race"]


def test_a_write_is_remembered_however_many_came_behind_it(library: Library) -> None:
    out = torch.zeros(300 * 16)
    report = library.run("race/gm_many", [out.clone()], [out])
    assert report.rules("hazard") == ["race"]


@pytest.mark.parametrize("case", ["race/mte2_v", "vector/uninitialised", "race/gm"])
def test_fast_runs_leave_races_and_unwritten_bytes_unchecked(
    library: Library, case: str
) -> None:
    x, z = data()
    slow = torch.zeros_like(z)
    assert library.run(case, [x], [slow]).findings != []
    assert library.run(case, [x], [z], fast=True, coverage=True).findings == []
    assert torch.equal(z, slow) or case == "vector/uninitialised"


@pytest.mark.parametrize(
    "case", ["ub/over", "vector/misaligned", "queue/undelivered", "vector/null"]
)
def test_fast_runs_still_refuse_what_would_crash(library: Library, case: str) -> None:
    x, z = data()
    assert library.run(case, [x], [z], fast=True).rules("error") != []


def test_missing_barrier_partner_is_a_deadlock(library: Library) -> None:
    report = run(library, "sync/lonely", block_dim=4)
    finding = report.finding("deadlock")
    assert finding["line"] == line_of(library, "barrier")
    assert finding["count"] == 3
    assert "core 0" in finding["message"]


def test_a_failing_core_releases_the_others_without_a_second_cause(
    library: Library,
) -> None:
    report = run(library, "sync/failed_partner", block_dim=4)
    assert report.rules("error") == ["gm-out-of-bounds"]
    assert report.findings[0]["core"] == 1


def test_barrier_with_more_blocks_than_cores(library: Library) -> None:
    assert "block-dim" in run(library, "all_cores", block_dim=49).rules("error")


def test_polling_forever_ends_at_the_time_limit(library: Library) -> None:
    x, z = data()
    start = time.monotonic()
    report = library.run("loop/polling", [x], [z], time_limit=0.3)
    assert time.monotonic() - start < 3
    assert not report.abandoned
    finding = report.finding("time-limit")
    assert finding["call"] == "GlobalTensor::GetValue"
    assert finding["line"] == line_of(library, "polling")
    assert finding["limit"] == "0.3 s"


@pytest.mark.system
def test_a_loop_without_calls_is_abandoned_and_named() -> None:
    """The core cannot be stopped, so this runs in a process of its own."""
    program = (
        "import os, sys, torch\n"
        "from tests.twin.harness import build\n"
        "r = build('strict').run('loop/silent', [torch.zeros(8)], [torch.zeros(8)], time_limit=0.2)\n"
        "f = r.finding('time-limit')\n"
        "print(r.abandoned, r.completed, f['call'], f['line'], flush=True)\n"
        "os._exit(0)\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == [
        "True",
        "False",
        "PipeBarrier",
        str(line_of(build("strict"), "last call")),
    ]


def test_a_cpp_exception_is_a_finding(library: Library) -> None:
    finding = run(library, "exception").finding("exception")
    assert "no exceptions on the device" in finding["message"]


def test_atomics_and_barriers_join_all_cores(library: Library) -> None:
    x, _ = data(8)
    z = torch.zeros(8)
    report = library.run("all_cores", [x], [z], block_dim=20)
    assert report.findings == []
    assert torch.equal(z, torch.full((8,), 420.0))


def test_polling_lets_the_partner_run(library: Library) -> None:
    z = torch.zeros(8, dtype=torch.int32)
    assert library.run("poll_partner", [z], [z.clone()], block_dim=2).completed


def test_output_of_all_cores_in_order(library: Library) -> None:
    printed = run(library, "prints", block_dim=2).printed
    assert printed.index("core 0 value 1.50 text") < printed.index(
        "core 1 value 1.50 text"
    )
    assert (
        "DumpTensor: desc=7, addr=0, data_type=float16, position=UB, dump_size=2\n[2.000000, 2.000000]"
        in printed
    )


def test_findings_repeat_exactly(library: Library) -> None:
    first, second = (run(library, "race/v_mte2", block_dim=8) for _ in range(2))
    assert first == second
    assert first.findings[0]["count"] == 8


def test_unknown_processor_and_empty_launch(library: Library) -> None:
    x, z = data()
    assert library.run("correct", [x], [z], soc="Ascend000").rules("error") == [
        "launch-setup"
    ]
    assert library.run("correct", [x], [z], block_dim=0).rules("error") == [
        "launch-setup"
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("Add(t, t, t, 8);", "Add: data type not supported"),
        ("Adds(f, f, 1.0, 8);", "deduced conflicting types"),
        (
            "Cast(t, f, RoundMode::CAST_RINT, 8);",
            "Cast: the vector unit does not convert",
        ),
        (
            "DataCopyPad(f, g, DataCopyExtParams{1, 4, 0, 0, 0});",
            "no matching function",
        ),
        ("g2.SetValue(0, 1.0f);", "discards qualifiers"),
        ('Abs(f, f, 8, {"of my choice", 7});', "explicit constructor"),
    ],
)
def test_what_the_device_compiler_refuses_does_not_compile(
    call: str, message: str
) -> None:
    source = (
        '#include "twin/kernel_prelude.h"\nusing namespace AscendC;\n'
        "void f(LocalTensor<int8_t> t, LocalTensor<float> f, GlobalTensor<float> g,\n"
        "       const GlobalTensor<float> g2) {\n"
        f"(void)t; (void)f; (void)g; (void)g2;\n{call}\n}}\n"
    )
    assert message in compile_error(source)
