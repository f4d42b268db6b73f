"""The dtype of an output, explained by inputs and attributes over all cases and signatures of the interface."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

from core.operators.spec import (
    AttributeValue,
    CaseShapes,
    DType,
    OperatorSpec,
    TensorSpec,
    dtype_columns,
)

SCALARS = {
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


def dtype_rule(
    spec: OperatorSpec, output: TensorSpec, cases: Sequence[CaseShapes]
) -> tuple[str, str]:
    """C++ of the dtype of an output, and words; the first is empty when the second says why there is none."""
    rows = [
        (_given_dtypes(case), case.attributes, case.outputs[output.name][0].dtype)
        for case in cases
        if case.outputs.get(output.name)
    ]
    declared = list(_declared_rows(spec, output))
    for observed in ([*rows, *declared], rows):  # a reference may decide otherwise
        rule = _dtype_of(spec, observed)
        if rule is not None:
            return rule
    why = "no case could be computed here and the interface names none"
    if rows:
        why = f"neither an input nor an attribute decides it in all {len(rows)} cases"
    return "", why


_Row = tuple[Mapping[str, DType], Mapping[str, AttributeValue], DType]


def _declared_rows(spec: OperatorSpec, output: TensorSpec) -> Iterator[_Row]:
    """The signatures of the interface, where it has any."""
    declared = {
        (kind, tensor.name): tensor.dtypes
        for kind, tensors in (("input", spec.inputs), ("output", spec.outputs))
        for tensor in tensors
    }
    if not all(declared.values()):
        return
    for column in dtype_columns(declared):
        inputs = {
            name: dtype for (kind, name), dtype in column.items() if kind[0] == "i"
        }
        yield inputs, {}, column["output", output.name]


def _given_dtypes(case: CaseShapes) -> dict[str, DType]:
    return {name: tensors[0].dtype for name, tensors in case.inputs.items() if tensors}


def _dtype_of(spec: OperatorSpec, rows: Sequence[_Row]) -> tuple[str, str] | None:
    results = {dtype for _, _, dtype in rows}
    if not results:
        return None
    only = next(iter(results)) if len(results) == 1 else None
    if only is not None and not only.value.startswith(("float", "bfloat")):
        return SCALARS[only], only.value
    tensors = [t for t in spec.inputs if not t.optional and _is_given(t.name, rows)]
    names = {t.name: f"{t.name}[0]" if t.is_list else t.name for t in tensors}
    for name, cpp in names.items():
        if all(given[name] == dtype for given, _, dtype in rows):
            return f"{cpp}.scalar_type()", f"that of {name}"
    if only is not None:
        return SCALARS[only], only.value
    for name, cpp in names.items():
        table = _table([(given[name], dtype) for given, _, dtype in rows])
        if table is not None:
            tests = {of: f"{cpp}.scalar_type() == {SCALARS[of]}" for of in table}
            return _chain(table, tests), f"by that of {name}: {_words(table)}"
    return _by_attribute(spec, rows)


def _is_given(name: str, rows: Sequence[_Row]) -> bool:
    return all(name in given for given, _, _ in rows)


def _by_attribute(spec: OperatorSpec, rows: Sequence[_Row]) -> tuple[str, str] | None:
    for attribute in spec.attributes:
        if attribute.type not in ("int", "str"):
            continue
        given = [
            (row[1].get(attribute.name, attribute.default), row[2])
            for row in rows
            if row[1]
        ]
        table = _table(given)
        if table is None or None in table or len(given) < len(rows):
            continue
        mark = '"' if attribute.type == "str" else ""
        tests = {value: f"{attribute.name} == {mark}{value}{mark}" for value in table}
        return _chain(table, tests), f"by {attribute.name}: {_words(table)}"
    return None


def _table(pairs: Sequence[tuple[_Key, DType]]) -> dict[_Key, DType] | None:
    """What each key gives; None when one gives two things."""
    table: dict[_Key, DType] = {}
    for key, dtype in pairs:
        if table.setdefault(key, dtype) != dtype:
            return None
    return table


def _words(table: Mapping[_Key, DType]) -> str:
    return ", ".join(f"{key} gives {dtype}" for key, dtype in table.items())


def _chain(table: Mapping[_Key, DType], tests: Mapping[_Key, str]) -> str:
    *leading, (_, last) = table.items()
    conditions = "".join(
        f"{tests[key]} ? {SCALARS[dtype]} : " for key, dtype in leading
    )
    return f"{conditions}{SCALARS[last]}"
