"""Experience libraries of other agents: a folder with `reference/issues/*.json`, read into quarantine.

Each file is a list of {"op", "error", "code_diff", "summary"}; `code_diff` is the unified diff from the
failing to the working version. Such libraries are written by agents for agents and hold lessons in slipping
past a judge (see `screening`). So nothing in them is put into use by itself, and what the screening says
about a record is kept with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from core.agent.distillation import first_sentence, shortened, snippet
from core.curation.screening import screen
from core.errors import InvalidInput
from core.memory.content import LONGEST
from core.memory.ledger import known_uids, one_step
from core.memory.records import CodeDiff, Experience, ItemState, Origin
from core.memory.store import MemoryStore
from core.outside import convert, json_value, read_file

ISSUES = "reference/issues"
_LONGEST_ERROR = 400  # characters of the line an item is found by
_CAUSE = re.compile(
    r"\berror\b|failed|mismatch|differ|not (close|equal|found|support)|overflow|out of|invalid|"
    r"unsupported|undefined|undeclared|exception|assert|\bnan\b|time[d -]?out|fault|illegal|unaligned",
    re.IGNORECASE,
)
# What a build says around its errors; logs that hold nothing else lost the compiler's words on the way.
_FRAME = re.compile(
    r"^(exit code|error output|stderr|stdout|output)\s*:|^(running|creating|building|copying|writing|adding|"
    r"installing|removing)\b|^(\S*/)?(g\+\+|gcc|clang\S*|c\+\+|cmake|make|python\S*)( |$)|"
    r"failed to build wheel|setup\.py|warning\b|^[-*=]{2,}|^\[ *\d+%",
    re.IGNORECASE,
)
_KINDS = (  # first that fits: type, category, sign in the error text
    (
        "wrong_result",
        "Numerics",
        re.compile(r"mismatch|differ|not close|tolerance|\bnan\b", re.IGNORECASE),
    ),
    (
        "compile_error",
        "Build",
        re.compile(
            r"\berror:|undeclared|no member|no matching|wheel|cmake", re.IGNORECASE
        ),
    ),
    ("runtime_failure", "Runtime", re.compile("")),
)
# In the six-string format the operator itself is bound as aclnn<Name>Custom; every other aclnn is a built-in.
_OWN_BINDING = re.compile(r"\baclnn\w*Custom\w*")


@dataclass(frozen=True)
class LibraryEntry:
    """One experience of a library.

    Attributes:
        place: File and position in the library, e.g. `relu.json[0]`.
        experience: As it will be written.
        suspicion: What the screening found, empty when nothing.
    """

    place: str
    experience: Experience
    suspicion: str


@dataclass(frozen=True)
class LibraryFault:
    """A record, or a whole file, that is left out: file, field and what is wrong."""

    file: str
    field: str
    problem: str


@dataclass(frozen=True)
class Library:
    """A library as read."""

    name: str
    entries: tuple[LibraryEntry, ...]
    faults: tuple[LibraryFault, ...]


@dataclass(frozen=True)
class LibraryReport:
    """What an import did, or would do.

    Attributes:
        name: Of the library.
        added: uid -> why it is in quarantine, in the order of the library.
        known: How many records were here already or occur twice.
        suspicious: place -> what the screening found, of all records.
        faults: What is left out.
    """

    name: str
    added: dict[str, str]
    known: int
    suspicious: dict[str, str]
    faults: tuple[LibraryFault, ...]


class _Record(msgspec.Struct):
    op: str
    error: str
    code_diff: str
    summary: str


def read_library(root: Path) -> Library:
    """Read every record; one that is not as expected is named and left out, the others stay.

    Args:
        root: The folder that holds `reference/issues`.

    Raises:
        InvalidInput: There is no such folder or it holds no JSON file.
    """
    paths = sorted((root / ISSUES).glob("*.json"))
    if not paths:
        raise InvalidInput(
            str(root),
            ISSUES,
            "holds no JSON file",
            "Choose the top of an experience library.",
        )
    entries: list[LibraryEntry] = []
    faults: list[LibraryFault] = []
    for path in paths:
        for found in _read(path, root.name):
            (entries if isinstance(found, LibraryEntry) else faults).append(found)  # type: ignore[arg-type]
    return Library(root.name, tuple(entries), tuple(faults))


def import_library(
    store: MemoryStore, library: Library, *, dry_run: bool = False
) -> LibraryReport:
    """Write every experience to quarantine with the reason, in one transaction; known ones are left alone."""
    added: dict[str, str] = {}
    with (
        store.workspace.rehearsal() if dry_run else store.workspace.transaction() as db
    ):
        known, taken_back = known_uids(db)
        with one_step(
            db, "import-library", actor="user", reason=f"imported from {library.name}"
        ):
            for entry in library.entries:
                reason = (
                    entry.suspicion
                    or f"imported from {library.name}, nobody has looked at it yet"
                )
                uid = store.add_item(
                    entry.experience,
                    origin=Origin.IMPORT,
                    state=ItemState.QUARANTINED,
                    actor="user",
                    reason=reason,
                )
                if uid not in known - taken_back:
                    added.setdefault(uid, reason)
    suspicious = {
        entry.place: entry.suspicion for entry in library.entries if entry.suspicion
    }
    return LibraryReport(
        library.name,
        added,
        len(library.entries) - len(added),
        suspicious,
        library.faults,
    )


def reasons(report: LibraryReport) -> dict[str, int]:
    """How often each kind of suspicion occurs, without the quoted words, the most frequent first."""
    found = Counter(reason.partition(" (“")[0] for reason in report.suspicious.values())
    return dict(found.most_common())


def _read(path: Path, name: str) -> Iterator[LibraryEntry | LibraryFault]:
    try:
        records = convert(
            json_value(read_file(path), path.name), list[Any], path.name, "file"
        )
    except InvalidInput as error:
        yield LibraryFault(path.name, "file", f"is no JSON list ({error.problem})")
        return
    for number, value in enumerate(records):
        place = f"{path.name}[{number}]"
        try:
            record = msgspec.convert(value, _Record)
        except msgspec.ValidationError as error:
            problem, _, field = str(error).partition(" - at `$.")
            yield LibraryFault(
                path.name, f"[{number}].{field.rstrip('`')}".rstrip("."), problem
            )
            continue
        if not record.summary.strip() and not record.error.strip():
            yield LibraryFault(
                path.name, f"[{number}].summary", "is empty, and so is error"
            )
            continue
        yield _entry(record, place, name)


def _entry(record: _Record, place: str, name: str) -> LibraryEntry:
    cause = _cause(record.error)
    wrong, right = _sides(record.code_diff)
    kind, category, _ = next(entry for entry in _KINDS if entry[2].search(record.error))
    sentence = first_sentence(record.summary)
    experience = Experience(
        title=shortened(sentence or f"Cure for: {cause or record.op}"),
        type=kind,
        category=category,
        error_message=cause,
        code_diff=CodeDiff(snippet(wrong), snippet(right)),
        summary=shortened(" ".join(record.summary.split()), LONGEST["summary"] - 2),
        source=f"experience library {name}, {place}, operator {record.op}",
    )
    return LibraryEntry(place, experience, _suspicion(experience, record, right))


def _suspicion(experience: Experience, record: _Record, right: list[str]) -> str:
    """Screen the whole record: what is cut for the prompt may hold the trick."""
    code = _OWN_BINDING.sub("", "\n".join(right))
    whole = replace(
        experience, error_message=record.error, code_diff=CodeDiff(correct_code=code)
    )
    found = screen(whole)
    if not found and not experience.error_message:
        return "its error text names no cause to find it by"
    return found


def _cause(error: str) -> str:
    """The line that says why: a compiler's error, else one that sounds like a fault, else the first."""
    flat = (" ".join(line.split()) for line in error.splitlines())
    lines = [line for line in flat if line and not _FRAME.search(line)]
    signs = (re.compile(r"\berror:"), _CAUSE, re.compile(""))
    line = next((line for sign in signs for line in lines if sign.search(line)), "")
    return shortened(line, _LONGEST_ERROR)


def _sides(diff: str) -> tuple[list[str], list[str]]:
    """Both sides of a unified diff with its context; hunks are set apart."""
    wrong: list[str] = []
    right: list[str] = []
    in_hunk = False
    for line in diff.splitlines():
        if line.startswith("@@"):
            if in_hunk:
                wrong.append("// …")
                right.append("// …")
            in_hunk = True
        elif not in_hunk and line.startswith(("---", "+++", "diff ", "index ")):
            continue
        elif line.startswith("-"):
            wrong.append(line[1:])
        elif line.startswith("+"):
            right.append(line[1:])
        elif not line.startswith("\\"):
            wrong.append(line.removeprefix(" "))
            right.append(line.removeprefix(" "))
    return wrong, right
