"""The language of the window: English, or a translation out of `resources/translations`.

Source texts are English. Each language's `.qm` file is made from the Linguist file beside it (`make
translations`); English has one too, for its plural forms. The language is chosen before the first widget is
made, so another choice holds from the next start on; the window offers to start again at once.
"""

from __future__ import annotations

import logging
from importlib import resources
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QFontDatabase

from core.text import Text
from sage_desktop.services.settings_table import CHINESE, ENGLISH, SYSTEM
from sage_desktop.ui.preferences import Preferences

logger = logging.getLogger(__name__)
_BETWEEN = " · "  # the parts of a label
_PROPERTY, _LANGUAGE = "sage_translators", "sage_language"


def folder() -> Path:
    """Where the translations are."""
    return Path(str(resources.files("resources"))) / "translations"


def language(preferences: Preferences) -> str:
    """The language of the window: as set, else the desktop's if we have it, else English."""
    setting = preferences.text("appearance/language", SYSTEM)
    if setting in (ENGLISH, CHINESE):
        return setting
    ui_languages = QLocale.system().uiLanguages()
    first = ui_languages[0] if ui_languages else ""
    is_chinese = first.partition("-")[0] == "zh"
    return CHINESE if is_chinese else ENGLISH


def install(app: QCoreApplication, preferences: Preferences) -> str:
    """Let `app` speak the language of the window; returns it. Replaces an earlier choice."""
    remove(app)
    language_name = language(preferences)
    qt_folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    of_qt = Path(qt_folder) / f"qtbase_{language_name}.qm"
    translators = []
    for file in (of_qt, folder() / f"sage_{language_name}.qm"):
        translator = QTranslator(app)
        if translator.load(str(file)):
            app.installTranslator(translator)
            translators.append(translator)
            continue
        # Qt itself speaks English and ships no file for it.
        is_needless = file is of_qt and language_name == ENGLISH
        if not is_needless:
            logger.warning("The translation %s cannot be read.", file)
    app.setProperty(_PROPERTY, translators)
    app.setProperty(_LANGUAGE, language_name)
    return language_name


def said_in(language_name: str, context: str, text: str) -> str:
    """A text of the window in another of its languages: for a person who cannot read the present one."""
    translator = QTranslator()
    file = folder() / f"sage_{language_name}.qm"
    if not translator.load(str(file)):
        return text
    return translator.translate(context, text) or text


def translated(text: str | Text) -> str:
    """What `core` and `remote` say, in the language of the window.

    Of a plain text only what the translations hold as a whole is translated, or, of a
    label such as `this computer · CPU twin`, each part of it; words of a model, of a
    compiler or of a host are shown as they came.
    """
    if isinstance(text, Text):
        return text.in_language(core_word)
    parts = text.split(_BETWEEN)
    return _BETWEEN.join(core_word(part) for part in parts)


def core_word(text: str) -> str:
    """A word or a template of `core` and `remote` in the language of the window."""
    return QCoreApplication.translate("Core", text) if text else ""


def current() -> str:
    """The language the application speaks now."""
    app = QCoreApplication.instance()
    if app is None:
        return ENGLISH
    return str(app.property(_LANGUAGE) or ENGLISH)


def remove(app: QCoreApplication) -> None:
    """Speak the English of the sources again."""
    for translator in app.property(_PROPERTY) or ():
        app.removeTranslator(translator)
    app.setProperty(_PROPERTY, None)
    app.setProperty(_LANGUAGE, None)


def tell_missing_font(language_name: str) -> None:
    """Say in the log when no font has Chinese characters: kernels with Chinese comments show boxes then."""
    if not QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese):
        level = logging.WARNING if language_name == CHINESE else logging.INFO
        logger.log(
            level,
            "No font has Chinese characters; install one, for example fonts-noto-cjk.",
        )
