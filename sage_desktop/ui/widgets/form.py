"""Parts every dialog is made of: heading, explaining words, message of a refusal, buttons that can wait."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QWidget,
)

from core.errors import SageError
from sage_desktop.ui.actions import plain
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.typed import expect
from sage_desktop.ui.widgets.making import draw
from sage_desktop.ui.widgets.stacking import Part, hbox, vbox


def muted(text: str = "", *, small: bool = False, wraps: bool = True) -> QLabel:
    """A label for explaining words."""
    label = QLabel(text, wordWrap=wraps)
    label.setProperty("muted", "true")
    if small:
        theme().letter(label, "small")
    return label


def heading(text: str, scale: float = 1.0) -> QLabel:
    """A strong label."""
    label = QLabel(text)
    theme().letter(label, "strong", scale)
    return label


def text_label(text: str = "", *, muted: bool = False) -> QLabel:
    """Words that wrap and can be selected."""
    label = QLabel(
        text,
        wordWrap=True,
        textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
    )
    label.setMinimumWidth(1)
    if muted:
        label.setProperty("muted", "true")
    return label


def button_box(
    *buttons: QDialogButtonBox.StandardButton,
) -> QDialogButtonBox:
    """Buttons at the foot of a dialog, with words alone: a desktop would add pictures of its own."""
    box = QDialogButtonBox()
    for button in buttons:
        box.addButton(button).setIcon(QIcon())
    return box


def framed(view: QWidget) -> None:
    """Draw a border around a list or table that stands in a form."""
    view.setProperty("framed", "true")


def inset(box: QSpinBox | QDoubleSpinBox) -> None:
    """Let the number stand as far from the border as the words of other fields."""
    box.lineEdit().setTextMargins(theme().px(0.3), 0, 0, 0)


def row_layout(*parts: Part) -> QHBoxLayout:
    """A row of fields and buttons."""
    return hbox(*parts, margins=0, spacing=0.4)


def form_layout() -> QFormLayout:
    """Labels at the left, fields growing."""
    form = QFormLayout()
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
    form.setHorizontalSpacing(theme().px(1.2))
    form.setVerticalSpacing(theme().px(0.5))
    return form


def add_field(
    form: QFormLayout, title: str, field: QWidget, row: QHBoxLayout | None = None
) -> None:
    """Add a labelled field to a form.

    Args:
        form: Gets the row.
        title: The label, which screen readers also read with the field.
        field: What is edited.
        row: Holds `field` together with what stands beside it; by default the field
            stands alone.
    """
    # Qt takes the label as a field's name only where the field itself is the row.
    field.setAccessibleName(plain(title))
    if row is None:
        form.addRow(title, field)
    else:
        form.addRow(title, row)


class Message(QWidget):
    """One line of state or refusal below a form: nothing, work under way, success, or an error to fix."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = QLabel()
        self.words = QLabel(
            wordWrap=True,
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
        )
        hbox(
            (self._picture, Qt.AlignmentFlag.AlignTop),
            (self.words, 1),
            owner=self,
            margins=0,
        )
        self.clear()

    def clear(self) -> None:
        """Say nothing; the place stays."""
        self._picture.clear()
        self.words.clear()

    def say(self, text: str, kind: str = "info") -> None:
        """Show words; `kind` is info, success, warning or danger."""
        drawing = {
            "info": "info",
            "success": "done",
            "warning": "warning",
            "danger": "error",
        }[kind]
        draw(self._picture, drawing, kind, 1.1)
        self.words.setText(text)
        self.words.setAccessibleName(text)

    def refuse(self, error: SageError) -> None:
        """Show what happened and what to do."""
        self.say(translated(error.message), "danger")


# Ems of the screen that a dialog does not have: height of its title bar with the
# borders, width of the borders.
_TITLE_BAR = 3
_BORDERS = 0.3


def _room(dialog: QWidget) -> QSize:
    """What a dialog may have of its screen."""
    screen, look = dialog.screen().availableGeometry(), theme()
    width = screen.width() - look.px(_BORDERS)
    height = screen.height() - look.px(_TITLE_BAR)
    return QSize(width, height)


def fit_to_screen(dialog: QWidget, width: float, height: float = 0) -> None:
    """Give a dialog its size in ems where the screen has that room; 0: the height it asks for."""
    pixels = theme().px(height) if height else dialog.sizeHint().height()
    size = QSize(theme().px(width), pixels)
    dialog.resize(size.boundedTo(_room(dialog)))


class FormDialog(QDialog):
    """A dialog with heading, body, message and buttons; subclasses fill `body`.

    Args:
        title: Title of the window.
        words: What it is for, below the heading.
        accept: Words of the main button, which does what the dialog is for.
        parent: The window.
    """

    def __init__(
        self, title: str, words: str, accept: str, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.enter_accepts = True
        self.body = vbox(spacing=0.6)
        self.message = Message()
        self.buttons = button_box()
        self.main_button = QPushButton(accept, default=True)
        self.buttons.addButton(self.main_button, QDialogButtonBox.ButtonRole.AcceptRole)
        cancel = QPushButton(QCoreApplication.translate("FormDialog", "Cancel"))
        self.buttons.addButton(cancel, QDialogButtonBox.ButtonRole.RejectRole)
        self.buttons.rejected.connect(self.reject)
        head = [heading(title, 1.2)]
        if words:
            head.append(muted(words))
        rest = ((self.body, 1), self.message, self.buttons)
        vbox(*head, *rest, owner=self, margins=(1.2, 1, 1.2, 0.9), spacing=0.7)

    def showEvent(self, event: QShowEvent) -> None:
        """No button but the main one is ever the default."""
        for button in self.findChildren(QPushButton):
            is_main = button is self.main_button
            button.setAutoDefault(is_main and self.enter_accepts)
        if self.minimumSizeHint().height() > _room(self).height():
            self._scroll_body()
        super().showEvent(event)

    def _scroll_body(self) -> None:
        """Let the fields scroll, so that the buttons are on the screen."""
        page = expect(self.layout(), QBoxLayout)
        place = page.indexOf(self.body)
        if place < 0:  # it scrolls already
            return
        page.removeItem(self.body)
        self.body.setParent(None)
        fields = QWidget()
        fields.setLayout(self.body)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(fields)
        page.insertWidget(place, area, 1)
        page.activate()  # the dialog may be smaller from now on
        self.resize(self.size().boundedTo(_room(self)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter gives the main order when it can be given, and never cancels."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.enter_accepts and self.main_button.isEnabled():
                self.main_button.click()
            return
        super().keyPressEvent(event)

    def add_button(self, text: str) -> QPushButton:
        """A second way to accept, beside the first."""
        button = QPushButton(text)
        self.buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        return button

    def set_working(self, words: str) -> None:
        """Say what is waited for and take no second order meanwhile; empty words end that."""
        for button in self.buttons.buttons():
            role = self.buttons.buttonRole(button)
            if role is not QDialogButtonBox.ButtonRole.RejectRole:
                button.setEnabled(not words)
        if words:
            self.message.say(words)
        else:
            self.message.clear()

    def refuse(self, error: SageError) -> None:
        """Show a refusal and let the person try again."""
        self.set_working("")
        self.message.refuse(error)
