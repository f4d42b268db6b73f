"""The agent's own retriever at hand.

Ask as the agent asks, and see why each item stands where it stands.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from core.curation.search import Answer, MemorySearch
from core.memory.records import Retrieved
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import inset, muted, text_label
from sage_desktop.ui.widgets.making import named, on_base, push
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.tables import fill, plain_table
from sage_desktop.ui.widgets.verdicts import signed

WAIT_S = 20.0  # for the encoder to start, in the background


class SearchPage(QWidget):
    """Question above, hits and scores below, and how the score of one came about.

    Signals:
        opened: uid of an item the person wants to see.
    """

    opened = Signal(str)

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        on_base(self)
        self._operations = operations
        self.answer: Answer | None = None
        search = self._search = MemorySearch()
        self.destroyed.connect(search.close)
        self.question = named(QPlainTextEdit(), self.tr("Retrieval query"))
        self.question.setPlaceholderText(
            self.tr(
                "An error line, a diagnosis or a specification, as the agent would ask it"
            )
        )
        self.question.setTabChangesFocus(True)
        self.question.setFixedHeight(theme().px(4.5))
        self.k = named(QSpinBox(), self.tr("How many items"))
        inset(self.k)
        self.k.setRange(1, 50)
        self.k.setValue(5)
        self.meaning = QCheckBox(self.tr("Include se&mantic search"))
        self.meaning.setToolTip(
            self.tr("Uses the text encoder; the first time it has to start")
        )
        self.ask = push(self.tr("&Retrieve"), self._ask)
        self.state = muted()
        self.hits = plain_table(
            self.tr("Retrieved items"),
            [
                self.tr("Item"),
                self.tr("s"),
                self.tr("s_rel"),
                self.tr("Words"),
                self.tr("Meaning"),
                self.tr("u"),
                self.tr("Previous rank"),
            ],
        )
        # what s_rel is made of stands below in any case
        self.hits.room_for = {3: 52.0, 4: 52.0, 6: 44.0}
        self.hits.currentCellChanged.connect(lambda row, *_: self._explain(row))
        self.hits.cellActivated.connect(lambda row, _column: self._open(row))
        self.hits.cellDoubleClicked.connect(lambda row, _column: self._open(row))
        self.sum = text_label()
        self._lay_out()

    def _lay_out(self) -> None:
        label = QLabel(self.tr("&Items"))
        label.setBuddy(self.k)
        head = vbox(
            self.question,
            hbox(label, self.k, self.meaning, None, self.ask),
            self.state,
            margins=(0.8, 0.8, 0.8, 0.3),
        )
        vbox(
            head,
            (self.hits, 1),
            vbox(self.sum, margins=(0.8, 0.3, 0.8, 0.8)),
            owner=self,
            margins=0,
        )

    def _ask(self) -> None:
        question = self.question.toPlainText().strip()
        if not question:
            return
        k, search = self.k.value(), self._search
        wait = WAIT_S if self.meaning.isChecked() else 0.0
        self.state.setText(self.tr("Searching…"))
        self._operations.ask(
            self,
            lambda workspace: search.ask(workspace, question, k, wait=wait),
            self._show,
            topic="find",
        )

    def _show(self, answer: Answer) -> None:
        self.answer = answer
        fill(self.hits, [_cells(hit, answer.titles[hit.uid]) for hit in answer.hits])
        self.state.setText(self._outcome(answer))
        self.sum.clear()
        if answer.hits:
            self.hits.setCurrentCell(0, 0)
            self._explain(0)

    def _outcome(self, answer: Answer) -> str:
        """How many items were found, or why a search by meaning was one by words."""
        is_by_words = all(hit.cosine is None for hit in answer.hits)
        if self.meaning.isChecked() and is_by_words:
            reason = answer.weights.reason or self.tr(
                "no item was embedded yet; that happens while an operator runs"
            )
            return self.tr("By words only: {0}").format(reason)
        return self.tr("{0} found; residents excluded").format(len(answer.hits))

    def _hit(self, row: int) -> Retrieved | None:
        """The hit in a row."""
        if self.answer is None or not 0 <= row < len(self.answer.hits):
            return None
        return self.answer.hits[row]

    def _explain(self, row: int) -> None:
        """Show how the score of a hit came about: relevance first, then utility."""
        answer, hit = self.answer, self._hit(row)
        if answer is None or hit is None:
            return
        by_words = f"{100 * (hit.coverage or 0):.2f}"
        s_rel = f"{hit.s_rel or 0:.2f}"
        relevance = f"s_rel = {by_words}"
        if hit.cosine is not None:
            weight = answer.weights.sparse
            by_meaning = f"{100 * max(0.0, hit.cosine):.2f}"
            terms = f"{weight:.2f} · {by_words} + {1 - weight:.2f} · {by_meaning}"
            relevance = f"s_rel = {terms} = {s_rel}"
        factor = f"(1 + {answer.gamma:g} · {signed(hit.u)})"
        score = f"s = s_rel · (1 + γ u) = {s_rel} · {factor} = {hit.s or 0:.2f}"
        self.sum.setText(f"{hit.uid}:  {relevance}\n{score}")

    def _open(self, row: int) -> None:
        hit = self._hit(row)
        if hit is not None:
            self.opened.emit(hit.uid)


def _cells(hit: Retrieved, title: str) -> tuple[str, ...]:
    """A hit by column."""
    meaning = "\N{EN DASH}"
    if hit.cosine is not None:
        meaning = f"{100 * hit.cosine:.2f}"
    return (
        f"{hit.rank}  {title}",
        f"{hit.s or 0:.2f}",
        f"{hit.s_rel or 0:.2f}",
        f"{100 * (hit.coverage or 0):.2f}",
        meaning,
        signed(hit.u),
        str(hit.rank_before),
    )
