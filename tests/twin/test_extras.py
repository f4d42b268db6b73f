"""Smaller interfaces of the kernel API."""

from __future__ import annotations

import pytest
import torch

from tests.twin.harness import Library, build, compile_error, line_of


@pytest.fixture(scope="module")
def library() -> Library:
    return build("extras")


def test_operators_on_whole_tensors(library: Library) -> None:
    a, b = torch.randn(128), torch.randn(128)
    out, bits = torch.zeros(128), torch.zeros(8, dtype=torch.uint8)
    assert library.run("expressions", [a, b], [out, bits]).findings == []
    assert torch.equal(out, a * b + a - b)
    weights = 2 ** torch.arange(8)
    assert torch.equal(
        bits, ((a < b)[:64].view(8, 8).long() * weights).sum(1).to(torch.uint8)
    )


def test_parameters_may_stand_in_braces(library: Library) -> None:
    a, out = torch.randn(24), torch.zeros(24)
    assert library.run("parameters_in_braces", [a], [out]).findings == []
    assert torch.equal(out, torch.cat([a[:21], torch.full((3,), 1.5)]))


def test_numbers_of_four_bits(library: Library) -> None:
    a = (torch.randn(128, generator=torch.Generator().manual_seed(4)) * 6).half()
    packed, back = torch.zeros(64, dtype=torch.uint8), torch.zeros(128).half()
    assert library.run("nibbles", [a], [packed, back]).findings == []
    wanted = a.float().round().clamp(-8, 7)
    assert torch.equal(back.float(), wanted)
    bits = wanted.int() & 0xF
    assert torch.equal(packed.int(), bits[0::2] | bits[1::2] << 4)


def test_the_scalar_unit_converts_and_counts_bits(library: Library) -> None:
    a, out = torch.tensor([2.5003]), torch.zeros(11)
    assert library.run("scalars", [a], [out]).findings == []
    below = 2.5  # the half and the bfloat16 below it
    assert out.tolist() == [3, 3, below, below, 16, 48, 48, 63 + 55, 16 + 1, 1, 0x3C00]


def test_flag_objects_order_pipes(library: Library) -> None:
    a, out = torch.randn(64), torch.zeros(64)
    assert library.run("flag_objects", [a], [out]).findings == []
    assert torch.equal(out, a * 3)


def test_masked_extremes_and_accumulators(library: Library) -> None:
    a = torch.randn(192, generator=torch.Generator().manual_seed(2))
    out = torch.zeros(8)
    assert library.run("accumulators", [a], [out]).findings == []
    rows = a.view(3, 64)[:, :60]
    assert out[0] == rows.max()
    assert a[int(out[1])] == rows.max()
    assert out[2] == a[:64].min()
    torch.testing.assert_close(out[3], a[:50].sum() + a[64:114].sum())


def test_registers_cover_all_repeats(library: Library) -> None:
    a = torch.randn(192, generator=torch.Generator().manual_seed(3))
    out = torch.zeros(16)
    assert library.run("registers", [a], [out]).findings == []
    wanted = [
        a.max(),
        a.argmax(),
        a[:150].min(),
        a[:150].argmin(),
        a[:128].max(),
        a[:128].argmax(),
    ]
    assert out[:6].tolist() == [float(value) for value in wanted]
    assert out[6:9].tolist() == [
        float(a.min()),
        float(a.argmin()),
        float(a[64:128].min()),
    ]
    torch.testing.assert_close(out[9], a.sum())


def test_selection_by_bytes(library: Library) -> None:
    a = torch.randn(4, 16)
    mask = (torch.rand(4, 32) < 0.5).to(torch.uint8)
    out = torch.zeros(4, 16)
    assert library.run("byte_mask", [a, mask], [out]).findings == []
    assert torch.equal(out, torch.where(mask[:, :16] != 0, -1.0, a))


def test_rest_of_ub_as_a_tensor(library: Library) -> None:
    out = torch.zeros(2)
    assert library.run("rest_of_ub", [], [out]).findings == []
    assert out.tolist() == [1.0, 512.0]


def test_a_buffer_without_memory_is_only_wrong_when_touched(library: Library) -> None:
    out = torch.ones(1)
    asked = library.run("no_memory", [], [out])
    assert {(finding["rule"], finding["severity"]) for finding in asked.findings} == {
        ("empty-buffer", "warning")
    }
    assert out.item() == 0.0
    touched = library.run("no_memory/use", [], [out])
    assert ("null-tensor", "error") in {
        (f["rule"], f["severity"]) for f in touched.findings
    }


