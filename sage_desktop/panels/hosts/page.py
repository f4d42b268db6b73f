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
from remote.hosts.cards import Cards
from remote.hosts.doctor import Check, Diagnosis, Health
from remote.hosts.npu_smi import Npu
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
_HEALTH, _JOBS = 0, 2  # tabs


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
            (
                self.tr("Job"),
                self.tr("State"),
                self.tr("Holds"),
                self.tr("Waits for"),
            ),
            (22, 9, 9),
        )
        self.jobs.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.log = code_box(self.tr("Log of the host"))
        self.log.setMaximumBlockCount(_MOST_LINES)
        self.tabs = QTabWidget(documentMode=True)
        self._lay_out()

    def _tree(self, titles: Sequence[str], ems: Sequence[float]) -> QTreeWidget:
        """A list with columns of `ems` width; the last one takes the rest."""
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
        self.tabs.setTabText(_HEALTH, self.tr("Health"))

    def show_status(self, status: ConnectionStatus, *, busy: bool) -> None:
        """Show where the connection stands, and the one thing to do about it."""
        look = LINKS[status.state]
        draw(self.state_picture, look.icon, look.role, 1.1)
        is_connecting = status.state is ConnectionState.CONNECTING
        dots = "…" if busy and is_connecting else ""
        self.state_words.setText(look.text + dots)
        needs_user = status.state is ConnectionState.NEEDS_USER
        self._unknown_key = isinstance(status.fault, HostKeyUnknown)
        # Nothing here goes past a changed key.
        is_refused = isinstance(status.fault, HostKeyRefused)
        self.act.setVisible(needs_user and not is_refused)
        act = (
            self.tr("Show Fingerprint…") if self._unknown_key else self.tr("Try Again")
        )
        self.act.setText(act)
        troubled = (ConnectionState.RECONNECTING, ConnectionState.SUSPECT)
        if needs_user and status.fault is not None:
            kind = "warning" if self._unknown_key else "danger"
            self.notice.say(translated(status.fault.message), kind)
        elif status.detail and status.state in troubled:
            words = translated(status.detail)
            if status.attempt:
                words = self.tr("Try {0}. ").format(status.attempt) + words
            self.notice.say(words, "warning")
        else:
            self.notice.clear()

    def _acted(self) -> None:
        """The button was pressed: it stands for one of two things."""
        if self._unknown_key:
            self.key_wanted.emit()
        else:
            self.retry_wanted.emit()

    def show_diagnosis(self, diagnosis: Diagnosis) -> None:
        """The doctor's findings, the faults in front."""
        self.checks.clear()
        # HEALTH goes from the best to the worst.
        severity = {health: number for number, health in enumerate(HEALTH)}
        for check in sorted(
            diagnosis.checks, key=lambda check: severity[check.health], reverse=True
        ):
            self._add_check(check)
        faults = sum(check.health is Health.FAULT for check in diagnosis.checks)
        title = self.tr("Health")
        if faults:
            title = self.tr("Health (problems: {0})").format(faults)
        self.tabs.setTabText(_HEALTH, title)
        self.tabs.setCurrentIndex(_HEALTH)

    def _add_check(self, check: Check) -> None:
        """Add a finding, and below it what would fix it."""
        look = HEALTH[check.health]
        result = translated(check.found)
        item = QTreeWidgetItem(self.checks, [translated(check.subject), result])
        item.setIcon(0, icon(look.icon, look.role))
        item.setToolTip(0, look.text)
        item.setToolTip(1, result)
        if check.fix:
            remedy = translated(check.fix)
            fix = QTreeWidgetItem(self.checks, ["", remedy])
            fix.setIcon(1, icon("right-small", "accent"))
            fix.setToolTip(1, remedy)

    def show_cards(self, cards: Cards) -> None:
        """Devices with health, load, memory, who uses them, and whether work is sent to them."""
        self.cards.clear()
        unit_of = {device: unit for unit in cards.units() for device in unit.devices}
        # A device that is listed twice is shown once, as it was listed last.
        by_device = {npu.device: npu for npu in cards.table.devices}
        for device, npu in by_device.items():
            unit = unit_of.get(device)
            why_not = self.tr("not among the devices you allow")
            if unit is not None:
                why_not = cards.why_not(unit)
            self._add_device(npu, unit.name if unit is not None else "", why_not)
        self._card_picked()

    def _add_device(self, npu: Npu, unit: str, why_not: str) -> None:
        """Add a device.

        Args:
            npu: What it reports.
            unit: What it is leased with; empty for one that is not leased.
            why_not: Why no work is sent to it; empty where some is.
        """
        used, whole = npu.memory_mb
        processes = [
            f"{process.pid} {process.name} {process.memory_mb} MB".replace("  ", " ")
            for process in npu.processes
        ]
        users = ", ".join(processes)
        item = QTreeWidgetItem(
            self.cards,
            [
                f"{npu.device}  ({npu.card}.{npu.chip})",
                npu.soc,
                npu.health,
                "" if npu.temperature is None else str(npu.temperature),
                f"{npu.busy_percent} %",
                f"{used:,} / {whole:,} MB",
                users or self.tr("nobody"),
                why_not or self.tr("yes"),
            ],
        )
        item.setData(0, Qt.ItemDataRole.UserRole, unit)
        is_healthy = npu.health == "OK"
        health = icon("done", "success") if is_healthy else icon("warning", "danger")
        item.setIcon(2, health)
        lease = icon("cancelled", "warning") if why_not else icon("check", "success")
        item.setIcon(7, lease)
        item.setToolTip(6, users)
        item.setToolTip(7, why_not)

    def show_jobs(self, rows: Sequence[JobRow]) -> None:
        """Jobs the host keeps."""
        self.jobs.clear()
        for row in rows:
            cells = [row.job, translated(row.state), row.device, translated(row.waits)]
            item = QTreeWidgetItem(self.jobs, cells)
            drawing = icon("running", "accent")
            if row.has_ended:
                drawing = icon("done", "muted")
            item.setIcon(1, drawing)
        title = self.tr("Jobs")
        if rows:
            title = self.tr("Jobs ({0})").format(len(rows))
        self.tabs.setTabText(_JOBS, title)

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
    """A list with buttons below it, and a hint beside these."""
    foot = hbox((muted(words, small=True), 1), *buttons, margins=(0.7, 0.4))
    return boxed(vbox((inside, 1), foot, margins=0, spacing=0))


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
