"""Beside the code: everything known about the newer version, in five tabs."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QContextMenuEvent, QIcon, QImage
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QPlainTextEdit,
    QTableWidget,
    QTableWidgetItem,
    QTextBrowser,
    QWidget,
)

from core.analysis.reviews import Decision, Review
from core.evaluation.records import CaseResult, ErrorStatistics, Evaluation
from sage_desktop.panels.review.adoption import AdoptionList
from sage_desktop.panels.review.findings import FindingsPage, Message
from sage_desktop.panels.review.mismatch.map import MismatchView
from sage_desktop.panels.review.versions import VersionPair
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.typed import present
from sage_desktop.ui.widgets.drawer import Drawer
from sage_desktop.ui.widgets.eliding_label import wrapped
from sage_desktop.ui.widgets.form import heading, muted
from sage_desktop.ui.widgets.making import draw, named, on_base, push
from sage_desktop.ui.widgets.pages import scrolled
from sage_desktop.ui.widgets.stacking import hbox, split, vbox
from sage_desktop.ui.widgets.tables import make_reading_table
from sage_desktop.ui.widgets.verdicts import StatusStyle, latency_text, small_number
from sage_desktop.ui.widgets.writing import RIGHT

_DECISION_LOOKS = {
    Decision.OPEN: StatusStyle("help", "muted", "Not decided"),
    Decision.ACCEPTED: StatusStyle("done", "success", "Accepted"),
    Decision.REJECTED: StatusStyle("failed", "danger", "Rejected"),
}
_CASE = Qt.ItemDataRole.UserRole  # of a first cell: the name of its case
_CASE_LOOKS = {
    "pass": ("done", "success"),
    "wrong-result": ("failed", "danger"),
    "wrong-shape": ("failed", "danger"),
    "wrong-dtype": ("failed", "danger"),
    "run-error": ("error", "danger"),
    "skipped": ("cancelled", "muted"),
}
# By which a person reads on in a tab.
_READING_EVENTS = (
    QEvent.Type.MouseButtonPress,
    QEvent.Type.Wheel,
    QEvent.Type.KeyPress,
)


class Details(Drawer):
    """Adoption, messages, cases with the map of errors, diagnosis, notes of a reviewer.

    Args:
        actions: The commands.

    Signals:
        read: The user opened a tab, or clicked, scrolled or pressed a key in one.
    """

    read = Signal()

    def __init__(self, actions: ActionRegistry) -> None:
        super().__init__(theme().px(20))
        self.adoptions = AdoptionList()
        self.findings = FindingsPage()
        self.messages = self.findings.list
        self.cases = CaseTable()
        self.mismatch = MismatchView(actions)
        self.diagnosis = DiagnosisView()
        self.notes = NotesView()
        self._picture = scrolled(self.mismatch)
        vertical = Qt.Orientation.Vertical
        cases = split(vertical, self.cases, self._picture, stretch=(0, 1))
        self.addTab(self.adoptions, self.tr("Adoption"))
        self.addTab(self.findings, self.tr("Messages"))
        self.addTab(cases, self.tr("Cases"))
        self.addTab(self.diagnosis, self.tr("Diagnosis"))
        self.addTab(scrolled(self.notes), self.tr("Notes"))
        self.setMinimumHeight(theme().px(12))  # taller tabs scroll in a low window
        self.currentChanged.connect(self.read)
        # behind the drawer's own answer to the click
        self.tabBar().tabBarClicked.connect(self._tell_clicked)

    def show_pair(
        self, pair: VersionPair, messages: tuple[Message, ...], *, writable: bool
    ) -> None:
        """Show what is known about the newer version of `pair`.

        Args:
            pair: The versions compared.
            messages: Of compilers, checks and tools.
            writable: Whether notes can be stored.
        """
        newer = pair.newer
        self.adoptions.show_records(
            pair.adoptions,
            pair.residents,
            pinned=newer.retrieval_pinned,
            here=newer.retrieved_here,
            stated=newer.residents_stated != 0,
            hunks=pair.hunks,
            doubts=pair.doubts,
        )
        self.messages.show_messages(messages)
        self.cases.show_cases(pair.evaluation)
        self.mismatch.show_evaluation(newer.round, pair.evaluation)
        # without a picture the table has its room
        self._picture.setVisible(bool(self.mismatch.count))
        cause = translated(newer.cause)
        self.diagnosis.show_round(newer.diagnosis, newer.query, cause=cause)
        self.notes.show_reviews(newer.candidate, pair.reviews, writable=writable)
        self._name_tabs(pair, messages)
        for widget in self._pages.findChildren(QWidget):  # new cards among them
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What a person does anywhere in a tab is reading; a click in a label ends there."""
        if event.type() in _READING_EVENTS:
            self.read.emit()
        return super().eventFilter(watched, event)

    def _tell_clicked(self, number: int) -> None:
        if number >= 0 and self.open_:
            self.read.emit()

    def show_nothing(self) -> None:
        """Be about no version: an open explorer shows none either."""
        self.mismatch.show_evaluation(0, None)

    def _name_tabs(self, pair: VersionPair, messages: tuple[Message, ...]) -> None:
        """Put the number of entries behind the names of the tabs, and the decision."""
        adopted = sum(row.state == "adopted" for row in pair.adoptions)
        # A diagnostic as a whole is not one of its findings.
        reported = sum(message.answer is None for message in messages)
        adoptions = f" {adopted}/{len(pair.adoptions)}" if pair.adoptions else ""
        findings = f" {reported}" if reported else ""
        cases = f" {len(pair.evaluation.cases)}" if pair.evaluation else ""
        self.name(0, self.tr("Adoption") + adoptions)
        self.name(1, self.tr("Messages") + findings)
        self.name(2, self.tr("Cases") + cases)
        look = _DECISION_LOOKS[self.notes.decision]
        decided = self.notes.decision is not Decision.OPEN
        sign = icon(look.icon, look.role) if decided else QIcon()
        self.setTabIcon(self.count() - 1, sign)


