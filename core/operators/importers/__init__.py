"""Tasks of public benchmarks become operators here: read without running their code, written whole or not.

Example:
    >>> report, folders = import_benchmark(Path("NPUKernelBench"), Path("operators"))
    >>> len(report.tasks), report.case_count, report.faults
    (157, 1807, ())
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from core.errors import InvalidInput
from core.operators.importers.detection import (
    Detection,
    FolderKind,
    detect,
    read_benchmark,
)
from core.operators.importers.operator_folder import write_task
from core.operators.importers.task import (
    UNREADABLE,
    ImportedTask,
    ImportReport,
    TaskCase,
    TaskFault,
    task_fault,
)

__all__ = [
    "Detection",
    "FolderKind",
    "ImportReport",
    "ImportedTask",
    "TaskCase",
    "TaskFault",
    "detect",
    "import_benchmark",
    "read_benchmark",
    "write_task",
]


def import_benchmark(
    folder: Path, destination: Path, only: Collection[str] = ()
) -> tuple[ImportReport, tuple[Path, ...]]:
    """Read a checkout and write its tasks as operator folders.

    Args:
        folder: The checkout, or a folder near its top.
        destination: Gets one folder per task, named after the operator.
        only: Operator names or identifiers to import; empty for all.

    Returns:
        The report (a task that could not be written is among its faults) and the folders written.

    Raises:
        InvalidInput: `folder` is no benchmark checkout, or `only` names a task that is not there.
    """
    report = read_benchmark(folder)
    chosen_tasks = [
        task
        for task in report.tasks
        if not only or {task.name, task.identifier} & set(only)
    ]
    names = {name for task in report.tasks for name in (task.name, task.identifier)}
    for name in only:
        if name not in names:
            raise InvalidInput(
                str(folder),
                "task",
                "{name!r} is not among the {count} tasks found",
                name=name,
                count=len(report.tasks),
            )
    destination.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    tasks: list[ImportedTask] = []
    faults = list(report.faults)
    for task in chosen_tasks:
        try:
            paths.append(write_task(task, destination))
            tasks.append(task)
        except UNREADABLE as error:
            faults.append(task_fault(task.identifier, error))
    return replace(report, tasks=tuple(tasks), faults=tuple(faults)), tuple(paths)
