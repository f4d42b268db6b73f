"""A small editor for C++: colours, line numbers, completion of names as they are typed, and search."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import (
    QObject,
    QRect,
    QSize,
    QStringListModel,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QCompleter, QListView, QPlainTextEdit, QTextEdit, QWidget

from sage_desktop.ui.diff.cells import utf16_offset
from sage_desktop.ui.diff.highlight import SLICE_SECONDS, Highlighter
from sage_desktop.ui.diff.search import FindBar, FindState, Query, finder
from sage_desktop.ui.theme import restyle_later, theme

_LEAST_TYPED = 3  # characters before names are offered by themselves
_LEX_AFTER_MS = 120
_SHOWN = 9  # names at a time
_TAB = "    "
_SIDEWAYS = (Qt.Key.Key_Left, Qt.Key.Key_Right)
_KEYS_OF_LIST = (
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
    Qt.Key.Key_Tab,
    Qt.Key.Key_Escape,
    Qt.Key.Key_Backtab,
)
_MOST_MARKED = 2000  # hits


class _Colours(QSyntaxHighlighter):
    """Colours the lines that are lexed; the others wait."""

    def __init__(self, editor: CodeEditor) -> None:
        # Not the document's child: that is exchanged, and deletes its own.
        super().__init__(editor)
        self.setDocument(editor.document())
        self._lexer = Highlighter(self)
        self._lexer.progressed.connect(self._colour)
        self._timer = QTimer(self, singleShot=True, interval=_LEX_AFTER_MS)
        self._timer.timeout.connect(self._lex)
        self._lexed_text: str | None = None
        # Lines that are lexed and not yet coloured: the first, and the one after the last.
        self._uncoloured = 0, 0
        self._portions = QTimer(self, interval=0)
        self._portions.timeout.connect(self._colour_portion)

    def lex_soon(self) -> None:
        """The text changed, or only its colours: Qt reports both alike."""
        self._timer.start()

    def exchange_document(self, document: QTextDocument) -> None:
        """Colour another document from its beginning."""
        self._lexed_text = None
        self.setDocument(document)
        self.lex_soon()

    def _lex(self) -> None:
        text = self.document().toPlainText()
        # Colouring reports a change as well; lexing again would never end.
        if text != self._lexed_text:
            self._lexed_text = text
            self._lexer.set_text(text)

    def highlightBlock(self, text: str) -> None:
        line = self.currentBlock().blockNumber()
        for start, length, role in self._lexer.tokens(line):
            # The line may have become shorter since it was lexed.
            if start < len(text):
                shade = QTextCharFormat()
                shade.setForeground(theme().syntax(role))
                self.setFormat(start, length, shade)

    def _colour(self, first: int, end: int) -> None:
        """Colour the lines from `first` to before `end`, which were lexed."""
        if self._portions.isActive():
            waiting, _end = self._uncoloured
            first = min(first, waiting)
        self._uncoloured = first, end
        self._portions.start()

    def _colour_portion(self) -> None:
        """Colour as many lines as a slice has time for: the window never waits."""
        first, end = self._uncoloured
        until = time.perf_counter() + SLICE_SECONDS
        block = self.document().findBlockByNumber(first)
        while block.isValid() and first < end and time.perf_counter() < until:
            self.rehighlightBlock(block)
            block, first = block.next(), first + 1
        self._uncoloured = first, end
        if first >= end or not block.isValid():
            self._portions.stop()


class _Numbers(QWidget):
    """The line numbers beside the text."""

    def __init__(self, editor: CodeEditor) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:
        return QSize(self._editor.number_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._editor.paint_numbers(self, event.rect())


class CodeEditor(QPlainTextEdit):
    """Edits one text.

    Signals:
        looked_up: F1 was pressed on this word.
        offered: The signature of the name under the cursor of the list of names; empty when it closes.
    """

    looked_up = Signal(str)
    offered = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._signatures: Mapping[str, str] = {}
        self._hits: tuple[tuple[int, int], ...] = ()
        # At lines that tools complain of; they move with the text.
        self._faults: tuple[QTextCursor, ...] = ()
        self._names = QStringListModel(self)
        self.completer = QCompleter(self._names, self)
        self.completer.setWidget(self)
        self.completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.completer.setMaxVisibleItems(_SHOWN)
        self._list = QListView(self)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.completer.setPopup(self._list)
        self.completer.activated.connect(self._insert)
        self.completer.highlighted.connect(
            lambda name: self.offered.emit(self._signatures.get(name, ""))
        )
        self._colours = _Colours(self)
        self._numbers = _Numbers(self)
        self.textChanged.connect(self._colours.lex_soon)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._scroll_numbers)
        self.cursorPositionChanged.connect(self._mark_line)
        restyle_later(self, self._restyle)
        self._restyle()

    def set_names(self, signatures: Mapping[str, str]) -> None:
        """Offer these names, in this order; name -> its signature."""
        self._signatures = signatures
        self._names.setStringList(list(signatures))

    def take_document(self) -> None:
        """The text was exchanged by `setDocument`: colour and measure the new one."""
        self._colours.exchange_document(self.document())
        self._restyle()

    def word(self) -> str:
        """The name the cursor is in or right behind."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor.selectedText()

    def go_to(self, line: int) -> None:
        """Put the cursor at the beginning of a line, from 1, in the middle of the view."""
        block = self.document().findBlockByNumber(max(0, line - 1))
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()
            self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, typed = event.key(), event.text()
        if self._list.isVisible() and key in _KEYS_OF_LIST:
            event.ignore()  # the list takes them
            return
        if key == Qt.Key.Key_F1:
            self.looked_up.emit(self.word())
            return
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        completes = key == Qt.Key.Key_Space and control
        if not completes and not self._edited_by(event):
            super().keyPressEvent(event)
        if completes:
            self._offer(least=1)
        elif typed and (typed.isalnum() or typed == "_"):
            self._offer(least=_LEAST_TYPED)
        elif self._list.isVisible() and (typed or key in _SIDEWAYS):
            self._close_list()

    def _edited_by(self, event: QKeyEvent) -> bool:
        """Indent by Tab, and a new line like the one before; whether the key was one of these."""
        key, plain = event.key(), not event.modifiers()
        if key == Qt.Key.Key_Backtab:
            self._indent(back=True)
        elif key == Qt.Key.Key_Tab and self._spans_lines():
            self._indent(back=False)
        elif key == Qt.Key.Key_Tab and plain:
            self.insertPlainText(_TAB)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain:
            line = self.textCursor().block().text()
            indent = line[: len(line) - len(line.lstrip())]
            self.insertPlainText("\n" + indent)
        else:
            return False
        return True

    def _spans_lines(self) -> bool:
        return "\u2029" in self.textCursor().selectedText()  # Qt's end of a line

    def _indent(self, *, back: bool) -> None:
        """Move the lines of the selection, or that of the cursor, by one step."""
        cursor = self.textCursor()
        document = self.document()
        start = cursor.selectionStart()
        # A selection that ends at the begin of a line does not mean that line.
        end = max(start, cursor.selectionEnd() - 1)
        first = document.findBlock(start).blockNumber()
        last = document.findBlock(end).blockNumber()
        cursor.beginEditBlock()
        for number in range(first, last + 1):
            block = document.findBlockByNumber(number)
            text = block.text()
            edit = QTextCursor(block)
            if back:
                blanks = len(text) - len(text.lstrip(" "))
                edit.movePosition(
                    QTextCursor.MoveOperation.Right,
                    QTextCursor.MoveMode.KeepAnchor,
                    min(len(_TAB), blanks),
                )
                edit.removeSelectedText()
            elif text:
                edit.insertText(_TAB)
        cursor.endEditBlock()

    def show_hits(self, hits: Sequence[tuple[int, int]]) -> None:
        """Mark these places, each from its first character to the one behind its last."""
        self._hits = tuple(hits[:_MOST_MARKED])
        self._mark_line()

    def show_faults(self, places: Iterable[tuple[QTextDocument, int]]) -> None:
        """Mark lines, from 1, of the documents that come to the front."""
        # A line that several tools complain of is marked once.
        distinct = dict.fromkeys(places)
        blocks = [document.findBlockByNumber(line - 1) for document, line in distinct]
        self._faults = tuple(QTextCursor(block) for block in blocks if block.isValid())
        self._mark_line()

    @property
    def fault_lines(self) -> frozenset[int]:
        """The lines marked in the document in front, from 1."""
        document = self.document()
        return frozenset(
            fault.blockNumber() + 1
            for fault in self._faults
            if fault.document() is document
        )

    def _typed(self) -> str:
        """The beginning of a name before the cursor."""
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        return re.split(r"\W", before)[-1]

    def _offer(self, least: int) -> None:
        """Offer names that begin with what is typed, from `least` characters on."""
        typed = self._typed()
        completer = self.completer
        completer.setCompletionPrefix(typed)
        if len(typed) < least or typed[:1].isdigit() or not self._has_more(typed):
            self._close_list()
            return
        names = self._list
        names.setFont(self.font())
        scroll_bar = names.verticalScrollBar().sizeHint().width()
        width = names.sizeHintForColumn(0) + scroll_bar + theme().px(2)
        place = self.cursorRect()
        place.setWidth(width)
        place.translate(self._numbers.width(), 0)
        completer.complete(place)
        names.setCurrentIndex(completer.completionModel().index(0, 0))

    def _has_more(self, typed: str) -> bool:
        """Whether there is a name that begins with what is typed, other than just that."""
        count = self.completer.completionCount()
        is_whole = count == 1 and self.completer.currentCompletion() == typed
        return count > 0 and not is_whole

    def _close_list(self) -> None:
        self._list.hide()
        self.offered.emit("")

    def _insert(self, name: str) -> None:
        cursor = self.textCursor()
        cursor.movePosition(
            QTextCursor.MoveOperation.Left,
            QTextCursor.MoveMode.KeepAnchor,
            len(self._typed()),
        )
        cursor.insertText(name)
        self.offered.emit(self._signatures.get(name, ""))

    # ---- line numbers

    def number_width(self) -> int:
        """Room for the highest number."""
        digits = max(3, len(str(self.blockCount())))
        digit_width = self.fontMetrics().horizontalAdvance("0")
        return digits * digit_width + theme().px(0.9)

    def paint_numbers(self, margin: QWidget, part: QRect) -> None:
        """Draw the numbers of the lines in `part` of the margin."""
        look = theme()
        painter = QPainter(margin)
        painter.fillRect(part, look.color("window"))
        painter.setFont(self.font())
        current = self.textCursor().blockNumber()
        faults = self.fault_lines
        width = margin.width() - look.px(0.4)
        block = self.firstVisibleBlock()
        geometry = self.blockBoundingGeometry(block).translated(self.contentOffset())
        top = geometry.top()
        while block.isValid() and top <= part.bottom():
            height = self.blockBoundingRect(block).height()
            if block.isVisible() and top + height >= part.top():
                line = block.blockNumber()
                role = "text" if line == current else "muted"
                if line + 1 in faults:
                    role = "danger"
                painter.setPen(look.color(role))
                area = QRect(0, round(top), width, round(height))
                painter.drawText(area, Qt.AlignmentFlag.AlignRight, str(line + 1))
            block, top = block.next(), top + height
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        margin = self.contentsRect()
        margin.setWidth(self.number_width())
        self._numbers.setGeometry(margin)

    def _make_room(self) -> None:
        self.setViewportMargins(self.number_width(), 0, 0, 0)

    def _scroll_numbers(self, part: QRect, by: int) -> None:
        if by:
            self._numbers.scroll(0, by)
        else:
            self._numbers.update(0, part.y(), self._numbers.width(), part.height())

    def _mark_line(self) -> None:
        """Mark the line of the cursor, those with faults, and the hits of a search."""
        document = self.document()
        lines = [
            _line_mark(fault, "danger")
            for fault in self._faults
            if fault.document() is document
        ]
        lines.append(_line_mark(self.textCursor(), "accent"))
        # Hits may lie behind the end where text was deleted or exchanged.
        end = self.document().characterCount()
        hits = [
            self._hit_mark(first, behind)
            for first, behind in self._hits
            if behind < end
        ]
        self.setExtraSelections([*lines, *hits])
        self._numbers.update()

    def _hit_mark(self, first: int, behind: int) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        mark.format.setBackground(theme().color("warning", 0.3))
        mark.cursor = QTextCursor(self.document())
        mark.cursor.setPosition(first)
        mark.cursor.setPosition(behind, QTextCursor.MoveMode.KeepAnchor)
        return mark

    def _restyle(self) -> None:
        theme().letter(self, "code")
        self.document().setDefaultFont(theme().code_font())  # it has one of its own
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(_TAB))
        self._make_room()
        self._mark_line()
        self._colours.rehighlight()


