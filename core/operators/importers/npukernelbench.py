"""NPUKernelBench: one folder a task under `tasks/level*/<Category>/<Operator>`.

Read are `api_desc.md`, `question/` and `validation/`. The expert's `answer/` is noticed but never opened:
what it says must not reach a generator that is to be measured on the same task.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

from core.errors import InvalidInput
from core.operators.catalogue import operator_names
from core.operators.importers.binding_translation import translate_binding
from core.operators.importers.cpp_source import (
    Binding,
    DefinedAttribute,
    DefinedTensor,
    OperatorDefinition,
    Source,
    interface_types,
    parse_binding,
    parse_operator_definition,
)
from core.operators.importers.operator_folder import adapter_text
from core.operators.importers.python_source import (
    functions,
    parse,
    read_text,
    relative,
    require_class,
    require_function,
    returns_list,
)
from core.operators.importers.task import (
    BIG_ELEMENTS,
    ImportedTask,
    ImportReport,
    TaskCase,
    read_tasks,
)
from core.operators.spec import (
    AttributeSpec,
    AttributeValue,
    DecidingRule,
    DType,
    RowValue,
    TensorSpec,
)

BENCHMARK = "NPUKernelBench"
ADAPTER, ROOMS = "npukernelbench.py", "npukernelbench_binding.py"
# Above this the CPU twin would need minutes for a case: multiply-adds.
BIG_PRODUCTS = 1 << 27
_LONGEST_CHECKER = 2000  # characters of a task's own checker that stand in the task


def import_npukernelbench(root: Path) -> ImportReport:
    """Read every task of a checkout.

    Args:
        root: Folder that holds `tasks/level*/`.
    """
    catalogue = frozenset(operator_names())
    entries = sorted(root.glob("tasks/level*/*/*"))
    folders = [entry for entry in entries if entry.is_dir()]
    tasks = [(_identifier(folder), folder) for folder in folders]
    return read_tasks(
        BENCHMARK, root, tasks, lambda name, at: _task(at, root, name, catalogue)
    )


def _identifier(folder: Path) -> str:
    category = folder.parent
    level = category.parent.name.removeprefix("level")
    return f"npukb/L{level}/{category.name}/{folder.name}"


def benchmark_snake_case(name: str) -> str:
    """The file stem the benchmark derives from an operator's folder."""
    words_apart = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z0-9])([A-Z])", r"\1_\2", words_apart).lower()


def _task(
    folder: Path, root: Path, identifier: str, catalogue: frozenset[str]
) -> ImportedTask:
    """One task from its description, question and validation.

    Args:
        folder: Of the task.
        root: Of the checkout, for messages.
        identifier: As the bank and reports name it.
        catalogue: Names of its operators, whose tasks are the paper's and not for mining.
    """
    level = folder.parent.parent.name.removeprefix("level")
    if level not in ("1", "2", "3"):
        raise InvalidInput(
            relative(folder, root), "level", "{level!r} is not 1, 2 or 3", level=level
        )
    validation = folder / "validation"
    description = read_text(folder / "api_desc.md", root)
    templates = _templates(folder, root)
    host = next(path for path in templates if path.startswith("op_host/"))
    definition = parse_operator_definition(
        templates[host], relative(folder / "question" / host, root)
    )
    module, prepare, checker = _python(validation, root)
    binding_file = validation / "pybind.cpp"
    binding = parse_binding(read_text(binding_file, root), relative(binding_file, root))
    table = validation / "test_cases.csv"
    cases = read_cases(read_text(table, root), relative(table, root))
    plan = plan_call(definition, binding)
    source = relative(validation / "module.py", root)
    model = require_class(parse(module, source), "Model", source)
    plan |= {
        "returns_list": returns_list(functions(model.body)["forward"]),
        "function": binding.function,
        "python": translate_binding(read_text(binding_file, root)),
    }
    attributes = []
    for row in plan["attributes"]:
        default = _default(row)
        attributes.append(AttributeSpec(row["name"], row["kind"], default))
    return ImportedTask(
        identifier=identifier,
        name=definition.name,
        benchmark=BENCHMARK,
        level=int(level),
        category=folder.parent.name,
        summary=description,
        inputs=_tensors(plan["inputs"]),
        outputs=_tensors(plan["outputs"]),
        cases=cases,
        attributes=tuple(attributes),
        rule=DecidingRule.CHECKER if checker else DecidingRule.BENCHMARK,
        adapter=ADAPTER,
        files={
            "task/module.py": module,
            "task/prepare_inputs.py": prepare,
            "task/binding.json": json.dumps(plan, indent=1) + "\n",
            "task/rooms.py": adapter_text(ROOMS),
        },
        tolerance=_checker_text(checker) if checker else "",
        templates=templates,
        split="paper" if definition.name in catalogue else "mining",
        expert_answer=(folder / "answer").is_dir(),
        notes=_notes(plan),
    )


