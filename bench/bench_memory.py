"""The memory beside a plain peer on one corpus: search, the end of an episode, hot selection, quality.

The corpus is the documentation that ships with Python: prose full of identifiers. Larger banks are made of
random windows of it. Times are medians on this machine, p95 in brackets: time of the processor for what only
computes (search, selection), so that other work on the machine does not count; of the clock for what waits
for the disk or is the first of its kind.
"""

from __future__ import annotations

import importlib
import inspect
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
from collections.abc import Callable, Iterator
from pathlib import Path

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
    seen = set()
    for module_info in pkgutil.iter_modules():
        if module_info.name not in sys.stdlib_module_names or _SKIPPED.match(
            module_info.name
        ):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                module = importlib.import_module(module_info.name)
        except ImportError:
            continue
        for _, thing in inspect.getmembers(
            module, lambda o: inspect.isclass(o) or inspect.isfunction(o)
        ):
            things = [
                thing,
                *(m for _, m in inspect.getmembers(thing, inspect.isfunction)),
            ]
            for item in things if inspect.isclass(thing) else [thing]:
                text = inspect.getdoc(item) or ""
                head, _, rest = text.partition("\n\n")
                if (
                    len(rest.split()) >= 15
                    and len(head.split()) >= 4
                    and text not in seen
                ):
                    seen.add(text)
                    yield head, rest


def make_bank(path: Path, texts: list[str]) -> MemoryStore:
    """Write texts as items, five words as title."""
    store = MemoryStore(Workspace.open(path))
    with store.workspace.transaction():
        for number, text in enumerate(texts):
            words = text.split()
            store.add_item(
                Experience(
                    " ".join(words[:5]), "bench", "Bench", summary=" ".join(words[5:])
                ),
                origin=Origin.SEED,
                uid=f"m{number}",
            )
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
    print(
        f"  {label:<46} {middle:9.2f} ms  [p95 {sorted(times)[int(0.95 * (len(times) - 1))]:.2f}]"
    )
    return middle


def search(store: MemoryStore, texts: list[str], chance: random.Random) -> None:
    """Compare one query in ours and in plain rank-bm25 as its documentation uses it."""
    queries = []
    for _ in range(_QUERIES):
        words = chance.choice(texts).split()
        start = chance.randrange(max(1, len(words) - 40))
        queries.append(" ".join(words[start : start + chance.randrange(6, 41)]))
    retriever = Retriever(store.workspace)
    built = timed(lambda: retriever.retrieve("anything"))
    with Workspace.open_readonly(store.workspace.path) as reader:
        cold = Retriever(reader)
        first = timed(lambda: cold.retrieve(queries[0]))
    fresh = [computed(lambda q=q: retriever.retrieve(q)) for q in queries]
    own_retrieval = show(
        "ours: whole retrieval",
        [computed(lambda q=q: retriever.retrieve(q)) for q in queries * 3],
    )
    show("ours: the same, words not asked for before", fresh)
    index = SparseIndex(store.workspace)
    index.refresh()
    for query in queries:
        index.scores(query)
    own_scores = show(
        "ours: scores of all items only",
        [computed(lambda q=q: index.scores(q)) for q in queries * 3],
    )
    print(f"  {'ours: first query of another process':<46} {first:9.2f} ms")
    print(f"  {'ours: building and storing the index':<46} {built:9.0f} ms")
    peer = BM25Okapi([tokenize(text) for text in texts])
    sample = queries if len(texts) <= 10_000 else queries[:8]
    peer_scores = show(
        "rank-bm25: scores of all items only",
        [computed(lambda q=q: peer.get_scores(tokenize(q))) for q in sample],
    )
    peer_best = show(
        "rank-bm25: best five",
        [computed(lambda q=q: peer.get_top_n(tokenize(q), texts, n=5)) for q in sample],
    )
    print(
        f"  ratio {peer_scores / own_scores:.0f} x (scores), {peer_best / own_retrieval:.0f} x (best five), "
        f"{peer_scores / own_retrieval:.0f} x (our whole retrieval against its scores)"
    )


