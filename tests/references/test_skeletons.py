"""Skeletons run on the twin with cases of their own, and are no operator of the catalogue nor like one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Evaluation, Severity, VerdictClass
from core.operators.catalogue import catalogue_operator, operator_names
from core.operators.loader import load_operator
from core.operators.spec import plain_name
from core.references.builtin import builtin_references
from sage_desktop.services.wiring import twin_evaluator

SKELETONS = Path(__file__).parents[2] / "resources" / "references" / "skeletons"
SPECS = Path(__file__).parents[1] / "data" / "skeletons"
NAMES = sorted(folder.name for folder in SPECS.iterdir())
_COMPUTES = re.compile(r"[a-z]{4,}")
_USUAL = {
    "element",
    "elements",
    "tensor",
    "shape",
    "same",
    "dtype",
    "whether",
    "every",
    "that",
    "with",
    "their",
    "them",
}


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Callable[[str], Evaluation]]:
    evaluator = twin_evaluator()
    with asyncio.Runner() as runner:

        def judge(name: str) -> Evaluation:
            spec = load_operator(SPECS / name)
            candidate = read_candidate(SKELETONS / spec.snake_name)
            return runner.run(evaluator.evaluate(spec, candidate, lambda _text: None))

        yield judge
        runner.run(evaluator.close())


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_skeleton_is_right_on_the_twin_without_a_finding(
    name: str, evaluate: Callable[[str], Evaluation]
) -> None:
    found = evaluate(name)
    assert [
        (entry.rule, entry.message, entry.file, entry.line) for entry in found.findings
    ] == []
    assert (found.verdict, found.cause) == (VerdictClass.PASS, ""), found
    assert not [entry for entry in found.findings if entry.severity is Severity.ERROR]


def test_every_skeleton_is_run() -> None:
    assert {load_operator(SPECS / name).snake_name for name in NAMES} == {
        folder.name for folder in SKELETONS.iterdir()
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_skeleton_is_no_operator_of_the_catalogue_nor_like_one(name: str) -> None:
    """Neither its name nor what it computes: the words of its summary are those of no catalogue summary."""
    skeleton = load_operator(SPECS / name)
    assert plain_name(name) not in {plain_name(known) for known in operator_names()}
    mine = words(skeleton.summary)
    for known in operator_names():
        operator = catalogue_operator(known)
        first = operator.summary.strip().partition("\n")[0]
        shared = mine & words(first)
        assert len(shared) < max(3, len(mine) // 2 + 1), (known, shared)
        interface = (
            [t.name for t in skeleton.inputs],
            [t.name for t in skeleton.outputs],
            skeleton.attributes,
        )
        theirs = (
            [t.name for t in operator.inputs],
            [t.name for t in operator.outputs],
            operator.attributes,
        )
        if skeleton.attributes or len(skeleton.inputs) + len(skeleton.outputs) > 2:
            assert interface != theirs, known


def test_no_text_of_a_skeleton_names_an_operator_of_the_catalogue() -> None:
    """A one-word name like Less or Fill is an English word; the others may stand nowhere."""
    names = [
        name for name in operator_names() if len(re.findall(r"[A-Z][a-z]+", name)) > 1
    ]
    apis = {name for section in builtin_references().sections for name in section.names}
    for path in SKELETONS.rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        assert not [
            name
            for name in names
            if re.search(rf"\b{name}\b", text) and name not in apis
        ], path


def words(text: str) -> set[str]:
    return set(_COMPUTES.findall(text.lower())) - _USUAL
