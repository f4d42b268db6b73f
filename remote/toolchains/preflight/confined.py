"""The lint's process gives up what it does not need before it reads the first candidate.

What is left: the candidate's folder, the system in `/usr`, the headers of the twin, Python and our own code.
A candidate that includes another file is told that it cannot be opened, and one that gets hold of libclang
gets nothing else. Linux with Landlock only; elsewhere limits of time and memory have to do.
"""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from pathlib import Path

from remote.judge.sandbox import Sandbox

_ROOT = Path(__file__).resolve().parents[3]
_OURS = ("core", "remote", "resources")
# As for the compiler: what it can include, the lint has to see.
_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache")
_PYTHON = ("stdlib", "platstdlib", "purelib", "platlib")
_OPEN_FILES, _FILE_MB = 256, 64


def confine(cache_dir: Path, read: Iterable[Path]) -> bool:
    """Confine this process, which has one thread; whether its files are confined now.

    Args:
        cache_dir: Where the launcher is kept once compiled; out of reach afterwards.
        read: What may be read besides Python, our code and the system's libraries.
    """
    if not sys.platform.startswith("linux"):
        return False
    shared = ctypes.CDLL(str(Sandbox.within(cache_dir).library))
    places = [sysconfig.get_path(name) for name in _PYTHON] + [
        str(_ROOT / name) for name in _OURS
    ]
    places += [
        place
        for place in sys.path
        if Path(place).name in ("site-packages", "dist-packages")
    ]
    places += [*_SYSTEM, *map(str, read), str(Path(sys.base_prefix, "lib"))]
    words = ["-p", "python", "-n", str(_OPEN_FILES), "-f", str(_FILE_MB)]
    for place in dict.fromkeys(place for place in places if Path(place).exists()):
        words += ["-r", place]
    words += ["-w", tempfile.gettempdir(), "-w", os.devnull]
    return (
        any(_confined(shared, [*words, *more]) for more in ((), ("-l", "optional")))
        and _has_landlock()
    )


def _confined(shared: ctypes.CDLL, words: Iterable[str]) -> bool:
    given = ["confine", *words, "--"]
    arguments = (ctypes.c_char_p * (len(given) + 1))(*map(os.fsencode, given), None)
    return int(shared.confine_self(len(given), arguments)) == 0


def _has_landlock() -> bool:
    """Whether files are out of reach now."""
    try:
        os.listdir("/")  # noqa: PTH208 - what is there does not matter
    except PermissionError:
        return True
    return False
