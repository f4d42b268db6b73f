"""The same launch in other orders of cores and pipes: a right result must not depend on its order."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from core.evaluation.records import Finding
from core.operators.spec import TestCase
from remote.judge.cases.one_case import run_again
from remote.judge.cases.outcome import CaseOutcome, CaseTask, place_of

USUAL_ORDERS = 2  # everything as late as allowed, and one by chance
# A run in another order keeps what was overwritten and may run twice; the kernel is not to blame for either.
_MORE_TIME, _MORE_MEMORY = 4, 2


def cases_to_reorder(
    cases: Sequence[TestCase],
    outcomes: Sequence[CaseOutcome],
    programs: Mapping[str, Hashable],
    orders: int | None,
) -> dict[str, int]:
    """In how many other orders each case is tried, by name.

    Where the job leaves it open, `USUAL_ORDERS` each, of a candidate that has not failed, for
    - one case of every program and tiling key whose cores work together: the smallest that passed, a timed
      one where there is one, since a small case that is not timed may not leave the first core;
    - every case in which a scalar unit reads what another core writes with nothing between, which may be a
      poll.

    Args:
        cases: The cases that were run.
        outcomes: Of each of them, in the same order.
        programs: Identity of each case's program, by name of the case.
        orders: Orders for every case that passed; None leaves it to the kernel.
    """
    pairs = sorted(zip(cases, outcomes, strict=True), key=lambda pair: _rank(pair[0]))
    passed = [
        (case, outcome) for case, outcome in pairs if outcome.row.status == "pass"
    ]
    if orders is not None:
        return {case.name: orders for case, _ in passed}
    if any(outcome.row.status not in ("pass", "skipped") for outcome in outcomes):
        return {}
    unordered = [case.name for case, outcome in passed if _is_unordered(outcome)]
    first_of_program: dict[tuple[Hashable, int], str] = {}
    for case, outcome in passed:
        if _works_together(outcome):
            first_of_program.setdefault(
                (programs[case.name], outcome.tiling_key), case.name
            )
    return dict.fromkeys([*first_of_program.values(), *unordered], USUAL_ORDERS)


def _rank(case: TestCase) -> tuple[bool, bool, int]:
    """Sorts timed cases before others, visible before hidden ones, small before large ones."""
    return not case.timed, case.hidden, case.elements


def _works_together(outcome: CaseOutcome) -> bool:
    """Whether cores wait for each other, or have a race because they do not."""
    has_race = any(finding.rule == "cross-core-race" for finding in outcome.findings)
    return has_race or (outcome.launch is not None and outcome.launch.together)


def _is_unordered(outcome: CaseOutcome) -> bool:
    """Whether what scalar units read may depend on the order of the cores."""
    return outcome.launch is not None and outcome.launch.unordered


def try_other_orders(outcome: CaseOutcome, task: CaseTask, count: int) -> None:
    """Run a case that passed in `count` other orders; the first one in which it does not pass fails it.

    Hazards that only another order shows are added in any case.

    Raises:
        EnvironmentFault: The machine failed, not the candidate.
        Cancelled: The job was cancelled.
    """
    for number in range(1, count + 1):
        settings = replace(
            task.settings,
            schedule=number,
            fast=False,
            trace=False,
            time_limit_s=_MORE_TIME * task.settings.time_limit_s,
            memory_mb=_MORE_MEMORY * task.settings.memory_mb,
        )
        # What is tried again had its run in the usual order.
        other = run_again(replace(task, settings=settings, again=None))
        outcome.orders += 1
        outcome.orders_s += other.row.seconds
        outcome.findings += _graver(other.findings, outcome.findings)
        if other.row.status != "pass":
            _fail(outcome, task, number, other)
            return


def _graver(findings: Sequence[Finding], earlier: Sequence[Finding]) -> list[Finding]:
    """Errors and hazards of `findings` that `earlier` has not at the same place with the same severity."""
    places = {(place_of(finding), finding.severity) for finding in earlier}
    grave = [finding for finding in findings if finding.severity in ("error", "hazard")]
    return [
        finding
        for finding in grave
        if (place_of(finding), finding.severity) not in places
    ]


def _fail(
    outcome: CaseOutcome, task: CaseTask, number: int, other: CaseOutcome
) -> None:
    complaint = (
        "right in one order of cores and pipes, not in another that the synchronisation allows "
        f"(order {number}): {other.row.detail}. A flag, queue or barrier is missing"
    )
    outcome.findings.append(task.finding("order-dependent", complaint))
    # What excuses a skipped case is an error, which the order it passed in did not have.
    status = "run-error" if other.row.status == "skipped" else other.row.status
    outcome.fail(task.case, status, complaint)
