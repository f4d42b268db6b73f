"""MultiKernelBench's answer format: one Python file that assigns six strings.

The benchmark builds an operator called `<Name>Custom` with entry `<name>_custom`, so names are changed on the
way out and back on the way in. Nothing is executed when such a file is read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from core.errors import InvalidInput
from core.evaluation.records import Candidate
from core.operators.exporters.interface_json import interface_json
from core.operators.spec import AttributeSpec, DType, OperatorSpec, TensorSpec, snake_case
from core.outside import json_value

STRINGS = (
    "project_json_src", "host_tiling_src", "host_operator_src", "kernel_src", "python_bind_src", "model_src",
)  # fmt: skip
_SUFFIX = "Custom"
_SCALARS = {
    DType.FLOAT32: "at::kFloat", DType.FLOAT16: "at::kHalf", DType.BFLOAT16: "at::kBFloat16",
    DType.INT8: "at::kChar", DType.INT16: "at::kShort", DType.INT32: "at::kInt", DType.INT64: "at::kLong",
    DType.UINT8: "at::kByte", DType.BOOL: "at::kBool", DType.COMPLEX64: "at::kComplexFloat",
}  # fmt: skip
_ATTRIBUTES = {
    "int": "int64_t", "float": "double", "bool": "bool", "str": "std::string", "int_list": "at::IntArrayRef",
    "float_list": "at::ArrayRef<double>", "bool_list": "at::ArrayRef<bool>",
}  # fmt: skip


def export_six_strings(
    spec: OperatorSpec, candidate: Candidate, shaped_like: Mapping[str, str] | None = None
) -> str:
    """The candidate as a MultiKernelBench answer.

    Args:
        spec: The operator.
        candidate: One host file, one kernel file and at most one tiling header, named as msopgen names them.
        shaped_like: Output -> input of the same shape; the first input where nothing is said. The binding has
            to allocate outputs, so other shapes have to be written into `python_bind_src` by hand.

    Raises:
        InvalidInput: The candidate has files this format has no place for.
    """
    parts = _parts(spec, candidate)
    texts = {
        "project_json_src": interface_json(spec, spec.name + _SUFFIX),
        **{key: _renamed(text, spec.name, outward=True) for key, text in parts.items()},
        "python_bind_src": _binding(spec, shaped_like or {}),
        "model_src": _model(spec),
    }
    text = "\n\n".join(f"{key} = {_literal(texts[key])}" for key in STRINGS) + "\n"
    if read_six_strings(text, spec.name).files != candidate.files:
        problem = f"uses names such as {spec.name}{_SUFFIX}, which the format needs for itself"
        raise InvalidInput(spec.name, "candidate", problem, "Rename them and export again.")
    return text


def _parts(spec: OperatorSpec, candidate: Candidate) -> dict[str, str]:
    snake = spec.snake_name
    places = {
        f"op_host/{snake}_tiling.h": "host_tiling_src",
        f"op_host/{snake}.cpp": "host_operator_src",
        f"op_kernel/{snake}.cpp": "kernel_src",
    }
    for path in candidate.files:
        if path not in places:
            remedy = f"It takes {', '.join(places)}."
            raise InvalidInput(spec.name, path, "has no place in MultiKernelBench's six strings", remedy)
    for path, key in places.items():
        if path not in candidate.files and key != "host_tiling_src":
            raise InvalidInput(spec.name, path, "is missing from the candidate")
    return {key: candidate.files.get(path, "") for path, key in places.items()}


def read_six_strings(text: str, source: str) -> Candidate:
    """The candidate in a MultiKernelBench answer.

    Args:
        text: The Python file; it is parsed, not run.
        source: Name for messages.

    Raises:
        InvalidInput: Naming the string that is missing or not what it should be.
    """
    strings = _strings(text, source)
    try:
        name = str(json_value(strings["project_json_src"], source, "project_json_src")[0]["op"])
    except (LookupError, TypeError) as error:
        raise InvalidInput(source, "project_json_src", f"is no msopgen JSON with an `op`: {error}") from error
    plain = name.removesuffix(_SUFFIX)
    snake = snake_case(plain)
    places = {
        f"op_host/{snake}.cpp": "host_operator_src",
        f"op_host/{snake}_tiling.h": "host_tiling_src",
        f"op_kernel/{snake}.cpp": "kernel_src",
    }
    outward = name != plain
    files = {
        path: _renamed(strings[key], plain, outward=False) if outward else strings[key]
        for path, key in places.items()
        if strings[key]
    }
    return Candidate(files)


def _strings(text: str, source: str) -> dict[str, str]:
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise InvalidInput(
            source, f"line {error.lineno or 0}", f"is not valid Python: {error.msg}"
        ) from error
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            for target in node.targets:
                if isinstance(target, ast.Name) and isinstance(node.value.value, str):
                    found[target.id] = node.value.value
    for key in STRINGS:
        if key not in found:
            raise InvalidInput(source, key, "is not assigned a string")
    return found


def _renamed(text: str, name: str, *, outward: bool) -> str:
    """OpDef name, entry name and tiling header with the benchmark's suffix, or without it again."""
    snake = snake_case(name)
    pairs = [
        (name, name + _SUFFIX),
        (snake, f"{snake}_custom"),
        (f"{snake}_tiling", f"{snake}_custom_tiling"),
    ]
    for plain, custom in pairs:
        old, new = (plain, custom) if outward else (custom, plain)
        # A name behind `::`, `.` or `->` belongs to something else, e.g. AscendC::Gelu.
        text = re.sub(rf"(?<![\w:.>]){re.escape(old)}(?!\w)", new, text)
    return text


