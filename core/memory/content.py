"""The content of an item: what it says, as a record, as columns and as a hash."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from core.errors import InvalidInput
from core.memory.ledger import CONTENT, Value, encode
from core.memory.records import CodeDiff, ContentChange, Experience, Scope
from core.operators.kinds_of_work import KINDS
from core.records_json import decode
from core.same_fields import record_of, values_of

# Characters. An item stands in the prompt of every round it is retrieved in, beside k - 1 others.
LONGEST = {
    "title": 300,
    "type": 100,
    "category": 100,
    "error_message": 4000,
    "summary": 4000,
    "source": 2000,
}
LONGEST_CODE = 16_000
_UID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class ItemContent:
    """What an item says.

    Attributes:
        experience: In the paper's schema.
        rule_text: Its rule for hot memory, empty while there is none.
        rule_example: Code of the rule.
        auto_title: Whether the title serves as the rule.
    """

    experience: Experience
    rule_text: str = ""
    rule_example: str = ""
    auto_title: bool = False

    def columns(self) -> dict[str, Value]:
        """Return the item columns that hold it."""
        return content_columns(self.experience) | {
            "rule_text": self.rule_text,
            "rule_example": self.rule_example,
            "auto_title": int(self.auto_title),
        }


def require_content(experience: Experience, source: str = "memory item") -> None:
    """Raise InvalidInput when a field cannot be used.

    Title, type or category are empty, a text is too long for a prompt, or a kind of work has no such name.
    """
    for field in ("title", "type", "category"):
        if not getattr(experience, field).strip():
            raise InvalidInput(source, field, "is empty")
    require_kinds(experience.scope.work, source, "scope.work")
    for field, count, limit in too_long(experience):
        raise InvalidInput(
            source,
            field,
            "has {count} characters, at most {limit} fit",
            "Shorten it.",
            count=count,
            limit=limit,
        )


def require_kinds(names: Iterable[str], source: str, field: str) -> None:
    """Raise InvalidInput for a name that is no kind of work."""
    for name in names:
        if name not in KINDS:
            raise InvalidInput(
                source,
                field,
                "{name!r} is no kind of work",
                "Available: {names}.",
                name=name,
                names=", ".join(KINDS),
            )


def require_uid(uid: str, source: str, field: str = "uid") -> None:
    """Raise InvalidInput for a uid that could be a heading, a path, or several lines."""
    if not _UID.fullmatch(uid):
        raise InvalidInput(
            source,
            field,
            "{uid!r} is no name of an item",
            "It has at most 100 letters, digits and the signs . _ - in it.",
            uid=uid[:100],
        )


def too_long(experience: Experience) -> Iterator[tuple[str, int, int]]:
    """Yield name, characters and limit of each text that is too long for a prompt."""
    texts = [
        (field, getattr(experience, field), limit) for field, limit in LONGEST.items()
    ]
    code = experience.code_diff
    texts += [
        (name, getattr(code, name), LONGEST_CODE)
        for name in ("wrong_code", "correct_code")
    ]
    yield from (
        (field, len(text), limit) for field, text, limit in texts if len(text) > limit
    )


def content_columns(experience: Experience) -> dict[str, Value]:
    """Return the item columns that hold an experience."""
    records = {
        "code_diff": encode(experience.code_diff),
        "scope": encode(experience.scope),
    }
    return values_of(experience) | records


def experience_of(columns: Mapping[str, Value]) -> Experience:
    """Return the experience that item columns hold."""
    texts = {name: str(value) for name, value in columns.items()}
    return record_of(
        Experience,
        texts,
        code_diff=decode(texts["code_diff"], CodeDiff),
        scope=decode(texts["scope"], Scope),
    )


def content_hash(experience: Experience) -> str:
    """Return the sha256 of everything in an experience but its source note."""
    columns = content_columns(experience)
    del columns["source"]
    if not experience.scope.work:
        # As it was before lessons named kinds of work: names of items follow from it.
        scope = asdict(experience.scope)
        del scope["work"]
        columns["scope"] = encode(scope)
    return hashlib.sha256(encode(columns).encode()).hexdigest()


_RULE = frozenset({"rule_text", "rule_example", "auto_title"})
_EMPTY: Mapping[str, Value] = {
    "error_message": "",
    "code_diff": encode(CodeDiff()),
    "summary": "",
    "scope": encode(Scope()),
    "source": "",
    "rule_text": "",
    "rule_example": "",
    "auto_title": 0,
}


def folded_content(changes: Iterable[Mapping[str, str | int]]) -> ItemContent:
    """Return the content after changes of columns, oldest first: the last writer of a field wins.

    A title that stands in for a rule, because a person pinned the item or no model wrote one, is no rule: it
    never takes the place of one that was written, whichever came first.
    """
    content = dict(_EMPTY)
    for change in changes:
        fields = {name: value for name, value in change.items() if name in CONTENT}
        if is_title(fields):
            if content["rule_text"] and not content["auto_title"]:
                fields = without_rule(fields)
        elif fields.get("rule_text"):
            fields["auto_title"] = 0
        content |= fields
    by_title = bool(content["auto_title"])
    return ItemContent(
        experience_of(content),
        str(content["title"] if by_title else content["rule_text"]),
        str(content["rule_example"]),
        by_title,
    )


def is_title(fields: Mapping[str, str | int]) -> bool:
    """Return whether a change writes the title as the rule, or takes such a one away."""
    if "rule_text" not in fields:
        return False
    text = fields["rule_text"]
    if "auto_title" in fields:
        return bool(fields["auto_title"]) or not text
    # An edited title that serves as the rule.
    return bool(text) and text == fields.get("title")


def without_rule(fields: Mapping[str, str | int]) -> dict[str, str | int]:
    """Return a change without what it does to the rule."""
    return {name: value for name, value in fields.items() if name not in _RULE}


@dataclass(frozen=True)
class Revision:
    """One field of an item before and after a change."""

    at: str
    field: str
    before: str
    after: str


def revisions(history: Iterable[ContentChange]) -> tuple[Revision, ...]:
    """Return what was changed in an item after it was written, the latest first."""
    content: dict[str, str] = {}
    changes = []
    for number, change in enumerate(sorted(history, key=lambda one: one.at)):
        for name, value in change.fields.items():
            before, after = content.get(name, ""), str(value)
            if number and before != after:
                changes.append(Revision(change.at, name, before, after))
            content[name] = after
    return tuple(reversed(changes))
