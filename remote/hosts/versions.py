"""What a host builds and judges with, as last seen: version of CANN and processor.

The doctor sees it, and so does every judged kernel. Kept in a small file of the user's, because memory is
searched for the first round before anything was judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.errors import InvalidInput
from remote.hosts.host_file import HostFile

_NAMES = ("cann", "soc")


class Versions:
    """CANN and processor of one host.

    Args:
        host: Its name.
        file: Where they are kept; None: only in memory.
    """

    def __init__(self, host: str, file: Path | None = None) -> None:
        self._file = HostFile(file, host, "Remove it: it is written again.")
        self._known: dict[str, str] = {}

    @property
    def cann(self) -> str:
        """Version of CANN, e.g. `8.5.1`; empty while it is not known."""
        return self._read().get("cann", "")

    @property
    def soc(self) -> str:
        """Processor, e.g. `Ascend910B3`; empty while it is not known."""
        return self._read().get("soc", "")

    def note(self, facts: Mapping[str, str]) -> None:
        """Hear what was seen; what `facts` do not say stays as it is."""
        versions = {name: facts[name] for name in _NAMES if facts.get(name)}
        if versions == {
            name: value for name, value in self._read().items() if name in versions
        }:
            return
        self._known |= versions
        try:
            self._file.change(versions)
        except (OSError, InvalidInput):
            # This run remembers it; the next one asks again.
            return

    def _read(self) -> Mapping[str, str]:
        try:
            return {**self._file.read(), **self._known}
        except (OSError, InvalidInput):
            return self._known
