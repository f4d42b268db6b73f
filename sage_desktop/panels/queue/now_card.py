"""What is going on at this moment: folded from the engine's events, shown as a card."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from sage_desktop.ui.rounds.progress_strip import ThinBar
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.eliding_label import ElidingLabel, PartsLabel
from sage_desktop.ui.widgets.form import heading, text_label
from sage_desktop.ui.widgets.making import push
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.verdicts import objective_text
from sage_desktop.ui.widgets.writing import write

if TYPE_CHECKING:
    from core.engine.events import EngineEvent
    from core.text import Text


class StageStepper(QWidget):
    """The stages of a round as dots on a line; those behind are filled, the present one is named in full."""

    def __init__(self) -> None:
        super().__init__()
        self._stage = STAGES[0]
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def words(self) -> dict[str, str]:
        """Name of every stage."""
        return {
            "diagnose": self.tr("Diagnose"),
            "retrieve": self.tr("Retrieve"),
            "write": self.tr("Write"),
            "check": self.tr("Check"),
            "evaluate": self.tr("Evaluate"),
            "learn": self.tr("Learn"),
        }

    @property
    def stage(self) -> str:
        """The present stage, one of `STAGES`."""
        return self._stage

    def show_stage(self, stage: str) -> None:
        """Mark `stage` as the present one."""
        if stage == self._stage and self.accessibleName():
            return
        self._stage = stage
        place, words = STAGES.index(stage) + 1, self.words()
        self.setAccessibleName(
            self.tr("Stage {0} of {1}: {2}").format(place, len(STAGES), words[stage])
        )
        self.setToolTip(" → ".join(words.values()))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(18), theme().px(2.1))

    def paintEvent(self, _event: QPaintEvent) -> None:
        look, painter = theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        present, words = STAGES.index(self._stage), self.words()
        radius = look.px(0.24)
        measure = QFontMetricsF(look.small_font()).horizontalAdvance
        widths = [measure(words[stage]) for stage in STAGES]
        left = widths[0] / 2 + 1
        right = self.width() - widths[-1] / 2 - 1
        step = (right - left) / (len(STAGES) - 1)
        # Without room for every name the present one alone is written, whole.
        all_named = max(widths) <= step
        if not all_named:
            left, right = radius * 2, self.width() - radius * 2
            step = (right - left) / (len(STAGES) - 1)
        y = radius * 1.8
        for number, stage in enumerate(STAGES):
            x = left + number * step
            if number:
                behind = number <= present
                shade = look.color("accent") if behind else look.tint("text", 0.18)
                painter.setPen(QPen(shade, max(1.5, look.px(0.1))))
                painter.drawLine(
                    QPointF(x - step + radius * 1.6, y), QPointF(x - radius * 1.6, y)
                )
            self._dot(painter, QPointF(x, y), radius, number - present)
            if not (all_named or number == present):
                continue
            role = "text" if number == present else "muted"
            wide = widths[number]
            begin = min(max(0.0, x - wide / 2), self.width() - wide)
            place = QRectF(
                begin, y + radius * 2, wide + 1, self.height() - y - radius * 2
            )
            side = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
            write(painter, place, words[stage], role, look.small_font(), side)
        painter.end()

    @staticmethod
    def _dot(painter: QPainter, middle: QPointF, radius: float, ahead: int) -> None:
        look = theme()
        painter.setPen(
            QPen(
                look.color("accent") if ahead <= 0 else look.tint("text", 0.3),
                radius * 0.5,
            )
        )
        painter.setBrush(look.color("accent") if ahead < 0 else look.color("raised"))
        size = radius * 1.25 if ahead == 0 else radius
        painter.drawEllipse(middle, size, size)


class NowCard(QFrame):
    """Hidden while nothing runs."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.name, self.others = ElidingLabel(), QLabel()
        self.others.setProperty("muted", "true")
        self.facts, self.times = PartsLabel(muted=True), PartsLabel(muted=True)
        self.doing = ElidingLabel()
        self.stepper, self.bar = StageStepper(), ThinBar()
        vbox(
            hbox((self.name, 1), self.others),
            self.facts,
            self.times,
            0.2,
            self.stepper,
            self.doing,
            self.bar,
            owner=self,
            margins=(0.7, 0.5),
            spacing=0.2,
        )
        place = self.bar.sizePolicy()
        place.setRetainSizeWhenHidden(True)  # the card keeps its height as it comes
        self.bar.setSizePolicy(place)
        self.setAccessibleName(self.tr("Working now"))
        theme().letter(self.name, "strong")
        self.hide()

    def show_work(
        self,
        now: Now,
        others: int,
        budget: int,
        spent: str,
        left: str,
        waited: str = "",
    ) -> None:
        """Show an operator in work.

        Args:
            now: What it does.
            others: How many more are in work.
            budget: T, 0 while it is not known.
            spent: Time since its first round, in words.
            left: The most it still takes, in words, empty while that cannot be said.
            waited: How long it does what it does now, in words, empty for a moment.
        """
        self.name.set_text(now.operator)
        self.others.setText(self.tr("and {0} more").format(others) if others else "")
        rounds = (
            self.tr("Round {0} of {1}").format(now.round, budget)
            if now.round and budget
            else ""
        )
        objective = objective_text(now.objective) if now.objective else ""
        at_most = self.tr("at most {0} left").format(left) if left else ""
        for label, parts in (
            (self.facts, (rounds, objective)),
            (self.times, (spent, at_most)),
        ):
            label.set_text(" · ".join(part for part in parts if part))
        self.stepper.show_stage(now.stage)
        # The time first: the words are cut where there is no room.
        doing = (waited, self._doing(now))
        self.doing.set_text(" · ".join(part for part in doing if part))
        self.bar.set_share(now.share or 0.0)
        self.bar.setVisible(now.share is not None)
        self.show()

    def _doing(self, now: Now) -> str:
        if now.tokens:
            words = self.tr("≈ {0:,} tokens of the reply").format(now.tokens)
            rate = self.tr("{0:.0f} tokens/s").format(now.rate) if now.rate else ""
            return " · ".join(part for part in (words, rate) if part)
        if now.note:
            return translated(now.note)
        return {
            "diagnose": self.tr("Preparing the prompt"),
            "retrieve": self.tr("Querying the memory"),
            "write": self.tr("Waiting for the model"),
            "check": self.tr("Checking the adoption records"),
            "evaluate": self.tr("Compiling and running"),
            "learn": self.tr("Writing what was learnt"),
        }[now.stage]


