"""The page a newcomer sees first: four things to do, each one click away."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import heading, muted
from sage_desktop.ui.widgets.making import Do, draw, on_base, push
from sage_desktop.ui.widgets.pages import LazyPage, scrolled
from sage_desktop.ui.widgets.stacking import hbox, stacked, vbox


class _Card(QFrame):
    """One thing to do: drawing, title, words, and buttons that give commands of the window."""

    def __init__(self, drawing: str, title: str, words: str) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._drawing = drawing
        self._picture = QLabel()
        self.buttons = QHBoxLayout()
        column = vbox(
            hbox(self._picture, 0.4, heading(title, 1.1), None),
            owner=self,
            margins=(1.1, 1),
            spacing=0.5,
        )
        column.addWidget(muted(words), 1, Qt.AlignmentFlag.AlignTop)
        column.addLayout(self.buttons)
        self.paint()

    def paint(self) -> None:
        """Draw the picture in the colours of the theme."""
        draw(self._picture, self._drawing, "accent", 1.6)

    def add(
        self, actions: ActionRegistry, action_id: str, text: str, *, main: bool = False
    ) -> QPushButton:
        """A button for a command; it is off while the command is."""
        action = actions[action_id]
        button = self.offer(text, action.trigger)
        button.setToolTip(action.toolTip())
        button.setDefault(main)
        button.setEnabled(action.isEnabled())
        action.changed.connect(lambda: button.setEnabled(action.isEnabled()))
        return button

    def offer(self, text: str, do: Do) -> QPushButton:
        """A button for what is no command of the window."""
        button = push(text, do)
        self.buttons.addWidget(button)
        return button


class StartPage(LazyPage):
    """Demonstration, own work, hosts, benchmarks.

    Args:
        actions: Commands of the window.
        preferences: Keep whether the page comes first.
        is_replay: Whether the open workspace plays a recording.

    Signals:
        models_wanted: Models are to be added or changed.
        demonstration_wanted: The demonstration is to be opened.
        run_started: The person runs the queue from here, and wants to see it work.
    """

    topics = frozenset({"queue"})
    models_wanted = Signal()
    demonstration_wanted = Signal()
    run_started = Signal()

    def __init__(
        self,
        actions: ActionRegistry,
        preferences: Preferences,
        is_replay: Callable[[], bool],
    ) -> None:
        super().__init__()
        self._is_replay = is_replay
        on_base(self)
        self._preferences = preferences
        look = theme()
        inside = on_base(QWidget())
        grid = QGridLayout()
        grid.setSpacing(look.px(1))
        self._cards = self._make_cards(actions)
        for number, card in enumerate(self._cards):
            grid.addWidget(card, number // 2, number % 2)
        self.again = QCheckBox(self.tr("Show this page when the program starts"))
        self.again.setChecked(preferences.flag("start/always", default=False))
        self.again.toggled.connect(lambda on: preferences.set("start/always", on))
        vbox(
            heading(self.tr("Welcome to SAGE Desktop"), 1.7),
            muted(
                self.tr(
                    "It writes Ascend C kernels with a frozen language model and learns across "
                    "operators through an external memory you can read, correct and share."
                )
            ),
            0.6,
            grid,
            0.4,
            self.again,
            None,
            owner=inside,
            margins=(2.5, 2, 2.5, 1.5),
            spacing=0.8,
        )
        stacked(self, scrolled(inside))
        theme().changed.connect(self._repaint)

    def _make_cards(self, actions: ActionRegistry) -> tuple[_Card, ...]:
        demo = _Card(
            "run",
            self.tr("See it work"),
            self.tr(
                "A recorded run is played back: language models wrote these kernels from the prompts alone. "
                "Compiling, checking, credit and memory are real, on this computer, with no model and no NPU."
            ),
        )
        self._run = demo.add(actions, "queue.run", self.tr("Run the Queue"), main=True)
        self._run.clicked.connect(self.run_started)
        self._demonstration = demo.offer(
            self.tr("Open the Demonstration"), self.demonstration_wanted
        )
        own = _Card(
            "bolt",
            self.tr("Connect a model"),
            self.tr(
                "Any server with the OpenAI interface, local or remote; or be the model yourself and paste "
                "replies from any chat. Begin in a workspace of your own."
            ),
        )
        own.add(actions, "file.new", self.tr("New Workspace…"))
        own.offer(self.tr("Models…"), self.models_wanted)
        own.add(actions, "queue.setup", self.tr("Set Up Run…"))
        hosts = _Card(
            "hosts",
            self.tr("Connect a host"),
            self.tr(
                "Machines of your ~/.ssh/config compile and run kernels. A check says what is "
                "missing there and how to fix it; without NPUs the CPU twin models latencies."
            ),
        )
        hosts.add(actions, "file.add_host", self.tr("Add Host…"))
        work = _Card(
            "queue",
            self.tr("Choose operators"),
            self.tr(
                "The catalogue holds the 88 operators of NPUKernelBench and 16 more. Import the checkout of "
                "a benchmark, or describe an operator of your own in two files."
            ),
        )
        work.add(actions, "queue.add", self.tr("Add…"))
        work.add(actions, "queue.import", self.tr("Import…"))
        work.add(actions, "queue.custom", self.tr("New…"))
        return demo, own, hosts, work

    def activate(self) -> None:
        """Offer to run the demonstration where it is open, to open it elsewhere."""
        self._run.setVisible(self._is_replay())
        self._demonstration.setHidden(self._is_replay())

    def _repaint(self) -> None:
        for card in self._cards:
            card.paint()
