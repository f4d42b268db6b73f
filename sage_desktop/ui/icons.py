"""Icons: our own line drawings in `resources/icons`, coloured by a theme role at the moment of painting.

An icon therefore follows a theme change and any screen scale without being made again.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from sage_desktop.ui.theme import theme


@cache
def _source(name: str) -> str:
    return (resources.files("resources") / "icons" / f"{name}.svg").read_text(
        encoding="utf-8"
    )


@cache
def _pixmap(name: str, color: str, width: int, height: int) -> QPixmap:
    """The drawing `name` in `color`, `width` x `height` device pixels."""
    renderer = QSvgRenderer(
        QByteArray(_source(name).replace("currentColor", color).encode())
    )
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
        look = theme()
        if mode == QIcon.Mode.Disabled:
            return look.tint("text", 0.32, "window").name()
        return look.color(self._role).name()

    def paint(
        self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State
    ) -> None:
        device = painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        size = rect.size() * ratio
        painter.drawPixmap(
            rect, _pixmap(self._name, self._color(mode), size.width(), size.height())
        )

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        return _pixmap(self._name, self._color(mode), size.width(), size.height())

    def scaledPixmap(
        self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float
    ) -> QPixmap:
        return self.pixmap(
            size * scale, mode, state
        )  # since Qt 6.8 the size is in device-independent pixels

    def clone(self) -> _RoleEngine:
        return _RoleEngine(self._name, self._role)


def icon(name: str, role: str = "text") -> QIcon:
    """The icon `name` (a file of `resources/icons`) drawn in the theme colour `role`."""
    return QIcon(_RoleEngine(name, role))


def paint_icon(painter: QPainter, name: str, role: str, rect: QRectF) -> None:
    """Draw the icon `name` centred in `rect`, as large as fits."""
    side = min(rect.width(), rect.height())
    device = painter.device()
    ratio = device.devicePixelRatioF() if device is not None else 1.0
    pixels = max(1, round(side * ratio))
    drawing = _pixmap(name, theme().color(role).name(), pixels, pixels)
    top_left = QPoint(
        round(rect.center().x() - side / 2), round(rect.center().y() - side / 2)
    )
    painter.drawPixmap(QRect(top_left, QSize(round(side), round(side))), drawing)


def application_icon() -> QIcon:
    """The icon of the window and the task bar."""
    qicon = QIcon()
    for side in (16, 32, 64, 128, 256):
        qicon.addPixmap(_pixmap("application", "#000000", side, side))
    return qicon
