"""Dialogs that add a host and change its settings; the fields are those of `HostSettings`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QLineEdit, QSpinBox, QWidget

from core.errors import SageError
from remote.hosts.detached import HostSettings
from sage_desktop.ui.typed import present
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import (
    FormDialog,
    add_field,
    fit_to_screen,
    form_layout,
    inset,
    muted,
)

_tr = partial(QCoreApplication.translate, "HostEditing")

Line = tuple[str, str, str]
"""Field of `HostSettings`, title, and what belongs there."""


class AddHostDialog(FormDialog):
    """Offers the names of the SSH configuration that were not added yet; any other may be typed.

    Signals:
        submitted: Name of the host.
    """

    submitted = Signal(str)

    def __init__(self, aliases: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(
            _tr("Add Host"),
            _tr(
                "User, port, keys and jumps come from your ~/.ssh/config; nothing of it is copied or changed."
            ),
            _tr("Add and Connect"),
            parent,
        )
        self.name = ComboBox(_tr("Name of the host"))
        self.name.setEditable(True)
        self.name.addItems(list(aliases))
        # None is chosen: Enter would add the first one unseen.
        self.name.setCurrentIndex(-1)
        present(self.name.lineEdit()).setPlaceholderText(
            _tr("Name in ~/.ssh/config, or user@host:port")
        )
        form = form_layout()
        form.addRow(_tr("Host"), self.name)
        self.body.addLayout(form)
        self.name.setFocus()
        if not aliases:
            words = _tr("No further names were found in your configuration.")
            self.body.addWidget(muted(words, small=True))
        self.main_button.clicked.connect(self._choose)
        fit_to_screen(self, 30)

    def _choose(self) -> None:
        name = self.name.currentText().strip()
        # ssh would read a name with a leading dash as an option.
        is_option = name.startswith("-")
        has_blanks = any(letter.isspace() for letter in name)
        if not name or is_option or has_blanks:
            problem = _tr("{0!r} is not a host name.").format(name)
            remedy = _tr("Use a name of ~/.ssh/config, or user@host:port.")
            self.refuse(SageError(problem, remedy))
            return
        self.submitted.emit(name)
        self.accept()


def _machine_lines() -> Sequence[Line]:
    """Texts about the machine itself."""
    return (
        (
            "python",
            _tr("Interpreter"),
            _tr("Python with torch that evaluates kernels there"),
        ),
        (
            "base",
            _tr("Working folder"),
            _tr("~/.sage/<name> when empty; better on a local disk"),
        ),
        (
            "setup",
            _tr("Set-up line"),
            _tr("For example: source /usr/local/Ascend/.../set_env.sh"),
        ),
        ("locks", _tr("Lock folder"), _tr("Shared by all users of the machine")),
    )


def _site_lines() -> Sequence[Line]:
    """Texts about the scheduler of a site."""
    return (
        ("partition", _tr("Partition"), _tr("With the devices")),
        (
            "cpu_partition",
            _tr("CPU partition"),
            _tr("For builds and the CPU twin; empty for the same one"),
        ),
        ("gres", _tr("Ask for"), _tr("For example: npu:1")),
        (
            "device_map",
            _tr("Device of a job"),
            _tr("env:NAME, scontrol, or fixed:0; never guessed"),
        ),
        (
            "sbatch",
            _tr("Further options"),
            _tr("Of sbatch, for example: --account=team"),
        ),
    )


def _add_line(form: QFormLayout, title: str, text: str, hint: str) -> QLineEdit:
    """A row for a text; `hint` tells what belongs there."""
    line = QLineEdit(text)
    line.setPlaceholderText(hint)
    line.setToolTip(hint)
    add_field(form, title, line)
    return line


class HostSettingsDialog(FormDialog):
    """Everything about a host that SSH does not know.

    Signals:
        submitted: Field -> value.
    """

    submitted = Signal(dict)

    def __init__(
        self, name: str, settings: HostSettings, parent: QWidget | None = None
    ) -> None:
        super().__init__(
            _tr("Host Settings: {0}").format(name), "", _tr("Save"), parent
        )
        self.form = form_layout()
        self.texts = self._lines(_machine_lines(), settings)
        self._add_devices(settings)
        self._add_allocation(settings)
        self.site = self._lines(_site_lines(), settings)
        self.scheduler.currentIndexChanged.connect(self._show_site)
        self._show_site()
        self.whole = QCheckBox(_tr("Lease the dies of a card together"))
        self.whole.setChecked(settings.whole_cards)
        self.form.addRow("", self.whole)
        self.body.addLayout(self.form)
        self.main_button.clicked.connect(self._choose)
        fit_to_screen(self, 36)

    def _lines(
        self, lines: Sequence[Line], settings: HostSettings
    ) -> dict[str, QLineEdit]:
        """Add a row for each text, filled with what is set; by field."""
        edits = {}
        for field, title, hint in lines:
            text = getattr(settings, field)
            edits[field] = _add_line(self.form, title, text, hint)
        return edits

    def _add_devices(self, settings: HostSettings) -> None:
        """Which devices are used, and how many evaluations run at a time."""
        self.devices = QLineEdit(", ".join(map(str, settings.devices)))
        self.devices.setPlaceholderText(_tr("All devices found, or for example 0, 2"))
        add_field(self.form, _tr("Devices"), self.devices)
        self.slots = QSpinBox()
        inset(self.slots)
        self.slots.setRange(0, 256)
        self.slots.setSpecialValueText(_tr("Half the cores"))
        self.slots.setValue(settings.slots)
        add_field(self.form, _tr("Parallel evaluations"), self.slots)

    def _add_allocation(self, settings: HostSettings) -> None:
        """How a device is kept from others while it is used."""
        self.borrow = ComboBox()
        ways = (
            (_tr("The site's scheduler, if any"), ""),
            (_tr("Lock files"), "locks"),
            (_tr("The site's task-submit"), "task-submit"),
        )
        self.borrow.offer(ways, settings.borrow)
        add_field(self.form, _tr("Devices are allocated by"), self.borrow)
        self.scheduler = ComboBox()
        owners = ((_tr("Its users"), ""), (_tr("Slurm"), "slurm"))
        self.scheduler.offer(owners, settings.scheduler)
        add_field(self.form, _tr("Devices belong to"), self.scheduler)

    def _show_site(self) -> None:
        """Fields of a site with a scheduler are shown where there is one."""
        has_scheduler = bool(self.scheduler.currentData())
        for edit in self.site.values():
            self.form.setRowVisible(edit, has_scheduler)

    def _choose(self) -> None:
        """Check the fields; the dialog stays open where one is wrong."""
        text = self.devices.text()
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if not all(part.isdecimal() for part in parts):
            problem = _tr("{0!r} is not a list of device numbers.").format(text)
            self.refuse(SageError(problem, _tr("For example: 0, 2")))
            return
        scheduler = self.scheduler.currentData()
        values: dict[str, object] = {
            "devices": tuple(int(part) for part in parts),
            "slots": self.slots.value(),
            "borrow": self.borrow.currentData(),
            "whole_cards": self.whole.isChecked(),
            "scheduler": scheduler,
        }
        default = HostSettings()
        for field, edit in self.texts.items():
            values[field] = edit.text().strip() or getattr(default, field)
        # What was written for a scheduler that is not used any more is forgotten.
        for field, edit in self.site.items():
            values[field] = edit.text().strip() if scheduler else ""
        try:
            HostSettings(**values)  # type: ignore[arg-type]
        except SageError as error:
            self.refuse(error)
            return
        self.submitted.emit(values)
        self.accept()
