"""A folder laid out as an installed CANN, with declarations of our own in the place of CANN's."""

from __future__ import annotations

from pathlib import Path

from remote.headers.kept import KeptHeaders
from remote.judge.witness.header_set import HeaderSet

INSTALLED = Path(__file__).parents[2] / "data" / "cann_headers" / "ascend-toolkit"
VERSION = "8.0.T1"


def kept_stand_in(folder: Path) -> HeaderSet:
    """The stand-in, added below `folder` as a person adds headers."""
    return KeptHeaders(folder).add_from_folder(INSTALLED, lambda _text: None).headers
