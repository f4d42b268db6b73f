"""The references that ship: the API as the twin's headers offer it, and skeletons of its use."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from core.references.folders import UserFolders
from core.references.look_up import References
from core.references.sections import Section, sections_of

_CALLED = re.compile(r"\b([A-Za-z_]\w+)\(")
API = "ascend-c-api.md"


@cache
def builtin_sections() -> tuple[Section, ...]:
    """The built-in sections, skeletons last; the same for every user of a release."""
    folder = resources.files("resources") / "references"
    api = [
        _of_api(section)
        for section in sections_of((folder / API).read_text(encoding="utf-8"), API)
        if " › " in section.title
    ]
    skeletons = [
        _skeleton(entry)
        for entry in sorted(
            (folder / "skeletons").iterdir(), key=lambda entry: entry.name
        )
        if entry.is_dir()
    ]
    return (*api, *skeletons)


@cache
def builtin_references() -> References:
    """What can be looked up where the user added nothing."""
    return References(builtin_sections())


def references_with(folders: UserFolders) -> References:
    """The built-in references, then the user's folders as they are now."""
    added = [section for indexed in folders.refresh() for section in indexed.sections]
    return References((*builtin_sections(), *added)) if added else builtin_references()


def _of_api(section: Section) -> Section:
    declared = section.text.partition("```cpp")[2].partition("```")[0]
    members = dict.fromkeys(_CALLED.findall(declared))
    title = section.title.rpartition(" › ")[2]
    return Section(
        title,
        tuple(title.split(", ")),
        section.text,
        "built-in reference",
        tuple(members),
    )


def _skeleton(folder: Traversable) -> Section:
    """A project as one section: what its README says, then its files, the header of tiling data first."""
    readme = (folder / "README.md").read_text(encoding="utf-8").strip()
    title, _, words = readme.partition("\n")
    files = [
        (f"{place}/{entry.name}", entry.read_text(encoding="utf-8").rstrip("\n"))
        for place in ("op_host", "op_kernel")
        for entry in sorted(
            (folder / place).iterdir(), key=lambda e: (e.name.endswith(".cpp"), e.name)
        )
        if entry.name.endswith((".h", ".cpp"))
    ]
    code = "\n\n".join(f"`{path}`\n```cpp\n{text}\n```" for path, text in files)
    name = f"skeleton_{folder.name}"
    return Section(
        f"Skeleton: {title.strip('# ')}",
        (name,),
        f"{words.strip()}\n\n{code}",
        "built-in skeleton",
    )
