"""The report of a bug as a file: what a maintainer needs, without secrets and personal paths."""

from __future__ import annotations

import os
import platform
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

from sage_desktop.services.places import APP_NAME, data_dir

FOLDER = "reports"


def version() -> str:
    """Version of the installed distribution, `development` when it runs from a bare checkout."""
    from importlib import metadata  # 90 ms the first paint need not wait for

    try:
        return metadata.version(APP_NAME)
    except metadata.PackageNotFoundError:
        return "development"


def report_of(error: BaseException) -> str:
    """Versions, and the error with everything that led to it."""
    return described("".join(traceback.format_exception(error)))


def described(trace: str, *libraries: str) -> str:
    """A traceback with the versions of what it happened in, of some libraries too."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    below = ", ".join((platform.python_version(), *libraries, system))
    return f"SAGE Desktop {version()}\nPython {below}\n\n{trace}"


def save_report(report: str) -> Path:
    """Write a report to the data folder, to the system's folder for temporary files when that cannot be."""
    from core.bundle.redaction import Redactor, secrets_of

    text = Redactor(secrets_of(os.environ)).text(report)
    name = f"report-{datetime.now(UTC):%Y%m%d-%H%M%S}-"
    try:
        folder = data_dir() / FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        return _new_report(name, folder, text)
    except OSError:
        # The disk is full or not ours; the dialog names the file wherever it lies.
        return _new_report(name, Path(tempfile.gettempdir()), text)


def _new_report(name: str, folder: Path, text: str) -> Path:
    number, path = tempfile.mkstemp(".txt", name, folder)  # 0600
    with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return Path(path)