class StopCard(QFrame):
    """Why a run stands still, and the button to continue; hidden while there is nothing to say.

    Args:
        run: The command that continues.
        setup: The command that chooses a model.
    """

    def __init__(self, run: QAction, setup: QAction) -> None:
        super().__init__()
        self.setProperty("card", "true")
        title = heading(self.tr("The run has stopped"))
        self.reason = text_label("")
        self.go_on = push(self.tr("Go On"), run.trigger, tip=run.toolTip())
        run.changed.connect(lambda: self.go_on.setEnabled(run.isEnabled()))
        self.choose = push(self.tr("Set Up…"), setup.trigger, tip=setup.toolTip())
        buttons = hbox(self.go_on, self.choose, None)
        vbox(title, self.reason, buttons, owner=self, margins=(0.7, 0.5), spacing=0.3)
        self.hide()

    def show_reason(self, reason: str) -> None:
        """Show a sentence; an empty one hides the card."""
        self.reason.setText(reason)
        self.setVisible(bool(reason))


STAGES = ("diagnose", "retrieve", "write", "check", "evaluate", "learn")
_AFTER = {  # the step a round reached -> the stage that works now
    "started": "diagnose",
    "diagnosed": "retrieve",
    "retrieved": "write",
    "replied": "check",
    "gated": "evaluate",
    "evaluated": "evaluate",
}
_LEARNING = ("abstract", "distil", "merge")
_SHARES = (re.compile(r"(\d+) %"), re.compile(r"\bcase (\d+) of (\d+)"))


@dataclass(frozen=True)
class Now:
    """One operator in work.

    Attributes:
        operator: Its name.
        stage: One of `STAGES`.
        round: The round in work, 0 before the first.
        objective: corr or opt, empty before the first round.
        note: The latest message of the work, empty at the beginning of a stage.
        share: How much of the stage is done, 0 to 1; None while it is unknown.
        tokens: Estimated tokens of the reply that is coming.
        rate: Tokens a second of it, 0 until that can be said.
        since: When that reply began, by `time.monotonic`.
        doing_since: When what it does now began, likewise.
    """

    operator: str
    stage: str = "diagnose"
    round: int = 0
    objective: str = ""
    note: str | Text = ""
    share: float | None = None
    tokens: int = 0
    rate: float = 0.0
    since: float = 0.0
    doing_since: float = 0.0


@dataclass
class Work:
    """Every operator in work, by queue id, in the order in which they were begun."""

    clock: Callable[[], float] = time.monotonic
    entries: dict[int, Now] = field(default_factory=dict)

    def take(self, event: EngineEvent) -> bool:
        """Fold an event; whether anything is different now."""
        from core.agent.run import records
        from core.engine import events
        from core.memory.tokens import EstimatedTokens

        if isinstance(event, events.EngineStateChanged):
            has_ended = event.state not in (
                events.EngineState.RUNNING,
                events.EngineState.PAUSING,
            )
            if has_ended:
                self.entries.clear()
            return has_ended
        if isinstance(event, events.EntryFinished):
            return self.entries.pop(event.queue_id, None) is not None
        if isinstance(event, events.EntryStarted):
            now = Now(event.operator, doing_since=self.clock())
            self.entries[event.queue_id] = now
            return True
        if not isinstance(event, records.TrajectoryEvent):
            return False
        before = self.entries.get(event.queue_id, Now(event.operator))
        after = before
        if isinstance(event, records.RoundAdvanced):
            after = Now(
                event.operator,
                _AFTER[event.step.value],
                event.round,
                event.objective.value,
                share=1.0 if event.step.value == "evaluated" else None,
                doing_since=before.doing_since,
            )
        elif isinstance(event, records.ReplyStreamed):
            stage = "learn" if event.purpose in _LEARNING else before.stage
            since = before.since or self.clock()
            tokens = before.tokens + EstimatedTokens().count(event.text)
            spent = self.clock() - since
            after = replace(
                before,
                stage=stage,
                since=since,
                tokens=tokens,
                rate=tokens / spent if spent >= 1 else 0.0,
            )
        elif isinstance(event, records.ModelCalled):
            after = replace(before, tokens=0, rate=0.0, since=0.0)
        elif isinstance(event, records.ProgressNote):
            after = replace(before, note=event.text, share=share_of(str(event.text)))
        elif isinstance(event, records.EpisodeApplied):
            after = replace(before, stage="learn", note="", share=None)
        if (after.stage, after.note) != (before.stage, before.note):
            after = replace(after, doing_since=self.clock())
        self.entries[event.queue_id] = after
        return after != before


def share_of(note: str) -> float | None:
    """How much is done by the words of an evaluator (`case 3 of 15: …`, `40 %`), None without a number."""
    percent, count = (pattern.search(note) for pattern in _SHARES)
    if percent is not None:
        return min(1.0, int(percent[1]) / 100)
    if count is not None and int(count[2]):
        return min(1.0, int(count[1]) / int(count[2]))
    return None