def test_a_pipe_that_is_destroyed_leaves_its_memory_to_the_next(
    library: Library,
) -> None:
    out = torch.zeros(1)
    assert library.run("next_pipe", [], [out]).findings == []
    assert out.item() == 2.0


def test_tensor_list(library: Library) -> None:
    out = torch.zeros(3)
    assert (
        library.run(
            "tensor_list", [torch.tensor([2.0]), torch.tensor([5.0])], [out]
        ).findings
        == []
    )
    assert out.tolist() == [7.0, 2.0, 223.0]


def test_buffer_pools_are_reused(library: Library) -> None:
    a, out = torch.randn(256), torch.zeros(256)
    assert library.run("pools", [a], [out]).findings == []
    assert torch.equal(out, a + 1)


def test_what_lay_in_a_temporary_is_gone(library: Library) -> None:
    out = torch.zeros(256)
    assert library.run("in_the_temporary/of_few", [], [out]).findings == []
    assert out.unique().tolist() == [2.0]
    report = library.run("in_the_temporary/of_many_steps", [], [out])
    found = report.finding("uninitialised-read")
    assert found["line"] == line_of(library, "of what was there")
    assert bool(out.isnan().all())


def test_barriers_of_some_cores(library: Library) -> None:
    empty = torch.zeros(64, dtype=torch.int32)
    out = torch.zeros(64, dtype=torch.int32)
    assert (
        library.run(
            "partial_barriers", [empty], [empty.clone(), out], block_dim=4
        ).findings
        == []
    )
    assert out[::16].tolist() == [1, 2, 4, 8]
    full = torch.ones(64, dtype=torch.int32)
    report = library.run("partial_barriers", [empty], [full, out], block_dim=4)
    found = {finding["call"] for finding in report.findings}
    assert set(report.rules("hazard")) == {"cross-flag"}
    assert found == {"SyncAll", "IBSet"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "void f(LocalTensor<half> a) { MmadWithSparse(a, a, a, 1); }",
            "MmadWithSparse: not simulated",
        ),
        (
            "void f(LocalTensor<half> a) { Mmad(a, a, a, MmadParams{}); }",
            "Mmad: half, bfloat16_t or",
        ),
        (
            """using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
template <const auto& C, typename I, typename X, typename Y, typename Z, typename B>
struct Own : Impl::Detail::MatmulPolicy<C, I, X, Y, Z, B> { using CopyCubeInA = int; };
Matmul<A, A, A, A, CFG_NORM, MatmulCallBackFunc<>, Own> product;""",
            "modules of a policy's own are not simulated",
        ),
        (
            "class P { EXTERN_IMPL_BUFPOOL(P, TPosition::VECCALC, 16); };",
            "own buffer pools are not simulated",
        ),
    ],
)
def test_what_is_not_simulated_says_so(text: str, message: str) -> None:
    source = f'#include "twin/kernel_prelude.h"\n#include "lib/matmul_intf.h"\nusing namespace AscendC;\n{text}\n'
    assert message in compile_error(source)


def test_functions_behind_the_documented_ones_do_the_same(library: Library) -> None:
    a = torch.randn(63, generator=torch.Generator().manual_seed(6))
    words = torch.tensor([3, 4], dtype=torch.int32)
    out, total = torch.zeros(9), torch.zeros(1, dtype=torch.int32)
    assert library.run("behind_the_documented", [a, words], [out, total]).findings == []
    blocks = torch.cat([a, torch.zeros(1)]).view(8, 8).amax(1)
    assert torch.equal(out, torch.cat([blocks, torch.tensor([3.0])]))
    assert total.item() == 7


def test_a_product_of_nibbles_is_told_where_it_runs(library: Library) -> None:
    assert library.run("beyond_the_twin", parameters=[0]).findings == []
    told = library.run("beyond_the_twin", parameters=[1]).finding("cube-limit")
    assert told["severity"] == "error"
    assert "4-bit integers is not simulated" in told["message"]


def test_a_tensor_at_the_address_of_a_buffer_is_the_buffer(library: Library) -> None:
    out, bits = torch.zeros(64), torch.zeros(1, dtype=torch.int32)
    assert library.run("address_of_a_buffer", [], [out, bits]).rules("error") == []
    assert torch.equal(out, torch.full((64,), 2.0))
    assert bits.item() == 0xFFFF
