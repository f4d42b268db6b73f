"""When a result counts as right, for the judge and for the gates of operators: what is asked, in which order.

First, whatever rule decides, an element that is NaN or infinite where the reference is finite is wrong: a
checker that tests `difference > tolerance` is blind to it, as that is false for NaN. Then the operator's own
checker is asked, or the deciding rule of `error_statistics`.

An element that no core wrote is wrong as well. Outputs start as a pattern of bytes, so such an element still holds
the pattern; when a second run, begun with another pattern, leaves that one there too, it is no coincidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from core.operators.spec import TestCase
from remote.judge.comparing.error_statistics import Comparison, compare
from remote.judge.inputs.case_data import WIDTHS, poison
from remote.judge.inputs.file_memory import Memory
from remote.judge.inputs.tensor_memory import same_bits

# The operator's own checker: case, inputs, expected and actual outputs in; "" or an objection out.
OwnCheck = Callable[
    [
        TestCase,
        Mapping[str, Any],
        Sequence[torch.Tensor | None],
        Sequence[torch.Tensor],
    ],
    str,
]


@dataclass(frozen=True)
class Acceptance:
    """What was said of the outputs of one case.

    Attributes:
        objection: Why the result is wrong, "" when it is right or when the comparisons say it.
        comparisons: One for each output that is compared, None for one that is left open.
        deciding: Names of the rules that decided, joined by `+`.
        passed: Whether the result is right.
    """

    objection: str
    comparisons: tuple[Comparison | None, ...]
    deciding: str
    passed: bool


def accept(
    own_check: OwnCheck,
    case: TestCase,
    rule: str,
    names: Sequence[str],
    inputs: Mapping[str, Any],
    expected: Sequence[torch.Tensor | None],
    returned: Sequence[torch.Tensor | None],
    actual: Sequence[torch.Tensor],
) -> Acceptance:
    """Ask of all outputs of a case whether they are right.

    Args:
        own_check: The operator's own checker, asked when the rule says so.
        case: The case.
        rule: Deciding rule of the operator.
        names: Outputs as shown.
        inputs: Name -> tensor, or a list of them; what a checker of the catalogue is given.
        expected: Reference in the dtypes of the outputs, None for an output that is left open.
        returned: Reference as a checker is given it.
        actual: Results, of the dtypes and shapes of `expected`.

    Raises:
        EnvironmentFault: The operator's own checker fails.
    """
    own = rule == "checker"
    strange = _first_strange(names, expected, actual)
    objection = strange
    if own and not strange:
        objection = own_check(case, inputs, returned, actual)
        objection = objection and f"{objection} (checker)"
    # Where elements differ says nothing when the checker accepts them.
    located = bool(objection) or not own
    comparisons = tuple(
        compare(
            name,
            as_parts(reference),
            as_parts(got),
            "benchmark" if own else rule,
            located,
        )
        if reference is not None
        else None
        for name, reference, got in zip(names, expected, actual, strict=True)
    )
    by_elements = [comparison for comparison in comparisons if comparison is not None]
    deciding = (
        "checker"
        if own
        else "+".join(dict.fromkeys(comparison.deciding for comparison in by_elements))
    )
    passed = not objection and (
        own or all(comparison.passed for comparison in by_elements)
    )
    return Acceptance(objection, comparisons, deciding, passed)


def is_accepted(
    own_check: OwnCheck,
    case: TestCase,
    rule: str,
    inputs: Mapping[str, Any],
    expected: Sequence[torch.Tensor | None],
    returned: Sequence[torch.Tensor | None],
    actual: Sequence[torch.Tensor],
) -> bool:
    """Whether a result is right, without working out how it is wrong; see `accept`.

    Raises:
        EnvironmentFault: The operator's own checker fails.
    """
    if any(
        strange_elements(w, a) is not None
        for w, a in zip(expected, actual, strict=True)
    ):
        return False
    if rule == "checker":
        return not own_check(case, inputs, returned, actual)
    return all(
        wanted is None
        or compare("", as_parts(wanted), as_parts(got), rule, located=False).passed
        for wanted, got in zip(expected, actual, strict=True)
    )


def _first_strange(
    names: Sequence[str],
    expected: Sequence[torch.Tensor | None],
    actual: Sequence[torch.Tensor],
) -> str:
    for name, reference, got in zip(names, expected, actual, strict=True):
        strange = strange_elements(reference, got)
        if strange is not None:
            first = int(strange.nonzero()[0])
            return (
                f"{name}: {int(strange.sum())} of {strange.numel()} elements are NaN or infinite where the "
                f"reference is finite, the first at index {first}"
            )
    return ""


def strange_elements(
    expected: torch.Tensor | None, actual: torch.Tensor
) -> torch.Tensor | None:
    """Flat mask of elements that are NaN or infinite although the reference is finite; None without any."""
    if expected is None or not (actual.is_floating_point() or actual.is_complex()):
        return None
    if same_bits(expected, actual):
        return None
    finite = actual.isfinite()
    if bool(finite.all()):
        return None
    strange = (~finite & expected.isfinite()).flatten()
    return strange if bool(strange.any()) else None


def as_parts(tensor: torch.Tensor) -> torch.Tensor:
    """A bool tensor as its bytes: only 0 and 1 are bools, memory that was never written is neither.

    Complex numbers become pairs of real and imaginary part.
    """
    if tensor.is_complex():
        return torch.view_as_real(tensor)
    return tensor.view(torch.uint8) if tensor.dtype == torch.bool else tensor


def untouched(data: Memory, dtype: str, *, second: bool = False) -> torch.Tensor:
    """Flat mask of the elements in `data` that still hold the pattern they started with."""
    if not data:
        return torch.zeros(0, dtype=torch.bool)
    is_poison = torch.frombuffer(data, dtype=torch.uint8) == poison(
        dtype, second=second
    )
    return is_poison.reshape(-1, WIDTHS[dtype]).all(dim=1)


def unwritten(name: str, dtype: str, first: Memory, second: Memory) -> str:
    """Complaint about elements that kept the pattern of both runs; "" when there are none.

    Args:
        name: The output as shown.
        dtype: Its dtype.
        first: What the first run left in it.
        second: What the run with the other pattern left in it.
    """
    mask = untouched(first, dtype) & untouched(second, dtype, second=True)
    if not bool(mask.any()):
        return ""
    count, total, start = int(mask.sum()), mask.numel(), int(mask.nonzero()[0])
    return f"{name}: {count} of {total} elements are written by no core, the first at index {start}"
