"""What the window remembers between two starts: appearance and layout. Never part of a workspace."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from sage_desktop.services.places import config_dir


class Preferences:
    """Typed access to one INI file in the user's configuration folder.

    Args:
        path: The file; the user's own by default, see `places.config_dir`. Tests pass a temporary one.
    """

    def __init__(self, path: Path | None = None) -> None:
        if path is None:
            path = config_dir() / "window.ini"
        self._store = QSettings(str(path), QSettings.Format.IniFormat)

    @property
    def folder(self) -> Path:
        """Where the file is; other files of the user's settings lie beside it."""
        return Path(self._store.fileName()).parent

    def text(self, key: str, default: str = "") -> str:
        """The string under `key`, or `default`."""
        value = self._store.value(key, default)
        return value if isinstance(value, str) else default

    def number(self, key: str, default: int) -> int:
        """The integer under `key`; `default` when absent or not a number."""
        value = self._store.value(key, default)
        try:
            return int(value)  # type: ignore[call-overload, no-any-return]
        except (TypeError, ValueError):
            return default

    def flag(self, key: str, *, default: bool) -> bool:
        """The truth value under `key`; INI files keep it as `true` or `false`."""
        value = self._store.value(key, default)
        if isinstance(value, bool):
            return value
        return str(value).lower() == "true"

    def blob(self, key: str) -> QByteArray:
        """Opaque Qt state (window geometry, splitter sizes); empty when absent."""
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()

    def set(self, key: str, value: str | int | bool | QByteArray) -> None:
        """Remember `value` under `key`."""
        self._store.setValue(key, value)

    def forget(self, key: str) -> None:
        """Return `key` to its default."""
        self._store.remove(key)

    def save(self) -> None:
        """Write to disk now."""
        self._store.sync()
