"""Newer names and register forms of the kernel API."""

from __future__ import annotations

import time

import pytest
import torch

from tests.twin.harness import Library, build, compile_error


@pytest.fixture(scope="module")
def library() -> Library:
    return build("newer")


def test_reductions_by_kind(library: Library) -> None:
    a = torch.randn(128, generator=torch.Generator().manual_seed(1))
    out = torch.zeros(96)
    assert library.run("reduce_kinds", [a], [out]).findings == []
    rows, blocks = a.view(2, 64), a.view(16, 8)
    torch.testing.assert_close(out[:2], rows.sum(1))
    assert out[2] == rows[0].max()
    assert out[4] == rows[1].max()
    assert out[3:6:2].view(torch.int32).tolist() == rows.argmax(1).tolist()
    assert torch.equal(out[6:8], rows[:, :32].amin(1))
    torch.testing.assert_close(out[8:24], blocks.sum(1))
    assert torch.equal(out[24:32], blocks[:8].amin(1))
    assert torch.equal(out[32:96], a.view(64, 2).sum(1))


def test_pairs_can_only_be_summed() -> None:
    said = compile_error(
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        "void f(LocalTensor<float> t) { ReducePairElem<ReduceType::MAX>(t, t, 64, 1, 1, 1, 8); }\n"
    )
    assert "ReducePairElem: ReduceType::SUM only" in said


def test_reductions_write_any_element(library: Library) -> None:
    a = torch.randn(104, generator=torch.Generator().manual_seed(2))
    out = torch.zeros(8)
    assert library.run("reduce_anywhere", [a], [out], [0]).findings == []
    torch.testing.assert_close(out[1], a[:100].sum())
    assert out[2] == a[:100].max()
    assert out[3:4].view(torch.int32) == a[:100].argmax()
    assert out[5] == a[:100].min()
    torch.testing.assert_close(out[7], a[:100].sum())


def test_value_and_index_need_a_pair(library: Library) -> None:
    report = library.run("reduce_anywhere", [torch.randn(104)], [torch.zeros(8)], [1])
    assert report.finding("alignment")["call"] == "ReduceMin"


def test_comparison_register(library: Library) -> None:
    generator = torch.Generator().manual_seed(3)
    a, b = torch.randn(128, generator=generator), torch.randn(128, generator=generator)
    bits, out = torch.zeros(128, dtype=torch.uint8), torch.zeros(256)
    assert library.run("register_compare", [a, b], [bits, out]).findings == []
    less = (a < b)[:64]
    less[50:] = False  # beyond the mask
    assert torch.equal(
        bits[:8], (less.view(8, 8).long() * 2 ** torch.arange(8)).sum(1).to(torch.uint8)
    )
    assert not bits[8:16].any()
    assert torch.equal(out[:128], torch.where(less.repeat(2), a, b))
    assert torch.equal(out[128:192], torch.where(less, a[:64], b[0]))
    assert torch.equal(out[192:], torch.where(less, a[:64], b[:64]))


def test_padding_value(library: Library) -> None:
    a = torch.arange(20, dtype=torch.int16)
    kept, given = torch.zeros(32, dtype=torch.int16), torch.zeros(32, dtype=torch.int16)
    assert library.run("pad_value", [a], [kept, given]).findings == []
    assert kept.tolist() == [*range(20), *[7] * 12]
    assert given.tolist() == [*range(20), *[-1] * 12]


def test_slices(library: Library) -> None:
    a, out = torch.randn(3, 87), torch.zeros(2, 48)
    assert library.run("slices", [a], [out], [0]).findings == []
    assert torch.equal(out, torch.cat([a[::2, 16:40], a[::2, 47:71]], dim=1))


def test_slices_of_different_size(library: Library) -> None:
    found = library.run(
        "slices", [torch.randn(3, 87)], [torch.zeros(2, 48)], [1]
    ).finding("copy-limit")
    assert (
        "the source has 4 pieces of 3 blocks, the destination 2 of 3"
        in found["message"]
    )


