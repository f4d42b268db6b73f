"""The header sets that are asked, and the flags with which a compiler reads each of them, or the twin."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from remote.headers.kept import KeptHeaders
from remote.judge.building.glue import KERNEL_SIDE
from remote.judge.building.twin_sources import TwinSources, placed_headers
from remote.judge.witness.check import HOST_STANDARD
from remote.judge.witness.header_set import HeaderSet
from remote.judge.witness.kernel_unit import KERNEL_DEFINES

VARIABLE = "SAGE_CANN_HEADERS"  # folders of installed CANNs, as PATH holds folders
_TWIN = Path(__file__).parents[2] / "resources" / "twin"
_KERNEL = ("-std=c++17", "-Werror=narrowing")
_HOST = f"-std={HOST_STANDARD}"


@dataclass(frozen=True)
class Flags:
    """How a compiler reads one set of headers, by side."""

    kernel: tuple[str, ...]
    host: tuple[str, ...]


def named_sets(cache: Path) -> list[HeaderSet]:
    """The headers of every folder that the variable names; none when it is not set.

    Args:
        cache: Where they are copied to, once.

    Raises:
        SageError: A folder holds no CANN.
    """
    store = KeptHeaders(cache)
    sets = []
    for folder in os.environ.get(VARIABLE, "").split(os.pathsep):
        if folder:
            copy = store.add_from_folder(Path(folder), lambda _text: None)
            sets.append(copy.headers)
    return sets


def flags_of(headers: HeaderSet) -> Flags:
    """Flags for headers of CANN, the same as the witness has."""
    macros = (*KERNEL_DEFINES, *headers.defines)
    defines = [f"-D{name}" for name in macros]
    kernel_flags = _system_include_flags(headers.kernel_folders())
    host_flags = _system_include_flags(headers.host_folders())
    return Flags((*_KERNEL, *defines, *kernel_flags), (_HOST, *host_flags))


def twin_flags(cache: Path) -> Flags:
    """Flags for the headers of the twin, which are put together below `cache`."""
    folder = placed_headers(TwinSources(_TWIN), cache)
    include = f"-I{folder}"
    kernel = (*_KERNEL, KERNEL_SIDE, include)
    return Flags(kernel, (_HOST, include))


def _system_include_flags(paths: Sequence[Path]) -> list[str]:
    """Folders as those of system headers, in which a compiler reports no warnings."""
    return [f"-isystem{path}" for path in paths]
