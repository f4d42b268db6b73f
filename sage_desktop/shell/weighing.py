"""What was it worth? Takes the lines of the experience in front out of a kernel and has that timed again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.engine.worth import (
    Judged,
    Removal,
    Worth,
    keep_why_not,
    keep_worth,
    measured,
    weighable,
    worths_of,
)
from sage_desktop.services import wiring
from sage_desktop.services.stoppable import Ended, Stoppable
from sage_desktop.shell.background_work import BackgroundWork

if TYPE_CHECKING:
    from core.operators.spec import OperatorSpec
    from core.workspace import Workspace
    from sage_desktop.shell.main_window import MainWindow

Place = tuple[str, int, str]  # trajectory, round, uid of the experience


class Weighing(BackgroundWork):
    """Serves the command `memory.worth`; one experience at a time, on the CPU twin of this computer."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        window.actions_.bind("memory.worth", self._ask)

    def _ask(self) -> None:
        item = self._window.memory.item_page.item
        if item is None:
            self._window.toasts.show_message(
                self.tr("No experience is selected."), kind="warning"
            )
        elif not self._operations.can_write:
            self._window.toasts.show_message(
                self.tr("Another process is using this workspace."), kind="warning"
            )
        elif self._call is not None:
            self._window.toasts.show_message(
                self.tr("Another experience is being timed."), kind="warning"
            )
        else:
            uid = item.uid
            self._operations.ask(
                self,
                lambda workspace: _read(workspace, uid),
                self._begin,
                topic="worth",
            )

    def _begin(self, found: tuple[Place, OperatorSpec, Removal | str]) -> None:
        place, operator, removal = found
        if isinstance(removal, str):
            self._store(
                place[2], lambda workspace: keep_why_not(workspace, place, removal)
            )
            return
        soc = self._soc
        self._call = Stoppable(
            lambda: measured(wiring.judge(soc=soc), operator, removal),
            self._ended.emit,
            "worth",
        )
        words = self.tr("Timing {0}, round {1}, without the lines of {2}")
        self._window.status.show_activity(
            words.format(operator.name, removal.round, removal.uid)
        )

    def _end(self, ended: Ended[Judged]) -> None:
        self._call = None
        self._window.status.show_activity("")
        if ended.error is not None:
            self._tell(ended.error, self._window.toasts.show_error)
        elif ended.result is not None:
            judged = ended.result
            self._store(judged[0].uid, lambda workspace: keep_worth(workspace, *judged))

    def _store(self, uid: str, keep: Callable[[Workspace], None]) -> None:
        def change(workspace: Workspace) -> Worth:
            keep(workspace)
            return worths_of(workspace.db, uid)[-1]

        self._operations.write(
            self,
            change,
            lambda found: self._show(uid, found),
            topics=frozenset({"memory"}),
        )

    def _show(self, uid: str, found: Worth) -> None:
        """Say the answer; it stands beside the adoption record too, far down the page."""
        from sage_desktop.panels.memory.item_page import worth_text

        item = self._window.memory.item_page.item
        if item is not None and item.uid == uid:
            self._window.memory.open_item(uid)
        place = self.tr("{0}, round {1}").format(found.operator, found.round)
        self._window.toasts.show_message(
            self.tr("The worth of {0} is shown beside its adoption record.").format(
                uid
            ),
            f"{place}: {worth_text(found)}",
            "warning" if found.why_not else "success",
        )


def _read(workspace: Workspace, uid: str) -> tuple[Place, OperatorSpec, Removal | str]:
    """The round that adopted it, and its kernel without the lines, or why there is none."""
    from core.experiments.faithfulness_live import operators_of

    place, removal = weighable(workspace.db, uid)
    row = workspace.db.execute(
        "SELECT operator FROM trajectory WHERE uid = ?", (place[0],)
    ).fetchone()
    return place, operators_of(workspace)(row[0]), removal
