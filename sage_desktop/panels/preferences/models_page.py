"""Model endpoints: a list of profiles, the fields of one, and a test that really asks the server."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QLineEdit,
    QListWidget,
    QSpinBox,
    QWidget,
)

from core.errors import SageError
from core.harness.launch import OPENCODE
from core.models.api_keys import store_api_key
from core.models.endpoint import Endpoint
from sage_desktop.services.models.agent_check import look_for
from sage_desktop.services.models.check import ANY, Check, try_endpoint
from sage_desktop.services.models.profiles import profiles, save_profiles
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.check_list import CheckList
from sage_desktop.ui.widgets.form import (
    Message,
    add_field,
    form_layout,
    framed,
    heading,
    inset,
    muted,
    row_layout,
)
from sage_desktop.ui.widgets.making import push
from sage_desktop.ui.widgets.stacking import vbox

_FRESH = Endpoint("http://localhost:8000/v1", ANY)


class ModelsPage(QWidget):
    """Edits profiles; every whole profile is stored at once.

    Signals:
        changed: The stored profiles are different now.
    """

    changed = Signal()

    def __init__(self, preferences: Preferences, operations: Operations) -> None:
        super().__init__()
        self._preferences = preferences
        self._operations = operations
        self._profiles = profiles(preferences)
        self.list = QListWidget()
        self.name, self.address, self.model, self.key = (
            QLineEdit() for _field in range(4)
        )
        self.secret = QLineEdit()
        self.context, self.reply = QSpinBox(), QSpinBox()
        self.prices = {
            field: QDoubleSpinBox()
            for field in ("price_input", "price_cached", "price_output")
        }
        self.message = Message()
        self.agents = CheckList()
        self.agents.show_checks(look_for(OPENCODE))
        self._fields = QWidget()
        self._is_testing = False
        self._lay_out()
        self._fill(0)
        self.list.currentRowChanged.connect(lambda _row: self._show())
        for edit in (self.name, self.address, self.model, self.key):
            edit.editingFinished.connect(self._edited)
        for box in (self.context, self.reply):
            box.valueChanged.connect(self._edited)
            inset(box)
        for price in self.prices.values():
            price.valueChanged.connect(self._edited)
            inset(price)

    def _lay_out(self) -> None:
        look = theme()
        self.list.setAccessibleName(self.tr("Model profiles"))
        self.list.setFixedHeight(look.px(5.2))
        framed(self.list)
        self.add = push(self.tr("Add"), self._add)
        self.remove = push(self.tr("Remove"), self._remove)
        self.test = push(self.tr("Test"), self._test)
        form = form_layout()
        for edit, title, hint in (
            (self.name, self.tr("Name"), self.tr("Display name")),
            (self.address, self.tr("Address"), self.tr("http://host:8000/v1")),
            (
                self.model,
                self.tr("Model"),
                self.tr("As the server lists it; Test shows what is served"),
            ),
            (
                self.key,
                self.tr("Key name"),
                self.tr("Environment variable or entry of the keyring"),
            ),
        ):
            edit.setPlaceholderText(hint)
            add_field(form, title, edit)
        self.secret.setEchoMode(QLineEdit.EchoMode.Password)
        self.secret.setPlaceholderText(self.tr("Leave empty if it is stored already"))
        keep = push(self.tr("Store in Keyring"), self._store_key)
        add_field(
            form,
            self.tr("Store a key"),
            self.secret,
            row_layout((self.secret, 1), keep),
        )
        self.context.setRange(0, 10_000_000)
        self.context.setSpecialValueText(self.tr("As reported by the server"))
        self.reply.setRange(1, 1_000_000)
        for box, title in (
            (self.context, self.tr("Context, tokens")),
            (self.reply, self.tr("Reply, tokens")),
        ):
            box.setGroupSeparatorShown(True)
            add_field(form, title, box)
        prices = row_layout()
        for price, title in zip(
            self.prices.values(),
            (self.tr("prompt"), self.tr("cached"), self.tr("reply")),
            strict=True,
        ):
            price.setDecimals(3)
            price.setRange(0, 9999)
            caption = muted(title, small=True)
            caption.setBuddy(price)
            price.setAccessibleName(self.tr("Price, {0} tokens").format(title))
            prices.addLayout(vbox(caption, price, spacing=0), 1)
        form.addRow(self.tr("Price per million"), prices)
        self._fields.setLayout(form)
        form.setContentsMargins(0, 0, 0, 0)
        vbox(
            row_layout((self.list, 1), vbox(self.add, self.remove, None)),
            self._fields,
            row_layout((self.message, 1), self.test),
            0.6,
            heading(self.tr("Coding agents"), 1.05),
            muted(
                self.tr(
                    "OpenCode, or another agent over the Agent Client Protocol, can write kernels with one "
                    "of these models: choose “A coding agent” when you set up a run."
                )
            ),
            self.agents,
            None,
            owner=self,
            margins=(0, 0.5, 0, 0),
            spacing=0.6,
        )

    def _fill(self, row: int) -> None:
        with QSignalBlocker(self.list):
            self.list.clear()
            self.list.addItems(list(self._profiles))
            self.list.setCurrentRow(min(row, self.list.count() - 1))
        self._show()

    def _current(self) -> str:
        item = self.list.currentItem()
        return item.text() if item is not None else ""

    def _show(self) -> None:
        name = self._current()
        self.remove.setEnabled(bool(name))
        profile = self._profiles.get(name, _FRESH)
        blockers = [
            QSignalBlocker(box)
            for box in (self.context, self.reply, *self.prices.values())
        ]
        self.name.setText(name)
        self.address.setText(profile.base_url)
        self.model.setText("" if profile.model == ANY else profile.model)
        self.key.setText(profile.key_name)
        self.context.setValue(profile.context_tokens)
        self.reply.setValue(profile.max_output_tokens)
        for field, box in self.prices.items():
            box.setValue(getattr(profile, field))
        del blockers
        if name:
            self.message.clear()
        else:
            self.message.say(
                self.tr(
                    "Name the server that writes the kernels; Test asks what it serves."
                )
            )

    def profile(self) -> Endpoint:
        """What the fields say.

        Raises:
            InvalidInput: The address is none.
        """
        before = self._profiles.get(self._current(), _FRESH)
        return replace(
            before,
            base_url=self.address.text().strip(),
            model=self.model.text().strip() or ANY,
            key_name=self.key.text().strip() or "SAGE_API_KEY",
            context_tokens=self.context.value(),
            max_output_tokens=self.reply.value(),
            price_input=self.prices["price_input"].value(),
            price_cached=self.prices["price_cached"].value(),
            price_output=self.prices["price_output"].value(),
        )

    def _edited(self) -> None:
        """Keep what the fields say, under another name where that is new and free."""
        old, name = self._current(), self.name.text().strip()
        try:
            profile = self.profile()
        except SageError as error:
            self.message.refuse(error)
            return
        if not old:  # the first one comes of what is typed
            if name or profile != _FRESH:
                self._begin(name or self._free_name(), profile)
            return
        is_free = name == old or name not in self._profiles
        if not name or not is_free:
            name = old
        if name == old and profile == self._profiles[old]:
            return
        self.message.clear()
        # A new dictionary, in which a renamed profile keeps its place in the list.
        renamed = {}
        for key, value in self._profiles.items():
            renamed[name if key == old else key] = value
        self._profiles = renamed
        self._profiles[name] = profile
        self._keep()
        item = self.list.currentItem()
        item.setText(name)

    def _keep(self) -> None:
        save_profiles(self._preferences, self._profiles)
        self.changed.emit()

    def _free_name(self) -> str:
        names = (f"model {number}" for number in itertools.count(1))
        return next(name for name in names if name not in self._profiles)

    def _begin(self, name: str, profile: Endpoint) -> None:
        """Store a profile that is new, and bring it to the front."""
        self._profiles[name] = profile
        self._keep()
        self._fill(len(self._profiles) - 1)

    def _add(self) -> None:
        self._begin(self._free_name(), _FRESH)
        self.name.setFocus()
        self.name.selectAll()

    def _remove(self) -> None:
        self._profiles.pop(self._current(), None)
        self._keep()
        self._fill(self.list.currentRow())

    def _store_key(self) -> None:
        name = self.key.text().strip() or "SAGE_API_KEY"
        try:
            store_api_key(name, self.secret.text().strip())
        except SageError as error:
            self.message.refuse(error)
            return
        self.secret.clear()
        self.message.say(self.tr("Stored in the keyring of this system."), "success")

    def _test(self) -> None:
        if self._is_testing:
            return
        self._edited()
        try:
            endpoint = self.profile()
        except SageError as error:
            self.message.refuse(error)
            return
        # The button stays as it is: a disabled one would lose the focus to another.
        self._is_testing = True
        self.message.say(self.tr("Contacting the server…"))
        work = try_endpoint(endpoint)
        self._operations.run_in_background(
            self, lambda: asyncio.run(work), self._tested, self._untested
        )

    def _untested(self, error: SageError) -> None:
        self._is_testing = False
        self.message.refuse(error)

    def _tested(self, checks: list[Check]) -> None:
        self._is_testing = False
        lines = []
        for check in checks:
            mark = "✓" if check.ok else "✗"
            name, detail = translated(check.name), translated(check.detail)
            lines.append(f"{mark} {name}: {detail}")
        # A server with one model need not be asked which.
        only_model = "".join(check.model for check in checks)
        if only_model and not self.model.text().strip():
            self.model.setText(only_model)
            self._edited()
        works = all(check.ok for check in checks)
        self.message.say("\n".join(lines), "success" if works else "danger")
