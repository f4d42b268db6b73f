"""Element-wise, scalar, compare, select, cast and fill instructions against PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tests.twin.harness import Library, build

TYPES = {
    "half": torch.float16,
    "float": torch.float32,
    "bfloat16_t": torch.bfloat16,
    "int8_t": torch.int8,
    "uint8_t": torch.uint8,
    "int16_t": torch.int16,
    "uint16_t": torch.uint16,
    "int32_t": torch.int32,
    "int64_t": torch.int64,
}


@pytest.fixture(scope="module")
def library() -> Library:
    return build("vector")


def sample(
    type_name: str, count: int, seed: int, *, positive: bool = False
) -> torch.Tensor:
    """Random values that include zero, negative and large ones where the type has them."""
    generator = torch.Generator().manual_seed(seed)
    dtype = TYPES[type_name]
    if dtype.is_floating_point:
        values = torch.randn(count, generator=generator) * 4
        if positive:
            values = values.abs() + 0.1
        elif count > 4:
            values[:3] = torch.tensor([0.0, -0.0, 60000.0])
        return values.to(dtype)
    if dtype == torch.uint16:
        return torch.randint(
            0, 1 << 15, (count,), generator=generator, dtype=torch.int32
        ).to(dtype)
    low, high = (0, 255) if dtype == torch.uint8 else (-100, 100)
    return torch.randint(
        low, high, (count,), generator=generator, dtype=torch.int32
    ).to(dtype)


def rounded(
    function: Callable[..., torch.Tensor], *operands: torch.Tensor
) -> torch.Tensor:
    """The function in float64 (or int64) and one rounding to the operands' type."""
    dtype = operands[0].dtype
    wide = torch.float64 if dtype.is_floating_point else torch.int64
    return function(*(operand.to(wide) for operand in operands)).to(dtype)


BINARY: dict[str, Callable[..., torch.Tensor]] = {
    "Add": torch.add,
    "Sub": torch.sub,
    "Mul": torch.mul,
    "Div": torch.div,
    "Max": torch.maximum,
    "Min": torch.minimum,
    "And": torch.bitwise_and,
    "Or": torch.bitwise_or,
    "AddRelu": lambda a, b: torch.relu(a + b),
    "SubRelu": lambda a, b: torch.relu(a - b),
}
ACCUMULATE: dict[str, Callable[..., torch.Tensor]] = {
    "MulAddDst": lambda old, a, b: old + a * b,
    "FusedMulAdd": lambda old, a, b: a * old + b,
}
ARITHMETIC = ("half", "float", "int16_t", "int32_t")
BINARY_TYPES = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Max", "Min"), ARITHMETIC),
    **dict.fromkeys(("Div", "AddRelu", "SubRelu"), ("half", "float")),
    "And": ("int16_t",),
    "Or": ("int16_t",),
}
UNARY: dict[str, tuple[Callable[..., torch.Tensor], tuple[str, ...], bool]] = {
    "Abs": (torch.abs, ("half", "float"), False),
    "Exp": (torch.exp, ("half", "float"), False),
    "Ln": (torch.log, ("half", "float"), True),
    "Sqrt": (torch.sqrt, ("half", "float"), True),
    "Rsqrt": (torch.rsqrt, ("half", "float"), True),
    "Reciprocal": (torch.reciprocal, ("half", "float"), True),
    "Relu": (torch.relu, ("half", "float", "int32_t"), False),
    "Not": (torch.bitwise_not, ("int16_t",), False),
}
SCALAR: dict[
    str, tuple[Callable[[torch.Tensor, float], torch.Tensor], tuple[str, ...]]
] = {
    "Adds": (lambda a, s: a + s, ARITHMETIC),
    "Muls": (lambda a, s: a * s, ARITHMETIC),
    "Maxs": (lambda a, s: a.clamp(min=s), ARITHMETIC),
    "Mins": (lambda a, s: a.clamp(max=s), ARITHMETIC),
    "LeakyRelu": (lambda a, s: torch.where(a >= 0, a, a * s), ("half", "float")),
    "ShiftLeft": (lambda a, s: a << int(s), ("int16_t", "int32_t")),
    "ShiftRight": (lambda a, s: a >> int(s), ("int16_t", "int32_t")),
}


def same(actual: torch.Tensor, expected: torch.Tensor, *, ulp: float = 1.0) -> None:
    """Equal within `ulp` units in the last place: float32 and float64 work, each rounded once."""
    if not expected.dtype.is_floating_point:
        assert torch.equal(actual.to(torch.int64), expected.to(torch.int64))
        return
    eps = torch.finfo(expected.dtype).eps
    torch.testing.assert_close(
        actual, expected, rtol=eps * ulp, atol=eps * 1e-3, equal_nan=True
    )


