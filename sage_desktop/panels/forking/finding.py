"""Finding words in the editor of a kernel, with the bar of the comparison."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QTextCursor

from sage_desktop.panels.forking.editor import CodeEditor
from sage_desktop.ui.diff.cells import utf16_offset
from sage_desktop.ui.diff.search import FindBar, FindState, Query, finder


class Finding(QObject):
    """Looks in the text in front, marks what is found, and walks through it.

    Args:
        bar: Where words are typed.
        editor: Where they are looked for.
    """

    def __init__(self, bar: FindBar, editor: CodeEditor) -> None:
        super().__init__(bar)
        self._bar, self._editor = bar, editor
        self._hits: list[tuple[int, int]] = []  # first character and the one behind
        bar.hide()
        bar.asked.connect(self._look)
        bar.stepped.connect(self.step)
        bar.closed.connect(self._close)

    def open(self) -> None:
        """Show the bar; what is selected is looked for."""
        words = self._editor.textCursor().selectedText()
        self._bar.open_bar("" if "\u2029" in words else words)  # Qt's end of a line

    def again(self) -> None:
        """The text in front is another one."""
        if self._bar.isVisible():
            self._find(self._bar.query)

    @Slot(object)
    def _look(self, query: Query) -> None:
        """Look for something else; the first place from the cursor on is gone to."""
        self._find(query)
        if self._hits:
            at = self._editor.textCursor().selectionStart()
            self._go(next((n for n, hit in enumerate(self._hits) if hit[0] >= at), 0))

    def _find(self, query: Query) -> None:
        find, error = finder(query)
        self._hits = []
        block = self._editor.document().firstBlock()
        while block.isValid() and query.text and not error:
            start, text = block.position(), block.text()
            for span in find(text):
                first, behind = (
                    utf16_offset(text, span.start),
                    utf16_offset(text, span.end),
                )
                self._hits.append((start + first, start + behind))
            block = block.next()
        self._editor.show_found(self._hits)
        self._bar.show_state(FindState(0, len(self._hits), error))

    def step(self, by: int) -> None:
        """Go to the next place, or the one before; around the end."""
        self._find(self._bar.query)  # the text may be another one by now
        if not self._hits:
            return
        cursor = self._editor.textCursor()
        if by > 0:
            at = cursor.selectionEnd()
            self._go(next((n for n, hit in enumerate(self._hits) if hit[0] >= at), 0))
        else:
            at = cursor.selectionStart()
            before = [n for n, hit in enumerate(self._hits) if hit[1] <= at]
            self._go(before[-1] if before else len(self._hits) - 1)

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
        self._editor.show_found(())
        self._editor.setFocus()
