"""Reports of msSanitizer (memcheck, racecheck, initcheck, synccheck) as findings.

A report begins with `====== ERROR: ...` or `====== WARNING: ...`; its further lines begin with `======`
too. The same fault reported by several cores is one finding. Rules bear the names the CPU twin uses, so that
both can be asked for in the same way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from core.evaluation.records import Finding, Severity
from remote.diagnostics.log_lines import shown_path
from remote.diagnostics.tool_output import UnreadableOutput

_LINE = re.compile(r"^\s*={4,}\s?(.*)$")
_HEAD = re.compile(r"^(ERROR|WARNING):\s*(.*)$")
_FRAME = re.compile(r"^\s*#(\d+)\s+(.*?):(\d+)(?::\d+)?\s*$")
_PLACE = re.compile(
    r"at\s+(\S+)\s+on\s+(\w+)(?:\s+when\s+(\w+)\s+data)?(?:\s+in\s+(\S+))?"
)
_BLOCK = re.compile(r"in block\s+(?:aiv|aic)?\(?(\d+)\)?")
_KERNEL = re.compile(r"\bin (\w+)(?: on device \d+:?)?\s*$")
_OF_CANN = re.compile(
    r"tikcfw/|/asc/|ASCEND_HOME_PATH|/Ascend/|kernel_operator_\w+_impl\.h"
)
_RULES = (
    (r"illegal (?:read|write|free)|out of bounds", "out-of-bounds"),
    (r"misaligned", "misaligned"),
    (r"uninitialized read", "uninitialised-read"),
    (r"\b(?:RAW|WAR|WAW)\b hazard", "race"),
    (r"[Uu]npaired|redundant set_flag", "flag-unpaired"),
    (r"memory leak|leak of", "memory-leak"),
    (r"unused memory", "memory-unused"),
)
_RULE_ON_UB = {"out-of-bounds": "ub-overflow"}


@dataclass
class _Report:
    head: str
    severity: Severity
    body: list[str]


def read_sanitizer(
    log: str, source: str = "the report of msSanitizer"
) -> tuple[Finding, ...]:
    """The findings in a log of msSanitizer, each fault once with the number of its reports.

    Raises:
        UnreadableOutput: The log shows no sign of msSanitizer having run.
    """
    reports = _reports(log)
    if not reports:
        if not log.strip():
            raise UnreadableOutput(
                source, "it is empty", "The sanitizer did not start: look at its log."
            )
        if "sanitizer" not in log.lower() and "======" not in log:
            remedy = (
                "Check that the kernel was compiled with -g and --cce-enable-sanitizer."
            )
            raise UnreadableOutput(source, "it holds no line of msSanitizer", remedy)
    folded: dict[tuple[str, str, str, int], Finding] = {}
    for report in reports:
        finding = _finding(report)
        key = (finding.rule, finding.message, finding.file, finding.line)
        before = folded.get(key)
        folded[key] = replace(before, count=before.count + 1) if before else finding
    return tuple(folded.values())


def _reports(log: str) -> list[_Report]:
    reports: list[_Report] = []
    for line in log.splitlines():
        match = _LINE.match(line)
        if not match:
            continue
        head = _HEAD.match(match[1].strip())
        if head:
            severity = Severity.ERROR if head[1] == "ERROR" else Severity.WARNING
            reports.append(_Report(head[2].strip(), severity, []))
        elif reports and match[1].strip():
            reports[-1].body.append(match[1].strip())
    return reports


def _finding(report: _Report) -> Finding:
    body = "\n".join(report.body)
    place = _PLACE.search(body)
    memory = place[2] if place else "GM" if "detected at GM" in report.head else ""
    kernel = (place[4] or "") if place else ""
    if not kernel:
        files = next(
            filter(None, map(_KERNEL.search, [report.head, *report.body])), None
        )
        kernel = files[1] if files else ""
    core = _BLOCK.search(body)
    file, line = _frame(report.body)
    where = (
        f" at {place[1]} on {place[2]}"
        if place and place[2] != "GM"
        else " on GM"
        if memory
        else ""
    )
    head = re.sub(r" in \w+ on device \d+:?$", "", report.head)
    return Finding(
        rule=_rule(report.head, memory),
        severity=report.severity,
        message=head if memory and memory in head else f"{head}{where}",
        file=file,
        line=line,
        core=int(core[1]) if core else -1,
        kernel=kernel,
        tensor=memory,
    )


def _rule(head: str, memory: str) -> str:
    rule = next(
        (name for pattern, name in _RULES if re.search(pattern, head)), "sanitizer"
    )
    if rule == "out-of-bounds":
        return (
            "gm-out-of-bounds"
            if memory == "GM"
            else _RULE_ON_UB[rule]
            if memory == "UB"
            else rule
        )
    return rule


def _frame(body: list[str]) -> tuple[str, int]:
    """The innermost frame that is the candidate's and not CANN's, else no place."""
    for line in body:
        frame = _FRAME.match(line)
        if frame and not _OF_CANN.search(frame[2]):
            return shown_path(frame[2]), int(frame[3])
    return "", 0
