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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from sage_desktop.panels.memory.panel import MemoryPanel

_WAIT_S = 60.0
_HUES = 140  # colours of a picture kept for what is small but coloured


LOOKS = {"light": "en", "zh_CN-light": "zh_CN"}
"""End of a picture's name -> language of the window."""
SIZE = (1600, 1000)
ROOT = Path(__file__).resolve().parents[1]


def shown_pictures() -> set[str]:
    """File names of the pictures that a page of the documentation shows."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    return {
        name
        for page in pages
        for name in re.findall(
            r"screenshots/([\w@.-]+\.png)", page.read_text(encoding="utf-8")
        )
    }


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
    with tempfile.TemporaryDirectory() as place:
        workspace = options.workspace or Path(place) / "demo.sage"
        if options.workspace is None:
            command = [
                sys.executable,
                "-m",
                "sage_desktop.cli",
                "run",
                "--demo",
                "--workspace",
                workspace,
            ]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for name in options.looks.split(",") if options.looks else LOOKS:
            inside = [sys.executable, "-m", "tools.screenshots", str(options.folder)]
            inside += [
                "--workspace",
                str(workspace),
                "--inside",
                name,
                "--only",
                options.only,
            ]
            environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
            environment["SAGE_DATA_DIR"] = str(Path(place) / f"data-{name}")
            subprocess.run(inside, check=True, env=environment)
    return 0


def _take(options: argparse.Namespace) -> None:
    from PySide6.QtWidgets import QApplication

    from sage_desktop.app import Desktop, arguments
    from sage_desktop.ui.preferences import Preferences

    app = QApplication([])
    with tempfile.TemporaryDirectory() as place:
        preferences = Preferences(Path(place) / "window.ini")
        preferences.set("appearance/theme", "light")
        preferences.set("appearance/language", LOOKS[options.inside])
        desktop = Desktop(
            app, arguments(["--workspace", str(options.workspace)]), preferences
        )
        desktop.window.resize(*SIZE)
        desktop.start()
        try:
            _Camera(app, desktop, options).everything()
        finally:
            desktop.window.set_busy(busy=False)
            desktop.window.close()
            desktop.shut_down()


class _Camera:
    def __init__(
        self, app: object, desktop: object, options: argparse.Namespace
    ) -> None:
        self.app, self.desktop, self.window = app, desktop, desktop.window  # type: ignore[attr-defined]
        self.folder: Path = options.folder
        self.only: str = options.only
        self.workspace: Path = options.workspace
        suffix = f"-{options.inside}.png"
        self.suffix = suffix
        self.names = {
            picture.removesuffix(suffix)
            for picture in shown_pictures()
            if re.fullmatch(r"[a-z-]+" + re.escape(suffix), picture)
        }

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

    def shoot(self, name: str, widget: object = None) -> None:
        """Save one picture, if a page shows it."""
        if name not in self.names:
            return
        image = (widget or self.window).grab().toImage()  # type: ignore[attr-defined]
        smallest = 0  # Qt's quality of a PNG: the most time for compression
        _fewer_colours(image).save(
            str(self.folder / f"{name}{self.suffix}"), "PNG", smallest
        )

    def everything(self) -> None:
        """All pages, then the dialogs."""
        self.settle(lambda: self.window.queue.model.rowCount() > 0, 1.5)
        with _hosts(self):
            self.pages()
            self.window.tabs.setCurrentIndex(0)
            self.parts()
            self.dialogs()

    def wanted(self, name: str) -> bool:
        """Whether a page shows a picture whose name begins so."""
        return self.only in name and any(each.startswith(name) for each in self.names)

    def pages(self) -> None:
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
            if self.wanted(name):
                self.window.tabs.setCurrentIndex(number)
                self.settle(rest=1.0)
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
            (review.subject.operator,),
        ).fetchone()
        database.close()
        review.show_round(number)
        self.settle(lambda: review.pair.newer.round == number)

    def parts(self) -> None:
        """Parts of the pages the guide tells of."""
        window = self.window
        if self.wanted("review-tools"):
            window.tabs.setCurrentIndex(0)
            self._ask_tools()
            self.shoot("review-tools", window.review)
        if self.wanted("memory"):
            window.tabs.setCurrentIndex(1)
            self.settle(rest=1.0)
            memory = window.memory
            steps = (
                ("memory-hot", memory.hot_page),
                ("memory-retrieve", memory.search_page),
            )
            memory.search_page.question.setPlainText(
                "the tail of a core's slice is wrong, DataCopy 32 bytes"
            )
            memory.search_page.ask.click()
            for name, page in steps:
                memory.details.setCurrentWidget(page)
                self.settle(rest=0.8)
                self.shoot(name, page)
            memory.details.setCurrentIndex(0)
            self._two_items(memory)
        if self.wanted("results"):
            window.tabs.setCurrentIndex(3)
            self.settle(rest=1.0)
            results = window.lazy_page(3)
            results.tabs.setCurrentIndex(1)
            self.settle(rest=0.8)
            self.shoot("results-best", results)
            results.tabs.setCurrentIndex(0)
        if self.wanted("trajectory"):
            window.tabs.setCurrentIndex(2)
            self.settle(rest=1.0)
            window.trajectory.texts.setCurrentIndex(1)
            self.settle()
            self.shoot("trajectory-prompt", window.trajectory)
            window.trajectory.texts.setCurrentIndex(0)

    def _ask_tools(self) -> None:
        review, answers = self.window.review, []
        self.desktop.diagnosing.answered.connect(answers.append)
        for number, tool in enumerate(("sanitizer", "profile"), start=1):
            review.details.findings.bar.asked.emit(tool)
            self.settle(lambda number=number: len(answers) == number)

        # What the model asked about the same candidate is shown, too.
        def is_shown() -> bool:
            return sum(inquiry.by == "user" for inquiry, _ in review.pair.answers) == 2

        self.settle(is_shown, 0.8)

    def _two_items(self, memory: MemoryPanel) -> None:
        memory.curation.compare(*(memory.model.item(row).uid for row in (0, 1)))
        self.settle(lambda: memory.curation.dialog is not None)
        self.shoot("memory-compare", memory.curation.dialog)
        memory.curation.dialog.reject()

    def dialogs(self) -> None:
        if self.wanted("run"):
            commands = self.desktop.run_commands
            commands.set_up()
            self.settle()
            self.shoot("run", commands.dialog)
            commands.dialog.reject()
        if self.wanted("settings-method"):
            self.desktop.late.show_settings("method")
            self.settle()
            self.shoot("settings-method", self.desktop.late.settings)
            self.desktop.late.settings.reject()


def _fewer_colours(image: QImage) -> QImage:
    """The picture in 255 colours, the rarer hues among them: what differs is edges of letters, by a shade."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage

    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    common = Counter(memoryview(plain.constBits()).cast("I")).most_common()
    hues: dict[
        int, int
    ] = {}  # the commonest colour of each: the upper three bits of red, green and blue
    for colour, _number in common:
        hues.setdefault(colour & 0xE0E0E0, colour)
    chosen = [*list(hues.values())[:_HUES], *(colour for colour, _number in common)]
    table = list(dict.fromkeys(chosen))[:255]
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

    if not camera.wanted("hosts"):
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
            service = camera.desktop.late.service
            found: list[str] = []
            service.examined.connect(lambda name, _diagnosis: found.append(name))
            service.examine(ALIAS)
            camera.settle(lambda: bool(found))
            # What tells about the machine that took the picture is nobody's business.
            telling = (place, sys.executable, platform.release())
            checks = camera.window.findChild(HostPage).checks
            for item in map(checks.topLevelItem, range(checks.topLevelItemCount())):
                item.setHidden(any(word in item.text(1) for word in telling))
            yield
            service.close()
        finally:
            server.stop()


if __name__ == "__main__":
    sys.exit(main())
