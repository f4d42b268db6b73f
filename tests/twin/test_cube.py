"""The matrix instructions against PyTorch, and the rules they have."""

from __future__ import annotations

import struct

import pytest
import torch

from tests.twin.harness import Library, Report, build, line_of

TYPES = {
    "half": torch.float16,
    "bf16": torch.bfloat16,
    "float": torch.float32,
    "int8": torch.int8,
}


@pytest.fixture(scope="module")
def library() -> Library:
    return build("cube")


def matrix(rows: int, columns: int, dtype: torch.dtype, seed: int = 1) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    if dtype == torch.int8:
        return torch.randint(
            -128, 128, (rows, columns), dtype=torch.int8, generator=generator
        )
    return torch.randn(rows, columns, generator=generator).to(dtype)


def result(rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.zeros(
        rows, columns, dtype=torch.int32 if dtype == torch.int8 else torch.float32
    )


def expected(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    product = a.double() @ b.double()
    return product.to(torch.int32) if a.dtype == torch.int8 else product.float()


@pytest.mark.parametrize("name", list(TYPES))
@pytest.mark.parametrize(
    "shape", [(16, 32, 16), (30, 70, 40), (64, 128, 48), (1, 96, 32)]
)
def test_product(library: Library, name: str, shape: tuple[int, int, int]) -> None:
    m, k, n = shape
    dtype = TYPES[name]
    if m == 1:  # a row is loaded in whole fractals
        k = 512 // dtype.itemsize
    a, b, c = matrix(m, k, dtype), matrix(n, k, dtype, 2), result(m, n, dtype)
    report = library.run(f"product/{name}", [a, b], [c], [m, k, n])
    assert report.findings == []
    torch.testing.assert_close(c, expected(a, b.T), rtol=1e-5, atol=1e-4)
    assert report.bound in ("mte2", "fixpipe", "mte1", "cube")


def test_fractals_are_transposed_on_the_way(library: Library) -> None:
    m, k, n = 32, 64, 48
    a, b, c = (
        matrix(m, k, torch.float16),
        matrix(k, n, torch.float16, 2),
        torch.zeros(m, n),
    )
    assert library.run("transposing/2d", [a, b], [c], [m, k, n]).findings == []
    torch.testing.assert_close(c, expected(a, b), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(("name", "k"), [("half", 64), ("float", 32), ("int8", 96)])
def test_squares_are_transposed(library: Library, name: str, k: int) -> None:
    m, n, dtype = 16, 64, TYPES[name]
    a, b, c = matrix(m, k, dtype), matrix(k, n, dtype, 2), result(m, n, dtype)
    assert library.run(f"squares/{name}", [a, b], [c], [m, k, n]).findings == []
    torch.testing.assert_close(c, expected(a, b), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    ("pad", "stride", "filter_size"), [(0, 1, 1), (1, 1, 3), (1, 2, 3), (0, 2, 2)]
)
def test_convolution(library: Library, pad: int, stride: int, filter_size: int) -> None:
    channels, height, width, outputs = 32, 7, 6, 16
    image = matrix(channels, height * width, torch.float16).view(
        1, channels, height, width
    )
    weight = matrix(outputs, channels * filter_size**2, torch.float16, 2)
    weight = weight.view(outputs, channels, filter_size, filter_size)
    wanted = torch.nn.functional.conv2d(
        image.float(), weight.float(), stride=stride, padding=pad
    )
    m = wanted.shape[2] * wanted.shape[3]
    image_in = (
        image.view(channels // 16, 16, height, width).permute(0, 2, 3, 1).contiguous()
    )
    columns = weight.view(
        outputs, channels // 16, 16, filter_size, filter_size
    ).permute(1, 3, 4, 0, 2)
    weight_in = columns.reshape(
        -1, outputs // 16, 16, 16
    ).contiguous()  # Zn: k blocks, n blocks, n, k
    out = torch.zeros(m, outputs)
    parameters = [height, width, channels, pad, stride, filter_size, m, outputs]
    assert (
        library.run("convolution", [image_in, weight_in], [out], parameters).findings
        == []
    )
    torch.testing.assert_close(out, wanted.view(outputs, m).T, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("name", ["half", "float"])
def test_image_path_transposes_both_operands(library: Library, name: str) -> None:
    m, k, n, dtype = 32, 48, 64, TYPES[name]
    a, b, c = matrix(k, m, dtype), matrix(k, n, dtype, 2), torch.zeros(m, n)
    assert library.run(f"image/{name}", [a, b], [c], [m, k, n]).findings == []
    torch.testing.assert_close(c, expected(a.T, b), rtol=1e-5, atol=1e-4)


def run_queues(
    library: Library, barrier: int
) -> tuple[Report, torch.Tensor, torch.Tensor]:
    m, k, n = 32, 64, 32
    a, b, bias = (
        matrix(m, k, torch.float16),
        matrix(n, k, torch.float16, 2),
        matrix(1, n, torch.float32, 3),
    )
    c = torch.zeros(m, n)
    report = library.run("queues", [a, b, bias], [c], [m, k, n, barrier])
    return report, c, expected(a, b.T) + bias


def test_queues_bias_and_accumulation(library: Library) -> None:
    report, c, wanted = run_queues(library, 1)
    assert report.findings == []
    torch.testing.assert_close(c, wanted, rtol=1e-5, atol=1e-4)


def test_small_products_need_a_barrier_between_them(library: Library) -> None:
    report, _, _ = run_queues(library, 0)
    assert report.rules("hazard") == ["race"]
    assert "PipeBarrier<PIPE_M>" in report.finding("race")["message"]


def word(factor: float, offset: int = 0, *, signed: bool = True) -> int:
    (bits,) = struct.unpack("<I", struct.pack("<f", factor))
    return bits | (offset & 0x1FF) << 37 | int(signed) << 46


def run_fix(
    library: Library,
    case: str,
    out: torch.Tensor,
    source: torch.Tensor,
    quant: int,
    *,
    relu: int = 0,
    scalar: int = 0,
    factors: torch.Tensor | None = None,
    split: int = 0,
) -> torch.Tensor:
    rows, columns = source.shape
    identity = torch.eye(columns).to(source.dtype)
    words = factors if factors is not None else torch.zeros(columns, dtype=torch.int64)
    parameters = [rows, columns, quant, relu, scalar, split]
    report = library.run(f"fix/{case}", [source, identity, words], [out], parameters)
    assert report.findings == []
    return out


def test_fixpipe_casts_and_cuts(library: Library) -> None:
    x = matrix(30, 40, torch.float32) * 3
    out = run_fix(library, "f32_f32", torch.zeros(30, 40), x, 0, relu=1)
    assert torch.equal(out, x.relu())
    assert torch.equal(
        run_fix(library, "f32_f16", torch.zeros(30, 40).half(), x, 1), x.half()
    )
    assert torch.equal(
        run_fix(library, "f32_bf16", torch.zeros(30, 40).bfloat16(), x, 16),
        x.bfloat16(),
    )


@pytest.mark.parametrize("relu", [0, 1])
def test_fixpipe_quantises_with_one_factor(library: Library, relu: int) -> None:
    x = matrix(32, 32, torch.float32) * 40
    kept = x.relu() if relu else x
    out = run_fix(
        library,
        "f32_s8",
        torch.zeros(32, 32, dtype=torch.int8),
        x,
        24,
        relu=relu,
        scalar=word(2.5, -7),
    )
    assert torch.equal(out, (kept * 2.5 - 7).clamp(-128, 127).round().to(torch.int8))
    out = run_fix(
        library,
        "f32_u8",
        torch.zeros(32, 32, dtype=torch.uint8),
        x,
        24,
        relu=relu,
        scalar=word(2.5, 9, signed=False),
    )
    assert torch.equal(out, (kept * 2.5 + 9).clamp(0, 255).round().to(torch.uint8))
    y = matrix(32, 32, torch.int8)
    kept = y.float().relu() if relu else y.float()
    out = run_fix(
        library,
        "s32_f16",
        torch.zeros(32, 32).half(),
        y,
        5,
        relu=relu,
        scalar=word(0.25),
    )
    assert torch.equal(out, (kept * 0.25).half())
    out = run_fix(
        library,
        "s32_s8",
        torch.zeros(32, 32, dtype=torch.int8),
        y,
        3,
        relu=relu,
        scalar=word(0.5, 3),
    )
    assert torch.equal(out, (kept * 0.5 + 3).clamp(-128, 127).round().to(torch.int8))


def test_fixpipe_quantises_with_a_factor_for_every_column(library: Library) -> None:
    factors = [2.0**-i for i in range(32)]
    words = torch.tensor([word(f, i - 5) for i, f in enumerate(factors)])
    scale, offset = torch.tensor(factors), torch.arange(32) - 5
    x = matrix(32, 32, torch.float32) * 40
    out = run_fix(
        library, "f32_s8", torch.zeros(32, 32, dtype=torch.int8), x, 23, factors=words
    )
    assert torch.equal(
        out, (x * scale + offset).clamp(-128, 127).round().to(torch.int8)
    )
    y = matrix(32, 32, torch.int8)
    assert torch.equal(
        run_fix(library, "s32_f16", torch.zeros(32, 32).half(), y, 4, factors=words),
        (y.float() * scale).half(),
    )
    out = run_fix(
        library, "s32_s8", torch.zeros(32, 32, dtype=torch.int8), y, 2, factors=words
    )
    assert torch.equal(
        out, (y.float() * scale + offset).clamp(-128, 127).round().to(torch.int8)
    )


def test_fixpipe_keeps_fractals(library: Library) -> None:
    x = matrix(32, 48, torch.float32) * 3
    out = run_fix(library, "nz_f32", torch.zeros(3, 32, 16), x, 0)
    assert torch.equal(out, x.view(32, 3, 16).transpose(0, 1))
    out = run_fix(library, "nz_f32", torch.zeros(6, 32, 8), x, 0, split=1)
    assert torch.equal(out, x.view(32, 6, 8).transpose(0, 1))
    out = run_fix(library, "nz_f16", torch.zeros(3, 32, 16).half(), x, 1)
    assert torch.equal(out, x.half().view(32, 3, 16).transpose(0, 1))
    wide = x.round().clamp(-128, 127).to(torch.int8)
    out = run_fix(
        library,
        "nz_s8",
        torch.zeros(32 * 48, dtype=torch.int8),
        x,
        24,
        scalar=word(1.0),
    )
    assert torch.equal(
        out[:1024].view(32, 32), wide[:, :32]
    )  # two blocks of 16 columns are merged
    assert torch.equal(out[1024:].view(32, 16), wide[:, 32:])  # the odd last one is not


def test_a_result_may_lie_where_the_factors_of_its_columns_lay(
    library: Library,
) -> None:
    factors = [2.0**-i for i in range(32)]
    words = torch.tensor([word(f, i - 5) for i, f in enumerate(factors)])
    x, identity = matrix(32, 32, torch.int8), torch.eye(32, dtype=torch.int8)
    out = torch.zeros(32, 32, dtype=torch.int8)
    assert (
        library.run("fix_over_factors", [x, identity, words], [out], [32, 32]).findings
        == []
    )
    wanted = x.float() * torch.tensor(factors) + torch.arange(32) - 5
    assert torch.equal(out, wanted.clamp(-128, 127).round().to(torch.int8))


@pytest.mark.parametrize(
    ("product", "found"), [(3, []), (2, ["deadlock"]), (0, ["deadlock"])]
)
def test_a_store_waits_for_unit_flags_that_its_product_raises(
    library: Library, product: int, found: list[str]
) -> None:
    a, b, c = (matrix(32, 32, torch.float16, seed) for seed in (1, 2, 3))
    report = library.run("unit_flags", [a, b], [c.float()], [product])
    assert report.rules("error") == found


def test_a_result_goes_through_l1_into_the_next_product(library: Library) -> None:
    a, b, c = (
        matrix(32, 32, torch.float16),
        matrix(32, 32, torch.float16, 2),
        torch.zeros(32, 32),
    )
    assert library.run("chain", [a, b], [c], [32, 32]).findings == []
    torch.testing.assert_close(
        c, (a.float() @ b.T.float()).half().float() @ b.T.float(), rtol=1e-4, atol=1e-3
    )


def test_fill(library: Library) -> None:
    out = torch.zeros(16, 16).half()
    assert library.run("fill", [], [out]).findings == []
    wanted = torch.tensor([1.5, 1.5, -2.0, -2.0]).repeat(4)
    assert torch.equal(out, wanted.half().view(16, 1).expand(16, 16))


@pytest.mark.parametrize(
    ("case", "rule", "severity", "marker"),
    [
        ("rows", "gm-out-of-bounds", "error", "load"),
        ("no_mte2_mte1", "race", "hazard", "to L0A"),
        ("l0_alignment", "alignment", "error", "to L0A"),
        ("no_mte1_m", "race", "hazard", "product"),
        ("swapped", "cube-limit", "error", "product"),
        ("limit", "cube-limit", "error", "load"),
        ("core", "core-type", "error", "load"),
        ("unwritten", "uninitialised-read", "warning", "product"),
        ("no_m_fix", "race", "hazard", "result"),
        ("quant", "cube-limit", "error", "result"),
    ],
)
def test_rule_fires_at_the_call(
    library: Library, case: str, rule: str, severity: str, marker: str
) -> None:
    a, b, c = (
        matrix(16, 16, torch.float16),
        matrix(16, 16, torch.float16, 2),
        torch.zeros(16, 16),
    )
    report = library.run(f"wrong/{case}", [a, b], [c])
    found = [
        f
        for f in report.findings
        if f["rule"] == rule and f["line"] == line_of(library, marker)
    ]
    assert [f["severity"] for f in found] == [severity]
    assert library.run("wrong/none", [a, b], [c]).findings == []
