"""Recognises what a folder a person picked is, looking a few levels up and two down.

To add an importer, add to three places here: its name to `FolderKind`, the files it is
recognised by to `_SIGNS`, and the function that reads it to `_READERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.errors import InvalidInput
from core.operators.importers.cann_bench import import_cann_bench
from core.operators.importers.kernelbench import (
    holds_model_files,
    import_kernelbench,
    import_model_files,
    import_multikernelbench,
    import_npu_set,
)
from core.operators.importers.npukernelbench import import_npukernelbench
from core.operators.importers.task import ImportReport
from core.operators.loader import SPECIFICATION_FILE
from core.text import Text


class FolderKind(StrEnum):
    """What a folder can be. From `OPERATORS` on: recognised, but nothing that can be imported here."""

    NPUKERNELBENCH = "NPUKernelBench"
    MULTIKERNELBENCH = "MultiKernelBench"
    CANN_BENCH = "CANN Bench"
    KERNELBENCH = "KernelBench"
    NPU_SET = "MKB-NPU 101"
    MODEL_FILES = "Python files with Model and get_inputs"
    OPERATORS = "operator folders"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Detection:
    """What a folder is, and the folder the importer wants."""

    kind: FolderKind
    root: Path


def _any(root: Path, pattern: str) -> bool:
    return next(root.glob(pattern), None) is not None


# In this order: the first that fits wins.
_SIGNS: tuple[tuple[FolderKind, Callable[[Path], bool]], ...] = (
    (
        FolderKind.NPUKERNELBENCH,
        lambda root: _any(root, "tasks/level*/*/*/validation/module.py"),
    ),
    (
        FolderKind.NPUKERNELBENCH,
        lambda root: _any(root, "tasks/level*/*/*/api_desc.md"),
    ),
    (FolderKind.MULTIKERNELBENCH, lambda root: _any(root, "reference/*/*.py")),
    (FolderKind.CANN_BENCH, lambda root: _any(root, "tasks/level*/*/proto.yaml")),
    (FolderKind.KERNELBENCH, lambda root: _any(root, "KernelBench/level*/[0-9]*_*.py")),
    (
        FolderKind.NPU_SET,
        lambda root: (
            _any(root, "level*/[0-9]*_*.json") and _any(root, "level*/[0-9]*_*.py")
        ),
    ),
    (FolderKind.KERNELBENCH, lambda root: _any(root, "level*/[0-9]*_*.py")),
    (FolderKind.OPERATORS, lambda root: _any(root, f"*/{SPECIFICATION_FILE}")),
)


def detect(folder: Path) -> Detection:
    """What `folder` is; a Python file is a task by itself.

    Raises:
        InvalidInput: It is neither a folder nor a Python file.
    """
    if folder.is_file() and folder.suffix == ".py":
        return Detection(FolderKind.MODEL_FILES, folder)
    if not folder.is_dir():
        raise InvalidInput(str(folder), "folder", "does not exist")
    near = [folder, *list(folder.parents)[:4]]
    near += sorted(
        path
        for path in folder.glob("*")
        if path.is_dir() and not path.name.startswith(".")
    )
    near += sorted(
        path
        for path in folder.glob("*/*")
        if path.is_dir() and not path.name.startswith(".")
    )
    # What lies in the folder itself counts more than what lies around it.
    for root in near:
        for kind, sign in _SIGNS:
            # Operator folders around it are its neighbours, no checkout it is part of.
            around = root in folder.parents and kind is FolderKind.OPERATORS
            if not around and sign(root):
                return Detection(kind, root)
    if holds_model_files(folder):
        return Detection(FolderKind.MODEL_FILES, folder)
    return Detection(FolderKind.UNKNOWN, folder)


_READERS: dict[FolderKind, Callable[[Path], ImportReport]] = {
    FolderKind.NPUKERNELBENCH: import_npukernelbench,
    FolderKind.MULTIKERNELBENCH: import_multikernelbench,
    FolderKind.CANN_BENCH: import_cann_bench,
    FolderKind.KERNELBENCH: import_kernelbench,
    FolderKind.NPU_SET: import_npu_set,
    FolderKind.MODEL_FILES: import_model_files,
}

_REMEDIES = {
    FolderKind.OPERATORS: "Its operators can be queued as they are.",
    FolderKind.UNKNOWN: "Known are " + ", ".join(_READERS) + ".",
}


def read_benchmark(folder: Path) -> ImportReport:
    """Read every task of the benchmark checkout that `folder` is, lies in, or holds.

    Raises:
        InvalidInput: The folder holds no benchmark whose tasks can become operators.
    """
    detection = detect(folder)
    reader = _READERS.get(detection.kind)
    if reader is None:
        problem = Text(
            "is not a benchmark checkout that can be imported ({kind})",
            kind=detection.kind.value,
        )
        raise InvalidInput(str(folder), "folder", problem, _REMEDIES[detection.kind])
    return reader(detection.root)
