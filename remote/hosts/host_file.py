"""A small JSON file of the user's, shared by commands and windows: text by key, for each host."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import InvalidInput
from core.outside import json_record, read_file
from core.private import tighten, write_private


@dataclass(frozen=True)
class HostFile:
    """What such a file says about one host.

    Attributes:
        path: The file; None: only in memory.
        host: Name of the host.
        remedy: What a person whose file was damaged can do.
    """

    path: Path | None
    host: str
    remedy: str
    _memory: dict[str, dict[str, str]] = field(default_factory=dict)

    def read(self) -> dict[str, str]:
        """What is kept now.

        Raises:
            InvalidInput: The file was damaged.
        """
        return self._every().get(self.host, {})

    def change(self, values: Mapping[str, str]) -> None:
        """Keep `values`; an empty one is forgotten. The file is placed atomically.

        Raises:
            InvalidInput: The file was damaged.
        """
        if self.path is None:
            self._put(self._memory, values)
            return
        from filelock import FileLock  # most only read

        with FileLock(self.path.with_suffix(".lock"), mode=0o600):
            every = self._every()
            self._put(every, values)
            write_private(
                self.path, json.dumps(every, indent=1, sort_keys=True).encode()
            )

    def _put(self, every: dict[str, dict[str, str]], values: Mapping[str, str]) -> None:
        mine = {**every.get(self.host, {}), **values}
        every[self.host] = {key: value for key, value in mine.items() if value}

    def _every(self) -> dict[str, dict[str, str]]:
        if self.path is None:
            return self._memory
        if not self.path.exists():
            return {}
        tighten(self.path)
        try:
            return json_record(
                read_file(self.path), dict[str, dict[str, str]], str(self.path)
            )
        except InvalidInput as error:
            raise InvalidInput(
                error.source, error.field, error.problem, self.remedy
            ) from error
