"""The paper's audit of adoption: records of a random sample, one after another, rated with a key."""

from __future__ import annotations

import logging
import random
import sqlite3
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSpinBox,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from core.engine.audit_sample import (
    SAMPLE,
    AuditSample,
    Rating,
    Revision,
    SampledRecord,
    as_csv,
    as_table,
    draw_sample,
    rate,
    read_revision,
    read_sample,
    samples,
)
from core.whole_file import write_text
from sage_desktop.panels.memory.item_parts import code_view
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.icons import icon
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from sage_desktop.ui.typed import clear
from sage_desktop.ui.widgets.empty_state import EmptyState
from sage_desktop.ui.widgets.form import heading, inset, muted, text_label
from sage_desktop.ui.widgets.making import named, on_base, push
from sage_desktop.ui.widgets.saving import ask_where
from sage_desktop.ui.widgets.stacking import hbox, split, stacked, vbox
from sage_desktop.ui.widgets.verdicts import StatusStyle

logger = logging.getLogger("memory")

LOOKS = {
    Rating.OPEN: StatusStyle("queued", "muted", "Not rated"),
    Rating.FULL: StatusStyle("done", "success", "Full"),
    Rating.PARTIAL: StatusStyle("warning", "warning", "Partial"),
    Rating.UNRELATED: StatusStyle("failed", "danger", "Unrelated"),
}
_KEYS = {"1": Rating.FULL, "2": Rating.PARTIAL, "3": Rating.UNRELATED, "0": Rating.OPEN}
_TOPICS = frozenset({"audit"})


