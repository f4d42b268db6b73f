"""Where the application keeps its files on this computer."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import platformdirs

from core.private import private_folder, tighten

APP_NAME = "sage-desktop"
_SETTINGS = ("window.ini", "models.json")  # what the folder of settings holds


def data_dir() -> Path:
    """Where workspaces live by default; `SAGE_DATA_DIR` overrides. Created on demand, for its owner alone."""
    return _folder(
        "SAGE_DATA_DIR", platformdirs.user_data_dir(APP_NAME, appauthor=False)
    )


def demo_workspace() -> Path:
    """The workspace the window opens when none is named."""
    return data_dir() / "demo.sage"


def own_workspace() -> Path:
    """Where `sage run` works when the user names no workspace."""
    return data_dir() / "workspace.sage"


def cache_dir() -> Path:
    """Where builds and reference results are kept, safe to delete at any time; `SAGE_CACHE_DIR` overrides."""
    return _folder(
        "SAGE_CACHE_DIR", platformdirs.user_cache_dir(APP_NAME, appauthor=False)
    )


def config_dir() -> Path:
    """Where appearance, language and model profiles are kept.

    `SAGE_CONFIG_DIR` overrides; where `SAGE_DATA_DIR` names another data folder they lie there: nothing of
    a trial, or of a second user of the account, is written elsewhere. A data folder in use since before that
    was so gets a copy of the settings its user had.
    """
    named, data = os.environ.get("SAGE_CONFIG_DIR"), os.environ.get("SAGE_DATA_DIR")
    own = Path(platformdirs.user_config_dir(APP_NAME, appauthor=False))
    folder = private_folder(Path(named or data or own), ours=not (named or data))
    if data and not named:
        _bring_settings(own, folder)
    return folder


def _bring_settings(old: Path, folder: Path) -> None:
    """Copy settings once: to a folder that was used, and has none of its own."""
    # An empty folder is that of a new trial, which begins without settings.
    if any((folder / name).exists() for name in _SETTINGS) or not any(folder.iterdir()):
        return
    for name in _SETTINGS:
        # Not there, or not readable: the folder begins without.
        with suppress(OSError):
            shutil.copyfile(old / name, folder / name)
            tighten(folder / name)


def _folder(variable: str, own: str) -> Path:
    """The folder a variable names, which is the user's, else our own."""
    named = os.environ.get(variable)
    return private_folder(Path(named or own), ours=not named)
