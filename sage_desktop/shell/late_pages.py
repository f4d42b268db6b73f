"""Pages and dialogs the window makes when they are first needed: hosts, start page, settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, Signal

from core.errors import SageError
from sage_desktop.shell.main_window import HOSTS, REVIEW, START, WORKLOAD, MainWindow
from sage_desktop.shell.part import ShellPart
from sage_desktop.ui import translation
from sage_desktop.ui.typed import expect, present
from sage_desktop.ui.widgets.pages import LazyPage

if TYPE_CHECKING:
    from remote.hosts.registry import HostRegistry
    from sage_desktop.panels.hosts.questions import WindowAsker
    from sage_desktop.panels.hosts.service import HostsService
    from sage_desktop.panels.hosts.summary import HostsSummary
    from sage_desktop.panels.preferences.dialog import SettingsDialog
    from sage_desktop.shell.session import WorkspaceSession


class LatePages(ShellPart):
    """Makes them on first use and takes them down in order.

    Signals:
        restart_wanted: The program is to end and to begin again with the same workspace.
        task_made: Operators to be queued, as (folder, name) pairs, and a label.
        models_changed: Profiles of models were added or changed.
        demonstration_wanted: The demonstration is to be opened beside this window.
    """

    task_made = Signal(list, str)
    restart_wanted = Signal()
    models_changed = Signal()
    demonstration_wanted = Signal()

    def __init__(self, window: MainWindow, session: WorkspaceSession) -> None:
        super().__init__(window)
        self._session = session
        self.service: HostsService | None = None
        self.asker: WindowAsker | None = None
        self.summary: HostsSummary | None = None
        self.settings: SettingsDialog | None = None
        window.provide_page(HOSTS, self._hosts)
        window.provide_page(START, self._start)
        window.provide_page(WORKLOAD, self._workload)
        window.actions_.bind("file.settings", self.show_settings)
        window.actions_.bind("file.add_host", self.add_host)

    def registry(self) -> HostRegistry:
        """The user's hosts; questions of servers come to this window from now on."""
        from sage_desktop.panels.hosts.questions import WindowAsker
        from sage_desktop.panels.hosts.summary import HostsSummary
        from sage_desktop.services import wiring
        from sage_desktop.services.wiring import registry

        hosts = registry(wiring.data_dir())
        if self.asker is None:
            self.asker = WindowAsker(self._window)
            hosts.ssh.ask = self.asker
            self.summary = HostsSummary(hosts, self)
            self.summary.changed.connect(self._window.status.show_hosts)
        return hosts

    def count_hosts(self) -> None:
        """Tell in the status bar which hosts there are; everything for it is loaded by now."""
        try:
            self.registry()
            present(self.summary).announce()
        except SageError as error:
            self._window.toasts.show_error(error)

    def _hosts(self) -> LazyPage:
        from sage_desktop.panels.hosts.panel import HostsPanel
        from sage_desktop.panels.hosts.service import HostsService

        self.service = HostsService(self.registry(), self)
        summary = present(self.summary)
        self.service.crashed.connect(self._operations.crashed)
        self.service.changed.connect(summary.page_changed)
        self.service.cards.connect(summary.saw_cards)
        panel = HostsPanel(self.service, self._window.actions_, self._preferences)
        summary.run_line.connect(panel.log_run_line)
        panel.refused.connect(self._window.toasts.show_error)
        panel.notice.connect(
            lambda words: self._window.toasts.show_message(words, kind="success")
        )
        return panel

    def add_host(self) -> None:
        """Turn to the hosts and offer the names of the SSH configuration."""
        from sage_desktop.panels.hosts.panel import HostsPanel

        self._window.tabs.setCurrentIndex(HOSTS)
        expect(self._window.lazy_page(HOSTS), HostsPanel).add()

    def _workload(self) -> LazyPage:
        from sage_desktop.panels.workload.panel import WorkloadPanel
        from sage_desktop.services import wiring

        tasks = wiring.data_dir() / "operators"
        panel = WorkloadPanel(self._operations, tasks)
        panel.refused.connect(self._window.toasts.show_error)
        panel.notice.connect(
            lambda words: self._window.toasts.show_message(words, kind="success")
        )
        panel.unwritten.connect(self._tell_unwritten)
        panel.created.connect(self.task_made)
        return panel

    def _tell_unwritten(self, folder: Path) -> None:
        """Say what a task lacks before it can be queued, and offer its folder."""
        self._window.toasts.show_message(
            self.tr("The task {0} is made. Write its reference.").format(folder.name),
            self.tr(
                "A profile does not tell what an operator computes: fill in the summary in "
                "operator.toml, and reference.py. Then Queue → Add Operators lists it."
            ),
            "success",
            offer=self._window.toasts.folder_offer(folder),
        )

    def _start(self) -> LazyPage:
        from sage_desktop.panels.start.panel import StartPage

        page = StartPage(
            self._window.actions_,
            self._preferences,
            lambda: self._session.recorded is not None,
        )
        page.models_wanted.connect(lambda: self.show_settings("models"))
        page.demonstration_wanted.connect(self.demonstration_wanted)
        page.run_started.connect(lambda: self._window.tabs.setCurrentIndex(REVIEW))
        return page

    def show_settings(self, page: str = "method") -> None:
        """Open the settings at a page."""
        from sage_desktop.panels.preferences.dialog import SettingsDialog

        self.settings = SettingsDialog(
            self._preferences, self._operations, page, self._window
        )
        self.settings.models_changed.connect(self.models_changed)
        self.settings.finished.connect(self._tell_language)
        self.settings.open()

    def _tell_language(self) -> None:
        """Another language was chosen: offer to start again, in words of both."""
        language = translation.language(self._preferences)
        if language == translation.current():
            return
        changes = str(
            QT_TRANSLATE_NOOP("LatePages", "The language changes after a restart.")
        )
        again = str(QT_TRANSLATE_NOOP("LatePages", "Restart Now"))
        context = type(self).__name__
        words = (self.tr(again), translation.said_in(language, context, again))
        self._window.toasts.show_message(
            self.tr(changes),
            translation.said_in(language, context, changes),
            offer=(" · ".join(words), self.restart_wanted.emit),
        )

    def close(self) -> None:
        """Close every connection; questions under way are declined."""
        if self.summary is not None:
            self.summary.close()
        if self.asker is not None:
            self.asker.close()
        if self.service is not None:
            self.service.close()
