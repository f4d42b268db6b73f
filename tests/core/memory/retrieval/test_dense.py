"""Dense retrieval with the real encoder in its real process."""

from __future__ import annotations

import gc
import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.errors import InvalidInput
from core.memory.encoder import EncoderClient, EncoderUnavailable, find_model
from core.memory.encoder.client import EncoderState
from core.memory.encoder.model_files import ModelFiles, ModelNotUsable
from core.memory.records import Origin
from core.memory.retrieval.dense_index import DenseIndex
from core.memory.retrieval.retriever import HybridRetriever, Retriever
from core.memory.store import MemoryStore
from core.memory.tokens import TokenizerFile
from core.workspace import Workspace
from tests.scenario import add_items, experience

pytestmark = pytest.mark.outside


@pytest.fixture(scope="module")
def encoder() -> Iterator[EncoderClient]:
    client = EncoderClient()
    assert client.wait(60), client.problem
    yield client
    client.close()


@pytest.mark.system
def test_meaning_finds_what_words_do_not(
    store: MemoryStore, encoder: EncoderClient
) -> None:
    add_items(store, 3)
    store.add_item(
        experience(
            9,
            title="Align global memory transfers",
            error_message="",
            summary="Pad the last block.",
        ),
        origin=Origin.SEED,
        uid="align",
    )
    dense = DenseIndex(store.workspace, encoder)
    retriever = Retriever(store.workspace, dense)
    query = "copying between device buffers faults at uneven sizes"
    assert retriever.retrieve(query) == ()  # no shared word, no vectors yet
    assert len(dense.missing()) == 4
    assert dense.fill(limit=3) == 1
    assert dense.fill() == 0
    hits = retriever.retrieve(query)
    assert hits[0].uid == "align"
    assert hits[0].coverage == 0.0
    assert hits[0].cosine is not None
    assert hits[0].s_rel == pytest.approx(
        100 * hits[0].cosine
    )  # no known word: the dense part alone
    both = retriever.retrieve("global memory alignment of transfers")[0]
    assert both.cosine is not None
    assert both.coverage is not None
    assert both.s_rel == pytest.approx(50 * both.coverage + 50 * both.cosine)
    assert retriever.last.sparse == 0.5
    assert retriever.last.reason == ""


@pytest.mark.system
def test_vectors_follow_edits_and_are_shared_by_later_readers(
    store: MemoryStore, encoder: EncoderClient
) -> None:
    from core.curation.curator import Curator

    add_items(store, 2)
    dense = DenseIndex(store.workspace, encoder)
    dense.fill()
    items = np.array([1, 2, -1])
    before = dense.cosines("softmax row maximum", items)
    assert before is not None
    assert np.isnan(before[2])
    Curator(store).edit(
        "m2", experience(2, title="softmax needs the maximum of each row")
    )
    assert dense.missing() == [2]
    stale = dense.cosines("softmax row maximum", items)
    assert stale is not None
    assert np.isnan(stale[1])  # a vector of the former text is not used
    dense.fill()
    after = DenseIndex(store.workspace, encoder).cosines("softmax row maximum", items)
    assert after is not None
    assert after[0] == pytest.approx(before[0])
    assert after[1] > before[1] + 0.1


@pytest.mark.system
def test_a_language_the_encoder_does_not_know_is_left_to_words(
    store: MemoryStore, encoder: EncoderClient
) -> None:
    store.add_item(
        experience(1, title="返回的张量必须对齐"), origin=Origin.SEED, uid="zh"
    )
    dense = DenseIndex(store.workspace, encoder)
    dense.fill()
    retriever = Retriever(store.workspace, dense)
    assert retriever.retrieve("张量没有对齐")[0].uid == "zh"
    assert "language" in retriever.last.reason
    assert retriever.last.sparse == 1.0


