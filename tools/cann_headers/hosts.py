"""op_host of our kernels as CANN's headers take it, in the standard of each template that compiles it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from remote.judge.building.glue import host_sources
from remote.judge.witness.check import HOST_STANDARD

# What msopgen's template has; our own project says the other, and `toolchains.cann.project` changes that one.
OLDER_STANDARD = "c++11"
STANDARDS = (OLDER_STANDARD, HOST_STANDARD)


def host_refusals(
    files: Mapping[str, str], flags: Sequence[str], folder: Path
) -> dict[str, str]:
    """Sources of op_host that a compiler refuses -> the first error it gives.

    Args:
        files: The candidate, path -> text.
        flags: Standard and include folders.
        folder: Where the candidate is written.
    """
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    refusals: dict[str, str] = {}
    for path in host_sources(files):
        command = ["g++", *flags, "-Iop_kernel", "-fsyntax-only", path]
        run = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False
        )
        if run.returncode:
            lines = run.stderr.splitlines()
            errors = (line for line in lines if "error:" in line)
            refusals[path] = next(errors, run.stderr)
    return refusals
