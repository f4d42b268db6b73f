"""The headers and sources of the CPU twin, those included that are made of its tables.

CANN spreads its API over more than a hundred headers. Where the twin keeps it in few, `headers.toml` says
what each of CANN's names brings in; `processors.toml` becomes `twin/processors.h`.
"""

from __future__ import annotations

import os
import shutil
import threading
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from remote.judge.building.processors import parsed_processors
from remote.judge.machine.artifacts import digest_of, place_folder

_INCLUDE = "include"
_HEADERS, _PROCESSORS = "headers.toml", "processors.toml"


class TwinSources:
    """What the twin is made of, read again when a file of it changed. Several threads may ask.

    Args:
        folder: `resources/twin`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._stamp: tuple[tuple[str, int, int], ...] = ()
        self._texts: Mapping[str, str] = {}
        self._digest = ""

    def texts(self) -> tuple[Mapping[str, str], str]:
        """Text of every file by its path below the folder, and a digest of all.

        Raises:
            OSError: A file cannot be read.
            ValueError: A table is wrong.
        """
        with self._lock:
            stamp = tuple(sorted(_stamps(self._folder)))
            if stamp != self._stamp:
                read = {
                    str(path.relative_to(self._folder)): path.read_text(
                        encoding="utf-8"
                    )
                    for path in (Path(name) for name, _, _ in stamp)
                }
                self._texts = read | _generated(read)
                self._digest = digest_of(
                    *(part for pair in sorted(self._texts.items()) for part in pair)
                )
                self._stamp = stamp
            return self._texts, self._digest


def placed_headers(sources: TwinSources, folder: Path) -> Path:
    """The include folder with all headers in it, below `folder` under the digest of what it holds.

    It is written whole or not at all, and only when it is not there.

    Raises:
        OSError: It cannot be written.
        ValueError: A table is wrong.
    """
    texts, digest = sources.texts()
    target = folder / digest[:20]
    if not target.is_dir():
        part = target.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        write_texts(
            {name: text for name, text in texts.items() if name.startswith(_INCLUDE)},
            part,
        )
        try:
            place_folder(part, target)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return target / _INCLUDE


def write_texts(texts: Mapping[str, str], folder: Path) -> None:
    """Write every text into the file of its name below `folder`."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _generated(read: Mapping[str, str]) -> dict[str, str]:
    """The headers that are generated."""
    generated = {
        f"{_INCLUDE}/twin/processors.h": parsed_processors(read[_PROCESSORS]).header()
    }
    for group in tomllib.loads(read[_HEADERS])["header"]:
        text = "".join(f'#include "{name}"\n' for name in group["includes"])
        for name in group["names"]:
            path = f"{_INCLUDE}/{name}"
            if path in read or path in generated:
                raise ValueError(
                    f"headers.toml: {name!r} is there twice; leave one of them out"
                )
            generated[path] = f"// Made of headers.toml.\n#pragma once\n\n{text}"
    return generated


def _stamps(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Path, bytes and time of all files below `folder`."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _stamps(Path(entry.path))
            else:
                state = entry.stat()
                yield entry.path, state.st_size, state.st_mtime_ns
