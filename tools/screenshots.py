"""Takes the pictures of the documentation: `python -m tools.screenshots docs/screenshots`.

The real window, off screen, on the real demonstration (run first when it was not) and on a real SSH server of
this computer. Those a page shows are taken, in English and in Chinese; each language is one child process's work.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sage_desktop.ui.typed import expect, present

if TYPE_CHECKING:
    from PySide6.QtGui import QImage
    from PySide6.QtWidgets import QApplication, QTreeWidget, QWidget

    from sage_desktop.app import Desktop
    from sage_desktop.panels.memory.panel import MemoryPanel

_WAIT_S = 60.0
_COLOURS = 255  # of a picture
_HUES = 140  # of them for what is small but coloured
_UPPER_BITS = 0xE0E0E0  # of red, green and blue, three each: a hue

LOOKS = {"light": "en", "zh_CN-light": "zh_CN"}
"""End of a picture's name -> language of the window."""
SIZE = (1600, 1000)
_QUESTION = "the tail of a core's slice is wrong, DataCopy 32 bytes"
ROOT = Path(__file__).resolve().parents[1]


def shown_pictures() -> set[str]:
    """File names of the pictures that a page of the documentation shows."""
    names: set[str] = set()
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        names |= set(re.findall(r"screenshots/([\w@.-]+\.png)", text))
    return names


