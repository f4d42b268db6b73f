"""Above the code: operator, verdict, latency and its change, errors, and the choice of versions."""

from __future__ import annotations

from collections import Counter
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
)

from core.analysis.queries import QueueRow, RoundRow, unproven_gains
from core.evaluation.records import (
    CANN_HEADERS,
    CANN_PROFILED,
    CaseResult,
    Evaluation,
    VerdictClass,
)
from sage_desktop.panels.review.details import worst_of
from sage_desktop.panels.review.rounds import RoundStrip
from sage_desktop.panels.review.versions import (
    Choice,
    OtherVersion,
    Pick,
    VersionPair,
    Versions,
)
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.typed import expect, present
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.eliding_label import ElidingLabel, LinkLabel
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.making import draw, tool_of
from sage_desktop.ui.widgets.pages import PageHead
from sage_desktop.ui.widgets.stacking import hbox
from sage_desktop.ui.widgets.verdicts import (
    baseline_text,
    edited_text,
    fault_text,
    latency_text,
    origin_text,
    range_text,
    round_look,
    small_number,
    unproven_text,
    verdict_look,
)

_tr = partial(QCoreApplication.translate, "ReviewHeader")
_PICKS = {
    Pick.LATEST: "Latest round",
    Pick.BEFORE: "Previous round",
    Pick.FIRST_CORRECT: "First correct",
    Pick.BEST: "Best",
    Pick.REFERENCE: "Definition in PyTorch",
    Pick.NOTHING: "Nothing",
}
# What is offered by name on each side, above the rounds.
_OLDER = (Pick.BEFORE, Pick.FIRST_CORRECT, Pick.BEST, Pick.REFERENCE, Pick.NOTHING)
_NEWER = (Pick.LATEST, Pick.FIRST_CORRECT, Pick.BEST)
_EQUAL = 0.0005  # share by which latencies may differ and still count as equal
_PAIRS = {  # command -> older and newer version; None is "this" one
    "review.first_best": (Pick.FIRST_CORRECT, Pick.BEST),
    "review.first_this": (Pick.FIRST_CORRECT, None),
    "review.best_this": (Pick.BEST, None),
}


