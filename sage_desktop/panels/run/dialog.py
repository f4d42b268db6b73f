"""The dialog that sets up a run: who writes the kernels, where they are judged, by which method."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSpinBox,
    QWidget,
)

from core.errors import SageError
from core.method.methods import METHODS
from core.models.endpoint import Endpoint
from core.models.prices import Prices
from sage_desktop.panels.run.agent_part import AgentPart
from sage_desktop.services import settings_table
from sage_desktop.services.models.agent_check import paths_of
from sage_desktop.services.models.choice import ACP
from sage_desktop.services.models.profiles import profiles
from sage_desktop.services.run_setup import (
    MANUAL,
    PROFILE,
    REPLAY,
    RunSetup,
    profile_label,
)
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
from sage_desktop.ui.typed import present
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import (
    FormDialog,
    add_field,
    fit_to_screen,
    form_layout,
    framed,
    inset,
    muted,
    row_layout,
)
from sage_desktop.ui.widgets.making import push
from sage_desktop.ui.widgets.saving import ask_which
from sage_desktop.ui.widgets.stacking import boxed, hbox

_tr = partial(QCoreApplication.translate, "RunDialog")
_tr_method = partial(QCoreApplication.translate, "Methods")

LOCAL = "local"
LEARNING, FROZEN = "learning", "frozen"


class RunDialog(FormDialog):
    """Offers what was chosen last.

    Signals:
        submitted: (`RunSetup`, whether to start at once).
        profiles_wanted: The person wants to add or change a model.

    Args:
        preferences: Remember the choice; hold profiles and settings.
        hosts: Names of the hosts beside this computer.
        parent: The window.
    """

    submitted = Signal(object, bool)
    profiles_wanted = Signal()

    def __init__(
        self,
        preferences: Preferences,
        hosts: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(
            _tr("Set Up Run"),
            _tr(
                "Who writes the kernels, where they are evaluated, and with which method."
            ),
            _tr("Start"),
            parent,
        )
        self._preferences = preferences
        self._profiles: dict[str, Endpoint] = {}
        self._claimed = ""  # words on the frozen memory the workspace holds results for
        self.model = ComboBox()
        self.session = QLineEdit(preferences.text("run/session"))
        self.memory = ComboBox()
        self.frozen = QLineEdit(preferences.text("run/memory"))
        self.hosts = QListWidget()
        self.toolchain = ComboBox()
        self.method = ComboBox()
        self.rounds = QSpinBox()
        self.workers = QSpinBox()
        self._model_words = muted(small=True)
        self.memory_words = muted(small=True)
        self._method_words = muted(small=True)
        self._lay_out(hosts)
        self.fill_models()
        self._show_method()
        self._show_memory()
        fit_to_screen(self, 36)
        self.agent.changed.connect(self._grow)
        self.model.currentIndexChanged.connect(self._show_model)
        self.method.currentIndexChanged.connect(self._show_method)
        self.memory.currentIndexChanged.connect(self._show_memory)
        self.main_button.clicked.connect(lambda: self._choose(start=True))
        later = self.add_button(self.tr("Save"))
        later.clicked.connect(lambda: self._choose(start=False))

    def _lay_out(self, hosts: Sequence[str]) -> None:
        self._form = form_layout()
        self._add_model()
        self._add_judges(hosts)
        self._add_method()
        self._add_memory()
        self._add_number(self.rounds, "method/T", self.tr("Rounds per operator"))
        self._add_number(self.workers, "method/workers", self.tr("Parallel operators"))
        self.body.addLayout(self._form)
        hint = self.tr("All other parameters and limits are in Settings.")
        self.body.addWidget(muted(hint, small=True))
        self.body.addStretch()

    def _add_model(self) -> None:
        """Who writes the kernels: a model, an agent, a person, a recording."""
        change = push(self.tr("Models…"), self.profiles_wanted)
        row = row_layout((self.model, 1), change)
        add_field(self._form, self.tr("Model"), self.model, row)
        self._form.addRow("", self._model_words)
        self.agent = AgentPart(self._preferences, self._form, self)
        self._session_row = self._file_row(
            self.session, self.tr("Recorded Session"), self.tr("Sessions (*.jsonl)")
        )
        self.session.setAccessibleName(self.tr("Session file"))
        self.session.setPlaceholderText(self.tr("session.jsonl"))
        self._form.addRow(self.tr("Session"), self._session_row)

    def _add_judges(self, hosts: Sequence[str]) -> None:
        """Where kernels are evaluated, and on what."""
        self._fill_hosts(hosts)
        self._form.addRow(self.tr("Run on"), self.hosts)
        entry = settings_table.setting("judge/toolchain")
        toolchains = (
            (self.tr("CPU twin (modelled latencies)"), "twin"),
            (self.tr("CANN on NPUs (measured latencies)"), "cann"),
        )
        self.toolchain.offer(toolchains, settings_table.read(self._preferences, entry))
        add_field(self._form, self.tr("Evaluated with"), self.toolchain)

    def _add_method(self) -> None:
        titles = [(_tr_method(way.title), name) for name, way in METHODS.items()]
        self.method.offer(titles, self._preferences.text("run/method", "sage"))
        add_field(self._form, self.tr("Method"), self.method)
        self._form.addRow("", self._method_words)

    def _add_memory(self) -> None:
        """Whether the run learns, or reads a memory that stays as it is."""
        self.memory.addItem(self.tr("This workspace (learning)"), LEARNING)
        self.memory.addItem(self.tr("Frozen (read-only)"), FROZEN)
        add_field(self._form, self.tr("Memory"), self.memory)
        self._frozen_row = self._file_row(
            self.frozen,
            self.tr("Frozen Memory"),
            self.tr("Workspaces (*.sage);;All files (*)"),
        )
        self.frozen.setAccessibleName(self.tr("File of the frozen memory"))
        self.frozen.setPlaceholderText(self.tr("learnt.sage"))
        self._form.addRow(self.tr("File"), self._frozen_row)
        self._form.addRow("", self.memory_words)

    def _add_number(self, box: QSpinBox, key: str, title: str) -> None:
        """A field for a number of the settings, which it shows and changes."""
        entry = settings_table.setting(key)
        box.setRange(int(entry.low), int(entry.high))
        box.setValue(int(settings_table.read(self._preferences, entry)))
        box.setMaximumWidth(theme().px(8))
        inset(box)
        add_field(self._form, title, box)

    def _file_row(self, field: QLineEdit, title: str, kinds: str) -> QWidget:
        """A field for the name of a file, and a button that looks for one."""

        def browse() -> None:
            dialog = ask_which(
                self, title, kinds.split(";;"), lambda path: field.setText(str(path))
            )
            dialog.selectFile(field.text())

        button = push(self.tr("Browse…"), browse)
        return boxed(hbox((field, 1), button, margins=0))

    def _fill_hosts(self, names: Sequence[str]) -> None:
        """List this computer and the hosts, with a tick at those used last."""
        used = self._preferences.text("run/hosts", LOCAL).split(",")
        for name in (LOCAL, *names):
            title = self.tr("This computer") if name == LOCAL else name
            is_used = name in used
            state = Qt.CheckState.Checked if is_used else Qt.CheckState.Unchecked
            item = QListWidgetItem(title)
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(state)
            self.hosts.addItem(item)
        self.hosts.setAccessibleName(self.tr("Hosts that evaluate kernels"))
        framed(self.hosts)
        # Two to four rows; more of them scroll.
        rows = min(4, max(2, self.hosts.count()))
        self.hosts.setFixedHeight(theme().px(1.6 * rows + 0.4))

    def fill_models(self) -> None:
        """Read the profiles again and keep what was chosen; a profile made meanwhile is."""
        model_name = self.model.currentData() or self._preferences.text("run/model")
        before, self._profiles = self._profiles, profiles(self._preferences)
        added = [name for name in self._profiles if name not in before]
        is_renamed = model_name.removeprefix(PROFILE) not in self._profiles
        # An agent that lacked a model keeps being chosen: it uses the new one.
        is_agent = model_name.startswith(ACP)
        if self.model.count() and added and not is_agent:
            is_new = len(self._profiles) > len(before)
            if is_new or (model_name.startswith(PROFILE) and is_renamed):
                model_name = PROFILE + added[-1]
        with QSignalBlocker(self.model):
            self.model.clear()
            for name, profile in self._profiles.items():
                self.model.addItem(profile_label(name, profile), PROFILE + name)
            self.model.addItem(self.tr("A coding agent"), ACP)
            self.model.addItem(self.tr("You, by hand"), MANUAL)
            self.model.addItem(self.tr("A recorded session"), REPLAY)
            first = 0 if self._profiles else self.model.findData(MANUAL)
            self.model.setCurrentIndex(max(first, self.model.findData(model_name)))
        self.agent.fill_profiles(self._profiles)
        self._show_model()

    def _show_model(self) -> None:
        model_name = self.model.currentData()
        is_replay = model_name == REPLAY
        self._form.setRowVisible(self._session_row, is_replay)
        self.agent.set_visible(model_name == ACP)
        if is_replay:  # a recording brings its own
            self.memory.setCurrentIndex(self.memory.findData(LEARNING))
        elif self._claimed:
            self.memory.setCurrentIndex(self.memory.findData(FROZEN))
        self.memory.setEnabled(not is_replay and not self._claimed)
        self._model_words.setText(self._explanation(model_name))
        self._grow()

    def _explanation(self, model_name: str) -> str:
        """What a choice of model means."""
        if model_name == MANUAL:
            return self.tr(
                "Prompts appear in the window; paste each into any chat and its reply back."
            )
        if model_name == ACP:
            return self.tr(
                "It writes the kernels with tools of its own, confined to the candidate's folder and its "
                "model; rounds, gate and evaluation stay those of SAGE."
            )
        if model_name == REPLAY:
            return self.tr(
                "Replies are played back from a file into an empty workspace; no model runs."
            )
        profile = self._profiles[model_name.removeprefix(PROFILE)]
        words = self.tr("Served at {0}, key in {1}")
        return words.format(profile.base_url, profile.key_name)

    def _grow(self) -> None:
        """Rows and words that were added have room."""
        layout = present(self.layout())
        layout.activate()
        needed = layout.totalHeightForWidth(self.width())
        self.resize(self.width(), max(self.height(), needed))

    def show_claim(self, claim: tuple[str, str]) -> None:
        """The workspace holds results for a frozen memory of this name and sha256 already: only for that."""
        name, digest = claim
        if name:
            words = self.tr(
                "This workspace holds results for {0} (sha256 {1}…), and takes no others."
            )
            self._claimed = words.format(name, digest[:12])
            self.memory.setCurrentIndex(self.memory.findData(FROZEN))
            self.memory.setEnabled(False)
            self._show_memory()

    def _show_memory(self) -> None:
        frozen = self.memory.currentData() == FROZEN
        self._form.setRowVisible(self._frozen_row, frozen)
        words = self.tr(
            "Retrieval and resident rules come from this file, which is only read; nothing is learnt."
        )
        self.memory_words.setText(self._claimed or words)
        self._form.setRowVisible(self.memory_words, frozen)

    def _show_method(self) -> None:
        method = METHODS[self.method.currentData()]
        self._method_words.setText(_tr_method(method.description))

    def chosen_memory(self) -> Path | None:
        """The frozen memory, None for the workspace's own.

        Raises:
            SageError: No file is named.
        """
        if self.memory.currentData() != FROZEN:
            return None
        name = self.frozen.text().strip()
        if not name:
            raise SageError(
                self.tr("No frozen memory is named."),
                self.tr("Browse to a closed workspace or its backup."),
            )
        return Path(name).expanduser()

    def chosen_hosts(self) -> str:
        """Checked hosts as `--host` takes them."""
        items = [self.hosts.item(row) for row in range(self.hosts.count())]
        checked = [item for item in items if item.checkState() is Qt.CheckState.Checked]
        return ",".join(item.data(Qt.ItemDataRole.UserRole) for item in checked)

    def setup(self) -> RunSetup:
        """What is chosen now.

        Raises:
            SageError: No host, or no session file.
        """
        if not self.chosen_hosts():
            raise SageError(
                self.tr("No host is chosen."), self.tr("Select at least one.")
            )
        kind = self.model.currentData()
        if kind == REPLAY:
            if not self.session.text().strip():
                raise SageError(
                    self.tr("No session file is named."),
                    self.tr("Browse to a session.jsonl."),
                )
            kind += self.session.text().strip()
        profile = self._profiles.get(kind.removeprefix(PROFILE))
        reads: tuple[Path, ...] = ()
        if kind == ACP:
            profile = self.agent.chosen_model(self._profiles)
            kind += self.agent.command
            reads = paths_of(self.agent.reads.text())
        prices = profile.prices if profile else Prices()
        # Before the settings are read: some fields of the dialog are settings.
        self._remember()
        base_parameters = settings_table.method_parameters(self._preferences)
        method = METHODS[self.method.currentData()]
        parameters = method.parameters(base_parameters)
        soc = str(settings_table.value_of(self._preferences, "judge/soc"))
        toolchain = str(settings_table.value_of(self._preferences, "judge/toolchain"))
        limits = settings_table.limits(self._preferences, prices)
        frozen = self.chosen_memory()
        hosts = self.chosen_hosts()
        return RunSetup(
            kind, profile, hosts, parameters, limits, soc, toolchain, frozen, reads
        )

    def _remember(self) -> None:
        stored = self._preferences
        stored.set("run/model", self.model.currentData())
        stored.set("run/session", self.session.text())
        stored.set("run/hosts", self.chosen_hosts())
        stored.set("run/method", self.method.currentData())
        stored.set("run/memory", self.frozen.text())
        settings: dict[str, int | str] = {
            "judge/toolchain": str(self.toolchain.currentData()),
            "method/T": self.rounds.value(),
            "method/workers": self.workers.value(),
        }
        for key, value in settings.items():
            settings_table.store(stored, settings_table.setting(key), value)
        stored.save()

    def _choose(self, *, start: bool) -> None:
        try:
            setup = self.setup()
        except SageError as error:
            self.refuse(error)
            return
        self.set_working(self.tr("Checking the model and the hosts…"))
        self.submitted.emit(setup, start)
