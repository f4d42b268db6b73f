"""The reply protocol: plain text any model can follow, read tolerantly, understood strictly.

A candidate reply has the sections `## Diagnosis`, `## Adoption`, `## Resident rules used` and `## Files` (or
`## Done`). Case, heading depth, bullets and bold are free; uids, decisions, paths and file bodies are not:
each deviation becomes one `Complaint` that tells the model what to send instead. Nothing is guessed or
fuzzily matched. Adoption records are the paper's a_{m,t} with their rationale (Method, "Trace-Grounded
Experience Collection").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from core.agent.reply.candidate_files import LARGEST_FILE, check_path, elided_line
from core.agent.reply.edits import Edit, EditRefused, is_edit, read_edits
from core.agent.reply.markdown import Fence, Section, fence_for, sections
from core.models.port import TRUNCATED

EDIT = "edit"  # rule of complaints about edits
FILES = "files"  # subject of complaints about the files as a whole
DIAGNOSTIC = "diagnostic"  # rule of complaints about a diagnostic that was asked for
LOOK_UP = "look-up"  # rule of complaints about what was to be looked up

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
    r"^[\s>*-]*[`*]*([A-Za-z][\w-]*)[`*]*\s*:?\s*[`*]*([\w.:-]+)?[`*]*\s*$"
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
BEST = "best"  # the one base that can be named; otherwise a candidate builds on the one before


@dataclass(frozen=True)
class Complaint:
    """One thing wrong with a reply, worded for the model.

    Attributes:
        rule: Stable name, for tests and statistics.
        message: What is wrong and what to send instead.
        subject: The path or uid concerned; the complaint stands until a correction speaks about it again.
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
    """A look into a kernel instead of a candidate: a tool by name, and the case it runs, empty for any."""

    tool: str
    case: str = ""


