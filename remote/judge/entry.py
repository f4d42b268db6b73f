"""A process of the judge that sees the judge's folder alone: what lies beside it is out of sight."""

from __future__ import annotations

import sys
from pathlib import Path

_BEGIN = """
import importlib, importlib.util, sys
name, folder = "judge", sys.argv[1]
spec = importlib.util.spec_from_file_location(
    name, folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules[name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[name])
sys.exit(importlib.import_module(name + "." + sys.argv[2]).main(sys.argv[3:]))
"""


def entered_alone(module: str) -> list[str]:
    """The command that runs `main` of a module of the judge with the words that follow."""
    return [sys.executable, "-c", _BEGIN, str(Path(__file__).resolve().parent), module]
