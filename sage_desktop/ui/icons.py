"""Icons: our own line drawings in `resources/icons`, coloured by a theme role at the moment of painting.

An icon therefore follows a theme change and any screen scale without being made again.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from sage_desktop.ui.theme import theme


@cache
def _source(name: str) -> str:
    file = resources.files("resources") / "icons" / f"{name}.svg"
    return file.read_text(encoding="utf-8")


@cache
def _pixmap(name: str, color: str, width: int, height: int) -> QPixmap:
    """The drawing `name` in `color`, `width` x `height` device pixels."""
    svg = _source(name).replace("currentColor", color)
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    image = QPixmap(width, height)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    renderer.render(painter, QRectF(0, 0, width, height))
    painter.end()
    return image


class _RoleEngine(QIconEngine):
    """Paints one drawing in the theme colour of a role; greyed when disabled."""

    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._name = name
        self._role = role

    def _color(self, mode: QIcon.Mode) -> str:
        """The colour of the role in the theme of this moment."""
        look = theme()
        if mode == QIcon.Mode.Disabled:
            return look.tint("text", 0.32, "window").name()
        return look.color(self._role).name()

    def paint(
        self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State
    ) -> None:
        size = rect.size() * _pixel_ratio(painter)
        painter.drawPixmap(rect, self._drawing(size, mode))

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        return self._drawing(size, mode)

    def scaledPixmap(
        self, size: QSize, mode: QIcon.Mode, _state: QIcon.State, scale: float
    ) -> QPixmap:
        # Since Qt 6.8 the size is in device-independent pixels.
        return self._drawing(size * scale, mode)

    def _drawing(self, size: QSize, mode: QIcon.Mode) -> QPixmap:
        """The icon of a size in device pixels."""
        color = self._color(mode)
        return _pixmap(self._name, color, size.width(), size.height())

    def clone(self) -> _RoleEngine:
        return _RoleEngine(self._name, self._role)


def icon(name: str, role: str = "text") -> QIcon:
    """The icon `name` (a file of `resources/icons`) drawn in the theme colour `role`."""
    return QIcon(_RoleEngine(name, role))


def paint_icon(painter: QPainter, name: str, role: str, rect: QRectF) -> None:
    """Draw the icon `name` centred in `rect`, as large as fits."""
    side = min(rect.width(), rect.height())
    device_side = max(1, round(side * _pixel_ratio(painter)))
    color = theme().color(role).name()
    drawing = _pixmap(name, color, device_side, device_side)
    x = rect.center().x() - side / 2
    y = rect.center().y() - side / 2
    box = QRectF(x, y, side, side)
    painter.drawPixmap(_whole_pixels(box), drawing)


def _whole_pixels(box: QRectF) -> QRect:
    """Edge and size rounded each by itself, so that equal icons stay equal."""
    x, y = round(box.x()), round(box.y())
    return QRect(x, y, round(box.width()), round(box.height()))


def _pixel_ratio(painter: QPainter) -> float:
    """Device pixels for one of the screen's."""
    device = painter.device()
    return device.devicePixelRatioF() if device is not None else 1.0


def application_icon() -> QIcon:
    """The icon of the window and the task bar."""
    qicon = QIcon()
    for side in (16, 32, 64, 128, 256):
        qicon.addPixmap(_pixmap("application", "#000000", side, side))
    return qicon
