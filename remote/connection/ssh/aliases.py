"""Names of hosts in the user's SSH configuration, for choosing one. What they mean, `config.resolve` says."""

from __future__ import annotations

import glob
import os
import shlex
from pathlib import Path

from core.outside import at_home
from remote.connection.ssh.config import CONFIG_VARIABLE

_MOST_DEEP = 16  # as OpenSSH


def known_aliases(config: Path | None = None) -> tuple[str, ...]:
    """Every plain name behind `Host`, in order, files of `Include` with it; patterns are no names.

    A file that cannot be read is passed over: OpenSSH will tell when it is used.

    Args:
        config: Configuration file; by default `SAGE_SSH_CONFIG` or the user's own.
    """
    given = os.environ.get(CONFIG_VARIABLE)
    path = config or (Path(given) if given else Path.home() / ".ssh" / "config")
    found: dict[str, None] = {}
    _read(path, found, 0)
    return tuple(found)


def _read(path: Path, found: dict[str, None], depth: int) -> None:
    if depth > _MOST_DEEP:
        return
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        keyword, _, rest = line.strip().replace("=", " ", 1).partition(" ")
        try:
            words = shlex.split(rest)
        except ValueError:
            continue
        if keyword.lower() == "host":
            found.update(
                dict.fromkeys(word for word in words if not set(word) & set("*?!"))
            )
        elif keyword.lower() == "include":
            for word in words:
                pattern = at_home(word)
                pattern = (
                    pattern if pattern.is_absolute() else Path.home() / ".ssh" / pattern
                )
                for included in sorted(glob.glob(str(pattern))):  # noqa: PTH207 - absolute patterns
                    _read(Path(included), found, depth + 1)