def _literal(text: str) -> str:
    """A readable literal where one can hold the text exactly, else an escaped one."""
    if "'''" not in text and not text.endswith(("'", "\\")) and "\r" not in text:
        return f"r'''{text}'''"
    return repr(text)


def _binding(spec: OperatorSpec, shaped_like: Mapping[str, str]) -> str:
    inputs = [(tensor, _parameter(tensor)) for tensor in spec.inputs]
    names = {tensor.name for tensor in spec.inputs}
    parameters = [text for _, text in inputs]
    parameters += [f"{_ATTRIBUTES[a.type]} {a.name}" for a in spec.attributes]
    lines = [_allocation(tensor, spec, shaped_like) for tensor in spec.outputs if tensor.name not in names]
    strings = [a for a in spec.attributes if a.type == "str"]
    lines += [f"    const char* {a.name}_text = {a.name}.c_str();" for a in strings]
    arguments = [tensor.name for tensor in spec.inputs]
    arguments += [f"{a.name}_text" if a.type == "str" else a.name for a in spec.attributes]
    arguments += [tensor.name for tensor in spec.outputs if tensor.name not in names]
    results = [tensor.name for tensor in spec.outputs]
    result = "at::Tensor" if len(results) == 1 else "std::vector<at::Tensor>"
    returned = results[0] if len(results) == 1 else f"{{{', '.join(results)}}}"
    function = f"{spec.snake_name}_custom"
    call = ", ".join([f"aclnn{spec.name}{_SUFFIX}", *arguments])
    body = "".join(f"{line}\n" for line in [*lines, f"    EXEC_NPU_CMD({call});", f"    return {returned};"])
    return (
        '#include <torch/extension.h>\n#include "pytorch_npu_helper.hpp"\n\n'
        f"{result} {function}_impl_npu({', '.join(parameters)}) {{\n{body}}}\n\n"
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n"
        f'    m.def("{function}", &{function}_impl_npu, "{spec.name}");\n}}\n'
    )


def _parameter(tensor: TensorSpec) -> str:
    if tensor.is_list:
        return f"at::TensorList {tensor.name}"
    return f"{'c10::optional<at::Tensor>' if tensor.optional else 'at::Tensor'} {tensor.name}"


def _allocation(tensor: TensorSpec, spec: OperatorSpec, shaped_like: Mapping[str, str]) -> str:
    like = shaped_like.get(tensor.name) or (spec.inputs[0].name if spec.inputs else "")
    if not like:
        return f"    at::Tensor {tensor.name};  // this operator has no input: give it its shape here"
    model = next(entry for entry in spec.inputs if entry.name == like)
    dtypes = set(tensor.dtypes)
    option = ""
    if tensor.dtypes != model.dtypes and len(dtypes) == 1:
        option = f", {like}.options().dtype({_SCALARS[tensor.dtypes[0]]})"
    known = "" if tensor.name in shaped_like else f"  // if {tensor.name} has another shape, say so here"
    return f"    at::Tensor {tensor.name} = at::empty_like({like}{option});{known}"


def _model(spec: OperatorSpec) -> str:
    inputs = [tensor.name for tensor in spec.inputs]
    forward = ", ".join(
        ["self", *(f"{t.name}=None" if t.optional else t.name for t in _required_first(spec))]
    )
    init = ", ".join(["self", *(_default(attribute) for attribute in spec.attributes)])
    stored = "".join(f"        self.{a.name} = {a.name}\n" for a in spec.attributes)
    arguments = ", ".join([*inputs, *(f"self.{a.name}" for a in spec.attributes)])
    return (
        "import torch\nimport custom_ops_lib\n\n\nclass ModelNew(torch.nn.Module):\n"
        f"    def __init__({init}):\n        super().__init__()\n{stored}\n"
        f"    def forward({forward}):\n        return custom_ops_lib.{spec.snake_name}_custom({arguments})\n"
    )


def _required_first(spec: OperatorSpec) -> list[TensorSpec]:
    return sorted(spec.inputs, key=lambda tensor: tensor.optional)


def _default(attribute: AttributeSpec) -> str:
    if attribute.default is None:
        zeros = {"int": "0", "float": "0.0", "bool": "False", "str": "''"}
        return f"{attribute.name}={zeros.get(attribute.type, '()')}"
    return f"{attribute.name}={attribute.default!r}"
