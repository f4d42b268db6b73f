"""Everything about one host: what to do next, findings of the doctor, devices, jobs, log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QMenu,
    QPushButton,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from remote.connection.connection import ConnectionState, ConnectionStatus
from remote.connection.faults import HostKeyRefused, HostKeyUnknown
from remote.hosts.cards import Cards, Unit
from remote.hosts.doctor import Diagnosis, Health
from sage_desktop.panels.hosts.service import JobRow
from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.form import Message, muted
from sage_desktop.ui.widgets.making import code_box, draw, named, push
from sage_desktop.ui.widgets.pages import PageHead
from sage_desktop.ui.widgets.stacking import boxed, hbox, stacked, vbox
from sage_desktop.ui.widgets.verdicts import StatusStyle

_MOST_LINES = 2000


class HostPage(QWidget):
    """Shows one host; what it learns of others is kept by the panel.

    Signals:
        key_wanted: The person wants to see the unknown key.
        retry_wanted: Connect again.
        quarantined: (unit, why; empty to use it again).
        ending: Ids of jobs to end or remove.
        jobs_wanted: List the jobs.
        cards_wanted: Ask for the devices.
    """

    key_wanted = Signal()
    retry_wanted = Signal()
    quarantined = Signal(str, str)
    ending = Signal(list)
    jobs_wanted = Signal()
    cards_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._units: dict[str, Unit] = {}
        self._unknown_key = False
        self.head = PageHead()
        self.name = self.head.name
        self.where = muted()
        self.calibration = muted()
        self.state_picture, self.state_words = QLabel(), QLabel()
        self.notice = Message()
        self.act = push(self.tr("Try Again"), self._acted)
        self.checks = self._tree(
            (self.tr("Subject"), self.tr("Findings and fixes")), (10,)
        )
        self.cards = self._tree(
            (
                self.tr("Device"),
                self.tr("Processor"),
                self.tr("Health"),
                self.tr("°C"),
                self.tr("AI core"),
                self.tr("HBM"),
                self.tr("Used by"),
                self.tr("Leased"),
            ),
            (6, 8, 6, 3.5, 5, 10, 12),
        )
        self.jobs = self._tree(
            (self.tr("Job"), self.tr("State"), self.tr("Holds"), self.tr("Waits for")),
            (22, 9, 9),
        )
        self.jobs.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.log = code_box(self.tr("Log of the host"))
        self.log.setMaximumBlockCount(_MOST_LINES)
        self.tabs = QTabWidget(documentMode=True)
        self._lay_out()

    def _tree(self, titles: Sequence[str], ems: Sequence[float]) -> QTreeWidget:
        tree = named(QTreeWidget(), titles[0])
        tree.setHeaderLabels(list(titles))
        tree.setRootIsDecorated(False)
        header = tree.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate(ems):
            header.resizeSection(column, theme().px(width))
        return tree

    def _lay_out(self) -> None:
        for part in (self.state_picture, self.state_words):
            self.head.state.addWidget(part)
        self.head.state.addStretch()
        facts = vbox(
            self.where,
            self.calibration,
            hbox((self.notice, 1), (self.act, Qt.AlignmentFlag.AlignTop)),
            margins=(0.8, 0.2, 0.8, 0.5),
        )
        self.tabs.addTab(self.checks, self.tr("Health"))
        self.tabs.addTab(self._devices(), self.tr("Devices"))
        self.tabs.addTab(self._job_page(), self.tr("Jobs"))
        self.tabs.addTab(self.log, self.tr("Log"))
        stacked(self, self.head, facts, self.tabs)

    def _devices(self) -> QWidget:
        self.cards.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.cards.customContextMenuRequested.connect(self._card_menu)
        self.aside = push(
            self.tr("Exclude"), lambda: self._quarantine(self.tr("excluded by you"))
        )
        self.use = push(self.tr("Include"), lambda: self._quarantine(""))
        again = push(self.tr("Read Again"), self.cards_wanted)
        self.cards.itemSelectionChanged.connect(self._card_picked)
        self._card_picked()
        return _with_buttons(self.cards, (again, self.aside, self.use))

    def _job_page(self) -> QWidget:
        again = push(self.tr("List Jobs"), self.jobs_wanted)
        tip = self.tr("Cancels running jobs and removes finished ones from the host")
        self.end = push(self.tr("Cancel or Remove"), self._end, tip=tip)
        self.end.setEnabled(False)
        self.jobs.itemSelectionChanged.connect(
            lambda: self.end.setEnabled(bool(self.jobs.selectedItems()))
        )
        words = self.tr(
            "Jobs continue when the window is closed. An interrupted operator resumes its job by itself."
        )
        return _with_buttons(self.jobs, (again, self.end), words)

    # ---- what is shown

    def show_host(self, name: str, where: str, calibration: str = "") -> None:
        """Begin a page for another host, without findings."""
        self.name.setText(name)
        self.where.setText(where)
        self.calibration.setText(calibration)
        self.calibration.setVisible(bool(calibration))
        for tree in (self.checks, self.cards, self.jobs):
            tree.clear()
        self.tabs.setTabText(0, self.tr("Health"))

    def show_status(self, status: ConnectionStatus, *, busy: bool) -> None:
        """Show where the connection stands, and the one thing to do about it."""
        look = LINKS[status.state]
        draw(self.state_picture, look.icon, look.role, 1.1)
        self.state_words.setText(
            look.text
            + ("…" if busy and status.state is ConnectionState.CONNECTING else "")
        )
        self.act.setVisible(status.state is ConnectionState.NEEDS_USER)
        self._unknown_key = isinstance(status.fault, HostKeyUnknown)
        if isinstance(status.fault, HostKeyRefused):
            self.act.setVisible(False)  # nothing here goes past a changed key
        self.act.setText(
            self.tr("Show Fingerprint…") if self._unknown_key else self.tr("Try Again")
        )
        if status.state is ConnectionState.NEEDS_USER and status.fault is not None:
            kind = "warning" if self._unknown_key else "danger"
            self.notice.say(translated(status.fault.message), kind)
        elif status.detail and status.state in (
            ConnectionState.RECONNECTING,
            ConnectionState.SUSPECT,
        ):
            tries = (
                self.tr("Try {0}. ").format(status.attempt) if status.attempt else ""
            )
            self.notice.say(tries + translated(status.detail), "warning")
        else:
            self.notice.clear()

    def _acted(self) -> None:
        (self.key_wanted if self._unknown_key else self.retry_wanted).emit()

    def show_diagnosis(self, diagnosis: Diagnosis) -> None:
        """The doctor's findings, the faults in front."""
        self.checks.clear()
        order = sorted(
            diagnosis.checks,
            key=lambda check: list(HEALTH).index(check.health),
            reverse=True,
        )
        for check in order:
            look = HEALTH[check.health]
            subject, result, remedy = (
                translated(check.subject),
                translated(check.found),
                translated(check.fix),
            )
            item = QTreeWidgetItem(self.checks, [subject, result])
            item.setIcon(0, icon(look.icon, look.role))
            item.setToolTip(0, look.text)
            item.setToolTip(1, result)
            if check.fix:
                fix = QTreeWidgetItem(self.checks, ["", remedy])
                fix.setIcon(1, icon("right-small", "accent"))
                fix.setToolTip(1, remedy)
        faults = sum(check.health is Health.FAULT for check in diagnosis.checks)
        title = (
            self.tr("Health (problems: {0})").format(faults)
            if faults
            else self.tr("Health")
        )
        self.tabs.setTabText(0, title)
        self.tabs.setCurrentIndex(0)

    def show_cards(self, cards: Cards) -> None:
        """Devices with health, load, memory, who uses them, and whether work is sent to them."""
        self.cards.clear()
        by_device = {npu.device: npu for npu in cards.table.devices}
        self._units = {unit.name: unit for unit in cards.units()}
        leased = {
            device: unit for unit in self._units.values() for device in unit.devices
        }
        for device, npu in by_device.items():
            used, whole = npu.memory_mb
            unit = leased.get(device)
            why = (
                cards.why_not(unit)
                if unit is not None
                else self.tr("not among the devices you allow")
            )
            people = ", ".join(
                f"{p.pid} {p.name} {p.memory_mb} MB".replace("  ", " ")
                for p in npu.processes
            )
            item = QTreeWidgetItem(
                self.cards,
                [
                    f"{device}  ({npu.card}.{npu.chip})",
                    npu.soc,
                    npu.health,
                    "" if npu.temperature is None else str(npu.temperature),
                    f"{npu.busy_percent} %",
                    f"{used:,} / {whole:,} MB",
                    people or self.tr("nobody"),
                    why or self.tr("yes"),
                ],
            )
            item.setData(
                0, Qt.ItemDataRole.UserRole, unit.name if unit is not None else ""
            )
            item.setIcon(
                2,
                icon(
                    "done" if npu.health == "OK" else "warning",
                    "success" if npu.health == "OK" else "danger",
                ),
            )
            item.setIcon(
                7,
                icon("cancelled" if why else "check", "warning" if why else "success"),
            )
            item.setToolTip(6, people)
            item.setToolTip(7, why)
        self._card_picked()

    def show_jobs(self, rows: Sequence[JobRow]) -> None:
        """Jobs the host keeps."""
        self.jobs.clear()
        for row in rows:
            item = QTreeWidgetItem(
                self.jobs,
                [row.job, translated(row.state), row.device, translated(row.waits)],
            )
            item.setIcon(
                1,
                icon(
                    "done" if row.has_ended else "running",
                    "muted" if row.has_ended else "accent",
                ),
            )
        self.tabs.setTabText(
            2, self.tr("Jobs ({0})").format(len(rows)) if rows else self.tr("Jobs")
        )

    def show_log(self, lines: Sequence[str]) -> None:
        """The log from the beginning."""
        self.log.setPlainText("\n".join(lines))

    def _card_picked(self) -> None:
        picked = bool(self._picked_unit())
        self.aside.setEnabled(picked)
        self.use.setEnabled(picked)

    def _picked_unit(self) -> str:
        items = self.cards.selectedItems()
        return str(items[0].data(0, Qt.ItemDataRole.UserRole)) if items else ""

    def _quarantine(self, why: str) -> None:
        if self._picked_unit():
            self.quarantined.emit(self._picked_unit(), why)

    def _card_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button in (self.aside, self.use):
            menu.addAction(button.text(), button.click).setEnabled(button.isEnabled())
        menu.popup(self.cards.viewport().mapToGlobal(place))

    def _end(self) -> None:
        self.ending.emit([item.text(0) for item in self.jobs.selectedItems()])


