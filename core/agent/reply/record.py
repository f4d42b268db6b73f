"""A reply of the model as a record, what is wrong with one, and its form as data.

A model writes text (`core.agent.reply.protocol`). An agent that works by tools hands in
the record itself: `write_reply` stores it as JSON, and what is checked of a reply is
checked here for both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from core.agent.reply.candidate_files import LARGEST_FILE, check_path, elided_line
from core.agent.reply.edits import Edit
from core.errors import InvalidInput
from core.records_json import from_json, to_json

EDIT = "edit"  # rule of complaints about edits
FILES = "files"  # subject of complaints about the files as a whole
DIAGNOSTIC = "diagnostic"  # rule of complaints about a diagnostic that was asked for
LOOK_UP = "look-up"  # rule of complaints about what was to be looked up
# The one base that can be named; otherwise a candidate builds on the one before.
BEST = "best"

_WRITTEN = '{"sage_reply":'
_TOOL = re.compile(r"[a-z][a-z0-9_-]*")
_CASE = re.compile(r"[\w.:-]*")


@dataclass(frozen=True)
class Complaint:
    """One thing wrong with a reply, worded for the model.

    Attributes:
        rule: Stable name, for tests and statistics.
        message: What is wrong and what to send instead.
        subject: The path or uid concerned; the complaint stands until a correction
            speaks about it again.
    """

    rule: str
    message: str
    subject: str = ""


@dataclass(frozen=True)
class AdoptionClaim:
    """The model's decision on one retrieved experience."""

    uid: str
    adopted: bool
    rationale: str


@dataclass(frozen=True)
class ResidentUse:
    """A resident rule the model says it used in this round."""

    uid: str
    rationale: str


@dataclass(frozen=True)
class DiagnosticAsked:
    """A look into a kernel instead of a candidate.

    Attributes:
        tool: By name.
        case: The one it runs, empty for any.
    """

    tool: str
    case: str = ""

    @property
    def is_named(self) -> bool:
        """Whether tool and case are names; which there are is the judge's to say."""
        return bool(_TOOL.fullmatch(self.tool) and _CASE.fullmatch(self.case))


@dataclass(frozen=True)
class Reply:
    """A candidate reply as understood.

    Attributes:
        diagnosis: Free text, empty when the section is missing.
        adoption: One claim per uid, in the order written.
        resident: Resident rules used.
        resident_stated: Whether the reply says which resident rules it used; "none"
            says so too.
        files: Path -> whole text; only acceptable files are here.
        edits: Path -> search/replace edits not applied yet, see
            `reply_edits.apply_reply_edits`.
        base: `best` when the files change the best correct kernel, not the one before.
        diagnostic: The model wants to look first; `files` are then a probe and no
            candidate.
        look_up: Names or words to be looked up before the candidate counts; `files`
            stay.
        done: The model wants to end the episode; `done_reason` says why.
        gives_up: It ends without a correct kernel, knowing so.
        complaints: Everything that has to be fixed before the reply counts.
    """

    diagnosis: str = ""
    adoption: tuple[AdoptionClaim, ...] = ()
    resident: tuple[ResidentUse, ...] = ()
    resident_stated: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
    edits: Mapping[str, tuple[Edit, ...]] = field(default_factory=dict)
    base: str = ""
    diagnostic: DiagnosticAsked | None = None
    look_up: tuple[str, ...] = ()
    done: bool = False
    done_reason: str = ""
    gives_up: bool = False
    complaints: tuple[Complaint, ...] = ()


@dataclass(frozen=True)
class _WrittenReply:
    sage_reply: Reply


def write_reply(reply: Reply) -> str:
    """A reply as text that `written_reply` reads back, equal to what was written."""
    return to_json(_WrittenReply(reply))


def written_reply(text: str) -> Reply | None:
    """The reply that a text of `write_reply` holds, with what is wrong with it.

    None for any other text.
    """
    if not text.startswith(_WRITTEN):
        return None
    try:
        reply = from_json(text, _WrittenReply, "reply").sage_reply
    except InvalidInput:
        return None
    return checked(reply)


