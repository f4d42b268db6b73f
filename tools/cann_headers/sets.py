"""The header sets that are asked, and how a compiler is told to read each of them, or the twin."""

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
    kept = KeptHeaders(cache)
    places = filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
    return [
        kept.add_from_folder(Path(place), lambda _text: None).headers
        for place in places
    ]


def flags_of(headers: HeaderSet) -> Flags:
    """Flags for headers of CANN, the same as the witness has."""
    defines = [f"-D{name}" for name in (*KERNEL_DEFINES, *headers.defines)]
    kernel = _folders(headers.kernel_folders())
    host = _folders(headers.host_folders())
    return Flags((*_KERNEL, *defines, *kernel), (f"-std={HOST_STANDARD}", *host))


def twin_flags(cache: Path) -> Flags:
    """Flags for the headers of the twin, which are put together below `cache`."""
    include = f"-I{placed_headers(TwinSources(_TWIN), cache)}"
    return Flags((*_KERNEL, KERNEL_SIDE, include), (f"-std={HOST_STANDARD}", include))


def _folders(paths: Sequence[Path]) -> list[str]:
    return [f"-isystem{path}" for path in paths]
