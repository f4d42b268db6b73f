"""A new operator of the user's own: a folder with the two files, filled with a small working example."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from core.errors import InvalidInput
from core.operators.loader import REFERENCE_FILE, SPECIFICATION_FILE, load_operator
from core.operators.spec import OperatorSpec
from core.text import Text
from core.whole_file import writing_folder

_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
_PLACEHOLDER = "@NAME@"


def create_operator(name: str, parent: Path) -> OperatorSpec:
    """Create the folder `parent/name` from the template and read it back.

    Args:
        name: PascalCase operator name, as in OpDef.
        parent: Folder of operators, made when it is not there.

    Raises:
        InvalidInput: The name is none, the folder exists already, or it cannot be written.
    """
    if not _NAME.fullmatch(name):
        problem = Text("{name!r} is not a PascalCase name", name=name)
        raise InvalidInput("new operator", "name", problem, "For example: FusedAxpy.")
    folder = parent / name
    template = resources.files("resources") / "templates" / "operator"
    with writing_folder(folder):
        try:
            parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
        except FileExistsError as error:
            remedy = "Choose another name or place."
            raise InvalidInput(
                str(folder), "folder", "exists already", remedy
            ) from error
        for file in (SPECIFICATION_FILE, REFERENCE_FILE):
            text = (template / file).read_text(encoding="utf-8")
            (folder / file).write_text(
                text.replace(_PLACEHOLDER, name), encoding="utf-8"
            )
    return load_operator(folder)
