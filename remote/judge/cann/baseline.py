"""What T_torch times: the call an operator names as its baseline, on the tensors of a case."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import torch

from core.operators.spec import Baseline


class NoBaseline(Exception):
    """The operator names no call, or none that computes the same for this case."""


def baseline_call(
    baseline: Baseline | None, values: Mapping[str, Any]
) -> Callable[[], Any]:
    """The call with everything it needs made beforehand.

    Args:
        baseline: What the operator names; None: nothing.
        values: Inputs (None for one that is left out) and attributes by name.

    Raises:
        NoBaseline: As it says.
        Exception: Whatever an expression raises, e.g. a torch_npu without that call.
    """
    if baseline is None or not baseline.call:
        reason = baseline.none if baseline is not None else ""
        raise NoBaseline(reason or "the operator names no call")
    names = {**values, "torch": torch}
    if any("torch_npu" in text for text in (baseline.call, *baseline.given.values())):
        names["torch_npu"] = importlib.import_module("torch_npu")

    def value(text: str) -> Any:
        return eval(text, dict(names))  # noqa: S307 - as trusted as reference.py, which stands beside it

    if baseline.when and not value(baseline.when):
        raise NoBaseline(f"the call computes the same only when {baseline.when}")
    names |= {name: value(text) for name, text in baseline.given.items()}
    code = compile(baseline.call, "baseline", "eval")
    return lambda: eval(code, names)  # noqa: S307
