"""MultiKernelBench's answer format: one Python file that assigns six strings.

The benchmark builds an operator called `<Name>Custom` with entry `<name>_custom`, so names are changed on the
way out and back on the way in; for a task of the benchmark `<name>` is that of the task's file. Headers of
the candidate go into the files that include them. Nothing is executed when such a file is read.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
from core.evaluation.records import Candidate
from core.exporters.inlining import inline_headers, restore_headers
from core.exporters.number_search import tensor_cpp
from core.exporters.output_rules import OutputRule, output_rules
from core.exporters.task_model import ZEROS, task_interface, task_model
from core.operators.importers.kernelbench import MULTIKERNELBENCH, NPU_SET
from core.operators.importers.python_source import parse
from core.operators.interface_json import interface_json
from core.operators.spec import (
    AttributeSpec,
    CaseShapes,
    OperatorSpec,
    TensorSpec,
    snake_case,
)
from core.outside import json_value
from core.templates import rendered
from core.text import Text

STRINGS = (
    "project_json_src",
    "host_tiling_src",
    "host_operator_src",
    "kernel_src",
    "python_bind_src",
    "model_src",
)
_SUFFIX, _ENTRY_SUFFIX = "Custom", "_custom"
_ATTRIBUTES = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": "std::string",
    "int_list": "at::IntArrayRef",
    "float_list": "at::ArrayRef<double>",
    "bool_list": "at::ArrayRef<bool>",
}


@dataclass(frozen=True)
class _Names:
    """OpDef and entry name of a candidate here, and as the benchmark derives them from its task."""

    plain: str
    entry: str
    outward: str
    outward_entry: str


def _names(spec: OperatorSpec) -> _Names:
    """The names of an operator here and in the benchmark, which derives its own from the file of a task."""
    interface = None
    if spec.benchmark in (MULTIKERNELBENCH, NPU_SET):
        interface = task_interface(spec)
    name, entry = spec.name, spec.snake_name
    if interface is not None:
        entry = Path(str(interface["file"])).stem
        # The benchmark joins the words of the file's name, each with one capital.
        words = entry.split("_")
        name = "".join(word.capitalize() for word in words)
    return _Names(
        plain=spec.name,
        entry=spec.snake_name,
        outward=name + _SUFFIX,
        outward_entry=entry + _ENTRY_SUFFIX,
    )


def export_six_strings(
    spec: OperatorSpec, candidate: Candidate, cases: Sequence[CaseShapes]
) -> str:
    """The candidate as a MultiKernelBench answer.

    The binding has to allocate outputs, by a rule that explains all cases; where there is none, it refuses to
    run and says what has to be written into `python_bind_src` by hand.

    Args:
        spec: The operator; of a task of the benchmark, `ModelNew` gets the constructor and the signature.
        candidate: One host file, one kernel file and at most one tiling header, named as msopgen names them,
            and headers that these include.
        cases: Shapes of the operator's cases.

    Raises:
        InvalidInput: The candidate has files this format has no place for.
    """
    names, interface = _names(spec), task_interface(spec)
    parts = _parts(spec, candidate)
    # C++ allows no name that begins with a digit, as those of some tasks do.
    function = names.outward_entry
    if not function.isidentifier():
        function = f"op_{function}"
    outward = {}
    for key, part in parts.items():
        outward[key] = _renamed(part, names, outward=True)
    rules = output_rules(spec, cases)
    texts = {
        "project_json_src": interface_json(spec, names.outward, outward),
        **outward,
        "python_bind_src": _binding(spec, names.outward, function, rules),
        "model_src": _model(spec, interface, function),
    }
    assignments = [f"{key} = {_literal(texts[key])}" for key in STRINGS]
    text = "\n\n".join(assignments) + "\n"
    # Read back at once: a renaming that cannot be undone would lose the candidate.
    if read_six_strings(text, spec.name, spec).files != candidate.files:
        problem = Text(
            "uses names such as {outward}, which the format needs for itself",
            outward=names.outward,
        )
        raise InvalidInput(
            spec.name, "candidate", problem, "Rename them and export again."
        )
    return _warning(names) + text


def _warning(names: _Names) -> str:
    if names.outward.isidentifier():
        return ""
    return (
        f"# The benchmark's `ascendc` backend names the class after the task: {names.outward}. C++\n"
        "# allows no name that begins with a digit, so it cannot build any answer to this task. Give the\n"
        "# task's file another name in the benchmark, import it and export again.\n\n"
    )


def _parts(spec: OperatorSpec, candidate: Candidate) -> dict[str, str]:
    """Name of a string -> text of the candidate's file for it, its own headers written into it."""
    tiling, *sources = _places(spec.snake_name)
    texts: dict[str, str] = {}
    placed = {tiling}
    for path in (tiling, *sources):
        if path not in candidate.files and path != tiling:
            raise InvalidInput(spec.name, path, "is missing from the candidate")
        text, used = "", set[str]()
        if path in candidate.files:
            text, used = inline_headers(path, candidate.files, tiling)
        texts[_places(spec.snake_name)[path]] = text
        placed |= {path} | used
    for path in candidate.files:
        if path not in placed:
            problem = "has no place in MultiKernelBench's six strings"
            remedy = Text(
                "It takes {snake_name} and headers that these include.",
                snake_name=", ".join(_places(spec.snake_name)),
            )
            raise InvalidInput(spec.name, path, problem, remedy)
    return texts


def _places(snake: str) -> dict[str, str]:
    return {
        f"op_host/{snake}_tiling.h": "host_tiling_src",
        f"op_host/{snake}.cpp": "host_operator_src",
        f"op_kernel/{snake}.cpp": "kernel_src",
    }


