"""The session file: a recorded or scripted run as JSONL, with the memory bank it started from.

Row 1 is the header, then the items of the initial bank, then replies keyed by subject,
objective, round, purpose and attempt, then how rounds were judged and in which order
the memory was used. The header carries the sha256 of the bank, so that a session never
plays against another memory. A name that ends in `.gz` is compressed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from core.agent.run.turns import MemoryUse
from core.errors import InvalidInput
from core.models.port import LEARNING, RECORDINGS, Purpose
from core.outside import json_value, read_text, unpacked

FORMAT = 1
LARGEST = 200_000_000  # characters; a compressed file may claim anything

_PURPOSES = frozenset(purpose.value for purpose in Purpose)

ReplyKey = tuple[str, str, int, str, int]
Row = TypeVar("Row")


@dataclass(frozen=True)
class SessionHeader:
    """Row 1.

    `origin` is `recorded` (written by the recorder) or `scripted` (by hand, and named
    so).

    `parameters` is the JSON of the method parameters of the run; empty: the defaults.
    """

    origin: str
    model: str
    title: str
    description: str
    bank_sha256: str
    operators: tuple[str, ...]
    format: int = FORMAT
    parameters: str = ""


@dataclass(frozen=True)
class SessionItem:
    """One experience of the initial bank, with the field names of the paper's item record."""

    uid: str
    title: str
    type: str
    category: str
    error_message: str = ""
    code_diff: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    scope: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True)
class SessionReply:
    """One model call.

    `retrieved` is R_t of its round, `previous_verdict` guards against divergence.
    """

    subject: str
    objective: str
    round: int
    purpose: str
    text: str
    attempt: int = 0
    retrieved: tuple[str, ...] = ()
    previous_verdict: str = ""
    reasoning: str = ""

    @property
    def key(self) -> ReplyKey:
        """The coordinates a request is matched by."""
        return (self.subject, self.objective, self.round, self.purpose, self.attempt)


@dataclass(frozen=True)
class RoundOutcome:
    """How a round was judged when it was recorded.

    The latency in microseconds, as its judge gave it, and where it comes from as a
    workspace stores it (`core.evaluation.records.stored_origin`). Sessions recorded under
    the twin's first time model do not say.
    """

    operator: str
    round: int
    verdict: str
    latency_us: float | None = None
    latency_origin: str = "modelled"


@dataclass(frozen=True)
class Session:
    """A whole session file.

    `outcomes` and `steps` are empty in what was written by hand or before.
    """

    header: SessionHeader
    items: tuple[SessionItem, ...]
    replies: tuple[SessionReply, ...]
    outcomes: tuple[RoundOutcome, ...] = ()
    steps: tuple[MemoryUse, ...] = ()

    def only(self, operators: Collection[str]) -> Session:
        """The session of some of its operators, with the whole bank and the rules of all."""
        operator_names = tuple(
            name for name in self.header.operators if name in operators
        )
        left_out = set(self.header.operators) - set(operator_names)
        return replace(
            self,
            header=replace(self.header, operators=operator_names),
            replies=tuple(
                reply for reply in self.replies if reply.subject not in left_out
            ),
            outcomes=tuple(
                outcome
                for outcome in self.outcomes
                if outcome.operator in operator_names
            ),
            steps=tuple(step for step in self.steps if step.operator in operator_names),
        )


