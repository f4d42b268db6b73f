"""The kernels of one operator: any two versions, with what the generator used and what the tools said."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QIcon, QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from core.engine import queries
from core.engine.queries import QueueRow, RoundRow
from core.engine.reviews import Decision
from sage_desktop.panels.review import going, opinion
from sage_desktop.panels.review.adoption_list import AdoptionList
from sage_desktop.panels.review.details import CaseTable, DiagnosisView, FindingsPage
from sage_desktop.panels.review.exploring import Exploring
from sage_desktop.panels.review.exporting import VersionExports
from sage_desktop.panels.review.files import FileTabs
from sage_desktop.panels.review.findings import Message, answers, marks_of, messages
from sage_desktop.panels.review.header import ReviewHeader
from sage_desktop.panels.review.line_origins import LineOrigins
from sage_desktop.panels.review.line_times import LineTimes
from sage_desktop.panels.review.mismatch import MismatchView
from sage_desktop.panels.review.narrow import NarrowNotice
from sage_desktop.panels.review.navigation import Navigation
from sage_desktop.panels.review.opinion import OpinionView
from sage_desktop.panels.review.reference import ReferenceDialog
from sage_desktop.panels.review.three import ThreeVersions
from sage_desktop.panels.review.versions import (
    Choice,
    Pick,
    VersionPair,
    Versions,
    read_review,
)
from sage_desktop.panels.review.view_options import bind_view_options
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.icons import icon
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.ask_bar import Subject
from sage_desktop.ui.widgets.empty_state import EmptyState
from sage_desktop.ui.widgets.making import on_base
from sage_desktop.ui.widgets.scrolled import scrolled
from sage_desktop.ui.widgets.stacking import split, stacked
from sage_desktop.ui.widgets.tabs import AllTabs

_ABOUT_VERSIONS = (  # commands that say nothing while no kernel is in front
    "next",
    "previous",
    "next_finding",
    "previous_finding",
    "line",
    "side",
    "older",
    "newer",
    "select_all",
    "copy_file",
    "reference",
    "editor",
    "export",
    "export_for",
    "patch",
    "accept",
    "reject",
)


class ReviewPanel(QWidget):
    """Header, file tabs, comparison, and details beside it.

    Signals:
        item_opened: uid of a memory item the user wants to see.
    """

    item_opened = Signal(str)

    def __init__(
        self, operations: Operations, actions: ActionRegistry, preferences: Preferences
    ) -> None:
        super().__init__()
        on_base(self)
        self._operations = operations
        self._actions = actions
        self._preferences = preferences
        self._trajectory: Versions | None = None
        self._comparison: VersionPair | None = None
        self._messages: tuple[Message, ...] = ()
        self._older: Choice = Pick.BEFORE
        self._newer: Choice = Pick.LATEST
        self._path = ""
        self._row: QueueRow | None = (
            None  # brought to the front last, its rounds may still be read
        )
        self._line_wanted: tuple[int, int, str, int] | None = (
            None  # entry, round, file, line, once shown
        )
        self._kept: tuple[str, str | None, int] | None = (
            None  # file, text and line one reads
        )
        self.exports = VersionExports(
            self, operations, preferences, actions, self._shown_version
        )
        self.three = ThreeVersions(actions, self)
        self.three.picked.connect(self._compare)
        self.header = ReviewHeader(actions, self.three.button)
        self.header.chosen.connect(self._choose)
        self.files = FileTabs()
        self.files.currentChanged.connect(
            lambda _number: self._show_file(self.files.path())
        )
        self.narrow = NarrowNotice()
        self.diff = DiffView()
        self.diff.moved.connect(self.header.show_place)
        actions.serve_context_menu(self.diff, "review")
        self.diff.word_asked.connect(self.look_up)
        self.navigation = Navigation(self, self.files, self.diff, actions)
        self.header.cause.clicked.connect(self.navigation.show_fault)
        self.origins = LineOrigins(operations, actions, preferences, self.diff)
        self.origins.item_opened.connect(self.item_opened)
        self.origins.round_chosen.connect(self.show_round)
        self.times = LineTimes(
            self, operations, preferences, actions, self.diff, self.navigation
        )
        self.reference: ReferenceDialog | None = None
        self.adoptions = AdoptionList()
        self.adoptions.opened.connect(self.item_opened)
        self.adoptions.jumped.connect(self.navigation.jump)
        self.findings = FindingsPage()
        self.messages = self.findings.list
        self.messages.jumped.connect(self.navigation.jump)
        self.cases = CaseTable()
        self.mismatch = MismatchView()
        self.exploring = Exploring(actions, self)
        self.exploring.line_wanted.connect(self._show_own_line)
        self.mismatch.explored.connect(self.exploring.open)
        self.diagnosis = DiagnosisView()
        self.opinion = OpinionView()
        self.opinion.decided.connect(self._decide)
        self._lay_out()
        self._bind()
        restyle_later(self, self._restyle)

    def _restyle(self) -> None:
        """Icons and coloured words are made again in the colours of the new theme."""
        if self._trajectory is not None and self._comparison is not None:
            self.header.show_comparison(self._trajectory, self._comparison)
            self._fill_files(same=True)
            self._fill_details(self._comparison)

    def _lay_out(self) -> None:
        self.details = AllTabs()
        self.details.addTab(self.adoptions, self.tr("Adoption"))
        self.details.addTab(self.findings, self.tr("Messages"))
        self._picture = scrolled(self.mismatch)
        cases = split(
            Qt.Orientation.Vertical, self.cases, self._picture, stretch=(0, 1)
        )
        self.details.addTab(cases, self.tr("Cases"))
        self.details.addTab(self.diagnosis, self.tr("Diagnosis"))
        self.details.addTab(scrolled(self.opinion), self.tr("Notes"))
        self.details.setMinimumWidth(theme().px(14))
        self.details.setMinimumHeight(
            theme().px(12)
        )  # what is taller gives way in a low window
        code = stacked(
            QWidget(),
            self.files,
            self.navigation.find_bar,
            self.narrow,
            self.times.bar,
            self.diff,
            self.origins.bar,
            grows=4,
        )
        self.splitter = split(
            Qt.Orientation.Horizontal, code, self.details, stretch=(1, 0)
        )
        self.splitter.setCollapsible(0, False)  # noqa: FBT003 - Qt's signature
        saved = self._preferences.blob("review/splitter")
        self._sized_by_hand = not saved.isEmpty()
        if self._sized_by_hand:
            self.splitter.restoreState(saved)
        self.splitter.splitterMoved.connect(self._splitter_moved)
        full = stacked(QWidget(), self.header, self.splitter)
        self._empty = EmptyState(
            "review",
            self.tr("No kernel yet"),
            self.tr(
                "Run the queue; the first kernel of an operator appears here as soon as it is written."
            ),
            self._actions["queue.run"],
        )
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(full)

    def _splitter_moved(self) -> None:
        self._sized_by_hand = True
        self._preferences.set("review/splitter", self.splitter.saveState())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._size_details()

    def _size_details(self) -> None:
        """Until somebody moves the border, the details have room for their tabs and the code has the rest."""
        if not self._sized_by_hand:
            tabs = self.details.tabBar().sizeHint().width()
            wanted = max(tabs, min(theme().px(26), round(0.3 * self.width())))
            self.splitter.setSizes([self.width() - wanted, wanted])

    def _bind(self) -> None:
        bind = self._actions.bind
        shown = self._preferences.flag("review/details", default=True)
        self.details.setVisible(shown)
        self._actions.bind_switch("review.details", self._show_details, checked=shown)
        bind("review.accept", lambda: self.opinion.decide(Decision.ACCEPTED))
        bind("review.reject", lambda: self.opinion.decide(Decision.REJECTED))
        bind("review.copy_file", self._copy_file)
        bind("review.reference", lambda: self.look_up(self.diff.word()))
        bind("review.older", lambda: self.header.strip.step(-1))
        bind("review.newer", lambda: self.header.strip.step(1))
        bind_view_options(self.diff, self._actions, self._preferences)
        self.navigation.causeless.connect(
            lambda: self.details.setCurrentWidget(self.findings)
        )
        self.diff.squeezed.connect(self.narrow.setVisible)
        self.narrow.widened.connect(
            lambda: self._actions["review.two_columns"].setChecked(True)
        )

    def show_operator(self, row: QueueRow | None) -> None:
        """Bring an operator to the front; None shows the empty page."""
        before, self._row = self._row, row
        uid = row.trajectory_uid if row is not None else ""
        if row is None or not uid:
            self._show_nothing()
            return
        if before is None or before.trajectory_uid != uid:
            self._older, self._newer = Pick.BEFORE, Pick.LATEST
            self.three.chosen(Pick.LATEST)
            if self._line_wanted is not None and self._line_wanted[0] == row.id:
                self._newer = self._line_wanted[1]
                self.three.chosen(self._newer)
        older, newer = self._older, self._newer

        def show(answer: tuple[Versions, VersionPair | None]) -> None:
            if self._row is row:  # else the empty page was asked for meanwhile
                self._show(*answer)

        self._operations.query(
            self,
            lambda connection: read_review(connection, row, older, newer),
            show,
            topic="review",
        )

    def _show_nothing(self) -> None:
        """The empty page; no command is about the operator that was in front before."""
        self._trajectory = self._comparison = None
        self._messages = ()
        self.exploring.show_evaluation(0, None, wrong=False)
        self._stack.setCurrentIndex(0)
        self.times.show_pair(None, None)
        self.three.show_pair(None, self._older, self._newer)
        self._actions.enable({f"review.{name}": False for name in _ABOUT_VERSIONS})

    def _compare(self, older: Choice, newer: Choice) -> None:
        """Show another two of the three versions, at the line one has gone to."""
        if not self.diff.begins:
            side, line = self.diff.place
            self._kept = self._path, getattr(self.diff.document.view, side), line
        self._choose(older, newer, this=False)

    def _choose(self, older: Choice, newer: Choice, *, this: bool = True) -> None:
        if this and newer != self._newer:
            self.three.chosen(newer)
        self._older, self._newer = older, newer
        if self._row is not None:
            self.show_operator(self._row)

    def _show(self, trajectory: Versions, comparison: VersionPair | None) -> None:
        if comparison is None:
            self._show_nothing()
            return
        before, self._trajectory = self._comparison, trajectory
        self._comparison = comparison
        self._stack.setCurrentIndex(1)
        self.three.show_pair(trajectory, self._older, self._newer)
        self.header.fill_choices(trajectory, self._older, self._newer)
        self.header.show_comparison(trajectory, comparison)
        if before is None:
            self._actions.enable({f"review.{name}": True for name in _ABOUT_VERSIONS})
        if before != comparison:
            self.origins.show_pair(
                trajectory.queue.trajectory_uid, comparison, self._older
            )
            self._messages = (
                *messages(comparison.evaluation),
                *answers(comparison.asked),
            )
            right = comparison.right
            failed = right.cause if right.verdict not in ("", "pass") else None
            self.navigation.set_messages(self._messages, failed)
            self.times.show_pair(comparison, self.subject)
            self._fill_files(same=_same_pair(before, comparison))
            self._fill_details(comparison)
        self._kept = None
        self._go_to_wanted(trajectory.queue.id, comparison.right.round)

    def _fill_files(self, *, same: bool) -> None:
        comparison = self._comparison
        if comparison is None:
            return
        paths, fault = comparison.paths, self.navigation.fault(comparison.paths)
        wanted = self._path if self._path in paths else ""
        kept = self._kept
        if kept is not None and kept[0] in paths:
            wanted, fault = kept[0], None
        elif not wanted or not same:
            changed = [path for path in paths if comparison.changed(path)]
            faulty = [paths[fault[0]]] if fault is not None else []
            wanted = (
                faulty
                or [p for p in changed if p == self._path]
                or changed
                or list(paths)
                or [""]
            )[0]
        self.files.show_files(comparison, self._messages, wanted)
        self._show_file(wanted, keep_place=same and wanted == self._path)
        if fault is not None and not same:
            self.diff.go_to_line(fault[1])
        if kept is not None and wanted == kept[0]:
            text = comparison.sides(wanted)[1]
            self.diff.go_to_line(going.line_there(kept[1], text, kept[2]))
        self.navigation.offer()

    def _fill_details(self, comparison: VersionPair) -> None:
        right = comparison.right
        self.adoptions.show_records(
            comparison.adoptions,
            comparison.residents,
            pinned=right.retrieval_pinned,
            here=right.retrieved_here,
            stated=right.residents_stated != 0,
            hunks=comparison.hunks,
        )
        self.messages.show_messages(self._messages)
        self.cases.show_cases(comparison.evaluation)
        self.mismatch.show_evaluation(comparison.evaluation)
        self.exploring.show_evaluation(
            right.round, comparison.evaluation, wrong=bool(self.mismatch.count)
        )
        self._picture.setVisible(
            bool(self.mismatch.count)
        )  # the table has its room otherwise
        writable = self._operations.can_write
        self.opinion.show_reviews(
            right.candidate, comparison.reviews, writable=writable
        )
        rejected = self.opinion.decision is Decision.REJECTED
        self._actions.enable(
            {
                "review.accept": writable,
                "review.reject": writable,
                "review.export": not rejected,
                "review.export_for": not rejected,
                "review.patch": comparison.left is not None,
            }
        )
        mark = opinion.LOOKS[self.opinion.decision]
        shown = (
            icon(mark.icon, mark.role)
            if self.opinion.decision is not Decision.OPEN
            else QIcon()
        )
        self.details.setTabIcon(self.details.indexOf(self.opinion), shown)
        self.diagnosis.show_round(
            right.diagnosis, right.query, cause=translated(right.cause)
        )
        told = sum(message.answer is None for message in self._messages)
        adopted = sum(row.state == "adopted" for row in comparison.adoptions)
        counts = (
            f" {adopted}/{len(comparison.adoptions)}" if comparison.adoptions else "",
            f" {told}" if told else "",
            f" {len(comparison.evaluation.cases)}" if comparison.evaluation else "",
        )
        names = (self.tr("Adoption"), self.tr("Messages"), self.tr("Cases"))
        for number, (name, count) in enumerate(zip(names, counts, strict=True)):
            self.details.name(number, name + count)
        self._size_details()

    def _show_file(self, path: str, *, keep_place: bool = False) -> None:
        if self._comparison is None:
            return
        self._path = path
        left, right = self._comparison.sides(path)
        self.diff.show_file(
            FileView(path, left, right, marks_of(path, self._messages)),
            keep_place=keep_place,
        )
        self.times.show_file(path)

    def _show_details(self, on: bool) -> None:
        self._preferences.set("review/details", on)
        self.details.setVisible(on)

    def _decide(self, decision: Decision, comment: str) -> None:
        if self._comparison is None:
            return
        change = opinion.change(self._comparison.right.candidate, decision, comment)
        self._operations.write(
            self,
            change,
            lambda _stored: self.refresh(),
            topics=frozenset({"queue", "rounds"}),
        )

    @property
    def subject(self) -> Subject | None:
        """The newer version, for a diagnostic to look into."""
        if self._trajectory is None or self._comparison is None:
            return None
        queue, right = self._trajectory.queue, self._comparison.right
        return Subject(
            queue.operator, queue.source, right.candidate, right.round, queue.id
        )

    def show_round(self, number: int) -> None:
        """Bring a round of the operator in front to the right side."""
        self._choose(Pick.BEFORE, number)

    def show_line(self, entry: int, number: int, path: str, line: int) -> None:
        """Bring a line (from 1) of a round's kernel to the right side, now or once its entry is in front."""
        self._line_wanted = (entry, number, path, line)
        if self._row is not None and self._row.id == entry:
            self.show_round(number)

    def _show_own_line(self, number: int, path: str, line: int) -> None:
        if self._row is not None:
            self.show_line(self._row.id, number, path, line)

    def _go_to_wanted(self, entry: int, shown: int) -> None:
        if self._line_wanted is not None and self._line_wanted[:2] == (entry, shown):
            path, line = self._line_wanted[2:]
            self._line_wanted = None
            self.navigation.jump(path, line)

    def refresh(self) -> None:
        """Read again what is known about the operator in front."""
        entry = self._row.id if self._row is not None else 0

        def show(rows: dict[int, QueueRow]) -> None:
            if (
                entry in rows and self._row is not None and entry == self._row.id
            ):  # else another is in front
                self.show_operator(rows[entry])

        self._operations.query(
            self, lambda db: queries.queue_rows(db, [entry]), show, topic="entry"
        )

    def _copy_file(self) -> None:
        if self._comparison is not None:
            QGuiApplication.clipboard().setText(
                self._comparison.right_files.get(self._path, "")
            )

    def _shown_version(self) -> tuple[QueueRow, VersionPair, str] | None:
        """What the commands that write files are about."""
        if self._comparison is None or self._trajectory is None:
            return None
        return self._trajectory.queue, self._comparison, self._path

    def look_up(self, word: str) -> None:
        """Show what the reference says about a word, in the one dialog there is for it."""
        if self.reference is None:
            self.reference = ReferenceDialog(self._operations, self)
            self.reference.finished.connect(self._reference_closed)
        self.reference.show()
        self.reference.raise_()
        self.reference.look_up(word)

    def _reference_closed(self) -> None:
        self.reference = None


def _same_pair(before: VersionPair | None, after: VersionPair) -> bool:
    if before is None:
        return False

    def rounds(comparison: VersionPair) -> tuple[RoundRow | None, str]:
        return comparison.left, comparison.right.candidate

    return rounds(before) == rounds(after)