def _checker_text(source: str) -> str:
    """The task's own checker as the model reads it: its bounds are numbers in its code."""
    rest = "\n# the rest is left out" if len(source) > _LONGEST_CHECKER else ""
    cut = source[:_LONGEST_CHECKER] + rest
    return f"The task's own checker decides (`outputs` are the reference):\n```python\n{cut}\n```"


def _templates(folder: Path, root: Path) -> dict[str, str]:
    """The question's host and kernel file, exactly one each, named after the operator."""
    templates = {}
    stem = benchmark_snake_case(folder.name.split("_")[0])
    for part in ("op_host", "op_kernel"):
        place = folder / "question" / part
        sources = sorted(place.glob("*.cpp"))
        if len(sources) != 1:
            raise InvalidInput(
                relative(place, root),
                "*.cpp",
                "expected one file, found {count}",
                count=len(sources),
            )
        file = sources[0]
        if file.stem != stem:
            raise InvalidInput(
                relative(file, root), "file name", "is not {stem}.cpp", stem=stem
            )
        templates[f"{part}/{file.name}"] = read_text(file, root)
    return templates


def _python(validation: Path, root: Path) -> tuple[str, str, str]:
    """Texts of module.py, of prepare_inputs.py and of the task's own checker in it, empty without one."""
    module_file = validation / "module.py"
    prepare_file = validation / "prepare_inputs.py"
    module = read_text(module_file, root)
    prepare = read_text(prepare_file, root)
    tree = parse(module, relative(module_file, root))
    for name in ("Model", "ModelNew"):
        require_class(tree, name, relative(module_file, root))
    tree = parse(prepare, relative(prepare_file, root))
    for name in ("get_inputs", "get_init_inputs"):
        require_function(tree, name, relative(prepare_file, root))
    own = functions(tree.body).get("custom_check_precision")
    checker = ""
    if own:
        checker = ast.get_source_segment(prepare, own) or "pass"
    return module, prepare, checker


# Operators of CANN that bindings call in place of the task's own, whose parameters CANN documents in another
# order: inputs and attributes of the call under their names in the OpDef.
_CANN_ORDER = {
    "aclnnBatchNorm": (
        "x",
        "weight",
        "bias",
        "running_mean",
        "running_var",
        "is_training",
        "momentum",
        "epsilon",
    ),
    "aclnnMseLossBackward": ("dout", "predict", "label", "reduction"),
}


def plan_call(definition: OperatorDefinition, binding: Binding) -> dict[str, Any]:
    """Which value of the Python call is which input, attribute or output of the operator.

    The aclnn call names inputs, attributes and outputs in the order of the OpDef, an output that shares its
    name with an input only once. `obstacle` says why the twin cannot run the task, empty when it can.
    """
    inputs = definition.inputs
    attributes = definition.attributes
    input_names = {tensor.name for tensor in inputs}
    own_outputs = [each for each in definition.outputs if each.name not in input_names]
    tensor_count = len(inputs) + len(own_outputs)
    expected = tensor_count + len(attributes)
    passed = len(binding.arguments)
    # A call may leave out attributes, all of them, where each has a default.
    omitted = passed == tensor_count and all(map(_default_json, attributes))
    obstacle = ""
    if not omitted and passed != expected:
        obstacle = (
            f"The binding passes {passed} arguments where the operator definition has "
            f"{expected}, so the CPU twin cannot tell which is which."
        )
    types, dropped = _signatures(definition)
    if dropped and not any(types.values()):
        type_list = ", ".join(sorted(dropped))
        obstacle = (
            f"The operator works on {type_list}, which the CPU twin does not know."
        )
    plan: dict[str, Any] = {"obstacle": obstacle, "inputs": [], "attributes": []}
    order = _CANN_ORDER.get(binding.call, ())
    for index, tensor in enumerate(inputs):
        place = order.index(tensor.name) if tensor.name in order else index
        origin = Source() if obstacle else binding.sources[place]
        row = {**_tensor_row(tensor, types), **_source_row(origin)}
        plan["inputs"].append({**row, "optional": tensor.optional})
    for index, attribute in enumerate(attributes, start=len(inputs)):
        place = order.index(attribute.name) if attribute.name in order else index
        origin = Source()
        if not obstacle and not omitted:
            origin = _attribute_source(attribute, binding, place)
        row = {
            "name": attribute.name,
            "kind": attribute.kind,
            "default": _default_json(attribute),
        }
        plan["attributes"].append({**row, **_source_row(origin)})
    first_output = len(inputs) if omitted else len(inputs) + len(attributes)
    outputs = _outputs(definition, binding, types, own_outputs, first_output)
    unseen = [row["name"] for row in outputs if row["returned"] < 0]
    plan["outputs"] = outputs
    plan["unseen"] = unseen
    if not obstacle and len(unseen) == len(outputs):
        plan["obstacle"] = (
            "The binding hands back no result, so the CPU twin cannot check any."
        )
    return plan


