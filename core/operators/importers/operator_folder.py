"""Writes imported tasks as operator folders, each of them whole or not at all."""

from __future__ import annotations

import json
import math
import shutil
import uuid
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from core.errors import InvalidInput
from core.operators.importers.task import ImportedTask
from core.operators.loader import REFERENCE_FILE, SPECIFICATION_FILE, load_operator
from core.operators.spec import AttributeSpec, RowValue, TensorSpec
from core.whole_file import writing_folder

ORIGIN_FILE = "import.json"


def adapter_text(name: str) -> str:
    """The reference file that runs tasks of one benchmark, from `resources/importers`."""
    return (
        resources.files("resources")
        .joinpath("importers", name)
        .read_text(encoding="utf-8")
    )


def write_task(task: ImportedTask, destination: Path) -> Path:
    """Write `task` to `destination/<name>`, replacing an earlier import of it.

    Returns:
        The operator's folder, which `load_operator` accepts.

    Raises:
        InvalidInput: A file cannot be written, or the folder belongs to something that is no import.
    """
    final = destination / task.name
    if final.exists() and not (final / ORIGIN_FILE).is_file():
        raise InvalidInput(
            str(final),
            "folder",
            "exists and is not an imported task",
            "Choose another destination.",
        )
    partial = destination / f".{task.name}.{uuid.uuid4().hex[:8]}"
    try:
        with writing_folder(final):
            for name, text in _texts(task).items():
                path = partial / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
            load_operator(partial)
            _replace(partial, final)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return final


def _replace(partial: Path, final: Path) -> None:
    old = final.with_name(f"{partial.name}.old")
    if final.exists():
        final.rename(old)
    partial.rename(final)
    shutil.rmtree(old, ignore_errors=True)


def _texts(task: ImportedTask) -> dict[str, str]:
    """Path -> text of all files of an imported task's operator folder."""
    texts = {
        SPECIFICATION_FILE: specification_text(task),
        REFERENCE_FILE: adapter_text(task.adapter),
    }
    texts |= task.files
    texts |= {f"question/{path}": text for path, text in task.templates.items()}
    origin = {
        "identifier": task.identifier,
        "benchmark": task.benchmark,
        "split": task.split,
        "expert_answer_in_benchmark": task.expert_answer,
        "notes": list(task.notes),
        "baselines_us": {
            case: {
                "value": value,
                "origin": "measured" if measured else "derived or capped",
            }
            for case, (value, measured) in task.baselines.items()
        },
    }
    return texts | {
        ORIGIN_FILE: json.dumps(origin, indent=1, ensure_ascii=False) + "\n"
    }


def specification_text(task: ImportedTask) -> str:
    """The task as `operator.toml`."""
    summary = "\n".join([task.summary.strip(), *(f"\n> {note}" for note in task.notes)])
    lines = [
        "format = 1",
        f"name = {_text(task.name)}",
        f"level = {task.level}",
        f"category = {_text(task.category)}",
        f"benchmark = {_text(task.benchmark)}",
        f"rule = {_text(str(task.rule))}",
        f"files = {_strings(sorted(task.files))}",
        "deny = []",
        f"references = {_strings([task.identifier])}",
        f"summary = {_long_text(summary)}",
        *([f"tolerance = {_long_text(task.tolerance)}"] if task.tolerance else []),
    ]
    for kind, tensors in (("input", task.inputs), ("output", task.outputs)):
        for tensor in tensors:
            lines += ["", f"[[{kind}]]", *_tensor(tensor)]
    for attribute in task.attributes:
        lines += ["", "[[attribute]]", *_attribute(attribute)]
    for case in task.cases:
        lines += [
            "",
            "[[case]]",
            f"name = {_text(case.name)}",
            *(["big = true"] if case.big else []),
        ]
        lines.append(f"row = {_row(case.row)}")
    return "\n".join(lines) + "\n"


def _tensor(tensor: TensorSpec) -> list[str]:
    """Lines of an `[[input]]` or `[[output]]`."""
    lines = [
        f"name = {_text(tensor.name)}",
        f"dtypes = {_strings([str(dtype) for dtype in tensor.dtypes])}",
    ]
    lines += ["optional = true"] if tensor.optional else []
    lines += ["list = true"] if tensor.is_list else []
    lines += (
        [f"description = {_text(tensor.description)}"] if tensor.description else []
    )
    return lines


def _attribute(attribute: AttributeSpec) -> list[str]:
    """Lines of an `[[attribute]]`."""
    lines = [f"name = {_text(attribute.name)}", f"type = {_text(attribute.type)}"]
    if attribute.default is not None:
        value = attribute.default
        entries = value if isinstance(value, tuple) else (value,)
        texts = [_scalar(entry) for entry in entries]
        lines.append(
            f"default = [{', '.join(texts)}]"
            if isinstance(value, tuple)
            else f"default = {texts[0]}"
        )
    lines += (
        [f"description = {_text(attribute.description)}"]
        if attribute.description
        else []
    )
    return lines


def _row(row: Mapping[str, RowValue]) -> str:
    return (
        "{ "
        + ", ".join(f"{_text(key)} = {_scalar(value)}" for key, value in row.items())
        + " }"
    )


def _scalar(value: RowValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return repr(value)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _long_text(text: str) -> str:
    """Several lines as they are where TOML's literal strings allow it, else escaped."""
    printable = all(
        character.isprintable() or character in "\n\t" for character in text
    )
    return (
        f"'''\n{text}\n'''"
        if printable and "'''" not in text and not text.endswith("'")
        else _text(text)
    )


def _strings(texts: Sequence[str]) -> str:
    return "[" + ", ".join(_text(text) for text in texts) + "]"
