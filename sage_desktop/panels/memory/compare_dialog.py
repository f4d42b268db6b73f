"""Two items side by side, to join one into the other."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from core.memory.records import MemoryItem
from sage_desktop.panels.memory.item_parts import text_view, wrapped
from sage_desktop.panels.memory.looks import item_look
from sage_desktop.panels.memory.questions import reason_field
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import FormDialog, heading, muted
from sage_desktop.ui.widgets.stacking import vbox
from sage_desktop.ui.widgets.verdicts import category_text, kind_text, signed


class CompareDialog(FormDialog):
    """Evidence of both above, content as a comparison below.

    Signals:
        joined: (uid that stays, uid that is archived into it, reason).
    """

    joined = Signal(str, str, str)

    def __init__(
        self,
        left: MemoryItem,
        right: MemoryItem,
        parent: QWidget | None,
        *,
        writable: bool = True,
    ) -> None:
        super().__init__(
            QCoreApplication.translate("CompareDialog", "Compare {0} and {1}").format(
                left.uid, right.uid
            ),
            "",
            QCoreApplication.translate("CompareDialog", "Join"),
            parent,
        )
        self._items = (left, right)
        self.keep = (
            QRadioButton(self.tr("Keep {0}").format(left.uid)),
            QRadioButton(self.tr("Keep {0}").format(right.uid)),
        )
        heads = QHBoxLayout()
        for item, button in zip(self._items, self.keep, strict=True):
            heads.addLayout(self._head(item, button), 1)
        self.keep[0 if _evidence(left) >= _evidence(right) else 1].setChecked(True)
        self.body.addLayout(heads)
        self.view = text_view(self.tr("Content of both items"))
        self.view.show_file(FileView("", content_text(left), content_text(right)))
        self.body.addWidget(self.view, 1)
        self.reason = reason_field()
        self.body.addWidget(self.reason)
        self.body.addWidget(
            muted(
                self.tr(
                    "Joining keeps the content of the chosen item, counts the evidence of both once, "
                    "and archives the other item. Undo reverts it."
                ),
                small=True,
            )
        )
        self.do_it.clicked.connect(self._join)
        self.do_it.setEnabled(writable)
        self.resize(theme().px(78), theme().px(46))

    def _head(self, item: MemoryItem, keep: QRadioButton) -> QVBoxLayout:
        title = heading(item.title)
        title.setWordWrap(True)
        title.setMinimumWidth(1)
        words = self.tr("utility {0}, adopted {1} of {2} retrievals, by {3} operators")
        if len(item.adopted_operators) == 1:
            words = self.tr(
                "utility {0}, adopted {1} of {2} retrievals, by one operator"
            )
        evidence = words.format(
            signed(item.u_m), item.n_ado, item.n_ret, len(item.adopted_operators)
        )
        return vbox(title, muted(f"{item_look(item).text} · {evidence}"), keep)

    def _chosen(self) -> tuple[MemoryItem, MemoryItem]:
        left, right = self._items
        return (left, right) if self.keep[0].isChecked() else (right, left)

    def _join(self) -> None:
        kept, other = self._chosen()
        self.joined.emit(kept.uid, other.uid, self.reason.text().strip())
        self.accept()


def _evidence(item: MemoryItem) -> tuple[int, int, int]:
    return item.n_ado, item.n_ret, -item.id


def content_text(item: MemoryItem) -> str:
    """The content of an item as lines that can be compared."""
    parts = [
        f"{item.uid} · {kind_text(item.type)} · {category_text(item.category)}",
        wrapped(item.title),
        wrapped(item.error_message),
        wrapped(item.summary),
        item.code_diff.wrong_code,
        item.code_diff.correct_code,
        wrapped(item.rule_text),
        item.rule_example,
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
