"""The window: queue at the left, review and memory in the middle, log below, tool bar, status, banner.

It arranges panels and passes messages between them; what the commands do to the engine lives in `session.py`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QShortcut
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QToolBar,
    QToolButton,
    QWidget,
)

from sage_desktop.panels.log.panel import LogPanel
from sage_desktop.panels.log.ring import LogRing
from sage_desktop.panels.queue.panel import QueuePanel
from sage_desktop.shell.status import StatusBar
from sage_desktop.ui.action_table import MENUS
from sage_desktop.ui.actions import ActionRegistry, translated
from sage_desktop.ui.icons import application_icon, icon
from sage_desktop.ui.messages.banner import Banner
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.messages.toast import Toasts
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import ThemeMode, theme
from sage_desktop.ui.typed import expect, present
from sage_desktop.ui.widgets.making import named, tool_of
from sage_desktop.ui.widgets.pages import LazyPage, scrolled
from sage_desktop.ui.widgets.stacking import boxed, vbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QMessageBox

    from core.analysis.queries import QueueRow
    from sage_desktop.panels.memory.panel import MemoryPanel
    from sage_desktop.panels.review.panel import ReviewPanel
    from sage_desktop.panels.run.manual_pane import ManualPane
    from sage_desktop.panels.trajectory.panel import TrajectoryPanel
    from sage_desktop.ui.command_palette import CommandPalette

LAYOUT_VERSION = 2
REVIEW, MEMORY, TRAJECTORY, RESULTS, TIMELINE, WORKLOAD, HOSTS, START = range(8)
PAGES = (
    "review",
    "memory",
    "trajectory",
    "results",
    "timeline",
    "workload",
    "hosts",
    "start",
)
_OF_NO_OPERATOR = (MEMORY, WORKLOAD, HOSTS, START)
_TITLE_BAR = 3  # ems at most, with the border below the window
_BORDERS = 0.3  # ems at most, at the left and at the right of the window
_Docked = QueuePanel | LogPanel
_TOOLS = (
    "queue.run",
    "queue.pause",
    "queue.stop",
    "queue.setup",
    "queue.add",
)


class MainWindow(QMainWindow):
    """Panels, menus and the places where messages appear.

    Signals:
        leaving: The user confirmed that running work is to be stopped.
        stays: The user keeps the window open, having been asked.
        profile_wanted: (`Subject`, case) of a kernel whose profile is to be made.
        page_made: (number, page) of one that is made at its first use.
        prompt_answered: (key of the question, reply) of the manual model.
    """

    leaving = Signal()
    stays = Signal()
    profile_wanted = Signal(object, str)
    page_made = Signal(int, object)
    prompt_answered = Signal(str, str)

    def __init__(
        self, operations: Operations, preferences: Preferences, ring: LogRing
    ) -> None:
        super().__init__()
        self.preferences = preferences
        self._leave_at_once = True
        self._question: QMessageBox | None = None
        self.setWindowTitle("SAGE Desktop")
        self.setWindowIcon(application_icon())
        self.setObjectName("main")
        theme().apply_to(self)
        self.actions_ = ActionRegistry(self)
        self.banner = Banner()
        self.queue = QueuePanel(operations, self.actions_)
        self.operations = operations
        self._makers = {
            REVIEW: self._make_review,
            MEMORY: self._make_memory,
            TRAJECTORY: self._make_trajectory,
            RESULTS: self._make_results,
        }
        self._late: dict[int, LazyPage] = {}
        self._is_opened = False  # whether the queue was read
        self.first_page = REVIEW
        self.log = LogPanel(ring)
        self._manual: ManualPane | None = None
        self.status = StatusBar()
        self.setStatusBar(self.status)
        self._arrange()
        self.toasts = Toasts(self)
        self._palette: CommandPalette | None = None
        self._make_menus()
        self._make_tool_bar()
        self._bind()
        self._default_layout = QByteArray(self.saveState(LAYOUT_VERSION))
        self._restore()

    def _arrange(self) -> None:
        self.pages = QStackedWidget()
        self.tabs = named(QTabBar(drawBase=False, expanding=False), self.tr("Pages"))
        for name, drawing, page in (
            (self.tr("Review"), "review", self._opening_page()),
            (self.tr("Memory"), "memory", QWidget()),
            (self.tr("Trajectory"), "trajectory", QWidget()),
            (self.tr("Results"), "results", QWidget()),
            (self.tr("Timeline"), "timeline", QWidget()),
            (self.tr("Workload"), "workload", QWidget()),
            (self.tr("Hosts"), "hosts", QWidget()),
            (self.tr("Start"), "bolt", QWidget()),
        ):
            self.tabs.addTab(icon(drawing), name)
            self.pages.addWidget(page)
        self.tabs.currentChanged.connect(self._turn_page)
        room = scrolled(self.pages)  # a screen may be smaller than what a page needs
        room.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        centre = boxed(vbox(self.tabs, (room, 1), margins=0, spacing=0))
        self.setCentralWidget(centre)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.queue_dock = self._dock(
            "queue", self.tr("Queue"), self.queue, Qt.DockWidgetArea.LeftDockWidgetArea
        )
        self.log_dock = self._dock(
            "log", self.tr("Log"), self.log, Qt.DockWidgetArea.BottomDockWidgetArea
        )
        self.log_dock.hide()
        self.manual_dock = self._empty_dock(
            "manual", self.tr("Prompts"), Qt.DockWidgetArea.BottomDockWidgetArea
        )
        self.manual_dock.hide()
        self.manual_dock.visibilityChanged.connect(self._fill_manual_dock)

    def provide_page(self, number: int, make: Callable[[], LazyPage]) -> None:
        """Register how page `number` is made at its first use."""
        self._makers[number] = make

    def lazy_page(self, number: int) -> LazyPage:
        """The page `number` of those told to `provide_page`."""
        if number not in self._late:
            self._late[number] = self._makers[number]()
            self._replace_page(number, self._late[number])
            self.page_made.emit(number, self._late[number])
        return self._late[number]

    def _replace_page(self, number: int, page: QWidget) -> None:
        place = present(self.pages.widget(number))
        front = self.pages.currentIndex()
        self.pages.removeWidget(place)
        place.deleteLater()
        self.pages.insertWidget(number, page)
        self.pages.setCurrentIndex(front)

    @property
    def memory(self) -> MemoryPanel:
        """The memory page."""
        from sage_desktop.panels.memory.panel import MemoryPanel

        return expect(self.lazy_page(MEMORY), MemoryPanel)

    def _make_memory(self) -> LazyPage:
        from sage_desktop.panels.memory.panel import MemoryPanel

        panel = MemoryPanel(self.operations, self.actions_, self.preferences)
        panel.curation.offered.connect(
            lambda words, offer: self.toasts.show_message(
                words, kind="success", offer=offer, brief=True
            )
        )
        panel.curation.notice.connect(
            lambda words: self.toasts.show_message(words, kind="success")
        )
        panel.item_page.line_opened.connect(self._open_line)
        return panel

    def _opening_page(self) -> QWidget:
        """What stands there while the workspace opens: the page that is painted first."""
        return EmptyState("review", self.tr("Opening the workspace…"), "")

    @property
    def review(self) -> ReviewPanel:
        """The review page."""
        from sage_desktop.panels.review.panel import ReviewPanel

        return expect(self.lazy_page(REVIEW), ReviewPanel)

    def _make_review(self) -> LazyPage:
        from sage_desktop.panels.review.panel import ReviewPanel

        panel = ReviewPanel(self.operations, self.actions_, self.preferences)
        panel.item_opened.connect(self.show_item)
        panel.held.connect(self.queue.hold)
        panel.exports.written.connect(
            lambda words, folder: self.toasts.show_message(
                words,
                kind="success",
                offer=self.toasts.folder_offer(folder),
                brief=True,
            )
        )
        if self._is_opened:
            panel.show_opened()
        panel.show_operator(self.queue.current_row())
        return panel

    def _note_opened(self) -> None:
        """The queue has been read: the workspace is open."""
        self._is_opened = True
        if REVIEW in self._late:
            self.review.show_opened()

    @property
    def trajectory(self) -> TrajectoryPanel:
        """The trajectory page."""
        from sage_desktop.panels.trajectory.panel import TrajectoryPanel

        return expect(self.lazy_page(TRAJECTORY), TrajectoryPanel)

    def _make_trajectory(self) -> LazyPage:
        from sage_desktop.panels.trajectory.panel import TrajectoryPanel

        panel = TrajectoryPanel(self.operations, self.preferences)
        panel.item_opened.connect(self.show_item)
        panel.round_opened.connect(self._show_round)
        return panel

    def _make_results(self) -> LazyPage:
        from sage_desktop.panels.results.panel import ResultsPanel

        panel = ResultsPanel(self.operations, self.preferences)
        panel.operators.opened.connect(
            lambda uid: self._with_entry(uid, self._show_run)
        )
        panel.profile_wanted.connect(self.profile_wanted)
        panel.line_opened.connect(self._open_line)
        panel.follow(self.queue.current_row())
        self.queue.selected.connect(panel.follow)
        return panel

    def _dock(
        self, name: str, title: str, inside: _Docked, area: Qt.DockWidgetArea
    ) -> QDockWidget:
        dock = self._empty_dock(name, title, area)
        dock.setWidget(inside)
        inside.head.serve(dock)
        return dock

    def _empty_dock(
        self, name: str, title: str, area: Qt.DockWidgetArea
    ) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        self.addDockWidget(area, dock)
        return dock

    @property
    def manual(self) -> ManualPane:
        """The prompts that wait for a person, made when they are first seen."""
        if self._manual is None:
            from sage_desktop.panels.run.manual_pane import ManualPane

            self._manual = ManualPane()
            self._manual.show_running(on=not self._leave_at_once)
            self._manual.answered.connect(self.prompt_answered)
            self.manual_dock.setWidget(self._manual)
            self._manual.head.serve(self.manual_dock)
        return self._manual

    def _fill_manual_dock(self, visible: bool) -> None:
        if visible:
            self.manual.show()

    @property
    def palette_(self) -> CommandPalette:
        """The list of all commands, made when it is first opened."""
        if self._palette is None:
            from sage_desktop.ui.command_palette import CommandPalette

            self._palette = CommandPalette(self.actions_, self)
        return self._palette

    def _make_menus(self) -> None:
        for key, title in MENUS.items():
            menu = self.menuBar().addMenu(translated(title))
            self.actions_.fill_menu(menu, key)

    def insert_menu(self, menu: QMenu, *, behind: str) -> None:
        """Put a menu of another part behind the command `behind`, in the menu that is in."""
        before = self.actions_[behind]
        for entry in self.menuBar().actions():
            inside = expect(entry.menu(), QMenu)
            entries = inside.actions()
            if before in entries:
                place = entries.index(before) + 1
                inside.insertMenu(entries[place], menu) if place < len(
                    entries
                ) else inside.addMenu(menu)

    def _make_tool_bar(self) -> None:
        bar = QToolBar(self.tr("Tools"))
        bar.setObjectName("tools")
        bar.setMovable(False)
        bar.setIconSize(QSize(theme().px(1.25), theme().px(1.25)))
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for action_id in _TOOLS:
            bar.addAction(self.actions_[action_id])
        run = expect(bar.widgetForAction(self.actions_["queue.run"]), QToolButton)
        run.setObjectName("primary")
        emphasis = icon(
            "run", "on_accent"
        )  # the button is filled, the menu entry is not
        run.setIcon(emphasis)
        self.actions_["queue.run"].changed.connect(lambda: run.setIcon(emphasis))
        for short, action_id in (
            (self.tr("Pause"), "queue.pause"),
            (self.tr("Stop"), "queue.stop"),
            (self.tr("Set Up"), "queue.setup"),
            (self.tr("Add"), "queue.add"),
            (self.tr("Pin"), "memory.pin"),
            (self.tr("Block"), "memory.block"),
            (self.tr("Promote"), "memory.promote"),
            (self.tr("Demote"), "memory.demote"),
            (self.tr("Edit"), "memory.edit"),
            (self.tr("Archive"), "memory.archive"),
        ):
            self.actions_[action_id].setIconText(short)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(space)
        search = tool_of(self.actions_["view.palette"])
        search.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # as the other buttons of the bar
        self.actions_["view.palette"].setIconText(self.tr("Commands"))
        bar.addWidget(search)
        self.addToolBar(bar)
        self.addToolBarBreak()
        strip = QToolBar(self.tr("Notice"))
        strip.setObjectName("notice")
        strip.setMovable(False)
        strip.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        strip.setStyleSheet("QToolBar { padding: 0; border: none; spacing: 0; }")
        self._strip_action = strip.addWidget(self.banner)
        self._strip_action.setVisible(False)
        self.addToolBar(strip)
        self._strip = strip
        strip.hide()

    def _bind(self) -> None:
        bind, switch = self.actions_.bind, self.actions_.bind_switch
        bind("file.quit", self.close)
        bind("edit.find", self._find)
        bind("edit.copy", self._copy)
        for number, page in enumerate(PAGES):
            bind(f"view.{page}", partial(self.tabs.setCurrentIndex, number))
        bind("view.palette", self._open_palette)
        for keys, step in (("Ctrl+=", 1), ("Ctrl++", 1), ("Ctrl+-", -1)):
            QShortcut(keys, self).activated.connect(partial(theme().zoom, step))
        bind("view.reset", self._reset_layout)
        for dock, name in (
            (self.queue_dock, "queue"),
            (self.log_dock, "log"),
            (self.manual_dock, "manual"),
        ):
            switch(f"view.{name}", dock.setVisible, checked=dock is self.queue_dock)
            action = self.actions_[f"view.{name}"]
            dock.visibilityChanged.connect(
                lambda _on, dock=dock, action=action: action.setChecked(
                    not dock.isHidden()
                )
            )
        bind("view.theme", self._flip_theme)
        self.queue.selected.connect(self._operator_selected)
        self.queue.clicked.connect(self._show_operator)
        self.queue.counted.connect(self._show_evaluator)
        self.queue.counted.connect(self._note_opened)

    def _open_palette(self) -> None:
        self.palette_.open()

    def _flip_theme(self) -> None:
        theme().set_mode(ThemeMode.LIGHT if theme().dark else ThemeMode.DARK)

    def _turn_page(self, number: int) -> None:
        if number == TRAJECTORY:
            self.trajectory.show_operator(self.queue.current_row())
        elif number in self._makers:
            self.lazy_page(number).activate()
        self.pages.setCurrentIndex(number)

    def _operator_selected(self, row: QueueRow | None) -> None:
        if REVIEW in (*self._late, self.pages.currentIndex()):
            self.review.show_operator(row)
        if self.pages.currentIndex() == TRAJECTORY:
            self.trajectory.show_operator(row)
        self._show_evaluator()

    def _show_operator(self) -> None:
        """A row of the queue was clicked: it is seen, also from a page of no operator."""
        if self.pages.currentIndex() in _OF_NO_OPERATOR:
            self.tabs.setCurrentIndex(REVIEW)

    def _show_evaluator(self) -> None:
        row = self.queue.current_row()
        if row is not None and row.evaluator:
            self.status.show_evaluator(row.evaluator, row.sandbox)

    def _show_round(self, number: int) -> None:
        self.tabs.setCurrentIndex(REVIEW)
        self.review.show_round(number)

    def _open_line(self, place: tuple[str, int, str, int]) -> None:
        """Bring a line (trajectory, round, path, line from 1) to the front, with its operator."""
        trajectory, number, path, line = place
        self._with_entry(
            trajectory, lambda entry: self.show_line(entry, number, path, line)
        )

    def _with_entry(self, trajectory: str, do: Callable[[int], None]) -> None:
        """Find the entry of the queue that shows a trajectory."""
        from core.analysis.queries import entry_of

        def show(entry: int | None) -> None:
            if entry is None:
                self.toasts.show_message(
                    self.tr("This operator was retried: Review shows its new run."),
                    self.tr(
                        "As soon as that has a kernel, the best one of this run is among the versions "
                        "it can be compared with."
                    ),
                )
            else:
                do(entry)

        self.operations.query(
            self, lambda db: entry_of(db, trajectory), show, topic="entry"
        )

    def _show_run(self, entry: int) -> None:
        self.queue.reveal(entry)
        self.tabs.setCurrentIndex(TRAJECTORY)

    def show_line(self, entry: int, number: int, path: str, line: int) -> None:
        """Bring a line (from 1) of a round of an entry of the queue to the front."""
        self.tabs.setCurrentIndex(REVIEW)
        self.queue.reveal(entry)
        self.review.show_line(entry, number, path, line)

    def show_item(self, uid: str) -> None:
        """Bring a memory item to the front."""
        self.tabs.setCurrentIndex(MEMORY)
        self.memory.open_item(uid)

    def refresh(self, topics: frozenset[str]) -> None:
        """Read again what changed: any of `queue`, `rounds`, `memory`."""
        if topics & {"queue", "rounds"}:
            self.queue.refresh()
            if REVIEW in self._late:
                self.review.refresh()
            if self.pages.currentIndex() == TRAJECTORY:
                self.trajectory.refresh()
        page = self._late.get(self.pages.currentIndex())
        if page is not None and topics & page.topics:
            page.activate()

    def show_notice(self, title: str, words: str) -> None:
        """Show the strip below the tool bar permanently; an empty title takes it away."""
        self.banner.say(title, words)
        self._strip_action.setVisible(bool(title))
        self._strip.setVisible(bool(title))

    def _copy(self) -> None:
        self.review.code.diff.copy()

    def _find(self) -> None:
        if self.pages.currentIndex() == MEMORY:
            self.memory.focus_search()
        else:
            self.review.code.navigation.focus_search()

    def _restore(self) -> None:
        screen = self.screen().availableGeometry()
        # The title bar, which the window manager puts above, has to fit as well.
        room = screen.height() - theme().px(_TITLE_BAR)
        width = screen.width() - theme().px(_BORDERS)
        self.resize(min(theme().px(112), width), min(theme().px(64), room))
        self._queue_width = QueueWidth(self, self.queue_dock, self.preferences)
        self.resizeDocks([self.log_dock], [theme().px(12)], Qt.Orientation.Vertical)
        geometry = self.preferences.blob("window/geometry")
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
            self.restoreState(self.preferences.blob("window/layout"), LAYOUT_VERSION)
            self._strip.setVisible(bool(self.banner.text()))
        else:
            self._queue_width.reset()

    def open_last_page(self) -> None:
        """Turn to the page that was in front when the window was closed.

        A person who turned to another one meanwhile stays there.
        """
        if self.tabs.currentIndex() != REVIEW:
            return
        number = self.last_page()
        if number == REVIEW:
            self._turn_page(number)
        self.tabs.setCurrentIndex(number)

    def last_page(self) -> int:
        """The page that is in front once the workspace is open."""
        if self.preferences.flag("start/always", default=False):
            return START
        number = self.preferences.number("window/page", self.first_page)
        return number if 0 <= number < self.tabs.count() else REVIEW

    def _reset_layout(self) -> None:
        self.restoreState(self._default_layout, LAYOUT_VERSION)
        self._strip.setVisible(bool(self.banner.text()))
        self.queue_dock.show()
        self._queue_width.reset()

    def set_busy(self, *, busy: bool) -> None:
        """Whether work is going on: closing the window asks first, a prompt may come."""
        self._leave_at_once = not busy
        if self._manual is not None:
            self._manual.show_running(on=busy)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._leave_at_once:
            event.ignore()
            self._ask()
            return
        self.preferences.set("window/geometry", self.saveGeometry())
        self.preferences.set("window/layout", self.saveState(LAYOUT_VERSION))
        self.preferences.set("window/page", self.tabs.currentIndex())
        self.preferences.save()
        event.accept()

    def _ask(self) -> None:
        if self._question is not None:
            self._question.raise_()
            return
        from sage_desktop.ui.messages.confirm import confirm

        hint = self.tr(
            "It can stop now and resumes at the same step when SAGE Desktop is opened again."
        )
        leave = (self.tr("Stop and Quit"), self.leaving.emit)
        stay = (self.tr("Keep Running"), self.stays.emit)
        words = self.tr("An operator is still running.")
        self._question = confirm(self, words, hint, leave, stay, "pause")
        self._question.destroyed.connect(self._answered)

    def _answered(self) -> None:
        self._question = None


_ROOMY = 118  # ems of a window with room for the numbers of the queue
_CHOSEN = "window/queue_chosen"


class QueueWidth(QObject):
    """Watches a window and its dock.

    Args:
        window: The window; borders of docks are dragged in it, so that it gets the mouse's events.
        dock: Of the queue.
        preferences: Keep whether a person chose the width; the layout keeps the width.
    """

    def __init__(
        self, window: QMainWindow, dock: QDockWidget, preferences: Preferences
    ) -> None:
        super().__init__(window)
        self._window, self._dock, self._preferences = window, dock, preferences
        self._pressed_at = 0
        window.installEventFilter(self)

    def reset(self) -> None:
        """Room for names alone in a small window, for every column in a large one."""
        self._preferences.set(_CHOSEN, False)  # noqa: FBT003 - a value
        self._size()

    def _size(self) -> None:
        roomy = self._window.width() >= theme().px(_ROOMY)
        width = min(theme().px(30 if roomy else 14), round(0.3 * self._window.width()))
        self._window.resizeDocks([self._dock], [width], Qt.Orientation.Horizontal)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.Show, QEvent.Type.Resize):
            QTimer.singleShot(0, self, self._fit)  # the docks are laid out after this
        elif kind == QEvent.Type.MouseButtonPress:
            self._pressed_at = self._dock.width()
        elif kind == QEvent.Type.MouseButtonRelease:
            QTimer.singleShot(0, self, self._notice)
        return super().eventFilter(watched, event)

    def _notice(self) -> None:
        if self._dock.width() != self._pressed_at and not self._dock.isFloating():
            self._preferences.set(_CHOSEN, True)  # noqa: FBT003 - a value

    def _fit(self) -> None:
        """Until a person chooses a width, it follows the width of the window."""
        is_chosen = self._preferences.flag(_CHOSEN, default=False)
        if not is_chosen and not self._dock.isFloating():
            self._size()
