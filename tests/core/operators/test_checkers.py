"""Operators that judge themselves: checkers accept what is right to the type's precision, nothing else."""

from __future__ import annotations

import importlib.util
from functools import cache
from types import ModuleType
from typing import Any

import pytest
import torch

from core.operators.catalogue import catalogue_folder, operator_names
from core.operators.loader import load_operator
from core.operators.spec import DecidingRule, OperatorSpec
from remote.judge.inputs.reference_module import case_inputs, own_check
from remote.judge.inputs.reference_results import compute
from remote.toolchains.twin.toolchain import describe_operator

SELF_JUDGED = {
    "GmmDeqSwigluQuantGmmDeq",
    "LightningIndexer",
    "Mla",
    "MlaPrologV3X",
    "SparseFlashAttention",
    "TopKV3",
}


@cache
def operator(name: str) -> tuple[OperatorSpec, ModuleType]:
    folder = catalogue_folder() / name
    spec = importlib.util.spec_from_file_location(name, folder / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return load_operator(folder), module


class Case:
    """One case of an operator with its inputs and expected results, as the judge makes them."""

    def __init__(self, name: str, case: str) -> None:
        spec, self.module = operator(name)
        self.case = next(row for row in spec.cases if row.name == case)
        description = describe_operator(spec)
        given = case_inputs(description, self.case, self.module)
        self.inputs: dict[str, Any] = {
            name: tensors[0].logical for name, tensors in given.items()
        }
        self.expected = [
            tensor for _, tensor in compute(description, self.case, given, self.module)
        ]
        low = compute(description, self.case, given, self.module, torch.float32)
        self.single = [tensor for _, tensor in low]

    def objection(self, actual: list[torch.Tensor]) -> str:
        return own_check(self.module, self.case, self.inputs, self.expected, actual)

    def changed(self, index: int, change: Any) -> str:
        """What the checker says after `change` was applied to a copy of one result."""
        actual = [tensor.clone() for tensor in self.expected]
        change(actual[index])
        return self.objection(actual)


def test_these_operators_judge_themselves_and_say_why() -> None:
    specs = [load_operator(catalogue_folder() / name) for name in operator_names()]
    checked = [spec for spec in specs if spec.rule is DecidingRule.CHECKER]
    assert {spec.name for spec in checked} == SELF_JUDGED
    assert all("Checker:" in spec.summary for spec in checked)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("TopKV3", "many-equal"),
        ("Mla", "uneven-lengths-bfloat16"),
        ("LightningIndexer", "pages-float16"),
        ("SparseFlashAttention", "blocks-of-four-bfloat16"),
        ("MlaPrologV3X", "tokens-not-stored"),
        ("GmmDeqSwigluQuantGmmDeq", "three-experts-tails-bfloat16"),
    ],
)
def test_float32_arithmetic_passes_and_a_shifted_result_does_not(
    name: str, case: str
) -> None:
    made = Case(name, case)
    assert made.objection(made.expected) == ""
    assert made.objection(made.single) == ""
    shifted = [
        tensor.roll(1, dims=-1) if tensor.is_floating_point() else tensor
        for tensor in made.expected
    ]
    assert made.objection(shifted)


def test_topk_takes_other_positions_of_equal_elements_only() -> None:
    made = Case("TopKV3", "many-equal")
    x, (values, indices) = made.inputs["x"], made.expected
    # Another stable sort, from the end, gives the same values at other positions.
    other = torch.sort(x.flip(-1), dim=-1, descending=True, stable=True).indices[:, :30]
    positions = (x.shape[-1] - 1 - other).to(torch.int32)
    assert not torch.equal(positions, indices)
    assert made.objection([values, positions]) == ""
    assert "twice" in made.changed(
        1, lambda tensor: tensor.select(-1, 1).copy_(tensor.select(-1, 0))
    )
    assert "outside" in made.changed(1, lambda tensor: tensor.fill_(-1))
    assert "does not hold" in made.changed(0, lambda tensor: tensor.add_(1))


def test_topk_in_any_order_when_it_need_not_be_sorted() -> None:
    loose, strict = Case("TopKV3", "infinities"), Case("TopKV3", "rows")
    for case, accepted in ((loose, True), (strict, False)):
        turned = [tensor.flip(-1) for tensor in case.expected]
        assert (case.objection(turned) == "") is accepted


def test_the_indexer_takes_any_order_and_no_worse_key() -> None:
    made = Case("LightningIndexer", "uneven-lengths-float16")
    lengths = made.inputs["actual_seq_lengths_query"].tolist()
    count = made.expected[0].shape[-1]
    turned = [tensor.clone() for tensor in made.expected]
    for tensor in turned:
        for b, valid in enumerate(lengths):
            row = tensor[b, :valid, 0]
            used = int((made.expected[0][b, 0, 0] >= 0).sum())
            row[:, :used] = row[:, :used].flip(-1)
    assert made.objection(turned) == ""
    assert "value that is not the score" in made.changed(
        1, lambda tensor: tensor[0, 0, 0].mul_(1.5)
    )
    idle = next(b for b, valid in enumerate(lengths) if valid < 4)
    assert "unused" in made.changed(0, lambda tensor: tensor[idle, -1].fill_(3))
    spec, _ = operator("LightningIndexer")
    assert (
        count
        == next(c for c in spec.cases if c.name == made.case.name).attributes[
            "sparse_count"
        ]
    )

    def worse(indices: torch.Tensor) -> None:
        chosen = set(indices[0, 0, 0].tolist())
        indices[0, 0, 0, 0] = next(i for i in range(8) if i not in chosen)

    one = Case("LightningIndexer", "one-query-float16")
    assert "score is too low" in one.changed(0, worse)


def test_untouched_cache_slots_must_keep_their_bits() -> None:
    made = Case("MlaPrologV3X", "tokens-not-stored")
    written = made.inputs["cache_index"]
    slots = made.expected[2].flatten(0, 1).shape[0]
    kept = next(slot for slot in range(slots) if slot not in written.tolist())

    def touch(cache: torch.Tensor) -> None:
        cache.flatten(0, 1)[kept] *= 1.004  # one unit in the last place of bfloat16

    assert "not written has changed" in made.changed(2, touch)
    assert made.changed(4, lambda tensor: tensor.mul_(1.004)) == ""
    assert "query_norm" in made.changed(4, lambda tensor: tensor.mul_(1.1))


def test_not_a_number_never_passes() -> None:
    for name, case in (
        ("Mla", "one-token-float16"),
        ("GmmDeqSwigluQuantGmmDeq", "one-row-float16"),
    ):
        assert Case(name, case).changed(
            0, lambda tensor: tensor[..., 0].fill_(torch.nan)
        )
