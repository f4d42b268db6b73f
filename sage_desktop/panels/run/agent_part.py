"""The run dialog for a coding agent: which one, with which model, and whether it can be driven."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from core.errors import SageError
from core.harness.launch import OPENCODE
from core.models.endpoint import Endpoint
from sage_desktop.services.models.agent_check import is_command, look_for, paths_of
from sage_desktop.services.models.check import Check
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.widgets.check_list import CheckList
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import add_field
from sage_desktop.ui.widgets.making import push
from sage_desktop.ui.widgets.stacking import hbox

OTHER = "other"
_TITLE = "OpenCode"  # its own spelling, in every language


class AgentPart(QObject):
    """Rows of the form for an agent; what is missing is said below them, with what installs it.

    Signals:
        check_wanted: (command, what it may read): the person wants it tried.
        changed: Other rows or words are shown.

    Args:
        preferences: Hold what was chosen last.
        form: Where the rows go.
        parent: The dialog.
    """

    check_wanted = Signal(str, tuple)
    changed = Signal()

    def __init__(
        self, preferences: Preferences, form: QFormLayout, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self.agent = ComboBox()
        self.profile = ComboBox()
        self.words = QLineEdit(preferences.text("run/agent_command"))
        self.reads = QLineEdit(preferences.text("run/agent_reads"))
        self.found = CheckList()
        self.check = push(self.tr("Check"), self._ask)
        self._form = form
        self._visible = False
        self._lay_out()
        self.agent.currentIndexChanged.connect(self._show)
        self.words.editingFinished.connect(self._look)
        self._show()

    def _lay_out(self) -> None:
        other = self.tr("Another one, over the Agent Client Protocol")
        agent = self._preferences.text("run/agent", OPENCODE)
        self.agent.offer(((_TITLE, OPENCODE), (other, OTHER)), agent)
        self.words.setPlaceholderText(self.tr("my-agent --acp"))
        self.reads.setPlaceholderText(
            self.tr("Its interpreter and modules, colons between")
        )
        for title, field in (
            (self.tr("Agent"), self.agent),
            (self.tr("Command"), self.words),
            (self.tr("May read"), self.reads),
            (self.tr("Its model"), self.profile),
        ):
            add_field(self._form, title, field)
        self._row = QWidget()
        hbox(
            (self.found, 1),
            (self.check, Qt.AlignmentFlag.AlignTop),
            owner=self._row,
            margins=0,
        )
        self._form.addRow("", self._row)

    def set_visible(self, on: bool) -> None:
        """Show or hide all of it."""
        self._visible = on
        self._show()

    def fill_profiles(self, profiles: Mapping[str, Endpoint]) -> None:
        """Offer these models, the one chosen before in front."""
        front = self.profile.currentData()
        if not front:
            front = self._preferences.text("run/agent_profile")
        entries = [
            (f"{name} · {profile.model}", name) for name, profile in profiles.items()
        ]
        with QSignalBlocker(self.profile):
            self.profile.offer(entries, front)
        self._look()

    @property
    def command(self) -> str:
        """The command of the agent chosen."""
        if self.agent.currentData() == OPENCODE:
            return OPENCODE
        return self.words.text().strip()

    def _show(self) -> None:
        other = self.agent.currentData() == OTHER
        for field in (self.agent, self.profile, self._row):
            self._form.setRowVisible(field, self._visible)
        for field in (self.words, self.reads):
            self._form.setRowVisible(field, self._visible and other)
        self._look()

    def _look(self) -> None:
        """Say at once which programs are there; nothing is started for that."""
        checks = look_for(self.command) if is_command(self.command) else []
        if not self.profile.count():
            words = self.tr(
                "None yet. Add the server of the agent's model with “Models…”."
            )
            checks.append(Check("model", ok=False, detail=words))
        self.found.show_checks(checks)
        self.changed.emit()

    def _ask(self) -> None:
        self.check.setEnabled(False)
        self.found.wait(self.tr("Starting the agent's program and the cell…"))
        self.check_wanted.emit(self.command, paths_of(self.reads.text()))

    def show_checks(self, checks: list[Check]) -> None:
        """Show what came of trying it."""
        self.check.setEnabled(True)
        self.found.show_checks(checks)
        self.changed.emit()

    def chosen_model(self, profiles: Mapping[str, Endpoint]) -> Endpoint:
        """The profile of its model; what was chosen is remembered.

        Raises:
            SageError: No command, no model, or a program is missing.
        """
        if not is_command(self.command):
            raise SageError(
                self.tr("No agent is named."),
                self.tr("Write the command that starts it."),
            )
        profile = profiles.get(str(self.profile.currentData()))
        if profile is None:
            raise SageError(
                self.tr("The agent has no model."), self.tr("Add one with “Models…”.")
            )
        missing = [check for check in look_for(self.command) if not check.ok]
        if missing:
            raise SageError(
                self.tr("The agent cannot be driven here."), missing[0].detail
            )
        stored = self._preferences
        stored.set("run/agent", self.agent.currentData())
        stored.set("run/agent_command", self.words.text())
        stored.set("run/agent_reads", self.reads.text())
        stored.set("run/agent_profile", self.profile.currentData())
        return profile
