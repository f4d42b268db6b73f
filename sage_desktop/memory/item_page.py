"""Everything about one experience: what it says, what it was worth, who used it and why."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.memory.parameters import MethodParameters
from core.memory.queries import AdoptionRow, EventRow, ItemPage, UseRow
from core.memory.records import Lifecycle, MemoryItem
from sage_desktop.actions import ActionRegistry
from sage_desktop.diff.document import FileView
from sage_desktop.diff.view import DiffView
from sage_desktop.icons import icon
from sage_desktop.memory.curve import UtilityCurve
from sage_desktop.memory.looks import item_look, lifecycle_text, origin_text, state_text
from sage_desktop.theme import theme
from sage_desktop.widgets.verdicts import adoption_look, kind_text, signed

_MOST_RECORDS = 60
_COMMANDS = ("memory.pin", "memory.bar", "memory.promote", "memory.demote", "memory.edit", "memory.disable")
_OBJECTIVES = {"corr": "correctness", "opt": "speed"}


class ItemPageView(QScrollArea):
    """One item as a page that scrolls."""

    def __init__(self, actions: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Experience"))
        self._actions = actions
        self.page: ItemPage | None = None
        self.curve = UtilityCurve()
        theme().changed.connect(self._rebuild)

    def show_page(self, page: ItemPage | None) -> None:
        """Show an item; an unchanged one is left as it stands."""
        if page == self.page and self.widget() is not None:
            return
        same = page is not None and self.page is not None and page.item.uid == self.page.item.uid
        place = self.verticalScrollBar().value() if same else 0
        self.page = page
        self._rebuild()
        self.verticalScrollBar().setValue(place)

    def _rebuild(self) -> None:
        page = self.page
        inside = QWidget()
        inside.setProperty("pane", "base")
        inside.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(inside)
        margin = theme().px(0.9)
        column.setContentsMargins(margin, margin, margin, margin)
        column.setSpacing(theme().px(0.45))
        if page is not None:
            self._fill(column, page)
        column.addStretch()
        self.setWidget(inside)

    def _fill(self, column: QVBoxLayout, page: ItemPage) -> None:
        item = page.item
        column.addLayout(self._head(item))
        column.addWidget(self._buttons(item))
        column.addWidget(_Figures(item))
        column.addWidget(_text(self._standing(item), muted=True))
        self._section(column, self.tr("Utility"))
        self.curve = UtilityCurve()
        self.curve.show_credits(page.credits)
        column.addWidget(self.curve)
        for title, text in (
            (self.tr("Rule in hot memory"), item.rule_text),
            (self.tr("Summary"), item.summary),
            (self.tr("Failure or inefficiency"), item.error_message),
        ):
            if text:
                self._section(column, title)
                column.addWidget(_text(text))
            if text == item.rule_text and item.rule_example:
                column.addWidget(_code("", item.rule_example))
        if item.code_diff.wrong_code or item.code_diff.correct_code:
            self._section(column, self.tr("Wrong and correct code"))
            column.addWidget(_code(item.code_diff.wrong_code, item.code_diff.correct_code))
        self._records(column, page.adoptions, page.uses)
        self._history(column, page.events, item)

    def _head(self, item: MemoryItem) -> QVBoxLayout:
        look = theme()
        box = QVBoxLayout()
        box.setSpacing(look.px(0.2))
        first = QHBoxLayout()
        sign = item_look(item)
        picture = QLabel()
        side = look.px(1.2)
        picture.setPixmap(icon(sign.icon, sign.role).pixmap(side, side))
        first.addWidget(picture)
        words = QLabel(sign.text)
        words.setStyleSheet(f"color: {look.color(sign.role).name()}")
        first.addWidget(words)
        first.addWidget(_text(f"{item.uid} · {kind_text(item.type)} · {item.category}", muted=True), 1)
        title = _text(item.title)
        title.setFont(look.strong_font(1.2))
        box.addLayout(first)
        box.addWidget(title)
        return box

    def _buttons(self, item: MemoryItem) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme().px(0.1))
        senseless = "memory.promote" if item.hot_region else "memory.demote"
        for action_id in _COMMANDS:
            if action_id == senseless:
                continue
            button = QToolButton()
            button.setDefaultAction(self._actions[action_id])
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            layout.addWidget(button)
        layout.addStretch()
        row.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        return row

    def _standing(self, item: MemoryItem) -> str:
        """Why the item is where it is, in one sentence."""
        defaults = MethodParameters()
        if item.hot_region:
            pinned = self.tr(" It is pinned.") if item.pinned else ""
            return self.tr("Resident in hot memory: its rule is part of every prompt.") + pinned
        if item.barred:
            return self.tr("Barred from hot memory by a person; it can still be retrieved.")
        if item.sigma is Lifecycle.VALIDATED:
            rule = self.tr("It waits for its rule.") if not item.rule_text else self.tr("It waits for room.")
            return self.tr("Passed the gates.") + " " + rule
        return self.tr(
            "Gates to hot memory: adopted {0} of {1}, by {2} of {3} operators, utility above zero: {4}."
        ).format(
            item.n_ado,
            defaults.K_ado,
            len(item.adopted_operators),
            defaults.K_op,
            self.tr("yes") if item.u_m > 0 else self.tr("no"),
        )

    def _section(self, column: QVBoxLayout, title: str) -> None:
        label = QLabel(title)
        label.setFont(theme().strong_font())
        label.setContentsMargins(0, theme().px(0.5), 0, 0)
        column.addWidget(label)

    def _records(
        self, column: QVBoxLayout, adoptions: tuple[AdoptionRow, ...], uses: tuple[UseRow, ...]
    ) -> None:
        if adoptions:
            self._section(column, self.tr("Adoption records ({0})").format(len(adoptions)))
        for record in reversed(adoptions[-_MOST_RECORDS:]):
            sign = adoption_look(record.state)
            objective = self.tr(_OBJECTIVES.get(record.objective, record.objective))
            where = self.tr("{0} · {1} · round {2}").format(record.operator, objective, record.round)
            column.addWidget(_record(sign.icon, sign.role, f"{where} · {sign.text}", record.rationale))
        if uses:
            self._section(column, self.tr("Uses of the rule ({0})").format(len(uses)))
        for use in reversed(uses[-_MOST_RECORDS:]):
            where = self.tr("{0} · round {1}").format(use.operator, use.round)
            column.addWidget(_record("flame", "warning", where, use.rationale))

    def _history(self, column: QVBoxLayout, events: tuple[EventRow, ...], item: MemoryItem) -> None:
        self._section(column, self.tr("Origin and history"))
        source = f": {item.source}" if item.source else ""
        column.addWidget(_text(self.tr("This experience was {0}").format(origin_text(item.origin)) + source))
        for event in reversed(events):
            undone = self.tr(" (undone)") if event.undone_by else ""
            reason = f": {event.reason}" if event.reason else ""
            line = f"{event.at[:19].replace('T', ' ')} · {event.kind}{undone} · {event.actor}{reason}"
            column.addWidget(_text(line, muted=True))


class _Figures(QFrame):
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
                (str(len(item.adopted_operators)), self.tr("operators"), ", ".join(item.adopted_operators)),
                (
                    f"{item.p_hat:.2f}",
                    self.tr("frequency p"),
                    self.tr("over {0} episodes").format(item.n_elig),
                ),
                (str(item.L_m) if item.L_m else "\N{EN DASH}", self.tr("tokens"), item.tokenizer_id),
                (density, self.tr("density ×10⁻³"), self.tr("u p / tokens")),
            )
        ):
            figure = QLabel(value)
            figure.setFont(look.strong_font(1.1))
            caption = QLabel(name)
            caption.setFont(look.small_font())
            caption.setProperty("muted", "true")
            for label in (figure, caption):
                label.setToolTip(tip)
            row, column = 3 * (number // 3), number % 3
            grid.addWidget(figure, row, column)
            grid.addWidget(caption, row + 1, column)
        grid.setRowMinimumHeight(2, look.px(0.5))
        words = (lifecycle_text(item.sigma), state_text(item.state))
        self.setAccessibleName(" · ".join(words))


def _text(text: str, *, muted: bool = False) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setMinimumWidth(1)
    if muted:
        label.setProperty("muted", "true")
    return label


def _record(drawing: str, role: str, where: str, rationale: str) -> QWidget:
    look = theme()
    row = QWidget()
    layout = QHBoxLayout(row)
    layout.setContentsMargins(0, look.px(0.1), 0, look.px(0.2))
    layout.setSpacing(look.px(0.5))
    picture = QLabel()
    side = look.px(1.0)
    picture.setPixmap(icon(drawing, role).pixmap(side, side))
    words = QVBoxLayout()
    words.setSpacing(0)
    head = _text(where, muted=True)
    head.setFont(look.small_font())
    words.addWidget(head)
    words.addWidget(_text(rationale))
    layout.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
    layout.addLayout(words, 1)
    return row


def _code(wrong: str, correct: str) -> DiffView:
    view = DiffView()
    view.set_option("fold", on=False)
    view.set_option("inline", on=True)
    view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.show_file(FileView("", wrong or None, correct or None))
    view.setFixedHeight(view.full_height())
    view.setAccessibleName("wrong and correct code")
    return view
