"""Memories in and out of the window: merge a file, export one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from sage_desktop.shell.main_window import MainWindow
from sage_desktop.shell.part import ShellPart
from sage_desktop.shell.session import WorkspaceSession

if TYPE_CHECKING:
    from core.exchange.memory_file import Bank
    from core.exchange.merge import MergeReport

_TOPICS = frozenset({"memory"})


class MemoryExchange(ShellPart):
    """Serves Memory → Import and Export."""

    def __init__(self, window: MainWindow, session: WorkspaceSession) -> None:
        super().__init__(window)
        self.dialog: QObject | None = None
        window.actions_.bind("memory.import", self._ask_file)
        window.actions_.bind("memory.export", self._ask_target)
        session.writable.connect(self._allow)
        self._allow(on=False)

    def _allow(self, on: bool) -> None:
        self._window.actions_.enable({"memory.import": on})

    # ---- a memory that was exported, or a workspace

    def _ask_file(self) -> None:
        from sage_desktop.ui.widgets.saving import ask_which

        filters = [
            self.tr("Memories and workspaces (*.jsonl *.json *.sage *.sqlite)"),
            self.tr("All files (*)"),
        ]
        self.dialog = ask_which(
            self._window, self.tr("Import Memory"), filters, self.read_memory
        )

    def read_memory(self, path: Path) -> None:
        """Read a memory and ask whether it is to be merged; a workspace is only read."""

        def read() -> Bank:
            from core.exchange.bank_files import read_any_bank

            return read_any_bank(path)

        self._operations.run_in_background(
            self, read, lambda bank: self._ask_merge(path, bank)
        )

    def _ask_merge(self, path: Path, bank: Bank) -> None:
        from sage_desktop.ui.messages.confirm import confirm

        question = self.tr("Merge {0:,} items of {1}?").format(
            len(bank.items), path.name
        )
        hint = self.tr(
            "New items wait in quarantine until you accept them. Evidence of items that are here too is "
            "counted together, each episode once. One step of Undo takes it back."
        )
        do = (self.tr("Merge"), lambda: self._merge(path, bank))
        self.dialog = confirm(
            self._window,
            question,
            hint,
            do,
            (self.tr("Cancel"), lambda: None),
            "memory",
        )

    def _merge(self, path: Path, bank: Bank) -> None:
        from core.exchange.merge import merge_bank
        from core.memory.store import MemoryStore

        self._operations.write(
            self,
            lambda workspace: merge_bank(
                MemoryStore(workspace), bank, source=path.name
            ),
            lambda report: self._tell_merged(path, report),
            topics=_TOPICS,
        )

    def _tell_merged(self, path: Path, report: MergeReport) -> None:
        details = "\n".join(
            self.tr("Both memories changed {0} of {1}: kept {2!r}, not {3!r}").format(
                conflict.field, conflict.uid, conflict.kept, conflict.other
            )
            for conflict in report.conflicts
        )
        counts = (
            len(report.added),
            len(report.updated),
            len(report.credited),
            report.unchanged,
        )
        words = self.tr(
            "{0} was merged: {1} new, {2} changed, {3} with more evidence, {4} as before."
        )
        words = words.format(path.name, *counts)
        hints = [self._next(len(report.added))]
        if report.conflicts:
            both = self.tr(
                "Texts changed on both sides: {0}. Memory → Resolve Conflicts… lists them."
            )
            hints.append(both.format(len(report.conflicts)))
        self._window.toasts.show_message(
            words, " ".join(filter(None, hints)), "success", details
        )

    def _next(self, new: int) -> str:
        return (
            self.tr("Memory → Review Pending Items (F7) lists what is new.")
            if new
            else ""
        )

    # ---- out

    def _ask_target(self) -> None:
        from sage_desktop.ui.widgets.saving import ask_where

        forms = {
            self.tr("Everything, as text (*.jsonl)"): "jsonl",
            self.tr("Everything, as a workspace (*.sage)"): "sqlite",
            self.tr("Item records of the paper, without traces (*.json)"): "paper",
        }
        name = f"{self._operations.workspace.stem}-memory.jsonl"
        dialog = ask_where(
            self._window,
            self.tr("Export Memory"),
            name,
            list(forms),
            lambda path: self.export(path, forms[dialog.selectedNameFilter()]),
        )
        self.dialog = dialog

    def export(self, path: Path, form: str) -> None:
        """Write the whole memory to a new file; `form` as `core.exchange.bank_files.write_bank` takes it."""
        source = self._operations.workspace

        def write() -> Path:
            from core.exchange.bank_files import write_bank
            from core.workspace import Workspace

            with Workspace.open_readonly(source) as opened:
                write_bank(opened, path, form, replace=True)  # the dialog asked
            return path

        self._operations.run_in_background(self, write, self._tell_exported)

    def _tell_exported(self, path: Path) -> None:
        self._window.toasts.show_message(
            self.tr("The memory was exported to {0}.").format(path), kind="success"
        )
