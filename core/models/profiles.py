"""The profiles of models a person set up, by name, in one small file.

A profile holds the name of its API key, never the key: `core.models.api_keys` reads it
from the environment or the system keyring.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from core.models.endpoint import Endpoint
from core.outside import convert, json_value, read_file
from core.private import private_folder, tighten, write_private

FILE = "models.json"


def read_profiles(path: Path) -> dict[str, Endpoint]:
    """Name -> profile, in the order they were made; empty when there is no file.

    Raises:
        InvalidInput: The file cannot be read, or a profile makes no sense; names file
            and profile.
    """
    if not path.exists():
        return {}
    tighten(path)
    table = convert(
        json_value(read_file(path), str(path)), dict[str, Any], str(path), "file"
    )
    return {
        name: convert(profile, Endpoint, str(path), name)
        for name, profile in table.items()
    }


def write_profiles(path: Path, every: Mapping[str, Endpoint]) -> None:
    """Keep exactly these profiles; the file is placed atomically."""
    private_folder(path.parent, ours=False)
    write_private(path, msgspec.json.format(msgspec.json.encode(dict(every)), indent=1))
