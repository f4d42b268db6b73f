"""The folder a driven agent works in: laid out before it works, read when it has, with an adversary inside.

The agent may put anything there at any time, links included. So files are written
outside its reach and moved in as whole folders, and read through descriptors that
follow no link.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from core.agent.reply.candidate_files import LARGEST_FILE, check_path
from core.evaluation.candidate_names import FOLDERS

_MOST_FILES = 200


class CandidateSpace:
    """The folder `project` of a run's own folder, which the agent sees alone.

    Args:
        home: Of the run, outside the agent's reach.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._moves = 0
        self._seen: dict[str, str] = {}
        self.folder = home / "project"
        self.folder.mkdir()
        self.lay_out({})

    def lay_out(self, files: Mapping[str, str]) -> None:
        """Make these the files that lie there."""
        self._seen = dict(files)
        for part in FOLDERS:
            self._moves += 1
            folder = self._home / f"in-{self._moves}"
            folder.mkdir()
            for path, text in files.items():
                if path.startswith(f"{part}/"):
                    place = folder / path.removeprefix(f"{part}/")
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_text(text, encoding="utf-8", newline="\n")
            where = self.folder / part
            if where.is_symlink() or where.exists():
                where.rename(self._home / f"out-{self._moves}")
            folder.rename(where)

    def changed(self, before: Mapping[str, str]) -> dict[str, str]:
        """Files of a candidate that lie there and differ from `before`.

        What cannot be one is left out.
        """
        files = {
            path: text for part in FOLDERS for path, text in self._read(part).items()
        }
        return {
            path: text
            for path, text in sorted(files.items())
            if before.get(path) != text
        }

    def edited(self, path: str) -> tuple[str, str]:
        """A file as it was when it was looked at last, and as it is now.

        Empty where there is none.
        """
        before, part = self._seen.get(path, ""), path.partition("/")[0]
        now = self._read(part).get(path, "") if part in FOLDERS else ""
        self._seen[path] = now
        return before, now

    def _read(self, part: str) -> dict[str, str]:
        """Path -> text of the candidate's files below a part.

        Links are not followed: an agent may have made them. Files beyond what a candidate may have are left out.
        """
        files: dict[str, str] = {}
        root = str(self.folder / part)
        if os.path.islink(root):  # noqa: PTH114 - beside fwalk, which starts at it
            return files
        for place, folders, names, folder in os.fwalk(root):
            folders.sort()
            for name in sorted(names):
                path = f"{part}{place.removeprefix(root)}/{name}"
                if len(files) < _MOST_FILES and not check_path(path):
                    text = _text(name, folder)
                    if text is not None:
                        files[path] = text
        return files


def _text(name: str, folder: int) -> str | None:
    """The text of a plain file in an open folder; None of anything else."""
    try:
        opened = os.open(
            name,
            os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
            dir_fd=folder,
        )
    except OSError:
        return None
    with os.fdopen(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            return None
        data = file.read(4 * LARGEST_FILE + 1)
    return data.decode("utf-8", "replace")
