"""The page Review: two versions of one operator's kernel, with everything known about the newer one.

What it shows. `ReviewHeader` on top: verdict, latency, the strip of rounds and the choice of versions. Below it
`Comparison`, the code, and beside that `Details`: adoption, messages, cases, diagnosis, notes.

Where its data come from. One background query (`versions.read_review`) reads the rounds of the operator in front
(`Versions`) and the two versions its choices mean now (`VersionPair`). Nothing else here reads rounds; only the
origin of lines, times of lines, the reference and the definition's text are read on demand by their own parts.

In which order it refreshes. `show_operator` (another row of the queue), `choose` (other versions) and `refresh`
(an event of the engine) all start that query; `_show` then fills header, comparison and details, in this order,
the last two only where something differs from what is in front.

"This version" is the round a person picked last. Comparing first or best with it leaves it as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from core.analysis import queries
from core.analysis.queries import QueueRow
from core.analysis.reviews import Decision, add_review
from sage_desktop.panels.review.comparison import Comparison, ReadLine
from sage_desktop.panels.review.details import Details
from sage_desktop.panels.review.exporting import VersionExports
from sage_desktop.panels.review.findings import messages_of
from sage_desktop.panels.review.header import ReviewHeader
from sage_desktop.panels.review.versions import (
    Choice,
    Pick,
    VersionPair,
    Versions,
    read_review,
)
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.rounds.ask_bar import Subject
from sage_desktop.ui.rounds.reference_dialog import ReferenceDialog
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.making import on_base
from sage_desktop.ui.widgets.pages import LazyPage
from sage_desktop.ui.widgets.stacking import split, stacked

_KERNEL_COMMANDS = (  # enabled while a kernel is on the page
    "review.next",
    "review.previous",
    "review.next_finding",
    "review.line",
    "review.side",
    "review.older",
    "review.newer",
    "review.reference",
    "review.editor",
    "review.export",
)
# By which a person reads on in the code.
_READING_COMMANDS = (
    "review.next",
    "review.previous",
    "review.next_finding",
    "review.line",
)
# Of which the page without a kernel offers what helps.
_OFFERS = ("queue.run", "queue.add", "queue.retry", "view.trajectory")
# Width of the details beside the code until the user moves the border.
_DETAILS_EM = 28
_DETAILS_SHARE = 0.32  # at most, of the page
_DRAWER = "review/drawer"  # "open" or "closed" once the user chose
_DETAILS_FROM = 100  # ems of the page that hold two columns of code and the details


@dataclass(frozen=True)
class _LineToShow:
    """A line that is gone to once its version is on the page.

    Attributes:
        entry: Of the queue.
        round: Number of the round.
        path: File of the kernel.
        line: From 1.
    """

    entry: int
    round: int
    path: str
    line: int


class ReviewPanel(LazyPage):
    """Header, code, and details beside it.

    Signals:
        item_opened: uid of a memory item the user wants to see.
        held: The user reads a kernel of an operator in work, which is to stay in front.
    """

    item_opened = Signal(str)
    held = Signal()

    def __init__(
        self, operations: Operations, actions: ActionRegistry, preferences: Preferences
    ) -> None:
        super().__init__()
        on_base(self)
        self._operations = operations
        self._actions = actions
        self._preferences = preferences
        self._row: QueueRow | None = None  # in front; its rounds may still be read
        self._older: Choice = Pick.BEFORE
        self._newer: Choice = Pick.LATEST
        # By trajectory whose work is over: what the person compared.
        self._compared_last: dict[str, tuple[Choice, Choice]] = {}
        self._is_opened = False  # whether the queue was read
        self._versions: Versions | None = None
        self._pair: VersionPair | None = None
        self._line_to_show: _LineToShow | None = None
        self._drawer_by_hand = bool(preferences.text(_DRAWER))
        self._line_read: ReadLine | None = None  # at which the next pair opens
        self.reference: ReferenceDialog | None = None  # while it is open
        self.header = ReviewHeader(actions)
        self.code = Comparison(operations, actions, preferences)
        self.details = Details(actions)
        # Binds its commands by itself.
        self.exports = VersionExports(
            self, operations, preferences, actions, self.in_front
        )
        self._lay_out()
        self._connect()
        self._bind()
        restyle_later(self, self._restyle)

    # ---- what is in front

    @property
    def versions(self) -> Versions | None:
        """All versions of the operator in front; None while none is read."""
        return self._versions

    @property
    def pair(self) -> VersionPair | None:
        """The two versions compared; None while there is no kernel."""
        return self._pair

    @property
    def subject(self) -> Subject | None:
        """The newer version, for a diagnostic to look into."""
        if self._versions is None or self._pair is None:
            return None
        return _subject_of(self._versions, self._pair)

    def in_front(self) -> tuple[QueueRow, VersionPair, str] | None:
        """Entry, versions compared and path of the file in front, for commands that write files."""
        if self._versions is None or self._pair is None:
            return None
        return self._versions.queue, self._pair, self.code.path

    # ---- what is asked to be shown

    def show_operator(self, row: QueueRow | None) -> None:
        """Bring an operator to the front; None shows the empty page."""
        before, self._row = self._row, row
        if before is not None and row is not None and before.id != row.id:
            self._forget_line_of_others(row.id)
        if row is None or not row.trajectory_uid:
            self._show_nothing()
            return
        # An entry that is run again has another trajectory, with rounds of its own.
        if before is None or before.trajectory_uid != row.trajectory_uid:
            self._choose_first(row)
        self._read(row)

    def _forget_line_of_others(self, entry: int) -> None:
        """The user went to `entry`: no line of another operator is jumped to or kept."""
        self._line_read = None
        if self._line_to_show is not None and self._line_to_show.entry != entry:
            self._line_to_show = None

    def _choose_first(self, row: QueueRow) -> None:
        """The versions an operator opens with.

        Where its work is over, as its row in the queue says, those compared last or the
        best; else the latest; or the round of a line asked for.
        """
        self._older, self._newer = Pick.BEFORE, Pick.LATEST
        if _is_over(row):
            best = Pick.BEST if row.best_round is not None else Pick.LATEST
            first = Pick.BEFORE, best
            last = self._compared_last.get(row.trajectory_uid, first)
            self._older, self._newer = last
        if self._line_to_show is not None and self._line_to_show.entry == row.id:
            self._newer = self._line_to_show.round
        self.header.pairs.set_this_version(self._newer)

    def choose(self, older: Choice, newer: Choice) -> None:
        """Compare other versions of the operator in front; the newer becomes "this version"."""
        self.header.pairs.set_this_version(newer)
        self._compare(older, newer)

    def _compare_at_line(self, older: Choice, newer: Choice) -> None:
        """Compare another pair of first, best and "this version", which stays, at the line one reads."""
        self._line_read = self.code.line_read()
        self._compare(older, newer)
        self._remember()

    def _choose_by_hand(self, older: Choice, newer: Choice) -> None:
        """Compare what the person chose: the operator comes back with it."""
        self.choose(older, newer)
        self._remember()

    def _remember(self) -> None:
        if self._row is not None and _is_over(self._row):
            self._compared_last[self._row.trajectory_uid] = self._older, self._newer

    def _compare(self, older: Choice, newer: Choice) -> None:
        """Read and show two versions; what the header calls "this version" stays."""
        self._older, self._newer = older, newer
        if self._row is not None:
            self._read(self._row)

    def show_round(self, number: int) -> None:
        """Bring a round of the operator in front to the newer side."""
        self.choose(Pick.BEFORE, number)

    def _hold(self) -> None:
        """The user reads what is in front: later rounds and operators do not take it away."""
        if self._pair is None or self._row is None or self._row.state != "running":
            return
        self.held.emit()
        if self._newer is Pick.LATEST:
            self.choose(self._older, self._pair.newer.round)

    def show_line(self, entry: int, number: int, path: str, line: int) -> None:
        """Bring a line of a round's kernel to the newer side, now or once its entry is in front.

        Args:
            entry: Of the queue.
            number: Of the round.
            path: File of the kernel.
            line: From 1.
        """
        self._line_to_show = _LineToShow(entry, number, path, line)
        if self._row is not None and self._row.id == entry:
            self.show_round(number)

    def _show_line_here(self, number: int, path: str, line: int) -> None:
        if self._row is not None:
            self.show_line(self._row.id, number, path, line)

    def refresh(self) -> None:
        """Read the row of the operator in front again, then its versions.

        The two queries have topics of their own: a refresh that was overtaken by another
        is dropped, and so is the reading of versions that `show_operator` replaces.
        """
        if self._row is None:
            return
        entry = self._row.id

        def show(rows: dict[int, QueueRow]) -> None:
            still_in_front = self._row is not None and self._row.id == entry
            if entry in rows and still_in_front:
                self.show_operator(rows[entry])

        self._operations.query(
            self, lambda db: queries.queue_rows(db, [entry]), show, topic="entry"
        )

    # ---- reading and showing

    def _read(self, row: QueueRow) -> None:
        """Start the query; a newer one replaces it."""
        older, newer = self._older, self._newer

        def show(answer: tuple[Versions, VersionPair | None]) -> None:
            # An entry that was not run starts no query that would replace this one.
            if self._row == row:
                self._show(*answer)

        self._operations.query(
            self,
            lambda connection: read_review(connection, row, older, newer),
            show,
            topic="review",
        )

    def _show(self, versions: Versions, pair: VersionPair | None) -> None:
        line_read, self._line_read = self._line_read, None
        if pair is None:
            self._show_nothing()
            return
        before = self._pair
        self._versions, self._pair = versions, pair
        self._stack.setCurrentIndex(1)
        self.header.pairs.show_pair(versions, self._older, self._newer)
        self.header.fill_choices(versions, self._older, self._newer)
        self.header.show_comparison(versions, pair)
        if before is None:
            self._actions.enable(dict.fromkeys(_KERNEL_COMMANDS, True))
        if before != pair:
            self._show_pair(versions, pair, line_read)
        self._go_to_line_asked_for(versions.queue.id, pair.newer.round)

    def _show_pair(
        self, versions: Versions, pair: VersionPair, line_read: ReadLine | None
    ) -> None:
        messages = messages_of(pair)
        self.code.show_pair(
            pair,
            messages,
            trajectory=versions.queue.trajectory_uid,
            older=self._older,
            subject=_subject_of(versions, pair),
            line_read=line_read,
        )
        writable = self._operations.can_write
        self.details.show_pair(pair, messages, writable=writable)
        rejected = self.details.notes.decision is Decision.REJECTED
        self._actions.enable({"review.export": not rejected})
        self._size_details()

    def show_opened(self) -> None:
        """The queue is read: where no kernel is, say what makes one."""
        self._is_opened = True
        self._say_empty()

    def _say_empty(self) -> None:
        """Say why there is no kernel, and offer what leads to one."""
        if not self._is_opened:
            return
        if self._row is None:
            self._empty.say(
                self.tr("No operator yet"),
                self.tr("Add operators to the queue; their kernels appear here."),
                offers=[self._actions["queue.add"]],
            )
        elif self._row.state == "running":
            self._empty.say(
                self.tr("{0}: the first kernel is being written").format(
                    self._row.operator
                ),
                self.tr("It appears here as soon as there is one."),
                offers=(),
            )
        elif self._row.state == "queued":
            self._empty.say(
                self.tr("No kernel yet"),
                self.tr(
                    "Run the queue; the first kernel of an operator appears here as soon as it is written."
                ),
                offers=[self._actions["queue.run"]],
            )
        else:
            self._say_ended(self._row)

    def _say_ended(self, row: QueueRow) -> None:
        """Say why an operator ended before it had a kernel: failed, cancelled, or given up."""
        title = self.tr("{0} ended without a kernel")
        if row.state == "failed":
            title = self.tr("{0} failed before it had a kernel")
        elif row.state == "cancelled":
            title = self.tr("{0} was cancelled before it had a kernel")
        offers = [self._actions["queue.retry"]]
        if row.trajectory_uid:
            offers.append(self._actions["view.trajectory"])  # its prompts and replies
        self._empty.say(
            title.format(row.operator), translated(row.reason), offers=offers
        )

    def _show_nothing(self) -> None:
        """Show the empty page; no command is about the operator that was in front before."""
        self._versions = self._pair = None
        self._stack.setCurrentIndex(0)
        self._say_empty()
        self.header.pairs.show_pair(None, self._older, self._newer)
        self.code.show_nothing()
        self.details.show_nothing()
        self._actions.enable(dict.fromkeys(_KERNEL_COMMANDS, False))

    def _go_to_line_asked_for(self, entry: int, number: int) -> None:
        """Go to the line asked for in `entry`, if `number` is its round.

        Another round is shown where that one has no kernel: then the line is dropped.
        """
        line = self._line_to_show
        if line is None or line.entry != entry:
            return
        self._line_to_show = None
        if line.round == number:
            self.code.navigation.jump(line.path, line.line)

    def _restyle(self) -> None:
        """Make icons and coloured words again in the colours of the new theme.

        Filling the details again does not touch a comment that is being written.
        """
        if self._versions is not None and self._pair is not None:
            self.header.show_comparison(self._versions, self._pair)
            self.code.restyle()
            self.details.show_pair(
                self._pair,
                messages_of(self._pair),
                writable=self._operations.can_write,
            )

    # ---- commands

    def _decide(self, decision: Decision, comment: str) -> None:
        """Store what a reviewer says of the newer version."""
        if self._pair is None:
            return
        candidate = self._pair.newer.candidate
        self._operations.write(
            self,
            lambda workspace: add_review(workspace, candidate, decision, comment),
            lambda _stored: self.refresh(),
            topics=frozenset({"queue", "rounds"}),
        )

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

    def _remember_details(self, on: bool) -> None:
        """The user opened or closed the details: so they stay."""
        self._drawer_by_hand = True
        self._preferences.set(_DRAWER, "open" if on else "closed")

    def _open_case(self, case: str) -> None:
        """Show what is wrong in a case; of one that passes, how long each line takes."""
        if self.details.mismatch.has(case):
            self.details.mismatch.open_explorer(case)
        else:
            self.code.times.trace_case(case)

    def _open_details(self, on: bool) -> None:
        self.details.set_open(on=on)
        self._size_details()

    # ---- building

    def _connect(self) -> None:
        header, code, details = self.header, self.code, self.details
        header.picked.connect(self._choose_by_hand)
        header.pairs.picked.connect(self._compare_at_line)
        header.cause.clicked.connect(code.navigation.show_fault)
        code.diff.moved.connect(header.show_place)
        code.diff.word_asked.connect(self.look_up)
        code.diff.read.connect(self._hold)
        for command in _READING_COMMANDS:
            self._actions[command].triggered.connect(self._hold)
        code.origins.item_opened.connect(self.item_opened)
        code.origins.round_chosen.connect(self.show_round)
        code.navigation.fault_without_line.connect(
            lambda: details.reveal(details.findings)
        )
        details.toggled.connect(self._actions["review.details"].trigger)
        details.adoptions.opened.connect(self.item_opened)
        details.adoptions.jumped.connect(code.navigation.jump)
        details.messages.jumped.connect(code.navigation.jump)
        details.mismatch.line_wanted.connect(self._show_line_here)
        details.cases.picked.connect(details.mismatch.choose)
        details.cases.opened.connect(self._open_case)
        details.notes.decided.connect(self._decide)
        details.read.connect(self._hold)

    def _bind(self) -> None:
        bind = self._actions.bind
        is_open = self._preferences.text(_DRAWER) != "closed"
        self.details.set_open(on=is_open)
        self._actions.bind_switch("review.details", self._open_details, checked=is_open)
        self._actions["review.details"].triggered.connect(self._remember_details)
        strip = self.header.strip
        bind("review.reference", lambda: self.look_up(self.code.diff.word()))
        bind("review.older", lambda: strip.step(-1))
        bind("review.newer", lambda: strip.step(1))

    def _lay_out(self) -> None:
        self.splitter = split(
            Qt.Orientation.Horizontal, self.code, self.details, stretch=(1, 0)
        )
        self.splitter.setCollapsible(0, False)  # noqa: FBT003 - Qt's signature
        self._chosen_width = self._preferences.number("review/details_width", 0)
        self.splitter.splitterMoved.connect(self._splitter_moved)
        full = stacked(QWidget(), self.header, self.splitter)
        self._empty = EmptyState(
            "review",
            self.tr("Opening the workspace…"),
            "",
            *(self._actions[command] for command in _OFFERS),
        )
        self._empty.say(self._empty.title.text(), "", offers=())
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(full)

    def _splitter_moved(self) -> None:
        if self.details.open_:
            self._chosen_width = self.splitter.sizes()[1]
            self._preferences.set("review/details_width", self._chosen_width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._drawer_by_hand:  # two columns of code come first
            roomy = self.width() >= theme().px(_DETAILS_FROM)
            self._actions["review.details"].setChecked(roomy)
        self._size_details()

    def _size_details(self) -> None:
        """Until the user moves the border, the details have a third, the code has the rest.

        They open as wide as the user left them, in a page of any width.
        """
        third = round(_DETAILS_SHARE * self.width())
        width = min(theme().px(_DETAILS_EM), third)
        if self._chosen_width:
            width = min(self._chosen_width, self.width() // 2)
        if not self.details.open_:
            width = self.details.rail_width()
        self.splitter.setSizes([self.width() - width, width])


def _is_over(row: QueueRow) -> bool:
    """Whether no round of an operator is to come."""
    return row.state not in ("queued", "running")


def _subject_of(versions: Versions, pair: VersionPair) -> Subject:
    """The newer version as tools name it."""
    queue, newer = versions.queue, pair.newer
    return Subject(queue.operator, queue.source, newer.candidate, newer.round, queue.id)