def main() -> int:
    """Take all pictures, or (inside) those of one language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--workspace", type=Path, help="a finished demonstration; run again by default"
    )
    parser.add_argument(
        "--only", default="", help="a part of the names of the pictures to take"
    )
    parser.add_argument(
        "--looks", default="", help=f"some of {','.join(LOOKS)}; all by default"
    )
    parser.add_argument("--inside", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        _take(options)
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    looks = options.looks.split(",") if options.looks else LOOKS
    with tempfile.TemporaryDirectory() as folder:
        workspace = options.workspace
        if workspace is None:
            workspace = Path(folder) / "demo.sage"
            command = [sys.executable, "-m", "sage_desktop.cli", "run", "--demo"]
            command += ["--workspace", str(workspace)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for name in looks:
            inside = [sys.executable, "-m", "tools.screenshots", str(options.folder)]
            inside += ["--workspace", str(workspace), "--inside", name]
            inside += ["--only", options.only]
            environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
            environment["SAGE_DATA_DIR"] = str(Path(folder) / f"data-{name}")
            subprocess.run(inside, check=True, env=environment)
    return 0


def _take(options: argparse.Namespace) -> None:
    """Take the pictures of one look, in this process."""
    from PySide6.QtWidgets import QApplication

    from sage_desktop.app import Desktop, arguments
    from sage_desktop.ui.preferences import Preferences

    app = QApplication([])
    with tempfile.TemporaryDirectory() as place:
        preferences = Preferences(Path(place) / "window.ini")
        preferences.set("appearance/theme", "light")
        preferences.set("appearance/language", LOOKS[options.inside])
        start = arguments(["--workspace", str(options.workspace)])
        desktop = Desktop(app, start, preferences)
        desktop.window.resize(*SIZE)
        desktop.start()
        try:
            _Camera(app, desktop, options).everything()
        finally:
            desktop.window.set_busy(busy=False)
            desktop.window.close()
            desktop.shut_down()


class _Camera:
    """Turns the pages of a window and takes the pictures of one look."""

    def __init__(
        self, app: QApplication, desktop: Desktop, options: argparse.Namespace
    ) -> None:
        self.app = app
        self.desktop = desktop
        self.window = desktop.window
        self.folder: Path = options.folder
        self.only: str = options.only
        self.workspace: Path = options.workspace
        self.suffix = f"-{options.inside}.png"
        # Names of the pictures of this look, without its end.
        self.names: set[str] = set()
        for picture in shown_pictures():
            match = re.fullmatch(rf"([a-z-]+){re.escape(self.suffix)}", picture)
            if match is not None:
                self.names.add(match[1])

    def settle(
        self, until: Callable[[], bool] = lambda: True, rest: float = 0.4
    ) -> None:
        """Let the window work until `until` holds, then a little longer."""
        deadline = time.monotonic() + _WAIT_S
        while not (until() and self.desktop.operations.idle):
            self.app.processEvents()
            if time.monotonic() > deadline:
                raise TimeoutError("the window does not come to rest")
        end = time.monotonic() + rest
        while time.monotonic() < end:
            self.app.processEvents()

    def shoot(self, name: str, widget: QWidget | None = None) -> None:
        """Save one picture, if a page shows it."""
        if name not in self.names:
            return
        image = (widget or self.window).grab().toImage()
        file = self.folder / f"{name}{self.suffix}"
        smallest = 0  # Qt's quality of a PNG: the most time for compression
        _fewer_colours(image).save(str(file), quality=smallest)

    def everything(self) -> None:
        """All pages, then the dialogs."""
        from sage_desktop.shell.main_window import REVIEW

        self.settle(lambda: self.window.queue.model.rowCount() > 0, 1.5)
        with _hosts(self):
            self.pages()
            self.window.tabs.setCurrentIndex(REVIEW)
            self.parts()
            self.dialogs()

    def takes(self, name: str) -> bool:
        """Whether a page shows a picture whose name begins so."""
        is_shown = any(picture.startswith(name) for picture in self.names)
        return is_shown and self.only in name

    def turn_to(self, page: int, rest: float = 1.0) -> None:
        """Turn to a page and let it come to rest."""
        self.window.tabs.setCurrentIndex(page)
        self.settle(rest=rest)

    def pages(self) -> None:
        """The whole window on each of its pages."""
        names = (
            "review",
            "memory",
            "trajectory",
            "results",
            "timeline",
            "workload",
            "hosts",
            "start",
        )
        for number, name in enumerate(names):
            if self.takes(name):
                self.turn_to(number)
                if name == "review":
                    self._show_adoption()
                self.window.toasts.clear()
                self.settle(rest=0.1)
                self.shoot(name)

    def _show_adoption(self) -> None:
        """The last round of the operator in front that adopted an experience and has one before it."""
        review = self.window.review
        database = sqlite3.connect(f"file:{self.workspace}?mode=ro", uri=True)
        (number,) = database.execute(
            "SELECT max(round) FROM adoption_record WHERE operator = ? AND state = 'adopted' AND round > 1",
            (present(review.subject).operator,),
        ).fetchone()
        database.close()
        review.show_round(number)
        self.settle(lambda: present(review.pair).newer.round == number)

    def parts(self) -> None:
        """Parts of the pages the guide tells of."""
        from sage_desktop.panels.results.panel import ResultsPanel
        from sage_desktop.shell.main_window import MEMORY, RESULTS, REVIEW, TRAJECTORY

        window = self.window
        if self.takes("review-tools"):
            window.tabs.setCurrentIndex(REVIEW)
            self._ask_tools()
            self.shoot("review-tools", window.review)
        if self.takes("memory"):
            self.turn_to(MEMORY)
            self._memory_parts(window.memory)
        if self.takes("results"):
            self.turn_to(RESULTS)
            results = expect(window.lazy_page(RESULTS), ResultsPanel)
            results.tabs.setCurrentIndex(1)
            self.settle(rest=0.8)
            self.shoot("results-best", results)
            results.tabs.setCurrentIndex(0)
        if self.takes("trajectory"):
            self.turn_to(TRAJECTORY)
            window.trajectory.texts.setCurrentIndex(1)
            self.settle()
            self.shoot("trajectory-prompt", window.trajectory)
            window.trajectory.texts.setCurrentIndex(0)

    def _memory_parts(self, memory: MemoryPanel) -> None:
        """Hot memory, a search, and two items side by side."""
        search = memory.search_page
        search.question.setPlainText(_QUESTION)
        search.ask.click()
        parts = (("memory-hot", memory.hot_page), ("memory-retrieve", search))
        for name, page in parts:
            memory.details.setCurrentWidget(page)
            self.settle(rest=0.8)
            self.shoot(name, page)
        memory.details.setCurrentIndex(0)
        self._two_items(memory)

    def _ask_tools(self) -> None:
        """Run two diagnostics on the kernel in front."""
        review = self.window.review
        answers: list[object] = []
        self.desktop.diagnosing.answered.connect(answers.append)
        for tool in ("sanitizer", "profile"):
            before = len(answers)
            review.details.findings.bar.asked.emit(tool)
            self.settle(partial(_is_longer, answers, before))

        # What the model asked about the same candidate is shown, too.
        def is_shown() -> bool:
            inquiries = present(review.pair).answers
            return sum(inquiry.by == "user" for inquiry, _ in inquiries) == 2

        self.settle(is_shown, 0.8)

    def _two_items(self, memory: MemoryPanel) -> None:
        """The first two experiences side by side."""
        first = present(memory.model.item(0))
        second = present(memory.model.item(1))
        memory.curation.compare(first.uid, second.uid)
        self.settle(lambda: memory.curation.dialog is not None)
        dialog = present(memory.curation.dialog)
        self.shoot("memory-compare", dialog)
        dialog.reject()

    def dialogs(self) -> None:
        """Dialogs that the guide shows."""
        from PySide6.QtWidgets import QDialog

        if self.takes("run"):
            commands = self.desktop.run_commands
            commands.set_up()
            self.settle()
            dialog = expect(commands.dialog, QDialog)
            self.shoot("run", dialog)
            dialog.reject()
        if self.takes("settings-method"):
            late = self.desktop.late
            late.show_settings("method")
            self.settle()
            settings = present(late.settings)
            self.shoot("settings-method", settings)
            settings.reject()


def _is_longer(answers: Sized, length: int) -> bool:
    return len(answers) > length


def _fewer_colours(image: QImage) -> QImage:
    """The picture in 255 colours, the rarer hues among them: what differs is edges of letters, by a shade."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage

    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    counts = Counter(memoryview(plain.constBits()).cast("I"))
    common = [colour for colour, _count in counts.most_common()]
    # The commonest colour of each hue.
    hues: dict[int, int] = {}
    for colour in common:
        hues.setdefault(colour & _UPPER_BITS, colour)
    commonest_hues = list(hues.values())[:_HUES]
    table = list(dict.fromkeys([*commonest_hues, *common]))[:_COLOURS]
    nearest = (
        Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    )
    return plain.convertToFormat(QImage.Format.Format_Indexed8, table, nearest)


