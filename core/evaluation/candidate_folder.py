"""Read a hand-written candidate from a folder, with the layout an operator project has on disk."""

from __future__ import annotations

from pathlib import Path

from core.errors import InvalidInput
from core.evaluation.records import Candidate

FOLDERS = ("op_host", "op_kernel")
SOURCES = (".cpp", ".cc", ".h", ".hpp")
MOST_BYTES = 4 << 20


def read_candidate(folder: Path) -> Candidate:
    """Read the C++ sources under `op_host/` and `op_kernel/` of `folder`.

    Build files (CMake, scripts) are not part of a candidate and are left out.

    Args:
        folder: An operator project, or any folder holding the two.

    Raises:
        InvalidInput: Folder missing, a part without sources, a file that is not UTF-8, or more than 4 MiB
            in all.

    Example:
        >>> read_candidate(Path("my_operator")).files.keys()
        dict_keys(['op_host/abs_math.cpp', 'op_host/abs_math_tiling.h', 'op_kernel/abs_math.cpp'])
    """
    if not folder.is_dir():
        raise InvalidInput(
            str(folder), "candidate", "is not a folder", "Name the folder that holds op_host/ and op_kernel/."
        )
    files: dict[str, str] = {}
    size = 0
    for part in FOLDERS:
        found = [
            path for path in sorted((folder / part).rglob("*")) if path.suffix in SOURCES and path.is_file()
        ]
        if not any(path.suffix in (".cpp", ".cc") for path in found):
            raise InvalidInput(
                str(folder / part),
                "candidate",
                "holds no .cpp file",
                f"A candidate needs sources in {part}/.",
            )
        for path in found:
            text = _read(path)
            size += len(text)
            files[path.relative_to(folder).as_posix()] = text
    if size > MOST_BYTES:
        raise InvalidInput(
            str(folder), "candidate", f"has {size} characters of source", "More than 4 MiB is no kernel."
        )
    return Candidate(files)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            str(path), f"byte {error.start}", "is not UTF-8", "Save the file as UTF-8."
        ) from error
    except OSError as error:
        raise InvalidInput(str(path), "file", f"cannot be read: {error.strerror or error}") from error
