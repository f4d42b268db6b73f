"""The header sets of the user, one folder for each version, in the data folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from core.errors import SageError
from core.private import private_folder
from remote.headers.collect import (
    ARCHIVE,
    MOST_BYTES,
    MOST_FILES,
    NotFound,
    Shape,
    collect,
)
from remote.judge.faults import EnvironmentFault
from remote.judge.witness.header_set import (
    FORMAT,
    LAYOUTS,
    RECORD,
    HeaderSet,
    header_sets_below,
    read_header_set,
)

_NAME = re.compile(r"[0-9A-Za-z][\w.+-]{0,40}")
_PARTIAL = ".headers-"
# Links of an installation that kernels and op_host include by; a copy made by git or unzip has lost them.
# Where each leads: the first of these that is there.
_LINKED = {
    "ascendc/include/highlevel_api/lib/matmul_intf.h": (
        "ascendc/include/highlevel_api/lib/matmul/matmul_intf.h",
        "asc/include/adv_api/matmul/matmul_intf.h",
    ),
    "ascendc/include/highlevel_api/tiling/tiling_api.h": (
        "ascendc/include/highlevel_api/lib/tiling_api.h",
        "asc/include/adv_api/tiling_api.h",
    ),
    "asc/include/tiling/platform/platform_ascendc.h": (
        "asc/include/utils/tiling/platform/platform_ascendc.h",
    ),
    "asc/include/tiling/template_argument.h": (
        "asc/include/utils/tiling/template_argument.h",
    ),
}


@dataclass(frozen=True)
class Added:
    """A header set, and whether it was here before."""

    headers: HeaderSet
    is_new: bool


class KeptHeaders:
    """The header sets below `folder`, which is made when one is added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def checked(self) -> Path | None:
        """The folder where the judge finds them; None while it holds none."""
        return self.folder if any(self.folder.glob(f"*/{RECORD}")) else None

    def sets(self) -> list[HeaderSet]:
        """All of them, by version.

        Raises:
            SageError: One cannot be read.
        """
        try:
            return header_sets_below(self.folder)
        except EnvironmentFault as fault:
            raise SageError("{fault}", fault=fault) from fault

    def add_from_folder(self, place: Path, tell: Callable[[str], None]) -> Added:
        """Copy the headers of the CANN installed at `place`.

        Raises:
            SageError: There is no whole CANN there; names the missing file.
        """
        with tempfile.TemporaryDirectory() as scratch:
            try:
                facts = collect(str(place), shapes(), Path(scratch), tell)
            except (NotFound, OSError) as error:
                raise no_headers(str(error)) from error
            return self.add(facts, Path(scratch) / ARCHIVE)

    def add(self, facts: Mapping[str, str], archive: Path) -> Added:
        """Keep packed headers under their version; a set of that version with other text is replaced.

        Args:
            facts: `layout`, `version` and `digest`, as `collect` gives them.
            archive: What it packed.

        Raises:
            SageError: The archive holds something else than headers of the layout.
        """
        present = self.find(facts)
        if present is not None:
            return Added(present, is_new=False)
        target = self.folder / facts["version"]
        private_folder(self.folder, ours=True)
        # Beside the folder: all that lies in it is sent to hosts.
        partial = Path(tempfile.mkdtemp(prefix=_PARTIAL, dir=self.folder.parent))
        try:
            _unpack(archive, partial, LAYOUTS[facts["layout"]].roots)
            _restore_links(partial)
            record = {"format": FORMAT, **facts}
            (partial / RECORD).write_text(json.dumps(record), encoding="utf-8")
            if target.exists():
                shutil.rmtree(target)
            partial.rename(target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        return Added(read_header_set(target), is_new=True)

    def find(self, facts: Mapping[str, str]) -> HeaderSet | None:
        """The set with these facts, if it is kept.

        Args:
            facts: `layout`, `version` and `digest`, as `collect` gives them.

        Raises:
            SageError: They are no facts of headers.
        """
        layout, version = facts.get("layout"), facts.get("version", "")
        if layout not in LAYOUTS or not _NAME.fullmatch(version):
            raise no_headers(f"unknown layout or version {dict(facts)!r}")
        of_version = [one for one in self.sets() if one.folder.name == version]
        same = (layout, facts.get("digest"))
        return next(
            (one for one in of_version if (one.layout, one.digest) == same), None
        )

    def remove(self, version: str) -> None:
        """Remove the set of a version.

        Raises:
            SageError: There is none; names those there are.
        """
        folders = {path.parent.name for path in self.folder.glob(f"*/{RECORD}")}
        if version not in folders:
            raise SageError(
                "There are no headers of CANN {version}.",
                "Added: {known}.",
                version=version,
                known=", ".join(sorted(folders)) or "none",
            )
        shutil.rmtree(self.folder / version)


def shapes() -> dict[str, Shape]:
    """The layouts of CANN, as `collect` looks for them."""
    return {
        name: Shape(layout.roots, dict(layout.sentinels))
        for name, layout in LAYOUTS.items()
    }


def no_headers(why: str) -> SageError:
    """The error that tells why nothing was added."""
    return SageError(
        "No headers of CANN were added: {why}.",
        "Name the folder of an installed CANN, e.g. /usr/local/Ascend/ascend-toolkit/latest, or a host.",
        why=why.rstrip("."),
    )


def _unpack(archive: Path, folder: Path, roots: tuple[str, ...]) -> None:
    """Unpack headers that may come from a foreign host: plain files below `roots`, within bounds."""
    files = total = 0
    try:
        with tarfile.open(archive, "r:gz") as packed:
            for member in packed:
                path = PurePosixPath(member.name)
                inside = any(path.is_relative_to(root) for root in roots)
                files, total = files + 1, total + member.size
                if not (member.isfile() and inside) or ".." in path.parts:
                    raise no_headers(f"{member.name!r} is no header")
                if files > MOST_FILES or total > MOST_BYTES:
                    raise no_headers("they are larger than headers of CANN are")
                source = packed.extractfile(member)
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source.read() if source else b"")
    except (tarfile.TarError, EOFError) as error:
        raise no_headers(f"what was packed is damaged ({error})") from error


def _restore_links(folder: Path) -> None:
    for name, targets in _LINKED.items():
        path = folder / name
        target = next((one for one in targets if (folder / one).is_file()), None)
        if target is not None and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            there = os.path.relpath(folder / target, path.parent)
            path.write_text(f'#include "{there}"\n', encoding="utf-8")
