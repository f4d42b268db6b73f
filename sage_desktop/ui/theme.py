"""Colours, fonts and measures of the window.

Fusion with our own palette: a dozen named colours come from `resources/themes/*.toml`, all others are mixed
from them. Measures come from the font, so the window scales with it. Widgets that paint themselves ask
`theme()` while painting and are repainted by Qt when the palette changes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources

import shiboken6
from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.stylesheet import SHEET_ROLES, stylesheet

# Those of the style sheet, and those that say how something ended.
COLOR_ROLES = SHEET_ROLES | {"success", "warning", "danger", "info"}
SYNTAX_ROLES = frozenset(
    {
        "text",
        "keyword",
        "type",
        "function",
        "string",
        "number",
        "comment",
        "preprocessor",
        "operator",
    }
)
_UI_FAMILIES = ("Inter", "Noto Sans", "DejaVu Sans")
_CODE_FAMILIES = (
    "JetBrains Mono",
    "Cascadia Mono",
    "SF Mono",
    "Menlo",
    "Consolas",
    "Noto Sans Mono",
    "DejaVu Sans Mono",
)
_CJK_FAMILIES = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
)
_CJK_CODE_FAMILIES = ("Noto Sans Mono CJK SC", *_CJK_FAMILIES)
_GENERIC = {"Sans Serif", "Sans", "DejaVu Sans", "Helvetica"}
MIN_ZOOM, MAX_ZOOM = -3, 8  # points
# Property of a widget with a font of its own: which one, and its scale.
_LETTERS = "letters"
_SMALL, _CODE = 0.88, 0.97  # sizes relative to the text font
# Drawn as one glyph they would not show what is written.
_LIGATURES = ("calt", "liga")


class ThemeMode(StrEnum):
    """Whether the palette follows the desktop or is chosen by the user."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Palette:
    """One theme file: named colours and the colours of code tokens, as `#rrggbb`."""

    name: str
    dark: bool
    colors: dict[str, str]
    syntax: dict[str, str]


@cache
def load_palette(name: str) -> Palette:
    """Read `resources/themes/<name>.toml`.

    Raises:
        ValueError: A role is missing or unknown; themes ship with the program, so this is a bug.
    """
    file = resources.files("resources") / "themes" / f"{name}.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    palette = Palette(**data)
    if set(palette.colors) != COLOR_ROLES or set(palette.syntax) != SYNTAX_ROLES:
        roles = f"{sorted(COLOR_ROLES)} and {sorted(SYNTAX_ROLES)}"
        raise ValueError(f"theme {name}: roles differ from {roles}")
    return palette


def mixed(first: QColor, second: QColor, share: float) -> QColor:
    """`first` with `share` (0..1) of `second` stirred in."""
    rest = 1 - share
    red = first.redF() * rest + second.redF() * share
    green = first.greenF() * rest + second.greenF() * share
    blue = first.blueF() * rest + second.blueF() * share
    return QColor.fromRgbF(red, green, blue)


