"""Every text of the window is translated, says the same with the same gaps, and reaches the screen."""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QTabBar,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.analysis import queries
from core.engine import queue
from core.errors import InvalidInput, SageError
from core.text import Text
from core.workspace import Workspace
from core.workspace.errors import WorkspaceError
from remote.evaluator import local_twin_evaluator
from sage_desktop.app import Desktop, arguments
from sage_desktop.panels.review import header as review_header
from sage_desktop.services.wiring import tools_of
from sage_desktop.shell import help as help_pages
from sage_desktop.ui import translation
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.translation import translated
from tools import core_texts, translations

_GAP = re.compile(r"\{[^{}]*\}|%n")
_WORD = re.compile(r"[A-Za-z]{3,}")
_SAME_EVERYWHERE = frozenset({"sage", "SAGE", "Desktop", "OpenCode", *tools_of("twin")})
_FILE_NAME = re.compile(r"\w+\.(toml|py)\b")
_OPENERS = (
    "file.settings",
    "queue.setup",
    "queue.custom",
    "queue.import",
    "help.about",
)
WAIT_MS = 60_000


@pytest.fixture
def chinese(qapp: QApplication, preferences: Preferences) -> Iterator[None]:
    """The window speaks Chinese."""
    preferences.set("appearance/language", translation.CHINESE)
    assert translation.install(qapp, preferences) == translation.CHINESE
    yield
    translation.remove(qapp)


@pytest.mark.parametrize("language", list(translations.LANGUAGES))
def test_every_text_of_the_window_has_a_finished_translation(language: str) -> None:
    """Run `make translations`, then translate what it names in `resources/translations/sage_zh_CN.ts`."""
    told = [
        f"{source.context}: {source.text!r} ({source.places[0]})"
        for source in translations.missing(language)
    ]
    assert not told, "\n".join(told)


def test_translations_keep_gaps_and_keys_of_their_sources() -> None:
    for (context, text), forms in translations.translations("zh_CN").items():
        for form in forms:
            assert sorted(_GAP.findall(form)) == sorted(_GAP.findall(text)), (
                context,
                text,
            )
            assert form.count("&") == text.count("&"), (context, text)
            assert form.endswith("…") == text.endswith("…"), (context, text)


@pytest.mark.parametrize("language", list(translations.LANGUAGES))
def test_the_compiled_file_is_that_of_the_linguist_file(language: str) -> None:
    """A clone and a wheel have the translation without any tool; `make translations` keeps it."""
    compiled = translations.ts_file(language).with_suffix(".qm").read_bytes()
    assert compiled == translations.compiled(language)


def test_gaps_of_what_core_and_remote_say_have_their_fields() -> None:
    found = []
    for name, call, text in core_texts.texts():
        fields = {keyword.arg for keyword in call.keywords}
        if isinstance(text, ast.Constant) and text in call.args and fields - {None}:
            gaps = {
                gap
                for _words, gap, *_format in Formatter().parse(str(text.value))
                if gap
            }
            found += [f"{name}:{call.lineno}: {gap}" for gap in gaps - fields]
    assert not found, "\n".join(found)


# ---- what a person sees


class Brackets(QTranslator):
    """A language in which every text of the window stands in brackets."""

    def isEmpty(self) -> bool:  # noqa: N802 - Qt's
        return False

    def translate(
        self, _context: str, text: str, _comment: str = "", n: int = -1
    ) -> str:
        return f"⟦{text.replace('%n', str(n))}⟧"


@pytest.fixture
def bracketed(qapp: QApplication) -> Iterator[None]:
    language = Brackets()
    qapp.installTranslator(language)
    yield
    qapp.removeTranslator(language)


def shown_texts(root: QWidget) -> Iterator[tuple[str, str]]:
    """(class of the widget, text) of everything below `root` that a person reads or hears."""
    for widget in (root, *root.findChildren(QWidget)):
        texts = [
            widget.windowTitle(),
            widget.toolTip(),
            widget.accessibleName(),
            widget.whatsThis(),
        ]
        if isinstance(widget, QLabel):
            texts.append(QLabel.text(widget))
        if isinstance(widget, QAbstractButton):
            texts.append(QAbstractButton.text(widget))
        if isinstance(widget, QGroupBox):
            texts.append(QGroupBox.title(widget))
        if isinstance(widget, QLineEdit):
            texts.append(widget.placeholderText())
        if isinstance(widget, QTabBar | QTabWidget):
            texts += [widget.tabText(number) for number in range(widget.count())]
        if isinstance(widget, QComboBox):
            texts += [widget.itemText(number) for number in range(widget.count())]
        for action in widget.actions():
            texts += [action.text(), action.toolTip()]
        for text in texts:
            yield type(widget).__name__, re.sub(r"<[^>]*>", "", str(text))


def untranslated(text: str) -> str:
    """What of a text stands in no brackets and has words."""
    rest, before = _FILE_NAME.sub("", text), ""
    while rest != before:
        before, rest = rest, re.sub(r"⟦[^⟦⟧]*⟧", "", rest)
    words = [word for word in _WORD.findall(rest) if word not in _SAME_EVERYWHERE]
    return text if words else ""


