"""How long each line of the versions compared takes on the CPU twin, and how that changed: for the gutter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from core.evaluation.records import VerdictClass
from sage_desktop.panels.review.navigation import Navigation
from sage_desktop.panels.review.versions import VersionPair
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.diff.document import compared
from sage_desktop.ui.diff.times import LineTime
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.rounds.ask_bar import Subject
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.eliding_label import ElidingLabel
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.making import tool, tool_of
from sage_desktop.ui.widgets.stacking import hbox
from sage_desktop.ui.widgets.verdicts import latency_text

if TYPE_CHECKING:
    from core.trace.columns import Place, Trace
    from core.trace.lines import LineCost, Wait

_UNTRACEABLE = (VerdictClass.FAIL_BUILD.value, VerdictClass.FAIL_INTEGRITY.value)
_NAMED_WAITS = 2  # of a line, in words
_BUTTONS = 5.0  # line heights of the bar that are none of its words
_MATTERS = 0.005  # of the kernel's time: a smaller change has no colour

_Case = tuple[str, str]  # its name, and who ran it: a model of which processor


@dataclass(frozen=True)
class Traced:
    """What is kept of a trace: cost of its lines, length of the launch in ns, who modelled it."""

    costs: Mapping[Place, LineCost]
    length_ns: int
    judged: str

    def of_file(self, path: str) -> dict[int, LineCost]:
        """By 0-based line of a file of the candidate."""
        return {
            place.line - 1: cost
            for place, cost in self.costs.items()
            if place.line and _is(path, place)
        }


@dataclass(frozen=True)
class Change:
    """How the cost of a line changed.

    Attributes:
        ns: Against the line it came from, or against nothing.
        partner: 0-based line of the older version it came from; None for a new one.
    """

    ns: float
    partner: int | None


def _is(path: str, place: Place) -> bool:
    """Whether a place of a trace is in a file; either may be named without its folders."""
    return (
        path == place.file
        or path.endswith(f"/{place.file}")
        or place.file.endswith(f"/{path}")
    )


class LineTimes(QObject):
    """Serves `review.trace`, `review.times` and `review.hot_line`.

    Args:
        window: Parent of the bar.
        operations: Background work.
        preferences: Whether times are shown.
        actions: The commands.
        diff: The comparison.
        navigation: Ways to a line of it.

    Signals:
        trace_wanted: `Subject`s to be traced, the newer one first, and the case; empty
            for the slowest one.
        stopped: The user stops the trace that is running.
    """

    trace_wanted = Signal(list, str)
    stopped = Signal()

    def __init__(
        self,
        window: QWidget,
        operations: Operations,
        preferences: Preferences,
        actions: ActionRegistry,
        diff: DiffView,
        navigation: Navigation,
    ) -> None:
        super().__init__(window)
        self._operations = operations
        self._preferences = preferences
        self._actions = actions
        self._diff = diff
        self._navigation = navigation
        # by candidate; of its cases the one traced last is the last
        self.traced: dict[str, dict[_Case, Traced]] = {}
        self._pair: VersionPair | None = None
        self.subjects: tuple[Subject, ...] = ()
        self._path = ""
        self._on = preferences.flag("review/times", default=True)
        self.bar = TimesBar(actions)
        self.bar.stopped.connect(self.stopped)
        diff.timed.connect(self.bar.say)
        actions.bind_switch("review.times", self._switch, checked=self._on)
        actions.bind("review.trace", self._ask)
        actions.bind("review.hot_line", self._go_to_next_hot_line)
        self.show_pair(None, None)

    def show_pair(self, pair: VersionPair | None, newer: Subject | None) -> None:
        """Other versions are compared, `newer` being the one on the right; None: nothing is shown."""
        self._pair, self._path = pair, ""
        self.subjects = ()
        if pair is not None and newer is not None:
            self.subjects = _subjects(pair, newer)
        self._offer()

    def show_file(self, path: str) -> None:
        """Another file of them is in front."""
        self._path = path
        self._show()

    def take(self, subject: Subject, trace: Trace) -> None:
        """Keep what the lines of a trace cost, whichever page asked for it."""

        def read() -> Traced:
            from core.trace.lines import line_costs
            from sage_desktop.services.tracing import EVALUATOR

            evaluator = str(trace.facts.get(EVALUATOR, ""))
            return Traced(line_costs(trace), trace.kernel_ns, evaluator)

        def keep(traced: Traced) -> None:
            cases = self.traced.setdefault(subject.candidate, {})
            case = str(trace.facts.get("case", "")), traced.judged
            cases.pop(case, None)  # the case traced last is the last
            cases[case] = traced
            self._show()

        self._operations.run_in_background(self, read, keep)

    def show_work(self, words: str) -> None:
        """Say what is being done; empty when nothing is."""
        self.bar.show_work(translated(words))
        self._offer()

    def show_traces(
        self, _traces: Sequence[Trace], _subjects: Sequence[Subject]
    ) -> None:
        """Show the column: the traces were taken one by one, and who asks wants to see them."""
        self._actions["review.times"].setChecked(True)

    def _switch(self, on: bool) -> None:
        self._on = on
        self._preferences.set("review/times", on)
        self._show()

    def _ask(self) -> None:
        if self.subjects and not self.bar.working:
            self.trace_wanted.emit(list(self.subjects), "")

    def trace_case(self, case: str) -> None:
        """Have both versions traced on a case, where they can be."""
        if self.subjects and not self.bar.working:
            self.trace_wanted.emit(list(self.subjects), case)

    def _case(self) -> _Case | None:
        """On which case the newer version was traced last, the older one too if there is such a case."""
        if not self.subjects:
            return None
        newer, *older = map(self._cases_of, self.subjects)
        cases = list(newer)
        if older:
            cases = [case for case in newer if case in older[0]] or cases
        return cases[-1] if cases else None

    def _cases_of(self, subject: Subject) -> Mapping[_Case, Traced]:
        """The traces of a kernel, by case."""
        return self.traced.get(subject.candidate, {})

    def _traces(self) -> tuple[Traced | None, Traced | None]:
        """Of the newer and of the older version, on the same case."""
        case = self._case()
        if case is None:
            return None, None
        newer, *older = [self._cases_of(subject).get(case) for subject in self.subjects]
        return newer, older[0] if older else None

    def _offer(self) -> None:
        """Enable what can be done now."""
        newer, older = self._traces()
        missing = newer is None or (older is None and len(self.subjects) > 1)
        visible = self._on and newer is not None
        traceable = bool(self.subjects) and missing and not self.bar.working
        self._actions.enable({"review.trace": traceable, "review.hot_line": visible})
        self.bar.setVisible(self.bar.working or visible)
        self.bar.trace.setVisible(missing and not self.bar.working)

    def _show(self) -> None:
        """Fill the column for the file in front."""
        self._offer()
        newer, older = self._traces()
        if not self._on or newer is None or self._pair is None:
            self._diff.set_times({})
            return
        case, judged = self._case() or ("", "")
        lengths = [trace.length_ns for trace in (older, newer) if trace is not None]
        arrow = " \N{RIGHTWARDS ARROW} "
        total = arrow.join(latency_text(ns / 1e3) for ns in lengths)
        self.bar.show_total(total, case, translated(judged))
        newer_costs = newer.of_file(self._path)
        older_costs = older.of_file(self._path) if older is not None else {}
        self.bar.show_file(timed=bool(newer_costs or older_costs))
        longest = _longest(newer, older)
        changes = {}
        if older is not None:
            changes = self._changes(newer_costs, older_costs)
        least = _MATTERS * newer.length_ns
        newer_column = {}
        for line, cost in newer_costs.items():
            change = changes.get(line)
            summary = self._summary(cost, change)
            newer_column[line] = _line_time(cost, longest, summary, change, least)
        # Changes stand at the newer version alone.
        older_column = {
            line: _line_time(cost, longest, self._summary(cost))
            for line, cost in older_costs.items()
        }
        self._diff.set_times({"right": newer_column, "left": older_column})

    def _changes(
        self, newer: Mapping[int, LineCost], older: Mapping[int, LineCost]
    ) -> dict[int, Change]:
        """How the cost of each line of the newer version changed, both by 0-based line."""
        partners = self._partners(self._path)
        changes = {}
        for line, cost in newer.items():
            partner = partners.get(line)
            before = older.get(partner) if partner is not None else None
            before_ns = before.ns if before is not None else 0.0
            changes[line] = Change(cost.ns - before_ns, partner)
        return changes

    def _partners(self, path: str) -> dict[int, int]:
        """0-based line of the newer version -> the line of the older one it came from, moved ones too."""
        assert self._pair is not None
        partners = {}
        for row in compared(*self._pair.sides(path)).rows:
            if row.right is None:
                continue
            moved = self._diff.document.moved("right", row.right)
            origin = row.left if moved is None else moved
            if origin is not None:
                partners[row.right] = origin
        return partners

    def _summary(self, cost: LineCost, change: Change | None = None) -> str:
        """Everything about a line in one line.

        Args:
            cost: Of the line.
            change: Against the older version; None where that is not compared.
        """
        parts = []
        if cost.ns:
            parts.append(self.tr("{0} in {1}").format(time_words(cost.ns), cost.pipe))
        parts += [self._waits(wait) for wait in cost.waits[:_NAMED_WAITS]]
        is_same = change is not None and _number(abs(change.ns)) == "0"
        if change is not None and change.partner is not None and not is_same:
            words = _signed(change.ns, time_words(abs(change.ns)))
            before = self.tr("{0} against line {1} before")
            parts.append(before.format(words, change.partner + 1))
        elif change is not None and change.partner is None:
            parts.append(self.tr("new"))
        if cost.cycles:
            parts.append(self.tr("{0:,.0f} cycles").format(cost.cycles))
        return " · ".join(parts)

    def _waits(self, wait: Wait) -> str:
        if wait.place is None:
            return self.tr("waits {0}").format(time_words(wait.ns))
        ways = {
            "queue": self.tr("through a queue"),
            "flag": self.tr("by a flag or barrier"),
            "core": self.tr("on another core"),
        }
        words = self.tr("waits {0} for {1}, line {2} ({3}, {4})")
        return words.format(
            time_words(wait.ns),
            wait.call,
            wait.place.line,
            wait.pipe,
            ways.get(wait.kind, ""),
        )

    def _go_to_next_hot_line(self) -> None:
        """The line that takes longest, then the next one, through all files."""
        newer, _older = self._traces()
        if newer is None or self._pair is None:
            return
        paths = self._pair.paths
        places = _slowest_first(newer, paths)
        if not places:
            return
        side, line = self._diff.place
        file = paths.index(self._path) if self._path in paths else 0
        # Times of the older version are not walked through: from there to the slowest.
        here = (file, line if side == "right" else -1)
        rank = places.index(here) + 1 if here in places else 0
        self._navigation.go_to_place(*places[rank % len(places)])


def _subjects(pair: VersionPair, newer: Subject) -> tuple[Subject, ...]:
    """What of two versions can be traced: none, the newer one, or both."""
    if pair.newer.verdict in _UNTRACEABLE:
        return ()
    older = pair.older
    if older is None or older.verdict in _UNTRACEABLE:
        return (newer,)
    if older.candidate == newer.candidate:
        return (newer,)
    subject = replace(newer, candidate=older.candidate, round=older.round)
    if pair.of_other_run:
        # The entry of the queue is that of the newer version.
        subject = replace(subject, entry=0)
    return (newer, subject)


def _longest(newer: Traced, older: Traced | None) -> float:
    """Time in ns of the longest line of both versions; 1 where no line takes time."""
    times = [cost.ns for cost in newer.costs.values()]
    if older is not None:
        times += [cost.ns for cost in older.costs.values()]
    return max(times, default=0.0) or 1.0


def _slowest_first(traced: Traced, paths: Sequence[str]) -> list[tuple[int, int]]:
    """(number of its file in `paths`, 0-based line) of every line that costs something."""

    def slowness(entry: tuple[Place, LineCost]) -> tuple[float, float]:
        # What a line waits is the time of another one, which comes first.
        _place, cost = entry
        return cost.ns, cost.stalled_ns

    places = []
    for place, _cost in sorted(traced.costs.items(), key=slowness, reverse=True):
        for number, path in enumerate(paths):
            if place.line and _is(path, place):
                places.append((number, place.line - 1))
    return places


def _line_time(
    cost: LineCost,
    longest: float,
    summary: str,
    change: Change | None = None,
    least_ns: float = 0.0,
) -> LineTime:
    """One cell of the column.

    Args:
        cost: Of the line.
        longest: ns of the longest line of both versions.
        summary: Everything about the line.
        change: Against the older version; None where that is not compared.
        least_ns: A larger change has a colour.
    """
    number = _number(cost.ns)
    change_words = ""
    role = "muted"
    # A change that would be written as 0 is none.
    if change is not None and _number(abs(change.ns)) != "0":
        change_words = _signed(change.ns)
        if abs(change.ns) > least_ns:
            role = "success" if change.ns < 0 else "danger"
    return LineTime(
        number if number != "0" else "",
        min(1.0, cost.ns / longest),
        min(1.0, cost.stalled_ns / longest),
        change_words,
        role,
        summary,
    )


def time_words(ns: float) -> str:
    """A time with the unit that suits it."""
    return f"{ns / 1e3:.3g} µs" if ns >= 1e3 else f"{ns:.3g} ns"


def _number(ns: float) -> str:
    """Microseconds in at most four characters; `0` where that is too short for them."""
    us = ns / 1e3
    # Each limit is where the next format would be rounded up to one digit more.
    if us < 0.005:
        return "0"
    if us < 9.995:
        return f"{us:.2f}"
    if us < 99.95:
        return f"{us:.1f}"
    return f"{us:.0f}"


def _signed(ns: float, words: str = "") -> str:
    """A change with its sign; by default in microseconds."""
    sign = "\N{MINUS SIGN}" if ns < 0 else "+"
    return sign + (words or _number(abs(ns)))


class TimesBar(QWidget):
    """Hidden while there are no times and none are being made.

    Signals:
        stopped: The user stops the trace that is running.
    """

    stopped = Signal()

    def __init__(self, actions: ActionRegistry) -> None:
        super().__init__()
        self.working = False
        self._total = self._case = self._idle = ""
        self.what = muted(wraps=False)
        self.line = ElidingLabel()
        self.trace = tool_of(actions["review.trace"])
        self._hot = tool_of(
            actions["review.hot_line"], Qt.ToolButtonStyle.ToolButtonIconOnly
        )
        self.stop = tool(self.stopped, self.tr("Stop"), "stop")
        hbox(
            self.what,
            (self.line, 1),
            self.trace,
            self._hot,
            self.stop,
            owner=self,
            margins=(0.8, 0, 0.4, 0),
            spacing=0.6,
        )
        self.show_work("")

    def show_work(self, words: str) -> None:
        """Say what is being done; empty when nothing is."""
        self.working = bool(words)
        self.stop.setVisible(self.working)
        self._hot.setVisible(not self.working)
        self.line.set_text(words)

    def show_total(self, total: str, case: str, judged: str) -> None:
        """Say how long the launch takes, of both versions where both are known, and who modelled that."""
        self._total, self._case = total, case
        self._say_what()
        hint = self.tr(
            "How long the pipes of a core work for a line, on the core where that is longest, and its change "
            "against the older version; the bar below: how long they wait before it. Pipes work at the same "
            "time: lines add up to more than the launch. Case {0}, {1}."
        )
        self.what.setToolTip(f"{total}\n{hint.format(case, judged)}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._say_what()

    def _say_what(self) -> None:
        """Where there is no room for both, what is known of a line comes before the whole kernel."""
        words = self.tr("µs per line, modelled · {1} {0} without launch")
        words = words.format(self._total, self._case)
        metrics = self.fontMetrics()
        needed = metrics.horizontalAdvance(f"{words}{self.line.text()}")
        if needed > self.width() - theme().px(_BUTTONS):
            words = self.tr("µs, modelled")
        self.what.setText(words)

    def show_file(self, *, timed: bool) -> None:
        """Show a note where no line of the file in front has a time."""
        idle = self.tr(
            "No line of this file runs on the device. F9 goes to the line that takes longest."
        )
        self._idle = "" if timed else idle
        self.say("")

    def say(self, words: str) -> None:
        """What is known of the caret's line."""
        if not self.working:
            self.line.set_text(words or self._idle)
            self._say_what()
