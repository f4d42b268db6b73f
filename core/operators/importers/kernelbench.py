"""KernelBench, MultiKernelBench, the NPU set (MKB-NPU 101), and single files with a `Model`.

A task of all four is one Python module with `class Model` and a function that gives
inputs. The three benchmarks say by their layout which files are theirs, what they call
them and by which rule they compare. No file is run: the judge's child does that. The
set `npukernelbench_level*` of MultiKernelBench is another one than NPUKernelBench; its
tasks are labelled apart.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import InvalidInput
from core.operators.importers.model_file import (
    GIVERS,
    Tolerance,
    model_task,
    pascal_case,
)
from core.operators.importers.python_source import parse, read_text, relative
from core.operators.importers.task import (
    ImportedTask,
    ImportReport,
    TaskFault,
    read_tasks,
)
from core.text import Text

KERNELBENCH = "KernelBench"
MULTIKERNELBENCH = "MultiKernelBench"
NPU_SET = "MKB-NPU 101"
MODEL_FILES = "model file"  # of no benchmark
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
    comparison: Tolerance = Tolerance.CLOSE
    level: int = 0


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
    entries = [
        _Found(
            path,
            f"file/{relative(path.with_suffix(''), top)}",
            path.parent.name or "Other",
            MODEL_FILES,
            Tolerance.MEAN_AND_LARGEST,
        )
        for path in files
    ]
    report = _read(entries, top, MODEL_FILES)
    if not root.is_dir() and report.faults:
        fault = report.faults[0]
        remedy = "A task has `class Model` and `get_inputs`."
        raise InvalidInput(str(root), fault.field, fault.problem, remedy)
    return report


def import_kernelbench(root: Path) -> ImportReport:
    """KernelBench: `KernelBench/level*/N_Name.py`, or the `level*` folders alone."""
    base = root / "KernelBench" if (root / "KernelBench").is_dir() else root
    numbered = [
        path for path in base.glob("level*/*.py") if re.match(r"\d+_", path.name)
    ]
    entries = []
    for path in sorted(
        numbered, key=lambda path: (path.parent.name, int(path.name.partition("_")[0]))
    ):
        level = path.parent.name.removeprefix("level")
        number = int(level) if level in ("1", "2", "3") else 0
        identifier = f"kernelbench/L{level}/{path.stem}"
        entries.append(
            _Found(path, identifier, f"Level{level}", KERNELBENCH, level=number)
        )
    return _read(entries, root, KERNELBENCH)


def import_multikernelbench(root: Path) -> ImportReport:
    """MultiKernelBench: `reference/<category>/<op>.py`; its set of NPU tasks has files of cases."""
    return _categories(root, "reference/*", MULTIKERNELBENCH)


def import_npu_set(root: Path) -> ImportReport:
    """The set of NPU tasks by itself: `level*/<op>.py`."""
    return _categories(root, "level*", NPU_SET)


def _categories(root: Path, pattern: str, benchmark: str) -> ImportReport:
    """The tasks in folders that are named after categories, as MultiKernelBench has them."""
    entries = []
    for folder in sorted(root.glob(pattern)):
        of = NPU_SET if folder.name.startswith("npukernelbench_level") else benchmark
        files = (
            path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"
        )
        entries += [
            _Found(path, f"mkb/{folder.name}/{path.stem}", folder.name, of)
            for path in files
        ]
    report = _read(entries, root, benchmark)
    none = TaskFault("mkb", relative(root, root), "reference", "holds no task file")
    return report if entries else replace(report, faults=(none,))


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


def _read(entries: Iterable[_Found], root: Path, benchmark: str) -> ImportReport:
    by_identifier = ((entry.identifier, entry) for entry in entries)
    report = read_tasks(
        benchmark, root, by_identifier, lambda _identifier, entry: _task(entry, root)
    )
    return replace(report, tasks=_unique_names(report.tasks))


def _unique_names(tasks: Iterable[ImportedTask]) -> tuple[ImportedTask, ...]:
    """The tasks with operator names that differ: a name used twice gets its category in front."""
    tasks = tuple(tasks)
    count = Counter(task.name for task in tasks)
    used: Counter[str] = Counter()
    unique = []
    for task in tasks:
        name = (
            pascal_case(task.category) + task.name
            if count[task.name] > 1
            else task.name
        )
        used[name] += 1
        unique.append(
            replace(task, name=f"{name}{used[name]}" if used[name] > 1 else name)
        )
    return tuple(unique)


def _task(entry: _Found, root: Path) -> ImportedTask:
    """One task file; refused is one of another framework than PyTorch, or that imports what is not here."""
    source = relative(entry.path, root)
    imported = _imports(parse(read_text(entry.path, root), source))
    if "torch" not in imported and entry.benchmark == MODEL_FILES:
        other_frameworks = ("mindspore", "jax", "numpy")
        framework = next(
            (name for name in other_frameworks if name in imported), "something else"
        )
        problem = Text(
            "is missing: the task is written for {framework}, not for PyTorch",
            framework=framework,
        )
        raise InvalidInput(source, "import torch", problem)
    name = entry.path.parent.name if entry.path.stem in _ROLES else ""
    task = model_task(
        entry.path,
        root,
        identifier=entry.identifier,
        benchmark=entry.benchmark,
        category=entry.category,
        level=entry.level,
        comparison=entry.comparison,
        name=name,
    )
    missing = sorted(imported - _AVAILABLE)
    if missing and entry.benchmark == MODEL_FILES:
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