@pytest.mark.parametrize("count", [1, 64, 1000])
@pytest.mark.parametrize(
    ("name", "kind"), [(n, k) for n, kinds in BINARY_TYPES.items() for k in kinds]
)
def test_binary_count_form(library: Library, name: str, kind: str, count: int) -> None:
    a, b = sample(kind, count, 1), sample(kind, count, 2)
    out = torch.zeros_like(a)
    report = library.run(f"count/{name}/{kind}", [a, b], [out])
    assert report.rules() == []
    same(out, rounded(BINARY[name], a, b))


@pytest.mark.parametrize(
    ("name", "kind"), [(n, k) for n in ACCUMULATE for k in ("half", "float")]
)
def test_accumulating_count_form(library: Library, name: str, kind: str) -> None:
    a, b, old = sample(kind, 300, 1) / 4, sample(kind, 300, 2), sample(kind, 300, 3)
    a[2] = 1.0
    out = old.clone()
    assert library.run(f"count/{name}/{kind}", [a, b], [out]).rules() == []
    exact = rounded(ACCUMULATE[name], old, a, b)
    torch.testing.assert_close(
        out, exact, rtol=2e-3 if kind == "half" else 1e-5, atol=1e-3
    )


@pytest.mark.parametrize(("kind", "per_block"), [("half", 16), ("float", 8)])
def test_masked_form_follows_strides(
    library: Library, kind: str, per_block: int
) -> None:
    """Two repeats, 5 active lanes in the last block, every second source block, result blocks three apart."""
    lanes = per_block * 8
    mask = per_block * 2 + 5
    a, b = sample(kind, lanes * 4, 1), sample(kind, lanes * 4, 2)
    out = torch.full((lanes * 8,), -7.0, dtype=TYPES[kind])
    expected = out.clone()
    for repeat in range(2):
        for lane in range(mask):
            block, inner = divmod(lane, per_block)
            x = a[(repeat * 10 + block * 2) * per_block + inner]
            y = b[(repeat * 0 + block) * per_block + inner]
            expected[(repeat * 16 + block * 3) * per_block + inner] = x + y
    report = library.run(
        f"masked/Add/{kind}", [a, b], [out], [mask, 2, 3, 2, 1, 16, 10, 0]
    )
    assert report.rules() == []
    assert torch.equal(out, expected)


@pytest.mark.parametrize("kind", ["half", "float", "int32_t"])
def test_bit_mask_touches_only_its_lanes(library: Library, kind: str) -> None:
    lanes = 128 if kind == "half" else 64
    a, b = sample(kind, lanes * 3, 1), sample(kind, lanes * 3, 2)
    out = torch.full((lanes * 3,), 9).to(TYPES[kind])
    bits = torch.tensor(
        [(0xAAAAAAAAAAAAAAAA >> i) & 1 for i in range(64)]
        + [(0x5555555555555555 >> i) & 1 for i in range(64)]
    )
    active = bits[:lanes].bool().repeat(3)
    expected = torch.where(active, rounded(torch.sub, a, b), out)
    assert library.run(f"bits/Sub/{kind}", [a, b], [out], [3]).rules() == []
    assert torch.equal(out, expected)


@pytest.mark.parametrize("count", [3, 640])
@pytest.mark.parametrize(
    ("name", "kind"), [(n, k) for n, (_, kinds, _) in UNARY.items() for k in kinds]
)
def test_unary(library: Library, name: str, kind: str, count: int) -> None:
    function, _, positive = UNARY[name]
    a = sample(kind, count, 3, positive=positive)
    out = torch.zeros_like(a)
    assert library.run(f"count/{name}/{kind}", [a], [out]).rules() == []
    same(out, rounded(function, a), ulp=2)


@pytest.mark.parametrize(
    ("name", "kind"), [(n, k) for n, (_, kinds) in SCALAR.items() for k in kinds]
)
def test_scalar(library: Library, name: str, kind: str) -> None:
    function, _ = SCALAR[name]
    a = sample(kind, 777, 4)
    scalar = 3.0 if not TYPES[kind].is_floating_point else 0.375
    out = torch.zeros_like(a)
    assert library.run(f"count/{name}/{kind}", [a], [out], [scalar]).rules() == []
    same(
        out,
        rounded(
            lambda x: function(x, int(scalar) if not x.is_floating_point() else scalar),
            a,
        ),
    )