def checked(reply: Reply) -> Reply:
    """The reply with a complaint in place of whatever is not acceptable in it."""
    complaints = list(reply.complaints)
    files: dict[str, str] = {}
    for path, text in reply.files.items():
        fault = file_fault(path, text)
        if fault is None:
            files[path] = text
        else:
            complaints.append(fault)
    edits: dict[str, tuple[Edit, ...]] = {}
    for path, changes in reply.edits.items():
        fault = file_fault(path, "".join(edit.old + edit.new for edit in changes))
        if fault is None:
            edits[path] = changes
        else:
            complaints.append(fault)
    faults = {claim.uid: claim_fault(claim) for claim in reply.adoption}
    complaints += [fault for fault in faults.values() if fault is not None]
    acceptable = replace(
        reply,
        files=files,
        edits=edits,
        adoption=tuple(claim for claim in reply.adoption if faults[claim.uid] is None),
        base=reply.base if reply.base == BEST else "",
    )
    complaints += contradictions(acceptable)
    return replace(acceptable, complaints=tuple(complaints))


def contradictions(reply: Reply) -> tuple[Complaint, ...]:
    """What in a reply excludes each other, or is named as nothing could be."""
    complaints = []
    candidate = reply.files or reply.edits or reply.diagnostic or reply.look_up
    if reply.done and candidate:
        complaints.append(
            Complaint(
                "done-with-files",
                "A reply with `## Done` or `## Give up` holds neither `## Files`, `## Diagnostic` nor "
                "`## Look up`.",
                FILES,
            )
        )
    if reply.gives_up and not reply.done_reason.strip():
        complaints.append(
            Complaint("give-up-reason", "`## Give up` holds no reason; say why.", FILES)
        )
    if reply.diagnostic is not None and not reply.diagnostic.is_named:
        complaints.append(
            Complaint(DIAGNOSTIC, "Name one tool, and the case it runs or none.", FILES)
        )
    return tuple(complaints)


def claim_fault(claim: AdoptionClaim) -> Complaint | None:
    """The complaint about an adoption record without a rationale."""
    if claim.rationale.strip():
        return None
    return Complaint(
        "rationale-missing",
        f"Adoption record of [{claim.uid}] has no rationale; say why in one sentence.",
        claim.uid,
    )


def file_fault(
    path: str, text: str, *, is_closed: bool = True, is_second: bool = False
) -> Complaint | None:
    """The one complaint about a file, or None when it is acceptable.

    Args:
        path: Of the file.
        text: Whole, or the body of its edits.
        is_closed: Whether the reply holds its end.
        is_second: Whether the reply gives the file twice.
    """
    for rule, wrong in _file_faults(
        path, text, is_closed=is_closed, is_second=is_second
    ):
        if wrong:
            # A wrong path or an empty file may be dropped by the correction; the others
            # must come again.
            dropped = rule in {"path", "file-empty"}
            return Complaint(rule, f"{path}{wrong}", FILES if dropped else path)
    return None


def _file_faults(
    path: str, text: str, *, is_closed: bool, is_second: bool
) -> Iterator[tuple[str, str]]:
    """(rule, what is wrong or empty) of every check, the most basic first."""
    wrong_path = check_path(path)
    yield "path", f": not allowed, {wrong_path}." if wrong_path else ""
    open_end = ": the reply ends inside this file; send the whole file again."
    yield "truncated", "" if is_closed else open_end
    yield "file-twice", " is given twice; send each file once." if is_second else ""
    empty = " is empty; send the whole file or leave it out."
    yield "file-empty", "" if text.strip() else empty
    size = f" has {len(text)} characters; the limit is {LARGEST_FILE}."
    yield "file-too-large", size if len(text) > LARGEST_FILE else ""
    line = elided_line(text)
    elided = f", line {line}: code is left out there; send every file whole."
    yield "elided", elided if line else ""
