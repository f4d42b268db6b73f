"""Shapes and dtypes of outputs explained by those of the cases; what no rule explains is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.exporters.output_rules import OutputRule, output_rules
from core.exporters.torch_project import torch_operator
from core.operators.catalogue import catalogue_operator
from core.operators.spec import (
    AttributeSpec,
    CaseShapes,
    DType,
    OperatorSpec,
    TensorShape,
    TensorSpec,
)

FLOATS = (DType.FLOAT16, DType.FLOAT32)


def operator(
    inputs: str, outputs: str = "y", dtypes: tuple[DType, ...] = (), **kinds: str
) -> OperatorSpec:
    """One whose tensors name no dtypes, as imported tasks; `kinds` are those of its attributes."""
    return replace(
        catalogue_operator("AbsMath"),
        inputs=tuple(TensorSpec(name, dtypes) for name in inputs.split()),
        outputs=tuple(TensorSpec(name, dtypes) for name in outputs.split()),
        attributes=tuple(AttributeSpec(name, kind) for name, kind in kinds.items()),
    )


def case(
    given: dict[str, tuple[int, ...]],
    y: tuple[int, ...],
    dtype: DType = DType.FLOAT32,
    result: DType = DType.FLOAT32,
    **attributes: Any,
) -> CaseShapes:
    inputs = {name: (TensorShape(dtype, shape),) for name, shape in given.items()}
    return CaseShapes("case", inputs, attributes, {"y": (TensorShape(result, y),)})


def rule(spec: OperatorSpec, *cases: CaseShapes) -> OutputRule:
    (only,) = output_rules(spec, cases)
    return only


@pytest.mark.parametrize(
    ("words", "cases"),
    [
        ("that of x", [((4, 8), (4, 8)), ((3,), (3,))]),
        ("x.shape[:-1]", [((4, 8), (4,)), ((2, 3, 5), (2, 3))]),
        (
            "[*x.shape[:-1], (x.size(-1) / 2)]",
            [((4, 8), (4, 4)), ((2, 3, 10), (2, 3, 5)), ((7, 2), (7, 1))],
        ),
        (
            "[*x.shape[:-1], ceil(x.size(1) / 32)]",
            [((4, 64), (4, 2)), ((1, 33), (1, 2)), ((2, 97), (2, 4))],
        ),
        ("[x.size(1), x.size(0)]", [((4, 8), (8, 4)), ((2, 3), (3, 2))]),
        ("[x.numel()]", [((4, 8), (32,)), ((2, 3, 2), (12,))]),
        ("[]", [((4, 8), ()), ((2, 3), ())]),
    ],
)
def test_a_shape_follows_from_sizes_of_an_input(
    words: str, cases: list[tuple[tuple[int, ...], tuple[int, ...]]]
) -> None:
    made = rule(operator("x"), *(case({"x": x}, y) for x, y in cases))
    assert made.shape_words == words
    assert made.is_whole


def test_a_shape_follows_from_several_inputs() -> None:
    broadcast = rule(
        operator("x z"),
        case({"x": (4, 1), "z": (8,)}, (4, 8)),
        case({"x": (2, 3), "z": (1,)}, (2, 3)),
    )
    assert broadcast.shape_words == "x, z broadcast"
    product = rule(
        operator("a b"),
        case({"a": (4, 8), "b": (8, 6)}, (4, 6)),
        case({"a": (2, 3), "b": (3, 7)}, (2, 7)),
    )
    assert product.shape == "joined(leading(a, 1), Shape{size_of(b, 1)})"
    joined = rule(
        operator("a b"),
        case({"a": (4, 8), "b": (2, 8)}, (6, 8)),
        case({"a": (1, 3), "b": (7, 3)}, (8, 3)),
    )
    assert joined.shape_words == "[(a.size(0) + b.size(0)), *a.shape[1:]]"


def test_a_shape_follows_from_attributes() -> None:
    spec = operator("x", k="int")
    best = rule(
        spec, case({"x": (4, 9)}, (4, 2), k=2), case({"x": (1, 7)}, (1, 3), k=3)
    )
    assert best.shape_words == "[*x.shape[:-1], k]"
    spec = operator("x", dim="int", keepdim="bool")
    reduced = rule(
        spec,
        case({"x": (4, 9)}, (9,), dim=0, keepdim=False),
        case({"x": (1, 7, 2)}, (1, 7, 1), dim=-1, keepdim=True),
    )
    assert reduced.shape == "reduced(x, axes_of(dim), keepdim)"
    spec = operator("x", dim="int")
    halved = rule(
        spec,
        case({"x": (4, 8)}, (4, 4), dim=-1),
        case({"x": (6, 8)}, (3, 8), dim=0),
        case({"x": (2, 10, 4)}, (2, 5, 4), dim=1),
    )
    assert halved.shape == "resized(x, dim, (size_of(x, dim) / Dimension(2)))"
    assert halved.shape_words == "x with (x.size(dim) / 2) along dim"
    assert not halved.doubts
    spec = operator("x", perm="int_list")
    permuted = rule(
        spec,
        case({"x": (4, 9, 2)}, (2, 4, 9), perm=(2, 0, 1)),
        case({"x": (5, 6)}, (6, 5), perm=(1, 0)),
    )
    assert permuted.shape == "permuted(x, perm)"


def test_what_no_rule_explains_is_said_with_two_cases() -> None:
    made = rule(
        operator("x"),
        case({"x": (4, 8)}, (3, 17)),
        case({"x": (2, 3)}, (11, 2)),
        case({"x": (5, 5)}, (1, 9)),
    )
    assert made.shape == ""
    assert "no rule explains all 3 cases (x [4, 8] gives [3, 17]" in made.shape_words
    shaped = torch_operator(operator("x"), [case({"x": (4, 8)}, (4, 8))], "a test")
    assert shaped.unruled == []
    data = replace(operator("x"), outputs=(TensorSpec("y", (), shape_from_data=True),))
    made = rule(data, case({"x": (4,)}, (2,)))
    assert (made.shape, made.shape_words) == ("", "values decide the shape")


def test_a_number_that_never_changes_is_a_doubt() -> None:
    spec = operator("x", k="int")
    made = rule(
        spec, case({"x": (4, 9)}, (4, 2), k=2), case({"x": (1, 7)}, (1, 2), k=2)
    )
    assert made.shape_words == "[*x.shape[:-1], k]"
    assert made.doubts == ("dimension 1 is 2 in every case",)


def test_arithmetic_on_few_sizes_is_a_doubt() -> None:
    made = rule(operator("x"), case({"x": (4, 9)}, (12,)), case({"x": (1, 9)}, (3,)))
    assert made.doubts == ("(x.size(0) * 3) rests on fewer than 3 different sizes",)


def test_a_dtype_follows_from_inputs_attributes_and_the_interface() -> None:
    half, single = FLOATS
    spec = operator("x", dtypes=FLOATS)
    same = rule(spec, case({"x": (4,)}, (4,), half, half))
    assert same.dtype == "x.scalar_type()"
    spec = operator("x")
    widened = rule(spec, case({"x": (4,)}, (4,), half), case({"x": (4,)}, (4,)))
    assert widened.dtype == "at::kFloat"
    integers = rule(spec, case({"x": (4,)}, (4,), half, DType.INT32))
    assert integers.dtype == "at::kInt"
    spec = operator("x", to="str")
    cast = rule(
        spec,
        case({"x": (4,)}, (4,), single, half, to="half"),
        case({"x": (4,)}, (4,), single, single, to="single"),
    )
    assert cast.dtype == 'to == "half" ? at::kHalf : at::kFloat'
    puzzling = rule(
        operator("x"),
        case({"x": (4,)}, (4,), single, half),
        case({"x": (4,)}, (4,), single, single),
    )
    assert not puzzling.is_whole
    assert "neither an input nor an attribute decides it" in puzzling.dtype_words


def test_schemas_say_what_is_changed_in_place_and_what_may_be_left_out() -> None:
    quant = catalogue_operator("DequantSwigluClampQuant")
    schema = torch_operator(quant, [], "a test").schema
    assert "Tensor? quant_scale" in schema
    assert schema.endswith("-> (Tensor y, Tensor scale)")
    gemm = torch_operator(catalogue_operator("Gemm"), [], "a test")
    assert gemm.schema.startswith(
        "gemm(Tensor a, Tensor b, Tensor(a!) c, *, float alpha"
    )
    assert gemm.schema.endswith("-> ()")
