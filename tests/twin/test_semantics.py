"""Values that the documentation of Atlas A2 fixes: rounding, NaN, overflow, masks without a lane.

Docstrings name the page. What no page says stands as "undocumented" in docs/twin-reference.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import torch

from tests.twin.harness import Library, build

NAN, INF = math.nan, math.inf
MODES = ("NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD", "HYBRID")
DIRECTED = ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC")
TYPES = {
    "half": torch.float16,
    "bfloat16_t": torch.bfloat16,
    "float": torch.float32,
    "int8_t": torch.int8,
    "uint8_t": torch.uint8,
    "int16_t": torch.int16,
    "int32_t": torch.int32,
    "int64_t": torch.int64,
}
# Cast, table of Atlas A2: the modes of every pair (int32_t to half takes any).
TABLE: dict[tuple[str, str], tuple[str, ...]] = {
    ("int8_t", "half"): ("NONE",),
    ("uint8_t", "half"): ("NONE",),
    ("int16_t", "half"): (*DIRECTED, "NONE"),
    ("int16_t", "float"): ("NONE",),
    ("half", "int8_t"): (*DIRECTED, "NONE"),
    ("half", "uint8_t"): (*DIRECTED, "NONE"),
    ("half", "int16_t"): DIRECTED,
    ("half", "int32_t"): DIRECTED,
    ("half", "float"): ("NONE",),
    ("bfloat16_t", "int32_t"): DIRECTED,
    ("bfloat16_t", "float"): ("NONE",),
    ("int32_t", "int16_t"): ("NONE",),
    ("int32_t", "half"): MODES,
    ("int32_t", "float"): (*DIRECTED, "NONE"),
    ("int32_t", "int64_t"): ("NONE",),
    ("float", "int16_t"): DIRECTED,
    ("float", "half"): (*DIRECTED, "ODD", "NONE"),
    ("float", "bfloat16_t"): DIRECTED,
    ("float", "int32_t"): DIRECTED,
    ("float", "float"): DIRECTED,
    ("float", "int64_t"): DIRECTED,
    ("int64_t", "int32_t"): ("NONE",),
    ("int64_t", "float"): DIRECTED,
}


@pytest.fixture(scope="module")
def vector() -> Library:
    return build("vector")


@pytest.fixture(scope="module")
def library() -> Library:
    return build("semantics")


def cast(
    vector: Library, values: torch.Tensor, source: str, target: str, mode: str
) -> torch.Tensor:
    """The values as `target`; the mode must be one the pair has."""
    out = torch.zeros(len(values), dtype=TYPES[target])
    typed = values.to(TYPES[source])
    number = MODES.index(mode)
    report = vector.run(f"cast/{source}/{target}", [typed], [out], [number])
    assert report.rules() == []
    return out


@pytest.mark.parametrize(("source", "target"), list(TABLE))
def test_cast_has_the_modes_of_its_table_and_no_other(
    vector: Library, source: str, target: str
) -> None:
    """Cast, table of Atlas A2. The library asserts on any other mode and computes nothing."""
    values = torch.ones(8, dtype=TYPES[source])
    for number, mode in enumerate(MODES):
        out = torch.full((8,), 7, dtype=TYPES[target])
        report = vector.run(f"cast/{source}/{target}", [values], [out], [number])
        if mode in TABLE[source, target]:
            assert report.rules() == [], mode
            assert out.tolist() == [1] * 8
        else:
            assert report.rules("error") == ["cast-mode"], mode
            assert f"CAST_{mode}" in report.finding("cast-mode")["message"]
            assert not report.completed


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("RINT", 2**25 + 4),
        ("FLOOR", 2**25),
        ("CEIL", 2**25 + 4),
        ("ROUND", 2**25 + 4),
        ("TRUNC", 2**25),
        ("NONE", 2**25 + 4),
    ],
)
def test_int32_to_float_rounds_as_asked(
    vector: Library, mode: str, expected: int
) -> None:
    """Precision conversion, int32_t to float: the example 2^25 + 3."""
    out = cast(vector, torch.tensor([2**25 + 3]), "int32_t", "float", mode)
    assert out.tolist() == [expected]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("RINT", 2**35 + 2**13),
        ("FLOOR", 2**35 + 2**12),
        ("CEIL", 2**35 + 2**13),
        ("ROUND", 2**35 + 2**13),
        ("TRUNC", 2**35 + 2**12),
    ],
)
def test_int64_to_float_rounds_as_asked(
    vector: Library, mode: str, expected: int
) -> None:
    """Precision conversion, int64_t to float: the example 2^35 + 2^12 + 2^11."""
    value = torch.tensor([2**35 + 2**12 + 2**11])
    assert cast(vector, value, "int64_t", "float", mode).tolist() == [expected]


# Bits of a mantissa behind the point, exponent of the smallest normal number, largest number.
FORMATS = {
    "half": (10, -14, Fraction(65504)),
    "bfloat16_t": (7, -126, Fraction(2**128 - 2**120)),
    "float": (23, -126, Fraction(2**128 - 2**104)),
}


def rounded(value: float, target: str, mode: str) -> float:
    """The number of `target` that the table of rounding modes names, infinite beyond the largest.

    Source: precision conversion, table 1; aclrtFloatOverflowMode (Inf/NaN is the default of Atlas A2).
    """
    mantissa, lowest, largest = FORMATS[target]
    exact = abs(Fraction(value))
    if exact == 0:
        return value
    exponent = math.frexp(exact)[1] - 1
    quantum = Fraction(2) ** (max(exponent, lowest) - mantissa)
    kept, rest = divmod(exact, quantum)
    share = rest / quantum
    up = {
        "RINT": share > Fraction(1, 2) or (share == Fraction(1, 2) and kept % 2 == 1),
        "FLOOR": value < 0 and rest != 0,
        "CEIL": value > 0 and rest != 0,
        "ROUND": share >= Fraction(1, 2),
        "TRUNC": False,
        "ODD": rest != 0 and kept % 2 == 0,
    }[mode]
    magnitude = (kept + up) * quantum
    whole = INF if magnitude > largest else float(magnitude)
    return math.copysign(whole, value)


def float_samples() -> torch.Tensor:
    """Numbers of every exponent, halfway cases of half and bfloat16, and what overflows them."""
    seeded = torch.Generator().manual_seed(36)
    bits = torch.randint(-(2**31), 2**31 - 1, (600,), generator=seeded)
    wide = bits.to(torch.int32).view(torch.float32)
    narrow = torch.randn(300, generator=seeded) * 2.0 ** torch.randint(
        -26, 17, (300,), generator=seeded
    )
    half = torch.randn(100, generator=seeded).half().float()
    halfway = half * (1 + 2.0**-11)
    edges = [65504.0, 65505.0, 65519.9, 65520.0, 65535.9, 65536.0, 70000.0, 3.4e38]
    edges += [3.39e38, 2.0**-24, 2.0**-25, 3e-8, 6.1e-5, 6.0976e-5, 1e-45, 0.0]
    near = torch.tensor(edges)
    return torch.cat([wide[wide.isfinite()], narrow, halfway, near, -near])


NARROWING = [
    *(("half", mode) for mode in (*DIRECTED, "ODD")),
    *(("bfloat16_t", mode) for mode in DIRECTED),
]


@pytest.mark.parametrize(("target", "mode"), NARROWING)
def test_narrowing_rounds_and_overflows_by_one_rule(
    vector: Library, target: str, mode: str
) -> None:
    """Precision conversion, table 1; overflow: aclrtFloatOverflowMode, Inf/NaN mode."""
    values = float_samples()
    out = cast(vector, values, "float", target, mode).double().tolist()
    expected = [rounded(value, target, mode) for value in values.tolist()]
    assert out == expected


@pytest.mark.parametrize("source", ["int32_t", "int64_t"])
@pytest.mark.parametrize("mode", DIRECTED)
def test_integers_round_to_float_by_the_same_rule(
    vector: Library, source: str, mode: str
) -> None:
    """Precision conversion, table 1."""
    wide = 31 if source == "int32_t" else 63
    seeded = torch.Generator().manual_seed(9)
    numbers = torch.randint(-(2**62), 2**62, (300,), generator=seeded)
    values = numbers >> torch.randint(62 - wide + 1, 60, (300,), generator=seeded)
    edges = torch.tensor([0, 2**24 + 1, -(2**24) - 1, 2**24 + 3, 2**wide - 1])
    values = torch.cat([values, edges, -(edges + 1)])
    out = cast(vector, values, source, "float", mode).double().tolist()
    # 2**62 - 1 is no double, a Fraction is exact.
    expected = [_rounded_integer(value, mode) for value in values.tolist()]
    assert out == expected


def _rounded_integer(value: int, mode: str) -> float:
    magnitude = abs(value)
    drop = max(0, magnitude.bit_length() - 24)
    kept, rest = divmod(magnitude, 2**drop)
    twice = 2 * rest
    up = {
        "RINT": twice > 2**drop or (twice == 2**drop and kept % 2 == 1),
        "FLOOR": value < 0 and rest > 0,
        "CEIL": value > 0 and rest > 0,
        "ROUND": drop > 0 and twice >= 2**drop,
        "TRUNC": False,
    }[mode]
    return math.copysign(float((kept + up) * 2**drop), value) if value else 0.0


def test_sign_of_nan_is_zero() -> None:
    """Sign, example: [-inf, -2, -0, 0, nan, -nan, 2, inf] gives [-1, -1, 0, 0, 0, 0, 1, 1]."""
    values = torch.tensor([-INF, -2.0, -0.0, 0.0, NAN, -NAN, 2.0, INF])
    out = torch.full((8,), 7.0)
    build("library").run("Sign/float", [values], [out])
    assert out.tolist() == [-1, -1, 0, 0, 0, 0, 1, 1]


def ordered(values: list[float], *, largest: bool) -> list[int]:
    """Places in the order of TopK's constraints: NaN first, infinity greatest, equal ones by place."""

    def rank(place: int) -> tuple[bool, float, int]:
        value = values[place]
        nan = math.isnan(value)
        return not nan, 0.0 if nan else (-value if largest else value), place

    return sorted(range(len(values)), key=rank)