def test_axpy_adds_to_its_destination(library: Library) -> None:
    a, old = sample("float", 200, 5), sample("float", 200, 6)
    out = old.clone()
    assert library.run("count/Axpy/float", [a], [out], [0.5]).rules() == []
    same(out, rounded(lambda x, y: y + 0.5 * x, a, old))


def test_axpy_of_halves_rounds_the_product(library: Library) -> None:
    a, old = sample("half", 200, 5), sample("half", 200, 6)
    out = old.clone()
    assert library.run("count/Axpy/half", [a], [out], [0.3]).rules() == []
    expected = old + a * torch.tensor(0.3).half()
    assert not torch.equal(
        expected, rounded(lambda x, y: y + float(torch.tensor(0.3).half()) * x, a, old)
    )
    same(out, expected)


MODES = {"NONE": 0, "RINT": 1, "FLOOR": 2, "CEIL": 3, "ROUND": 4, "TRUNC": 5, "ODD": 6}


def away(values: torch.Tensor) -> torch.Tensor:
    return torch.trunc(values + torch.sign(values) * 0.5)


ROUNDING: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "RINT": torch.round,
    "FLOOR": torch.floor,
    "CEIL": torch.ceil,
    "ROUND": away,
    "TRUNC": torch.trunc,
}


@pytest.mark.parametrize("mode", list(ROUNDING))
@pytest.mark.parametrize("target", ["int32_t", "int16_t", "int64_t", "float"])
def test_cast_rounds_to_integers(library: Library, mode: str, target: str) -> None:
    a = torch.tensor(
        [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49, -0.49, 3.0, -3.0, 100.7, -100.7]
    )
    out = torch.zeros(len(a), dtype=TYPES[target])
    assert library.run(f"cast/float/{target}", [a], [out], [MODES[mode]]).rules() == []
    assert torch.equal(out.double(), ROUNDING[mode](a.double()))


def test_cast_to_integers_saturates(library: Library) -> None:
    a = torch.tensor([1e9, -1e9, 40000.0, -40000.0, float("inf")])
    out = torch.zeros(5, dtype=torch.int16)
    library.run("cast/float/int16_t", [a], [out], [MODES["RINT"]])
    assert out.tolist() == [32767, -32768, 32767, -32768, 32767]


@pytest.mark.parametrize(
    ("target", "mode"), [("half", "NONE"), ("half", "RINT"), ("bfloat16_t", "RINT")]
)
def test_cast_to_short_floats_is_bit_exact(
    library: Library, target: str, mode: str
) -> None:
    bits = torch.randint(
        -(2**31), 2**31 - 1, (4000,), generator=torch.Generator().manual_seed(7)
    ).to(torch.int32)
    edge = torch.tensor(
        [
            0.0,
            -0.0,
            65504.0,
            65519.9,
            65520.0,
            5.96e-8,
            2.98e-8,
            2.981e-8,
            6.1e-5,
            float("inf"),
            1e-45,
        ]
    )
    a = torch.cat([bits.view(torch.float32), torch.randn(4000), edge])
    out = torch.zeros(len(a), dtype=TYPES[target])
    library.run(f"cast/float/{target}", [a], [out], [MODES[mode]])
    expected = a.to(TYPES[target])
    number = ~a.isnan()
    assert torch.equal(
        out.view(torch.int16)[number], expected.view(torch.int16)[number]
    )
    assert bool(out[~number].isnan().all())


@pytest.mark.parametrize(
    "pair",
    [
        ("half", "float"),
        ("bfloat16_t", "float"),
        ("half", "int32_t"),
        ("half", "int8_t"),
        ("half", "uint8_t"),
        ("bfloat16_t", "int32_t"),
        ("uint8_t", "half"),
        ("int8_t", "half"),
        ("int16_t", "half"),
        ("int16_t", "float"),
        ("int32_t", "float"),
        ("int32_t", "int64_t"),
        ("int32_t", "int16_t"),
        ("int64_t", "int32_t"),
        ("int64_t", "float"),
    ],
)
def test_cast_pairs(library: Library, pair: tuple[str, str]) -> None:
    source, target = pair
    a = sample(source, 500, 9)
    if TYPES[source].is_floating_point:
        a = a.abs() if target == "uint8_t" else a
        a[2] = 3.0
    from_float = TYPES[source].is_floating_point and not TYPES[target].is_floating_point
    narrows = (source, target) == ("int64_t", "float")
    rounding = MODES["RINT"] if from_float or narrows else MODES["NONE"]
    out = torch.zeros(500, dtype=TYPES[target])
    assert library.run(f"cast/{source}/{target}", [a], [out], [rounding]).rules() == []
    wide = a.double()
    expected = (torch.round(wide) if from_float else wide).to(TYPES[target])
    assert torch.equal(out, expected)


