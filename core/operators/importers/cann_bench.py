"""CANN Bench: `tasks/level*/<op>/` with proto.yaml, golden.py, cases.yaml; baselines in `tasks/metadata`."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
from core.operators.importers.python_source import functions, parse, read_text, relative
from core.operators.importers.task import (
    BIG_ELEMENTS,
    MEAN_TOLERANCE,
    ImportedTask,
    ImportReport,
    TaskCase,
    TaskFault,
    read_tasks,
)
from core.operators.loader import ATTRIBUTE_TYPES
from core.operators.spec import (
    AttributeSpec,
    DecidingRule,
    DType,
    TensorSpec,
    snake_case,
)
from core.outside import json_value

BENCHMARK = "CANN Bench"
ADAPTER = "cann_bench.py"
# The hardware minimum is multiplied by this, and at least this many microseconds, where nothing was measured.
_DERIVED_FACTOR, _DERIVED_FLOOR_US = 10.0, 10.0


def import_cann_bench(root: Path) -> ImportReport:
    """Read every task of a checkout.

    Args:
        root: Folder that holds `tasks/level*/`.
    """
    faults: list[TaskFault] = []
    baselines = _baselines(root, faults)
    folders = [
        folder for folder in sorted(root.glob("tasks/level*/*")) if folder.is_dir()
    ]
    tasks = [
        (f"cann-bench/{folder.parent.name}/{folder.name}", folder) for folder in folders
    ]
    return read_tasks(
        BENCHMARK,
        root,
        tasks,
        lambda name, at: _task(at, root, name, baselines),
        faults,
    )


def _yaml(path: Path, root: Path) -> Any:
    """A YAML document; raises InvalidInput with the line where it is none."""
    import yaml

    try:
        return yaml.safe_load(read_text(path, root))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}" if mark else "file"
        raise InvalidInput(
            relative(path, root),
            line,
            "is not valid YAML: {error}",
            error=str(error).splitlines()[0],
        ) from error


def _task(
    folder: Path, root: Path, identifier: str, baselines: dict[str, Any]
) -> ImportedTask:
    """One task: its interface from `proto.yaml`, its reference from `golden.py`, its cases from `cases.yaml`.

    Raises:
        InvalidInput: Naming file and field.
    """
    proto_file = folder / "proto.yaml"
    golden_file = folder / "golden.py"
    cases_file = folder / "cases.yaml"
    source = relative(proto_file, root)
    operator = _table(_yaml(proto_file, root), "operator", source, "")
    name = _text(operator, "name", source, "operator")
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
        raise InvalidInput(
            source,
            "operator.name",
            "{name!r} is not a PascalCase operator name",
            name=name,
        )
    inputs = [
        _tensor(row, f"operator.inputs[{i}]", source)
        for i, row in _rows(operator, "inputs", source)
    ]
    outputs = [
        _tensor(row, f"operator.outputs[{i}]", source)
        for i, row in _rows(operator, "outputs", source)
    ]
    if not outputs:
        raise InvalidInput(source, "operator.outputs", "is empty")
    attributes = [
        _attribute(row, f"operator.attrs[{i}]", source)
        for i, row in _rows(operator, "attrs", source)
    ]
    golden = read_text(golden_file, root)
    defined = functions(parse(golden, relative(golden_file, root)).body)
    names = (folder.name, snake_case(name))
    function = next((each for each in names if each in defined), "")
    if not function:
        raise InvalidInput(
            relative(golden_file, root), f"function {folder.name}", "is not defined"
        )
    cases = _cases(cases_file, root, len(inputs))
    # Outputs that the benchmark does not look at.
    ignored = []
    for _, row in _rows(operator, "outputs", source):
        if row.get("compare") is False:
            ignored.append(str(row["name"]))
    interface = {
        "function": function,
        "inputs": [tensor.name for tensor in inputs],
        "outputs": [tensor.name for tensor in outputs],
        "attributes": [attribute.name for attribute in attributes],
        "ignored": ignored,
    }
    description = folder / "desc.md"
    summary = _summary(operator)
    if description.is_file():
        summary = read_text(description, root)
    category = operator.get("category", "Other")
    difficulty = operator.get("difficulty", folder.parent.name)
    of_difficulty = baselines.get(folder.parent.name, {})
    return ImportedTask(
        identifier=identifier,
        name=name,
        benchmark=BENCHMARK,
        level=0,
        category=f"{category} {difficulty}",
        summary=summary,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        attributes=tuple(attributes),
        cases=cases,
        rule=DecidingRule.CHECKER,
        adapter=ADAPTER,
        tolerance=MEAN_TOLERANCE,
        files={
            "task/golden.py": golden,
            "task/interface.json": json.dumps(interface, indent=1) + "\n",
        },
        baselines=_case_baselines(of_difficulty.get(folder.name, {})),
    )


def _table(document: Any, key: str, source: str, path: str) -> dict[str, Any]:
    value = document.get(key) if isinstance(document, dict) else None
    if not isinstance(value, dict):
        raise InvalidInput(
            source, f"{path}{key}", "expected a table, found {value!r}", value=value
        )
    return value


def _text(table: dict[str, Any], key: str, source: str, path: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(
            source, f"{path}.{key}", "expected a text, found {value!r}", value=value
        )
    return value.strip()


def _rows(
    operator: dict[str, Any], key: str, source: str
) -> list[tuple[int, dict[str, Any]]]:
    """The tables below a key, with their numbers for messages."""
    rows = operator.get(key) or []
    is_list = isinstance(rows, list)
    if not is_list or not all(isinstance(row, dict) for row in rows):
        raise InvalidInput(
            source,
            f"operator.{key}",
            "expected a list of tables, found {rows!r}",
            rows=rows,
        )
    return list(enumerate(rows))


def _tensor(row: dict[str, Any], path: str, source: str) -> TensorSpec:
    """An input or output as `proto.yaml` has it."""
    name = _text(row, "name", source, path)
    listed = row.get("dtype") or []
    entries = listed if isinstance(listed, list) else [listed]
    known_types = set(DType)
    dtypes = [DType(str(entry)) for entry in entries if str(entry) in known_types]
    shape = str(row.get("shape", ""))
    kind = str(row.get("type", ""))
    description = str(row.get("description", ""))
    optional = row.get("optional", row.get("required") is False)
    written_as = shape + kind
    is_list = "TensorList" in written_as or "List[Tensor]" in written_as
    return TensorSpec(
        name=name,
        # The lists are not parallel here: each says what the tensor may be. Only a single type is a signature.
        dtypes=tuple(dtypes) if len(dtypes) == 1 else (),
        optional=bool(optional),
        is_list=is_list,
        description=" ".join(filter(None, (description, shape))),
    )


# As the benchmark writes them, without regard to capitals: its guide asks for ListInt, tasks also have
# listInt, List[int] and int[]. `Tensor` is a list of whole numbers in every case that has one.
_KINDS = {
    "int": "int",
    "int32": "int",
    "int32_t": "int",
    "int64": "int",
    "int64_t": "int",
    "float": "float",
    "double": "float",
    "bool": "bool",
    "str": "str",
    "string": "str",
    "tensor": "int_list",
}


def _attribute(row: dict[str, Any], path: str, source: str) -> AttributeSpec:
    """An attribute as `proto.yaml` has it, whose types are spelt in several ways."""
    name = _text(row, "name", source, path)
    text = str(row.get("type", "str")).strip()
    spelling = text.lower()
    list_type = re.fullmatch(
        r"(?:list|tuple)\[?(\w+?)(?:,.*)?\]?|(\w+)\[\d*\]", spelling
    )
    if list_type is None:
        kind = _KINDS.get(spelling, "")
    else:
        element = _KINDS.get(list_type[1] or list_type[2], "")
        kind = f"{element}_list"
    if kind not in ATTRIBUTE_TYPES:
        spellings = ", ".join(
            ["Int", "Float", "Bool", "String", "ListInt", "ListFloat", "Tensor"]
        )
        raise InvalidInput(
            source,
            f"{path}.type",
            "{text!r} is not one of {known}",
            text=text,
            known=spellings,
        )
    return AttributeSpec(name, kind, None, str(row.get("description", "")))


def _cases(path: Path, root: Path, inputs: int) -> tuple[TaskCase, ...]:
    """The cases of `cases.yaml`.

    Args:
        path: The file.
        root: Of the checkout, for messages.
        inputs: How many inputs the operator has.
    """
    source = relative(path, root)
    document = _yaml(path, root)
    rows = document.get("cases") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not rows:
        raise InvalidInput(
            source,
            "cases",
            "expected a list of cases, found {rows}",
            rows=repr(rows)[:160],
        )
    cases = []
    for index, row in enumerate(rows):
        field = f"cases[{index}]"
        if not isinstance(row, dict):
            raise InvalidInput(
                source, field, "expected a table, found {row!r}", row=row
            )
        for key in ("case_id", "input_shape", "dtype"):
            if key not in row:
                raise InvalidInput(source, f"{field}.{key}", "is missing")
        shapes = row["input_shape"]
        if not isinstance(shapes, list) or len(shapes) > inputs:
            raise InvalidInput(
                source,
                f"{field}.input_shape",
                "has {count} entries for {inputs} inputs",
                count=len(shapes) if isinstance(shapes, list) else 0,
                inputs=inputs,
            )
        parameters = {
            key: row[key]
            for key in ("input_shape", "dtype", "attrs", "value_range", "note")
            if key in row
        }
        text = json.dumps(_plain(parameters), ensure_ascii=False)
        is_big = _elements(shapes) > BIG_ELEMENTS
        cases.append(TaskCase(f"case-{row['case_id']}", {"case": text}, is_big))
    return tuple(cases)


def _plain(value: Any) -> Any:
    """The value as JSON can hold it: infinities and NaN as text."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _elements(shape: Any) -> int:
    """Elements of the largest shape in a list of shapes, or of lists of them; 0 for anything else."""
    if not isinstance(shape, list) or not shape:
        return 0
    if all(isinstance(entry, int) for entry in shape):
        return math.prod(shape)
    return max(map(_elements, shape))