@pytest.mark.parametrize("kind", ["float", "half"])
@pytest.mark.parametrize("seed", range(5))
def test_sorting_with_nan_keeps_the_order_of_numbers(
    library: Library, kind: str, seed: int
) -> None:
    """TopK, constraints. Sort32 and MrgSort say nothing of NaN, see docs/twin-reference.md."""
    seeded = torch.Generator().manual_seed(seed)
    values = torch.randn(64, generator=seeded).to(TYPES[kind])
    values[torch.randperm(64, generator=seeded)[:6]] = NAN
    values[torch.randint(64, (3,), generator=seeded)] = INF
    values[10], values[11] = values[50], values[51]
    places = torch.arange(64, dtype=torch.int32)
    out, order = torch.zeros_like(values), torch.zeros(64, dtype=torch.int32)
    library.run(f"sorted/{kind}", [values, places], [out, order])
    expected = ordered(values.tolist(), largest=True)
    assert order.tolist() == expected
    assert torch.equal(out.isnan(), values[expected].isnan())
    assert torch.equal(out[~out.isnan()], values[expected][~out.isnan()])


@pytest.mark.parametrize(("case", "kind"), [("largest", "float"), ("smallest", "half")])
def test_topk_puts_nan_first_in_both_orders(case: str, kind: str) -> None:
    """TopK, constraints."""
    values = torch.arange(32).to(TYPES[kind])
    values[5], values[20], values[7] = NAN, NAN, INF
    largest = torch.zeros(16, dtype=TYPES[kind])
    places = torch.zeros(8, dtype=torch.int32)
    finish = torch.zeros(32, dtype=torch.uint8)
    rows, width, kept = 1, 32, 4
    parameters = [rows, width, width, kept]
    training = build("training")
    training.run(f"top_k/{case}", [values, finish], [largest, places], parameters)
    expected = ordered(values.tolist(), largest=case == "largest")
    assert places[:kept].tolist() == expected[:kept]