class _Number(QTableWidgetItem):
    """A cell that is sorted by its number, not by the text; without one it stands last."""

    def __init__(self, text: str, value: float | None) -> None:
        super().__init__(text)
        self.setTextAlignment(RIGHT)
        self._value = float("-inf") if value is None else value

    def __lt__(self, other: QTableWidgetItem) -> bool:
        return self._value < other._value if isinstance(other, _Number) else False


class CaseTable(QTableWidget):
    """One row a test case: status, latency, dtype, errors; a click on a head sorts.

    Signals:
        picked: Name of the case clicked.
        opened: Name of the case double-clicked, or on which Enter was pressed.
    """

    picked = Signal(str)
    opened = Signal(str)

    def __init__(self) -> None:
        super().__init__(0, 6)
        self.setHorizontalHeaderLabels(
            [
                self.tr("Case"),
                self.tr("Latency"),
                self.tr("dtype"),
                self.tr("max abs"),
                self.tr("max rel"),
                self.tr("ulp"),
            ]
        )
        for column in (1, 3, 4, 5):
            present(self.horizontalHeaderItem(column)).setTextAlignment(RIGHT)
        self.itemClicked.connect(lambda cell: self.picked.emit(self._name(cell)))
        self.itemActivated.connect(lambda cell: self.opened.emit(self._name(cell)))
        self._cases: dict[str, CaseResult] = {}
        self.setAccessibleName(self.tr("Results of the test cases"))
        # names are whole; what has no room is scrolled to
        header = make_reading_table(self)
        header.setStretchLastSection(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)  # as they were run
        self.setSortingEnabled(True)

    def _name(self, cell: QTableWidgetItem) -> str:
        return self._name_in(cell.row())

    def _name_in(self, row: int) -> str:
        return str(present(self.item(row, 0)).data(_CASE))

    def show_cases(self, evaluation: Evaluation | None) -> None:
        """List the cases of `evaluation`; the case in front stays in front where it is among them.

        Hidden cases show their status only.
        """
        cases = evaluation.cases if evaluation is not None else ()
        self._cases = {case.case: case for case in cases}
        row_before = self.currentRow()
        front = self._name_in(row_before) if row_before >= 0 else ""
        self.setSortingEnabled(False)  # rows would move while they are filled
        self.setRowCount(len(cases))
        self.verticalHeader().setDefaultSectionSize(theme().px(1.7))
        for number, case in enumerate(cases):
            self._fill_row(number, case)
        self.setSortingEnabled(True)
        names = [self._name_in(row) for row in range(len(cases))]
        row_now = names.index(front) if front in names else -1
        self.setCurrentCell(row_now, 0)

    def _fill_row(self, number: int, case: CaseResult) -> None:
        name = case.case
        if case.hidden and "hidden" not in name:
            name = self.tr("{0} (hidden)").format(name)
        latency = case.latency.value if case.latency is not None else None
        first = QTableWidgetItem(name)
        cells = [
            first,
            _Number("" if latency is None else latency_text(latency), latency),
            QTableWidgetItem(case.dtype),
            *_error_cells(worst_of(case)),
        ]
        outcome = translated(case.status)
        if case.detail:
            outcome = f"{outcome}: {translated(case.detail)}"
        timed = ""
        if case.is_timed:  # these add up to what stands above the code
            cells[1].setFont(theme().strong_font())
            timed = self.tr("Its latency is a part of the operator's.")
        hint = ""
        offer = self._offer(case)
        if offer:
            hint = self.tr("Double click: {0}").format(offer)
        lines = (name, outcome, timed, hint)
        tip = wrapped("\n".join(line for line in lines if line))
        for column, cell in enumerate(cells):
            cell.setToolTip(tip)
            cell.setData(Qt.ItemDataRole.AccessibleTextRole, cell.text())
            self.setItem(number, column, cell)
        drawing, role = _CASE_LOOKS.get(case.status, ("help", "muted"))
        first.setIcon(icon(drawing, role))
        first.setData(_CASE, case.case)
        # The icon shows the outcome, which a screen reader cannot see.
        accessible = f"{name} ({outcome})"
        first.setData(Qt.ItemDataRole.AccessibleTextRole, accessible)

    def _offer(self, case: CaseResult) -> str:
        """What can be done with a case, by a double click and by its menu."""
        if any(entry.map is not None for entry in case.statistics):
            return self.tr("Show Wrong Elements")
        if case.status == "pass" and not case.hidden:
            return self.tr("Trace It, Time per Line")
        return ""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer in words what a double click does."""
        cell = self.itemAt(event.pos())
        name = self._name(cell) if cell is not None else ""
        words = self._offer(self._cases[name]) if name else ""
        if words:
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addAction(words, partial(self.opened.emit, name))
            menu.popup(event.globalPos())


class DiagnosisView(QTextBrowser):
    """The generator's diagnosis and the query it led to."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("flat", "true")
        self.setAccessibleName(self.tr("Diagnosis"))
        self.document().setDocumentMargin(theme().px(0.6))

    def loadResource(self, _kind: int, _name: QUrl | str) -> QImage:
        """A point, never what is named: a model wrote the text, and would have any file or pipe opened.

        With nothing at all Qt looks for a file of that name by itself.
        """
        return QImage(1, 1, QImage.Format.Format_Mono)

    def show_round(self, diagnosis: str, query: str, *, cause: str) -> None:
        """Show what was thought before this round and what came of it."""
        sections = (
            (self.tr("Diagnosis before this round"), diagnosis),
            (self.tr("Memory query"), query),
            (self.tr("Outcome"), cause),
        )
        parts = [
            f"#### {title}\n\n{_escaped(text)}" for title, text in sections if text
        ]
        if not parts:
            parts = [self.tr("Nothing was diagnosed in this round.")]
        self.setMarkdown("\n\n".join(parts))


