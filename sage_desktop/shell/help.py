"""Help inside the window: the guide (README and docs/guide), and what this program is."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QTextBrowser,
    QWidget,
)

from sage_desktop.services.bug_report import version
from sage_desktop.services.places import APP_NAME
from sage_desktop.ui import translation
from sage_desktop.ui.icons import application_icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.typed import present
from sage_desktop.ui.widgets.form import button_box, fit_to_screen, heading
from sage_desktop.ui.widgets.stacking import boxed, hbox, vbox

_tr = partial(QCoreApplication.translate, "Help")


def guide_text() -> str:
    """The README: from the checkout when there is one, else from the installed distribution's metadata."""
    from importlib import metadata

    readme = Path(__file__).resolve().parents[2] / "README.md"
    if readme.is_file():
        return readme.read_text(encoding="utf-8")
    try:
        return metadata.metadata(APP_NAME)["Description"]
    except metadata.PackageNotFoundError:
        return "# SAGE Desktop\n\n" + _tr(
            "The guide is the file README.md of the source distribution."
        )


def guide_pages() -> dict[str, Path]:
    """Title -> file of every page of the guide, the window first: of the checkout, else of the package.

    A page in the language of the window comes before the English one.
    """
    from importlib import resources

    checkout = Path(__file__).resolve().parents[2] / "docs" / "guide"
    folder = (
        checkout
        if checkout.is_dir()
        else Path(str(resources.files("resources"))) / "guide"
    )
    order = (
        "README",
        "start",
        "queue",
        "runs",
        "review",
        "memory",
        "trajectory",
        "results",
        "workload",
        "hosts",
        "settings",
    )
    own = folder / translation.current().partition("_")[0]
    files = [
        next(
            (
                at / f"{name}.md"
                for at in (own, folder)
                if (at / f"{name}.md").is_file()
            ),
            None,
        )
        for name in order
    ]
    return {_title(file): file for file in files if file is not None}


def _title(file: Path) -> str:
    """First heading of a page, without keys."""
    with file.open(encoding="utf-8") as lines:
        return next(lines).lstrip("# ").partition("(`")[0].strip()


class _Page(QDialog):
    """A dialog with one main widget and a close button."""

    def __init__(self, title: str, inside: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        buttons = button_box(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        vbox((inside, 1), buttons, owner=self)


class GuidePage(_Page):
    """The guide: pages at the left, one of them at the right; links between pages work."""

    def __init__(self, parent: QWidget) -> None:
        self.list, self.browser = QListWidget(), QTextBrowser()
        self.browser.setAccessibleName(_tr("User Guide"))
        inside = boxed(hbox(self.list, (self.browser, 1), margins=0))
        super().__init__(_tr("User Guide"), inside, parent)
        self._pages: dict[str, Path | None] = {"SAGE Desktop": None, **guide_pages()}
        self.list.addItems(list(self._pages))
        self.list.setFixedWidth(theme().px(12))
        self.list.setAccessibleName(self.tr("Pages"))
        self.browser.setOpenLinks(False)
        self.browser.setProperty("flat", "true")
        self.browser.anchorClicked.connect(self._follow)
        self.list.currentTextChanged.connect(self._show_page)
        self.list.setCurrentRow(0)
        fit_to_screen(self, 62, 46)

    def _show_page(self, title: str) -> None:
        file = self._pages.get(title)
        text = guide_text() if file is None else file.read_text(encoding="utf-8")
        without_pictures = re.sub(
            r"!\[[^\]]*\]\(([^)]*)\)\n*", "", text
        )  # the window shows what they would
        self.browser.setMarkdown(without_pictures)

    def _follow(self, link: QUrl) -> None:
        """Another page of the guide in place, everything else outside."""
        name = Path(link.path()).name
        title = next(
            (
                page_name
                for page_name, file in self._pages.items()
                if file and file.name == name
            ),
            "",
        )
        if title and not link.scheme():
            self.list.setCurrentRow(list(self._pages).index(title))
        elif link.scheme():
            QDesktopServices.openUrl(link)


def show_guide(parent: QWidget) -> QDialog:
    """Open the guide."""
    page = GuidePage(parent)
    page.show()
    return page


def show_about(parent: QWidget, workspace: str) -> QDialog:
    """Open the page that says what this program is."""
    side = theme().px(4)
    picture = QLabel()
    picture.setPixmap(application_icon().pixmap(side, side))
    title = heading(_tr("SAGE Desktop {0}").format(version()), 1.3)
    words = QLabel(
        _tr(
            "Writes Ascend C kernels with a frozen language model that learns across tasks through an "
            "external memory. Apache License 2.0.\n\nWorkspace: {0}"
        ).format(workspace)
    )
    words.setWordWrap(True)
    words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    inside = boxed(vbox(picture, title, words, None))
    page = _Page(_tr("About SAGE Desktop"), inside, parent)
    width = theme().px(34)
    page.resize(width, present(page.layout()).totalHeightForWidth(width))
    page.show()
    return page
