"""The reply protocol: plain text, read tolerantly, understood strictly.

A candidate reply has the sections `## Diagnosis`, `## Adoption`, `## Resident rules
used` and `## Files` (or `## Done`). Case, heading depth, bullets and bold are free;
uids, decisions, paths and file bodies are not: each deviation becomes one `Complaint`
that tells the model what to send instead. Nothing is guessed or fuzzily matched.
Adoption records are the paper's a_{m,t} with their rationale (Method, "Trace-Grounded
Experience Collection").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from core.agent.reply.candidate_files import check_path
from core.agent.reply.edits import Edit, EditRefused, is_edit, read_edits
from core.agent.reply.markdown import Fence, Section, fence_for, sections
from core.agent.reply.record import (
    BEST,
    DIAGNOSTIC,
    EDIT,
    FILES,
    LOOK_UP,
    AdoptionClaim,
    Complaint,
    DiagnosticAsked,
    Reply,
    ResidentUse,
    claim_fault,
    contradictions,
    file_fault,
    written_reply,
)
from core.models.port import TRUNCATED

_CUT_OFF = "The reply was cut off at the token limit: reason less and send the files again, changed ones only."
_PATH_IN_LABEL = re.compile(r"[^\s`*\"'():]*[./\\][^\s`*\"'():]*")
_UID_LINE = re.compile(
    r"^\s*(?:[-*+]|\d+[.)])?\s*[`*]*\[([^\]\s]+)\][`*]*\s*[:\-–—]?\s*(.*)$"
)
_DECISION = re.compile(
    r"^[`*_]*(not[ _-]?adopted|adopted)[`*_]*\s*(?:[:\-–—]+\s*(.*))?$",
    re.IGNORECASE | re.DOTALL,
)
_NONE = re.compile(
    r"^[\s>*+`_(-]*(?:none|nothing|n/?a|no (?:resident )?rules?|not (?:applicable|used|any)|无|没有)\b",
    re.IGNORECASE,
)
_TOOL_LINE = re.compile(
    r"^[\s>*-]*+[`*]*+([A-Za-z][\w-]*+)[`*]*+\s*+:?\s*+[`*]*+([\w.:-]++)?[`*]*+\s*+$"
)
_TITLES: Mapping[str, str] = {
    "diagnosis": "diagnosis",
    "adoption": "adoption",
    "adoption records": "adoption",
    "resident rules used": "resident",
    "resident rules": "resident",
    "resident": "resident",
    "files": "files",
    "base": "base",
    "diagnostic": "diagnostic",
    "look up": "look up",
    "look-up": "look up",
    "lookup": "look up",
    "done": "done",
    "give up": "give up",
    "giving up": "give up",
}
LONGEST_DIAGNOSIS = 8000  # characters
MOST_QUERIES = 100  # of one reply that are read at all
_MARKS = re.compile(r"^\s*(?:[-*+>]|\d+[.)])?\s*")
_NAME = re.compile(r"[A-Za-z_][\w:.]*(?:\(\))?")


def read_reply(text: str) -> Reply:
    """Read a `candidate`, `repair` or `correction` reply.

    Never raises, see `Reply.complaints`.
    """
    stored = written_reply(text)
    if stored is not None:
        return stored
    complaints: list[Complaint] = []
    whole = text.rstrip().removesuffix(TRUNCATED)
    parts = _by_meaning(whole)
    adoption = _read_adoption(parts.get("adoption", ()), complaints)
    resident = _read_resident(parts.get("resident", ()))
    files, edits = _read_files(parts.get("files", ()), complaints)
    base = _read_base(parts.get("base", ()), complaints)
    rules = {entry.rule for entry in complaints}
    if whole != text.rstrip() and "truncated" not in rules:
        complaints.append(Complaint("truncated", _CUT_OFF, FILES))
    diagnostic = _read_diagnostic(parts.get("diagnostic", ()), complaints)
    look_up_text = _prose(parts.get("look up", ()))
    look_up = _read_queries(look_up_text)
    if "look up" in parts and not look_up:
        complaints.append(
            Complaint(
                LOOK_UP, "`## Look up` holds one name or a few words a line.", FILES
            )
        )
    gives_up = "give up" in parts
    ending = parts.get("give up" if gives_up else "done", ())
    reply = Reply(
        diagnosis=_prose(parts.get("diagnosis", ())),
        adoption=adoption,
        resident=resident,
        resident_stated=bool(resident) or _says_none(parts.get("resident", ())),
        files=files,
        edits=edits,
        base=base,
        diagnostic=diagnostic,
        look_up=look_up,
        done=bool(ending) or gives_up,
        done_reason=_prose(ending),
        gives_up=gives_up,
    )
    complaints += contradictions(reply)
    return replace(
        reply,
        look_up=() if reply.done else look_up,
        complaints=tuple(complaints),
    )


def shown_reply(text: str) -> str:
    """A reply to read: one that is stored as data in the protocol's sections."""
    reply = written_reply(text)
    if reply is None:
        return text
    records = []
    for claim in reply.adoption:
        decision = "adopted" if claim.adopted else "not_adopted"
        records.append(f"- [{claim.uid}] {decision}: {claim.rationale}")
    uses = [f"- [{use.uid}]: {use.rationale}" for use in reply.resident]
    if not uses and reply.resident_stated:
        uses = ["none"]
    diagnostic = ""
    if reply.diagnostic:
        diagnostic = f"{reply.diagnostic.tool} {reply.diagnostic.case}".strip()
    parts = {
        "Diagnosis": reply.diagnosis,
        "Adoption": "\n".join(records),
        "Resident rules used": "\n".join(uses),
        "Diagnostic": diagnostic,
        "Look up": "\n".join(reply.look_up),
        "Files": render_files(reply.files),
        "Give up" if reply.gives_up else "Done": reply.done_reason,
    }
    written = [f"## {title}\n{body}" for title, body in parts.items() if body]
    return "\n\n".join(written)


