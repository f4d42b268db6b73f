"""The dialog for an operator of one's own: a folder from the template, its files to edit, a check."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import (
    QLineEdit,
    QPlainTextEdit,
    QStackedWidget,
    QTabWidget,
    QWidget,
)

from core.errors import SageError
from core.operators.loader import REFERENCE_FILE, SPECIFICATION_FILE, load_operator
from core.operators.spec import OperatorSpec
from core.operators.template import create_operator
from core.whole_file import write_text
from remote.operator_check import OperatorCheck, check_operators
from sage_desktop.panels.adding.listing import operator_root
from sage_desktop.services.operator_facts import OWN
from sage_desktop.ui.messages.opening import open_with_desktop
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import (
    FormDialog,
    add_field,
    fit_to_screen,
    form_layout,
    muted,
    row_layout,
)
from sage_desktop.ui.widgets.making import push
from sage_desktop.ui.widgets.saving import ask_folder
from sage_desktop.ui.widgets.stacking import boxed, vbox

_tr = partial(QCoreApplication.translate, "CustomDialog")


class CustomDialog(FormDialog):
    """First the name and the place, then the two files.

    Signals:
        added: (list with the one (source, name), label of the batch).
    """

    added = Signal(list, str)

    def __init__(
        self, operations: Operations, data_dir: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(
            _tr("New Operator"),
            _tr(
                "operator.toml specifies the operator, reference.py computes the expected result. It runs in "
                "a child process only."
            ),
            _tr("Create"),
            parent,
        )
        self._operations = operations
        self.spec: OperatorSpec | None = None
        self.name, self.place = (
            QLineEdit(),
            QLineEdit(str(operator_root(data_dir) / OWN)),
        )
        self.editors = {
            name: QPlainTextEdit() for name in (SPECIFICATION_FILE, REFERENCE_FILE)
        }
        self._pages = QStackedWidget()
        self._pages.addWidget(self._first_page())
        self._pages.addWidget(self._second_page())
        self.body.addWidget(self._pages, 1)
        self.check = self.add_button(_tr("Save and Check"))
        self.check.hide()
        self.check.clicked.connect(self._check)
        self.main_button.clicked.connect(self._go_on)
        fit_to_screen(self, 46, 18)
        self.name.setFocus()

    def _first_page(self) -> QWidget:
        page = QWidget()
        form = form_layout()
        self.name.setPlaceholderText(_tr("PascalCase, for example FusedAxpy"))
        self.place.setAccessibleName(_tr("Operators folder"))
        add_field(form, _tr("Name"), self.name)
        browse = push(_tr("Browse…"), self._browse)
        form.addRow(_tr("Location"), row_layout((self.place, 1), browse))
        form.addRow(
            "",
            muted(
                _tr("A small working operator is written there to start from."),
                small=True,
            ),
        )
        page.setLayout(form)
        form.setContentsMargins(0, 0, 0, 0)
        return page

    def _second_page(self) -> QWidget:
        tabs = QTabWidget(documentMode=True)
        for name, edit in self.editors.items():
            theme().letter(edit, "code")
            edit.setAccessibleName(name)
            edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            edit.setTabStopDistance(4 * edit.fontMetrics().horizontalAdvance(" "))
            tabs.addTab(edit, name)
        self._where = muted(small=True)
        open_folder = push(_tr("Open Folder"), self._open_folder)
        return boxed(
            vbox((tabs, 1), row_layout((self._where, 1), open_folder), margins=0)
        )

    def _browse(self) -> None:
        ask_folder(
            self,
            _tr("Operators Folder"),
            lambda path: self.place.setText(str(path)),
            self.place.text(),
        )

    def _open_folder(self) -> None:
        if self.spec is not None and not open_with_desktop(self.spec.folder):
            # Not `self.refuse`: a check of the operator may be at work, and goes on.
            self.message.refuse(
                SageError(
                    "{path} could not be opened: the desktop has no program for it.",
                    path=self.spec.folder,
                )
            )

    def _go_on(self) -> None:
        if self.spec is None:
            name, place = (
                self.name.text().strip(),
                Path(self.place.text().strip()).expanduser(),
            )

            def work() -> OperatorSpec:
                place.mkdir(parents=True, exist_ok=True)
                return create_operator(name, place)

            self.set_working(_tr("Creating the folder…"))
            self._operations.run_in_background(self, work, self._created, self.refuse)
        else:
            self._save_then(self._queue)

    def _created(self, spec: OperatorSpec) -> None:
        self.spec = spec
        for name, edit in self.editors.items():
            edit.setPlainText((spec.folder / name).read_text(encoding="utf-8"))
        self._where.setText(str(spec.folder))
        self._pages.setCurrentIndex(1)
        self.set_working("")
        self.main_button.setText(_tr("Save and Queue"))
        self.check.show()
        self.resize(self.width(), theme().px(42))
        self.editors[SPECIFICATION_FILE].setFocus()

    def _save_then(self, go_on: object) -> None:
        """Write both files and read the operator back; `go_on` gets it."""
        assert self.spec is not None
        folder = self.spec.folder
        texts = {name: edit.toPlainText() for name, edit in self.editors.items()}

        def work() -> OperatorSpec:
            for name, text in texts.items():
                write_text(folder / name, text)
            return load_operator(folder)

        self.set_working(_tr("Reading the operator…"))
        self._operations.run_in_background(self, work, go_on, self.refuse)  # type: ignore[arg-type]

    def _check(self) -> None:
        def examine(spec: OperatorSpec) -> None:
            from sage_desktop.services.wiring import (
                cache_dir,
            )  # late: it brings in all of the application

            self.set_working(_tr("Computing the reference of every case…"))

            def work() -> list[OperatorCheck]:
                return list(check_operators([spec], cache_dir()))

            self._operations.run_in_background(self, work, self._checked, self.refuse)

        self._save_then(examine)

    def _checked(self, checks: list[OperatorCheck]) -> None:
        self.set_working("")
        first_check = checks[0]
        if first_check.problems:
            self.message.say("\n".join(first_check.problems), "danger")
        else:
            summary = _tr("Passes: {0} cases, references took {1} ms.")
            self.message.say(
                summary.format(first_check.cases, f"{1000 * first_check.seconds:.0f}"),
                "success",
            )

    def _queue(self, spec: OperatorSpec) -> None:
        self.added.emit([(str(spec.folder), spec.name)], "")
        self.accept()
