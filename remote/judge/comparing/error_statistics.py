"""The one place where a result is compared with its reference: error statistics and the three verdicts.

Used by the judge on every host and by the gates of operators.

For an element with reference r and result a, d = a - r, and

    abs = |d|        rel = |d| / (|r| + 1e-7)        ulp = distance in units in the last place of the output
    dtype

Equal infinities and NaN where the reference has NaN count as no error; any other non-finite difference is an
infinite one. The verdicts on a case:

    paper      max abs <= 1e-3 and max rel <= 1e-3 (the precision criterion of the SAGE paper)
    benchmark  no element with abs > 1e-3 and rel > 1e-3 (what NPUKernelBench's checker computes)
    ulp        max ulp <= 2

The operators of the catalogue are judged by one of three more, which are stricter for float32: 1e-3 of the value is
two steps of float16, so a result that passed through 16 bits would still be right.

    catalogue  float32 within 1e-3 absolute and within 1e-4 relative, float16 and bfloat16 within 2 ulp
    mixed      for results that cancel, which have no meaningful relative error near zero: every float32 element
               within 1e-4 absolute or relative, every 16-bit one within 5e-4 absolute or 2 ulp
    quantised  float32 within 1e-4 relative, 16 bits within 2 ulp (a scale may be smaller than any fixed error), and
               an int8 result may be one step off (a value near a half rounds either way)

Integers and bools are exact under every rule, with that one exception.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from core.evaluation.records import ErrorStatistics
from remote.judge.comparing.error_map import error_map
from remote.judge.comparing.mismatch import mismatch_rule
from remote.judge.inputs.tensor_memory import same_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

ABSOLUTE_LIMIT = 1e-3
RELATIVE_LIMIT = 1e-3
FINE_LIMIT = 1e-4  # a tenth of a step of float16 at 1
HALF_LIMIT = 5e-4  # half a step of float16 at 1, where terms of 16 bits cancel
ULP_LIMIT = 2.0
RELATIVE_GUARD = 1e-7

RULES = ("paper", "benchmark", "ulp", "catalogue", "mixed", "quantised")
_PORTION = 1 << 18  # elements compared at a time: what fits the processor's cache
_BITS = {
    torch.float32: torch.int32,
    torch.float16: torch.int16,
    torch.bfloat16: torch.int16,
}
_HALVES = (torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Comparison:
    """Statistics and verdicts of one output. `deciding` names the rule that `passed` follows."""

    errors: ErrorStatistics
    paper: bool
    benchmark: bool
    ulp: bool
    deciding: str
    passed: bool
    pattern: str
    rule: str = ""
    shift: int = 0


def deciding_rule(rule: str, dtype: torch.dtype) -> str:
    """The verdict that decides: the catalogue judges halves by ulp (one of bfloat16 is up to 0.8 % of a value)."""
    if rule == "catalogue":
        return "ulp" if dtype in _HALVES else rule
    return rule


def ulp_distance(expected: torch.Tensor, actual: torch.Tensor) -> torch.Tensor:
    """Units in the last place between finite values, as float64; for integers the absolute difference.

    Adjacent representable numbers are one apart, subnormals included; +0 and -0 are the same number.

    Args:
        expected: Reference in the output dtype.
        actual: Result, same dtype and shape.
    """
    if expected.dtype not in _BITS:
        return (actual.double() - expected.double()).abs()
    return (_ordinal(actual) - _ordinal(expected)).abs().double()


def _ordinal(values: torch.Tensor) -> torch.Tensor:
    """Position of each value on the line of representable numbers, 0 for both zeros."""
    integer = _BITS[values.dtype]
    bits = values.contiguous().view(integer).long()
    magnitude = bits & torch.iinfo(integer).max
    return torch.where(bits < 0, -magnitude, magnitude)


def compare(
    output: str,
    expected: torch.Tensor,
    actual: torch.Tensor,
    rule: str = "catalogue",
    located: bool = True,
) -> Comparison:
    """Compare one output with its reference.

    Args:
        output: Name of the output.
        expected: Reference, rounded once to the output dtype.
        actual: Result of the candidate, same shape and dtype (check that first).
        rule: `catalogue`, `paper`, `benchmark`, `ulp`, `mixed` or `quantised`.
        located: Whether to work out which elements differ and how (error map and pattern).

    Raises:
        ValueError: Shape or dtype differ, or the rule is unknown.
    """
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        raise ValueError("compare() wants tensors of one shape and dtype")
    deciding = deciding_rule(rule, expected.dtype)
    if deciding not in RULES:
        raise ValueError(f"unknown rule {rule!r}")
    e, a = expected.flatten(), actual.flatten()
    total = _Total(deciding)
    for start in range(0, e.numel(), _PORTION):
        total.add(start, e[start : start + _PORTION], a[start : start + _PORTION])
    count = e.numel()
    errors = ErrorStatistics(
        output=output,
        elements=count,
        max_abs=total.largest["abs"],
        avg_abs=total.sums["abs"] / max(count, 1),
        max_rel=total.largest["rel"],
        avg_rel=total.sums["rel"] / max(count, 1),
        average_accuracy=1.0 - total.mismatched / count if count else 1.0,
        max_ulp=total.largest["ulp"],
        mismatched=total.mismatched,
        worst_index=total.worst if count else -1,
        worst_expected=float(e[total.worst]) if count else 0.0,
        worst_actual=float(a[total.worst]) if count else 0.0,
    )
    pattern, kind, shift = "", "", 0
    if total.mismatched and located:
        wrong, shape = torch.zeros(count, dtype=torch.bool), tuple(expected.shape)
        wrong[torch.cat(total.wrong)] = True
        errors = replace(errors, map=error_map(wrong, shape, e, a))
        pattern = describe_pattern(wrong, shape)
        kind, shift = mismatch_rule(
            wrong, e.double(), a.double(), torch.cat(total.wrong_ulps), shape
        )
    passed = {name: name not in total.failed for name in RULES}
    return Comparison(
        errors=errors,
        paper=passed["paper"],
        benchmark=passed["benchmark"],
        ulp=passed["ulp"],
        deciding=deciding,
        passed=passed[deciding],
        pattern=pattern,
        rule=kind,
        shift=shift,
    )


class _Total:
    """What the portions of one output add up to. Elements whose bits agree have no error: nothing is done."""

    def __init__(self, deciding: str) -> None:
        self.largest = {"abs": 0.0, "rel": 0.0, "ulp": 0.0}
        self.sums = {"abs": 0.0, "rel": 0.0}
        self.failed: set[str] = set()  # rules that some element breaks
        self.mismatched = 0  # elements that break the deciding rule
        # Where they are, and their distances in ulp.
        self.wrong: list[torch.Tensor] = []
        self.wrong_ulps: list[torch.Tensor] = []
        self.worst, self._badness, self._worst_is_wrong = 0, 0.0, False
        self._deciding = deciding

    def add(self, start: int, e: torch.Tensor, a: torch.Tensor) -> None:
        """Add the elements from flat index `start` on."""
        if same_bits(e, a):
            return
        where = _differing(e, a)
        if not where.numel():
            return
        if where.numel() < e.numel():
            e, a = e[where], a[where]
        absolute, relative, ulps = _distances(e, a)
        for name, values in (("abs", absolute), ("rel", relative), ("ulp", ulps)):
            self.largest[name] = max(self.largest[name], float(values.max()))
        self.sums["abs"] += float(absolute.sum())
        self.sums["rel"] += float(relative.sum())
        failing = _failing(e.dtype, absolute, relative, ulps)
        self.failed |= {name for name, mask in failing.items() if bool(mask.any())}
        wrong = failing[self._deciding]
        self._note_worst(
            start,
            where,
            wrong,
            ulps if self._deciding == "ulp" else torch.maximum(absolute, relative),
        )
        count = int(wrong.sum())
        if count:
            self.mismatched += count
            self.wrong.append(start + where[wrong])
            self.wrong_ulps.append(ulps[wrong])

    def _note_worst(
        self,
        start: int,
        where: torch.Tensor,
        wrong: torch.Tensor,
        badness: torch.Tensor,
    ) -> None:
        """Keep the worst element, among the wrong ones when there are any; the first of equals."""
        some = bool(wrong.any())
        if self._worst_is_wrong and not some:
            return
        badness = torch.where(wrong, badness, -1.0) if some else badness
        at = int(badness.argmax())
        if float(badness[at]) > self._badness or (some and not self._worst_is_wrong):
            self.worst, self._badness = start + int(where[at]), float(badness[at])
        self._worst_is_wrong = self._worst_is_wrong or some


def _differing(e: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
    """Where the bits of two flat tensors differ."""
    integer = _BITS.get(e.dtype)
    if integer is not None:
        e, a = e.contiguous().view(integer), a.contiguous().view(integer)
    return (e != a).nonzero().flatten()


def _failing(
    dtype: torch.dtype,
    absolute: torch.Tensor,
    relative: torch.Tensor,
    ulps: torch.Tensor,
) -> dict[str, torch.Tensor]:
    """Elements that break each of `RULES`."""
    if not dtype.is_floating_point:
        # A share of an integer is no tolerance: 0.1 % of a token's number is another token.
        differs = absolute > 0
        one_step = absolute > 1 if dtype == torch.int8 else differs
        return {**dict.fromkeys(RULES, differs), "quantised": one_step}
    off_by_share, off_by_ulps = relative > FINE_LIMIT, ulps > ULP_LIMIT
    is_half = dtype in _HALVES
    inexact = off_by_ulps if is_half else off_by_share
    cancelling = HALF_LIMIT if is_half else FINE_LIMIT
    return {
        "paper": (absolute > ABSOLUTE_LIMIT) | (relative > RELATIVE_LIMIT),
        "benchmark": (absolute > ABSOLUTE_LIMIT) & (relative > RELATIVE_LIMIT),
        "ulp": off_by_ulps,
        "catalogue": (absolute > ABSOLUTE_LIMIT) | off_by_share,
        "mixed": (absolute > cancelling) & inexact,
        "quantised": inexact,
    }


def _distances(
    e: torch.Tensor, a: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Absolute error, relative error and distance in ulp of every element, float64."""
    equal = e == a
    if e.is_floating_point():
        equal = equal | (e.isnan() & a.isnan())
        infinite = ~equal & ~(e.isfinite() & a.isfinite())
    else:
        infinite = torch.zeros_like(equal)
    e64 = e.double()
    absolute = (a.double() - e64).abs()
    absolute[equal] = 0.0
    absolute[infinite] = float("inf")
    if e.dtype == torch.int64:
        # Neighbours beyond 2**53 collapse in float64; they are still different integers.
        absolute = torch.where(~equal & (absolute < 1.0), 1.0, absolute)
    relative = torch.where(equal, 0.0, absolute / (e64.abs() + RELATIVE_GUARD))
    relative[infinite] = float("inf")
    ulps = ulp_distance(e, a)
    ulps[equal] = 0.0
    ulps[infinite] = float("inf")
    return absolute, relative, ulps


