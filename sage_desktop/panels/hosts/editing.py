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
            self.body.addWidget(
                muted(
                    _tr("No further names were found in your configuration."),
                    small=True,
                )
            )
        self.main_button.clicked.connect(self._choose)
        fit_to_screen(self, 30)

    def _choose(self) -> None:
        name = self.name.currentText().strip()
        if not name or name.startswith("-") or any(letter.isspace() for letter in name):
            problem = _tr("{0!r} is not a host name.").format(name)
            self.refuse(
                SageError(
                    problem, _tr("Use a name of ~/.ssh/config, or user@host:port.")
                )
            )
            return
        self.submitted.emit(name)
        self.accept()


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
        form = form_layout()
        self.texts: dict[str, QLineEdit] = {}
        for field, title, hint in (
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
        ):
            self.texts[field] = _add_line(form, title, getattr(settings, field), hint)
        self.devices = QLineEdit(", ".join(map(str, settings.devices)))
        self.devices.setPlaceholderText(_tr("All devices found, or for example 0, 2"))
        add_field(form, _tr("Devices"), self.devices)
        self.slots = QSpinBox()
        inset(self.slots)
        self.slots.setRange(0, 256)
        self.slots.setSpecialValueText(_tr("Half the cores"))
        self.slots.setValue(settings.slots)
        add_field(form, _tr("Parallel evaluations"), self.slots)
        self.borrow = ComboBox()
        ways = (
            _tr("The site's scheduler, if any"),
            _tr("Lock files"),
            _tr("The site's task-submit"),
        )
        self.borrow.offer(
            zip(ways, ("", "locks", "task-submit"), strict=True), settings.borrow
        )
        add_field(form, _tr("Devices are allocated by"), self.borrow)
        self.scheduler = ComboBox()
        self.scheduler.offer(
            ((_tr("Its users"), ""), (_tr("Slurm"), "slurm")), settings.scheduler
        )
        add_field(form, _tr("Devices belong to"), self.scheduler)
        self.site: dict[str, QLineEdit] = {}
        for field, title, hint in (
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
        ):
            self.site[field] = _add_line(form, title, getattr(settings, field), hint)
        self.scheduler.currentIndexChanged.connect(self._show_site)
        self.form = form
        self._show_site()
        self.whole = QCheckBox(_tr("Lease the dies of a card together"))
        self.whole.setChecked(settings.whole_cards)
        form.addRow("", self.whole)
        self.body.addLayout(form)
        self.main_button.clicked.connect(self._choose)
        fit_to_screen(self, 36)

    def _show_site(self) -> None:
        """Fields of a site with a scheduler are shown where there is one."""
        for edit in self.site.values():
            self.form.setRowVisible(edit, bool(self.scheduler.currentData()))

    def _choose(self) -> None:
        parts = [
            part.strip() for part in self.devices.text().split(",") if part.strip()
        ]
        if not all(part.isdecimal() for part in parts):
            problem = _tr("{0!r} is not a list of device numbers.").format(
                self.devices.text()
            )
            self.refuse(SageError(problem, _tr("For example: 0, 2")))
            return
        default = HostSettings()
        values: dict[str, object] = {
            field: edit.text().strip() or getattr(default, field)
            for field, edit in self.texts.items()
        }
        values |= {
            "devices": tuple(int(part) for part in parts),
            "slots": self.slots.value(),
            "borrow": self.borrow.currentData(),
            "whole_cards": self.whole.isChecked(),
            "scheduler": self.scheduler.currentData(),
        }
        scheduled = bool(self.scheduler.currentData())
        values |= {
            field: edit.text().strip() if scheduled else ""
            for field, edit in self.site.items()
        }
        try:
            HostSettings(**values)  # type: ignore[arg-type]
        except SageError as error:
            self.refuse(error)
            return
        self.submitted.emit(values)
        self.accept()
