"""The dialog that asks a diagnostic about a kernel: which tool, which case, where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from sage_desktop.services import settings_table
from sage_desktop.services.wiring import tools_of
from sage_desktop.ui.rounds.ask_bar import Subject
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import (
    FormDialog,
    add_field,
    fit_to_screen,
    form_layout,
    muted,
)

_tr = partial(QCoreApplication.translate, "AskDialog")


@dataclass(frozen=True)
class DiagnosticRequest:
    """What is asked.

    Attributes:
        subject: The kernel.
        tool: Name of the diagnostic.
        case: A visible case; empty leaves the choice to the tool.
        hosts: As `--host` takes them.
        toolchain: One of `wiring.TOOLCHAINS`.
        soc: Processor the twin models, except for tasks made of a profile; CANN asks the host for its own.
    """

    subject: Subject
    tool: str
    case: str = ""
    hosts: str = "local"
    toolchain: str = "twin"
    soc: str = ""


class AskDialog(FormDialog):
    """Begins with the judge that runs use.

    Signals:
        submitted: The `DiagnosticRequest`.

    Args:
        usual: Kernel and judge; its tool is not yet chosen.
        cases: Visible cases of the operator.
        hosts: Names of the hosts there are, this computer first.
        parent: The window.
    """

    submitted = Signal(object)

    def __init__(
        self,
        usual: DiagnosticRequest,
        cases: Sequence[str],
        hosts: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        words = _tr(
            "Runs on the kernel of {0}, round {1}. It costs no round and is not shown to the model."
        )
        super().__init__(
            _tr("Run Diagnostic"),
            words.format(usual.subject.operator, usual.subject.round),
            _tr("Run"),
            parent,
        )
        self._usual = usual
        self.tool = ComboBox()
        self.case = ComboBox()
        self.host = ComboBox()
        self.toolchain = ComboBox()
        self._what = muted(small=True)
        entries = [(self.tr("Chosen by the tool"), "")]
        entries += [(case, case) for case in cases]
        self.case.offer(entries)
        host_words = {"local": self.tr("This computer")}
        toolchain_words = {"twin": self.tr("CPU twin")}
        # A run may use several hosts; they are one entry, written as the run names them.
        places = dict.fromkeys((*hosts, usual.hosts))
        self.host.offer(
            [(host_words.get(name, name), name) for name in places], usual.hosts
        )
        choices = settings_table.setting("judge/toolchain").choices
        self.toolchain.offer(
            [(toolchain_words.get(name, name), name) for name in choices],
            usual.toolchain,
        )
        self._lay_out()
        self.toolchain.currentIndexChanged.connect(self._fill_tools)
        self.tool.currentIndexChanged.connect(self._tell)
        self.main_button.clicked.connect(self._choose)
        self._fill_tools()
        fit_to_screen(self, 34)

    def _lay_out(self) -> None:
        form = form_layout()
        for words, box in (
            (self.tr("Tool"), self.tool),
            (self.tr("Case"), self.case),
            (self.tr("On"), self.host),
            (self.tr("With"), self.toolchain),
        ):
            add_field(form, words, box)
            if box is self.tool:
                form.addRow("", self._what)
        self.body.addLayout(form)
        self.body.addStretch()

    def _fill_tools(self) -> None:
        """The tools of the toolchain chosen; the one chosen before stays where there is one of its name."""
        self._shows = tools_of(self.toolchain.currentData())
        self.tool.offer(zip(self._shows, self._shows, strict=True))
        self._tell()

    def _tell(self) -> None:
        """Say what the tool in front shows."""
        words = self._shows.get(self.tool.currentText(), "")
        self._what.setText(translated(words))

    def _choose(self) -> None:
        question = replace(
            self._usual,
            tool=self.tool.currentData(),
            case=self.case.currentData(),
            hosts=self.host.currentData(),
            toolchain=self.toolchain.currentData(),
        )
        self.accept()
        self.submitted.emit(question)