@dataclass(frozen=True)
class Reply:
    """A candidate reply as understood.

    Attributes:
        diagnosis: Free text, empty when the section is missing.
        adoption: One claim per uid, in the order written.
        resident: Resident rules used.
        resident_stated: Whether the reply says which resident rules it used; "none" says so too.
        files: Path -> whole text; only acceptable files are here.
        edits: Path -> search/replace edits not applied yet, see `reply_edits.apply_reply_edits`.
        base: `best` when the files change the best correct kernel, not the one before.
        diagnostic: The model wants to look first; `files` are then a probe and no candidate.
        look_up: Names or words to be looked up before the candidate counts; `files` stay.
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


def read_reply(text: str) -> Reply:
    """Read a `candidate`, `repair` or `correction` reply; never raises, see `Reply.complaints`."""
    complaints: list[Complaint] = []
    whole = text.rstrip().removesuffix(TRUNCATED)
    parts = _by_meaning(whole)
    adoption = _read_adoption(parts.get("adoption", ()), complaints)
    resident = _read_resident(parts.get("resident", ()))
    files, edits = _read_files(parts.get("files", ()), complaints)
    base = _prose(parts.get("base", ())).strip("`*. ").lower()
    if base and base != BEST:
        complaints.append(
            Complaint(
                "base", "`## Base` can only hold the word best; or leave it out.", FILES
            )
        )
    if whole != text.rstrip() and not any(
        entry.rule == "truncated" for entry in complaints
    ):
        complaints.append(Complaint("truncated", _CUT_OFF, FILES))
    diagnostic = _read_diagnostic(parts.get("diagnostic", ()), complaints)
    look_up = _read_queries(_prose(parts.get("look up", ())))
    if "look up" in parts and not look_up:
        complaints.append(
            Complaint(
                LOOK_UP, "`## Look up` holds one name or a few words a line.", FILES
            )
        )
    gives_up = "give up" in parts
    done = parts.get("give up", ()) if gives_up else parts.get("done", ())
    if (done or gives_up) and (files or edits or diagnostic or look_up):
        complaints.append(
            Complaint(
                "done-with-files",
                "A reply with `## Done` or `## Give up` holds neither `## Files`, `## Diagnostic` nor "
                "`## Look up`.",
                FILES,
            )
        )
    if gives_up and not _prose(done):
        complaints.append(
            Complaint("give-up-reason", "`## Give up` holds no reason; say why.", FILES)
        )
    return Reply(
        diagnosis=_prose(parts.get("diagnosis", ())),
        adoption=adoption,
        resident=resident,
        resident_stated=bool(resident)
        or _NONE.match(_prose(parts.get("resident", ()))) is not None,
        files=files,
        edits=edits,
        base=base if base == BEST else "",
        diagnostic=diagnostic,
        look_up=() if done or gives_up else look_up,
        done=bool(done) or gives_up,
        done_reason=_prose(done),
        gives_up=gives_up,
        complaints=tuple(complaints),
    )


def read_diagnosis(text: str) -> str:
    """Text of a `diagnose` reply: its Diagnosis section, or the whole reply when it has no such heading.

    Cut where a model does not come to an end, for it stands in the prompt that follows.
    """
    whole = text.rstrip().removesuffix(TRUNCATED)
    found = _prose(_by_meaning(whole).get("diagnosis", ())) or whole.strip()
    return (
        found if len(found) <= LONGEST_DIAGNOSIS else f"{found[:LONGEST_DIAGNOSIS]} …"
    )


def render_files(files: Mapping[str, str]) -> str:
    """Write files the way the protocol reads them (used in prompts and recordings)."""
    blocks = []
    for path in sorted(files):
        body = files[path] if files[path].endswith("\n") else files[path] + "\n"
        mark = fence_for(body)
        blocks.append(f"### {path}\n{mark}cpp\n{body}{mark}")
    return "\n\n".join(blocks)


def _by_meaning(text: str) -> dict[str, tuple[Section, ...]]:
    """Group sections under the protocol heading they belong to; deeper headings stay with their parent."""
    grouped: dict[str, list[Section]] = {}
    current = ""
    depth = 0
    for section in sections(text):
        meaning = _TITLES.get(section.name, "")
        if meaning:
            current, depth = meaning, section.level
            grouped.setdefault(meaning, []).append(section)
        elif current and section.level > depth:
            grouped[current].append(section)
        elif (
            current == "files"
            and section.title
            and not check_path(_label_path(section.title))
        ):
            grouped[current].append(
                section
            )  # file headings at the depth of their section
        elif section.title:
            current = ""
    return {meaning: tuple(found) for meaning, found in grouped.items()}


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
            pieces.append(f"{mark}{fence.language}\n{fence.text}{mark}")
    return "\n".join(pieces).strip()


def _uid_lines(parts: tuple[Section, ...]) -> list[tuple[str, str]]:
    """(uid, rest) of every `[uid] ...` line; following lines without a uid continue the one before."""
    found: list[tuple[str, str]] = []
    for section in parts:
        for line in section.prose.split("\n"):
            match = _UID_LINE.match(line)
            if match is not None:
                found.append((match.group(1), match.group(2).strip()))
            elif found and line.strip():
                uid, rest = found[-1]
                found[-1] = (uid, f"{rest} {line.strip()}".strip())
    return found


def _read_adoption(
    parts: tuple[Section, ...], complaints: list[Complaint]
) -> tuple[AdoptionClaim, ...]:
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
        claim = AdoptionClaim(
            uid,
            decision.group(1).lower() == "adopted",
            (decision.group(2) or "").strip(),
        )
        if not claim.rationale:
            complaints.append(
                Complaint(
                    "rationale-missing",
                    f"Adoption record of [{uid}] has no rationale; say why in one sentence.",
                    uid,
                )
            )
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
    """Lines `- [uid]: rationale`; a use without rationale is still a use; "none" has no uid."""
    uses: dict[str, ResidentUse] = {}
    for uid, rest in _uid_lines(parts):
        uses.setdefault(uid, ResidentUse(uid, rest.lstrip(":-–— ").strip()))
    return tuple(uses.values())


def _read_diagnostic(
    parts: tuple[Section, ...], complaints: list[Complaint]
) -> DiagnosticAsked | None:
    """The first line of the section, `tool` or `tool case`; more lines are refused, not dropped."""
    if not parts:
        return None
    lines = [line for line in _prose(parts).splitlines() if line.strip("`*- \t")]
    found = _TOOL_LINE.match(lines[0]) if len(lines) == 1 else None
    if found is None:
        wrong = "`## Diagnostic` holds exactly one line: the name of a tool, then optionally the name of a case."
        complaints.append(Complaint(DIAGNOSTIC, wrong, FILES))
        return None
    return DiagnosticAsked(found.group(1).lower(), found.group(2) or "")


def _read_queries(text: str) -> tuple[str, ...]:
    """What is to be looked up, each once, in the order asked; a line of names and commas is several."""
    queries: dict[str, None] = {}
    for line in text.splitlines():
        bare = _MARKS.sub("", line).replace("`", "").replace("**", "").strip(" .;\t")
        parts = [part.strip() for part in bare.split(",")]
        several = len(parts) > 1 and all(_NAME.fullmatch(part) for part in parts)
        queries.update(
            dict.fromkeys(part for part in (parts if several else [bare]) if part)
        )
    return tuple(queries)[:MOST_QUERIES]


def _label_path(label: str) -> str:
    """The path named in a heading or in the line before a fence; empty when it names none."""
    found = _PATH_IN_LABEL.search(label)
    return found.group(0) if found is not None else ""


def _read_files(
    parts: tuple[Section, ...], complaints: list[Complaint]
) -> tuple[dict[str, str], dict[str, tuple[Edit, ...]]]:
    """Whole files and edits; what is not acceptable becomes a complaint instead."""
    files: dict[str, str] = {}
    edits: dict[str, tuple[Edit, ...]] = {}
    named = 0
    for section in parts:
        heading_path = _label_path(section.title)
        for fence in section.fences:
            path = _label_path(fence.label)
            if (
                heading_path
                and "/" not in path
                and (fence is section.fences[0] or is_edit(fence.text))
            ):
                path = heading_path  # a sentence stands between; several blocks may edit one file
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


def _take_edits(
    path: str, fence: Fence, edits: dict[str, tuple[Edit, ...]]
) -> Complaint | None:
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
    for rule, wrong in _file_faults(path, fence, files):
        if wrong:
            # A wrong path or an empty file may be dropped by the correction; the others must come again.
            return Complaint(
                rule,
                f"{path}{wrong}",
                FILES if rule in {"path", "file-empty"} else path,
            )
    return None


def _file_faults(
    path: str, fence: Fence, files: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """(rule, what is wrong or empty) of every check, in the order in which a model should hear of them."""
    size = len(fence.text)
    wrong_path = check_path(path)
    yield "path", f": not allowed, {wrong_path}." if wrong_path else ""
    yield (
        "truncated",
        ""
        if fence.closed
        else ": the reply ends inside this file; send the whole file again.",
    )
    yield "file-twice", " is given twice; send each file once." if path in files else ""
    yield (
        "file-empty",
        "" if fence.text.strip() else " is empty; send the whole file or leave it out.",
    )
    yield (
        "file-too-large",
        f" has {size} characters; the limit is {LARGEST_FILE}."
        if size > LARGEST_FILE
        else "",
    )
    line = elided_line(fence.text)
    yield (
        "elided",
        f", line {line}: code is left out there; send every file whole."
        if line
        else "",
    )
