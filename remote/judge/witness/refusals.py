"""What a compiler said of a candidate and CANN's headers, as messages on lines of the candidate alone.

The words are CANN's and the compiler's. Paths and text of the headers stay out: messages are stored, shown and
told to a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from core.evaluation.records import CompilerMessage
from remote.judge.building.glue import GLUE_NAME
from remote.judge.machine.compiler import cause_of, read_messages

MOST_REFUSALS = 12
_OURS = ("op_host/", "op_kernel/")
_INCLUDED_FROM = re.compile(r"\bfrom (?P<file>op_\w+/[^:\s]+):(?P<line>\d+)")
_IN_HEADER = re.compile(r" \(in [\w.+-]+\)$")  # `read_messages` names the header
_FOLDERS = re.compile(r"(?<![\w.])/(?:[\w.+-]+/)+")


def read_refusals(log: str) -> tuple[tuple[CompilerMessage, ...], str]:
    """The errors in compiler output on lines of the candidate, at most `MOST_REFUSALS`; and what to say of the first.

    An error that no line of the candidate led to has no file. Columns are left out: the compiled text differs
    from the candidate's within a line, see `kernel_unit`.
    """
    messages = read_messages(log, {})
    refusals: list[CompilerMessage] = []
    causes: list[str] = []
    for index, message in enumerate(messages):
        if message.severity != "error":
            continue
        notes = _notes(messages[index + 1 :])
        refusal = _on_candidate(message, log)
        refusals.append(refusal)
        causes.append(cause_of([refusal, *notes]))
    cause = causes[0] if causes else ""
    # A template is compiled for each of its uses: one message a line says it all.
    by_place = {
        (refusal.file, refusal.line or refusal.text): refusal
        for refusal in reversed(refusals)
    }
    return tuple(reversed(by_place.values()))[:MOST_REFUSALS], cause


def _on_candidate(error: CompilerMessage, log: str) -> CompilerMessage:
    """An error in its own words on a line of the candidate.

    Args:
        error: As read.
        log: All of the output, whose chain of includes is the last resort.
    """
    text = _without_folders(_IN_HEADER.sub("", error.text))
    if error.file.startswith(_OURS):
        return CompilerMessage("error", text, error.file, error.line)
    included = _INCLUDED_FROM.search(log)
    if included:
        return CompilerMessage("error", text, included["file"], int(included["line"]))
    return CompilerMessage("error", text)


def _notes(messages: Iterable[CompilerMessage]) -> list[CompilerMessage]:
    """The notes at the beginning of `messages`, without the folders of the headers."""
    notes: list[CompilerMessage] = []
    for message in messages:
        if message.severity != "note":
            break
        notes.append(replace(message, text=_without_folders(message.text)))
    return notes


def _without_folders(text: str) -> str:
    return _FOLDERS.sub("", text).replace(f"{GLUE_NAME}: ", "")