@pytest.mark.parametrize("kind", ["largest", "smallest"])
@pytest.mark.parametrize("place", [0, 1, 31, 40, 63])
def test_nan_decides_a_reduction_wherever_it_stands(
    library: Library, kind: str, place: int
) -> None:
    """Undocumented; as Max and Min of two tensors here. The first NaN gives the index."""
    values = torch.randn(64, generator=torch.Generator().manual_seed(place))
    values[place] = NAN
    out = torch.zeros(40)
    assert library.run(f"extremes/{kind}", [values], [out]).rules() == []
    assert out[[0, 8, 16, 24, 32]].isnan().all()
    assert out[[1, 9, 17]].view(torch.int32).tolist() == [place] * 3


@pytest.mark.parametrize("kind", ["largest", "smallest"])
def test_nan_stays_in_an_atomic_extreme_whoever_brings_it(
    library: Library, kind: str
) -> None:
    """Undocumented; as a reduction here."""
    first, second = torch.zeros(8), torch.ones(8)
    first[1], second[2] = NAN, NAN
    for pair in ((first, second), (second, first)):
        out = torch.zeros(8)
        assert library.run(f"atomic/{kind}", pair, [out]).rules() == []
        assert out.isnan().nonzero().flatten().tolist() == [1, 2]
        assert out[0] == (1 if kind == "largest" else 0)


def test_a_mask_without_a_lane_leaves_the_target_as_it_is(library: Library) -> None:
    """Masks: "mask为0时，目的操作数保持原值"; reductions, constraints: no operation."""
    out = torch.arange(64).float()
    before = out.clone()
    report = library.run("masked_out", [torch.randn(64)], [out])
    assert report.completed
    assert set(report.rules()) == {"vector-count"}
    assert torch.equal(out, before)
