"""The twin's documentation names every rule and carries the model's numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.twin.api_table import page_with, table
from tests.twin.harness import INCLUDE, build
from tests.twin.test_model import MEASURED, modelled_us

DOCUMENT = Path(__file__).parents[2] / "docs" / "twin-reference.md"
RULE = re.compile(r'inline constexpr Rule \w+\{"([\w-]+)",\s*Severity::(\w+)')


def test_every_rule_is_documented_with_its_severity() -> None:
    rules = dict(RULE.findall((INCLUDE / "twin" / "core" / "findings.h").read_text()))
    rows = dict(
        re.findall(r"^\| `([\w-]+)` \| (\w+)", DOCUMENT.read_text(), re.MULTILINE)
    )
    assert rows == rules


@pytest.mark.system
@pytest.mark.parametrize("row", range(len(MEASURED)))
def test_documented_model_times_are_the_model(row: int) -> None:
    soc, *_, measured = MEASURED[row]
    table = re.findall(
        r"^\| (Ascend\w+) \|.*\| ([\d.]+) \| ([\d.]+) \|$",
        DOCUMENT.read_text(),
        re.MULTILINE,
    )
    assert table[row][0] == soc
    assert float(table[row][1]) == pytest.approx(measured, abs=0.06)
    modelled = modelled_us(build("model"), row)
    assert float(table[row][2]) == pytest.approx(modelled, abs=0.06)


def test_the_table_of_the_api_is_the_suite() -> None:
    assert DOCUMENT.read_text() == page_with(table()), (
        "run python -m tests.twin.api_table"
    )