@pytest.mark.usefixtures("bracketed")
def test_no_word_of_the_window_is_left_in_english(
    qapp: QApplication, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path))
    path = tmp_path / "1.sage"
    Workspace.open(path).close()
    options = arguments(["--workspace", str(path)])
    # Widgets of the tests before, which had no brackets, may wait for the collector.
    earlier = qapp.topLevelWidgets()
    desktop = Desktop(qapp, options, Preferences(tmp_path / "1.ini"))
    desktop.start()
    window = desktop.window
    qtbot.waitUntil(
        lambda: desktop.operations.can_write and desktop.operations.idle,
        timeout=WAIT_MS,
    )
    english = set()
    try:
        for page in range(window.tabs.count()):
            window.tabs.setCurrentIndex(page)
            qtbot.waitUntil(lambda: desktop.operations.idle, timeout=WAIT_MS)
        for opener in _OPENERS:
            window.actions_[opener].trigger()
            qtbot.waitUntil(lambda: desktop.operations.idle, timeout=WAIT_MS)
        for top in qapp.topLevelWidgets():
            if any(top is widget for widget in earlier):
                continue
            english |= {
                (kind, text) for kind, text in shown_texts(top) if untranslated(text)
            }
    finally:
        for top in qapp.topLevelWidgets():
            if top is not window and top.isWindow():
                top.close()
        window.set_busy(busy=False)
        window.close()
        desktop.shut_down()
    assert not english, "\n".join(f"{kind}: {text!r}" for kind, text in sorted(english))


def test_sentences_of_core_are_said_in_chinese_with_their_names(
    chinese: None, tmp_path: Path
) -> None:
    with pytest.raises(SageError) as absent:
        Workspace.open_readonly(tmp_path / "none.sage")
    assert translated(absent.value.what) == f"没有工作区 {tmp_path / 'none.sage'}。"
    assert (
        translated(absent.value.message)
        == f"没有工作区 {tmp_path / 'none.sage'}。请检查路径。"
    )
    judge = local_twin_evaluator(tmp_path).label
    assert judge == "this computer · CPU twin (modelled Ascend910B1)"
    assert translated(judge).startswith("本机 · ")
    refused = InvalidInput(
        "window.ini", "base_url", "{base_url!r} is not an HTTP address", base_url="x"
    )
    assert translated(refused.what) == "window.ini: base_url: 'x' 不是 HTTP 地址"


def test_what_was_stored_is_english_and_known_words_of_it_are_translated(
    chinese: None, tmp_path: Path
) -> None:
    fault = WorkspaceError("{path} is in use.", path="a.sage")
    with Workspace.open(tmp_path / "run.sage") as workspace:
        queue.enqueue(workspace, "Abs")
        queue.mark(workspace, 1, "failed", fault.message)
        stored = queries.queue_rows(workspace.db, (1,))[1].reason
    assert translated(fault.message) == "a.sage 正在使用。"
    assert translated(stored) == stored == "a.sage is in use."
    assert translated("a correct kernel was found") == "已找到正确的核函数"


def test_words_nobody_translated_are_said_as_they_came(chinese: None) -> None:
    assert (
        translated("Something new went wrong in {braces}.")
        == "Something new went wrong in {braces}."
    )
    refused = SageError("{said}", "Repeat {that}", said="{braces} of a server")
    assert translated(refused.message) == "{braces} of a server。Repeat {that}"
    assert translated("") == ""


def test_in_english_sentences_of_core_stay_as_they_are() -> None:
    assert translated("There is nothing to undo.") == "There is nothing to undo."
    assert (
        translated(Text("{uid} is {state}.", uid="e1", state="pending"))
        == "e1 is pending."
    )


def test_commands_and_menus_are_chinese(
    chinese: None, registry: ActionRegistry
) -> None:
    assert registry["queue.run"].text() == "运行(&R)"
    assert registry["queue.run"].iconText() == "运行"
    assert registry.menu_of("queue.run") == "队列"
    assert "后台" in registry["queue.run"].toolTip()


def test_qt_speaks_chinese_too(chinese: None, qtbot: QtBot) -> None:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(box)
    assert box.buttons()[0].text() == "取消"


def test_the_guide_is_chinese_where_a_page_was_translated(chinese: None) -> None:
    pages = help_pages.guide_pages()
    assert {"窗口", "队列", "主机"} <= set(pages)
    english = {
        path.name for path in (translations.ROOT / "docs" / "guide").glob("*.md")
    }
    assert {file.name for file in pages.values()} >= {
        "README.md",
        "queue.md",
        "hosts.md",
    }
    assert {file.name for file in pages["队列"].parent.glob("*.md")} <= english


def test_numbers_decide_the_form_in_english(qapp: QApplication) -> None:
    def told(number: int) -> str:
        return QCoreApplication.translate(
            "DiffView", "%n unchanged line(s)", "", number
        )

    assert (told(1), told(12)) == ("1 unchanged line", "12 unchanged lines")


def test_language_follows_the_desktop_unless_chosen(
    preferences: Preferences, monkeypatch: pytest.MonkeyPatch
) -> None:
    chinese = translation.QLocale("zh_CN")
    monkeypatch.setattr(translation.QLocale, "system", staticmethod(lambda: chinese))
    preferences.forget("appearance/language")
    assert translation.language(preferences) == translation.CHINESE
    preferences.set("appearance/language", translation.ENGLISH)
    assert translation.language(preferences) == translation.ENGLISH


def test_a_missing_chinese_font_is_told_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(
        translation.QFontDatabase, "families", staticmethod(lambda _system: [])
    )
    with caplog.at_level(logging.INFO, "sage_desktop.ui.translation"):
        translation.tell_missing_font(translation.CHINESE)
    assert caplog.records[0].levelno == logging.WARNING
    assert "fonts-noto-cjk" in caplog.text


def test_what_cann_s_headers_say_of_a_kernel_is_chinese(chinese: None) -> None:
    part = review_header.witness_part
    assert part("accepted by the headers of CANN 8.5") == "已被 CANN 8.5 的头文件接受"
    assert part("not checked against CANN") == "未经 CANN 检查"
