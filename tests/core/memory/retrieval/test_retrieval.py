"""Sparse retrieval, reranking by utility and the explain record."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.curation.curator import Curator
from core.memory.ledger import encode
from core.memory.records import (
    ItemFilter,
    ItemState,
    Origin,
    Retrieved,
    Scope,
)
from core.memory.retrieval.bm25 import IncrementalBM25
from core.memory.retrieval.retriever import Retriever, best_positions, in_scope
from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.references.ranking import LuceneBM25
from core.search_terms import tokenize
from core.workspace import Workspace
from tests.scenario import add_items, experience, open_trajectory, play_episode


def test_identifiers_and_cjk_are_split_into_findable_parts() -> None:
    assert tokenize("DataCopyPad of x_local") == [
        "datacopypad",
        "data",
        "copy",
        "pad",
        "x_local",
        "x",
        "local",
    ]
    assert tokenize("返回的张量 GetData返回") == [
        "返回",
        "回的",
        "的张",
        "张量",
        "getdata",
        "get",
        "data",
        "返回",
    ]
    assert tokenize("__gm__ 910B") == ["gm", "910", "b"]


@pytest.mark.parametrize("corpus", [[], [[]], [["a"]], [["a"], ["b"]], [["a"], ["a"]]])
def test_reference_is_never_negative_in_tiny_banks(corpus: list[list[str]]) -> None:
    scores = LuceneBM25(corpus).get_scores(["a"])
    assert len(scores) == len(corpus)
    assert (np.asarray(scores) >= 0).all()
    assert [bool(score) for score in scores] == ["a" in document for document in corpus]


TERMS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


@settings(max_examples=60, deadline=None)
@given(
    documents=st.lists(TERMS, min_size=1, max_size=25),
    removed=st.sets(st.integers(0, 24)),
    query=TERMS,
    stored=st.integers(0, 25),
)
def test_incremental_index_equals_the_reference(
    documents: list[list[str]], removed: set[int], query: list[str], stored: int
) -> None:
    def load(term: str) -> tuple[np.ndarray, np.ndarray] | None:
        hits = [
            (doc, terms.count(term))
            for doc, terms in enumerate(documents[:stored])
            if term in terms
        ]
        if not hits:
            return None
        return np.array([h[0] for h in hits], dtype=np.int32), np.array(
            [h[1] for h in hits], dtype=float
        )

    index = IncrementalBM25(load)
    index.adopt(
        range(len(documents[:stored])), [len(terms) for terms in documents[:stored]]
    )
    for doc, terms in enumerate(documents[stored:], start=len(documents[:stored])):
        index.add(doc, terms)
    index.scores(query)  # fill the caches before removing
    gone = {doc for doc in removed if doc < len(documents)}
    for doc in gone:
        index.remove(doc)
    kept = [doc for doc in range(len(documents)) if doc not in gone]
    reference = LuceneBM25([documents[doc] for doc in kept]).get_scores(
        list(dict.fromkeys(query))
    )
    scores, attainable = index.scores(query)
    np.testing.assert_allclose(scores[kept], reference, atol=1e-9, rtol=0)
    assert not scores[sorted(gone)].any()
    assert (scores <= attainable).all()


def test_finds_by_error_line_and_explains(store: MemoryStore) -> None:
    add_items(store, 3)
    store.add_item(
        experience(
            9,
            title="Pad the tail tile",
            error_message="DataCopy length is not a multiple of 32 bytes",
        ),
        origin=Origin.SEED,
        uid="tail",
    )
    retriever = Retriever(store.workspace)
    hits = retriever.retrieve("error: DataCopy of 44 bytes, not 32 byte aligned", k=2)
    assert hits[0].uid == "tail"
    assert hits[0].rank == hits[0].rank_before == 1
    assert hits[0].coverage is not None
    assert hits[0].s_rel == pytest.approx(100 * hits[0].coverage)
    assert hits[0].s == hits[0].s_rel  # u = 0
    assert hits[0].cosine is None
    assert retriever.last.reason == "no text encoder"
    assert retriever.retrieve("zzz qqq") == ()
    assert retriever.retrieve("") == ()


def test_utility_reorders_comparable_items_only(store: MemoryStore) -> None:
    add_items(store, 2)
    before = Retriever(store.workspace).retrieve("do the right thing")
    assert [hit.uid for hit in before] == ["m1", "m2"]
    play_episode(store, "e1", {"m1": False, "m2": True})
    after = Retriever(store.workspace).retrieve("do the right thing")
    assert [hit.uid for hit in after] == ["m2", "m1"]
    assert [hit.rank_before for hit in after] == [2, 1]
    assert after[0].s == pytest.approx((after[0].s_rel or 0) * 1.3)
    relevance_only = Retriever(store.workspace).retrieve(
        "do the right thing", parameters=MethodParameters(gamma=0)
    )
    assert [hit.uid for hit in relevance_only] == ["m1", "m2"]


def test_index_follows_every_change_and_survives_reopening(store: MemoryStore) -> None:
    add_items(store, 2)
    retriever = Retriever(store.workspace)
    assert len(retriever.retrieve("rule number")) == 2
    store.add_item(experience(3, title="queue depth"), origin=Origin.USER, uid="m3")
    assert retriever.retrieve("queue depth")[0].uid == "m3"
    path = store.workspace.path
    with Workspace.open_readonly(path) as reader:
        other = Retriever(reader)
        assert other.retrieve("queue depth")[0].uid == "m3"
        store.add_item(experience(4, title="queue width"), origin=Origin.USER, uid="m4")
        assert {hit.uid for hit in other.retrieve("queue")} == {
            "m3",
            "m4",
        }  # indexed in memory
        first = retriever.retrieve("queue")
        assert [(h.uid, h.s) for h in first] == [
            (h.uid, h.s) for h in other.retrieve("queue")
        ]


@pytest.mark.parametrize(
    ("scoped", "installed", "holds"),
    [
        (("8.5",), "8.5.1", True),
        (("8.1",), "8.1.RC1", True),
        (("8.1.rc1",), "8.1.RC1", True),
        (("8.1",), "8.10.0", False),
        (("8.5.1",), "8.5", False),
        (("8.1", "8.3"), "8.3.RC2", True),
        (("8.1",), "", True),
        ((), "8.5.1", True),
    ],
)
def test_a_scope_names_the_beginning_of_a_version(
    scoped: tuple[str, ...], installed: str, holds: bool
) -> None:
    assert in_scope(encode(Scope(cann=scoped)), ItemFilter(cann=installed)) is holds


def test_filters_scope_and_residents(store: MemoryStore) -> None:
    add_items(store, 2)
    store.add_item(
        experience(
            3,
            type="performance",
            category="Norm",
            scope=Scope(soc=("Ascend310P",), dtype=("float16",)),
        ),
        origin=Origin.SEED,
        uid="m3",
    )
    retriever = Retriever(store.workspace)

    def found(filters: ItemFilter) -> set[str]:
        return {hit.uid for hit in retriever.retrieve("right thing", filters=filters)}

    assert found(ItemFilter()) == {"m1", "m2", "m3"}
    assert found(ItemFilter(types=("performance",))) == {"m3"}
    assert found(ItemFilter(categories=("Math",))) == {"m1", "m2"}
    assert found(ItemFilter(soc="Ascend910B1")) == {"m1", "m2"}
    assert found(ItemFilter(soc="Ascend310P3", dtypes=("float16", "float32"))) == {
        "m1",
        "m2",
        "m3",
    }
    assert "m3" in found(ItemFilter(soc="ascend310p3")), (
        "op_host writes processors in lower case"
    )
    assert found(ItemFilter(skip=frozenset({"m1"}))) == {"m2", "m3"}
    assert found(ItemFilter(until_seq=store.item("m2").created_seq)) == {"m1", "m2"}
    for number, operator in enumerate("ABC"):
        play_episode(store, f"e{number}", {"m1": True}, operator=operator)
    store.set_rule("m1", "A rule.")
    play_episode(store, "e9", {})
    assert found(ItemFilter()) == {"m2", "m3"}


def test_an_episode_retrieves_from_the_memory_it_began_with_whatever_others_learn_meanwhile(
    store: MemoryStore,
) -> None:
    add_items(store, 6)
    play_episode(store, "before", {"m1": True, "m2": False})
    open_trajectory(store.workspace, "own", "Own")
    start = store.begin_episode("own", "own", "Own", Objective.CORR, MethodParameters())
    then = ItemFilter(until_seq=start.memory_seq, residents=frozenset(start.residents))
    retriever, parameters = (
        Retriever(store.workspace),
        MethodParameters(k=3),
    )

    def found(filters: ItemFilter) -> tuple[Retrieved, ...]:
        return retriever.retrieve(
            "right thing 4", parameters=parameters, filters=filters
        )

    first = found(then)
    for number, operator in enumerate("ABCD"):
        play_episode(
            store, f"other{number}", {"m4": True, "m5": False}, operator=operator
        )
    for number in range(7, 20):
        store.add_item(experience(number), origin=Origin.SEED, uid=f"m{number}")
    store.set_rule("m4", "A rule.")
    play_episode(store, "promoting", {})
    assert store.item("m4").hot_region
    assert found(then) == first, (
        "the same items, utilities and scores: R_t does not depend on time"
    )
    assert (
        Retriever(store.workspace).retrieve("right thing 4", None, parameters, then)
        == first
    )
    Curator(store).demote("m4", reason="again cold")
    assert found(then) == first
    assert found(ItemFilter()) != first


def test_what_was_resident_at_the_start_of_an_episode_stays_out_of_it_once_demoted(
    store: MemoryStore,
) -> None:
    add_items(store, 3)
    for number, operator in enumerate("ABC"):
        play_episode(store, f"e{number}", {"m1": True}, operator=operator)
    store.set_rule("m1", "A rule.")
    play_episode(store, "promoting", {})
    open_trajectory(store.workspace, "own", "Own")
    start = store.begin_episode("own", "own", "Own", Objective.CORR, MethodParameters())
    assert start.residents == ("m1",)
    Curator(store).demote("m1", reason="not now")
    then = ItemFilter(until_seq=start.memory_seq, residents=frozenset(start.residents))
    hits = Retriever(store.workspace).retrieve("right thing", filters=then)
    assert {hit.uid for hit in hits} == {"m2", "m3"}, (
        "its rule stands in the context of the episode"
    )


def test_what_a_person_accepts_during_an_episode_is_not_found_in_it(
    store: MemoryStore,
) -> None:
    add_items(store, 3)
    store.add_item(experience(4), origin=Origin.SEED, uid="m4", state=ItemState.PENDING)
    open_trajectory(store.workspace, "own", "Own")
    start = store.begin_episode("own", "own", "Own", Objective.CORR, MethodParameters())
    then = ItemFilter(until_seq=start.memory_seq, residents=frozenset(start.residents))
    curator, retriever = Curator(store), Retriever(store.workspace)
    first = retriever.retrieve("right thing 4", filters=then)
    curator.accept("m4")
    store.set_rule("m4", "A rule.")
    curator.promote("m4")
    assert retriever.retrieve("right thing 4", filters=then) == first


@settings(max_examples=25)
@given(
    utilities=st.lists(st.floats(-1, 1), min_size=30, max_size=30),
    lengths=st.lists(st.integers(0, 12), min_size=30, max_size=30),
    query=st.lists(
        st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=4
    ),
    k=st.integers(1, 40),
    gamma=st.sampled_from([0.0, 0.3, 0.9]),
)
def test_the_k_best_are_those_of_scoring_everything(
    tmp_path_factory: pytest.TempPathFactory,
    utilities: list[float],
    lengths: list[int],
    query: list[str],
    k: int,
    gamma: float,
) -> None:
    with Workspace.open(tmp_path_factory.mktemp("all") / "w.sage") as workspace:
        store = MemoryStore(workspace)
        with workspace.transaction() as db:
            for number, (u, length) in enumerate(zip(utilities, lengths, strict=True)):
                title = " ".join(["alpha", "beta", "gamma", "delta"][number % 4 : 4])
                uid = store.add_item(
                    experience(number, title=title, summary="filler " * length),
                    origin=Origin.SEED,
                )
                db.execute("UPDATE item SET u_m = ? WHERE uid = ?", (u, uid))
        retriever = Retriever(workspace)
        asked = " ".join(query)
        relevance = retriever.retrieve(
            asked, k=30, parameters=MethodParameters(gamma=0.0)
        )
        scored = [(hit.s_rel or 0.0) * (1 + gamma * hit.u) for hit in relevance]
        order = sorted(range(len(scored)), key=lambda place: -scored[place])[:k]
        hits = retriever.retrieve(asked, k=k, parameters=MethodParameters(gamma=gamma))
        assert [hit.uid for hit in hits] == [relevance[place].uid for place in order]
        assert [hit.rank_before for hit in hits] == [place + 1 for place in order]
        assert [hit.s for hit in hits] == pytest.approx(
            [scored[place] for place in order]
        )


@settings(max_examples=60)
@given(
    scores=st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.5001, 2.0]), max_size=400).map(
        np.array
    ),
    size=st.integers(1, 20),
)
def test_the_pool_holds_the_best_scores_and_of_equal_ones_the_first(
    scores: np.ndarray, size: int
) -> None:
    expected = sorted(
        np.flatnonzero(scores > 0).tolist(), key=lambda place: (-scores[place], place)
    )[:size]
    assert sorted(best_positions(scores.astype(float), size).tolist()) == sorted(
        expected
    )
