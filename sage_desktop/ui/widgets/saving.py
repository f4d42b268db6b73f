"""Saving what is shown: file dialogs that do not block, and pictures of widgets as PNG or SVG."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QDir, QPoint, Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QHeaderView,
    QToolButton,
    QTreeView,
    QWidget,
)

from core.whole_file import cannot_be_written, whole_file
from sage_desktop.ui.icons import icon
from sage_desktop.ui.widgets.form import fit_to_screen

_tr = partial(QCoreApplication.translate, "Saving")

# Where the person chose last; at first not the folder the program happens to run in.
_folder = deque([QDir.homePath()], maxlen=1)
# Of Qt's own dialog, whose pictures are black in any colours.
_BUTTONS = {
    "backButton": "left-small",
    "forwardButton": "right-small",
    "toParentButton": "up",
}
_SCALE = 2  # pixels of a PNG for one of the screen


def ask_where(
    parent: QWidget,
    title: str,
    name: str,
    filters: Sequence[str],
    on_path: Callable[[Path], object],
) -> QFileDialog:
    """Ask for a file to write, without blocking; `on_path` gets it."""
    dialog = _dialog(parent, title, on_path)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters(list(filters))
    dialog.setDefaultSuffix(Path(name).suffix.removeprefix("."))
    dialog.selectFile(name)
    dialog.open()
    return dialog


def ask_which(
    parent: QWidget,
    title: str,
    filters: Sequence[str],
    on_path: Callable[[Path], object],
) -> QFileDialog:
    """Ask for a file to read, without blocking; `on_path` gets it."""
    dialog = _dialog(parent, title, on_path)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilters(list(filters))
    dialog.open()
    return dialog


def ask_folder(
    parent: QWidget, title: str, on_path: Callable[[Path], object], begin: str = ""
) -> QFileDialog:
    """Ask for a folder, without blocking; `on_path` gets it. It opens at `begin`, where that is one."""
    dialog = _dialog(parent, title, on_path)
    folder = Path(begin).expanduser()
    if begin and folder.is_dir():
        dialog.setDirectory(str(folder))
    dialog.fileSelected.connect(_folder.append)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.open()
    return dialog


def _dialog(
    parent: QWidget, title: str, on_path: Callable[[Path], object]
) -> QFileDialog:
    """A dialog that opens where the person chose last; `on_path` gets the choice."""
    dialog = QFileDialog(parent, title)
    # Else every dialog that was ever opened stays with the window.
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setDirectory(_folder[-1])
    _fit_in(dialog)

    def take(path: str) -> None:
        _folder.append(str(Path(path).parent))
        on_path(Path(path))

    dialog.fileSelected.connect(take)
    return dialog


def _fit_in(dialog: QFileDialog) -> None:
    """Give Qt's own dialog the words and colours of the window, and whole sizes and dates.

    A dialog of the desktop has none of these parts.
    """
    table = dialog.findChild(QTreeView, "treeView")
    if table is None:
        return
    label = QFileDialog.DialogLabel
    dialog.setLabelText(label.LookIn, _tr("Folder"))
    dialog.setLabelText(label.FileType, _tr("Kind"))
    for name, drawing in _BUTTONS.items():
        button = dialog.findChild(QToolButton, name)
        if button is not None:
            button.setIcon(icon(drawing))
    header = table.header()
    header.setStretchLastSection(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    fit_to_screen(dialog, 48, 32)


def write_picture(path: Path, widget: QWidget) -> Path:
    """Draw a widget into a PNG of twice its size, or into an SVG when the name says so.

    Raises:
        SageError: The file cannot be written.
    """
    with whole_file(path) as draft:
        _draw(draft, widget, path)
    return path


def _draw(draft: Path, widget: QWidget, path: Path) -> None:
    """Draw `widget` into `draft`, in the format that the name `path` says."""
    draw = _draw_svg if path.suffix.lower() == ".svg" else _draw_png
    if not draw(draft, widget):
        raise cannot_be_written(path, _tr("the file cannot be opened"))


def _draw_svg(draft: Path, widget: QWidget) -> bool:
    """Whether the file could be written."""
    from PySide6.QtGui import QPainter
    from PySide6.QtSvg import QSvgGenerator

    drawing = QSvgGenerator()
    drawing.setFileName(str(draft))
    drawing.setSize(widget.size())
    drawing.setViewBox(widget.rect())
    painter = QPainter()
    if not painter.begin(drawing):
        return False
    # A graphics view has another `render`.
    QWidget.render(widget, painter, QPoint())
    painter.end()
    return True


def _draw_png(draft: Path, widget: QWidget) -> bool:
    """Whether the file could be written."""
    from PySide6.QtGui import QImage

    picture = QImage(widget.size() * _SCALE, QImage.Format.Format_ARGB32)
    picture.setDevicePixelRatio(_SCALE)
    picture.fill(widget.palette().base().color())
    QWidget.render(widget, picture, QPoint())
    return picture.save(str(draft))
