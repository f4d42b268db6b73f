"""Solutions of evaluation operators stay in the tests: shipped ones would be answers the memory can copy."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from core.agent.learning.mining import NotDisjoint, mine
from core.operators.catalogue import operator_names
from tests.own_kernels import own_kernel

ROOT = Path(__file__).parents[1]
KERNELS = ROOT / "tests" / "data" / "kernels"
SOLVED = sorted(set(operator_names()) & {folder.name for folder in KERNELS.iterdir()})
RUN = 5  # lines in a row that no two authors write alike
_DECLARATIONS = re.compile(r"^namespace ops \{.*", re.DOTALL | re.MULTILINE)


def shipped_files() -> list[Path]:
    """Everything the wheel is built from."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    return [
        path
        for package in packages
        for path in sorted((ROOT / package).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]


def runs(text: str) -> Iterator[str]:
    """Every run of `RUN` lines of code without blanks; also of code in JSON strings and indented blocks."""
    text = text.replace("\\n", "\n").replace('\\"', '"')
    lines = ["".join(line.partition("//")[0].split()) for line in text.splitlines()]
    lines = [line for line in lines if len(line) > 2]
    for first in range(len(lines) - RUN + 1):
        yield "\n".join(lines[first : first + RUN])


def solution_runs() -> dict[str, str]:
    """Run -> operator. What every project has to declare about its interface is no secret and left out."""
    found = {}
    for operator in SOLVED:
        for text in own_kernel(operator).files.values():
            found.update(dict.fromkeys(runs(_DECLARATIONS.sub("", text)), operator))
    return found


def leaks(
    texts: Iterable[tuple[str, str]], secret: dict[str, str]
) -> set[tuple[str, str]]:
    """(Name of a text, operator whose solution is in it)."""
    return {
        (name, secret[run])
        for name, text in texts
        for run in runs(text)
        if run in secret
    }


def test_no_solution_is_shipped() -> None:
    files = [(str(path.relative_to(ROOT)), path) for path in shipped_files()]
    assert any(name.startswith("resources/sessions/") for name, _ in files)
    assert [
        name for name, path in files if path.resolve().is_relative_to(KERNELS)
    ] == []
    texts = (
        (name, path.read_text(encoding="utf-8", errors="replace"))
        for name, path in files
    )
    # So are the kernels of the stand-in, which only the stand-in reads (see below).
    # The recorded run is compressed and not looked into: its kernels are the models', and no memory is
    # evaluated on it (the evolved one says what it was trained on).
    assert leaks(texts, solution_runs()) == set()


def test_only_the_stand_in_reads_its_kernels() -> None:
    readers = {
        str(path.relative_to(ROOT))
        for path in shipped_files()
        if path.suffix == ".py"
        and "standin_kernels import" in path.read_text(encoding="utf-8")
    }
    assert readers == {"core/replay/standin.py"}


@pytest.mark.parametrize("as_json", [False, True])
def test_a_shipped_solution_would_be_found(as_json: bool) -> None:
    code = (KERNELS / "_shared" / "tile_stream.h").read_text(encoding="utf-8")
    part = "\n".join("    " + line for line in code.splitlines()[40:70])
    text = part.replace('"', '\\"').replace("\n", "\\n") if as_json else part
    assert {name for name, _operator in leaks([("reply", text)], solution_runs())} == {
        "reply"
    }


@pytest.mark.parametrize("called", ["ForeachAbs", "foreachabs", "SomethingElse"])
def test_mining_takes_no_solution_under_any_name(called: str) -> None:
    solution = own_kernel("ForeachAbs").files
    with pytest.raises(NotDisjoint, match=r"(?i)foreachabs is an evaluation operator"):
        mine(
            called,
            "Foreach",
            {"op_kernel/k.cpp": "void K() {}"},
            solution,
            operator_names(),
        )