@pytest.mark.parametrize("name", ["half", "float", "int8_t"])
def test_images_change_layout(library: Library, name: str) -> None:
    dtype = {"half": torch.float16, "float": torch.float32, "int8_t": torch.int8}[name]
    a = torch.arange(2 * 5 * 32).view(2, 5, 4, 8).remainder(100).to(dtype)
    out = torch.zeros(2, 4, 8, 5, dtype=dtype)
    assert library.run(f"image_layout_{name}", [a], [out], [0, 8]).findings == []
    assert torch.equal(out, a.permute(0, 2, 3, 1))
    back = torch.zeros_like(a)
    assert library.run(f"image_layout_{name}", [out], [back], [1, 8]).findings == []
    assert torch.equal(back, a)


def test_images_in_whole_blocks(library: Library) -> None:
    found = library.run(
        "image_layout_float", [torch.zeros(400)], [torch.zeros(400)], [0, 7]
    )
    assert found.finding("vector-limit")["call"] == "Transpose"


def test_blocks_go_in_turn(library: Library) -> None:
    turns, log = torch.zeros(64, dtype=torch.int32), torch.zeros(16, dtype=torch.int32)
    assert (
        library.run("block_after_block", [turns], [log], [0], block_dim=4).findings
        == []
    )
    assert log[:9].tolist() == [8, 0, 1, 2, 3, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("kind", "cores", "signals"), [("block_after_block", 4, 7), ("two_groups", 5, 1)]
)
def test_a_signal_through_memory_takes_no_less_than_syncall(
    library: Library, kind: str, cores: int, signals: int
) -> None:
    room, log = torch.zeros(512, dtype=torch.int32), torch.zeros(40, dtype=torch.int32)
    report = library.run(kind, [room], [log], [0], block_dim=cores)
    round_us = 1000 / 1850  # cycles of SyncAll at 1.85 GHz
    assert report.modelled_us - report.launch_us >= signals * round_us


def test_a_turn_nobody_passes_on(library: Library) -> None:
    turns, log = torch.zeros(64, dtype=torch.int32), torch.zeros(16, dtype=torch.int32)
    report = library.run("block_after_block", [turns], [log], [1], block_dim=4)
    assert "WaitPreBlock" in report.finding("deadlock")["message"]


def test_a_group_waits_for_another(library: Library) -> None:
    room, out = torch.zeros(512, dtype=torch.int32), torch.zeros(40, dtype=torch.int32)
    assert library.run("two_groups", [room], [out], [0], block_dim=5).findings == []
    assert out.view(5, 8)[:, 0].tolist() == [1, 2, 1, 2, 1]


def test_the_flags_of_a_group_are_zero_before(library: Library) -> None:
    room, out = torch.ones(512, dtype=torch.int32), torch.zeros(40, dtype=torch.int32)
    report = library.run("two_groups", [room], [out], [0], block_dim=5)
    assert "is not 0 before it is first used" in report.finding("cross-flag")["message"]


def test_members_of_a_group_are_counted(library: Library) -> None:
    room, out = torch.zeros(512, dtype=torch.int32), torch.zeros(40, dtype=torch.int32)
    found = library.run("two_groups", [room], [out], [1], block_dim=5).finding(
        "event-id"
    )
    assert found["message"] == "member 2 of a group of 2"


def test_standard_types(library: Library) -> None:
    out = torch.zeros(8)
    assert library.run("standard_types", [], [out]).findings == []
    assert out[0] == 4


def test_newer_names(library: Library) -> None:
    a, mask = torch.randn(64), (torch.rand(64) < 0.5).to(torch.uint8)
    out, bits = torch.zeros(64), torch.zeros(8, dtype=torch.uint8)
    assert library.run("newer_names", [a, mask], [out, bits]).findings == []
    assert torch.equal(out, torch.where(mask != 0, -1.0, a))
    assert torch.equal(
        bits, ((a > 0).view(8, 8).long() * 2 ** torch.arange(8)).sum(1).to(torch.uint8)
    )


def test_dump_by_address(library: Library) -> None:
    printed = library.run("dump_by_address", [torch.arange(8.0)], []).printed
    assert "desc=1" in printed
    assert "[0.000000, 1.000000]" in printed
    assert "desc=2" in printed
    assert "[1.000000, 2.000000]" in printed


