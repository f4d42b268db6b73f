"""The operator's interface in the JSON form that `msopgen gen -i` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.errors import InvalidInput
from core.operators.importers.cpp_source import (
    interface_types,
    parse_operator_definition,
)
from core.operators.spec import AttributeSpec, DType, OperatorSpec, TensorSpec

_TYPES = {DType.FLOAT32: "float", DType.FLOAT16: "fp16", DType.BFLOAT16: "bf16"}
_ATTRIBUTES = {
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "string",
    "int_list": "list_int",
    "float_list": "list_float",
    "bool_list": "list_bool",
}


def interface_json(spec: OperatorSpec, name: str, sources: Mapping[str, str]) -> str:
    """Interface of `spec` under the OpDef name `name`.

    Args:
        spec: The operator.
        name: Its OpDef.
        sources: Path -> text of the candidate's files. Their OpDef says the dtypes of tensors for which the
            operator names none, as those of imported tasks.
    """
    declared = _declared(name, sources)
    tensors = (*spec.inputs, *spec.outputs)
    dtypes = [tensor.dtypes or declared.get(tensor.name, ()) for tensor in tensors]
    signatures = max(map(len, dtypes), default=1) or 1
    rows = [
        _tensor(tensor, tensor_dtypes, signatures)
        for tensor, tensor_dtypes in zip(tensors, dtypes, strict=True)
    ]
    operator: dict[str, Any] = {
        "op": name,
        "language": "cpp",
        "input_desc": rows[: len(spec.inputs)],
        "output_desc": rows[len(spec.inputs) :],
    }
    if spec.attributes:
        operator["attr"] = [_attribute(attribute) for attribute in spec.attributes]
    return json.dumps([operator], indent=4) + "\n"


def _declared(name: str, sources: Mapping[str, str]) -> dict[str, tuple[DType, ...]]:
    """Tensor -> dtypes by the OpDef `name`; empty where none of the sources can be read as one."""
    for path, text in sources.items():
        try:
            definition = parse_operator_definition(text, path)
        except InvalidInput:
            continue  # a kernel, a header, or an OpDef that only a compiler can read
        if definition.name == name:
            tensors = (*definition.inputs, *definition.outputs)
            types = {each.name: interface_types(each.types) for each in tensors}
            return {
                tensor: tuple(DType(kind) for kind in kinds if kind)
                for tensor, kinds in types.items()
                if all(kinds)
            }
    return {}


def _tensor(
    tensor: TensorSpec, dtypes: tuple[DType, ...], signatures: int
) -> dict[str, Any]:
    """An entry of msopgen's lists of inputs and outputs: a type and a format for each signature."""
    kind = (
        "dynamic" if tensor.is_list else "optional" if tensor.optional else "required"
    )
    # msopgen takes no empty list. What is built is the candidate's own OpDef, which takes the place of the one
    # that msopgen makes of this.
    first = dtypes or (DType.FLOAT32,)
    columns = first if len(first) == signatures else first[:1] * signatures
    types = [_TYPES.get(dtype, dtype.value) for dtype in columns]
    return {
        "name": tensor.name,
        "param_type": kind,
        "format": ["ND"] * len(types),
        "type": types,
    }


def _attribute(attribute: AttributeSpec) -> dict[str, Any]:
    """An entry of msopgen's list of attributes."""
    row: dict[str, Any] = {
        "name": attribute.name,
        "param_type": "required" if attribute.default is None else "optional",
        "type": _ATTRIBUTES[attribute.type],
    }
    if attribute.default is not None:
        value = attribute.default
        row["default_value"] = list(value) if isinstance(value, tuple) else value
    return row
