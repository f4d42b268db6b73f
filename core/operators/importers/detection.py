"""Recognises what a folder a person picked is, looking a few levels up and two down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.errors import InvalidInput
from core.operators.importers.cann_bench import import_cann_bench
from core.operators.importers.model_files import (
    akg_folder,
    holds_model_files,
    import_akg,
    import_ascend_agent,
    import_kernelbench,
    import_model_files,
    import_multikernelbench,
    import_npu_set,
    import_robust_kbench,
)
from core.operators.importers.npukernelbench import import_npukernelbench
from core.operators.importers.task import ImportReport
from core.operators.loader import SPECIFICATION_FILE
from core.sentence import Sentence


class FolderKind(StrEnum):
    """What a folder can be. From `OPERATORS` on: recognised, but nothing that can be imported here."""

    NPUKERNELBENCH = "NPUKernelBench"
    MULTIKERNELBENCH = "MultiKernelBench"
    CANN_BENCH = "CANN Bench"
    KERNELBENCH = "KernelBench"
    NPU_SET = "MKB-NPU 101"
    ASCEND_AGENT = "AscendOpGenAgent"
    AKG = "AKG"
    ROBUST_KBENCH = "robust-kbench"
    MODEL_FILES = "Python files with Model and get_inputs"
    OPERATORS = "operator folders"
    FLASHINFER = "FlashInfer-Bench or SOL-ExecBench"
    TRITON_BENCH = "TritonBench"
    BACKEND_BENCH = "BackendBench"
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
    (
        FolderKind.ASCEND_AGENT,
        lambda root: (
            _any(root, "benchmarks/NPUKernelBench/level*/[0-9]*_*.json")
            or _any(root, "NPUKernelBench/level*/[0-9]*_*.json")
        ),
    ),
    (FolderKind.AKG, lambda root: akg_folder(root) is not None),
    (FolderKind.ROBUST_KBENCH, lambda root: _any(root, "tasks/*/func_forward.py")),
    (FolderKind.TRITON_BENCH, lambda root: _any(root, "data/TritonBench_*.json*")),
    (FolderKind.BACKEND_BENCH, lambda root: _any(root, "BackendBench/suite/*.py")),
    (FolderKind.KERNELBENCH, lambda root: _any(root, "KernelBench/level*/[0-9]*_*.py")),
    (
        FolderKind.NPU_SET,
        lambda root: (
            _any(root, "level*/[0-9]*_*.json") and _any(root, "level*/[0-9]*_*.py")
        ),
    ),
    (FolderKind.KERNELBENCH, lambda root: _any(root, "level*/[0-9]*_*.py")),
    (
        FolderKind.FLASHINFER,
        lambda root: (
            (_any(root, "**/workload.jsonl") and _any(root, "**/definition.json"))
            or (
                _any(root, "**/workloads/**/*.jsonl")
                and _any(root, "**/definitions/**/*.json")
            )
        ),
    ),
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
            around = (
                root in folder.parents and kind is FolderKind.OPERATORS
            )  # neighbours, not a checkout
            if (
                not (kind in _WHOLE_ONLY and root is not folder)
                and not around
                and sign(root)
            ):
                return Detection(kind, root)
    if holds_model_files(folder):
        return Detection(FolderKind.MODEL_FILES, folder)
    return Detection(FolderKind.UNKNOWN, folder)


# Signs that say little about a folder around or inside the one a person picked.
_WHOLE_ONLY = (FolderKind.FLASHINFER, FolderKind.TRITON_BENCH, FolderKind.BACKEND_BENCH)

_READERS: dict[FolderKind, Callable[[Path], ImportReport]] = {
    FolderKind.NPUKERNELBENCH: import_npukernelbench,
    FolderKind.MULTIKERNELBENCH: import_multikernelbench,
    FolderKind.CANN_BENCH: import_cann_bench,
    FolderKind.KERNELBENCH: import_kernelbench,
    FolderKind.NPU_SET: import_npu_set,
    FolderKind.ASCEND_AGENT: import_ascend_agent,
    FolderKind.AKG: import_akg,
    FolderKind.ROBUST_KBENCH: import_robust_kbench,
    FolderKind.MODEL_FILES: import_model_files,
}

_REMEDIES = {
    FolderKind.FLASHINFER: (
        "Its definitions leave sizes open and its workloads refer to recorded tensors: not read here."
        " Write the task as a Python file with Model and get_inputs and import that file."
    ),
    FolderKind.TRITON_BENCH: (
        "Its tasks are Triton kernels with tests, without a PyTorch model to compare with."
        " Write the task as a Python file with Model and get_inputs and import that file."
    ),
    FolderKind.BACKEND_BENCH: (
        "Its tasks are PyTorch's own operators with inputs recorded elsewhere: there are no task files."
        " Write the task as a Python file with Model and get_inputs and import that file."
    ),
    FolderKind.OPERATORS: "Its operators can be queued as they are.",
    FolderKind.UNKNOWN: "Known are " + ", ".join(_READERS) + ".",
}


def read_benchmark(folder: Path) -> ImportReport:
    """Read every task of the benchmark checkout that `folder` is, lies in, or holds.

    Raises:
        InvalidInput: The folder holds no benchmark whose tasks can become operators.
    """
    found = detect(folder)
    reader = _READERS.get(found.kind)
    if reader is None:
        problem = Sentence(
            "is not a benchmark checkout that can be imported ({kind})",
            kind=found.kind.value,
        )
        raise InvalidInput(str(folder), "folder", problem, _REMEDIES[found.kind])
    return reader(found.root)
