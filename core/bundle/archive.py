"""The bundle as a zip file.

`manifest.json`, `report.json`, `report.md` and the workspace `run.sage`.

The manifest holds the sha256 and size of every other file. Reading checks all of it
before anything is shown or unpacked; what does not fit is refused, never repaired.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from core.bundle.redaction import Redactor, secrets_of
from core.bundle.report import RunReport, as_markdown, report_on
from core.bundle.subset import choose, copy_subset
from core.errors import InvalidInput, SageError
from core.outside import json_record, require_regular
from core.private import private_folder
from core.records_json import from_json, to_json
from core.visible import visible
from core.whole_file import whole_file, writing_folder
from core.workspace import Workspace, now

FORMAT = 1
WORKSPACE_FILE = "run.sage"
_KIND = "sage run"
_MANIFEST = "manifest.json"
_REPORT = "report.json"
_MARKDOWN = "report.md"
_MOST_NAMED = 10  # entries a refusal shows
_LARGEST_TEXT = 64 << 20  # bytes; of the manifest and the reports
_LARGEST_WORKSPACE = 8 << 30  # bytes; what a disk and a reader bear
_SMALL = 64 << 20  # bytes; below it the rate does not matter
_RATE = 60  # bytes for one of the archive; workspaces of text reach 12, zeros 1000
_CHUNK = 1 << 20
_REMEDY = "Nothing was unpacked. Ask for the bundle again."


class CorruptBundle(SageError):
    """A bundle is not whole, or not what its manifest says."""


class _FileEntry(msgspec.Struct):
    sha256: str
    bytes: int


class _Manifest(msgspec.Struct):
    kind: str
    format: int
    created_at: str
    files: dict[str, _FileEntry]


@dataclass(frozen=True)
class Bundle:
    """A bundle whose every file has been checked.

    Attributes:
        path: The zip file.
        report: What the run led to.
        markdown: The same for a reader.
        sha256: Of the workspace in it.
    """

    path: Path
    report: RunReport
    markdown: str
    sha256: str


def export_run(
    workspace_path: Path, target: Path, operators: Iterable[str] = ()
) -> Bundle:
    """Write the closed trajectories of some operators, or of all, as one bundle.

    The workspace is only read, and may be in use. Absolute paths and secrets are taken
    out of every text; values of environment variables that are called a key, token,
    secret or password count as secrets.

    Raises:
        SageError: `target` exists, or there is nothing to export.
    """
    if target.exists():
        raise SageError(
            "{target} exists already.",
            "Choose a new name for the bundle.",
            target=target,
        )
    redactor = Redactor(secrets_of(os.environ))
    exported_at = now()
    with tempfile.TemporaryDirectory(prefix="sage-bundle-") as folder:
        part = Path(folder) / WORKSPACE_FILE
        with Workspace.open_readonly(workspace_path) as source:
            source.db.execute("BEGIN")  # every row of one moment
            subset = choose(source.db, operators)
            copy_subset(source, part, subset, redactor)
            source.db.execute("COMMIT")
        with Workspace.open_readonly(part) as copy:
            damage = copy.check()
            if damage:
                raise SageError(
                    "{workspace_path} holds rows that do not fit together ({damage}).",
                    "Run `sage memory verify` on it.",
                    workspace_path=workspace_path,
                    damage=damage[0],
                )
            report = report_on(copy, exported_at=exported_at, redacted=redactor.changed)
        _write(target, part, report, exported_at)
    return read_bundle(target)


def read_bundle(path: Path) -> Bundle:
    """Check a bundle from the first to the last byte and return its report.

    Raises:
        CorruptBundle: It is damaged, was changed, or is something else.
    """
    require_regular(path)
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _checked_manifest(path, archive)
            texts = {name: _text(path, archive, name) for name in (_REPORT, _MARKDOWN)}
    except OSError as error:
        raise SageError(
            "{path} cannot be read ({error}).",
            "Check the path.",
            path=path,
            error=error.strerror or error,
        ) from error
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        struct.error,
        lzma.LZMAError,
        IndexError,
    ) as error:
        raise CorruptBundle(
            "{path} is not a whole bundle ({error}).", _REMEDY, path=path, error=error
        ) from error
    report = from_json(texts[_REPORT], RunReport, f"{path}: {_REPORT}")
    return Bundle(
        path, report, visible(texts[_MARKDOWN]), manifest.files[WORKSPACE_FILE].sha256
    )


def unpack(bundle: Bundle, folder: Path) -> Path:
    """Write report and workspace of a checked bundle to a new folder.

    The workspace is for reading only.

    Returns:
        The workspace file.

    Raises:
        SageError: The folder exists and is not empty.
        CorruptBundle: The bundle has been changed since it was checked, or holds no
            workspace.
    """
    if folder.exists() and any(folder.iterdir()):
        raise SageError("{folder} is not empty.", "Choose a new folder.", folder=folder)
    private_folder(folder, ours=False)
    _require_room(bundle, folder)
    target = folder / WORKSPACE_FILE
    total = hashlib.sha256()
    with whole_file(target) as part:
        with (
            zipfile.ZipFile(bundle.path) as archive,
            archive.open(WORKSPACE_FILE) as source,
            part.open("wb") as out,
        ):
            while chunk := source.read(_CHUNK):
                total.update(chunk)
                out.write(chunk)
        if total.hexdigest() != bundle.sha256:
            raise CorruptBundle(
                "{bundle} changed while it was read.", _REMEDY, bundle=bundle.path
            )
        with Workspace.open_foreign(part):
            pass
        part.chmod(0o400)
    (folder / _MARKDOWN).write_text(bundle.markdown, encoding="utf-8")
    (folder / _REPORT).write_text(to_json(bundle.report), encoding="utf-8")
    return target


def _require_room(bundle: Bundle, folder: Path) -> None:
    """Refuse to unpack where the workspace would not fit."""
    with zipfile.ZipFile(bundle.path) as archive:
        needed = archive.getinfo(WORKSPACE_FILE).file_size
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise SageError(
            "The workspace of {bundle} needs {needed:,} bytes, {folder} has {free:,}.",
            "Choose another folder.",
            bundle=bundle.path,
            needed=needed,
            folder=folder,
            free=free,
        )


def _write(target: Path, workspace: Path, report: RunReport, created_at: str) -> None:
    """Write a bundle: manifest, report and workspace, whole or not at all.

    Raises:
        OSError: The folder or the file cannot be written.
    """
    texts = {_REPORT: to_json(report).encode(), _MARKDOWN: as_markdown(report).encode()}
    files = {
        name: _FileEntry(hashlib.sha256(data).hexdigest(), len(data))
        for name, data in texts.items()
    }
    with workspace.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    files[WORKSPACE_FILE] = _FileEntry(digest, workspace.stat().st_size)
    manifest = _Manifest(_KIND, FORMAT, created_at, files)
    with writing_folder(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
    with (
        whole_file(target) as part,
        zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        archive.writestr(
            _MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        )
        for name, data in texts.items():
            archive.writestr(name, data)
        archive.write(workspace, WORKSPACE_FILE)


def _checked_manifest(path: Path, archive: zipfile.ZipFile) -> _Manifest:
    """The manifest of a bundle.

    Raises:
        CorruptBundle: It is missing or damaged, or the file is no bundle of a run.
        SageError: A newer release wrote it.
    """
    names = archive.namelist()
    if _MANIFEST not in names:
        raise CorruptBundle(
            "{path} is not a bundle of a run: it has no {manifest}.",
            "Choose another file.",
            path=path,
            manifest=_MANIFEST,
        )
    try:
        manifest = json_record(
            _text(path, archive, _MANIFEST), _Manifest, str(path), _MANIFEST
        )
    except InvalidInput as error:
        raise CorruptBundle("{error}.", _REMEDY, error=error) from error
    if manifest.kind != _KIND:
        raise CorruptBundle(
            "{path} is not a bundle of a run but {kind!r}.",
            "Choose another file.",
            path=path,
            kind=manifest.kind,
        )
    if manifest.format > FORMAT:
        raise SageError(
            "{path} was written by a newer release.", "Update SAGE Desktop.", path=path
        )
    expected = {_MANIFEST, _REPORT, _MARKDOWN, WORKSPACE_FILE}
    if {*manifest.files, _MANIFEST} != expected or sorted(names) != sorted(expected):
        twice = {name for name, count in Counter(names).items() if count > 1}
        odd = sorted(
            ({*names} ^ expected) | ({*manifest.files, _MANIFEST} ^ expected) | twice
        )
        more = [f"{len(odd) - _MOST_NAMED} more"] if len(odd) > _MOST_NAMED else []
        raise CorruptBundle(
            "{path} does not hold what a bundle does: {odd}.",
            _REMEDY,
            path=path,
            odd=", ".join([*odd[:_MOST_NAMED], *more]),
        )
    for name in expected:
        _refuse_bomb(path, archive.getinfo(name))
    for name, entry in manifest.files.items():
        _check_file(path, archive, name, entry)
    return manifest


def _refuse_bomb(path: Path, entry: zipfile.ZipInfo) -> None:
    """Judge by sizes what unpacks to more than any run.

    Nothing has been unpacked then.
    """
    most = _LARGEST_WORKSPACE if entry.filename == WORKSPACE_FILE else _LARGEST_TEXT
    if entry.file_size > most or entry.file_size > max(
        _SMALL, _RATE * entry.compress_size
    ):
        raise CorruptBundle(
            "{path}: {filename} would grow from {compress_size:,} to {file_size:,} bytes, which no run does.",
            "Nothing was unpacked. Ask who sent it.",
            path=path,
            filename=entry.filename,
            compress_size=entry.compress_size,
            file_size=entry.file_size,
        )


def _check_file(
    path: Path, archive: zipfile.ZipFile, name: str, entry: _FileEntry
) -> None:
    """Refuse a file of a bundle that is not what its manifest says, by size and by sha256."""
    size = archive.getinfo(name).file_size
    if size != entry.bytes:
        raise CorruptBundle(
            "{path}: {name} has {size} bytes, its manifest says {stated}.",
            _REMEDY,
            path=path,
            name=name,
            size=size,
            stated=entry.bytes,
        )
    total = hashlib.sha256()
    with archive.open(name) as file:
        while chunk := file.read(_CHUNK):
            total.update(chunk)
    if total.hexdigest() != entry.sha256:
        raise CorruptBundle(
            "{path}: {name} has sha256 {found}…, its manifest says {stated}….",
            _REMEDY,
            path=path,
            name=name,
            found=total.hexdigest()[:12],
            stated=entry.sha256[:12],
        )


def _text(path: Path, archive: zipfile.ZipFile, name: str) -> str:
    """A text of a bundle; refused are more characters than a report can have, and what is no UTF-8."""
    if archive.getinfo(name).file_size > _LARGEST_TEXT:
        raise CorruptBundle(
            "{path}: {name} is larger than any report.", _REMEDY, path=path, name=name
        )
    try:
        return archive.read(name).decode()
    except UnicodeDecodeError as error:
        raise CorruptBundle(
            "{path}: {name} is not text ({error}).",
            _REMEDY,
            path=path,
            name=name,
            error=error,
        ) from error
