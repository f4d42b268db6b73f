"""What compilers, checks and diagnostics told about a version, with places in its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QCoreApplication

from core.engine.inquiries import BY_USER, Inquiry
from core.evaluation.records import DiagnosticResult, Evaluation, Finding, Severity
from sage_desktop.ui.diff.document import Mark
from sage_desktop.ui.translation import translated

_tr = partial(QCoreApplication.translate, "ReviewVersions")

ANSWER = "answer"  # severity of a diagnostic as a whole that found nothing wrong


@dataclass(frozen=True)
class Message:
    """A finding or compiler message with its place. `line` is 1-based, 0 when unknown.

    With an `answer` it stands for that diagnostic as a whole. `notes` are what the compiler says to explain
    it: candidates, declarations, where a template was used.
    """

    severity: str
    text: str
    path: str
    line: int
    detail: str
    answer: DiagnosticResult | None = None
    notes: tuple[Message, ...] = ()


def messages(evaluation: Evaluation | None) -> tuple[Message, ...]:
    """Findings and compiler messages of an evaluation, errors first."""
    if evaluation is None:
        return ()
    told = [
        Message(
            message.severity,
            message.text,
            message.file,
            message.line,
            evaluation.build.compiler,
        )
        for message in evaluation.build.messages
    ]
    return _in_order(
        [_message(finding) for finding in evaluation.findings] + _with_notes(told)
    )


def _with_notes(told: Sequence[Message]) -> list[Message]:
    """Notes put under the error or warning before them; those at the beginning under the first one."""
    kept: list[Message] = []
    first: list[Message] = []
    for message in told:
        if message.severity != Severity.NOTE.value:
            kept.append(replace(message, notes=tuple(first)))
            first = []
        elif kept:
            kept[-1] = replace(kept[-1], notes=(*kept[-1].notes, message))
        else:
            first.append(message)
    return kept + first


def _message(finding: Finding) -> Message:
    where = [_tr("core {0}").format(finding.core)] if finding.core >= 0 else []
    where += [_tr("case {0}").format(finding.case)] if finding.case else []
    where += [_tr("limit {0}").format(finding.limit)] if finding.limit else []
    where += [_tr("{0} times").format(finding.count)] if finding.count > 1 else []
    call = f"{finding.call}: " if finding.call else ""
    text = f"{call}{finding.message}"
    return Message(
        finding.severity.value, text, finding.file, finding.line, ", ".join(where)
    )


def _in_order(found: Sequence[Message]) -> tuple[Message, ...]:
    order = {
        Severity.ERROR.value: 0,
        Severity.HAZARD.value: 1,
        Severity.WARNING.value: 2,
    }
    return tuple(sorted(found, key=lambda message: order.get(message.severity, 3)))


def answers(asked: Sequence[tuple[Inquiry, DiagnosticResult]]) -> tuple[Message, ...]:
    """What diagnostics told: each as a whole, then its findings."""
    found: list[Message] = []
    for inquiry, result in asked:
        who = _tr("run by you") if inquiry.by == BY_USER else _tr("run by the model")
        when, spent = inquiry.at[:16].replace("T", " "), f"{inquiry.seconds:.1f} s"
        detail = " · ".join(filter(None, (who, when, spent, translated(inquiry.judge))))
        about = f"{inquiry.tool}: {translated(inquiry.summary)}"
        found.append(
            Message(ANSWER if inquiry.ok else "warning", about, "", 0, detail, result)
        )
        found += _in_order([_message(finding) for finding in result.findings])
    return tuple(found)


def marks_of(path: str, found: Sequence[Message]) -> dict[int, tuple[Mark, ...]]:
    """The messages that belong to lines of `path`, by 0-based line."""
    marks: dict[int, tuple[Mark, ...]] = {}
    for message in (*found, *(note for each in found for note in each.notes)):
        if message.line > 0 and message.path and path.endswith(message.path):
            mark, known = (
                Mark(message.severity, message.text),
                marks.get(message.line - 1, ()),
            )
            marks[message.line - 1] = known if mark in known else (*known, mark)
    return marks