@pytest.mark.parametrize("kind", ["half", "float", "int32_t", "bfloat16_t"])
def test_duplicate(library: Library, kind: str) -> None:
    out = torch.zeros(333, dtype=TYPES[kind])
    assert library.run(f"duplicate/{kind}", [], [out], [7]).rules() == []
    assert torch.equal(out, torch.full_like(out, 7))


def test_index_vectors(library: Library) -> None:
    out = torch.zeros(200)
    library.run("index/float", [], [out], [5])
    assert torch.equal(out, torch.arange(5, 205).float())
    steps = torch.zeros(100, dtype=torch.int32)
    library.run("progression/int32_t", [], [steps], [3, -2])
    assert torch.equal(steps, 3 - 2 * torch.arange(100, dtype=torch.int32))


@pytest.mark.parametrize(("kind", "per_block"), [("half", 16), ("float", 8)])
def test_brcb_spreads_every_element_over_a_block(
    library: Library, kind: str, per_block: int
) -> None:
    a = sample(kind, 24, 11)
    out = torch.zeros(24 * per_block, dtype=TYPES[kind])
    assert library.run(f"brcb/{kind}", [a], [out]).rules() == []
    assert torch.equal(out, a.repeat_interleave(per_block))


COMPARISONS = [torch.lt, torch.gt, torch.eq, torch.le, torch.ge, torch.ne]


def packed(bits: torch.Tensor) -> torch.Tensor:
    weights = 2 ** torch.arange(8)
    return (bits.view(-1, 8).long() * weights).sum(1).to(torch.uint8)


@pytest.mark.parametrize("mode", range(6))
@pytest.mark.parametrize("kind", ["half", "float"])
def test_compare_writes_bits(library: Library, kind: str, mode: int) -> None:
    a = torch.randint(-2, 3, (256,)).to(TYPES[kind])
    b = torch.randint(-2, 3, (256,)).to(TYPES[kind])
    out = torch.zeros(32, dtype=torch.uint8)
    assert library.run(f"compare/{kind}", [a, b], [out], [mode]).rules() == []
    assert torch.equal(out, packed(COMPARISONS[mode](a, b)))
    assert library.run(f"compare_scalar/{kind}", [a], [out], [mode, 1]).rules() == []
    assert torch.equal(out, packed(COMPARISONS[mode](a, torch.ones_like(a))))


def test_compare_of_int32_allows_equality_only(library: Library) -> None:
    a = torch.arange(64, dtype=torch.int32)
    out = torch.zeros(8, dtype=torch.uint8)
    assert library.run("compare/int32_t", [a, a], [out], [2]).rules() == []
    assert "vector-limit" in library.run("compare/int32_t", [a, a], [out], [0]).rules(
        "error"
    )


def test_compare_count_must_fill_repeats(library: Library) -> None:
    a = torch.ones(100)
    report = library.run(
        "compare/float", [a, a], [torch.zeros(16, dtype=torch.uint8)], [2]
    )
    assert report.rules("warning").count("vector-count") == 1


@pytest.mark.parametrize("kind", ["half", "float"])
def test_select(library: Library, kind: str) -> None:
    count = 384
    chosen = torch.rand(count, generator=torch.Generator().manual_seed(3)) < 0.5
    a, b = sample(kind, count, 12), sample(kind, count, 13)
    out = torch.zeros_like(a)
    assert (
        library.run(f"select/{kind}", [packed(chosen), a, b], [out], [2]).rules() == []
    )
    assert torch.equal(out, torch.where(chosen, a, b))
    lanes = 128 if kind == "half" else 64
    assert (
        library.run(f"select/{kind}", [packed(chosen), a, b], [out], [0]).rules() == []
    )
    assert torch.equal(out, torch.where(chosen[:lanes].repeat(count // lanes), a, b))
    assert (
        library.run(f"select_scalar/{kind}", [packed(chosen), a], [out], [-2]).rules()
        == []
    )
    assert torch.equal(out, torch.where(chosen, a, torch.full_like(a, -2)))


def test_counter_mode_counts_elements(library: Library) -> None:
    a, b = sample("float", 300, 1), sample("float", 300, 2)
    out = torch.zeros(300)
    assert library.run("counter_mode", [a, b], [out], [150]).rules() == []
    assert torch.equal(out, torch.cat([a[:150] + b[:150], torch.zeros(150)]))
