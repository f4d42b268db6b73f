"""Seeded mutation test of the twin: twenty correct kernels, ten kinds of defects, what is found (issue 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from tabulate import tabulate

from tests.own_kernels import own_kernel
from tests.twin.mutation.mutants import KINDS, mutants
from tests.twin.mutation.run import SUBJECTS, Laboratory, Mutation, Outcome

FOUND, NAMED = 0.95, 0.80  # shares of the wrong or unsafe mutants, from the issue


def table(mutations: Sequence[Mutation]) -> str:
    """Per kind: mutants tried, wrong or unsafe ones, and how many of these the twin found and named."""
    rows = []
    for kind in (*KINDS, "all"):
        tried = [mutation for mutation in mutations if kind in (mutation.kind, "all")]
        bad = [mutation for mutation in tried if mutation.counts]
        by_twin = sum(
            any(not rule.startswith("result-") for rule in mutation.added)
            for mutation in bad
        )
        found, named = sum(bool(m.added) for m in bad), sum(m.right_kind for m in bad)
        rows.append((kind, len(tried), len(bad), by_twin, found, named))
    return tabulate(
        rows, ("kind", "mutants", "wrong or unsafe", "found running", "found", "named")
    )


@pytest.mark.slow
def test_nearly_every_defect_adds_a_finding(
    build_cache: Path, capsys: pytest.CaptureFixture[str], pytestconfig: pytest.Config
) -> None:
    laboratory = Laboratory(build_cache)
    originals: dict[str, Outcome] = {}
    mutations: list[Mutation] = []
    for subject in SUBJECTS:
        originals[subject], tried = laboratory.try_all(subject)
        mutations += tried
    bad = [mutation for mutation in mutations if mutation.counts]
    missed = [mutation for mutation in bad if not mutation.added]
    misnamed = [
        mutation for mutation in bad if mutation.added and not mutation.right_kind
    ]
    lines = [table(mutations)]
    for title, listed in (("missed", missed), ("found under another name", misnamed)):
        lines += [
            f"{title}: {m.subject}, {m.kind}: {m.edit} {sorted(m.added)}"
            for m in listed
        ]
    for subject, outcome in originals.items():
        lines += [
            f"warnings of the original {subject}: {outcome.severities('warning')}"
        ] * bool(outcome.found)
    with capsys.disabled():
        pytestconfig.get_terminal_writer().line("\n" + "\n".join(lines))
    assert {outcome.verdict for outcome in originals.values()} == {"pass"}
    assert all(
        outcome.severities("error", "hazard") == [] for outcome in originals.values()
    )
    assert len(originals) == 20
    assert Counter(mutation.kind for mutation in bad).keys() == KINDS.keys()
    assert len(bad) - len(missed) >= FOUND * len(bad)
    assert len(bad) - len(missed) - len(misnamed) >= NAMED * len(bad)


def test_equal_seeds_give_equal_mutants() -> None:
    candidate = own_kernel("AbsMath")
    for kind in KINDS:
        first, again = (mutants(candidate, kind, "seed") for _ in range(2))
        assert first == again
        assert all(edit.applied(candidate).digest != candidate.digest for edit in first)
    assert any(
        mutants(candidate, kind, "seed") != mutants(candidate, kind, "other")
        for kind in KINDS
    )
