"""The parts of an item's page: counters, words, records, code, links to other items."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from core.memory.records import MemoryItem
from sage_desktop.panels.memory.details import Neighbour
from sage_desktop.panels.memory.looks import lifecycle_text, state_text
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import heading, muted, text_label
from sage_desktop.ui.widgets.lessons import item_link
from sage_desktop.ui.widgets.making import drawn, drawn_tool, named
from sage_desktop.ui.widgets.stacking import boxed, hbox, vbox
from sage_desktop.ui.widgets.verdicts import signed

_PROSE = 64  # characters a line of prose


class Figures(QFrame):
    """The counters of an item, each with its name below."""

    def __init__(self, item: MemoryItem) -> None:
        super().__init__()
        self.setProperty("card", "true")
        look = theme()
        grid = QGridLayout(self)
        grid.setContentsMargins(look.px(0.7), look.px(0.5), look.px(0.7), look.px(0.5))
        grid.setVerticalSpacing(0)
        density = f"{item.density * 1000:.2f}" if item.L_m else "\N{EN DASH}"
        for number, (value, name, tip) in enumerate(
            (
                (signed(item.u_m), self.tr("utility u"), ""),
                (f"{item.n_ado} / {item.n_ret}", self.tr("adopted / retrieved"), ""),
                (
                    str(len(item.adopted_operators)),
                    self.tr("operators"),
                    ", ".join(item.adopted_operators),
                ),
                (
                    f"{item.p_hat:.2f}",
                    self.tr("frequency p"),
                    self.tr("over {0} episodes").format(item.n_elig)
                    if item.p_hat_ema is None
                    else self.tr("moving average of use as a resident"),
                ),
                (
                    str(item.L_m) if item.L_m else "\N{EN DASH}",
                    self.tr("tokens"),
                    item.tokenizer_id,
                ),
                (density, self.tr("density ×10⁻³"), self.tr("u p / tokens")),
            )
        ):
            figure = heading(value, 1.1)
            caption = muted(name, small=True, wraps=False)
            for label in (figure, caption):
                label.setToolTip(tip)
            row, column = 3 * (number // 3), number % 3
            grid.addWidget(figure, row, column)
            grid.addWidget(caption, row + 1, column)
        grid.setRowMinimumHeight(2, look.px(0.5))
        words = (lifecycle_text(item.sigma), state_text(item.state))
        self.setAccessibleName(" · ".join(words))


def record_row(drawing: str, role: str, where: str, rationale: str) -> QWidget:
    """One adoption or use: drawing, where, and why."""
    picture = drawn(drawing, role)
    head = text_label(where, muted=True)
    theme().letter(head, "small")
    return boxed(
        hbox(
            (picture, Qt.AlignmentFlag.AlignTop),
            (vbox(head, text_label(rationale), spacing=0), 1),
            margins=(0, 0.1, 0, 0.2),
            spacing=0.5,
        )
    )


def wrapped(text: str) -> str:
    """Prose as lines short enough for a comparison; text with lines of its own stays as it is."""
    return text if "\n" in text else textwrap.fill(text, _PROSE)


def code_view(wrong: str, correct: str, name: str, *, colors: bool = True) -> DiffView:
    """Two texts as a comparison in one column, in full height."""
    view = named(DiffView(), name)
    view.set_option("colors", on=colors)
    view.set_option("fold", on=False)
    view.set_option("inline", on=True)
    view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.show_file(FileView("", wrong or None, correct or None))
    view.setFixedHeight(view.full_height())
    return view


def text_view(name: str) -> DiffView:
    """A comparison of prose: all of it, its long lines wrapped, without colours of code."""
    view = named(DiffView(), name)
    for option, on in (("fold", False), ("colors", False), ("wrap", True)):
        view.set_option(option, on=on)
    return view


def neighbour_row(
    found: Neighbour, go: Callable[[str], object], compare: Callable[[str], object]
) -> QWidget:
    """An item like the one in front: how like, its title, a link, a button to compare."""
    likeness = muted(f"{found.likeness:.0f}", wraps=False)
    likeness.setToolTip(
        QCoreApplication.translate(
            "ItemPageView", "Relevance to the words of this item, from 0 to 100"
        )
    )
    likeness.setMinimumWidth(theme().px(1.6))
    words = QCoreApplication.translate("ItemPageView", "Compare with {0}").format(
        found.uid
    )
    button = drawn_tool(lambda: compare(found.uid), "review", words, role="muted")
    return boxed(
        hbox(
            likeness,
            (text_label(found.title), 1),
            item_link(found.uid, go),
            button,
            margins=0,
            spacing=0.4,
        )
    )
