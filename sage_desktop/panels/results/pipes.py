"""How busy each pipe was in a round: a row a pipe, mean of all cores as a bar, the busiest core as a mark."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from core.engine.queries import QueueRow
from core.evaluation.records import PipeProfile, PipeTimes
from sage_desktop.panels.results.model import ProfiledRound, read_profile, read_profiled
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.verdicts import origin_text
from sage_desktop.ui.widgets.writing import MIDDLE, write

# in the order of the paper's tools; the last two only where they were used
PIPES = (
    ("MTE2", "mte2"),
    ("V", "vector"),
    ("MTE3", "mte3"),
    ("CUBE", "cube"),
    ("SCALAR", "scalar"),
    ("MTE1", "mte1"),
    ("FIXPIPE", "fixpipe"),
)
_ALWAYS = 5


def shares(profile: PipeProfile) -> tuple[tuple[str, float, float], ...]:
    """(pipe, mean share, share of the busiest core) of the time of the slowest core, each in [0, 1]."""
    longest = max((core.total_cycles for core in profile.cores), default=0.0)
    found = []
    for number, (name, attribute) in enumerate(PIPES):
        busy = [_share(core, attribute, longest) for core in profile.cores]
        if busy and (number < _ALWAYS or max(busy) > 0):
            found.append((name, sum(busy) / len(busy), max(busy)))
    return tuple(found)


def _share(core: PipeTimes, attribute: str, longest: float) -> float:
    return float(getattr(core, attribute)) / longest if longest else 0.0


class PipeBars(QWidget):
    """The rows."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[tuple[str, float, float], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_profile(self, profile: PipeProfile | None) -> None:
        """Show pipe times, or nothing."""
        self._rows = shares(profile) if profile is not None else ()
        self.setAccessibleName(
            ", ".join(f"{name} {100 * mean:.0f} %" for name, mean, _most in self._rows)
        )
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(40), theme().px(2.2 * max(1, len(self._rows)) + 1.8))

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), look.color("base"))
        said = [self._told(mean, most) for _name, mean, most in self._rows]
        metrics = QFontMetricsF(look.small_font())
        widest = max((metrics.horizontalAdvance(words) for words in said), default=0.0)
        left, right = look.px(6), self.width() - widest - look.em * 1.2
        for mark in range(0, 101, 25):
            x = left + (right - left) * mark / 100
            painter.setPen(QPen(look.color("border"), 1))
            painter.drawLine(QPointF(x, look.em * 1.5), QPointF(x, self.height()))
            place = QRectF(x - look.em * 2, 0, look.em * 4, look.em * 1.4)
            write(painter, place, f"{mark} %", "muted", look.small_font(), MIDDLE)
        busiest = max((mean for _name, mean, _most in self._rows), default=0.0)
        for number, (name, mean, most) in enumerate(self._rows):
            row = QRectF(0, look.em * (1.7 + 2.2 * number), self.width(), look.em * 1.8)
            write(
                painter,
                row.adjusted(look.em * 0.4, 0, 0, 0),
                name,
                "text",
                look.strong_font(),
            )
            bar = QRectF(
                left, row.top() + look.em * 0.35, (right - left) * mean, look.em * 1.1
            )
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(
                look.color("accent" if mean == busiest and mean else "info")
            )
            painter.drawRoundedRect(bar, 2, 2)
            x = left + (right - left) * most
            painter.setPen(QPen(look.color("text"), 2))
            painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, bar.bottom() + 2))
            place = QRectF(
                right + look.em * 0.6, row.top(), widest + look.em * 0.6, row.height()
            )
            write(painter, place, said[number], "muted", look.small_font())
        painter.end()

    def _told(self, mean: float, most: float) -> str:
        return self.tr("mean {0:.0f} %, busiest core {1:.0f} %").format(
            100 * mean, 100 * most
        )


class PipesView(QWidget):
    """Operator and round to choose, the rows below."""

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self._operations = operations
        self.profile: PipeProfile | None = None
        self.operator = ComboBox(self.tr("Operator"), self._read_rounds)
        self.round = ComboBox(self.tr("Round"), self._read_profile)
        self.words = muted()
        self.bars = PipeBars()
        for box in (self.operator, self.round):
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        of, at = (
            QLabel(self.operator.accessibleName()),
            QLabel(self.round.accessibleName()),
        )
        row = hbox(of, self.operator, at, self.round, None)
        vbox(row, self.words, self.bars, None, owner=self, margins=0.9)

    def show_operators(self, rows: tuple[QueueRow, ...]) -> None:
        """Offer the operators that have a timed kernel; the chosen one stays."""
        self.operator.offer(
            (row.operator, row.trajectory_uid) for row in rows if row.t_best is not None
        )
        self._read_rounds()

    def _read_rounds(self) -> None:
        trajectory = self.operator.currentData()
        if trajectory:
            self._operations.query(
                self,
                lambda db: read_profiled(db, trajectory),
                self._show_rounds,
                topic="rounds",
            )
        else:
            self._show_rounds(())

    def _show_rounds(self, rounds: tuple[ProfiledRound, ...]) -> None:
        self.round.offer(
            (self.tr("round {0}").format(entry.name), entry.evaluation)
            for entry in rounds
        )
        self._read_profile()

    def _read_profile(self) -> None:
        evaluation = self.round.currentData()
        if evaluation:
            self._operations.query(
                self,
                lambda db: read_profile(db, evaluation),
                self._show_profile,
                topic="profile",
            )
        else:
            self._show_profile(None)

    def _show_profile(self, profile: PipeProfile | None) -> None:
        self.profile = profile
        if profile is None:
            self.words.setText(self.tr("There are no pipe times of this round."))
        else:
            self.words.setText(
                self.tr(
                    "Share of the time of the slowest of {0} cores, {1}; bound by {2}"
                ).format(
                    len(profile.cores),
                    origin_text(profile.origin.value),
                    profile.bound or "\N{EN DASH}",
                )
            )
        self.bars.show_profile(profile)

    def rows(self) -> list[list[object]]:
        """What is shown as a table, one row a core."""
        header: list[object] = [
            "core",
            "total_cycles",
            *(name for name, _attribute in PIPES),
            "origin",
        ]
        if self.profile is None:
            return [header]
        origin = self.profile.origin.value
        return [header] + [
            [
                core.core,
                core.total_cycles,
                *(getattr(core, name) for _name, name in PIPES),
                origin,
            ]
            for core in self.profile.cores
        ]
