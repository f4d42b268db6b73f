"""Tasks in Python files with `class Model` and a function that gives inputs, wherever they lie.

Any such file is a task; the collections below say by their layout which files are theirs, what they call them
and by which rule they compare. No file is run: the judge's child does that.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import InvalidInput
from core.operators.importers.model_file import GIVERS, Tolerance, model_task
from core.operators.importers.multikernelbench import NPU_SET, unique_names
from core.operators.importers.python_source import parse, read_text, relative
from core.operators.importers.task import ImportedTask, ImportReport, TaskFault
from core.sentence import Sentence

MODEL_FILES, ASCEND_AGENT, AKG, ROBUST = "model file", "AscendOpGenAgent", "AKG", "robust-kbench"
# File names that say what a file is, not what its task is called: that is the folder's name.
_ROLES = ("model", "func_forward", "task", "reference", "problem", "main")
# What a task file may import in the judge's child: PyTorch and what it brings, beside the standard library.
_AVAILABLE = {"torch", "torch_npu", "numpy", "kernel_gen_ops", *sys.stdlib_module_names}
_MOST_FILES = 20_000
_SKIPPED = ("__pycache__", "site-packages", "node_modules")


@dataclass(frozen=True)
class _Found:
    path: Path
    identifier: str
    category: str
    benchmark: str
    comparison: Tolerance


def is_model_file(text: str) -> bool:
    """Whether a Python text looks like a task: a class `Model`, and a function that gives inputs."""
    return bool(re.search(r"^class Model\b", text, re.MULTILINE)) and any(
        re.search(rf"^def {name}\b", text, re.MULTILINE) for name in GIVERS
    )


def holds_model_files(root: Path) -> bool:
    """Whether there is a task file in `root` or below."""
    return next(iter(_model_files(root)), None) is not None


def import_model_files(root: Path) -> ImportReport:
    """Read one task file, or every task file in a folder and below.

    Raises:
        InvalidInput: A single file is none.
    """
    top = root if root.is_dir() else root.parent
    files = list(_model_files(root)) if root.is_dir() else [root]
    found = [
        _Found(
            path, f"file/{relative(path.with_suffix(''), top)}", path.parent.name or "Other", MODEL_FILES,
            Tolerance.MEAN_AND_LARGEST,
        )
        for path in files
    ]  # fmt: skip
    report = _read(found, top, MODEL_FILES)
    if not root.is_dir() and report.faults:
        fault = report.faults[0]
        remedy = "A task has `class Model` and `get_inputs`."
        raise InvalidInput(str(root), fault.field, fault.problem, remedy)
    return report


def import_ascend_agent(root: Path) -> ImportReport:
    """AscendOpGenAgent: its own operators with files of cases, and its archived tasks.

    Args:
        root: The checkout, or its folder `benchmarks`.
    """
    base = root / "benchmarks" if (root / "benchmarks").is_dir() else root
    rule = Tolerance.MEAN_AND_LARGEST
    found = [
        _Found(path, f"ascend-agent/{path.parent.name}/{path.stem}", path.parent.name, NPU_SET, rule)
        for path in sorted(base.glob("NPUKernelBench/level*/[0-9]*_*.py"))
    ]
    found += [
        _Found(path, f"ascend-agent/archive/{path.parent.name}", "Archive", ASCEND_AGENT, rule)
        for path in sorted(root.glob("archive_tasks/*/model.py"))
    ]
    report = _read(found, root, ASCEND_AGENT)
    copies = sorted(base.glob("KernelBench/level*/[0-9]*_*.py"))
    if not copies:
        return report
    where = relative(base / "KernelBench", root)
    note = f"{where} is a copy of KernelBench ({len(copies)} files): import it by itself."
    return replace(report, notes=(note,))


_AKG_FOLDERS = ("static_shape", "dynamic_shape", "thirdparty")


def akg_folder(root: Path) -> Path | None:
    """The folder that holds AKG's benchmarks, for a checkout or a part of it."""
    for inner in ("", "benchmark", "akg_agents/benchmark"):
        if (root / inner / "akg_kernels_bench").is_dir():
            return root / inner
    return None


