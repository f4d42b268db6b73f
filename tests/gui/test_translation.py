"""Every text of the window is translated, says the same with the same gaps, and reaches the screen."""

from __future__ import annotations

import ast
import gc
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication, QDialogButtonBox
from pytestqt.qtbot import QtBot

from core.analysis import queries
from core.engine import queue
from core.errors import InvalidInput, SageError
from core.text import Text
from core.workspace import Workspace
from core.workspace.errors import WorkspaceError
from remote.evaluator import local_twin_evaluator
from sage_desktop.shell import help as help_pages
from sage_desktop.ui import translation
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.translation import translated
from tools import core_texts, translations

_GAP = re.compile(r"\{[^{}]*\}|%n")
_SENTENCE = re.compile(r"[A-Za-z]{2,} [A-Za-z]|^[A-Z][a-z]{2,}")
_SHOWS = {
    "setText",
    "set_text",
    "setToolTip",
    "setStatusTip",
    "setWindowTitle",
    "setAccessibleName",
    "setAccessibleDescription",
    "setPlaceholderText",
    "setTitle",
    "setLabelText",
    "setInformativeText",
    "setTabText",
    "setSpecialValueText",
    "setPrefix",
    "setSuffix",
    "setHorizontalHeaderLabels",
    "setHeaderLabels",
    "addTab",
    "addItem",
    "addRow",
    "addButton",
    "QLabel",
    "QPushButton",
    "QCheckBox",
    "QRadioButton",
    "heading",
    "muted",
    "EmptyState",
    "FilterBox",
    "say",
    "show_message",
    "show_notice",
    "show_activity",
    "set_working",
    "QTreeWidgetItem",
    "QTableWidgetItem",
    "QListWidgetItem",
    "drawText",
    "named",
    "push",
    "tool",
    "drawn_tool",
    "text_label",
}
_TRANSLATES = {"tr", "translate", "QT_TRANSLATE_NOOP", "StatusStyle"}
_SPEAKS_TO_NO_PERSON = {
    "icon",
    "setStyleSheet",
    "setObjectName",
    "setProperty",
    "QFont",
    "setStyleName",
    "encode",
    "execute",
    "QKeySequence",
    "TypeVar",
    "debug",
    "info",
    "warning",
    "error",
    "log",
    "RuntimeError",
    "startswith",
}
_NO_WORDS = {
    "OpenCode",
    "SAGE Desktop",
    "judged by",
    "info",
    "success",
    "warning",
    "danger",
    "muted",
} | {path.stem for path in (translations.ROOT / "resources" / "icons").glob("*.svg")}
_SPOKEN_ELSEWHERE = {  # module of the window -> why its sentences are not the window's
    "app.py": "the help of the command line",
    "shell/background_work.py": "errors shared with the command line",
    "services/models/agent_check.py": "findings shared with the command line",
    "services/hosts/choice.py": "errors and help shared with the command line",
    "services/experiment_run.py": "reasons of the command line",
    "services/languages.py": "words of reports, by context",
    "services/models/check.py": "findings shared with the command line",
    "services/models/choice.py": "errors shared with the command line",
    "services/run_setup.py": "errors shared with the command line",
    "services/settings_table.py": "a table",
    "services/tracing.py": "errors shared with the command line",
    "ui/diff/highlight.py": "words of code",
    "ui/stylesheet.py": "style rules",
    "ui/theme.py": "names of fonts",
}


_PRIVATE_WORDS = re.compile(
    r"\b(mend|mended|anew|steward|knock|opinion|barred|judges?|judged|goes on|go on|take[sn]? back|taken back"
    r"|let go|for good|being worked on|worked on|set aside|stays as it is|is told|under way|line lost)\b",
    re.IGNORECASE,
)
_SEARCH_KEY = re.compile(r"\b\w+:")  # `barred:no` of a search box is what people type


def test_the_window_speaks_in_trade_terms() -> None:
    """Evaluation, not judge; block, not bar; undo, not take back: the words other tools have for it."""
    elsewhere = (
        "Settings",
        "Core",
    )  # symbols of the paper's method; `judge` is a program of its own there
    shown = [
        text for context, text in translations.sources() if context not in elsewhere
    ]
    shown += [
        text
        for context, text in translations.sources()
        if context == "Settings" and len(text) < 40
    ]
    assert len(shown) > 1000
    assert [
        text for text in shown if _PRIVATE_WORDS.search(_SEARCH_KEY.sub("", text))
    ] == []
    assert "API misuse" in shown


