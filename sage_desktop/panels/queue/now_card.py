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
    from core.agent.run.records import ReplyStreamed, TrajectoryEvent
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
        number = STAGES.index(stage) + 1
        names = self.words()
        words = self.tr("Stage {0} of {1}: {2}")
        self.setAccessibleName(words.format(number, len(STAGES), names[stage]))
        self.setToolTip(" → ".join(names.values()))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(18), theme().px(2.1))

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        present = STAGES.index(self._stage)
        names = self.words()
        radius = look.px(0.24)
        metrics = QFontMetricsF(look.small_font())
        widths = [metrics.horizontalAdvance(names[stage]) for stage in STAGES]
        # The outermost names end where the widget does.
        left = widths[0] / 2 + 1
        right = self.width() - widths[-1] / 2 - 1
        step = (right - left) / (len(STAGES) - 1)
        # Without room for every name the present one alone is written, whole.
        all_named = max(widths) <= step
        if not all_named:
            left = radius * 2
            right = self.width() - radius * 2
            step = (right - left) / (len(STAGES) - 1)
        y = radius * 1.8
        gap = radius * 1.6  # between the middle of a dot and the line to the next
        for number, stage in enumerate(STAGES):
            x = left + number * step
            if number:
                begin, end = QPointF(x - step + gap, y), QPointF(x - gap, y)
                self._paint_line(painter, begin, end, behind=number <= present)
            self._dot(painter, QPointF(x, y), radius, number - present)
            if not (all_named or number == present):
                continue
            role = "text" if number == present else "muted"
            width = widths[number]
            name_left = min(max(0.0, x - width / 2), self.width() - width)
            name_top = y + radius * 2
            height = self.height() - name_top
            area = QRectF(name_left, name_top, width + 1, height)
            side = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
            write(painter, area, names[stage], role, look.small_font(), side)
        painter.end()

    @staticmethod
    def _paint_line(
        painter: QPainter, begin: QPointF, end: QPointF, *, behind: bool
    ) -> None:
        """The way from one stage to the next; stronger where it is behind."""
        look = theme()
        color = look.color("accent") if behind else look.tint("text", 0.18)
        painter.setPen(QPen(color, max(1.5, look.px(0.1))))
        painter.drawLine(begin, end)

    @staticmethod
    def _dot(painter: QPainter, middle: QPointF, radius: float, ahead: int) -> None:
        """A stage; `ahead` is how many come before it from the present one, 0 for that."""
        look = theme()
        frame = look.color("accent") if ahead <= 0 else look.tint("text", 0.3)
        painter.setPen(QPen(frame, radius * 0.5))
        painter.setBrush(look.color("accent" if ahead < 0 else "raised"))
        size = radius * 1.25 if ahead == 0 else radius
        painter.drawEllipse(middle, size, size)


class NowCard(QFrame):
    """Hidden while nothing runs."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.name = ElidingLabel()
        self.count = QLabel()
        self.count.setProperty("muted", "true")
        self.facts = PartsLabel(muted=True)
        self.times = PartsLabel(muted=True)
        self.doing = ElidingLabel()
        self.stepper = StageStepper()
        self.bar = ThinBar()
        vbox(
            hbox((self.name, 1), self.count),
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
        more: int,
        budget: int,
        spent: str,
        rest: str,
        step_time: str = "",
    ) -> None:
        """Show an operator in work.

        Args:
            now: What it does.
            more: How many others are in work.
            budget: T, 0 while it is not known.
            spent: Time since its first round, in words.
            rest: The most it still takes, in words, empty while that cannot be said.
            step_time: How long it does what it does now, in words, empty for a moment.
        """
        self.name.set_text(now.operator)
        self.count.setText(self.tr("and {0} more").format(more) if more else "")
        rounds = ""
        if now.round and budget:
            rounds = self.tr("Round {0} of {1}").format(now.round, budget)
        objective = objective_text(now.objective) if now.objective else ""
        self.facts.set_text(_joined(rounds, objective))
        at_most = self.tr("at most {0} left").format(rest) if rest else ""
        self.times.set_text(_joined(spent, at_most))
        self.stepper.show_stage(now.stage)
        # The time first: the words are cut where there is no room.
        self.doing.set_text(_joined(step_time, self._doing(now)))
        self.bar.set_share(now.share or 0.0)
        self.bar.setVisible(now.share is not None)
        self.show()

    def _doing(self, now: Now) -> str:
        """What an operator does: the reply that comes, else a message, else the stage."""
        if now.tokens:
            words = self.tr("≈ {0:,} tokens of the reply").format(now.tokens)
            rate = self.tr("{0:.0f} tokens/s").format(now.rate) if now.rate else ""
            return _joined(words, rate)
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


def _joined(*parts: str) -> str:
    """One line of the parts that have words."""
    return " · ".join(part for part in parts if part)


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
        self.resume = push(self.tr("Go On"), run.trigger, tip=run.toolTip())
        run.changed.connect(lambda: self.resume.setEnabled(run.isEnabled()))
        self.choose = push(self.tr("Set Up…"), setup.trigger, tip=setup.toolTip())
        buttons = hbox(self.resume, self.choose, None)
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
_PERCENT = re.compile(r"(\d+) %")
_COUNT = re.compile(r"\bcase (\d+) of (\d+)")


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

        if isinstance(event, events.EngineStateChanged):
            at_work = (events.EngineState.RUNNING, events.EngineState.PAUSING)
            has_ended = event.state not in at_work
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
        after = self._folded(before, event)
        if (after.stage, after.note) != (before.stage, before.note):
            after = replace(after, doing_since=self.clock())
        self.entries[event.queue_id] = after
        return after != before

    def _folded(self, now: Now, event: TrajectoryEvent) -> Now:
        """What an operator does after an event of its trajectory."""
        from core.agent.run import records

        if isinstance(event, records.RoundAdvanced):
            step = event.step.value
            return Now(
                event.operator,
                _AFTER[step],
                event.round,
                event.objective.value,
                share=1.0 if step == "evaluated" else None,
                doing_since=now.doing_since,
            )
        if isinstance(event, records.ReplyStreamed):
            return self._with_reply(now, event)
        if isinstance(event, records.ModelCalled):
            return replace(now, tokens=0, rate=0.0, since=0.0)
        if isinstance(event, records.ProgressNote):
            return replace(now, note=event.text, share=share_of(str(event.text)))
        if isinstance(event, records.EpisodeApplied):
            return replace(now, stage="learn", note="", share=None)
        return now

    def _with_reply(self, now: Now, event: ReplyStreamed) -> Now:
        """Count another piece of the reply that is coming."""
        from core.memory.tokens import EstimatedTokens

        tokens = now.tokens + EstimatedTokens().count(event.text)
        since = now.since or self.clock()
        seconds = self.clock() - since
        return replace(
            now,
            stage="learn" if event.purpose in _LEARNING else now.stage,
            since=since,
            tokens=tokens,
            # Within the first second the rate would jump.
            rate=tokens / seconds if seconds >= 1 else 0.0,
        )


def share_of(note: str) -> float | None:
    """How much is done by the words of an evaluator (`case 3 of 15: …`, `40 %`), None without a number."""
    percent = _PERCENT.search(note)
    if percent is not None:
        return min(1.0, int(percent[1]) / 100)
    count = _COUNT.search(note)
    if count is not None and int(count[2]):
        return min(1.0, int(count[1]) / int(count[2]))
    return None
