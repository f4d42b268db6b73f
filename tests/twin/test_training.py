"""Flash attention, quantisation, gradients and the other library functions of training against PyTorch."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from tests.twin.harness import Library, Report, build, line_of


@pytest.fixture(scope="module")
def library() -> Library:
    return build("training")


def random(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(
    ("case", "dtype"),
    [("1", torch.float32), ("2", torch.float32), ("half", torch.float16)],
)
def test_flash_softmax(library: Library, case: str, dtype: torch.dtype) -> None:
    rows, width = 4, 32
    a, b = random(rows, width).to(dtype) * 3, random(rows, width, seed=2).to(dtype) * 3
    first, second = torch.zeros_like(a), torch.zeros_like(b)
    total, top = torch.zeros(rows, 8), torch.zeros(rows, 8)
    correction = torch.zeros(rows, 16 if dtype == torch.float16 else 8, dtype=dtype)
    outputs = [first, second, total, top, correction]
    assert library.run(f"flash/{case}", [a, b], outputs, [rows, width]).findings == []
    x, y = a.double(), b.double()
    old = x.amax(1, keepdim=True)
    new = torch.maximum(old, y.amax(1, keepdim=True))
    old_sum = torch.exp(x - old).sum(1, keepdim=True)
    sums = torch.exp(old - new) * old_sum + torch.exp(y - new).sum(1, keepdim=True)
    carried = torch.exp(old - new)
    if case == "1":
        wanted = [
            torch.exp(x - old) / old_sum,
            torch.exp(y - new) / sums,
            carried * old_sum / sums,
        ]
    else:
        wanted = [torch.exp(x - old), torch.exp(y - new), carried]
    tolerance = (
        {"rtol": 2e-3, "atol": 1e-3}
        if dtype == torch.float16
        else {"rtol": 1e-5, "atol": 1e-6}
    )
    for got, value in zip([first, second, correction], wanted, strict=True):
        torch.testing.assert_close(got.double(), value.expand_as(got), **tolerance)
    torch.testing.assert_close(
        total.double(), sums.expand(rows, 8), rtol=1e-5, atol=1e-6
    )
    torch.testing.assert_close(top.double(), new.expand(rows, 8))


def test_softmax_gradient(library: Library) -> None:
    grad, y = random(5, 16), torch.softmax(random(5, 16, seed=2), 1)
    out, front = torch.zeros(5, 16), torch.zeros(5, 8)
    assert library.run("softmax_grad", [grad, y], [out, front], [5, 16]).findings == []
    total = (grad * y).sum(1, keepdim=True)
    torch.testing.assert_close(out, (grad - total) * y)
    torch.testing.assert_close(front, total.expand(5, 8))


def test_rows_without_a_maximum_are_adjusted(library: Library) -> None:
    y, top = torch.full((3, 8), 0.125), torch.zeros(3, 8)
    top[1] = -torch.inf
    out = torch.zeros(3, 8)
    assert library.run("adjust", [y, top], [out], [3, 8]).findings == []
    wanted = y.clone()
    wanted[1] = 0
    assert torch.equal(out, wanted)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("form", [0, 1, 2])
def test_quantisation(library: Library, form: int, dtype: torch.dtype) -> None:
    x = (random(4, 64) * 30).to(dtype)
    scale, offset = (
        (random(64, seed=2).abs() + 0.5).to(dtype),
        (random(64, seed=3) * 4).to(dtype),
    )
    out = torch.zeros(4, 64, dtype=torch.int8)
    name = "half" if dtype == torch.float16 else "float"
    assert (
        library.run(f"quant/{name}", [x, scale, offset], [out], [form]).findings == []
    )
    factor = torch.tensor(2.5).half() if form == 0 else scale.half()
    shift = {
        0: torch.tensor(-3.0).half(),
        1: torch.tensor(1.0).half(),
        2: offset.half(),
    }[form]
    wanted = (x.half() * factor + shift).float().round().clamp(-128, 127)
    assert torch.equal(out, wanted.to(torch.int8))


def test_dequantisation(library: Library) -> None:
    x = torch.randint(
        -1000,
        1000,
        (4, 16),
        dtype=torch.int32,
        generator=torch.Generator().manual_seed(1),
    )
    scale, out = random(16), torch.zeros(4, 16)
    assert library.run("dequant/float", [x, scale], [out], [4, 16, 16]).findings == []
    torch.testing.assert_close(out, x * scale)
    words = scale.view(torch.int32).long()  # a float in the low half of every word
    flat = torch.zeros(64).half()
    assert (
        library.run("dequant/half", [x, words], [flat], [1, 64, 16]).findings == []
    )  # rows of calCount
    torch.testing.assert_close(
        flat.view(4, 16), (x * scale).half(), rtol=1e-3, atol=1e-3
    )


@pytest.mark.parametrize(
    ("case", "groups"), [("rows", (0, 0)), ("rows", (2, 32)), ("columns", (4, 2))]
)
def test_fake_quantisation(
    library: Library, case: str, groups: tuple[int, int]
) -> None:
    shape = (8, 32) if case == "rows" else (4, 64)
    k = shape[0] if case == "rows" else shape[1]
    x = torch.randint(
        -128, 128, shape, dtype=torch.int8, generator=torch.Generator().manual_seed(1)
    )
    height, width = groups
    offset, scale = (
        random(max(1, height), max(1, width)).half(),
        random(max(1, height), max(1, width), seed=2).half(),
    )
    out = torch.zeros(shape).half()
    assert (
        library.run(
            f"antiquant/{case}", [x, offset, scale], [out], [k, height, width]
        ).rules("error")
        == []
    )
    if height == 0:
        wanted = (x.half() + 3) * 0.5
    else:
        each = [shape[0] // height, shape[1] // width]
        spread = [
            t.repeat_interleave(each[0], 0).repeat_interleave(each[1], 1)
            for t in (offset, scale)
        ]
        wanted = (x.half() + spread[0]) * spread[1]
    torch.testing.assert_close(out, wanted, rtol=1e-3, atol=1e-3)


def test_layer_norm_gradients(library: Library) -> None:
    rows, width = 6, 32
    x, gamma = (
        random(rows, width).requires_grad_(),
        random(width, seed=2).requires_grad_(),
    )
    beta, dy = random(width, seed=3).requires_grad_(), random(rows, width, seed=4)
    functional.layer_norm(x, (width,), gamma, beta, 1e-5).backward(dy)
    mean, variance = x.detach().mean(1), x.detach().var(1, correction=0)
    dx, dgamma, dbeta = torch.zeros(rows, width), torch.zeros(width), torch.zeros(width)
    inputs = [dy, x.detach(), gamma.detach(), mean, variance]
    assert (
        library.run(
            "layer_norm_grad", inputs, [dx, dgamma, dbeta], [rows, width]
        ).findings
        == []
    )
    for got, leaf in [(dx, x), (dgamma, gamma), (dbeta, beta)]:
        torch.testing.assert_close(got, leaf.grad, rtol=1e-4, atol=1e-5)


def run_norm(
    library: Library, which: int, x: torch.Tensor, parameters: int
) -> tuple[torch.Tensor, ...]:
    gamma, beta, other = (
        random(parameters, seed=2),
        random(parameters, seed=3),
        random(*x.shape, seed=4),
    )
    out, mean, spread = torch.zeros_like(x), torch.zeros(256), torch.zeros(256)
    shape = x.shape if which < 2 else (x.shape[0], x.shape[1], x.shape[2] * x.shape[3])
    report = library.run(
        "norm", [x, gamma, beta, other], [out, mean, spread], [which, *shape]
    )
    assert report.rules("error") == []
    return out, mean, spread, gamma, beta, other


def test_deep_norm(library: Library) -> None:
    x = random(2, 3, 32)
    out, mean, spread, gamma, beta, other = run_norm(library, 0, x, 32)
    mixed = 1.5 * x + other
    torch.testing.assert_close(
        out,
        functional.layer_norm(mixed, (32,), gamma, beta, 1e-5),
        rtol=1e-4,
        atol=1e-5,
    )
    torch.testing.assert_close(mean[:6], mixed.mean(2).view(-1), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(
        spread[:6], mixed.var(2, correction=0).view(-1), rtol=1e-5, atol=1e-5
    )


def test_batch_norm(library: Library) -> None:
    x = random(8, 2, 16)
    out, mean, spread, gamma, beta, _ = run_norm(library, 1, x, 8)
    normal = (x - x.mean(0)) / (x.var(0, correction=0) + 1e-5).sqrt()
    torch.testing.assert_close(
        out, normal * gamma.view(8, 1, 1) + beta.view(8, 1, 1), rtol=1e-4, atol=1e-5
    )
    torch.testing.assert_close(mean[:32], x.mean(0).view(-1), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(
        spread[:32], x.var(0, correction=0).view(-1), rtol=1e-5, atol=1e-6
    )


def test_group_norm(library: Library) -> None:
    x = random(2, 8, 4, 4)
    out, _, _, gamma, beta, _ = run_norm(library, 2, x, 8)
    torch.testing.assert_close(
        out, functional.group_norm(x, 2, gamma, beta, 1e-5), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("counted", [0, 1])
def test_welford(library: Library, counted: int) -> None:
    x = random(5, 64) + 3
    mean, variance = torch.zeros(8), torch.zeros(8)
    assert (
        library.run("welford", [x], [mean, variance], [5, 64, counted]).rules("error")
        == []
    )
    torch.testing.assert_close(mean[0], x.mean(), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(variance[0], x.var(correction=0), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("case", "dtype"), [("largest", torch.float32), ("smallest", torch.float16)]
)
def test_top_k(library: Library, case: str, dtype: torch.dtype) -> None:
    rows, inner, n, k = 3, 64, 50, 5
    x = random(rows, inner).to(dtype)
    x[:, n:] = 100 if case == "largest" else -100  # behind the row: must not be seen
    finish = torch.tensor([0, 1, 0], dtype=torch.uint8)
    value_step = 8 if dtype == torch.float32 else 16
    values, indices = (
        torch.zeros(rows, value_step).to(dtype),
        torch.zeros(rows, 8, dtype=torch.int32),
    )
    report = library.run(
        f"top_k/{case}", [x, finish], [values, indices], [rows, inner, n, k]
    )
    assert report.findings == []
    wanted = torch.topk(x[:, :n], k, largest=case == "largest")
    assert torch.equal(values[:, :k], wanted.values)
    assert torch.equal(indices[[0, 2], :k].long(), wanted.indices[[0, 2]])
    assert indices[1, :k].tolist() == [n] * k


def test_top_k_needs_rows_of_32(library: Library) -> None:
    x, finish = random(1, 40), torch.zeros(1, dtype=torch.uint8)
    outputs = [torch.zeros(1, 8), torch.zeros(1, 8, dtype=torch.int32)]
    finding = library.run(
        "top_k/largest", [x, finish], outputs, [1, 40, 40, 5]
    ).finding("vector-limit")
    assert finding["line"] == line_of(library, "top")


def test_top_k_costs_the_merges_of_its_row(library: Library) -> None:
    """Four rows of 1,024 are sorted in fewer merges than one of 4,096, and longer rows in none."""

    def run(rows: int, inner: int) -> Report:
        k, finish = 32, torch.zeros(rows, dtype=torch.uint8)
        outputs = [torch.zeros(rows, k), torch.zeros(rows, k, dtype=torch.int32)]
        x = random(rows, inner)
        return library.run(
            "top_k/largest", [x, finish], outputs, [rows, inner, inner, k]
        )

    one, four = run(1, 4096), run(4, 1024)
    assert one.findings == four.findings == []
    assert one.modelled_us > four.modelled_us
    # Sort32 and three merges by MrgSort take two elements a cycle.
    assert one.cores[0]["vector"] > 4 * 4096 / 2
    finding = run(1, 4128).finding("vector-limit")
    assert finding["limit"] == "4096 elements of a row"


def test_padding(library: Library) -> None:
    x = random(4, 16).half()
    padded, cut = torch.zeros(4, 16).half(), torch.zeros(4, 13).half()
    assert library.run("pad", [x], [padded, cut]).findings == []
    wanted = torch.full((4, 16), 7.0).half()
    wanted[:, 1:14] = x[:, :13]
    assert torch.equal(padded, wanted)
    assert torch.equal(cut, x[:, :13])


@pytest.mark.parametrize("bits", [False, True])
def test_drop_out(library: Library, bits: bool) -> None:
    x, keep = (
        random(4, 32),
        torch.rand(4, 32, generator=torch.Generator().manual_seed(3)) < 0.5,
    )
    mask = keep.to(torch.uint8)
    if bits:
        mask = (
            (mask.view(4, 4, 8) << torch.arange(8, dtype=torch.uint8))
            .sum(2)
            .to(torch.uint8)
        )
    out = torch.zeros(4, 32)
    assert (
        library.run("drop_out", [x, mask], [out], [mask.shape[1]]).rules("error") == []
    )
    torch.testing.assert_close(out, x * keep * 2)


Columns = tuple[torch.Tensor, ...]


def shifted(x: torch.Tensor, carried: Columns | None, loops: int) -> Columns:
    """The documented formula: result, mean, sum, max and correction of rows `x`, by column vectors."""
    factor, parts = 0.9375 / (1 - 0.9375), x.shape[1] // 8
    lanes = x[:, :512].view(-1, 64, 8).sum(2) + x[:, 512:].view(len(x), -1, 64).sum(1)
    means = lanes.view(-1, 8, 8).sum(2) / parts
    whole = means.mean(1, keepdim=True)
    x = x - ((whole - means) * factor).repeat_interleave(parts, 1)
    mean, shift, old_shift = whole, torch.zeros(()), torch.zeros(())
    if carried is not None:
        mean = (whole + carried[0] * (loops - 1)) / loops
        shift, old_shift = (whole - mean) * factor, (carried[0] - mean) * factor
    top = shift + x.amax(1, keepdim=True)
    top = top if carried is None else torch.maximum(top, old_shift + carried[2])
    result = torch.exp(x - (top - shift))
    total, correction = result.sum(1, keepdim=True), torch.ones(())
    if carried is not None:
        correction = torch.exp(carried[2] - top + old_shift)
        total = total + correction * carried[1]
    return result, mean, total, top, correction


def test_rows_shifted_by_the_means_of_their_parts(library: Library) -> None:
    generator = torch.Generator().manual_seed(11)
    a, b = (torch.randn(8, 1024, generator=generator).half() for _ in range(2))
    out = [torch.zeros(8, 1024).half() for _ in range(2)] + [
        torch.zeros(8, 8) for _ in range(3)
    ]
    out.append(torch.zeros(8, 16).half())
    assert library.run("shifted_flash", [a, b], out, [8, 1024, 8]).findings == []
    first = shifted(a.double(), None, 1)
    second = shifted(b.double(), first[1:4], 2)
    wanted = [first[0], second[0], *second[1:]]
    for got, value in zip(out, wanted, strict=True):
        torch.testing.assert_close(
            got.double(), value.expand(got.shape), rtol=2e-3, atol=1e-5
        )


def test_limits_of_shifted_rows(library: Library) -> None:
    a = torch.randn(8, 1024).half()
    out = [torch.zeros(8, 1024).half() for _ in range(2)] + [
        torch.zeros(8, 8) for _ in range(3)
    ]
    out.append(torch.zeros(8, 16).half())
    assert set(
        library.run("shifted_flash", [a, a], out, [8, 1024, 4]).rules("error")
    ) == {"vector-limit"}
