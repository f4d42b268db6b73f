"""The first query of a trajectory: the structure of an operator, in the words of lessons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.agent.retrieval.query import retrieval_query
from core.exchange.seeds import add_seeds, cold_start_bank
from core.memory.records import Experience, Origin
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from core.operators.catalogue import catalogue_operator
from core.workspace import Workspace

_OFF_TOPIC = {
    "seed-0014",
    "seed-0017",
    "seed-0018",
    "seed-0015",
}  # reductions and what cores share
_MATMUL = (
    Experience(
        title="Hand the result of a Matmul object to the vector cores through workspace",
        type="api_misuse",
        category="Matmul",
        error_message="GetTensorC gives nothing on the vector core",
        summary="IterateAll writes C to GM; vector cores read it after WaitIterateAll.",
    ),
    Experience(
        title="Give the matmul tiling the real strides with SetOrgShape",
        type="tiling_error",
        category="Matmul",
        error_message="result of the cube unit is shifted by a row",
        summary="MatmulApiTiling takes SetShape for one core and SetOrgShape for the whole matrix.",
    ),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    made = MemoryStore(Workspace.open(tmp_path / "bank.sage"))
    add_seeds(made, cold_start_bank())
    yield made
    made.workspace.close()


def _found(store: MemoryStore, operator: str) -> list[str]:
    query = retrieval_query(catalogue_operator(operator), None, "")
    return [hit.uid for hit in Retriever(store.workspace).retrieve(query, 5)]


@pytest.mark.parametrize(
    "operator", ["Swish", "GeluGrad", "Addcdiv", "MulSigmoidMulAddCustom"]
)
def test_element_wise_operators_are_not_given_lessons_about_sums(
    store: MemoryStore, operator: str
) -> None:
    found = _found(store, operator)

    assert len(found) == 5
    assert not _OFF_TOPIC & set(found)
    assert {"seed-0005", "seed-0006"} <= set(
        found
    )  # tiles that fit, float16 computed in float32


@pytest.mark.parametrize(
    "operator", ["FlashAttentionScoreWithLargeHeadDim", "BatchedMatmul", "QuantMatmul"]
)
def test_lessons_about_matmul_come_before_a_diagnosis_names_it(
    store: MemoryStore, operator: str
) -> None:
    written = {store.add_item(lesson, origin=Origin.DISTILLED) for lesson in _MATMUL}

    assert written <= set(_found(store, operator))


def test_the_query_reads_the_interface_not_only_the_prose() -> None:
    silent = replace(catalogue_operator("Less"), summary="", name="Unnamed")

    query = retrieval_query(silent, None, "")

    assert "float16 in float32" in query
    assert "DataCopyPad" in query
    assert query.endswith(silent.category)


def test_hidden_cases_say_nothing_in_the_query() -> None:
    operator = catalogue_operator("Swish")
    visible = replace(
        operator, cases=tuple(case for case in operator.cases if not case.hidden)
    )

    assert retrieval_query(operator, None, "") == retrieval_query(visible, None, "")


def test_an_operator_without_visible_inputs_still_has_a_query() -> None:
    bare = replace(
        catalogue_operator("Swish"), cases=(), summary="", inputs=(), outputs=()
    )

    assert "GetCoreMemSize" in retrieval_query(bare, None, "")
