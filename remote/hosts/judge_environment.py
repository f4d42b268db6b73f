"""What a judge on this computer gets of the application's environment: no key, no agent, no proxy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import remote
from remote.judge.processes.passed_variables import is_passed

_ROOT = str(Path(remote.__file__).resolve().parent.parent)


def judge_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The part of `environment` a judge needs, with our packages on Python's path."""
    passed = {name: value for name, value in environment.items() if is_passed(name)}
    paths = [_ROOT, *filter(None, [environment.get("PYTHONPATH", "")])]
    return {**passed, "PYTHONPATH": os.pathsep.join(paths)}