def bank_digest(items: Sequence[SessionItem]) -> str:
    """sha256 over the canonical JSON (sorted keys, no blanks, UTF-8) of the items in file order."""
    canonical = json.dumps(
        [asdict(item) for item in items],
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    return hashlib.sha256(canonical.encode()).hexdigest()


def read_session(path: Path) -> Session:
    """Read and validate a session file.

    Raises:
        InvalidInput: Not readable, or a row is not as expected; names file, row and
            field.
    """
    try:
        text = _unpacked(path) if path.suffix == ".gz" else read_text(path, LARGEST)
    except InvalidInput as error:
        raise InvalidInput(
            path.name, error.field, error.problem, "Choose a session file (.jsonl)."
        ) from error
    return parse_session(text, path.name)


def parse_session(text: str, source: str) -> Session:
    """Validate the text of a session file; `source` names it in errors.

    Raises:
        InvalidInput: A row is not as expected; names row and field.
    """
    header: SessionHeader | None = None
    items: list[SessionItem] = []
    replies: list[SessionReply] = []
    outcomes: list[RoundOutcome] = []
    steps: list[MemoryUse] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"row {number}"
        kind, row = _decode(line, source, where)
        if header is None and kind != "session":
            raise InvalidInput(
                source,
                f"{where}: kind",
                "the first row is {kind_name!r}, expected 'session'",
                kind_name=kind,
            )
        if kind == "session":
            if header is not None:
                raise InvalidInput(source, f"{where}: kind", "a second 'session' row")
            header = _header(row, source, where)
        elif kind == "item":
            items.append(_row(row, SessionItem, source, where))
        elif kind == "reply":
            replies.append(_reply(row, source, where))
        elif kind == "outcome":
            outcomes.append(_row(row, RoundOutcome, source, where))
        elif kind == "step":
            steps.append(_row(row, MemoryUse, source, where))
        else:
            kinds = "session, item, reply, outcome or step"
            raise InvalidInput(
                source,
                f"{where}: kind",
                "{kind_name!r} is not {known}",
                kind_name=kind,
                known=kinds,
            )
    if header is None:
        raise InvalidInput(source, "row 1", "the file is empty")
    session = Session(
        header, tuple(items), tuple(replies), tuple(outcomes), tuple(steps)
    )
    check_session(session, source)
    return session


def check_session(session: Session, source: str) -> None:
    """Check what no single row shows: bank hash, unique keys, known uids, operators with replies.

    Raises:
        InvalidInput: The session cannot be played.
    """
    digest = bank_digest(session.items)
    if session.header.bank_sha256 != digest:
        raise InvalidInput(
            source,
            "bank_sha256",
            "{bank_sha256!r} is not the hash of the items in the file ({digest})",
            "The bank was edited after the session was written; write the session again.",
            bank_sha256=session.header.bank_sha256,
            digest=digest,
        )
    item_uids = _unique([item.uid for item in session.items], source, "item uid")
    _unique([reply.key for reply in session.replies], source, "reply")
    _unique(
        [(outcome.operator, outcome.round) for outcome in session.outcomes],
        source,
        "outcome",
    )
    _unique([step.key for step in session.steps], source, "step")
    for reply in session.replies:
        # Items distilled during the run get a uid `exp-...` that no bank lists.
        missing = [
            uid
            for uid in reply.retrieved
            if uid not in item_uids and not uid.startswith("exp-")
        ]
        if missing:
            raise InvalidInput(
                source,
                f"reply {reply.key}: retrieved",
                "{missing} are not in the bank",
                missing=missing,
            )
    played = {reply.subject for reply in session.replies if reply.round > 0}
    silent = [name for name in session.header.operators if name not in played]
    if silent:
        raise InvalidInput(
            source, "operators", "no replies for {silent}", silent=silent
        )


def render_session(session: Session) -> str:
    """The text of a session file, byte-stable for equal sessions.

    Raises:
        InvalidInput: The session would not be readable again.
    """
    check_session(session, "session")
    rows: list[dict[str, Any]] = [{"kind": "session", **_plain(session.header)}]
    rows += [{"kind": "item", **_plain(item)} for item in session.items]
    rows += [{"kind": "reply", **_plain(reply)} for reply in session.replies]
    rows += [{"kind": "outcome", **_plain(outcome)} for outcome in session.outcomes]
    rows += [{"kind": "step", **_plain(step)} for step in session.steps]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_session(path: Path, session: Session) -> None:
    """Write a session file, replacing `path` only when the whole text is on disk."""
    data = render_session(session).encode()
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    draft.replace(path)


def _unpacked(path: Path) -> str:
    """The text of a compressed file.

    Raises:
        InvalidInput: It is not readable, damaged, or larger than any session.
    """
    try:
        return unpacked(path, LARGEST).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InvalidInput(
            path.name, "content", "cannot be read: {error}", error=error
        ) from error


def _decode(line: str, source: str, where: str) -> tuple[str, dict[str, Any]]:
    try:
        row = json_value(line, source, where)
    except InvalidInput as error:
        raise InvalidInput(
            source, where, "not JSON: {problem}", error.remedy, problem=error.problem
        ) from error
    if not isinstance(row, dict):
        raise InvalidInput(
            source,
            where,
            "a {kind_name}, expected an object",
            kind_name=type(row).__name__,
        )
    return str(row.pop("kind", "")), row


def _header(row: dict[str, Any], source: str, where: str) -> SessionHeader:
    header = _row(row, SessionHeader, source, where)
    if header.format != FORMAT:
        raise InvalidInput(
            source,
            f"{where}: format",
            "{format}, this version reads {ours}",
            "Update SAGE Desktop.",
            format=header.format,
            ours=FORMAT,
        )
    if header.origin not in RECORDINGS:
        raise InvalidInput(
            source,
            f"{where}: origin",
            "{origin!r} is not recorded or scripted",
            origin=header.origin,
        )
    return header


def _reply(row: dict[str, Any], source: str, where: str) -> SessionReply:
    reply = _row(row, SessionReply, source, where)
    if reply.purpose not in _PURPOSES:
        raise InvalidInput(
            source,
            f"{where}: purpose",
            "{purpose!r} is not one of {known}",
            purpose=reply.purpose,
            known=sorted(_PURPOSES),
        )
    outside = reply.purpose in LEARNING
    if reply.purpose == Purpose.DISTIL.value and reply.objective == "corr":
        outside = False  # the lessons of a corr episode that opt follows: they belong to its last round
    if outside != (reply.round == 0) or outside != (reply.objective == ""):
        raise InvalidInput(
            source,
            f"{where}: round",
            "{purpose} with objective {objective!r} and round {round}",
            purpose=reply.purpose,
            objective=reply.objective,
            round=reply.round,
        )
    if reply.objective not in {"", "corr", "opt"}:
        raise InvalidInput(
            source,
            f"{where}: objective",
            "{objective!r} is not corr or opt",
            objective=reply.objective,
        )
    return reply


def _row(row: dict[str, Any], kind: type[Row], source: str, where: str) -> Row:
    """Convert one decoded row into a frozen dataclass.

    Unknown fields are refused, not dropped.
    """
    assert is_dataclass(kind)
    unknown = sorted(set(row) - {entry.name for entry in fields(kind)})
    if unknown:
        raise InvalidInput(source, f"{where}: {unknown[0]}", "unknown field")
    try:
        return msgspec.convert(row, kind)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at ")
        raise InvalidInput(
            source, f"{where}: {path.strip('`').removeprefix('$.') or 'row'}", problem
        ) from error


def _plain(
    row: SessionHeader | SessionItem | SessionReply | RoundOutcome | MemoryUse,
) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(row)
    if not plain.get("parameters", True):
        del plain["parameters"]
    return plain


def _unique(keys: Sequence[Any], source: str, what: str) -> set[Any]:
    earlier: set[Any] = set()
    for key in keys:
        if key in earlier:
            raise InvalidInput(source, what, "{key!r} appears twice", key=key)
        earlier.add(key)
    return earlier
