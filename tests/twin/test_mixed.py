"""Kernels on cube and vector cores together, and the flags between cores."""

from __future__ import annotations

import pytest
import torch

from core.agent.prompt.machine_text import machine_text
from tests.twin.harness import Library, build, line_of


@pytest.fixture(scope="module")
def library() -> Library:
    return build("mixed")


def operands(blocks: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(9)
    a = torch.randn(blocks, 16, 16, generator=generator).half()
    b = torch.randn(blocks, 16, 16, generator=generator).half()
    return a, b, a.float() @ b.float().transpose(1, 2)


@pytest.mark.parametrize(
    "kind", ["forward/1_2", "forward/1_1", "forward/undeclared", "unguarded"]
)
def test_vector_cores_continue_where_the_cube_core_ends(
    library: Library, kind: str
) -> None:
    a, b, product = operands(3)
    middle, out = torch.zeros(3, 16, 16), torch.zeros(3, 16, 16)
    report = library.run(kind, [a, b], [middle, out], block_dim=3)
    assert report.findings == []
    torch.testing.assert_close(middle, product, rtol=1e-5, atol=1e-4)
    torch.testing.assert_close(out, product.abs(), rtol=1e-5, atol=1e-4)
    assert len(report.cores) == (6 if kind == "forward/1_1" else 9)


@pytest.mark.parametrize(("kind", "cores"), [("forward/1_2", 3), ("forward/1_1", 2)])
def test_a_launch_counts_every_core_of_a_block_as_the_prompt_says(
    library: Library, kind: str, cores: int
) -> None:
    assert "three of KERNEL_TYPE_MIX_AIC_1_2, two of 1_1" in machine_text(
        "Ascend910B1", cube=True
    )
    a, b, _product = operands(4)
    middle, out = torch.zeros(4, 16, 16), torch.zeros(4, 16, 16)
    one, four = (
        library.run(kind, [a, b], [middle, out], block_dim=blocks).launch_us
        for blocks in (1, 4)
    )
    of_a_core_us = 0.03
    assert four - one == pytest.approx(3 * cores * of_a_core_us)


def test_all_cores_together_move_no_more_than_l2_gives(library: Library) -> None:
    out = torch.zeros(3 * 24, 8, 8192)
    report = library.run("store_everywhere", [], [out], block_dim=24)
    assert report.findings == []
    assert bool((out == 1).all())
    l2_bytes_per_us = 5.2e6
    assert report.modelled_us - report.launch_us >= 4 * out.numel() / l2_bytes_per_us


def test_the_cube_core_waits_for_both_vector_cores(library: Library) -> None:
    a, b, product = operands(2)
    doubled, out = torch.zeros(2, 16, 16).half(), torch.zeros(2, 16, 16)
    assert library.run("backward", [a, b], [doubled, out], block_dim=2).findings == []
    torch.testing.assert_close(out, product * 2, rtol=1e-4, atol=1e-3)


def test_a_flag_that_one_core_forgets_is_a_deadlock(library: Library) -> None:
    a, b, _ = operands(2)
    report = library.run(
        "backward/one_missing",
        [a, b],
        [torch.zeros_like(a), torch.zeros(2, 16, 16)],
        block_dim=2,
    )
    finding = report.finding("deadlock")
    assert finding["line"] == line_of(library, "cube waits")
    assert finding["count"] == 2
    assert "cube core 0 waits in CrossCoreWaitFlag for flag 1" in finding["message"]
    assert "others that must set it too" in finding["message"]


def test_names_of_the_cores(library: Library) -> None:
    out = torch.zeros(12 * 4, dtype=torch.int32)
    a = torch.zeros(16, 16).half()
    assert (
        library.run("names", [out, a], [torch.zeros(16, 16)], block_dim=4).rules(
            "error"
        )
        == []
    )
    out = torch.zeros(12 * 4, dtype=torch.int32)
    report = library.run("names", [], [out, a, torch.zeros(16, 16)], block_dim=4)
    assert report.completed
    rows = out.view(12, 4).tolist()
    assert rows[:8] == [[i, i % 2, 4, 2] for i in range(8)]
    assert rows[8:] == [[i, 0, 4, 1] for i in range(4)]


def test_asking_for_the_core_type_does_not_make_a_kernel_mixed(
    library: Library,
) -> None:
    out = torch.zeros(40, 16, dtype=torch.int32)
    report = library.run("asks", [], [out], block_dim=40)
    assert report.findings == []
    assert len(report.cores) == 40
    assert out[:, 0].tolist() == list(range(1, 41))


@pytest.mark.parametrize(
    ("how", "marker"), [(0, "one line"), (1, "not written back"), (2, None), (3, None)]
)
def test_what_a_scalar_unit_writes_lies_in_the_cache_of_its_core(
    library: Library, how: int, marker: str | None
) -> None:
    report = library.run(
        "by_scalar", [], [torch.zeros(64, dtype=torch.int32)], [how], block_dim=2
    )
    assert report.rules() == ([] if marker is None else ["data-cache"])
    if marker is not None:
        found = report.finding("data-cache")
        assert (found["severity"], found["line"]) == (
            "hazard",
            line_of(library, marker),
        )


def test_copies_go_past_the_cache_of_their_own_core(library: Library) -> None:
    out = torch.zeros(32, dtype=torch.int32)
    report = library.run("own_cache", [], [out], block_dim=2)
    assert report.rules() == ["data-cache"]
    assert report.finding("data-cache")["line"] == line_of(library, "past the cache")


def test_all_cores_of_one_type_meet(library: Library) -> None:
    total, out = torch.zeros(8), torch.zeros(8)
    assert library.run("meet/0", [], [total, out], block_dim=6).findings == []
    assert out.tolist() == [6.0] * 8


def test_the_vector_cores_of_one_group_meet(library: Library) -> None:
    total, out = torch.zeros(3, 8), torch.zeros(3, 8)
    assert library.run("meet/1", [], [total, out], block_dim=3).findings == []
    assert out.tolist() == [[2.0] * 8] * 3


@pytest.mark.parametrize(
    ("pipe", "is_ordered"), [("MTE3", True), ("V", False), ("M", False)]
)
def test_a_signal_tells_what_its_own_pipe_has_finished(
    library: Library, pipe: str, is_ordered: bool
) -> None:
    report = library.run(f"exchange/{pipe}", [], [torch.zeros(4, 64)], block_dim=4)
    assert report.rules() == ([] if is_ordered else ["cross-core-race"])
    if not is_ordered:
        race = report.finding("cross-core-race")
        assert race["line"] == line_of(library, "of the neighbour")


def test_flags_by_which_all_cores_meet_take_no_less_than_syncall(
    library: Library,
) -> None:
    report = library.run("exchange/MTE3", [], [torch.zeros(4, 64)], block_dim=4)
    round_us = 1000 / 1850  # cycles of SyncAll at 1.85 GHz
    assert report.modelled_us - report.launch_us >= round_us


@pytest.mark.parametrize("memory", ["L1", "L0C"])
def test_the_vector_unit_reaches_ub_alone(library: Library, memory: str) -> None:
    report = library.run(f"vector_on/{memory}", [], [torch.zeros(8)], block_dim=1)
    finding = report.finding("core-type")
    assert (finding["severity"], finding["line"]) == (
        "error",
        line_of(library, "not in UB"),
    )


@pytest.mark.parametrize(
    ("case", "rule", "severity", "marker"),
    [
        ("mode", "cross-flag", "error", "needs a mixed kernel"),
        ("count", "cross-flag", "error", "too often"),
        ("pipe", "cross-flag", "error", "scalar pipe"),
        ("unscheduled", "cross-flag", "hazard", "unscheduled"),
        ("id", "event-id", "error", "flag id"),
    ],
)
def test_rule_fires_at_the_call(
    library: Library, case: str, rule: str, severity: str, marker: str
) -> None:
    report = library.run(f"wrong/{case}", [], [torch.zeros(8)], block_dim=1)
    finding = report.finding(rule)
    assert (finding["severity"], finding["line"]) == (
        severity,
        line_of(library, marker),
    )


@pytest.mark.parametrize(
    ("case", "marker"),
    [
        ("overlap", "overlap"),
        ("equal", None),
        ("neighbour", "neighbour"),
        ("ordered", None),
        ("atomic", None),
        ("zeroed", "sum"),
        ("overwrite", "overwrite"),
    ],
)
def test_cores_that_share_global_memory(
    library: Library, case: str, marker: str | None
) -> None:
    report = library.run(
        f"shared/{case}", [], [torch.zeros(4 * 64), torch.zeros(4 * 64)], block_dim=4
    )
    if marker is None:
        assert report.findings == []
        return
    found = [f for f in report.findings if f["line"] == line_of(library, marker)]
    assert [(f["rule"], f["severity"], f["tensor"]) for f in found] == [
        ("cross-core-race", "hazard", "out0")
    ]
    assert "SyncAll or a cross-core flag is missing" in found[0]["message"]


def test_a_tensor_changed_in_place_is_shared_as_well(library: Library) -> None:
    both = torch.zeros(4 * 64)
    report = library.run(
        "shared/overwrite", [both], [both, torch.zeros(4 * 64)], block_dim=4
    )
    assert report.finding("cross-core-race")["line"] == line_of(library, "overwrite")


def test_a_vector_core_has_no_l1(library: Library) -> None:
    report = library.run("tile_in_l1", [torch.zeros(256)], [])
    assert report.rules("error") == ["core-type"]
