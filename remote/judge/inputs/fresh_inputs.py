"""Inputs that a kernel which was just timed has not seen, and whose results it cannot foresee."""

from __future__ import annotations

import re
from dataclasses import replace

from core.operators.spec import InputSpec, TestCase

_FRESH_SEED = 104729  # added to the seed of the case
_FROM = 0.25  # of the range of a uniform fill: what lies above is drawn
_UNIFORM = re.compile(r"uniform\(([^,]+),([^)]+)\)")
# Inside the normal fill's range, with another mean and variance.
_FOR_NORMAL = "uniform(-0.5,1.5)"


def fresh_case(case: TestCase) -> TestCase:
    """The case with another seed and other distributions: shapes, dtypes and attributes stay as they are.

    The mean of ten million numbers is the same for every seed, so that a kernel could return it as a
    constant. A narrower range also has another mean and variance, and lies within what the operator takes.
    """
    inputs = {
        name: replace(entry, fill=_narrower(entry))
        for name, entry in case.inputs.items()
    }
    return replace(case, seed=case.seed + _FRESH_SEED, inputs=inputs)


def _narrower(entry: InputSpec) -> str:
    if entry.fill == "normal":
        return _FOR_NORMAL
    bounds = _UNIFORM.fullmatch(entry.fill)
    if bounds is None:
        return entry.fill
    low, high = float(bounds[1]), float(bounds[2])
    return f"uniform({low + _FROM * (high - low)!r},{high!r})"
