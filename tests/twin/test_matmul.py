"""The Matmul object and its host tiling against PyTorch."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import torch

from tests.twin.harness import COMPILER, INCLUDE, Library, build
from tests.twin.test_cube import TYPES, expected, matrix, result, word


@pytest.fixture(scope="module")
def library() -> Library:
    return build("matmul")


@pytest.mark.parametrize("name", [*TYPES, "undeclared"])
@pytest.mark.parametrize(("turn_a", "turn_b", "bias"), [(0, 0, 0), (1, 0, 1), (0, 1, 1)])
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
    assert len(cubes) == (6 if name == "float" else 3)  # six vector cores share three cube cores


def test_atomic_addition(library: Library) -> None:
    a, b = matrix(16, 32, torch.float16), matrix(32, 16, torch.float16, 2)
    out = torch.ones(16, 16)
    parameters = [16, 16, 32, 16, 16, 16, 16, 0, 0, 0, 1]
    library.run("whole/half", [a, b, out.clone()], [out], parameters)
    torch.testing.assert_close(out, expected(a, b) + 1, rtol=1e-5, atol=1e-4)


def test_result_of_16_bits(library: Library) -> None:
    a, b = matrix(16, 32, torch.float16), matrix(32, 16, torch.float16, 2)
    out = torch.zeros(16, 16).half()
    library.run("whole/half_half", [a, b, out.clone()], [out], [16, 16, 32, 16, 16, 16, 16, 0, 0, 0, 0])
    assert torch.equal(out, expected(a, b).half())


def test_a_kernel_for_vector_cores_only_cannot_multiply(library: Library) -> None:
    a, b, out = matrix(16, 32, torch.float16), matrix(32, 16, torch.float16, 2), torch.zeros(16, 16)
    parameters = [16, 16, 32, 16, 16, 16, 16, 0, 0, 0, 0]
    report = library.run("whole/vector_only", [a, b, out.clone()], [out], parameters)
    assert report.rules("error") == ["core-type"]


@pytest.mark.parametrize("order", ["m", "n"])
def test_blocks_pass_through_the_vector_core(library: Library, order: str) -> None:
    m, n, k = 64, 96, 32
    a, b, out = matrix(m, k, torch.float16), matrix(k, n, torch.float16, 2), torch.zeros(m, n)
    report = library.run(f"blocks/{order}", [a, b], [out], [m, n, k, 64, 48, 32, 16], block_dim=1)
    assert report.findings == []
    wanted = torch.nn.functional.leaky_relu(expected(a, b), 0.5)
    torch.testing.assert_close(out, wanted, rtol=1e-5, atol=1e-4)


def test_operands_on_chip_and_in_fractals(library: Library) -> None:
    m, n, k = 32, 48, 64
    a, b = matrix(m, k, torch.float16), matrix(k, n, torch.float16, 2)
    fractals = b.view(k, n // 16, 16).transpose(0, 1).contiguous()
    out = torch.zeros(n // 8, m, 8)
    assert library.run("formats", [a, fractals], [out], [m, n, k, m, n, m, n]).findings == []
    torch.testing.assert_close(out.transpose(0, 1).reshape(m, n), expected(a, b), rtol=1e-5, atol=1e-4)


def test_partial_sums(library: Library) -> None:
    a, b, out = matrix(32, 64, torch.float16), matrix(64, 48, torch.float16, 2), torch.zeros(32, 48)
    assert library.run("partial", [a, b], [out], [32, 48, 64, 32, 48, 32, 48]).findings == []
    torch.testing.assert_close(out, expected(a, b), rtol=1e-5, atol=1e-4)


def test_quantised_results(library: Library) -> None:
    a, b = matrix(16, 32, torch.int8), matrix(32, 24, torch.int8, 2)
    exact = expected(a, b).float()
    shape = [16, 24, 32, 16, 24, 16, 16]
    words = torch.tensor([word(2.0**-8, 3)] * 24)
    out = torch.zeros(16, 24).half()
    assert library.run("quantised/half", [a, b, words], [out], [*shape, 1]).findings == []
    assert torch.equal(out, (exact * 2.0**-8).half())
    factors = [2.0 ** -(6 + i % 3) for i in range(24)]
    words = torch.tensor([word(f, 3) for f in factors])
    small = torch.zeros(16, 24, dtype=torch.int8)
    assert library.run("quantised/int8", [a, b, words], [small], [*shape, 2]).findings == []
    assert torch.equal(small, (exact * torch.tensor(factors) + 3).round().clamp(-128, 127).to(torch.int8))


@pytest.mark.parametrize("batches", [(3, 3), (4, 1)])
def test_batches(library: Library, batches: tuple[int, int]) -> None:
    left, right = batches
    a = matrix(left * 16, 32, torch.float16).view(left, 16, 32)
    b = matrix(right * 32, 24, torch.float16, 2).view(right, 32, 24)
    out = torch.zeros(left, 16, 24)
    assert library.run("batches", [a, b], [out], [16, 24, 32, 16, 24, 16, 24, left, right]).findings == []
    torch.testing.assert_close(out, a.float() @ b.float(), rtol=1e-5, atol=1e-4)


TILING = """
#include <cstdio>
#include "tiling/tiling_api.h"
using namespace matmul_tiling;
int main() {
    int m, n, k, cores, bytes, local;
    while (std::scanf("%d %d %d %d %d %d", &m, &n, &k, &cores, &bytes, &local) == 6) {
        MultiCoreMatmulTiling api;
        const DataType type = bytes == 1   ? DataType::DT_INT8
                              : bytes == 2 ? DataType::DT_FLOAT16
                                           : DataType::DT_FLOAT;
        api.SetDim(cores);
        api.SetAType(TPosition::GM, CubeFormat::ND, type);
        api.SetBType(TPosition::GM, CubeFormat::ND, type);
        api.SetCType(local ? TPosition::VECIN : TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
        api.SetShape(m, n, k);
        api.SetOrgShape(m, n, k);
        api.SetBufferSpace(-1, -1, -1);
        optiling::TCubeTiling t;
        if (api.GetTiling(t) == -1) return 1;
        std::printf("%d %d %d %d %d %d %d\\n", t.get_usedCoreNum(), t.get_singleCoreM(), t.get_singleCoreN(),
                    t.get_singleCoreK(), t.get_baseM(), t.get_baseN(), t.get_baseK());
    }
}
"""


def test_host_tiling_covers_the_product_and_fits_the_memories(tmp_path: Path) -> None:
    cases = [
        (m, n, k, cores, size, local)
        for m, n, k in [(1, 1, 1), (1024, 640, 256), (37, 5000, 129), (4096, 16, 8), (512, 512, 512)]
        for cores in (1, 2, 20, 48)
        for size in (1, 2, 4)
        for local in (0, 1)
    ]
    (tmp_path / "tiling.cpp").write_text(TILING)
    command = [
        COMPILER,
        "-std=c++17",
        f"-I{INCLUDE}",
        str(tmp_path / "tiling.cpp"),
        "-o",
        str(tmp_path / "tiling"),
    ]
    subprocess.run(command, check=True)
    text = "\n".join(" ".join(map(str, case)) for case in cases)
    done = subprocess.run([str(tmp_path / "tiling")], input=text, capture_output=True, text=True, check=True)
    rows = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert len(rows) == len(cases)
    for (m, n, k, cores, size, local), (used, single_m, single_n, single_k, *base) in zip(
        cases, rows, strict=True
    ):
        base_m, base_n, base_k = base
        assert used == -(-m // single_m) * -(-n // single_n) <= cores
        assert single_k == k
        assert base_m * base_n * 4 <= (65536 if local else 131072)
        assert max(base_m, base_n) * base_k * size * 2 <= 65536
        if cores >= 20 and m * n >= 512 * 512:
            assert single_m * single_n <= 1.5 * m * n / cores + 16 * (m + n)