class NotesView(QWidget):
    """Form at the top, history below.

    Signals:
        decided: (`Decision`, comment) the user chose for the candidate shown.
    """

    decided = Signal(object, str)

    def __init__(self) -> None:
        super().__init__()
        on_base(self)
        self._reviews: tuple[Review, ...] = ()
        self._candidate = ""
        self.sign = QLabel()
        self.words = heading("")
        self.comment = named(QPlainTextEdit(), self.tr("Comment"))
        self.comment.setPlaceholderText(
            self.tr("Your review notes; stored with this version")
        )
        self.comment.setTabChangesFocus(True)
        self.comment.setFixedHeight(theme().px(6))
        self.accept = push(self.tr("Accept"), lambda: self.decide(Decision.ACCEPTED))
        self.reject = push(self.tr("Reject"), lambda: self.decide(Decision.REJECTED))
        self.save = push(self.tr("Save Comment"), self._say)
        self.history = muted()
        self._lay_out()

    def _lay_out(self) -> None:
        effect = self.tr(
            "From now on a rejected version is never the best one and is not exported. "
            "Credit that was given before stays."
        )
        vbox(
            hbox(self.sign, (self.words, 1)),
            self.comment,
            hbox(self.accept, self.reject, self.save, None),
            muted(effect, small=True),
            self.history,
            None,
            owner=self,
            margins=0.7,
            spacing=0.5,
        )

    def show_reviews(
        self, candidate: str, reviews: tuple[Review, ...], *, writable: bool
    ) -> None:
        """Show the reviews of `candidate`; a comment being written for it stays."""
        is_changed = candidate != self._candidate or reviews != self._reviews
        self._candidate, self._reviews = candidate, reviews
        sign = _DECISION_LOOKS[self.decision]
        draw(self.sign, sign.icon, sign.role, 1.1)
        self.words.setText(sign.text)
        if is_changed:
            self.comment.setPlainText(reviews[-1].comment if reviews else "")
        # The button of the decision that holds takes it back.
        accept, reject = self.tr("Accept"), self.tr("Reject")
        if self.decision is Decision.ACCEPTED:
            accept = self.tr("Undo")
        elif self.decision is Decision.REJECTED:
            reject = self.tr("Undo")
        self.accept.setText(accept)
        self.reject.setText(reject)
        for widget in (self.accept, self.reject, self.save):
            widget.setEnabled(writable)
        self.comment.setReadOnly(not writable)
        lines = [_review_line(review) for review in reversed(reviews)]
        self.history.setText("\n".join(lines))

    @property
    def decision(self) -> Decision:
        """What holds now."""
        return self._reviews[-1].decision if self._reviews else Decision.OPEN

    def decide(self, decision: Decision) -> None:
        """Accept or reject; what holds already is taken back."""
        if self._candidate:
            if decision is self.decision:
                decision = Decision.OPEN
            self.decided.emit(decision, self.comment.toPlainText().strip())

    def _say(self) -> None:
        self.decided.emit(self.decision, self.comment.toPlainText().strip())


def _review_line(review: Review) -> str:
    """When who decided what, and the comment."""
    minute = review.at[:16].replace("T", " ")
    decision = _DECISION_LOOKS[review.decision].text
    line = f"{minute} · {review.actor} · {decision}"
    return f"{line}: {review.comment}" if review.comment else line


def _escaped(text: str) -> str:
    """Text of a model as Markdown in which it makes no heading and no HTML."""
    lines = [
        line.replace("<", "&lt;").replace("#", "\\#") for line in text.splitlines()
    ]
    return "\n".join(lines)


def worst_of(case: CaseResult) -> ErrorStatistics | None:
    """Statistics of the output with the largest absolute error."""
    return max(case.statistics, key=lambda entry: entry.max_abs, default=None)


def _error_cells(worst: ErrorStatistics | None) -> list[_Number]:
    if worst is None:
        return [_Number("", None) for _ in range(3)]
    errors = (worst.max_abs, worst.max_rel, worst.max_ulp)
    return [_Number(small_number(error), error) for error in errors]