def read_diagnosis(text: str) -> str:
    """Text of a `diagnose` reply: its Diagnosis section, or the whole reply when it has no such heading.

    Cut where a model does not come to an end, for it stands in the prompt that follows.
    """
    stored = written_reply(text)
    whole = text.rstrip().removesuffix(TRUNCATED)
    if stored is not None:
        diagnosis = stored.diagnosis
    else:
        sections_of_it = _by_meaning(whole).get("diagnosis", ())
        diagnosis = _prose(sections_of_it) or whole.strip()
    if len(diagnosis) > LONGEST_DIAGNOSIS:
        return f"{diagnosis[:LONGEST_DIAGNOSIS]} …"
    return diagnosis


def render_files(files: Mapping[str, str]) -> str:
    """Write files the way the protocol reads them (used in prompts and recordings)."""
    blocks = []
    for path in sorted(files):
        body = files[path]
        if not body.endswith("\n"):
            body += "\n"
        mark = fence_for(body)
        block = f"{mark}cpp\n{body}{mark}"
        blocks.append(f"### {path}\n{block}")
    return "\n\n".join(blocks)


def _by_meaning(text: str) -> dict[str, tuple[Section, ...]]:
    """Group sections under the protocol heading they belong to.

    Deeper headings stay with their parent.
    """
    grouped: dict[str, list[Section]] = {}
    current = ""
    depth = 0
    for section in sections(text):
        meaning = _TITLES.get(section.name, "")
        if meaning:
            current = meaning
            depth = section.level
            grouped.setdefault(meaning, []).append(section)
        elif current and section.level > depth:
            grouped[current].append(section)
        elif current == "files" and _names_file(section):
            # Models write headings of files at the depth of `## Files` too.
            grouped[current].append(section)
        elif section.title:
            current = ""
    return {meaning: tuple(parts) for meaning, parts in grouped.items()}


def _names_file(section: Section) -> bool:
    if not section.title:
        return False
    return not check_path(_label_path(section.title))


def _prose(parts: tuple[Section, ...]) -> str:
    """The text of sections with their fenced blocks put back at the end."""
    pieces: list[str] = []
    for number, section in enumerate(parts):
        if number and section.title:
            pieces.append(section.title)
        if section.prose:
            pieces.append(section.prose)
        for fence in section.fences:
            mark = fence_for(fence.text)
            opening = f"{mark}{fence.language}\n"
            pieces.append(opening + fence.text + mark)
    return "\n".join(pieces).strip()


def _uid_lines(parts: tuple[Section, ...]) -> list[tuple[str, str]]:
    """(uid, rest) of every `[uid] ...` line.

    Following lines without a uid continue the one before.
    """
    entries: list[tuple[str, str]] = []
    for section in parts:
        for line in section.prose.split("\n"):
            match = _UID_LINE.match(line)
            text = line.strip()
            if match is not None:
                uid, rest = match.groups()
                entries.append((uid, rest.strip()))
            elif entries and text:
                uid, rest = entries[-1]
                entries[-1] = (uid, f"{rest} {text}".strip())
    return entries


def _read_adoption(
    parts: tuple[Section, ...], complaints: list[Complaint]
) -> tuple[AdoptionClaim, ...]:
    """a_{m,t} of every item the reply decides about, with its rationale; contradictions become complaints."""
    claims: dict[str, AdoptionClaim] = {}
    for uid, rest in _uid_lines(parts):
        decision = _DECISION.match(rest)
        if decision is None:
            complaints.append(
                Complaint(
                    "adoption-unreadable",
                    f"Adoption record of [{uid}]: write `- [{uid}] adopted: rationale` or "
                    f"`- [{uid}] not_adopted: rationale`.",
                    uid,
                )
            )
            continue
        word, rationale = decision.groups()
        is_adopted = word.lower() == "adopted"
        claim = AdoptionClaim(uid, is_adopted, (rationale or "").strip())
        fault = claim_fault(claim)
        if fault is not None:
            complaints.append(fault)
        elif uid in claims and claims[uid].adopted != claim.adopted:
            complaints.append(
                Complaint(
                    "adoption-twice",
                    f"[{uid}] is adopted and not adopted; send exactly one record.",
                    uid,
                )
            )
        else:
            claims.setdefault(uid, claim)
    return tuple(claims.values())


