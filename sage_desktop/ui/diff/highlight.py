"""Colours of code: Pygments' C++ lexer, run in slices of a few milliseconds so that the window never waits.

A whole file is lexed once (the lexer is not correct line by line: comments and function heads span lines).
The lines at the top are coloured first.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

SLICE_SECONDS = 0.004
_CACHED_FILES = 64

# a token of a line: first character, length, role of the theme's [syntax] table
LineToken = tuple[int, int, str]

_ASCEND_TYPES = frozenset(
    {
        "GlobalTensor",
        "LocalTensor",
        "TPipe",
        "TQue",
        "TQueBind",
        "TBuf",
        "TPosition",
        "QuePosition",
        "GM_ADDR",
        "half",
        "bfloat16_t",
        "DataCopyParams",
        "DataCopyExtParams",
        "DataCopyPadParams",
        "DataCopyPadExtParams",
        "TilingContext",
        "TilingData",
        "UnaryRepeatParams",
        "BinaryRepeatParams",
        "RoundMode",
        "CMPMODE",
        "SELMODE",
        "int8_t",
        "uint8_t",
        "int16_t",
        "uint16_t",
        "int32_t",
        "uint32_t",
        "int64_t",
        "uint64_t",
        "size_t",
    }
)
_ASCEND_KEYWORDS = frozenset(
    {"__aicore__", "__global__", "__gm__", "__ubuf__", "__inout_pipe__"}
)


def _role_of_type(name: str, text: str) -> str:
    """Role of a token by Pygments' name of its type; names of Ascend C go before it."""
    if text in _ASCEND_KEYWORDS:
        return "keyword"
    if text in _ASCEND_TYPES:
        return "type"
    for prefix, role in _ROLES:
        if name.startswith(prefix):
            return role
    return "text"


_ROLES = (
    ("Token.Comment.Preproc", "preprocessor"),
    ("Token.Comment", "comment"),
    ("Token.Keyword.Type", "type"),
    ("Token.Keyword", "keyword"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Name.Function", "function"),
    ("Token.Name.Class", "type"),
    ("Token.Name.Builtin", "keyword"),
    ("Token.Operator", "operator"),
    ("Token.Punctuation", "operator"),
)


def lex(text: str) -> Iterator[tuple[int, list[LineToken]]]:
    """Yield (0-based line, its tokens) for every line of `text`, in order."""
    from pygments.lexers import get_lexer_by_name

    lexer = get_lexer_by_name("cpp", stripnl=False, ensurenl=False)
    # Where each line begins, and last where another one would.
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    last_line = len(starts) - 2
    line_number = 0
    tokens: list[LineToken] = []
    for offset, kind, value in lexer.get_tokens_unprocessed(text):
        role = _role_of_type(str(kind), value)
        position = offset
        # A comment is one token over several lines.
        for piece in value.split("\n"):
            while line_number < last_line and position >= starts[line_number + 1]:
                yield line_number, tokens
                line_number, tokens = line_number + 1, []
            if piece.strip() and role != "text":
                tokens.append((position - starts[line_number], len(piece), role))
            position += len(piece) + 1
    # Empty lines at the end have no token.
    while line_number <= last_line:
        yield line_number, tokens
        line_number, tokens = line_number + 1, []


def warm_up() -> None:
    """Let the lexer build its tables, which takes longer than a slice may; callable from any thread."""
    list(lex(""))


_finished: OrderedDict[str, list[list[LineToken]]] = OrderedDict()  # newest last


class Highlighter(QObject):
    """Lexes one text after another in the background of the event loop.

    Signals:
        progressed: (first, last + 1) lines whose tokens are ready now.
    """

    progressed = Signal(int, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._lines: list[list[LineToken]] = []
        self._work: Iterator[tuple[int, list[LineToken]]] | None = None
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._slice)

    def set_text(self, text: str) -> None:
        """Forget the text before and begin with `text`; nothing is lexed when its tokens are known."""
        self._timer.stop()
        self._text = text
        lines = _finished.get(text)
        if lines is not None:
            self._lines, self._work = lines, None
            self.progressed.emit(0, len(lines))
            return
        self._lines = []
        self._work = lex(text)
        self._timer.start()

    def tokens(self, line: int) -> list[LineToken]:
        """Tokens of a 0-based line, empty while they are not known."""
        return self._lines[line] if line < len(self._lines) else []

    def stop(self) -> None:
        """Give up the text in work."""
        self._timer.stop()
        self._work = None

    def _slice(self) -> None:
        """Lex lines for `SLICE_SECONDS`; the result of a whole file is kept."""
        first = len(self._lines)
        until = time.perf_counter() + SLICE_SECONDS
        while self._work is not None and time.perf_counter() < until:
            try:
                _line, tokens = next(self._work)
            except StopIteration:
                self.stop()
                _finished[self._text] = self._lines
                while len(_finished) > _CACHED_FILES:
                    _finished.popitem(last=False)
                break
            self._lines.append(tokens)
        self.progressed.emit(first, len(self._lines))
