"""The Matmul object and its host tiling against PyTorch."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
import torch

from tests.twin.harness import COMPILER, INCLUDE, Library, build, line_of
from tests.twin.test_cube import TYPES, expected, matrix, result, word


@pytest.fixture(scope="module")
def library() -> Library:
    return build("matmul")


@pytest.mark.parametrize("name", [*TYPES, "undeclared"])
@pytest.mark.parametrize(
    ("turn_a", "turn_b", "bias"), [(0, 0, 0), (1, 0, 1), (0, 1, 1)]
)
def test_whole_product_on_several_cores(
    library: Library, name: str, turn_a: int, turn_b: int, bias: int
) -> None:
    m, n, k, dtype = 40, 72, 33, TYPES.get(name, torch.float16)
    a, b = matrix(m, k, dtype), matrix(k, n, dtype, 2)
    out = result(m, n, dtype)
    row = torch.arange(n).to(out.dtype)
    inputs = [a.T.contiguous() if turn_a else a, b.T.contiguous() if turn_b else b, row]
    parameters = [m, n, k, 16, 48, 16, 16, turn_a, turn_b, bias, 0]
    report = library.run(f"whole/{name}", inputs, [out], parameters, block_dim=6)
    assert report.findings == []
    torch.testing.assert_close(out, expected(a, b) + row * bias, rtol=1e-5, atol=1e-4)
    cubes = [core for core in report.cores if core["cube"] > 0]
    assert len(cubes) == (
        6 if name == "float" else 3
    )  # six vector cores share three cube cores


def test_atomic_addition(library: Library) -> None:
    a, b = matrix(16, 32, torch.float16), matrix(32, 16, torch.float16, 2)
    out = torch.ones(16, 16)
    parameters = [16, 16, 32, 16, 16, 16, 16, 0, 0, 0, 1]
    library.run("whole/half", [a, b, out.clone()], [out], parameters)
    torch.testing.assert_close(out, expected(a, b) + 1, rtol=1e-5, atol=1e-4)


def test_cores_that_add_to_one_result_need_only_a_barrier_behind_its_clearing(
    library: Library,
) -> None:
    a, b = matrix(16, 64, torch.float16), matrix(64, 16, torch.float16, 2)
    out = torch.ones(16, 16)
    parameters = [16, 16, 64, 16, 16, 16, 16, 0, 0, 0]
    assert library.run("halves_of_k", [a, b], [out], [*parameters, 1]).findings == []
    torch.testing.assert_close(out, expected(a, b), rtol=1e-5, atol=1e-4)
    report = library.run("halves_of_k", [a, b], [out], [*parameters, 0])
    assert report.rules("hazard") == ["cross-core-race"]
    assert report.finding("cross-core-race")["line"] == line_of(library, "clear")


def test_result_of_16_bits(library: Library) -> None:
    a, b = matrix(16, 32, torch.float16), matrix(32, 16, torch.float16, 2)
    out = torch.zeros(16, 16).half()
    library.run(
        "whole/half_half",
        [a, b, out.clone()],
        [out],
        [16, 16, 32, 16, 16, 16, 16, 0, 0, 0, 0],
    )
    assert torch.equal(out, expected(a, b).half())


def test_a_kernel_for_vector_cores_only_cannot_multiply(library: Library) -> None:
    a, b, out = (
        matrix(16, 32, torch.float16),
        matrix(32, 16, torch.float16, 2),
        torch.zeros(16, 16),
    )
    parameters = [16, 16, 32, 16, 16, 16, 16, 0, 0, 0, 0]
    report = library.run("whole/vector_only", [a, b, out.clone()], [out], parameters)
    assert report.rules("error") == ["core-type"]


@pytest.mark.parametrize("order", ["m", "n"])
def test_blocks_pass_through_the_vector_core(library: Library, order: str) -> None:
    m, n, k = 64, 96, 32
    a, b, out = (
        matrix(m, k, torch.float16),
        matrix(k, n, torch.float16, 2),
        torch.zeros(m, n),
    )
    report = library.run(
        f"blocks/{order}", [a, b], [out], [m, n, k, 64, 48, 32, 16], block_dim=1
    )
    assert report.findings == []
    wanted = torch.nn.functional.leaky_relu(expected(a, b), 0.5)
    torch.testing.assert_close(out, wanted, rtol=1e-5, atol=1e-4)


def test_the_vector_unit_waits_for_the_block(library: Library) -> None:
    a, b, out = (
        matrix(32, 64, torch.float16),
        matrix(64, 48, torch.float16, 2),
        torch.zeros(32, 48),
    )
    assert (
        library.run("in_place", [a, b], [out], [32, 48, 64, 32, 48, 32, 48]).findings
        == []
    )
    torch.testing.assert_close(out, expected(a, b).relu(), rtol=1e-5, atol=1e-4)


def test_operands_on_chip_and_in_fractals(library: Library) -> None:
    m, n, k = 32, 48, 64
    a, b = matrix(m, k, torch.float16), matrix(k, n, torch.float16, 2)
    fractals = b.view(k, n // 16, 16).transpose(0, 1).contiguous()
    out = torch.zeros(n // 16, m, 16)
    assert (
        library.run("formats", [a, fractals], [out], [m, n, k, m, n, m, n]).findings
        == []
    )
    torch.testing.assert_close(
        out.transpose(0, 1).reshape(m, n), expected(a, b), rtol=1e-5, atol=1e-4
    )


@pytest.mark.parametrize("width", [8, 16])
def test_fractals_of_the_result(library: Library, width: int) -> None:
    a, b = matrix(32, 64, torch.float16), matrix(64, 48, torch.float16, 2)
    out = torch.zeros(48 // width, 32, width)
    assert (
        library.run(
            f"fractals/{width}", [a, b], [out], [32, 48, 64, 32, 48, 16, 16]
        ).findings
        == []
    )
    torch.testing.assert_close(
        out.transpose(0, 1).reshape(32, 48), expected(a, b), rtol=1e-5, atol=1e-4
    )


def test_one_asynchronous_iterate_gives_all_blocks(library: Library) -> None:
    a, b, out = (
        matrix(32, 64, torch.float16),
        matrix(64, 48, torch.float16, 2),
        torch.zeros(6, 16, 16),
    )
    assert (
        library.run(
            "asynchronous", [a, b], [out], [32, 48, 64, 32, 48, 16, 16]
        ).findings
        == []
    )
    blocks = (
        expected(a, b).view(2, 16, 3, 16).permute(2, 0, 1, 3).reshape(6, 16, 16)
    )  # down the rows first
    torch.testing.assert_close(out, blocks, rtol=1e-5, atol=1e-4)


def test_an_operand_made_after_it_was_asked_for_is_a_race(library: Library) -> None:
    a, b = matrix(32, 64, torch.float16), matrix(64, 48, torch.float16, 2)
    outputs = [torch.zeros(6, 16, 16), torch.zeros_like(a)]
    split = [32, 48, 64, 32, 48, 16, 16]
    report = library.run("asynchronous/late", [a, b], outputs, split)
    assert "after the asynchronous Iterate" in report.finding("race")["message"]


def test_parts_of_the_inner_dimension(library: Library) -> None:
    a, b, out = (
        matrix(16, 64, torch.float16),
        matrix(64, 16, torch.float16, 2),
        torch.zeros(4, 16, 16),
    )
    assert (
        library.run("inner_parts", [a, b], [out], [16, 16, 64, 16, 16, 16, 16]).findings
        == []
    )
    parts = [expected(a[:, i : i + 16], b[i : i + 16]) for i in range(0, 64, 16)]
    torch.testing.assert_close(out, torch.stack(parts), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("half", ["upper", "lower", "upper/derived"])
def test_a_triangle_of_blocks(library: Library, half: str) -> None:
    a, b, out = (
        matrix(48, 32, torch.float16),
        matrix(32, 48, torch.float16, 2),
        torch.full((48, 48), 7.0),
    )
    assert (
        library.run(
            f"triangle/{half}", [a, b], [out], [48, 48, 32, 48, 48, 16, 16]
        ).findings
        == []
    )
    ones = torch.ones(3, 3)
    kept = (
        (ones.tril() if half == "lower" else ones.triu())
        .repeat_interleave(16, 0)
        .repeat_interleave(16, 1)
    )
    torch.testing.assert_close(
        out, torch.where(kept > 0, expected(a, b), 7.0), rtol=1e-5, atol=1e-4
    )


def test_own_copy_functions_are_told_when_a_product_runs(library: Library) -> None:
    a, b = matrix(16, 16, torch.float16), matrix(16, 16, torch.float16, 2)
    out = torch.zeros(16, 16)
    sizes = [16, 16, 16, 16, 16, 16, 16]
    told = library.run("copies_itself", [a, b], [out], sizes).finding("cube-limit")
    assert (told["severity"], told["call"]) == ("error", "Matmul::IterateAll")
    assert "own copy functions" in told["message"]


def test_a_split_known_at_compile_time(library: Library) -> None:
    a, b, out = (
        matrix(32, 64, torch.float16),
        matrix(64, 48, torch.float16, 2),
        torch.zeros(32, 48),
    )
    assert library.run("constant_split", [a, b], [out]).findings == []
    torch.testing.assert_close(out, expected(a, b), rtol=1e-5, atol=1e-4)


def test_batches_share_their_bias(library: Library) -> None:
    a = matrix(3 * 16, 32, torch.float16).view(3, 16, 32)
    b = matrix(3 * 32, 24, torch.float16, 2).view(3, 32, 24)
    bias, out = torch.randn(24), torch.zeros(3, 16, 24)
    assert (
        library.run(
            "shared_bias", [a, b, bias], [out], [16, 24, 32, 16, 24, 16, 24]
        ).findings
        == []
    )
    torch.testing.assert_close(out, a.float() @ b.float() + bias, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("layout", ["BSNGD", "SBNGD", "BNGS1S2"])
def test_batches_as_heads(library: Library, layout: str) -> None:
    heads, m, n, k = 3, 16, 24, 32
    a = matrix(heads * m, k, torch.float16).view(heads, m, k)
    b = matrix(heads * n, k, torch.float16, 2).view(heads, n, k)
    inside = layout != "BNGS1S2"  # heads lie inside the rows
    stored = [(x.transpose(0, 1) if inside else x).contiguous() for x in (a, b)]
    out = torch.zeros(m, heads, n) if inside else torch.zeros(heads, m, n)
    assert (
        library.run(
            f"heads/{layout}", stored, [out], [m, n, k, m, n, 16, 24, heads]
        ).findings
        == []
    )
    found = out.transpose(0, 1) if inside else out
    torch.testing.assert_close(
        found, a.float() @ b.float().transpose(1, 2), rtol=1e-5, atol=1e-4
    )


def test_partial_sums(library: Library) -> None:
    a, b, out = (
        matrix(32, 64, torch.float16),
        matrix(64, 48, torch.float16, 2),
        torch.zeros(32, 48),
    )
    assert (
        library.run("partial", [a, b], [out], [32, 48, 64, 32, 48, 32, 48]).findings
        == []
    )
    torch.testing.assert_close(out, expected(a, b), rtol=1e-5, atol=1e-4)


def test_quantised_results(library: Library) -> None:
    a, b = matrix(16, 32, torch.int8), matrix(32, 24, torch.int8, 2)
    exact = expected(a, b).float()
    shape = [16, 24, 32, 16, 24, 16, 16]
    words = torch.tensor([word(2.0**-8, 3)] * 24)
    out = torch.zeros(16, 24).half()
    assert (
        library.run("quantised/half", [a, b, words], [out], [*shape, 1]).findings == []
    )
    assert torch.equal(out, (exact * 2.0**-8).half())
    factors = [2.0 ** -(6 + i % 3) for i in range(24)]
    words = torch.tensor([word(f, 3) for f in factors])
    small = torch.zeros(16, 24, dtype=torch.int8)
    assert (
        library.run("quantised/int8", [a, b, words], [small], [*shape, 2]).findings
        == []
    )
    assert torch.equal(
        small,
        (exact * torch.tensor(factors) + 3).round().clamp(-128, 127).to(torch.int8),
    )


@pytest.mark.parametrize("batches", [(3, 3), (4, 1)])
def test_batches(library: Library, batches: tuple[int, int]) -> None:
    left, right = batches
    a = matrix(left * 16, 32, torch.float16).view(left, 16, 32)
    b = matrix(right * 32, 24, torch.float16, 2).view(right, 32, 24)
    out = torch.zeros(left, 16, 24)
    assert (
        library.run(
            "batches", [a, b], [out], [16, 24, 32, 16, 24, 16, 24, left, right]
        ).findings
        == []
    )
    torch.testing.assert_close(out, a.float() @ b.float(), rtol=1e-5, atol=1e-4)


TILING = """
#include <cstdio>
#include "tiling/tiling_api.h"
using namespace matmul_tiling;
int main() {
    int m, n, k, cores, bytes, local, split;
    while (std::scanf("%d %d %d %d %d %d %d", &m, &n, &k, &cores, &bytes, &local, &split) == 7) {
        MultiCoreMatmulTiling api;
        const DataType type = bytes == 1   ? DataType::DT_INT8
                              : bytes == 2 ? DataType::DT_FLOAT16
                                           : DataType::DT_FLOAT;
        api.SetDim(cores);
        api.SetAType(TPosition::GM, CubeFormat::ND, type);
        api.SetBType(TPosition::GM, CubeFormat::ND, type);
        api.SetCType(local ? TPosition::VECIN : TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
        api.SetOrgShape(m, n, k);
        api.SetShape(-1, n, k);
        api.EnableMultiCoreSplitK(split != 0);
        api.SetBufferSpace(-1, -1, -1);
        optiling::TCubeTiling t;
        if (api.GetTiling(t) == -1) return 1;
        std::printf("%d %d %d %d %d %d %d\\n", t.get_usedCoreNum(), t.get_singleCoreM(), t.get_singleCoreN(),
                    t.get_singleCoreK(), t.get_baseM(), t.get_baseN(), t.get_baseK());
    }
}
"""


Split = Callable[[list[tuple[int, ...]]], list[tuple[int, ...]]]


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Split:
    """Host tiling of products: what the program `TILING` prints for a list of its lines."""
    folder = tmp_path_factory.mktemp("tiling")
    (folder / "tiling.cpp").write_text(TILING)
    program = str(folder / "tiling")
    command = [
        COMPILER,
        "-std=c++17",
        f"-I{INCLUDE}",
        str(folder / "tiling.cpp"),
        "-o",
        program,
    ]
    subprocess.run(command, check=True)

    def run(cases: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        text = "\n".join(" ".join(map(str, case)) for case in cases)
        done = subprocess.run(
            [program], input=text, capture_output=True, text=True, check=True
        )
        return [tuple(map(int, line.split())) for line in done.stdout.splitlines()]

    return run


@pytest.mark.system
def test_host_tiling_covers_the_product_and_fits_the_memories(split: Split) -> None:
    cases = [
        (m, n, k, cores, size, local, 0)
        for m, n, k in [
            (1, 1, 1),
            (1024, 640, 256),
            (37, 5000, 129),
            (4096, 16, 8),
            (512, 512, 512),
        ]
        for cores in (1, 2, 20, 48)
        for size in (1, 2, 4)
        for local in (0, 1)
    ]
    rows = split(cases)
    assert len(rows) == len(cases)
    for (m, n, k, cores, size, local, _), (
        used,
        single_m,
        single_n,
        single_k,
        *base,
    ) in zip(cases, rows, strict=True):
        base_m, base_n, base_k = base
        assert used == -(-m // single_m) * -(-n // single_n) <= cores
        assert single_k == k
        assert base_m * base_n * 4 <= (65536 if local else 131072)
        assert max(base_m, base_n) * base_k * size * 2 <= 65536
        if cores >= 20 and m * n >= 512 * 512:
            assert single_m * single_n <= 1.5 * m * n / cores + 16 * (m + n)


def test_host_tiling_prefers_equal_parts(split: Split) -> None:
    grids = split(
        [
            (640, 1024, 512, 48, 2, 0, 0),
            (512, 512, 128, 2, 2, 0, 0),
            (16, 16, 1024, 24, 2, 0, 1),
        ]
    )
    (_, rows, columns, *_), (used, *halves, _, _, _, _), (parts, _, _, inner, *_) = (
        grids
    )
    assert (640 % rows, 1024 % columns) == (0, 0)
    assert (used, halves) == (2, [256, 512])
    assert 1024 % inner == 0
    assert parts == 1024 // inner <= 24
