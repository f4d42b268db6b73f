r"""Outside text for a person to read: what would command a terminal, or reorder letters, is spelled out.

A terminal obeys escapes it is shown: they set its title, write to the clipboard, repaint what was said.
Bidirectional controls show source in another order than a compiler reads it (CVE-2021-42574). Each such
character becomes its `\uXXXX`, which keeps JSON the JSON it was.
"""

from __future__ import annotations

import re

# Of compilers: nothing is lost by leaving them out.
_COLOUR = re.compile("\x1b\\[[0-9;:]*[mK]")
_COMMANDS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab, line feed; delete; C1
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"  # order; line ends; lone surrogates
)


def visible(text: str) -> str:
    r"""`text` without colours, line ends made `\n`, other controls spelled out."""
    if not _COMMANDS.search(text):
        return text
    text = _COLOUR.sub("", text).replace("\r\n", "\n")
    return _COMMANDS.sub(lambda character: f"\\u{ord(character.group()):04x}", text)


def one_line(text: str, most: int) -> str:
    """`text` with its white space as single blanks, cut with `…` where it has more than `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def first_sentence(text: str) -> str:
    """Return the first sentence of a text on one line, the whole when it has no end."""
    flat = " ".join(text.split())
    end = re.search(r"(?<=[.!?。])\s|(?<=。)", flat)
    return flat[: end.start()].strip() if end else flat


def shortened(text: str, limit: int = 100) -> str:
    """Return a text cut at a word so that it fits a title."""
    if len(text) <= limit:
        return text
    blank = text.rfind(" ", 0, limit)
    end = blank if blank > 0 else limit  # Chinese has no blanks
    return text[:end].rstrip(",;:") + " …"