def stamped(words: str) -> str:
    """A log line with the time of day."""
    return f"{datetime.now().astimezone():%H:%M:%S}  {words}"


def _with_buttons(
    inside: QWidget, buttons: Sequence[QPushButton], words: str = ""
) -> QWidget:
    return boxed(
        vbox(
            (inside, 1),
            hbox((muted(words, small=True), 1), *buttons, margins=(0.7, 0.4)),
            margins=0,
            spacing=0,
        )
    )


LINKS = {
    ConnectionState.OFFLINE: StatusStyle("cancelled", "muted", "Not connected"),
    ConnectionState.CONNECTING: StatusStyle("running", "info", "Connecting"),
    ConnectionState.NEEDS_USER: StatusStyle("warning", "warning", "Waiting for you"),
    ConnectionState.ONLINE: StatusStyle("done", "success", "Connected"),
    ConnectionState.SUSPECT: StatusStyle("clock", "warning", "Not responding"),
    ConnectionState.RECONNECTING: StatusStyle(
        "retry", "warning", "Connection lost; trying again"
    ),
}
HEALTH = {
    Health.OK: StatusStyle("done", "success", "OK"),
    Health.NOTE: StatusStyle("info", "info", "Note"),
    Health.FAULT: StatusStyle("error", "danger", "Problem"),
}