class Theme(QObject):
    """The palette and fonts in use; one per application, see `install` and `theme`.

    Signals:
        changed: Colours or font size are different now.
    """

    changed = Signal()

    def __init__(self, app: QApplication, preferences: Preferences) -> None:
        super().__init__(app)
        self._app = app
        self._preferences = preferences
        self._palette: Palette
        self._colors: dict[str, QColor] = {}
        self._sheet = ""
        # Windows with our style sheet.
        self._dressed: list[QWidget] = []
        self._system_font = _desktop_font(app)
        self._choose_families()
        self._mode = ThemeMode.SYSTEM
        mode = preferences.text("appearance/theme", ThemeMode.SYSTEM)
        try:
            self._mode = ThemeMode(mode)
        except ValueError:
            preferences.set("appearance/theme", ThemeMode.SYSTEM.value)
        zoom = preferences.number("appearance/zoom", 0)
        self._zoom = max(MIN_ZOOM, min(MAX_ZOOM, zoom))
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._on_system_scheme)
        self._apply()

    def _choose_families(self) -> None:
        """Take the best of the fonts that are installed."""
        # By name in small letters, as a person may write one.
        self._families = {name.casefold(): name for name in QFontDatabase.families()}
        installed = set(self._families.values())
        self._ui_family = self._system_font.family()
        # A generic name means that no desktop chose a font for us.
        if self._ui_family in _GENERIC:
            self._ui_family = _first_of(_UI_FAMILIES, installed, self._ui_family)
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        self._usual_code_family = _first_of(_CODE_FAMILIES, installed, fixed)
        code_font = self._preferences.text("appearance/code_font")
        self._code_family = self._installed(code_font)
        # By name, or a fallback with the shapes of another language may be taken.
        self._cjk = [family for family in _CJK_FAMILIES if family in installed]
        cjk_code = [family for family in _CJK_CODE_FAMILIES if family in installed]
        self._cjk_code = cjk_code[:1]

    @property
    def mode(self) -> ThemeMode:
        """What the user chose."""
        return self._mode

    @property
    def dark(self) -> bool:
        """Whether the palette in use is dark."""
        return self._palette.dark

    @property
    def em(self) -> float:
        """Height of a text line in device-independent pixels; every measure is a multiple of it."""
        return QFontMetricsF(self._app.font()).height()

    def px(self, ems: float) -> int:
        """`ems` line heights as whole pixels, at least 1."""
        return max(1, round(self.em * ems))

    def size(self, width: float, height: float) -> QSize:
        """A size given in ems, as whole pixels."""
        return QSize(self.px(width), self.px(height))

    def color(self, role: str, opacity: float = 1.0) -> QColor:
        """The named colour `role` of the palette in use; half transparent where its opacity is below 1."""
        color = QColor(self._colors[role])
        if opacity < 1:
            color.setAlphaF(opacity)
        return color

    def syntax(self, role: str) -> QColor:
        """Colour of code tokens of kind `role`."""
        return QColor(self._palette.syntax[role])

    def tint(self, role: str, share: float, on: str = "base") -> QColor:
        """A pale version of `role`: `share` (0..1) of it over the colour `on`."""
        return mixed(self._colors[on], self._colors[role], share)

    def code_font(self) -> QFont:
        """Monospaced font for kernels and logs, a little smaller than the text font."""
        font = QFont(self._code_family)
        font.setFamilies([self._code_family, *self._cjk_code])
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setPointSizeF(self._app.font().pointSizeF() * _CODE)
        font.setStyleName("Regular")
        # `->` and `!=` are shown as they are written.
        for ligature in _LIGATURES:
            font.setFeature(QFont.Tag(ligature), 0)
        return font

    def set_code_font(self, family: str) -> None:
        """Show code in another family; the best known one where it is empty or not installed."""
        self._code_family = self._installed(family)
        self._apply()

    def _installed(self, family: str) -> str:
        return self._families.get(family.strip().casefold(), self._usual_code_family)

    def small_font(self) -> QFont:
        """Second lines, units and captions."""
        font = QFont(self._app.font())
        font.setPointSizeF(font.pointSizeF() * _SMALL)
        return font

    def strong_font(self, scale: float = 1.0) -> QFont:
        """Titles and names; `scale` relative to the text font."""
        font = QFont(self._app.font())
        font.setWeight(QFont.Weight.DemiBold)
        font.setPointSizeF(font.pointSizeF() * scale)
        return font

    def letter(self, widget: QWidget, kind: str, scale: float = 1.0) -> None:
        """Give `widget` the `strong`, `small` or `code` font, now and after each change of the size."""
        widget.setProperty(_LETTERS, f"{kind} {scale}")
        self._letter(widget)

    def _letter(self, widget: QWidget) -> None:
        """Give a widget the font that its property names."""
        kind, _space, scale = str(widget.property(_LETTERS)).partition(" ")
        if kind == "strong":
            font = self.strong_font(float(scale))
        elif kind == "small":
            font = self.small_font()
        else:
            font = self.code_font()
        widget.setFont(font)

    def set_mode(self, mode: ThemeMode) -> None:
        """Choose light, dark or following the system; takes effect at once."""
        if mode is self._mode:
            return
        self._mode = mode
        self._preferences.set("appearance/theme", mode.value)
        self._apply()

    def zoom(self, steps: int) -> None:
        """Make all fonts `steps` points larger; 0 returns to the system size."""
        self.set_zoom(0 if steps == 0 else self._zoom + steps)

    def set_zoom(self, points: int) -> None:
        """Make all fonts `points` larger than the system's."""
        self._zoom = max(MIN_ZOOM, min(MAX_ZOOM, points))
        self._preferences.set("appearance/zoom", self._zoom)
        self._apply()

    def _on_system_scheme(self) -> None:
        if self._mode is ThemeMode.SYSTEM:
            self._apply()

    def _apply(self) -> None:
        """Put palette, fonts and style sheet of the present choices into the application."""
        self._palette = load_palette("dark" if self._is_dark() else "light")
        colors = self._palette.colors
        self._colors = {role: QColor(value) for role, value in colors.items()}
        self._set_font(self._text_font())
        self._app.setPalette(self._qt_palette())
        self._sheet = stylesheet(self.em, self.color, self.tint, dark=self.dark)
        # Windows that were deleted are dressed no more.
        dressed = self._dressed
        self._dressed = [window for window in dressed if shiboken6.isValid(window)]
        for window in self._dressed:
            window.setStyleSheet(self._sheet)
        self.changed.emit()

    def _is_dark(self) -> bool:
        """Whether the dark palette is to be used, by choice or as the desktop has it."""
        if self._mode is ThemeMode.SYSTEM:
            scheme = self._app.styleHints().colorScheme()
            return scheme == Qt.ColorScheme.Dark
        return self._mode is ThemeMode.DARK

    def _text_font(self) -> QFont:
        """The font of the application: that of the desktop, a family we know, the zoom."""
        system = self._system_font
        font = QFont(system)
        font.setFamilies([self._ui_family, system.family(), *self._cjk])
        font.setPointSizeF(max(6.0, system.pointSizeF() + self._zoom))
        # Figures of equal width, so that columns of numbers align.
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def _set_font(self, font: QFont) -> None:
        """Give it to the application, and to the widgets whose font is made of it."""
        if font == self._app.font():
            return
        self._app.setFont(font)
        for widget in self._app.allWidgets():
            if widget.property(_LETTERS):
                self._letter(widget)

    def apply_to(self, window: QWidget) -> None:
        """Give a top-level window, and every dialog and menu below it, the style sheet from now on.

        Not the application as a whole: Qt would style each part of a page again whenever it is put into
        another on its way into the window, which made pages two to three times as slow to build.
        """
        self._dressed.append(window)
        window.setStyleSheet(self._sheet)

    def _qt_palette(self) -> QPalette:
        """The named colours as Fusion takes them; what it shades is mixed from them."""
        role = QPalette.ColorRole
        color = self._colors
        palette = QPalette()
        for target, name in (
            (role.Window, "window"),
            (role.WindowText, "text"),
            (role.Base, "base"),
            (role.Text, "text"),
            (role.Button, "raised"),
            (role.ButtonText, "text"),
            (role.BrightText, "danger"),
            (role.ToolTipBase, "raised"),
            (role.ToolTipText, "text"),
            (role.PlaceholderText, "muted"),
            (role.Link, "accent"),
            (role.LinkVisited, "accent"),
            (role.Highlight, "accent"),
            (role.HighlightedText, "on_accent"),
            (role.Accent, "accent"),
            (role.Mid, "border"),
        ):
            palette.setColor(target, color[name])
        palette.setColor(role.AlternateBase, self.tint("text", 0.025))
        palette.setColor(role.Light, self.tint("text", 0.04, "window"))
        palette.setColor(role.Midlight, self.tint("text", 0.08, "window"))
        palette.setColor(role.Dark, self.tint("text", 0.25, "window"))
        palette.setColor(role.Shadow, self.tint("text", 0.35, "window"))
        disabled = self.tint("text", 0.4, "window")
        for target in (role.WindowText, role.Text, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, target, disabled)
        return palette


