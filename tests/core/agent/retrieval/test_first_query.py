"""The first query of a trajectory: the structure of an operator, in the words of lessons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.agent.retrieval.query import retrieval_query
from core.agent.run.retrieval import RetrievalRequest
from core.exchange.seeds import add_seeds, cold_start_bank
from core.memory.records import EpisodeStart, Experience, ItemFilter, Origin
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.operators.catalogue import catalogue_operator
from core.operators.kinds_of_work import kinds_of_work
from core.operators.spec import OperatorSpec
from core.workspace import Workspace

_OFF_TOPIC = {
    "seed-0014",
    "seed-0017",
    "seed-0018",
    "seed-0015",
}  # reductions and what cores share
_BEST_OF_A_ROW = Experience(
    title="For the k best of a row sort runs with Sort32, merge them with MrgSort and extract",
    type="performance",
    category="Sort",
    summary="Sort32 gives runs of 32 with their places; MrgSort merges four lists.",
)
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
    return _found_for(store, catalogue_operator(operator))


def _found_for(store: MemoryStore, operator: OperatorSpec) -> list[str]:
    """R_1, as a round retrieves it."""
    query = retrieval_query(operator, None, "")
    adding = ItemFilter(work=kinds_of_work(operator), once=True, news=True)
    hits = Retriever(store.workspace).retrieve(query, 5, filters=adding)
    return [hit.uid for hit in hits]


@pytest.mark.parametrize(
    "operator", ["Swish", "GeluGrad", "Addcdiv", "MulSigmoidMulAddCustom"]
)
def test_element_wise_operators_are_not_given_lessons_about_sums(
    store: MemoryStore, operator: str
) -> None:
    found = _found(store, operator)

    assert not _OFF_TOPIC & set(found)


@pytest.mark.parametrize(
    "operator", ["FlashAttentionScoreWithLargeHeadDim", "BatchedMatmul", "QuantMatmul"]
)
def test_lessons_about_matmul_come_before_a_diagnosis_names_it(
    store: MemoryStore, operator: str
) -> None:
    written = {store.add_item(lesson, origin=Origin.DISTILLED) for lesson in _MATMUL}

    assert written <= set(_found(store, operator))


def test_what_was_learnt_about_topk_is_found_by_the_next_such_task(
    store: MemoryStore,
) -> None:
    """It ranked sixteenth for the catalogue's operator, and an imported task, all code, did not find it."""
    uid = store.add_item(_BEST_OF_A_ROW, origin=Origin.DISTILLED)
    ours = catalogue_operator("TopKV3")
    imported = replace(
        ours,
        name="TopkBitonic",
        category="05_topk_bitonic",
        summary="TopkBitonic\n\n```python\nvalues, indices = torch.topk(x, k=self.k, dim=-1)\n```",
        inputs=(),
        outputs=(),
        cases=(),
    )

    assert _found_for(store, ours)[0] == uid
    assert _found_for(store, imported)[0] == uid


def test_the_query_reads_the_interface_not_only_the_prose() -> None:
    silent = replace(catalogue_operator("Less"), summary="", name="Unnamed")

    query = retrieval_query(silent, None, "")

    assert "float16 in float32" in query
    assert "DataCopyPad" in query
    assert not query.endswith(silent.category), "a category of a benchmark misleads"


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

    assert "DataCopyPad" in retrieval_query(bare, None, "")


def test_a_lesson_for_other_work_is_found_only_after_a_failure(
    store: MemoryStore,
) -> None:
    """Rotation is not what an element-wise operator does, but the words of its task may hide that it is."""
    request = RetrievalRequest(
        operator=catalogue_operator("Addcdiv"),
        objective=Objective.CORR,
        round=1,
        query="rotation by halves of a row: repeat strides",
        start=EpisodeStart("e", 10_000, "", ()),
        parameters=MethodParameters(),
    )
    retriever = Retriever(store.workspace)

    def uids(asked: RetrievalRequest) -> set[str]:
        hits = retriever.retrieve(asked.query, filters=asked.filter)
        return {hit.uid for hit in hits}

    assert "seed-0154" not in uids(request)
    assert "seed-0154" in uids(replace(request, round=2, failed=True))