@pytest.fixture(autouse=True, scope="module")
def _syntax_trees_stay(_what_other_files_left: None) -> None:
    """Parse the program once and leave its trees alone: looking through them took three seconds a test."""
    core_texts.texts()
    gc.freeze()


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


def test_no_visible_words_are_left_untranslated() -> None:
    found = []
    for path in translations.window_modules():
        name = path.relative_to(translations.WINDOW).as_posix()
        if (
            name not in _SPOKEN_ELSEWHERE and path.parent.name != "action_table"
        ):  # a table
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [
                f"{name}:{line}: {text!r}" for line, text in untranslated(tree, name)
            ]
    assert not found, "\n".join(sorted(found))


def test_the_search_for_untranslated_words_finds_them() -> None:
    source = 'def f(self):\n    label.setText("Plain")\n    label.setText(f"{n} items")\n    x = "Two words"\n'
    found = {text for _line, text in untranslated(ast.parse(source), "x.py")}
    assert found == {"Plain", " items", "Two words"}
    done = 'def f(self):\n    label.setText(self.tr("Plain"))\n    raise ValueError("a bug, not for people")\n'
    assert not list(untranslated(ast.parse(done), "x.py"))
    with pytest.raises(translations.NotTranslatable):
        list(
            translations.calls(
                ast.parse('class A:\n    def f(self):\n        self.tr(f"{x} y")\n'),
                "x.py",
            )
        )


def untranslated(tree: ast.Module, name: str) -> Iterator[tuple[int, str]]:
    """(line, text) of literals that people would read in English whatever their language."""
    fine = _translated_or_hidden(tree, name)
    shown: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node) in _SHOWS:
            with_data = _name(node) == "addItem" and len(node.args) > 1
            words = node.args[:-1] if with_data else node.args
            shown |= {id(inner) for argument in words for inner in _strings(argument)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in fine
        ):
            words = (
                "" if node.value.strip(" #\N{EM DASH}\n") in _NO_WORDS else node.value
            )
            shows = id(node) in shown and re.search(r"[A-Za-z]{3,}", words)
            if shows or (
                _SENTENCE.search(words) and not words.lstrip().startswith("SELECT")
            ):
                yield node.lineno, node.value


def _strings(argument: ast.expr) -> Iterator[ast.Constant]:
    """Literals that are (part of) what an argument shows; not those within calls."""
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        yield argument
    elif isinstance(
        argument, ast.JoinedStr | ast.List | ast.Tuple | ast.BinOp | ast.IfExp
    ):
        for child in ast.iter_child_nodes(argument):
            if isinstance(child, ast.expr):
                yield from _strings(child)


def _translated_or_hidden(tree: ast.Module, name: str) -> set[int]:
    helpers = translations.helpers(tree)
    fine: set[int] = set()
    for node in ast.walk(tree):
        hidden: list[ast.AST] = []
        if isinstance(node, ast.Call):
            called = _name(node)
            names_context = called == "partial" and ast.unparse(node.args[0]).endswith(
                ".translate"
            )
            if (
                names_context
                or called in _TRANSLATES | _SPEAKS_TO_NO_PERSON
                or called in helpers
            ):
                hidden = list(node.args)
        elif isinstance(node, ast.Subscript):  # names of types
            hidden = [node.slice]
        elif isinstance(node, ast.Raise):
            hidden = [
                node
            ]  # of ours the templates are found, see `core_texts`; others are bugs
        elif isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module
        ):
            hidden = [
                body
                for body in node.body
                if isinstance(body, ast.Expr) and _literal(body.value)
            ]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            names = {
                table
                for module, table, _context in translations.TABLES
                if module == name
            }
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            hidden = [node] if getattr(target, "id", "") in names | {"__all__"} else []
        fine |= {id(inner) for part in hidden for inner in ast.walk(part)}
        if isinstance(
            node, ast.Module | ast.ClassDef
        ):  # words below an assignment explain it
            fine |= {id(body.value) for body in node.body if isinstance(body, ast.Expr)}
    return fine


def _literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _name(call: ast.Call) -> str:
    return (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else getattr(call.func, "id", "")
    )


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
