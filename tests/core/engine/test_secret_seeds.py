"""Inputs of evaluations that nobody can foresee, and that whoever has the workspace can repeat."""

from __future__ import annotations

import json
from pathlib import Path

from core.evaluation.secret_seeds import secret_digest, seed_secret, with_secret_seeds
from core.operators.catalogue import catalogue_operator
from core.workspace import Workspace


def test_every_workspace_has_a_secret_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    with (
        Workspace.open(tmp_path / "a.sage") as first,
        Workspace.open(tmp_path / "b.sage") as second,
    ):
        secret = seed_secret(first)
        assert secret == seed_secret(first)
        assert len({secret, seed_secret(second)}) == 2
    with Workspace.open(tmp_path / "a.sage") as again:
        assert seed_secret(again) == secret


def test_only_the_seeds_change_and_they_are_repeatable() -> None:
    operator = catalogue_operator("AbsMath")
    mixed = with_secret_seeds(operator, "00" * 16)
    assert mixed == with_secret_seeds(operator, "00" * 16)
    assert mixed.digest == operator.digest
    pairs = list(zip(mixed.cases, operator.cases, strict=True))
    assert all(new.seed != old.seed and 0 <= new.seed < 1 << 31 for new, old in pairs)
    assert all(
        (new.inputs, new.attributes, new.hidden)
        == (old.inputs, old.attributes, old.hidden)
        for new, old in pairs
    )
    assert len({case.seed for case in mixed.cases}) == len(mixed.cases)
    assert [case.seed for case in with_secret_seeds(operator, "11" * 16).cases] != [
        case.seed for case in mixed.cases
    ]


def test_the_digest_tells_secrets_apart_and_not_what_they_are() -> None:
    digest = secret_digest("00" * 16)
    assert digest != secret_digest("11" * 16)
    assert "00" * 8 not in json.dumps(digest)