def _desktop_font(app: QApplication) -> QFont:
    """The font of the desktop, not that of an earlier theme of the same application."""
    earlier = app.property("sage_system_font")
    font = QFont(earlier if isinstance(earlier, QFont) else app.font())
    app.setProperty("sage_system_font", font)
    return font


def _first_of(families: Sequence[str], installed: set[str], default: str) -> str:
    return next((family for family in families if family in installed), default)


def restyle_later(owner: QObject, restyle: Callable[[], object]) -> None:
    """Let `owner` do `restyle` after each change of the theme, in an event of its own.

    For what takes long: the window answers between one panel's turn and the next one's.
    """
    turn = QTimer(owner, singleShot=True, interval=0)
    turn.timeout.connect(restyle)
    theme().changed.connect(turn.start)


def install(app: QApplication, preferences: Preferences) -> Theme:
    """Give `app` its look; replaces an earlier theme of the same application."""
    previous = app.property("sage_theme")
    if isinstance(previous, Theme):
        previous.deleteLater()
    new_theme = Theme(app, preferences)
    app.setProperty("sage_theme", new_theme)
    return new_theme


def theme() -> Theme:
    """The theme of the running application.

    Raises:
        RuntimeError: `install` was not called: a programming error.
    """
    app = QApplication.instance()
    app_theme = app.property("sage_theme") if app is not None else None
    if not isinstance(app_theme, Theme):
        raise RuntimeError(  # noqa: TRY004
            "theme.install(app, preferences) must run before any widget is made"
        )
    return app_theme