def episodes(store: MemoryStore, chance: random.Random) -> None:
    """Time the transaction that ends an episode of 30 retrieved items."""
    times = []
    size = min(5_000, len(store.items()))
    for number in range(40):
        uid = f"episode-{number}"
        store.workspace.db.execute(
            "INSERT INTO trajectory(uid, operator, operator_digest, parameters, provider, provider_origin, "
            "evaluator, started_at) VALUES (?, ?, '', '{}', 'bench', 'scripted', 'bench', ?)",
            (uid, f"Op{number % 9}", now()),
        )
        store.begin_episode(
            uid, uid, f"Op{number % 9}", Objective.CORR, MethodParameters()
        )
        uids = [f"m{item}" for item in chance.sample(range(size), 30)]
        store.record_retrieval(
            uid, 1, [Retrieved(name, rank, 0.0) for rank, name in enumerate(uids, 1)]
        )
        states = (AdoptionState.ADOPTED, AdoptionState.NOT_ADOPTED)
        store.record_adoption(
            uid, 1, {name: (states[rank % 3 > 0], "") for rank, name in enumerate(uids)}
        )
        store.workspace.db.execute(
            "INSERT INTO round(trajectory_uid, round, episode_uid, step, verdict, started_at) "
            "VALUES (?, 1, ?, 'evaluated', 'pass', '')",
            (uid, uid),
        )
        times.append(
            timed(
                lambda uid=uid: store.apply_episode(EpisodeOutcome(uid, correct=True))
            )
        )
    show("end of an episode with 30 items", times)


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
        times = [
            computed(
                lambda: residency.select(
                    db, MethodParameters(), seq=seq, applied=applied
                )
            )
            for _ in range(7)
        ]
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
    ranks: dict[str, list[float]] = {name: [] for name in names}
    for number in numbers:
        query = pairs[number][0]
        pool = retriever.retrieve(query, k=100, parameters=by_relevance)
        by_words = sorted(pool, key=lambda hit: -(hit.coverage or 0.0))
        by_meaning = sorted(pool, key=lambda hit: -(hit.cosine or 0.0))
        hits = {
            "sparse only": [hit.uid for hit in by_words[:50]],
            "dense only": [hit.uid for hit in by_meaning[:50]],
            "hybrid (ours)": [hit.uid for hit in pool[:50]],
        }
        fused: dict[str, float] = {}
        for name in ("sparse only", "dense only"):
            for rank, uid in enumerate(hits[name], start=1):
                fused[uid] = fused.get(uid, 0.0) + 1 / (60 + rank)
        hits["RRF, k = 60"] = sorted(fused, key=lambda uid: -fused[uid])
        for name, uids in hits.items():
            uid = f"m{number}"
            ranks[name].append(1 / (1 + uids.index(uid)) if uid in uids else 0.0)
    print(
        f"  {len(pairs)} texts, {len(numbers)} queries (first sentence finds the rest)"
    )
    for name in names:
        values = np.array(ranks[name])
        print(f"  {name:<16} R@1 {np.mean(values == 1):.3f}   MRR {values.mean():.3f}")
    encoder.close()
    store.workspace.close()


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
    own_times = [
        "-m",
        "sage_desktop.cli",
        "memory",
        "search",
        query,
        "--workspace",
        str(path),
    ]
    for name, arguments in (
        ("ours", own_times),
        ("rank-bm25", ["-c", _PEER, str(path), query]),
    ):
        wall, computing = [], []
        for _ in range(7 if name == "ours" else 2):
            before, started = (
                resource.getrusage(resource.RUSAGE_CHILDREN),
                time.perf_counter(),
            )
            root = Path(__file__).parents[1]
            subprocess.run(
                [sys.executable, *arguments], cwd=root, check=True, capture_output=True
            )
            wall.append(time.perf_counter() - started)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            computing.append(
                after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            )
        print(
            f"  search from the command line, {name:<10} wall {statistics.median(wall):.2f} s "
            f"[{min(wall):.2f} … {max(wall):.2f}], processor {statistics.median(computing):.2f} s"
        )


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
