"""The models a person told us of: endpoint profiles by name, in one small file. No key is in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from core.errors import InvalidInput
from core.models.endpoint import Endpoint

FILE = "models.json"


def read_profiles(path: Path) -> dict[str, Endpoint]:
    """Name -> profile, in the order they were made; empty when there is no file.

    Raises:
        InvalidInput: The file cannot be read, or a profile makes no sense; names file and profile.
    """
    try:
        table = msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as error:
        raise InvalidInput(str(path), "file", f"cannot be read: {error}") from error
    found: dict[str, Endpoint] = {}
    for name, raw in table.items():
        try:
            found[name] = msgspec.json.decode(raw, type=Endpoint)
        except msgspec.MsgspecError as error:
            raise InvalidInput(str(path), name, str(error)) from error
    return found


def write_profiles(path: Path, every: Mapping[str, Endpoint]) -> None:
    """Keep exactly these profiles; the file is placed atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    partial.write_bytes(msgspec.json.format(msgspec.json.encode(dict(every)), indent=1))
    partial.replace(path)
