"""Names of the API with their signatures, for an editor that completes them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.references.sections import Section

_CODE = re.compile(r"```\w*\n(.*?)```", re.DOTALL)
_LONGEST = 200  # characters of a signature


def completions(sections: Iterable[Section]) -> dict[str, str]:
    """Return name -> first declaration of it, or the first sentence about it; by name, members too."""
    descriptions: dict[str, str] = {}
    for section in sections:
        for name in (*section.names, *section.members):
            if "." not in name:
                descriptions.setdefault(name, _signature(section.text, name))
    return dict(
        sorted(descriptions.items(), key=lambda pair: (pair[0].casefold(), pair[0]))
    )


def _signature(text: str, name: str) -> str:
    """The first declaration that names it, on one line."""
    for block in _CODE.findall(text):
        for declared in block.split(";"):
            if re.search(rf"\b{re.escape(name)}\b", declared):
                return _line(re.sub(r"//[^\n]*", "", declared))
    return _line(text.strip().partition("\n")[0])


def _line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"
