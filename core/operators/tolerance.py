"""How exact a result must be, in numbers for every dtype of the outputs: what the deciding rule means.

The rules themselves are computed by `remote.judge.comparing.error_statistics`; a test holds these texts against it.
"""

from __future__ import annotations

from core.operators.spec import DecidingRule, DType, OperatorSpec

ABSOLUTE = 1e-3
RELATIVE = 1e-3
FINE = 1e-4  # absolute or relative, where a step of float16 would otherwise pass for float32
HALF = 5e-4  # absolute, of 16-bit results that cancel: half a step of float16 at 1
GUARD = 1e-7  # added to |reference| in the relative error
ULP = 2

_HALVES = (DType.FLOAT16, DType.BFLOAT16)
_FLOATS = (*_HALVES, DType.FLOAT32, DType.COMPLEX64)
# Two units in the last place as a share of the value, which lies between these.
_ULP_SHARE = {
    DType.FLOAT16: "0.1 to 0.2 %",
    DType.BFLOAT16: "0.8 to 1.6 %",
    DType.FLOAT32: "0.00001 to 0.00002 %",
}
_BOTH = f"absolute error <= {ABSOLUTE:g} and relative error <= {RELATIVE:g}"
_EITHER = f"absolute error <= {ABSOLUTE:g} or relative error <= {RELATIVE:g}"


def tolerance_lines(operator: OperatorSpec) -> tuple[str, ...]:
    """One line for every dtype an output may have, as the deciding rule judges each of its elements.

    The rule `checker` compares in a way of its own: the operator says how in `tolerance`, or in its summary.
    """
    if operator.tolerance:
        return tuple(operator.tolerance.strip().splitlines())
    if operator.rule is DecidingRule.CHECKER:
        return (
            "- by a checker of the task's own, with the bounds its description gives",
        )
    dtypes = dict.fromkeys(
        dtype for output in operator.outputs for dtype in output.dtypes
    )
    if not dtypes:  # an imported task that leaves its types open
        dtypes = dict.fromkeys(
            (DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16, DType.INT32)
        )
    grouped: dict[str, list[str]] = {}
    for dtype in dtypes:
        grouped.setdefault(tolerance(operator.rule, dtype), []).append(dtype.value)
    lines = [f"- {', '.join(names)}: {text}" for text, names in grouped.items()]
    if any("relative" in text for text in grouped):
        lines.append(f"- relative error = |error| / (|reference| + {GUARD:g})")
    return (*lines, "- NaN and infinities only where the reference has them")


def tolerance(rule: DecidingRule, dtype: DType) -> str:
    """What `rule`, any but `checker`, asks of every element of type `dtype`."""
    if rule is DecidingRule.QUANTISED and dtype is DType.INT8:
        return "at most 1 off"
    if dtype not in _FLOATS:
        return "exact"
    if rule is DecidingRule.PAPER:
        return _BOTH
    if rule is DecidingRule.BENCHMARK:
        return _EITHER
    if rule is DecidingRule.ULP:
        return _ulp(dtype)
    fine = f"relative error <= {FINE:g}"
    if rule is DecidingRule.CATALOGUE and dtype not in _HALVES:
        return f"absolute error <= {ABSOLUTE:g} and {fine}"
    is_half = dtype in _HALVES
    close = _ulp(dtype) if is_half else fine
    if rule is DecidingRule.MIXED:
        return f"absolute error <= {HALF if is_half else FINE:g} or {close}"
    return close


def _ulp(dtype: DType) -> str:
    return f"at most {ULP} units in the last place ({_ULP_SHARE[dtype]} of the value)"
