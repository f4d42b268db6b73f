"""Tasks in Python files with `class Model` and a function that gives inputs, wherever they lie.

Any such file is a task; the collections below say by their layout which files are theirs, what they call them
and by which rule they compare. No file is run: the judge's child does that. The set
`npukernelbench_level*` of MultiKernelBench is another one than NPUKernelBench; its tasks are labelled apart.
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
from core.sentence import Sentence

MODEL_FILES, ASCEND_AGENT, AKG, ROBUST = (
    "model file",
    "AscendOpGenAgent",
    "AKG",
    "robust-kbench",
)
KERNELBENCH, MULTIKERNELBENCH, NPU_SET = (
    "KernelBench",
    "MultiKernelBench",
    "MKB-NPU 101",
)
_PYTORCH = (
    KERNELBENCH,
    MULTIKERNELBENCH,
    NPU_SET,
)  # hold nothing for another framework
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
    found = [
        _Found(
            path,
            f"file/{relative(path.with_suffix(''), top)}",
            path.parent.name or "Other",
            MODEL_FILES,
            Tolerance.MEAN_AND_LARGEST,
        )
        for path in files
    ]
    report = _read(found, top, MODEL_FILES)
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
    found = []
    for path in sorted(
        numbered, key=lambda path: (path.parent.name, int(path.name.partition("_")[0]))
    ):
        level = path.parent.name.removeprefix("level")
        number = int(level) if level in ("1", "2", "3") else 0
        identifier = f"kernelbench/L{level}/{path.stem}"
        found.append(
            _Found(path, identifier, f"Level{level}", KERNELBENCH, level=number)
        )
    return _read(found, root, KERNELBENCH)


def import_multikernelbench(root: Path) -> ImportReport:
    """MultiKernelBench: `reference/<category>/<op>.py`; its set of NPU tasks has files of cases."""
    return _categories(root, "reference/*", MULTIKERNELBENCH)


def import_npu_set(root: Path) -> ImportReport:
    """The set of NPU tasks by itself: `level*/<op>.py`."""
    return _categories(root, "level*", NPU_SET)


def _categories(root: Path, pattern: str, benchmark: str) -> ImportReport:
    found = []
    for folder in sorted(root.glob(pattern)):
        of = NPU_SET if folder.name.startswith("npukernelbench_level") else benchmark
        files = (
            path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"
        )
        found += [
            _Found(path, f"mkb/{folder.name}/{path.stem}", folder.name, of)
            for path in files
        ]
    report = _read(found, root, benchmark)
    none = TaskFault("mkb", relative(root, root), "reference", "holds no task file")
    return report if found else replace(report, faults=(none,))


def import_ascend_agent(root: Path) -> ImportReport:
    """AscendOpGenAgent: its own operators with files of cases, and its archived tasks.

    Args:
        root: The checkout, or its folder `benchmarks`.
    """
    base = root / "benchmarks" if (root / "benchmarks").is_dir() else root
    rule = Tolerance.MEAN_AND_LARGEST
    found = [
        _Found(
            path,
            f"ascend-agent/{path.parent.name}/{path.stem}",
            path.parent.name,
            NPU_SET,
            rule,
        )
        for path in sorted(base.glob("NPUKernelBench/level*/[0-9]*_*.py"))
    ]
    found += [
        _Found(
            path,
            f"ascend-agent/archive/{path.parent.name}",
            "Archive",
            ASCEND_AGENT,
            rule,
        )
        for path in sorted(root.glob("archive_tasks/*/model.py"))
    ]
    report = _read(found, root, ASCEND_AGENT)
    copies = sorted(base.glob("KernelBench/level*/[0-9]*_*.py"))
    if not copies:
        return report
    where = relative(base / "KernelBench", root)
    note = (
        f"{where} is a copy of KernelBench ({len(copies)} files): import it by itself."
    )
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
    files = [
        path for part in _AKG_FOLDERS for path in sorted((bench / part).rglob("*.py"))
    ]
    files += sorted(lite.glob("t[0-9]*/*.py"))
    found = [
        _Found(
            path,
            f"akg/{relative(path.with_suffix(''), base)}",
            relative(path.parent, bench if bench in path.parents else base),
            AKG,
            Tolerance.SHARE,
        )
        for path in files
        if is_model_file(read_text(path, root))
    ]
    report = _read(found, root, AKG)
    others = [
        name
        for name in ("mindspore", "numpy")
        if (base / "kernelbench" / name).is_dir()
    ]
    left = f"kernelbench/{' and '.join(others)} give tasks in another framework than PyTorch: left out."
    return replace(report, notes=(left,)) if others else report


def import_robust_kbench(root: Path) -> ImportReport:
    """robust-kbench: forward tasks of `tasks/`, with the default sizes of their files."""
    found = [
        _Found(
            path,
            f"robust-kbench/{relative(path.with_suffix(''), root)}",
            path.parent.parent.name,
            ROBUST,
            Tolerance.MEAN_AND_LARGEST,
        )
        for path in sorted(root.glob("tasks/**/*.py"))
        # A task of KernelBench lies there twice: as it was, and with its parameters as arguments.
        if path.stem[:1].isdigit()
        or (path.stem == "func_forward" and not any(path.parent.glob("[0-9]*_*.py")))
        if is_model_file(read_text(path, root))
    ]
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
    named = ((entry.identifier, entry) for entry in found)
    report = read_tasks(
        benchmark, root, named, lambda _identifier, entry: _task(entry, root)
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
    source = relative(entry.path, root)
    imported = _imports(parse(read_text(entry.path, root), source))
    if "torch" not in imported and entry.benchmark not in _PYTORCH:
        others = ("mindspore", "jax", "numpy")
        framework = next(
            (name for name in others if name in imported), "something else"
        )
        problem = Sentence(
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
    if missing and entry.benchmark not in _PYTORCH:
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