class AuditDialog(QDialog):
    """Records at the left; experience, rationale and code revision of the chosen one; ratings below.

    Keys 1, 2 and 3 rate the record in front and go on to the next; 0 takes the rating back.
    """

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Audit of Adoption"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._operations = operations
        self._sample: AuditSample | None = None
        self._revision: Revision | None = None
        self.exporting: QFileDialog | None = None
        self.records = named(QListWidget(), self.tr("Sampled adoption records"))
        self.records.setWordWrap(True)
        self.records.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.records.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.records.currentRowChanged.connect(self._picked)
        self.title = heading("", 1.1)
        self.title.setWordWrap(True)
        self.where = muted()
        self.rationale = text_label("")
        self.summary = text_label("")
        self._code = QVBoxLayout()
        self.files = named(
            QTabBar(drawBase=False, expanding=False), self.tr("Files of the kernel")
        )
        self.files.currentChanged.connect(self._show_file)
        self.diff = DiffView()
        self.comment = named(
            QLineEdit(
                placeholderText=self.tr("Your observation (stored with the rating)")
            ),
            self.tr("Comment"),
        )
        self.rated = QLabel()
        self.size_ = named(QSpinBox(), self.tr("Records to draw"))
        self.size_.setRange(1, 1000)
        self.size_.setValue(SAMPLE)
        inset(self.size_)
        self.draw = push(self.tr("Draw a New Sample"), self._draw)
        self.export = push(self.tr("Export…"), self._export)
        self.buttons = {
            rating: self._rating_button(key, rating) for key, rating in _KEYS.items()
        }
        self._lay_out()
        self.resize(theme().px(96), theme().px(58))
        self._read()

    def _rating_button(self, key: str, rating: Rating) -> QPushButton:
        look = LOOKS[rating]
        words = self.tr("Undo") if rating is Rating.OPEN else look.text
        button = QPushButton(
            icon(look.icon, look.role), f"{words}  {key}", autoDefault=False
        )
        button.clicked.connect(lambda: self._rate(rating))
        for owner in (self.records, self.diff):
            shortcut = QShortcut(QKeySequence(key), owner)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(button.click)
        return button

    def _lay_out(self) -> None:
        for button in (self.draw, self.export):
            button.setAutoDefault(False)
        experience = on_base(QWidget())
        vbox(
            self.where,
            self.title,
            heading(self.tr("Experience")),
            self.summary,
            heading(self.tr("Rationale")),
            self.rationale,
            heading(self.tr("Its code")),
            self._code,
            None,
            owner=experience,
            margins=0.8,
        )
        revision = stacked(QWidget(), self.files, self.diff)
        ems = (20, 28, 48)
        splitter = split(
            Qt.Orientation.Horizontal,
            self.records,
            experience,
            revision,
            sizes=ems,
            stretch=ems,
        )
        each = (
            self.buttons[one]
            for one in (Rating.FULL, Rating.PARTIAL, Rating.UNRELATED, Rating.OPEN)
        )
        rating = hbox(*each, (self.comment, 1), margins=(0.8, 0.5, 0.8, 0))
        foot = hbox(
            (self.rated, 1),
            self.size_,
            self.draw,
            self.export,
            margins=(0.8, 0, 0.8, 0.6),
        )
        self._empty = EmptyState(
            "eye",
            self.tr("No sample has been drawn yet"),
            self.tr(
                "Draw records at random from all that are labelled adopted, then rate each."
            ),
        )
        self._body = splitter
        splitter.hide()
        vbox(
            (self._empty, 1),
            (splitter, 1),
            rating,
            foot,
            owner=self,
            margins=0,
            spacing=0.4,
        )

    def _read(self) -> None:
        def read(db: sqlite3.Connection) -> AuditSample | None:
            numbers = samples(db)
            return read_sample(db, numbers[0]) if numbers else None

        self._operations.query(self, read, self._show, topic="sample")

    def _show(self, sample: AuditSample | None) -> None:
        before, self._sample = self._sample, sample
        self._empty.setVisible(sample is None)
        self._body.setVisible(sample is not None)
        self.export.setEnabled(sample is not None)
        self.draw.setEnabled(self._operations.can_write)
        self._show_result()
        if sample is None:
            return
        same = before is not None and before.number == sample.number
        row = self.records.currentRow() if same else 0
        with QSignalBlocker(self.records):
            self.records.clear()
            for record in sample.records:
                look = LOOKS[record.rating]
                text = self.tr("{0}. {1}, round {2}").format(
                    record.place, record.operator, record.round
                )
                entry = QListWidgetItem(
                    icon(look.icon, look.role), f"{text}\n{record.title}"
                )
                entry.setToolTip(f"{record.title}\n{look.text}")
                self.records.addItem(entry)
            self.records.setCurrentRow(row)
        self._picked(row)
        self.records.setFocus()

    def _show_result(self) -> None:
        sample = self._sample
        if sample is None:
            self.rated.clear()
            return
        parts = [self.tr("Rated {0} of {1}").format(sample.rated, len(sample.records))]
        for rating in (Rating.FULL, Rating.PARTIAL, Rating.UNRELATED):
            count = sample.count(rating)
            share = f" ({100 * count / sample.rated:.0f} %)" if sample.rated else ""
            parts.append(f"{LOOKS[rating].text} {count}{share}")
        self.rated.setText(" · ".join(parts))
        self.rated.setToolTip(
            self.tr("Drawn at random from {0} records labelled adopted").format(
                sample.population
            )
        )

    def record(self) -> SampledRecord | None:
        """The record in front."""
        row = self.records.currentRow()
        return (
            self._sample.records[row] if self._sample is not None and row >= 0 else None
        )

    def _picked(self, _row: int) -> None:
        record = self.record()
        for button in self.buttons.values():
            button.setEnabled(record is not None and self._operations.can_write)
        if record is not None:
            self.comment.setText(record.comment)
            self._operations.query(
                self,
                lambda db: read_revision(db, record),
                self._show_revision,
                topic="revision",
            )

    def _show_revision(self, revision: Revision) -> None:
        record = self.record()
        if record is None:
            return
        self._revision = revision
        item = revision.item
        self.where.setText(
            self.tr("{0} · {1}, round {2}").format(
                item.uid, record.operator, record.round
            )
        )
        self.title.setText(item.title)
        self.summary.setText(item.rule_text or item.summary or item.error_message)
        self.rationale.setText(record.rationale)
        clear(self._code)
        code = item.code_diff
        if code.wrong_code or code.correct_code:
            self._code.addWidget(
                code_view(
                    code.wrong_code,
                    code.correct_code,
                    self.tr("Code of the experience"),
                )
            )
        paths = sorted(revision.before.keys() | revision.after.keys())
        changed = [
            path
            for path in paths
            if revision.before.get(path) != revision.after.get(path)
        ]
        with QSignalBlocker(self.files):
            while self.files.count():
                self.files.removeTab(0)
            for path in changed or paths:
                self.files.setTabData(self.files.addTab(path), path)
        self._show_file(0)

    def _show_file(self, number: int) -> None:
        path = self.files.tabData(number)
        if self._revision is not None and isinstance(path, str):
            self.diff.show_file(
                FileView(
                    path,
                    self._revision.before.get(path),
                    self._revision.after.get(path),
                )
            )

    def _rate(self, rating: Rating) -> None:
        record, sample = self.record(), self._sample
        if record is None or sample is None:
            return
        comment, number, place = (
            self.comment.text().strip(),
            sample.number,
            record.place,
        )
        following = min(self.records.currentRow() + 1, len(sample.records) - 1)
        self._operations.write(
            self,
            lambda workspace: rate(workspace, number, place, rating, comment),
            lambda _done: self._rated(
                following if rating is not Rating.OPEN else place - 1
            ),
            topics=_TOPICS,
        )

    def _rated(self, following: int) -> None:
        self.records.setCurrentRow(following)
        self._read()

    def _draw(self) -> None:
        size, seed = self.size_.value(), random.SystemRandom().randrange(2**31)
        self._operations.write(
            self,
            lambda workspace: draw_sample(workspace, size, seed),
            lambda _n: self._read(),
            topics=_TOPICS,
        )

    def _export(self) -> None:
        if self._sample is None:
            return
        self.exporting = ask_where(
            self,
            self.tr("Export Audit"),
            f"adoption-audit-{self._sample.number}.csv",
            [self.tr("Records (*.csv)"), self.tr("Result table (*.md)")],
            self._export_to,
        )

    def _export_to(self, path: Path) -> None:
        if self._sample is not None:
            text = (
                as_table(self._sample) if path.suffix == ".md" else as_csv(self._sample)
            )
            self._operations.run_in_background(
                self,
                lambda: write_text(path, text),
                lambda done: logger.info(
                    "%s", self.tr("The audit was exported to {0}.").format(done)
                ),
            )