def _read_resident(parts: tuple[Section, ...]) -> tuple[ResidentUse, ...]:
    """Lines `- [uid]: rationale`; a use without rationale is still a use.

    "none" has no uid.
    """
    uses: dict[str, ResidentUse] = {}
    for uid, rest in _uid_lines(parts):
        rationale = rest.lstrip(":-–— ").strip()
        uses.setdefault(uid, ResidentUse(uid, rationale))
    return tuple(uses.values())


def _says_none(parts: tuple[Section, ...]) -> bool:
    return _NONE.match(_prose(parts)) is not None


def _read_base(parts: tuple[Section, ...], complaints: list[Complaint]) -> str:
    """`best`, or empty for the candidate before."""
    base = _prose(parts).strip("`*. ").lower()
    if base in {"", BEST}:
        return base
    wrong = "`## Base` can only hold the word best; or leave it out."
    complaints.append(Complaint("base", wrong, FILES))
    return ""


def _read_diagnostic(
    parts: tuple[Section, ...], complaints: list[Complaint]
) -> DiagnosticAsked | None:
    """The first line of the section, `tool` or `tool case`.

    More lines are refused, not dropped.
    """
    if not parts:
        return None
    text = _prose(parts)
    # Lines of marks alone say nothing.
    lines = [line for line in text.splitlines() if line.strip("`*- \t")]
    match = None
    if len(lines) == 1:
        match = _TOOL_LINE.match(lines[0])
    if match is None:
        wrong = "`## Diagnostic` holds exactly one line: the name of a tool, then optionally the name of a case."
        complaints.append(Complaint(DIAGNOSTIC, wrong, FILES))
        return None
    tool, case = match.groups()
    return DiagnosticAsked(tool.lower(), case or "")


def _read_queries(text: str) -> tuple[str, ...]:
    """What is to be looked up, each once, in the order asked.

    A line of names and commas is several.
    """
    queries: dict[str, None] = {}
    for line in text.splitlines():
        without_bullet = _MARKS.sub("", line)
        bare = without_bullet.replace("`", "").replace("**", "").strip(" .;\t")
        parts = [part.strip() for part in bare.split(",")]
        # A comma within a question separates nothing.
        are_names = all(_NAME.fullmatch(part) for part in parts)
        if not are_names:
            parts = [bare]
        queries |= dict.fromkeys(filter(None, parts))
    return tuple(queries)[:MOST_QUERIES]


def _label_path(label: str) -> str:
    """The path named in a heading or in the line before a fence.

    Empty when it names none.
    """
    match = _PATH_IN_LABEL.search(label)
    return match.group(0) if match is not None else ""


# Path -> edits of the file, in order.
_Edits = dict[str, tuple[Edit, ...]]


def _read_files(
    parts: tuple[Section, ...], complaints: list[Complaint]
) -> tuple[dict[str, str], _Edits]:
    """Whole files and edits; what is not acceptable becomes a complaint instead."""
    files: dict[str, str] = {}
    edits: _Edits = {}
    named = 0
    for section in parts:
        heading_path = _label_path(section.title)
        for fence in section.fences:
            path = _label_path(fence.label)
            # Several blocks may edit one file, but only the first can be the whole of it.
            is_of_heading = fence is section.fences[0] or is_edit(fence.text)
            if heading_path and is_of_heading and "/" not in path:
                # A sentence stands between the heading and the block.
                path = heading_path
            named += 1
            problem = _refuse_file(path, fence, files)
            if problem is None and is_edit(fence.text):
                problem = _take_edits(path, fence, edits)
            elif problem is None:
                files[path] = fence.text
            if problem is not None:
                complaints.append(problem)
        if heading_path and not section.fences:
            named += 1
            complaints.append(
                Complaint(
                    "file-empty",
                    f"{heading_path}: no fenced block follows this heading.",
                    FILES,
                )
            )
    if parts and not named:
        complaints.append(
            Complaint(
                "files-empty",
                "`## Files` holds no file; put each path in a `###` heading above a fenced block.",
                FILES,
            )
        )
    return files, edits


def _take_edits(path: str, fence: Fence, edits: _Edits) -> Complaint | None:
    try:
        edits[path] = (*edits.get(path, ()), *read_edits(fence.text))
    except EditRefused as refused:
        return Complaint(EDIT, f"{path}: {refused}", path)
    return None


def _refuse_file(path: str, fence: Fence, files: Mapping[str, str]) -> Complaint | None:
    """The one complaint about a fenced file, or None when it is acceptable."""
    if not path:
        return Complaint(
            "file-unnamed",
            "A fenced block under `## Files` has no path; write `### op_kernel/name.cpp` above it.",
            FILES,
        )
    return file_fault(path, fence.text, is_closed=fence.closed, is_second=path in files)