def _tensor_row(
    tensor: DefinedTensor, types: Mapping[str, list[str]]
) -> dict[str, Any]:
    return {"name": tensor.name, "types": types[tensor.name], "list": tensor.dynamic}


def _source_row(origin: Source) -> dict[str, Any]:
    return {"parameter": origin.parameter, "constant": origin.constant}


def _attribute_source(
    attribute: DefinedAttribute, binding: Binding, place: int
) -> Source:
    """Where the value of an attribute comes from; `place`: of its argument in the aclnn call."""
    origin = binding.sources[place]
    is_followed = attribute.kind != "str" or origin.parameter >= 0
    if is_followed or attribute.name not in binding.parameters:
        return origin
    # The call has CANN's enumeration of it, which the binding makes from the text that came.
    return Source(binding.parameters.index(attribute.name))


def _notes(plan: Mapping[str, Any]) -> tuple[str, ...]:
    if plan["obstacle"]:
        return (plan["obstacle"],)
    names = ", ".join(plan["unseen"])
    if not names:
        return ()
    return (f"The benchmark does not look at {names}: given room, but not checked.",)


def _outputs(
    definition: OperatorDefinition,
    binding: Binding,
    types: Mapping[str, list[str]],
    own: list[DefinedTensor],
    first: int,
) -> list[dict[str, Any]]:
    """Outputs in the order of the OpDef, the call's from argument `first` on; without any, inputs change."""
    inputs = definition.inputs
    position = {tensor.name: at for at, tensor in enumerate(own, start=first)}
    # An output that shares its name with an input is that argument.
    position |= {tensor.name: at for at, tensor in enumerate(inputs)}
    tensors = list(definition.outputs)
    if not tensors:
        returned = [at for at in binding.returned if at < len(inputs)]
        tensors = [inputs[at] for at in returned]
        if not tensors and inputs:
            # It can only change what it was given; the binding hands back a copy under another name.
            row = _tensor_row(inputs[0], types)
            return [{**row, "returned": 0, "argument": 0}]
    rows = []
    for tensor in tensors:
        argument = position[tensor.name]
        row = _tensor_row(tensor, types)
        row["returned"] = _index(binding.returned, argument)
        row["argument"] = argument
        rows.append(row)
    return rows


def _index(values: tuple[int, ...], value: int) -> int:
    return values.index(value) if value in values else -1


def _signatures(
    definition: OperatorDefinition,
) -> tuple[dict[str, list[str]], set[str]]:
    """Types of all tensors in each signature, without those that use a type the interface does not know.

    Returns:
        Name of each tensor -> its types by signature, and the types that are not known.
    """
    tensors = (*definition.inputs, *definition.outputs)
    count = max((len(tensor.types) for tensor in tensors), default=0)
    dropped: set[str] = set()
    # A tensor with one type has it in all signatures; one with another number of them is left empty.
    by_signature: dict[str, list[str | None]] = {}
    types: dict[str, list[str]] = {}
    for tensor in tensors:
        types[tensor.name] = []
        known = interface_types(tensor.types)
        for entry, name in zip(tensor.types, known, strict=True):
            if name is None and entry != "DT_UNDEFINED":
                dropped.add(entry.removeprefix("DT_").lower())
        if len(known) == count:
            by_signature[tensor.name] = list(known)
        elif len(known) == 1:
            by_signature[tensor.name] = list(known) * count
    for column in range(count):
        signature = {name: known[column] for name, known in by_signature.items()}
        if None not in signature.values():
            for name, dtype in signature.items():
                types[name].append(str(dtype))
    return types, dropped


