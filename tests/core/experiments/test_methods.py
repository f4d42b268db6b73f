"""Methods are declared differences from SAGE, and each has the effect on the memory that it declares."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.experiments.methods import METHODS, method, method_of
from core.memory.parameters import MethodParameters
from core.models.port import ModelRequest, Purpose
from core.workspace import Workspace
from tests.core.agent.conftest import Bench
from tests.core.agent.scripted import Model, files, reply_text


@pytest.mark.parametrize("name", list(METHODS))
def test_a_method_is_recognised_whatever_the_budgets(name: str) -> None:
    assert method_of(method(name).parameters(MethodParameters(T=7, B=500))) == name


def test_sage_is_the_defaults_and_strange_settings_are_custom() -> None:
    assert method("sage").parameters() == MethodParameters()
    assert method_of(MethodParameters(credit_rule="adopted-only")) == "custom"
    with pytest.raises(InvalidInput, match="static-rag"):
        method("nothing")


def played(path: Path, name: str) -> tuple[Bench, Model]:
    """One operator under a method: a failure, a correct kernel, a faster one; seed-0001 adopted."""

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE:
            return "## Diagnosis\nDataCopyPad blockLen\n"
        if request.purpose is Purpose.DISTIL:
            return "## Experience\ntitle: new\ntype: api_misuse\ncategory: Math\nsummary: s\n"
        if request.purpose is Purpose.ABSTRACT:
            return "## Rule\nPad.\n"
        records = {uid: "adopted" if uid == "seed-0001" else "not_adopted" for uid in request.retrieved}
        judged = {1: "fail-build", 2: "pass 20.0", 3: "pass 10.0"}.get(request.round, "")
        if not judged:
            return reply_text(records, {}).replace("## Files", "## Done\nenough")
        return reply_text(records, files("AbsMath", judged))

    with Workspace.open(path) as workspace:
        bench = Bench(workspace, parameters=method(name).parameters())
        model = Model(answer)
        asyncio.run(bench.run(model))
        bench.credit = bench.rows(  # type: ignore[attr-defined]
            "SELECT DISTINCT xi > 0 FROM credit_event c JOIN episode e ON e.uid = c.episode_uid "
            "JOIN item i ON i.id = c.item_id WHERE e.objective = 'corr' AND i.uid <> 'seed-0001'"
        )
        bench.written = bench.rows("SELECT count(*) FROM item")[0][0]  # type: ignore[attr-defined]
        bench.utilities = bench.rows("SELECT DISTINCT u_m FROM item")  # type: ignore[attr-defined]
    return bench, model


@pytest.mark.parametrize(
    ("name", "retrieves", "learns", "unused_gain"),
    [
        ("sage", True, True, [(0,)]),
        ("refinement", False, False, []),
        ("static-rag", True, False, []),
        ("value-memory", True, True, [(1,)]),
        ("uniform-credit", True, True, [(1,)]),
    ],
)
def test_only_the_memory_mechanism_differs(
    tmp_path: Path, name: str, retrieves: bool, learns: bool, unused_gain: list[tuple[int]]
) -> None:
    bench, model = played(tmp_path / "w.sage", name)
    candidates = [r for r in model.requests if r.purpose in {Purpose.CANDIDATE, Purpose.REPAIR}]
    assert len(candidates) == 4, "the same rounds under every method"
    assert any(request.retrieved for request in candidates) is retrieves
    assert bench.credit == unused_gain  # type: ignore[attr-defined]
    assert bench.written == (5 if learns else 4)  # type: ignore[attr-defined]
    if not learns:
        assert bench.utilities == [(0.0,)]  # type: ignore[attr-defined]
