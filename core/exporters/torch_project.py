"""Finished kernels as operators of PyTorch: a wheel project over the aclnn functions of their CANN package.

The schema says what is changed in place; one function makes the outputs by the rules of `output_rules`, for the
kernel's call on an NPU and for the Meta function alike. What `tests/` needs of the judge is added by the caller.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from core.errors import InvalidInput
from core.exporters.number_search import tensor_cpp
from core.exporters.output_rules import OutputRule, output_rules
from core.operators.spec import (
    AttributeSpec,
    AttributeValue,
    CaseShapes,
    OperatorSpec,
    TensorShape,
    TensorSpec,
)
from core.templates import rendered

_CPP = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": "std::string",
    "int_list": "at::IntArrayRef",
    "float_list": "at::ArrayRef<double>",
    "bool_list": "c10::List<bool>",
}
_CALLS_SHOWN = {"int": "8", "float": "1e-5", "bool": "True", "str": '"..."'}


@dataclass(frozen=True)
class TorchOperator:
    """An operator as the templates of the project read it.

    Attributes:
        spec: The operator.
        rules: Of its outputs that are not inputs changed in place.
        cases: Shapes of its cases.
        origin: Where its kernel is from.
    """

    spec: OperatorSpec
    rules: tuple[OutputRule, ...]
    cases: Sequence[CaseShapes]
    origin: str

    @property
    def snake(self) -> str:
        """Name in PyTorch."""
        return self.spec.snake_name

    @property
    def computed(self) -> int:
        """How many cases have shapes."""
        return sum(not case.problem for case in self.cases)

    @property
    def lists(self) -> set[str]:
        """Outputs that are lists."""
        return {tensor.name for tensor in self.spec.outputs if tensor.is_list}

    @property
    def in_place(self) -> tuple[str, ...]:
        """Inputs that the operator changes."""
        inputs = [tensor.name for tensor in self.spec.inputs]
        outputs = {tensor.name for tensor in self.spec.outputs}
        return tuple(name for name in inputs if name in outputs)

    @property
    def schema(self) -> str:
        """What `TORCH_LIBRARY` takes, e.g. `gate(Tensor x, *, int k=8) -> (Tensor w, Tensor i)`."""
        # PyTorch marks each tensor that is changed in place with a letter of its own: `Tensor(a!)`.
        letters = dict(zip(self.in_place, ascii_lowercase, strict=False))
        arguments = []
        for tensor in self.spec.inputs:
            letter = letters.get(tensor.name)
            arguments.append(_schema_tensor(tensor, letter))
        attributes = [_schema_attribute(each) for each in self.spec.attributes]
        # Behind `*` they are passed by name only.
        if attributes:
            arguments += ["*", *attributes]
        argument_list = ", ".join(arguments)
        return f"{self.snake}({argument_list}) -> {self._schema_result}"

    @property
    def _schema_result(self) -> str:
        """`Tensor` of one output; several have names and parentheses."""
        kinds = {}
        for rule in self.rules:
            kinds[rule.name] = "Tensor[]" if rule.name in self.lists else "Tensor"
        if len(kinds) == 1:
            return "".join(kinds.values())
        returns = ", ".join(f"{kind} {name}" for name, kind in kinds.items())
        return f"({returns})"

    @property
    def parameters(self) -> list[str]:
        """Of every C++ function of the operator."""
        spec = self.spec
        tensors = [f"{_cpp_tensor(each)} {each.name}" for each in spec.inputs]
        attributes = [f"{_CPP[each.type]} {each.name}" for each in spec.attributes]
        return tensors + attributes

    @property
    def arguments(self) -> list[str]:
        """The parameters, handed on."""
        inputs = [tensor.name for tensor in self.spec.inputs]
        return inputs + [each.name for each in self.spec.attributes]

    @property
    def call(self) -> list[str]:
        """What aclnn takes: inputs, attributes, new outputs; what is changed in place is passed once."""
        inputs = []
        for tensor in self.spec.inputs:
            suffix = "_memory" if tensor.name in self.in_place else ""
            inputs.append(tensor.name + suffix)
        attributes = [each.name for each in self.spec.attributes]
        if len(self.rules) == 1:
            return [*inputs, *attributes, "made_"]
        count = len(self.rules)
        outputs = [f"std::get<{at}>(made_)" for at in range(count)]
        return [*inputs, *attributes, *outputs]

    @property
    def device(self) -> str:
        """C++ of the tensor whose device a call runs on."""
        always_there = (each for each in self.spec.inputs if not each.optional)
        return tensor_cpp(next(always_there))

    @property
    def result(self) -> str:
        """C++ type of what a call returns."""
        kinds = [
            "std::vector<at::Tensor>" if rule.name in self.lists else "at::Tensor"
            for rule in self.rules
        ]
        if len(kinds) < 2:
            return kinds[0] if kinds else "void"
        return f"std::tuple<{', '.join(kinds)}>"

    @property
    def returned(self) -> str:
        """C++ of what `make_outputs` returns."""
        names = ", ".join(rule.name for rule in self.rules)
        return f"{{{names}}}" if len(self.rules) > 1 else names

    @property
    def example(self) -> str:
        """A call in Python, for the README."""
        arguments = [
            "None" if tensor.optional else tensor.name for tensor in self.spec.inputs
        ]
        arguments += [
            f"{each.name}={_CALLS_SHOWN.get(each.type, '[...]')}"
            for each in self.spec.attributes
            if each.default is None
        ]
        return self._python_call(arguments)

    def _python_call(self, arguments: Sequence[str]) -> str:
        """A call in Python, its outputs assigned to their names; the template fills in the package."""
        argument_list = ", ".join(arguments)
        call = f"torch.ops.@PACKAGE@.{self.snake}({argument_list})"
        returned = ", ".join(rule.name for rule in self.rules)
        return f"{returned} = {call}" if returned else call

    @property
    def meta_example(self) -> list[str]:
        """Lines of Python that ask for the outputs of a case without its data.

        Empty when no case was computed, or a rule is missing.
        """
        computed = (case for case in self.cases if not case.problem)
        case = next(computed, None)
        if case is None or self.unruled:
            return []
        lines: list[str] = []
        arguments: list[str] = []
        for tensor in self.spec.inputs:
            shapes = case.inputs.get(tensor.name, ())
            values = [_meta_tensor(shape) for shape in shapes]
            if not shapes and not tensor.is_list:
                arguments.append("None")
                continue
            text = ", ".join(values) if tensor.is_list else values[0]
            if tensor.is_list:
                text = f"[{text}]"
            lines.append(f"{tensor.name} = {text}")
            arguments.append(tensor.name)
        for attribute in self.spec.attributes:
            name = attribute.name
            is_given = name in case.attributes
            value = case.attributes[name] if is_given else attribute.default
            arguments.append(f"{name}={_python_value(value)}")
        lines.append(self._python_call(arguments))
        printed = [rule.name for rule in self.rules if rule.name not in self.lists]
        lines += [f"print({name}.shape, {name}.dtype)" for name in printed]
        return lines

    @property
    def unruled(self) -> list[str]:
        """What a person has to write, one line an output."""
        problems = []
        for rule in self.rules:
            if not rule.is_whole:
                why = rule.dtype_words if rule.shape else rule.shape_words
                problems.append(f"{rule.name}: {why}")
        return problems


def torch_operator(
    spec: OperatorSpec, cases: Sequence[CaseShapes], origin: str
) -> TorchOperator:
    """`spec` for the templates.

    Args:
        spec: The operator.
        cases: Shapes of its cases.
        origin: Where its kernel is from.

    Raises:
        InvalidInput: Something of its interface cannot be said in PyTorch.
    """
    outputs = {tensor.name for tensor in spec.outputs}
    if all(tensor.optional for tensor in spec.inputs):
        problem = "has no input that is always there, so PyTorch cannot tell its device"
        raise InvalidInput(spec.name, "input", problem)
    for tensor in spec.inputs:
        if tensor.name in outputs and tensor.optional:
            problem = "is changed in place and optional, which this form does not hold"
            raise InvalidInput(spec.name, tensor.name, problem)
    return TorchOperator(spec, output_rules(spec, cases), cases, origin)


def export_torch_project(
    operators: Sequence[TorchOperator], package: str, about: str
) -> dict[str, str]:
    """The wheel project, without the package of CANN and what its tests take from the judge.

    Args:
        operators: What it holds.
        package: Name of the Python package, of PyTorch's namespace and of CANN's vendor.
        about: One line that says what it is and where it came from.

    Returns:
        Relative path -> text.
    """
    examples = [operator.meta_example for operator in operators]
    values = {
        "operators": operators,
        "package": package,
        "vendor": package,
        "description": about,
        "names": [operator.snake for operator in operators],
        "unruled": any(operator.unruled for operator in operators),
        "several": len(operators) > 1,
        "meta_example": next(filter(None, examples), []),
    }
    places = {
        "README.md": "README.md.jinja",
        "setup.py": "setup.py.jinja",
        "pyproject.toml": "pyproject.toml",
        "csrc/library.cpp": "library.cpp.jinja",
        "csrc/npu.cpp": "npu.cpp.jinja",
        "csrc/aclnn_call.h": "aclnn_call.h.jinja",
        f"src/{package}/__init__.py": "__init__.py.jinja",
        "tests/conftest.py": "conftest.py.jinja",
        "tests/support.py": "support.py",
        "tests/test_operators.py": "test_operators.py.jinja",
        "tests/benchmark.py": "benchmark.py.jinja",
    }
    files = {}
    for path, name in places.items():
        files[path] = rendered(f"torch_project/{name}", **values)
    files["csrc/shape_rules.h"] = _shape_rules()
    for operator in operators:
        path = f"csrc/outputs_{operator.snake}.h"
        files[path] = rendered(
            "torch_project/outputs.h.jinja", op=operator, place=_place
        )
    return files


def _shape_rules() -> str:
    helpers = rendered(
        "exported/shape_rules.h.jinja", dimension="c10::SymInt", symbolic=True
    )
    includes = ("ATen/ATen.h", "c10/core/SymInt.h", "string", "tuple", "vector")
    lines = "".join(f"#include <{name}>\n" for name in includes)
    return f"#pragma once\n\n{lines}\n{helpers}"


def _place(operator: TorchOperator, rule: OutputRule, what: str) -> str:
    """The message of a function that a person has to write."""
    why = rule.shape_words if what == "shape" else rule.dtype_words
    function = f"{rule.name}_{what}"
    file = f"csrc/outputs_{operator.snake}.h"
    text = f"{operator.spec.name}: write {function} in {file}: {why}"
    # The escapes of JSON are escapes of C++ too.
    return json.dumps(text)


def _meta_tensor(tensor: TensorShape) -> str:
    shape = list(tensor.shape)
    return f'torch.empty({shape}, dtype=torch.{tensor.dtype}, device="meta")'


def _python_value(value: AttributeValue | None) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(list(value) if isinstance(value, tuple) else value)


def _cpp_tensor(tensor: TensorSpec) -> str:
    if tensor.is_list:
        return "at::TensorList"
    return (
        "const std::optional<at::Tensor>&" if tensor.optional else "const at::Tensor&"
    )


def _schema_tensor(tensor: TensorSpec, letter: str | None) -> str:
    kind = f"Tensor({letter}!)" if letter else "Tensor"
    if tensor.is_list:
        kind += "[]"
    elif tensor.optional:
        kind += "?"
    return f"{kind} {tensor.name}"


def _schema_attribute(attribute: AttributeSpec) -> str:
    kind = attribute.type
    element = kind.removesuffix("_list")
    text = f"{element}[]" if kind.endswith("_list") else element
    value = attribute.default
    if value is None:
        return f"{text} {attribute.name}"
    default = _schema_value(value)
    return f"{text} {attribute.name}={default}"


def _schema_value(value: AttributeValue) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(repr, value))}]"
    return repr(value)
