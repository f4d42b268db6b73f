"""Saving what is shown: a file dialog that does not block, texts, and pictures of widgets as PNG or SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtWidgets import QFileDialog, QWidget

from core.errors import SageError

_SCALE = 2  # pixels of a PNG for one of the screen


def _tr(text: str) -> str:
    return QCoreApplication.translate("Saving", text)


def ask_where(
    parent: QWidget, title: str, name: str, filters: Sequence[str], chosen: Callable[[Path], object]
) -> QFileDialog:
    """Ask for a file to write, without blocking; `chosen` gets it."""
    dialog = QFileDialog(parent, title)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters(list(filters))
    dialog.setDefaultSuffix(Path(name).suffix.removeprefix("."))
    dialog.selectFile(name)
    dialog.fileSelected.connect(lambda path: chosen(Path(path)))
    dialog.open()
    return dialog


def write_text(path: Path, text: str) -> Path:
    """Write a text a person asked for; raises SageError with the reason when it cannot be."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _refused(path, error.strerror or str(error)) from error
    return path


def write_picture(path: Path, widget: QWidget) -> Path:
    """Draw a widget into a PNG of twice its size, or into an SVG when the name says so.

    Raises:
        SageError: The file cannot be written.
    """
    from PySide6.QtGui import QImage, QPainter

    if path.suffix.lower() == ".svg":
        from PySide6.QtSvg import QSvgGenerator

        drawing = QSvgGenerator()
        drawing.setFileName(str(path))
        drawing.setSize(widget.size())
        drawing.setViewBox(widget.rect())
        painter = QPainter()
        if not painter.begin(drawing):
            raise _refused(path, _tr("the file cannot be opened"))
        QWidget.render(widget, painter, QPoint())  # a graphics view has another `render`
        painter.end()
        return path
    picture = QImage(widget.size() * _SCALE, QImage.Format.Format_ARGB32)
    picture.setDevicePixelRatio(_SCALE)
    picture.fill(widget.palette().base().color())
    QWidget.render(widget, picture, QPoint())
    if not picture.save(str(path)):
        raise _refused(path, _tr("the file cannot be opened"))
    return path


def _refused(path: Path, reason: str) -> SageError:
    return SageError(
        _tr("{0} cannot be written: {1}.").format(path, reason), _tr("Choose another name or folder.")
    )
