"""Exceptions of AI Cores in a log: one report per core, folded to one per cause.

A fault is reported by every core that met it, 15 to 40 near-identical blocks of two lines: the registers
(`there is an exception of aivec error, core id is 35, error code = 0x...`) and `The extend info` with the
sentence that matters (`errorStr: ...`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from remote.diagnostics.error_codes import ErrorCode, core_message, explain_error_word

# "an exception of aivec error", "an exception of fftsplus aicore error", "an aivec error exception", "an
# aivec error": the words changed from version to version, and old ones print everything in one line.
_CORE = re.compile(
    r"(?:exception of |\ban? )(?:\w+ )?(?P<unit>\w+) error(?: exception)?, core id (?:is|=) (?P<core>\d+), "
    r"error code = (?P<word>0x[0-9a-fA-F]+|\d+)"
    r"(?:.*?pc start: (?P<start>0x[0-9a-fA-F]+), current: (?P<current>0x[0-9a-fA-F]+))?"
)
_EXTEND = re.compile(
    r"(?:errcode:\((?P<words>[^)]*)\)\s*)?errorStr:\s*(?P<message>\S.*?)(?:\s*fixp_error0|\s*subErrType|\s*\[FUNC|$)"
)
_EXTEND_BELOW = re.compile(r"errorStr:\s*$")
_SENTENCE = re.compile(r"[^.]+\.?")
_WORD_BITS = 64
_FIRST_WORD_MASK = 2**_WORD_BITS - 1
# Printed after the sentence of almost every fault, whose consequence it is.
_CONSEQUENCE = "CCU instruction address check error"


@dataclass
class _Block:
    """The report of one core.

    Attributes:
        error_code: Of its first line.
        errcode: All words of its second line as one number; the first of them repeats
            `error_code`, unless the line before was cut.
        offset: Of the instruction from the start of the kernel, -1 where it is not told.
    """

    unit: str
    core: int
    error_code: int
    offset: int
    line: int
    errcode: int = 0
    message: str = ""

    @property
    def word(self) -> int:
        return self.error_code | self.errcode


@dataclass(frozen=True)
class DeviceException:
    """One fault of the cores.

    Attributes:
        unit: `aivec` (vector core) or `aicore`.
        message: What the hardware says, the most telling sentence; decoded from the error word when no
            sentence was printed, empty when nothing is known.
        word: Error word, all words of `errcode` as one number.
        cores: Cores that met it, ascending.
        offsets: Distinct offsets of the faulting instruction from the start of the kernel, in bytes.
        line: 1-based line of the log where it is first reported.
        hint: What to look at.
    """

    unit: str
    message: str
    word: int
    cores: tuple[int, ...]
    offsets: tuple[int, ...]
    line: int
    hint: str = ""
    entries: tuple[ErrorCode, ...] = field(default=(), repr=False)

    @property
    def sentence(self) -> str:
        """The fault in one line, with the cores and the place of the instruction."""
        cores = (
            f"core {_ranges(self.cores)}"
            if len(self.cores) == 1
            else f"cores {_ranges(self.cores)}"
        )
        message = self.message or f"{self.unit} exception without a message"
        where = (
            f", at pc offset {', '.join(hex(offset) for offset in self.offsets)}"
            if self.offsets
            else ""
        )
        return f"{message} ({self.unit}, {cores}, error word {self.word & _FIRST_WORD_MASK:#x}{where})"


def device_exceptions(log: str) -> tuple[DeviceException, ...]:
    """The exceptions reported in `log`, those of most cores first, in the order of the log among equals."""
    blocks: list[_Block] = []
    sentence_follows = False  # `errorStr:` ended the line, its sentence is in the next
    for number, line in enumerate(log.splitlines(), start=1):
        core = _CORE.search(line)
        if core:
            blocks.append(_block(core, number))
            sentence_follows = False  # that of the core before is missing
        if not blocks:
            continue
        if sentence_follows and line.strip():
            blocks[-1].message = line.strip()
            sentence_follows = False
        if _EXTEND_BELOW.search(line):
            sentence_follows = True
        extend = _EXTEND.search(line)
        if extend:
            blocks[-1].message = extend["message"]
            blocks[-1].errcode = _joined(extend["words"] or "")
    groups: dict[tuple[str, str, int], list[_Block]] = {}
    for block in blocks:
        groups.setdefault((block.unit, block.message, block.word), []).append(block)
    exceptions = [_folded(group) for group in groups.values()]
    return tuple(sorted(exceptions, key=lambda each: (-len(each.cores), each.line)))


def _block(core: re.Match[str], line: int) -> _Block:
    """The report that begins with a line of the pattern `_CORE`."""
    offset = -1
    if core["start"]:
        offset = int(core["current"], 16) - int(core["start"], 16)
    return _Block(
        unit=core["unit"],
        core=int(core["core"]),
        error_code=int(core["word"], 0),
        offset=offset,
        line=line,
    )


def _folded(group: list[_Block]) -> DeviceException:
    first = group[0]
    sentences = [
        part.strip().rstrip(".")
        for part in _SENTENCE.findall(first.message)
        if part.strip(" .")
    ]
    sentences.sort(key=lambda sentence: sentence == _CONSEQUENCE)
    entries = tuple(filter(None, map(core_message, sentences))) or explain_error_word(
        first.word
    )
    entries = tuple(sorted(entries, key=lambda entry: entry.meaning == _CONSEQUENCE))
    if not sentences:
        sentences = [entry.meaning for entry in entries]
    return DeviceException(
        unit=first.unit,
        message=sentences[0] if sentences else "",
        word=first.word,
        cores=tuple(sorted({block.core for block in group})),
        offsets=tuple(sorted({block.offset for block in group if block.offset >= 0})),
        line=first.line,
        hint=entries[0].hint if entries else "",
        entries=entries,
    )


def _joined(words: str) -> int:
    """The words of `errcode:(a, b, c)` as one number, a in its lowest 64 bits."""
    total = 0
    for index, word in enumerate(words.split(",")):
        try:
            total |= int(word.strip(), 0) << _WORD_BITS * index
        except ValueError:
            continue  # a line of the log may be cut anywhere
    return total


def _ranges(numbers: tuple[int, ...]) -> str:
    """`34-41, 44` for the cores 34 to 41 and 44."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(
        str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts
    )
