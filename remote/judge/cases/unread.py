"""Inputs that a kernel left unread, though its result depends on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from core.evaluation.records import CaseResult
from core.operators.spec import TestCase
from remote.judge.cases.one_case import run_again
from remote.judge.cases.outcome import CaseOutcome, CaseTask
from remote.judge.faults import EnvironmentFault
from remote.judge.inputs.drawn_inputs import cases_where_unread
from remote.judge.operator_code.references import References


def try_where_unread(
    outcome: CaseOutcome,
    task: CaseTask,
    cases: Sequence[TestCase],
    references: References,
) -> None:
    """Run a case that passed with other numbers where no core read any; if it is wrong then, it fails.

    Nothing is run where they do not change what is expected: masked, padded, gathered.

    Args:
        outcome: Of the case.
        task: The case.
        cases: All of the operator as they were given, which lend their numbers.
        references: Make other inputs and what is expected of them.

    Raises:
        EnvironmentFault: The machine failed, not the candidate.
        Cancelled: The job was cancelled.
    """
    unread = outcome.launch.unread if outcome.launch is not None else {}
    if task.case.row:
        return
    original = next(case for case in cases if case.name == task.case.name)
    for name, case in cases_where_unread(original, task.case, unread, cases):
        row = _wrong_row(task, case, references)
        if row is None:
            continue
        complaint = f"no core reads parts of {name} on which the result depends"
        outcome.findings.append(task.finding("input-unread", complaint))
        detail = f"{complaint}; with other numbers there: {row.detail}"
        outcome.fail(task.case, row.status, detail)
        return


def _wrong_row(
    task: CaseTask, case: TestCase, references: References
) -> CaseResult | None:
    """The case as it was judged where its result is another one and the kernel's is wrong, else None."""
    try:
        data = references.case(task.operator, case)
    except EnvironmentFault:  # its code does not take them
        return None
    before, after = task.data.expected, data.expected
    if data.interface() != task.data.interface() or all(map(_is_same, before, after)):
        return None
    settings = replace(task.settings, fast=True, trace=False)
    again = replace(task, case=case, data=data, settings=settings, again=None)
    row = run_again(again).row
    return None if row.status == "pass" else row


def _is_same(before: torch.Tensor | None, after: torch.Tensor | None) -> bool:
    if before is None or after is None:
        return before is after
    return torch.equal(before, after)
