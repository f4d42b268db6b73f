"""The walks through the code in ARCHITECTURE.md: what they name is there, and they stay short."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
STEP = re.compile(r"`(?P<file>[\w/]+\.py)`(?::\s+|\s+\()(?P<names>`\w+`(?:, `\w+`)*)")
MOST = 15


def steps(title: str) -> list[tuple[Path, str]]:
    """File and function of every step; a bare name is a neighbour of the last file that was named whole."""
    found, folder = [], ROOT
    for step in STEP.finditer(TEXT.partition(f"### {title}")[2].partition("\n#")[0]):
        folder = (ROOT / step["file"]).parent if "/" in step["file"] else folder
        path = folder / Path(step["file"]).name
        found += [(path, name) for name in re.findall(r"\w+", step["names"])]
    return found


@pytest.mark.parametrize("title", ["One retrieved experience", "One candidate"])
def test_a_walk_is_short_and_names_what_is_there(title: str) -> None:
    walk = steps(title)
    files = {path for path, _ in walk}
    assert 10 <= len(files) <= MOST
    section = (
        TEXT.partition(f"### {title}")[2].partition("\n`tests")[0].partition("\n#")[0]
    )
    assert len(set(re.findall(r"[\w/]+\.py", section))) == len(
        {path for path, _ in walk}
    ), "a file without function"
    for path, name in walk:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        defined = [
            n.name
            for n in ast.walk(tree)
            if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        assert name in defined, f"{path.relative_to(ROOT)} has no {name}"


def test_every_room_of_the_map_is_there() -> None:
    block = TEXT.partition("```\n")[2].partition("```")[0]
    above: list[str] = []
    for line in block.splitlines():
        found = re.match(r"( *)(\w+)/ ", line)
        if found:
            depth = len(found[1]) // 2
            above = [*above[:depth], found[2]]
            assert ROOT.joinpath(*above).is_dir(), line
