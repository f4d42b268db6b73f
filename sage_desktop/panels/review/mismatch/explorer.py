"""Mismatch explorer: the wrong elements of a case, expected beside actual, and the line that wrote them."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from core.evaluation.records import ErrorStatistics, Evaluation
from core.trace.columns import Place
from core.trace.mismatch import MOST_ELEMENTS, Mismatch
from sage_desktop.panels.review.mismatch.image import MismatchImage
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import fit_to_screen, heading, muted
from sage_desktop.ui.widgets.making import named, push
from sage_desktop.ui.widgets.stacking import boxed, hbox, split, vbox
from sage_desktop.ui.widgets.tables import align_numbers, make_reading_table
from sage_desktop.ui.widgets.writing import RIGHT

_MOST_CORES = 4  # that are named one by one
_PLACE = Qt.ItemDataRole.UserRole


class MismatchExplorer(QDialog):
    """Stays open beside the window; the kernel can be read meanwhile.

    Signals:
        line_wanted: (round, path, line from 1) of the newer version.
        writers_wanted: Name of the case whose launch is to be traced.
    """

    line_wanted = Signal(int, str, int)
    writers_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Mismatch Explorer"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._round = 0
        self._entries: list[tuple[str, ErrorStatistics]] = []
        self._shown: Mismatch | None = None
        self.chooser = ComboBox(self.tr("Case and output"))
        self.chooser.currentIndexChanged.connect(self._show)
        self.image = named(MismatchImage(), self.tr("Elements of the output"))
        self.image.element_chosen.connect(self._describe)
        self.image.hovered.connect(self._hover)
        self.image.opened.connect(self._open)
        self.words = QLabel()
        self.under_mouse = muted(small=True)
        self.status = muted(small=True)
        for label in (self.words, self.under_mouse, self.status):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.elements = self._table()
        self.lines = QListWidget()
        self.lines.setAccessibleName(self.tr("Lines that wrote wrong elements"))
        self.lines.setWordWrap(True)
        self.lines.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for signal in (self.lines.itemActivated, self.lines.itemClicked):
            signal.connect(self._go_to_line)
        self.who = push(
            self.tr("&Find the Line That Wrote It"),
            self._ask_for_writers,
            tip=self.tr(
                "Runs the case once more on the CPU twin and notes which core and line wrote each element"
            ),
        )
        self.who.setAutoDefault(False)
        self._lay_out()

    def _table(self) -> QTableWidget:
        """Expected beside actual: no digit may be cut off, so each has a column."""
        table = named(QTableWidget(0, 3), self.tr("Wrong elements"))
        table.setHorizontalHeaderLabels(
            [self.tr("Element"), self.tr("Expected"), self.tr("Actual")]
        )
        table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        make_reading_table(table).setStretchLastSection(True)
        table.verticalHeader().setDefaultSectionSize(theme().px(1.6))
        align_numbers(table, 1)
        table.currentCellChanged.connect(self._picked)
        table.itemActivated.connect(
            lambda item: self._open(self._element_of(item.row()))
        )
        return table

    def _lay_out(self) -> None:
        side = boxed(
            vbox(
                heading(self.tr("Wrong elements")),
                (self.elements, 2),
                heading(self.tr("Lines that wrote them")),
                (self.lines, 1),
                self.who,
                self.status,
                margins=(0.6, 0, 0, 0),
            )
        )
        halves = split(
            Qt.Orientation.Horizontal, self.image, side, sizes=(46, 26), stretch=(1, 0)
        )
        keys = muted(
            self.tr(
                "Red is wrong. Wheel, + and \N{MINUS SIGN} zoom, dragging pans, Home shows all; arrow keys "
                "choose an element, full stop and comma the next and previous wrong run, Enter its line."
            ),
            small=True,
        )
        keys.setWordWrap(True)
        vbox(
            hbox((self.chooser, 1)),
            (halves, 1),
            self.words,
            self.under_mouse,
            keys,
            owner=self,
        )
        fit_to_screen(self, 72, 44)

    def show_evaluation(
        self, number: int, evaluation: Evaluation | None, case: str = ""
    ) -> None:
        """Offer the wrong outputs of the visible cases of round `number`, that of `case` first."""
        self._round = number
        cases = evaluation.cases if evaluation is not None else ()
        self._entries = [
            (entry.case, statistics)
            for entry in cases
            for statistics in entry.statistics
            if statistics.map is not None and not entry.hidden
        ]
        names = [name for name, _statistics in self._entries]
        unnamed = self.tr("output")
        with QSignalBlocker(self.chooser):
            self.chooser.clear()
            for name, statistics in self._entries:
                self.chooser.addItem(f"{name} · {statistics.output or unnamed}")
        if case in names:
            self.chooser.setCurrentIndex(names.index(case))
        else:
            self.chooser.setCurrentIndex(0 if names else -1)
        self._show()

    @property
    def case(self) -> str:
        """Name of the case in front, empty when there is none."""
        number = self.chooser.currentIndex()
        if not 0 <= number < len(self._entries):
            return ""
        name, _statistics = self._entries[number]
        return name

    def _show(self) -> None:
        number = self.chooser.currentIndex()
        self.lines.clear()
        self.status.clear()
        self.under_mouse.clear()
        self._shown = None
        if 0 <= number < len(self._entries):
            _name, statistics = self._entries[number]
            if statistics.map is not None:
                self._shown = Mismatch(statistics.map, statistics.output)
        self._fill_elements()
        self.image.show_mismatch(self._shown)
        mismatch = self._shown
        self.who.setEnabled(False)
        if mismatch is None:
            words = self.tr("No visible case of this round has wrong elements.")
            self.words.setText(words)
        elif not mismatch.drawn.width:
            words = self.tr(
                "Evaluated by an earlier release, which kept no single elements: run the round again."
            )
            self.status.setText(words)
        elif mismatch.elements > MOST_ELEMENTS:
            self.status.setText(self.tr("Too large to note who wrote each element."))
        else:
            self.who.setEnabled(True)

    def _fill_elements(self) -> None:
        """List the single wrong elements the judge kept."""
        table = self.elements
        mismatch = self._shown
        with QSignalBlocker(table):
            table.setRowCount(0)  # the row chosen in another output is none of this one
            if mismatch is None:
                return
            elements = mismatch.drawn.elements
            table.setRowCount(len(elements))
            for row, element in enumerate(elements):
                place = mismatch.index_text(element.index)
                texts = (place, element.expected, element.actual)
                for column, text in enumerate(texts):
                    cell = QTableWidgetItem(text)
                    if column:
                        cell.setTextAlignment(RIGHT)
                    table.setItem(row, column, cell)

    def _element_of(self, row: int) -> int:
        """Flat index of the element a row of the table tells of."""
        assert self._shown is not None
        return self._shown.drawn.elements[row].index

    def _element_text(self, element: int) -> str:
        """Place, both values and who wrote it, as far as they are known."""
        mismatch = self._shown
        assert mismatch is not None
        values = mismatch.values.get(element)
        wrong = mismatch.is_wrong(element)  # None where only the map's share is known
        place = mismatch.index_text(element)
        if values is not None:
            words = self.tr("{0}: expected {1}, got {2}").format(
                place, values.expected, values.actual
            )
        elif wrong is None:
            share = self.tr(
                "{0}: not told by itself; around it up to {1:.0%} are wrong"
            )
            words = share.format(place, mismatch.share(element))
        elif wrong:
            words = self.tr("{0}: wrong; its values were not kept").format(place)
        else:
            words = self.tr("{0}: right").format(place)
        writer = mismatch.writer(element)
        if writer is not None:
            cores = mismatch.cores_of(element)
            words += self.tr(" \N{EM DASH} written by {0}, {1}").format(*writer)
            if cores > 1:
                words += self.tr("; {0} cores wrote it").format(cores)
        elif mismatch.owners is not None:
            words += self.tr(" \N{EM DASH} no copy wrote it")
        return words

    def _describe(self, element: int) -> None:
        """Say what is known of the element chosen."""
        if self._shown is None:
            return
        words = self._element_text(element)
        self.words.setText(words)
        self.image.setAccessibleDescription(words)

    def _hover(self, element: int) -> None:
        if element < 0 or self._shown is None:
            self.under_mouse.clear()
            return
        words = self.tr("Under the mouse: {0}")
        self.under_mouse.setText(words.format(self._element_text(element)))

    def _picked(self, row: int) -> None:
        if row >= 0:
            self.image.choose(self._element_of(row))

    def _open(self, element: int) -> None:
        """Go to the line that wrote an element; ask for the writers where they are not known yet."""
        if self._shown is None:
            return
        writer = self._shown.writer(element)
        if writer is not None:
            _core, place = writer
            self.line_wanted.emit(self._round, place.file, place.line)
        elif self._shown.owners is None and self.who.isEnabled():
            self._ask_for_writers()

    def _add_line(self, words: str, place: Place | None) -> None:
        item = QListWidgetItem(words)
        item.setData(_PLACE, place)
        self.lines.addItem(item)

    def _go_to_line(self, item: QListWidgetItem) -> None:
        place = item.data(_PLACE)
        if place is not None:
            self.line_wanted.emit(self._round, place.file, place.line)

    def _ask_for_writers(self) -> None:
        self.who.setEnabled(False)
        words = self.tr("Running the case once more\N{HORIZONTAL ELLIPSIS}")
        self.status.setText(words)
        self.writers_wanted.emit(self.case)

    def show_progress(self, words: str) -> None:
        """Tell what is being done, or why nothing came of it."""
        self.status.setText(words)

    def refuse(self, words: str) -> None:
        """Tell why the writers are not known; they can be asked for again."""
        self.status.setText(words)
        self.who.setEnabled(self._shown is not None)

    @property
    def mismatch(self) -> Mismatch | None:
        """The output in front."""
        return self._shown

    def show_writers(self, mismatch: Mismatch) -> None:
        """Show who wrote what, which `mismatch` knows by now; nothing where another output is in front."""
        if mismatch is not self._shown:
            return
        self.who.setEnabled(False)
        self.lines.clear()
        for blamed in mismatch.blamed:
            cores = ", ".join(blamed.cores[:_MOST_CORES])
            if len(blamed.cores) > _MOST_CORES:
                cores = self.tr("{0} cores").format(len(blamed.cores))
            words = self.tr("{0}: {1:,} wrong elements, by {2}").format(
                blamed.place, blamed.wrong, cores
            )
            self._add_line(words, blamed.place)
        missing, before = mismatch.never_written, mismatch.written_before
        if missing and before is not None:
            words = self.tr(
                "{0:,} wrong elements that no copy wrote; {1} wrote up to there"
            )
            self._add_line(words.format(missing, before), before)
        elif missing:
            self._add_line(
                self.tr("{0:,} wrong elements that no copy wrote").format(missing), None
            )
        if mismatch.shared:
            words = self.tr(
                "{0:,} of the wrong elements were written by more than one core"
            )
            self._add_line(words.format(mismatch.shared), None)
        if not mismatch.drawn.complete:
            self.status.setText(
                self.tr("Counted over the first {0} runs of wrong elements.").format(
                    len(mismatch.starts)
                )
            )
        else:
            self.status.setText(
                self.tr("From one more run of the case on the CPU twin.")
            )
        self.image.redraw()
        self._describe(self.image.element)
