"""A small JSON file of the user's, shared by commands and windows: text by key, for each host."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import InvalidInput
from core.outside import json_record, read_file
from core.private import tighten, write_private


@dataclass(frozen=True)
class HostFile:
    """What such a file says about one host.

    Attributes:
        path: The file.
        host: Name of the host.
        remedy: What a person whose file was damaged can do.
    """

    path: Path
    host: str
    remedy: str

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
        from filelock import FileLock  # most only read

        with FileLock(self.path.with_suffix(".lock"), mode=0o600):
            every = self._every()
            mine = {**every.get(self.host, {}), **values}
            every[self.host] = {key: value for key, value in mine.items() if value}
            write_private(self.path, json.dumps(every, indent=1, sort_keys=True).encode())

    def _every(self) -> dict[str, dict[str, str]]:
        if not self.path.exists():
            return {}
        tighten(self.path)
        try:
            return json_record(read_file(self.path), dict[str, dict[str, str]], str(self.path))
        except InvalidInput as error:
            raise InvalidInput(error.source, error.field, error.problem, self.remedy) from error
