"""Write `requirements.lock`: every package of development and CI with its hashes (`make lock`).

torch and what only it needs are left out: which build of it fits depends on the machine, and `make setup`
installs it first.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "requirements.lock"
HEAD = "# Every package of development and CI beside torch, with its hashes. Written by `make lock`.\n"
_COMPILE = (
    "uv pip compile pyproject.toml --extra dev --universal --generate-hashes"
    " --python-version 3.11 --no-annotate --no-header --quiet"
)
_OF_TORCH = re.compile(r"(?:torch|triton|cuda-|nvidia-)")


def main() -> None:
    """Resolve for every platform and Python the project supports."""
    with tempfile.TemporaryDirectory() as folder:
        lock_file = Path(folder) / "lock"
        command = [sys.executable, "-m", *_COMPILE.split(), "-o", str(lock_file)]
        subprocess.run(command, check=True, cwd=ROOT)
        text = lock_file.read_text(encoding="utf-8")
    # A package begins at the edge; its hashes are indented.
    packages = re.split(r"(?m)^(?=[a-z0-9])", text)
    rows = [package for package in packages if not _OF_TORCH.match(package)]
    TARGET.write_text(HEAD + "".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