def test_norms_of_rows(library: Library) -> None:
    generator = torch.Generator().manual_seed(4)
    x, gamma, beta = (
        torch.randn(size, generator=generator) for size in ((8, 48), (40,), (40,))
    )
    y, z, rows = torch.zeros(8, 48), torch.zeros(8, 48), torch.zeros(4, 8)
    assert library.run("row_norms", [x, gamma, beta], [y, z, rows]).findings == []
    used = x[:, :40]
    wanted = torch.nn.functional.layer_norm(used, (40,), gamma, beta)
    torch.testing.assert_close(y[:, :40], wanted, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(z[:, :40], wanted, rtol=1e-5, atol=1e-5)
    variance = used.var(1, correction=0)
    scale = (variance + 1e-5).rsqrt()
    torch.testing.assert_close(
        rows, torch.stack([used.mean(1), scale, variance, scale]), rtol=1e-5, atol=1e-6
    )


def test_polling_several_flags_lets_others_run(library: Library) -> None:
    flags, out = torch.zeros(64, dtype=torch.int32), torch.zeros(8, dtype=torch.int32)
    report = library.run("polling", [flags], [out], block_dim=4, time_limit=5)
    assert report.completed
    assert out[0] == 5


def test_sums_over_long_rows_are_exact_enough(library: Library) -> None:
    grad = torch.rand(8192, generator=torch.Generator().manual_seed(5))
    out = torch.zeros(8)
    assert library.run("long_gradient", [grad, torch.ones(8192)], [out]).findings == []
    torch.testing.assert_close(out[0].double(), grad.double().sum(), rtol=2e-7, atol=0)


def test_antiquantisation_by_column(library: Library) -> None:
    x = torch.arange(-128, 128).to(torch.int8).view(8, 32)
    offset, scale = torch.arange(32).half(), (torch.arange(32) + 1).half() / 8
    out = torch.zeros(8, 32).half()
    assert library.run("antiquant_columns", [x, offset, scale], [out]).findings == []
    assert torch.equal(out, (x.half() + offset) * scale)


def test_merging_several_groups(library: Library) -> None:
    values = torch.randn(256, generator=torch.Generator().manual_seed(6))
    places, out = torch.arange(256, dtype=torch.int32), torch.zeros(256, 2)
    assert library.run("merge_groups", [values, places], [out]).findings == []
    sorted_values, order = values.view(2, 128).sort(1, descending=True)
    assert torch.equal(out[:, 0].view(2, 128), sorted_values)
    found = out[:, 1].contiguous().view(torch.int32).view(2, 128)
    assert torch.equal(found, (order + torch.tensor([[0], [128]])).int())


def test_copy_counts_per_repeat(library: Library) -> None:
    a = torch.arange(18 * 64, dtype=torch.int32).view(18, 64)
    first, second = (
        torch.zeros(18, 8, dtype=torch.int32),
        torch.zeros(2, 16, dtype=torch.int32),
    )
    assert library.run("counted_copy", [a], [first, second]).findings == []
    assert torch.equal(first, a[:, :8])
    assert torch.equal(second[:, :12], a[:2, :12])
    assert not second[:, 12:].any()


def test_an_assertion_of_the_c_header_is_a_finding(library: Library) -> None:
    assert library.run("failed_assertion", [], [], [2]).findings == []
    found = library.run("failed_assertion", [], [], [1]).finding("assert")
    assert 'run.parameter(0) > 1 && "too small"' in found["message"]


def test_a_mask_may_be_any_number_or_bits(library: Library) -> None:
    a = torch.randn(64, generator=torch.Generator().manual_seed(7))
    out = torch.zeros(8)
    assert library.run("masks", [a], [out]).findings == []
    wanted = [a[:8].sum(), a[:8].sum(), a[:8].sum(), a[:32].sum(), a[::2].sum()]
    torch.testing.assert_close(out[:5], torch.stack(wanted))


def test_instructions_on_raw_addresses(library: Library) -> None:
    generator = torch.Generator().manual_seed(8)
    a, b = torch.randn(64, generator=generator), 1 + torch.rand(64, generator=generator)
    out, spread = torch.zeros(64), torch.zeros(100, dtype=torch.float16)
    report = library.run("raw_chain", [a, b], [out, spread])
    assert report.rules("error") == report.rules("hazard") == []
    wanted = torch.maximum((a + 1) * b / b, a.exp()).half()
    torch.testing.assert_close(out, wanted.float())
    torch.testing.assert_close(spread, wanted[:8].repeat_interleave(16)[:100])


def test_a_tensor_made_by_hand_lies_where_it_says(library: Library) -> None:
    a, out = torch.arange(64.0), torch.zeros(64)
    assert library.run("made_by_hand", [a], [out], [0]).findings == []
    assert torch.equal(out, torch.cat([a[8:40] + 1, a[:32] + 2]))
    assert library.run("made_by_hand", [a], [out], [1]).rules("error") == [
        "ub-overflow"
    ]


def test_calls_take_no_longer_once_a_kernel_has_an_address(library: Library) -> None:
    """Its memory was closed behind every call and opened before the next: four times the time and more."""
    taken: dict[int, list[float]] = {0: [], 1: []}
    for has_address in (0, 1) * 5:
        out, began = torch.zeros(64), time.process_time()
        assert (
            library.run(
                "with_an_address", [torch.zeros(64)], [out], [has_address]
            ).findings
            == []
        )
        taken[has_address].append(time.process_time() - began)
        assert torch.equal(out, torch.full((64,), 2000.0))
    assert min(taken[1]) < 2 * min(taken[0])


def test_flash_state_of_one_value_a_row(library: Library) -> None:
    generator = torch.Generator().manual_seed(9)
    x, old_sum, old_max = (
        torch.randn(8, 16, generator=generator),
        torch.ones(8),
        torch.zeros(8),
    )
    out, of_rows = torch.zeros(128), torch.zeros(8)
    sums, tops, corrections = torch.zeros(8), torch.zeros(8), torch.zeros(8)
    state = torch.cat([old_sum, old_max])
    assert (
        library.run(
            "flash_packed", [x, state], [out, sums, tops, corrections, of_rows]
        ).findings
        == []
    )
    top = torch.maximum(x.amax(1), old_max)
    carried = (old_max - top).exp()
    torch.testing.assert_close(out.view(8, 16), (x - top[:, None]).exp())
    torch.testing.assert_close(tops, top)
    torch.testing.assert_close(corrections, carried)
    assert torch.equal(of_rows, x.amax(1))
    torch.testing.assert_close(
        sums, (x - top[:, None]).exp().sum(1) + carried * old_sum
    )


def test_communication_between_cards_is_told_when_it_runs(library: Library) -> None:
    found = library.run("needs_cards").finding("collective")
    assert (found["severity"], found["call"]) == ("error", "GetHcclContext")
    assert "judge this operator on devices" in found["message"]


def test_an_instruction_preload_has_a_limit(library: Library) -> None:
    assert library.run("preload", parameters=[7]).findings == []
    assert library.run("preload", parameters=[8]).rules() == ["vector-limit"]


def test_what_the_scalar_unit_waited_for_is_finished_for_what_it_issues_later(
    library: Library,
) -> None:
    a, b, out = torch.randn(64), torch.randn(64), torch.zeros(64)
    assert library.run("scalar_between", [a, b], [out], [1]).findings == []
    assert torch.equal(out, a)
    found = library.run("scalar_between", [a, b], [out], [0]).finding("race")
    assert (found["severity"], found["call"]) == ("hazard", "DataCopy")


def test_a_flag_of_the_scalar_unit_carries_only_what_it_waited_for(
    library: Library,
) -> None:
    a, b, out = torch.randn(64), torch.randn(64), torch.zeros(64)
    for covered in (1, 2):
        assert (
            library.run("scalar_flag_between", [a, b], [out], [covered]).findings == []
        )
    found = library.run("scalar_flag_between", [a, b], [out], [0]).finding("race")
    assert (found["severity"], found["call"]) == ("hazard", "DataCopy")


def test_a_pair_sum_writes_the_places_of_masked_pairs_too(library: Library) -> None:
    a, out = torch.randn(64), torch.full((64,), 7.0)
    assert library.run("masked_pairs", [a], [out], [8]).findings == []
    torch.testing.assert_close(out[:4], a[:8].view(4, 2).sum(1))
    assert (out[4:32] == 0).all()
    assert (out[32:] == 7).all()


def test_a_place_in_ub_has_a_number(library: Library) -> None:
    out = torch.zeros(64)
    assert library.run("numbered_place", [], [out]).findings == []
    assert (out == 3).all()
