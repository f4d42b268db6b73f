"""The look of the window: contrast, sizes of text, themes, icons."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.diff.side_by_side import RowKind
from sage_desktop.panels.log.ring import LogRing
from sage_desktop.shell.main_window import MainWindow
from sage_desktop.ui import theme
from sage_desktop.ui.diff.painter import LinePainter
from sage_desktop.ui.icons import icon
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.stylesheet import derived


def _contrast(first: QColor, second: QColor) -> float:
    """Of WCAG 2: 1 for equal colours, 21 for black on white."""

    def luminance(color: QColor) -> float:
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (color.redF(), color.greenF(), color.blueF())
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _over(top: QColor, below: QColor) -> QColor:
    """What a half transparent colour makes of the one below it."""
    return theme.mixed(below, QColor(top.rgb()), top.alphaF())


def _text_pairs(look: theme.Theme) -> Iterator[tuple[str, QColor, QColor]]:
    """(name, text, background) of everything that is written; disabled text excepted, as WCAG has it."""
    roles = ("text", "muted", "success", "warning", "danger", "info")
    mixed = {
        name: QColor(color)
        for name, color in derived(look.tint, dark=look.dark).items()
    }
    for name in ("base", "window", "raised", "hover", "selection"):
        behind = mixed[name] if name in mixed else look.color(name)
        yield from ((f"{role} on {name}", look.color(role), behind) for role in roles)
    yield from (
        (f"accent on {name}", look.color("accent"), look.color(name))
        for name in ("base", "window")
    )
    yield from (
        ("main button", look.color("on_accent"), look.color("accent")),
        ("main button, mouse over it", look.color("on_accent"), mixed["accent_hover"]),
        (
            "notice",
            look.color("text"),
            look.tint("warning", 0.16 if look.dark else 0.1, "window"),
        ),
        (
            "notice, words",
            look.color("muted"),
            look.tint("warning", 0.16 if look.dark else 0.1, "window"),
        ),
        ("fold", look.color("muted"), look.tint("info", 0.12 if look.dark else 0.07)),
    )
    lines = LinePainter(look, lambda _side, _line: [])
    code = theme.load_palette("dark" if look.dark else "light").syntax
    plain, base = look.syntax("text"), look.color("base")
    for role in code:
        yield f"{role} of code", look.syntax(role), base
    for in_front in (True, False):
        yield f"hit {in_front}", plain, lines.hit_fill(in_front=in_front)
    yield "selection", plain, _over(lines.selected_fill(), base)
    for side, sign in (("left", "danger"), ("right", "success")):
        row, gutter = (
            lines.background(RowKind.CHANGED, side, strong=strong)
            for strong in (False, True)
        )
        assert row is not None
        assert gutter is not None
        for role in code:
            yield f"{role} of code in a changed line, {side}", look.syntax(role), row
            yield (
                f"{role} of code in a moved line",
                look.syntax(role),
                lines.moved_fill(),
            )
        yield "where it was moved", look.color("info"), lines.moved_fill()
        for role in ("danger", "warning", "info"):
            yield f"message {role} in a changed line, {side}", look.color(role), row
        yield f"changed word, {side}", plain, lines.word_fill(side)
        yield (
            f"selection in a changed line, {side}",
            plain,
            _over(lines.selected_fill(), row),
        )
        yield f"line number, {side}", look.color("muted"), gutter
        yield f"sign, {side}", look.color(sign), gutter


@pytest.mark.parametrize("mode", [theme.ThemeMode.LIGHT, theme.ThemeMode.DARK])
def test_every_text_stands_out_from_what_is_behind_it(
    look: theme.Theme, mode: theme.ThemeMode
) -> None:
    look.set_mode(mode)
    poor = {
        name: round(ratio, 2)
        for name, a, b in _text_pairs(look)
        if (ratio := _contrast(a, b)) < 4.5
    }
    assert poor == {}


def test_the_size_of_the_text_reaches_every_title(
    operations: Operations, preferences: Preferences, look: theme.Theme, qtbot: QtBot
) -> None:
    window = MainWindow(operations, preferences, LogRing())
    qtbot.addWidget(window)
    for page in range(
        window.tabs.count() - 2
    ):  # hosts and start page are made by the session
        window.tabs.setCurrentIndex(page)
    own = [
        w
        for w in window.findChildren(QWidget)
        if w.testAttribute(Qt.WidgetAttribute.WA_SetFont)
    ]
    before = [widget.font().pointSizeF() for widget in own]
    look.zoom(4)
    grown = [
        widget.font().pointSizeF() - size
        for widget, size in zip(own, before, strict=True)
    ]
    assert len(own) > 15
    assert [w for w, more in zip(own, grown, strict=True) if more < 3] == []


def test_the_theme_switches_live_and_is_remembered(
    qapp: QApplication, preferences: Preferences
) -> None:
    look = theme.install(qapp, preferences)
    before = qapp.palette().color(QPalette.ColorRole.Base)
    look.set_mode(theme.ThemeMode.DARK)
    assert (
        qapp.palette().color(QPalette.ColorRole.Base).lightness() < before.lightness()
    )
    assert theme.install(qapp, preferences).mode is theme.ThemeMode.DARK


def test_text_can_be_enlarged_and_measures_follow(look: theme.Theme) -> None:
    before = look.px(2)
    look.zoom(4)
    assert look.px(2) > before
    look.zoom(0)
    assert look.px(2) == before


def test_a_spoiled_preference_falls_back_to_the_system(
    qapp: QApplication, preferences: Preferences
) -> None:
    preferences.set("appearance/theme", "no such theme")
    preferences.set("appearance/zoom", "much")
    assert theme.install(qapp, preferences).mode is theme.ThemeMode.SYSTEM


def test_every_icon_draws_in_its_role(look: theme.Theme) -> None:
    names = sorted(
        entry.name[:-4] for entry in (resources.files("resources") / "icons").iterdir()
    )
    assert len(names) >= 40
    for name in names:
        image = icon(name, "danger").pixmap(32, 32).toImage()
        opaque = [
            image.pixelColor(x, y)
            for x in range(32)
            for y in range(32)
            if image.pixelColor(x, y).alpha() > 250
        ]
        assert opaque, name
        if name != "application":
            assert opaque[0].name() == look.color("danger").name(), name


def test_icons_are_sharp_on_fine_screens() -> None:
    fine = icon("run").pixmap(QSize(16, 16), 2.0)
    assert (fine.width(), fine.devicePixelRatio()) == (32, 2.0)
    plain = icon("run").pixmap(QSize(16, 16), 1.0)
    assert (plain.width(), plain.devicePixelRatio()) == (16, 1.0)


def test_another_theme_begins_with_the_font_of_the_desktop(
    qapp: QApplication, tmp_path: Path
) -> None:
    size = qapp.font().pointSizeF()
    theme.theme().set_zoom(4)
    assert qapp.font().pointSizeF() == size + 4
    theme.install(qapp, Preferences(tmp_path / "other.ini"))
    assert qapp.font().pointSizeF() == size