def _line_mark(cursor: QTextCursor, role: str) -> QTextEdit.ExtraSelection:
    """The whole line of a cursor in a pale colour."""
    mark = QTextEdit.ExtraSelection()
    mark.format.setBackground(theme().color(role, 0.09))
    mark.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)  # noqa: FBT003
    mark.cursor = QTextCursor(cursor)
    mark.cursor.clearSelection()
    return mark


class EditorSearch(QObject):
    """Searches the text in front with the bar of the comparison: marks the hits, walks through them.

    Args:
        bar: Where words are typed.
        editor: Where they are looked for.
    """

    def __init__(self, bar: FindBar, editor: CodeEditor) -> None:
        super().__init__(bar)
        self._bar = bar
        self._editor = editor
        self._hits: list[tuple[int, int]] = []  # first character and the one behind
        bar.hide()
        bar.asked.connect(self._search)
        bar.stepped.connect(self.step)
        bar.closed.connect(self._close)

    def open(self) -> None:
        """Show the bar with the selected words in it."""
        words = self._editor.textCursor().selectedText()
        self._bar.open_bar("" if "\u2029" in words else words)  # Qt's end of a line

    def again(self) -> None:
        """Search the text that came to the front."""
        if self._bar.isVisible():
            self._mark(self._bar.query)

    @Slot(object)
    def _search(self, query: Query) -> None:
        """Search for something else and go to the first hit behind the cursor."""
        self._mark(query)
        if self._hits:
            self._go(self._hit_from(self._editor.textCursor().selectionStart()))

    def _hit_from(self, position: int) -> int:
        """Number of the first hit at or behind a position, around the end."""
        for number, (first, _behind) in enumerate(self._hits):
            if first >= position:
                return number
        return 0

    def _hit_before(self, position: int) -> int:
        """Number of the last hit that ends at or before a position, around the begin."""
        last = len(self._hits) - 1
        for number in range(last, -1, -1):
            _first, behind = self._hits[number]
            if behind <= position:
                return number
        return last

    def _mark(self, query: Query) -> None:
        """Mark the places of what is searched for; they are counted by the bar."""
        find, error = finder(query)
        self._hits = []
        block = self._editor.document().firstBlock()
        while block.isValid() and query.text and not error:
            start, text = block.position(), block.text()
            for span in find(text):
                # Qt counts UTF-16 units, Python characters.
                first = start + utf16_offset(text, span.start)
                behind = start + utf16_offset(text, span.end)
                self._hits.append((first, behind))
            block = block.next()
        self._editor.show_hits(self._hits)
        self._bar.show_state(FindState(0, len(self._hits), error))

    def step(self, by: int) -> None:
        """Go to the next hit (1) or the one before (-1), around the end."""
        self._mark(self._bar.query)  # the text may be another one by now
        if not self._hits:
            return
        cursor = self._editor.textCursor()
        if by > 0:
            self._go(self._hit_from(cursor.selectionEnd()))
        else:
            self._go(self._hit_before(cursor.selectionStart()))

    def _go(self, number: int) -> None:
        first, behind = self._hits[number]
        cursor = self._editor.textCursor()
        cursor.setPosition(first)
        cursor.setPosition(behind, QTextCursor.MoveMode.KeepAnchor)
        self._editor.setTextCursor(cursor)
        self._editor.centerCursor()
        self._bar.show_state(FindState(number + 1, len(self._hits)))

    def _close(self) -> None:
        self._hits = []
        self._editor.show_hits(())
        self._editor.setFocus()
