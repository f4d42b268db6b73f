"""The dtype of an output, explained by inputs and attributes over all cases and signatures of the interface."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.exporters.number_search import tensor_cpp
from core.operators.spec import (
    AttributeValue,
    CaseShapes,
    DType,
    OperatorSpec,
    TensorSpec,
    dtype_columns,
)

_SCALARS = {
    DType.FLOAT32: "at::kFloat",
    DType.FLOAT16: "at::kHalf",
    DType.BFLOAT16: "at::kBFloat16",
    DType.INT8: "at::kChar",
    DType.INT16: "at::kShort",
    DType.INT32: "at::kInt",
    DType.INT64: "at::kLong",
    DType.UINT8: "at::kByte",
    DType.BOOL: "at::kBool",
    DType.COMPLEX64: "at::kComplexFloat",
}
_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True)
class _Row:
    """What may decide the dtype of an output in a case or a signature, and that dtype."""

    inputs: Mapping[str, DType]
    attributes: Mapping[str, AttributeValue]
    result: DType


def dtype_rule(
    spec: OperatorSpec, output: TensorSpec, cases: Sequence[CaseShapes]
) -> tuple[str, str]:
    """C++ of the dtype of an output, and words; the first is empty when the second says why there is none."""
    computed = _computed_rows(output, cases)
    declared = _declared_rows(spec, output)
    # A reference may decide otherwise than the interface: then the cases alone count.
    for rows in ([*computed, *declared], computed):
        rule = _rule(spec, rows)
        if rule is not None:
            return rule
    if not computed:
        return "", "no case could be computed here and the interface names none"
    count = len(computed)
    return "", f"neither an input nor an attribute decides it in all {count} cases"


def _computed_rows(output: TensorSpec, cases: Sequence[CaseShapes]) -> list[_Row]:
    """The cases that have the output."""
    rows = []
    for case in cases:
        results = case.outputs.get(output.name)
        if not results:
            continue
        # The tensors of a list have one dtype: its first tells it.
        inputs = {}
        for name, tensors in case.inputs.items():
            if tensors:
                inputs[name] = tensors[0].dtype
        result = results[0].dtype
        rows.append(_Row(inputs, case.attributes, result))
    return rows


def _declared_rows(spec: OperatorSpec, output: TensorSpec) -> list[_Row]:
    """The signatures of the interface, where it has any."""
    # Inputs and outputs apart: what is changed in place is both, by one name.
    declared = {("input", tensor.name): tensor.dtypes for tensor in spec.inputs}
    declared |= {("output", tensor.name): tensor.dtypes for tensor in spec.outputs}
    if not all(declared.values()):
        return []
    rows = []
    names = [tensor.name for tensor in spec.inputs]
    for column in dtype_columns(declared):
        inputs = {name: column["input", name] for name in names}
        result = column["output", output.name]
        rows.append(_Row(inputs, {}, result))
    return rows


def _rule(spec: OperatorSpec, rows: Sequence[_Row]) -> tuple[str, str] | None:
    """The plainest rule that holds in all rows."""
    results = {row.result for row in rows}
    if not results:
        return None
    constant: tuple[str, str] | None = None
    if len(results) == 1:
        only = results.pop()
        constant = (_SCALARS[only], only.value)
        # A single float dtype may be that of an input: cases with its other dtypes may be missing.
        if not only.value.startswith(("float", "bfloat")):
            return constant
    inputs = _inputs_of_every_row(spec, rows)
    for name, cpp in inputs.items():
        if all(row.inputs[name] == row.result for row in rows):
            return f"{cpp}.scalar_type()", f"that of {name}"
    return constant or _by_input(inputs, rows) or _by_attribute(spec, rows)


def _inputs_of_every_row(spec: OperatorSpec, rows: Sequence[_Row]) -> dict[str, str]:
    """Name -> C++ of the tensor that has its dtype."""
    inputs = {}
    for tensor in spec.inputs:
        is_in_all = all(tensor.name in row.inputs for row in rows)
        if is_in_all and not tensor.optional:
            inputs[tensor.name] = tensor_cpp(tensor)
    return inputs


def _by_input(
    inputs: Mapping[str, str], rows: Sequence[_Row]
) -> tuple[str, str] | None:
    """A rule by the dtype of an input."""
    for name, cpp in inputs.items():
        table = _table([(row.inputs[name], row.result) for row in rows])
        if table is not None:
            dtype_cpp = f"{cpp}.scalar_type()"
            tests = {key: f"{dtype_cpp} == {_SCALARS[key]}" for key in table}
            words = f"by that of {name}: {_words(table)}"
            return _chain(table, tests), words
    return None


def _by_attribute(spec: OperatorSpec, rows: Sequence[_Row]) -> tuple[str, str] | None:
    """A rule by the value of an attribute, which signatures of the interface do not have."""
    if not all(row.attributes for row in rows):
        return None
    for attribute in spec.attributes:
        if attribute.type not in ("int", "str"):
            continue
        name, default = attribute.name, attribute.default
        table = _table(
            [(row.attributes.get(name, default), row.result) for row in rows]
        )
        if table is None or None in table:
            continue
        mark = '"' if attribute.type == "str" else ""
        tests = {}
        for value in table:
            tests[value] = f"{name} == {mark}{value}{mark}"
        words = f"by {name}: {_words(table)}"
        return _chain(table, tests), words
    return None


def _table(pairs: Sequence[tuple[_Key, DType]]) -> dict[_Key, DType] | None:
    """What each key gives; None when one gives two things."""
    table: dict[_Key, DType] = {}
    for key, dtype in pairs:
        if table.setdefault(key, dtype) != dtype:
            return None
    return table


def _words(table: Mapping[_Key, DType]) -> str:
    effects = [f"{key} gives {dtype}" for key, dtype in table.items()]
    return ", ".join(effects)


def _chain(table: Mapping[_Key, DType], tests: Mapping[_Key, str]) -> str:
    """C++ that tries one key after another; what remains is the last."""
    *leading, last = table
    chain = ""
    for key in leading:
        scalar = _SCALARS[table[key]]
        chain += f"{tests[key]} ? {scalar} : "
    return chain + _SCALARS[table[last]]
