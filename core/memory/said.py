"""What every prompt says already: a lesson that repeats it changes nothing that is written.

Readers were given forty such lessons in their first prompts: they followed all of them, for the quick reference says
the same, and not one changed a line. So a lesson is held against the texts that stand in every prompt: body and quick
reference of the generator's skill, its example and the page of the machine's numbers.

The measure counts words, each by how rare it is in those texts: the share of a lesson's title and summary that the
three passages say which fit it best. A name of the API that stands nowhere there is news by itself. The limit takes
few, and most of them rightly (bench/bench_said.py has the figures). Of the lessons that ship a reader said it one by
one: `said` in their file.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import resources

from core.search_terms import tokenize

# Share of a lesson from which it is said. Of the 71 lessons of the recorded run one reaches 0.47, the others 0.34.
LIMIT = 0.5
_PASSAGES = 3  # a lesson joins two or three facts, which stand in as many places
# SetFlag, blockCount, CAST_RINT.
_NAME = re.compile(r"\b(?:[A-Za-z]+[a-z0-9][A-Z]\w*|[A-Z]+_\w+)\b")
_SHORTEST = 20  # characters of a passage
_ITEM = re.compile(r"- |\| |#|\d+\. ")
_SKILL = "skills/ascend-kernel-generator"
_TEXTS = (
    f"{_SKILL}/SKILL.md",
    f"{_SKILL}/references/quick-reference.md",
    f"{_SKILL}/examples/add_custom/op_host/add_custom.cpp",
    f"{_SKILL}/examples/add_custom/op_host/add_custom_tiling.h",
    f"{_SKILL}/examples/add_custom/op_kernel/add_custom.cpp",
    "prompts/machine.md",
)


@lru_cache(maxsize=4096)
def said_share(title: str, summary: str) -> float:
    """How much of a lesson every prompt says already, 0 to 1; 0 where it names what no prompt does."""
    text = f"{title} {summary}"
    passages, rarity, of_others = _standing()
    if any(name.lower() not in rarity for name in _NAME.findall(text)):
        return 0.0
    terms = frozenset(tokenize(text))
    weight = {term: rarity.get(term, of_others) for term in terms}
    total = sum(weight.values())
    if not total:
        return 0.0
    unexplained, covered = set(terms), 0.0
    for _ in range(_PASSAGES):
        shared = max(
            (passage & unexplained for passage in passages),
            key=lambda words: sum(weight[word] for word in sorted(words)),
        )
        covered += sum(weight[word] for word in sorted(shared))
        unexplained -= shared
    return covered / total


def is_said(uid: str, title: str, summary: str) -> bool:
    """Whether a lesson adds nothing to what every prompt says.

    Args:
        uid: Of one that ships a reader has said whether; where its text was changed, the measure does.
        title: Of the lesson.
        summary: Of the lesson.
    """
    read = labels().get((uid, title, summary))
    return said_share(title, summary) >= LIMIT if read is None else read


@cache
def labels() -> dict[tuple[str, str, str], bool]:
    """Uid, title and summary of the lessons that ship: whether a reader found that they say nothing new."""
    folder = resources.files("resources") / "seeds"
    files = (file for file in folder.iterdir() if file.name.endswith(".toml"))
    return {
        (item["uid"], item["title"], item.get("summary", "")): item.get("said", False)
        for file in files
        for item in tomllib.loads(file.read_text(encoding="utf-8"))["item"]
    }


@cache
def _standing() -> tuple[tuple[frozenset[str], ...], dict[str, float], float]:
    """Words of every passage, how rare each is among them, and how rare one is that none holds."""
    root = resources.files("resources")
    texts = (
        root.joinpath(*path.split("/")).read_text(encoding="utf-8") for path in _TEXTS
    )
    passages = tuple(
        frozenset(tokenize(passage)) for text in texts for passage in _split(text)
    )
    counts = Counter(term for passage in passages for term in passage)
    total = len(passages) + 1
    rarity = {term: math.log(total / (n + 0.5)) for term, n in counts.items()}
    return passages, rarity, math.log(total / 0.5)


def _split(text: str) -> Iterator[str]:
    """Passages: an entry of a list, a row of a table, a paragraph, a block of code."""
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if not line.strip() or _ITEM.match(line):
            passage = " ".join(lines)
            if len(passage) > _SHORTEST:
                yield passage
            lines = []
        if line.strip():
            lines.append(line.strip())
