"""Workloads as files: one JSON each, `<name>.json`, in a folder of their own."""

from __future__ import annotations

import re
from pathlib import Path

from core.errors import InvalidInput, SageError
from core.outside import read_text
from core.private import private_folder
from core.records_json import from_json, to_json
from core.whole_file import write_text
from core.workload.records import FORMAT, Workload

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")


def check_name(name: str) -> str:
    """`name` where a workload can be called so.

    Raises:
        SageError: It cannot.
    """
    if not _NAME.fullmatch(name):
        remedy = "Use letters, digits, `_`, `-` and `.`, at most 80."
        raise SageError("A workload cannot be called {name!r}.", remedy, name=name)
    return name


def save_workload(workload: Workload, folder: Path) -> Path:
    """Write a workload, in the place of an earlier one of its name.

    Raises:
        SageError: It cannot be written.
    """
    private_folder(folder, ours=True)
    path = folder / f"{check_name(workload.name)}.json"
    return write_text(path, to_json(workload) + "\n")


def load_workload(name: str, folder: Path) -> Workload:
    """The workload of that name, or in the file of that path; without a name the newest.

    Raises:
        SageError: There is none, or its file is damaged or of a newer version.
    """
    path = folder / f"{name}.json" if _NAME.fullmatch(name) else Path(name)
    if not path.is_file() and name:
        path = Path(name)
    if not name:
        files = saved_workloads(folder)
        if not files:
            remedy = "Import a profile first: sage workload import PATH."
            raise SageError("There is no workload yet.", remedy)
        path = files[0]
    elif not path.is_file():
        names = ", ".join(file.stem for file in saved_workloads(folder)) or "none"
        remedy = "There are: {names}."
        raise SageError(
            "There is no workload {name!r}.", remedy, name=name, names=names
        )
    workload = from_json(read_text(path), Workload, str(path))
    if workload.format != FORMAT:
        problem = "{version} is not supported"
        raise InvalidInput(str(path), "format", problem, version=workload.format)
    return workload


def saved_workloads(folder: Path) -> list[Path]:
    """Files of workloads, the newest first."""
    files = folder.glob("*.json") if folder.is_dir() else ()
    return sorted(files, key=lambda file: (-file.stat().st_mtime_ns, file.name))
