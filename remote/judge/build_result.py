"""From a build and the outcomes of its cases to one result: verdict, cause, findings, latency, profile."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from .cases import CaseOutcome, describe_finding, shape_class
from .faults import EnvironmentFault

MOST_FINDINGS = 40
MOST_PRINTED = 4000
_SEVERITIES = ("error", "hazard", "warning", "note")


class Build(Protocol):
    """How a build went, whoever made it."""

    @property
    def ok(self) -> bool:
        """Whether there is something to run."""
        ...

    @property
    def cause(self) -> str:
        """Why not."""
        ...

    def report(self) -> dict[str, Any]:
        """As `core.evaluation.records.BuildReport`."""
        ...


def build_result(
    operator: Mapping[str, Any],
    cases: Sequence[Mapping[str, Any]],
    build: Build,
    outcomes: Sequence[CaseOutcome],
) -> dict[str, Any]:
    """Verdict, cause, latency and profile from a build and its cases."""
    findings = fold_findings(outcomes)
    verdict, cause = _verdict(build, cases, outcomes, findings)
    timed = [
        o
        for o, c in zip(outcomes, cases, strict=False)
        if c.get("timed", True) and not c.get("hidden") and o.row["status"] != "skipped"
    ]
    latency = None
    if timed and all(outcome.row["status"] == "pass" for outcome in timed):
        latency = _total([outcome.row["latency"] for outcome in timed])
    slowest = max(
        (o for o in timed if o.row["latency"]), key=lambda o: float(o.row["latency"]["value"]), default=None
    )
    return {
        "operator": operator["name"], "verdict": verdict, "cause": cause, "build": build.report(),
        "cases": [outcome.row for outcome in outcomes], "findings": findings, "latency": latency,
        "profile": _profile(slowest.launch) if slowest is not None and slowest.launch else None,
        "notes": _notes(cases, outcomes),
    }  # fmt: skip


def _total(latencies: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Sum over the timed cases; their spreads are of independent runs. None where one has no latency."""
    if not all(latencies):
        return None
    spreads = [latency["spread"] for latency in latencies]
    spread = math.sqrt(sum(s * s for s in spreads)) if all(s is not None for s in spreads) else None
    known = all(latency.get("launch") is not None for latency in latencies)
    start = sum(latency["launch"] for latency in latencies) if known else None
    value = sum(latency["value"] for latency in latencies)
    return {**latencies[0], "value": value, "spread": spread, "launch": start}


def _verdict(
    build: Build,
    cases: Sequence[Mapping[str, Any]],
    outcomes: Sequence[CaseOutcome],
    findings: Sequence[Mapping[str, Any]],
) -> tuple[str, str]:
    if not build.ok:
        return "fail-build", build.cause
    # A visible case explains more than a hidden one; among them the order of the operator's file holds.
    rows = sorted(zip(cases, outcomes, strict=True), key=lambda pair: bool(pair[0].get("hidden")))
    for kinds, verdict in (
        (("run-error",), "fail-run"),
        (("wrong-shape", "wrong-dtype", "wrong-result"), "fail-result"),
    ):
        for case, outcome in rows:
            if outcome.row["status"] in kinds:
                return verdict, _cause(case, outcome)
    if not any(outcome.row["status"] == "pass" for outcome in outcomes):
        raise EnvironmentFault("No test case of the operator could be run.")
    hazard = next((finding for finding in findings if finding["severity"] == "hazard"), None)
    return ("pass-with-hazard", describe_finding(hazard)) if hazard else ("pass", "")


def _cause(case: Mapping[str, Any], outcome: CaseOutcome) -> str:
    status = outcome.row["status"]
    if not case.get("hidden"):
        return f"{outcome.row['detail']} (case {case['name']})"
    error = next((finding for finding in outcome.findings if finding["severity"] == "error"), None)
    rule = (
        f": {error['rule']}" + (f" at {error['file']}:{error['line']}" if error["file"] else "")
        if error
        else ""
    )
    return f"a hidden case fails ({shape_class(case)}): {status}{rule}"


def fold_findings(outcomes: Sequence[CaseOutcome]) -> list[dict[str, Any]]:
    """Findings of all cases, equal ones once with their counts added, the gravest first."""
    folded: dict[tuple[Any, ...], dict[str, Any]] = {}
    for outcome in outcomes:
        for finding in outcome.findings:
            key = (
                finding["rule"],
                finding["severity"],
                finding["file"],
                finding["line"],
                finding["call"],
                finding["tensor"],
            )
            if key in folded:
                folded[key]["count"] += finding["count"]
            else:
                folded[key] = dict(finding)
    return sorted(folded.values(), key=lambda finding: _SEVERITIES.index(finding["severity"]))[:MOST_FINDINGS]


def _profile(launch: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "clock_mhz": launch["clock_mhz"],
        "cores": launch["cores"],
        "bound": launch["bound"],
        "origin": "modelled",
        "launch_us": launch["launch_us"],
    }


def _notes(cases: Sequence[Mapping[str, Any]], outcomes: Sequence[CaseOutcome]) -> list[str]:
    notes: list[str] = []
    for case, outcome in zip(cases, outcomes, strict=False):
        if case.get("hidden"):
            continue
        printed = outcome.launch["printed"] if outcome.launch else ""
        for what, text in (("The kernel printed", printed), ("op_host logged", outcome.log)):
            if text.strip() and not any(note.startswith(what) for note in notes):
                notes.append(f"{what} in case {case['name']}:\n{text[:MOST_PRINTED].rstrip()}")
    return notes


def only_built(operator: Mapping[str, Any], build: Build) -> dict[str, Any]:
    """The result of a job that was to compile and nothing else; its verdict is on the build alone."""
    verdict, cause = ("pass", "only compiled, as asked") if build.ok else ("fail-build", build.cause)
    return {
        "operator": operator["name"], "verdict": verdict, "cause": cause, "build": build.report(),
        "cases": [], "findings": [], "latency": None, "profile": None, "notes": [],
    }  # fmt: skip
