"""Which files of a folder are profiles, and of which rank each is.

    <host>_<pid>_<time>_ascend_pt/            one rank of torch_npu
        profiler_info[_<rank>].json           versions, level
        ASCEND_PROFILER_OUTPUT/kernel_details.csv, ascend_pytorch_profiler_<rank>.db
    PROF_<n>_<time>_<id>/                     one run of msprof
        mindstudio_profiler_output/op_summary_<time>.csv, op_summary_slice_<k>_<time>.csv
        device_<n>/summary/op_summary_*.csv   older
        msprof_<time>.db

Where a rank has several of them the first kind counts: they say the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.errors import SageError
from core.outside import json_value, read_text, require_regular

_KINDS = (
    re.compile(r"kernel_details\.csv"),
    re.compile(r"ascend_pytorch_profiler.*\.db"),
    re.compile(r"op_summary.*\.csv"),
    re.compile(r"msprof_.*\.db"),
)
_SLICE = re.compile(r"op_summary_slice_(\d+)_")
_STAMP = re.compile(r"_(\d{10,})\.(?:csv|db)$")
_RANK_IN_NAME = re.compile(
    r"(?:ascend_pytorch_profiler|profiler_info)_(\d+)\.|rank_?(\d+)"
)
_INFO = "profiler_info*.json"


@dataclass(frozen=True)
class ProfileSource:
    """The files of one rank.

    Attributes:
        rank: As the folder says; else the name of the folder.
        files: Slices in their order, or one file.
        folder: Where summaries may lie beside them.
        versions: `cann`, `torch_npu` and `level` where the profile says them.
    """

    rank: str
    files: tuple[Path, ...]
    folder: Path
    versions: dict[str, str] = field(default_factory=dict)


def profile_sources(
    paths: Sequence[Path], warn: Callable[[str], None]
) -> list[ProfileSource]:
    """What is to be read of `paths`, files and folders, by rank.

    Raises:
        SageError: A path holds no profile, or is named twice.
    """
    sources: list[ProfileSource] = []
    for path in paths:
        files = _files_in(path)
        by_place: dict[Path, list[Path]] = {}
        for file in files:
            by_place.setdefault(_place(file, path), []).append(file)
        for place in sorted(by_place):
            sources += _of_place(place, by_place[place], warn)
    read = [file.resolve() for source in sources for file in source.files]
    for file in read:
        if read.count(file) > 1:
            raise SageError("{file} is named twice.", file=file)
    return _told_apart(sources)


def _files_in(path: Path) -> list[Path]:
    if not path.is_dir():
        require_regular(path)
        return [path]
    entries = sorted(path.rglob("*"))
    files = [file for file in entries if _is_export(file) and file.is_file()]
    if not files:
        problem = (
            "{path} holds no kernel_details.csv, no op_summary_*.csv and no database."
        )
        remedy = "Name the folder that ends in _ascend_pt or begins with PROF_."
        raise SageError(problem, remedy, path=path)
    return files


def _is_export(file: Path) -> bool:
    return any(kind.fullmatch(file.name) for kind in _KINDS)


def _place(file: Path, root: Path) -> Path:
    """The folder of the rank that a file is of."""
    parents = [parent for parent in file.parents if parent.is_relative_to(root)]
    for ending in ("_ascend_pt", "device_", "PROF_"):
        for parent in parents:
            name = parent.name
            is_end = ending.startswith("_") and name.endswith(ending)
            if is_end or (ending.endswith("_") and name.startswith(ending)):
                return parent
    return file.parent


def _of_place(
    place: Path, files: Sequence[Path], warn: Callable[[str], None]
) -> list[ProfileSource]:
    """The one source of a rank: exports of the first kind that is there, whole or in slices."""
    exports = _of_first_kind(files)
    by_number: dict[int, Path] = {}
    for file in exports:
        match = _SLICE.match(file.name)
        if match:
            by_number[int(match[1])] = file  # by name, so the newest is last
    if by_number:
        numbers = sorted(by_number)
        exports = [by_number[number] for number in numbers]
        missing = set(range(numbers[-1] + 1)).difference(numbers)
        if missing:
            missing_text = ", ".join(map(str, sorted(missing)))
            warn(f"{place}: slice {missing_text} of op_summary is not there.")
    elif len(exports) > 1 and all(map(_stamp, exports)):
        warn(f"{place}: of {len(exports)} exports the newest was read.")
        exports = [max(exports, key=_stamp)]
    first = exports[0]
    rank = _rank(place, first)
    return [ProfileSource(rank, tuple(exports), first.parent, _info(place))]


def _of_first_kind(files: Sequence[Path]) -> list[Path]:
    """The files of the first kind that any of them has; all where none has one, as of a file named by itself."""
    for kind in _KINDS:
        of_kind = [file for file in files if kind.fullmatch(file.name)]
        if of_kind:
            return of_kind
    return list(files)


def _stamp(file: Path) -> str:
    """The time in the name of an export, empty where it has none."""
    match = _STAMP.search(file.name)
    return match[1] if match else ""


def _rank(place: Path, file: Path) -> str:
    """The number of a rank, from its record or from a name; else the name of its folder."""
    names = [info.name for info in sorted(place.glob(_INFO))]
    for name in (*names, file.name, place.name):
        match = _RANK_IN_NAME.search(name)
        if match:
            return str(int(match[1] or match[2]))
    return place.name or str(place)


def _info(place: Path) -> dict[str, str]:
    """Versions and level that torch_npu keeps beside a profile."""
    infos = sorted(place.glob(_INFO))
    if not infos:
        return {}
    path = infos[0]
    record = json_value(read_text(path), str(path))
    versions = {
        "cann": _entry(record, "cann_version"),
        "torch_npu": _entry(record, "torch_npu_version"),
        "level": _entry(record, "config", "experimental_config", "_profiler_level"),
    }
    return {key: str(value) for key, value in versions.items() if value}


def _entry(record: object, *names: str) -> object:
    """What a document has below these names, one within the other; None where it has nothing."""
    for name in names:
        if not isinstance(record, dict):
            return None
        record = record.get(name)
    return record


def _told_apart(sources: Sequence[ProfileSource]) -> list[ProfileSource]:
    """Ranks of the same number, as of several nodes or repeats, get the folder's name."""
    ranks = [source.rank for source in sources]
    apart = []
    for source in sources:
        rank = source.rank
        if ranks.count(rank) > 1:
            folder = source.folder.parent.name or source.folder
            rank = f"{rank} in {folder}"
        apart.append(replace(source, rank=rank))
    return apart
