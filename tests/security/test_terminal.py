"""What others wrote cannot command the terminal it is printed to, and reads in its own order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.memory.records import Experience, Origin
from core.memory.store import MemoryStore
from core.visible import visible
from core.workspace import Workspace
from sage_desktop.cli import main

OSC, CSI, C1, BIDI = "\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "\u202e"


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    with Workspace.open(tmp_path / "w.sage") as workspace:
        text = f"a{OSC}b{CSI}c{C1}d{BIDI}e\rf"
        MemoryStore(workspace).add_item(
            Experience(title=text, type="t", category="c", summary=text),
            origin=Origin.USER,
            uid="m1",
            actor="t",
            reason=text,
        )
    return tmp_path / "w.sage"


LINES = (
    "list",
    "show m1",
    "show --history",
    "show m1 --history",
    "search owned",
    "show m1 --json",
)


@pytest.mark.parametrize("line", LINES)
def test_no_escape_reaches_the_terminal(bank: Path, line: str) -> None:
    result = CliRunner().invoke(
        main, ["memory", *line.split(), "--workspace", str(bank)]
    )
    assert result.exit_code == 0, result.output
    assert "owned" in result.output
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r"} & set(result.output)


def test_json_means_what_it_meant(bank: Path) -> None:
    result = CliRunner().invoke(
        main, ["memory", "list", "--json", "--workspace", str(bank)]
    )
    assert json.loads(result.stdout)[0]["title"] == f"a{OSC}b{CSI}c{C1}d{BIDI}e\rf"


def test_an_error_that_quotes_a_file_is_plain(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps({"kind": f"x{OSC}{BIDI}"}, ensure_ascii=False))
    result = CliRunner().invoke(main, ["session", "replay", str(file)])
    assert result.exit_code == 2
    assert not {"\x1b", "\x07", "\u202e"} & set(result.output)


def test_lone_surrogates_are_printed(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, ["session", "replay", str(tmp_path / "no\udcff.jsonl")]
    )
    assert result.exit_code == 2


def test_colours_go_and_text_stays() -> None:
    assert (
        visible("\x1b[01;31m\x1b[Kerror:\x1b[m\x1b[K größer 返回\t\r\n")
        == "error: größer 返回\t\n"
    )
    assert visible(f"{OSC}{BIDI}") == "\\u001b]0;owned\\u0007\\u202e"
