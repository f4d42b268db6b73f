"""What leaves the window and comes in: versions, patches, backups, memories; and workspaces opened lately."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QToolButton
from pytestqt.qtbot import QtBot

from core.diff.patch import patch_of
from core.errors import SageError
from core.exporters import read_six_strings
from core.memory.records import ItemState
from core.memory.store import MemoryStore
from core.operators.catalogue import find_operator
from core.workspace import Workspace
from sage_desktop.panels.log.ring import LogRing
from sage_desktop.panels.queue.panel import QueuePanel
from sage_desktop.panels.review.exporting import run_editor, write_project
from sage_desktop.panels.review.panel import ReviewPanel
from sage_desktop.panels.review.versions import Pick
from sage_desktop.shell import pictures
from sage_desktop.shell.crash import CrashReporter
from sage_desktop.shell.main_window import PAGES, MainWindow
from sage_desktop.shell.memory_exchange import MemoryExchange
from sage_desktop.shell.opening import files
from sage_desktop.shell.opening.files import WorkspaceFiles
from sage_desktop.shell.session import WorkspaceSession
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import install, theme
from tests.gui.conftest import DirectWriter


@pytest.fixture
def panel(
    operations: Operations,
    registry: ActionRegistry,
    preferences: Preferences,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> ReviewPanel:
    made = ReviewPanel(operations, registry, preferences)
    qtbot.addWidget(made)
    queue = QueuePanel(operations, registry)
    qtbot.addWidget(queue)
    queue.refresh()
    settled()
    made.show_operator(queue.model.rows()[0])
    settled()
    return made


@pytest.fixture
def window(
    operations: Operations, writer: DirectWriter, preferences: Preferences, qtbot: QtBot
) -> MainWindow:
    operations.set_writer(writer)
    made = MainWindow(operations, preferences, LogRing())
    qtbot.addWidget(made)
    return made


def choose_form(panel: ReviewPanel, registry: ActionRegistry, form: str) -> None:
    """Ask for an export and answer in which form."""
    registry["review.export"].trigger()
    question = panel.exports.question
    forms = question.comboBoxItems()
    question.textValueSelected.emit(
        next(offered for offered in forms if offered.startswith(form))
    )
    question.close()


def test_a_patch_turns_the_older_version_into_the_newer_one(
    panel: ReviewPanel,
    registry: ActionRegistry,
    tmp_path: Path,
    settled: Callable[[], None],
) -> None:
    panel.choose(Pick.FIRST_CORRECT, Pick.BEST)
    settled()
    pair, file = panel.pair, tmp_path / "out.patch"
    choose_form(panel, registry, "Patch")
    panel.exports.dialog.fileSelected.emit(str(file))
    panel.exports.dialog.close()
    settled()
    tree = tmp_path / "tree"
    write_project(tree, {**pair.older_files, "gone.h": "1\n", "end.h": "no newline"})
    extra = patch_of(
        {"gone.h": "1\n", "end.h": "no newline"},
        {"new.h": "2\n", "end.h": "a newline\n"},
    )
    file.write_text(file.read_text() + extra)
    subprocess.run(["git", "apply", str(file)], cwd=tree, check=True)
    assert {
        path: (tree / path).read_text() for path in pair.newer_files
    } == pair.newer_files
    assert (tree / "new.h").read_text() == "2\n"
    assert (tree / "end.h").read_text() == "a newline\n"
    assert not (tree / "gone.h").exists()


def test_a_version_is_written_as_benchmarks_take_it(
    panel: ReviewPanel,
    registry: ActionRegistry,
    tmp_path: Path,
    settled: Callable[[], None],
) -> None:
    choose_form(panel, registry, "MultiKernelBench")
    panel.exports.dialog.fileSelected.emit(str(tmp_path / "abs.py"))
    panel.exports.dialog.close()
    settled()
    text = (tmp_path / "abs.py").read_text()
    spec = find_operator("catalogue", "AbsMath")
    assert read_six_strings(text, "abs.py", spec).files.keys() >= {
        "op_kernel/abs_math.cpp"
    }
    row, pair, _path = panel.in_front()
    panel.exports.export_for(row, pair, "torch", tmp_path / "project")
    settled()
    assert list((tmp_path / "project").rglob("package/candidate/*/abs_math.cpp"))
    library = (tmp_path / "project/csrc/library.cpp").read_text()
    assert "abs_math(Tensor x) -> Tensor" in library


def test_the_editor_of_the_settings_opens_a_copy(
    panel: ReviewPanel,
    registry: ActionRegistry,
    preferences: Preferences,
    tmp_path: Path,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    seen = tmp_path / "it was asked for.txt"
    preferences.set(
        "appearance/editor", f"sh -c 'cp \"$1\" \"$2\"' sh {{file}} '{seen}'"
    )
    registry["review.editor"].trigger()
    settled()
    qtbot.waitUntil(lambda: seen.is_file() and bool(seen.read_text()), timeout=20_000)
    assert seen.read_text() == panel.pair.newer_files["op_kernel/abs_math.cpp"]
    with pytest.raises(SageError, match="no-such-editor"):
        run_editor("no-such-editor", seen)


@pytest.mark.qt_log_ignore("^This plugin does not support QPlatformServices")
def test_without_any_editor_it_is_said_where_the_copy_is(
    panel: ReviewPanel, registry: ActionRegistry, operations: Operations, qtbot: QtBot
) -> None:
    assert panel.in_front() is not None
    operations.failed.disconnect()  # by which the fixture fails the test
    with qtbot.waitSignal(operations.failed) as failed:
        registry["review.editor"].trigger()
    (error,) = failed.args
    copy, _could, words = str(error.what).partition(" could not be opened")
    assert words
    code = panel.pair.newer_files["op_kernel/abs_math.cpp"]
    assert Path(copy).read_text() == code
    assert "Settings → Appearance" in str(error.remedy)


def test_workspaces_opened_lately_are_offered_the_latest_first(
    window: MainWindow,
    operations: Operations,
    preferences: Preferences,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths = [tmp_path / f"run{number}.sage" for number in range(12)]
    for path in paths:
        path.touch()
    made = WorkspaceFiles(window)
    made.fill()
    assert [action.text() for action in made.menu.actions()] == [
        "No workspace has been opened yet"
    ]
    for path in [*paths, paths[5], operations.workspace]:
        made.opened(path)
    paths[11].unlink()
    assert files.recent(preferences)[:3] == [operations.workspace, paths[5], paths[10]]
    made.fill()
    shown = made.menu.actions()
    assert [action.text() for action in shown[:2]] == ["&1 sample.sage", "&2 run5.sage"]
    assert [action.isEnabled() for action in shown[:2]] == [
        False,
        True,
    ]  # the first is open here
    opened: list[Path] = []
    monkeypatch.setattr(files, "open_in_new_window", opened.append)
    shown[1].trigger()
    assert opened == [paths[5]]
    inside = window.menuBar().actions()[0].menu().actions()
    names = [action.text() for action in inside]
    assert names[names.index("&Open Workspace…") + 1] == "Open &Recent"
    shown[-1].trigger()
    assert files.recent(preferences) == []


def test_the_open_workspace_is_backed_up(
    window: MainWindow,
    operations: Operations,
    preferences: Preferences,
    tmp_path: Path,
    settled: Callable[[], None],
) -> None:
    made = WorkspaceFiles(window)
    made.opened(operations.workspace)
    window.actions_["file.backup"].trigger()
    target = tmp_path / "copies" / "safe.sage"
    target.parent.mkdir()
    made.dialog.fileSelected.emit(str(target))
    made.dialog.close()
    settled()
    with Workspace.open_readonly(target) as opened:
        assert opened.db.execute("SELECT count(*) FROM item").fetchone()[0] == 6
    assert "safe.sage" in window.toasts.texts[0]
    target.write_bytes(b"an older copy")  # the dialog asks whether it may be replaced
    made.back_up(target)
    settled()
    with Workspace.open_readonly(target) as opened:
        assert opened.check() == ()


def test_what_cannot_be_saved_is_told_with_its_name_and_reason_and_is_no_crash(
    workspace: Path, preferences: Preferences, qtbot: QtBot, tmp_path: Path
) -> None:
    operations = Operations(workspace)
    window = MainWindow(operations, preferences, LogRing())
    qtbot.addWidget(window)
    refused, crashed = [], []
    operations.failed.connect(refused.append)
    operations.crashed.connect(crashed.append)
    session = WorkspaceSession(window, CrashReporter(window))
    long = tmp_path / ("n" * 300)
    WorkspaceFiles(window).back_up(long)
    MemoryExchange(window, session).export(long, "jsonl")
    MemoryExchange(window, session).export(tmp_path, "jsonl")
    qtbot.waitUntil(lambda: operations.idle, timeout=20_000)
    operations.close()
    assert crashed == []
    told = sorted(map(str, refused), key=len)
    assert told[0].startswith(f"{tmp_path} cannot be written: Is a directory.")
    assert all(
        text.startswith(f"{long} cannot be written: File name too long.")
        for text in told[1:]
    )
    assert len(told) == 3


@pytest.mark.system
def test_every_page_is_saved_under_its_own_name(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "_SETTLE_MS", 0)
    ended: list[bool] = []
    pictures.save_pictures(window, tmp_path, lambda: ended.append(True))
    qtbot.waitUntil(lambda: bool(ended), timeout=20_000)
    assert window.tabs.currentIndex() == window.tabs.count() - 1, (
        "the last page was shown too"
    )
    names = {f"{page}-{mode}.png" for page in PAGES for mode in ("light", "dark")}
    assert {file.name for file in tmp_path.glob("*.png")} == names


@pytest.mark.parametrize(
    "answer", [QFileDialog.DialogCode.Accepted, QFileDialog.DialogCode.Rejected]
)
def test_no_file_dialog_is_left_behind(
    answer: QFileDialog.DialogCode,
    window: MainWindow,
    operations: Operations,
    preferences: Preferences,
    settled: Callable[[], None],
) -> None:
    session = WorkspaceSession(window, CrashReporter(window))
    exchange = MemoryExchange(window, session)
    made = WorkspaceFiles(window)
    made.opened(operations.workspace)
    for ask, holder in (
        ("memory.import", exchange),
        ("memory.export", exchange),
        ("file.backup", made),
        ("file.new", made),
        ("file.open", made),
    ):
        window.actions_.enable({ask: True})
        window.actions_[ask].trigger()
        dialog = holder.dialog
        assert isinstance(dialog, QFileDialog)
        assert _darkest(dialog, "toParentButton") == theme().color("text").name()
        dialog.done(answer)
    settled()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert window.findChildren(QFileDialog) == []


def _darkest(dialog: QFileDialog, name: str) -> str:
    """The colour a button of Qt's own dialog is drawn in."""
    button = dialog.findChild(QToolButton, name)
    assert button is not None
    picture = button.icon().pixmap(24, 24).toImage()
    solid = [
        picture.pixelColor(x, y)
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y).alpha() == 255
    ]
    assert solid
    return solid[0].name()