def read_six_strings(
    text: str, source: str, spec: OperatorSpec | None = None
) -> Candidate:
    """The candidate in a MultiKernelBench answer.

    Args:
        text: The Python file; it is parsed, not run.
        source: Name for messages.
        spec: The operator it answers; without one its names are those of the answer, less `Custom`.

    Raises:
        InvalidInput: Naming the string that is missing or not what it should be.
    """
    strings = _strings(text, source)
    interface = json_value(strings["project_json_src"], source, "project_json_src")
    try:
        name = str(interface[0]["op"])
    except (LookupError, TypeError) as error:
        raise InvalidInput(
            source,
            "project_json_src",
            "is not an msopgen JSON with an `op`: {error}",
            error=error,
        ) from error
    if spec is not None:
        names = _names(spec)
    else:
        plain = name.removesuffix(_SUFFIX)
        names = _Names(
            plain, snake_case(plain), name, snake_case(plain) + _ENTRY_SUFFIX
        )
    files: dict[str, str] = {}
    for path, key in _places(names.entry).items():
        part = strings[key]
        # An answer with the operator's own names needs no renaming.
        if names.plain != name:
            part = _renamed(part, names, outward=False)
        if part:
            files |= restore_headers(path, part)
    return Candidate(files)


def _strings(text: str, source: str) -> dict[str, str]:
    """The six strings that an answer assigns.

    Raises:
        InvalidInput: One is not there; names it.
    """
    strings: dict[str, str] = {}
    for node in parse(text, source).body:
        if not isinstance(node, ast.Assign):
            continue
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    strings[target.id] = value.value
    for key in STRINGS:
        if key not in strings:
            raise InvalidInput(source, key, "is not assigned a string")
    return strings


def _renamed(text: str, names: _Names, *, outward: bool) -> str:
    """OpDef name, entry name and tiling header as the benchmark names them, or as they were again."""
    pairs = [
        (names.plain, names.outward),
        (names.entry, names.outward_entry),
        (f"{names.entry}_tiling", f"{names.outward_entry}_tiling"),
    ]
    for plain, custom in pairs:
        old, new = (plain, custom) if outward else (custom, plain)
        # A name behind `::`, `.` or `->` belongs to something else, e.g. AscendC::Gelu.
        whole_name = rf"(?<![\w:.>]){re.escape(old)}(?!\w)"
        text = re.sub(whole_name, new, text)
    return text


def _literal(text: str) -> str:
    """A readable literal where one can hold the text exactly, else an escaped one."""
    # Three quotes would end a raw literal; Python reads "\r" in one as "\n".
    holds_mark = "'''" in text or "\r" in text
    if holds_mark or text.endswith(("'", "\\")):
        return repr(text)
    return f"r'''{text}'''"


def _binding(
    spec: OperatorSpec, name: str, function: str, rules: Sequence[OutputRule]
) -> str:
    """C++ of the binding: it allocates the outputs by their rules and makes the aclnn call."""
    inputs = [tensor.name for tensor in spec.inputs]
    present = [tensor for tensor in spec.inputs if not tensor.optional]
    parameters = [f"{_cpp_type(each)} {each.name}" for each in spec.inputs]
    attributes = []
    for attribute in spec.attributes:
        cpp_type = _ATTRIBUTES[attribute.type]
        parameters.append(f"{cpp_type} {attribute.name}")
        # aclnn takes the characters of a string, which the template keeps beside it.
        suffix = "_text" if attribute.type == "str" else ""
        attributes.append(attribute.name + suffix)
    outputs = [rule.name for rule in rules]
    return rendered(
        "exported/binding.cpp.jinja",
        spec=spec,
        name=name,
        function=function,
        parameters=parameters,
        helpers=rendered(
            "exported/shape_rules.h.jinja", dimension="int64_t", symbolic=False
        ),
        allocations=[_allocation(rule, present) for rule in rules],
        arguments=[*inputs, *attributes, *outputs],
    )


def _cpp_type(tensor: TensorSpec) -> str:
    if tensor.is_list:
        return "at::TensorList"
    return "c10::optional<at::Tensor>" if tensor.optional else "at::Tensor"


def _allocation(rule: OutputRule, tensors: Sequence[TensorSpec]) -> str:
    """The line that makes an output, or the check that says what has to be written in its place."""
    if not tensors:
        why = "this operator has no input to take a device from"
    elif rule.shape.startswith("shapes_of"):
        why = "the format has no place for a list of outputs"
    elif rule.is_whole:
        first = tensor_cpp(tensors[0])
        options = f"{first}.options().dtype({rule.dtype})"
        return f"at::Tensor {rule.name} = at::empty({rule.shape}, {options});"
    else:
        why = rule.dtype_words if rule.shape else rule.shape_words
    problem = json.dumps(f"make {rule.name} here: {why}")
    return f"at::Tensor {rule.name};\n    TORCH_CHECK(false, {problem});"


def _model(
    spec: OperatorSpec, interface: Mapping[str, Any] | None, function: str
) -> str:
    """Python of `ModelNew`: that of an imported task, else attributes by constructor, inputs by `forward`."""
    if interface is not None:
        return task_model(spec, interface, function)
    arguments = [tensor.name for tensor in spec.inputs] + [
        f"self.{a.name}" for a in spec.attributes
    ]
    return rendered(
        "exported/model.py.jinja",
        spec=spec,
        function=function,
        arguments=arguments,
        default=_default,
    )


def _default(attribute: AttributeSpec) -> str:
    if attribute.default is None:
        return ZEROS.get(attribute.type, "()")
    return repr(attribute.default)
