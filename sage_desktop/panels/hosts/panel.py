"""The hosts: a list with their states at the left, everything about one of them at the right."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QWidget,
)

from core.errors import SageError
from remote.connection.connection import ConnectionState, ConnectionStatus
from remote.connection.faults import HostKeyUnknown
from remote.connection.ssh.config import known_aliases
from remote.hosts.cards import Cards
from remote.hosts.doctor import Diagnosis
from sage_desktop.panels.hosts.editing import AddHostDialog, HostSettingsDialog
from sage_desktop.panels.hosts.page import LINKS, HostPage, stamped
from sage_desktop.panels.hosts.questions import TrustDialog
from sage_desktop.panels.hosts.service import HostsService, JobRow
from sage_desktop.services import settings_table
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.icons import icon
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.button_row import ButtonRow
from sage_desktop.ui.widgets.form import heading
from sage_desktop.ui.widgets.making import on_base, push
from sage_desktop.ui.widgets.pages import LazyPage
from sage_desktop.ui.widgets.stacking import hbox, split, stacked

logger = logging.getLogger("hosts")
_MOST_LINES = 500


class HostsPanel(LazyPage):
    """List and page of hosts.

    Signals:
        refused: A `SageError` the person should see.
        notice: Words worth a toast.
    """

    refused = Signal(object)
    notice = Signal(str)

    def __init__(
        self, service: HostsService, actions: ActionRegistry, preferences: Preferences
    ) -> None:
        super().__init__()
        self._preferences = preferences
        on_base(self)
        self._service = service
        self._actions = actions
        self._logs: dict[str, deque[str]] = {}
        self._where: dict[str, str] = {}
        self._found: dict[str, Diagnosis] = {}
        self._cards: dict[str, Cards] = {}
        self._jobs: dict[str, list[JobRow]] = {}
        self._probed = False
        self.dialog: QWidget | None = None
        self.list = QListWidget()
        self.page = HostPage()
        self.connect_host = self._command(
            self.tr("Connect"),
            self.tr("Connect to the selected host"),
            "bolt",
            service.connect_host,
        )
        self.disconnect_host = self._command(
            self.tr("Disconnect"),
            self.tr("Disconnect; remote jobs continue"),
            "stop",
            service.disconnect_host,
        )
        self.check_host = self._command(
            self.tr("Check Host"),
            self.tr("Check everything the host needs, and suggest fixes"),
            "search",
            service.examine,
        )
        self.edit_host = self._command(
            self.tr("Host Settings…"),
            self.tr("Interpreter, folder, set-up line, devices"),
            "settings",
            self._edit,
        )
        self.clean_up = self._command(
            self.tr("Clean Up"),
            self.tr("Remove old SAGE jobs and files from the host"),
            "trash",
            self._collect,
        )
        self.remove_host = self._command(
            self.tr("Remove Host"),
            self.tr("Remove the host from the list; nothing changes on the machine"),
            "close",
            self._remove,
        )
        self._lay_out()
        self._bind()
        self.refresh()

    def _command(
        self, words: str, tip: str, drawing: str, do: Callable[[str], object]
    ) -> QAction:
        """What can be done with the host in front: in the context menu of the list."""
        action = QAction(icon(drawing), words, self)
        action.setToolTip(tip)
        action.triggered.connect(lambda: self._with_current(do))
        self.list.addAction(action)
        return action

    def _lay_out(self) -> None:
        look = theme()
        self.list.setAccessibleName(self.tr("Hosts"))
        self.list.setIconSize(QSize(look.px(1.1), look.px(1.1)))
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.currentRowChanged.connect(lambda _row: self._show_current())
        add = push(self.tr("Add…"), self.add)
        title = heading(self.tr("Hosts"), 1.25)
        head = hbox(title, None, add, margins=(0.8, 0.4))
        hosts = stacked(QWidget(), head, self.list)
        commands = (
            self.connect_host,
            self.disconnect_host,
            self.check_host,
            self.edit_host,
            self.clean_up,
        )
        self.page.head.controls.addWidget(ButtonRow(commands, framed=True))
        empty = EmptyState(
            "hosts",
            self.tr("No host yet"),
            self.tr(
                "Kernels are evaluated on this computer. Add a machine of your ~/.ssh/config to use it too."
            ),
            self._actions["file.add_host"],
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self.page)
        self._stack.addWidget(empty)
        halves = split(
            Qt.Orientation.Horizontal,
            hosts,
            self._stack,
            sizes=(15, 60),
            stretch=(0, 1),
        )
        stacked(self, halves)

    def _bind(self) -> None:
        service, page = self._service, self.page
        page.key_wanted.connect(self._show_key)
        page.retry_wanted.connect(lambda: self._with_current(self._try_again))
        page.quarantined.connect(
            lambda unit, why: service.quarantine(self.current(), unit, why)
        )
        page.jobs_wanted.connect(lambda: self._with_current(service.read_jobs))
        page.cards_wanted.connect(lambda: self._with_current(service.read_cards))
        page.ending.connect(lambda jobs: service.end_jobs(self.current(), jobs))
        service.changed.connect(self._changed)
        service.probed.connect(self._answers)
        service.examined.connect(self._examined)
        service.cards.connect(self._saw_cards)
        service.jobs.connect(self._saw_jobs)
        service.finished.connect(self._log_outcome)
        service.failed.connect(self._failed)

    # ---- the list

    def refresh(self) -> None:
        """Read the list of hosts again."""
        host_name = self.current()
        try:
            names = list(self._service.registry.settings())
        except SageError as error:
            self.refused.emit(error)
            names = []
        self.list.clear()
        for name in names:
            item = QListWidgetItem(name)
            item.setSizeHint(QSize(0, theme().px(2.9)))
            self.list.addItem(item)
            self._paint_item(item)
        self.list.setCurrentRow(names.index(host_name) if host_name in names else 0)
        self._stack.setCurrentIndex(0 if names else 1)
        self._show_current()

    def activate(self) -> None:
        """See once which hosts answer at all."""
        if not self._probed and settings_table.value_of(
            self._preferences, "hosts/probe"
        ):
            self._probed = True
            for row in range(self.list.count()):
                self._service.probe(self._name(self.list.item(row)))

    def _name(self, item: QListWidgetItem) -> str:
        return item.text().partition("\n")[0]

    def current(self) -> str:
        """Name of the host in front, empty without one."""
        item = self.list.currentItem()
        return self._name(item) if item is not None else ""

    def _with_current(self, do: Callable[[str], object]) -> None:
        if self.current():
            do(self.current())

    def _paint_item(self, item: QListWidgetItem) -> None:
        name = self._name(item)
        status = self._service.status(name)
        look = LINKS[status.state]
        item.setIcon(icon(look.icon, look.role))
        second = look.text
        if status.state is ConnectionState.OFFLINE and name in self._where:
            second = self._where[name]
        item.setText(f"{name}\n{second}")
        item.setToolTip(translated(status.detail) or second)

    def _item(self, name: str) -> QListWidgetItem | None:
        items = (self.list.item(row) for row in range(self.list.count()))
        return next((item for item in items if self._name(item) == name), None)

    def _show_current(self) -> None:
        name = self.current()
        on = bool(name)
        status = self._service.status(name)
        for command in self.list.actions():
            command.setEnabled(on)
        if not on:
            return
        self._offer_disconnecting(status)
        calibration = translated(self._service.calibration(name))
        self.page.show_host(name, self._where.get(name, ""), calibration)
        self.page.show_status(status, busy=self._service.busy(name))
        if name in self._found:
            self.page.show_diagnosis(self._found[name])
        if name in self._cards:
            self.page.show_cards(self._cards[name])
        self.page.show_jobs(self._jobs.get(name, ()))
        self.page.show_log(tuple(self._logs.get(name, ())))

    def _offer_disconnecting(self, status: ConnectionStatus) -> None:
        is_offline = status.state is ConnectionState.OFFLINE
        self.disconnect_host.setEnabled(not is_offline)

    # ---- what the service tells

    def _say(self, name: str, words: str, level: int = logging.INFO) -> None:
        lines = self._logs.setdefault(name, deque(maxlen=_MOST_LINES))
        lines.append(stamped(words))
        logger.log(level, "%s: %s", name, words)
        if name == self.current():
            self.page.log.appendPlainText(lines[-1])

    def log_run_line(self, name: str, status: ConnectionStatus) -> None:
        """The connection a run has of its own to a host changed."""
        state = LINKS[status.state].text
        words = self.tr("Run: {0}. {1}").format(state, translated(status.detail))
        self._say(name, words.strip(" ."))

    def _changed(self, name: str, status: ConnectionStatus) -> None:
        item = self._item(name)
        if item is None:
            return
        before = item.text()
        self._paint_item(item)
        # Changes that the list does not show are not worth a line of the log.
        if item.text() != before:
            state = LINKS[status.state].text
            self._say(name, f"{state}. {translated(status.detail)}".strip())
        if name == self.current():
            self.page.show_status(status, busy=self._service.busy(name))
            self._offer_disconnecting(status)

    def _answers(self, name: str, where: str, is_reached: bool | None) -> None:
        """The port of a host answered, did not (False), or cannot be tried (None)."""
        if is_reached:
            where = self.tr("Reachable") + f" · {where}"
        elif is_reached is None:
            where = self.tr("Not checked yet") + f" · {where}"
        # `where` says already why a host does not answer.
        self._where[name] = where
        item = self._item(name)
        if item is not None:
            self._paint_item(item)
        if name == self.current():
            self.page.where.setText(where)

    def _examined(self, name: str, diagnosis: Diagnosis) -> None:
        self._found[name] = diagnosis
        works = self.tr("ready") if diagnosis.works else self.tr("not ready")
        self._say(name, self.tr("Checked: {0}").format(works))
        if name == self.current():
            self.page.show_diagnosis(diagnosis)

    def _saw_cards(self, name: str, cards: Cards) -> None:
        self._cards[name] = cards
        if name == self.current():
            self.page.show_cards(cards)

    def _saw_jobs(self, name: str, rows: list[JobRow]) -> None:
        self._jobs[name] = rows
        if name == self.current():
            self.page.show_jobs(rows)

    def _log_outcome(self, name: str, words: str) -> None:
        self._say(name, words)
        self.notice.emit(f"{name}: {words}")

    def _failed(self, name: str, error: SageError) -> None:
        self._say(name, str(error), logging.WARNING)
        state = self._service.status(name).state
        if state is not ConnectionState.NEEDS_USER:  # that is shown on the page
            self.refused.emit(error)

    # ---- what the person does

    def add(self) -> None:
        """Offer the names of the SSH configuration."""
        registry = self._service.registry
        settings = registry.settings()
        aliases = known_aliases(registry.ssh.config)
        unused = [name for name in aliases if name not in settings]
        dialog = AddHostDialog(unused, self)
        dialog.submitted.connect(self._add)
        self._open(dialog)

    def _add(self, name: str) -> None:
        self._service.change(name)
        self.refresh()
        item = self._item(name)
        if item is not None:
            self.list.setCurrentItem(item)
        self._service.probe(name)
        self._service.examine(name)

    def _try_again(self, name: str) -> None:
        """Connect; what was wrong before is looked at again, and not shown on."""
        if name in self._found:
            self._service.examine(name)
        else:
            self._service.connect_host(name)

    def _edit(self, name: str) -> None:
        settings = self._service.registry.settings().get(name)
        if settings is None:
            return
        dialog = HostSettingsDialog(name, settings, self)
        dialog.submitted.connect(lambda values: self._service.change(name, **values))
        self._open(dialog)

    def _collect(self, name: str) -> None:
        days = float(settings_table.value_of(self._preferences, "hosts/keep_days"))
        gigabytes = float(settings_table.value_of(self._preferences, "hosts/keep_gb"))
        self._service.collect(name, days, int(gigabytes * (1 << 30)))

    def _remove(self, name: str) -> None:
        self._service.forget(name)
        self.refresh()
        words = self.tr(
            "{0} was removed from the list; nothing changed on the machine."
        )
        self.notice.emit(words.format(name))

    def _show_key(self) -> None:
        name = self.current()
        fault = self._service.status(name).fault
        if isinstance(fault, HostKeyUnknown):
            dialog = TrustDialog(name, fault, self)
            dialog.trusted.connect(lambda unknown: self._service.trust(name, unknown))
            self._open(dialog)

    def _open(self, dialog: AddHostDialog | HostSettingsDialog | TrustDialog) -> None:
        self.dialog = dialog
        dialog.open()
