"""Writes pairs of a first prompt and a lesson it retrieves, for readers who do not know how lessons are chosen.

`common.md` holds what stands in front of every task; each numbered file the task of one operator and one of the
lessons that its first prompt retrieves. A reader answers of each whether the prompt says it already, and whether it
would change what is written. Operators are those of the recorded run, each with as many lessons as the others where
it has that many; which ones, and their order, is drawn. `key.csv`, for counting the answers, names operator, uid and
rank of every number; no reader sees it.

    python bench/reader_pairs.py --into FOLDER [--bank seeds] [--count 40] [--seed 1]
"""

from __future__ import annotations

import argparse
import csv
import itertools
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.agent.prompt.round_prompt import Prompt
from core.engine.shipped import recorded_run
from core.operators.catalogue import catalogue_operator
from sage_desktop.services.first_prompt import first_prompts_of

_RETRIEVED = "# Retrieved experiences\n\n"
_ITEM = re.compile(r"^(?=### \[)", re.MULTILINE)
_UID = re.compile(r"### \[([^\]]+)\] ")
_QUESTIONS = """\
# Questions

You write the first kernel of this operator. You have read `common.md`, the task above, and then the lesson.

1. **Is the lesson entailed by the prompt?** yes / partly / no: does what you read before it say the same, or does it
   follow from that for anybody who knows the language?
2. **Would it change what you write?** yes / no: would a line of your first kernel be another one for having read it? If
   yes, say which in a sentence.
"""


@dataclass(frozen=True)
class Pair:
    """One lesson in a first prompt; `rank` counts from 1."""

    operator: str
    rank: int
    uid: str
    task: str
    lesson: str

    @property
    def page(self) -> str:
        """The text for a reader, without what the retrieval knows of the lesson: uid, rank and scores."""
        text = _UID.sub("", self.lesson)
        return f"{self.task}\n\n# The lesson\n\n{text}\n\n{_QUESTIONS}"


def pairs_of(operator: str, prompt: Prompt) -> tuple[str, list[Pair]]:
    """Take a first prompt apart.

    Returns:
        The system message, which is common to all operators, and a pair for each lesson.
    """
    common, user = (message.content for message in prompt.messages)
    task, _, rest = user.partition(_RETRIEVED)
    lessons = _ITEM.split(rest.rpartition("\n# Now")[0])[1:]
    pairs = []
    for rank, lesson in enumerate(lessons, 1):
        match = _UID.match(lesson)
        assert match is not None
        pairs.append(Pair(operator, rank, match[1], task.strip(), lesson.strip()))
    return common, pairs


def sample(
    of_operators: Sequence[list[Pair]], count: int, chance: random.Random
) -> list[Pair]:
    """Draw `count` pairs, as many of each operator as of the others, in random order.

    Args:
        of_operators: Pairs of each operator; their order is changed.
        count: All pairs where there are fewer.
        chance: Source of random numbers.
    """
    for pairs in of_operators:
        chance.shuffle(pairs)
    # One of each operator, then another of each: the first `count` are spread evenly.
    rounds = itertools.zip_longest(*of_operators)
    in_turn = [pair for each in rounds for pair in each if pair is not None]
    sampled = in_turn[:count]
    chance.shuffle(sampled)
    return sampled


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description="Write pairs for blind readers.")
    parser.add_argument("--into", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--bank", default="seeds")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    chance = random.Random(options.seed)
    operators = list(recorded_run().header.operators)
    chance.shuffle(operators)
    specs = [catalogue_operator(operator) for operator in operators]
    prompts = first_prompts_of(specs, bank=options.bank, frozen=None, soc="")
    common, of_operators = "", []
    for operator, prompt in zip(operators, prompts, strict=True):
        # The system message is the same for every operator.
        common, pairs = pairs_of(operator, prompt)
        of_operators.append(pairs)
    retrieved = sum(map(len, of_operators))
    sampled = sample(of_operators, options.count, chance)
    (options.into / "common.md").write_text(f"{common}\n", encoding="utf-8")
    with (options.into / "key.csv").open("w", newline="", encoding="utf-8") as file:
        key = csv.writer(file)
        key.writerow(("number", "operator", "uid", "rank"))
        for number, pair in enumerate(sampled, 1):
            key.writerow((f"{number:02d}", pair.operator, pair.uid, pair.rank))
            page = options.into / f"{number:02d}.md"
            page.write_text(pair.page, encoding="utf-8")
    print(
        f"{len(sampled)} of {retrieved} lessons that the first prompts of {len(operators)} operators retrieve"
    )


if __name__ == "__main__":
    main()
