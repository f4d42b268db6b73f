"""Address spaces of a kernel: a pointer into global memory is no plain pointer, nor the reverse.

The device's compiler has them in the types of pointers. g++ has not, and the twin's headers leave `__gm__`
empty. So the kernel is parsed a second time, with headers in which `__gm__` is an address space of clang's;
what clang refuses then and not before is the finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from core.evaluation.records import Finding

from .parsing import Parsed, WrittenLines, shown_path
from .rules import rules
from .syntax_tree import Diagnostic

_RULE = "address-space"
_MARKS = ("address space", "address_space", "__gm__")  # in the words of clang
# Classes of the twin's; types of the language on the device, where a value is read through `__gm__ half*`.
_NUMBERS = re.compile(r"\b(?:half|bfloat16_t|TWIN_DEFINE_FLOAT16)\b")
_POINTERS = re.compile(r"\*|\bpointer\b")


def check_addresses(
    plain: Parsed,
    apart: Parsed,
    files: Mapping[str, str],
    entry: str,
    api_macros: frozenset[str],
) -> Iterator[Finding]:
    """Lines of the kernel that mix pointers into global memory with plain ones.

    Args:
        plain: The kernel as the other rules read it.
        apart: The same source, parsed with address spaces.
        files: The candidate; only what lies in `op_kernel/` is judged.
        entry: Name of the kernel entry, for the findings.
        api_macros: Names of the API's macros; what they expand to is not the candidate's.
    """
    wrong = {(file, line) for file, line, _column, _text in plain.errors}
    lines = WrittenLines(files)
    for message in apart.unit.diagnostics:
        place = message.location
        file = shown_path(place.file)
        if not file.startswith("op_kernel/") or not _is_of_addresses(message):
            continue
        if (file, place.line) in wrong or lines.word_at(place) in api_macros:
            continue
        line_text = lines.line(file, place.line).split("//")[0].strip()[:120]
        yield rules()[_RULE].finding(line_text, file, place.line, entry)


def _is_of_addresses(message: Diagnostic) -> bool:
    """Whether a message, or a note that says why no function fits, names an address space."""
    texts = [message.spelling, *(note.spelling for note in message.children)]
    words = "\n".join(texts)
    if _NUMBERS.search(words) and not _POINTERS.search(words):
        return False
    return any(mark in words for mark in _MARKS)
