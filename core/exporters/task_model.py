"""The `ModelNew` of an imported task: its own constructor and signature, with the operator as its `forward`.

A benchmark builds `Model` and `ModelNew` with the same arguments under the same seed and calls both alike, so
what `ModelNew` must share is the constructor (it draws the weights) and the signature of `forward`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from core.operators.importers.python_source import functions, parse, require_class
from core.operators.spec import OperatorSpec
from core.outside import json_value, read_text

_GETTERS = ("get_inputs", "get_init_inputs", "get_input_groups", "get_inputs_dyn_list")
_STORED = "given_arguments"
ZEROS = {"int": "0", "float": "0.0", "bool": "False", "str": "''"}
_HELPERS = '''
def given(value, otherwise):
    """An attribute as the binding takes it: never None, and a list where one is asked for."""
    if value is None:
        return otherwise
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    return [value] if isinstance(otherwise, list) and not isinstance(value, (list, tuple)) else value
'''


def task_interface(spec: OperatorSpec) -> Mapping[str, Any] | None:
    """What the import of a task in one Python file kept of its interface; None for other operators."""
    path = spec.folder / "task" / "interface.json"
    if "task/interface.json" not in spec.files or not path.is_file():
        return None
    document = json_value(read_text(path), str(path))
    return document if isinstance(document, dict) and "forward" in document else None


def task_model(spec: OperatorSpec, interface: Mapping[str, Any], function: str) -> str:
    """Python source of `ModelNew`.

    Args:
        spec: The imported operator.
        interface: Of `task_interface`.
        function: Name of the operator in the module `custom_ops_lib`.

    Raises:
        InvalidInput: The task's file cannot be read, is no Python, or has no class `Model`.
    """
    path = spec.folder / "task" / str(interface["file"])
    tree = parse(read_text(path), str(path))
    model = require_class(tree, "Model", str(path))
    methods = functions(model.body)
    forward, init = methods["forward"], methods.get("__init__")
    call = _call(spec, forward, init, function)
    forward.body = ast.parse(call).body
    forward.returns = None
    init_arguments = _arguments(init)
    attributes = [attribute.name for attribute in spec.attributes]
    names = [name for name in attributes if name in init_arguments]
    if init is not None and names:
        stored = ", ".join(f"{name!r}: {name}" for name in names)
        assignment = ast.parse(f"self.{_STORED} = {{{stored}}}").body[0]
        # First of all: the constructor may change its arguments.
        init.body.insert(_after_docstring(init), assignment)
    tree.body = [node for node in tree.body if not _is_left_out(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "Model":
            node.id = "ModelNew"
    model.name = "ModelNew"
    # Imports of `__future__` must stay before all others.
    futures: list[ast.stmt] = []
    rest: list[ast.stmt] = []
    for statement in tree.body:
        origin = statement.module if isinstance(statement, ast.ImportFrom) else None
        statements = futures if origin == "__future__" else rest
        statements.append(statement)
    imports = ast.parse("import torch\nimport custom_ops_lib").body
    helpers = ast.parse(_HELPERS).body
    module = ast.Module([*futures, *imports, *helpers, *rest], [])
    return ast.unparse(module) + "\n"


def _is_left_out(node: ast.stmt) -> bool:
    """The functions that make inputs, and what runs only when the file is run itself."""
    if isinstance(node, ast.FunctionDef):
        return node.name in _GETTERS
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _arguments(function: ast.FunctionDef | None) -> list[str]:
    if function is None:
        return []
    every = function.args
    arguments = (*every.posonlyargs, *every.args, *every.kwonlyargs)
    # Without `self`.
    return [argument.arg for argument in arguments[1:]]


def _after_docstring(function: ast.FunctionDef) -> int:
    return 1 if ast.get_docstring(function, clean=False) is not None else 0


def _call(
    spec: OperatorSpec,
    forward: ast.FunctionDef,
    init: ast.FunctionDef | None,
    function: str,
) -> str:
    """The operator called with inputs, then attributes, as its binding takes them."""
    of_forward = _arguments(forward)
    of_init = _arguments(init)
    values = []
    for tensor in spec.inputs:
        # An input that `forward` does not take is the list of the model's weights.
        is_argument = tensor.name in of_forward
        weights = "list(self.state_dict().values())"
        values.append(tensor.name if is_argument else weights)
    for attribute in spec.attributes:
        name = attribute.name
        zero = "[]" if attribute.type.endswith("_list") else ZEROS[attribute.type]
        if name in of_forward:
            values.append(f"given({name}, {zero})")
        elif name in of_init:
            values.append(f"given(self.{_STORED}[{name!r}], {zero})")
        else:
            values.append(zero)
    arguments = ", ".join(values)
    return f"return custom_ops_lib.{function}({arguments})"
