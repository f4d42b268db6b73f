"""The operator's interface in the JSON form that `msopgen gen -i` reads."""

from __future__ import annotations

import json
from typing import Any

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


def interface_json(spec: OperatorSpec, name: str) -> str:
    """Interface of `spec` under the OpDef name `name`."""
    signatures = max(
        (len(tensor.dtypes) for tensor in (*spec.inputs, *spec.outputs)), default=1
    )
    operator: dict[str, Any] = {
        "op": name,
        "language": "cpp",
        "input_desc": [_tensor(tensor, signatures) for tensor in spec.inputs],
        "output_desc": [_tensor(tensor, signatures) for tensor in spec.outputs],
    }
    if spec.attributes:
        operator["attr"] = [_attribute(attribute) for attribute in spec.attributes]
    return json.dumps([operator], indent=4) + "\n"


def _tensor(tensor: TensorSpec, signatures: int) -> dict[str, Any]:
    kind = (
        "dynamic" if tensor.is_list else "optional" if tensor.optional else "required"
    )
    dtypes = (
        tensor.dtypes
        if len(tensor.dtypes) == signatures
        else tensor.dtypes[:1] * signatures
    )
    types = [_TYPES.get(dtype, dtype.value) for dtype in dtypes]
    return {
        "name": tensor.name,
        "param_type": kind,
        "format": ["ND"] * len(types),
        "type": types,
    }


def _attribute(attribute: AttributeSpec) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": attribute.name,
        "param_type": "required" if attribute.default is None else "optional",
        "type": _ATTRIBUTES[attribute.type],
    }
    if attribute.default is not None:
        value = attribute.default
        row["default_value"] = list(value) if isinstance(value, tuple) else value
    return row
