"""A reply while it is being made: its words, and from a coding agent its thoughts, tool calls and edits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from core.analysis.model_calls import ModelCall
from core.models.pieces import AgentStep, Piece, Thought, joined
from sage_desktop.ui.theme import theme

_KINDS = {
    "edit": "Edit",
    "read": "Read",
    "delete": "Delete",
    "move": "Move",
    "search": "Search",
    "execute": "Run",
    "think": "Think",
    "fetch": "Fetch",
    "other": "Tool",
}
_MARKS = {"completed": ("✓", "success"), "failed": ("✗", "danger")}
_MOST_LINES = 20_000
Key = tuple[str, int, int]  # purpose, round, attempt


def _kind(value: str) -> str:
    return QCoreApplication.translate("AgentSteps", _KINDS.get(value, "Tool"))


class LiveTurns:
    """The replies that models write at this moment, one for each trajectory, as far as they have come.

    They are collected for every operator at work, so that the one in front can be shown at once.
    """

    def __init__(self) -> None:
        self._turns: dict[str, tuple[Key, list[Piece]]] = {}

    def add(self, trajectory: str, key: Key, pieces: Sequence[Piece]) -> bool:
        """Add pieces to the reply `key` of a trajectory, in the place of any other reply of it.

        Returns:
            Whether the reply begins with these pieces.
        """
        earlier: list[Piece] = []
        begins = True
        turn = self._turns.get(trajectory)
        if turn is not None and turn[0] == key:
            _key, earlier = turn
            begins = False
        together = joined([*earlier, *pieces])
        self._turns[trajectory] = (key, list(together))
        return begins

    def of(self, trajectory: str) -> tuple[Key, Sequence[Piece]] | None:
        """The reply that is written for a trajectory, None when there is none."""
        return self._turns.get(trajectory)

    def forget_stored(
        self, trajectory: str, calls: Iterable[ModelCall], *, working: bool
    ) -> None:
        """Forget the reply of a trajectory once it is stored, or nothing writes it any more.

        Args:
            trajectory: Its uid.
            calls: Its stored calls.
            working: Whether its operator is at work.
        """
        turn = self._turns.get(trajectory)
        keys = {(call.purpose, call.round, call.attempt) for call in calls}
        is_stored = turn is not None and turn[0] in keys
        if is_stored or not working:
            self._turns.pop(trajectory, None)


class LiveText(QPlainTextEdit):
    """Shows pieces as they come; a tool call is written again where it stands when it gets further."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setMaximumBlockCount(_MOST_LINES)
        self.setProperty("flat", "true")
        self.setFont(theme().code_font())
        self._pieces: list[Piece] = []
        # Where each tool call begins and ends, by its uid.
        self._steps: dict[str, tuple[QTextCursor, QTextCursor]] = {}
        self._last: type | None = None  # what the text ends with
        theme().changed.connect(self._draw_again)

    def show_pieces(self, pieces: Sequence[Piece]) -> None:
        """Show these and nothing else."""
        self.clear()
        self._pieces, self._steps, self._last = [], {}, None
        self.add(pieces)

    def add(self, pieces: Sequence[Piece]) -> None:
        """Add what came; who has scrolled away from the end stays where they are."""
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2  # lines
        for piece in pieces:
            self._pieces.append(piece)
            if isinstance(piece, AgentStep):
                self._add_step(piece)
            else:
                self._add_words(piece)
        if at_end:
            bar.setValue(bar.maximum())

    def _draw_again(self) -> None:
        """Write everything in the letters and colours of now."""
        self.setFont(theme().code_font())
        self.show_pieces(joined(self._pieces))

    def _end(self) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    def _begin(self, cursor: QTextCursor, kind: type) -> None:
        """Leave an empty line between words, thoughts and tool calls; one call begins on the next line of another."""
        if self._last is not None and (kind is not self._last or kind is AgentStep):
            breaks = 1 if kind is self._last else 2
            cursor.insertText("\n" * max(0, breaks - self._trailing_breaks()))
        # Else the background of a line of an edit would go on behind what follows it.
        cursor.setBlockFormat(QTextBlockFormat())
        self._last = kind

    def _trailing_breaks(self) -> int:
        """How many line breaks the text ends with, counted up to 2."""
        block = self.document().lastBlock()
        breaks = 0
        while breaks < 2 and block.isValid() and not block.text():
            block = block.previous()
            breaks += 1
        return breaks

    def _add_words(self, piece: str | Thought) -> None:
        cursor = self._end()
        self._begin(cursor, type(piece))
        if isinstance(piece, Thought):
            cursor.insertText(piece.text, _look("muted", italic=True))
        else:
            cursor.insertText(piece, _look("text"))

    def _add_step(self, step: AgentStep) -> None:
        """Write a tool call at the end, or over its earlier state."""
        place = self._steps.get(step.uid)
        if place is None:
            cursor = self._end()
            self._begin(cursor, AgentStep)
            first, last = QTextCursor(cursor), QTextCursor(cursor)
            # Else text that is inserted where they stand would move them.
            first.setKeepPositionOnInsert(True)
            last.setKeepPositionOnInsert(True)
            self._steps[step.uid] = first, last
        else:
            first, last = place
            cursor = QTextCursor(self.document())
            cursor.setPosition(first.position())  # its anchor may have moved
            cursor.setPosition(last.position(), QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
        self._write_step(cursor, step)
        last.setPosition(cursor.position())

    def _write_step(self, cursor: QTextCursor, step: AgentStep) -> None:
        """Write how far a tool call is, what it does, and the edit it makes."""
        mark, role = _MARKS.get(step.state, ("…", "accent"))
        cursor.insertText(f"{mark} ", _look(role, bold=True))
        words = f" {step.title}"
        # With files or an edit the head says more than what the agent calls the step.
        if step.places or step.diff:
            words = step.head.removeprefix(step.kind)
        cursor.insertText(_kind(step.kind), _look("text", bold=True))
        cursor.insertText(words, _look("text"))
        for line in step.diff.splitlines():
            self._write_diff_line(cursor, line)

    @staticmethod
    def _write_diff_line(cursor: QTextCursor, line: str) -> None:
        """Write a line of an edit; one added or removed has the colour of that."""
        block = QTextBlockFormat()
        role = "muted"
        color = {"+": "success", "-": "danger"}.get(line[:1])
        if color is not None:
            role = "text"
            strength = 0.16 if theme().dark else 0.1
            block.setBackground(theme().tint(color, strength))
        cursor.insertBlock(block)
        cursor.insertText(line, _look(role))


def _look(role: str, *, bold: bool = False, italic: bool = False) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setForeground(theme().color(role))
    look.setFontWeight(700 if bold else 400)
    look.setFontItalic(italic)
    return look
