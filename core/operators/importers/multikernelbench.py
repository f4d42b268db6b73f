"""MultiKernelBench: `reference/<category>/<op>.py`; the `npukernelbench_level*` set has files of cases.

That set shares its name with NPUKernelBench but is another one; its tasks are labelled apart.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from core.operators.importers.model_file import model_task, pascal_case
from core.operators.importers.python_source import relative
from core.operators.importers.task import UNREADABLE, ImportedTask, ImportReport, TaskFault, task_fault

BENCHMARK = "MultiKernelBench"
NPU_SET = "MKB-NPU 101"


def import_multikernelbench(root: Path) -> ImportReport:
    """Read every task of a checkout.

    Args:
        root: Folder that holds `reference/<category>/`.
    """
    return import_model_folders(root, sorted(root.glob("reference/*")), BENCHMARK)


def import_model_folders(root: Path, categories: list[Path], benchmark: str) -> ImportReport:
    """Read the task files of several category folders; names used twice get their category in front."""
    tasks: list[ImportedTask] = []
    faults: list[TaskFault] = []
    for folder in categories:
        category = folder.name
        special = category.startswith("npukernelbench_level")
        for path in sorted(folder.glob("*.py")):
            if path.name == "__init__.py":
                continue
            identifier = f"mkb/{category}/{path.stem}"
            try:
                tasks.append(
                    model_task(
                        path, root, identifier=identifier, benchmark=NPU_SET if special else benchmark,
                        category=category, level=0,
                    )
                )  # fmt: skip
            except UNREADABLE as error:
                faults.append(task_fault(identifier, error))
    if not tasks and not faults:
        faults.append(TaskFault("mkb", relative(root, root), "reference", "holds no task file"))
    return ImportReport(benchmark, root, unique_names(tasks), tuple(faults))


def unique_names(tasks: list[ImportedTask]) -> tuple[ImportedTask, ...]:
    """The tasks with operator names that differ: a name used twice gets its category in front."""
    count = Counter(task.name for task in tasks)
    renamed = [
        replace(task, name=pascal_case(task.category) + task.name) if count[task.name] > 1 else task
        for task in tasks
    ]
    used: Counter[str] = Counter()
    unique = []
    for task in renamed:
        used[task.name] += 1
        again = used[task.name]
        unique.append(replace(task, name=f"{task.name}{again}") if again > 1 else task)
    return tuple(unique)
