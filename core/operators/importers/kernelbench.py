"""KernelBench: `KernelBench/level*/N_Name.py` (or the `level*` folders alone)."""

from __future__ import annotations

import re
from pathlib import Path

from core.operators.importers.model_file import model_task
from core.operators.importers.multikernelbench import unique_names
from core.operators.importers.task import UNREADABLE, ImportedTask, ImportReport, TaskFault, task_fault

BENCHMARK = "KernelBench"
_TASK = re.compile(r"\d+_.*\.py")


def import_kernelbench(root: Path) -> ImportReport:
    """Read every task of a checkout.

    Args:
        root: Folder that holds `level*/`, or the repository around it.
    """
    base = root / "KernelBench" if (root / "KernelBench").is_dir() else root
    tasks: list[ImportedTask] = []
    faults: list[TaskFault] = []
    for path in sorted(base.glob("level*/*.py"), key=_order):
        if not _TASK.fullmatch(path.name):
            continue
        level = path.parent.name.removeprefix("level")
        identifier = f"kernelbench/L{level}/{path.stem}"
        try:
            tasks.append(
                model_task(
                    path, root, identifier=identifier, benchmark=BENCHMARK, category=f"Level{level}",
                    level=int(level) if level in ("1", "2", "3") else 0,
                )
            )  # fmt: skip
        except UNREADABLE as error:
            faults.append(task_fault(identifier, error))
    return ImportReport(BENCHMARK, root, unique_names(tasks), tuple(faults))


def _order(path: Path) -> tuple[str, int]:
    number = re.match(r"\d+", path.name)
    return path.parent.name, int(number[0]) if number else 0
