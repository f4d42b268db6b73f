"""Where operators come from: the catalogue shipped in `resources/operators` and folders of the user's own."""

from __future__ import annotations

import difflib
from functools import cache
from importlib import resources
from pathlib import Path

from core.errors import InvalidInput
from core.operators.loader import SPECIFICATION_FILE, load_operator
from core.operators.spec import OperatorSpec, plain_name
from core.outside import at_home
from core.text import Text

CATALOGUE = "catalogue"
_MOST_NAMED = 12


class UnknownOperator(InvalidInput):
    """The catalogue has no operator of this name."""

    def __init__(self, source: str, name: str, names: tuple[str, ...]) -> None:
        remedy = Text("Available: {known}.", known=", ".join(names) or Text("none"))
        if len(names) > _MOST_NAMED:
            close = difflib.get_close_matches(name, names, cutoff=0.7)
            remedy = Text("`sage operators list` names all.")
            if close:
                remedy = Text("Did you mean {names}?", names=" or ".join(close))
        super().__init__(source, "operator", "{name!r} is not there", remedy, name=name)


def catalogue_folder() -> Path:
    """Folder of the shipped catalogue; wheels are installed unpacked, so it is a real folder."""
    return Path(str(resources.files("resources").joinpath("operators")))


def operator_names(folder: Path | None = None) -> tuple[str, ...]:
    """Names of the operators in `folder` (default: the catalogue), sorted: folders with an operator.toml."""
    return _names_in(folder) if folder else _shipped()


def _names_in(folder: Path) -> tuple[str, ...]:
    if not folder.is_dir():
        raise InvalidInput(str(folder), "folder", "does not exist")
    return tuple(
        sorted(
            entry.name
            for entry in folder.iterdir()
            if (entry / SPECIFICATION_FILE).is_file()
        )
    )


@cache
def _shipped() -> tuple[str, ...]:
    return _names_in(catalogue_folder())  # a hundred files are looked for


def catalogue_operator(name: str) -> OperatorSpec:
    """The operator `name` of the shipped catalogue, spelled `RmsNorm` or, as papers print it, `rms_norm`.

    Raises:
        UnknownOperator: When there is none of that name.
    """
    names = operator_names()
    if name not in names:
        spelled = {plain_name(spelling): spelling for spelling in names}
        if plain_name(name) not in spelled:
            raise UnknownOperator(str(catalogue_folder()), name, names)
        name = spelled[plain_name(name)]
    return load_operator(catalogue_folder() / name)


def find_operator(source: str, name: str) -> OperatorSpec:
    """Operator of a queue row.

    Args:
        source: `catalogue`, or a folder: either the operator's own or one that holds a folder `name`.
        name: Operator name.

    Raises:
        UnknownOperator: When `source` holds no such operator.
        InvalidInput: When its files are not as they should be.
    """
    if source == CATALOGUE:
        return catalogue_operator(name)
    root = at_home(source)
    for folder in (root, root / name):
        if (folder / SPECIFICATION_FILE).is_file():
            spec = load_operator(folder)
            if spec.name == name:
                return spec
    raise UnknownOperator(source, name, operator_names(root) if root.is_dir() else ())


def resolve_operator(name_or_folder: str) -> OperatorSpec:
    """Operator a person names on the command line: a catalogue name, or the path of an operator folder."""
    folder = operator_folder(name_or_folder)
    if folder is not None:
        return load_operator(folder)
    if name_or_folder not in operator_names() and at_home(name_or_folder).is_dir():
        remedy = "`sage operators new NAME` makes an operator folder."
        raise InvalidInput(
            name_or_folder, SPECIFICATION_FILE, "is not in this folder", remedy
        )
    if _SEPARATORS & set(name_or_folder):
        remedy = (
            "Name a folder with operator.toml, or an operator of `sage operators list`."
        )
        raise InvalidInput(name_or_folder, "folder", "does not exist", remedy)
    return catalogue_operator(name_or_folder)


_SEPARATORS = frozenset("/\\")  # of a path; no name of an operator has one


def operator_folder(name_or_folder: str) -> Path | None:
    """The operator folder a person names, None when it is none (any folder may be called so)."""
    folder = at_home(name_or_folder)
    return folder if (folder / SPECIFICATION_FILE).is_file() else None
