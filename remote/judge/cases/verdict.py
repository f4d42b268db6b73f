"""From a build and the outcomes of its cases to one result: verdict, cause, findings, latency, profile."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.cpp_text import code_in_place
from core.evaluation.bottleneck import (
    bottleneck,
    bound_text,
    busiest_of_other_kind,
    critical_core,
)
from core.evaluation.records import (
    BuildReport,
    CaseResult,
    Evaluation,
    Finding,
    Latency,
    LatencyOrigin,
    PipeProfile,
    Severity,
    VerdictClass,
    weighted_sum,
)
from core.operators.spec import TestCase
from remote.judge.cases.outcome import (
    CaseOutcome,
    describe_finding,
    place_of,
    shape_class,
)
from remote.judge.faults import EnvironmentFault
from remote.judge.job import Operator
from remote.judge.running.answers import Launch

_SEVERITIES = tuple(Severity)  # the gravest first
_CONSEQUENCES = frozenset({"uninitialised-read"})
MOST_FINDINGS = 40
_PLACES = 128  # that are told apart in hidden cases
MOST_PRINTED = 4000


def evaluation_of(
    operator: Operator,
    cases: Sequence[TestCase],
    build: BuildReport,
    outcomes: Sequence[CaseOutcome],
) -> Evaluation:
    """Verdict, cause, latency and profile from a build and its cases."""
    findings = fold_findings(outcomes)
    verdict, cause = _verdict(build, cases, outcomes, findings)
    timed = [
        o
        for o, c in zip(outcomes, cases, strict=False)
        if c.timed and not c.hidden and o.row.status != "skipped"
    ]
    latency = None
    if timed and all(outcome.row.status == "pass" for outcome in timed):
        latency = weighted_sum([(one.row.latency, one.row.weight) for one in timed])
    launches = [(o, o.row.latency, o.launch) for o in timed if o.row.latency]
    profiles = {
        outcome.row.case: _profile(launch, latency)
        for outcome, latency, launch in launches
        if launch
    }
    profile = None
    if profiles:
        longest = max(launches, key=lambda launch: launch[1].value if launch[2] else 0)
        profile = profiles[longest[0].row.case]
    return Evaluation(
        candidate="",
        operator=operator.name,
        verdict=verdict,
        cause=cause,
        build=build,
        cases=tuple(_with_bound(outcome.row, profiles) for outcome in outcomes),
        findings=findings,
        latency=latency,
        profile=profile,
        notes=_notes(cases, outcomes),
    )


def _profile(launch: Launch, latency: Latency) -> PipeProfile:
    """The profile of a launch; lines are kept of the core of each kind its time hangs on."""
    profile = PipeProfile(
        launch.clock_mhz,
        launch.cores,
        launch.bound,
        LatencyOrigin.MODELLED,
        launch.launch_us,
        latency.time_model,
        latency.calibration,
    )
    if not launch.cores:
        return profile
    shown = (critical_core(profile), busiest_of_other_kind(profile))
    cores = (
        core if any(core is one for one in shown) else replace(core, lines=())
        for core in launch.cores
    )
    return replace(profile, cores=tuple(cores))


def _with_bound(row: CaseResult, profiles: Mapping[str, PipeProfile]) -> CaseResult:
    profile = profiles.get(row.case)
    if profile is None or row.status != "pass":
        return row
    limit = bottleneck(profile)
    critical = None if limit.is_launch else limit.critical
    return replace(row, bound=bound_text(profile), critical=critical)


def _verdict(
    build: BuildReport,
    cases: Sequence[TestCase],
    outcomes: Sequence[CaseOutcome],
    findings: Sequence[Finding],
) -> tuple[VerdictClass, str]:
    """The verdict of a candidate, and what decided it."""
    if not build.ok:
        return VerdictClass.FAIL_BUILD, build.cause
    # A visible case explains more than a hidden one; among them the order of the operator's file holds.
    rows = sorted(zip(cases, outcomes, strict=True), key=lambda pair: pair[0].hidden)
    for kinds, verdict in (
        (("run-error",), VerdictClass.FAIL_RUN),
        (("wrong-shape", "wrong-dtype", "wrong-result"), VerdictClass.FAIL_RESULT),
    ):
        for case, outcome in rows:
            if outcome.row.status in kinds:
                return verdict, _cause(case, outcome)
    if not any(outcome.row.status == "pass" for outcome in outcomes):
        raise EnvironmentFault("No test case of the operator could be run.")
    hazard = next(
        (finding for finding in findings if finding.severity == "hazard"), None
    )
    if hazard is not None:
        return VerdictClass.PASS_WITH_HAZARD, describe_finding(hazard)
    return VerdictClass.PASS, ""


def _cause(case: TestCase, outcome: CaseOutcome) -> str:
    status = outcome.row.status
    if not case.hidden:
        return f"{outcome.row.detail} (case {case.name})"
    error = next(
        (finding for finding in outcome.findings if finding.severity == "error"), None
    )
    rule = (
        f": {error.rule}" + (f" at {error.file}:{error.line}" if error.file else "")
        if error
        else ""
    )
    return f"a hidden case fails ({shape_class(case)}): {status}{rule}"


def keep_own_places(outcomes: Sequence[CaseOutcome], files: Mapping[str, str]) -> None:
    """Leave findings of hidden cases no place but where the candidate's text has the call that they name.

    They are told, and the kernel's process, which says where its calls are, could spell the sizes of the case
    there. Nor may it by thousands of lines that fail for one size each: all files together have at most `_PLACES`
    places, and none where there are more files.

    Args:
        outcomes: Of all cases.
        files: The candidate: path -> text.
    """
    lines_of = {
        path: code_in_place(text).split("\n")
        for path, text in files.items()
        if len(files) <= _PLACES
    }
    # The last place of a file may be a short one.
    full_places = _PLACES + 1 - len(lines_of)
    step = math.ceil(sum(map(len, lines_of.values())) / full_places)
    for outcome in outcomes:
        if outcome.row.hidden:
            placed = [_at_own_place(each, lines_of, step) for each in outcome.findings]
            outcome.findings = placed


def _at_own_place(
    finding: Finding, lines_of: Mapping[str, Sequence[str]], step: int
) -> Finding:
    """The finding at the first of the `step` lines that are its place; nowhere if its line has no such call."""
    lines = lines_of.get(finding.file, ())
    names = re.findall(r"\w+", finding.call)
    line = lines[finding.line - 1] if 0 < finding.line <= len(lines) else ""
    if names and re.search(rf"\b{names[-1]}\b", line):
        first = (finding.line - 1) // step * step + 1
        message = finding.message
        if step > 1:
            message += f" (one of the lines {first} to {first + step - 1})"
        return replace(finding, line=first, call="", message=message)
    return replace(finding, file="", line=0, call="")


def fold_findings(outcomes: Sequence[CaseOutcome]) -> tuple[Finding, ...]:
    """Findings of all cases, one for each rule and line with its count, causes first.

    The gravest come first, reads of unwritten bytes last among equals: they follow from
    the others. What a visible case shows as well is reported for that case.
    """
    visible_first = sorted(outcomes, key=lambda outcome: outcome.row.hidden)
    folded: dict[tuple[object, ...], Finding] = {}
    for outcome in visible_first:
        for finding in outcome.findings:
            key = place_of(finding)
            earlier = folded.get(key)
            folded[key] = finding if earlier is None else _joined(earlier, finding)
    causes_first = sorted(folded.values(), key=_rank)
    return tuple(causes_first[:MOST_FINDINGS])


def _joined(finding: Finding, further: Finding) -> Finding:
    graver = further if _gravity(further) < _gravity(finding) else finding
    return replace(graver, count=finding.count + further.count)


def _gravity(finding: Finding) -> int:
    return _SEVERITIES.index(finding.severity)


def _rank(finding: Finding) -> tuple[int, bool]:
    return _gravity(finding), finding.rule in _CONSEQUENCES


def _notes(
    cases: Sequence[TestCase], outcomes: Sequence[CaseOutcome]
) -> tuple[str, ...]:
    notes: list[str] = []
    for case, outcome in zip(cases, outcomes, strict=False):
        if case.hidden:
            continue
        printed = outcome.launch.printed if outcome.launch else ""
        for what, text in (
            ("The kernel printed", printed),
            ("op_host logged", outcome.log),
        ):
            if text.strip() and not any(note.startswith(what) for note in notes):
                notes.append(
                    f"{what} in case {case.name}:\n{text[:MOST_PRINTED].rstrip()}"
                )
    return tuple(notes)


def only_built(operator: Operator, build: BuildReport) -> Evaluation:
    """The result of a job that was to compile and nothing else; its verdict is on the build alone."""
    verdict, cause = VerdictClass.PASS, "only compiled, as asked"
    if not build.ok:
        verdict, cause = VerdictClass.FAIL_BUILD, build.cause
    return Evaluation("", operator.name, verdict, cause, build)