class ReviewHeader(PageHead):
    """What the version achieved; below it rounds and choice of versions, and why it failed.

    Signals:
        picked: (older choice, newer choice) of the versions to compare.
    """

    picked = Signal(object, object)

    def __init__(self, actions: ActionRegistry) -> None:
        super().__init__()
        self.pairs = PairButton(actions)
        self.badge = QLabel()
        self.verdict = QLabel()
        self.latency = QLabel()
        self.origin = muted(wraps=False)
        self.change = QLabel()
        self.facts = ElidingLabel(muted=True)
        self.cause_icon = QLabel()
        self.cause = LinkLabel(self.tr("Go to the line this is about"))
        self.strip = RoundStrip()
        self.strip.picked.connect(self._pick_round)
        self.older = ComboBox(self.tr("Older version"))
        self.newer = ComboBox(self.tr("Newer version"))
        for box in (self.older, self.newer):
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMinimumWidth(theme().px(5))  # gives way before the round in front
            box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            box.activated.connect(self._pick)
        self.counter = muted(wraps=False)
        self._lay_out(actions)

    def _lay_out(self, actions: ActionRegistry) -> None:
        for label in (
            self.badge,
            self.verdict,
            self.latency,
            self.origin,
            self.change,
        ):
            self.state.addWidget(label)
        self.state.addWidget(self.facts, 1)
        alone = Qt.ToolButtonStyle.ToolButtonIconOnly
        trace = tool_of(actions["review.trace"], alone)
        use = tool_of(actions["queue.use"], alone)
        self._rounds = hbox((self.strip, 1), use, trace, self.pairs, spacing=0.3)
        arrow = muted("\N{RIGHTWARDS ARROW}", wraps=False)
        previous = tool_of(actions["review.previous"], alone)
        following = tool_of(actions["review.next"], alone)
        self._tools = hbox(
            None,
            self.older,
            arrow,
            self.newer,
            0.4,
            previous,
            following,
            self.counter,
            spacing=0.2,
        )
        self._second = hbox((self._rounds, 1), self._tools, spacing=0.3)
        self.controls.addLayout(self._second, 1)
        page = expect(self.layout(), QBoxLayout)
        page.addLayout(hbox(self.cause_icon, (self.cause, 1)))

    def minimumSizeHint(self) -> QSize:
        """In which the rounds and the tools have room below each other."""
        least = super().minimumSizeHint()
        margins = self.contentsMargins() + present(self.layout()).contentsMargins()
        rows = max(row.minimumSize().width() for row in (self._rounds, self._tools))
        width = rows + margins.left() + margins.right()
        return QSize(min(least.width(), width), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_tools()

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:  # the tools say something longer
            self._place_tools()
        return is_handled

    def _place_tools(self) -> None:
        """Beside the rounds where all of them have room there, below them otherwise."""
        tools = self._tools.sizeHint().width()
        buttons = self._rounds.sizeHint().width() - self.strip.sizeHint().width()
        needed = self.strip.full_width() + buttons + tools + theme().px(2)
        direction = QBoxLayout.Direction.TopToBottom
        if needed <= self.width():
            direction = QBoxLayout.Direction.LeftToRight
        if direction != self._second.direction():
            self._second.setDirection(direction)

    def fill_choices(self, trajectory: Versions, older: Choice, newer: Choice) -> None:
        """Offer the versions of `trajectory`; select the two in use."""
        self._fill(self.older, _OLDER, trajectory)
        if trajectory.other_versions:
            self.older.insertSeparator(self.older.count())
        for other in trajectory.other_versions:
            self.older.addItem(self._other_name(other), other.choice)
        self._fill(self.newer, _NEWER, trajectory)
        _select(self.older, older)
        _select(self.newer, newer)

    def _fill(
        self, box: ComboBox, picks: tuple[Pick, ...], trajectory: Versions
    ) -> None:
        """Offer named choices, then the rounds."""
        box.clear()
        for pick in picks:
            box.addItem(self.tr(_PICKS[pick]), pick)
        box.insertSeparator(box.count())
        for row in trajectory.viewable:
            box.addItem(self._round_name(row.round, trajectory), row.round)

    def _round_name(self, number: int, trajectory: Versions) -> str:
        words = self.tr("Round {0}").format(number)
        by_person = {row.round for row in trajectory.rounds if row.author == "person"}
        if number in by_person:
            words += f" · {edited_text()}"
        if number == trajectory.queue.best_round:
            words += self.tr(" · best")
        elif number == trajectory.queue.first_correct_round:
            words += self.tr(" · first correct")
        return words

    def _other_name(self, other: OtherVersion) -> str:
        words = self.tr("Run of {0}: last round")
        if other.best:
            words = self.tr("Run of {0}: best")
        minute = other.started_at[:16].replace("T", " ")
        return words.format(minute)

    def show_comparison(self, trajectory: Versions, comparison: VersionPair) -> None:
        """Say what the newer version achieved and how it compares."""
        newer, queue = comparison.newer, trajectory.queue
        self.name.setText(queue.operator)
        self._show_verdict(newer, queue.state)
        self._show_change(comparison)
        self.latency.setToolTip(self._sum_text(comparison.evaluation))
        self.facts.set_text(self._facts_line(trajectory, comparison))
        self._show_cause(newer, queue, comparison.evaluation)
        older = 0
        # A round of another run is not in the strip.
        if comparison.older is not None and not comparison.of_other_run:
            older = comparison.older.round
        self.strip.show_rounds(trajectory, older, newer.round)
        self._place_tools()

    def _facts_line(self, trajectory: Versions, comparison: VersionPair) -> str:
        """Everything known of the newer version beside verdict and latency."""
        newer = comparison.newer
        evaluation = comparison.evaluation
        timed = _timed(evaluation)
        unproven = unproven_gains(trajectory.rounds)
        # Without a latency there is nothing to hold against the baselines.
        baselines = comparison.baselines if newer.latency_us is not None else ()
        parts = (
            edited_text() if newer.author == "person" else "",
            _witness(evaluation),
            self.tr("sum of %n timed case(s)", "", len(timed)) if timed else "",
            unproven_text() if newer.round in unproven else "",
            range_text(newer.latency_low, newer.latency_high),
            self._beside_profile(evaluation),
            self._against_recording(newer),
            self._facts(evaluation),
            *map(baseline_text, baselines),
        )
        return " · ".join(part for part in parts if part)

    def _show_cause(
        self, newer: RoundRow, queue: QueueRow, evaluation: Evaluation | None
    ) -> None:
        """Say why the round, or else the trajectory, failed; nothing where neither did."""
        cause = newer.cause if newer.verdict != "pass" else ""
        if not cause and queue.state in ("failed", "cancelled"):
            cause = queue.reason
        parts = (fault_text(evaluation), translated(cause))
        self.cause.set_text(" · ".join(part for part in parts if part))
        self.cause.setVisible(bool(cause))
        self.cause_icon.setVisible(bool(cause))

    def _sum_text(self, evaluation: Evaluation | None) -> str:
        """What the latency of an operator is made of, case by case."""
        timed = _timed(evaluation)
        if evaluation is None or not timed:
            return ""
        lines = [self.tr("The sum of the timed cases:")]
        for case in timed:
            if case.latency is None:
                continue
            line = f"{case.case}: {latency_text(case.latency.value)}"
            if case.weight != 1:
                line += f" × {case.weight:g}"
            lines.append(line)
        whole = evaluation.latency
        if whole is not None and whole.launch is not None:
            launch = latency_text(whole.launch)
            lines.append(self.tr("of that, starting the kernel: {0}").format(launch))
        return "\n".join(lines)

    def _show_verdict(self, row: RoundRow, state: str) -> None:
        """Verdict and latency of a round, in the colour of the verdict."""
        look = round_look(row.verdict, row.candidate, state)
        color = theme().color(look.role).name()
        draw(self.badge, look.icon, look.role, 1.2)
        draw(self.cause_icon, "error", look.role)
        self.verdict.setText(self.tr("Round {0}: {1}").format(row.round, look.text))
        self.verdict.setStyleSheet(f"color: {color}")
        self.latency.setText(latency_text(row.latency_us))
        theme().letter(self.latency, "strong")
        self.origin.setText(origin_text(row.latency_origin))
        for label in (self.latency, self.origin):
            label.setVisible(row.latency_us is not None)

    def _show_change(self, comparison: VersionPair) -> None:
        """Say by how much the latency changed from the older version."""
        change = comparison.latency_change
        self.change.setVisible(change is not None)
        if change is None or comparison.older is None:
            return
        sign = "\N{MINUS SIGN}" if change < 0 else "+"
        role = "muted"
        if abs(change) > _EQUAL:
            role = "success" if change < 0 else "danger"
        words = self.tr("{0}{1:.1f} % against round {2}")
        if comparison.of_other_run:
            words = self.tr("{0}{1:.1f} % against the other run")
        text = words.format(sign, abs(change) * 100, comparison.older.round)
        self.change.setText(text)
        color = theme().color(role).name()
        self.change.setStyleSheet(f"color: {color}; font-weight: 600")

    def _against_recording(self, row: RoundRow) -> str:
        """How a round that is played again was judged when it was recorded; empty for any other round."""
        if not row.recorded_verdict or not row.verdict:
            return ""
        # A time of another origin compares with nothing: it is left out.
        comparable = row.recorded_origin == row.latency_origin
        recorded = latency_text(row.recorded_us) if comparable else ""
        if row.recorded_verdict != row.verdict:
            verdict = verdict_look(row.recorded_verdict).text
            return self.tr("recorded: {0} {1}").format(verdict, recorded).strip()
        same = self.tr("same verdict as recorded")
        if row.recorded_us is None or row.latency_us is None or not comparable:
            return same
        if abs(row.latency_us / row.recorded_us - 1) < _EQUAL:
            return same
        return self.tr("recorded: {0}").format(recorded)

    def _beside_profile(self, evaluation: Evaluation | None) -> str:
        """What CANN's own kernels took in the profile a task was made of."""
        duration = evaluation.facts.get(CANN_PROFILED, "") if evaluation else ""
        return self.tr("CANN itself {0}").format(duration) if duration else ""

    def _facts(self, evaluation: Evaluation | None) -> str:
        """Cases, errors, integrity, bottleneck and judge, as far as they are known."""
        if evaluation is None:
            return ""
        parts = self._case_facts(evaluation)
        if evaluation.verdict is VerdictClass.FAIL_INTEGRITY:
            parts.append(self.tr("breaks an integrity rule"))
        elif evaluation.cases:  # the rules are checked before anything is run
            parts.append(self.tr("no integrity rule broken"))
        if evaluation.profile is not None and evaluation.profile.bound:
            bound = evaluation.profile.bound.upper()
            parts.append(self.tr("bound by {0}").format(bound))
        cann = evaluation.facts.get("cann", "")
        parts += [
            evaluation.toolchain,
            translated(evaluation.device),
            f"CANN {cann}" if cann else "",
        ]
        return " · ".join(part for part in parts if part)

    def _case_facts(self, evaluation: Evaluation) -> list[str]:
        """How many cases pass, and the worst errors among them."""
        parts = []
        if evaluation.cases:
            count = Counter(case.status for case in evaluation.cases)
            judged = len(evaluation.cases) - count["skipped"]
            parts.append(self.tr("{0} of {1} cases pass").format(count["pass"], judged))
            if count["skipped"]:
                parts.append(self.tr("{0} skipped").format(count["skipped"]))
        outputs = [worst_of(case) for case in evaluation.cases]
        worst = [output for output in outputs if output is not None]
        if worst:
            largest = small_number(max(output.max_abs for output in worst))
            parts.append(self.tr("max abs {0}").format(largest))
            largest = small_number(max(output.max_rel for output in worst))
            parts.append(self.tr("max rel {0}").format(largest))
            accuracy = min(output.average_accuracy for output in worst)
            parts.append(self.tr("accuracy {0:.2f} %").format(accuracy * 100))
        return parts

    def show_place(self, number: int, total: int) -> None:
        """Say which change is in front."""
        words = self.tr("no changes")
        if total:
            # Before the first change the number is 0.
            words = f"{max(1, number)} / {total}"
        self.counter.setText(words)

    def _pick_round(self, number: int, as_older: bool) -> None:
        """A round was clicked: it takes the place of one of the two."""
        older = _choice(self.older.currentData())
        newer = _choice(self.newer.currentData())
        if as_older:
            self.picked.emit(number, newer)
        else:
            self.picked.emit(older, number)

    def _pick(self, _index: int) -> None:
        older = _choice(self.older.currentData())
        newer = _choice(self.newer.currentData())
        self.picked.emit(older, newer)


class PairButton(QToolButton):
    """Compares first correct, best and this version, in turn or by the commands `review.*_this`, `first_best`.

    "This" is the newer version chosen last in any other way.

    Signals:
        picked: (older choice, newer choice) to compare.
    """

    picked = Signal(object, object)

    def __init__(self, actions: ActionRegistry) -> None:
        super().__init__()
        self._actions = actions
        self._this_version: Choice = Pick.LATEST
        self._pair = ""  # the pair in front, a key of _PAIRS; empty for any other
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setToolTip(
            self.tr(
                "Compare the next two of first correct, best and this version; Alt+1, Alt+2, Alt+3"
            )
        )
        self.clicked.connect(self._next)
        for name in _PAIRS:
            actions.bind(name, partial(self._pick, name))
        self._words = {
            "": self.tr("Compare"),
            "review.first_best": self.tr("First → best"),
            "review.first_this": self.tr("First → this"),
            "review.best_this": self.tr("Best → this"),
        }
        self.show_pair(None, Pick.BEFORE, Pick.LATEST)

    def set_this_version(self, newer: Choice) -> None:
        """Call another version "this"."""
        self._this_version = newer

    def show_pair(
        self, trajectory: Versions | None, older: Choice, newer: Choice
    ) -> None:
        """Name the pair compared now; offer the pairs that differ."""
        self._pair = ""
        offered = {}
        for name in _PAIRS:
            pair = self._choices(name)
            offered[name] = trajectory is not None and _differ(trajectory, *pair)
            # Two names may mean the same pair, when "this" is the best version.
            if offered[name] and pair == (older, newer) and not self._pair:
                self._pair = name
        self._actions.enable(offered)
        self.setEnabled(any(offered.values()))
        words = self._words[self._pair]
        self.setText(words)
        self.setAccessibleName(words)

    def _choices(self, name: str) -> tuple[Choice, Choice]:
        """The older and newer version that a pair names now."""
        older, newer = _PAIRS[name]
        return older, newer or self._this_version

    def _next(self) -> None:
        """Compare the pair after the one in front, in turn."""
        names = [name for name in _PAIRS if self._actions[name].isEnabled()]
        if self._pair in names:
            following = names.index(self._pair) + 1
            self._pick(names[following % len(names)])
        elif names:
            self._pick(names[0])

    def _pick(self, name: str) -> None:
        self.picked.emit(*self._choices(name))


def _differ(trajectory: Versions, older: Choice, newer: Choice) -> bool:
    """Whether both versions exist and are two kernels."""
    older_round = trajectory.resolve(older)
    newer_round = trajectory.resolve(newer)
    if older_round is None or newer_round is None:
        return False
    return older_round.candidate != newer_round.candidate


def _timed(evaluation: Evaluation | None) -> list[CaseResult]:
    """The cases whose times add up to the latency of the operator."""
    cases = evaluation.cases if evaluation is not None else ()
    return [case for case in cases if case.is_timed]


def _choice(data: object) -> object:
    """What an entry of a list stands for; Qt keeps named choices as plain strings."""
    return Pick(data) if isinstance(data, str) else data


def _select(box: ComboBox, choice: Choice) -> None:
    """Select a choice in a list, the first entry where it is not offered."""
    choices = [_choice(box.itemData(number)) for number in range(box.count())]
    box.setCurrentIndex(choices.index(choice) if choice in choices else 0)


def _witness(evaluation: Evaluation | None) -> str:
    """Whether the headers of the user's CANN take the kernel, in words."""
    headers = evaluation.facts.get(CANN_HEADERS, "") if evaluation is not None else ""
    return "; ".join(map(witness_part, headers.split("; ")))


def witness_part(part: str) -> str:
    """What some of the headers say; the fact is stored in English."""
    for beginning, words in (
        ("accepted by the headers of ", _tr("accepted by the headers of {0}")),
        ("refused by the headers of ", _tr("refused by the headers of {0}")),
    ):
        if part.startswith(beginning):
            return words.format(part.removeprefix(beginning))
    return translated(part)
