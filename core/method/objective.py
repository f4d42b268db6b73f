"""The objective of a task: tau = (operator, objective)."""

from __future__ import annotations

from enum import StrEnum


class Objective(StrEnum):
    """What an episode is for: a first correct kernel, or a faster one."""

    CORR = "corr"
    OPT = "opt"