def import_akg(root: Path) -> ImportReport:
    """AKG: `akg_kernels_bench` (static and dynamic shapes, parts of other projects) and the lite set."""
    base = akg_folder(root) or root
    bench, lite = base / "akg_kernels_bench", base / "akg_kernels_bench_lite"
    files = [path for part in _AKG_FOLDERS for path in sorted((bench / part).rglob("*.py"))]
    files += sorted(lite.glob("t[0-9]*/*.py"))
    found = [
        _Found(
            path, f"akg/{relative(path.with_suffix(''), base)}",
            relative(path.parent, bench if bench in path.parents else base), AKG, Tolerance.SHARE,
        )
        for path in files
        if is_model_file(read_text(path, root))
    ]  # fmt: skip
    report = _read(found, root, AKG)
    others = [name for name in ("mindspore", "numpy") if (base / "kernelbench" / name).is_dir()]
    left = f"kernelbench/{' and '.join(others)} give tasks in another framework than PyTorch: left out."
    return replace(report, notes=(left,)) if others else report


def import_robust_kbench(root: Path) -> ImportReport:
    """robust-kbench: forward tasks of `tasks/`, with the default sizes of their files."""
    found = [
        _Found(
            path, f"robust-kbench/{relative(path.with_suffix(''), root)}", path.parent.parent.name, ROBUST,
            Tolerance.MEAN_AND_LARGEST,
        )
        for path in sorted(root.glob("tasks/**/*.py"))
        # A task of KernelBench lies there twice: as it was, and with its parameters as arguments.
        if path.stem[:1].isdigit() or (
            path.stem == "func_forward" and not any(path.parent.glob("[0-9]*_*.py"))
        )
        if is_model_file(read_text(path, root))
    ]  # fmt: skip
    note = "Sizes are the defaults of each file; settings in config_*.json and backward tasks are left out."
    return replace(_read(found, root, ROBUST), notes=(note,))


def _model_files(root: Path) -> Iterable[Path]:
    for number, path in enumerate(sorted(root.rglob("*.py"))):
        parts = path.relative_to(root).parts
        if number >= _MOST_FILES:
            return
        if any(part.startswith(".") or part in _SKIPPED for part in parts):
            continue
        try:
            if is_model_file(read_text(path, root)):
                yield path
        except InvalidInput:
            continue  # no text, so no task


def _read(found: Iterable[_Found], root: Path, benchmark: str) -> ImportReport:
    tasks: list[ImportedTask] = []
    faults: list[TaskFault] = []
    for entry in found:
        try:
            tasks.append(_task(entry, root))
        except InvalidInput as error:
            faults.append(TaskFault(entry.identifier, error.source, error.field, error.problem))
    return ImportReport(benchmark, root, unique_names(tasks), tuple(faults))


def _task(entry: _Found, root: Path) -> ImportedTask:
    source = relative(entry.path, root)
    imported = _imports(parse(read_text(entry.path, root), source))
    if "torch" not in imported:
        others = ("mindspore", "jax", "numpy")
        framework = next((name for name in others if name in imported), "something else")
        problem = Sentence(
            "is missing: the task is written for {framework}, not for PyTorch", framework=framework
        )
        raise InvalidInput(source, "import torch", problem)
    name = entry.path.parent.name if entry.path.stem in _ROLES else ""
    task = model_task(
        entry.path, root, identifier=entry.identifier, benchmark=entry.benchmark, category=entry.category,
        level=0, comparison=entry.comparison, name=name,
    )  # fmt: skip
    missing = sorted(imported - _AVAILABLE)
    if missing:
        note = f"The task's file imports {', '.join(missing)}: it can be judged only where that is installed."
        return replace(task, notes=(*task.notes, note))
    return task


def _imports(tree: ast.Module) -> set[str]:
    """Packages a file imports when it is loaded (not those that only a function or a `try` asks for)."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names