def test_a_memory_is_exported_and_merged_into_another_after_a_question(
    window: MainWindow,
    operations: Operations,
    writer: DirectWriter,
    preferences: Preferences,
    tmp_path: Path,
    settled: Callable[[], None],
) -> None:
    session = WorkspaceSession(window, CrashReporter(window))
    exchange = MemoryExchange(window, session)
    for form in ("jsonl", "sqlite", "paper"):
        exchange.export(tmp_path / f"bank.{form}", form)
        settled()
        assert (tmp_path / f"bank.{form}").stat().st_size > 500
    other = tmp_path / "other.sage"
    Workspace.open(other).close()
    operations.workspace = other
    operations.set_writer(DirectWriter(other))
    exchange.read_memory(tmp_path / "bank.jsonl")
    settled()
    assert exchange.dialog.text() == "Merge 6 items of bank.jsonl?"
    exchange.dialog.accept()
    settled()
    with Workspace.open_readonly(other) as opened:
        assert {item.state for item in MemoryStore(opened).items()} == {
            ItemState.QUARANTINED
        }
    assert any("6 new" in text for text in window.toasts.texts)


def test_the_code_font_follows_the_setting(
    qapp: QApplication, preferences: Preferences
) -> None:
    usual = theme().code_font().family()
    preferences.set("appearance/code_font", "dejavu sans")
    assert install(qapp, preferences).code_font().family() == "DejaVu Sans"
    theme().set_code_font("No Such Family")
    assert theme().code_font().family() == usual