@pytest.mark.system
def test_a_killed_or_idle_encoder_is_replaced_and_meanwhile_words_are_used(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    add_items(store, 1)
    client = EncoderClient(idle_seconds=3)
    try:
        assert client.wait(60)
        assert client.process is not None
        client.process.kill()
        client.process.wait()
        retriever = Retriever(store.workspace, DenseIndex(store.workspace, client))
        assert retriever.retrieve("rule number")[0].cosine is None
        assert "starting" in retriever.last.reason
        assert client.wait(60)
        vectors, unknown = client.encode(["back again"])
        assert float(vectors[0] @ vectors[0]) == pytest.approx(1.0, abs=1e-5)
        assert unknown[0] == 0.0
        assert client.process.wait(30) == 0, "it ends when nothing is asked of it"
        with pytest.raises(EncoderUnavailable, match="starting again"):
            client.encode(["hello"])
    finally:
        client.close()
    assert not list(temporary.iterdir()), "left in the temporary folder"
    assert client.state is EncoderState.STOPPED


def test_a_client_nobody_closes_leaves_no_process_and_no_pipe() -> None:
    """As after every run: its memory may be forgotten at any time, in any thread."""
    client = EncoderClient()
    client.start()
    process = client.process
    assert process is not None
    process.kill()
    assert not client.wait(60)
    for thread in threading.enumerate():
        if thread.name == "encoder-start":
            thread.join()
    del client, thread
    gc.collect()
    assert process.returncode is not None
    assert process.stdin is not None
    assert process.stdin.closed


def test_an_encoder_nobody_can_ask_any_more_ends_before_it_is_loaded() -> None:
    command = [
        sys.executable,
        "-m",
        "core.memory.encoder.process",
        find_model().id,
        "900",
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        said, _ = process.communicate(timeout=60)  # closes its standard input at once
    assert (process.returncode, said) == (0, b"")


def test_a_tokenizer_file_counts_exactly(tmp_path: Path) -> None:
    counter = TokenizerFile(Path(find_model().location) / "tokenizer.json")
    assert counter.id.startswith("hf:")
    sentence = "padding and truncation are off "
    assert counter.count(sentence) == 8  # pad ##ding and tr ##un ##cation are off
    assert counter.count(sentence * 200) == 1600
    assert counter.count("") == 0
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(InvalidInput, match="not a tokenizer"):
        TokenizerFile(tmp_path / "broken.json")


def test_altered_weights_are_refused(tmp_path: Path) -> None:
    files = find_model()
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("config.json", "modules.json", "tokenizer.json"):
        shutil.copy(Path(files.location) / name, folder)
    (folder / "model.safetensors").write_bytes(b"\0" * 64)
    with pytest.raises(ModelNotUsable, match="not the published ones"):
        ModelFiles(files.id, str(folder), files.expected_sha256).check()


@pytest.mark.slow  # `test_a_run_is_told_once` is its quick sister
def test_without_a_model_search_says_so_and_goes_on(
    store: MemoryStore, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "other"}))
    client = EncoderClient(str(tmp_path))
    try:
        add_items(store, 1)
        retriever = Retriever(store.workspace, DenseIndex(store.workspace, client))
        assert [hit.uid for hit in retriever.retrieve("rule number")] == ["m1"]
        assert not client.wait(60)
        assert retriever.retrieve("right thing")[0].cosine is None
        assert "cannot be loaded" in retriever.last.reason
        assert client.state is EncoderState.FAILED
    finally:
        client.close()


def test_a_run_is_told_once_that_words_alone_are_searched(
    store: MemoryStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client = EncoderClient(str(tmp_path / "away"))
    try:
        add_items(store, 1)
        search = HybridRetriever(store.workspace, client, wait_seconds=60)
        assert [hit.uid for hit in search.retrieve("rule number")] == ["m1"]
        assert search.retrieve("right thing")
    finally:
        client.close()
    (said,) = [record.getMessage() for record in caplog.records]
    assert "by words only" in said
    assert str(tmp_path / "away") in said


def test_nothing_heavy_is_imported_with_the_memory() -> None:
    code = (
        "import sys, core.memory.store, core.memory.views.queries, core.curation.curator\n"
        "import core.memory.retrieval.retriever, core.memory.retrieval.dense_index\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'tokenizers', 'scipy', 'sklearn'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    started = time.perf_counter()
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert output == "[]\n"
    assert time.perf_counter() - started < 5.0


def test_the_window_needs_no_numpy_to_read_the_memory() -> None:
    code = "import sys, core.memory.views.queries, core.curation.curator; print('numpy' in sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert output == "False\n"


def test_a_frozen_memory_is_searched_by_meaning_without_a_vector_in_its_file(
    store: MemoryStore, encoder: EncoderClient, tmp_path: Path
) -> None:
    add_items(store, 2)
    DenseIndex(store.workspace, encoder).fill()
    add_items(
        store, 2, first=3
    )  # written after the last search of the run: no vectors yet
    path = store.workspace.backup(tmp_path / "frozen.sage")
    before = path.read_bytes()
    with Workspace.open_frozen(path) as frozen:
        dense = DenseIndex(frozen, encoder)
        retriever = Retriever(frozen, dense)
        assert len(dense.missing()) == 2
        assert dense.fill() == 0
        hits = retriever.retrieve("rule number", k=4)
        assert {hit.uid for hit in hits} == {"m1", "m2", "m3", "m4"}
        assert all(hit.cosine is not None for hit in hits)
        assert dense.fill() == 0, "none is computed twice"
    assert path.read_bytes() == before