def _default_json(attribute: DefinedAttribute) -> str:
    """The default of an attribute as JSON text, empty when it has none (or one that is no literal)."""
    text = attribute.default.strip()
    if attribute.kind.endswith("_list") and text.startswith("{"):
        text = f"[{text.strip('{}')}]"
    elif attribute.kind == "float":
        text = text.rstrip("fF")
    try:
        value = (
            ast.literal_eval({"true": "True", "false": "False"}.get(text, text))
            if text
            else None
        )
    except (ValueError, SyntaxError):
        return ""
    return "" if value is None else json.dumps(value)


def _tensors(rows: list[dict[str, Any]]) -> tuple[TensorSpec, ...]:
    """The rows of a plan as tensors of an interface."""
    return tuple(
        TensorSpec(
            row["name"],
            tuple(DType(entry) for entry in row["types"]),
            row.get("optional", False),
            row["list"],
        )
        for row in rows
    )


def _default(row: Mapping[str, str]) -> AttributeValue | None:
    if not row["default"]:
        return None
    value = json.loads(row["default"])
    if row["kind"].endswith("_list"):
        return tuple(value) if isinstance(value, list) else (value,)
    converters = {"int": int, "float": float, "bool": bool, "str": str}
    converted: AttributeValue = converters[row["kind"]](value)
    return converted


def read_cases(text: str, source: str, delimiter: str = ";") -> tuple[TaskCase, ...]:
    """Cases of a table with a header row; the column `case_id` only names them.

    A column of whole numbers gives int, of numbers float (int when all are whole), of true and false bool,
    every other column text. Cells that begin with a bracket must be Python literals.

    Raises:
        InvalidInput: No header, no row, a row of another width, or a cell that is no literal.
    """
    lines = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    if not lines or "case_id" not in lines[0]:
        raise InvalidInput(source, "row 1", "is not a header with the column case_id")
    header = lines[0]
    rows = [line for line in lines[1:] if line]
    if not rows:
        raise InvalidInput(source, "row 2", "is missing: the table has no case")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise InvalidInput(
                source,
                f"row {number}",
                "has {count} cells where the header has {columns}",
                count=len(row),
                columns=len(header),
            )
        for name, cell in zip(header, row, strict=True):
            _check_literal(cell, source, f"row {number}, column {name}")
    columns: dict[str, list[RowValue]] = {}
    for at, name in enumerate(header):
        columns[name] = _typed([row[at] for row in rows])
    identifiers = columns.pop("case_id")
    cases = []
    for index, identifier in enumerate(identifiers):
        row_values = {name: values[index] for name, values in columns.items()}
        case = TaskCase(f"case-{identifier}", row_values, is_big(row_values))
        cases.append(case)
    names = [case.name for case in cases]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(
                source,
                "column case_id",
                "{name!r} is used twice",
                name=name.removeprefix("case-"),
            )
    return tuple(cases)


def _check_literal(cell: str, source: str, field: str) -> None:
    if cell.strip()[:1] in ("[", "(", "{"):
        try:
            ast.literal_eval(cell.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
            raise InvalidInput(
                source, field, "{cell!r} is not a literal", cell=cell[:200]
            ) from error


def _typed(cells: list[str]) -> list[RowValue]:
    """The values of a column, all of the one type that holds them; an empty cell among numbers is NaN."""
    words = [cell.strip().lower() for cell in cells]
    if set(words) <= {"true", "false"}:
        return [word == "true" for word in words]
    try:
        numbers = [float(word or "nan") for word in words]
    except ValueError:
        return list(cells)
    if all(number.is_integer() for number in numbers):
        return [int(number) for number in numbers]
    return list(numbers)


def is_big(row: Mapping[str, RowValue]) -> bool:
    """Whether a case is too large for the CPU twin, judged by the shapes and sizes its row names."""
    largest = 0
    # Of a matrix product, which has m, n and k at least.
    sizes: list[int] = []
    for name, value in row.items():
        if isinstance(value, str) and value.strip().startswith(("[", "(")):
            shape = ast.literal_eval(value.strip())
            largest = max(largest, _elements(shape))
        elif _is_integer(value) and name.lower() in ("m", "n", "k", "batch"):
            sizes.append(value)
    products = math.prod(sizes) if len(sizes) >= 3 else 0
    return largest > BIG_ELEMENTS or products > BIG_PRODUCTS


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _elements(value: object) -> int:
    """Elements of the largest shape in a literal: a list of sizes, or a list of such lists (their sum)."""
    if not isinstance(value, list | tuple):
        return 0
    if value and all(map(_is_integer, value)):
        return math.prod(size for size in value if size > 0)
    return sum(map(_elements, value))
