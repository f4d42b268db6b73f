"""The memory beside a plain peer on one corpus: search, the end of an episode, hot selection, quality.

The corpus is the documentation that ships with Python: prose full of identifiers. Larger banks are made of
random windows of it. Times are medians on this machine, p95 in brackets: time of the processor for what only
computes (search, selection), so that other work on the machine does not count; of the clock for what waits
for the disk or is the first of its kind.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
from rank_bm25 import BM25Okapi

from core.memory import residency
from core.memory.encoder import EncoderClient
from core.memory.ledger import episodes_applied, next_seq
from core.memory.records import (
    AdoptionState,
    EpisodeOutcome,
    Experience,
    Origin,
    Retrieved,
)
from core.memory.retrieval.dense_index import DenseIndex
from core.memory.retrieval.retriever import Retriever
from core.memory.retrieval.sparse_index import SparseIndex
from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.search_terms import tokenize
from core.workspace import Workspace, now

_WINDOW = 60
_QUERIES = 40
_SKIPPED = re.compile(
    r"test|idlelib|turtle|antigravity|this|__main__|lib2to3|_|tkinter|msilib"
)


def docstrings() -> Iterator[tuple[str, str]]:
    """Give (first sentence, rest) of the documented functions and classes of the standard library."""
    used = set()
    for module in _modules():
        for documented in _members(module):
            text = inspect.getdoc(documented) or ""
            head, _blank, rest = text.partition("\n\n")
            # Shorter texts say too little to be found by.
            is_long = len(rest.split()) >= 15 and len(head.split()) >= 4
            # Methods inherit the text of their base class.
            if is_long and text not in used:
                used.add(text)
                yield head, rest


def _modules() -> Iterator[ModuleType]:
    """The modules of the standard library that can be imported here."""
    for module_info in pkgutil.iter_modules():
        name = module_info.name
        if name not in sys.stdlib_module_names or _SKIPPED.match(name):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                module = importlib.import_module(name)
        except ImportError:
            continue
        yield module


def _members(module: ModuleType) -> Iterator[object]:
    """Functions and classes of a module, and the functions of its classes."""
    for _name, member in inspect.getmembers(module):
        if inspect.isclass(member):
            yield member
            for _method_name, method in inspect.getmembers(member, inspect.isfunction):
                yield method
        elif inspect.isfunction(member):
            yield member


def make_bank(path: Path, texts: list[str]) -> MemoryStore:
    """Write texts as items, five words as title."""
    store = MemoryStore(Workspace.open(path))
    with store.workspace.transaction():
        for number, text in enumerate(texts):
            words = text.split()
            title, summary = " ".join(words[:5]), " ".join(words[5:])
            experience = Experience(title, "bench", "Bench", summary=summary)
            store.add_item(experience, origin=Origin.SEED, uid=f"m{number}")
    return store


def timed(call: Callable[[], object]) -> float:
    """Return milliseconds of one call, by the clock."""
    started = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - started)


def computed(call: Callable[[], object]) -> float:
    """Return milliseconds of the processor that one call takes."""
    started = time.process_time()
    call()
    return 1e3 * (time.process_time() - started)


def show(label: str, times: list[float]) -> float:
    """Print and return the median."""
    middle = statistics.median(times)
    p95 = sorted(times)[int(0.95 * (len(times) - 1))]
    print(f"  {label:<46} {middle:9.2f} ms  [p95 {p95:.2f}]")
    return middle


def search(store: MemoryStore, texts: list[str], chance: random.Random) -> None:
    """Compare one query in ours and in plain rank-bm25 as its documentation uses it."""
    queries = []
    for _ in range(_QUERIES):
        words = chance.choice(texts).split()
        start = chance.randrange(max(1, len(words) - 40))
        length = chance.randrange(6, 41)
        queries.append(" ".join(words[start : start + length]))
    own_retrieval, own_scores = _search_ours(store, queries)
    peer = BM25Okapi([tokenize(text) for text in texts])
    # A query of the peer takes a second where the bank is large.
    sample = queries if len(texts) <= 10_000 else queries[:8]
    peer_scores = show(
        "rank-bm25: scores of all items only",
        _times(lambda query: peer.get_scores(tokenize(query)), sample),
    )
    peer_best = show(
        "rank-bm25: best five",
        _times(lambda query: peer.get_top_n(tokenize(query), texts, n=5), sample),
    )
    scores = peer_scores / own_scores
    best = peer_best / own_retrieval
    mixed = peer_scores / own_retrieval
    print(
        f"  ratio {scores:.0f} x (scores), {best:.0f} x (best five), "
        f"{mixed:.0f} x (our whole retrieval against its scores)"
    )


def _times(ask: Callable[[str], object], queries: list[str]) -> list[float]:
    """Milliseconds of the processor for each query."""
    return [computed(partial(ask, query)) for query in queries]


def _search_ours(store: MemoryStore, queries: list[str]) -> tuple[float, float]:
    """Print the times of our search; the medians of a whole retrieval and of the scores."""
    retriever = Retriever(store.workspace)
    built = timed(lambda: retriever.retrieve("anything"))
    with Workspace.open_readonly(store.workspace.path) as reader:
        cold = Retriever(reader)
        first = timed(lambda: cold.retrieve(queries[0]))
    new_words = _times(retriever.retrieve, queries)
    retrieval = show("ours: whole retrieval", _times(retriever.retrieve, queries * 3))
    show("ours: the same, words not asked for before", new_words)
    index = SparseIndex(store.workspace)
    index.refresh()
    for query in queries:
        index.scores(query)
    scores = show("ours: scores of all items only", _times(index.scores, queries * 3))
    print(f"  {'ours: first query of another process':<46} {first:9.2f} ms")
    print(f"  {'ours: building and storing the index':<46} {built:9.0f} ms")
    return retrieval, scores


def episodes(store: MemoryStore, chance: random.Random) -> None:
    """Time the transaction that ends an episode of 30 retrieved items."""
    times = []
    size = min(5_000, len(store.items()))
    for number in range(40):
        uid = f"episode-{number}"
        uids = [f"m{item}" for item in chance.sample(range(size), 30)]
        _play_episode(store, uid, f"Op{number % 9}", uids)
        outcome = EpisodeOutcome(uid, correct=True)
        times.append(timed(partial(store.apply_episode, outcome)))
    show("end of an episode with 30 items", times)


def _play_episode(store: MemoryStore, uid: str, operator: str, uids: list[str]) -> None:
    """Record an episode of one round that retrieved items and adopted every third."""
    store.workspace.db.execute(
        "INSERT INTO trajectory(uid, operator, operator_digest, parameters, provider, provider_origin, "
        "evaluator, started_at) VALUES (?, ?, '', '{}', 'bench', 'scripted', 'bench', ?)",
        (uid, operator, now()),
    )
    store.begin_episode(uid, uid, operator, Objective.CORR, MethodParameters())
    retrieved = [Retrieved(item, rank, 0.0) for rank, item in enumerate(uids, 1)]
    store.record_retrieval(uid, 1, retrieved)
    adoptions = {}
    for number, item in enumerate(uids):
        is_adopted = number % 3 == 0
        state = AdoptionState.ADOPTED if is_adopted else AdoptionState.NOT_ADOPTED
        adoptions[item] = (state, "")
    store.record_adoption(uid, 1, adoptions)
    store.workspace.db.execute(
        "INSERT INTO round(trajectory_uid, round, episode_uid, step, verdict, started_at) "
        "VALUES (?, 1, ?, 'evaluated', 'pass', '')",
        (uid, uid),
    )


def hot_selection(store: MemoryStore) -> None:
    """Time Algorithm 1 with a quarter of the bank competing."""
    with store.workspace.rehearsal() as db:
        db.execute(
            "UPDATE item SET sigma = 'validated', rule_text = 'r', L_m = 60 + id % 40, "
            "n_ado = 3, u_m = 0.1 + (id % 70) / 100.0 WHERE id % 4 = 0"
        )
        db.execute(
            "INSERT OR IGNORE INTO item_operator SELECT id, 'Op' || x, 1 FROM item, "
            "(SELECT 1 AS x UNION SELECT 2 UNION SELECT 3) WHERE id % 4 = 0"
        )
        seq, applied = next_seq(db), episodes_applied(db)

        def select() -> None:
            residency.select(db, MethodParameters(), seq=seq, applied=applied)

        times = [computed(select) for _ in range(7)]
    show("hot selection, a quarter of the bank competing", times)


def quality(folder: Path, pairs: list[tuple[str, str]], chance: random.Random) -> None:
    """Print R@1 and MRR of finding a documentation text by its first sentence."""
    encoder = EncoderClient()
    if not encoder.wait(60):
        print(f"  no dense part: {encoder.problem}")
        return
    store = make_bank(folder / "quality.sage", [rest for _, rest in pairs])
    dense = DenseIndex(store.workspace, encoder)
    dense.fill()
    retriever = Retriever(store.workspace, dense)
    by_relevance = MethodParameters(gamma=0.0)
    numbers = chance.sample(range(len(pairs)), min(300, len(pairs)))
    names = ("sparse only", "dense only", "RRF, k = 60", "hybrid (ours)")
    reciprocal_ranks: dict[str, list[float]] = {name: [] for name in names}
    for number in numbers:
        query, _rest = pairs[number]
        own_uid = f"m{number}"
        pool = retriever.retrieve(query, k=100, parameters=by_relevance)
        for name, uids in _rankings(pool).items():
            is_there = own_uid in uids
            rank = 1 + uids.index(own_uid) if is_there else math.inf
            reciprocal_ranks[name].append(1 / rank)
    print(
        f"  {len(pairs)} texts, {len(numbers)} queries (first sentence finds the rest)"
    )
    for name in names:
        values = np.array(reciprocal_ranks[name])
        print(f"  {name:<16} R@1 {np.mean(values == 1):.3f}   MRR {values.mean():.3f}")
    encoder.close()
    store.workspace.close()


def _rankings(pool: Sequence[Retrieved]) -> dict[str, list[str]]:
    """The uids in the order of each way to rank, the best first."""
    by_words = sorted(pool, key=lambda hit: -(hit.coverage or 0.0))
    by_meaning = sorted(pool, key=lambda hit: -(hit.cosine or 0.0))
    rankings = {
        "sparse only": [hit.uid for hit in by_words[:50]],
        "dense only": [hit.uid for hit in by_meaning[:50]],
        "hybrid (ours)": [hit.uid for hit in pool[:50]],
    }
    # Reciprocal rank fusion: each list gives 1 / (60 + rank).
    fused: dict[str, float] = {}
    for name in ("sparse only", "dense only"):
        for rank, uid in enumerate(rankings[name], start=1):
            fused[uid] = fused.get(uid, 0.0) + 1 / (60 + rank)
    rankings["RRF, k = 60"] = sorted(fused, key=lambda uid: -fused[uid])
    return rankings


_PEER = """
import sqlite3, sys
from rank_bm25 import BM25Okapi
rows = sqlite3.connect(sys.argv[1]).execute("SELECT uid, title || ' ' || summary FROM item").fetchall()
index = BM25Okapi([text.split() for _, text in rows])
scores = index.get_scores(sys.argv[2].split())
print(sorted(zip(scores, rows))[-1][1][0])
"""


def from_the_start(path: Path, query: str) -> None:
    """Print how long `sage memory search` takes, start of the process included, beside plain rank-bm25."""
    workspace = str(path)
    ours = ["memory", "search", query, "--workspace", workspace]
    own_command = ["-m", "sage_desktop.cli", *ours]
    peer_command = ["-c", _PEER, workspace, query]
    for name, arguments, times in (
        ("ours", own_command, 7),
        ("rank-bm25", peer_command, 2),
    ):
        runs = [_run(arguments) for _ in range(times)]
        wall = [seconds for seconds, _cpu in runs]
        cpu = [seconds for _wall, seconds in runs]
        print(
            f"  search from the command line, {name:<10} wall {statistics.median(wall):.2f} s "
            f"[{min(wall):.2f} … {max(wall):.2f}], processor {statistics.median(cpu):.2f} s"
        )


def _run(arguments: list[str]) -> tuple[float, float]:
    """Run Python with arguments; seconds by the clock and of the processor."""
    root = Path(__file__).parents[1]
    command = [sys.executable, *arguments]
    cpu_before, started = _children_s(), time.perf_counter()
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    wall = time.perf_counter() - started
    return wall, _children_s() - cpu_before


def _children_s() -> float:
    """Seconds of the processor of all processes that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(sizes: tuple[int, ...]) -> None:
    """Run everything; sizes are numbers of items."""
    chance = random.Random(0)
    pairs = list(docstrings())
    words = " ".join(f"{head} {rest}" for head, rest in pairs).split()
    print(
        f"corpus: {len(pairs)} texts, {len(words)} words of the standard library's documentation"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in sizes:
            starts = [chance.randrange(len(words) - _WINDOW) for _ in range(size)]
            texts = [" ".join(words[start : start + _WINDOW]) for start in starts]
            print(f"{size} items")
            store = make_bank(folder / f"{size}.sage", texts)
            search(store, texts, chance)
            if size <= 10_000:
                episodes(store, chance)
                hot_selection(store)
            store.workspace.close()
            if size == 10_000:
                from_the_start(folder / f"{size}.sage", " ".join(texts[0].split()[:8]))
        print("search quality")
        quality(folder, pairs, chance)


if __name__ == "__main__":
    main(tuple(int(size) for size in sys.argv[1:]) or (1_000, 10_000, 100_000))
