"""Inputs of cases: reproducible to the bit, in the layout asked for; references rounded once."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.operators.spec import TestCase
from remote.judge.inputs.fills import (
    DTYPES,
    fill_apart,
    fill_tensor,
    make_inputs,
    round_once,
)
from remote.judge.inputs.tensor_memory import tensor_bytes, tensor_from
from remote.judge.json_records import read


def generator(seed: int = 1) -> torch.Generator:
    made = torch.Generator()
    made.manual_seed(seed)
    return made


def case(seed: int = 7, **inputs: dict[str, Any]) -> TestCase:
    return read(TestCase, {"name": "tail", "seed": seed, "inputs": inputs})


def test_the_same_seed_gives_the_same_bytes_on_every_machine() -> None:
    """The digest was computed once; another value means that results of two hosts cannot be compared."""
    made = make_inputs(
        "AbsMath", case(x={"shape": [257], "dtype": "float32", "fill": "normal"})
    )
    digest = hashlib.sha256(tensor_bytes(made["x"][0].storage)).hexdigest()
    assert digest.startswith("a4c7b04e3890c50d")
    special = fill_tensor((300,), torch.float16, "special", generator())
    assert (
        hashlib.sha256(tensor_bytes(special)).hexdigest().startswith("a21962bede5ce121")
    )


def test_operator_case_name_and_seed_all_change_the_values() -> None:
    spec = {"shape": [64], "dtype": "float32"}
    base = make_inputs("A", case(x=spec, y=spec))
    assert not torch.equal(base["x"][0].logical, base["y"][0].logical)
    assert not torch.equal(
        base["x"][0].logical, make_inputs("A", case(8, x=spec))["x"][0].logical
    )
    assert not torch.equal(
        base["x"][0].logical, make_inputs("B", case(x=spec))["x"][0].logical
    )


def test_normal_numbers_have_mean_zero_variance_one_and_both_signs() -> None:
    values = fill_tensor((200_000,), torch.float32, "normal", generator())
    assert abs(float(values.mean())) < 0.02
    assert abs(float(values.std()) - 1) < 0.02
    assert float(values.max()) > 3.5
    assert len(torch.unique(values)) > 199_000


@pytest.mark.parametrize(
    ("fill", "dtype", "low", "high"),
    [
        ("uniform(-2,3)", "float32", -2.0, 3.0),
        ("integers(-4,5)", "int8", -4, 4),
        ("integers(0,2)", "bool", 0, 1),
        ("signs", "float16", -1.0, 1.0),
        ("constant(2.5)", "bfloat16", 2.5, 2.5),
        ("arange", "int32", 0, 4095),
    ],
)
def test_fills_stay_in_their_range(
    fill: str, dtype: str, low: float, high: float
) -> None:
    values = fill_tensor((4096,), DTYPES[dtype], fill, generator())
    assert values.dtype == DTYPES[dtype]
    assert float(values.double().min()) >= low
    assert float(values.double().max()) <= high
    if not fill.startswith("constant"):
        assert len(torch.unique(values)) > 1


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("fill", ["uniform(0.5,1.5)", "normal(1,0.5)"])
def test_large_tensors_are_filled_like_small_ones(fill: str, dtype: str) -> None:
    """Their numbers are drawn from a table, or with fewer steps."""
    few = fill_tensor((60_000,), DTYPES[dtype], fill, generator()).double()
    many = fill_tensor((300, 1001), DTYPES[dtype], fill, generator()).double()
    for share in (0.01, 0.25, 0.5, 0.75, 0.99):
        assert abs(few.quantile(share) - many.quantile(share)) < 0.03
    if fill.startswith("uniform"):
        assert 0.5 <= float(many.min()) < float(many.max()) <= 1.5
    if dtype == "float32":
        assert len(torch.unique(many)) > 290_000
    halves = many.flatten()[:150_000], many.flatten()[150_000:300_000]
    assert abs(float(torch.corrcoef(torch.stack(halves))[0, 1])) < 0.02


def test_special_values_hold_infinities_nan_zeros_and_subnormals() -> None:
    values = fill_tensor((4096,), torch.float16, "special", generator())
    assert values.isinf().any()
    assert values.isnan().any()
    assert (
        (values != 0) & (values.abs() < torch.finfo(torch.float16).smallest_normal)
    ).any()
    negative_zero = (values == 0) & torch.signbit(values)
    assert negative_zero.any()


def test_given_values_are_taken_as_they_are() -> None:
    assert fill_tensor(
        (2, 2), torch.int64, "values(0,3,7,9)", generator()
    ).tolist() == [[0, 3], [7, 9]]


def test_layouts_differ_in_memory_only() -> None:
    made = make_inputs(
        "A",
        case(
            t={"shape": [2, 3, 5], "dtype": "float32", "layout": "transposed"},
            s={"shape": [4, 6], "dtype": "float16", "layout": "strided"},
            c={"shape": [4, 6], "dtype": "float16"},
        ),
    )
    t, s, c = made["t"][0], made["s"][0], made["c"][0]
    assert (tuple(t.logical.shape), tuple(t.storage.shape), t.strides) == (
        (2, 3, 5),
        (2, 5, 3),
        (15, 1, 3),
    )
    assert torch.equal(t.logical, t.storage.transpose(1, 2))
    assert (tuple(s.logical.shape), tuple(s.storage.shape), s.strides) == (
        (4, 6),
        (4, 12),
        (12, 2),
    )
    assert c.strides == ()


def test_a_tensor_list_has_one_tensor_per_shape() -> None:
    made = make_inputs(
        "A", case(x={"shape": [2], "shapes": [[2], [3, 1]], "dtype": "float32"})
    )
    assert [tuple(given.logical.shape) for given in made["x"]] == [(2,), (3, 1)]


def test_an_unknown_fill_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown fill"):
        fill_tensor((2,), torch.float32, "gauss", generator())


@given(st.floats(allow_nan=False, min_value=-70000, max_value=70000))
@settings(max_examples=300, deadline=None)
def test_halves_are_rounded_once_as_numpy_rounds(value: float) -> None:
    with np.errstate(over="ignore"):
        expected = np.float64(value).astype(np.float16)
    assert float(
        round_once(torch.tensor([value], dtype=torch.float64), torch.float16)
    ) == float(expected)


def test_a_value_that_double_rounding_gets_wrong() -> None:
    value = (
        1 + 2**-11 + 2**-40
    )  # just above the tie between two halves; float32 would make it the tie
    assert (
        float(round_once(torch.tensor([value], dtype=torch.float64), torch.float16))
        == 1 + 2**-10
    )
    assert float(torch.tensor([value], dtype=torch.float64).to(torch.float16)) == 1.0


@given(st.integers(0, 2**60), st.integers(-20, 20), st.booleans())
@settings(max_examples=200, deadline=None)
def test_bfloat16_is_the_nearest_neighbour_ties_to_even(
    mantissa: int, exponent: int, negative: bool
) -> None:
    value = float((1 + Fraction(mantissa, 2**60)) * Fraction(2) ** exponent) * (
        -1 if negative else 1
    )
    rounded = round_once(torch.tensor([value], dtype=torch.float64), torch.bfloat16)
    bits = int(rounded.view(torch.int16))
    neighbours = [
        torch.tensor([bits + step], dtype=torch.int16).view(torch.bfloat16)
        for step in (-1, 1)
    ]
    distance = abs(Fraction(float(rounded)) - Fraction(value))
    for neighbour in neighbours:
        other = abs(Fraction(float(neighbour)) - Fraction(value))
        assert distance < other or (distance == other and bits % 2 == 0)


@pytest.mark.parametrize("dtype", list(DTYPES))
def test_tensors_survive_the_way_through_a_file(dtype: str) -> None:
    values = fill_tensor((3, 5), DTYPES[dtype], "integers(0,2)", generator())
    assert torch.equal(tensor_from(tensor_bytes(values), dtype, (3, 5)), values)
    empty = torch.empty((0, 4), dtype=DTYPES[dtype])
    assert tensor_from(tensor_bytes(empty), dtype, (0, 4)).shape == (0, 4)


def test_an_input_lies_by_its_strides() -> None:
    """As a slice of every third row of a wider matrix does."""
    spec = {
        "shape": [5, 4],
        "dtype": "float32",
        "layout": "by stride",
        "strides": [21, 1],
    }
    made = make_inputs("AbsMath", case(x=spec))["x"][0]
    assert made.strides == (21, 1)
    assert made.storage.numel() == 4 * 21 + 3 + 1
    assert torch.equal(made.logical, made.storage.as_strided((5, 4), (21, 1)))
    empty = make_inputs("AbsMath", case(x=spec | {"shape": [0, 4]}))["x"][0]
    assert empty.logical.shape == (0, 4)


def test_a_part_of_a_tensor_is_filled_otherwise() -> None:
    usual = fill_tensor((4, 25), torch.float16, "normal", generator())
    places = {None: [(3, 5)], 1: [(40, 100)], 2: [(0, 100)]}
    fill = fill_apart("normal", places, "uniform(2,3)")
    mixed = fill_tensor((4, 25), torch.float16, fill, generator(), index=1)
    is_other = torch.zeros(100, dtype=torch.bool)
    is_other[3:5] = is_other[40:] = True
    assert torch.equal(mixed.flatten()[~is_other], usual.flatten()[~is_other])
    others = mixed.flatten()[is_other]
    assert bool(((others >= 2) & (others <= 3)).all())
    again = fill_apart(fill, {None: [(3, 4)]}, "constant(9)")
    nested = fill_tensor((4, 25), torch.float16, again, generator(), index=1)
    is_ninth = torch.arange(100) == 3
    assert torch.equal(nested.flatten()[~is_ninth], mixed.flatten()[~is_ninth])
    assert float(nested.flatten()[3]) == 9