def _summary(operator: dict[str, Any]) -> str:
    parts = [
        str(operator.get(key, "")).strip()
        for key in ("description", "formula", "schema", "note")
    ]
    return "\n\n".join(part for part in parts if part)


def _baselines(root: Path, faults: list[TaskFault]) -> dict[str, Any]:
    """Baselines of the 910B2, by level, operator and case."""
    path = root / "tasks" / "metadata" / "910b2.json"
    if not path.is_file():
        return {}
    try:
        document = json_value(read_text(path, root), relative(path, root))
    except InvalidInput as error:
        faults.append(
            TaskFault(
                "cann-bench/metadata",
                relative(path, root),
                "file",
                f"cannot be read: {error}",
            )
        )
        return {}
    return document if isinstance(document, dict) else {}


def _case_baselines(rows: dict[str, Any]) -> dict[str, tuple[float, bool]]:
    """Microseconds per case, and whether they were measured.

    The benchmark writes ten times the hardware minimum (at least 10 us) where it has no measurement, and caps
    measurements at the same value: a number that equals it is not known to be measured.
    """
    baselines = {}
    for case, row in rows.items():
        value, minimum = row.get("baseline_perf_us"), row.get("t_hw_us")
        if isinstance(value, int | float):
            has_minimum = isinstance(minimum, int | float)
            derived = (
                max(_DERIVED_FACTOR * minimum, _DERIVED_FLOOR_US)
                if has_minimum
                else math.nan
            )
            baselines[f"case-{case}"] = (
                float(value),
                not abs(value - derived) <= 0.01 * derived,
            )
    return baselines