@contextmanager
def _hosts(camera: _Camera) -> Iterator[None]:
    """A server of this computer among the hosts, examined."""
    from sage_desktop.panels.hosts.page import HostPage
    from sage_desktop.shell.main_window import HOSTS
    from tests.remote.sshd import ALIAS, start_sshd

    if not camera.takes("hosts"):
        yield
        return
    with tempfile.TemporaryDirectory() as place:
        server = start_sshd(Path(place) / "sshd")
        try:
            registry = camera.desktop.late.registry()
            registry.ssh.config = server.config
            registry.change(
                ALIAS,
                python=sys.executable,
                base=f"{place}/base",
                locks=f"{place}/locks",
            )
            camera.window.tabs.setCurrentIndex(HOSTS)
            service = present(camera.desktop.late.service)
            examined: list[str] = []
            service.examined.connect(lambda name, _diagnosis: examined.append(name))
            service.examine(ALIAS)
            camera.settle(lambda: bool(examined))
            page = present(camera.window.findChild(HostPage))
            _hide_machine(page.checks, place)
            yield
            service.close()
        finally:
            server.stop()


def _hide_machine(checks: QTreeWidget, folder: str) -> None:
    """Hide the checks that name the machine that takes the pictures."""
    private = (folder, sys.executable, platform.release())
    for row in range(checks.topLevelItemCount()):
        item = present(checks.topLevelItem(row))
        result = item.text(1)
        item.setHidden(any(word in result for word in private))


if __name__ == "__main__":
    sys.exit(main())
