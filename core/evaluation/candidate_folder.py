"""Read a hand-written candidate from a folder, with the layout an operator project has on disk."""

from __future__ import annotations

import re
from pathlib import Path

from core.errors import InvalidInput
from core.evaluation.candidate_names import FOLDERS, name_fault
from core.evaluation.records import Candidate
from core.operators.spec import OperatorSpec
from core.outside import read_file
from core.text import Text

SOURCES = (".cpp", ".cc", ".h", ".hpp")
MOST_BYTES = 4 << 20
_ENTRY_WITHOUT_TILING = re.compile(r"(__global__[^;{]*?\bGM_ADDR\s+workspace)(\s*\))")


def read_candidate(folder: Path) -> Candidate:
    """Read the C++ sources under `op_host/` and `op_kernel/` of `folder`.

    Build files (CMake, scripts) are not part of a candidate and are left out.

    Args:
        folder: An operator project, or any folder holding the two.

    Raises:
        InvalidInput: Folder missing, a part without sources, a link, a name no compiler takes for a file, a
            file that is not UTF-8, or more than 4 MiB in all.

    Example:
        >>> read_candidate(Path("my_operator")).files.keys()
        dict_keys(['op_host/abs_math.cpp', 'op_host/abs_math_tiling.h', 'op_kernel/abs_math.cpp'])
    """
    if not folder.is_dir():
        raise InvalidInput(
            str(folder),
            "candidate",
            "is not a folder" if folder.exists() else "does not exist",
            "Name the folder that holds op_host/ and op_kernel/.",
        )
    files = {
        path: text for part in FOLDERS for path, text in _sources(folder, part).items()
    }
    size = sum(len(text) for text in files.values())
    if size > MOST_BYTES:
        raise InvalidInput(
            str(folder),
            "candidate",
            "has {size} characters of source",
            "More than 4 MiB is not a kernel.",
            size=size,
        )
    return Candidate(files)


def _sources(folder: Path, part: str) -> dict[str, str]:
    """Path in the candidate -> text of the sources in `part` of `folder`; no link leads out of it."""
    every = [folder / part, *sorted((folder / part).rglob("*"))]
    for path in every:
        if path.is_symlink():
            raise InvalidInput(
                str(path),
                "candidate",
                "is a symbolic link",
                "Put the files themselves there: `cp -rL` copies a folder without its links.",
            )
    sources = [path for path in every if path.suffix in SOURCES and path.is_file()]
    if not any(path.suffix in (".cpp", ".cc") for path in sources):
        remedy = Text("A candidate needs sources in {part}/.", part=part)
        raise InvalidInput(
            str(folder / part), "candidate", "holds no .cpp file", remedy
        )
    files = {path.relative_to(folder).as_posix(): path for path in sources}
    for name in files:
        if fault := name_fault(name):
            raise InvalidInput(str(folder), "candidate", fault, "Rename the file.")
    return {name: read_source(path) for name, path in files.items()}


def read_project(folder: Path) -> dict[str, str]:
    """Return the sources of a project that is only read: an expert's may lack op_host.

    Raises:
        InvalidInput: There are none, or one cannot be read.
    """
    every = (path for part in FOLDERS for path in sorted((folder / part).rglob("*")))
    sources = [path for path in every if path.suffix in SOURCES]
    if not sources:
        raise InvalidInput(
            str(folder),
            "project",
            "has no C++ sources in op_host or op_kernel",
            "Give the folder of an operator project.",
        )
    return {path.relative_to(folder).as_posix(): read_source(path) for path in sources}


def read_source(path: Path) -> str:
    """Return the text of a source file; raises InvalidInput naming it."""
    if path.is_symlink():
        raise InvalidInput(
            str(path), "file", "is a symbolic link", "Put the file itself there."
        )
    try:
        return read_file(path, MOST_BYTES).decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            str(path), f"byte {error.start}", "is not UTF-8", "Save the file as UTF-8."
        ) from error


def read_candidate_for(operator: OperatorSpec, folder: Path) -> Candidate:
    """The candidate in a folder of any shape that the operator's benchmark gives it.

    NPUKernelBench's answers lie in `answer/0/`; its answers of the kind `kernel only` have no op_host, which
    is then the one the benchmark asks with, and their entry lacks the argument for tiling data, which its
    build adds.

    Args:
        operator: What the candidate is for.
        folder: As for `read_candidate`, or of a shape named above.

    Raises:
        InvalidInput: See `read_candidate`.
    """
    inner = folder / "answer" / "0"
    # A task of the benchmark itself has the expert's answer there, which is never opened.
    folder = (
        inner if inner.is_dir() and not (folder / "validation").exists() else folder
    )
    question = operator.folder / "question" / "op_host"
    if (
        (folder / "op_host").is_dir()
        or not (folder / "op_kernel").is_dir()
        or not question.is_dir()
    ):
        return read_candidate(folder)
    files = _sources(folder, "op_kernel") | _sources(
        operator.folder / "question", "op_host"
    )
    return Candidate(
        {
            path: _ENTRY_WITHOUT_TILING.sub(r"\1, GM_ADDR tiling\2", text)
            for path, text in files.items()
        }
    )
