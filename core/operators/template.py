"""A new operator of the user's own: a folder with the two files, filled with a small working example."""

from __future__ import annotations

import ast
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
_DOCSTRING_AND_RAISE = 2  # statements


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


def check_reference(spec: OperatorSpec) -> None:
    """Refuse an operator whose `reference` only raises NotImplementedError, as templates have it.

    Every round of it would be spent on nothing.

    Raises:
        InvalidInput: It is still to be written.
    """
    path = spec.folder / REFERENCE_FILE
    try:
        module = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SyntaxError):
        return  # the judge names what is wrong with it
    for each in module.body:
        if isinstance(each, ast.FunctionDef) and each.name == "reference":
            last = each.body[-1]
            if len(each.body) <= _DOCSTRING_AND_RAISE and _refuses(last):
                raise InvalidInput(
                    str(path),
                    "reference",
                    "is still to be written",
                    "Write what the operator computes, and its summary in operator.toml.",
                )


def _refuses(statement: ast.stmt) -> bool:
    raised = statement.exc if isinstance(statement, ast.Raise) else None
    called = raised.func if isinstance(raised, ast.Call) else raised
    return isinstance(called, ast.Name) and called.id == "NotImplementedError"
