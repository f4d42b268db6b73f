"""A text for a person: an English template and its fields, so that a window can show it translated.

Errors and the texts that a window shows while something happens are texts of this kind.
What is stored in a workspace, written to a log or sent by a host is `str(text)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import Formatter


class Text:
    """A constant template and what its gaps hold; `str` gives the English.

    Args:
        template: English, with gaps as `str.format` has them: `There is no workspace
            {path}.` Without fields it is the text itself, braces and all.
        fields: What the gaps hold. A field that is a `Text` is translated with the
            whole; of an error its text is kept.

    Example:
        >>> str(Text("{count} of {path}", count=2, path="a.sage"))
        '2 of a.sage'
    """

    __slots__ = ("fields", "template")
    template: str
    fields: Mapping[str, object]

    def __init__(self, template: str, /, **fields: object) -> None:
        self.template = template
        self.fields = {name: _value(value) for name, value in fields.items()}

    def __str__(self) -> str:
        return self.in_language(str)

    def __repr__(self) -> str:
        return f"Text({str(self)!r})"

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool(self.template)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Text):
            return NotImplemented
        return (self.template, str(self)) == (other.template, str(other))

    def __hash__(self) -> int:
        return hash((self.template, str(self)))

    def mapped(self, change: Callable[[str], str]) -> Text:
        """The same with `change` applied to its template and every text among its fields."""
        fields = {name: _changed(value, change) for name, value in self.fields.items()}
        return Text(change(self.template), **fields)

    def in_language(self, translate: Callable[[str], str]) -> str:
        """The whole text; `translate` gives each template in the language wanted."""
        if not self.fields:
            return translate(self.template) if self.template else ""
        values = {
            name: value.in_language(translate) if isinstance(value, Text) else value
            for name, value in self.fields.items()
        }
        return translate(self.template).format(**values)


def as_text(text: str | Text, fields: Mapping[str, object]) -> Text:
    """`text` as a `Text` with those of `fields` that it has gaps for.

    One with gaps for anything else comes from a server or a compiler: it is taken as
    it stands, braces and all.
    """
    if isinstance(text, Text):
        return text
    gaps = _gaps(text) if fields else frozenset()
    if not gaps <= fields.keys():
        return Text(text)
    return Text(text, **{name: fields[name] for name in gaps})


def text_of(error: BaseException) -> Text:
    """What an error says: its template and fields if it has them, else its text."""
    message = getattr(error, "message", None)
    return message if isinstance(message, Text) else Text(str(error))


def count_text(count: int, noun: str, plural: str = "") -> str:
    """A number and what it counts, in English: `1 case`, `2 cases`, `1,000 launches`.

    Args:
        count: How many.
        noun: What one of them is called.
        plural: What several are called, where it is not the noun and an `s`.
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def _value(value: object) -> object:
    return text_of(value) if isinstance(value, BaseException) else value


def _changed(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, Text):
        return value.mapped(change)
    return value if isinstance(value, int | float | None) else change(str(value))


def _gaps(template: str) -> frozenset[str]:
    try:
        parts = tuple(Formatter().parse(template))
    except ValueError:  # braces that are no gaps
        return frozenset()
    return frozenset(gap for _text, gap, _format, _conversion in parts if gap)