def describe_pattern(wrong: torch.Tensor, shape: Sequence[int]) -> str:
    """Say in words where the wrong elements lie; the place often names the cause (tail, stride, block split).

    Args:
        wrong: Flat boolean mask.
        shape: Shape of the output, to recognise whole rows.
    """
    count, total = int(wrong.sum()), wrong.numel()
    if count == 0:
        return ""
    where = wrong.nonzero().flatten()
    first, last = int(where[0]), int(where[-1])
    if count == total:
        return f"all {total} elements are wrong"
    if last - first + 1 == count:
        if last == total - 1:
            return (
                f"the last {count} of {total} elements are wrong (from index {first})"
            )
        if first == 0:
            return f"the first {count} of {total} elements are wrong"
        return f"{count} of {total} elements are wrong, all between index {first} and {last}"
    row = shape[-1] if shape else 0
    if 1 < row < total:
        columns = torch.zeros(row, dtype=torch.bool)
        columns[where % row] = True
        bad = columns.nonzero().flatten()
        if (
            int(bad[0]) > 0
            and int(bad[-1]) == row - 1
            and len(bad) == row - int(bad[0])
        ):
            return f"{count} of {total} elements are wrong, only in the last {len(bad)} columns of rows of {row}"
    steps = where[1:] - where[:-1]
    if count > 2 and bool((steps == steps[0]).all()):
        return f"every {int(steps[0])}th element from index {first} on is wrong ({count} of {total})"
    return (
        f"{count} of {total} elements are wrong, first at index {first}, last at {last}"
    )
