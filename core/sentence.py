"""Words for a person that can be said in another language: English text that remembers how it was made.

The method and the hosts speak English, as logs, files and the command line do. A `Sentence` is that English
text, an ordinary `str` everywhere; whoever shows it in another language takes its template, translates that
and fills in the same fields. A sentence without fields is its own template.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, Self

Field = str | int | float | bool | None
# What a stored template may ask of a field: the width and precision of a line, no look inside the value.
_PLAIN_FORMAT = re.compile(r"[<>^]?[-+ ]?[0-9]{0,2}[,_]?(?:\.[0-9]{1,2})?[a-zA-Z%]?")
_MADE = "\x1f"  # before how a line of a host was made
_DEEPEST, _LONGEST = (
    8,
    1_000_000,
)  # of stored sentences in each other; characters of a whole one


class Sentence(str):
    """A constant template with its fields filled in.

    Args:
        template: English, with gaps as `str.format` has them: `There is no workspace {path}.` Without
            fields it is the text as it stands, braces and all.
        fields: What the gaps hold. A field that is itself a sentence is translated with the whole; what is
            neither text nor number is held as its text.

    Example:
        >>> said = Sentence("{count} of {path}", count=2, path="a.sage")
        >>> said, said.template
        ('2 of a.sage', '{count} of {path}')
    """

    __slots__ = ("fields", "template")
    template: str
    fields: Mapping[str, Field]

    def __new__(cls, template: str, /, **fields: object) -> Self:
        """Fill in the fields."""
        kept = {name: _held(value) for name, value in fields.items()}
        made = super().__new__(cls, template.format(**kept) if kept else template)
        made.template, made.fields = str(template), kept
        return made

    @classmethod
    def of(cls, text: str, /, **fields: object) -> Sentence:
        """`text` if it is a sentence, else that template with those of the fields it has gaps for.

        A text that is no template of these fields (somebody else's words, braces and all) stays as it is.
        """
        if isinstance(text, Sentence):
            return text
        gaps = _gaps(text) if fields else frozenset()
        return Sentence(
            text,
            **{name: fields[name] for name in gaps} if gaps <= fields.keys() else {},
        )

    def map(self, change: Callable[[str], str]) -> Sentence:
        """The same sentence with its texts changed, those of its fields too."""
        fields = {name: _changed(value, change) for name, value in self.fields.items()}
        return Sentence(change(self.template), **fields)


class _Shown(str):
    """The representation of a value that is neither text nor number: `{found!r}` shows it without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _held(value: object) -> Field:
    if isinstance(value, BaseException):
        return words_of(value)
    return value if isinstance(value, str | int | float | None) else _Shown(value)


def said(text: str, translate: Callable[[str], str]) -> str:
    """`text` as a person reads it: its template translated, the sentences among its fields too."""
    if not isinstance(text, Sentence) or not text.fields:
        return translate(text) if text else text
    fields = {
        name: said(value, translate) if isinstance(value, Sentence) else value
        for name, value in text.fields.items()
    }
    return translate(text.template).format(**fields)


def words_of(error: BaseException) -> str:
    """What an error says, as a sentence where it was built from one; `str(error)` is English alone."""
    said = getattr(error, "sentence", None) or next(iter(error.args), None)
    return said if isinstance(said, Sentence) else str(error)


def _changed(value: Field, change: Callable[[str], str]) -> Field:
    if isinstance(value, Sentence):
        return value.map(change)
    if isinstance(value, _Shown):
        return _Shown(change(value))
    return change(value) if isinstance(value, str) else value


def _gaps(template: str) -> frozenset[str]:
    try:
        return frozenset(
            gap for _text, gap, _spec, _conversion in Formatter().parse(template) if gap
        )
    except ValueError:  # braces that are no gaps
        return frozenset()


def to_json(sentence: Sentence) -> str:
    """Template and fields as JSON; sentences among the fields are written the same way."""
    return json.dumps(_stored(sentence), ensure_ascii=False)


def from_json(text: str) -> Sentence:
    """What `to_json` wrote, in a file that may be anybody's: a template fills in its own fields and no more.

    Raises:
        ValueError: It is something else, or asks for more than a line of text needs.
    """
    try:
        return _restored(json.loads(text), _DEEPEST)
    except (
        AttributeError,
        KeyError,
        IndexError,
        TypeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise ValueError(f"{text[:100]!r} is no stored sentence ({error})") from error


def heard(line: str) -> str:
    """What a host says, as a sentence where it tells how that was made: English, U+001F, then `to_json`.

    Anybody may have written the line. What does not say the same as its English is left aside.
    """
    english, mark, told = line.partition(_MADE)
    if not mark:
        return line
    try:
        sentence = from_json(told)
    except ValueError:
        return english
    return sentence if sentence == english else english


def _stored(sentence: Sentence) -> dict[str, Any]:
    return {
        "template": sentence.template,
        "fields": {
            name: _stored_field(value) for name, value in sentence.fields.items()
        },
    }


def _stored_field(value: Field) -> Any:
    if isinstance(value, Sentence):
        return _stored(value)
    return {"shown": value} if isinstance(value, _Shown) else value


def _restored(stored: dict[str, Any], depth: int) -> Sentence:
    """Only fields that have a gap are read, so that the length of the whole bounds that of its parts."""
    template, fields = stored["template"], stored["fields"]
    if not isinstance(template, str) or not isinstance(fields, dict) or depth == 0:
        raise ValueError(
            "a stored sentence is a template and fields, a few levels deep"
        )
    if not fields:
        return Sentence(template)
    kept: dict[str, Field] = {}
    length = len(template)
    for _text, gap, form, conversion in Formatter().parse(template):
        if gap is None:
            continue
        if (
            not gap.isidentifier()
            or conversion not in (None, "r", "s")
            or not _PLAIN_FORMAT.fullmatch(form or "")
        ):
            raise ValueError(
                f"{template[:100]!r} has the gap {gap[:50]!r}, which no sentence of ours has"
            )
        kept[gap] = kept[gap] if gap in kept else _restored_field(fields[gap], depth)
        length += 100 + 2 * len(str(kept[gap]))
        if length > _LONGEST:
            raise ValueError(
                f"{template[:100]!r} is longer than {_LONGEST:,} characters"
            )
    return Sentence(template, **kept)


def _restored_field(value: Any, depth: int) -> Field:
    if isinstance(value, dict):
        return (
            _Shown(value["shown"]) if "shown" in value else _restored(value, depth - 1)
        )
    if value is None or isinstance(value, str | int | float):
        return value
    raise ValueError(f"a field is text or a number, not {type(value).__name__}")
