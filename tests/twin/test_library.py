"""The high-level library against PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from tests.twin.harness import Library, build


@pytest.fixture(scope="module")
def library() -> Library:
    return build("library")


Function = Callable[[torch.Tensor], torch.Tensor]
ANY, POSITIVE, UNIT, ABOVE_ONE = "any", "positive", "unit", "above one"
FUNCTIONS: dict[str, tuple[Function, str]] = {
    "Tanh": (torch.tanh, ANY),
    "Sin": (torch.sin, ANY),
    "Cos": (torch.cos, ANY),
    "Tan": (torch.tan, UNIT),
    "Sinh": (torch.sinh, ANY),
    "Cosh": (torch.cosh, ANY),
    "Asin": (torch.asin, UNIT),
    "Acos": (torch.acos, UNIT),
    "Atan": (torch.atan, ANY),
    "Asinh": (torch.asinh, ANY),
    "Acosh": (torch.acosh, ABOVE_ONE),
    "Atanh": (torch.atanh, UNIT),
    "Erf": (torch.erf, ANY),
    "Erfc": (torch.erfc, ANY),
    "Floor": (torch.floor, ANY),
    "Ceil": (torch.ceil, ANY),
    "Round": (torch.round, ANY),
    "Trunc": (torch.trunc, ANY),
    "Frac": (torch.frac, ANY),
    "Sign": (torch.sign, ANY),
    "Log": (torch.log, POSITIVE),
    "Log2": (torch.log2, POSITIVE),
    "Log10": (torch.log10, POSITIVE),
    "Lgamma": (torch.lgamma, POSITIVE),
    "Digamma": (torch.digamma, POSITIVE),
    "Sigmoid": (torch.sigmoid, ANY),
    "Silu": (functional.silu, ANY),
    "Gelu": (lambda x: functional.gelu(x, approximate="tanh"), ANY),
    "FasterGelu": (lambda x: x * torch.sigmoid(1.702 * x), ANY),
}


def domain(kind: str, count: int) -> torch.Tensor:
    values = torch.randn(count, generator=torch.Generator().manual_seed(3)) * 3
    return {
        ANY: values,
        POSITIVE: values.abs() + 0.1,
        UNIT: torch.tanh(values) * 0.9,
        ABOVE_ONE: values.abs() + 1,
    }[kind]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_elementwise_function(library: Library, name: str, dtype: torch.dtype) -> None:
    function, where = FUNCTIONS[name]
    a = domain(where, 333).to(dtype)
    out = torch.zeros_like(a)
    case = f"{name}/{'float' if dtype == torch.float32 else 'half'}"
    assert library.run(case, [a], [out]).findings == []
    tolerance = 4 * torch.finfo(dtype).eps
    torch.testing.assert_close(
        out, function(a.double()).to(dtype), rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("Power", torch.pow),
        ("Fmod", torch.fmod),
        ("GeGLU", lambda a, b: a * functional.gelu(b, approximate="tanh")),
        ("ReGlu", lambda a, b: a * torch.relu(b)),
        ("SwiGLU", lambda a, b: a * functional.silu(b)),
    ],
)
def test_two_operands(
    library: Library, name: str, function: Callable[..., torch.Tensor]
) -> None:
    a = domain(POSITIVE, 200)
    b = torch.randn(200, generator=torch.Generator().manual_seed(4))
    out = torch.zeros(200)
    assert library.run(name, [a, b], [out]).findings == []
    torch.testing.assert_close(
        out, function(a.double(), b.double()).float(), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize(
    ("which", "scalar", "function"),
    [
        (0, 2.5, lambda a: a**2.5),
        (1, 2.5, lambda a: 2.5**a),
        (2, 1.0, lambda a: a.clamp(max=1.0)),
        (3, 1.0, lambda a: a.clamp(min=1.0)),
        (4, 0.5, lambda a: a * torch.sigmoid(0.5 * a)),
        (5, 0.0, torch.exp),
    ],
)
def test_scalar_operands(
    library: Library, which: int, scalar: float, function: Function
) -> None:
    a = domain(POSITIVE, 100)
    out = torch.zeros(100)
    assert library.run("with_scalars", [a], [out], [which, scalar]).findings == []
    torch.testing.assert_close(out, function(a.double()).float(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("used", [16, 11])
def test_softmax(library: Library, used: int) -> None:
    a = torch.randn(6, 16, generator=torch.Generator().manual_seed(5)) * 5
    out, sums = torch.zeros(6, 16), torch.zeros(48)
    assert library.run("softmax", [a], [out, sums], [6, 16, used]).rules("error") == []
    torch.testing.assert_close(
        out[:, :used], torch.softmax(a[:, :used], 1), rtol=1e-6, atol=1e-7
    )
    exps = torch.exp(a[:, :used] - a[:, :used].amax(1, keepdim=True)).sum(1)
    torch.testing.assert_close(
        sums.view(6, 8), exps[:, None].expand(6, 8), rtol=1e-6, atol=1e-6
    )


def test_log_softmax_is_decimal(library: Library) -> None:
    """The device documents the decimal logarithm here, unlike PyTorch."""
    a = torch.randn(6, 16, generator=torch.Generator().manual_seed(5)) * 5
    out = torch.zeros(6, 16)
    assert library.run("log_softmax", [a], [out], [6, 16]).findings == []
    torch.testing.assert_close(
        out, torch.log10(torch.softmax(a.double(), 1)).float(), rtol=1e-5, atol=1e-6
    )


def test_row_and_column_reductions(library: Library) -> None:
    a = torch.randn(5, 16, generator=torch.Generator().manual_seed(6))
    out = torch.zeros(8)
    assert library.run("sum_rows", [a], [out], [5, 16, 13]).findings == []
    torch.testing.assert_close(out[:5], a[:, :13].sum(1))
    assert library.run("pattern/AR", [a], [out], [5, 12]).findings == []
    torch.testing.assert_close(out[:5], a[:, :12].sum(1))
    columns = torch.zeros(16)
    assert library.run("pattern/RA", [a], [columns], [5, 12]).findings == []
    torch.testing.assert_close(columns[:12], a[:, :12].sum(0))


def test_broadcast(library: Library) -> None:
    row, column = torch.randn(1, 16), torch.randn(4, 1)
    out = torch.zeros(4, 16)
    library.run("broadcast", [row], [out], [1, 16])
    assert torch.equal(out, row.expand(4, 16))
    library.run("broadcast", [column], [out], [4, 1])
    assert torch.equal(out, column.expand(4, 16))


def test_normalisations(library: Library) -> None:
    generator = torch.Generator().manual_seed(7)
    x, gamma, beta = (torch.randn(n, generator=generator) for n in (6 * 32, 32, 32))
    out = torch.zeros(6 * 32)
    assert library.run("layer_norm", [x, gamma, beta], [out], [6, 32]).findings == []
    expected = functional.layer_norm(x.view(6, 32), (32,), gamma, beta, 1e-5)
    torch.testing.assert_close(out.view(6, 32), expected, rtol=1e-5, atol=1e-5)
    assert library.run("rms_norm", [x, gamma], [out], [6, 32]).findings == []
    expected = functional.rms_norm(x.view(6, 32), (32,), gamma, 1e-6)
    torch.testing.assert_close(out.view(6, 32), expected, rtol=1e-5, atol=1e-5)


def test_cumulative_sum(library: Library) -> None:
    a = torch.randn(4, 16)
    out = torch.zeros(4, 16)
    assert library.run("cumulative", [a], [out], [4, 16]).findings == []
    torch.testing.assert_close(out, a.cumsum(1))


def test_running_sums_add_line_to_line(library: Library) -> None:
    """As many elements in longer rows are more additions, one behind the other."""

    def vector_cycles(rows: int, width: int) -> float:
        a, out = torch.randn(rows, width), torch.zeros(rows, width)
        report = library.run("cumulative", [a], [out], [rows, width])
        assert report.findings == []
        torch.testing.assert_close(out, a.cumsum(1), rtol=1e-4, atol=1e-4)
        return report.cores[0]["vector"]

    assert vector_cycles(16, 512) > 3 * vector_cycles(64, 128)
