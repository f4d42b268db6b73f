"""What a model reads names no operator of the held-out half, and the ledger knows every section of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.experiments.plans.operator_sets import operator_set
from core.experiments.running.texts import FOLDERS
from core.operators.catalogue import catalogue_operator
from core.operators.spec import snake_case

ROOT = Path(__file__).parents[3]
RESOURCES = ROOT / "resources"
LEDGER = (ROOT / "docs" / "contamination.md").read_text(encoding="utf-8")
API = "references/ascend-c-api.md"
WORDS = {"Sqrt", "Fill", "Equal"}  # two instructions and an English word: anywhere
FUNCTIONS = {"DeepNorm", "Gemm"}  # of its library, in the list of it


def texts() -> Iterator[tuple[str, str]]:
    """Path below resources and text of all a model may read, but the tasks."""
    for name in (*FOLDERS, "seeds"):
        for path in sorted((RESOURCES / name).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield (
                    str(path.relative_to(RESOURCES)),
                    path.read_text(encoding="utf-8"),
                )
    mined = RESOURCES / "banks" / "mined.toml"
    yield "banks/mined.toml", mined.read_text(encoding="utf-8")


def named(text: str, operators: tuple[str, ...]) -> set[str]:
    """The operators a text names: as in OpDef, or in snake case where that has several words."""
    spellings = {operator: operator for operator in operators}
    for operator in operators:
        snake = snake_case(operator)
        if "_" in snake:
            spellings[snake] = operator
    words = set(re.findall(r"\w+", text))
    return {spellings[word] for word in words & set(spellings)}


def watched() -> set[str]:
    """The operators in the ledger's first table."""
    table = LEDGER.split("## Which operators were watched")[1].split("\n## ")[0]
    known = set(operator_set("npukernelbench"))
    rows = [row for row in table.splitlines() if row.startswith("| ")]
    return {word for row in rows for word in re.findall(r"\w+", row.split("|")[2])} & (
        known
    )


def test_nothing_a_model_reads_names_a_held_out_operator() -> None:
    held_out = operator_set("held-out")
    seen = {}
    for path, text in texts():
        allowed = WORDS | (FUNCTIONS if path == API else set())
        if operators := named(text, held_out) - allowed:
            seen[path] = operators
    assert seen == {}


@pytest.mark.parametrize(
    "text", ["As GroupNormSwish does it.", "extern void group_norm_swish(GM_ADDR x)"]
)
def test_a_name_in_code_or_prose_would_be_seen(text: str) -> None:
    assert named(text, operator_set("held-out")) == {"GroupNormSwish"}


def test_the_held_out_half_follows_from_levels_categories_and_what_was_watched() -> (
    None
):
    assert len(watched()) == 36
    expected: list[str] = []
    for level in ("l1", "l2", "l3"):
        categories: dict[str, list[str]] = {}
        for name in operator_set(level):
            categories.setdefault(catalogue_operator(name).category, []).append(name)
        unwatched = {
            category: [name for name in names if name not in watched()]
            for category, names in categories.items()
        }
        places = {
            category: min(len(names) // 2, len(unwatched[category]))
            for category, names in categories.items()
        }
        missing = len(operator_set(level)) // 2 - sum(places.values())
        odd = [
            category
            for category, names in categories.items()
            if len(names) % 2 and len(unwatched[category]) > len(names) // 2
        ]
        for category in odd[:missing]:
            places[category] += 1
        for category, names in unwatched.items():
            by_digest = sorted(names, key=lambda n: hashlib.sha256(n.encode()).digest())
            chosen = by_digest[: places[category]]
            expected += [name for name in names if name in chosen]
    assert operator_set("held-out") == tuple(expected)
    assert len(expected) == 44


def test_the_ledger_has_a_row_for_every_section() -> None:
    rows = [
        [cell.strip() for cell in row.strip("|").split("|")]
        for row in LEDGER.splitlines()
        if row.startswith("| `")
    ]
    listed = {
        (cells[0].strip("`"), part.strip())
        for cells in rows
        for part in (cells[1], *cells[1].split(", "))
    }
    missing = []
    for path, text in texts():
        folder, _, rest = path.partition("/")
        if folder in ("prompts", "seeds", "banks"):
            sections = [(folder, rest)]
        elif "skeletons" in path:
            sections = [("skeletons", path.split("/")[2])]
        elif not path.endswith(".md"):
            continue  # the designated example, which add-custom.md explains
        else:
            book = (
                "/".join(path.split("/")[1:])
                if path.endswith("SKILL.md")
                else (Path(path).name)
            )
            headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
            sections = [(book, heading) for heading in headings]
            if path != API:
                sections.append((book, "(head)"))
        missing += [section for section in sections if section not in listed]
    assert missing == []
